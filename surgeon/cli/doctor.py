"""`surgeon doctor`: is everything here that is needed, and does it work?"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import typer

from surgeon.cli import FINDINGS, OK, common
from surgeon.errors import SurgeonError

_PACKAGES = ("numpy", "onnxruntime", "pydantic", "presidio-analyzer", "regex", "rich", "spacy", "tiktoken", "tokenizers", "typer")
_OPTIONAL = ("sentence-transformers", "torch")


class Check(NamedTuple):
    """One check: its name, whether it passed, what was found, and what to do if it did not."""

    name: str
    good: bool
    found: str
    repair: str = ""


def doctor(as_json: common.AsJson = False, settings: common.SettingsFile = None) -> None:
    """Check versions, settings, models, the store, and the shipped rules and templates."""
    checks: list[Check] = []
    for name, check in (
        ("versions", versions), ("settings", lambda: _settings(settings)), ("models", _models),
        ("store", lambda: _store(settings)), ("rules and templates", lambda: _packs(settings)),
    ):  # fmt: skip
        with common.working(name):
            checks += _guarded(name, check)
    if as_json:
        common.put_json({"schema_version": 1, "checks": [c._asdict() for c in checks]})
    else:
        for one in checks:
            common.put(f"{'ok  ' if one.good else 'BAD '} {one.name}: {one.found}" + (f"\n     repair: {one.repair}" if one.repair else ""))
    raise typer.Exit(OK if all(c.good for c in checks) else FINDINGS)


def _guarded(name: str, check: Callable[[], list[Check]]) -> list[Check]:
    try:
        return check()
    except SurgeonError as error:
        return [Check(name, False, " · ".join(t for t in (error.what, error.where) if t), error.repair)]


def versions() -> list[Check]:
    """Python and the packages that surgeon stands on."""
    from surgeon import __version__

    have: dict[str, str] = {}
    for package in (*_PACKAGES, *_OPTIONAL):
        try:
            have[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    missing = [p for p in _PACKAGES if p not in have]
    found = f"surgeon {__version__}, Python {sys.version.split()[0]}, " + ", ".join(f"{p} {v}" for p, v in have.items())
    return [Check("versions", not missing, found, f"pip install {' '.join(missing)}" if missing else "")]


def _settings(file: str | None) -> list[Check]:
    from surgeon.settings import load

    loaded = load(common.overrides(file))
    sources = sorted({o for o in loaded.origins.values() if o != "argument"})
    return [Check("settings", True, f"profile {loaded.settings.profile}" + (f", from {', '.join(sources)}" if sources else ""))]


def _models() -> list[Check]:
    from surgeon.models import verify

    checks = []
    for row in verify():
        found = f"{row.state}, {row.size / 1e6:.1f} MB, {row.licence} {row.problem}".rstrip()
        checks.append(Check(f"model {row.name}", row.state == "ok", found, row.repair))
    return checks


def _store(file: str | None) -> list[Check]:
    """Opens the real file if there is one; else writes a scratch file where it would be, so that nothing is left behind."""
    from surgeon.stores.archive import SqliteArchive

    path = common.store_path(common.overrides(file))
    if path == common.IN_MEMORY or Path(path).is_file():
        archive = SqliteArchive(path)
        count = len(archive.sessions())
        archive.close()
        return [Check("store", True, f"{path}, {count} sessions")]
    folder = next(p for p in Path(path).absolute().parents if p.is_dir())
    try:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            SqliteArchive(Path(scratch) / "check.db").close()
    except OSError as error:
        return [Check("store", False, f"{folder}: {error.strerror}", "make the folder writable, or set stores.path")]
    return [Check("store", True, f"{path} (not there yet, can be written)")]


def _packs(file: str | None) -> list[Check]:
    from surgeon.authoring import validate
    from surgeon.resources import resource
    from surgeon.settings import load

    settings = load(common.overrides(file)).settings
    paths = [str(resource("rules")), str(resource("templates")), *settings.rules.paths, *settings.templates.paths]
    errors = [i for i in validate(paths) if i.severity == "error"]
    found = f"{len(errors)} errors" if errors else "valid, inline tests pass"
    return [Check("rules and templates", not errors, found, "surgeon validate" if errors else "")]
