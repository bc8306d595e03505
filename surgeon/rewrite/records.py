"""Any text as self-contained records in source order, each with its density of information."""

from __future__ import annotations

from surgeon.rewrite.compactors import PARSERS, json_values, logs, recognise, tables
from surgeon.rewrite.compactors.blobs import drop_blobs
from surgeon.rewrite.context import Record, rough_tokens
from surgeon.rewrite.literals import parse_json
from surgeon.rewrite.prose import prose_records

LONG = 160


def records(text: str, tool: str = "", language: str = "en") -> list[Record]:
    """The text split into pieces that are understood alone, in source order.

    A JSON record is flat text `key: value, key: value`, a table row `column: value`, a log event with its stack trace, a diff hunk
    with its file, a sentence of prose. Values are copied byte for byte. Pieces of more than about 120 tokens are split at
    structural borders and carry what identifies them. `weight` is in 0..1.
    """
    if not text.strip():
        return []
    text, _ = drop_blobs(text, language)
    found = _json(text) or tables.table_records(text)
    if found is None:
        parsed = recognise(text, tool) if "\n" in text or len(text) > 400 else None
        found = list(parsed.items) if parsed is not None else prose_records(text)
    return [piece for record in found if record.text.strip() for piece in _short(record)]


def _json(text: str) -> list[Record] | None:
    """Records of a JSON document or of JSON lines; None for other text."""
    stripped = text.strip()
    if stripped[0] not in "[{" or stripped[-1] not in "]}":
        return None
    try:
        return list(json_values.flat_records(parse_json(stripped)))
    except ValueError:
        pass
    parsed = PARSERS["json"](text, "")
    if parsed is None:
        return None
    return [r for line in stripped.splitlines() if line.strip() for r in json_values.flat_records(parse_json(line))]


def _short(record: Record) -> list[Record]:
    """A record that is still too long, in pieces of falling weight."""
    if rough_tokens(record.text) <= LONG:
        return [record]
    pieces = logs.split_event(record.text) if "\n" in record.text else [r.text for r in prose_records(record.text)]
    return [Record(p, round(record.weight * (1.0 if n == 0 else 0.7), 4), record.kind) for n, p in enumerate(pieces)]
