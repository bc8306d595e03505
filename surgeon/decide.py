"""Step 5: what should happen to each unit, before the budget has its say. Guards stand above the score."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from surgeon.settings import Settings
from surgeon.snapshot.model import Snapshot
from surgeon.types import Action, Reason, Score, Unit


@dataclass(frozen=True, slots=True)
class Verdict:
    """The wish for a unit. `hard` units stay as they are whatever the budget; `soft` ones yield last."""

    action: Action
    score: float
    reasons: tuple[Reason, ...]
    hard: bool = False
    soft: bool = False


def decide(units: Sequence[Unit], scores: Mapping[str, Score], snapshot: Snapshot, settings: Settings, pins: Collection[str] = ()) -> dict[str, Verdict]:
    """A verdict per unit id.

    Hard: system text, pinned and protected messages, open tool calls, the newest user message.
    Soft: the first user task, the last `protect_recent` messages, messages that hold a constraint or the source of an active fact.
    """
    sources = {f.message_id for f in snapshot.facts.values() if f.status == "active" and f.message_id}
    rules = {f.message_id for f in snapshot.facts.values() if f.kind == "constraint" and f.status == "active"}
    recent = _recent(units, settings.protect_recent)
    first = next((u.id for u in units if u.kind == "user"), None)
    newest = next((u.id for u in reversed(units) if u.kind == "user"), None)
    out: dict[str, Verdict] = {}
    for unit in units:
        score = scores.get(unit.id, Score(0.0))
        hard = _hard(unit, newest, pins)
        soft = _soft(unit, first, recent, rules, sources, settings)
        if hard or soft:
            out[unit.id] = Verdict("keep", score.total, tuple(r for r in (hard, soft) if r) + score.reasons, hard is not None, soft is not None)
        else:
            out[unit.id] = _gate(unit, score, settings)
    return out


def _hard(unit: Unit, newest: str | None, pins: Collection[str]) -> Reason | None:
    if unit.kind == "system":
        return Reason("guard", "system")
    if unit.open:
        return Reason("guard", "open_call", detail="a tool call still waits for its result")
    if unit.id == newest:
        return Reason("guard", "newest_user_message")
    for message in unit.messages:
        if message.protected:
            return Reason("guard", "protected", detail="marked by the caller")
        if message.id in pins or any(p in message.text for p in pins if len(p) > 12):
            return Reason("guard", "pinned")
    return None


def _soft(unit: Unit, first: str | None, recent: Collection[str], rules: Collection[str], sources: Collection[str], settings: Settings) -> Reason | None:
    if unit.id == first:
        return Reason("guard", "first_task")
    ids = [m.id for m in unit.messages]
    if any(i in rules for i in ids):
        return Reason("guard", "constraint")
    if unit.id in recent:
        return Reason("guard", "recent", detail=f"within the last {settings.protect_recent} messages")
    if unit.kind in ("user", "assistant") and any(i in sources for i in ids):
        return Reason("guard", "source_of_fact")
    policy = {"user": settings.policy.user, "assistant": settings.policy.reasoning}.get(unit.kind, settings.policy.tool_result)
    if policy == "keep":
        return Reason("policy", f"{unit.kind}: keep")
    return None


def _gate(unit: Unit, score: Score, settings: Settings) -> Verdict:
    gate = settings.scoring
    if unit.kind in ("tools", "orphan"):
        return Verdict("rewrite", score.total, (*score.reasons, Reason("gate", "tool_result")))
    if score.total < gate.drop_below:
        return Verdict("drop", score.total, (*score.reasons, Reason("gate", "below_drop", gate.drop_below)))
    if score.total < gate.keep_above:
        return Verdict("offload", score.total, (*score.reasons, Reason("gate", "between", gate.keep_above)))
    return Verdict("keep", score.total, (*score.reasons, Reason("gate", "above_keep", gate.keep_above)))


def _recent(units: Sequence[Unit], messages: int) -> set[str]:
    out: set[str] = set()
    left = messages
    for unit in reversed(units):
        if left <= 0:
            break
        out.add(unit.id)
        left -= len(unit.messages)
    return out
