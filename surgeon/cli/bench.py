"""`surgeon bench`: how fast it is on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from surgeon.cli import common


def bench(
    runs: Annotated[int, typer.Option("--runs", min=1, help="How often everything is measured; the spread is over these.")] = 3,
    as_json: common.AsJson = False,
) -> None:
    """Measure milliseconds per message, a whole compaction, import and memory."""
    from surgeon.evaluate.bench import measure

    with common.working("measuring"):
        figures = measure(runs)
    if as_json:
        common.put_json({"schema_version": 1, "runs": runs, "figures": [f._asdict() for f in figures]})
        return
    for f in figures:
        spread = f"medians of the runs {f.low:.1f} to {f.high:.1f}, n = {f.n}"
        common.put(f"{f.name:<44} {f.median:9.1f} {f.unit:<3} p90 {f.p90:9.1f}   {spread}")
