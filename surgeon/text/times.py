"""Dates and times in English and Chinese, resolved against the time of the message that says them.

Nothing is resolved without a reference time, so that results do not depend on when they are computed. The original words are kept.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import NamedTuple

_MONTHS = {m: i for i, names in enumerate(
    ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sept sep",
     "october oct", "november nov", "december dec"), 1) for m in names.split()}
_DAYS = {d: i for i, names in enumerate(("monday mon", "tuesday tues tue", "wednesday wed", "thursday thurs thu", "friday fri", "saturday sat", "sunday sun")) for d in names.split()}
_ZH_DAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_ZH_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
              "壹": 1, "贰": 2, "叁": 3, "肆": 4, "伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9}
_ZH_UNITS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_EN_NUMBERS = {w: i for i, w in enumerate(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"])}
_EN_NUMBERS.update({"a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90})

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = "|".join(sorted(_DAYS, key=len, reverse=True))
_N = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
_EN_N = "|".join(sorted(_EN_NUMBERS, key=len, reverse=True))

DATE = re.compile(
    rf"""(?<![\d.])\d{{4}}-\d{{1,2}}-\d{{1,2}}(?!\d)
    |(?:\d{{4}}\s?年)?\s?{_N}\s?月\s?{_N}\s?[日号](?!\w*楼)|\d{{1,2}}月\d{{1,2}}(?![\d号日])
    |\b(?:(?:{_DAY}),?\s+)?(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})\b(?:,?\s+\d{{4}})?
    |\b(?:(?:{_DAY}),?\s+)?(?:{_MONTH})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,?\s+\d{{4}})?
    |\ba\s+week\s+(?:from\s+)?(?:today|tomorrow|on\s+(?:{_DAY})|(?:{_DAY}))\b|\bthe\s+day\s+after\s+tomorrow\b
    |\b(?:in\s+)?(?:\d{{1,3}}|{_EN_N})\s+(?:days?|weeks?|months?)\s+(?:later|from\s+now|ago|earlier)\b|\bin\s+(?:\d{{1,3}}|{_EN_N})\s+(?:days?|weeks?|months?)\b
    |\b(?:next|this|last|coming|on)\s+(?:{_DAY}|weekend|week|month)\b|\b(?:{_DAY})\s+(?:next\s+week|week)\b|\b(?:today|tomorrow|tonight|yesterday)\b
    |\b(?:{_DAY})\b(?!\w)
    |(?:下下|下|上|这|本)?(?:个)?(?:周|星期|礼拜)[一二三四五六日天](?!期)|(?:下下|下|上|这|本)(?:个)?周末|(?:下下|下|上|这|本)个?(?:月|季度)(?:底|初|末)?
    |大后天|后天|明天|明儿|今天|今晚|明晚|昨天|前天|[一二两三四五六七八九十\d]+(?:天|周|个月)(?:后|前)|月底|年底|周末
    """, re.I | re.X)
CLOCK = re.compile(
    rf"""(?<![\d:.])(?:(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|半夜|今晚|明晚)\s?)?(?<![\d:.])(?:[01]?\d|2[0-4])[:：][0-5]\d(?![:\d])(?:\s?[ap]\.?m\b\.?)?
    |(?<![\d.,£$€])\b(?:1[0-2]|0?[1-9])(?:\.[0-5]\d)?\s?[ap]\.?m\b\.?
    |\b(?:noon|midnight)\b|\bhalf\s+(?:past\s+)?(?:{_EN_N})\b|\bquarter\s+(?:to|past)\s+(?:{_EN_N}|\d{{1,2}})\b|\b(?:\d{{1,2}}|{_EN_N})\s+o[''’]?clock\b
    |(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|半夜|今晚|明晚)?\s?{_N}\s?(?:点钟|点整|点|时)(?!击|评|心|赞)(?:半|一刻|三刻|{_N}分?)?(?!\d)
    |凌晨|早上|上午|中午|下午|傍晚|晚上|\b(?:morning|afternoon|evening)\b
    """, re.I | re.X)
_MODIFIER = re.compile(r"(?:凌晨|早上|早晨|上午|中午|下午|傍晚|晚上)|\b(?:morning|afternoon|evening)\b", re.I)


class When(NamedTuple):
    """A date or a time of day in a text: offsets, kind (`date` or `clock`), and ISO form (empty if it cannot be resolved)."""

    start: int
    end: int
    kind: str
    iso: str


def number(words: str) -> int | None:
    """The value of an integer in digits, Chinese numerals or English words; None if it is none."""
    text = words.strip().lower().replace(",", "")
    if text.isdigit():
        return int(text)
    if text in _EN_NUMBERS:
        return _EN_NUMBERS[text]
    total, section, digit, seen = 0, 0, 0, False
    for c in text:
        if c in _ZH_DIGITS:
            digit, seen = _ZH_DIGITS[c], True
        elif c in _ZH_UNITS:
            section += (digit if seen else 1) * _ZH_UNITS[c]
            digit, seen = 0, True if section else seen
        elif c in "万萬":
            total += (section + digit) * 10_000
            section = digit = 0
        else:
            return None
    return total + section + digit if seen or total or section else None


def find(text: str, now: datetime | None) -> list[When]:
    """Every date and time of day in the text, in order; dates win where both match."""
    out: list[When] = []
    taken: list[tuple[int, int]] = []
    for match in DATE.finditer(text):
        out.append(When(match.start(), match.end(), "date", _date(match.group(), now)))
        taken.append(match.span())
    free = (m for m in CLOCK.finditer(text) if not any(a < m.end() and m.start() < b for a, b in taken))
    out += [When(m.start(), m.end(), "clock", _clock(m.group())) for m in free]
    return sorted(out)


def _date(words: str, now: datetime | None) -> str:
    text = words.lower().strip()
    fixed = re.match(r"(\d{4})-(\d{1,2})-(\d{1,2})", text)
    if fixed:
        return _iso(int(fixed[1]), int(fixed[2]), int(fixed[3]))
    if now is None:
        return ""
    today = now.date()
    resolved = _calendar(text, today) or _english(text, today) or _chinese(text, today)
    return resolved.isoformat() if resolved else ""


def _iso(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _calendar(text: str, today: date) -> date | None:
    """Day and month are named; the year is, or the year in which it lies nearest (half a year back at most)."""
    zh = re.match(r"(?:(\d{4})\s?年)?\s?(\S{1,3}?)\s?月\s?(\S{1,3}?)\s?[日号]?$", text)
    month = day = None
    year = None
    if zh:
        year, month, day = (int(zh[1]) if zh[1] else None), number(zh[2]), number(zh[3])
    else:
        found = re.search(rf"\b({_MONTH})\b", text)
        digits = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", text)
        if found and digits:
            month, day = _MONTHS[found[1]], int(digits[1])
            long = re.search(r"\b(\d{4})\b", text)
            year = int(long[1]) if long else None
    if not month or not day:
        return None
    try:
        chosen = date(year or today.year, month, day)
        if year is None and chosen < today - timedelta(days=183):
            chosen = date(today.year + 1, month, day)
    except ValueError:
        return None
    return chosen


def _english(text: str, today: date) -> date | None:
    simple = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "the day after tomorrow": 2}
    if text in simple:
        return today + timedelta(days=simple[text])
    if text.startswith("a week"):
        if "tomorrow" in text:
            return today + timedelta(days=8)
        day = re.search(rf"\b({_DAY})\b", text)
        return _next(today, _DAYS[day[1]]) + timedelta(days=7) if day else today + timedelta(days=7)
    span = re.search(rf"(\d+|{_EN_N})\s+(day|week|month)", text)
    if span:
        count = number(span[1]) or 0
        days = count * {"day": 1, "week": 7, "month": 30}[span[2]]
        if span[2] == "month":
            return None
        return today + timedelta(days=-days if re.search("ago|earlier", text) else days)
    if "weekend" in text:
        saturday = _next(today - timedelta(days=1), 5)
        return saturday + timedelta(days=7) if "next" in text and today.weekday() >= 0 and saturday - today < timedelta(days=0) else saturday
    day = re.search(rf"\b({_DAY})\b", text)
    if not day:
        return None
    weekday = _DAYS[day[1]]
    if "last" in text:
        return _next(today, weekday) - timedelta(days=7)
    if "next" in text or text.endswith(" week"):
        monday = today - timedelta(days=today.weekday())
        return monday + timedelta(days=7 + weekday)
    return _next(today - timedelta(days=1), weekday) if weekday == today.weekday() and "this" in text else _next(today, weekday)


def _next(today: date, weekday: int) -> date:
    """The first such weekday after today."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _chinese(text: str, today: date) -> date | None:
    simple = {"今天": 0, "今晚": 0, "明天": 1, "明儿": 1, "明晚": 1, "后天": 2, "大后天": 3, "昨天": -1, "前天": -2}
    if text in simple:
        return today + timedelta(days=simple[text])
    monday = today - timedelta(days=today.weekday())
    week = re.match(r"(下下|下|上|这|本)?个?(?:周|星期|礼拜)([一二三四五六日天])", text)
    if week:
        shift = {"下下": 14, "下": 7, "上": -7}.get(week[1] or "", 0)
        chosen = monday + timedelta(days=shift + _ZH_DAYS[week[2]])
        return chosen + timedelta(days=7) if not week[1] and chosen < today else chosen
    weekend = re.match(r"(下下|下|上|这|本)?个?周末", text)
    if weekend:
        return monday + timedelta(days={"下下": 14, "下": 7, "上": -7}.get(weekend[1] or "", 0) + 5)
    span = re.match(r"(\S+?)(天|周)(后|前)", text)
    if span and (count := number(span[1])) is not None:
        days = count * (7 if span[2] == "周" else 1)
        return today + timedelta(days=days if span[3] == "后" else -days)
    if text == "月底":
        following = (today.replace(day=28) + timedelta(days=4)).replace(day=1)
        return following - timedelta(days=1)
    if text == "年底":
        return date(today.year, 12, 31)
    return None


