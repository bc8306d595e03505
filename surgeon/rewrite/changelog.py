"""Change-log lines: a correction as what it changed, where its own words say no more than that.

    "不对，是88号"  →  [第5轮] 地址：幸福路8号 → 幸福路88号
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from surgeon.rewrite.context import Render

_LATIN = re.compile(r"[A-Za-z0-9$£€¥%#@][\w.,:/@%+$£€¥#'’-]*")
_CJK = re.compile(r"[\u3400-\u9fff]")
# words that only say that something is corrected, or point at the value; what else a message says would be lost
_CUES = frozenset(
    re.findall(
        r"\S+",
        "no not nope nah wait sorry actually rather instead oh hmm um well ah oops please thanks thank you correction correct wrong typo mistake my "
        "i i'm i'd i'll i've me we us let's lets let it it's its that that's this one ones make made change changed update set switch move put use go "
        "going take keep back return revert restore undo again the a an to of for in on at by as is be was were should would could can will do "
        "mean meant said say number no. and but so then now just from with into cancel cancelled drop forget scrap remove first second third "
        "previous original last initial earlier before old new value version after all never mind don't need want longer any more hang scratch ok okay yes",
    )
)
_CUES_ZH = re.compile(
    r"不好意思|对不起|等一下|等等|麻烦你|麻烦您|麻烦|还是|不是|不对|错了|说错|更正|应该|改成|改为|改回|改到|换成|换为|换回|换到|恢复|还原|撤销|回到|取消|删掉|去掉|不用|不要|不需要"
    r"|帮我|请您|请你|第[一二三四五\d]个|第[一二三四五\d]次|最初|最早|一开始|原来|原先|之前|刚才|上次|那个|这个|版本|一下|我说|[不对错是改换成为回到把将的了吧呢啊呀请就那按用要我你您它这]"
)


class Changed(NamedTuple):
    """One change as its fact's history has it: the slot's name in the language of the block, the value before and the value after."""

    key: str
    old: str
    new: str
    action: str
    round: int
    source_round: int | None = None


def changelog(text: str, changes: Sequence[Changed], language: str, render: Render, count: Callable[[str], int]) -> list[str]:
    """The lines that may stand for a message, one a change; empty if its words say more, or say the same as plainly and shorter."""
    lines = [_line(change, language, render) for change in changes]
    told = [line for line in lines if line]
    if not told or len(told) < len(lines):
        return []
    if _plain(text, changes) and count("\n".join(told)) >= count(text):
        return []
    return told if not left_over(text, "\n".join([*told, *(c.key for c in changes)])) else []


def _line(change: Changed, language: str, render: Render) -> str:
    values: dict[str, Any] = {"round": change.round, "key": change.key, "old": change.old, "new": change.new, "action": change.action}
    if change.source_round:
        values["source_round"] = change.source_round
    done = render("correction", values, language)
    line = "" if done is None or "\n" in done.text else done.text
    whole = change.old in line and (change.action == "cancel" or change.new in line)
    return line if whole else ""


def _plain(text: str, changes: Sequence[Changed]) -> bool:
    """Whether the message names every value itself: the new one, or the one that is called off."""
    return all((c.old if c.action == "cancel" else c.new) in text for c in changes)


def left_over(text: str, line: str) -> str:
    """What a text says beside a line that stands for it: words, numbers and characters that are neither in the line nor mere cues."""
    known = {w.casefold().strip(".,:'’") for w in _LATIN.findall(line)}
    words = [w for w in _LATIN.findall(text) if (f := w.casefold().strip(".,:'").replace("’", "'")) and f not in known and f not in _CUES]
    spare = _uncovered(text, line)
    return " ".join([*words, *(("".join(_CJK.findall(_CUES_ZH.sub("", spare)))),)]).strip()


def _uncovered(text: str, line: str) -> str:
    """The text without the stretches of two characters or more that stand in the line."""
    out, at = [], 0
    while at < len(text):
        end = at + 1
        while end < len(text) and text[at : end + 1] in line:
            end += 1
        if end - at < 2:
            out.append(text[at])
        at = end
    return "".join(out)
