"""Which earlier value "the first one", "the previous one", "the one of round 5" means."""

from __future__ import annotations

from typing import Literal, NamedTuple

from surgeon.snapshot.apply import values
from surgeon.types import Change, Fact

Which = Literal["first", "previous", "nth", "middle", "round", "value"]


class Target(NamedTuple):
    """What a restore asks for: which kind of reference, and its number or value where it has one."""

    which: Which
    number: int = 0
    value: str = ""


def pick(fact: Fact, target: Target) -> Change | None:
    """The change whose value is meant, or None if the history has no such value.

    *previous* is the newest value that differs from the current one, or after a cancellation the cancelled value itself;
    *round n* is the value that held when round n ended.
    """
    given = values(fact)
    if not given:
        return None
    if target.which == "first":
        return given[0]
    if target.which == "middle":
        return given[len(given) // 2] if len(given) % 2 else given[(len(given) - 1) // 2]
    if target.which == "nth":
        at = target.number - 1 if target.number > 0 else len(given) + target.number
        return given[at] if 0 <= at < len(given) else None
    if target.which == "value":
        return next((c for c in reversed(given) if target.value and target.value in c.value), None)
    if target.which == "round":
        held = [c for c in fact.history if c.round <= target.number and c.action not in ("cancel", "reject")]
        return held[-1] if held else None
    if fact.status in ("cancelled", "rejected"):
        return next((c for c in reversed(fact.history) if c.action not in ("cancel", "reject")), None)
    return next((c for c in reversed(fact.history) if c.value != fact.value and c.action not in ("cancel", "reject")), None)
