"""Source code: the outline (imports, definitions) before bodies; whole blocks between blank lines, never half a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surgeon.rewrite.context import Record, rough_tokens
from surgeon.rewrite.lines import pack
from surgeon.rewrite.parsed import Parsed
from surgeon.rewrite.weight import weigh

_NUMBERED = re.compile(r"^\s{0,6}\d{1,6}(?:[|:→\t]|\s{2})")
_DEFINITION = re.compile(
    r"^\s{0,16}(?:export |default |public |private |protected |static |async |abstract |final |pub(?:\(\w+\))? |declare |@\w)*"
    r"(?:(?:def|class|function|interface|type|enum|struct|impl|trait|func|fn|module|namespace|package)\b"
    r"|const \w+ = (?:async )?\(|let \w+ = \()"
)
_CODE = re.compile(
    r"^\s{0,40}(?:import |from \S+ import|export |def |class |function |const |let |var |return\b|if ?\(|if .+:$|for ?\(|for .+:$"
    r"|while |#include|using |package |pub |fn |func "
    r"|struct |impl |public |private |protected |@\w+|\}|\{|//|/\*|\*|else|try|except|catch|switch|case |self\.|this\.)"
    r"|[;{},]\s*$|^\s{0,40}\"[\w.$-]{1,80}\":\s|^\s{4,}\S.*[=(].*"
)


def sniff(lines: list[str]) -> bool:
    """Nearly all lines look like statements, or half of them and something is defined or imported."""
    sample = [_NUMBERED.sub("", line, count=1) for line in lines[:400] if line.strip()]
    if len(sample) < 6:
        return False
    code = sum(1 for line in sample if _CODE.search(line[:300]))
    if code >= 0.75 * len(sample):
        return True
    return code >= 0.5 * len(sample) and any(_DEFINITION.match(s) or s.startswith(("import ", "from ", "#include", "use ")) for s in sample)


def parse(text: str, tool: str = "") -> Parsed | None:
    """Source code; None for other text. Lossless rewriting only removes trailing blanks and runs of blank lines."""
    lines = text.splitlines()
    if not sniff(lines):
        return None
    lossless = re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines))
    return Parsed("code", lossless, tuple(_records(lines)), noun="blocks")


def _records(lines: list[str]) -> Iterator[Record]:
    for block in _blocks(lines):
        shown = "\n".join(block)
        outline = any(_DEFINITION.match(_NUMBERED.sub("", line, count=1)) for line in block[:3])
        if rough_tokens(shown) <= 120:
            yield Record(shown, _value(shown, outline), "outline" if outline else "code")
            continue
        head = block[0] if outline else ""
        for number, piece in enumerate(pack(block, 90)):
            lead = f"{head.rstrip()} …\n" if head and number else ""
            yield Record(lead + piece, _value(piece, outline and number == 0), "outline" if outline and number == 0 else "code")


def _value(text: str, outline: bool) -> float:
    return round(min(1.0, 0.6 * weigh(text) + (0.3 if outline else 0.0)), 4)


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Stretches between blank lines or before a definition; short stretches join their successor."""
    block: list[str] = []
    for line in lines:
        bare = _NUMBERED.sub("", line, count=1)
        if block and (not bare.strip() or _DEFINITION.match(bare)) and sum(len(x) for x in block) > 120:
            yield block
            block = []
        if bare.strip():
            block.append(line)
    if block:
        yield block
