"""Mends what breaks Anthropic's rules: pairing, ids, empty texts, turn-taking, cache marks. Unbroken messages keep their objects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from surgeon.formats.common import Repaired, as_text
from surgeon.formats.wire_anthropic import ID, MAX_MARKS, blocks, empty_text, role, signed, uses
from surgeon.formats.wire_openai import MISSING, fresh_id

_OPENING = "[the conversation before this point is not included]"
_THOUGHTS = ("thinking", "redacted_thinking")


def repair(messages: Sequence[Any]) -> Repaired:
    """Results are gathered first in the next user message, missing ones get a stub, orphans go; same roles in a row are joined."""
    notes: list[str] = []
    out = list(messages)
    for step in (_unique, _paired, _cleaned, _alternating, _marked):
        out = step(out, notes)
    return Repaired(out, notes)


def stub(name: str) -> dict[str, Any]:
    """The result of a call that has none."""
    return {"type": "tool_result", "tool_use_id": name, "content": MISSING, "is_error": True}


def _listed(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content) if isinstance(content, list | tuple) else []


def _unique(messages: list[Any], notes: list[str]) -> list[Any]:
    """A4 and A14: ids that are valid and given once; a result follows the nearest call before it."""
    taken: set[str] = set()
    renamed: dict[str, str] = {}
    out: list[Any] = []
    for index, message in enumerate(messages):
        content: list[Any] = []
        for block in _listed(message):
            kind = block.get("type") if isinstance(block, Mapping) else None
            key = "id" if kind == "tool_use" else "tool_use_id"
            name = (as_text(block.get(key)) or "") if kind in ("tool_use", "tool_result") else ""
            if kind == "tool_use":
                clean = name if ID.match(name) else re.sub(r"[^a-zA-Z0-9_-]", "_", name) or "call"
                renamed[name] = fresh_id(clean, taken) if clean in taken else clean
                taken.add(renamed[name])
            new = renamed.get(name, name)
            if kind in ("tool_use", "tool_result") and new != name:
                if kind == "tool_use":
                    notes.append(f"message {index}: call id {name!r} is now {new!r}")
                block = {**block, key: new}
            content.append(block)
        out.append(_with(message, content))
    return out


def _with(message: Any, content: list[Any]) -> Any:
    """The message with that content; the same object if it is what it holds already."""
    return message if content == _listed(message) else {**message, "content": content}


def _paired(messages: list[Any], notes: list[str]) -> list[Any]:
    """A1, A2, A3: the results of each assistant message, in one user message directly behind it."""
    results = [(i, b) for i, m in enumerate(messages) if role(m) == "user" for b in blocks(m) if b.get("type") == "tool_result"]
    out: list[Any] = []
    pending: list[Any] = []
    used: set[int] = set()
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping):
            out.append(message)
            continue
        who, content = role(message), _listed(message)
        if pending and who != "user":
            if who == "system":
                notes.append(f"message {index}: system message moved behind the results")
            out.append({"role": "user", "content": pending})
            pending = []
        mine = [b for b in content if not _is_result(b)]
        strays = [b for b in content if _is_result(b) and id(b) not in used]
        notes.extend(f"message {index}: result {b.get('tool_use_id')} without a call removed" for b in strays)
        if pending and content[len(content) - len(mine) :] != mine:
            notes.append(f"message {index}: results put before the text")
        if pending or mine or not content:
            out.append(_with(message, [*pending, *mine]))
        pending = _gather(uses(message), index, results, used, notes)
    return [*out, {"role": "user", "content": pending}] if pending else out


def _is_result(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_result"


def _gather(wanted: list[str], index: int, results: list[tuple[int, Any]], used: set[int], notes: list[str]) -> list[Any]:
    """The results of these calls, in the order they stand in; stubs for the rest."""
    found: dict[str, Any] = {}
    for place, block in results:
        name = as_text(block.get("tool_use_id")) or ""
        if place > index and name in wanted and name not in found and id(block) not in used:
            found[name] = block
            used.add(id(block))
            if place > index + 1:
                notes.append(f"message {place}: result {name} moved behind its call")
    missing = [name for name in wanted if name not in found]
    notes.extend(f"message {index}: call {name} had no result, a stub says so" for name in missing)
    return [*found.values(), *(stub(name) for name in missing)]


def _cleaned(messages: list[Any], notes: list[str]) -> list[Any]:
    """A7, A10 and A12: no empty texts, no unsigned thinking, no trailing blanks at the end."""
    out: list[Any] = []
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping):
            out.append(message)
            continue
        before = _listed(message)
        kept = [b for b in before if not (isinstance(b, Mapping) and (empty_text(b) or (b.get("type") in _THOUGHTS and not signed(b))))]
        if len(kept) < len(before):
            notes.append(f"message {index}: {len(before) - len(kept)} empty or unsigned blocks removed")
        if kept:
            out.append(_with(message, kept))
        else:
            notes.append(f"message {index}: removed, it held nothing")
    if out and role(out[-1]) == "assistant":
        last = _listed(out[-1])
        text = last[-1].get("text") if last and isinstance(last[-1], Mapping) and last[-1].get("type") == "text" else None
        if isinstance(text, str) and text != text.rstrip():
            notes.append("last message: trailing whitespace removed")
            out[-1] = {**out[-1], "content": [*last[:-1], {**last[-1], "text": text.rstrip()}]}
    return out


def _alternating(messages: list[Any], notes: list[str]) -> list[Any]:
    """A6: the first message is the user's, and same roles in a row become one message."""
    out: list[Any] = []
    for index, message in enumerate(messages):
        spoken = [m for m in out if role(m) != "system"]
        if role(message) == "assistant" and not spoken:
            notes.append(f"message {index}: an opening user message was added before it")
            out.append({"role": "user", "content": _OPENING})
        if out and role(message) == role(out[-1]) and role(message) in ("user", "assistant") and not uses(out[-1]):
            notes.append(f"message {index}: joined with the one before it, which has the same role")
            joined = [*_listed(out[-1]), *_listed(message)]
            first = [b for b in joined if _is_result(b)] if role(message) == "user" else []
            out[-1] = {**out[-1], "content": [*first, *(b for b in joined if b not in first)]}
        else:
            out.append(message)
    return out


def _marked(messages: list[Any], notes: list[str]) -> list[Any]:
    """A12: the last four cache marks stay."""
    total = sum(bool(b.get("cache_control")) for m in messages for b in blocks(m))
    out: list[Any] = []
    for message in messages:
        content: list[Any] = []
        for block in _listed(message):
            if total > MAX_MARKS and isinstance(block, Mapping) and block.get("cache_control"):
                total -= 1
                notes.append("a cache mark beyond the last four removed")
                block = {k: v for k, v in block.items() if k != "cache_control"}
            content.append(block)
        out.append(_with(message, content) if isinstance(message, Mapping) else message)
    return out
