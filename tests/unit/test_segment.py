"""Units: a call stays with its results, everything else stands alone, order and messages are kept."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from surgeon import compact
from surgeon.formats.detect import get
from surgeon.segment import segment
from surgeon.types import Unit
from tests.strategies import broken_conversations, conversations


def call(*ids: str) -> dict[str, Any]:
    """An assistant message with calls of these ids."""
    calls = [{"id": i, "type": "function", "function": {"name": "f", "arguments": "{}"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(name: str) -> dict[str, Any]:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": name, "content": f"result of {name}"}


_FLAGS = ("isSidechain", "isMeta", "isCompactSummary")
USER, REPLY = {"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}


def shape(native: list[Any], name: str = "openai_chat") -> list[tuple[str, int, bool]]:
    """Kind, number of messages and openness of every unit."""
    return [(u.kind, len(u.messages), u.open) for u in segment(get(name).read(native))]


def test_a_call_and_its_results_are_one_unit() -> None:
    """Parallel results in any order belong to their call; what follows does not."""
    assert shape([USER, call("a", "b"), result("b"), result("a"), REPLY]) == [("user", 1, False), ("tools", 3, False), ("assistant", 1, False)]


def test_a_call_that_waits_is_open_only_at_the_end() -> None:
    """Half a call at the end is open; one that was passed over is a fault of the input and closed."""
    assert shape([USER, call("a", "b"), result("a")])[-1] == ("tools", 2, True)
    assert shape([USER, call("a"), USER]) == [("user", 1, False), ("tools", 1, False), ("user", 1, False)]


def test_results_without_a_call_are_orphans() -> None:
    """An orphan result is a unit of its own, so that it can be removed alone."""
    assert shape([USER, result("x"), REPLY]) == [("user", 1, False), ("orphan", 1, False), ("assistant", 1, False)]


def test_a_reused_id_belongs_to_the_call_before_it() -> None:
    """The same id twice makes two units, each with its own result."""
    assert shape([call("a"), result("a"), call("a"), result("a")]) == [("tools", 2, False)] * 2


def test_anthropic_results_with_text_stay_with_their_call() -> None:
    """A user message that holds results and text is a part of the tools unit."""
    asked = {"role": "assistant", "content": [use("t1")]}
    told = {"role": "user", "content": [back("t1"), {"type": "text", "text": "and now?"}]}
    assert shape([{"role": "user", "content": "q"}, asked, told, {"role": "assistant", "content": "done"}], "anthropic") == [
        ("user", 1, False), ("tools", 2, False), ("assistant", 1, False),
    ]  # fmt: skip


def line(kind: str, block: Any, reply: str = "") -> dict[str, Any]:
    """A line of a transcript."""
    return {"type": kind, "message": {"role": kind, "content": [block], **({"id": reply} if reply else {})}}


def use(name: str) -> dict[str, Any]:
    """A tool use of that id."""
    return {"type": "tool_use", "id": name, "name": "f", "input": {}}


def back(name: str) -> dict[str, Any]:
    """The result of a tool use."""
    return {"type": "tool_result", "tool_use_id": name, "content": "x"}


def test_lines_of_one_reply_are_one_unit() -> None:
    """Thinking, text and parallel calls of one reply stand on lines of their own, with results after or between them."""
    text = {"type": "text", "text": "I look."}
    start = line("user", {"type": "text", "text": "q"})
    reply = [line("assistant", b, "msg_1") for b in (text, use("a"), use("b"))]
    results = [line("user", back("a")), line("user", back("b"))]
    end = line("assistant", text, "msg_2")
    expected = [("user", 1, False), ("tools", 5, False), ("assistant", 1, False)]
    assert shape([start, *reply, *results, end], "claude_code") == expected
    assert shape([start, *reply[:2], results[0], reply[2], results[1], end], "claude_code") == expected


def test_notes_of_the_program_do_not_part_a_call_from_its_result() -> None:
    """A line that is no message between call and result is a unit of its own; at the end it does not close an open call."""
    note = {"type": "file-history-snapshot", "snapshot": {}}
    call_ = line("assistant", use("a"), "msg_1")
    assert shape([call_, note, line("user", back("a"))], "claude_code") == [("tools", 2, False), ("system", 1, False)]
    assert shape([call_, note], "claude_code") == [("tools", 1, True), ("system", 1, False)]


def test_what_the_program_or_a_helper_wrote_begins_no_round() -> None:
    """Lines of a side chain, notes of the program and its own summaries are not the user: no round, no fact, no newest user message."""
    said = line("user", {"type": "text", "text": "Ship it to 12 Elm Street."})
    asides = [{**line("user", {"type": "text", "text": f"My address is {n} Side Road."}), flag: True} for n, flag in enumerate(_FLAGS)]
    result = compact([said, *asides], settings={"stores": {"path": ":memory:"}, "strict": True})
    assert result.state["rounds"] == 1
    assert [f.value for f in result.snapshot.facts.values() if f.label == "address"] == ["12 Elm Street"]
    assert shape([said, *asides], "claude_code") == [("user", 1, False), *[("assistant", 1, False)] * 3]


def test_system_text_is_a_unit_of_its_own() -> None:
    """System and developer messages are system units."""
    assert shape([{"role": "system", "content": "s"}, {"role": "developer", "content": "d"}, USER]) == [
        ("system", 1, False), ("system", 1, False), ("user", 1, False),
    ]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.one_of(conversations, broken_conversations()))
def test_units_are_a_partition_in_order(case: tuple[str, list[Any]]) -> None:
    """Every message is in exactly one unit, in order but for notes between a call and its result; ids are unique."""
    name, native = case
    messages = get(name).read(native)
    units: list[Unit] = segment(messages)
    assert sorted((m for u in units for m in u.messages), key=lambda m: m.index) == messages
    turns = [m.index for u in units if u.kind != "system" for m in u.messages]
    assert turns == sorted(turns)
    assert len({u.id for u in units}) == len(units)
    assert all(not u.open for u in [u for u in units if u.kind != "system"][:-1])


@settings(max_examples=40, deadline=None)
@given(conversations)
def test_no_valid_pair_is_split(case: tuple[str, list[Any]]) -> None:
    """In a valid conversation each result is in the unit of its call."""
    name, native = case
    for unit in segment(get(name).read(native)):
        calls = [c.call_id for m in unit.messages for c in m.calls]
        answers = [r.call_id for m in unit.messages for r in m.results]
        assert sorted(map(str, set(answers))) == sorted(map(str, set(calls))) or not answers
        assert unit.kind == ("tools" if calls else unit.kind)


def test_many_parallel_calls_take_linear_time() -> None:
    """Thousands of calls in one turn are one unit."""
    names = [f"c{i}" for i in range(5_000)]
    assert shape([call(*names), *map(result, names)]) == [("tools", 5_001, False)]
