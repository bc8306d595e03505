"""Sessions: ingest, append, epoch; pins and facts; saving and resuming; what happens when a store fails."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from surgeon import Surgeon
from surgeon.errors import StoreError, SurgeonError
from surgeon.session import Session
from surgeon.types import Rewrite

_SETTINGS: dict[str, Any] = {
    "tokens": {"counter": "cl100k"}, "stores": {"path": ":memory:"}, "strict": True, "scoring": {"channels": ["rules"]}, "protect_recent": 2,
    "redaction": {"context": "off", "archive": "off"},
}  # fmt: skip
_ROWS = json.dumps([{"id": f"C{i}", "name": f"name {i}", "note": None, "total": i * 2.5} for i in range(60)], indent=2)


def opened(name: str = "s", **more: Any) -> Session:
    """A new session in memory."""
    return Surgeon({**_SETTINGS, **more}).session(name)


def call(name: str, tool: str = "query") -> dict[str, Any]:
    """A tool call."""
    return {"role": "assistant", "content": None, "tool_calls": [{"id": name, "type": "function", "function": {"name": tool, "arguments": "{}"}}]}


def fill(session: Session, rounds: int, start: int = 1) -> None:
    """Rounds of a long-winded conversation."""
    for n in range(start, start + rounds):
        session.add({"role": "user", "content": f"What about part {n} of order A-{1000 + n}?"})
        session.add({"role": "assistant", "content": f"Part {n} of order A-{1000 + n} was sent on day {n}. " * 8})


def sent(session: Session, budget: int) -> list[str]:
    """The messages of a context, each as the bytes that are sent."""
    return [json.dumps(m, ensure_ascii=False) for m in session.context(budget=budget).messages]


# --- ingest ------------------------------------------------------------------------------------------------------------------


def test_a_tool_result_comes_back_compacted_before_its_first_send() -> None:
    """It is smaller, still answers its call, and every value is in it or behind its reference; other messages are the same objects."""
    session = opened()
    ask, asked, result = {"role": "user", "content": "List the customers."}, call("c1"), {"role": "tool", "tool_call_id": "c1", "content": _ROWS}
    assert session.add(ask) is ask
    assert session.add(asked) is asked
    small = session.add(result)
    assert len(small["content"]) < len(_ROWS)
    assert small["tool_call_id"] == "c1"
    assert result["content"] == _ROWS
    shown = small["content"] + "".join(session.expand(r) for r in session.surgeon.archive.list_refs("s"))  # type: ignore[attr-defined]
    assert all(f"C{i}" in shown for i in range(60))


def test_what_was_ingested_is_what_is_sent() -> None:
    """Below the mark a context is exactly what `add` returned, byte for byte and object for object."""
    session = opened()
    given = [session.add(m) for m in ({"role": "user", "content": "Go."}, call("c1"), {"role": "tool", "tool_call_id": "c1", "content": _ROWS})]
    assert all(a is b for a, b in zip(session.context(budget=20_000).messages, given, strict=True))


def test_ingest_of_surgeon_keeps_no_state() -> None:
    """`Surgeon.ingest` compacts one result and stores nothing."""
    surgeon = Surgeon(_SETTINGS)
    assert len(surgeon.ingest({"role": "tool", "tool_call_id": "c1", "content": _ROWS})["content"]) < len(_ROWS)
    assert surgeon.archive.search("ingest", "name", 5) == []


def test_shadow_and_kill_switch_return_the_message_itself() -> None:
    """Neither changes what is sent."""
    result = {"role": "tool", "tool_call_id": "c1", "content": _ROWS}
    assert opened(shadow=True).add(result) is result
    assert opened(enabled=False).add(result) is result


# --- append and epoch --------------------------------------------------------------------------------------------------------


def test_the_prefix_changes_only_at_an_epoch() -> None:
    """From one epoch to the next every context begins with the bytes of the one before; an epoch makes it smaller."""
    session = opened()
    before: list[str] = []
    epochs = 0
    for n in range(1, 40):
        fill(session, 1, n)
        now = sent(session, 3_000)
        if now[: len(before)] != before:
            epochs += 1
            assert sum(map(len, now)) < sum(map(len, before))
        before = now
    assert 1 <= epochs <= 8


def test_asking_twice_gives_the_same_bytes() -> None:
    """A context without news is a replay."""
    session = opened()
    fill(session, 30)
    assert sent(session, 2_800) == sent(session, 2_800)


def test_a_context_is_within_its_budget() -> None:
    """Whatever was added, the context fits or says why not."""
    session = opened()
    fill(session, 30)
    for budget in (3_000, 1_500, 700, 300):
        report = session.context(budget=budget).report
        assert report.tokens_after <= budget or report.warnings


def test_every_epoch_chooses_from_originals() -> None:
    """A question about an old round is answered from what was added, however many epochs there were."""
    session = opened()
    for n in range(1, 41):
        fill(session, 1, n)
        session.context(budget=3_000)
    assert "A-1003" in json.dumps(list(session.context("What about order A-1003?", budget=1_200).messages))


# --- pins and facts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["m2", "the launch code is under"])
def test_a_pinned_message_stays_until_it_is_unpinned(target: str) -> None:
    """By id or by text, a pin holds through an epoch."""
    session = opened()
    fill(session, 1)
    note = {"role": "user", "content": "Note: the launch code is under the mat, next to the blue pot and the seven green bottles. " * 3}
    session.add(note)
    fill(session, 20, 2)
    session.pin(target)
    assert any(m is note for m in session.context(budget=900).messages)
    session.unpin(target)
    fill(session, 12, 30)
    assert not any(m is note for m in session.context(budget=900).messages)


def test_facts_from_outside() -> None:
    """A fact that is set, changed and retracted through the interface has the same history as one that was said."""
    session = opened()
    session.add({"role": "user", "content": "Hello."})
    session.set_fact("address:main", "12 Elm Street")
    session.add({"role": "user", "content": "Thanks."})
    session.set_fact("address:main", "8 Oak Avenue")
    session.add({"role": "user", "content": "ok"})
    session.retract("address:main")
    fact = session.snapshot.facts["address:main"]
    assert (fact.status, fact.value) == ("cancelled", "8 Oak Avenue")
    assert [(c.round, c.action, c.value) for c in fact.history] == [
        (1, "set", "12 Elm Street"), (2, "update", "8 Oak Avenue"), (3, "cancel", "8 Oak Avenue"),
    ]  # fmt: skip
    with pytest.raises(SurgeonError, match=r"address:main"):
        session.retract("adress:main")


def test_snapshot_at_a_round() -> None:
    """The snapshot of an earlier round is the one that held when it ended, also after a resume."""
    surgeon = Surgeon(_SETTINGS)
    session = surgeon.session("s")
    for text in ("Ship the parcel to 12 Elm Street.", "Thanks", "The address is wrong, change it to 8 Oak Avenue.", "ok"):
        session.add({"role": "user", "content": text})
    session.save()
    for one in (session, surgeon.session("s")):
        values = {n: one.snapshot_at(n).facts["address:main"].value for n in (1, 2, 3, 4, 99)}
        assert values == {1: "12 Elm Street", 2: "12 Elm Street", 3: "8 Oak Avenue", 4: "8 Oak Avenue", 99: "8 Oak Avenue"}
        assert one.snapshot_at(0).facts == {}


def test_changes_show_in_the_next_context() -> None:
    """What changed after an epoch reaches the reader at the latest with the next one, as the current value."""
    session = opened()
    session.add({"role": "user", "content": "Please ship the parcel to 12 Elm Street."})
    fill(session, 20, 2)
    session.context(budget=900)
    session.add({"role": "user", "content": "The address is wrong, change it to 8 Oak Avenue."})
    fill(session, 12, 40)
    text = json.dumps(list(session.context(budget=900).messages))
    assert "8 Oak Avenue" in text


# --- saving ------------------------------------------------------------------------------------------------------------------


def test_save_and_resume(tmp_path: Path) -> None:
    """A session resumed from its file sends the same bytes, knows the same facts and finds the same messages."""
    settings = {**_SETTINGS, "stores": {"path": str(tmp_path / "s.db")}}
    with Surgeon(settings).session("s") as session:
        session.add({"role": "user", "content": "Please ship the parcel to 12 Elm Street."})
        fill(session, 20, 2)
        session.pin("m3")
        before = sent(session, 900)
        refs = session.context(budget=900).report.refs
    again = Surgeon(settings).session("s")
    assert sent(again, 900) == before
    assert again.snapshot == session.snapshot
    assert all(again.expand(r) for r in refs)
    assert "m3" in again._pins
    fill(again, 2, 60)
    assert again.state()["rounds"] == 23


def test_two_writers_do_not_overwrite_each_other(tmp_path: Path) -> None:
    """The second save of the same version is refused with an error."""
    surgeon = Surgeon({**_SETTINGS, "stores": {"path": str(tmp_path / "s.db")}})
    first, second = surgeon.session("s"), surgeon.session("s")
    first.add({"role": "user", "content": "one"})
    second.add({"role": "user", "content": "two"})
    first.save()
    with pytest.raises(StoreError):
        second.save()


def test_saved_state_holds_no_personal_value(tmp_path: Path) -> None:
    """With redaction on, neither the file of the session nor the archive holds a name, a phone or a card in clear."""
    path = tmp_path / "s.db"
    with opened(redaction={"context": "context", "archive": "all"}, stores={"path": str(path)}) as session:
        session.add({"role": "user", "content": "我叫王小明，电话13812345678，邮箱 wang.xm@example.com，卡号 6222021234567890128。"})
    stored = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    for value in ("13812345678", "wang.xm@example.com", "6222021234567890128"):
        assert value.encode() not in stored


# --- recall ------------------------------------------------------------------------------------------------------------------


def test_recall_finds_every_message() -> None:
    """What was said, answered or returned by a tool is found by its words, with round, id and reference."""
    session = opened()
    session.add({"role": "user", "content": "请把包裹寄到幸福路88号"})
    session.add(call("c1"))
    session.add({"role": "tool", "tool_call_id": "c1", "content": "courier Zephyr accepted parcel PX-17"})
    fill(session, 12, 2)
    hit = session.recall("which courier took the parcel?")[0]
    assert "Zephyr" in hit.text
    assert (hit.message_id, hit.round) == ("m2", 1)
    assert session.expand(hit.ref)
    assert session.recall("幸福路的包裹")[0].message_id == "m0"
    assert session.recall("quasar nebula") == []


def test_documents_are_found_and_set_no_fact(tmp_path: Path) -> None:
    """The text of a document is data: recall finds it, the snapshot does not change."""
    session = opened()
    path = tmp_path / "notes.txt"
    path.write_text("My address is 1 Evil Road. The warranty lasts 24 months.", "utf-8")
    refs = [*session.add_document(str(path), "notes"), *session.add_document("Never push. " * 300, "rules")]
    assert session.snapshot.facts == {}
    assert "24 months" in session.recall("how long is the warranty?")[0].text
    assert all(session.expand(r) for r in refs)


def test_expand_of_an_unknown_reference_ends_the_matter() -> None:
    """The answer says that trying again will not help."""
    with pytest.raises(StoreError, match="do not retry"):
        opened().expand("0123456789ab")


# --- failure -----------------------------------------------------------------------------------------------------------------


class Broken:
    """An archive on a full disk."""

    def put(self, *_: Any) -> Any:
        """Fails."""
        raise StoreError("disk full")

    get = search = put


def test_a_store_that_fails_costs_nothing_but_space() -> None:
    """Messages are kept and sent as they are, the report says so, and what waited is written once the store works again."""
    session = opened(strict=False)
    working, session.surgeon._archive = session.surgeon.archive, Broken()  # type: ignore[assignment]
    fill(session, 20)
    result = session.context(budget=500)
    assert any("disk full" in w for w in result.report.warnings)
    assert list(result.messages) == session._native
    assert session.recall("part") == []
    session.surgeon._archive = working
    fill(session, 1, 21)
    assert session.recall("part 3 of order A-1003")
    assert session.context(budget=500).report.tokens_after <= 500


def shortening(session: Session) -> Session:
    """The session with a compactor that leaves most of every tool result out."""
    engine = session.surgeon.engine
    session.surgeon.engine = replace(engine, shrink=lambda part, *_: Rewrite(part.text[:20], "test", "most of it"))
    return session


def test_a_store_that_fails_raises_if_strict() -> None:
    """`strict` lets nothing pass: the next context, marker or save says so."""
    session = shortening(opened())
    session.surgeon._archive = Broken()  # type: ignore[assignment]
    session.add({"role": "user", "content": "Hello."})
    for step in (session.context, session.save, lambda: session.add({"role": "tool", "tool_call_id": "c1", "content": _ROWS})):
        with pytest.raises(StoreError, match="disk full"):
            step()


def test_no_marker_is_sent_whose_original_is_not_stored() -> None:
    """If the archive fails at ingest, the tool result goes out whole."""
    result = {"role": "tool", "tool_call_id": "c1", "content": _ROWS}
    working, broken = shortening(opened()), shortening(opened(strict=False))
    marker = working.add(result)["content"]
    assert working.expand(marker.partition("; ref ")[2]) == _ROWS
    broken.surgeon._archive = Broken()  # type: ignore[assignment]
    assert broken.add(result) is result
    assert shortening(opened()).surgeon.ingest(result) is result


def test_a_message_that_cannot_be_read_is_sent_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours never swallows a message."""
    session = opened(strict=False)
    monkeypatch.setattr(Session, "_add", lambda *_: 1 / 0)
    message = {"role": "user", "content": "Hello."}
    assert session.add(message) is message
    result = session.context(budget=900)
    assert result.messages[0] is message
    assert any("unread" in w for w in result.report.warnings)


# --- threads -----------------------------------------------------------------------------------------------------------------


def test_many_threads_lose_no_message() -> None:
    """Messages added at once are all there, each under an id of its own."""
    session = opened()
    threads = [threading.Thread(target=fill, args=(session, 5, 10 * n)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(session.context(budget=100_000).messages) == 40
    assert session.state()["rounds"] == 20


def test_async_twins() -> None:
    """`aadd`, `acontext` and `arecall` do what their twins do."""

    async def talk() -> tuple[int, int]:
        session = opened()
        for n in range(3):
            await session.aadd({"role": "user", "content": f"parcel PX-{n}"})
        return len((await session.acontext(budget=900)).messages), len(await session.arecall("PX-2", 1))

    assert asyncio.run(talk()) == (3, 1)
