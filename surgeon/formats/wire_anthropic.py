"""Anthropic Messages: rules A1 to A14, found. Mending is in `mend_anthropic`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgeon.formats.common import Repaired, as_text
from surgeon.types import WireIssue

ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
MAX_MARKS = 4


def check(
    messages: Sequence[Any],
    *,
    thinking: bool | None = None,
    tools: bool | None = None,
    prefill: bool = True,
    original: Sequence[Any] | None = None,
    **_: Any,
) -> list[WireIssue]:
    """Issues in order of position. A5 needs `tools=False`, A9 `thinking=True`, the end of A7 `prefill=False`, A8 and A11 `original`."""
    issues = [
        *_pairing(messages),
        *_ids(messages),
        *_turns(messages, prefill),
        *_texts(messages),
        *_thinking(messages, thinking),
        *_compaction(messages),
    ]
    if tools is False and any(_of(b, "tool_use", "tool_result") for m in messages for b in blocks(m)):
        issues.append(WireIssue("A5", 0, "Requests which include `tool_use` or `tool_result` blocks must define tools."))
    if original is not None:
        issues.extend(_against(messages, original))
    return sorted(issues, key=lambda issue: (issue.message_index, int(issue.rule[1:])))


def blocks(message: Any) -> list[Mapping[str, Any]]:
    """The blocks of a message; none for plain text."""
    content = message.get("content") if isinstance(message, Mapping) else None
    return [b for b in content if isinstance(b, Mapping)] if isinstance(content, list | tuple) else []


def role(message: Any) -> str:
    """The role, or an empty string."""
    return as_text(message.get("role")) or "" if isinstance(message, Mapping) else ""


def _of(block: Mapping[str, Any], *kinds: str) -> bool:
    return block.get("type") in kinds


def uses(message: Any) -> list[str]:
    """Ids of the tool calls of an assistant message."""
    return [as_text(b.get("id")) or "" for b in blocks(message) if _of(b, "tool_use")] if role(message) == "assistant" else []


def answers(message: Any) -> list[str]:
    """Ids that the tool results of a user message answer."""
    return [as_text(b.get("tool_use_id")) or "" for b in blocks(message) if _of(b, "tool_result")] if role(message) == "user" else []


def _pairing(messages: Sequence[Any]) -> Iterator[WireIssue]:
    """A1, A2, A3 and the second half of A4."""
    split: dict[int, set[str]] = {}
    for index, message in enumerate(messages):
        wanted = list(dict.fromkeys(uses(message)))
        following = messages[index + 1] if index + 1 < len(messages) else None
        missing = [w for w in wanted if w not in answers(following)]
        later = _later(messages, index + 2) if role(following) == "user" else {}
        late = [w for w in missing if w in later]
        for name in late:
            split.setdefault(later[name], set()).add(name)
        if late:
            text = f"messages.{index}: results of parallel `tool_use` must stand in one user message: {', '.join(late)}"
            yield WireIssue("A3", index + 1, text)
        gone = [w for w in missing if w not in late]
        if gone:
            yield WireIssue(
                "A1",
                index,
                f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(gone)}. "
                "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
            )
        before = messages[index - 1] if index else None
        yield from _results(message, index, set(uses(before)) | split.get(index, set()))


def _later(messages: Sequence[Any], start: int) -> dict[str, int]:
    """Results in the user messages that go on directly from `start`."""
    found: dict[str, int] = {}
    for index in range(start, len(messages)):
        if role(messages[index]) != "user":
            break
        for name in answers(messages[index]):
            found.setdefault(name, index)
    return found


def _results(message: Any, index: int, allowed: set[str]) -> Iterator[WireIssue]:
    seen: set[str] = set()
    other = False
    for place, block in enumerate(blocks(message)):
        if not _of(block, "tool_result"):
            other = True
            continue
        name = as_text(block.get("tool_use_id")) or ""
        if name not in allowed or role(message) != "user":
            yield WireIssue(
                "A2",
                index,
                f"messages.{index}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {name}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
            )
        elif name in seen:
            text = f"each tool_use must have a single result. Found multiple `tool_result` blocks with id: {name}"
            yield WireIssue("A4", index, f"messages.{index}.content.{place}: {text}")
        elif other:
            yield WireIssue("A3", index, f"messages.{index}.content.{place}: `tool_result` blocks must come first, text after them.")
        seen.add(name)


def _ids(messages: Sequence[Any]) -> Iterator[WireIssue]:
    """The first half of A4, and A14 on the letters of an id."""
    seen: set[str] = set()
    for index, message in enumerate(messages):
        for place, block in enumerate(blocks(message)):
            if not _of(block, "tool_use"):
                continue
            name = as_text(block.get("id")) or ""
            if name in seen:
                yield WireIssue("A4", index, f"messages.{index}.content.{place}: `tool_use` ids must be unique")
            if not ID.match(name):
                yield WireIssue("A14", index, f"messages.{index}.content.{place}.tool_use.id: should match pattern '^[a-zA-Z0-9_-]+$'")
            seen.add(name)


def _turns(messages: Sequence[Any], prefill: bool) -> Iterator[WireIssue]:
    """A6, the turn-taking part of A7, and the place of system messages (A14)."""
    before = ""
    for index, message in enumerate(messages):
        now = role(message)
        if now == "system":
            if index and uses(messages[index - 1]) and index + 1 < len(messages) and answers(messages[index + 1]):
                yield WireIssue("A14", index, f"messages.{index}: a system message may not stand between tool_use and tool_result")
            continue
        if not before and now != "user":
            yield WireIssue("A6", index, 'messages: first message must use the "user" role')
        elif now == before:
            text = f'messages: roles must alternate between "user" and "assistant", but found multiple "{now}" roles in a row'
            yield WireIssue("A6", index, text)
        before = now
    if messages and role(messages[-1]) == "assistant":
        if _last_text(messages[-1]) != _last_text(messages[-1]).rstrip():
            yield WireIssue("A7", len(messages) - 1, "messages: final assistant content cannot end with trailing whitespace")
        if not prefill:
            text = "This model does not support assistant message prefill. The conversation must end with a user message."
            yield WireIssue("A7", len(messages) - 1, text)


def _last_text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    inner = blocks(message)
    return (as_text(inner[-1].get("text")) or "") if inner and _of(inner[-1], "text") else ""


def _texts(messages: Sequence[Any]) -> Iterator[WireIssue]:
    """Empty texts (A7) and cache marks (A12)."""
    marks = 0
    for index, message in enumerate(messages):
        content = message.get("content") if isinstance(message, Mapping) else None
        final = index == len(messages) - 1 and role(message) == "assistant"
        if (content == "" or content == [] or content is None) and isinstance(message, Mapping) and not final:
            yield WireIssue("A7", index, f"messages.{index}: all messages must have non-empty content")
        for place, block in enumerate(blocks(message)):
            where = f"messages.{index}.content.{place}"
            if empty_text(block):
                yield WireIssue("A7", index, f"{where}: text content blocks must be non-empty")
                if block.get("cache_control"):
                    yield WireIssue("A12", index, f"{where}: cache_control cannot be set for empty text blocks")
            marks += sum(bool(b.get("cache_control")) for b in (block, *blocks(block)))
    if marks > MAX_MARKS:
        yield WireIssue("A12", 0, f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {marks}.")


def empty_text(block: Mapping[str, Any]) -> bool:
    """Whether a block is a text block without text."""
    text = block.get("text")
    return _of(block, "text") and (not isinstance(text, str) or not text.strip())


def signed(block: Mapping[str, Any]) -> bool:
    """Whether a thinking block carries what proves it."""
    proof = block.get("data") if _of(block, "redacted_thinking") else block.get("signature")
    return isinstance(proof, str) and bool(proof)


def _thinking(messages: Sequence[Any], thinking: bool | None) -> Iterator[WireIssue]:
    """A10, and A9 if thinking is on."""
    for index, message in enumerate(messages):
        for place, block in enumerate(blocks(message)):
            if _of(block, "thinking", "redacted_thinking") and not signed(block):
                yield WireIssue("A10", index, f"messages.{index}.content.{place}: Invalid `signature` in `thinking` block")
    last = max((i for i, m in enumerate(messages) if role(m) == "assistant"), default=None)
    if thinking and last is not None and uses(messages[last]) and not _of(blocks(messages[last])[0], "thinking", "redacted_thinking"):
        found = blocks(messages[last])[0].get("type")
        yield WireIssue(
            "A9",
            last,
            f"messages.{last}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, "
            "a final `assistant` message must start with a thinking block.",
        )


def _compaction(messages: Sequence[Any]) -> Iterator[WireIssue]:
    """A13: a block of the provider's own compaction is the first of the conversation and the only one."""
    places = [(i, p) for i, m in enumerate(messages) for p, b in enumerate(blocks(m)) if _of(b, "compaction")]
    first = next((i for i, m in enumerate(messages) if role(m) != "system"), 0)
    for number, (index, place) in enumerate(places):
        if number:
            yield WireIssue("A13", index, f"messages.{index}.content.{place}: compaction_block_ambiguous: only one is allowed")
        elif (index, place) != (first, 0):
            yield WireIssue("A13", index, f"messages.{index}.content.{place}: compaction_block_misplaced: it must come first")


