"""`surgeon explain`: why each message was kept, rewritten, condensed or dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from surgeon.cli import common
from surgeon.errors import SurgeonError

if TYPE_CHECKING:
    from rich.table import Table

    from surgeon.result import Compaction
    from surgeon.types import Decision, Message, Reason

_STYLE = {"keep": "green", "rewrite": "yellow", "offload": "cyan", "drop": "red"}


def explain(
    source: common.Input,
    message: Annotated[str | None, typer.Option("--message", "-m", metavar="ID", help="Everything about one message.")] = None,
    budget: common.Budget = None,
    query: common.Query = None,
    as_json: common.AsJson = False,
    format_: common.Format = "auto",
    settings: common.SettingsFile = None,
    profile: common.Profile = None,
) -> None:
    """Say why each message was kept, rewritten, condensed (offload) or dropped."""
    loaded, result = common.compacted(source, budget, query, format_, settings, profile, "deciding")
    if result.report.tokens_after == result.report.tokens_before and budget is None:
        common.say("nothing had to be done; give --budget to see what a smaller size would cost")
    rows = _rows(result, common.with_rounds(loaded.format.read(loaded.messages)))
    if message is not None:
        rows = [r for r in rows if r["id"] == message]
        if not rows:
            raise SurgeonError(f"there is no message '{message}'", "", "ids are the messages' own, else m0, m1, … in order")
    if as_json:
        common.put_json({"schema_version": 1, "messages": rows})
        return
    with common.page() as console:
        if message is None:
            console.print(table(result, common.with_rounds(loaded.format.read(loaded.messages))))
        else:
            for line in _details(rows[0]):
                console.print(line, soft_wrap=True)


def _rows(result: Compaction, messages: list[Message]) -> list[dict[str, Any]]:
    by_id = {i: d for d in result.report.decisions for i in d.message_ids}
    rows = []
    for message in messages:
        decision = by_id.get(message.id)
        row: dict[str, Any] = {"id": message.id, "round": message.round, "role": message.role, "text": message.text}
        if decision is not None:
            row |= {
                "action": decision.action, "unit": decision.unit, "with": [i for i in decision.message_ids if i != message.id],
                "score": decision.score, "tokens_before": decision.tokens_before, "tokens_after": decision.tokens_after,
                "template": decision.template, "ref": decision.ref, "reasons": [r._asdict() for r in decision.reasons],
            }  # fmt: skip
        rows.append(row)
    return rows


def table(result: Compaction, messages: list[Message], limit: int | None = None) -> Table:
    """One row a unit, at most `limit`: who, what was done, tokens, the reasons, and how the text begins."""
    from rich.table import Table
    from rich.text import Text

    by_id = {m.id: m for m in messages}
    out = Table(expand=True, padding=(0, 1))
    for name, options in (
        ("id", {"width": 9, "overflow": "fold"}), ("rnd", {"width": 3}), ("action", {"width": 7}), ("tokens", {"width": 12}),
        ("why", {"ratio": 1}), ("text", {"ratio": 1}),
    ):  # fmt: skip
        out.add_column(name, **options)
    for decision in result.report.decisions[:limit]:
        first = by_id.get(decision.message_ids[0])
        name = decision.message_ids[0] + (f" +{len(decision.message_ids) - 1}" if len(decision.message_ids) > 1 else "")
        action = Text(f"{decision.action}\n{decision.score:.2f}" if decision.score else decision.action, style=_STYLE[decision.action])
        tokens = f"{decision.tokens_before}→{decision.tokens_after}" if decision.tokens_before else ""
        text = common.excerpt(_said(first), 60) if first else ""
        out.add_row(name, str(first.round) if first else "", action, tokens, Text(why(decision)), Text(text))
    return out


def _said(message: Message) -> str:
    calls = " ".join(f"{c.tool}({c.text})" for c in message.calls)
    return f"{message.role}: {message.text} {calls}"


def why(decision: Decision) -> str:
    """The reasons in a few words, the heaviest first, guards and gates before scores."""
    order = {"guard": 0, "policy": 0, "budget": 1, "gate": 2}
    ranked = sorted(decision.reasons, key=lambda r: (order.get(r.channel, 3), -abs(r.weight)))
    return "; ".join(_short(r) for r in ranked[:4]) or ("fits as it is" if decision.action == "keep" else "")


def _short(reason: Reason) -> str:
    weight = f" {reason.weight:+.2f}" if reason.channel in ("rules", "similarity", "context") and reason.weight else ""
    return f"{reason.name}{weight}"


def _details(row: dict[str, Any]) -> list[str]:
    lines = [f"{row['id']} · round {row['round']} · {row['role']}"]
    if "action" in row:
        lines.append(f"{row['action']}: {row['tokens_before']} -> {row['tokens_after']} tokens, score {row['score']}")
        lines += [f"together with {', '.join(row['with'])}"] if row["with"] else []
        lines += [f"original: surgeon expand {row['ref']}  (after 'surgeon compact')"] if row["ref"] else []
        for reason in row["reasons"]:
            weight = f" {reason['weight']:+.2f}" if reason["weight"] else ""
            lines.append(f"  {reason['channel']}: {reason['name']}{weight}" + (f"  ({reason['detail']})" if reason["detail"] else ""))
    return [*lines, "", row["text"]]
