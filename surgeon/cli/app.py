"""The application: every verb with an example, in the order in which one needs them."""

from __future__ import annotations

from typing import Annotated

import typer

from surgeon.cli import authoring, bench, compact, config, diff, doctor, evaluate, expand, explain, init, models, recall, redact, snapshot

EXAMPLES = {
    "compact": "surgeon compact run.json --budget 4000 -o small.json",
    "snapshot": "surgeon snapshot chat.jsonl --history address:main",
    "explain": "surgeon explain run.json --budget 4000 --message m12",
    "diff": "surgeon diff run.json --budget 4000",
    "expand": "surgeon expand 3d562e58a1b2",
    "recall": 'surgeon recall "which port did we use first?"',
    "redact": "cat notes.txt | surgeon redact > clean.txt",
    "validate": "surgeon validate rules/ templates/ --strict",
    "try": "surgeon try templates/tool_results/pytest_failed.yaml run.log",
    "new": "surgeon new template deploy_log -o templates/tool_results/deploy_log.yaml",
    "schema": "surgeon schema rule > rules.schema.json",
    "eval": "surgeon eval transcripts/ --budget 20% --metric wire --metric budget",
    "bench": "surgeon bench --runs 5 --json",
    "models": "surgeon models verify",
    "doctor": "surgeon doctor",
    "config": "surgeon config show",
    "init": "surgeon init",
}

app = typer.Typer(
    name="surgeon",
    help="Keeps an AI agent's context small, true and safe to send: on a CPU, without an LLM call.",
    epilog=f"Start with:  {EXAMPLES['compact']}",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from surgeon import __version__

        typer.echo(f"surgeon {__version__}")
        raise typer.Exit


@app.callback()
def surgeon(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)] = False,
) -> None:
    """Keeps an AI agent's context small, true and safe to send: on a CPU, without an LLM call."""


app.command("compact")(compact.compact)
app.command("snapshot")(snapshot.snapshot)
app.command("explain")(explain.explain)
app.command("diff")(diff.diff)
app.command("expand")(expand.expand)
app.command("recall")(recall.recall)
app.command("redact")(redact.redact)
authoring.register(app)
app.command("eval")(evaluate.evaluate)
app.command("bench")(bench.bench)
app.add_typer(models.app, name="models")
app.command("doctor")(doctor.doctor)
app.add_typer(config.app, name="config")
app.command("init")(init.init)

for command in app.registered_commands:
    command.epilog = command.epilog or f"Example:  {EXAMPLES[command.name or '']}".replace("[", r"\[")
for group in app.registered_groups:
    group.epilog = f"Example:  {EXAMPLES[group.name or '']}"
