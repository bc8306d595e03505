"""Notes: what changed since a frozen epoch, told in the newest turn so that nothing that was sent has to be rewritten.

    [context note#5d41c0de r18] address:main: 88 Mill Rd (was 8 Mill Rd)

A note follows the words it explains: said before them, "push it by an hour" would read as one more hour.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from surgeon.extract.merge import contains
from surgeon.protocols import Format
from surgeon.segment import begins_round, segment
from surgeon.snapshot.apply import apply
from surgeon.snapshot.model import LOOSE, REPLACING, Snapshot
from surgeon.snapshot.render import escape, unescape
from surgeon.types import Change, Edit, Fact, Message

_NOTE = re.compile(r"\[context note#(?P<sum>[0-9a-f]{8}) r(?P<round>[0-9]{1,9})\] (?P<body>.+)", re.S)
_LINE = re.compile(r"(?P<key>.+?)(?:: |：)(?P<now>.*?)(?: \(was (?P<old>.*)\)|（原为 (?P<alt>.*)）)?")
_GONE = ("cancelled", "已取消")
_HEARD = "surgeon_notes"
_HEAD = re.compile(r"\[context note(\\*)#")
_ESCAPED_HEAD = re.compile(r"\[context note\\(\\*)#")
_MOST = 8  # lines of one note; the newest changes


class Note(NamedTuple):
    """One note: the round it was written in and its lines."""

    round: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The note as it is sent. Its checksum tells it from words that imitate one."""
        body = "\n".join(self.lines)
        return f"[context note#{_sum(body)} r{self.round}] {body}"


@dataclass(slots=True)
class Notebook:
    """What a session has told since its last epoch.

    `told`: length of the history of each fact that the reader knows. `notes`: by the position of the message that each one follows.
    `sent`: how many messages have gone out; a note never follows one of them.
    """

    told: dict[str, int] = field(default_factory=dict)
    notes: dict[int, Note] = field(default_factory=dict)
    sent: int = 0

    def begin(self, facts: Mapping[str, Fact]) -> None:
        """A new epoch: its output tells every fact as it is now, earlier notes are part of it."""
        self.told, self.notes = {k: len(f.history) for k, f in facts.items()}, {}

    def news(self, facts: Iterable[Fact]) -> list[Fact]:
        """Facts that were changed, not merely set, since they were last told; the most recently changed last."""
        changed = [f for f in facts if len(f.history) > self.told.get(f.key, 0) and _worth(f)]
        return sorted(changed, key=lambda f: (f.round, f.key))[-_MOST:]

    def tell(self, notes: dict[int, Note], sent: int, facts: Mapping[str, Fact]) -> None:
        """What goes out now, and the facts that it tells (none while a change waits for its place)."""
        self.notes, self.sent = notes, sent
        self.told.update({k: len(f.history) for k, f in facts.items()})

    def to_state(self) -> dict[str, Any]:
        """JSON-safe."""
        return {"told": self.told, "sent": self.sent, "notes": {str(at): {"round": n.round, "lines": list(n.lines)} for at, n in self.notes.items()}}

    @classmethod
    def from_state(cls, data: Mapping[str, Any]) -> Notebook:
        """The reverse of `to_state`."""
        notes = {int(at): Note(n["round"], tuple(n["lines"])) for at, n in (data.get("notes") or {}).items()}
        return cls(dict(data.get("told") or {}), notes, data.get("sent", 0))


def _worth(fact: Fact) -> bool:
    held = fact.status in ("active", "cancelled") and fact.action in REPLACING
    return held and fact.kind != "tool_fact" and fact.label not in LOOSE  # the words of tools are never put into the user's turn


def _sum(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:8]


def line(fact: Fact, history: bool, zh: bool) -> str:
    """One changed fact; with `history` off no superseded value is printed."""
    gone = fact.status == "cancelled"
    now = _GONE[zh] if gone else _escaped(fact.value)
    old = fact.value if gone else next((c.value for c in reversed(fact.history) if c.value != fact.value and c.action not in ("cancel", "reject")), "")
    key = _escaped(fact.key)
    if not (history and old):
        return f"{key}：{now}" if zh else f"{key}: {now}"
    return f"{key}：{now}（原为 {_escaped(old)}）" if zh else f"{key}: {now} (was {_escaped(old)})"


