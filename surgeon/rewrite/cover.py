"""Filling a token budget with records that say as much as possible that is not said yet."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Sequence

from surgeon.rewrite.context import Record
from surgeon.rewrite.weight import said


def cover(
    items: Sequence[Record],
    costs: Sequence[int],
    room: int,
    boosts: Sequence[float] | None = None,
    known: str = "",
    density: float = 0.1,
) -> list[int]:
    """Indexes of the records to keep, in source order, whose costs sum up to at most `room`.

    Greedy by gain per token: an identifier, number or name counts in full where it is said first, and little where it is repeated
    or common. `boosts` multiply the gain of each record (1.0: neutral); what `known` says counts as said.
    `density` adds the weight of a record per token spent: higher suits results full of records (0.3), 0 suits code and prose.
    """
    words = [said(r.text) for r in items]
    seen = Counter(w for ws in words for w in ws)
    total = math.log(1 + len(items))
    rare = {w: 0.4 + 0.6 * math.log(1 + len(items) / n) / total for w, n in seen.items()} if items else {}
    told = set(said(known)) if known else set()

    def ratio(i: int) -> float:
        gain = sum(v * rare[w] * (0.06 if w in told else 1.0) for w, v in words[i].items())
        return ((gain + 0.25 * items[i].weight) / (costs[i] + 3) + density * items[i].weight) * (boosts[i] if boosts else 1.0)

    heap = [(-ratio(i), i) for i in range(len(items)) if costs[i] <= room]
    heapq.heapify(heap)
    picked: list[int] = []
    while heap:
        _, i = heapq.heappop(heap)
        if costs[i] > room:
            continue
        now = ratio(i)
        if heap and now < -heap[0][0] - 1e-12:
            heapq.heappush(heap, (-now, i))
            continue
        picked.append(i)
        room -= costs[i]
        told.update(words[i])
    return sorted(picked)
