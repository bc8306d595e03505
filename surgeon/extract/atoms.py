"""Typed values in a text: what can be set, corrected and restored. Patterns for English and Chinese side by side.

An atom's `type` decides what it may replace; its `label` (a noun beside it, in a canonical form) says which slot it fills.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from surgeon.extract.labels import default_label, label_of
from surgeon.text import times
from surgeon.types import Span

_ZN = r"[\d零〇一二两三四五六七八九十百千万]+"
_EN_NUM = r"(?:\d+(?:,\d{3})*(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)"
_STREET = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Boulevard|Blvd|Way|Square|Terrace|Close|Crescent|Parkway|Pkwy"
    r"|Row|Walk|Hill|Gardens|Grove|Mews|Quay|Wharf|Highway|Circle|Trail|Alley)"
)
_ADDRESS_EN = (
    rf"(?:(?:Flat|Apt|Unit|Suite|Apartment|Room|Floor)\.?\s*\w+,\s*)?\b\d{{1,5}}[A-Za-z]?\s+(?:[A-Z][\w'’.-]*\s+){{1,4}}?{_STREET}\b\.?"
    r"(?:,?\s*(?:Apt|Unit|Suite|Flat|Apartment|Room|Floor|#)\.?\s*\w+)?(?:(?:,|,?\s+(?:over\s+)?in)\s+[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+)*)*"
)
_REGION = r"(?:[\u4e00-\u9fff]{2,7}?(?:省|自治区|特别行政区))?(?:[\u4e00-\u9fff]{2,6}?市)?(?:[\u4e00-\u9fff]{1,6}?(?:区|县|镇|乡))?"
_ROAD = r"[\u4e00-\u9fffA-Za-z]{1,8}?(?:大道|大街|胡同|路|街|巷|弄|里|村|桥|道)"
_DOOR = rf"\s?(?:{_ZN}|\d+)\s?(?:号(?!线|楼|院)|弄)?(?:\s?(?:{_ZN}|[\dA-Za-z-]+)\s?(?:号楼|号院|号|栋|幢|座|单元|层|楼|室)){{0,4}}(?:\s?\d{{3,4}})?"
_ADDRESS_ZH = rf"(?:{_REGION}{_ROAD}{_DOOR})"
_UNITS_ZH = "个人|个小时|小时|分钟|个月|公斤|平方米|平米|大卡|流明|副本|台|件|位|人|间|套|张|本|份|箱|瓶|晚|天|周|年|度|克|升|米|吨|次|趟|辆|只|条|双|盒|袋|包|桶|核|成|行|页|桌|杯|块"
_UNITS_EN = (
    "people|persons|person|guests|guest|adults|adult|kids|children|child|tickets|ticket|rooms|room|nights|night|days|day|weeks|week|months|month"
    "|years|year|hours|hour|hrs|minutes|minute|mins|min|units|unit|items|item|copies|copy|pieces|boxes|box|seats|seat|bags|bag|passengers|passenger"
    "|travelers|travellers|tables|replicas|replica|pages|page|licenses|licences|miles|km|kg|mm/s|in/s|ms|GB|MB|Mi|Gi|degrees|stars|star|attendees|servings|cups|bottles"
)
_CURRENCY = r"(?:USD|EUR|GBP|CNY|RMB|JPY|HKD|[$£€¥￥])"

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("url", re.compile(r"https?://[^\s，。；）)\"'<>]+")),
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.A)),
    ("address", re.compile(_ADDRESS_EN)),
    ("address", re.compile(_ADDRESS_ZH)),
    ("endpoint", re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?(?!\d)")),
    ("path", re.compile(r"(?<![\w/])(?:[~.]{0,2}/)?(?:[A-Za-z0-9_.@+-]+/)+[A-Za-z0-9_.@+-]*[A-Za-z0-9_]|(?<![\w/])[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(?:py|tsx?|jsx?|json|md|toml|ya?ml|txt|go|rs|java|sh|sql|csv|pdf|log|xml|html|xlsx|docx?)\b", re.A)),
    ("phone", re.compile(r"(?<![\d-])(?:\+\d{1,3}[ -]?)?(?:1[3-9]\d-?\d{4}-?\d{4}|\(?\d{3}\)?[ -]\d{3}[ -]\d{4}|0\d{2,3}-\d{7,8})(?![\d-])")),
    ("money", re.compile(rf"{_CURRENCY}\s?\d[\d,]*(?:\.\d+)?\s?(?:k|m|万|million\b)?|\b{_EN_NUM}(?:\s+hundred|\s+thousand)?\s?(?:USD|EUR|GBP|CNY|RMB|dollars|euros?|pounds|bucks|yuan)\b|{_ZN}(?:\.\d+)?\s?(?:万|千)?(?:元|块钱|块|美元|欧元)", re.I)),
    ("code", re.compile(r"\b[A-Z]{2,3} \d{2,5}\b")),
    ("version", re.compile(
        r"\b(?:node(?:\.?js)?|python|postgres(?:ql)?|mysql|java|jdk|golang|php|ruby|redis|vue|react|angular|django|rails|kafka|ubuntu|debian|spark|scala|kotlin|rust|\.net|dotnet|webpack|vite|kubernetes|k8s|terraform|nginx|mongo(?:db)?|elasticsearch)(?:版本)? ?(?:is |to |降到|升到|升级到|改成|换成|用|v)?v?(\d{1,3}(?:\.\d+){0,3})(?![\w%-])"
        r"|\b(?:upgrade|downgrade|update|bump|migrat\w+|pin(?:ned)?)\b(?: [\w.-]+){0,2}? to v?(\d{1,3}(?:\.\d+){0,3})(?![\w%/:-]|,\d| ?(?:people|guests|days?|hours?|dollars?|euros?))"
        r"|(?:版本|升级|降级)(?:升|降|改|换|调)?(?:到|成|为|是)v?(\d{1,3}(?:\.\d+){0,3})", re.I | re.A)),
    ("percent", re.compile(r"\d+(?:\.\d+)?\s?[%％]|[百千万]分之" + _ZN)),
    ("quantity", re.compile(rf"\b(?:party|group|table) (?:of|for) (?:{_EN_NUM})\b|\b{_EN_NUM} of us\b|(?<![\w.]){_EN_NUM}[ -]?(?:{_UNITS_EN})\b|半(?:年|个月|天|个?小时)|(?:不超过|不低于|至少|最多)?(?:\d[\d,]*(?:\.\d+)?|{_ZN})\s?(?:{_UNITS_ZH}|℃)(?:以上|以下|以内)?", re.I)),
    ("quantity", re.compile(r"\b(?:order|buy|need|want|source|get|ship|purchase|request|supply|print|reserve)s?\s+(?:me |us |another )?(\d{1,4} (?:[a-z-]+ )?[a-z]{2,}s)\b", re.I)),
    ("money", re.compile(rf"{_ZN}(?:\.\d+)?万(?![\u4e00-\u9fff]*人)|[一二两三四五六七八九]千(?:[一二三四五六七八九]百?)?")),
    ("code", re.compile(r"(?<![\w@./-])(?=[A-Za-z0-9-]*\d)(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*(?![\w@])|\b[A-Z]{2,3} \d{2,5}\b|(?<![\d.])\d+\.\d+\.\d+(?:-[A-Za-z0-9.]+)?(?![\d.])", re.A)),
    ("id", re.compile(r"(?<![\d.,:/-])\d{5,}(?![\d,:/-]|\.\d)")),
    ("name", re.compile(r"[「《]([^」》\n]{1,20})[」》]|[“\"]([^”\"\n]{2,24})[”\"]")),
    ("number", re.compile(r"(?<![\w.,:/#@-])\d{1,5}(?:\.\d+)?(?![\w:/%@-]|[.,]\d)", re.A)),
)
_FIRST_TAKEN = 10  # these patterns come before dates and times, the rest after them
_LEAD_ZH = re.compile(
    r"^(?:已?(?:登记|记下|备注|记录|确认|更新)(?:为|成|到)?(?=[\u4e00-\u9fff]{2})|.*(?:寄到|送到|送至|寄往|寄至|发到|改成|改为|换成|换到|改到|地址(?:是|为|改|：|:)?|恢复为|恢复到|更正为|变更为|调整为|设为|登记为|改回|换回|应该是|应该送|应该寄|配送|快递到|住在|位于|家在|公司在|就是|还是|[，,、：:]|(?<=[送寄发到是在去往])(?=[\u4e00-\u9fff]{2}))(?=[\u4e00-\u9fff])|[送寄发到是在去往用按])"
)


_SERIAL = re.compile(r"(?:编号|单号|订单|案号|流水|序列号|\b(?:case|order|ticket|serial|booking|reference|tracking|number|no\.?|ref))\s?(?:号|#|:|：|是|为|is|number)?\s?$", re.I)
_NAMED = re.compile(
    r"(?:\bunder(?: the name(?: of)?)?|\bin the name of|\bname(?:[’']s| is)|\bpassenger(?: is)?:?) ([A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,2})"
    r"|(?:乘车人|联系人|收件人|姓名|名字叫?|客户|候选人)(?:是|叫|：|:)?\s?([\u4e00-\u9fff]{2,3})(?=[，。；、\s]|$|[\u4e00-\u9fff]?的|证件|电话)"
)


class Atom(NamedTuple):
    """A typed value: offsets in the text, the value as written, its normalised form, and the label of the slot it fills."""

    start: int
    end: int
    type: str
    text: str
    normal: str
    label: str
    told: bool = False  # the label stands in the text (a noun or a unit), it is not the type's default


def find_atoms(text: str, now: datetime | None, entities: Sequence[Span] = (), choices: Sequence[tuple[str, int, int]] = ()) -> list[Atom]:
    """Typed values in the order they stand; an earlier pattern wins where two overlap. `choices`: (slot, start, end) of words of which one holds."""
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, int, str, str]] = []

    def free(a: int, b: int) -> bool:
        return not any(x < b and a < y for x, y in taken)

    def take(a: int, b: int, kind: str, normal: str) -> None:
        taken.append((a, b))
        found.append((a, b, kind, normal))

    moments = times.find(text, now)
    for kind, pattern in _PATTERNS[:_FIRST_TAKEN]:
        for a, b in _spans(kind, pattern, text):
            if kind == "phone" and _SERIAL.search(text[:a]):
                kind = "id"
            if free(a, b) and not (kind == "money" and _inside(a, b, moments)):
                take(a, b, kind, "")
    for when in _joined(moments, text):
        if free(when.start, when.end):
            take(when.start, when.end, when.kind, when.iso)
    for slot, a, b in choices:
        if free(a, b):
            take(a, b, "option", slot)
    for kind, pattern in _PATTERNS[_FIRST_TAKEN:]:
        for a, b in _spans(kind, pattern, text):
            if free(a, b):
                take(a, b, kind, "")
    for match in _NAMED.finditer(text):
        a, b = match.span(match.lastindex or 0)
        if free(a, b):
            take(a, b, "person", "")
    for span in entities:
        if span.label == "PERSON" and free(span.start, span.end) and _is_name(span.text):
            take(span.start, span.end, "person", "")
    out = []
    for a, b, kind, normal in sorted(found):
        value = text[a:b]
        if kind == "option":
            out.append(Atom(a, b, kind, value, value.lower(), normal.replace("_", " "), True))
            continue
        label = label_of(kind, text, a, b)
        out.append(Atom(a, b, kind, value, normal or _normal(kind, value), label, label != default_label(kind)))
    return _ranges(text, out)


_TO = re.compile(r"\s*(?:to|until|till|through|thru|-|–|—|~|到|至)\s*", re.I)


def _ranges(text: str, atoms: list[Atom]) -> list[Atom]:
    """Of two dates with "to" between them the first is a start and the second an end."""
    for at, (one, two) in enumerate(itertools.pairwise(atoms)):
        if one.type == two.type == "date" and _TO.fullmatch(text[one.end:two.start]):
            atoms[at] = one._replace(label="start", told=True)
            atoms[at + 1] = two._replace(label="end", told=True)
    return atoms


SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史"
    "陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤宫苗温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁房滕屈饶解牟艾尤时阳阎穆农司卓古吉缪简车项连芦麦褚娄窦戚岑党宫费卜冷晏席卫"
)


def _is_name(text: str) -> bool:
    """Whether what a small model calls a person looks like one: a Chinese surname and one or two more characters, or capitalised words."""
    if re.search(r"[\u4e00-\u9fff]", text):
        return 2 <= len(text) <= 3 and text[0] in SURNAMES and re.fullmatch(r"[\u4e00-\u9fff]+", text) is not None
    return re.fullmatch(r"[A-Z][\w’'-]+(?: [A-Z][\w’'.-]*){0,3}", text) is not None


def _spans(kind: str, pattern: re.Pattern[str], text: str) -> Iterable[tuple[int, int]]:
    for match in pattern.finditer(text):
        a, b = match.span(next((g for g in range(1, (match.lastindex or 0) + 1) if match.group(g)), 0))
        if (kind == "address" and "\u4e00" <= text[b - 1] <= "\u9fff") or (kind == "address" and any("\u4e00" <= c <= "\u9fff" for c in text[a:b])):
            lead = _LEAD_ZH.match(text[a:b])
            if lead:
                a += lead.end()
            if not re.search(r"\d|[一二三四五六七八九十]", text[a:b]):
                continue
        while b > a and text[b - 1] in " .,，":
            b -= 1
        if b > a:
            yield a, b


def _inside(a: int, b: int, moments: Sequence[times.When]) -> bool:
    return any(w.start < b and a < w.end for w in moments)


def _joined(moments: Sequence[times.When], text: str) -> list[times.When]:
    """A part of the day beside a date belongs to it ("Tuesday afternoon"); alone it tells no time."""
    out: list[times.When] = []
    for when in moments:
        words = text[when.start:when.end]
        if words in ("一点", "两点", "三点", "几点") and text[when.end:when.end + 1] not in ("", "，", "。", "到", "前", "后", "见", "开", "的", "左", "钟", "！", " "):
            continue  # "a little", "two points": the words alone tell no time of day
        if when.kind == "clock" and times.is_vague(words):
            if out and out[-1].kind == "date" and 0 <= when.start - out[-1].end <= 1:
                out[-1] = out[-1]._replace(end=when.end)
            continue
        out.append(when)
    return out


def _normal(kind: str, value: str) -> str:
    if kind in ("quantity", "money", "number"):
        digits = re.match(r"[^\d零〇一二两三四五六七八九十百千万A-Za-z]*([\d,]*\d(?:\.\d+)?|[零〇一二两三四五六七八九十百千]+|[A-Za-z]+)(万|千|k)?", value)
        if digits:
            raw = digits[1].replace(",", "")
            count = times.number(raw)
            if count is not None:
                return str(count * {"万": 10_000, "千": 1000, "k": 1000}.get(digits[2] or "", 1))
            return raw
    return ""
