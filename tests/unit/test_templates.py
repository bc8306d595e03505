"""Templates: the first match writes, proofs are checked at run time, and nothing unproven is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgeon.rewrite.context import rough_tokens
from surgeon.rewrite.evidence import invented
from surgeon.rewrite.templates import TemplateSet, shipped_templates

TEMPLATE = """version: 1
id: tool.demo
status: draft
summary: A demo.
why: Tests.
when: {kind: tool_result, tools: [job*], content: '(?m)^done: \\d+'}
capture:
  total: '(?m)^done: (\\d+)'
  failed: {pattern: '(?m)^FAIL (\\S+)', take: all, optional: true}
body: |
  total {{ total }}
  {% for name in failed %}
  - {{ name }}
  {% endfor %}
keep: ['(?m)^FAIL (\\S+)']
otherwise: next
"""
RESULT = "step one\nstep two\nFAIL alpha.csv\nstep three\nFAIL 贝塔.csv\n" + "step\n" * 20 + "done: 25\n"


def load(folder: Path, text: str, name: str = "t.yaml") -> TemplateSet:
    (folder / name).write_text(text, "utf-8")
    return TemplateSet.load([folder])


def test_a_matching_template_writes(tmp_path: Path) -> None:
    """Captured values are filled in; the rewrite names its template."""
    made = load(tmp_path, TEMPLATE).apply(RESULT, "job_runner")
    assert made is not None
    assert (made.text, made.by) == ("total 25\n- alpha.csv\n- 贝塔.csv", "tool.demo")


@pytest.mark.parametrize(("tool", "text"), [("other", RESULT), ("job", "nothing here\n" * 20)])
def test_other_tools_and_texts_are_left_alone(tmp_path: Path, tool: str, text: str) -> None:
    """Tool name and content both decide."""
    assert load(tmp_path, TEMPLATE).apply(text, tool) is None


def test_lost_evidence_stops_a_template(tmp_path: Path) -> None:
    """What `keep` finds must stand in the output, also at run time."""
    assert load(tmp_path, TEMPLATE.replace("- {{ name }}", "- one")).apply(RESULT, "job") is None


def test_an_invented_number_stops_a_template(tmp_path: Path) -> None:
    """A number that the source lacks is never shown."""
    assert load(tmp_path, TEMPLATE.replace("{{ total }}", "{{ total|int * 3 }}")).apply(RESULT, "job") is None


def test_a_larger_output_is_never_used(tmp_path: Path) -> None:
    """The result is smaller than its source."""
    made = load(tmp_path, TEMPLATE.replace("total {{", "a long introduction that says nothing " * 30 + "{{")).apply(RESULT, "job")
    assert made is None


def test_otherwise_keep_stops_the_search(tmp_path: Path) -> None:
    """`keep` leaves the text to nobody else; `next` lets other templates try."""
    broken = TEMPLATE.replace("- {{ name }}", "- one")
    (tmp_path / "z.yaml").write_text(TEMPLATE.replace("tool.demo", "tool.second"), "utf-8")
    assert load(tmp_path, broken.replace("otherwise: next", "otherwise: keep"), "a.yaml").apply(RESULT, "job") is None
    made = load(tmp_path, broken, "a.yaml").apply(RESULT, "job")
    assert made is not None
    assert made.by == "tool.second"


def test_a_failing_body_is_skipped(tmp_path: Path) -> None:
    """A template that cannot render is no reason to lose the turn."""
    assert load(tmp_path, TEMPLATE.replace("total {{ total }}", "{{ failed[99] }}")).apply(RESULT, "job") is None


def test_corrections_and_repeats_in_both_languages() -> None:
    """The shipped change-log lines."""
    shipped = shipped_templates()
    change = {"round": 5, "key": "address", "old": "12 Elm St", "new": "4 Oak Lane"}
    made = shipped.render("correction", change)
    assert made is not None
    assert made.text == "[round 5] address: 12 Elm St → 4 Oak Lane"
    zh = shipped.render("repeat", {"count": 3, "topic": "配送状态", "answer": "派送中", "time": "14:22"}, "zh")
    assert zh is not None
    assert zh.text == "3次询问配送状态；最后回答：派送中，14:22"
    assert shipped.render("correction", {"round": 5}) is None


def test_invented_compares_whole_numbers() -> None:
    """12 is not shown by 123; counts are allowed."""
    assert invented("total 12", "total 123") == ["12"]
    assert invented("total 12", "total 123", ["12"]) == []
    assert invented("id AB-77, 3.50 euros", "AB-77 costs 3.50") == []


def test_shipped_templates_never_grow_a_text() -> None:
    """Any text: the result is smaller or there is none."""
    for text in ("", "x", "total 3\n", "1 passed in 0.1s", "=== 1 passed in 0.01s ===\n" * 9):
        made = shipped_templates().apply(text, "bash")
        assert made is None or rough_tokens(made.text) < rough_tokens(text)


PIP = (
    "Collecting kit\n  Downloading kit-1.0-py3-none-any.whl (102 kB)\n" * 8
    + "Installing collected packages: kit\nSuccessfully installed kit-1.0\n"
)


@pytest.mark.parametrize(
    "after",
    [
        "E       assert 2 == 3\n=== 1 failed in 0.10s ===\n",
        "total 3\n-rw-r--r-- 1 dana staff 12 Mar 3 09:59 a.txt\n",
        "订单 SO-7031 已删除\n",
    ],
)
def test_a_template_never_hides_the_output_of_another_command(after: str) -> None:
    """An installation followed by something else is not shrunk to the installation."""
    assert shipped_templates().apply(PIP, "bash") is not None
    assert shipped_templates().apply(PIP + after, "bash") is None
    assert shipped_templates().apply(after + PIP, "bash") is None


def test_a_reported_failure_is_never_dropped(tmp_path: Path) -> None:
    """Whatever a template keeps, a line that says a test failed must stand in its output."""
    assert load(tmp_path, TEMPLATE).apply(RESULT + "FAILED tests/test_a.py::test_b\n", "job") is None
