"""The verbs of rule and template authors: validate, try, new, schema. Data goes to stdout, everything else to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from surgeon.errors import SurgeonError

OK, FINDINGS, USAGE = 0, 1, 2


def _say(text: str) -> None:
    typer.echo(text, err=True)


@contextmanager
def _explained() -> Iterator[None]:
    """Errors of this package as text on stderr and exit code 2."""
    try:
        yield
    except SurgeonError as error:
        _say(f"error: {error}")
        raise typer.Exit(USAGE) from None


def validate(
    paths: Annotated[list[str] | None, typer.Argument(help="Files and folders; without any, the shipped rules and templates.")] = None,
    output_format: Annotated[str, typer.Option("--output-format", help="text, json, github or sarif.")] = "text",
    strict: Annotated[bool, typer.Option("--strict", help="Warnings are findings too.")] = False,
    against: Annotated[list[str] | None, typer.Option("--against", help="Transcripts to count matches in.")] = None,
    explain: Annotated[str | None, typer.Option("--explain", help="Say what a code means, and stop.")] = None,
) -> None:
    """Check rules and templates and run their inline tests."""
    from surgeon import authoring
    from surgeon.resources import resource

    with _explained():
        if explain is not None:
            typer.echo(authoring.explain(explain))
            return
        writer = authoring.WRITERS.get(output_format)
        if writer is None:
            raise SurgeonError(f"there is no output format '{output_format}'", "", f"available: {', '.join(authoring.WRITERS)}")
        missing = [p for p in paths or [] if not Path(p).exists()]
        if missing:
            raise SurgeonError("no such file or folder", ", ".join(missing), "check the path")
        issues = authoring.validate(paths or None)
        text = writer(issues)
        if text:
            typer.echo(text)
        counts = {level: sum(1 for i in issues if i.severity == level) for level in ("error", "warning", "info")}
        _say(f"{counts['error']} errors, {counts['warning']} warnings, {counts['info']} notes")
        found = counts["error"] or (strict and counts["warning"])
        if against and not counts["error"]:
            _coverage(paths or [str(resource("rules")), str(resource("templates"))], against)
    raise typer.Exit(FINDINGS if found else OK)


def _coverage(paths: list[str], transcripts: list[str]) -> None:
    from surgeon.authoring import coverage

    for row in coverage(paths, transcripts):
        saved = f", about {row.tokens_saved} tokens saved" if row.tokens_saved else ""
        _say(f"{row.kind} {row.item}: {row.hits} of {row.of}{saved}")


def try_(
    file: Annotated[str, typer.Argument(help="A rule or template file.")],
    sample: Annotated[str | None, typer.Argument(help="A file with the sample, or - for stdin; without it, the first test.")] = None,
    tool: Annotated[str, typer.Option("--tool", help="Name of the tool that gave the sample.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
) -> None:
    """Show what a rule or template captures and writes for a sample."""
    from surgeon.authoring import try_file

    with _explained():
        result = try_file(file, _read(sample), tool)
    if as_json:
        typer.echo(json.dumps({"schema_version": 1, **asdict(result)}, ensure_ascii=False, indent=2, default=str))
    else:
        _show(asdict(result))
    raise typer.Exit(OK if result.matched else FINDINGS)


def _read(sample: str | None) -> str | None:
    if sample is None:
        return None
    if sample == "-":
        return sys.stdin.read()
    try:
        return Path(sample).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise SurgeonError("the sample cannot be read", sample, "give a UTF-8 file, or - for stdin") from None


def _show(result: dict[str, Any]) -> None:
    """The output on stdout, captures and proofs on stderr."""
    _say(
        f"{result['kind']}: {'applies' if result['matched'] else 'does not apply'}" + (f" ({result['reason']})" if result["reason"] else "")
    )
    for name, value in result["captured"].items():
        _say(f"  {name} = {json.dumps(value, ensure_ascii=False, default=str)}")
    if result["kind"] == "template":
        _say(f"  tokens {result['tokens_before']} -> {result['tokens_after']}, kept {len(result['kept'])}, lost {len(result['lost'])}")
        for value in (*result["lost"], *result["invented"]):
            _say(f"  ! {value}")
    elif result["score"] is not None:
        _say(f"  score {result['score']}")
    if result["output"] is not None:
        typer.echo(result["output"])


def new(
    kind: Annotated[str, typer.Argument(help="rule or template.")],
    name: Annotated[str, typer.Argument(help="Its name.")],
    output: Annotated[str | None, typer.Option("-o", "--output", help="The file to write; without it, stdout.")] = None,
) -> None:
    """Write the skeleton of a rule or template, with tests."""
    from surgeon import authoring

    with _explained():
        makers = {"rule": authoring.new_rule, "template": authoring.new_template}
        if kind not in makers:
            raise SurgeonError(f"there is no skeleton '{kind}'", "", "available: rule, template")
        text = makers[kind](name)
        if output is None:
            typer.echo(text, nl=False)
            return
        if Path(output).exists():
            raise SurgeonError("the file exists already", output, "choose another name")
        try:
            Path(output).write_text(text, "utf-8")
        except OSError as error:
            raise SurgeonError(f"the file cannot be written: {error.strerror}", output, "check the folder") from None
    _say(f"wrote {output}")


def schema(kind: Annotated[str, typer.Argument(help="rule, template or settings.")]) -> None:
    """Print the JSON Schema that editors use."""
    from surgeon import authoring

    with _explained():
        typer.echo(json.dumps(authoring.schema(kind), ensure_ascii=False, indent=2))


def register(app: typer.Typer) -> None:
    """Adds the verbs to an application."""
    app.command("validate")(validate)
    app.command("try")(try_)
    app.command("new")(new)
    app.command("schema")(schema)
