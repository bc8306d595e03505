"""Which record of a listing the talk came to, and which call of a tool says what holds now."""

from __future__ import annotations

import json
from typing import Any

import pytest

from surgeon import compact
from surgeon.select import Candidate
from surgeon.taken import named, taken_up
from surgeon.text.times import find

_SETTINGS = {"tokens": {"counter": "cl100k"}, "stores": {"path": ":memory:"}, "redaction": {"context": "off", "archive": "off"}, "strict": True}
_ROWS = [Candidate(0, n, f"line: Ferry {n}, leaving_time: {6 + n:02d}:45, fare: {30 + n}") for n in range(5)]


def weights(answers: list[str]) -> list[float]:
    """What the rows weigh after these answers."""
    return [c.weight for c in taken_up(_ROWS, answers)]


def call(n: int, name: str, args: dict[str, Any], result: Any) -> list[dict[str, Any]]:
    """A call and its result."""
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}]},
        {"role": "tool", "tool_call_id": f"call_{n}", "content": json.dumps(result)},
    ]


def said(role: str, text: str) -> dict[str, Any]:
    """A message of text."""
    return {"role": role, "content": text}


@pytest.mark.parametrize(
    ("answers", "row"),
    [
        (["There is one at 8:45 am."], 2),
        (["There is one at 6:45 am.", "Another leaves at 9:45 am."], 3),
        (["Ferry 1 leaves at 7:45 am.", "You are welcome."], 1),
        (["上午8:45有一班。"], 2),
        (["票价33元。", "好的。"], 3),
    ],
)
def test_the_record_that_the_talk_came_to_weighs_more(answers: list[str], row: int) -> None:
    """The last answer that tells one record from the others decides; a time of day counts however it is written."""
    assert [n for n, w in enumerate(weights(answers)) if w > 1.0] == [row]


@pytest.mark.parametrize("answers", [[], ["Here are some ferries."], ["I found 5 lines."], ["给您找到几班船。"]])
def test_without_a_named_record_all_weigh_the_same(answers: list[str]) -> None:
    """An answer that tells no record from the others prefers none."""
    assert weights(answers) == [1.0] * 5


def test_fields_that_depend_on_a_record_go_with_it() -> None:
    """A record in two parts is weighed as one."""
    parts = [Candidate(0, 0, "name: Heron Inn, price: 90"), Candidate(0, 1, "street: 4 Quay Lane", needs=0), Candidate(0, 2, "name: Tern House, price: 70")]
    assert [c.weight > 1 for c in taken_up(parts, ["The Heron Inn is free."])] == [True, True, False]


def test_times_are_named_as_records_write_them() -> None:
    """Twelve-hour and Chinese times meet the form of the data."""
    assert "20:10" in named("It leaves at 8:10 pm.")
    assert "15:30" in named("下午3:30出发")


@pytest.mark.parametrize(
    ("ask", "key", "old", "new", "chat", "reply", "end"),
    [
        ("What is on that account?", "account", "savings", "checking", "I walked along the pier and saw seagull number {n} there.", "How nice, pier {n} is lovely at dusk.", "Thanks, that is all."),
        ("那个账户有多少钱？", "account", "储蓄", "活期", "我今天在码头走了走，看到第{n}只海鸥。", "真好，第{n}个码头傍晚很美。", "谢谢，没有别的了。"),
    ],
)
def test_the_newest_call_of_a_tool_outlives_the_earlier(ask: str, key: str, old: str, new: str, chat: str, reply: str, end: str) -> None:
    """The value that was asked for last is kept when both do not fit."""
    filler = [m for n in range(40) for m in (said("user", chat.format(n=n)), said("assistant", reply.format(n=n)))]
    talk = [
        *filler[:20], said("user", ask), *call(1, "balance", {key: old}, {"balance": "2377.24", key: old}), said("assistant", "2377.24"),
        said("user", ask), *call(2, "balance", {key: new}, {"balance": "9912.46", key: new}), said("assistant", "9912.46"), *filler[20:], said("user", end),
    ]
    result = compact(talk, budget=150, settings=_SETTINGS)
    text = json.dumps(result.messages, ensure_ascii=False)
    assert new in text
    assert "9912.46" in text


@pytest.mark.parametrize(("words", "iso"), [("下午3:30", "15:30"), ("晚上 8:05", "20:05"), ("上午9：15", "09:15"), ("中午11:30", "11:30"), ("中午1:10", "13:10"), ("凌晨12:20", "00:20"), ("3:30", "03:30")])
def test_a_part_of_the_day_before_a_clock_time_belongs_to_it(words: str, iso: str) -> None:
    """Half past three in the afternoon is not half past three at night."""
    assert [(w.iso, words[w.start : w.end]) for w in find(words, None)] == [(iso, words)]
