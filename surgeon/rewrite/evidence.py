"""Proofs that a shorter text is true: kept evidence stands in it, and it says no number or identifier that its source lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_CLAIM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/@#%+-]{0,200}")
_HAS_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def evidence(text: str, patterns: Iterable[Any], seconds: float) -> list[str]:
    """What the patterns find in a text: their first group if they have one, else the match. Raises TimeoutError."""
    found: dict[str, None] = {}
    for pattern in patterns:
        for match in pattern.finditer(text, timeout=seconds):
            value = match[1] if pattern.groups and match[1] is not None else match[0]
            if value.strip():
                found.setdefault(value.strip())
    return list(found)


def lost(evidence_found: Iterable[str], output: str) -> list[str]:
    """The evidence that the output does not show."""
    return [e for e in evidence_found if e not in output]


def invented(output: str, source: str, allowed: Iterable[str] = (), literal: str = "") -> list[str]:
    """Numbers and identifiers of the output that stand neither in the source nor in the template's own text; `allowed` are counts."""
    free = set(allowed)
    out: dict[str, None] = {}
    for match in _CLAIM.finditer(output):
        word = match[0].rstrip(".:,-/")
        if not _HAS_DIGIT.search(word) or _stands(word, source) or word in literal:
            continue
        parts = _NUMBER.findall(word) if not re.search(r"[A-Za-z]\d|\d[A-Za-z]", word) else [word]
        for part in parts:
            if part not in free and not _stands(part, source) and part not in literal:
                out.setdefault(part)
    return list(out)


def _stands(part: str, source: str) -> bool:
    """Whether a number or identifier stands in the source by itself, not as a piece of a longer one."""
    at = source.find(part)
    while at >= 0:
        before, after = source[at - 1 : at], source[at + len(part) : at + len(part) + 1]
        if not (_joins(part[0], before) or _joins(part[-1], after)):
            return True
        at = source.find(part, at + 1)
    return False


def _joins(edge: str, beside: str) -> bool:
    """Whether a neighbouring character continues a word: digits continue digits, ASCII letters and digits continue letters."""
    if not beside or not beside.isascii() or not edge.isalnum():
        return False
    return beside.isdigit() if edge.isdigit() else beside.isalnum()
