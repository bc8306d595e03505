"""Session state with optimistic versions: in memory, or in the same SQLite file as the archive."""

from __future__ import annotations

import json
import time as clock
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from surgeon.errors import StoreError
from surgeon.stores.database import Database


def _conflict(session: str, version: int, stored: int) -> StoreError:
    return StoreError(f"the session was saved by someone else: version {stored} is stored, {version} was loaded", session, "load it again")


class MemorySessions:
    """Keeps state in the process. What is loaded is a copy, so that no caller changes what is stored."""

    def __init__(self) -> None:
        self._states: dict[str, tuple[int, str]] = {}
        self._lock = Lock()

    def load(self, session: str) -> tuple[int, dict[str, Any]] | None:
        """Version and state, or None."""
        with self._lock:
            found = self._states.get(session)
        return None if found is None else (found[0], json.loads(found[1]))

    def save(self, session: str, state: Mapping[str, Any], version: int) -> int:
        """Saves if the stored version is `version` (0: not stored yet); returns the new one. Raises StoreError on conflict."""
        text = _text(session, state)
        with self._lock:
            stored = self._states.get(session, (0, ""))[0]
            if stored != version:
                raise _conflict(session, version, stored)
            self._states[session] = (version + 1, text)
        return version + 1

    def close(self) -> None:
        """Nothing to close."""


class SqliteSessions:
    """Keeps state in a SQLite file, safe for threads and processes."""

    def __init__(self, path: str | Path = ":memory:", timeout: float = 2.0) -> None:
        self._database = Database(path, timeout)

    def load(self, session: str) -> tuple[int, dict[str, Any]] | None:
        """Version and state, or None. Raises StoreError."""
        with self._database.reading() as db:
            row = db.execute("SELECT version, state FROM sessions WHERE session = ?", (session,)).fetchone()
        if row is None:
            return None
        try:
            return int(row[0]), json.loads(row[1])
        except ValueError:
            raise StoreError("the saved state is damaged", session, "delete the session and start anew") from None

    def save(self, session: str, state: Mapping[str, Any], version: int) -> int:
        """Saves if the stored version is `version` (0: not stored yet); returns the new one. Raises StoreError on conflict."""
        text = _text(session, state)
        with self._database.writing() as db:
            row = db.execute("SELECT version FROM sessions WHERE session = ?", (session,)).fetchone()
            stored = row[0] if row else 0
            if stored != version:
                raise _conflict(session, version, stored)
            db.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)", (session, version + 1, text, clock.time()))
        return version + 1

    def names(self) -> list[str]:
        """Every saved session."""
        with self._database.reading() as db:
            return [r[0] for r in db.execute("SELECT session FROM sessions ORDER BY session")]

    def delete(self, session: str) -> bool:
        """Deletes a session's state; whether there was one."""
        with self._database.writing() as db:
            return db.execute("DELETE FROM sessions WHERE session = ?", (session,)).rowcount > 0

    def close(self) -> None:
        """Closes the file."""
        self._database.close()


def _text(session: str, state: Mapping[str, Any]) -> str:
    try:
        return json.dumps(state, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError):
        raise StoreError("the state is not plain JSON", session, "keep only JSON values in it") from None
