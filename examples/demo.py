"""Compacts the shipped examples and prints what happened: sizes, snapshot, the compacted conversation, the reasons."""

import sys
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from surgeon import Surgeon
from surgeon.cli.common import with_rounds
from surgeon.cli.explain import table as reasons
from surgeon.cli.snapshot import tables
from surgeon.formats import load_conversation
from surgeon.formats.load import Loaded
from surgeon.result import Compaction

HERE = Path(__file__).parent
EXAMPLES = (
    ("An agent repairs a service (English, OpenAI format)", "agent_run_en.json", 3_000),
    ("The same agent, Anthropic format", "agent_run_anthropic.json", 3_000),
    ("A customer changes the address three times (Chinese)", "service_chat_zh.json", 900),
)
SHOWN_FACTS, SHOWN_REASONS, SHOWN_TEXT = 14, 16, 3_200


def sizes(rows: list[tuple[str, Loaded, Compaction]]) -> Table:
    """Before and after of every example."""
    table = Table(title="before and after", title_justify="left", expand=True)
    for name in ("example", "messages", "tokens before", "after", "left", "wire issues"):
        table.add_column(name, justify="left" if name == "example" else "right")
    for title, loaded, result in rows:
        before, after = result.report.tokens_before, result.report.tokens_after
        counts = f"{len(loaded.messages)} → {len(result.messages)}"
        table.add_row(title, counts, f"{before:,}", f"{after:,}", f"{100 * after // max(1, before)} %", str(len(result.report.issues)))
    return table


def conversation(result: Compaction, loaded: Loaded) -> Text:
    """The compacted conversation as a reader sees it."""
    text = Text()
    for message in loaded.format.read(result.messages):
        text.append(f"{message.role}: ", style="bold")
        calls = "".join(f" {c.tool}({c.text})" for c in message.calls)
        text.append(f"{message.text}{calls}\n")
    if len(text) <= SHOWN_TEXT:
        return text
    return text[: SHOWN_TEXT * 3 // 4] + Text("\n …\n\n", style="bold red") + text[-SHOWN_TEXT // 4 :]


def main() -> None:
    """Runs everything; originals stay in memory."""
    console = Console(width=None if sys.stdout.isatty() else 100, highlight=False)
    surgeon = Surgeon({"stores": {"path": ":memory:"}})
    rows = []
    for title, name, budget in EXAMPLES:
        loaded = load_conversation(HERE / name)
        rows.append((title, loaded, surgeon.compact(loaded.messages, budget, format=loaded.format.name)))
    for title, loaded, result in rows:
        if loaded.format.name == "anthropic":
            continue
        console.rule(title)
        console.print(*tables(result.snapshot, SHOWN_FACTS), sep="\n")
        console.print(Panel(conversation(result, loaded), title="the compacted conversation", title_align="left"))
        console.print("why (the first messages; 'surgeon explain' shows all)", style="italic")
        console.print(reasons(result, with_rounds(loaded.format.read(loaded.messages)), SHOWN_REASONS))
        for warning in result.report.warnings:
            console.print(f"warning: {warning}", style="yellow")
    console.print(sizes(rows))


if __name__ == "__main__":
    main()
