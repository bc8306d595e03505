"""What the formats make of single messages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from surgeon.errors import RegistryError
from surgeon.formats import detect, get

OPENAI = get("openai_chat", image_tokens=700)
ANTHROPIC = get("anthropic")
TRANSCRIPT = get("claude_code")


def test_openai_parts() -> None:
    """Text, images, reasoning, refusal, calls and results each become the right kind of part."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 9_000}}
    call = {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": '{"id": "C789"}'}}
    native: list[Any] = [
        {"role": "developer", "content": "rules"},
        {"role": "user", "content": [{"type": "text", "text": "看图"}, image], "name": "ann"},
        {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "row 1"}]},
        {"role": "assistant", "content": None, "refusal": "I cannot"},
    ]
    system, asked, acted, answered, refused = OPENAI.read(native)
    assert system.role == "system"
    assert [(p.kind, p.text, p.tokens, p.editable) for p in asked.parts] == [("text", "看图", 0, True), ("media", "", 700, False)]
    assert asked.name == "ann"
    assert [(p.kind, p.editable) for p in acted.parts] == [("thinking", False), ("tool_call", True)]
    assert acted.calls[0].text == '{"id": "C789"}'
    assert (answered.results[0].text, answered.results[0].tool, answered.results[0].call_id) == ("row 1", "get_order", "c1")
    assert (refused.text, refused.parts[0].editable) == ("I cannot", False)
    assert [m.round for m in (system, asked, acted, answered, refused)] == [0, 1, 1, 1, 1]


def test_anthropic_parts() -> None:
    """Blocks become parts; results in a user message begin no round; server tools and thinking cannot be edited."""
    native: list[Any] = [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
                {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "文件.txt"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "body"}]}]},
        {"role": "user", "content": [{"type": "document", "source": {}}, {"type": "text", "text": "next"}]},
    ]
    messages = ANTHROPIC.read(native)
    assert [(p.kind, p.editable) for p in messages[1].parts] == [("thinking", False), ("opaque", False), ("tool_call", True)]
    assert messages[1].calls[0].text == '{"path": "文件.txt"}'
    assert messages[2].results[0].tool == "read_file"
    assert [m.round for m in messages] == [1, 1, 1, 2]
    assert messages[3].parts[0].kind == "media"


def test_changed_arguments_stay_valid() -> None:
    """Changed arguments of a call are parsed back to an object; what is no JSON is wrapped, never written as broken JSON."""
    block = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]}
    message = ANTHROPIC.read([block])[0]
    assert ANTHROPIC.write(message.with_part(0, '{"a": 2}'))["content"][0]["input"] == {"a": 2}
    assert ANTHROPIC.write(message.with_part(0, "cut of"))["content"][0]["input"] == {"arguments": "cut of"}
    assert block["content"] == [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]
    call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}
    written = OPENAI.write(OPENAI.read([call])[0].with_part(0, "cut of"))
    assert written["tool_calls"][0]["function"]["arguments"] == '{"arguments": "cut of"}'


def test_transcript_lines() -> None:
    """Lines that are no messages are kept and protected; side chains and the program's own lines begin no round."""
    native: list[Any] = [
        {"type": "summary", "summary": "s"},
        {"type": "user", "uuid": "u1", "timestamp": "2026-03-01T10:00:00Z", "message": {"role": "user", "content": "go"}},
        {"type": "user", "uuid": "u2", "isMeta": True, "message": {"role": "user", "content": "caveat"}},
        {"type": "user", "uuid": "u3", "isSidechain": True, "message": {"role": "user", "content": "sub task"}},
        {
            "type": "user",
            "uuid": "u4",
            "toolUseResult": {"stdout": "secret body"},
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "secret body"}]},
        },
    ]
    messages = TRANSCRIPT.read(native)
    assert [m.id for m in messages] == ["m0", "u1", "u2", "u3", "u4"]
    assert messages[0].protected
    assert [m.round for m in messages] == [0, 1, 1, 1, 1]
    assert messages[1].time == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert messages[3].metadata == {"sidechain": True, "aside": True}
    written = TRANSCRIPT.write(messages[4].with_part(0, "short"))
    assert written["toolUseResult"] == "short"
    assert native[4]["toolUseResult"] == {"stdout": "secret body"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-01T10:00:00+08:00", "2026-03-01T10:00:00+08:00"),
        ("2026-03-01 10:00:00", "2026-03-01T10:00:00+00:00"),
        (1_772_359_200, "2026-03-01T10:00:00+00:00"),
        (1_772_359_200_000, "2026-03-01T10:00:00+00:00"),
        ("1772359200000", "2026-03-01T10:00:00+00:00"),
        ("soon", None),
        (True, None),
        (10**30, None),
        ({}, None),
    ],
)
def test_times(value: Any, expected: str | None) -> None:
    """ISO 8601, seconds and milliseconds are understood; everything else is no time."""
    found = OPENAI.read([{"role": "user", "content": "x", "timestamp": value}])[0].time
    assert (found.isoformat() if found else None) == expected


@pytest.mark.parametrize("nested", [True, False])
def test_metadata(nested: bool) -> None:
    """The optional fields count at top level and inside `metadata`."""
    fields = {"importance_score": 0.9, "protected": True, "expires_after": 3, "ref_msg_ids": ["a"], "intent": "book", "source": "memory"}
    native = {"role": "user", "content": "x", "id": "own", **({"metadata": fields} if nested else fields)}
    message = OPENAI.read([native])[0]
    assert (message.id, message.importance, message.protected, message.expires_after) == ("own", 0.9, True, 3)
    assert (message.ref_msg_ids, message.intent, message.source) == (("a",), "book", "memory")


def test_ids_are_unique() -> None:
    """The same id twice, or one that looks like a generated one, gets a number."""
    assert [m.id for m in OPENAI.read([{"role": "user", "content": "a", "id": i} for i in ("x", "x", 7)])] == ["x", "x#2", "7"]


@pytest.mark.parametrize(
    "message",
    [None, 3, "text", [], {}, {"role": "critic", "content": "x"}, {"role": "user", "content": 5}, {"role": "user", "content": {"a": 1}}],
)
def test_what_is_no_message_is_opaque(message: Any) -> None:
    """Pieces that cannot be understood are kept, protected where nothing of them is understood, and never editable."""
    for format_ in (OPENAI, ANTHROPIC, TRANSCRIPT):
        read = format_.read([message])[0]
        assert all(not p.editable for p in read.parts)
        assert format_.write(read) is message


@pytest.mark.parametrize("arguments", [{"a": 1}, "{broken", None, 3])
def test_odd_arguments_are_not_editable(arguments: Any) -> None:
    """Arguments that are no JSON string are seen but never changed."""
    native = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": arguments}}]}
    part = OPENAI.read([native])[0].parts[0]
    assert (part.kind, part.editable, part.call_id) == ("tool_call", False, "c")


def test_detection() -> None:
    """Tool blocks mean Anthropic, tool roles and calls mean OpenAI, lines mean a transcript, plain text is read as OpenAI."""
    assert detect([{"role": "user", "content": "x"}]).name == "openai_chat"
    assert detect([]).name == "openai_chat"
    assert detect([{"role": "tool", "tool_call_id": "a", "content": "x"}]).name == "openai_chat"
    assert detect([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}]).name == "anthropic"
    assert detect([{"type": "summary"}, {"type": "user", "message": {"role": "user", "content": "x"}}]).name == "claude_code"
    with pytest.raises(RegistryError, match="openai_chat"):
        get("openai_chatt")
