"""Search results (grep, rg): the path stands once for its matches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surgeon.rewrite.context import Record
from surgeon.rewrite.lines import clean_lines, mask
from surgeon.rewrite.parsed import Parsed
from surgeon.rewrite.weight import is_error, weigh

_MATCH = re.compile(r"^((?:[A-Za-z]:)?[^\s:][^:\n]{0,300}?)([:-])(\d{1,7})([:-])(.*)$")
_PATHLIKE = re.compile(r"[./\\]")


def sniff(lines: list[str]) -> bool:
    """Most lines are path:line:text."""
    sample = [line for line in lines[:400] if line.strip() and line != "--"]
    if len(sample) < 3:
        return False
    hits = [m for line in sample if (m := _MATCH.match(line)) and m[2] == m[4] and _PATHLIKE.search(m[1]) and " " not in m[1]]
    return len(hits) >= 0.7 * len(sample)


def parse(text: str, tool: str = "") -> Parsed | None:
    """Grouped matches; None for other text."""
    lines = [line for line in clean_lines(text) if line.strip()]
    if not sniff(lines):
        return None
    seen: dict[str, int] = {}
    items: list[Record] = []
    grouped: list[str] = []
    last = ""
    for line in lines:
        found = _MATCH.match(line)
        if not found or found[2] != found[4]:
            grouped.append(line)
            items.append(Record(line, 0.1 if line == "--" else weigh(line), "match"))
            last = last if line == "--" else ""
            continue
        path, sign, number, _, rest = found.groups()
        grouped += [f"{path}"] if path != last else []
        grouped.append(f" {number}{sign}{rest.strip() if len(rest) > 200 else rest}")
        last = path
        items.append(Record(line, _value(path, rest, sign, seen), "match"))
    return Parsed("search", "\n".join(grouped), tuple(items), noun="matches")


def _value(path: str, rest: str, sign: str, seen: dict[str, int]) -> float:
    """Matches before context lines, the first of a file before its others, new shapes before repeated ones."""
    shape = mask(rest)
    seen[path] = seen.get(path, 0) + 1
    seen[shape] = seen.get(shape, 0) + 1
    value = 0.35 + 0.4 * weigh(rest) + (0.2 if is_error(rest) else 0) if sign == ":" else 0.15
    return round(min(1.0, value * (1.0 if seen[path] == 1 else 0.8) * (1.0 if seen[shape] == 1 else 0.5)), 4)


def paths(lines: list[str]) -> Iterator[str]:
    """The paths that occur, in order, each once."""
    known: dict[str, None] = {}
    for line in lines:
        found = _MATCH.match(line)
        if found:
            known.setdefault(found[1])
    yield from known
