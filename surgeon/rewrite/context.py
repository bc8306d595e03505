"""What a compactor may look at, and the record: the smallest piece of a text that is understood alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from surgeon.protocols import TokenCounter
from surgeon.types import Rewrite

Render = Callable[[str, Mapping[str, Any], str], Rewrite | None]  # a template of that kind for named values: (kind, values, language)

_CJK = re.compile(r"[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")


def rough_tokens(text: str) -> int:
    """A quick estimate for splitting: a token per CJK character and one per three other characters."""
    if text.isascii():
        return (len(text) + 2) // 3
    cjk = len(_CJK.findall(text))
    return cjk + (len(text) - cjk + 2) // 3


@dataclass(frozen=True, slots=True)
class CompactContext:
    """The call that asked for a result, the tokens wanted (None: only lossless rewriting) and identifiers that must stay visible."""

    tool: str = ""
    arguments: str = ""
    query: str = ""
    language: str = "en"
    keep: frozenset[str] = frozenset()
    max_tokens: int | None = None
    count: TokenCounter = rough_tokens


class Record(NamedTuple):
    """A self-contained piece in source order: its density of information (0..1) and what it is (row, error, sentence)."""

    text: str
    weight: float
    kind: str
