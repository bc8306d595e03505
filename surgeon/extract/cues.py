"""Cues of a sentence that changes, ends or restores something, beside the acts of acts.py."""

from __future__ import annotations

import re

DEAD = re.compile(
    r"[\s,]*(?:one |address |number |account |email |mail |code )?(?:(?:is|was|got|has been|had been)\s)?(?:old|dead|gone|closed|hacked|wrong|outdated|expired|retired|obsolete|cancell?ed|invalid|no longer|not mine|not valid|does ?n[’']?t work|stopped working)\b"
    r"|(?:那个|这个|的)?(?:已经?)?(?:被盗|停用|不用了|废了|作废|注销|过期|没用了|失效|不能用|打不通|停机)", re.I)
CONTRAST = re.compile(
    r"^(?P<yes>[^,，]{2,80}?),? (?:and |but )?(?:(?:not|rather than|instead of)(?! (?:only|just|yet|sure|that|to\b|be\b|a problem|now))\s[\w’'./\" -]{2,40})$"
    r"|^(?P<yes_zh>.{2,40}?)[，,](?:(?:而)?(?:不是|不要|别|不按|不用)[^，。！？；]{1,20})$", re.I)
DENIED = re.compile(r"(?:\b(?:am|is|are|was|were|be|do|does|did|will|can|could|would|should|may|might|has|have|had|feel|feels)|[’'](?:m|re|s|ve|d|ll))$", re.I)  # "I'm not sure of it": denied, not ruled out in favour of something
STEP = re.compile(r"\b(?:minus|plus|add|drop|down|up|take off|fewer|less|more)\b(?: by| to)? (?:\d+|one|two|three|four|five|six|ten)\b|\b(?:\d+|one|two|three|four|five|six|ten) (?:more|fewer|less|extra)\b|(?:加|减|多|少|降|升|涨)(?:了|个)?[\d一二两三四五六七八九十]", re.I)  # the sum is left to the reply
RELATIVE = re.compile(r"(?:\b(?:minus|plus|add|another|extra|fewer|less|more by|up by|down by|by)|(?:往上|往下|再|多|少|各)?(?:加|减|降|升|涨|调高|调低|推后|提前|推迟|延后|顺延|往后|往前|延长|缩短)(?:了|个)?)\s?$", re.I)  # a step, not a value
EXTREME = re.compile(r"\b(?:max(?:imum)?|min(?:imum)?)\b|最大|最小|最多|最少|最高|最低", re.I)
LATER = re.compile(r"\s*(?:later|earlier|sooner|more|less|fewer|extra|off)\b", re.I)
ORDINAL = re.compile(r"[一二两三四五六七八九十\d]+(?:次|个|种|版|趟|轮|回)")  # of "第一次": counts no things
NEGATED = re.compile(
    r"(?:\b(?:not|never|without|instead of|rather than|except)|[^\w]no|^no)(?:\s+(?:in|as|by|with|the|an?|use|using|any))*\s*$|(?:不要|别|不用|不是|而不是|不按|不走|不坐|不选|拒绝|不收|除了)(?:用|按|走|坐|选|要|是)?\s*$", re.I)  # what is ruled out is no value
INTERJECTION = re.compile(
    r"\W*(?:(?:no|nope|yes|yeah|yep|ok(?:ay)?|oh|ah|um+|hm+|hey|hi|hello|wait|hang on|hold on|sorry(?: me again)?|actually|well|right|so|good|great|nice|lol|haha|please|listen|again|cheers|ta|thanks|the|and|but|then|now)\b\W*)+"
    r"|[嗯啊哦呃哎唉欸诶好行对不是的吧呢了哈嘛呀等下一会儿，,。！!~～…\s]+", re.I)
THAT = re.compile(r"\W*(?:no,? |oh,? |ok,? |actually,? )?(?:forget|scratch|cancel|drop|undo|never ?mind)(?: (?:that|it|this)(?: one)?)?(?=[,.!;]|$)|\W*(?:算了|不用了|取消吧?|当我没说|刚才那个不算)(?=[，。！,!]|$)", re.I)
NAMED_VALUE = re.compile(r"^(?:\[[^\]]{1,6}\]\s*)?(?P<name>[A-Za-z][a-z]+(?: [a-z]+){0,2}|[\u4e00-\u9fff]{2,6})\s?[:：]\s?(?P<value>[^,.;:!?，。；：！？\n]{2,48})(?=[,.;，。；]|$)")
NOT_NAMED = re.compile(r"(?i)^(?:note|notes|update|fact|rule|goal|task|question|answer|summary|re|reminder|important|warning|error|example|decision|subject|hi|hello|ok|so|but|and|ps|also|btw|fyi|todo|state|preference|constraint|safety|hard|user|spice|breakfast)\b|注意|说明|备注|要求|更新|补充|另外|问题|原因|建议|结论|总结|事实|偏好|约束|规则|提醒|意见")
POLITE = re.compile(r"(?:ok(?:ay)?|great|good|sure|yes|perfect|fine|好的?|嗯|行)?[,，!！. ]{0,3}(?:thanks?|thank you|谢谢|多谢|感谢)(?: (?:you|so much|very much|a lot))?(?: for \w|[,，.!。！]|$|你的?)", re.I)  # thanks take nothing up
HINTS = (
    (re.compile(r"那天|那日|日子|\b(?:day|date)\b", re.I), ("date",)),
    (re.compile(r"那个?点|那个?时间|时段|\b(?:time|hour|slot)\b", re.I), ("clock",)),
    (re.compile(r"那个?地址|地方|\b(?:address|place)\b", re.I), ("address",)),
    (re.compile(r"数量|个数|人数|\b(?:number|quantity|headcount)\b", re.I), ("quantity", "number")),
    (re.compile(r"价|金额|\b(?:price|amount|budget)\b", re.I), ("money",)),
    (re.compile(r"型|款|种|\b(?:type|kind|option|plan)\b", re.I), ("option", "words", "choice")),
)
PASSING = frozenset(("today", "yesterday", "tonight", "this week", "今天", "昨天", "前天", "周末", "这周末"))
