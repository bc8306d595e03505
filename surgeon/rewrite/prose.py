"""Prose as whole sentences and list items, each with enough around it to be understood alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surgeon.rewrite.context import Record, rough_tokens
from surgeon.rewrite.weight import is_error, weigh

LONG = 120
_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[A-Z\"'(\[0-9*#\u3400-\u9fff-])|(?<=[。！？；!?])(?=[^\s”」』）)\"'])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e|approx|Inc|Ltd|a\.m|p\.m|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)|^\d{1,3}|\b[A-Z])\.$"
)
_ITEM = re.compile(r"^(\s*)(?:[-*+•·]|\d{1,3}[.)、]|[(（]\d{1,3}[)）])\s*\S")
_SOFT = re.compile(r"(?<=[;；，,])\s*")


def sentences(text: str) -> list[str]:
    """Whole sentences in order; fragments of a word or two join their successor, overlong ones break at commas."""
    out: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        held = ""
        for piece in _END.split(line.strip()):
            held = f"{held} {piece}" if held and held[-1] < "\u3000" else held + piece
            if rough_tokens(held) < 4 or _ABBREVIATION.search(held):
                continue
            out += _soften(held)
            held = ""
        if held:
            if out and rough_tokens(held) < 4 and len(line.strip()) > len(held):
                out[-1] += held if out[-1][-1] >= "\u3000" else f" {held}"
            else:
                out += _soften(held)
    return out


def _soften(text: str) -> list[str]:
    """An overlong sentence in pieces that end at a comma or semicolon, else at white space."""
    if rough_tokens(text) <= LONG:
        return [text]
    out, held = [], ""
    for piece in (p for s in _SOFT.split(text) for p in _hard(s)):
        if held and rough_tokens(held) + rough_tokens(piece) > LONG:
            out.append(held)
            held = piece
        else:
            held = f"{held} {piece}" if held and held[-1] < "\u3000" else held + piece
    return [*out, held] if held else out


def _hard(text: str) -> Iterator[str]:
    if rough_tokens(text) <= LONG:
        yield text
        return
    words = text.split(" ")
    held = ""
    for word in words:
        if held and len(held) + len(word) > 3 * LONG:
            yield held
            held = word
        else:
            held = f"{held} {word}" if held else word
    if held:
        yield held


def prose_records(text: str) -> list[Record]:
    """Sentences; a list item together with the items nested in it, split after about LONG tokens with the parent line repeated."""
    if rough_tokens(text) <= 24 and "\n" not in text.strip():
        return [Record(text.strip(), weigh(text), "error" if is_error(text) else "sentence")] if text.strip() else []
    out: list[str] = []
    block: list[str] = []
    indent = 0
    for line in text.splitlines():
        item = _ITEM.match(line)
        width = len(item[1]) if item else -1
        if block and item and width > indent:
            block.append(line.strip())
            continue
        out += _blocks(block)
        block = []
        if item:
            block, indent = [line.strip()], width
        else:
            out += sentences(line)
    out += _blocks(block)
    return [Record(t, weigh(t), "error" if is_error(t) else "sentence") for t in out]


def _blocks(lines: list[str]) -> list[str]:
    """A parent item and its children as texts of at most about LONG tokens, each led by the parent line."""
    if not lines:
        return []
    head, *rest = lines
    if not rest:
        return sentences(head) if rough_tokens(head) > LONG else [head]
    out, held = [], head
    for line in rest:
        if rough_tokens(held) + rough_tokens(line) > LONG and held != head:
            out.append(held)
            held = head
        held = f"{held}\n  {line}"
    return [*out, held]
