"""Trying rules and templates: inline tests as results, and one file against one sample."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex
from jinja2 import TemplateError

from surgeon.authoring.check_rules import run_cases
from surgeon.authoring.check_templates import Result, run_test
from surgeon.authoring.validate import kind_of
from surgeon.errors import RuleError, SurgeonError
from surgeon.protocols import TokenCounter
from surgeon.rewrite.context import rough_tokens
from surgeon.rewrite.template_file import TemplateFile
from surgeon.rewrite.templates import compile_template
from surgeon.scoring.rule_file import RuleFile
from surgeon.scoring.rules import RuleSet, compile_rule
from surgeon.yaml_source import parse_model, read_yaml


@dataclass(frozen=True, slots=True)
class TryResult:
    """What a rule or template file does with a sample.

    `matched` says whether it applies, `captured` what it found (captures, or the stretches of each rule), `output` what a template
    writes, `reason` why the output may not be used; `kept` and `lost` are its proofs.
    """

    kind: str
    matched: bool
    captured: Mapping[str, Any]
    output: str | None = None
    tokens_before: int = 0
    tokens_after: int = 0
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()
    reason: str = ""
    score: float | None = None


def test_template(path: str | Path) -> list[Result]:
    """The inline tests of a template (or rule) file, run. Raises RuleError if the file cannot be loaded."""
    source = read_yaml(path)
    if kind_of(source) == "rule":
        file = parse_model(source, RuleFile).require()
        return [
            Result(f"{case.item} {kind} {number + 1}", not (case.failure or (case.hidden and kind == "match")), case.failure)
            for rule in file.rules
            for kind, number, case in run_cases(rule, compile_rule(rule, file.defaults))
            if kind != "todo_match"
        ]
    template = parse_model(source, TemplateFile).require()
    try:
        compiled = compile_template(template, str(path))
    except (regex.error, TemplateError) as error:
        raise RuleError(f"template {template.id} does not compile: {error}", str(path), "run 'surgeon validate'") from None
    return [run_test(compiled, t) for t in template.tests]


test_template.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest


def try_file(path: str | Path, sample: str | None = None, tool: str = "", count: TokenCounter = rough_tokens) -> TryResult:
    """What a file does with a sample (None: the first sample of its own tests). Raises RuleError if the file cannot be loaded.

    For templates of corrections, repeats and states the sample is a JSON object of named values.
    """
    source = read_yaml(path)
    if kind_of(source) == "rule":
        return _try_rules(path, sample, parse_model(source, RuleFile).require())
    return _try_template(path, sample, tool, parse_model(source, TemplateFile).require(), count)


def _try_rules(path: str | Path, sample: str | None, file: RuleFile) -> TryResult:
    text = sample if sample is not None else next((c.text for r in file.rules for c in r.tests.match), "")
    rules = RuleSet.load([path])
    roles = sorted({role for rule in rules.rules for role in rule.roles})
    found = {m.rule_id: [] for role in roles for m in rules.match(text, role)}  # type: dict[str, list[str]]
    for role in roles:
        for m in rules.match(text, role):
            if m.text not in found[m.rule_id]:
                found[m.rule_id].append(m.text)
    best = max((rules.score_text(text, role).score for role in roles), default=0.0)
    return TryResult("rule", bool(found), found, score=best)


def _try_template(path: str | Path, sample: str | None, tool: str, file: TemplateFile, count: TokenCounter) -> TryResult:
    given = file.tests[0].given if file.tests else None
    try:
        compiled = compile_template(file, str(path))
    except (regex.error, TemplateError) as error:
        raise RuleError(f"template {file.id} does not compile: {error}", str(path), "run 'surgeon validate'") from None
    if file.when.kind == "tool_result":
        text = sample if sample is not None else given.content if given else ""
        tool = tool or (given.tool if given else "")
        values: dict[str, Any] = {"tool": tool, "arguments": ""}
    else:
        text, values = "", _values(sample) if sample is not None else dict(given.values) if given else {}
    before = count(text)
    try:
        if file.when.kind == "tool_result" and not compiled.applies(text, tool, before):
            return TryResult("template", False, {}, None, before, before, reason="tool, size or content do not ask for this template")
        outcome = compiled.run(text, values, count)
    except (SurgeonError, TimeoutError) as error:
        return TryResult("template", False, {}, None, before, before, reason=str(error).split("\n")[0] or "ran out of time")
    after = count(outcome.output) if outcome.output is not None else before
    return TryResult(
        "template", outcome.output is not None and not outcome.reason, outcome.captured, outcome.output, before, after,
        outcome.kept, outcome.lost, outcome.invented, outcome.reason,
    )  # fmt: skip


def _values(sample: str) -> dict[str, Any]:
    try:
        values = json.loads(sample)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise RuleError("the sample of such a template is a JSON object of named values", "", 'for example {"key": "address", "old": "…"}')
    return values
