"""Which words no longer hold: earlier values and statements that later ones took the place of."""

from __future__ import annotations

import re
from collections.abc import Callable

from surgeon.snapshot.model import Snapshot

_SHORT = 4


def lapsed(snapshot: Snapshot) -> Callable[[str], bool]:
    """Tells of a record of an earlier message whether all it says was superseded: it is or holds an earlier value, and not the current one.

    Values of a few letters that occur everywhere are matched as whole statements only.
    """
    statements: set[str] = set()
    values: list[tuple[re.Pattern[str], str]] = []
    for fact in snapshot.facts.values():
        gone = fact.status in ("cancelled", "rejected")
        for change in fact.history:
            if change.value == fact.value and not gone:
                continue
            value = undated(change.value).strip()
            if not fact.type or len(value) > 60:
                statements.add(_folded(value))
            elif len(value) >= _SHORT and re.search(r"\d|[A-Z\u4e00-\u9fff]", value):
                values.append((re.compile(rf"(?<![\w/-]){re.escape(value)}(?![\w/-])" if value.isascii() else re.escape(value)), "" if gone else fact.value))
    live = {_folded(f.value) for f in snapshot.facts.values() if f.status == "active"}
    statements -= live

    def test(record: str) -> bool:
        folded = _folded(record)
        if folded in live:
            return False
        if any(folded == s or (len(s) > 16 and s in folded) for s in statements):
            return True
        return any(p.search(record) and not (now and now in record) for p, now in values)

    return test


def undated(value: str) -> str:
    """The words of a value, without the date that was worked out for them."""
    return re.sub(r" \(\d{4}-\d{2}-\d{2}\)$", "", value)


def _folded(text: str) -> str:
    return re.sub(r"[\s.。!！,，;；]+", " ", text).strip().lower()
