"""`surgeon snapshot`: what the user wants and every fact with its history."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated

import typer

from surgeon.cli import common
from surgeon.errors import SurgeonError

if TYPE_CHECKING:
    from rich.table import Table

    from surgeon.snapshot.model import Snapshot
    from surgeon.types import Fact

_ANY_SIZE = 10**12


def snapshot(
    source: common.Input,
    as_json: common.AsJson = False,
    at: Annotated[int | None, typer.Option("--at", min=0, metavar="ROUND", help="As it stood when that round ended.")] = None,
    history: Annotated[str | None, typer.Option("--history", metavar="KEY", help="Every value that one fact ever had.")] = None,
    format_: common.Format = "auto",
    settings: common.SettingsFile = None,
    now: Annotated[str | None, typer.Option("--now", help="ISO time for messages that carry none.")] = None,
) -> None:
    """Show the user's intent and every fact, with who changed it when."""
    loaded = common.read_conversation(source, format_)
    surgeon = common.make_surgeon(settings, path=common.IN_MEMORY)
    messages = loaded.messages
    if at is not None:
        counted = common.with_rounds(loaded.format.read(messages))
        messages = messages[: next((i for i, m in enumerate(counted) if m.round > at), len(messages))]
    with common.working("reading"):
        result = surgeon.compact(messages, _ANY_SIZE, format=loaded.format.name, now=now)
    common.report_notes(result.report)
    if history is not None:
        _history(result.snapshot, history, as_json)
    elif as_json:
        common.put_json(result.snapshot.to_dict())
    else:
        with common.page() as console:
            for table in tables(result.snapshot):
                console.print(table)


def tables(snapshot: Snapshot, limit: int | None = None) -> list[Table]:
    """Intent and facts, to be printed; at most `limit` facts."""
    from rich.table import Table
    from rich.text import Text

    from surgeon.snapshot.render import intent_lines

    intent = Table(title="intent", title_justify="left", show_header=False, expand=True)
    intent.add_column("what", width=14)
    intent.add_column("value", ratio=1)
    for line in intent_lines(snapshot.intent) or ["goal: none found"]:
        name, _, value = line.partition(": ")
        intent.add_row(name, Text(value))
    facts = Table(title="facts", title_justify="left", expand=True)
    facts.add_column("fact", ratio=3, overflow="fold")
    facts.add_column("value now", ratio=5, overflow="fold")
    facts.add_column("how it came", ratio=5, overflow="fold")
    rest = [f for f in snapshot.facts.values() if f.status != "active"]
    for fact in [*snapshot.active(), *rest][:limit]:
        value = fact.value if fact.status == "active" else f"{fact.value} ({fact.status})"
        facts.add_row(Text(fact.key), Text(value), Text(path(fact)))
    return [intent, facts]


def path(fact: Fact) -> str:
    """The history of a fact in one line: round, action and the earlier values."""
    steps = [f"r{c.round} {c.action}" + (f" of r{c.source_round}" if c.source_round else "") for c in fact.history]
    earlier = list(dict.fromkeys(c.value for c in fact.history if c.value != fact.value))
    return " → ".join(steps) + (f"; was {'; '.join(earlier)}" if earlier else "")


def _history(snapshot: Snapshot, key: str, as_json: bool) -> None:
    fact = snapshot.facts.get(key)
    if fact is None:
        near = difflib.get_close_matches(key, snapshot.facts, n=1)
        hint = f"did you mean '{near[0]}'?  " if near else ""
        raise SurgeonError(f"there is no fact '{key}'", "", f"{hint}known: {', '.join(list(snapshot.facts)[:20]) or 'none'}")
    if as_json:
        from surgeon.snapshot.model import fact_to_dict

        common.put_json({"schema_version": 1, **fact_to_dict(fact)})
        return
    for change in fact.history:
        origin = f" (of round {change.source_round})" if change.source_round else ""
        common.put(f"round {change.round}  {change.action:<8} {change.value}{origin}  [{change.message_id}]")
