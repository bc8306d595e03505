"""What kind of thing a sentence says by its form, in English and in Chinese."""

from __future__ import annotations

import time

import pytest

from surgeon.rewrite.statement import CHANGED, LABELLED, NARRATED, NOTHING, RULED, STANDING, empty, labelled, standing, wished


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("DECISION: ship the blue one", LABELLED),
        ("Open question: who signs the lease?", RULED),
        ("CONSTRAINT: never page the night shift", RULED),
        ("偏好：靠窗的座位", RULED),
        ("结论：用蓝色那款", LABELLED),
        ("硬性约束：周五前交稿", RULED),
        ("She prefers an aisle seat.", STANDING),
        ("From now on, write in plain text.", STANDING),
        ("Mara owns the release this week.", STANDING),
        ("今后一律用表格回答", STANDING),
        ("Mara -> paint the hull.", STANDING),
        ("Final answer: we take the blue one.", STANDING),
        ("We renamed the service to atlas.", CHANGED),
        ("会议改到三点", CHANGED),
        ("The office is on the third floor.", 1.0),
        ("办公室在三楼", 1.0),
        ("Looking through the parser for the slow part.", NARRATED),
        ("Let me open the file.", NARRATED),
        ("我先看一下日志", NARRATED),
        ("Got it, thanks!", NOTHING),
        ("Okay. Moving on to the list.", NOTHING),
        ("好的，明白了。", NOTHING),
    ],
)
def test_the_kind_of_a_sentence(text: str, kind: float) -> None:
    """A label before what binds weighs most, then other labels, then what holds from now on, then changes; narration and acknowledgements weigh least."""
    assert standing(text) == kind


@pytest.mark.parametrize("text", ["Pricing is settled.", "Calling it Atlas from here.", "Okay, room 4 it is.", "好的，改成三点", "Sure, the blue one."])
def test_what_says_something_is_not_taken_for_nothing(text: str) -> None:
    """A subject that ends like a verb, a naming, and an agreement that goes on to say more keep their worth."""
    assert not empty(text)
    assert standing(text) >= 1.0


@pytest.mark.parametrize("text", ["https://example.com/a: b", "12:30 is fine", "note the colour", "HTTP", "我说：好"])
def test_not_every_colon_is_a_label(text: str) -> None:
    """Addresses, times and quotes are no labels."""
    assert not labelled(text)


def test_hostile_text_takes_no_time() -> None:
    """Runs of acknowledgements that end in something else do not make the search explode."""
    start = time.process_time()
    for unit in ("嗯", "对的", "ok ", "no problem with the ", "好的吧", "-", "A "):
        standing(unit * 40 + "x7")
        standing(unit * 20_000 + "x7")
    assert time.process_time() - start < 1


@pytest.mark.parametrize("text", ["I'd like to leave from Oslo.", "Transfer some money, and book a table.", "I’m departing on the 6th.", "Looking for a quiet room.", "我想订靠窗的座位", "帮我查一下余额"])
def test_what_a_user_wants_is_seen(text: str) -> None:
    """A wish and a request name what the work is about."""
    assert wished(text)


@pytest.mark.parametrize("text", ["The tide table is pinned to the wall.", "We walked along the pier.", "潮汐表钉在墙上", "昨天下雨了"])
def test_a_remark_is_no_wish(text: str) -> None:
    """What only tells something asks for nothing."""
    assert not wished(text)
