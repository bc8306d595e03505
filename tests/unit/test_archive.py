"""The archive: everything put in can be got and found again, in its own session only."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgeon.errors import StoreError
from surgeon.stores.archive import SqliteArchive, ref_of


def _entry(text: str, number: int = 0, **more: Any) -> dict[str, Any]:
    return {"text": text, "message_id": f"m{number}", "round": number, "role": "user", **more}


CHAT = [
    "Please ship the parcel to 12 Elm Street.",
    "把送货地址改成幸福路88号，周五之前送到。",
    "The budget is at most 4,000 USD.",
    "预算不超过四千元，以合同为准。",
    "We fly to Oslo on Monday with two suitcases.",
    "测试报告显示三个用例失败：登录、支付、退款。",
    "ok",
]


@pytest.fixture
def archive() -> SqliteArchive:
    """An archive in memory with a short chat of session s."""
    store = SqliteArchive()
    store.put("s", [_entry(t, i) for i, t in enumerate(CHAT)])
    return store


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("which street was the parcel shipped to?", 0),
        ("我们的送货地址是什么？", 1),
        ("幸福路", 1),
        ("budget USD", 2),
        ("合同预算是多少", 3),
        ("suitcase", 4),
        ("哪些用例失败了", 5),
        ("退", 5),
        ("OK", 6),
    ],
)
def test_search_finds_the_message(archive: SqliteArchive, query: str, expected: int) -> None:
    """English and Chinese questions find their message first; a hit says where it is from and why."""
    hit = archive.search("s", query, 3)[0]
    assert (hit.message_id, hit.round, hit.role, hit.text) == (f"m{expected}", expected, "user", CHAT[expected])
    assert archive.get("s", hit.ref) == hit.text
    assert 0 < hit.score <= 1
    assert hit.reasons[0].channel == "words"


def test_the_turn_after_is_found_at_lower_score(archive: SqliteArchive) -> None:
    """A message is also found by the words of the one before it, but ranks below."""
    first, second = archive.search("s", "suitcases Oslo", 2)
    assert (first.message_id, second.message_id) == ("m4", "m5")
    assert second.score < first.score / 2
    assert [r.name for r in second.reasons] == ["bm25", "previous"]


@pytest.mark.parametrize(
    "query", ["", "   ", '"', "AND OR NOT", "NEAR(a b)", "own:x", "a* ^b", "-(", "\x00", "\ud800", "zzz unknown", "的" * 3_000]
)
def test_odd_queries_raise_nothing(archive: SqliteArchive, query: str) -> None:
    """Full-text syntax and rubbish in a question are plain words; nothing found is an empty list."""
    assert all(h.text in CHAT for h in archive.search("s", query, 5))


def test_sessions_are_apart(archive: SqliteArchive) -> None:
    """References and searches of one session never reach another's entries, not even their ranking."""
    ref = archive.list_refs("s")[0]
    scores = [h.score for h in archive.search("s", "budget parcel", 5)]
    archive.put("t", [_entry("parcel budget parcel", i) for i in range(30)])
    assert archive.get("t", ref) is None
    assert archive.search("u", "parcel", 5) == []
    assert [h.score for h in archive.search("s", "budget parcel", 5)] == scores
    assert archive.sessions() == ["s", "t"]


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_every_text_comes_back(texts: list[str]) -> None:
    """Whatever is put in comes back character for character, and a second time does no harm."""
    with_surrogate = [*texts, "\ud800 lone"]
    store = SqliteArchive()
    entries = [_entry(t, i) for i, t in enumerate(with_surrogate)]
    refs = store.put("s", entries)
    assert refs == store.put("s", entries) == [ref_of("s", t) for t in with_surrogate]
    assert [store.get("s", r) for r in refs] == with_surrogate
    assert len(list(store.export("s"))) == len(entries)
    store.close()


def test_given_refs_and_other_fields_are_kept() -> None:
    """A ref of the caller's is used, and fields without a column come back in the export."""
    store = SqliteArchive()
    assert store.put("s", [_entry("x", tool="bash", ref="abc", kind="replaced", time="2026-03-01")]) == ["abc"]
    entry = next(store.export("s"))
    assert (entry["ref"], entry["tool"], entry["kind"], entry["time"]) == ("abc", "bash", "replaced", "2026-03-01")


def test_purge(archive: SqliteArchive) -> None:
    """Entries go by session or by age, from the index too; without a condition nothing goes."""
    archive.put("t", [_entry("another parcel")])
    assert archive.purge() == 0
    assert archive.purge(before=1.0) == 0
    assert archive.purge("s") == len(CHAT)
    assert archive.search("s", "parcel", 3) == []
    assert archive.search("t", "parcel", 3)
    assert archive.purge(before=1e12) == 1


def test_a_failed_put_stores_nothing(tmp_path: Path) -> None:
    """One transaction a put: an entry that cannot be stored takes the others with it."""
    store = SqliteArchive(tmp_path / "a.db")
    with pytest.raises((ValueError, TypeError)):
        store.put("s", [_entry("good"), _entry("bad", round="not a number")])
    assert store.list_refs("s") == []
    assert store.put("s", [_entry("good")])


def test_durable_and_shared(tmp_path: Path) -> None:
    """A file is reopened with its entries; threads and a second connection may write at once."""
    path = tmp_path / "deep" / "a.db"
    stores = [SqliteArchive(path, timeout=10), SqliteArchive(path, timeout=10)]

    def work(number: int) -> None:
        for i in range(20):
            stores[number % 2].put("s", [_entry(f"text {number} {i}", i)])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()
    assert len(SqliteArchive(path).list_refs("s")) == 80


def test_broken_stores_raise_store_errors(tmp_path: Path) -> None:
    """Damaged, locked, newer, closed and unreachable files say what to do."""
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="damaged"):
        SqliteArchive(damaged)
    with pytest.raises(StoreError, match="rights"):
        SqliteArchive(damaged / "below.db")
    path = tmp_path / "a.db"
    store = SqliteArchive(path, timeout=0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked"):
        store.put("s", [_entry("x")])
    other.execute("INSERT INTO surgeon_schema VALUES (99)")
    other.execute("COMMIT")
    other.close()
    with pytest.raises(StoreError, match="update"):
        SqliteArchive(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.get("s", "x")


def test_words_of_a_segmenter_are_indexed() -> None:
    """An optional segmenter adds its longer words."""
    store = SqliteArchive(tokenise=lambda text: ["幸福路"] if "幸福路" in text else [])
    store.put("s", [_entry("送到幸福路", 1), _entry("幸福的路", 2)])
    assert store.search("s", "幸福路", 1)[0].message_id == "m1"
