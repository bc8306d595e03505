"""The validator: every issue with its code and place, all of them at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from surgeon.authoring import WRITERS, explain, new_rule, new_template, schema, test_template, try_file, validate
from surgeon.authoring.issues import CATALOGUE
from surgeon.cli.authoring import register
from surgeon.errors import SurgeonError

RULE = """version: 1
about: A pack for tests.
rules:
  - id: demo.price
    status: stable
    summary: A price.
    why: Tests.
    label: price
    weight: 0.5
    keywords: [euro]
    any: ['\\d+ euros?']
    tests:
      match: [12 euros]
      no_match: [twelve]
"""
TEMPLATE = """version: 1
id: tool.demo
status: stable
summary: A demo.
why: Tests.
when: {kind: tool_result}
capture:
  total: 'done: (\\d+) files'
body: |
  total {{ total }}
keep: ['done: (\\d+)']
otherwise: next
tests:
  - name: the total stays
    given: {tool: job, content: "one two three four five six seven, done: 25 files"}
    expect: total 25
"""


def found(tmp_path: Path, text: str, name: str = "f.yaml") -> list[tuple[str, int, int]]:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return [(i.code, i.line, i.col) for i in validate([path])]


def test_good_files_are_clean(tmp_path: Path) -> None:
    """No false alarms."""
    assert found(tmp_path, RULE) == []
    assert found(tmp_path, TEMPLATE) == []


RULE_FAULTS = {
    "unknown key": (("weight: 0.5", "wieght: 0.5"), [("SRG104", 4, 5), ("SRG102", 9, 5)]),
    "range": (("weight: 0.5", "weight: 5"), [("SRG103", 9, 13)]),
    "type": (("keywords: [euro]", "keywords: euro"), [("SRG103", 10, 15)]),
    "status": (("status: stable", "status: ready"), [("SRG103", 5, 13)]),
    "missing key": (("    why: Tests.\n", ""), [("SRG104", 4, 5)]),
    "duplicate key": (("    label: price\n", "    label: price\n    label: cost\n"), [("SRG105", 9, 5)]),
    "yaml": (("about: A pack", "about: A: pack"), [("SRG101", 2, 9)]),
    "anchor": (("keywords: [euro]", "keywords: &k [euro]\n    all: *k"), [("SRG107", 10, 15)]),
    "regex": (("'\\d+ euros?'", "'(\\d+ euros?'"), [("SRG201", 11, 11)]),
    "slow regex": (("'\\d+ euros?'", "'\\d+ euros?', '(?:a|aa)+$'"), [("SRG202", 11, 25)]),
    "empty match": (("'\\d+ euros?'", "'\\d+ euros?', '(?:eur)?'"), [("SRG203", 11, 25)]),
    "prefilter": (("keywords: [euro]", "keywords: [dollar]"), [("SRG204", 13, 15)]),
    "no pattern": (("any: ['\\d+ euros?']", "unless: ['a']"), [("SRG205", 4, 5), ("SRG206", 13, 15)]),
    "failing match": (("[12 euros]", "[12 euros, euro land]"), [("SRG206", 13, 25)]),
    "failing no_match": (("no_match: [twelve]", "no_match: [9 euros]"), [("SRG206", 14, 18)]),
    "wrong span": (("[12 euros]", '[{text: 12 euros, span: "12"}]'), [("SRG206", 13, 15)]),
    "stable without tests": (("      no_match: [twelve]\n", ""), [("SRG207", 5, 5)]),
    "todo matches": (("no_match: [twelve]", "no_match: [twelve]\n      todo_match: [3 euros]"), [("SRG208", 15, 20)]),
    "duplicate id": (("", ""), [("SRG106", 15, 5)]),
}


@pytest.mark.parametrize("name", RULE_FAULTS)
def test_faults_of_rule_files(tmp_path: Path, name: str) -> None:
    """Each fault gives exactly its issues, at their places."""
    (old, new), expected = RULE_FAULTS[name]
    text = RULE.replace(old, new, 1) if old else RULE + RULE.split("rules:\n")[1]
    got = found(tmp_path, text)
    if name == "duplicate id":
        assert [g[:2] for g in got] == [e[:2] for e in expected]
    else:
        assert got == expected


TEMPLATE_FAULTS = {
    "jinja": (("{{ total }}", "{{ total"), [("SRG301", 10, 3)]),
    "undeclared": (("{{ total }}", "{{ total }}{{ totl }}"), [("SRG302", 10, 3)]),
    "filter": (("{{ total }}", "{{ total|format }}"), [("SRG303", 10, 3)]),
    "attribute": (("{{ total }}", "{{ total.__class__ }}"), [("SRG303", 10, 3)]),
    "macro": (("total {{ total }}", "{% macro f() %}{% endmacro %}{{ total }}"), [("SRG303", 10, 3)]),
    "unused": (("  total: ", "  other: 'x'\n  total: "), [("SRG304", 8, 3)]),
    "group": (("total: 'done: (\\d+) files'", "total: {pattern: 'done: (\\d+)', group: 2}"), [("SRG305", 8, 42)]),
    "test": (("expect: total 25", "expect: total 26"), [("SRG306", 14, 5)]),
    "both expectations": (("expect: total 25", "expect: total 25\n    expect_unmatched: true"), [("SRG103", 14, 5)]),
    "larger": (("total {{ total }}", "total {{ total }} " + "and more words " * 20), [("SRG307", 14, 5)]),
    "kept": (("total {{ total }}", "total of {{ total|length }}"), [("SRG308", 14, 5)]),
    "invented": (("total {{ total }}", "total {{ total }} {{ total|int * 3 }}"), [("SRG309", 14, 5)]),
    "no tests": (("tests:\n", "#"), [("SRG310", 3, 1)]),
    "otherwise": (("otherwise: next\n", ""), [("SRG311", 2, 1)]),
    "does not render": (("total {{ total }}", "total {{ total }}{{ total / 2 }}"), [("SRG312", 14, 5)]),
}


@pytest.mark.parametrize("name", TEMPLATE_FAULTS)
def test_faults_of_template_files(tmp_path: Path, name: str) -> None:
    """Each fault gives exactly its issues, at their places."""
    (old, new), expected = TEMPLATE_FAULTS[name]
    text = TEMPLATE.replace(old, new, 1)
    if name == "no tests":
        text = TEMPLATE.split("tests:\n")[0]
    assert found(tmp_path, text) == expected


def test_all_issues_of_all_files_are_reported(tmp_path: Path) -> None:
    """The validator never stops at the first."""
    (tmp_path / "a.yaml").write_text(RULE.replace("weight: 0.5", "wieght: 5").replace("label: price", "label: 7"), "utf-8")
    (tmp_path / "b.yaml").write_text("x: [", "utf-8")
    (tmp_path / "c.yaml").write_text("name: neither", "utf-8")
    assert [i.code for i in validate([tmp_path])] == ["SRG104", "SRG103", "SRG102", "SRG101", "SRG002"]
    assert [i.code for i in validate([tmp_path / "missing.yaml"])] == ["SRG001"]


def test_an_issue_says_what_where_and_how_to_repair(tmp_path: Path) -> None:
    """The text form shows the line, marks the place and proposes the nearest key."""
    path = tmp_path / "f.yaml"
    path.write_text(RULE.replace("weight: 0.5", "weight: 0.5\n    keyword: [a]"), "utf-8")
    text = WRITERS["text"](validate([path]))
    assert "SRG102 unknown key 'keyword'" in text
    assert f"{path}:10:5   rule demo.price" in text
    assert "    10 |     keyword: [a]\n       |     ^^^^^^^\n  repair: did you mean 'keywords'?" in text


def test_output_formats(tmp_path: Path) -> None:
    """JSON and SARIF parse; GitHub lines are escaped."""
    path = tmp_path / "f.yaml"
    path.write_text(TEMPLATE.replace("expect: total 25", "expect: total 26"), "utf-8")
    issues = validate([path])
    assert json.loads(WRITERS["json"](issues))["issues"][0]["code"] == "SRG306"
    sarif = json.loads(WRITERS["sarif"](issues))
    assert sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 14
    line = WRITERS["github"](issues)
    assert line.startswith("::error file=")
    assert "\n" not in line
    assert "%0A" in line


def test_every_code_is_explained() -> None:
    """`--explain` knows each code; an unknown one names those that exist."""
    assert all("repair:" in explain(code) for code in CATALOGUE)
    with pytest.raises(SurgeonError, match="SRG101"):
        explain("SRG999")


def test_skeletons_are_valid_as_they_stand(tmp_path: Path) -> None:
    """`new` writes files that pass, tests included."""
    for name, text in (("r.yaml", new_rule("My thing")), ("t.yaml", new_template("my thing"))):
        assert found(tmp_path, text, name) == []
        assert all(r.passed for r in test_template(tmp_path / name))


def test_schemas_are_strict() -> None:
    """Editors refuse unknown keys, and accept the short forms."""
    assert schema("rule")["additionalProperties"] is False
    assert {"type": "string"} in schema("template")["properties"]["capture"]["additionalProperties"]["anyOf"]
    assert "protect_recent" in schema("settings")["properties"]
    with pytest.raises(SurgeonError, match="available"):
        schema("nothing")


def test_try_shows_captures_output_and_proofs(tmp_path: Path) -> None:
    """What an author wants to see for a sample."""
    path = tmp_path / "t.yaml"
    path.write_text(TEMPLATE, "utf-8")
    result = try_file(path, "a b c d e f g h i j k l m n done: 77 files")
    assert (result.matched, result.captured, result.output, result.kept) == (True, {"total": "77"}, "total 77", ("77",))
    assert result.tokens_after < result.tokens_before
    assert not try_file(path, "nothing").matched
    path.write_text(RULE, "utf-8")
    assert try_file(path, "it is 9 euros").captured == {"demo.price": ["9 euros"]}


def test_command_line(tmp_path: Path) -> None:
    """Exit codes 0, 1 and 2; data on stdout."""
    app = typer.Typer()
    register(app)
    path = tmp_path / "f.yaml"
    path.write_text(RULE, "utf-8")
    run = CliRunner().invoke
    assert run(app, ["validate", str(path)]).exit_code == 0
    path.write_text(RULE.replace("weight: 0.5", "weight: 5"), "utf-8")
    bad = run(app, ["validate", str(path), "--output-format", "json"])
    assert bad.exit_code == 1
    assert json.loads(bad.stdout)["issues"][0]["code"] == "SRG103"
    assert run(app, ["validate", str(tmp_path / "none.yaml")]).exit_code == 2
    assert run(app, ["schema", "rule"]).exit_code == 0
    assert run(app, ["schema", "x"]).exit_code == 2
    assert run(app, ["new", "template", "x y"]).stdout.startswith("# yaml-language-server")
    path.write_text(TEMPLATE, "utf-8")
    assert run(app, ["try", str(path)]).stdout == "total 25\n"
