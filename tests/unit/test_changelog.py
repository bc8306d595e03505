"""Change-log lines: a correction that says nothing else stands as what it changed, from the history of the fact and no further."""

from __future__ import annotations

from typing import Any

import pytest

from surgeon.rewrite.changelog import Changed, changelog, left_over
from surgeon.rewrite.templates import shipped_templates
from tests.unit import blocks

_SETTINGS: dict[str, Any] = {
    "tokens": {"counter": "cl100k"}, "stores": {"path": ":memory:"}, "strict": True, "scoring": {"channels": ["rules"]}, "protect_recent": 2,
    "redaction": {"context": "off", "archive": "off"}, "snapshot": {"entity_tokens": 0},
}  # fmt: skip


def lines(text: str, *changes: Changed, language: str = "en") -> list[str]:
    """The lines for a message; a token is a character here."""
    return changelog(text, changes, language, shipped_templates().render, len)


def talk(*said: str, zh: bool = False) -> list[dict[str, str]]:
    """What the user said, acknowledged, and then enough of other things that it is removed."""
    out: list[dict[str, str]] = []
    for text in said:
        out += [{"role": "user", "content": text}, {"role": "assistant", "content": "好的。" if zh else "ok."}]
    for n in range(20):
        ask, tell = (f"第{n}部分说的是什么？", f"第{n}部分讲的是订单A-{n + 100}，一切正常。") if zh else (f"What about part {n}?", f"Part {n} is about A-{n + 100}, all fine. ")
        out += [{"role": "user", "content": ask}, {"role": "assistant", "content": tell * 4}]
    return out


def block(messages: list[dict[str, str]], **more: Any) -> str:
    """The block of the conversation within 900 tokens."""
    return blocks.block(messages, 900, {**_SETTINGS, **more})


@pytest.mark.parametrize(
    ("text", "change", "language", "line"),
    [
        ("No, number 88.", Changed("address", "8 Mill Rd", "88 Mill Rd", "patch", 5), "en", "[round 5] address: 8 Mill Rd → 88 Mill Rd"),
        ("不对，是88号", Changed("地址", "幸福路8号", "幸福路88号", "patch", 5), "zh", "[第5轮] 地址：幸福路8号 → 幸福路88号"),
        ("Back to the first one, please.", Changed("date", "June 4", "June 1", "restore", 9, 2), "en", "[round 9] date: June 4 → June 1 (restored from round 2)"),
        ("还是恢复最初的吧", Changed("日期", "6月4日", "6月1日", "restore", 9, 2), "zh", "[第9轮] 日期：6月4日 → 6月1日（恢复自第2轮）"),
        ("Cancel that.", Changed("hotel", "Blue Harbor", "Blue Harbor", "cancel", 6), "en", "[round 6] hotel: Blue Harbor → cancelled"),
    ],
)
def test_a_correction_that_is_not_understood_alone(text: str, change: Changed, language: str, line: str) -> None:
    """Part, restore and cancel become the line of their template, in both languages."""
    assert lines(text, change, language=language) == [line]


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("Make that 8 Mill Rd.", Changed("address", "1 Harbor St", "8 Mill Rd", "update", 5)),  # says it plainly, and shorter
        ("No, number 88, my sister moved there.", Changed("address", "8 Mill Rd", "88 Mill Rd", "patch", 5)),  # says more
        ("No, number 88 and 3 boxes.", Changed("address", "8 Mill Rd", "88 Mill Rd", "patch", 5)),
        ("不对，是88号，记得带伞", Changed("地址", "幸福路8号", "幸福路88号", "patch", 5)),
    ],
)
def test_words_that_say_more_or_say_it_plainly_stay(text: str, change: Changed) -> None:
    """Nothing is lost for the sake of a line."""
    assert lines(text, change) == []
    assert lines(text, change, language="zh") == [] or not left_over(text, f"{change.key}{change.old}{change.new}")


def test_without_a_template_the_words_stay() -> None:
    """A template that is missing, or that leaves a value out, writes no line."""
    change = Changed("address", "8 Mill Rd", "88 Mill Rd", "patch", 5)
    assert changelog("No, number 88.", [change], "en", lambda *_: None, len) == []


def test_the_line_stands_in_the_dialogue_of_the_block() -> None:
    """English and Chinese, with the value before and after; compacting again changes nothing."""
    assert "u3: [round 3] address: 8 Mill Road → 88 Mill Road" in block(talk("Please arrange a delivery.", "Ship it to 8 Mill Road.", "No, number 88."))
    text = block(talk("请帮我安排一次配送。", "送到杭州市西湖区幸福路8号", "不对，是88号", zh=True))
    assert "u3: [第3轮] 地址：杭州市西湖区幸福路8号 → 杭州市西湖区幸福路88号" in text


def test_no_superseded_value_without_history() -> None:
    """With the history off no line is written."""
    text = block(talk("Please arrange a delivery.", "Ship it to 12 Mill Road.", "No, number 88."), snapshot={"entity_tokens": 300, "history": "off"})
    assert "→" not in text
    assert "12 Mill Road" not in text


def test_users_override_the_template(tmp_path: Any) -> None:
    """A template of the same id takes the place of the shipped one."""
    file = tmp_path / "mine.yaml"
    file.write_text(
        "version: 1\nid: correction.changed\nstatus: draft\nsummary: Mine.\nwhy: Short.\nwhen: {kind: correction, language: en}\n"
        "body: '{{ key }}: {{ old }} => {{ new }}'\notherwise: keep\n",
        "utf-8",
    )
    talked = talk("Please arrange a delivery.", "Ship it to 8 Mill Road.", "No, number 88.")
    assert "u3: address: 8 Mill Road => 88 Mill Road" in block(talked, templates={"paths": [str(file)]})
