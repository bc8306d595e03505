"""The shipped rules and templates are clean, and every inline test passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgeon.authoring import test_template as run_tests
from surgeon.authoring import validate
from surgeon.resources import resource
from surgeon.rewrite.templates import shipped_templates
from surgeon.scoring.rules import shipped_rules
from surgeon.yaml_source import yaml_files

FILES = list(yaml_files([resource("rules"), resource("templates")]))


def test_the_shipped_packs_have_no_issue() -> None:
    """As `surgeon validate --strict`, notes included."""
    assert validate() == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_inline_test_passes(path: Path) -> None:
    """Each file carries tests, and they pass."""
    results = run_tests(path)
    assert results
    assert [r for r in results if not r.passed] == []


def test_both_languages_are_served() -> None:
    """Every pack of rules has Chinese and English test texts."""
    for label in {r.rule.label for r in shipped_rules().rules}:
        texts = [c.text for r in shipped_rules().rules if r.rule.label == label for c in r.rule.tests.match]
        assert any(t.isascii() for t in texts), label
        assert any("\u4e00" <= c <= "\u9fff" for t in texts for c in t), label


def test_there_are_templates_for_the_usual_tools() -> None:
    """At least ten for tool results, and each kind of line in both languages."""
    files = [t.file for t in shipped_templates().templates]
    assert sum(f.when.kind == "tool_result" for f in files) >= 10
    assert {(f.when.kind, f.when.language) for f in files} >= {
        (k, lang) for k in ("correction", "repeat", "state") for lang in ("en", "zh")
    }
