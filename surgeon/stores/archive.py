"""The archive in SQLite: originals by content reference, found again by words, strictly within their own session."""

from __future__ import annotations

import hashlib
import json
import math
import re
import sqlite3
import time as clock
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from surgeon.stores.database import Database
from surgeon.stores.words import Tokenise, index_words, match_expression, query_words
from surgeon.types import Hit, Reason

_COLUMNS = ("ref", "text", "message_id", "round", "role", "tool", "time")
_PREVIOUS_WEIGHT = 0.3
_REF_CHARS = 12
_CANDIDATES = 400
_K1, _B = 1.2, 0.5  # bm25 (Robertson and Zaragoza 2009); b is lower than usual because long tool results are no less to the point
_INSERT = (
    "INSERT OR IGNORE INTO entries (session, ref, text, message_id, round, role, tool, time, stored, extra) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SEARCH = (
    f"SELECT e.*, w.own AS own, w.before AS before FROM words w JOIN entries e ON e.number = w.rowid "
    f"WHERE words MATCH ? AND e.session = ? ORDER BY bm25(words, 0.0, 1.0, {_PREVIOUS_WEIGHT}), e.number LIMIT ?"
)


def ref_of(session: str, text: str) -> str:
    """The reference of a text: the first 12 hex digits of sha256 over session and text. Known before anything is stored."""
    return hashlib.sha256(f"{session}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:_REF_CHARS]


class SqliteArchive:
    """Keeps entries for ever; threads may share it. `tokenise` adds the words of a Chinese segmenter to the index."""

    def __init__(self, path: str | Path = ":memory:", timeout: float = 2.0, tokenise: Tokenise | None = None) -> None:
        self._database = Database(path, timeout)
        self._tokenise = tokenise

    def put(self, session: str, entries: Sequence[Mapping[str, Any]]) -> list[str]:
        """Stores entries {text, ref?, message_id, round, role, tool, time, …} in one transaction; returns their refs."""
        rows = [(entry, str(entry.get("ref") or ref_of(session, str(entry.get("text", ""))))) for entry in entries]
        if not rows:
            return []
        with self._database.writing() as db:
            for entry, ref in rows:
                self._insert(db, session, entry, ref)
        return [ref for _, ref in rows]

    def _insert(self, db: sqlite3.Connection, session: str, entry: Mapping[str, Any], ref: str) -> None:
        text = _storable(str(entry.get("text", "")))
        extra = {k: v for k, v in entry.items() if k not in _COLUMNS}
        when = entry.get("time")
        before = db.execute("SELECT text FROM entries WHERE session = ? ORDER BY number DESC LIMIT 1", (session,)).fetchone()
        added = db.execute(
            _INSERT,
            (
                session,
                ref,
                text,
                str(entry.get("message_id") or ""),
                int(entry.get("round") or 0),
                str(entry.get("role") or ""),
                str(entry.get("tool") or ""),
                None if when is None else str(when),
                clock.time(),
                _storable(json.dumps(extra, ensure_ascii=False, default=str)),
            ),
        )
        if added.rowcount and entry.get("indexed", True):  # what stands for messages that are indexed on their own is not
            words = (index_words(text, self._tokenise), index_words(before[0][:4_000], self._tokenise) if before else "")
            row = (added.lastrowid, _space(session), *words)
            db.execute("INSERT INTO words (rowid, space, own, before) VALUES (?, ?, ?, ?)", row)

    def get(self, session: str, ref: str) -> str | None:
        """The stored text of a reference in this session, or None."""
        with self._database.reading() as db:
            row = db.execute("SELECT text FROM entries WHERE session = ? AND ref = ? LIMIT 1", (session, ref)).fetchone()
        return None if row is None else _restored(row[0])

    def search(self, session: str, query: str, k: int = 5) -> list[Hit]:
        """The best k entries by their own words and, at lower weight, those of the entry before; score in 0..1; may be empty."""
        terms = query_words(query, self._tokenise)
        if not terms or k < 1:
            return []
        match = f'space : "{_space(session)}" AND ({match_expression(terms)})'
        with self._database.reading() as db:
            cursor = db.execute(_SEARCH, (match, session, _CANDIDATES))
            names = [c[0] for c in cursor.description]
            rows = [dict(zip(names, row, strict=True)) for row in cursor]
            total = db.execute("SELECT count(*) FROM entries WHERE session = ?", (session,)).fetchone()[0]
        return ranked(rows, terms, total)[:k]

    def list_refs(self, session: str) -> list[str]:
        """References of a session, oldest first."""
        with self._database.reading() as db:
            rows = db.execute("SELECT ref FROM entries WHERE session = ? ORDER BY number", (session,)).fetchall()
        return list(dict.fromkeys(r[0] for r in rows))

    def sessions(self) -> list[str]:
        """Every session that has entries."""
        with self._database.reading() as db:
            return [r[0] for r in db.execute("SELECT DISTINCT session FROM entries ORDER BY session")]

    def export(self, session: str | None = None) -> Iterator[dict[str, Any]]:
        """All entries, of one session or of all, oldest first."""
        where, values = ("WHERE session = ?", (session,)) if session is not None else ("", ())
        with self._database.reading() as db:
            cursor = db.execute(f"SELECT session, {', '.join(_COLUMNS)}, stored, extra FROM entries {where} ORDER BY number", values)
            rows = cursor.fetchall()
        for row in rows:
            entry = dict(zip(("session", *_COLUMNS, "stored"), row, strict=False))
            yield {**entry, "text": _restored(entry["text"]), **json.loads(row[-1])}

    def purge(self, session: str | None = None, before: float | None = None) -> int:
        """Deletes entries of a session, or stored before a time (seconds since 1970), or both together; returns how many. Neither: none."""
        tests = [t for t, v in (("session = ?", session), ("stored < ?", before)) if v is not None]
        values = [v for v in (session, before) if v is not None]
        if not tests:
            return 0
        with self._database.writing() as db:
            chosen = f"SELECT number FROM entries WHERE {' AND '.join(tests)}"
            db.execute(f"DELETE FROM words WHERE rowid IN ({chosen})", values)
            return db.execute(f"DELETE FROM entries WHERE {' AND '.join(tests)}", values).rowcount

    def close(self) -> None:
        """Closes the file."""
        self._database.close()


def ranked(rows: Sequence[Mapping[str, Any]], terms: Sequence[str], total: int) -> list[Hit]:
    """Hits by bm25 with the frequencies of this session alone, so that no other session changes an order; scores in 0..1."""
    own = [Counter(str(r["own"]).split()) for r in rows]
    before = [set(str(r["before"]).split()) for r in rows]
    mean = sum(c.total() for c in own) / max(1, len(own)) or 1.0
    rarity: dict[str, float] = {}
    for term in terms:
        holders = sum(term in c for c in own)
        rarity[term] = math.log(1 + (max(total, holders) - holders + 0.5) / (holders + 0.5))
    best = sum(rarity.values()) * (_K1 + 1)
    hits: list[Hit] = []
    for row, words, previous in zip(rows, own, before, strict=True):
        norm = _K1 * (1 - _B + _B * words.total() / mean)
        mine = sum(rarity[t] * words[t] * (_K1 + 1) / (words[t] + norm) for t in terms if t in words)
        near = sum(rarity[t] for t in terms if t in previous and t not in words) * _PREVIOUS_WEIGHT
        found = sum(t in words for t in terms)
        reasons: tuple[Reason, ...] = (Reason("words", "bm25", round(mine / best, 4), f"{found} of {len(terms)} words"),)
        if near:
            reasons = (*reasons, Reason("words", "previous", round(near / best, 4), "the entry before it matches"))
        text, score = _restored(row["text"]), round((mine + near) / best, 4)
        hits.append(Hit(text, row["message_id"], row["round"], score, row["ref"], reasons, row["role"], row["time"]))
    return sorted(hits, key=lambda hit: -hit.score)


def _space(session: str) -> str:
    """The session as one word of the index."""
    return "s" + hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _storable(text: str) -> str:
    """SQLite holds UTF-8 only: lone surrogates are kept as private escapes, so that the text comes back as it was."""
    if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return "".join(f"\ue000{ord(c):04x}\ue001" if "\ud800" <= c <= "\udfff" else c for c in text)


def _restored(text: str) -> str:
    if "\ue000d" not in text:
        return text
    return re.sub("\ue000(d[89a-f][0-9a-f]{2})\ue001", lambda m: chr(int(m.group(1), 16)), text)
