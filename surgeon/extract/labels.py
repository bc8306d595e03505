"""Slot names: the noun beside a value, in one canonical form for both languages, and who or what the value belongs to."""

from __future__ import annotations

import re
from functools import lru_cache

# canonical label -> words that name it (English words match whole, Chinese anywhere in the clause)
LEXICON: dict[str, str] = {
    "address": "address|deliver to|ship to|send it to|地址|收货地址|送到|寄到|配送到",
    "phone": "phone|mobile|cell|telephone|call me on|contact number|电话|手机|手机号|联系方式|联系电话",
    "email": "email|e-mail|mail|邮箱|邮件",
    "budget": "budget|spend|spending limit|预算|总预算",
    "price": "price|fare|cost|rate|fee|价格|单价|票价|费用|低消",
    "salary": "salary|pay|wage|月薪|工资|薪资|薪水",
    "amount": "amount|contribution|sum|deposit|金额|投资|贷款|存款",
    "limit": "limit|threshold|cap|ceiling|alarm|上限|下限|阈值|报警值|限额",
    "port": "port|端口",
    "branch": "branch|分支",
    "tag": "tag|镜像|image",
    "version": "version|版本|node",
    "replicas": "replicas|replica|副本|副本数",
    "memory": "memory|ram|内存",
    "cpu": "cpu",
    "channel": "channel|频道|通道",
    "format": "format|output|格式|输出",
    "deadline": "deadline|due|by|before|截止|之前|最晚",
    "start": "start|starts|starting|begin|入职|开始|起始",
    "end": "end|ends|ending|until|till|stop|结束|截至",
    "date": "date|day|日期|日子",
    "time": "time|slot|时间|时段|时刻",
    "duration": "duration|long|length|时长|期限|试用期|合同期|年限",
    "people": "people|guests|party|persons|person|passengers|travelers|travellers|adults|attendees|headcount|of us|人数|个人|位|人",
    "rooms": "rooms|room|房间|间|包间",
    "nights": "nights|晚",
    "tickets": "tickets|票",
    "seat": "seat|座位|座",
    "flight": "flight|航班|车次|train|train number",
    "order": "order|order number|order no|订单|单号|订单号",
    "case": "case|ticket|case number|工单|案号|编号",
    "booking": "booking|reservation|confirmation|预订|预约号",
    "name": "name|called|under|passenger|姓名|名字|乘车人|联系人|候选人",
    "model": "model|型号",
    "hotel": "hotel|酒店|宾馆|住宿",
    "restaurant": "restaurant|餐厅|饭店|餐馆",
    "attraction": "attraction|museum|park|景点|景区",
    "destination": "destination|to|going to|目的地",
    "origin": "from|departing|出发地",
    "color": "color|colour|颜色",
    "size": "size|尺寸|尺码|大小",
    "temperature": "temperature|heating|degrees|thermostat|温度|空调|度",
    "plan": "plan|package|tier|套餐|方案",
    "account": "account|账号|账户|卡号",
    "language": "language|语言",
    "unit": "unit|units|单位",
    "quantity": "quantity|qty|数量",
    "rating": "rating|评分",
    "risk": "risk|risk level|风险|风险等级",
    "supplier": "supplier|vendor|供应商",
    "window": "curtain|窗帘",
}
_UNIT_LABEL = {
    "people": r"^(?:party|group|table) |(?:people|persons?|guests?|adults?|kids|child(?:ren)?|passengers?|travell?ers|attendees|个人|人|位)$",
    "rooms": r"(?:rooms?|间|套)$", "nights": r"(?:nights?|晚)$", "tickets": r"(?:tickets?|张)$", "temperature": r"(?:degrees|度|℃)$",
    "duration": r"(?:hours?|hrs|minutes?|mins?|months?|weeks?|years?|days?|小时|分钟|个月|天|周|年)$", "replicas": r"(?:replicas?|副本)$",
    "units": r"(?:units?|台|件)$",
}
_DEFAULT = {"address": "address", "phone": "phone", "email": "email", "url": "url", "endpoint": "endpoint", "path": "path", "date": "date",
            "clock": "time", "money": "amount", "percent": "share", "name": "name", "person": "person", "code": "code", "id": "number",
            "quantity": "quantity", "number": "number"}
# which labels a type may take; others are ignored so that "port 8080 at 3 pm" labels neither by the other's noun
_FITS = {
    "address": {"address"}, "phone": {"phone"}, "email": {"email"}, "path": {"path", "branch"}, "url": {"url"}, "endpoint": {"endpoint", "port"},
    "date": {"date", "deadline", "start", "end"}, "clock": {"time", "deadline", "start", "end"},
    "money": {"budget", "price", "salary", "amount", "limit"}, "person": {"name", "person"},
}
_BESIDE = 9
_ZH = re.compile(r"[\u4e00-\u9fff]")


