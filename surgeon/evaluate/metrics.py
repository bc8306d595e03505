"""What can be measured on a compaction. A new metric is one entry here, or an entry point `surgeon.metrics` elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from surgeon.registry import Registry
from surgeon.result import Compaction


class Outcome(NamedTuple):
    """One conversation that was compacted: what was asked for, what came out, and how long it took."""

    name: str
    budget: int
    issues_before: int
    issues_after: int
    milliseconds: float
    result: Compaction


class Metric(NamedTuple):
    """A figure per outcome. `over_all` says how figures become one; `bar` is what the worst figure must not pass (None: no bar)."""

    name: str
    about: str
    unit: str
    measure: Callable[[Outcome], float]
    over_all: Literal["mean", "median", "sum"]
    bar: float | None = None


METRICS: Registry[Metric] = Registry("metrics")


def _new_issues(outcome: Outcome) -> float:
    return float(max(0, outcome.issues_after - outcome.issues_before))


def _grown(outcome: Outcome) -> float:
    return float(max(0, outcome.result.report.tokens_after - outcome.result.report.tokens_before))


def _over(outcome: Outcome) -> float:
    """Tokens over the budget that no warning explains."""
    over = max(0, outcome.result.report.tokens_after - outcome.budget)
    return 0.0 if outcome.result.report.warnings else float(over)


def _share(outcome: Outcome) -> float:
    before = outcome.result.report.tokens_before
    return 100 * outcome.result.report.tokens_after / before if before else 100.0


def _time(outcome: Outcome) -> float:
    return outcome.milliseconds


for _metric in (
    Metric("wire", "wire issues that the input did not have", "", _new_issues, "sum", 0),
    Metric("smaller", "tokens by which a result grew", "tok", _grown, "sum", 0),
    Metric("budget", "tokens over the budget without a warning that says why", "tok", _over, "sum", 0),
    Metric("share", "tokens after, of those before", "%", _share, "median"),
    Metric("ms", "time for one conversation", "ms", _time, "median"),
):
    METRICS.add(_metric.name, lambda metric=_metric: metric)
