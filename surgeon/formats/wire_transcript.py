"""Coding-agent transcripts: Anthropic's rules on the messages that the lines make up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from surgeon.formats import wire_anthropic
from surgeon.formats.common import Repaired, as_text
from surgeon.formats.mend_anthropic import stub
from surgeon.types import WireIssue


class _Joined(NamedTuple):
    message: dict[str, Any]
    first: int


def check(lines: Sequence[Any], **options: Any) -> list[WireIssue]:
    """Issues by line. Lines of one turn are joined first, as the agent does when it sends; side chains are conversations of their own."""
    issues: list[WireIssue] = []
    for chain in (False, True):
        joined = _join([(i, m) for i, m in enumerate(lines) if _is_message(m) and bool(m.get("isSidechain")) is chain])
        for issue in wire_anthropic.check([j.message for j in joined], **{**options, "original": None}):
            if issue.rule in ("A6", "A12", "A14") or (issue.rule == "A7" and "non-empty" not in issue.text):
                continue  # turns, cache marks and the end of a log are made by the agent when it sends
            place = joined[issue.message_index].first if issue.message_index < len(joined) else 0
            issues.append(WireIssue(issue.rule, place, issue.text))
    return sorted(issues, key=lambda issue: issue.message_index)


def _is_message(line: Any) -> bool:
    inner = line.get("message") if isinstance(line, Mapping) and line.get("type") in ("user", "assistant") else None
    return isinstance(inner, Mapping) and inner.get("role") in ("user", "assistant")


def _content(line: Mapping[str, Any]) -> list[Any]:
    content = line["message"].get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content) if isinstance(content, list | tuple) else []


def _join(lines: Sequence[tuple[int, Mapping[str, Any]]]) -> list[_Joined]:
    """Messages in turn: blocks of one assistant message (same id) meet again although results stand between them."""
    out: list[_Joined] = []
    ids: list[str | None] = []
    for index, line in lines:
        who, name = line["message"]["role"], as_text(line["message"].get("id"))
        back = len(out) - 2
        if who == "assistant" and name and back >= 0 and ids[back] == name and _only_results(out[-1].message):
            out[back].message["content"].extend(_content(line))
        elif out and out[-1].message["role"] == who:
            out[-1].message["content"].extend(_content(line))
            ids[-1] = name
        else:
            out.append(_Joined({"role": who, "content": _content(line)}, index))
            ids.append(name)
    for message, _ in out:
        if message["role"] == "user":
            message["content"].sort(key=lambda b: not (isinstance(b, Mapping) and b.get("type") == "tool_result"))
    return out


def _only_results(message: Mapping[str, Any]) -> bool:
    return all(isinstance(b, Mapping) and b.get("type") == "tool_result" for b in message["content"])


def repair(lines: Sequence[Any]) -> Repaired:
    """Results without a call before them or given twice are removed; a call without a result gets a line that says so."""
    notes: list[str] = []
    calls = {name for line in lines if _is_message(line) for name in wire_anthropic.uses(line["message"])}
    answered: set[str] = set()
    out: list[Any] = []
    for index, line in enumerate(lines):
        kept = _without_strays(line, index, calls, answered, notes) if _is_message(line) else line
        if kept is not None:
            out.append(kept)
    for name in sorted(calls - answered):
        place = max(i for i, line in enumerate(out) if _is_message(line) and name in wire_anthropic.uses(line["message"]))
        notes.append(f"call {name} had no result, a stub says so")
        extra = {k: out[place][k] for k in ("isSidechain", "sessionId") if k in out[place]}
        out.insert(place + 1, {"type": "user", "message": {"role": "user", "content": [stub(name)]}, **extra})
    return Repaired(out, notes)


def _without_strays(line: Mapping[str, Any], index: int, calls: set[str], answered: set[str], notes: list[str]) -> Any:
    content = line["message"].get("content")
    if not isinstance(content, list | tuple):
        return line
    kept: list[Any] = []
    for block in content:
        if isinstance(block, Mapping) and block.get("type") == "tool_result":
            name = as_text(block.get("tool_use_id")) or ""
            if name not in calls or name in answered:
                notes.append(f"line {index}: result {name} without a call of its own removed")
                continue
            answered.add(name)
        if not (isinstance(block, Mapping) and wire_anthropic.empty_text(block)):
            kept.append(block)
    if len(kept) == len(content):
        return line
    return {**line, "message": {**line["message"], "content": kept}} if kept else None
