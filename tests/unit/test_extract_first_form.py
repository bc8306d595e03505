"""The first form of extraction on whole conversations: changed, patched and restored facts with their history, in both languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from surgeon import compact
from surgeon.snapshot.model import Snapshot
from surgeon.types import Fact

_SETTINGS = {"stores": {"path": ":memory:"}, "strict": True}
_CHAT_ZH = ["谢谢", "好的", "嗯嗯", "在吗"]
_CHAT_EN = ["Thanks", "ok", "great", "Hello"]


def snapshot_after(said: Mapping[int, str], rounds: int, chat: Sequence[str], answer: str) -> Snapshot:
    """The snapshot after a conversation in which the user says this in these rounds and makes small talk in the others."""
    messages = []
    for number in range(1, rounds + 1):
        messages.append({"role": "user", "content": said.get(number, chat[number % len(chat)])})
        messages.append({"role": "assistant", "content": answer})
    return compact(messages, settings=_SETTINGS).snapshot


def addresses(snapshot: Snapshot) -> list[Fact]:
    """Facts of an address."""
    return [f for f in snapshot.facts.values() if f.label == "address" or f.type == "address"]


def test_address_changed_patched_and_restored() -> None:
    """The city carries over to the new address, the corrected number is merged into it, the first address comes back as round 1 gave it."""
    said = {1: "寄快递到北京市海淀区中关村大街1号", 5: "地址错了，改成朝阳区建国路8号", 12: "不对，是88号", 18: "按第一次说的地址发"}
    (fact,) = addresses(snapshot_after(said, 18, _CHAT_ZH, "好的"))
    assert (fact.key, fact.value, fact.status) == ("address:main", "北京市海淀区中关村大街1号", "active")
    assert (fact.action, fact.source_round, fact.round) == ("restore", 1, 18)
    assert [(c.round, c.action, c.value) for c in fact.history] == [
        (1, "set", "北京市海淀区中关村大街1号"),
        (5, "update", "北京市朝阳区建国路8号"),
        (12, "patch", "北京市朝阳区建国路88号"),
        (18, "restore", "北京市海淀区中关村大街1号"),
    ]


def test_english_twin() -> None:
    """An English address that is changed, patched in its number and restored keeps the same four steps."""
    said = {
        1: "Please ship the parcel to 12 Elm Street.",
        5: "The address is wrong, change it to 8 Oak Avenue.",
        12: "No, it's number 88.",
        18: "Send it to the address I gave first.",
    }
    (fact,) = addresses(snapshot_after(said, 18, _CHAT_EN, "Sure."))
    assert (fact.key, fact.value, fact.action, fact.source_round) == ("address:main", "12 Elm Street", "restore", 1)
    assert [(c.round, c.value) for c in fact.history] == [
        (1, "12 Elm Street"), (5, "8 Oak Avenue"), (12, "88 Oak Avenue"), (18, "12 Elm Street"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "chat", "key"),
    [
        ({1: "送到幸福路88号，周五之前", 3: "地址取消，我自己来取"}, _CHAT_ZH, "address:main"),
        ({1: "Please ship the parcel to 12 Elm Street.", 3: "Cancel the address, I will pick it up."}, _CHAT_EN, "address:main"),
    ],
)
def test_cancelled_fact_keeps_its_value_and_history(said: Mapping[int, str], chat: Sequence[str], key: str) -> None:
    """A cancelled fact is not active any more, and what it was is still there."""
    fact = snapshot_after(said, 4, chat, "ok").facts[key]
    assert fact.status == "cancelled"
    assert fact.value == fact.history[0].value
    assert [c.action for c in fact.history] == ["set", "cancel"]


@pytest.mark.parametrize(
    ("said", "chat", "after"),
    [
        (
            {1: "Ann has the meeting on Tuesday and Bob has the meeting on Thursday.", 3: "Swap Ann and Bob."},
            _CHAT_EN,
            {"Ann": "Thursday", "Bob": "Tuesday"},
        ),
    ],
)
def test_swap(said: Mapping[int, str], chat: Sequence[str], after: Mapping[str, str]) -> None:
    """Two facts of one kind trade their values."""
    snapshot = snapshot_after(said, 4, chat, "ok")
    dates = {f.owner: f.value for f in snapshot.facts.values() if f.type == "date"}
    assert set(after) <= set(dates)
    for owner, value in after.items():
        assert value in dates[owner]


@pytest.mark.parametrize(("text", "parts"), [("张三订购5台", ("张三", "5台")), ("Zhang San ordered 5 laptops.", ("Zhang San", "5 laptops"))])
def test_who_did_what_how_many(text: str, parts: Sequence[str]) -> None:
    """Entity, action and quantity of an order are in active facts, in the user's words."""
    snapshot = compact([{"role": "user", "content": text}], settings=_SETTINGS).snapshot
    shown = " ".join(f"{f.owner} {f.value}" for f in snapshot.facts.values() if f.status == "active")
    assert all(part in shown for part in parts)


def test_questions_and_what_ifs_change_nothing() -> None:
    """A supposition, a question and a quotation leave the current value as it is."""
    said = {1: "寄到幸福路88号", 2: "如果改成建国路8号要多久？", 3: "可以寄到中山路3号吗？"}
    (fact,) = [f for f in addresses(snapshot_after(said, 4, _CHAT_ZH, "好的")) if f.status == "active"]
    assert fact.value == "幸福路88号"
    assert len(fact.history) == 1
