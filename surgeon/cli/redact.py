"""`surgeon redact`: a text without personal data and secrets."""

from __future__ import annotations

from typing import Annotated

import typer

from surgeon.cli import FINDINGS, OK, common
from surgeon.errors import SurgeonError

_LEVELS = ("secrets", "context", "all")


def redact(
    source: Annotated[str, typer.Argument(metavar="[IN]", help="A text in UTF-8; - is stdin.")] = "-",
    check: Annotated[bool, typer.Option("--check", help="Only list what would be hidden; exit code 1 if there is anything.")] = False,
    level: Annotated[str, typer.Option("--level", help="secrets, context (secrets and numbers) or all.")] = "all",
    as_json: common.AsJson = False,
) -> None:
    """Hide personal data and secrets in a text, English or Chinese."""
    from surgeon.redact import redact_text

    if level not in _LEVELS:
        raise SurgeonError(f"there is no level '{level}'", "--level", f"available: {', '.join(_LEVELS)}")
    text = common.read_text(source)
    with common.working("looking"):
        clean, findings = redact_text(text, None if level == "all" else level)
    if as_json:
        common.put_json({"schema_version": 1, "text": None if check else clean, "findings": [f._asdict() for f in findings]})
    elif check:
        for finding in findings:
            line = text.count("\n", 0, finding.start) + 1
            column = finding.start - text.rfind("\n", 0, finding.start)
            common.put(f"{source}:{line}:{column}: {finding.type} ({finding.end - finding.start} characters)")
    else:
        common.put(clean)
    common.say(f"{len(findings)} found")
    raise typer.Exit(FINDINGS if check and findings else OK)
