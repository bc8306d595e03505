"""Who is responsible for what: one fact for each thing, whose value is the person, so that a hand-over changes it."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = r"[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,2}"
_THING = r"(?P<thing>[^,.;:!?，。；\n]{3,70}?)"
_END = rf"(?=\s*(?:[,.;:!?，。；\n]|$|\bfrom {_NAME}\b|\band {_NAME} |\b(?:now|for now|instead|from now on|starting|until|this week|next week|today|tomorrow|while)\b))"
_DOES = (
    r"(?:(?:now|still|currently|also|then|will|is going to) )*(?:owns?|leads?|maintains?|manages?|handles?|covers?|takes? over|took over|takes? care of|looks? after"
    r"|(?:is|are) (?:now )?(?:in charge of|responsible for|leading|handling|maintaining|taking over|covering|the (?:owner|lead|maintainer|person|one|contact)(?: responsible)? (?:of|for)))"
)
_ENGLISH = (
    re.compile(rf"(?:^|(?<=[\s,;:(]))(?P<who>{_NAME}) {_DOES} (?:the |our |all )?{_THING}{_END}"),
    re.compile(rf"(?:^|(?<=[,;:.] ))(?:[Tt]he |[Oo]ur )?{_THING} (?:is|are|will be) (?:now )?(?:owned|led|maintained|managed|handled|covered) by (?P<who>{_NAME})"),
    re.compile(rf"(?:^|(?<=[,;:.] ))(?:[Tt]he |[Oo]ur )?{_THING} (?:now )?(?:belongs|goes|is assigned|moves|was handed|is handed) (?:over )?to (?P<who>{_NAME})"),
    re.compile(rf"\b[Aa]ssign (?:the |our )?{_THING} to (?P<who>{_NAME})"),
    re.compile(rf"\b[Hh]and (?:the |our )?{_THING} over to (?P<who>{_NAME})"),
)
_ZH_NAME = r"(?:[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff](?:经理|总|老师|主任|工|姐|哥)|[\u4e00-\u9fff]{2,3}?)"
_ZH_THING = r"(?P<thing>[\u4e00-\u9fffA-Za-z0-9_-]{2,18}?)"
_CHINESE = (
    re.compile(rf"(?:^|(?<=[，。；、：\s])){_ZH_THING}(?:现在|目前|以后|今后)?(?:改|就|都|先)?(?:由|归|交给|交由|让)(?P<who>{_ZH_NAME})(?:来)?(?:负责|接手|管理|跟进|牵头|管|处理|维护)"),
    re.compile(rf"(?:^|(?<=[，。；、：\s])){_ZH_THING}的?(?:负责人|对接人|牵头人)(?:现在|目前)?(?:改成|改为|换成|变成|是|为|：|:)(?P<who>{_ZH_NAME})(?=[，。；、！\s]|$)"),
    re.compile(rf"(?:^|(?<=[，。；、：\s]))(?P<who>{_ZH_NAME})(?:现在|目前|来|继续|改|还|都|同时)?(?:负责|接手|主管|牵头|跟进|维护){_ZH_THING}(?=[，。；、！\s]|$)"),
)
_NOT_NAMES = frozenset(
    ["I", "We", "You", "He", "She", "It", "They", "The", "This", "That", "These", "Those", "There", "Who", "What", "When", "Where", "Which", "Everyone", "Someone", "Nobody", "Please", "Also", "And", "But", "So", "Then", "My", "Our", "Your", "His", "Her", "Their", "FACT", "Note"]
)
_ZH_NOT = re.compile(r"我们|你们|他们|咱们|大家|谁|自己|什么|这个|那个|其他|主要|全权|专门|直接")


class Duty(NamedTuple):
    """A person, the thing that is theirs, and where in the text it is said."""

    who: str
    thing: str
    start: int
    end: int


def duties(text: str) -> list[Duty]:
    """Every "X owns Y" of a sentence, in order; none where no person is named."""
    out: list[Duty] = []
    for pattern in (*_ENGLISH, *_CHINESE):
        for match in pattern.finditer(text):
            who, thing = match["who"].strip(), match["thing"].strip()
            if who.split()[0] in _NOT_NAMES or _ZH_NOT.search(who) or not thing or any(d.start < match.end() and match.start() < d.end for d in out):
                continue
            out.append(Duty(who, thing, match.start(), match.end()))
    return sorted(out, key=lambda d: d.start)


def key_of(thing: str) -> str:
    """A readable key for the thing: its words, without an article, at most 48 characters, never half a word."""
    words = re.sub(r"^(?:the|our|a|an|all)\s+", "", " ".join(thing.split()), flags=re.I)
    if len(words) > 48:
        words = words[:48].rsplit(" ", 1)[0]
    return f"owner:{words}"
