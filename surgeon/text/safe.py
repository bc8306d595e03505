"""Cuts that never fall inside a character as a reader sees it, and text that can always be encoded."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_WINDOW = 64


def clean_surrogates(text: str) -> str:
    """The text with pairs of surrogates joined and lone ones replaced by U+FFFD; the same object if there is none."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    paired = _PAIR.sub(lambda m: m.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _SURROGATE.sub("\ufffd", paired)


def safe_cut(text: str, at: int) -> int:
    """The greatest offset not above `at` that lies between two graphemes (emoji sequences, flags, combining marks stay whole)."""
    if at <= 0:
        return 0
    if at >= len(text):
        return len(text)
    if text[at - 1].isascii() and text[at].isascii():
        return at - 1 if text[at - 1] == "\r" and text[at] == "\n" else at
    start = _anchor(text, at)
    for match in _grapheme().finditer(text, start):
        if match.end() >= at:
            return at if match.end() == at else match.start()
    return at


def head(text: str, chars: int) -> str:
    """The first `chars` characters at most, cut between graphemes."""
    return text[: safe_cut(text, chars)]


def tail(text: str, chars: int) -> str:
    """The last `chars` characters at most, cut between graphemes."""
    if chars >= len(text):
        return text
    want = len(text) - max(0, chars)
    at = safe_cut(text, want)
    if at < want:
        match = _grapheme().match(text, at)
        at = match.end() if match else want
    return text[at:]


def graphemes(text: str) -> list[str]:
    """The characters as a reader sees them."""
    return [str(g) for g in _grapheme().findall(text)]


def _anchor(text: str, at: int) -> int:
    """A grapheme boundary before `at` to start from: the last line break or ASCII pair, else a bounded window, else the start."""
    for place in range(at - 1, max(0, at - _WINDOW), -1):
        if text[place - 1].isascii() and text[place].isascii() and text[place - 1] != "\r":
            return place
    place = at - _WINDOW
    while place > 0 and not text[place - 1].isalnum():
        place -= 1
    return max(0, place)


@cache
def _grapheme() -> Any:
    import regex

    return regex.compile(r"\X")
