"""Hypothesis strategies for conversations: valid and slightly broken ones, in each wire format, English and Chinese.

`turns()` draws a conversation in neutral form; `as_openai`, `as_anthropic` and `as_transcript` write it in a wire format.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

SENTENCES = [
    "Please book the table for four people at 7 p.m.",
    "The budget is at most 4,000 USD, not 5,000.",
    "Never delete the production database.",
    "Thanks, that is all.",
    "My address is 12 Elm Street; call 555-0134.",
    "请把送货地址改成幸福路88号。",
    "预算不超过四千元，以合同为准。",
    "严禁修改生产库！",
    "好的，谢谢",
    "👨‍👩‍👧 ok 🇨🇳 é",
    "```python\nprint('x')\n```",
    "<b>not</b> a block <|intent|> x <|/intent|>",
]
CORRECTIONS = ["Actually make it 3 p.m.", "No, Tuesday.", "不对，是后天下午三点。", "改成88号", "Go back to the first one.", "恢复最初版本"]
TOOLS = ["search_flights", "read_file", "query_orders", "run_tests"]

prose = st.one_of(
    st.sampled_from(SENTENCES), st.lists(st.sampled_from(SENTENCES), min_size=2, max_size=4).map(" ".join), st.text(max_size=30)
)
said = st.one_of(prose, st.sampled_from(CORRECTIONS))
filled = said.filter(lambda text: bool(text.strip()))
values = st.one_of(st.integers(-5, 10_000), st.booleans(), st.none(), st.sampled_from(["Ann Lee", "王小明", "C789", "ann@example.com", ""]))
arguments = st.dictionaries(st.sampled_from(["id", "query", "path", "数量", "date"]), values, max_size=3)


def _log(count: int) -> str:
    return "\n".join(f"2026-03-0{1 + i % 9}T10:0{i % 10}:00Z INFO worker-{i % 3} request done in {17 * i % 900}ms" for i in range(count))


def _table(count: int) -> str:
    return "\n".join(["| id | name | total |", "|---|---|---|", *(f"| {i} | name {i} | {i * 3.5} |" for i in range(count))])


def _rows(count: int) -> str:
    return json.dumps([{"id": f"C{i}", "name": "王小明" if i % 2 else "Ann Lee", "total": i * 2.5, "ok": i % 3 == 0} for i in range(count)])


outputs = st.one_of(st.integers(1, 60).map(_log), st.integers(1, 40).map(_table), st.integers(1, 40).map(_rows), prose)
extras = st.dictionaries(st.sampled_from(["x_unknown", "trace", "标签"]), values, max_size=1)


@st.composite
def turns(draw: st.DrawFn, max_turns: int = 6) -> list[dict[str, Any]]:
    """A valid conversation in neutral form: dicts with `role`, `text` and, for the assistant, `calls` with their results and `thought`."""
    out: list[dict[str, Any]] = []
    number = 0
    for _ in range(draw(st.integers(1, max_turns))):
        out.append({"role": "user", "text": draw(filled), "image": draw(st.booleans()) and draw(st.booleans()), "extra": draw(extras)})
        for _ in range(draw(st.integers(0, 2))):
            calls = []
            for _ in range(draw(st.integers(1, 3))):
                number += 1
                tool = draw(st.sampled_from(TOOLS))
                calls.append(
                    {
                        "id": f"call_{number}",
                        "tool": tool,
                        "arguments": draw(arguments),
                        "result": draw(outputs),
                        "list": draw(st.booleans()),
                    }
                )
            out.append({"role": "assistant", "text": draw(st.one_of(st.just(""), filled)), "calls": calls, "thought": draw(st.booleans())})
        out.append({"role": "assistant", "text": draw(filled).rstrip() or "ok", "calls": [], "thought": draw(st.booleans())})
    return out


def as_openai(conversation: list[dict[str, Any]]) -> list[Any]:
    """The conversation as Chat Completions messages."""
    out: list[Any] = [{"role": "system", "content": "You are a helpful assistant."}]
    for turn in conversation:
        if turn["role"] == "user":
            parts = [{"type": "text", "text": turn["text"]}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
            out.append({"role": "user", "content": parts if turn["image"] else turn["text"], **turn["extra"]})
            continue
        message: dict[str, Any] = {"role": "assistant", "content": turn["text"] or None}
        if turn["calls"]:
            message["reasoning_content"] = "thinking about it"
            message["tool_calls"] = [
                {"id": c["id"], "type": "function", "function": {"name": c["tool"], "arguments": json.dumps(c["arguments"])}}
                for c in turn["calls"]
            ]
        elif not turn["text"]:
            message["content"] = "ok"
        out.append(message)
        for call in turn["calls"]:
            content: Any = [{"type": "text", "text": call["result"]}] if call["list"] else call["result"]
            out.append({"role": "tool", "tool_call_id": call["id"], "name": call["tool"], "content": content})
    return out


def as_anthropic(conversation: list[dict[str, Any]]) -> list[Any]:
    """The conversation as Messages API messages."""
    out: list[Any] = []
    results: list[Any] = []
    for turn in conversation:
        if turn["role"] == "user":
            image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
            blocks = [{"type": "text", "text": turn["text"]}, *([image] if turn["image"] else [])]
            out.append({"role": "user", "content": blocks if turn["image"] else turn["text"], **turn["extra"]})
            continue
        if results:
            out.append({"role": "user", "content": results})
            results = []
        content: list[Any] = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}] if turn["thought"] else []
        content += [{"type": "text", "text": turn["text"]}] if turn["text"].strip() else []
        content += [{"type": "tool_use", "id": c["id"], "name": c["tool"], "input": c["arguments"]} for c in turn["calls"]]
        out.append({"role": "assistant", "content": content})
        for call in turn["calls"]:
            inner: Any = [{"type": "text", "text": call["result"] or "-"}] if call["list"] else call["result"]
            results.append({"type": "tool_result", "tool_use_id": call["id"], "content": inner})
    return out


def as_transcript(conversation: list[dict[str, Any]]) -> list[Any]:
    """The conversation as transcript lines: one block a line, results as lines of their own, and lines that are no messages."""
    out: list[Any] = [{"type": "summary", "summary": "A test session", "leafUuid": "u0"}]
    for number, message in enumerate(as_anthropic(conversation)):
        blocks = message["content"] if isinstance(message["content"], list) else [message["content"]]
        for block in blocks:
            inner: dict[str, Any] = {"role": message["role"], "content": block if isinstance(block, str) else [block]}
            line = {"type": message["role"], "uuid": f"u{len(out)}", "parentUuid": f"u{len(out) - 1}", "timestamp": "2026-03-01T10:00:00Z"}
            if message["role"] == "assistant":
                inner["id"] = f"msg_{number}"
            if isinstance(block, dict) and block.get("type") == "tool_result":
                line["toolUseResult"] = {"stdout": "kept by the program"}
            out.append({**line, "message": inner})
    return [*out, {"type": "file-history-snapshot", "snapshot": {}}]


openai_conversations = turns().map(as_openai)
anthropic_conversations = turns().map(as_anthropic)
transcripts = turns().map(as_transcript)
conversations = st.one_of(
    openai_conversations.map(lambda m: ("openai_chat", m)),
    anthropic_conversations.map(lambda m: ("anthropic", m)),
    transcripts.map(lambda m: ("claude_code", m)),
)

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=6,
)
_KEYS = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "text",
        "tool_calls",
        "tool_call_id",
        "id",
        "function",
        "arguments",
        "name",
        "message",
        "input",
        "tool_use_id",
        "metadata",
        "timestamp",
        "uuid",
        "refusal",
        "reasoning_content",
        "function_call",
        "signature",
        "importance_score",
        "ref_msg_ids",
    ]
)
_WORDS = st.sampled_from(
    ["user", "assistant", "tool", "system", "text", "tool_use", "tool_result", "image", "thinking", "x", "{}", "\ud800"]
)
garbage = st.recursive(
    st.one_of(json_values, _WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=5)),
    max_leaves=12,
)


@st.composite
def broken_conversations(draw: st.DrawFn) -> tuple[str, list[Any]]:
    """A conversation of which messages were lost, doubled, swapped or replaced by rubbish."""
    name, messages = draw(conversations)
    out = list(messages)
    for _ in range(draw(st.integers(1, 4))):
        if not out:
            break
        place = draw(st.integers(0, len(out) - 1))
        how = draw(st.sampled_from(["lose", "double", "swap", "rubbish"]))
        if how == "lose":
            del out[place]
        elif how == "double":
            out.insert(place, out[place])
        elif how == "swap" and place:
            out[place - 1], out[place] = out[place], out[place - 1]
        elif how == "rubbish":
            out[place] = draw(garbage)
    return name, out
