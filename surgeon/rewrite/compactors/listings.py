"""Listings of files (find, ls, tree): one path a line, gathered by folder."""

from __future__ import annotations

import re

from surgeon.rewrite.context import Record
from surgeon.rewrite.lines import clean_lines
from surgeon.rewrite.parsed import Parsed

_PATH = re.compile(r"^(?:\.{0,2}/)?[^\s:*?\"<>|][^:*?\"<>|\n]{0,300}$")
_LS = re.compile(r"^[bcdlps-][rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+[\d,.]+[KMGT]?\s+.{6,20}\s\S")
_TREE = re.compile(r"^[│|\s]{0,80}[├└|`][─-]{1,2}\s")
_MINOR = re.compile(r"(?:^|/)(?:\.git|node_modules|__pycache__|dist|build|\.venv|\.cache|target)(?:/|$)|\.(?:pyc|map|lock|min\.js)$")


def sniff(lines: list[str]) -> bool:
    """Most lines are `ls -l` entries, tree branches, or paths with a separator and no blanks."""
    sample = [line for line in lines[:400] if line.strip()]
    if len(sample) < 4:
        return False
    ls = sum(1 for line in sample if _LS.match(line))
    tree = sum(1 for line in sample if _TREE.match(line))
    path = sum(1 for line in sample if "/" in line and " " not in line.strip() and _PATH.match(line.strip()))
    return max(ls, tree, path) >= 0.75 * len(sample)


def parse(text: str, tool: str = "") -> Parsed | None:
    """A listing; None for other text."""
    lines = [line for line in clean_lines(text) if line.strip()]
    if not sniff(lines):
        return None
    items = tuple(Record(line, 0.15 if _MINOR.search(line) else 0.45, "entry") for line in lines)
    return Parsed("listing", "\n".join(_gather(lines)), items, noun="entries")


def _gather(lines: list[str]) -> list[str]:
    """Runs of at least three paths of one folder: the folder once, then the names."""
    if any(" " in line.strip() for line in lines):
        return lines
    out: list[str] = []
    at = 0
    while at < len(lines):
        folder, sign, _ = lines[at].rpartition("/")
        end = at + 1
        while sign and end < len(lines) and lines[end].rpartition("/")[0] == folder:
            end += 1
        if end - at >= 3 and folder:
            out.append(f"{folder}/: {' '.join(line.rpartition('/')[2] for line in lines[at:end])}")
        else:
            out += lines[at:end]
        at = end
    return out
