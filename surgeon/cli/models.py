"""`surgeon models`: which models there are, whether their files are intact, and how the shipped one is built."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surgeon.cli import FINDINGS, OK, common

if TYPE_CHECKING:
    from surgeon.models import ModelRow

app = typer.Typer(help="List, verify or build the models.", no_args_is_help=True)


@app.command("list", epilog="Example:  surgeon models list --json")
def list_(as_json: common.AsJson = False) -> None:
    """List the models with source, licence and size; nothing is hashed."""
    from surgeon.models import list_models

    _show(list_models(), as_json)


@app.command("verify", epilog="Example:  surgeon models verify || surgeon models build")
def verify_(as_json: common.AsJson = False) -> None:
    """Hash every model file and compare it with the lock."""
    from surgeon.models import verify

    with common.working("hashing"):
        rows = verify()
    _show(rows, as_json)


@app.command("build", epilog="Example:  surgeon models build --out models")
def build_(
    out: Annotated[str | None, typer.Option("--out", help="The folder 'models' to write; without it, that of the installation.")] = None,
) -> None:
    """Build the shipped MiniLM from the original weights and judge it against them (needs the extra 'build')."""
    from surgeon.resources import resource
    from surgeon.scoring.models_build import build

    made = build(Path(out) if out else resource("models"), common.say)
    common.put(f"{made.folder / 'model.onnx'}  {made.size:,} bytes  sha256 {made.sha256}")


def _show(rows: list[ModelRow], as_json: bool) -> None:
    bad = [r for r in rows if r.state in ("missing", "corrupt")]
    if as_json:
        common.put_json({"schema_version": 1, "models": [r._asdict() for r in rows]})
    else:
        for row in rows:
            common.put(f"{row.state:<10} {row.name:<24} {row.size / 1e6:6.1f} MB  {row.licence:<11} {row.about}")
    for row in bad:
        common.say(f"{row.name}: {row.problem} is {row.state}\n  repair: {row.repair}")
    raise typer.Exit(FINDINGS if bad else OK)
