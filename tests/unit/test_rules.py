"""The rule channel: what matches, what does not, how a text is scored, and that no search can hang."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from surgeon.errors import RuleError
from surgeon.scoring.rules import RuleChannel, RuleSet, score_text, shipped_rules
from surgeon.types import Message, Part, Unit

PACK = """version: 1
about: A pack for tests.
rules:
  - id: demo.price
    status: draft
    summary: A price.
    why: Tests.
    label: price
    weight: 0.5
    keywords: [euro, 欧元]
    any: ['\\d+ euros?', '\\d+欧元']
    unless: ['about \\d+ euros?']
    effect: pin
"""


def pack(folder: Path, text: str, name: str = "demo.yaml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def labels(text: str, role: str = "user") -> set[str]:
    return {m.label for m in shipped_rules().match(text, role)}


def pinned(text: str) -> list[str]:
    return [m.text for m in shipped_rules().match(text) if m.effect == "pin"]


def test_a_match_has_its_place_and_effect(tmp_path: Path) -> None:
    """Offsets are in characters of the text as given."""
    rules = RuleSet.load([pack(tmp_path, PACK)])
    (found,) = rules.match("总价 it costs 12 Euros.")
    assert (found.rule_id, found.text, found.start, found.end, found.effect) == ("demo.price", "12 Euros", 12, 20, "pin")


def test_unless_removes_only_the_match_it_overlaps(tmp_path: Path) -> None:
    """An exception speaks about its own stretch, not about the whole text."""
    rules = RuleSet.load([pack(tmp_path, PACK)])
    assert [m.text for m in rules.match("about 12 euros, later 30 euros")] == ["30 euros"]


def test_roles_limit_a_rule() -> None:
    """A tool's text never becomes a constraint."""
    assert pinned("Never delete the audit table.")
    assert not [m for m in shipped_rules().match("Never delete the audit table.", "tool") if m.effect == "pin"]


@pytest.mark.parametrize(
    "text",
    [
        "Do not touch the billing service.",
        "and please never email the customer directly",
        "It must not exceed 40 pages",
        "You must be back at most 2 hours later",
        "严禁删除日志",
        "千万不要联系客户",
        "以最新的报价单为准",
        "总价不超过800元",
        "只能用现金支付",
    ],
)
def test_constraints_pin(text: str) -> None:
    """Prohibitions and limits protect their message, in both languages."""
    assert pinned(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know yet",
        "don't worry about it",
        "you don't need to do that",
        "Never mind, it works",
        "不要紧",
        "别担心",
        "你不需要这样做",
        "特别好吃",
        "Those rooms do not have a balcony.",
    ],
)
def test_tense_and_politeness_do_not_pin(text: str) -> None:
    """What only looks like a prohibition is none."""
    assert not pinned(text)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Actually, make it Thursday", "correction"),
        ("不对，改成周四", "correction"),
        ("go back to the first address", "restore"),
        ("按第一次说的来", "restore"),
        ("please cancel the booking", "cancellation"),
        ("取消订单", "cancellation"),
        ("let's go with option two", "decision"),
        ("就这么定", "decision"),
        ("I prefer a window seat", "preference"),
        ("我喜欢靠窗", "preference"),
        ("ConnectionError: refused", "error"),
        ("编译失败", "error"),
        ("all tests pass now", "completion"),
        ("已处理", "completion"),
        ("order SF8812-77 is late", "identifier"),
        ("订单SF881277还没到", "identifier"),
        ("see you next Friday", "time"),
        ("下周五见", "time"),
    ],
)
def test_labels_in_both_languages(text: str, label: str) -> None:
    """Every label is found in English and in Chinese."""
    assert label in labels(text)


@pytest.mark.parametrize("text", ["ok thanks lol", "好的 谢谢", "嗯嗯", "Hello there!", "你好，在吗", "哈哈"])
def test_small_talk_scores_below_neutral(text: str) -> None:
    """Greetings and acknowledgements speak against keeping."""
    assert score_text(text).score < 0.15


def test_reasons_combine_and_name_their_rules() -> None:
    """Several signs weigh more than one, and each is told."""
    one, several = score_text("It costs 300 euros."), score_text("It must not cost more than 300 euros, final answer, by Friday.")
    assert several.score > one.score > 0.2
    assert {r.name for r in several.reasons} >= {"constraint.prohibition", "obligation.final", "time.expression"}
    assert all(r.channel == "rules" for r in several.reasons)


def test_reasons_do_not_repeat_personal_data() -> None:
    """The detail of an identifier is its label only."""
    details = " ".join(r.detail for r in score_text("mail lena@example.com, order AB123456").reasons)
    assert "lena" not in details
    assert "AB123456" not in details


def test_a_slow_pattern_is_cut_off(tmp_path: Path) -> None:
    """A hostile text costs the limit of time at most, and counts as no match."""
    slow = PACK.replace("'\\d+ euros?', '\\d+欧元'", "'(?:a|aa)+$'").replace("    keywords: [euro, 欧元]\n", "")
    rules = RuleSet.load([pack(tmp_path, slow)], seconds=0.05)
    began = time.perf_counter()
    assert rules.match("a" * 5_000 + "!") == []
    assert time.perf_counter() - began < 30


def test_a_later_file_overrides_a_rule(tmp_path: Path) -> None:
    """A user's rule of the same id replaces the shipped one."""
    first, second = pack(tmp_path, PACK, "a.yaml"), pack(tmp_path, PACK.replace("weight: 0.5", "weight: 0.9"), "b.yaml")
    assert [m.weight for m in RuleSet.load([first, second]).match("9 euros")] == [0.9]


def test_a_broken_file_names_its_place(tmp_path: Path) -> None:
    """Loading stops with file, line and column."""
    path = pack(tmp_path, PACK.replace("weight: 0.5", "wieght: 0.5"))
    with pytest.raises(RuleError, match=r"demo\.yaml:\d+:\d+"):
        RuleSet.load([path])


def test_the_channel_scores_units() -> None:
    """The best message of a unit decides."""
    parts = [Message("m0", "user", (Part("text", "thanks!"),)), Message("m1", "user", (Part("text", "Never ship on Friday."),))]
    unit = Unit("u0", "user", tuple(parts), 1)
    score = RuleChannel(shipped_rules())([unit], None, None)["u0"]
    assert score.total == score.rule > 0.8
    assert score.reasons[0].name == "constraint.prohibition"


def test_matching_is_fast() -> None:
    """The whole set reads an ordinary message in a few milliseconds at most (about 0.5 ms measured)."""
    text = "We looked at the two rooms you sent on Monday and the second one is closer to the station. " * 3
    rules = shipped_rules()
    rules.match(text)
    began = time.perf_counter()
    for _ in range(20):
        rules.match(text)
    assert (time.perf_counter() - began) / 20 < 1
