"""`surgeon compact`: a conversation made smaller, in the shape it was read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surgeon.cli import common
from surgeon.errors import InputError

if TYPE_CHECKING:
    from surgeon.formats.load import Loaded
    from surgeon.result import Compaction

_DONE = {"keep": "kept", "rewrite": "rewritten", "offload": "condensed", "drop": "dropped"}


def compact(
    source: common.Input,
    budget: common.Budget = None,
    query: common.Query = None,
    format_: common.Format = "auto",
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="OUT", help="The file to write; without it, stdout.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Messages, snapshot, report and text as one JSON object.")] = False,
    settings: common.SettingsFile = None,
    profile: common.Profile = None,
    now: Annotated[str | None, typer.Option("--now", help="ISO time for messages that carry none.")] = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep no originals; references cannot be expanded.")] = False,
) -> None:
    """Make a conversation smaller: same format back, valid to send, within the budget.

    What it removes is stored, so that every reference in the result can be expanded later.
    """
    loaded = common.read_conversation(source, format_)
    surgeon = common.make_surgeon(settings, profile, path=common.IN_MEMORY if no_store else None)
    place = surgeon.settings.stores.path or common.IN_MEMORY
    fresh = place != common.IN_MEMORY and not Path(place).exists()
    with common.working("compacting"):
        result = surgeon.compact(loaded.messages, budget, query, loaded.format.name, now=now)
    _write(result, loaded, output, as_json)
    _summary(result, loaded)
    if fresh and Path(place).exists():
        common.say(f"originals are kept in {place} (stores.path sets another place, --no-store none)")


def _write(result: Compaction, loaded: Loaded, output: str | None, as_json: bool) -> None:
    from surgeon.formats.load import dump, encode, save_conversation

    if not as_json and output not in (None, "-"):
        save_conversation(result.messages, loaded.wrapper, str(output))
        return
    text = encode(result.to_dict(), indent=2) + "\n" if as_json else dump(result.messages, loaded.wrapper)
    if output in (None, "-"):
        common.put(text)
        return
    try:
        Path(str(output)).write_text(text, "utf-8")
    except OSError as error:
        raise InputError(f"cannot write the file: {error.strerror}", str(output), "check the folder and its rights") from None


def _summary(result: Compaction, loaded: Loaded) -> None:
    report = result.report
    done = Counter[str]()
    for decision in report.decisions:
        done[_DONE[decision.action]] += len(decision.message_ids)
    how = ", ".join(f"{done[word]} {word}" for word in _DONE.values() if done[word])
    share = f" ({100 * report.tokens_after / report.tokens_before:.0f} %)" if report.tokens_before else ""
    common.say(
        f"{report.tokens_before:,} -> {report.tokens_after:,} tokens{share}, "
        f"{len(loaded.messages)} -> {len(result.messages)} messages" + (f": {how}" if how else "")
    )
    if report.budget is None and report.tokens_after == report.tokens_before:
        common.say("nothing had to be done; give --budget to ask for a size")
    common.report_notes(report)
