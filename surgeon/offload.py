"""Removed units as candidates: the records of their messages, each understandable alone, with a weight for where it comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from surgeon.block import Entry, role_letter
from surgeon.decide import Verdict
from surgeon.rewrite.identifiers import identifiers
from surgeon.rewrite.literals import dump, parse_json
from surgeon.rewrite.statement import STANDING, standing, wished
from surgeon.select import Candidate
from surgeon.types import Message, Part, Unit

Records = Callable[[str, str, str], Sequence[tuple[str, float]]]  # (text, tool, language) -> (text, weight 0..1)
Sentences = Callable[[str], Sequence[str]]
_SHORT = 200
_CODES, _NAMES = 2.8, 1.0  # lists of codes are what later calls take their arguments from
_OUTCOME = 1.8
_MANY, _LISTED = 8, 0.6
_CALL = 1.8  # what was asked of a tool is asked again with other values beside it
_DROPPED, _BASE, _SLOPE = 0.1, 0.3, 1.5  # how much a unit's score counts for its records; steeper and flatter lost slots (docs/benchmarks.md)
_STATED = 0.6
_WISH = 1.3
_SPLIT = 120
_ROLE = {"user": 1.5, "assistant": 0.9, "tool": 0.9, "system": 1.0}


class Source:
    """A line of the dialogue block in the making: its head, and the message it stands for (None for a line of an earlier block)."""

    __slots__ = ("message_id", "role", "round", "tool", "unit")

    def __init__(self, role: str, round_: int, tool: str = "", unit: str = "", message_id: str = "") -> None:
        self.role, self.round, self.tool, self.unit, self.message_id = role, round_, tool, unit, message_id


def from_units(
    units: Sequence[Unit], verdicts: Mapping[str, Verdict], records: Records, sentences: Sentences, first: str | None, language: str,
) -> tuple[list[Source], list[Candidate]]:
    """Lines and candidates of the units, in order. The first user task is a must; what the gates drop weighs little."""
    sources: list[Source] = []
    candidates: list[Candidate] = []
    for unit in units:
        verdict = verdicts[unit.id]
        factor = _DROPPED if verdict.action == "drop" and not verdict.soft else _BASE + _SLOPE * verdict.score
        answers: dict[str | None, Part] = {r.call_id: r for m in unit.messages for r in m.results if r.call_id}
        told: set[str] = set()
        for message in unit.messages:
            lines = list(_prose(message, sentences, language))
            if lines:
                at = _open(sources, message, unit, role_letter(message.role), "")
                candidates += [_said(at, n, t, message.role, factor, unit.id == first and n < 4) for n, t in enumerate(lines)]
            for call in message.calls:
                candidates += _call(call, answers, sources, message, unit, records, language, factor, told)
            for part in message.results:
                if part.call_id in told or not part.text.strip():
                    continue
                at = _open(sources, message, unit, "t", part.tool or "")
                known = identifiers(part.text)
                weight = factor * _ROLE["tool"]
                outcome = _outcome(part.text)
                if outcome:
                    candidates.append(Candidate(at, -300, outcome, weight * _OUTCOME))
                candidates += [Candidate(at, n - 200, t, weight * _CODES) for n, t in enumerate(known.codes[:90])]
                candidates += [Candidate(at, n - 100, t, weight * _NAMES * (_LISTED if t.count(", ") >= _MANY else 1.0)) for n, t in enumerate(known.names[:90])]
                candidates += _rows(at, records(part.text, part.tool or "", language), factor * _ROLE["tool"])
    return sources, candidates


def _open(sources: list[Source], message: Message, unit: Unit, letter: str, tool: str) -> int:
    sources.append(Source(letter, message.round, tool, unit.id, message.id))
    return len(sources) - 1


def _said(at: int, order: int, text: str, role: str, factor: float, must: bool) -> Candidate:
    """A sentence. What says itself what it is does not depend on the score of the message it stands in."""
    kind = standing(text)
    if role == "user" and kind >= 1.0 and wished(text):
        kind = max(kind, _WISH)
        factor = max(factor, _STATED)
    if role == "user" and kind >= STANDING:
        factor = max(factor, _STATED)
    return Candidate(at, order, text, factor * kind * _ROLE[role], must, news=kind >= STANDING)


def _prose(message: Message, sentences: Sentences, language: str) -> list[str]:
    lines = [s.strip() for s in sentences(message.prose) if s.strip()]
    pictures = sum(1 for p in message.parts if p.kind == "media")
    if pictures:
        note = f"[原有{pictures}张图]" if language == "zh" else f"[{pictures} image{'s' if pictures > 1 else ''} removed]"
        lines = [f"{note} {lines[0]}", *lines[1:]] if lines else [note]
    return lines


def _call(
    call: Part, answers: Mapping[str | None, Part], sources: list[Source], message: Message, unit: Unit,
    records: Records, language: str, factor: float, told: set[str],
) -> list[Candidate]:
    """A call and, where it is short, its answer in the same record: a denial or an error must never stand apart from its command."""
    rows = [t for t, _ in records(call.text, call.tool or "", language)] if call.text.strip() not in ("", "{}") else []
    answer = answers.get(call.call_id)
    heading = rows[0] if rows else ""
    at = _open(sources, message, unit, "a", call.tool or "")
    if answer is not None and 0 < len(answer.text.strip()) <= _SHORT:
        told.add(answer.call_id or "")
        flat = [t for t, _ in records(answer.text, call.tool or "", language)] if _is_json(answer.text) else [" ".join(answer.text.split())]
        return [Candidate(at, 0, f"{heading} → {' '.join(flat)}".strip(), factor * _CALL), *(Candidate(at, n, t, factor * 0.8) for n, t in enumerate(rows[1:], 1))]
    return [Candidate(at, n, t, factor * _CALL, news=True) for n, t in enumerate(rows or ["()"])]


_KEY = re.compile(r"(?:^|[._ ])(?:id|ids|no|num|number|code|name|title|date|email|phone|ref|key|sku|status|type|path|file|url|user|account|order|total|price|amount)(?:$|[._ ])|_id\b|_number\b|_name\b|(?:编号|单号|名称|姓名|日期|价格|金额|状态|电话|地址)", re.I)


def _rows(at: int, rows: Sequence[tuple[str, float]], weight: float) -> list[Candidate]:
    """Records of a result. A long one of fields becomes what identifies it and, depending on that, its other fields."""
    out: list[Candidate] = []
    for text, density in rows:
        parts = split_fields(text) if len(text) > _SPLIT else []
        core = [f for f in parts if _KEY.search(f.partition(":")[0])]
        if len(parts) < 4 or not core or len(core) == len(parts):
            out.append(Candidate(at, len(out), text, weight * (0.4 + density)))
            continue
        head = len(out)
        out.append(Candidate(at, head, ", ".join(core), weight * (0.5 + density)))
        rest = [f for f in parts if f not in core]
        for group in _grouped(rest):
            out.append(Candidate(at, len(out), group, weight * (0.3 + density), needs=head))
    return out


def split_fields(text: str) -> list[str]:
    """The top-level `key: value` fields of a flat record; empty if it is no such record."""
    fields, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "[({":
            depth += 1
        elif char in "])}":
            depth -= 1
        elif char == "," and depth == 0 and text[i + 1 : i + 2] == " ":
            fields.append(text[start:i])
            start = i + 2
    fields.append(text[start:])
    return fields if depth == 0 and all(": " in f or ":" in f for f in fields) else []


def _grouped(fields: Sequence[str]) -> list[str]:
    """Fields in groups of about a hundred characters."""
    groups: list[str] = []
    for field in fields:
        if groups and len(groups[-1]) + len(field) < 100:
            groups[-1] += f", {field}"
        else:
            groups.append(field)
    return groups


def _outcome(text: str) -> str:
    """The plain fields at the top of a result that also holds lists or records: what the call gave back, apart from what it lists."""
    if not text.lstrip().startswith("{"):
        return ""
    try:
        data = parse_json(text)
    except ValueError:
        return ""
    plain = {k: v for k, v in data.items() if v is not None and not isinstance(v, dict | list)}
    line = ", ".join(f"{k}: {v if isinstance(v, str) else dump(v)}" for k, v in plain.items())
    return line if len(plain) < len(data) and len(line) <= _SPLIT else ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def from_entries(entries: Sequence[Entry]) -> tuple[list[Source], list[Candidate]]:
    """Lines of an earlier block of ours as candidates: what was worth keeping then competes with what is new."""
    sources: list[Source] = []
    candidates: list[Candidate] = []
    for entry in entries:
        sources.append(Source(entry.role, entry.round, entry.tool))
        weight = 1.2 if entry.role == "u" else 0.9
        candidates += [Candidate(len(sources) - 1, n, t, weight) for n, t in enumerate(entry.text.split(" … ")) if t.strip()]
    return sources, candidates


def to_entries(sources: Sequence[Source], chosen: Sequence[Candidate]) -> list[Entry]:
    """The chosen records as lines; records that were not neighbours are joined by an ellipsis."""
    out: list[Entry] = []
    at, text, last = -1, "", -1
    for record in chosen:
        if record.source != at:
            if text:
                out.append(Entry(sources[at].role, sources[at].round, text, sources[at].tool))
            at, text = record.source, record.text
        else:
            text += (" " if record.order == last + 1 and sources[at].role != "t" else " … ") + record.text
        last = record.order
    if text:
        out.append(Entry(sources[at].role, sources[at].round, text, sources[at].tool))
    return out
