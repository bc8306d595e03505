"""Skeletons of new files, with tests, and the JSON Schemas that editors use."""

from __future__ import annotations

import re
from typing import Any

from surgeon.errors import SurgeonError
from surgeon.rewrite.template_file import TemplateFile
from surgeon.scoring.rule_file import RuleFile
from surgeon.settings import Settings

_RULE = """# yaml-language-server: $schema=../schemas/rules.v1.json
version: 1
about: What the rules of this file are signs of.
defaults: {{roles: [user], flags: [ignorecase]}}
rules:
  - id: custom.{name}
    status: draft
    summary: What the text says when this rule matches.
    why: What goes wrong later if it is forgotten.
    label: {label}
    weight: 0.6
    keywords: ["deploy", "发布"]
    any: ['\\bdeploy(?:ed|ing)? to \\w+', '发布到[^\\s，。]{{1,20}}']
    unless: ['\\bnever deployed\\b']
    effect: none
    tests:
      match: [{{text: "We deploy to staging first.", span: "deploy to staging"}}, "今晚发布到测试环境"]
      no_match: ["Nothing to see here.", "今天休息"]
      todo_match: []
"""
_TEMPLATE = """# yaml-language-server: $schema=../../schemas/template.v1.json
version: 1
id: tool.{name}
status: draft
summary: What stays of the result.
why: What later turns need, and what they do not.
when: {{kind: tool_result, tools: ["*"], content: '(?m)^Finished: \\d+ items'}}
capture:
  total: '(?m)^Finished: (\\d+ items)'
  failed: {{pattern: '(?m)^FAILED (\\S+)', take: all, optional: true}}
body: |
  {name}: {{{{ total }}}}
  {{% for item in failed %}}
  - {{{{ item }}}}
  {{% endfor %}}
keep: ['(?m)^FAILED (\\S+)']
limits: {{max_tokens: 200, max_ratio: 0.8}}
otherwise: next
tests:
  - name: failures survive
    given:
      tool: run_job
      content: |
        starting worker one
        starting worker two
        item alpha is done
        FAILED beta.csv
        item gamma is done
        Finished: 3 items
    expect: |
      {name}: 3 items
      - beta.csv
  - name: other output is left alone
    given: {{tool: run_job, content: "idle"}}
    expect_unmatched: true
"""


def _name(name: str) -> str:
    made = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not made or made[0].isdigit():
        raise SurgeonError(f"'{name}' cannot be made a name", "", "use letters, digits and underscores, a letter first")
    return made


def new_rule(name: str) -> str:
    """A rule file that is valid as it stands, to be edited."""
    made = _name(name)
    return _RULE.format(name=made, label=re.sub(r"[^a-z_]", "", made) or "custom")


def new_template(name: str) -> str:
    """A template file that is valid as it stands, to be edited."""
    return _TEMPLATE.format(name=_name(name))


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of rule files, template files or settings."""
    models: dict[str, Any] = {"rule": RuleFile, "template": TemplateFile, "settings": Settings}
    if kind not in models:
        raise SurgeonError(f"there is no schema '{kind}'", "", f"available: {', '.join(models)}")
    made: dict[str, Any] = _settings_schema() if kind == "settings" else models[kind].model_json_schema()
    if kind != "settings":
        _loosen(made)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


def _settings_schema() -> dict[str, Any]:
    """Settings without what only code can give (a callable counter)."""
    from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
    from pydantic_core import core_schema

    class Generator(GenerateJsonSchema):
        def callable_schema(self, schema: core_schema.CallableSchema) -> JsonSchemaValue:
            return {"type": "string"}

    return Settings.model_json_schema(schema_generator=Generator)


def _loosen(made: dict[str, Any]) -> None:
    """Where a plain text stands for an object (a test text, a capture), the schema says so."""
    short = {"#/$defs/Case": {"type": "string"}, "#/$defs/Capture": {"type": "string"}}

    def visit(node: Any) -> Any:
        if isinstance(node, dict):
            if node.get("$ref") in short and len(node) == 1:
                return {"anyOf": [short[node["$ref"]], node]}
            return {k: visit(v) for k, v in node.items()}
        return [visit(v) for v in node] if isinstance(node, list) else node

    for key in list(made):
        made[key] = visit(made[key])
