"""OpenAI Chat Completions messages, as most other providers and local servers accept them too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgeon.formats import wire_openai
from surgeon.formats.common import (
    ContentMessages,
    Reading,
    Slot,
    as_text,
    dumps,
    opaque,
    role_of,
)
from surgeon.types import EMPTY, Part, PartKind, WireIssue

_TEXTS = frozenset({"text", "input_text", "output_text"})
_MEDIA = frozenset({"image_url", "input_image", "image", "input_audio", "audio", "file", "input_file", "video_url"})


class OpenAIChat(ContentMessages):
    """Reads and writes Chat Completions messages. `image_tokens` is the price of one image, sound or file."""

    name = "openai_chat"

    def __init__(self, image_tokens: int = 800) -> None:
        self.image_tokens = image_tokens

    @property
    def alternates(self) -> bool:
        """User and assistant need not take turns."""
        return False

    def detect(self, native: Sequence[Any]) -> float:
        """1 with a tool role or tool calls, 0.5 for plain role and content, 0 if nothing looks like a message."""
        messages = [m for m in native if isinstance(m, Mapping) and "role" in m]
        if any(m.get("role") in ("tool", "function", "developer") or m.get("tool_calls") or m.get("function_call") for m in messages):
            return 1.0
        if any(_has_type(m.get("content"), {"image_url", "input_audio"}) for m in messages):
            return 0.9
        return 0.5 if messages else 0.0

    def check(self, native: Sequence[Any]) -> list[WireIssue]:
        """Rules C1 to C8."""
        return wire_openai.check(native)

    def repair(self, native: Sequence[Any]) -> list[Any]:
        """The same messages with what breaks C1 to C8 mended."""
        return wire_openai.repair(native).messages

    def reading(self, native: Any) -> Reading:
        """One native message, read without its neighbours."""
        if not isinstance(native, Mapping):
            return Reading("system", (opaque(native),), EMPTY, known=False)
        role = role_of(native.get("role"))
        if role is None:
            return Reading("system", (opaque(native),), native, known=False)
        slots = tuple(self._result_slots(native) if role == "tool" else self._slots(native))
        return Reading(role, slots, native, name=as_text(native.get("name")))

    def _slots(self, native: Mapping[str, Any]) -> Iterator[Slot]:
        if native.get("reasoning_content"):
            thought = native["reasoning_content"]
            yield Slot(Part("thinking", thought, editable=False)) if isinstance(thought, str) else opaque(thought)
        yield from self._content_slots(native.get("content"), "text", None, None)
        if isinstance(native.get("refusal"), str) and native["refusal"]:
            yield Slot(Part("text", native["refusal"], editable=False))
        calls = native.get("tool_calls")
        if isinstance(calls, list | tuple):
            for place, call in enumerate(calls):
                yield _call_slot(call, ("tool_calls", place))
        elif calls is not None:
            yield opaque(calls)
        if isinstance(native.get("function_call"), Mapping):
            yield _call_slot({"function": native["function_call"]}, ())

    def _result_slots(self, native: Mapping[str, Any]) -> Iterator[Slot]:
        call_id, tool = as_text(native.get("tool_call_id")), as_text(native.get("name"))
        slots = list(self._content_slots(native.get("content"), "tool_result", call_id, tool))
        if not any(slot.part.kind == "tool_result" for slot in slots):
            yield Slot(Part("tool_result", call_id=call_id, tool=tool, editable=False))
        yield from slots

    def _content_slots(self, content: Any, kind: PartKind, call_id: str | None, tool: str | None) -> Iterator[Slot]:
        if isinstance(content, str):
            if content or kind == "tool_result":
                yield Slot(Part(kind, content, call_id, tool), ("content",))
            return
        if not isinstance(content, list | tuple):
            if content is not None:
                yield opaque(content)
            return
        for place, block in enumerate(content):
            if isinstance(block, str):
                yield Slot(Part(kind, block, call_id, tool), ("content", place))
            elif isinstance(block, Mapping) and as_text(block.get("type")) in _TEXTS and isinstance(block.get("text"), str):
                yield Slot(Part(kind, block["text"], call_id, tool), ("content", place, "text"))
            elif isinstance(block, Mapping) and block.get("type") == "refusal" and isinstance(block.get("refusal"), str):
                yield Slot(Part("text", block["refusal"], editable=False))
            elif isinstance(block, Mapping) and as_text(block.get("type")) in _MEDIA:
                yield Slot(Part("media", tokens=self.image_tokens, editable=False))
            else:
                yield opaque(block)


def _call_slot(call: Any, path: tuple[str | int, ...]) -> Slot:
    """The slot of a tool call; editable only if its arguments are a JSON string."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        if isinstance(call, Mapping) and isinstance(call.get("custom"), Mapping):
            custom = call["custom"]
            shown, name = as_text(custom.get("input")) or "", as_text(custom.get("name"))
            return Slot(Part("tool_call", shown, as_text(call.get("id")), name, editable=False))
        return opaque(call)
    call_id, tool, arguments = as_text(call.get("id")), as_text(function.get("name")), function.get("arguments")
    if isinstance(arguments, str) and _is_json(arguments) and path:
        return Slot(Part("tool_call", arguments, call_id, tool), (*path, "function", "arguments"), "json_text")
    shown = arguments if isinstance(arguments, str) else "" if arguments is None else dumps(arguments)
    return Slot(Part("tool_call", shown, call_id, tool, editable=False))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _has_type(content: Any, types: set[str]) -> bool:
    return isinstance(content, list | tuple) and any(isinstance(b, Mapping) and as_text(b.get("type")) in types for b in content)
