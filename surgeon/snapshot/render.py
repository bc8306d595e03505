"""The text of the snapshot: the intent block and the entities block, each within its share, and their way back into values.

Lines of the entities block (one a fact, constraints first):

    ! never touch deploy/prod.yml (r1)
    - port:staging = 8083 (update r3; was 8080 r1)
    - fare = 66 EUR (r7, tool hold_fare)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from surgeon.snapshot.model import Intent, OtherIntent, Snapshot, Task
from surgeon.types import Change, ChangeAction, Fact

Count = Callable[[str], int]
_LINE = re.compile(r"^- (?P<key>.+?) = (?P<value>.*) \((?P<note>[^()]*)\)$")
_RULE = re.compile(r"^! (?P<value>.*?)(?: \(r(?P<round>[0-9]{1,9})(?:, (?P<owner>[^()]*))?\))?$")
_FENCE, _HEAD = re.compile(r"<(\\*)\|"), re.compile(r"\[context(\\*)#")  # one more backslash, so that text which holds some comes back
_ESCAPED_FENCE, _ESCAPED_HEAD = re.compile(r"<\\(\\*)\|"), re.compile(r"\[context\\(\\*)#")
_ACTIONS = frozenset(get_args(ChangeAction))
_STATUS = {"cancelled", "hypothetical", "rejected", "done", "conflict"}


class Rendered(NamedTuple):
    """A block's lines and the facts that found no room in it."""

    lines: list[str]
    left_out: list[Fact]


def escape(text: str) -> str:
    """Text that cannot be taken for one of our fences, and stands on one line."""
    return " ".join(_HEAD.sub(r"[context\\\1#", _FENCE.sub(r"<\\\1|", text)).split())


def unescape(text: str) -> str:
    """The reverse of `escape`, line breaks aside."""
    return _ESCAPED_HEAD.sub(r"[context\1#", _ESCAPED_FENCE.sub(r"<\1|", text))


def intent_lines(intent: Intent) -> list[str]:
    """The intent block, most important line first."""
    pairs = [
        ("goal", intent.goal), ("when", intent.time_ref), ("for", intent.recipient), ("format", intent.format),
        *((f"condition {k}", v) for k, v in intent.conditions.items()),
        ("step", intent.task.step), ("open", "; ".join(intent.task.open)), ("done", "; ".join(intent.task.done)),
        *((f"{o.status} r{o.round}", o.goal) for o in intent.others),
    ]
    lines = [f"{k}: {escape(v)}" for k, v in pairs if v]
    if lines and intent.status != "active":
        lines.insert(1, f"status: {intent.status}")
    return lines


def parse_intent(lines: Iterable[str]) -> Intent:
    """The intent that `intent_lines` wrote."""
    intent = Intent()
    conditions: dict[str, str] = {}
    others: list[OtherIntent] = []
    for line in lines:
        name, _, value = line.partition(": ")
        value = unescape(value)
        if name.startswith("condition "):
            conditions[name.removeprefix("condition ")] = value
        elif match := re.fullmatch(r"(\w+) r(\d+)", name):
            others.append(OtherIntent(value, match[1], int(match[2])))
        elif name in ("open", "done"):
            steps = tuple(value.split("; "))
            task = intent.task
            intent = replace(intent, task=replace(task, open=steps) if name == "open" else replace(task, done=steps))
        elif name == "step":
            intent = replace(intent, task=replace(intent.task, step=value))
        else:
            intent = _with(intent, {"when": "time_ref", "for": "recipient"}.get(name, name), value)
    return replace(intent, conditions=conditions, others=tuple(others))


def _with(intent: Intent, field: str, value: str) -> Intent:
    """The intent with one of its plain fields set; other names change nothing."""
    fields: dict[str, Any] = {field: value} if field in ("goal", "time_ref", "recipient", "format", "status") else {}
    return replace(intent, **fields)


