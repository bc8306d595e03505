"""Step 1: messages into units, the smallest things that may be dropped. A call and all its results are one unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from surgeon.types import Message, Unit, UnitKind


def segment(messages: Sequence[Message]) -> list[Unit]:
    """Units in order. A turn with calls takes the results that follow it; results without a call are `orphan` units.

    A line that is no turn (a transcript's own notes) between a call and its result is a unit of its own, behind the call's.
    """
    units: list[Unit] = []
    group: list[Message] = []
    aside: list[Message] = []
    waiting: set[str] = set()
    for message in messages:
        if waiting and message.role == "system":
            aside.append(message)
            continue
        answers = bool(group) and _answers(message, waiting)
        if group and not answers and not _continues(group, message):
            units += [_unit(group, bool(waiting)), *(_unit([m], False) for m in aside)]
            group, aside, waiting = [], [], set()
        group.append(message)
        if answers:
            waiting -= {r.call_id for r in message.results if r.call_id}
        else:
            waiting |= {c.call_id for c in message.calls if c.call_id}
        if not waiting and not _may_go_on(message):
            units += [_unit(group, False), *(_unit([m], False) for m in aside)]
            group, aside = [], []
    if group:
        units += [_unit(group, bool(waiting)), *(_unit([m], False) for m in aside)]
    # only a call at the very end can still be answered; one that was passed over is a fault of the input
    last = next((u.id for u in reversed(units) if u.kind != "system"), None)
    return [replace(u, open=u.open and u.id == last) for u in units]


def begins_round(message: Message) -> bool:
    """Whether the user speaks here: results, lines the program wrote (`aside`) and pieces nobody can read begin no round."""
    spoken = message.role == "user" and not message.results and not message.metadata.get("aside")
    return spoken and any(p.kind != "opaque" for p in message.parts)


def _answers(message: Message, waiting: set[str]) -> bool:
    """Whether the message holds a result that the open group waits for, or only repeats results (a provider would reject them apart)."""
    return any(r.call_id in waiting for r in message.results)


def _may_go_on(message: Message) -> bool:
    """Whether more of the same turn may follow: lines of one reply, or results between them."""
    return message.metadata.get("reply_id") is not None or (bool(message.parts) and all(p.kind == "tool_result" for p in message.parts))


def _continues(group: Sequence[Message], message: Message) -> bool:
    """Transcripts write one line a block: lines of one assistant reply belong together, whatever results stand between them."""
    reply = next((m.metadata.get("reply_id") for m in reversed(group) if m.role == "assistant"), None)
    return reply is not None and message.role == "assistant" and reply == message.metadata.get("reply_id")


def _kind(message: Message) -> UnitKind:
    if message.role == "system":
        return "system"
    if message.results:
        return "orphan"
    return "user" if message.role == "user" and not message.metadata.get("aside") else "assistant"


def _unit(messages: Sequence[Message], is_open: bool) -> Unit:
    kind: UnitKind = "tools" if any(m.calls for m in messages) else _kind(messages[0])
    return Unit(messages[0].id, kind, tuple(messages), messages[0].round, is_open)
