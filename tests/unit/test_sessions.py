"""Session stores: what is saved is loaded, and nobody overwrites what they have not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from surgeon.errors import StoreError
from surgeon.stores.archive import SqliteArchive
from surgeon.stores.sessions import MemorySessions, SqliteSessions

STATE: dict[str, Any] = {"round": 3, "facts": [{"键": "值 \ud800"}], "none": None}


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Each kind of store."""
    return MemorySessions() if request.param == "memory" else SqliteSessions(tmp_path / "s.db")


def test_versions(store: Any) -> None:
    """A save needs the version that was loaded; a stale one is a conflict and changes nothing."""
    assert store.load("a") is None
    assert store.save("a", STATE, 0) == 1
    assert store.load("a") == (1, STATE)
    assert store.save("a", {"round": 4}, 1) == 2
    for stale in (0, 1, 3):
        with pytest.raises(StoreError, match="load it again"):
            store.save("a", {"round": 9}, stale)
    assert store.load("a") == (2, {"round": 4})
    assert store.load("b") is None
    store.close()


def test_loaded_state_is_a_copy(store: Any) -> None:
    """Changing what was loaded or saved does not change what is stored."""
    state = {"list": [1]}
    store.save("a", state, 0)
    state["list"].append(2)
    store.load("a")[1]["list"].append(3)
    assert store.load("a") == (1, {"list": [1]})


def test_state_must_be_json(store: Any) -> None:
    """What is no JSON is refused."""
    with pytest.raises(StoreError, match="JSON"):
        store.save("a", {"x": object()}, 0)


def test_one_file_for_archive_and_sessions(tmp_path: Path) -> None:
    """Archive and sessions share a file; both survive reopening."""
    path = tmp_path / "both.db"
    archive, sessions = SqliteArchive(path), SqliteSessions(path)
    archive.put("a", [{"text": "hello"}])
    sessions.save("a", STATE, 0)
    archive.close()
    sessions.close()
    again = SqliteSessions(path)
    assert again.load("a") == (1, STATE)
    assert again.names() == ["a"]
    assert again.delete("a")
    assert not again.delete("a")
    assert SqliteArchive(path).search("a", "hello", 1)
