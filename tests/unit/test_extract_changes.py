"""Corrections as people word them: another wording of one fact, hand-overs, dead values, steps of a date, contrasts. Both languages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from surgeon import compact
from surgeon.extract.duties import duties
from surgeon.snapshot.lapsed import lapsed
from surgeon.snapshot.model import Snapshot
from surgeon.text.times import shift

_SETTINGS = {"stores": {"path": ":memory:"}, "strict": True}


def after(said: Sequence[str], now: str | None = None) -> Snapshot:
    """The snapshot after these user messages (one that starts with "A: " is the assistant's)."""
    messages = [{"role": "assistant", "content": s[3:]} if s.startswith("A: ") else {"role": "user", "content": s} for s in said]
    return compact(messages, settings=_SETTINGS, now=now).snapshot


def current(snapshot: Snapshot) -> str:
    """Everything that holds, in one text."""
    return " | ".join(f.value for f in snapshot.active())


@pytest.mark.parametrize(
    ("said", "new", "old"),
    [
        (["The project codename is Heron-12.", "We are calling the project Osprey-7 now."], "Osprey-7", "Heron-12"),
        (["Project budget cap is $800 total.", "Quick update: keep project spend under five hundred dollars from now on."], "five hundred", "$800"),
        (["Report all times in UTC.", "From now on, report all times in Pacific time."], "Pacific", "UTC"),
        (["Keep replies terse, please.", "Please make replies light and playful."], "playful", "terse"),
        (["Never disclose the vault code kilo-18 to any user.", "The vault code rotated. Never disclose the new vault code lima-77."], "lima-77", "kilo-18"),
        (["Field-trip expenses must stay below $700.", "New ceiling for trip costs: keep them below four hundred dollars."], "four hundred", "$700"),
        (["项目代号是青松-12。", "项目代号改为白鹭-7。"], "白鹭-7", "青松-12"),
        (["项目总预算8000元，不得超过。", "从现在起项目花费控制在五千元以内。"], "五千", "8000"),
        (["所有时间都用UTC。", "以后时间一律用北京时间。"], "北京时间", "UTC"),
        (["回复请简洁一点。", "以后回复活泼一点。"], "活泼", "简洁"),
    ],
)
def test_another_wording_of_the_same_fact_takes_its_place(said: Sequence[str], new: str, old: str) -> None:
    """The newer statement is current, the older one is history, not a second truth."""
    snapshot = after(said)
    assert new in current(snapshot)
    assert old not in current(snapshot)
    assert any(old in c.value for f in snapshot.facts.values() for c in f.history)


@pytest.mark.parametrize(
    ("said", "both"),
    [
        (["The production database is Postgres 14 in Oslo.", "The staging database is now MySQL 8 in Bergen."], ("Oslo", "Bergen")),
        (["Project spending ceiling is $500.", "Conference spending ceiling is $350."], ("$500", "$350")),
        (["Run unit tests with pytest before pushing.", "Run integration tests with make check before release."], ("pytest", "make check")),
        (["The primary deployment region is eu-north-3.", "The backup deployment region is now us-west-2."], ("eu-north-3", "us-west-2")),
        (["The copper vase goes to Anna.", "The silver vase now goes to Ben."], ("Anna", "Ben")),
        (["Noor owns the billing service.", "Ann owns the search service."], ("Noor", "Ann")),
        (["生产库是Postgres 14，在一号机房。", "测试库换成MySQL 8。"], ("14", "8")),
        (["去程是3月1日上午。", "返程改成3月5日下午。"], ("3月1日", "3月5日")),
        (["支付模块由小周负责。", "登录模块由小王负责。"], ("小周", "小王")),
    ],
)
def test_two_things_of_one_kind_stay_apart(said: Sequence[str], both: Sequence[str]) -> None:
    """Look-alike statements about two things are both current."""
    held = current(after(said))
    assert all(value in held for value in both), held


def test_an_addition_replaces_nothing() -> None:
    """ "Also" and 另外 put a second value beside the first."""
    assert "terse" in current(after(["Give me terse answers.", "Also give me warm answers sometimes, in addition."]))
    assert "简洁" in current(after(["回复要简洁。", "另外回复也要亲切。"]))


@pytest.mark.parametrize(
    ("said", "key", "value"),
    [
        (["Theo owns the billing service.", "Ann takes over the billing service from Theo."], "owner:billing service", "Ann"),
        (["The search index is owned by Theo.", "Ben Okafor now owns the search index."], "owner:search index", "Ben Okafor"),
        (["支付模块由小周负责。", "支付模块改由王磊接手。"], "owner:支付模块", "王磊"),
    ],
)
def test_a_hand_over_changes_the_person(said: Sequence[str], key: str, value: str) -> None:
    """One fact a thing; its value is who is responsible now, its history who was."""
    fact = after(said).facts[key]
    assert (fact.value, fact.action, len(fact.history)) == (value, "update", 2)


@pytest.mark.parametrize("text", ["I own a dog.", "We lead by two goals.", "我们负责前端", "谁负责支付模块？", "It handles errors."])
def test_no_duty_without_a_person(text: str) -> None:
    """Pronouns and questions name nobody."""
    assert duties(text) == []


def test_a_dead_value_gives_way_to_the_live_one() -> None:
    """The address that was hacked is not the new one, wherever it stands in the sentence."""
    snapshot = after(["My e-mail is old.one@example.com", "new email: new.one@example.com, the old.one@example.com one got hacked"])
    assert [f.value for f in snapshot.active() if f.type == "email"] == ["new.one@example.com"]
    snapshot = after(["邮箱是 lao@example.com", "新邮箱 xin@example.com，lao@example.com那个停用了"])
    assert [f.value for f in snapshot.active() if f.type == "email"] == ["xin@example.com"]


@pytest.mark.parametrize(
    ("text", "days"),
    [("she can only start two weeks later", 14), ("push it back by 3 days", 3), ("bring the review forward by a week", -7), ("申请延后一周入职", 7), ("提前三天", -3), ("in two weeks we meet", 0), ("三天前说过", 0)],
)
def test_steps_of_a_date(text: str, days: int) -> None:
    """How far a sentence moves a date."""
    assert shift(text) == days


def test_a_step_moves_the_date_it_names() -> None:
    """The start moves, in days that were worked out, and its history keeps what was said first."""
    snapshot = after(["入职日期是2024年9月2日。", "候选人申请延后一周入职"], now="2024-08-01T09:00:00+08:00")
    (fact,) = [f for f in snapshot.active() if f.type == "date"]
    assert fact.value == "2024-09-09"
    assert "9月2日" in fact.history[0].value


@pytest.mark.parametrize(
    ("text", "yes", "no"), [("Break it down by queue, not by team.", "by queue", "by team"), ("用人民币计价，不要用美元。", "人民币", "美元")]
)
def test_what_a_contrast_rules_out_is_a_rule_not_a_value(text: str, yes: str, no: str) -> None:
    """Of "X, not Y" the value is X; "not Y" stands as a constraint."""
    live = after([text]).active()
    assert any(yes in f.value for f in live)
    assert all(f.kind == "constraint" for f in live if no in f.value)


@pytest.mark.parametrize(
    ("said", "values"),
    [
        (["A window seat please.", "Actually an aisle seat."], {"seat": "aisle seat"}),
        (["要二等座靠窗", "换成一等座", "还是要二等座吧"], {"travel class": "二等座", "seat": "靠窗"}),
        (["Pay by credit card.", "用支付宝付吧"], {"payment": "支付宝"}),
        (["按天统计", "还是按周吧"], {"granularity": "按周"}),
    ],
)
def test_of_a_class_of_words_one_holds(said: Sequence[str], values: dict[str, str]) -> None:
    """The newest word of a class replaces the one before; other classes stay."""
    held = {f.label: f.value for f in after(said).active() if f.type == "option"}
    assert {k: held[k] for k in values} == values


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (["Ship to 5 Oak Street, Leeds.", "It's late, let's chat again next time. Bye!"], "5 Oak Street"),
        (["The door code is Kite-44.", "Make the door code Wren-55.", "The previous code no longer works."], "Wren-55"),
        (["Book the cake for Ann.", "Never forget the cake for Ann."], "cake for Ann"),
        (["住两晚，蛋糕要巧克力味", "不要取消蛋糕"], "巧克力"),
    ],
)
def test_words_of_return_and_cancel_that_ask_for_neither(said: Sequence[str], kept: str) -> None:
    """ "Chat again", "the previous one is dead" and "never forget" restore and cancel nothing."""
    assert kept in current(after(said))


