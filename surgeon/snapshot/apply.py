"""Edits to a snapshot: pure functions; histories only grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from surgeon.snapshot.model import Snapshot
from surgeon.types import Change, Edit, Fact

_TOUCHED = 24


def apply(snapshot: Snapshot, edits: Iterable[Edit]) -> Snapshot:
    """The snapshot after the edits, in order. Saying the same value again changes nothing but what was touched last."""
    facts: dict[str, Fact] = dict(snapshot.facts)
    touched = list(snapshot.discourse.touched)
    changed: list[str] = []
    for edit in edits:
        before = facts.get(edit.key)
        after = _step(before, edit)
        if after is None:
            continue
        if after is not before:
            facts[edit.key] = after
            changed.append(edit.key)
        if edit.key in touched:
            touched.remove(edit.key)
        touched.append(edit.key)
    if not changed and touched == list(snapshot.discourse.touched):
        return snapshot
    return replace(snapshot, facts=facts, discourse=replace(snapshot.discourse, touched=tuple(touched[-_TOUCHED:])))


def touch(snapshot: Snapshot, keys: Iterable[str]) -> Snapshot:
    """The snapshot with these facts as the ones spoken of last; their values stay."""
    named = list(dict.fromkeys(keys))
    touched = [k for k in snapshot.discourse.touched if k not in named] + named
    return replace(snapshot, discourse=replace(snapshot.discourse, touched=tuple(touched[-_TOUCHED:])))


def _step(fact: Fact | None, edit: Edit) -> Fact | None:
    change = edit.change
    if fact is None:
        if change.action in ("reject", "confirm") or (change.action == "cancel" and not change.value):
            return None
        return _new(edit)
    if change.action == "cancel":
        return fact if fact.status == "cancelled" else _changed(fact, replace(change, value=fact.value), "cancelled")
    if change.action == "reject":
        if fact.value != change.value and change.value:
            return fact
        return _changed(fact, replace(change, value=fact.value), "rejected")
    if change.action == "confirm":
        return fact if fact.status == "active" else _changed(fact, replace(change, value=fact.value), "active")
    if fact.value == change.value and fact.status == edit.status:
        return fact
    if edit.status == "hypothetical" and fact.status == "active":
        return fact  # a what-if never replaces what holds
    action = "update" if change.action == "set" else change.action
    return replace(_changed(fact, replace(change, action=action), edit.status), normal=edit.normal, span=edit.span)


def _new(edit: Edit) -> Fact:
    change = edit.change
    status = "cancelled" if change.action == "cancel" else edit.status
    return Fact(
        key=edit.key,
        kind=edit.kind,
        label=edit.label,
        value=change.value,
        owner=edit.owner,
        status=status,
        round=change.round,
        action=change.action,
        message_id=change.message_id,
        source_round=change.source_round,
        span=edit.span,
        confidence=edit.confidence,
        type=edit.type,
        normal=edit.normal,
        history=(change,),
    )


def _changed(fact: Fact, change: Change, status: str) -> Fact:
    return replace(
        fact,
        value=change.value,
        status=status,  # type: ignore[arg-type]
        round=change.round,
        action=change.action,
        message_id=change.message_id,
        source_round=change.source_round,
        history=(*fact.history, change),
    )


def values(fact: Fact) -> list[Change]:
    """The distinct values a fact had, in the order they were first given (cancellations and restores name no new value)."""
    seen: dict[str, Change] = {}
    for change in fact.history:
        if change.action not in ("cancel", "reject") and change.value:
            seen.setdefault(change.value, change)
    return list(seen.values())


def diff(old: Mapping[str, Fact], new: Mapping[str, Fact]) -> list[Fact]:
    """Facts that are new or were changed, as they are now."""
    return [fact for key, fact in new.items() if old.get(key) is not fact and old.get(key) != fact]


def at_round(snapshot: Snapshot, round_: int) -> Snapshot:
    """The facts as they stood when that round ended, from their histories."""
    facts: dict[str, Fact] = {}
    for key, fact in snapshot.facts.items():
        past = tuple(c for c in fact.history if c.round <= round_)
        if not past:
            continue
        last = past[-1]
        status = {"cancel": "cancelled", "reject": "rejected"}.get(last.action, "active" if len(past) < len(fact.history) else fact.status)
        facts[key] = replace(
            fact, value=last.value, status=status, round=last.round, action=last.action,  # type: ignore[arg-type]
            message_id=last.message_id, source_round=last.source_round, history=past,
        )
    return replace(snapshot, facts=facts, round=round_)
