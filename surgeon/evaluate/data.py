"""Conversations to measure on: files, folders, and JSON Lines that hold one conversation a line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from surgeon.errors import InputError
from surgeon.formats.load import load_conversation

_SUFFIXES = (".json", ".jsonl", ".jsonl.gz", ".json.gz", ".db", ".sqlite")


class Case(NamedTuple):
    """One conversation and where it came from."""

    name: str
    messages: Sequence[Any]


def cases(paths: Sequence[str]) -> Iterator[Case]:
    """Every conversation under the paths, files of a folder in order of their names. Raises InputError."""
    for given in paths:
        path = Path(given)
        files = sorted(p for p in path.rglob("*") if p.name.endswith(_SUFFIXES)) if path.is_dir() else [path]
        if not files:
            raise InputError("the folder holds no conversations", given, f"names must end in {', '.join(_SUFFIXES)}")
        for file in files:
            yield from _of_file(file)


def _of_file(path: Path) -> Iterator[Case]:
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "damaged gzip"
        raise InputError(f"cannot read the file: {reason}", str(path), "check the path") from None
    rows = _rows(data)
    if rows is None:
        yield Case(str(path), _load(data, path))
        return
    for number, row in enumerate(rows, 1):
        yield Case(f"{path}:{row.get('id', number)}", row["messages"])


def _rows(data: bytes) -> list[dict[str, Any]] | None:
    """The rows if every line is an object with `messages`, else None."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    try:
        rows = [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return None
    good = all(isinstance(r, dict) and isinstance(r.get("messages"), list) and "role" not in r for r in rows)
    return rows if rows and good else None


def _load(data: bytes, path: Path) -> Sequence[Any]:
    try:
        return load_conversation(data).messages
    except InputError as error:
        raise InputError(error.what, error.where.replace("bytes", str(path)), error.repair) from None
