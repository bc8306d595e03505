"""A state holds placeholders; its own process puts the values back; what cannot be hidden in time is never stored or given out."""

from __future__ import annotations

import json
import pickle

import pytest

from surgeon import Surgeon, compact
from surgeon.errors import LimitError, StoreError

_SETTINGS = {"stores": {"path": ":memory:"}}
_SAID = [
    {"role": "user", "content": "Please send the contract to maria.lund@example.com, my phone is 312-555-0188."},
    {"role": "assistant", "content": "I will send it to maria.lund@example.com."},
    {"role": "user", "content": "联系人是王小明，邮箱 wang.xm@example.com"},
]
_PERSONAL = ("maria.lund@example.com", "312-555-0188", "wang.xm@example.com", "王小明")


def test_a_state_holds_no_personal_value() -> None:
    """Whoever dumps it to a file stores placeholders."""
    result = compact(_SAID, settings=_SETTINGS)
    dumped = json.dumps(result.state, ensure_ascii=False)
    assert not [v for v in _PERSONAL if v in dumped]
    assert any("maria.lund@example.com" in f.value for f in result.snapshot.facts.values())


def test_the_same_process_gets_the_values_back() -> None:
    """A state that went through JSON gives the facts their values again, so that later corrections meet them."""
    state = json.loads(json.dumps(compact(_SAID, settings=_SETTINGS).state))
    more = [*_SAID, {"role": "assistant", "content": "好的"}, {"role": "user", "content": "Actually send it to m.lund@example.com instead."}]
    resumed, whole = compact(more, settings=_SETTINGS, state=state), compact(more, settings=_SETTINGS)
    assert resumed.snapshot.to_dict() == whole.snapshot.to_dict()


def test_placeholders_of_another_process_are_kept_as_they_are() -> None:
    """Without the vault a state still works; it shows what it cannot know as placeholders."""
    state = {**compact(_SAID, settings=_SETTINGS).state, "namespace": "someone-else"}
    facts = compact(_SAID, settings=_SETTINGS, state=state).snapshot.facts
    assert facts
    assert not any("maria.lund" in f.value for f in facts.values())


def test_with_redaction_off_the_state_is_clear() -> None:
    """Whoever switches it off asked for it."""
    state = compact(_SAID, settings={**_SETTINGS, "redaction": {"context": "off", "archive": "off"}}).state
    assert "maria.lund@example.com" in json.dumps(state)


def test_a_result_can_be_pickled_without_personal_values_in_its_state() -> None:
    """Pickling works out the state as it may leave."""
    again = pickle.loads(pickle.dumps(compact(_SAID, settings=_SETTINGS)))
    assert not [v for v in _PERSONAL if v in json.dumps(again.state, ensure_ascii=False)]


def test_a_session_gives_placeholders_too() -> None:
    """`Session.state` is as careful as `save`."""
    session = Surgeon({**_SETTINGS, "stores": {"path": ":memory:"}}).session("gc_state")
    for message in _SAID:
        session.add(message)
    dumped = json.dumps(session.state(), ensure_ascii=False)
    assert not [v for v in _PERSONAL if v in dumped]


def test_what_cannot_be_hidden_in_time_waits_and_breaks_no_turn() -> None:
    """With no time for expressions nothing is stored, nothing escapes, the warning says why; `save` says it could not."""
    surgeon = Surgeon({**_SETTINGS, "limits": {"regex_seconds": 0.000001}})
    with pytest.raises(LimitError):
        surgeon.engine.redactor("probe")(_SAID[0]["content"] * 50, None, "archive")
    session = surgeon.session("gc_slow")
    session.add({"role": "user", "content": _SAID[0]["content"] * 50})
    result = session.context()
    assert any("could not be hidden" in w or "unread" in w for w in result.report.warnings)
    assert session.recall("contract") == [] or all("maria.lund" not in h.text for h in session.recall("contract"))
    with pytest.raises(StoreError):
        session.save()
    session.close()
