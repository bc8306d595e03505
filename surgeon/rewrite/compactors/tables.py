"""Tables (CSV, TSV, Markdown, psql, fixed columns): padding and rules removed, whole rows chosen, every value with its column."""

from __future__ import annotations

import csv
import io
import re
from typing import NamedTuple

from surgeon.rewrite.context import Record
from surgeon.rewrite.lines import clean_lines
from surgeon.rewrite.parsed import Parsed
from surgeon.rewrite.weight import is_error, weigh

_RULE = re.compile(r"^[\s|+:=-]*[-=]{3,}[\s|+:=-]*$")
_FIXED = re.compile(r"\s{2,}|\t")


class Table(NamedTuple):
    """Column names, rows as cells, and the source line of each row."""

    header: list[str]
    rows: list[list[str]]
    lines: list[str]
    joint: str
    before: str = ""
    after: str = ""


def read_table(text: str) -> Table | None:
    """The table that a text is, or None."""
    lines = [line for line in clean_lines(text) if line.strip()]
    if len(lines) < 4:
        return None
    return _piped(lines) or _separated(text, lines, "\t") or _separated(text, lines, ",") or _separated(text, lines, ";") or _fixed(lines)


def parse(text: str, tool: str = "") -> Parsed | None:
    """A table; None for other text."""
    table = read_table(text)
    if table is None:
        return None
    shown = [table.joint.join(row) for row in table.rows] if table.joint == "|" else table.lines
    head = "\n".join(s for s in (table.before, table.joint.join(table.header)) if s)
    items = [Record(row, weigh(row.replace(table.joint, " , ")), "error" if is_error(row) else "row") for row in shown]
    if table.after:
        items.append(Record(table.after, 0.8, "note"))
    return Parsed("table", "\n".join([head, *(i.text for i in items)]), tuple(items), head=head, noun="rows")


def table_records(text: str) -> list[Record] | None:
    """One record a row, `column: value, column: value`; text around the table is a record of its own."""
    table = read_table(text)
    if table is None:
        return None
    out = [Record(table.before, weigh(table.before), "sentence")] if table.before else []
    for row in table.rows:
        shown = ", ".join(f"{name}: {cell}" if name else cell for name, cell in zip(table.header, row, strict=False) if cell)
        out.append(Record(shown, weigh(shown), "error" if is_error(shown) else "row"))
    return [*out, Record(table.after, 0.5, "note")] if table.after else out


def _cells(line: str) -> list[str]:
    return [c.strip() for c in line.strip().strip("|").split("|")]


def _piped(lines: list[str]) -> Table | None:
    """Markdown and psql: cells between bars, a rule below the header."""
    rules = [i for i, line in enumerate(lines[:40]) if _RULE.match(line) and ("|" in line or "+" in line)]
    barred = [i for i, line in enumerate(lines) if "|" in line and not _RULE.match(line)]
    if not rules or len(barred) < 3:
        return None
    first, last = barred[0], barred[-1]
    header = _cells(lines[first])
    rows = [(_cells(lines[i]), lines[i]) for i in barred[1:]]
    if len(header) < 2 or any(len(r) != len(header) for r, _ in rows) or last - first > len(barred) + len(rules) + 40:
        return None
    inside = [i for i in range(first, last + 1) if "|" not in lines[i] and not _RULE.match(lines[i])]
    if inside or len(lines) - (last - first + 1) > 0.4 * len(lines):
        return None
    before = "\n".join(line for line in lines[:first] if not _RULE.match(line))
    after = "\n".join(line for line in lines[last + 1 :] if not _RULE.match(line))
    return Table(header, [r for r, _ in rows], [line for _, line in rows], "|", before, after)


def _separated(text: str, lines: list[str], sign: str) -> Table | None:
    """CSV and kin: every line has as many cells as the header, and the header has no numbers."""
    if lines[0].count(sign) < 1 or sum(1 for line in lines[:50] if sign in line) < min(50, len(lines)):
        return None
    try:
        rows = [r for r in csv.reader(io.StringIO(text), delimiter=sign, strict=True) if r]
    except csv.Error:
        return None
    header = rows[0]
    if len(header) < 2 or len(rows) != len(lines) or any(len(r) != len(header) for r in rows):
        return None
    if any(not h.strip() or h.strip()[0].isdigit() or len(h) > 40 or h.count(" ") > 3 for h in header) or (
        sign != "\t" and len(header) < 3
    ):
        return None
    return Table(header, rows[1:], lines[1:], sign)


def _fixed(lines: list[str]) -> Table | None:
    """Columns set apart by two or more blanks, as many in every row as in a header of upper-case or ruled names."""
    header = _FIXED.split(lines[0].strip())
    ruled = bool(re.fullmatch(r"[\s=-]+", lines[1]))
    if len(header) < 3 or not (ruled or lines[0].isupper()):
        return None
    body = lines[2:] if ruled else lines[1:]
    rows = [_FIXED.split(line.strip()) for line in body]
    if any(len(r) != len(header) for r in rows):
        return None
    return Table(header, rows, ["  ".join(r) for r in rows], "  ")
