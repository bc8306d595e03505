"""What kind of thing a sentence says, by its form: something that holds from now on, narration of work, or nothing.

A coverage of rare words alone prefers narration with identifiers to a plain preference. The form of a sentence tells them apart.
"""

from __future__ import annotations

import re

RULED, LABELLED, STANDING, CHANGED, NARRATED, NOTHING = 3.0, 2.5, 1.5, 1.3, 0.5, 0.05

_LABEL = re.compile(
    r"^\W{0,3}(?:[A-Z][A-Z_ -]{2,28}"
    r"|(?:[A-Za-z]+ ){0,2}(?:[Ff]act|[Cc]onstraint|[Pp]reference|[Rr]ule|[Rr]equirement|[Dd]ecision|[Gg]oal|[Ss]tate|[Ss]tatus|[Nn]ote|[Rr]eminder|[Ii]mportant"
    r"|[Uu]pdate|[Cc]orrection|[Dd]eadline|[Bb]udget|[Tt]odo|[Nn]ext(?: steps?)?|[Oo]pen question|[Ll]imit|[Pp]olicy)"
    r")(?: \d{1,3}| ?\(\w{1,20}\))?: "
    r"|^\W{0,3}[\u4e00-\u9fff]{0,4}(?:约束|偏好|事实|要求|规则|规定|注意|备注|目标|决定|结论|更新|更正|提醒|状态|进度|任务|下一步|待办|预算|期限|限制|前提|重要)[一二三四五\d]{0,2}[：:]"
)
_RULED = re.compile(r"^\W{0,3}[^:：]{0,24}(?:constraint|preference|rule|requirement|policy|limit)\b|^\W{0,3}[^:：]{0,6}(?:约束|偏好|要求|规则|规定|限制)", re.IGNORECASE)
_STANDING = re.compile(
    r"\b(?:prefers?|would rather|from now on|going forward|always|never|must|do not|don't|only|at (?:most|least)|deadline"
    r"|next (?:step|up|task)|remaining|still (?:open|to do)|open question|decided|agreed|call(?:ed|ing) (?:it|the|this|him|her|me)|stands for"
    r"|final (?:answer|decision|call|choice|version)|(?:go|going|went) with|settled on|in charge|responsible|owns?|belongs? to|handled by|no longer|until|unless|except)\b"
    r"|^\W{0,3}\w[\w .'’-]{0,30} ?(?:->|→|=>) ?\w"
    r"|偏好|更喜欢|宁愿|从现在(?:起|开始)|今后|以后都|一律|务必|不得|禁止|不超过|截止|下一步|待定|约定|归.{1,6}管|叫做|改名|为准",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:now|instead|moved|switched|changed?|changes|renamed|rotated|replaced?|updated?|rescheduled|postponed|rebased|cancel(?:led|ed)?|actually|correction"
    r"|new|make (?:it|that)|rather)\b"
    r"|改[为成到用]|换成|换到|变更|更新|推迟|取消|更正|不是.{1,12}而是",
    re.IGNORECASE,
)
_WISHED = re.compile(
    r"\b(?:I(?:'d|’d| would| will|'ll|’ll)? (?:also |rather |really |still )?(?:like|want|need|love|prefer|be (?:leaving|departing|returning|staying|travel?ling|needing))\b|I(?:'m|’m| am) (?:leaving|departing|looking|going|travel?ling|interested)\b|(?:looking|search(?:ing)?) for|(?:book|reserve|find|get|send|order|schedule|transfer|pay|play|buy) (?:me|us|it|a|an|the|one|my|some)\b)"
    r"|我(?:还|也|就|只|更)?(?:想|要|需要|希望|打算)|想要|帮我|麻烦|给我",
    re.IGNORECASE,
)
_NARRATED = re.compile(
    r"^\W{0,2}(?:[A-Z][a-z]{2,14}ing\b(?! (?:is|are|was|will|must|has|should)\b)|(?:I'm|I am|We're|We are) (?:just |now |still |currently )?\w{3,14}ing\b|[Ll]et me\b|(?:Now )?I(?:'ll| will) (?:now |first |just )?\w+"
    r"|(?:First|Next|Now|Then),? (?:I|we|let)\b)"
    r"|^\W{0,2}(?:我(?:先|再|来|这就|正在)|正在|让我|接下来我|先看|再看)"
)
_NAMING = re.compile(r"\b(?:call|nam|refer)ing\b", re.IGNORECASE)
_NOTHING = re.compile(
    r"^\W*+(?>(?:acknowledged|noted|recorded|understood|got it|ok(?:ay)?|sure(?: thing)?|right|great|perfect|cool|nice|yes|yep|yeah|no problem|will do|done|thanks?(?: you)?(?: so much| a lot)?"
    r"|you(?:'re| are) welcome|of course|sounds good|hi|hello|hey|bye|goodbye|and|continuing|going on|moving on|proceeding)(?: (?:with|on|to) (?:the|that|it|this)(?: \w+)?)?(?:[\s,.!~-]+|$))++$"
    r"|^\W*+(?>(?:好的?|收到|明白了?|了解|知道了|记下了|已记录|没问题|可以|嗯|行|谢谢(?:你|您)?|多谢|不客气|不用谢|你好|您好|再见|继续|对的?|是的?|哦|哈)[呀啊哦呢吧的了]?[\s，,。！!~、]*)++$",
    re.IGNORECASE,
)


def labelled(text: str) -> bool:
    """Whether a sentence says itself what it is ("DECISION: …", "偏好：…")."""
    return _LABEL.match(text) is not None


def empty(text: str) -> bool:
    """Whether a text only acknowledges, greets or says that it goes on."""
    return len(text) <= 120 and _NOTHING.match(text) is not None


def wished(text: str) -> bool:
    """Whether a user's sentence says what is to be done or what it is to be like."""
    return _WISHED.search(text) is not None


def standing(text: str) -> float:
    """A factor for the worth of a sentence: above 1 what goes on to hold, below 1 narration of work, near 0 what says nothing."""
    if empty(text):
        return NOTHING
    if labelled(text):
        return RULED if _RULED.match(text) or _STANDING.search(text) else LABELLED
    if _NARRATED.match(text) and not _NAMING.search(text):
        return NARRATED
    if _STANDING.search(text):
        return STANDING
    return CHANGED if _CHANGED.search(text) else 1.0
