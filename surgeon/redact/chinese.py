"""Recognisers for Chinese personal data, each with the check that keeps order numbers and amounts out."""



from __future__ import annotations

import datetime
from collections.abc import Iterator

import regex

from surgeon.redact.patterns import NOT_AN_ID, Found, Pattern, pattern

_L, _R = r"(?<![A-Za-z0-9_])(?<!\d[-.])", r"(?![A-Za-z0-9_])(?!\.\d)"
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CREDIT_SIGNS = "0123456789ABCDEFGHJKLMNPQRTUWXY"
_SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫房裘缪干解应宗丁宣邓郁单洪包诸左石崔吉龚程邢裴陆荣翁荀羊甄曲封储靳段巫焦巴牧谷车侯宓全班仰秋仲伊宫宁仇栾祖武符刘景詹龙叶幸司黎蓟印白怀蒲邰从索赖卓蔺屠蒙池乔阴翟谭贡姬申冉桑桂边燕尚温庄晏柴瞿阎连习容向古易廖步都耿满文寇广东欧利师巩聂关荆游竺权盖岳帅缑亢况有商佘伯赏墨哈年爱阳佟言福佴付肖涂闫岩覃"
)  # fmt: skip
_PROVINCE = "(?:北京|天津|上海|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|台湾|内蒙古|广西|西藏|宁夏|新疆|香港|澳门)"


