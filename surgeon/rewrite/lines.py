"""Lines of terminal output: control sequences removed, progress bars reduced to their last state, overlong lines broken."""

from __future__ import annotations

import re

_ANSI = re.compile(r"\x1b\[[0-9;?]{0,32}[A-Za-z]|\x1b[@-_]")
_NUMBER = re.compile(
    r"0x[0-9a-fA-F]{1,32}|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]{0,40}\d)[0-9a-f]{7,64}\b|\d+(?:[.,:]\d+){0,12}"
)
TIME = re.compile(
    r"^\W{0,2}(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[T ]\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"
    r"|\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2})"
)
MAX_LINE = 2_000


def clean_lines(text: str) -> list[str]:
    """The lines as a terminal shows them in the end, without trailing white space."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    out = []
    for line in text.split("\n"):
        line = line.rstrip()
        out.append(line.rsplit("\r", 1)[-1] if "\r" in line else line)
    return out


def mask(line: str) -> str:
    """The line as a template: time stamp, numbers and hashes replaced, so that lines which differ only there are equal."""
    return _NUMBER.sub("#", line[:MAX_LINE])


def pack(lines: list[str], tokens: int = 60) -> list[str]:
    """Neighbouring lines as blocks of at most about `tokens` tokens."""
    out: list[str] = []
    block: list[str] = []
    size = 0
    for line in lines:
        cost = len(line) // 3 + 1
        if block and size + cost > tokens:
            out.append("\n".join(block))
            block, size = [], 0
        block.append(line)
        size += cost
    if block:
        out.append("\n".join(block))
    return out
