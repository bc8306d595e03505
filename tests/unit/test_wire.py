"""Each wire rule has a conversation that breaks it and one that keeps it."""

from __future__ import annotations

from typing import Any

import pytest

from surgeon.formats import check_wire, repair_wire


def call(*ids: str, arguments: Any = "{}", **more: Any) -> dict[str, Any]:
    """An OpenAI assistant message with calls."""
    calls = [{"id": i, "type": "function", "function": {"name": "f", "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def tool(name: str, content: Any = "ok") -> dict[str, Any]:
    """An OpenAI tool message."""
    return {"role": "tool", "tool_call_id": name, "content": content}


def user(text: str = "hello") -> dict[str, Any]:
    """A user message of plain text."""
    return {"role": "user", "content": text}


def said(text: str = "done") -> dict[str, Any]:
    """An assistant message of plain text."""
    return {"role": "assistant", "content": text}


def use(*ids: str, before: tuple[Any, ...] = ()) -> dict[str, Any]:
    """An Anthropic assistant message with calls."""
    return {"role": "assistant", "content": [*before, *({"type": "tool_use", "id": i, "name": "f", "input": {}} for i in ids)]}


def result(*ids: str, before: tuple[Any, ...] = (), after: tuple[Any, ...] = ()) -> dict[str, Any]:
    """An Anthropic user message with results."""
    return {"role": "user", "content": [*before, *({"type": "tool_result", "tool_use_id": i, "content": "ok"} for i in ids), *after]}


def text(value: str, **more: Any) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": value, **more}


IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
MARK = {"cache_control": {"type": "ephemeral"}}
THOUGHT = {"type": "thinking", "thinking": "", "signature": "c2ln"}
COMPACTED = {"type": "compaction", "content": "earlier"}

OPENAI = [
    ("C1", [user(), call("a", "b"), tool("a")], [user(), call("a", "b"), tool("b"), tool("a"), said()]),
    ("C1", [user(), call("a"), user(), tool("a")], [user(), call("a"), tool("a"), user()]),
    ("C1", [user(), call("a")], [user(), call("a"), tool("a")]),
    ("C2", [user(), tool("a")], [user(), call("a"), tool("a"), said(), call("a"), tool("a")]),
    ("C3", [user(), call("a"), tool("a"), tool("a")], [user(), call("a"), tool("a")]),
    ("C3", [user(), call("a", "a"), tool("a")], [user(), call("a", "b"), tool("a"), tool("b")]),
    ("C4", [user(), {**said(), "tool_calls": []}], [user(), said()]),
    ("C4", [], [user()]),
    ("C5", [user(), call("x" * 41), tool("x" * 41)], [user(), call("x" * 40), tool("x" * 40)]),
    ("C6", [user(), call("a"), tool("a", [IMAGE])], [{"role": "user", "content": [text("see"), IMAGE]}]),
    (
        "C7",
        [user(), call("a", reasoning_content="r"), tool("a"), call("b"), tool("b")],
        [user(), call("a"), tool("a"), call("b"), tool("b")],
    ),
    ("C8", [user(), call("a", arguments={"x": 1}), tool("a")], [user(), call("a", arguments='{"x": 1}'), tool("a")]),
    ("C8", [user(), call("a", arguments='{"x": '), tool("a")], [user(), call("a"), tool("a")]),
]
ANTHROPIC = [
    ("A1", [user(), use("a")], [user(), use("a"), result("a")]),
    ("A1", [user(), use("a"), user(), said(), result("a")], [user(), use("a"), result("a", after=(text("and"),)), said()]),
    ("A2", [user(), said(), result("a")], [user(), use("a"), result("a")]),
    ("A3", [user(), use("a", "b"), result("a"), result("b")], [user(), use("a", "b"), result("b", "a")]),
    ("A3", [user(), use("a"), result("a", before=(text("first"),))], [user(), use("a"), result("a", after=(text("then"),))]),
    ("A4", [user(), use("a"), result("a"), use("a"), result("a")], [user(), use("a"), result("a"), use("b"), result("b")]),
    ("A4", [user(), use("a"), result("a", "a")], [user(), use("a"), result("a")]),
    ("A6", [said(), user()], [user(), said()]),
    ("A6", [user(), user("again")], [user(), said(), user("again")]),
    ("A7", [{"role": "user", "content": [text("")]}], [user()]),
    ("A7", [user(""), said()], [user(), said()]),
    ("A7", [user(), said("done ")], [user(), said("done")]),
    (
        "A10",
        [user(), use("a", before=({"type": "thinking", "thinking": "x"},)), result("a")],
        [user(), use("a", before=(THOUGHT,)), result("a")],
    ),
    (
        "A12",
        [{"role": "user", "content": [text(str(i), **MARK) for i in range(5)]}],
        [{"role": "user", "content": [text("1", **MARK)] * 4}],
    ),
    ("A12", [{"role": "user", "content": [text("x"), text("", **MARK)]}], [{"role": "user", "content": [text("x", **MARK)]}]),
    ("A13", [user(), {"role": "assistant", "content": [COMPACTED]}], [{"role": "user", "content": [COMPACTED, text("go on")]}]),
    ("A13", [{"role": "user", "content": [COMPACTED, COMPACTED]}], [{"role": "user", "content": [COMPACTED]}]),
    (
        "A14",
        [user(), use("a"), {"role": "system", "content": "s"}, result("a")],
        [user(), use("a"), result("a"), {"role": "system", "content": "s"}],
    ),
    ("A14", [user(), use("a b"), result("a b")], [user(), use("a-b_1"), result("a-b_1")]),
]
UNMENDABLE = {"A13"}


@pytest.mark.parametrize(("rule", "bad", "good"), OPENAI)
def test_openai_rule(rule: str, bad: list[Any], good: list[Any]) -> None:
    """The broken conversation is reported under its rule, the sound one is not, and the repair leaves nothing to report."""
    assert rule in [i.rule for i in check_wire(bad, "openai_chat")]
    assert check_wire(good, "openai_chat") == []
    if bad:
        mended = repair_wire(bad, "openai_chat")
        assert check_wire(mended.messages, "openai_chat") == []
        assert mended.notes


@pytest.mark.parametrize(("rule", "bad", "good"), ANTHROPIC)
def test_anthropic_rule(rule: str, bad: list[Any], good: list[Any]) -> None:
    """The broken conversation is reported under its rule, the sound one is not, and the repair leaves nothing to report."""
    assert rule in [i.rule for i in check_wire(bad, "anthropic")]
    assert check_wire(good, "anthropic") == []
    if rule not in UNMENDABLE:
        mended = repair_wire(bad, "anthropic")
        assert check_wire(mended.messages, "anthropic") == []
        assert mended.notes


def test_rules_that_need_to_know_the_mode() -> None:
    """A5, A9 and the prefill part of A7 are reported only when the caller says so."""
    messages = [user(), use("a"), result("a"), said()]
    assert [i.rule for i in check_wire(messages, "anthropic", tools=False)] == ["A5"]
    assert [i.rule for i in check_wire(messages, "anthropic", prefill=False)] == ["A7"]
    assert [i.rule for i in check_wire(messages[:3], "anthropic", thinking=True)] == ["A9"]
    assert check_wire([user(), use("a", before=(THOUGHT,)), result("a")], "anthropic", thinking=True) == []
    assert [i.rule for i in check_wire([user(), call("a"), tool("a")], "openai_chat", thinking=True)] == ["C7"]


def test_signed_thinking_is_compared_with_the_original() -> None:
    """A8: the latest turn's thinking stays as it was. A11: what is kept of thinking is an unbroken run."""
    thoughts = [{**THOUGHT, "signature": f"s{i}"} for i in range(3)]
    turns: list[Any] = [m for i, t in enumerate(thoughts) for m in (user(str(i)), {"role": "assistant", "content": [t, text("ok")]})]
    assert check_wire(turns, "anthropic", original=turns) == []
    assert check_wire(turns[2:], "anthropic", original=turns) == []
    holed = [turns[0], turns[1], turns[2], said(), turns[4], turns[5]]
    assert [i.rule for i in check_wire(holed, "anthropic", original=turns)] == ["A11"]
    bare = [*turns[:5], said()]
    assert "A8" in [i.rule for i in check_wire(bare, "anthropic", original=turns)]


def test_orphans_and_missing_results_are_named() -> None:
    """The notes name what was removed and what was added; a stub says that the result is missing."""
    mended = repair_wire([user(), tool("gone"), call("a"), user("next")], "openai_chat")
    assert any("gone" in note for note in mended.notes)
    assert "missing" in mended.messages[2]["content"]
    assert mended.messages[2]["tool_call_id"] == "a"


def test_late_results_are_moved_not_replaced() -> None:
    """A result that stands too far from its call is moved behind it with its own text."""
    mended = repair_wire([user(), call("a"), user("hm"), tool("a", "the result")], "openai_chat")
    assert [m["role"] for m in mended.messages] == ["user", "assistant", "tool", "user"]
    assert mended.messages[2]["content"] == "the result"
    split = repair_wire([user(), use("a", "b"), result("a"), result("b")], "anthropic")
    assert [b["tool_use_id"] for b in split.messages[2]["content"]] == ["a", "b"]


def line(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A transcript line."""
    return {"type": message["role"], "message": {**message, **({"id": more.pop("mid")} if "mid" in more else {})}, **more}


def test_transcript_lines_are_joined_before_they_are_checked() -> None:
    """Parallel calls and their results on lines of their own are valid, also when results stand between the calls of one turn."""
    lines = [line(user()), line(use("a"), mid="m1"), line(result("a")), line(use("b"), mid="m1"), line(result("b")), {"type": "summary"}]
    assert check_wire(lines, "claude_code") == []
    broken = check_wire([*lines[:4], *lines[5:]], "claude_code")
    assert [i.rule for i in broken] == ["A1"]
    side = [line(user(), isSidechain=True), line(result("a"), isSidechain=True)]
    assert [(i.rule, i.message_index) for i in check_wire([*lines, *side], "claude_code")] == [("A2", 6)]
    mended = repair_wire([*lines[:4], *lines[5:], *side], "claude_code")
    assert check_wire(mended.messages, "claude_code") == []


def test_auto_takes_the_format_from_the_messages() -> None:
    """Blocks mean Anthropic, tool roles mean OpenAI Chat."""
    assert [i.rule for i in check_wire([user(), use("a")])] == ["A1"]
    assert [i.rule for i in check_wire([user(), call("a")])] == ["C1"]
