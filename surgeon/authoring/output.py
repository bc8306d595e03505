"""Issues as text, JSON, GitHub annotations or SARIF."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from surgeon.authoring.issues import CATALOGUE, Issue


def as_text(issues: Sequence[Issue]) -> str:
    """For people: code and message, place, the line with a mark, the repair."""
    return "\n".join(_one(i) for i in issues)


def _one(i: Issue) -> str:
    head, *more = i.message.split("\n")
    lines = [f"{i.code} {head}", f"  {i.file}:{i.line}:{i.col}" + (f"   {i.kind} {i.item}" if i.item else "")]
    if i.excerpt.strip():
        number = str(i.line).rjust(6)
        rest = i.excerpt[i.col - 1 :]
        width = max(1, len(rest.split(":")[0].rstrip())) if rest else 1
        lines += [f"{number} | {i.excerpt}", f"{' ' * 6} | {' ' * (i.col - 1)}{'^' * min(width, 60)}"]
    lines += [f"    {line}" for line in more]
    return "\n".join([*lines, f"  repair: {i.repair}"])


def as_json(issues: Sequence[Issue]) -> str:
    """An object with `schema_version` and `issues`."""
    return json.dumps({"schema_version": 1, "issues": [asdict(i) for i in issues]}, ensure_ascii=False, indent=2)


def as_github(issues: Sequence[Issue]) -> str:
    """Workflow commands that annotate the files of a pull request."""
    level = {"error": "error", "warning": "warning", "info": "notice"}
    return "\n".join(
        f"::{level[i.severity]} file={_property(i.file)},line={i.line},col={i.col},title={_property(f'{i.code} {i.item}'.strip())}"
        f"::{_data(f'{i.message} (repair: {i.repair})')}"
        for i in issues
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(issues: Sequence[Issue]) -> str:
    """SARIF 2.1.0, for code scanning."""
    level = {"error": "error", "warning": "warning", "info": "note"}
    rules = [{"id": code, "shortDescription": {"text": CATALOGUE[code].what}, "help": {"text": CATALOGUE[code].repair}}
             for code in sorted({i.code for i in issues})]  # fmt: skip
    results: list[dict[str, Any]] = [
        {
            "ruleId": i.code,
            "level": level[i.severity],
            "message": {"text": f"{i.message} (repair: {i.repair})"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": Path(i.file).as_posix()},
                        "region": {"startLine": i.line, "startColumn": i.col},
                    }
                }
            ],
        }
        for i in issues
    ]
    run = {"tool": {"driver": {"name": "surgeon", "rules": rules}}, "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


WRITERS: dict[str, Callable[[Sequence[Issue]], str]] = {"text": as_text, "json": as_json, "github": as_github, "sarif": as_sarif}
