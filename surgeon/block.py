"""Our own block in a conversation: how it is written, recognised by fence and checksum, and read back.

    [context#5d41c0de r14 ref 9a0364b9e99b] Earlier messages, compacted: …legend…
    <|intent|>
    …
    <|/intent|>
    <|entities|>
    …
    <|/entities|>
    <|dialogue|>
    u3: …
    <|/dialogue|>
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from surgeon.snapshot.model import Intent
from surgeon.snapshot.render import escape, parse_facts, parse_intent, unescape
from surgeon.types import Fact

SECTIONS = ("intent", "entities", "retrieved", "dialogue")
_HEAD = re.compile(r"\[context#(?P<sum>[0-9a-f]{8}) r(?P<rounds>[0-9]{1,9})(?: ref (?P<ref>[0-9a-f]{12}))?\] [^\n\[]*\n")
_CLOSE = re.compile(r"<\|/(?:intent|entities|retrieved|dialogue)\|>")
_ENTRY = re.compile(r"^(?P<role>[uats]?)(?P<round>[0-9]{1,9})(?: (?P<tool>\S+?))?: (?P<text>.*)$")


class Entry(NamedTuple):
    """One line of the dialogue block: who, in which round, which tool, and what is left of it."""

    role: str
    round: int
    text: str
    tool: str = ""


class Block(NamedTuple):
    """A recognised block: where it stands in the text, and what it says. `rounds` is how many user messages it stands for, `zh` the language of its legend."""

    start: int
    end: int
    ref: str
    intent: Intent
    facts: dict[str, Fact]
    entries: list[Entry]
    rounds: int
    zh: bool = False


def legend(ref: str, tool: str, zh: bool) -> str:
    """The one line that says what the block is and how originals are had back; without a tool the short form."""
    if not (ref and tool):
        return "早前对话" if zh else "Earlier, by round:"
    if zh:
        return f"以下为早前对话的压缩；was=旧值已失效；u/a/t+数字=第几轮的用户/助手/工具；…=有省略；原文可用 {tool}(ref) 取回"
    return f"Earlier messages, compacted. 'was' = no longer true; u/a/t+N = user/assistant/tool in round N; … = left out. {tool}(ref) returns the original."


def sections(parts: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The fenced sections that have content, in order."""
    return "\n".join(f"<|{name}|>\n" + "\n".join(lines) + f"\n<|/{name}|>" for name, lines in parts if lines)


def write(body: str, rounds: int, ref: str, tool: str, zh: bool) -> str:
    """The block: head with checksum, number of rounds it stands for and legend, then the sections."""
    mark = hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:8]
    return f"[context#{mark} r{rounds}{' ref ' + ref if ref else ''}] {legend(ref, tool, zh)}\n{body}"


def entry_line(entry: Entry, brief: bool = False) -> str:
    """One line of the dialogue block; `brief` leaves the user's letter out."""
    tool = "_".join(escape(entry.tool).split())
    role = "" if brief and entry.role == "u" else entry.role
    return f"{role}{entry.round}{' ' + tool if tool else ''}: {escape(entry.text)}"


def find(text: str) -> Block | None:
    """The first block in a text whose checksum is right; look-alikes are not recognised."""
    if "[context#" not in text:
        return None
    heads = list(_HEAD.finditer(text))
    for head, following in itertools.zip_longest(heads, heads[1:]):
        # what a block quotes is escaped: it ends before the next head, and holds no fence but those of its sections
        until = following.start() if following else len(text)
        for close in itertools.islice(_CLOSE.finditer(text, head.end(), until), len(SECTIONS)):
            body = text[head.end():close.end()]
            if hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:8] == head["sum"]:
                return _read(head, body, close.end())
    return None


def _read(head: re.Match[str], body: str, end: int) -> Block:
    found = dict(_sections(body))
    entries = []
    for line in found.get("dialogue", []):
        match = _ENTRY.match(line)
        if match:
            entries.append(Entry(match["role"] or "u", int(match["round"]), unescape(match["text"]), match["tool"] or ""))
    facts = parse_facts(found.get("entities", []))
    return Block(head.start(), end, head["ref"] or "", parse_intent(found.get("intent", [])), facts, entries, int(head["rounds"]), "早前对话" in head.group())


def _sections(body: str) -> Iterator[tuple[str, list[str]]]:
    name = ""
    lines: list[str] = []
    for line in body.split("\n"):
        if line.startswith("<|/"):
            yield name, lines
            name, lines = "", []
        elif not name and line.startswith("<|"):
            name = line.strip("<|>")
        else:
            lines.append(line)


def role_letter(role: str) -> str:
    """u, a, t or s."""
    return {"user": "u", "assistant": "a", "tool": "t", "system": "s"}[role]
