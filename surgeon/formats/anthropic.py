"""Anthropic Messages: content blocks, tool results inside user messages, signed thinking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgeon.formats import wire_anthropic
from surgeon.formats.common import (
    ContentMessages,
    Path,
    Reading,
    Slot,
    as_text,
    dumps,
    opaque,
    role_of,
)
from surgeon.types import EMPTY, Part, PartKind, WireIssue

_SURE = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document", "compaction"})
_MEDIA = frozenset({"image", "document"})


class Anthropic(ContentMessages):
    """Reads and writes Messages API messages. `image_tokens` is the price of one image or document."""

    name = "anthropic"

    def __init__(self, image_tokens: int = 800) -> None:
        self.image_tokens = image_tokens

    @property
    def alternates(self) -> bool:
        """User and assistant take turns; older back ends insist on it."""
        return True

    def detect(self, native: Sequence[Any]) -> float:
        """1 with tool or thinking blocks, 0.4 for plain role and content, 0 if nothing looks like a message."""
        messages = [m for m in native if isinstance(m, Mapping) and m.get("role") in ("user", "assistant", "system")]
        blocks = [b for m in messages for b in _blocks(m.get("content")) if isinstance(b, Mapping)]
        if any(as_text(b.get("type")) in _SURE or (b.get("type") == "image" and "source" in b) for b in blocks):
            return 1.0
        return 0.4 if messages else 0.0

    def check(self, native: Sequence[Any]) -> list[WireIssue]:
        """Rules A1 to A14, as far as the messages alone decide them."""
        return wire_anthropic.check(native)

    def repair(self, native: Sequence[Any]) -> list[Any]:
        """The same messages with what breaks A1 to A14 mended."""
        return wire_anthropic.repair(native).messages

    def reading(self, native: Any) -> Reading:
        """One native message, read without its neighbours."""
        if not isinstance(native, Mapping):
            return Reading("system", (opaque(native),), EMPTY, known=False)
        role = role_of(native.get("role"))
        if role is None or role == "tool":
            return Reading("system", (opaque(native),), native, known=False)
        return Reading(role, tuple(self.slots(native.get("content"), ("content",))), native, name=as_text(native.get("name")))

    def slots(self, content: Any, path: Path) -> Iterator[Slot]:
        """The parts of a message's content, which stands at `path`."""
        if isinstance(content, str):
            if content:
                yield Slot(Part("text", content), path)
        elif isinstance(content, list | tuple):
            for place, block in enumerate(content):
                yield from self._block(block, (*path, place))
        elif content is not None:
            yield opaque(content)

    def _block(self, block: Any, path: Path) -> Iterator[Slot]:
        kind = block.get("type") if isinstance(block, Mapping) else None
        if not isinstance(block, Mapping) or not isinstance(kind, str):
            yield opaque(block)
        elif kind == "tool_use":
            yield _call_slot(block, path)
        elif kind == "tool_result":
            yield from self._result(block, path)
        elif kind == "thinking":
            yield Slot(Part("thinking", as_text(block.get("thinking")) or "", editable=False))
        elif kind == "redacted_thinking":
            yield Slot(Part("thinking", editable=False))
        else:
            yield self._plain(block, path, "text", None)

    def _plain(self, block: Any, path: Path, kind: PartKind, call_id: str | None) -> Slot:
        if isinstance(block, Mapping) and block.get("type") == "text" and isinstance(block.get("text"), str):
            return Slot(Part(kind, block["text"], call_id), (*path, "text"))
        if isinstance(block, Mapping) and isinstance(block.get("type"), str) and block["type"] in _MEDIA:
            return Slot(Part("media", tokens=self.image_tokens, editable=False))
        return opaque(block)

    def _result(self, block: Mapping[str, Any], path: Path) -> Iterator[Slot]:
        """One part per text of a result; at least one, so that the link to its call is always seen."""
        call_id, content = as_text(block.get("tool_use_id")), block.get("content")
        if isinstance(content, str):
            yield Slot(Part("tool_result", content, call_id), (*path, "content"))
            return
        inner = [self._plain(b, (*path, "content", i), "tool_result", call_id) for i, b in enumerate(_blocks(content))]
        if not any(slot.part.kind == "tool_result" for slot in inner):
            yield Slot(Part("tool_result", call_id=call_id, editable=False))
        yield from inner


def _blocks(content: Any) -> Sequence[Any]:
    return content if isinstance(content, list | tuple) else ()


def _call_slot(block: Mapping[str, Any], path: Path) -> Slot:
    call_id, tool, given = as_text(block.get("id")), as_text(block.get("name")), block.get("input")
    if isinstance(given, dict):
        return Slot(Part("tool_call", dumps(given), call_id, tool), (*path, "input"), "json_object")
    shown = given if isinstance(given, str) else "" if given is None else dumps(given)
    return Slot(Part("tool_call", shown, call_id, tool, editable=False))
