"""Checks of a rule file beyond its shape: patterns, prefilter, inline tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from surgeon.authoring.issues import Issue, issue
from surgeon.authoring.patterns import compile_checked, slow
from surgeon.scoring.rule_file import Case, Rule, RuleFile
from surgeon.scoring.rules import CompiledRule, compile_rule
from surgeon.yaml_source import Place, Source

SECONDS = 1.0


class CaseResult(NamedTuple):
    """One inline test of a rule: what was asked, what matched, and why it fails (empty if it passes)."""

    item: str
    kind: str
    text: str
    matched: tuple[str, ...]
    failure: str
    hidden: bool = False


def check_rules(file: RuleFile, source: Source) -> Iterator[Issue]:
    """Every issue of a rule file whose shape is right."""
    seen: dict[str, int] = {}
    for number, rule in enumerate(file.rules):
        place: Place = ("rules", number)
        if rule.id in seen:
            yield issue(
                "SRG106", source, (*place, "id"), f"duplicate id '{rule.id}'", f"rule {seen[rule.id] + 1} of this file has it", rule.id
            )
        seen.setdefault(rule.id, number)
        broken = [*_patterns(rule, file, source, place)]
        yield from broken
        if not rule.any and not rule.all:
            yield issue("SRG205", source, place, "the rule has neither 'any' nor 'all'", "", rule.id)
        if rule.status == "stable" and not (rule.tests.match and rule.tests.no_match):
            yield issue("SRG207", source, (*place, "status"), "a stable rule needs match and no_match tests", "", rule.id, value=False)
        if not any(i.code in ("SRG201", "SRG202") for i in broken):
            yield from _tests(rule, compile_rule(rule, file.defaults), source, place)


def _patterns(rule: Rule, file: RuleFile, source: Source, place: Place) -> Iterator[Issue]:
    flags = rule.flags if rule.flags is not None else file.defaults.flags
    samples = [c.text for c in (*rule.tests.match, *rule.tests.no_match)]
    for group in ("any", "all", "unless"):
        for number, pattern in enumerate(getattr(rule, group)):
            here: Place = (*place, group, number)
            compiled, found = compile_checked(pattern, flags, source, here, rule.id)
            yield from found
            seed = slow(compiled, samples) if compiled is not None else None
            if seed:
                yield issue("SRG202", source, here, f"the pattern takes too long on grown text ({seed})", "", rule.id)


def run_cases(rule: Rule, compiled: CompiledRule) -> Iterator[tuple[str, int, CaseResult]]:
    """Every inline test of a rule with its kind and number."""
    for kind in ("match", "no_match", "todo_match"):
        for number, case in enumerate(getattr(rule.tests, kind)):
            yield kind, number, _run(rule, compiled, kind, case)


def _run(rule: Rule, compiled: CompiledRule, kind: str, case: Case) -> CaseResult:
    try:
        spans = compiled.search(case.text, SECONDS, 64)
    except TimeoutError:
        return CaseResult(rule.id, kind, case.text, (), "ran out of time")
    hidden = bool(spans) and not compiled.passes(case.text.lower())
    matched = () if hidden else tuple(case.text[a:b] for a, b in spans)
    failure = ""
    if kind == "match":
        if not matched:
            failure = "does not match"
        elif case.span is not None and case.span not in matched:
            failure = f"matches {', '.join(map(repr, matched))}, not {case.span!r}"
        elif case.role is not None and case.role not in compiled.roles:
            failure = f"the rule is not for role {case.role}"
    elif kind == "no_match" and matched:
        failure = f"matches {matched[0]!r}"
    return CaseResult(rule.id, kind, case.text, matched, failure, hidden)


def _tests(rule: Rule, compiled: CompiledRule, source: Source, place: Place) -> Iterator[Issue]:
    for kind, number, result in run_cases(rule, compiled):
        here: Place = (*place, "tests", kind, number)
        if result.hidden and kind == "match":
            yield issue("SRG204", source, here, "the keywords hide this match: none of them occurs in the text", "", rule.id)
        elif result.failure:
            yield issue("SRG206", source, here, f"{kind}: {result.failure}", "", rule.id)
        elif kind == "todo_match" and result.matched:
            yield issue("SRG208", source, here, "this text matches now", "", rule.id)
