"""Properties that hold for every format: reading and writing lose nothing and change nothing."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surgeon.formats import check_wire, detect, get, repair_wire
from tests.strategies import broken_conversations, conversations, garbage

FORMATS = ("openai_chat", "anthropic", "claude_code")
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@relaxed
@given(conversations)
def test_unchanged_messages_come_back_as_the_same_objects(drawn: tuple[str, list[Any]]) -> None:
    """Reading and writing without a change gives the caller's own objects, in order, unmutated."""
    name, native = drawn
    before = copy.deepcopy(native)
    format_ = get(name)
    messages = format_.read(native)
    assert [m.index for m in messages] == list(range(len(native)))
    assert all(format_.write(m) is n for m, n in zip(messages, native, strict=True))
    assert native == before
    assert len({m.id for m in messages}) == len(messages)


@relaxed
@given(conversations, st.randoms(use_true_random=False))
def test_a_changed_part_changes_nothing_else(drawn: tuple[str, list[Any]], random: Any) -> None:
    """After a change the part reads as written, all other parts as before, unknown fields stay, and the input is not touched."""
    name, native = drawn
    before = copy.deepcopy(native)
    format_ = get(name)
    for message in format_.read(native):
        places = [i for i, p in enumerate(message.parts) if p.editable]
        if not places:
            continue
        place = random.choice(places)
        text = '{"a": 1}' if message.parts[place].kind == "tool_call" else "short 短"
        written = format_.write(message.with_part(place, text))
        again = format_.read([written])[0]
        assert again.parts[place].text == text
        assert [p.text for i, p in enumerate(again.parts) if i != place] == [p.text for i, p in enumerate(message.parts) if i != place]
        assert set(written) == set(message.native)
    assert native == before


@relaxed
@given(conversations)
def test_valid_conversations_have_no_issue_and_are_detected(drawn: tuple[str, list[Any]]) -> None:
    """The checker is silent on valid input, and the repair leaves every object alone."""
    name, native = drawn
    assert check_wire(native, name) == []
    mended = repair_wire(native, name)
    assert mended.notes == []
    assert all(a is b for a, b in zip(mended.messages, native, strict=True))
    if name == "claude_code":
        assert detect(native).name == name


@relaxed
@given(broken_conversations())
def test_repair_leaves_no_issue_that_it_can_mend(drawn: tuple[str, list[Any]]) -> None:
    """Lost, doubled, swapped and rubbish messages: after the repair the pairing rules hold, and the input is not mutated."""
    name, native = drawn
    before = copy.deepcopy(native)
    dicts = [m for m in native if isinstance(m, dict) and (m.get("role") in ("user", "assistant", "tool", "system") or "message" in m)]
    mended = repair_wire(dicts, name)
    pairing = {"A1", "A2", "A4", "C1", "C2", "C3", "C4", "C5"}
    left = [i for i in check_wire(mended.messages, name) if i.rule in pairing and mended.messages]
    assert left == []
    assert native == before


@relaxed
@given(st.sampled_from(FORMATS), st.lists(garbage, max_size=5))
def test_garbage_passes_through(name: str, native: list[Any]) -> None:
    """Whatever stands in a message, reading, checking and repairing raise nothing, and writing gives it back."""
    format_ = get(name)
    messages = format_.read(native)
    assert all(format_.write(m) is n for m, n in zip(messages, native, strict=True))
    for message in messages:
        for place in range(len(message.parts)):
            format_.write(message.with_part(place, "x"))
    format_.check(native)
    format_.repair(native)
    detect(native)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "content", ["plain", [{"type": "text", "text": "one"}], [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]]
)
def test_unlead_undoes_lead(name: str, content: Any) -> None:
    """A leading block can be added and taken away again; own parts stay as they are, also after a trip through JSON."""
    format_ = get(name)
    native: Any = {"role": "user", "content": content}
    if name == "claude_code":
        native = {"type": "user", "message": native, "uuid": "u1"}
    led = json.loads(json.dumps(format_.lead(native, "BLOCK")))
    assert format_.read([led])[0].parts[0].text == "BLOCK"
    assert format_.unlead(led, "BLOCK") == native
    assert format_.unlead(native, "BLOCK") == native
    assert format_.unlead(format_.make("user", "BLOCK"), "BLOCK") is None


@pytest.mark.parametrize("name", FORMATS)
def test_make_holds_only_text(name: str) -> None:
    """A made message reads as that text in that role."""
    message = get(name).read([get(name).make("user", "hello 你好")])[0]
    assert (message.role, message.text) == ("user", "hello 你好")