def _clock(words: str) -> str:
    text = words.lower().strip().replace("：", ":")
    if text in ("noon", "中午"):
        return "12:00"
    if text == "midnight":
        return "00:00"
    late = bool(re.search(r"下午|傍晚|晚上|今晚|明晚|中午", text)) or bool(re.search(r"p\.?m", text))
    plain = re.search(r"(\d{1,2})[:.](\d{2})", text) or re.match(r"(\d{1,2})()\s?[ap]\.?m", text)
    if plain:
        hour, minute = int(plain[1]), int(plain[2] or 0)
    elif spoken := re.match(rf"(half|quarter to|quarter past)\s+(?:past\s+)?({_EN_N}|\d+)", text):
        hour, minute = number(spoken[2]) or 0, {"half": 30, "quarter past": 15}.get(spoken[1], 45)
        hour -= spoken[1] == "quarter to"
    elif oclock := re.match(rf"(\d+|{_EN_N})\s+o", text):
        hour, minute = number(oclock[1]) or 0, 0
    elif zh := re.search(rf"({_N})\s?(?:点钟|点整|点|时)(半|一刻|三刻|{_N})?", text):
        hour = number(zh[1]) or 0
        tail = zh[2] or ""
        minute = {"半": 30, "一刻": 15, "三刻": 45}.get(tail, number(tail) or 0 if tail else 0)
    else:
        return ""
    if late and hour < (10 if "中午" in text else 12):
        hour += 12
    if (re.search(r"a\.?m", text) or "凌晨" in text or "半夜" in text) and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}" if 0 <= hour <= 24 and minute < 60 else ""


