"""Conversations in a SQLite file: a table `messages` with id, role, content, timestamp, round_num and whatever else stands there."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from surgeon.errors import InputError

MAGIC = b"SQLite format 3\x00"
TABLE = "messages"
_STANDARD = ("id", "role", "content", "timestamp", "round_num")
_JSON_COLUMNS = frozenset({"tool_calls", "metadata", "ref_msg_ids"})


def read_table(source: str | Path | bytes, where: str = "") -> list[dict[str, Any]]:
    """OpenAI-style messages in the order of the rows, every column kept as a field; empty columns are left out.

    Columns that hold JSON lists or objects (tool_calls, metadata, ref_msg_ids, and content in parts) are parsed. Raises InputError.
    """
    where = where or str(source)
    data = source if isinstance(source, bytes) else _bytes(source)
    try:
        with closing(sqlite3.connect(":memory:")) as db:
            db.deserialize(_without_wal(data))
            db.text_factory = lambda raw: raw.decode("utf-8", "replace")
            return [_message(row) for row in _rows(db, where)]
    except (sqlite3.Error, OverflowError) as error:
        raise InputError(f"the SQLite file cannot be read: {error}", where, "check it with 'PRAGMA integrity_check'") from None


def _bytes(source: str | Path) -> bytes:
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror or 'unknown reason'}", str(source), "check the path") from None


def _without_wal(data: bytes) -> bytes:
    """An image in WAL mode cannot be opened in memory; bytes 18 and 19 of the header hold the mode (sqlite.org/fileformat)."""
    return data[:18] + b"\x01\x01" + data[20:] if len(data) > 20 and data[18:20] == b"\x02\x02" else data


def _rows(db: sqlite3.Connection, where: str) -> list[dict[str, Any]]:
    columns = [str(row[1]) for row in db.execute(f"PRAGMA table_info({TABLE})")]
    missing = [c for c in ("role", "content") if c not in columns]
    if missing:
        raise InputError(
            f"the SQLite file has no table '{TABLE}' with the columns {', '.join(missing)}", where, f"columns read: {', '.join(_STANDARD)}"
        )
    order = "round_num, rowid" if "round_num" in columns else "rowid"
    return [dict(zip(columns, row, strict=True)) for row in db.execute(f"SELECT * FROM {TABLE} ORDER BY {order}")]


def _message(row: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in row.items():
        if value is None and key != "content":
            continue
        if isinstance(value, str) and value[:1] in "[{" and (key in _JSON_COLUMNS or (key == "content" and value[:2] == "[{")):
            value = _parsed(value)
        out[key] = value
    return out


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def write_table(messages: Sequence[Any], target: str | Path, source: bytes = b"") -> None:
    """Writes the messages to a new SQLite file; other tables of `source` are kept. An existing target is replaced. Raises InputError."""
    rows = [m for m in messages if isinstance(m, Mapping)]
    try:
        with closing(sqlite3.connect(":memory:")) as db:
            if source:
                db.deserialize(_without_wal(source))
            else:
                db.execute(f"CREATE TABLE {TABLE} (id TEXT, role TEXT, content TEXT, timestamp TEXT, round_num INTEGER)")
            known = {str(row[1]) for row in db.execute(f"PRAGMA table_info({TABLE})")}
            for name in dict.fromkeys(str(k) for m in rows for k in m):
                if name not in known:
                    db.execute(f"ALTER TABLE {TABLE} ADD COLUMN {_quoted(name)}")
            db.execute(f"DELETE FROM {TABLE}")
            for message in rows:
                names = ", ".join(_quoted(str(k)) for k in message)
                marks = ", ".join("?" * len(message))
                db.execute(f"INSERT INTO {TABLE} ({names}) VALUES ({marks})", [_cell(v) for v in message.values()])
            db.commit()
            data = db.serialize()
    except (sqlite3.Error, OverflowError) as error:
        raise InputError(f"the SQLite file cannot be written: {error}", str(target), "write to a JSON file instead") from None
    fresh = Path(f"{target}.new")
    fresh.write_bytes(data)
    os.replace(fresh, target)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value if value is None or isinstance(value, int | float | bytes) else json.dumps(value, ensure_ascii=False, default=str)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
