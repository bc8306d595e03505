"""Diffs: unchanged context is dropped, every changed line stays under its file and hunk header."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surgeon.rewrite.context import Record
from surgeon.rewrite.lines import clean_lines, pack
from surgeon.rewrite.parsed import Parsed
from surgeon.rewrite.weight import weigh

_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_FILE = re.compile(r"^(?:diff --git |Index: )|^\+\+\+ |^--- ")
_META = re.compile(r"^(?:index [0-9a-f]+|similarity index|old mode|new mode|={20,})")


def sniff(lines: list[str]) -> bool:
    """Hunk headers below file headers, which make up much of the text."""
    hunks = [i for i, line in enumerate(lines) if _HUNK.match(line)]
    if not hunks or not any(line.startswith(("--- ", "+++ ", "diff --git")) for line in lines):
        return False
    inside = sum(1 for line in lines[hunks[0] :] if line[:1] in ("+", "-", " ", "@", "") or _FILE.match(line))
    return inside >= 0.5 * len(lines)


def parse(text: str, tool: str = "") -> Parsed | None:
    """A unified diff; None for other text."""
    lines = clean_lines(text)
    if not sniff(lines):
        return None
    items = tuple(_records(lines))
    lossless = "\n".join(lines)
    return Parsed("diff", lossless, items, noun="hunks")


def _records(lines: list[str]) -> Iterator[Record]:
    path = ""
    hunk: list[str] = []
    header = ""
    for line in lines:
        if line.startswith(("+++ ", "--- ")) and not (hunk and line[3:4] != " "):
            yield from _hunk(path, header, hunk)
            hunk, header = [], ""
            name = line[4:].split("\t")[0]
            path = path if name == "/dev/null" else name.removeprefix("a/").removeprefix("b/")
        elif line.startswith("diff --git "):
            yield from _hunk(path, header, hunk)
            hunk, header = [], ""
            path = line.rsplit(" b/", 1)[-1]
        elif _HUNK.match(line):
            yield from _hunk(path, header, hunk)
            hunk, header = [], line
        elif header:
            hunk.append(line)
        elif line.strip() and not _META.match(line):
            yield Record(line, weigh(line), "diff")
    yield from _hunk(path, header, hunk)


def _hunk(path: str, header: str, lines: list[str]) -> Iterator[Record]:
    changed = [line for line in lines if line[:1] in ("+", "-")]
    for number, block in enumerate(pack(changed, 110)):
        text = f"{path} {header}\n{block}"
        yield Record(text, min(1.0, 0.2 + weigh(text)) * (1.0 if number == 0 else 0.8), "diff")
