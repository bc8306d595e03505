"""An extractive digest of prose: whole sentences, chosen by rarity, identifiers, overlap with the question and signs of a rule."""

from __future__ import annotations

import math
import re
from collections import Counter

from surgeon.rewrite.context import CompactContext, Record
from surgeon.rewrite.parsed import Parsed, finish
from surgeon.rewrite.prose import prose_records
from surgeon.types import Rewrite

_WORD = re.compile(r"[A-Za-z0-9_]{2,60}|[\u3400-\u9fff]")


def digest(text: str, context: CompactContext) -> Rewrite | None:
    """Sentences of a text within `context.max_tokens`, in order, with a note of what is left out; None if nothing is won."""
    items = prose_records(text) if context.max_tokens is not None else []
    if context.max_tokens is not None and len(items) < 2:
        return None
    lossless = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+(?=\n)", "", text))
    return finish(Parsed("digest", lossless, tuple(rank(items)), noun="sentences"), text, context)


def rank(items: list[Record]) -> list[Record]:
    """The records with weights that also count how rare their words are and whether they repeat an earlier one."""
    words = [frozenset(w.lower() for w in _WORD.findall(r.text)) for r in items]
    seen = Counter(w for ws in words for w in ws)
    known: set[str] = set()
    out = []
    for record, own in zip(items, words, strict=True):
        rarity = sum(math.log(1 + len(items) / seen[w]) for w in own) / max(1, len(own)) / math.log(2 + len(items))
        fresh = len(own - known) / max(1, len(own))
        known |= own
        out.append(record._replace(weight=round((0.65 * record.weight + 0.35 * rarity) * (0.4 + 0.6 * fresh), 4)))
    return out
