"""OpenAI Chat Completions: rules C1 to C8, found and mended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgeon.formats.common import Repaired, as_text, dumps
from surgeon.types import WireIssue

MISSING = "[result missing: the tool gave no result]"
_ID_CHARS = 40
_EMPTY = "empty array. Expected an array with minimum length 1, but got an empty array instead."


def check(messages: Sequence[Any], *, thinking: bool | None = None, **_: Any) -> list[WireIssue]:
    """Issues in order of position. `thinking` None: rule C7 holds if some turns with tool calls carry reasoning_content."""
    if not messages:
        return [WireIssue("C4", 0, f"Invalid 'messages': {_EMPTY}")]
    issues = [*_pairing(messages), *_shapes(messages), *_reasoning(messages, thinking)]
    return sorted(issues, key=lambda issue: (issue.message_index, issue.rule))


def calls_of(message: Any) -> list[Mapping[str, Any]]:
    """The well-formed tool calls of an assistant message."""
    calls = message.get("tool_calls") if isinstance(message, Mapping) and message.get("role") == "assistant" else None
    return [c for c in calls if isinstance(c, Mapping)] if isinstance(calls, list | tuple) else []


def _is_result(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get("role") == "tool"


def _pairing(messages: Sequence[Any]) -> Iterator[WireIssue]:
    index = 0
    while index < len(messages):
        wanted = [as_text(c.get("id")) or "" for c in calls_of(messages[index])]
        if _is_result(messages[index]):
            yield WireIssue(
                "C2", index, "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
            )
        end = index + 1
        while wanted and end < len(messages) and _is_result(messages[end]):
            end += 1
        if wanted:
            yield from _answers(messages, index, end, wanted)
        index = end


def _answers(messages: Sequence[Any], index: int, end: int, wanted: list[str]) -> Iterator[WireIssue]:
    """The calls of message `index` against the results that stand directly after it."""
    for name in sorted({w for w in wanted if wanted.count(w) > 1}):
        yield WireIssue("C3", index, f"Duplicate value for 'tool_call_id' of {name} in message[{index}]")
    seen: set[str] = set()
    for place in range(index + 1, end):
        name = as_text(messages[place].get("tool_call_id")) or ""
        if name not in wanted:
            yield WireIssue(
                "C2", place, "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
            )
        elif name in seen:
            yield WireIssue("C3", place, f"Duplicate value for 'tool_call_id' of {name} in message[{place}]")
        seen.add(name)
    missing = [w for w in dict.fromkeys(wanted) if w not in seen]
    if missing:
        yield WireIssue(
            "C1",
            index,
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
            f"The following tool_call_ids did not have response messages: {', '.join(missing)}",
        )


def _shapes(messages: Sequence[Any]) -> Iterator[WireIssue]:
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping):
            continue
        if isinstance(message.get("tool_calls"), list | tuple) and not message["tool_calls"]:
            yield WireIssue("C4", index, f"Invalid 'messages[{index}].tool_calls': {_EMPTY}")
        for place, call in enumerate(calls_of(message)):
            name, function = as_text(call.get("id")) or "", call.get("function")
            if len(name) > _ID_CHARS:
                where = f"'messages[{index}].tool_calls[{place}].id'"
                yield WireIssue("C5", index, f"Invalid {where}: string too long. Expected a string with maximum length {_ID_CHARS}")
            if isinstance(function, Mapping) and not is_json(function.get("arguments")):
                yield WireIssue("C8", index, f"Invalid 'messages[{index}].tool_calls[{place}].function.arguments': not a string of JSON.")
        if message.get("role") != "user" and _images(message):
            yield WireIssue(
                "C6",
                index,
                f"Invalid 'messages[{index}]'. Image URLs are only allowed for messages with role 'user', "
                f"but this message with role '{message.get('role')}' contains an image URL.",
            )


def _images(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list | tuple) and any(isinstance(b, Mapping) and b.get("type") == "image_url" for b in content)


def is_json(value: Any) -> bool:
    """Whether a value is a string that parses as JSON."""
    if not isinstance(value, str):
        return False
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True


def _reasoning(messages: Sequence[Any], thinking: bool | None) -> Iterator[WireIssue]:
    turns = [(i, m) for i, m in enumerate(messages) if calls_of(m)]
    if thinking is None:
        thinking = any(isinstance(m.get("reasoning_content"), str) for _, m in turns)
    for index, message in turns:
        if thinking and not isinstance(message.get("reasoning_content"), str):
            yield WireIssue("C7", index, "The `reasoning_content` in the thinking mode must be passed back to the API.")


def repair(messages: Sequence[Any]) -> Repaired:
    """Mends C1 to C8: results are moved behind their calls, missing ones get a stub, orphans go; everything else keeps its object."""
    notes: list[str] = []
    mended = [_mend(m, i, notes) for i, m in enumerate(messages)]
    _add_reasoning(mended, notes)
    return Repaired(_paired(mended, notes), notes)


def _mend(message: Any, index: int, notes: list[str]) -> Any:
    """One message on its own: C4, C5, C6, C8 and ids given twice within one message."""
    if not isinstance(message, Mapping):
        return message
    out: dict[str, Any] = dict(message)
    if isinstance(message.get("tool_calls"), list | tuple):
        if not message["tool_calls"]:
            del out["tool_calls"]
            if out.get("content") is None:
                out["content"] = ""
            notes.append(f"message {index}: empty tool_calls removed")
        else:
            out["tool_calls"] = _mend_calls(message["tool_calls"], index, notes)
    name = as_text(message.get("tool_call_id"))
    if name and len(name) > _ID_CHARS:
        out["tool_call_id"] = short_id(name)
    if message.get("role") != "user" and _images(message):
        text = {"type": "text", "text": "[image left out: images are allowed in user messages only]"}
        out["content"] = [text if isinstance(b, Mapping) and b.get("type") == "image_url" else b for b in message["content"]]
        notes.append(f"message {index}: image in a message of role {message.get('role')} left out")
    return message if out == message else out


def _mend_calls(calls: Sequence[Any], index: int, notes: list[str]) -> list[Any]:
    out: list[Any] = []
    taken: set[str] = set()
    for call in calls:
        fixed = call
        name = as_text(call.get("id")) if isinstance(call, Mapping) else None
        if name is not None and len(name) > _ID_CHARS:
            name = short_id(name)
            notes.append(f"message {index}: call id shortened to {name}")
            fixed = {**fixed, "id": name}
        if name is not None and name in taken:
            name = fresh_id(name, taken)
            notes.append(f"message {index}: call id given twice, the second is now {name}")
            fixed = {**fixed, "id": name}
        taken.add(name or "")
        function = fixed.get("function") if isinstance(fixed, Mapping) else None
        if isinstance(function, Mapping) and not is_json(function.get("arguments")):
            fixed = {**fixed, "function": {**function, "arguments": _as_arguments(function.get("arguments"))}}
            notes.append(f"message {index}: arguments of a call written as JSON")
        out.append(fixed)
    return out


def _as_arguments(value: Any) -> str:
    if value is None or value == "":
        return "{}"
    return dumps({"arguments": value}) if isinstance(value, str) else dumps(value)


def short_id(name: str) -> str:
    """A stable id of 40 characters for one that is too long."""
    return f"{name[:23]}_{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}"


def fresh_id(name: str, taken: set[str]) -> str:
    """The id with the first number behind it that is free."""
    number = 2
    while f"{name[:36]}_{number}" in taken:
        number += 1
    return f"{name[:36]}_{number}"


def _add_reasoning(messages: list[Any], notes: list[str]) -> None:
    for issue in list(_reasoning(messages, None)):
        messages[issue.message_index] = {**messages[issue.message_index], "reasoning_content": ""}
        notes.append(f"message {issue.message_index}: empty reasoning_content added")


def _paired(messages: Sequence[Any], notes: list[str]) -> list[Any]:
    """Every call with its result directly behind it, in the order of the calls where they had to be moved."""
    owner: dict[int, int] = {}
    out: list[Any] = []
    for index, message in enumerate(messages):
        wanted = [as_text(c.get("id")) or "" for c in calls_of(message)]
        if _is_result(message):
            if index not in owner:
                notes.append(f"message {index}: result {message.get('tool_call_id')} without a call removed")
            continue
        out.append(message)
        if wanted:
            out.extend(_results_for(messages, index, wanted, owner, notes))
    return out


def _results_for(messages: Sequence[Any], index: int, wanted: list[str], owner: dict[int, int], notes: list[str]) -> list[Any]:
    """The results of one message's calls, wherever they stand before the next message that uses the same ids; stubs for the rest."""
    open_ids, found, moved = list(wanted), [], False
    for place in range(index + 1, len(messages)):
        other = messages[place]
        if any(as_text(c.get("id")) in open_ids for c in calls_of(other)):
            break
        moved = moved or not _is_result(other)
        name = as_text(other.get("tool_call_id")) if _is_result(other) else None
        match = name if name in open_ids else next((w for w in open_ids if name and w.startswith(f"{name}_")), None)
        if match is None or place in owner:
            continue
        open_ids.remove(match)
        owner[place] = index
        found.append(other if match == name else {**other, "tool_call_id": match})
        if moved:
            notes.append(f"message {place}: result {name} moved behind its call")
        if not open_ids:
            break
    notes.extend(f"message {index}: call {name} had no result, a stub says so" for name in open_ids)
    return [*found, *({"role": "tool", "tool_call_id": name, "content": MISSING} for name in open_ids)]
