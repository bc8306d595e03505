"""Guards stand above the score; the gates and the profiles do exactly what the settings say."""

from __future__ import annotations

from typing import Any

import pytest

from surgeon import Surgeon
from surgeon.decide import Verdict, decide
from surgeon.formats.detect import get
from surgeon.scoring.combine import Evidence, combine
from surgeon.segment import segment
from surgeon.settings import Settings, load
from surgeon.snapshot.apply import apply
from surgeon.snapshot.model import Snapshot
from surgeon.types import Change, Edit, FactKind, Reason, Score, Unit

_QUIET = {"stores": {"path": ":memory:"}, "strict": True}


def settings(**more: Any) -> Settings:
    """Settings with nothing protected for being recent, unless asked for."""
    return load({**_QUIET, "protect_recent": 0, **more}, environ={}).settings


def units(*native: Any) -> list[Unit]:
    """Units of OpenAI messages."""
    return segment(get("openai_chat").read(list(native)))


def user(text: str, **more: Any) -> dict[str, Any]:
    """A user message."""
    return {"role": "user", "content": text, **more}


def reply(text: str) -> dict[str, Any]:
    """An answer."""
    return {"role": "assistant", "content": text}


def call(name: str) -> dict[str, Any]:
    """A tool call."""
    return {"role": "assistant", "content": None, "tool_calls": [{"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}}]}


TALK = units({"role": "system", "content": "s"}, user("task"), reply("a"), user("b"), reply("c"), user("d"), reply("e"))


def verdicts(talk: list[Unit], total: float = 0.0, snapshot: Snapshot | None = None, pins: Any = (), **more: Any) -> dict[str, Verdict]:
    """Verdicts with the same score for every unit."""
    return decide(talk, {u.id: Score(total) for u in talk}, snapshot or Snapshot(), settings(**more), pins)


def guard(verdict: Verdict) -> str:
    """The name of the first guard of a verdict."""
    return next((r.name for r in verdict.reasons if r.channel in ("guard", "policy")), "")


def holding(kind: FactKind, message: str) -> Snapshot:
    """A snapshot with one fact from that message."""
    return apply(Snapshot(), [Edit("k:main", kind, "k", Change("set", "v", message, 2))])


def test_hard_guards() -> None:
    """System text, the newest user message, protected, pinned and open units stay whatever the score."""
    talk = units(
        {"role": "system", "content": "s"}, user("task"), reply("a"), user("kept", protected=True), reply("the pinned words of a reply"),
        user("last"), reply("x"), call("c1"),
    )  # fmt: skip
    found = {u.messages[0].text or "call": verdicts(talk, pins=["m2", "pinned words of"])[u.id] for u in talk}
    assert {k: guard(v) for k, v in found.items() if v.hard} == {
        "s": "system", "kept": "protected", "a": "pinned", "the pinned words of a reply": "pinned", "last": "newest_user_message", "call": "open_call",
    }  # fmt: skip
    assert found["x"].action == "drop"


@pytest.mark.parametrize(
    ("snapshot", "more", "soft"),
    [
        (Snapshot(), {}, {"m1": "first_task"}),
        (holding("constraint", "m3"), {}, {"m1": "first_task", "m3": "constraint"}),
        (holding("entity", "m3"), {}, {"m1": "first_task", "m3": "source_of_fact"}),
        (Snapshot(), {"protect_recent": 3}, {"m1": "first_task", "m4": "recent", "m6": "recent"}),
        (Snapshot(), {"policy": {"user": "keep"}}, {"m1": "first_task", "m3": "user: keep"}),
    ],
)
def test_soft_guards(snapshot: Snapshot, more: dict[str, Any], soft: dict[str, str]) -> None:
    """First task, constraints, sources of active facts and the newest messages are wished to stay; the reason is named."""
    found = verdicts(TALK, snapshot=snapshot, **more)
    assert {k: guard(v) for k, v in found.items() if v.soft and not v.hard} == soft
    assert all(v.action == "keep" for v in found.values() if v.soft)


def test_a_cancelled_fact_guards_nothing() -> None:
    """Only what holds protects its source."""
    gone = apply(holding("entity", "m3"), [Edit("k:main", "entity", "k", Change("cancel", "", "m9", 3))])
    assert not verdicts(TALK, snapshot=gone)["m3"].soft


@pytest.mark.parametrize(("total", "action"), [(0.0, "drop"), (0.24, "drop"), (0.25, "offload"), (0.69, "offload"), (0.7, "keep"), (1.0, "keep")])
def test_gates_of_the_default_profile(total: float, action: str) -> None:
    """Below the lower gate a unit is dropped, above the upper one kept, offloaded between."""
    assert verdicts(TALK, total)["m2"].action == action


def test_tool_results_are_rewritten_not_dropped() -> None:
    """A call with its result is a matter of rewriting whatever its score."""
    talk = units(user("t"), call("c1"), {"role": "tool", "tool_call_id": "c1", "content": "x"}, user("u"))
    assert verdicts(talk)["m1"].action == "rewrite"


def classic(rule: bool, cosine: float) -> tuple[float, str]:
    """Total and action of a middle message in the profile `classic`."""
    setting = settings(profile="classic")
    rules = {"m2": Score(0.3, 0.3, 0.0, (Reason("rules", "x", 0.3),))} if rule else {}
    evidence = Evidence(rules, {"m2": Score(cosine, 0.0, cosine)}, 0.3, Snapshot(), None)
    scores = combine(TALK, evidence, setting.scoring)
    return scores["m2"].total, decide(TALK, scores, Snapshot(), setting)["m2"].action


@pytest.mark.parametrize(
    ("rule", "cosine", "total", "action"),
    [
        (True, 0.66, 0.71, "keep"),
        (True, 0.65, 0.56, "offload"),
        (True, 0.0, 0.56, "offload"),
        (False, 0.99, 0.15, "drop"),
        (False, 0.65, 0.0, "drop"),
    ],
)
def test_classic_is_exactly_its_formula(rule: bool, cosine: float, total: float, action: str) -> None:
    """0.7 × 0.8 on a positive match plus 0.3 × 0.5 above a cosine of 0.65; below 0.4 drop, to 0.7 compress, above keep."""
    assert classic(rule, cosine) == (pytest.approx(total), action)


def test_classic_ignores_a_rule_that_counts_against() -> None:
    """A greeting is no positive match."""
    rules = {"m2": Score(0.0, 0.0, 0.0, (Reason("rules", "greeting", -0.4),))}
    assert combine(TALK, Evidence(rules, {}, 0.3, Snapshot(), None), settings(profile="classic").scoring)["m2"].total == 0.0


def test_default_keeps_what_is_only_semantically_relevant() -> None:
    """Where classic drops a relevant message without a rule, the default profile does not."""
    setting = settings()
    evidence = Evidence({}, {"m2": Score(0.9, 0.0, 0.9)}, 0.3, Snapshot(), None)
    scores = combine(TALK, evidence, setting.scoring)
    assert decide(TALK, scores, Snapshot(), setting)["m2"].action != "drop"


def test_a_stated_importance_wins() -> None:
    """`importance_score` of the caller replaces both channels."""
    talk = units(user("t"), reply("a") | {"importance_score": 0.95}, reply("b") | {"importance_score": 0.0}, user("u"))
    scores = combine(talk, Evidence({}, {}, 0.3, Snapshot(), None), settings().scoring)
    assert (scores["m1"].total, scores["m2"].total) == (0.95, 0.0)


def test_conservative_drops_nothing() -> None:
    """No unit is dropped whatever its score, and user messages stay."""
    setting = load({**_QUIET, "profile": "conservative"}, environ={}).settings
    found = decide(TALK, {}, Snapshot(), setting)
    assert all(v.action != "drop" for v in found.values())
    assert all(found[u.id].action == "keep" for u in TALK if u.kind == "user")


def test_aggressive_drops_more_than_default() -> None:
    """The gates of the profile are higher."""
    assert verdicts(TALK, 0.3)["m2"].action == "offload"
    assert verdicts(TALK, 0.3, profile="aggressive")["m2"].action == "drop"


def test_every_decision_of_a_run_has_a_reason() -> None:
    """Nobody has to guess why something is gone."""
    talk = [user("Ship it to 12 Elm Street."), *[m for n in range(9) for m in (reply(f"Part {n} was sent. " * 20), user(f"And part {n}?"))]]
    result = Surgeon({**_QUIET, "tokens": {"counter": "cl100k"}, "scoring": {"channels": ["rules"]}}).compact(talk, 250)
    assert {d.action for d in result.report.decisions} > {"keep"}
    assert all(d.reasons for d in result.report.decisions)
