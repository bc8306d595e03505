"""What a compaction gives back: messages, text, snapshot, report and state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surgeon.snapshot.model import Snapshot
from surgeon.types import Decision, Finding, WireIssue

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Report:
    """Why the result looks as it does. Token figures count as INTERFACE says: text, calls' names and arguments, plus 4 a message.

    `refs` maps every marker in the output to the ids of the messages it stands for. `timings` are milliseconds per step.
    """

    tokens_before: int = 0
    tokens_after: int = 0
    budget: int | None = None
    format: str = ""
    decisions: tuple[Decision, ...] = ()
    findings: tuple[Finding, ...] = ()
    refs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    issues: tuple[WireIssue, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe; holds no message text and no personal data."""
        return {
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "budget": self.budget,
            "format": self.format,
            "decisions": [_decision(d) for d in self.decisions],
            "findings": [f._asdict() for f in self.findings],
            "refs": {k: list(v) for k, v in self.refs.items()},
            "warnings": list(self.warnings),
            "timings": dict(self.timings),
            "issues": [i._asdict() for i in self.issues],
        }


def _decision(decision: Decision) -> dict[str, Any]:
    return {
        "unit": decision.unit,
        "message_ids": list(decision.message_ids),
        "action": decision.action,
        "score": decision.score,
        "tokens_before": decision.tokens_before,
        "tokens_after": decision.tokens_after,
        "template": decision.template,
        "ref": decision.ref,
        "reasons": [r._asdict() for r in decision.reasons],
    }


@dataclass(frozen=True, slots=True)
class Compaction:
    """A conversation made smaller, in the caller's own format. `messages` is safe to send; untouched messages are the caller's own objects."""

    messages: Sequence[Any]
    text: str
    snapshot: Snapshot
    report: Report
    make_state: Callable[[], Mapping[str, Any]] = field(default=dict, compare=False, repr=False)
    _made: list[Mapping[str, Any]] = field(default_factory=list, init=False, compare=False, repr=False)

    @property
    def state(self) -> Mapping[str, Any]:
        """JSON-safe; pass it back in. Personal values are placeholders (setting `redaction.archive`), worked out when it is first asked for."""
        if not self._made:
            self._made.append(self.make_state())
        return self._made[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.messages, self.text, self.snapshot, self.report, dict(self.state))

    def to_dict(self) -> dict[str, Any]:
        """The shape that `surgeon compact --json` prints."""
        return {
            "schema_version": SCHEMA_VERSION,
            "messages": list(self.messages),
            "snapshot": self.snapshot.to_dict(),
            "report": self.report.to_dict(),
            "text": self.text,
        }


def _again(messages: Sequence[Any], text: str, snapshot: Snapshot, report: Report, state: Mapping[str, Any]) -> Compaction:
    """A result that was pickled."""
    return Compaction(messages, text, snapshot, report, lambda: state)
