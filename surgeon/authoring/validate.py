"""The validator: every issue of every rule and template file, never stopping at the first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from surgeon.authoring.check_rules import check_rules
from surgeon.authoring.check_templates import check_template
from surgeon.authoring.issues import CATALOGUE, Issue, issue, kind_name
from surgeon.resources import resource
from surgeon.rewrite.template_file import TemplateFile
from surgeon.scoring.rule_file import RuleFile
from surgeon.yaml_source import Parsed, Source, parse_model, read_yaml, yaml_files

Kind = Literal["rule", "template"]


def kind_of(source: Source) -> Kind | None:
    """Whether a file holds rules or a template, by its keys, else by its folder."""
    keys = source.data if isinstance(source.data, dict) else {}
    if "rules" in keys:
        return "rule"
    if "body" in keys or "when" in keys:
        return "template"
    folders = Path(source.path).parts
    if not keys:
        return "rule" if "rules" in folders else "template" if "templates" in folders else None
    return None


def validate(paths: Iterable[str | Path] | None = None) -> list[Issue]:
    """Issues of the files and folders (None: the shipped rules and templates), ordered by file, line and column.

    Checks shape, patterns, bodies, ids across files, and runs every inline test.
    """
    found: list[Issue] = []
    owners: dict[tuple[str, str], str] = {}
    for path in yaml_files([resource("rules"), resource("templates")] if paths is None else paths):
        found += _file(path, owners)
    return sorted(found, key=lambda i: (i.file, i.line, i.col, i.code))


def _file(path: Path, owners: dict[tuple[str, str], str]) -> Iterator[Issue]:
    source = read_yaml(path)
    kind = kind_of(source)
    if kind is None:
        yield from _problems(Parsed(None, source, source.problems))
        if not source.problems:
            yield issue("SRG002", source, (1, 1), "neither a rule file nor a template file")
        return
    if kind == "rule":
        rules = parse_model(source, RuleFile)
        yield from _problems(rules)
        if rules.model is not None:
            yield from check_rules(rules.model, source)
            for number, rule in enumerate(rules.model.rules):
                yield from _owner(owners, kind, rule.id, source, ("rules", number, "id"))
    else:
        template = parse_model(source, TemplateFile)
        yield from _problems(template)
        if template.model is not None:
            yield from check_template(template.model, source)
            yield from _owner(owners, kind, template.model.id, source, ("id",))


def _owner(owners: dict[tuple[str, str], str], kind: str, name: str, source: Source, place: tuple[str | int, ...]) -> Iterator[Issue]:
    first = owners.setdefault((kind, name), source.path)
    if first != source.path:
        yield issue("SRG106", source, place, f"duplicate id '{name}'", f"{Path(first).name} has it already", name)


def _problems(parsed: Parsed[RuleFile] | Parsed[TemplateFile]) -> Iterator[Issue]:
    source = parsed.source
    for p in parsed.problems:
        severity = CATALOGUE[p.code].severity
        yield Issue(
            p.code,
            severity,
            source.path,
            p.line,
            p.col,
            source.excerpt(p.line),
            p.message,
            p.repair,
            _item(source, p.line),
            kind_name(source),
        )


def _item(source: Source, line: int) -> str:
    """The id of the rule around a line, or of the template."""
    data = source.data if isinstance(source.data, dict) else {}
    best = str(data.get("id", "")) if isinstance(data.get("id", ""), str) else ""
    rules = data.get("rules")
    for number, rule in enumerate(rules if isinstance(rules, list) else []):
        if isinstance(rule, dict) and source.at(("rules", number), value=True)[0] <= line:
            best = str(rule.get("id", ""))
    return best