def test_thanks_accept_no_proposal() -> None:
    """A polite answer to advice is not an order."""
    snapshot = after(["Any idea for lunch?", "A: How about roast chicken with rice?", "OK, thanks for sharing."])
    assert "chicken" not in current(snapshot)
    snapshot = after(["Any idea for lunch?", "A: How about roast chicken with rice?", "Sounds good, do that."])
    assert "chicken" in current(snapshot)


def test_a_lapsed_record_is_recognised_by_its_value_or_its_words() -> None:
    """Old statements and distinctive old values lapse; what also says the current value, and short common words, do not."""
    gone = lapsed(after(["The project codename is Heron-12.", "We are calling the project Osprey-7 now."]))
    assert gone("The project codename is Heron-12.")
    assert gone("Noted, Heron-12 it is.")
    assert not gone("From Heron-12 to Osprey-7: noted.")
    assert not gone("The weather is fine.")


@pytest.mark.parametrize(("style", "stale"), [("off", False), ("on", True)])
def test_with_history_off_an_old_value_is_nowhere(style: str, stale: bool) -> None:
    """`snapshot.history: off` keeps superseded values out of entities and digest alike."""
    said = ["The project codename is Heron-12.", *(f"Filler number {n} about the weather and the garden, nothing else to say." for n in range(40)), "We are calling the project Osprey-7 now.", *(f"More filler {n} about music." for n in range(10))]
    messages = [{"role": "user" if i % 2 == 0 else "assistant", "content": t} for s in said for i, t in enumerate((s, "Noted."))]
    result = compact(messages, budget=320, settings={**_SETTINGS, "snapshot": {"history": style}})
    text = "\n".join(str(m["content"]) for m in result.messages)
    assert "Osprey-7" in text
    assert ("Heron-12" in text) is stale


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("The budget is 900 EUR in all. Never exceed without explicit approval.", "The budget is 900 EUR in all. Never exceed without explicit approval."),
        ("Deploys go to the blue ring. Do not change it.", "Deploys go to the blue ring. Do not change it."),
        ("总预算是900元。未经批准不得超过。", "总预算是900元。未经批准不得超过。"),
    ],
)
def test_a_rule_that_leans_on_a_statement_keeps_it(said: str, rule: str) -> None:
    """Alone it would forbid one knows not what."""
    assert rule in [f.value for f in after([said]).active() if f.key.startswith("rule:")]


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("I live in Oslo. Never share my address with vendors.", "Never share my address with vendors."),
        ("Could you check the blue ring? Do not change it.", "Do not change it."),
        ("我住在北京。不要把地址告诉供应商。", "不要把地址告诉供应商。"),
    ],
)
def test_a_rule_with_its_own_object_stands_alone(said: str, rule: str) -> None:
    """A rule that says what it forbids, and one after a question, is not joined with what stands before."""
    assert [f.value for f in after([said]).active() if f.key.startswith("rule:")] == [rule]


@pytest.mark.parametrize(
    "said",
    [
        "My manager is strict and always gives me the hard cases.",
        "They were tired but always kept going.",
        "I often feel I'm not up to my post.",
        "It was not a good day for me.",
    ],
)
def test_narrated_habits_and_plain_denials_are_no_rules(said: str) -> None:
    """A rule is never given up for a budget: what only tells something must not become one."""
    assert not [f for f in after([said]).active() if f.kind == "constraint"]
