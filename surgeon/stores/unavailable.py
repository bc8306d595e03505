"""An archive that could not be opened: every use of it fails with the reason, so that a turn goes on without markers instead of ending."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from surgeon.errors import StoreError


class Unavailable:
    """Stands in for an archive; raises the error with which opening it failed."""

    def __init__(self, error: StoreError) -> None:
        self._error = error

    def _fail(self) -> NoReturn:
        raise StoreError(self._error.what, self._error.where, self._error.repair)

    def put(self, session: str, entries: Sequence[Mapping[str, Any]]) -> list[str]:
        """Raises StoreError."""
        self._fail()

    def get(self, session: str, ref: str) -> str | None:
        """Raises StoreError."""
        self._fail()

    def search(self, session: str, query: str, k: int) -> list[Any]:
        """Raises StoreError."""
        self._fail()

    def close(self) -> None:
        """Nothing is open."""
