"""Bad, hostile and huge input: a clear error or an honest pass-through with a warning; never another exception, a hang or a lost message."""

from __future__ import annotations

import json
import resource
import time
from typing import Any

import pytest
import regex
from hypothesis import HealthCheck, given
from hypothesis import settings as profile

from surgeon import Surgeon, SurgeonError, compact
from surgeon.errors import InputError, SettingsError
from surgeon.result import Compaction
from tests.strategies import broken_conversations

_FAST: dict[str, Any] = {"tokens": {"counter": "cl100k"}, "stores": {"path": ":memory:"}, "scoring": {"channels": ["rules"]}, "protect_recent": 4}
_STRICT = {**_FAST, "strict": True}


def chat(rounds: int, answer: str = "It was sent on Monday with parcel PX-{n}, and it weighs {n} kg.") -> list[Any]:
    """A plain conversation of this many rounds."""
    out: list[Any] = [{"role": "system", "content": "You help."}]
    for n in range(rounds):
        out += [{"role": "user", "content": f"Where is parcel {n}?"}, {"role": "assistant", "content": answer.format(n=n)}]
    return out


def calling(content: Any, name: str = "read") -> list[Any]:
    """A conversation with one tool call and this result."""
    function = {"name": name, "arguments": "{}"}
    return [
        {"role": "user", "content": "Look it up."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": content},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "And now?"},
    ]


def sound(result: Compaction, before: list[Any]) -> None:
    """The result can be sent as UTF-8 where the input could, is not larger, and loses no message without a decision."""
    try:
        json.dumps(before, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError):
        pass
    else:
        json.dumps(list(result.messages), ensure_ascii=False).encode("utf-8")
        result.text.encode("utf-8")
    assert result.report.tokens_after <= result.report.tokens_before
    assert len(result.messages) <= len(before) + 1


def test_no_messages() -> None:
    """An empty conversation is compact already."""
    result = compact([], budget=10, settings=_STRICT)
    assert list(result.messages) == []
    assert (result.report.tokens_before, result.report.tokens_after) == (0, 0)


@pytest.mark.parametrize("what", ["a string", b"bytes", 7, None, {"role": "user", "content": "x"}])
def test_what_is_no_list_is_an_error_that_says_so(what: Any) -> None:
    """The error names the type that came and what to pass."""
    with pytest.raises(InputError, match="list"):
        compact(what, budget=10, settings=_STRICT)


@pytest.mark.parametrize("odd", [None, 7, "text", [], ["x"], {}, {"role": None}, {"role": "martian", "content": "x"}, {"content": "x"}, float("nan"), object()])
def test_messages_that_are_no_messages_pass_through(odd: Any) -> None:
    """What cannot be understood is kept as the same object, wherever it stands."""
    messages = [odd, *chat(12), odd]
    result = compact(messages, budget=150, settings=_STRICT)
    assert sum(m is odd for m in result.messages) == 2
    assert result.report.tokens_after < result.report.tokens_before


@pytest.mark.parametrize("content", [None, 5, 1.5, True, [], [None], [7], ["text"], {}, {"text": "x"}, [{"type": "text"}], [{"type": "text", "text": 7}]])
@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system"])
@pytest.mark.parametrize("name", ["openai_chat", "anthropic"])
def test_content_of_a_wrong_type(content: Any, role: str, name: str) -> None:
    """Content that is no text is left alone and breaks nothing."""
    messages = [*chat(10), {"role": role, "content": content, "tool_call_id": "x"}, {"role": "user", "content": "And?"}]
    sound(compact(messages, budget=120, settings=_STRICT, format=name), messages)


def test_orphans_reused_ids_and_half_a_call_stay_as_valid_as_they_were() -> None:
    """Each fault alone and all together: no new issue, the open call stays, the rest is compacted."""
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "found it " * 50}
    orphan = {"role": "tool", "tool_call_id": "nobody", "content": "lost " * 50}
    messages = [*chat(8), orphan, call, answer, {"role": "user", "content": "Again."}, call, answer, orphan, {"role": "user", "content": "Now."}, call]
    result = compact(messages, budget=160, settings=_STRICT)
    had = {i.rule for i in compact(messages, settings=_STRICT).report.issues}
    assert {i.rule for i in result.report.issues} <= had
    assert result.messages[-1] is call
    sound(result, messages)


def test_five_thousand_parallel_calls() -> None:
    """One turn with thousands of calls is one unit, in linear time."""
    calls = [{"id": f"c{i}", "type": "function", "function": {"name": "f", "arguments": json.dumps({"id": i})}} for i in range(5_000)]
    answers = [{"role": "tool", "tool_call_id": f"c{i}", "content": f"row {i} is ok"} for i in range(5_000)]
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": None, "tool_calls": calls}, *answers, *chat(3)[1:]]
    start = time.process_time()
    result = compact(messages, budget=2_000, settings=_STRICT)
    assert time.process_time() - start < 60
    assert result.report.tokens_after <= 2_000
    assert not result.report.issues


