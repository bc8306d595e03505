"""`surgeon diff`: before and after, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from surgeon.cli import common

if TYPE_CHECKING:
    from surgeon.types import Message

Kind = Literal["kept", "rewritten", "cut", "added"]
_STYLE = {"kept": "dim", "rewritten": "yellow", "cut": "red", "added": "cyan"}
_SHOWN = 600
_LOOK_AHEAD = 400


class Line(NamedTuple):
    """One message before and after: cut has no after, added (our block) has no before."""

    kind: Kind
    before: Message | None
    after: Message | None


def diff(
    source: common.Input,
    budget: common.Budget = None,
    query: common.Query = None,
    as_json: common.AsJson = False,
    format_: common.Format = "auto",
    settings: common.SettingsFile = None,
    profile: common.Profile = None,
) -> None:
    """Show before and after side by side: what was cut, rewritten, kept and added."""
    loaded, result = common.compacted(source, budget, query, format_, settings, profile, "compacting")
    lines = aligned(loaded.format.read(loaded.messages), loaded.format.read(result.messages))
    if as_json:
        common.put_json({"schema_version": 1, "messages": [_record(line) for line in lines]})
    else:
        _print(lines)
    count = {kind: sum(1 for line in lines if line.kind == kind) for kind in _STYLE}
    common.say(
        f"{result.report.tokens_before:,} -> {result.report.tokens_after:,} tokens; "
        + ", ".join(f"{count[kind]} {kind}" for kind in _STYLE if count[kind])
    )


def aligned(before: Sequence[Message], after: Sequence[Message]) -> list[Line]:
    """Pairs both sides in order: the same object is kept, the same calls or the same speaker with much the same text is rewritten."""
    lines: list[Line] = []
    at = 0
    for message in after:
        place = _partner(before, at, message)
        if place is None:
            lines.append(Line("added", None, message))
            continue
        lines += [Line("cut", m, None) for m in before[at:place]]
        same = before[place].native is message.native or before[place].parts == message.parts
        lines.append(Line("kept" if same else "rewritten", before[place], message))
        at = place + 1
    return [*lines, *(Line("cut", m, None) for m in before[at:])]


def _partner(before: Sequence[Message], at: int, message: Message) -> int | None:
    for i in range(at, len(before)):
        if before[i].native is message.native:
            return i
    ids = _call_ids(message)
    for i in range(at, len(before) if ids else min(len(before), at + _LOOK_AHEAD)):
        if before[i].role == message.role and _call_ids(before[i]) == ids and (ids or _alike(before[i].text, message.text)):
            return i
    return None


def _call_ids(message: Message) -> tuple[str | None, ...]:
    return tuple(p.call_id for p in (*message.calls, *message.results))


def _alike(before: str, after: str) -> bool:
    """Whether one text is the other with our block before it, or with a few words replaced."""
    if before == after or (before and after.endswith(before)):
        return True
    if "[context#" in after or not 0.5 < (len(before) + 1) / (len(after) + 1) < 2:
        return False
    from difflib import SequenceMatcher

    return SequenceMatcher(None, before[:2_000], after[:2_000], autojunk=False).quick_ratio() > 0.8


def _said(message: Message | None) -> str:
    if message is None:
        return ""
    calls = "\n".join(f"{c.tool}({c.text})" for c in message.calls)
    return "\n".join(t for t in (message.text, calls) if t)


def _record(line: Line) -> dict[str, Any]:
    known = line.before or line.after
    return {
        "kind": line.kind, "id": line.before.id if line.before else None, "role": known.role if known else None,
        "before": _said(line.before) if line.before else None, "after": _said(line.after) if line.after else None,
    }  # fmt: skip


def _print(lines: Sequence[Line]) -> None:
    from rich.table import Table
    from rich.text import Text

    with common.page() as console:
        table = Table(expand=True, show_lines=True)
        table.add_column("", width=9)
        table.add_column("before", ratio=1, overflow="fold")
        table.add_column("after", ratio=1, overflow="fold")
        for line in lines:
            known = line.before or line.after
            head = Text(f"{line.kind}\n{known.role if known else ''}", style=_STYLE[line.kind])
            room = 100 if line.kind == "kept" else _SHOWN
            after = "=" if line.kind == "kept" else _cut(_said(line.after), 4 * _SHOWN if line.kind == "added" else room)
            table.add_row(head, Text(_cut(_said(line.before), room)), Text(after))
        console.print(table)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[:room]}… [{len(text) - room:,} more characters]"
