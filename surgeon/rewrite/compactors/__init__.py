"""Typed compactors: each reads one kind of text as records. The first that recognises a text wins."""

from __future__ import annotations

from collections.abc import Callable

from surgeon.rewrite.compactors import diffs, json_values, listings, logs, markup, runs, searches, source_code, tables
from surgeon.rewrite.parsed import Parsed

Parse = Callable[[str, str], Parsed | None]
PARSERS: dict[str, Parse] = {
    "json": json_values.parse,
    "tests": runs.parse,
    "diff": diffs.parse,
    "search": searches.parse,
    "html": markup.parse,
    "table": tables.parse,
    "log": logs.parse,
    "listing": listings.parse,
    "code": source_code.parse,
}


def recognise(text: str, tool: str = "") -> Parsed | None:
    """The text as the first compactor that recognises it reads it, or None (prose)."""
    for parse in PARSERS.values():
        parsed = parse(text, tool)
        if parsed is not None:
            return parsed
    return None
