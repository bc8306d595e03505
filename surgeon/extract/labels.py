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
    "version": "version|版本",
    "replicas": "replicas|replica|副本|副本数",
    "memory": "memory|ram|内存",
    "cpu": "cpu",
    "channel": "channel|频道|通道",
    "format": "format|output|格式|输出",
    "deadline": "deadline|due|by|before|截止|之前|最晚",
    "start": "start|starts|starting|begin|入职|入住|出发|开始|起始",
    "end": "end|ends|ending|until|till|stop|结束|截至",
    "date": "date|day|日期|日子",
    "time": "time|slot|timer|时间|时段|时刻|定时",
    "duration": "duration|long|length|时长|年限",
    "probation": "probation|probation period|试用期",
    "term": "term|loan term|contract term|期限|合同期|合同期限|贷款期限",
    "notice": "notice|notice period|通知期",
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
# names of slots that hold a word of a class (rules/choices.yaml), for finding the fact a sentence speaks of
CHOICE_NAMES: dict[str, str] = {
    "travel class": r"travel class|\bclass\b|席别|舱位|座位|座席", "seat": r"\bseat\b|座位", "room type": r"room type|kind of room|房型|房间类型",
    "granularity": r"granularity|粒度", "comparison": r"comparison|对比方式", "flavour": r"flavou?r|口味|味道", "payment": r"payment|付款|支付",
    "light": r"light|灯光|灯色|灯", "sweetness": r"sweetness|sugar|甜度|糖", "spiciness": r"spic(?:y|iness)|辣度", "chart": r"\bchart\b|图表",
    "dispute": r"dispute|争议", "repayment": r"repayment|还款方式", "breakfast": r"breakfast|早餐|早饭", "risk profile": r"\brisk\b|风险", "vehicle": r"\b(?:cars?|vehicles?)\b|车型",
    "file type": r"\bformat\b|格式", "colour": r"colou?r|颜色", "delivery": r"delivery|shipping|配送|快递", "curtain": r"curtain|窗帘", "priority": r"priority|优先级",
}
_UNIT_LABEL = {
    "people": r"^(?:party|group|table) | of (?:us|them)$|(?:people|persons?|guests?|adults?|kids|child(?:ren)?|passengers?|travell?ers|attendees|个人|人|位)$",
    "rooms": r"(?:rooms?|间|套)$", "nights": r"(?:nights?|晚)$", "tickets": r"(?:tickets?|张)$", "temperature": r"(?:degrees|度|℃)$",
    "duration": r"(?:hours?|hrs|minutes?|mins?|months?|weeks?|years?|days?|小时|分钟|个月|天|周|年)$", "replicas": r"(?:replicas?|副本)$",
    "units": r"(?:units?|台|件)$",
}
VAGUE = frozenset({"to", "from", "by", "before", "under", "pay", "long", "until", "till", "stop", "day", "name", "start", "end", "of us", "one", "人", "位", "间", "张", "度", "票", "之前", "开始", "结束", "output", "unit", "begin", "date", "time"})  # too common to name a slot by themselves
_DEFAULT = {"address": "address", "phone": "phone", "email": "email", "url": "url", "endpoint": "endpoint", "path": "path", "date": "date",
            "clock": "time", "money": "amount", "percent": "share", "name": "name", "person": "person", "code": "code", "id": "number",
            "quantity": "quantity", "number": "number", "version": "version"}
