"""Coding-agent transcripts in JSON Lines: one line per block, parallel results as lines of their own, lines that are no messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surgeon.formats import wire_transcript
from surgeon.formats.anthropic import Anthropic
from surgeon.formats.common import Reading, join_content, lead_content, opaque, read_all, unlead_content, with_path, write_back
from surgeon.types import EMPTY, Message, WireIssue

_LINES = frozenset({"user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "attachment", "progress"})


class ClaudeCode:
    """Reads and writes transcript lines. Lines that hold no message are protected and come back as they are."""

    name = "claude_code"

    def __init__(self, image_tokens: int = 800) -> None:
        self._blocks = Anthropic(image_tokens)

    @property
    def alternates(self) -> bool:
        """Lines need not take turns: several lines make one message."""
        return False

    def detect(self, native: Sequence[Any]) -> float:
        """1 if a line has a type and a message inside, 0 otherwise."""
        lines = [m for m in native if isinstance(m, Mapping)]
        return 1.0 if any(is_message(m) for m in lines) else 0.6 if any(_is_line(m) for m in lines) else 0.0

    def read(self, native: Sequence[Any]) -> list[Message]:
        """One Message per line. Lines of a side chain or written by the program (`isMeta`) begin no round."""
        return read_all(native, self._reading)

    def write(self, message: Message) -> Any:
        """The line: the same object if no text differs, else a copy. The copy of a result in `toolUseResult` follows the result."""
        if not message.changed:
            return message.native
        out = write_back(message, self._reading(message.native).slots)
        changed_result = any(message.parts[i].kind == "tool_result" for i in message.changed if i < len(message.parts))
        if out is not message.native and changed_result and "toolUseResult" in message.native:
            out["toolUseResult"] = "\n".join(p.text for p in message.results if p.text)
        return out

    def make(self, role: str, text: str) -> Any:
        """A new line that holds only text."""
        content: Any = [{"type": "text", "text": text}] if role == "assistant" else text
        return {"type": role, "message": {"role": role, "content": content}}

    def lead(self, native: Any, text: str) -> Any:
        """A copy of a user line with `text` as a block of its own, after tool results and before the rest."""
        return with_path(native, ("message", "content"), lead_content(native["message"].get("content"), text))

    def join(self, first: Any, second: Any) -> Any:
        """Two lines of one role as one, the blocks of the first before those of the second."""
        return with_path(first, ("message", "content"), join_content(first["message"].get("content"), second["message"].get("content")))

    def unlead(self, native: Any, text: str) -> Any:
        """The reverse of `lead`; None if nothing else is left."""
        content = native["message"].get("content") if is_message(native) else None
        rest = unlead_content(content, text)
        if rest is content:
            return native
        return None if rest is None else with_path(native, ("message", "content"), rest)

    def check(self, native: Sequence[Any]) -> list[WireIssue]:
        """Rules A1 to A14 on the messages that the lines make up."""
        return wire_transcript.check(native)

    def repair(self, native: Sequence[Any]) -> list[Any]:
        """The same lines; results without a call are removed, calls without a result get one that says so."""
        return wire_transcript.repair(native).messages

    def _reading(self, native: Any) -> Reading:
        if not isinstance(native, Mapping) or not is_message(native):
            fields = native if isinstance(native, Mapping) else EMPTY
            slot = opaque(native)
            return Reading("system", (slot._replace(part=type(slot.part)("opaque", editable=False)),), fields, known=False)
        inner = native["message"]
        slots = tuple(self._blocks.slots(inner.get("content"), ("message", "content")))
        fields = {**native, "metadata": {**_given(native), **_line_facts(native, inner)}}
        return Reading(inner["role"], slots, fields, countable=_countable(native))


def _given(line: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = line.get("metadata")
    return inner if isinstance(inner, Mapping) else EMPTY


def _countable(line: Mapping[str, Any]) -> bool:
    return not (line.get("isSidechain") or line.get("isMeta") or line.get("isCompactSummary"))


def _line_facts(line: Mapping[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    """`sidechain`, the `reply_id` that lines of one reply share, and `aside` for what neither the user nor the agent said."""
    out: dict[str, Any] = {"sidechain": True} if line.get("isSidechain") is True else {}
    if not _countable(line):
        out["aside"] = True
    if inner.get("role") == "assistant" and isinstance(inner.get("id"), str) and inner["id"]:
        out["reply_id"] = inner["id"]
    return out


def is_message(line: Any) -> bool:
    """Whether a line holds a message of the user or the assistant."""
    if not isinstance(line, Mapping) or line.get("type") not in ("user", "assistant"):
        return False
    inner = line.get("message")
    return isinstance(inner, Mapping) and inner.get("role") in ("user", "assistant")


def _is_line(line: Mapping[str, Any]) -> bool:
    kind = line.get("type")
    return isinstance(kind, str) and kind in _LINES and "role" not in line
