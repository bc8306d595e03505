"""Checks of a template file beyond its shape: patterns, body, captures, inline tests with their proofs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, NamedTuple

import regex
from jinja2 import TemplateAssertionError, TemplateSyntaxError, meta, nodes

from surgeon.authoring.issues import Issue, issue
from surgeon.authoring.patterns import compile_checked, slow
from surgeon.errors import SurgeonError
from surgeon.rewrite.context import rough_tokens
from surgeon.rewrite.sandbox import METHODS, TICK, Sandbox
from surgeon.rewrite.template_file import TemplateFile, TemplateTest
from surgeon.rewrite.templates import CompiledTemplate, Outcome, compile_template
from surgeon.yaml_source import Place, Source

GIVEN = frozenset({"tool", "arguments", "range", TICK})


class Result(NamedTuple):
    """One inline test of a template: its name, whether it passes, why not, and the difference as lines."""

    name: str
    passed: bool
    message: str = ""
    diff: str = ""
    outcome: Outcome | None = None


def check_template(file: TemplateFile, source: Source) -> Iterator[Issue]:
    """Every issue of a template file whose shape is right."""
    broken = [*_patterns(file, source), *_body(file, source)]
    yield from broken
    if file.otherwise is None:
        yield issue("SRG311", source, ("id",), "'otherwise' is missing", "", file.id, value=False)
    if file.status == "stable" and not file.tests:
        yield issue("SRG310", source, ("status",), "a stable template needs tests", "", file.id, value=False)
    if not any(i.severity == "error" for i in broken):
        yield from _tests(file, source)


def _patterns(file: TemplateFile, source: Source) -> Iterator[Issue]:
    samples = [t.given.content for t in file.tests]
    places: list[tuple[Place, str]] = []
    for name, capture in file.capture.items():
        exact: Place = ("capture", name, "pattern")
        places.append((exact if exact in source.values else exact[:2], capture.pattern))
    places += [(("keep", i), p) for i, p in enumerate(file.keep)]
    if file.when.content:
        places.append((("when", "content"), file.when.content))
    for place, pattern in places:
        compiled, found = compile_checked(pattern, (), source, place, file.id)
        yield from found
        if compiled is None:
            continue
        seed = slow(compiled, samples)
        if seed:
            yield issue("SRG202", source, place, f"the pattern takes too long on grown text ({seed})", "", file.id)
        if place[0] == "capture":
            yield from _group(file, source, str(place[1]), compiled)


def _group(file: TemplateFile, source: Source, name: str, compiled: Any) -> Iterator[Issue]:
    group = file.capture[name].group
    known = group is None or group in compiled.groupindex or (isinstance(group, int) and 0 <= group <= compiled.groups)
    if not known:
        has = ", ".join(map(str, [*range(compiled.groups + 1), *compiled.groupindex]))
        yield issue("SRG305", source, ("capture", name, "group"), f"capture '{name}' has no group {group!r}", f"groups: {has}", file.id)


def _body(file: TemplateFile, source: Source) -> Iterator[Issue]:
    sandbox = Sandbox()
    try:
        tree = sandbox.parse(file.body)
        sandbox.from_string(file.body)
    except TemplateAssertionError as error:
        yield issue("SRG303", source, _line(source, error.lineno), str(error.message), "", file.id)
        return
    except TemplateSyntaxError as error:
        code = "SRG303" if "not allowed" in str(error.message) else "SRG301"
        yield issue(code, source, _line(source, error.lineno), str(error.message), "", file.id)
        return
    for node in tree.find_all(nodes.Getattr):
        inner = node.node
        if node.attr.startswith("_") or (node.attr not in METHODS and not (isinstance(inner, nodes.Name) and inner.name == "loop")):
            yield issue("SRG303", source, _line(source, node.lineno), f"attribute '{node.attr}' is not allowed in templates", "", file.id)
    used = meta.find_undeclared_variables(tree)
    declared = set(file.capture) | GIVEN
    if file.when.kind != "tool_result":
        declared |= {name for t in file.tests for name in t.given.values}
        declared |= {n.node.name for n in tree.find_all(nodes.Test) if n.name == "defined" and isinstance(n.node, nodes.Name)}
        declared |= {n.node.name for n in tree.find_all(nodes.Filter) if n.name in ("default", "d") and isinstance(n.node, nodes.Name)}
    for name in sorted(used - declared):
        near = difflib.get_close_matches(name, sorted(declared - {TICK}), n=1)
        line = next((n.lineno for n in tree.find_all(nodes.Name) if n.name == name), 1)
        repair = f"did you mean '{near[0]}'?" if near else f"names here: {', '.join(sorted(declared - {TICK}))}"
        yield issue("SRG302", source, _line(source, line), f"undeclared name '{name}'", repair, file.id)
    for name in sorted(set(file.capture) - used):
        yield issue("SRG304", source, ("capture", name), f"capture '{name}' is never used", "", file.id, value=False)


def _line(source: Source, lineno: int) -> tuple[int, int]:
    """The place of a line of the body; block scalars begin below their key."""
    line, col = source.at(("body",), value=True)
    block = source.excerpt(line)[col - 1 : col] in ("|", ">")
    if not block:
        return line, col
    text = source.excerpt(line + lineno)
    return line + lineno, len(text) - len(text.lstrip()) + 1


def run_test(compiled: CompiledTemplate, test: TemplateTest) -> Result:
    """One inline test: whether the template applies, what it writes, and the proofs."""
    given = test.given
    try:
        if compiled.file.when.kind == "tool_result":
            if not compiled.applies(given.content, given.tool, rough_tokens(given.content)):
                outcome = Outcome(None, {}, reason="the template does not apply to this tool and content")
            else:
                outcome = compiled.run(given.content, {"tool": given.tool, "arguments": given.arguments, **given.values})
        else:
            outcome = compiled.run(given.content, given.values)
    except (SurgeonError, TimeoutError) as error:
        return Result(test.name, False, str(error).split("\n")[0] or "ran out of time")
    if test.expect_unmatched:
        applied = outcome.output is not None and not outcome.reason
        return Result(test.name, not applied, "the template applies, expected was that it does not" if applied else "", outcome=outcome)
    if outcome.reason or outcome.output is None:
        return Result(test.name, False, outcome.reason, "\n".join([*outcome.lost, *outcome.invented]), outcome)
    if test.expect is not None and outcome.output != test.expect.strip("\n"):
        lines = difflib.unified_diff(
            test.expect.strip("\n").split("\n"), outcome.output.split("\n"), "expected", "output", lineterm="", n=1
        )
        return Result(test.name, False, "the output differs from 'expect'", "\n".join(lines), outcome)
    missing = [e for e in test.expect_contains if e not in outcome.output]
    if missing:
        return Result(test.name, False, f"the output lacks {missing[0]!r}", outcome.output, outcome)
    return Result(test.name, True, outcome=outcome)


def _tests(file: TemplateFile, source: Source) -> Iterator[Issue]:
    try:
        compiled = compile_template(file, source.path)
    except (regex.error, TemplateSyntaxError) as error:
        yield issue("SRG301", source, ("body",), str(error), "", file.id)
        return
    for number, test in enumerate(file.tests):
        result = run_test(compiled, test)
        if result.passed:
            continue
        place: Place = ("tests", number)
        shown = f"test '{test.name}': {result.message}" + (f"\n{result.diff}" if result.diff else "")
        yield issue(_code(result), source, place, shown, "", file.id)


def _code(result: Result) -> str:
    outcome = result.outcome
    if outcome is None:
        return "SRG312"
    if outcome.lost:
        return "SRG308"
    if outcome.invented:
        return "SRG309"
    return "SRG307" if "tokens" in outcome.reason else "SRG306"
