"""What a statement gives a value to: the slot it names, the thing that slot belongs to, and the kind of value.

Two statements with one slot of one thing are about the same fact, however differently they are worded ("the budget cap is $800",
"keep the spend under five hundred"). "The staging port" and "the production port" are two things; so are two projects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

Slots = Callable[[str], Sequence[tuple[str, int, int]]]  # (slot, start, end) in a text

# words that tell two things of one kind apart: of one row, two different words never mean the same thing
_CONTRASTS: tuple[tuple[tuple[str, str], ...], ...] = tuple(
    tuple((name, pattern) for name, pattern in row)
    for row in (
        (("prod", r"prod(?:uction)?|live|生产|线上|正式"), ("staging", r"stag(?:ing|e env\w*)|pre-?prod|预发|灰度"), ("dev", r"dev(?:elopment)? (?:env\w*|server|database|db|port|cluster)|开发(?=环境|库|机)"), ("test", r"test (?:env\w*|server|database|db|port|cluster)|测试(?=环境|库|机|服)")),
        (("primary", r"primary|main|主(?=库|区|节点|用|机房)"), ("backup", r"back-?up|secondary|failover|stand-?by|备用|备份|备(?=库|区|节点|机房)|从库")),
        (("unit", r"unit tests?|单元"), ("integration", r"integration|集成"), ("e2e", r"e2e|end-to-end|端到端"), ("smoke", r"smoke|冒烟")),
        (("out", r"outbound|outward|departure|去程|出发"), ("return", r"return (?:flight|trip|leg|ticket|journey)|inbound|返程|回程")),
        (("billing", r"billing|invoice|账单|开票|发票"), ("shipping", r"shipping|delivery|收货|配送|送货")),
        (("home", r"home|家里|家庭|住宅"), ("work", r"office|work (?:address|phone|email)|公司|单位(?=地址|电话)")),
        (("front", r"front-?end|前端"), ("back", r"back-?end|后端")),
        (("adult", r"adults?|grown-ups?|成人|大人"), ("child", r"child(?:ren)?|kids?|儿童|小孩|孩子")),
        (("read", r"read(?:ing)? (?:timeout|replica|limit)|读(?=超时|库)"), ("write", r"writ(?:e|ing) (?:timeout|replica|limit)|写(?=超时|库)")),
        (("min", r"minimum|at least|下限|最低|最少|至少"), ("max", r"maximum|at most|上限|最高|最多|不超过")),
        (("first", r"first|第一"), ("second", r"second|第二"), ("third", r"third|第三"), ("fourth", r"fourth|第四")),
        (("breakfast", r"breakfast|早餐|早饭"), ("lunch", r"lunch|午餐|午饭"), ("dinner", r"dinner|晚餐|晚饭")),
        (("check-in", r"check-?in|入住"), ("check-out", r"check-?out|退房")),
    )
)
_ROWS = [[(name, re.compile(rf"(?<![a-zA-Z])(?:{pattern})(?![a-zA-Z])", re.I)) for name, pattern in row] for row in _CONTRASTS]
_GENERAL = frozenset({"owner", "deadline", "contact"})  # said of many things; where a narrower slot is named too, that one counts
_PLAIN = frozenset(
    ["a", "an", "the", "this", "that", "these", "those", "my", "your", "our", "his", "her", "its", "their", "of", "for", "on", "in", "at", "to", "from", "by", "with", "and", "or", "is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "will", "would", "shall", "should", "must", "may", "might", "can", "could", "do", "does", "did", "not", "no", "never", "always", "only", "all", "any", "every", "each", "some", "total", "overall", "current", "currently", "new", "latest", "old", "quick", "update", "updated", "updates", "change", "changed", "changes", "moved", "move", "set", "keep", "keeps", "put", "make", "made", "use", "used", "report", "reported", "reports", "show", "now", "today", "yesterday", "week", "month", "please", "user", "users", "users'", "user’s", "user's", "we", "i", "you", "they", "it", "he", "she", "us", "them", "there", "here", "so", "then", "than", "as", "into", "onto", "over", "under", "within", "below", "above", "at", "least", "most", "more", "less", "about", "around", "exactly", "still", "also", "too", "just", "really", "very", "actually", "instead", "rather", "want", "wants", "wanted", "need", "needs", "prefer", "prefers", "like", "would", "get", "gets", "got", "let", "say", "says", "said", "note", "noted", "fact", "rule", "safety", "hard", "constraint", "preference", "goal", "state", "target", "internal", "internally", "officially", "what", "which", "who", "when", "where", "how", "if", "because", "since", "until", "after", "before", "again", "back", "stay", "stays", "staying", "active", "working", "main", "disclose", "reveal", "share", "tell", "run", "handling", "handle", "send", "stick", "put", "give", "take", "go", "goes", "going", "give", "given", "call", "called", "see", "run", "running", "runs", "start", "stop", "ask", "check", "work", "works", "need", "needed", "find"]
)
_HEADER = re.compile(r"^\s*[\[(（【]?[A-Z\u4e00-\u9fff][A-Za-z\u4e00-\u9fff -]{1,24}[\])）】]?[:：]\s*")
_WORD = re.compile(r"[A-Za-z][a-z]+(?:[’'][a-z]+)?|[\u4e00-\u9fff]{1,6}")
_ZH_PLAIN = re.compile(r"(?:现在|目前|当前|最新|新的?|我们?的?|咱们|这次|本次|请|把|将|的|是|为|由|了|到|在|都|要|改|换|成|更新|一下|总|从|起|以后|今后)+")
_REACH = 26  # characters before a slot's name in which the thing it belongs to stands
NEWER = re.compile(
    r"\b(?:now|no longer|not any ?more|from now on|from here on|as of|new(?:ly)?|latest|update[ds]?|chang\w+|mov(?:ed|ing)|switch\w*|renamed?|rotat\w+|replac\w+|revis\w+|instead|actually|rather|re-?based|correction|hand(?:ed|ing) over|takes? over|took over|postponed|pushed|bumped|raised|lowered|cut to|extended)\b"
    r"|现在|目前|从(?:现在|今天|本周)起|今后|以后|往后|改[成为到用由名]|换[成为到]?|新的|最新|不再|更新|变更|调整|升级|推迟|提前|延期|接手|其实|应该是|重新", re.I)
ALSO = re.compile(r"\b(?:also|as well|in addition|additional(?:ly)?|another|second(?:ary)?|plus|too|both)\b|也|还有|另外|同时|再加|外加|此外|以及|都(?:要|得|可以)", re.I)


class Frame(NamedTuple):
    """What a statement is about. `slots`: names of slots; `things`: words of what they belong to; `marks`: sides of opposites."""

    slots: frozenset[str]
    things: frozenset[str]
    marks: frozenset[tuple[int, str]]


def frame_of(text: str, slots: Slots, values: Collection[str] = ()) -> Frame:
    """The frame of one statement; `values` are its typed values, which name no thing."""
    body = bare(text)
    found = slots(body)
    things: set[str] = set()
    for _, start, end in found:
        things |= _things(body, start, end, found, values)
    marks = frozenset((row, name) for row, sides in enumerate(_ROWS) for name, pattern in sides if pattern.search(body))
    names = frozenset(s for s, _, _ in found)
    return Frame(names - _GENERAL or names, frozenset(things), marks)


def bare(text: str) -> str:
    """The statement without a heading of its own ("FACT:", "约束：")."""
    return _HEADER.sub("", text, count=1)


def same_thing(new: Frame, old: Frame) -> bool:
    """Whether two frames can speak of one thing: no opposite sides, and some word of what they belong to in common where both name it."""
    for row in {row for row, _ in new.marks} & {row for row, _ in old.marks}:
        if not {name for r, name in new.marks if r == row} & {name for r, name in old.marks if r == row}:
            return False
    return not new.things or not old.things or bool(new.things & old.things)


def told_apart(new: str, old: str) -> bool:
    """Whether two statements put different words before a noun they share: "the copper vase", "the silver vase"."""
    before = [_pairs(bare(t)) for t in (new, old)]
    for noun in before[0].keys() & before[1].keys():
        one, other = before[0][noun], before[1][noun]
        if one and other and not one & other:
            return True
    return False


def _pairs(text: str) -> dict[str, set[str]]:
    """Each content word with the content words right before it."""
    out: dict[str, set[str]] = {}
    last = ""
    for match in re.finditer(r"[A-Za-z][\w’'-]*|[^\sA-Za-z]", text):
        word = match.group().lower()
        known = word.isalpha() and word not in _PLAIN
        if known:
            out.setdefault(word, set()).update({last} if last else set())
        last = word if known and match.group().islower() else ""
    return out


def _things(text: str, start: int, end: int, found: Sequence[tuple[str, int, int]], values: Collection[str]) -> set[str]:
    """Words right before a slot's name in its clause, and after "of" or "for" behind it."""
    left = text[max(0, start - _REACH):start]
    left = re.split(r"[.!?;:,，。；：！？]", left)[-1]
    cut = max(0, start - len(left))
    if left and cut > 0 and text[cut - 1 : cut].isalnum() and left[0].isascii() and left[0].isalnum():
        left = re.sub(r"^\w+", "", left)  # half a word
    right = re.match(r"\s*(?:of|for|on)\s+(?:the |our |my |this )?([a-z]+(?: [a-z]+)?)", text[end:])
    spans = [text[a:b] for _, a, b in found]
    words: list[str] = []
    for source in (_last_words(left), right[1] if right else ""):
        words += _content(source, spans, values)
    return set(words)


def _last_words(text: str) -> str:
    """The last three words, or the last eight Chinese characters."""
    if re.search(r"[\u4e00-\u9fff]", text):
        return text[-8:]
    return " ".join(text.split()[-3:])


def _content(text: str, spans: Sequence[str], values: Collection[str]) -> list[str]:
    out = []
    for match in _WORD.finditer(text.replace("-", " ")):
        word = match.group()
        if any(word in v for v in values) or (word[0].isupper() and (match.start() > 0 or re.match(r" [A-Z]", text[match.end():]))):
            continue
        if "\u4e00" <= word[0] <= "\u9fff":
            word = _ZH_PLAIN.sub("", word)
            if len(word) < 2 or any(word in s for s in spans):
                continue
        else:
            word = re.sub(r"[’']s$", "", word.lower())
            if word in _PLAIN or any(word in s.lower() for s in spans):
                continue
            word = word[:-1] if word.endswith("s") and len(word) > 4 else word
        out.append(word)
    return out
