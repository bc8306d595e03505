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
        if not _HAS_DIGIT.search(word) or word in source or word in literal:
            continue
        parts = _NUMBER.findall(word) if not re.search(r"[A-Za-z]\d|\d[A-Za-z]", word) else [word]
        for part in parts:
            if part not in free and not _stands(part, source) and part not in literal:
                out.setdefault(part)
    return list(out)


def _stands(part: str, source: str) -> bool:
    """Whether a number stands in the source as a number of its own."""
    if not part[0].isdigit():
        return part in source
    return re.search(rf"(?<!\d){re.escape(part)}(?!\d)", source) is not None
