"""Which record of a listing the talk took up: the one that the answer names is what later calls are about."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from dataclasses import replace

from surgeon.select import Candidate, terms
from surgeon.text.times import find

_TAKEN = 2.0  # what the record that the answer names weighs beside its siblings
_NAMED = 1.5  # least weight of shared terms that tells one record from the others
_SAID = 2_000  # characters of an answer that are looked at


def named(text: str) -> set[str]:
    """What an answer names: its terms, and the times of day as a record writes them ("8:10 pm" is 20:10)."""
    text = text[:_SAID]
    return {t for t, w in terms(text).items() if w >= 1.0} | {w.iso for w in find(text, None) if w.iso}


def taken_up(records: Sequence[Candidate], answers: Sequence[str]) -> list[Candidate]:
    """The records of one result, the one that the talk came to with a larger weight.

    Args:
        records: All records of one result; list lines of its identifiers have a negative order.
        answers: What was said after it, oldest first; the last one that tells a record from its siblings decides.
    """
    rows = [c for c in records if c.order >= 0 and c.needs < 0]
    if not rows or not answers:
        return list(records)
    texts = {c.order: _row(c, records) for c in rows}
    spread = collections.Counter(t for words in texts.values() for t in words)
    common = max(1, len(rows) // 2)  # what most records say tells none of them from the others
    for answer in reversed(answers):
        said = named(answer)
        shared = {order: sum(w for t, w in words.items() if t in said and spread[t] <= common) for order, words in texts.items()}
        best = max(shared, key=lambda order: (shared[order], -order))
        if shared[best] >= _NAMED:
            return [replace(c, weight=c.weight * _TAKEN) if best in (c.order, c.needs) else c for c in records]
    return list(records)


def _row(head: Candidate, records: Sequence[Candidate]) -> dict[str, float]:
    """What a record says together with the fields that depend on it, with the weight of each term."""
    return {t: w for c in records if head.order in (c.order, c.needs) for t, w in terms(c.text).items()}
