"""Facts and their history: edits, restores, differences, rounds, and the way to JSON and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgeon.snapshot.apply import apply, at_round, diff, values
from surgeon.snapshot.model import Discourse, Intent, OtherIntent, Snapshot, Task
from surgeon.snapshot.restore import Target, pick
from surgeon.types import Change, ChangeAction, Edit, Fact


def edit(value: str, action: ChangeAction = "set", round_: int = 1, key: str = "address:main", **more: Any) -> Edit:
    """One edit of a fact."""
    return Edit(key, "entity", key.partition(":")[0], Change(action, value, f"m{round_}", round_, source_round=more.pop("source_round", None)), **more)


def after(*edits: Edit) -> Fact:
    """The one fact after these edits."""
    (fact,) = apply(Snapshot(), edits).facts.values()
    return fact


THREE = (edit("A", round_=1), edit("B", "update", 3), edit("C", "update", 5))


def test_set_update_patch_and_restore_grow_the_history() -> None:
    """Every change is in the history with what it did; the fact says the newest."""
    fact = after(*THREE, edit("C2", "patch", 6), edit("A", "restore", 9, source_round=1))
    assert [(c.round, c.action, c.value) for c in fact.history] == [
        (1, "set", "A"), (3, "update", "B"), (5, "update", "C"), (6, "patch", "C2"), (9, "restore", "A"),
    ]  # fmt: skip
    assert (fact.value, fact.action, fact.round, fact.message_id, fact.source_round, fact.status) == ("A", "restore", 9, "m9", 1, "active")


def test_a_second_set_is_an_update_and_the_same_value_is_no_change() -> None:
    """Saying it again adds nothing; saying something else with `set` is recorded as an update."""
    assert [c.action for c in after(edit("A"), edit("A", round_=2)).history] == ["set"]
    assert [c.action for c in after(edit("A"), edit("B", round_=2)).history] == ["set", "update"]


def test_cancel_keeps_the_value_and_happens_once() -> None:
    """What was cancelled is still known; cancelling again or cancelling what is unknown changes nothing."""
    fact = after(*THREE, edit("", "cancel", 7), edit("", "cancel", 8))
    assert (fact.value, fact.status, [c.action for c in fact.history]) == ("C", "cancelled", ["set", "update", "update", "cancel"])
    assert apply(Snapshot(), [edit("", "cancel")]).facts == {}


def test_a_cancelled_fact_can_be_set_again() -> None:
    """The same value after a cancellation is a change: it holds again."""
    fact = after(edit("A"), edit("", "cancel", 2), edit("A", "set", 3))
    assert (fact.status, fact.value, len(fact.history)) == ("active", "A", 3)


def test_reject_and_confirm() -> None:
    """A rejection hits only the value it names; a confirmation makes a supposed value hold; neither creates a fact."""
    assert after(edit("A"), edit("X", "reject", 2)).status == "active"
    assert after(edit("A"), edit("A", "reject", 2)).status == "rejected"
    assert after(edit("A", status="hypothetical"), edit("", "confirm", 2)).status == "active"
    assert apply(Snapshot(), [edit("A", "confirm"), edit("A", "reject")]).facts == {}


def test_a_what_if_never_replaces_what_holds() -> None:
    """A hypothetical value leaves an active fact alone."""
    assert after(edit("A"), edit("B", "update", 2, status="hypothetical")).value == "A"


@pytest.mark.parametrize(
    ("target", "value"),
    [
        (Target("first"), "A"),
        (Target("previous"), "B"),
        (Target("middle"), "B"),
        (Target("nth", 2), "B"),
        (Target("nth", 3), "C"),
        (Target("nth", -1), "C"),
        (Target("nth", 4), None),
        (Target("nth", 0), None),
        (Target("nth", -9), None),
        (Target("round", 1), "A"),
        (Target("round", 2), "A"),
        (Target("round", 4), "B"),
        (Target("round", 99), "C"),
        (Target("round", 0), None),
        (Target("value", value="B"), "B"),
        (Target("value", value="Z"), None),
        (Target("value"), None),
    ],
)
def test_which_earlier_value_is_meant(target: Target, value: str | None) -> None:
    """First, previous, middle, n-th, of a round, or named; None if the history has no such value."""
    found = pick(after(*THREE), target)
    assert (found.value if found else None) == value


def test_previous_after_a_cancellation_is_the_cancelled_value() -> None:
    """"Bring it back" after a cancellation means what was cancelled."""
    found = pick(after(*THREE, edit("", "cancel", 7)), Target("previous"))
    assert found is not None
    assert found.value == "C"


def test_first_after_a_restore_is_still_the_first() -> None:
    """A restored value counts once, where it was given first."""
    fact = after(*THREE, edit("A", "restore", 6), edit("D", "update", 7))
    assert [c.value for c in values(fact)] == ["A", "B", "C", "D"]
    assert [(pick(fact, t) or Change("set", "")).round for t in (Target("first"), Target("nth", 4), Target("previous"))] == [1, 7, 6]


def test_apply_changes_no_snapshot_and_remembers_what_was_touched() -> None:
    """The old snapshot is as it was; the same edits again give the same object."""
    old = apply(Snapshot(), [edit("A"), edit("x", key="date:main")])
    facts = dict(old.facts)
    new = apply(old, [edit("B", "update", 2)])
    assert old.facts == facts
    assert new.discourse.touched == ("date:main", "address:main")
    assert apply(new, [edit("B", "set", 3)]) is new
    assert new.facts["date:main"] is old.facts["date:main"]


def test_diff_names_what_is_new_or_changed() -> None:
    """Unchanged facts are not in a difference; a copy that is equal is unchanged."""
    old = apply(Snapshot(), [edit("A"), edit("x", key="date:main")])
    new = apply(old, [edit("B", "update", 2), edit("z", key="name:main")])
    assert [f.key for f in diff(old.facts, new.facts)] == ["address:main", "name:main"]
    assert diff(old.facts, Snapshot.from_state(old.to_state()).facts) == []


def test_at_round_shows_facts_as_they_stood() -> None:
    """Later changes are undone, later facts are absent, a fact that was cancelled later was active then."""
    snapshot = apply(Snapshot(), [*THREE, edit("", "cancel", 7), edit("x", round_=6, key="date:main")])
    seen = {n: {k: (f.value, f.status) for k, f in at_round(snapshot, n).facts.items()} for n in (0, 1, 4, 6, 7)}
    assert seen == {
        0: {},
        1: {"address:main": ("A", "active")},
        4: {"address:main": ("B", "active")},
        6: {"address:main": ("C", "active"), "date:main": ("x", "active")},
        7: {"address:main": ("C", "cancelled"), "date:main": ("x", "active")},
    }


ACTIONS: list[ChangeAction] = ["set", "update", "patch", "cancel", "restore", "confirm", "reject"]
edits = st.builds(
    edit, st.sampled_from(["A", "B", "C", "幸福路88号"]), st.sampled_from(ACTIONS), st.integers(1, 9), st.sampled_from(["address:main", "date:x"])
)


@settings(max_examples=200, deadline=None)
@given(st.lists(edits, max_size=12))
def test_histories_only_grow_and_end_in_the_current_value(said: list[Edit]) -> None:
    """Whatever happens, nothing is erased, and the last entry of a history is what the fact says."""
    snapshot = Snapshot()
    for one in said:
        before = snapshot
        snapshot = apply(snapshot, [one])
        for key, fact in before.facts.items():
            assert snapshot.facts[key].history[: len(fact.history)] == fact.history
        for fact in snapshot.facts.values():
            assert fact.history[-1].value == fact.value
            assert fact.history[-1].action == fact.action
    assert apply(Snapshot(), said) == snapshot


@settings(max_examples=100, deadline=None)
@given(st.lists(edits, max_size=8), st.text(max_size=10))
def test_state_round_trips_through_json(said: list[Edit], goal: str) -> None:
    """A snapshot that was written as JSON and read back is equal, with intent, task and discourse."""
    intent = Intent(goal, "t", "r", "f", {"a": "b"}, "done", Task("s", ("d",), ("o",), {"i": "j"}), (OtherIntent("g", "done", 3),), 2)
    talk = Discourse((), ({"key": "k", "value": "v"},), ("x", "y"), "date", "ask")
    snapshot = apply(Snapshot(intent, {}, 4, talk), said)
    assert Snapshot.from_state(json.loads(json.dumps(snapshot.to_state()))) == snapshot


def test_public_form_has_the_promised_keys() -> None:
    """`to_dict` holds what INTERFACE promises, constraints first, and the history of each fact."""
    rule = Edit("rule:r1.1", "constraint", "rule", Change("set", "Never push.", "m1", 1))
    data = apply(Snapshot(), [*THREE, rule, edit("", "cancel", 6, key="x")]).to_dict()
    assert set(data["intent"]) >= {"goal", "time_ref", "recipient", "format", "conditions", "status", "task", "others"}
    assert set(data["intent"]["task"]) == {"step", "done", "open", "info"}
    assert [f["key"] for f in data["facts"]] == ["rule:r1.1", "address:main"]
    assert set(data["facts"][0]) >= {
        "key", "kind", "label", "owner", "value", "status", "round", "action", "source_round", "message_id", "history",
    }  # fmt: skip
    assert {"round", "action", "value", "message_id"} <= set(data["facts"][0]["history"][0])