_DEEP = "[" * 10_000 + "]" * 10_000
_DEEP_OBJECT = '{"a":' * 10_000 + "1" + "}" * 10_000


@pytest.mark.parametrize("text", [_DEEP, _DEEP_OBJECT, '{"rows": ' + _DEEP + "}", "<a>" * 10_000, "(" * 20_000, "> " * 20_000])
def test_deep_nesting_in_a_result(text: str) -> None:
    """Ten thousand levels are text like any other: no recursion error gets out, and ingest leaves them valid."""
    messages = calling(text)
    result = compact(messages, budget=200, settings=_STRICT)
    sound(result, messages)
    assert not any("passed through unchanged" in w for w in result.report.warnings)
    assert Surgeon(_STRICT).ingest(messages[2])["tool_call_id"] == "c1"


def test_deep_nesting_in_a_message_passes_through() -> None:
    """A native message nested too deep to walk is kept as it is."""
    deep: Any = "x"
    for _ in range(10_000):
        deep = [deep]
    messages = [*chat(10), {"role": "user", "content": deep}, {"role": "user", "content": "And?"}]
    result = compact(messages, budget=100, settings=_FAST)
    assert any(m is messages[-2] for m in result.messages)


_PAIRS = "key=value;" * 50_000


@pytest.mark.parametrize(
    "text", [_PAIRS * 10, json.dumps({"blob": _PAIRS}), "é" * 250_000, "日志" * 100_000, "a" * 500_000, "<b>" * 150_000, "1," * 200_000, "a.b/" * 100_000]
)
def test_one_line_of_megabytes(text: str) -> None:
    """A result of five megabytes, or half of one in worse shapes, without a single line break is cut down in linear time."""
    messages = calling(text)
    start = time.process_time()
    result = compact(messages, budget=1_000, settings={**_STRICT, "tokens": {"counter": "estimate"}})
    assert time.process_time() - start < 5 + len(text) / 100_000
    assert result.report.tokens_after <= 1_000
    sound(result, messages)


@pytest.mark.parametrize("role", [pytest.param("user", marks=pytest.mark.heavy), "assistant"])
def test_a_message_of_ten_megabytes(role: str) -> None:
    """Ten megabytes of prose in an old message are read, removed and can be had back."""
    text = "The parcel PX-17 was sent on Monday and weighs 4 kg. " * 190_000
    messages = [{"role": "user", "content": "Hello."}, {"role": role, "content": text}, *chat(4)[1:]]
    start = time.process_time()
    result = compact(messages, budget=800, settings={**_STRICT, "tokens": {"counter": "estimate"}, "protect_recent": 2})
    assert time.process_time() - start < 60
    assert result.report.tokens_after <= 800
    surgeon = Surgeon(_STRICT)
    assert all(surgeon.expand(ref) for ref in result.report.refs)


@pytest.mark.parametrize("rounds", [5_000, pytest.param(50_000, marks=pytest.mark.heavy)])
def test_ten_and_hundred_thousand_messages(rounds: int) -> None:
    """A hundred thousand messages end in minutes, not hours, and some two gigabytes, within budget or with the warning that says why not."""
    messages = chat(rounds)
    start = time.process_time()
    result = compact(messages, budget=4_000, settings={**_STRICT, "tokens": {"counter": "estimate"}})
    assert time.process_time() - start < 30 + rounds / 200
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2_500_000
    assert result.report.tokens_after <= 4_000 or result.report.warnings
    assert result.state["rounds"] == rounds


@pytest.mark.parametrize("text", ["a\x00b\x00", "\ud800 lone \udfff", "\ufeff\u200b\u2060", "\x1b[31mred\x1b[0m", "\r\r\n\u2028\u2029\x85"])
def test_odd_characters(text: str) -> None:
    """NUL, lone surrogates, invisible and control characters: the message stays what it was, the archive gives it back."""
    messages = [{"role": "user", "content": f"Keep {text} please, order A-17."}, *chat(12, f"Sent {text} PX-{{n}}.")[1:]]
    session = Surgeon({**_STRICT, "redaction": {"context": "off", "archive": "off"}}).session("odd")
    for message in messages:
        session.add(message)
    result = session.context(budget=150)
    sound(result, messages)
    assert result.messages[-1] is messages[-1]
    assert all(session.expand(ref) for ref in result.report.refs)
    json.dumps(session.state())


_FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
_SCRIPTS = [
    "שלום, החבילה נשלחה ביום שני. המספר הוא 17.",
    "مرحبا، تم إرسال الطرد يوم الاثنين. الرقم ١٧.",
    "e\u0301a\u0308o\u0302 " * 20,
    f"{_FAMILY} " * 20,
    "नमस्ते, पार्सल सोमवार को भेजा गया।",
    "\u202eabc\u202c def",
]


@pytest.mark.parametrize("text", _SCRIPTS)
def test_no_grapheme_is_cut(text: str) -> None:
    """Right-to-left, combining and joined characters come out whole: every cluster of the result is one of the input."""
    messages = [{"role": "user", "content": text}, *[m for _ in range(8) for m in ({"role": "user", "content": text}, {"role": "assistant", "content": text + " ok"})]]
    messages += calling(text * 30)
    result = compact(messages, budget=200, settings=_STRICT)
    sound(result, messages)
    own = set(regex.findall(r"\X", json.dumps(messages, ensure_ascii=False)))
    shown = [c for c in regex.findall(r"\X", json.dumps(list(result.messages), ensure_ascii=False)) if not c.isascii()]
    assert [c for c in shown if c not in own and c not in "…→·"] == []


@pytest.mark.parametrize("budget", [0, 1, -5, 10**12])
@pytest.mark.parametrize("name", ["openai_chat", "anthropic"])
def test_odd_budgets(budget: int, name: str) -> None:
    """Too small: the smallest valid context with a warning. Huge: everything as it is."""
    messages = chat(12)[name == "anthropic" :]
    result = compact(messages, budget=budget, settings=_STRICT, format=name)
    assert not result.report.issues
    if budget > 100:
        assert all(a is b for a, b in zip(result.messages, messages, strict=True))
    else:
        assert any("the budget is" in w for w in result.report.warnings)
        assert messages[-2]["content"] in json.dumps(list(result.messages))
    sound(result, messages)


def test_unknown_format_is_an_error_that_lists_the_formats() -> None:
    """A misspelt format is the caller's fault: it is never silently taken for another, nor passed through."""
    for settings in (_FAST, _STRICT):
        with pytest.raises(SurgeonError, match="anthropic"):
            compact(chat(3), budget=20, settings=settings, format="antropic")


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"protect_recnt": 3}, "protect_recent"),
        ({"tokens": {"countr": "x"}}, "counter"),
        ({"tokens": {"counter": "gpt9"}}, "cl100k"),
        ({"profile": "wild"}, "profile"),
        ({"protect_recent": -1}, "protect_recent"),
        ({"stores": "here"}, "stores"),
        ({"scoring": {"drop_below": 7}}, "drop_below"),
        ({"scoring": {"channels": ["magic"]}}, "similarity"),
    ],
)
def test_wrong_settings_name_the_key(settings: dict[str, Any], match: str) -> None:
    """A wrong key or value is a SettingsError that names it, whether strict or not."""
    with pytest.raises(SettingsError, match=match):
        compact(chat(3), budget=20, settings=settings)


@pytest.mark.parametrize("now", ["yesterday-ish", "", 17, "2026-13-45", [], "9" * 500])
def test_a_now_that_is_no_time(now: Any) -> None:
    """The error shows the form that is wanted."""
    with pytest.raises(SurgeonError, match="ISO 8601"):
        compact(chat(3), budget=20, settings=_STRICT, now=now)


@pytest.mark.parametrize(
    "state", [{}, {"version": 1}, {"snapshot": None}, {"whole": {"tail": ["x"], "count": 1}, "rounds": 5}, {"whole": None, "sent": 7, "rounds": None}, {"sent": {"tail": [1], "count": "x", "marks": [7]}}, {"snapshot": {"facts": [{}]}}, {"snapshot": 7}]
)
def test_a_state_that_is_none(state: Any) -> None:
    """A damaged state costs what it would have known, or is named; the messages come back in any case."""
    messages = chat(12)
    result = compact(messages, budget=150, settings=_FAST, state=state)
    sound(result, messages)
    assert len(result.messages) == len(messages) or result.report.refs


@profile(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(broken_conversations())
def test_broken_conversations_never_raise(case: tuple[str, list[Any]]) -> None:
    """Lost, doubled, swapped and rubbish messages: strict mode finds no fault of ours, and no new issue appears."""
    name, messages = case
    result = compact(messages, budget=60, settings=_STRICT, format=name)
    assert result.report.tokens_after <= result.report.tokens_before
    session = Surgeon({**_STRICT, "redaction": {"context": "off", "archive": "off"}}).session("s")
    for message in messages:
        session.add(message)
    session.context(budget=60)