def heard(snapshot: Snapshot, message: Message) -> Snapshot:
    """The snapshot after the notes that followed a message: without a state they are all that is left of what they tell."""
    for text in message.metadata.get(_HEARD, ()):
        match = _NOTE.fullmatch(text)
        if match is not None:
            snapshot = apply(snapshot, [e for row in match["body"].split("\n") if (e := _edit(row, int(match["round"]), message.id)) is not None])
    return snapshot


def _edit(row: str, round_: int, message_id: str) -> Edit | None:
    match = _LINE.fullmatch(row)
    if match is None:
        return None
    key, now = _unescaped(match["key"]), _unescaped(match["now"])
    gone = now in _GONE
    old = _unescaped(match["old"] or match["alt"] or "")
    change = Change("cancel", old, message_id, round_) if gone else Change("update", now, message_id, round_)
    return Edit(key, "entity", key.partition(":")[0], change)


def _escaped(text: str) -> str:
    return _HEAD.sub(r"[context note\\\1#", escape(text))


def _unescaped(text: str) -> str:
    return unescape(_ESCAPED_HEAD.sub(r"[context note\1#", text))


def unsaid(facts: Sequence[Fact], said: Mapping[str, str]) -> list[Fact]:
    """The facts whose change the message that made it does not tell by itself; `said` are the visible texts by message id."""
    return [f for f in facts if not contains(" ".join(said.get(f.message_id, "").split()), " ".join(f.value.split()))]


def place(messages: Sequence[Message], sent: int) -> int | None:
    """The message that a note may follow: of the turn that waits for its answer, not sent yet, and with no call left open."""
    answered = max((i for i, m in enumerate(messages) if m.role == "assistant"), default=-1)
    waiting = range(max(answered + 1, sent), len(messages))
    if any(u.open for u in segment(messages)):
        return None
    spoken = [i for i in waiting if begins_round(messages[i])]
    if spoken:
        return spoken[-1]
    return max((i for i in waiting if messages[i].results), default=None)


def noted(natives: Sequence[Any], notes: Mapping[int, Note], fmt: Format) -> list[Any]:
    """The messages with their notes: the last part of the message where roles must take turns, else a message behind it."""
    out: list[Any] = []
    for at, native in enumerate(natives):
        note = notes.get(at)
        if note is None:
            out.append(native)
        elif fmt.alternates:
            out.append(fmt.join(native, fmt.make("user", note.text)))
        else:
            out += [native, fmt.make("user", note.text)]
    return out


def is_note(text: str) -> bool:
    """Whether a text is one of our notes; look-alikes are not."""
    match = _NOTE.fullmatch(text)
    return match is not None and _sum(match["body"]) == match["sum"]


def without(messages: Sequence[Message], fmt: Format) -> list[Message]:
    """The messages without our notes, which are not the user's own words; what they told goes with the message they followed."""
    out: list[Message] = []
    for message in messages:
        mine = [p.text for p in message.parts if p.kind == "text" and is_note(p.text)] if message.role == "user" else []
        native: Any = message.native
        for text in mine:
            native = fmt.unlead(native, text) if native is not None else None
        if not mine:
            out.append(message)
            continue
        if native is not None:
            rest = tuple(p for p in message.parts if not (p.kind == "text" and is_note(p.text)))
            out.append(_again(message, native, rest, fmt))
        if out:
            told = (*out[-1].metadata.get(_HEARD, ()), *mine)
            out[-1] = replace(out[-1], metadata={**out[-1].metadata, _HEARD: told})
    return out


def _again(message: Message, native: Any, rest: tuple[Any, ...], fmt: Format) -> Message:
    """The message read anew without its notes, with its id, and with what was hidden in its other parts."""
    fresh = replace(fmt.read([native])[0], id=message.id, time=message.time, index=message.index, round=message.round)
    for at, (now, was) in enumerate(zip(fresh.parts, rest, strict=False)):
        if now.kind == was.kind and now.text != was.text:
            fresh = fresh.with_part(at, was.text)
    return fresh


__all__ = ["Note", "Notebook", "heard", "is_note", "line", "noted", "place", "unsaid", "without"]
