"""From a text read as records to a smaller text: lossless first, then whole records by value within the tokens wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from surgeon.rewrite.context import CompactContext, Record
from surgeon.types import Rewrite

SMALL = 60
_QUERY = re.compile(r"[A-Za-z0-9_]{3,}|[\u3400-\u9fff]{2}")
_NOUNS = {
    "rows": "行", "lines": "行", "events": "条事件", "hunks": "处改动", "matches": "条匹配", "entries": "项", "blocks": "段代码",
    "sentences": "句", "records": "条记录",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text that a compactor understood.

    `lossless` holds everything in less space. `head` always stays when records are chosen (a schema, a summary); `items` are the
    records in source order, joined by `joint`; `repeats[i]` is how many source records item i stands for.
    `dropped` says what even `lossless` leaves out, because it says nothing to a reader (markup).
    """

    name: str
    lossless: str
    items: tuple[Record, ...]
    head: str = ""
    noun: str = "records"
    joint: str = "\n"
    repeats: tuple[int, ...] = ()
    dropped: str = ""

    @property
    def total(self) -> int:
        """Number of source records."""
        return sum(self.repeats) if self.repeats else len(self.items)


def finish(parsed: Parsed, source: str, context: CompactContext) -> Rewrite | None:
    """The smallest faithful text: lossless if that fits, else chosen records with a note. None if nothing is won."""
    before = context.count(source)
    if before <= SMALL:
        return None
    lossless = parsed.lossless if keeps(parsed.lossless, source, context) else source
    after = context.count(lossless)
    if context.max_tokens is None or after <= context.max_tokens:
        return Rewrite(lossless, parsed.name, parsed.dropped) if after < 0.97 * before else None
    chosen = _fit(parsed, context)
    if chosen is None or not keeps(chosen.text, source, context):
        return Rewrite(lossless, parsed.name, parsed.dropped) if after < 0.97 * before else None
    return chosen if context.count(chosen.text) < after else None


def keeps(text: str, source: str, context: CompactContext) -> bool:
    """Whether every identifier that must stay and stands in the source stands in the text."""
    return all(k in text for k in context.keep if k and k in source)


def _fit(parsed: Parsed, context: CompactContext) -> Rewrite | None:
    limit = context.max_tokens or 0
    note = context.count(left_out(parsed.noun, parsed.total, parsed.total, context.language)) + 2
    room = limit - note - (context.count(parsed.head) if parsed.head else 0)
    for _ in range(4):
        picked = choose(parsed.items, room, context)
        if not picked:
            return None
        text, omitted = _join(parsed, picked, context.language)
        over = context.count(text) - limit
        if over <= 0 or room <= 0:
            return Rewrite(text, parsed.name, omitted)
        room -= over + 2
    return Rewrite(text, parsed.name, omitted)


def _join(parsed: Parsed, picked: Sequence[int], language: str) -> tuple[str, str]:
    shown = sum(parsed.repeats[i] for i in picked) if parsed.repeats else len(picked)
    gone = parsed.total - shown
    parts = [parsed.head] if parsed.head else []
    parts += [parsed.items[i].text for i in picked]
    if gone:
        parts.append(left_out(parsed.noun, gone, parsed.total, language))
    return parsed.joint.join(parts), f"{gone} of {parsed.total} {parsed.noun}" if gone else ""


def left_out(noun: str, gone: int, total: int, language: str) -> str:
    """The note that says what is missing."""
    return f"[略去 {gone}/{total} {_NOUNS.get(noun, '条')}]" if language == "zh" else f"[{gone} of {total} {noun} left out]"


def terms(query: str) -> frozenset[str]:
    """The words of a question that can be looked for: lower-cased words and pairs of Chinese characters."""
    return frozenset(w.lower() for w in _QUERY.findall(query))


def choose(items: Sequence[Record], room: int, context: CompactContext) -> list[int]:
    """Indexes of the records to keep, in source order: what must stay, then by value, whole records only."""
    costs = _costs(items, context)
    wanted = terms(context.query)
    must = {i for k in context.keep if k for i in _holders(items, k)}
    last = len(items) - 1

    def value(i: int) -> float:
        item = items[i]
        edge = 0.12 if i in (0, last) else 0.06 if i in (1, 2, last - 1) else 0.0
        low = item.text.lower() if wanted else ""
        asked = sum(t in low for t in wanted) / len(wanted) if wanted else 0.0
        return item.weight + edge + asked

    order = sorted(range(len(items)), key=lambda i: (i not in must, -round(value(i), 6), i))
    picked: list[int] = []
    for i in order:
        if costs[i] <= room or i in must:
            picked.append(i)
            room -= costs[i]
        elif room < 4:
            break
    return sorted(picked)


def _holders(items: Sequence[Record], wanted: str) -> list[int]:
    """The first record that holds an identifier."""
    return next(([i] for i, item in enumerate(items) if wanted in item.text), [])


def _costs(items: Sequence[Record], context: CompactContext) -> list[int]:
    """Tokens of each record and its joint; of many records they are estimated from a sample."""
    if len(items) <= 400:
        return [context.count(i.text) + 1 for i in items]
    sample = "\n".join(items[k].text for k in range(0, len(items), max(1, len(items) // 200)))
    ratio = context.count(sample) / max(1, len(sample))
    return [int(len(i.text) * ratio * 1.05) + 2 for i in items]
