"""The sandbox: attacks end at once, and ordinary templates work."""

from __future__ import annotations

import time

import pytest
from jinja2 import TemplateError

from surgeon.errors import SurgeonError
from surgeon.rewrite.sandbox import Sandbox

NAMES = {"words": ["a", "b"], "text": "x" * 30_000, "n": 3}


def render(body: str) -> str:
    sandbox = Sandbox()
    return sandbox.render_text(sandbox.from_string(body), dict(NAMES))


@pytest.mark.parametrize(
    "body",
    [
        "{{ 'a'*10**9 }}",
        "{{ 'a'*1000000000 }}",
        "{{ [0]*1000000000 }}",
        "{{ 'a'.center(100000000) }}",
        "{{ 'a'.ljust(100000000) }}",
        "{{ 'a'.zfill(100000000) }}",
        "{{ '%100000000d'|format(1) }}",
        "{{ '%100000000d' % 1 }}",
        "{{ '{:>100000000}'.format(1) }}",
        "{{ 'x'|indent(100000000) }}",
        "{{ 'x'|center(100000000) }}",
        "{{ words|batch(100000000, 'z')|list }}",
        "{{ words|slice(100000000)|list }}",
        "{{ range(10000000)|list }}",
        "{% for i in range(2000) %}{% for j in range(2000) %}x{% endfor %}{% endfor %}",
        "{% for i in text %}{% for j in text %}{% endfor %}{% endfor %}",
        "{% for i in text %}{% for j in text if false %}{% endfor %}{% endfor %}",
        "{{ text.replace('x', text) }}",
        "{{ text|replace('x', text) }}",
        "{% for a in words recursive %}{{ loop(words) }}{% endfor %}",
        "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ 9**9**9 }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ ''['__class__'] }}",
        "{{ words|attr('__class__') }}",
        "{{ words.append(1) }}",
        "{{ self.__init__ }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ lipsum() }}",
        "{{ namespace() }}",
        "{% include '/etc/hosts' %}",
        "{% import 'os' as os %}",
        "{% extends 'base' %}",
        "{{ missing }}",
    ],
)
def test_attacks_end_at_once(body: str) -> None:
    """Every attack is refused within a moment, before it takes memory or time."""
    began = time.perf_counter()
    with pytest.raises((SurgeonError, TemplateError)):
        render(body)
    assert time.perf_counter() - began < 30


def test_output_is_capped() -> None:
    """More than the allowed characters are never given back."""
    with pytest.raises(SurgeonError, match="longer than"):
        render("{% for i in range(100) %}{{ text }}{% endfor %}")


def test_ordinary_templates_render() -> None:
    """Loops, conditions, filters and the loop variable work; blocks leave no blank lines."""
    body = "{% for w in words %}\n{{ loop.index }}. {{ w|upper }}\n{% endfor %}\n{% if n > 2 %}many{% endif %} {{ words|join(', ') }}"
    assert render(body) == "1. A\n2. B\nmany a, b"


def test_values_are_not_escaped() -> None:
    """The output is text for a model, not HTML."""
    sandbox = Sandbox()
    assert sandbox.render_text(sandbox.from_string("{{ v }}"), {"v": "<b> & 'q' 中文"}) == "<b> & 'q' 中文"


def test_attributes_of_a_list_stay_hidden() -> None:
    """A filter that reads attributes gives nothing away."""
    assert "class" not in render("{{ words|map(attribute='__class__')|list }}")
