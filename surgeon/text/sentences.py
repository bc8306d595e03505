"""Sentences of English and Chinese text as offsets: together they cover the text without a gap."""

from __future__ import annotations

import re
from typing import NamedTuple


class Stretch(NamedTuple):
    """A stretch of a text, `end` exclusive."""

    start: int
    end: int


# A stop and what closes after it: Chinese stops always end a sentence, Latin ones only before a blank; a line break is an end too.
_STOP = re.compile(r"[。！？；…]+[”’」』）)\"'】》]*\s*|[.!?]+[”’\"')\]]*(?=\s|[\u4e00-\u9fff]|$)[^\S\n]*\n*\s*|;[^\S\n]*\n\s*|\n\s*")
_SHORT = frozenset(
    re.findall(
        r"\S+",
        "e.g i.e etc vs cf al approx dept est fig no nos vol pp p ed eds inc ltd co corp mr mrs ms dr prof sr jr st ave rd blvd gen col "
        "sgt rev hon jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun a.m p.m u.s u.k ph.d",
    )
)
# After these a capital may well begin a new sentence; after the others of the list it is a name or a number.
_ENDING = frozenset({"etc", "a.m", "p.m", "inc", "ltd", "co", "corp", "jr", "sr", "u.s", "u.k", "ph.d", "al"})
_WORD = re.compile(r"[\w.]*\w\Z")
_TAIL = 24


def sentences(text: str) -> list[Stretch]:
    """The sentences in order, blanks after a stop belong to the sentence before; `text[start:end]` of all, joined, is the text."""
    out: list[Stretch] = []
    start = 0
    for stop in _STOP.finditer(text):
        if stop.end() <= start or not _ends(text, stop):
            continue
        if text[start : stop.start()].strip() or stop.group().strip():
            out.append(Stretch(start, stop.end()))
            start = stop.end()
    if start < len(text):
        out.append(Stretch(start, len(text)))
    return out


def _ends(text: str, stop: re.Match[str]) -> bool:
    """Whether a stop ends a sentence rather than an abbreviation, an initial or a list number."""
    mark = stop.group().strip()
    if not mark.startswith(".") or mark.startswith("..") or "\n" in stop.group():
        return not (mark.startswith(("…", "..")) and stop.end() < len(text) and text[stop.end()].islower())
    following = text[stop.end() : stop.end() + 1]
    if following.islower():
        return False
    found = _WORD.search(text[max(0, stop.start() - _TAIL) : stop.start()])
    word = found.group().lower() if found else ""
    if word in _ENDING:
        return not following.isdigit()
    if word in _SHORT:
        return False
    initial = len(word) == 1 and word.isalpha() and word != "i" and found is not None and found.group().isupper()
    number = word.isdigit() and len(word) <= 2 and _opens(text, stop.start() - len(word))
    return not (initial or number)


def _opens(text: str, at: int) -> bool:
    """Whether a sentence or a line begins at this place."""
    before = text[max(0, at - _TAIL) : at]
    return not before.strip(" \t-*#>") or before.rstrip(" \t-*#>")[-1] in "\n.!?"