def fact_line(fact: Fact, history: bool = True) -> str:
    """One fact on one line. Earlier values appear only as history ("was …"), never as current."""
    if fact.kind == "constraint" and fact.status == "active":
        return f"! {escape(fact.value)} (r{fact.round}{', ' + _plain(fact.owner) if fact.owner else ''})"
    note = f"r{fact.round}" if fact.action == "set" else f"{fact.action} r{fact.round}"
    if fact.action == "restore" and fact.source_round is not None:
        note += f" from r{fact.source_round}"
    if fact.status in _STATUS:
        note = f"{fact.status} {note}"
    if fact.normal and fact.normal != fact.value:
        note += f", = {_plain(fact.normal)}"
    earlier = _earlier(fact) if history else []
    if earlier:
        note += "; was " + "; ".join(f"{_plain(c.value)} r{c.round}" for c in earlier)
    return f"- {_plain(fact.key)} = {escape(fact.value)} ({note})"


def _plain(text: str) -> str:
    return escape(text).replace("(", "[").replace(")", "]").replace(";", ",")


def _earlier(fact: Fact) -> list[Change]:
    seen: dict[str, Change] = {}
    for change in fact.history:
        if change.value != fact.value and change.action not in ("cancel", "reject"):
            seen.setdefault(change.value, change)
    return list(reversed(seen.values()))[:3]


def entity_lines(facts: Sequence[Fact], room: int, count: Count, history: bool = True) -> Rendered:
    """Facts as lines within `room` tokens, in the order given. Constraints always stay, even beyond the room."""
    lines: list[str] = []
    left: list[Fact] = []
    used = 0
    for fact in facts:
        line = fact_line(fact, history)
        cost = count(line) + 1
        must = fact.kind == "constraint" and fact.status == "active"
        if not must and used + cost > room:
            line = fact_line(fact, history=False)
            cost = count(line) + 1
            if used + cost > room:
                left.append(fact)
                continue
        lines.append(line)
        used += cost
    return Rendered(lines, left)


def parse_facts(lines: Iterable[str]) -> dict[str, Fact]:
    """Facts from the lines of an entities block: value, status, round, action and the history it shows."""
    facts: dict[str, Fact] = {}
    for number, line in enumerate(lines):
        rule = _RULE.match(line)
        if rule:
            value = unescape(rule["value"])
            key = f"rule:b{number}"
            change = Change("set", value, round=int(rule["round"] or 0))
            facts[key] = Fact(key, "constraint", "rule", value, owner=rule["owner"] or "", round=change.round, history=(change,))
        elif (match := _LINE.match(line)) is not None:
            fact = _parse_line(match)
            facts[fact.key] = fact
    return facts


def _parse_line(match: re.Match[str]) -> Fact:
    value, note = unescape(match["value"]), match["note"]
    head, *rest = note.split("; was ")
    past: list[Change] = []
    for item in reversed(rest[0].split("; ")) if rest else ():
        old, _, at = item.rpartition(" r")
        past.append(Change("set" if not past else "update", unescape(old), round=_number(at)))
    normal = head.partition(", = ")[2]
    words = head.partition(",")[0].split()
    status = words.pop(0) if words and words[0] in _STATUS else "active"
    action = words.pop(0) if words and words[0] in _ACTIONS else "set"
    round_ = _number(words[0][1:]) if words else 0
    source = _number(words[2][1:]) or None if len(words) > 2 else None
    last = Change(action, value, round=round_, source_round=source)  # type: ignore[arg-type]
    key = unescape(match["key"])
    return Fact(
        key, "entity", key.partition(":")[0], value, status=status, round=round_, action=action,  # type: ignore[arg-type]
        source_round=source, normal=normal, history=(*past, last),
    )


def _number(text: str) -> int:
    """A round as we write it; 0 for anything else."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 0


def ranked(snapshot: Snapshot, relevant: Callable[[Fact], float] | None = None) -> list[Fact]:
    """What the entities block should show, best first: constraints, active facts, then cancelled and open hypothetical ones."""
    live = snapshot.active()
    if relevant is not None:
        rules = [f for f in live if f.kind == "constraint"]
        others = sorted((f for f in live if f.kind != "constraint"), key=lambda f: -relevant(f))
        live = [*rules, *others]
    gone = sorted((f for f in snapshot.facts.values() if f.status in ("cancelled", "conflict", "done")), key=lambda f: -f.round)
    return [*live, *gone]


__all__ = ["Rendered", "Task", "entity_lines", "escape", "fact_line", "intent_lines", "parse_facts", "parse_intent", "ranked", "unescape"]