def is_vague(words: str) -> bool:
    """Whether a time of day names only a part of the day."""
    return bool(_MODIFIER.fullmatch(words.strip()))


_STEP_DAYS = {"day": 1, "week": 7, "fortnight": 14, "天": 1, "日": 1, "周": 7, "星期": 7, "个星期": 7, "礼拜": 7, "个礼拜": 7}
_COUNT = r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|[一二两三四五六七八九十]{1,3}"
_STEPS: tuple[tuple[int, re.Pattern[str]], ...] = (
    (1, re.compile(rf"\b(?P<n>{_COUNT}) (?P<unit>day|week|fortnight)s? later\b|\b(?:push(?:ed)?|move[ds]?|postpone[ds]?|delay(?:ed)?|shift(?:ed)?)(?: (?:it|that|this|everything|the [\w ]{{2,24}}))?(?: back)? by (?P<n2>{_COUNT}) (?P<unit2>day|week|fortnight)s?\b", re.I)),
    (-1, re.compile(rf"\b(?P<n>{_COUNT}) (?P<unit>day|week|fortnight)s? (?:earlier|sooner)\b|\b(?:bring|pull|move)(?: (?:it|that|this|the [\w ]{{2,24}}))? (?:forward|up) by (?P<n2>{_COUNT}) (?P<unit2>day|week|fortnight)s?\b", re.I)),
    (1, re.compile(rf"(?:延后|推迟|推后|顺延|延迟|往后推|往后延|往后挪|晚)了?(?P<n>{_COUNT})(?P<unit>天|日|周|个?星期|个?礼拜)")),
    (-1, re.compile(rf"(?:提前|往前挪|往前提|早)了?(?P<n>{_COUNT})(?P<unit>天|日|周|个?星期|个?礼拜)")),
)


def shift(text: str) -> int:
    """By how many days a sentence moves a date ("two weeks later", "提前三天"); 0 if it moves none."""
    for sign, pattern in _STEPS:
        match = pattern.search(text)
        if match is None:
            continue
        found = match.groupdict()
        count, unit = found.get("n") or found.get("n2") or "", (found.get("unit") or found.get("unit2") or "").lower()
        value = 1 if count.lower() in ("a", "an") else number(count)
        return sign * (value or 0) * _STEP_DAYS.get(unit, 0)
    return 0
