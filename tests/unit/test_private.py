"""A state holds placeholders; its own process puts the values back; what cannot be hidden in time is never stored or given out."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from surgeon import Surgeon, compact
from surgeon.errors import LimitError, StoreError
from surgeon.stores.unavailable import Unavailable

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


_KEY = "AKIA" + "IOSFODNN7" + "EXAMPLE"


def _keyed_talk() -> list[dict[str, str]]:
    """A talk that begins with a cloud key and is too long for its budget."""
    talk = [{"role": "user", "content": f"My key is {_KEY}, keep it."}]
    for n in range(60):
        talk += [{"role": "assistant", "content": f"Step {n}: moved pier {n} to slot {n * 3}."}, {"role": "user", "content": f"And pier {n + 100}?"}]
    return talk


def test_a_store_that_cannot_be_opened_ends_no_turn_and_sends_no_secret(tmp_path: Path) -> None:
    """The messages pass on without markers, hidden as ever, with true counts; `strict` raises."""
    (tmp_path / "file").write_text("x")
    path = str(tmp_path / "file" / "below.db")
    talk = _keyed_talk()
    result = compact(talk, budget=400, settings={"stores": {"path": path}})
    assert _KEY not in json.dumps(result.messages)
    assert [m["content"] for m in result.messages[1:]] == [m["content"] for m in talk[1:]]
    assert all(a is b for a, b in zip(result.messages[1:], talk[1:], strict=True))
    assert not result.report.refs
    assert any("originals could not be stored" in w for w in result.report.warnings)
    kept = compact(result.messages, settings={"stores": {"path": ":memory:"}}).report
    assert result.report.tokens_after == kept.tokens_before
    with pytest.raises(StoreError):
        compact(talk, budget=400, settings={"stores": {"path": path}, "strict": True})


def test_a_session_whose_archive_fails_goes_on_without_markers() -> None:
    """No reference is shown to what was not stored, and what could not be stored waits."""
    surgeon = Surgeon(_SETTINGS)
    session = surgeon.session("harbour")
    for message in _keyed_talk()[:40]:
        session.add(message)
    surgeon._archive = Unavailable(StoreError("the disk is full", "", "make room"))
    for message in _keyed_talk()[40:]:
        session.add(message)
    result = session.context(budget=400)
    text = json.dumps(result.messages)
    assert _KEY not in text
    assert "ref " not in text
    assert len(result.messages) == len(_keyed_talk())
    assert any("the disk is full" in w for w in result.report.warnings)
    surgeon._archive = None
    again = session.context(budget=400)
    assert again.report.tokens_after <= 400
    assert all(session.expand(ref) for ref in again.report.refs)


def test_a_fault_of_ours_sends_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """When assembly breaks the turn goes on with what the settings keep from the model still hidden, and with true counts."""
    def broken(*_: object) -> None:
        raise RuntimeError("no such step")

    monkeypatch.setattr("surgeon.pipeline.assemble", broken)
    talk = _keyed_talk()
    result = compact(talk, budget=400, settings=_SETTINGS)
    assert _KEY not in json.dumps(result.messages)
    assert len(result.messages) == len(talk)
    assert result.report.tokens_before > 400
    assert any("passed through unchanged: RuntimeError" in w for w in result.report.warnings)
    assert result.report.findings
