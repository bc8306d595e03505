"""Repeated questions: one line with the count and the last answer, and only where they really ask the same."""

from __future__ import annotations

from typing import Any

import pytest

from surgeon.rewrite.repeats import Question, aggregated, repeated
from surgeon.rewrite.templates import shipped_templates
from tests.unit import blocks

_SETTINGS: dict[str, Any] = {
    "tokens": {"counter": "cl100k"}, "stores": {"path": ":memory:"}, "strict": True, "protect_recent": 2,
    "redaction": {"context": "off", "archive": "off"},
}  # fmt: skip


def talk(pairs: list[tuple[str, str]], zh: bool = False) -> list[dict[str, str]]:
    """A first task, questions with answers a minute apart, and then enough of other things that they are removed."""
    first = ("请帮我安排一次配送。", "好的。") if zh else ("Please arrange a delivery.", "Sure.")
    out: list[dict[str, str]] = []
    for n, (ask, tell) in enumerate([first, *pairs]):
        out += [
            {"role": "user", "content": ask, "timestamp": f"2026-03-01T14:2{n}:00"},
            {"role": "assistant", "content": tell, "timestamp": f"2026-03-01T14:2{n}:30"},
        ]
    for n in range(20):
        ask, tell = (f"第{n}部分说的是订单A-{n + 100}吗？", f"第{n}部分讲的是订单A-{n + 100}，一切正常。") if zh else (f"What about part {n} of A-{n + 100}?", f"Part {n} is about A-{n + 100}, all fine. ")
        out += [{"role": "user", "content": ask}, {"role": "assistant", "content": tell * 4}]
    return out


def block(messages: list[dict[str, str]], **more: Any) -> str:
    """The block of the conversation within 1,000 tokens."""
    return blocks.block(messages, 1_000, {**_SETTINGS, **more})


_EN = [("Where is my parcel?", "Still in the warehouse."), ("So where is my parcel now?", "At the sorting centre."), ("Where is my parcel now?", "It is out for delivery with Zephyr.")]
_ZH = [("我的快递现在到哪里了？", "还在仓库。"), ("我的快递到哪了？", "正在分拣中心。"), ("我的快递现在到哪里了？", "正在派送，快递员王师傅。")]


def test_the_same_question_three_times_is_one_line() -> None:
    """With the count, the newest words, the last answer word for word, and when it was given."""
    text = block(talk(_EN))
    assert 'u4: asked 3 times about "Where is my parcel now"; last answer: It is out for delivery with Zephyr, 14:23' in text
    assert text.count("Where is my parcel") + text.count("where is my parcel") == 1


def test_chinese() -> None:
    """The same in Chinese."""
    assert "u4: 3次询问“我的快递现在到哪里了”；最后回答：正在派送，快递员王师傅，14:23" in block(talk(_ZH, zh=True))


def test_equal_words_need_no_encoder() -> None:
    """Without the embedding channel the same words still count as one question."""
    pairs = [("Where is my parcel?", "Still in the warehouse."), ("where is my parcel??", "At the sorting centre."), ("Hi, where is my parcel?", "It is out with Zephyr.")]
    assert "asked 3 times" in block(talk(pairs), scoring={"channels": ["rules"]})


@pytest.mark.parametrize(
    "pair",
    [
        ("Where is order A-7?", "Where is order A-8?"), ("Where is my parcel?", "Where is my refund?"), ("Is breakfast included?", "Is dinner included?"),
        ("What time does the museum open?", "What time does the museum close?"), ("Is Anna coming?", "Is Paul coming?"), ("Can I cancel it?", "Can I change it?"),
        ("博物馆几点开门？", "博物馆几点关门？"), ("红色的多少钱？", "蓝色的多少钱？"), ("张三的快递到哪了？", "李四的快递到哪了？"), ("餐厅的电话是多少？", "餐厅的地址是什么？"),
    ],
)
def test_other_questions_are_never_taken_together(pair: tuple[str, str]) -> None:
    """However alike they sound: another number, name or thing asks something else."""
    zh = pair[0] > "\u3400"
    text = block(talk([(pair[0], "好的，一切正常" if zh else "Fine"), (pair[1], "没有变化" if zh else "No change"), (pair[0], "查到了" if zh else "Found")], zh=zh))
    assert "asked 3 times" not in text
    assert "3次询问" not in text


def test_groups_are_near_their_newest() -> None:
    """Every older question is near the newest one, so that a chain of small steps is not one question."""
    chain = [Question(str(n), text) for n, text in enumerate(("a b", "b c", "c d"))]
    near = {("a b", "b c"), ("b c", "c d")}
    groups = repeated(chain, lambda x, y: (x.text, y.text) in near)
    assert [(g.newest.unit, [q.unit for q in g.older]) for g in groups] == [("2", ["1"])]


@pytest.mark.parametrize("zh", [False, True])
def test_a_pointing_question_is_about_what_was_said_last(zh: bool) -> None:
    """"Where is it?" asked of two things is two questions, in the very same words."""
    ask, one, two = ("这个景点的地址在哪？", "我想去故宫，门票60元。", "改去长城，门票40元。") if zh else ("Where is it exactly?", "The hotel is under the name Ann Lee, 60 USD.", "Actually make it 40 USD.")
    text = block(talk([(one, "ok"), (ask, "A-1"), (two, "ok"), (ask, "A-2")], zh=zh))
    assert "asked 2" not in text
    assert "2次询问" not in text


def test_numbers_must_be_equal() -> None:
    """Whatever the encoder says."""
    one, two = Question("1", "order A-7?", frozenset({"a-7"})), Question("2", "order A-8?", frozenset({"a-8"}))
    assert repeated([one, two], lambda *_: True) == []


def test_a_long_answer_is_left_out() -> None:
    """It is copied whole or not at all."""
    group = repeated([Question("1", "Is it here?"), Question("2", "Is it here?")], lambda *_: True)[0]
    render = shipped_templates().render
    assert aggregated(group, "word " * 60, "14:22", "en", render) == 'asked 2 times about "Is it here"'
    assert aggregated(group, "Yes. See A-7.", "14:22", "en", render) == 'asked 2 times about "Is it here"; last answer: Yes. See A-7, 14:22'


def test_no_answer_without_history() -> None:
    """An earlier answer may quote a replaced value; with the history off it is not repeated."""
    assert "last answer" not in block(talk(_EN), snapshot={"history": "off"})
