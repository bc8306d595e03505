"""`surgeon eval`: the evaluation harness on conversations of one's own."""

from __future__ import annotations

from typing import Annotated

import typer

from surgeon.cli import FINDINGS, OK, common


def evaluate(
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help="Conversations: files, folders, JSON Lines of many.")],
    budget: Annotated[str, typer.Option("--budget", "-b", help="Tokens (4000) or a share of each conversation (20%).")] = "20%",
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="One metric, may be repeated; without it, all.")] = None,
    as_json: common.AsJson = False,
    settings: common.SettingsFile = None,
    profile: common.Profile = None,
) -> None:
    """Compact many conversations and measure what came out; exit code 1 if a bar is missed."""
    from surgeon.evaluate import runs
    from surgeon.evaluate.data import cases
    from surgeon.evaluate.metrics import METRICS

    wanted = [METRICS.get(name)() for name in metric or METRICS.names()]
    size = runs.parse_budget(budget)
    surgeon = common.make_surgeon(settings, profile, path=common.IN_MEMORY)
    with common.working("evaluating"):
        outcomes = [runs.run(surgeon, case, size) for case in cases(data)]
    summary = [runs.summarise(one, outcomes) for one in wanted]
    if as_json:
        rows = [{"case": o.name, **{m.name: m.measure(o) for m in wanted}} for o in outcomes]
        common.put_json({"schema_version": 1, "budget": budget, "summary": [s._asdict() for s in summary], "cases": rows})
    else:
        for s in summary:
            common.put(f"{s.name:<9} {s.value:10.2f} {s.unit:<3} worst {s.worst:10.2f}   {s.about}" + ("" if s.good else "   MISSED"))
        common.say(f"{len(outcomes)} conversations at {budget}")
    raise typer.Exit(OK if all(s.good for s in summary) else FINDINGS)
