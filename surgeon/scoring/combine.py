"""One score per unit out of the channels and what the conversation shows: entities, repetition, continuity, topic groups, age.

`classic` is exactly: rule base 0.8 on a positive match; 0.5 from the embedding channel when the cosine is above 0.65;
total = 0.7 × rule + 0.3 × embedding. It drops a message that is only semantically relevant (0.3 × 0.5 = 0.15).
`either` (the default) lets the stronger channel decide and adds the other, so that one channel alone can keep a message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from surgeon.scoring.similarity import scaled
from surgeon.select import terms
from surgeon.settings import Scoring
from surgeon.snapshot.model import Snapshot
from surgeon.types import Reason, Score, Unit

CLASSIC_BASE, CLASSIC_BOOST, CLASSIC_COSINE = 0.8, 0.5, 0.65
_GROUP_GAP = timedelta(minutes=5)
_TURNS = frozenset({"correction", "restore", "cancellation", "decision", "preference"})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the combination looks at beside the channels."""

    rules: Mapping[str, Score]
    similarity: Mapping[str, Score]
    threshold: float
    snapshot: Snapshot
    query: str | None


def combine(units: Sequence[Unit], evidence: Evidence, settings: Scoring) -> dict[str, Score]:
    """A Score per unit id, each with its reasons."""
    if settings.combine == "classic":
        return {u.id: _classic(u, evidence, settings) for u in units}
    known = _entity_terms(evidence)
    counts = _mentions(units)
    scores = {u.id: _either(u, evidence, settings, known, counts) for u in units}
    return _grouped(units, _continued(units, scores))


def _classic(unit: Unit, evidence: Evidence, settings: Scoring) -> Score:
    rule = evidence.rules.get(unit.id, Score(0.0))
    near = evidence.similarity.get(unit.id, Score(0.0))
    base = CLASSIC_BASE if any(r.weight > 0 for r in rule.reasons) else 0.0
    boost = CLASSIC_BOOST if near.similarity > CLASSIC_COSINE else 0.0
    total = settings.rule_weight * base + settings.similarity_weight * boost
    return Score(round(total, 4), base, near.similarity, (*rule.reasons, *near.reasons))


def _either(unit: Unit, evidence: Evidence, settings: Scoring, known: Mapping[str, str], counts: Mapping[str, int]) -> Score:
    rule = evidence.rules.get(unit.id, Score(0.0))
    near = evidence.similarity.get(unit.id)
    reasons = [*rule.reasons]
    strong, weak = rule.total, 0.0
    if near is not None:
        value = scaled(near.similarity, evidence.threshold)
        strong, weak = max(rule.total, value), min(rule.total, value)
        reasons += near.reasons
    total = strong + (1 - strong) * settings.similarity_weight * weak
    said = terms(unit.text[:4_000])
    hits = [t for t in said if t in known]
    if hits:
        total += 0.1
        reasons.append(Reason("context", "entity", 0.1, f"mentions {known[hits[0]]}"))
    repeated = sum(1 for t, w in said.items() if w >= 2 and counts.get(t, 0) >= 3)
    if repeated:
        total += 0.05
        reasons.append(Reason("context", "repeated", 0.05, f"{repeated} terms that come back"))
    stated = [m.importance for m in unit.messages if m.importance is not None]
    if stated:
        total = max(stated)
        reasons.append(Reason("given", "importance_score", total))
    return Score(round(min(1.0, max(0.0, total)), 4), rule.total, near.similarity if near else 0.0, tuple(reasons))


def _entity_terms(evidence: Evidence) -> dict[str, str]:
    """Terms of the question and of current facts, with the name they stand for."""
    known: dict[str, str] = {}
    for fact in evidence.snapshot.active()[:40]:
        for term, weight in terms(fact.value).items():
            if weight >= 2:
                known.setdefault(term, fact.key)
    for term, weight in terms(evidence.query or "").items():
        if weight >= 0.5:
            known[term] = "the question"
    return known


def _mentions(units: Sequence[Unit]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for unit in units:
        for term in terms(unit.text[:4_000]):
            counts[term] = counts.get(term, 0) + 1
    return counts


def _continued(units: Sequence[Unit], scores: dict[str, Score]) -> dict[str, Score]:
    """A correction, a restore or a decision needs what it turns against: the user's turn before it and the answer between."""
    out = dict(scores)
    for at, unit in enumerate(units):
        if unit.kind != "user" or not any(r.detail.split(":")[0] in _TURNS for r in scores[unit.id].reasons):
            continue
        for before in units[max(0, at - 2):at]:
            score = out[before.id]
            if before.kind in ("user", "assistant") and score.total < 0.5:
                reason = Reason("context", "continuity", 0.15, "the next turn changes it")
                out[before.id] = replace(score, total=min(1.0, score.total + 0.15), reasons=(*score.reasons, reason))
    return out


def _grouped(units: Sequence[Unit], scores: dict[str, Score]) -> dict[str, Score]:
    """Neighbours of one topic within five minutes are judged together: none falls below 0.8 of the best of them."""
    out = dict(scores)
    for group in _groups(units):
        best = max(scores[u.id].total for u in group)
        for unit in group:
            score = out[unit.id]
            if len(group) > 1 and score.total < 0.8 * best and score.total >= 0.15:
                reason = Reason("context", "group", round(0.8 * best, 3), f"group of {len(group)} on one topic")
                out[unit.id] = replace(score, total=round(0.8 * best, 4), reasons=(*score.reasons, reason))
    return out


def _groups(units: Sequence[Unit]) -> list[list[Unit]]:
    groups: list[list[Unit]] = []
    last_terms: set[str] = set()
    for unit in units:
        said = {t for t, w in terms(unit.text[:1_000]).items() if w >= 0.5}
        if groups and unit.kind in ("user", "assistant") and said & last_terms and _near(groups[-1][-1], unit):
            groups[-1].append(unit)
        else:
            groups.append([unit])
        last_terms = said
    return groups


def _near(a: Unit, b: Unit) -> bool:
    first, second = a.messages[-1].time, b.messages[0].time
    return first is not None and second is not None and abs(second - first) <= _GROUP_GAP
