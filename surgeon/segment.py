"""Step 1: messages into units, the smallest things that may be dropped. A call and all its results are one unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from surgeon.types import Message, Unit, UnitKind


def segment(messages: Sequence[Message]) -> list[Unit]:
    """Units in order. A turn with calls takes the results that follow it; results without a call are `orphan` units."""
    units: list[Unit] = []
    group: list[Message] = []
    waiting: set[str] = set()
    for message in messages:
        if group and _answers(message, waiting):
            group.append(message)
            waiting -= {r.call_id for r in message.results if r.call_id}
            if not waiting and not _only_results(message):
                units.append(_unit("tools", group, bool(waiting)))
                group = []
            continue
        if group and _continues(group[-1], message):
            group.append(message)
            waiting |= {c.call_id for c in message.calls if c.call_id}
            continue
        if group:
            units.append(_unit("tools", group, bool(waiting)))
            group, waiting = [], set()
        if message.calls:
            group, waiting = [message], {c.call_id for c in message.calls if c.call_id}
        else:
            units.append(_unit(_kind(message), [message], False))
    if group:
        units.append(_unit("tools", group, bool(waiting)))
    # only a call at the very end can still be answered; one that was passed over is a fault of the input
    return [replace(u, open=u.open and u is units[-1]) for u in units]


def _answers(message: Message, waiting: set[str]) -> bool:
    """Whether the message holds a result that the open group waits for, or only repeats results (a provider would reject them apart)."""
    return any(r.call_id in waiting for r in message.results)


def _only_results(message: Message) -> bool:
    return all(p.kind == "tool_result" for p in message.parts)


def _continues(last: Message, message: Message) -> bool:
    """Transcripts write one line a block: lines of one assistant reply belong together."""
    reply = last.metadata.get("reply_id")
    return reply is not None and reply == message.metadata.get("reply_id") and message.role == "assistant"


def _kind(message: Message) -> UnitKind:
    if message.role == "system":
        return "system"
    if message.results:
        return "orphan"
    return "user" if message.role == "user" else "assistant"


def _unit(kind: UnitKind, messages: Sequence[Message], is_open: bool) -> Unit:
    return Unit(messages[0].id, kind, tuple(messages), messages[0].round, is_open)
