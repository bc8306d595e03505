"""How a tight budget is spent: on what was stated rather than on what was said last."""

from __future__ import annotations

from typing import Any

import pytest

from surgeon import compact
from surgeon.result import Compaction

_SETTINGS = {"tokens": {"counter": "cl100k"}, "stores": {"path": ":memory:"}, "redaction": {"context": "off", "archive": "off"}, "strict": True}
_TALK = {
    "en": (
        "The tide table for the harbour is pinned to the wall.", "Acknowledged. Going on with the list.", "And the next item, please.",
        ("PREFERENCE: User likes one clear answer over several.", "FACT: The quay door opens with a brass key."),
    ),
    "zh": ("港口的潮汐表钉在墙上。", "好的，明白了。", "请继续下一项。", ("偏好：用户想要一个明确的答案，不要列好几个。", "事实：码头的门用铜钥匙开。")),
}  # fmt: skip


def user(text: str) -> dict[str, Any]:
    """A user message."""
    return {"role": "user", "content": text}


def reply(text: str) -> dict[str, Any]:
    """An answer."""
    return {"role": "assistant", "content": text}


def run(messages: list[Any], budget: int) -> Compaction:
    """Compacts within the budget."""
    return compact(messages, budget=budget, settings=_SETTINGS)


def shown(result: Compaction) -> str:
    """Everything that is sent."""
    return "\n".join(str(m["content"]) for m in result.messages)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_statements_of_long_ago_outlive_newer_acknowledgements(language: str) -> None:
    """What the user labelled early is kept; the newest acknowledgement is not, and the newest user message is."""
    filler, ack, last, stated = _TALK[language]
    talk = [user("Help me with the boat house." if language == "en" else "帮我收拾船屋。"), reply(ack)]
    talk += [m for s in stated for m in (user(s), reply(ack))]
    talk += [m for n in range(12) for m in (user(f"{filler[:-1]} ({n})"), reply(ack))]
    result = run([*talk, user(last), reply(ack)], 190)
    text = shown(result)
    assert result.report.tokens_after <= 190
    assert all(s in text for s in stated)
    assert result.messages[-1]["content"] == last


def test_a_goal_that_asks_for_nothing_competes_under_a_tight_budget() -> None:
    """A remark that opened the talk takes no place of its own in the block, and stays the goal in the state."""
    opening = "The boat house has smelled of tar and old rope since the spring flood came through the lower door."
    stated = [
        "FACT: The quay door opens with a brass key.", "PREFERENCE: User likes one clear answer over several.", "RULE: Never moor at pier nine.",
        "DECISION: The spare sails are stored upstairs.", "FACT: Mara owns the red canoe.", "CONSTRAINT: At most 12 guests on deck.",
    ]
    talk = [user(opening), reply("Noted.")] + [m for s in stated for m in (user(s), reply("Noted."))]
    result = run([*talk, user("Next item, please."), reply("Noted.")], 170)
    assert "<|intent|>" not in shown(result)
    assert all(s in shown(result) for s in stated)
    assert result.snapshot.intent.goal == opening


def test_what_the_user_answers_to_stays() -> None:
    """A short yes keeps the question that gives it a meaning."""
    question = "To confirm: two nights at the Heron Inn from 4 May for 3 people, 310 EUR in all?"
    talk = [m for n in range(10) for m in (user(f"And what about the ferry on day {n}?"), reply(f"It leaves at {n}:15 from pier {n}, as on the other days of the week."))]
    assert question in shown(run([*talk, user("Book it."), reply(question), user("Yes, please.")], 260))


def test_what_records_cannot_weigh_need_not_earn_its_place() -> None:
    """A newest message with a picture stays under a tight budget though its words say little."""
    picture = {"role": "user", "content": [{"type": "text", "text": "ok"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}
    talk = [m for n in range(12) for m in (user(f"And what about the ferry on day {n}?"), reply(f"It leaves at {n}:15 from pier {n}, as on the other days of the week."))]
    result = compact([*talk, picture, user("And?")], budget=300, settings={**_SETTINGS, "tokens": {"counter": "cl100k", "image": 60}})
    assert any(m is picture for m in result.messages)


def test_a_rule_within_a_rule_is_said_once() -> None:
    """Where one rule holds the words of another, only the longer line is printed."""
    rule = "The cap is 900 EUR in total. Never exceed it without my approval."
    talk = [user("Help me with the boat house."), reply("Sure."), user(f"HARD CONSTRAINT: {rule}"), *[m for n in range(12) for m in (reply(f"Part {n} is described here in some words. " * 4), user(f"And part {n}?"))]]
    assert shown(run(talk, 300)).count("Never exceed it without my approval.") == 1


def test_a_block_that_says_no_rule_yields_to_the_newest_message() -> None:
    """Where only the newest message fits, it is sent alone; what is gone can still be had."""
    asked = "Please read this letter and answer it in a friendly way. " * 20
    talk = [*[m for n in range(8) for m in (user(f"Look at the picture of boat {n}."), reply(f"Boat {n} is white. " * 6))], user(asked)]
    alone = run([user(asked)], 10_000).report.tokens_before
    result = run(talk, alone + 5)
    assert [m["content"] for m in result.messages] == [asked]
    assert result.report.tokens_after <= alone + 5
    assert not result.report.warnings
    assert all(d.ref in result.report.refs for d in result.report.decisions if d.action in ("offload", "drop"))


def test_a_rule_never_yields() -> None:
    """The block stays with its rules even above the budget, and the warning says so."""
    asked = "Please read this letter and answer it in a friendly way. " * 20
    rule = "Never mention the price of the boat."
    talk = [user(rule), *[m for n in range(8) for m in (reply(f"Boat {n} is white. " * 6), user(f"Look at boat {n}."))], reply("Yes."), user(asked)]
    result = run(talk, run([user(asked)], 10_000).report.tokens_before + 5)
    assert rule in shown(result)
    assert result.report.warnings
