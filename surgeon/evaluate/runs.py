"""Runs compactions and puts their figures together."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from surgeon.errors import SurgeonError
from surgeon.evaluate.data import Case
from surgeon.evaluate.metrics import Metric, Outcome
from surgeon.formats.detect import resolve

if TYPE_CHECKING:
    from surgeon.session import Surgeon


class Budget(NamedTuple):
    """Tokens, or a share of each conversation (0..1)."""

    tokens: int | None
    share: float = 0.0


class Summary(NamedTuple):
    """One metric over all conversations; `good` is False if the worst figure passes the bar."""

    name: str
    about: str
    unit: str
    value: float
    worst: float
    good: bool


def parse_budget(text: str) -> Budget:
    """`4000` or `20%`. Raises SurgeonError."""
    try:
        if text.strip().endswith("%"):
            share = float(text.strip()[:-1]) / 100
            if 0 < share <= 1:
                return Budget(None, share)
        elif int(text) > 0:
            return Budget(int(text))
    except ValueError:
        pass
    raise SurgeonError(f"'{text[:20]}' is no budget", "--budget", "give tokens, for example 4000, or a share, for example 20%")


def run(surgeon: Surgeon, case: Case, budget: Budget) -> Outcome:
    """Compacts one conversation and takes the time; sizes and wire issues are worked out outside of it."""
    engine = surgeon.engine
    fmt = resolve(case.messages, "auto")
    tokens = budget.tokens or max(1, int(budget.share * sum(engine.size(m) for m in fmt.read(case.messages))))
    started = time.perf_counter()
    result = surgeon.compact(case.messages, tokens, format=fmt.name)
    spent = 1000 * (time.perf_counter() - started)
    return Outcome(case.name, tokens, len(fmt.check(case.messages)), len(fmt.check(result.messages)), round(spent, 1), result)


def summarise(metric: Metric, outcomes: Sequence[Outcome]) -> Summary:
    """The figure of a metric over all outcomes, and the worst one."""
    values = [metric.measure(o) for o in outcomes] or [0.0]
    total = {"mean": statistics.fmean(values), "median": statistics.median(values), "sum": sum(values)}[metric.over_all]
    worst = max(values)
    return Summary(metric.name, metric.about, metric.unit, round(total, 2), round(worst, 2), metric.bar is None or worst <= metric.bar)
