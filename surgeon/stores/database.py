"""One SQLite file for archive and sessions: opening, migrations, and errors that say how to repair."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from surgeon.errors import StoreError

# One entry a schema version; a file is brought up to date by those it lacks.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE entries (
        number INTEGER PRIMARY KEY, session TEXT NOT NULL, ref TEXT NOT NULL, text TEXT NOT NULL, message_id TEXT NOT NULL DEFAULT '',
        round INTEGER NOT NULL DEFAULT 0, role TEXT NOT NULL DEFAULT '', tool TEXT NOT NULL DEFAULT '', time TEXT, stored REAL NOT NULL,
        extra TEXT NOT NULL DEFAULT '{}', UNIQUE (session, ref, message_id));
    CREATE INDEX entries_session ON entries (session, number);
    CREATE VIRTUAL TABLE words USING fts5(space, own, before, tokenize = "unicode61 remove_diacritics 2");
    CREATE TABLE sessions (session TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL, saved REAL NOT NULL);
    """,
)


class Database:
    """A connection shared by threads, guarded by one lock. `:memory:` is private to the object."""

    def __init__(self, path: str | Path = ":memory:", timeout: float = 2.0) -> None:
        self.path = str(path)
        self.lock = RLock()
        with self._errors():
            if self.path != ":memory:":
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            self._db: sqlite3.Connection | None = sqlite3.connect(self.path, timeout=timeout, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._migrate()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection for a query. Raises StoreError."""
        with self.lock, self._errors():
            yield self._open()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it or nothing. Raises StoreError."""
        with self.lock, self._errors():
            db = self._open()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def close(self) -> None:
        """Closes the file; twice does no harm."""
        with self.lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            raise StoreError("the store is closed", self.path, "open a new one")
        return self._db

    def _migrate(self) -> None:
        db = self._open()
        db.execute("CREATE TABLE IF NOT EXISTS surgeon_schema (version INTEGER NOT NULL)")
        with self.writing():
            row = db.execute("SELECT max(version) FROM surgeon_schema").fetchone()
            have = row[0] or 0
            if have > len(MIGRATIONS):
                raise StoreError(f"the file has schema {have}, this version knows {len(MIGRATIONS)}", self.path, "update context-surgeon")
            for number, script in enumerate(MIGRATIONS[have:], have + 1):
                for statement in filter(str.strip, script.split(";")):
                    db.execute(statement)
                db.execute("INSERT INTO surgeon_schema VALUES (?)", (number,))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            text = str(error)
            held = "locked" in text or "busy" in text
            repair = "close the other process or raise stores.timeout" if held else "check the path and its rights"
            raise StoreError(f"the store failed: {text}", self.path, repair) from None
        except sqlite3.DatabaseError as error:
            raise StoreError(f"the store failed: {error}", self.path, "the file is damaged or no SQLite file: move it away") from None
        except OSError as error:
            raise StoreError(f"the store failed: {error.strerror}", self.path, "check the path and its rights") from None
