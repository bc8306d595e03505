"""Reading conversations from files and writing the same shape back."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from surgeon.errors import InputError
from surgeon.formats import dump, load_conversation, save_conversation

MESSAGES: list[Any] = [{"role": "user", "content": "你好 \ud800", "x": 1}, {"role": "assistant", "content": "hi"}]


def _bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_array_object_and_lines_come_back_in_their_shape() -> None:
    """Each shape is recognised, and what is written reads as the same again, other fields in place."""
    wrapped = {"model": "m", "messages": MESSAGES, "系统": "s"}
    lines = "\n".join(json.dumps(m) for m in MESSAGES).encode() + b"\r\n\n"
    for data, shape in (
        (_bytes(MESSAGES), "array"),
        (_bytes(wrapped), "object"),
        (lines, "lines"),
        (b"\xef\xbb\xbf" + _bytes(MESSAGES), "array"),
    ):
        loaded = load_conversation(data)
        assert loaded.wrapper.shape == shape
        assert loaded.messages == MESSAGES
        text = dump(loaded.messages, loaded.wrapper)
        assert "你好" in text
        again = load_conversation(text.encode("utf-8"))
        assert (again.messages, again.wrapper.shape) == (MESSAGES, shape)
    assert list(json.loads(dump(MESSAGES, load_conversation(_bytes(wrapped)).wrapper))) == ["model", "messages", "系统"]


def test_transcript_and_anthropic_are_detected() -> None:
    """The format travels with what was loaded."""
    line = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "x"}}
    assert load_conversation(_bytes(line) + b"\n" + _bytes({"type": "summary"})).format.name == "claude_code"
    blocks = {"system": "s", "messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}]}
    assert load_conversation(_bytes(blocks)).format.name == "anthropic"
    assert load_conversation(b"[]").messages == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"[{]", "line 1, column 3"),
        (b'{"role": "user",\n "content": }', "line 2, column 13"),
        (b'{"role": "user", "content": "x"}\n{"role": ', "line 2"),
        (b'[{"role": "user\x00"}]', "NUL"),
        ("[]".encode("utf-16"), "UTF-16"),
        (b'[{"role": "\xff"}]', "not UTF-8"),
        (b"3", "no conversation"),
        (b'"text"', "no conversation"),
        (b'{"a": 1}', "no conversation"),
        (b'{"messages": 3}', "not a list"),
        (b"[1, 2]", "none of the entries"),
        (b'[{"a": 1}]', "none of the entries"),
        (b'{"messages": []}\n{"messages": []}', "conversation of its own"),
        (b"[" * 100_000, "nested"),
        (b"[" + b"1" * 5_000 + b"]", "too long"),
        (b"SQLite format 3\x00rubbish", "SQLite"),
    ],
)
def test_bad_input_says_what_where_and_how(data: bytes, said: str) -> None:
    """Bad input is an InputError with a place and a repair, never another exception."""
    with pytest.raises(InputError) as caught:
        load_conversation(data)
    assert said in str(caught.value)
    assert caught.value.where
    assert caught.value.repair


def test_missing_file_and_folder(tmp_path: Path) -> None:
    """A path that cannot be read is an InputError that names it."""
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(InputError, match=path.name):
            load_conversation(path)


def test_sqlite_round_trip(tmp_path: Path) -> None:
    """A table `messages` reads as messages with all columns, and is written to a new file; other tables are kept."""
    source, target = tmp_path / "in.db", tmp_path / "out.db"
    with closing(sqlite3.connect(source)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE messages (id TEXT, role TEXT, content TEXT, timestamp TEXT, round_num INTEGER, mood TEXT)")
        db.execute("CREATE TABLE other (a)")
        db.execute("INSERT INTO other VALUES (7)")
        rows = [("a2", "assistant", "好的", "2026-03-01T10:01:00Z", 1, None), ("a1", "user", "改地址", "2026-03-01T10:00:00Z", 0, "calm")]
        db.executemany("INSERT INTO messages VALUES (?,?,?,?,?,?)", rows)
        db.commit()
    loaded = load_conversation(source)
    assert [m["id"] for m in loaded.messages] == ["a1", "a2"]
    assert loaded.messages[0]["mood"] == "calm"
    assert loaded.format.read(loaded.messages)[0].time is not None
    changed = [{**loaded.messages[0], "content": "短", "metadata": {"k": [1]}}, loaded.messages[1]]
    save_conversation(changed, loaded.wrapper, target)
    assert load_conversation(target).messages == changed
    assert load_conversation(source).messages == loaded.messages
    with closing(sqlite3.connect(target)) as db:
        assert db.execute("SELECT a FROM other").fetchall() == [(7,)]


def test_sqlite_without_the_table(tmp_path: Path) -> None:
    """A SQLite file of another kind says which table is expected."""
    with closing(sqlite3.connect(tmp_path / "x.db")) as db:
        db.execute("CREATE TABLE t (a)")
    with pytest.raises(InputError, match="no table 'messages'"):
        load_conversation(tmp_path / "x.db")
