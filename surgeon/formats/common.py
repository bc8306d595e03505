"""What the wire formats share: slots (where a part stands in a native message), metadata, rounds, and path-wise copies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, get_args

from surgeon.types import EMPTY, Message, Part, Role, Source

Path = tuple[str | int, ...]
Encoding = Literal["text", "json_text", "json_object"]

_OPAQUE_CEILING = 1_500
_MILLISECONDS_FROM = 1e11
_SOURCES: dict[str, Source] = {name: name for name in get_args(Source)}
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}


class Slot(NamedTuple):
    """A part and the place its text came from. `path` is None for what cannot be written back."""

    part: Part
    path: Path | None = None
    encoding: Encoding = "text"


class Reading(NamedTuple):
    """One native message, read without its neighbours. `countable` says whether it may begin a round."""

    role: Role
    slots: tuple[Slot, ...]
    fields: Mapping[str, Any]
    name: str | None = None
    countable: bool = True
    known: bool = True


class Repaired(NamedTuple):
    """Mended messages and a note for each thing that was mended."""

    messages: list[Any]
    notes: list[str]


def role_of(value: Any) -> Role | None:
    """The role that a provider's role name stands for, or None if it is unknown."""
    return _ROLES.get(value) if isinstance(value, str) else None


def price(value: Any) -> int:
    """A rough count of tokens for a block that has no readable text; capped, because binary data is not sent as text."""
    try:
        return min(len(json.dumps(value, ensure_ascii=False, default=str)) // 4, _OPAQUE_CEILING)
    except (ValueError, TypeError, RecursionError):
        return 0


def opaque(value: Any) -> Slot:
    """A piece that nobody may change: unknown blocks, broken pieces."""
    return Slot(Part("opaque", tokens=price(value), editable=False))


def as_text(value: Any) -> str | None:
    """The value if it is a string."""
    return value if isinstance(value, str) else None


def dumps(value: Any) -> str:
    """JSON as we write it everywhere: Chinese unescaped, nothing that raises."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        return ""


def when(value: Any) -> datetime | None:
    """A point in time from ISO 8601 or from seconds or milliseconds since 1970; None if it is neither. Without a zone it is UTC."""
    try:
        if isinstance(value, str) and value.strip().replace(".", "", 1).isdigit() and len(value.strip()) >= 9:
            value = float(value)
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if abs(value) > _MILLISECONDS_FROM else value, UTC)
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip().replace("/", "-"))
            return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


class Facts(NamedTuple):
    """What a message says about itself, at top level or in its `metadata`."""

    time: datetime | None
    metadata: Mapping[str, Any]
    importance: float | None
    protected: bool
    expires_after: int | None
    ref_msg_ids: tuple[str, ...]
    intent: str | None
    source: Source


def facts_of(fields: Mapping[str, Any]) -> Facts:
    """Reads the optional fields; values of a wrong type count as absent."""
    inner = fields.get("metadata")
    metadata: Mapping[str, Any] = inner if isinstance(inner, Mapping) else EMPTY

    def given(name: str) -> Any:
        value = fields.get(name)
        return metadata.get(name) if value is None else value

    importance, expires, refs, source = given("importance_score"), given("expires_after"), given("ref_msg_ids"), given("source")
    return Facts(
        time=when(given("timestamp")) or when(given("created_at")),
        metadata=metadata,
        importance=min(1.0, max(0.0, float(importance))) if _number(importance) else None,
        protected=given("protected") is True,
        expires_after=int(expires) if _number(expires) and abs(expires) < 1e9 else None,
        ref_msg_ids=tuple(str(r) for r in refs) if isinstance(refs, list | tuple) else (),
        intent=as_text(given("intent")),
        source=_SOURCES.get(source, "session") if isinstance(source, str) else "session",
    )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) != float("inf")


def _identity(fields: Mapping[str, Any], index: int, taken: set[str]) -> str:
    given = (fields.get("id"), fields.get("uuid"))
    own = next((v for v in given if isinstance(v, str | int) and not isinstance(v, bool) and v != ""), None)
    base = f"m{index}" if own is None else str(own)
    name, copy = base, 1
    while name in taken:
        copy += 1
        name = f"{base}#{copy}"
    taken.add(name)
    return name


def read_all(native: Sequence[Any], reading: Callable[[Any], Reading]) -> list[Message]:
    """Reads every message: unique ids, rounds, and the tool name of each result from the call it answers."""
    out: list[Message] = []
    taken: set[str] = set()
    tools: dict[str, str] = {}
    rounds = 0
    for index, value in enumerate(native):
        seen = reading(value)
        parts = tuple(_named(slot.part, tools) for slot in seen.slots)
        if seen.role == "user" and seen.countable and not (parts and all(p.kind == "tool_result" for p in parts)):
            rounds += 1
        facts = facts_of(seen.fields)
        message = Message(
            id=_identity(seen.fields, index, taken),
            role=seen.role,
            parts=parts,
            index=index,
            name=seen.name,
            time=facts.time,
            round=rounds,
            native=value,
            ref_msg_ids=facts.ref_msg_ids,
            intent=facts.intent,
            importance=facts.importance,
            protected=facts.protected or not seen.known,
            expires_after=facts.expires_after,
            source=facts.source,
            metadata=facts.metadata,
        )
        out.append(message)
    return out


def _named(part: Part, tools: dict[str, str]) -> Part:
    if part.call_id is None:
        return part
    if part.kind == "tool_call" and part.tool:
        tools[part.call_id] = part.tool
    elif part.kind == "tool_result" and not part.tool and part.call_id in tools:
        return replace(part, tool=tools[part.call_id])
    return part


def write_back(message: Message, slots: Sequence[Slot]) -> Any:
    """The native message with its changed parts put in: the same object if no text differs, else a copy along the changed paths only.

    Arguments of a call stay valid JSON whatever they are changed to: a text that is none is wrapped as `{"arguments": text}`.
    """
    out = message.native
    for position in sorted(message.changed):
        if position >= len(slots) or position >= len(message.parts):
            continue
        slot, text = slots[position], message.parts[position].text
        if slot.path is not None and slot.part.editable and text != slot.part.text:
            out = with_path(out, slot.path, _encoded(text, slot.encoding))
    return out


def _encoded(text: str, encoding: Encoding) -> Any:
    if encoding == "text":
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if encoding == "json_text":
        return text if value is not None else dumps({"arguments": text})
    return value if isinstance(value, dict) else {"arguments": text}


def with_path(container: Any, path: Path, value: Any) -> Any:
    """A copy of nested dicts and lists in which one place differs; everything beside the path is shared with the original."""
    if not path:
        return value
    copy: Any = dict(container) if isinstance(container, Mapping) else list(container)
    copy[path[0]] = with_path(container[path[0]], path[1:], value)
    return copy


def lead_content(content: Any, text: str) -> list[Any]:
    """Content with `text` before its own text and after its tool results.

    A part that leads a plain string names `type` first, one that leads a list names `text` first: `unlead_content` tells them apart by it.
    """
    if isinstance(content, str):
        return [{"type": "text", "text": text}, *([{"type": "text", "text": content}] if content else [])]
    blocks = list(content) if isinstance(content, list | tuple) else []
    place = 0
    while place < len(blocks) and isinstance(blocks[place], Mapping) and blocks[place].get("type") == "tool_result":
        place += 1
    return [*blocks[:place], {"text": text, "type": "text"}, *blocks[place:]]


def join_content(first: Any, second: Any) -> list[Any]:
    """The content of two messages as that of one, in order; parts stay as they are, `unlead_content` can take a text of the second out again."""
    out = list(first) if isinstance(first, list | tuple) else [{"type": "text", "text": first}] if first else []
    if isinstance(second, str):
        part = {"type": "text", "text": second} if isinstance(first, str) else {"text": second, "type": "text"}
        return [*out, *([part] if second else [])]
    return [*out, *(second if isinstance(second, list | tuple) else ())]


def unlead_content(content: Any, text: str) -> Any:
    """Content without the part that is exactly `text`; None if nothing is left, the same object if there is no such part."""
    if isinstance(content, str):
        return None if content == text else content
    if not isinstance(content, list | tuple):
        return content
    for place, block in enumerate(content):
        if isinstance(block, Mapping) and block.get("type") == "text" and block.get("text") == text:
            rest = [*content[:place], *content[place + 1 :]]
            plain = next(iter(block)) == "type" and len(rest) == 1 and isinstance(rest[0], Mapping) and set(rest[0]) == {"type", "text"}
            return rest[0]["text"] if plain and rest[0]["type"] == "text" else (rest or None)
    return content


class ContentMessages:
    """What formats share whose messages are `{"role": …, "content": …}`: everything but how one message is read and judged."""

    def reading(self, native: Any) -> Reading:
        """One native message, read without its neighbours."""
        raise NotImplementedError

    def read(self, native: Sequence[Any]) -> list[Message]:
        """One Message per native message; what cannot be understood becomes opaque and passes through."""
        return read_all(native, self.reading)

    def write(self, message: Message) -> Any:
        """The native object: the same one if no text differs, else a copy along the changed paths."""
        return write_back(message, self.reading(message.native).slots) if message.changed else message.native

    def make(self, role: str, text: str) -> Any:
        """A new message that holds only text."""
        return {"role": role, "content": text}

    def lead(self, native: Any, text: str) -> Any:
        """A copy of a user message with `text` as a block of its own, after tool results and before the rest."""
        return {**native, "content": lead_content(native.get("content"), text)}

    def join(self, first: Any, second: Any) -> Any:
        """Two messages of one role as one, the parts of the first before those of the second."""
        return {**second, **first, "content": join_content(first.get("content"), second.get("content"))}

    def unlead(self, native: Any, text: str) -> Any:
        """The reverse of `lead`; None if nothing else is left."""
        rest = unlead_content(native.get("content"), text)
        return None if rest is None else native if rest is native.get("content") else {**native, "content": rest}
