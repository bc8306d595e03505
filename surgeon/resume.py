"""Going on with a conversation: where the state ends in the messages, and which ids and rounds those had that it knows.

Positions change when a conversation comes back compacted; ids and rounds must not, since facts refer to messages by them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from surgeon.types import Message

_TAIL = 5


class Known(NamedTuple):
    """What the state knows of these messages: how many, and their ids and rounds where they differ from a plain count (else empty)."""

    size: int = 0
    marks: Sequence[tuple[str, int]] = ()


def fingerprint(message: Message) -> str:
    """What a message is recognised by when a conversation comes back with its state."""
    text = "\x1f".join(f"{p.kind}{p.text}" for p in message.parts)
    return hashlib.blake2b(f"{message.role}\x1f{text}".encode("utf-8", "replace"), digest_size=6).hexdigest()


def known(messages: Sequence[Message], state: Mapping[str, Any], compacted: bool) -> Known:
    """How much of the messages the state has seen.

    The caller goes on with the whole conversation or with what we gave back (`compacted`: our block is in it). Where that many
    messages end in the prints of the state is the place, however often the same words come again; else the latest place they match.
    """
    views = [v for v in (state.get("whole"), state.get("sent")) if isinstance(v, Mapping) and v.get("tail")]
    if not views:
        return Known()
    prints = [fingerprint(m) for m in messages]
    for view in reversed(views) if compacted else views:
        tail, count, marks = list(view["tail"]), view.get("count"), view.get("marks") or []
        if isinstance(count, int) and len(tail) <= count <= len(prints) and prints[count - len(tail) : count] == tail:
            return Known(count, [(str(i), int(r)) for i, r in marks] if len(marks) == count else ())
    return Known(max(_aligned(prints, list(view["tail"])) for view in views))


def _aligned(prints: Sequence[str], tail: Sequence[str]) -> int:
    """How many messages there are up to the latest place where the newest prints match, and as many before it as possible."""
    best, depth = 0, 0
    for at in range(len(prints), 0, -1):
        run = 0
        while run < len(tail) and at - run > 0 and prints[at - 1 - run] == tail[-1 - run]:
            run += 1
        if run > depth:
            best, depth = at, run
        if depth == len(tail):
            break
    return best


def renamed(messages: Sequence[Message], found: Known, following: Any) -> list[Message]:
    """The messages with the ids they had; new ones that have none of their own are counted on from `following`."""
    if not found.size or not isinstance(following, int):
        return list(messages)
    names = [i for i, _ in found.marks] or [m.id for m in messages[: found.size]]
    for number, message in enumerate(messages[found.size :], following):
        names.append(f"m{number}" if message.id == f"m{message.index}" else message.id)
    if len(set(names)) < len(names):
        return list(messages)
    return [m if m.id == name else replace(m, id=name) for m, name in zip(messages, names, strict=True)]


def view(messages: Sequence[Message]) -> dict[str, Any]:
    """What `known` recognises these messages by, JSON-safe; ids and rounds only where a plain count would not give them."""
    plain = all(m.id == f"m{n}" for n, m in enumerate(messages)) and all(m.index == n for n, m in enumerate(messages))
    marks = [] if plain else [[m.id, m.round] for m in messages]
    return {"tail": [fingerprint(m) for m in messages[-_TAIL:]], "count": len(messages), "marks": marks}


def as_sent(sent: Sequence[Message], fitted: Sequence[Message]) -> list[Message]:
    """Messages of the result, read again, with the ids and rounds of the fitted messages that they are (or begin with, where two were joined)."""
    rest = iter(fitted)
    out: list[Message] = []
    for message in sent:
        texts = [p.text for p in message.parts]
        own = next((m for m in rest if [p.text for p in m.parts] == texts[: len(m.parts)] and m.role == message.role), None)
        out.append(message if own is None else replace(message, id=own.id, round=own.round))
    return out