def id_card(value: str) -> bool:
    """The birth date exists and the check digit is right (GB 11643)."""
    try:
        datetime.date(int(value[6:10]), int(value[10:12]), int(value[12:14]))
    except ValueError:
        return False
    total = sum(int(c) * w for c, w in zip(value[:17], _WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == value[17].upper()


def credit_code(value: str) -> bool:
    """The check character of a unified social credit code is right (GB 32100)."""
    if not any(c.isalpha() for c in value):
        return False
    total = sum(_CREDIT_SIGNS.index(c) * pow(3, i, 31) for i, c in enumerate(value[:17]))
    return _CREDIT_SIGNS[(31 - total % 31) % 31] == value[17]


def luhn(value: str) -> bool:
    """The number passes the Luhn check and begins like a payment card."""
    digits = [int(c) for c in value if c.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    head = int("".join(map(str, digits[:4])))
    if not (str(head)[0] in "456" or 3000 <= head <= 3999 or 2131 <= head <= 2720 or (head == 1800 and len(digits) == 15)):
        return False
    total = sum(d if i % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(reversed(digits)))
    return total % 10 == 0


def surname(value: str) -> bool:
    """Two to four characters that begin with a family name."""
    return 2 <= len(value) <= 4 and value[0] in _SURNAMES


_NAME_KEY = r"(?:收货人|收件人|寄件人|联系人|报修人|委托人|经办人|申请人|负责人|持卡人|投保人|患者|户名|姓名|名字|客户|乘客|旅客|入住人|本人|我叫|他叫|她叫|名叫)"
_NAME_END = r"(?=[^\u4e00-\u9fff]|$|的|电话|手机|地址|身份|住|在|想|先生|女士|小姐|同学|老师|医生)"

CHINESE: tuple[Pattern, ...] = (
    pattern("PHONE", "number", r"(?<![A-Za-z0-9_])(?<!\d[-.])(?:(?:\+|00)?86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}" + _R, rank=7, unless=NOT_AN_ID),
    pattern("PHONE", "number", _L + r"(?:\(0\d{2,3}\)|（0\d{2,3}）|0\d{2,3}[- ])\d{7,8}(?:[-转]\d{1,5})?" + _R, rank=6, unless=NOT_AN_ID),
    pattern("PHONE", "number", r"(?:座机|固话|电话|传真)(?:号码?)?(?:是|为|[:：])?\s{0,2}(?P<v>0\d{9,11})" + _R, rank=6),
    pattern("ID_CARD", "number", _L + r"[1-9]\d{5}(?:18|19|20)\d{2}[01]\d[0-3]\d\d{3}[\dXx]" + _R, rank=9, check=id_card),
    pattern("BANK_CARD", "number", _L + r"[1-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,4}(?:[ -]?\d{1,3})?" + _R, rank=8, check=luhn, unless=NOT_AN_ID),
    pattern("BANK_CARD", "number", _L + r"3[47]\d{2}[ -]?\d{6}[ -]?\d{5}" + _R, rank=8, check=luhn, unless=NOT_AN_ID),
    pattern("BANK_CARD", "number", _L + r"\d{12}" + _R, rank=6, near=r"(?<!gift )(?:card|\bcc|卡)(?:号码?)?(?: no\.?| number)?(?:是|为)?[\"'：:= #]{0,4}$"),
    pattern("BANK_CARD", "number", _L + r"[1-6](?:[ -]?\d){12,18}" + _R, rank=8, check=luhn, near=r"(?:card|cc|visa|mastercard|卡)(?:号码?)?(?: no\.?| number)?(?:是|为)?[\"'：:= #]{0,4}$"),
    pattern("PASSPORT", "personal", _L + r"(?:[EGDSPH]\d{8}|E[A-HJ-NP-Z]\d{7})" + _R, rank=7, near=r"护照|passport|证件"),
    pattern("LICENSE_PLATE", "personal", r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z][·•. ]?[A-HJ-NP-Z0-9]{5,6}" + _R, rank=7, check=lambda v: any(c.isdigit() for c in v)),
    pattern("CREDIT_CODE", "personal", _L + r"[0-9A-HJ-NPQRTUWXY]{2}\d{6}[0-9A-HJ-NPQRTUWXY]{10}" + _R, rank=7, check=credit_code, unless=NOT_AN_ID),
    pattern("WECHAT", "personal", r"(?:微信号?|weixin|wechat)(?:id)?(?:是|为|[:：]|同号)?\s{0,2}(?P<v>[A-Za-z][A-Za-z0-9_-]{5,19})(?![A-Za-z0-9_@.-])", rank=6, needs=("微信", "weixin", "wechat"), flags=regex.IGNORECASE),
    pattern("QQ", "personal", r"(?:QQ|qq|扣扣)(?:号码?)?(?:是|为|[:：])?\s{0,2}(?P<v>[1-9]\d{4,10})(?!\d)", rank=6, needs=("qq", "扣扣")),
    pattern("PERSON", "personal", _NAME_KEY + r"(?:改成|改为|变更为|换成|是|为|叫|[:：])?\s{0,2}(?P<v>[\u4e00-\u9fff·]{2,4}?)" + _NAME_END, rank=6, check=surname),
    pattern("PERSON", "personal", r"\"(?:name|姓名|收货人|收件人|联系人|寄件人|客户姓名|real_?name|user_?name|contact)\"\s{0,3}:\s{0,3}\"(?P<v>[\u4e00-\u9fff·]{2,4})\"", rank=6, check=surname),
    pattern("DATE_OF_BIRTH", "personal", r"(?:出生(?:日期|年月日?|于)?|生日)(?:是|为|[:：])?\s{0,2}(?P<v>(?:19|20)\d{2}[-/年.]\d{1,2}[-/月.]\d{1,2}日?)", rank=6, needs=("出生", "生日")),
    pattern("DATE_OF_BIRTH", "personal", r"(?P<v>(?:19|20)\d{2}年\d{1,2}月\d{1,2}日)(?=出生|生(?:[，。,]|$))", rank=6, needs=("生",)),
)  # fmt: skip

_TAIL = r"(?:[A-Za-z0-9一二三四五六七八九十百]{1,5}(?:号楼|号院|单元|栋|幢|座|楼|层|室|号|户|门|期)(?:之\d)?){0,5}(?:\d{1,5}室?)?"
_CORE = regex.compile(
    r"(?:大道|[路街道巷弄里])(?:[东西南北中])?(?:\d{1,5}|[一二三四五六七八九十百]{1,5})(?:号院|号|弄)" + _TAIL
    + r"|(?:小区|花园|家园|公寓|大厦|新村|[苑庭园村寨])(?:[A-Za-z0-9一二三四五六七八九十]{1,5}(?:号楼|栋|幢|座|单元))" + _TAIL
)  # fmt: skip
_LEAD_WORDS = regex.compile(
    r"收货地址|送货地址|地址|改成|改为|换成|改到|变更为|住在|住址|住|寄到|寄往|送到|送往|发到|位于|搬到|家在|现在|是|在|到|为|至|从|把|给|我|的|和|了|去|寄|送|用"
)
_HAN_OR_WORD = regex.compile(r"[\u4e00-\u9fffA-Za-z0-9·]")
_HAS_PROVINCE = regex.compile(_PROVINCE + r"(?:省|市|壮族自治区|回族自治区|维吾尔自治区|自治区|特别行政区)?")


def addresses(text: str) -> Iterator[Found]:
    """Street addresses: a road or an estate with its number, then leftwards over city and province, stopping where the sentence begins."""
    for match in _CORE.finditer(text):
        start = match.start()
        while start > 0 and match.start() - start < 30 and _HAN_OR_WORD.match(text[start - 1]):
            start -= 1
        lead = text[start : match.start()]
        province = _HAS_PROVINCE.search(lead)
        if province:
            start += province.start()
        else:
            words = [w.end() for w in _LEAD_WORDS.finditer(lead) if w.end() < len(lead)]
            start += words[-1] if words else 0
        if match.start() - start >= 1:
            yield Found(start, match.end(), "ADDRESS", "personal", 6)