def _thoughts(messages: Sequence[Any]) -> list[tuple[int, Mapping[str, Any]]]:
    return [(i, b) for i, m in enumerate(messages) for b in blocks(m) if _of(b, "thinking", "redacted_thinking")]


def _against(messages: Sequence[Any], original: Sequence[Any]) -> Iterator[WireIssue]:
    """A8, A11 and the content of A13: what is signed must be as it was, and be an unbroken run of it."""
    now, then = _thoughts(messages), [b for _, b in _thoughts(original)]
    last = max((i for i, m in enumerate(original) if role(m) == "assistant"), default=None)
    latest = [b for b in blocks(original[last]) if _of(b, "thinking", "redacted_thinking")] if last is not None else []
    place = max((i for i, m in enumerate(messages) if role(m) == "assistant"), default=None)
    if place is not None and latest and [b for i, b in now if i == place] != latest:
        text = "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."
        yield WireIssue("A8", place, f"messages.{place}.content.0: {text}")
    kept = [b for _, b in now]
    if kept and not any(then[i : i + len(kept)] == kept for i in range(len(then) - len(kept) + 1)):
        text = "Invalid `signature` in `thinking` block. The block is bound to a different conversation."
        yield WireIssue("A11", now[0][0], f"messages.{now[0][0]}.content: {text}")
    made = [b for m in original for b in blocks(m) if _of(b, "compaction")]
    for index, message in enumerate(messages):
        if any(_of(b, "compaction") and b not in made for b in blocks(message)):
            yield WireIssue("A13", index, f"messages.{index}.content: compaction_block_content_mismatch")


def repair(messages: Sequence[Any]) -> Repaired:
    """See `mend_anthropic.repair`."""
    from surgeon.formats import mend_anthropic

    return mend_anthropic.repair(messages)
