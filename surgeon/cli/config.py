"""`surgeon config show`: every setting, its value, and where the value came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import typer

from surgeon.cli import common

app = typer.Typer(help="Show the settings.", no_args_is_help=True)


@app.callback()
def config() -> None:
    """Show the settings."""


@app.command("show", epilog="Example:  SURGEON_TOKENS__COUNTER=cl100k surgeon config show")
def show(as_json: common.AsJson = False, settings: common.SettingsFile = None, profile: common.Profile = None) -> None:
    """Print every setting with its value and its origin."""
    from surgeon.settings import load

    loaded = load(common.overrides(settings, profile))
    named = {"argument": settings or "argument"} if settings else {}
    rows = []
    for key, value in _leaves(loaded.settings.model_dump()):
        origin = loaded.origins.get(key, "default")
        shown = "(set, not shown)" if key == "redaction.key" and value else value
        rows.append({"key": key, "value": shown, "origin": named.get(origin, origin)})
    if as_json:
        common.put_json({"schema_version": 1, "settings": rows})
        return
    width = max(len(r["key"]) for r in rows)
    values = [common.literal(r["value"]) for r in rows]
    room = min(36, max(len(v) for v in values))
    common.put("".join(f"{r['key']:<{width}}  {v:<{room}}  {r['origin']}\n" for r, v in zip(rows, values, strict=True)))


def _leaves(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
