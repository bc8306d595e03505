"""The values that travel through the pipeline: frozen, slotted, and free of behaviour that has effects.

A native message (the caller's own object) becomes one :class:`Message` of several :class:`Part` values.
Parts are what can be rewritten; units are what can be dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

Role = Literal["system", "user", "assistant", "tool"]
PartKind = Literal["text", "tool_call", "tool_result", "thinking", "media", "opaque"]
Source = Literal["session", "memory", "archive"]
UnitKind = Literal["system", "user", "assistant", "tools", "orphan", "block"]
Action = Literal["keep", "rewrite", "offload", "drop"]
FactKind = Literal["entity", "constraint", "preference", "decision", "task", "question", "finding", "tool_fact"]
FactStatus = Literal["active", "cancelled", "hypothetical", "rejected", "done", "conflict"]
ChangeAction = Literal["set", "update", "patch", "cancel", "restore", "confirm", "reject"]

EMPTY: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a message.

    `text` is what a reader sees of it: prose, the text of a tool result, the JSON arguments of a call (byte for byte as given).
    `call_id` links a call and its result. `tokens` is a fixed price for what has no text (an image); 0 otherwise.
    `editable` is False where the provider forbids a change (thinking, media, unknown blocks).
    """

    kind: PartKind
    text: str = ""
    call_id: str | None = None
    tool: str | None = None
    tokens: int = 0
    editable: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """One native message, read. `native` is the caller's object and is never changed; `changed` names the rewritten parts by index."""

    id: str
    role: Role
    parts: tuple[Part, ...]
    index: int = 0
    name: str | None = None
    time: datetime | None = None
    round: int = 0
    native: Any = None
    changed: frozenset[int] = frozenset()
    ref_msg_ids: tuple[str, ...] = ()
    intent: str | None = None
    importance: float | None = None
    protected: bool = False
    expires_after: int | None = None
    source: Source = "session"
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Prose and tool-result text, in order, joined by line breaks (no calls, no thinking)."""
        return "\n".join(p.text for p in self.parts if p.kind in ("text", "tool_result") and p.text)

    @property
    def prose(self) -> str:
        """Only what the speaker wrote: text parts, joined by line breaks."""
        return "\n".join(p.text for p in self.parts if p.kind == "text" and p.text)

    @property
    def calls(self) -> tuple[Part, ...]:
        """The tool calls of this message."""
        return tuple(p for p in self.parts if p.kind == "tool_call")

    @property
    def results(self) -> tuple[Part, ...]:
        """The tool results of this message."""
        return tuple(p for p in self.parts if p.kind == "tool_result")

    def with_part(self, position: int, text: str) -> Message:
        """A copy in which the text of one part is replaced and marked as changed."""
        parts = list(self.parts)
        parts[position] = replace(parts[position], text=text)
        return replace(self, parts=tuple(parts), changed=self.changed | {position})


@dataclass(frozen=True, slots=True)
class Unit:
    """Messages that stay or go together: a call with all its results, or one message. `open` means a call still waits for its result."""

    id: str
    kind: UnitKind
    messages: tuple[Message, ...]
    round: int
    open: bool = False

    @property
    def text(self) -> str:
        """All text of the unit, joined by line breaks."""
        return "\n".join(m.text for m in self.messages if m.text)


class Span(NamedTuple):
    """A labelled stretch of a text: offsets in characters, `end` exclusive."""

    start: int
    end: int
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """What one NLP pass found in a text; shared by extraction and redaction.

    `entities` use the labels PERSON, LOC, ORG, DATE, TIME, MONEY, QUANTITY, CARDINAL, PRODUCT, NRP, WORK. Offsets are in characters.
    `words` are tokens as spans (label = coarse part of speech, may be empty).
    """

    text: str
    language: str
    entities: tuple[Span, ...] = ()
    words: tuple[Span, ...] = ()


class Reason(NamedTuple):
    """Why a decision was taken: the channel, the rule or cause, its weight and the text that matched (never personal data)."""

    channel: str
    name: str
    weight: float = 0.0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """How much a unit matters: `total` in 0..1, its two channels, and the reasons."""

    total: float
    rule: float = 0.0
    similarity: float = 0.0
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What was done with one unit, with reasons a person can read. `ref` names the stored original."""

    unit: str
    message_ids: tuple[str, ...]
    action: Action
    reasons: tuple[Reason, ...] = ()
    score: float = 0.0
    tokens_before: int = 0
    tokens_after: int = 0
    template: str | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One event in the life of a fact. `value` is the value after the event; `source_round` is where a restored value came from."""

    action: ChangeAction
    value: str
    message_id: str = ""
    round: int = 0
    time: str | None = None
    source_round: int | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A thing the conversation settled: its current value, its status and everything it was before.

    `normal` is the normalised form beside the original words (an ISO date for "next Tuesday"), empty if there is none.
    """

    key: str
    kind: FactKind
    label: str
    value: str
    owner: str = ""
    status: FactStatus = "active"
    round: int = 0
    action: ChangeAction = "set"
    message_id: str = ""
    source_round: int | None = None
    span: tuple[int, int] | None = None
    confidence: float = 1.0
    type: str = ""
    normal: str = ""
    history: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that an extractor proposes; `snapshot.apply` turns it into a new snapshot. `key` names the fact it concerns."""

    key: str
    kind: FactKind
    label: str
    change: Change
    owner: str = ""
    status: FactStatus = "active"
    type: str = ""
    normal: str = ""
    span: tuple[int, int] | None = None
    confidence: float = 1.0


class Rewrite(NamedTuple):
    """A shorter text for a part, who made it, and what it leaves out in words ("41 of 50 rows"; empty if nothing is left out)."""

    text: str
    by: str
    omitted: str = ""


class Finding(NamedTuple):
    """A stretch that was hidden: its type, its offsets in the source, and what stands there now. Never the value itself."""

    type: str
    start: int
    end: int
    placeholder: str


class WireIssue(NamedTuple):
    """A rule of the provider that a conversation breaks: rule id (A1, C2, …), position of the message, and the provider's words."""

    rule: str
    message_index: int
    text: str


class Hit(NamedTuple):
    """A stored message that answers a question."""

    text: str
    message_id: str
    round: int
    score: float
    ref: str
    reasons: tuple[Reason, ...] = ()
    role: str = ""
    time: str | None = None