@lru_cache(maxsize=1)
def _table() -> list[tuple[str, str, re.Pattern[str]]]:
    rows: list[tuple[str, str, re.Pattern[str]]] = []
    for label, words in LEXICON.items():
        for word in sorted(words.split("|"), key=len, reverse=True):
            pattern = re.escape(word) if _ZH.search(word) else rf"\b{re.escape(word)}\b"
            rows.append((label, word, re.compile(pattern, re.I)))
    return rows


@lru_cache(maxsize=4096)
def labels_in(text: str) -> tuple[tuple[int, int, str], ...]:
    """Every slot name in a text as (start, end, canonical label); longer names win where two overlap."""
    found: list[tuple[int, int, str]] = []
    lowered = text.lower()
    for label, word, pattern in _table():
        if word not in lowered:  # a plain look-up costs a tenth of the pattern
            continue
        found += [(m.start(), m.end(), label) for m in pattern.finditer(text)]
    found.sort(key=lambda s: (-(s[1] - s[0]), s[0]))
    out: list[tuple[int, int, str]] = []
    for a, b, label in found:
        if not any(x < b and a < y for x, y, _ in out):
            out.append((a, b, label))
    return tuple(sorted(out))


def canonical(words: str) -> str:
    """The canonical label of a noun phrase: that of its last slot name, else the phrase itself, folded."""
    found = labels_in(words)
    if found:
        return found[-1][2]
    return re.sub(r"^(?:the|your|my|our|a|an|new|current)\s+", "", words.strip().lower())[:40]


def label_of(kind: str, text: str, start: int, end: int) -> str:
    """The label of a value: a unit that tells, else the nearest fitting slot name in its clause (before it first), else the type's own."""
    value = text[start:end]
    if kind == "quantity":
        for label, pattern in _UNIT_LABEL.items():
            if re.search(pattern, value, re.I):
                near = _near(kind, text, start, end)
                return near if near in ("duration", "deadline", "temperature", "limit") and label == "duration" else label
    if kind == "person" and re.search(r"(?:under|name|passenger|乘车人|联系人|收件人|姓名|名字|客户|候选人)\W{0,2}(?:of |is |the |是|叫|：)*$", text[:start], re.I):
        return "name"
    near = _near(kind, text, start, end)
    return near or default_label(kind)


def default_label(kind: str) -> str:
    """The label of a type whose slot nothing names."""
    return _DEFAULT.get(kind, kind)


def _near(kind: str, text: str, start: int, end: int) -> str:
    left = max((text.rfind(c, 0, start) for c in "，。；！？;.!?\n,"), default=-1) + 1
    right = min((p for p in (text.find(c, end) for c in "，。；！？;!?\n,") if p >= 0), default=len(text))
    fits = _FITS.get(kind)
    best, gap = "", 24
    for a, b, label in labels_in(text[left:right]):
        a, b = a + left, b + left
        if fits is not None and label not in fits:
            continue
        if kind in ("code", "id", "number", "quantity", "name") and label in ("deadline", "start", "end", "date", "time", "destination", "origin", "address", "phone", "email"):
            continue
        if kind == "number" and not 0 <= start - b <= _BESIDE:
            continue  # a bare number belongs only to the noun right before it
        if b <= start:
            distance = start - b
        elif a >= end:
            distance = (a - end) + 6
        elif kind in ("path", "endpoint", "address", "phone"):
            continue
        else:
            distance = 0
        if distance < gap:
            best, gap = label, distance
    return best


_KIN = "sister|brother|mum|mom|mother|dad|father|wife|husband|partner|son|daughter|boss|friend|colleague|neighbour|neighbor|assistant|manager|parents"
_OWNER_EN = re.compile(
    rf"\b(?:(my|his|her|their|our)\s+({_KIN})(?:['’]s)?\b|([A-Z][a-z]+)['’]s\s+\w|for\s+([A-Z][a-z]+)\b(?!\s*\d|\s+[A-Z]|['’])"
    r"|(outbound|return|staging|prod|production|first night|second night|third night|night \d|bedroom|office|guest room|kitchen|living room)\b)"
)
_OWNER_ZH = re.compile(r"(收件人|寄件人|预发|生产|测试|去程|返程|回程|主卧|次卧|客厅|书房|儿童房|厨房|报告厅|(?:我)?(?:妈|爸|老婆|老公|姐|妹|哥|弟)|[\u4e00-\u9fff]{1,2}(?:经理|总|老师|先生|女士|医生|组长|主任))(?:的|那边)?")


def owner_of(clause: str) -> str:
    """Whose value it is: a named person, a relation, an environment, a leg or a room; empty for the user's own."""
    match = _OWNER_EN.search(clause)
    if match:
        if match[1]:
            return f"{match[1]} {match[2]}".lower()
        name = match[3] or match[4]
        return name if name and name.lower() not in _NO_OWNER else (match[5] or "").lower()
    match = _OWNER_ZH.search(clause)
    return match[1] if match else ""


_NO_OWNER = frozenset(["flat", "apt", "unit", "suite", "room", "floor", "let", "it", "that", "there", "here", "what", "who", "how", "the", "one", "today", "order", "case", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