# which labels a type may take; others are ignored so that "port 8080 at 3 pm" labels neither by the other's noun
_FITS = {
    "address": {"address"}, "phone": {"phone"}, "email": {"email"}, "path": {"path", "branch"}, "url": {"url"}, "endpoint": {"endpoint", "port"},
    "date": {"date", "deadline", "start", "end"}, "clock": {"time", "deadline", "start", "end"},
    "money": {"budget", "price", "salary", "amount", "limit"}, "person": {"name", "person"}, "version": {"version"},
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


def slot_names(text: str) -> set[str]:
    """The labels of every slot a sentence names, those of word classes among them."""
    named = {label for label, pattern in CHOICE_NAMES.items() if re.search(pattern, text, re.I)}
    return named | {label for a, b, label in labels_in(text) if text[a:b].lower() not in VAGUE}


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
                return near if near in ("duration", "probation", "term", "notice", "deadline", "temperature", "limit") and label == "duration" else label
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


_KIN = "sister|brother|mum|mom|mother|dad|father|wife|husband|partner|son|daughter|boss|friend|colleague|neighbour|neighbor|assistant|manager|parents|aunt|uncle|cousin|grandma|grandpa|niece|nephew|landlord|client|roommate|flatmate"
_OWNER_EN = re.compile(
    rf"\b(?:(my|his|her|their|our)\s+({_KIN})(?:['’]s)?\b|([A-Z][a-z]+)['’]s\s+\w|for\s+([A-Z][a-z]+)\b(?!\s*\d|\s+[A-Z]|['’])"
    r"|(outbound|return|staging|prod|production|first night|second night|third night|night \d|bedroom|office|guest room|kitchen|living room|bathroom|study|nursery)\b)"
)
_KIN_ZH = (
    "舅舅|舅妈|叔叔|婶婶|阿姨|姑姑|姑妈|姨妈|伯伯|爷爷|奶奶|外公|外婆|姥姥|姥爷|爸爸|妈妈|老爸|老妈|我爸|我妈|老婆|老公|媳妇|丈夫|妻子|儿子|女儿|孩子|哥哥|姐姐|弟弟|妹妹|表哥|表姐|表弟|表妹|堂哥|堂弟"
    "|岳父|岳母|公公|婆婆|师傅|师父|老板|领导|同事|同学|朋友|闺蜜|室友|房东|客户|邻居|我舅|我姐|我妹|我哥|我弟"
)
_PLACE_ZH = "收件人|寄件人|预发|生产|测试|去程|返程|回程|主卧|次卧|客厅|书房|儿童房|孩子房|厨房|阳台|卫生间|餐厅|报告厅"
_OWNER_ZH = re.compile(
    rf"({_PLACE_ZH}|(?<![他她])(?:{_KIN_ZH})|[\u4e00-\u9fff]{{1,2}}(?:经理|老师|先生|女士|医生|组长|主任)|(?<![\u4e00-\u9fff])[\u4e00-\u9fff]总(?![\u4e00-\u9fff]{{0,1}}(?:价|额|数|共|计)))(?:的|那边|家)?"
    r"|(?<![\u4e00-\u9fff])([\u4e00-\u9fff]{2,4})(?:那边|这边)"
)
_HEADING = re.compile(r"(?:^|[。；;\n])\s*([\u4e00-\u9fff]{2,4}|[A-Z][a-z]+)\s?[：:](?!//)")
_SAME_ZH = {"我舅": "舅舅", "我爸": "爸爸", "我妈": "妈妈", "老爸": "爸爸", "老妈": "妈妈", "我姐": "姐姐", "我妹": "妹妹", "我哥": "哥哥", "我弟": "弟弟", "孩子房": "儿童房", "师父": "师傅"}


def owner_of(clause: str) -> str:
    """Whose value it is: a named person, a relation, an environment, a leg or a room; empty for the user's own."""
    found = owners_in(clause)
    return found[0][2] if found else ""


def owner_at(text: str, start: int, end: int, far: bool = True) -> str:
    """Whose value stands at that place: the owner named last before it in the sentence (in its clause unless `far`), else one right behind it."""
    found = owners_in(text)
    before = [o for o in found if o[1] <= start and (far or not re.search(r"[,，]", text[o[1] : start]) or text[o[1] : o[1] + 1] in ":：")]
    if before:
        return before[-1][2]
    after = [o for o in found if o[0] >= end and not re.search(r"[,，。；;.!?！？]", text[end : o[0]])]
    return after[0][2] if after else ""


@lru_cache(maxsize=2048)
def owners_in(text: str) -> tuple[tuple[int, int, str], ...]:
    """Every owner that a text names, as (start, end, name)."""
    out: list[tuple[int, int, str]] = []
    for match in _OWNER_EN.finditer(text):
        if match[1]:
            out.append((match.start(), match.end(), f"{match[1]} {match[2]}".lower()))
            continue
        name = match[3] or match[4]
        if name and name.lower() not in _NO_OWNER:
            out.append((match.start(), match.end(), name))
        elif match[5]:
            out.append((match.start(), match.end(), match[5].lower()))
    for match in _OWNER_ZH.finditer(text):
        name = match[1] or match[2]
        if not _NO_OWNER_ZH.search(name):
            out.append((match.start(), match.end(), _SAME_ZH.get(name, name)))
    out += [(m.start(1), m.end(1), m[1]) for m in _HEADING.finditer(text) if canonical(m[1]) not in LEXICON and not _NO_HEADING.search(m[1])]
    return tuple(sorted(set(out)))


_NO_OWNER_ZH = re.compile(r"^(?:我们|你们|您|你|我|他|她|它|咱们|大家|这|那|哪|什么|换成|改成|不用|现在|目前)")
_NO_HEADING = re.compile(r"注意|说明|备注|要求|需求|目标|事实|约束|规则|更新|补充|另外|问题|原因|建议|结论|总结|方案|主题|内容|时间|日期|数量|单号|编号|产品|名称|类型|状态|Subject|Note|Update|Fact|Rule|Goal|Task|Question|Answer|Summary|Re|From|To|Date|Name|Phone|Address|Email|Order|Position|Title|Headline|Vendor|Headers?|Error|Warning")
_NO_OWNER = frozenset(["flat", "apt", "unit", "suite", "room", "floor", "let", "it", "that", "there", "here", "what", "who", "how", "the", "one", "today", "order", "case", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
