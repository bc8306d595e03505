"""Coding-agent transcripts: Anthropic's rules on the messages that the lines make up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class _Turn:
    """The assistant turn that results are awaited for, in one chain."""

    name: str | None = None
    open: dict[str, None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    spoken: bool = True  # whether the user said something since, which ends the turn


def repair(lines: Sequence[Any]) -> Repaired:
    """Calls given twice and results without a call before them are removed; a call without a result gets a line that says so."""
    notes: list[str] = []
    turns = {False: _Turn(), True: _Turn()}
    out: list[Any] = []
    for index, line in enumerate(lines):
        if not _is_message(line):
            out.append(line)
            continue
        chain = bool(line.get("isSidechain"))
        turn, name = turns[chain], as_text(line["message"].get("id"))
        if line["message"]["role"] == "assistant" and (turn.spoken or not name or name != turn.name):
            out.extend(_stubs(turn, chain, notes))
            turn.name, turn.spoken = name, False
        kept = _mended(line, index, turn, notes)
        if kept is not None:
            out.append(kept)
    for chain, turn in turns.items():
        out.extend(_stubs(turn, chain, notes))
    return Repaired(out, notes)


def _stubs(turn: _Turn, chain: bool, notes: list[str]) -> list[Any]:
    """Lines for the calls of a turn that no result came for."""
    names = list(turn.open)
    turn.open.clear()
    notes.extend(f"call {name} had no result, a stub says so" for name in names)
    extra = {"isSidechain": True} if chain else {}
    return [{"type": "user", "message": {"role": "user", "content": [stub(name)]}, **extra} for name in names]


def _mended(line: Mapping[str, Any], index: int, turn: _Turn, notes: list[str]) -> Any:
    """A line without blocks that belong nowhere; the same object if there are none, None if nothing is left."""
    content = line["message"].get("content")
    if not isinstance(content, list | tuple):
        turn.spoken = turn.spoken or line["message"]["role"] == "user"
        return line
    kept = [block for block in content if _belongs(block, line["message"]["role"], index, turn, notes)]
    if len(kept) == len(content):
        return line
    return {**line, "message": {**line["message"], "content": kept}} if kept else None


def _belongs(block: Any, who: str, index: int, turn: _Turn, notes: list[str]) -> bool:
    kind = block.get("type") if isinstance(block, Mapping) else None
    if kind == "tool_use" and who == "assistant":
        name = as_text(block.get("id")) or ""
        if name in turn.seen:
            notes.append(f"line {index}: call {name}, given twice, removed")
            return False
        turn.seen.add(name)
        turn.open[name] = None
        return True
    if kind == "tool_result":
        name = as_text(block.get("tool_use_id")) or ""
        if who != "user" or name not in turn.open:
            notes.append(f"line {index}: result {name} without a call of its own removed")
            return False
        del turn.open[name]
        return True
    turn.spoken = turn.spoken or who == "user"
    return not (isinstance(block, Mapping) and wire_anthropic.empty_text(block))
