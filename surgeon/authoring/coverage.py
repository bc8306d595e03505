"""How often rules and templates apply to real transcripts: what never matches, and what matches too much."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from surgeon.authoring.validate import kind_of
from surgeon.errors import InputError
from surgeon.rewrite.context import rough_tokens
from surgeon.rewrite.templates import TemplateSet
from surgeon.scoring.rules import RuleSet
from surgeon.yaml_source import read_yaml, yaml_files

_ROLES = {"user", "assistant", "system", "tool"}


class Coverage(NamedTuple):
    """One rule or template: the messages or tool results it applied to, of how many, and the tokens a template saved."""

    item: str
    kind: str
    hits: int
    of: int
    tokens_saved: int = 0


def coverage(paths: Iterable[str | Path], transcripts: Iterable[str | Path]) -> list[Coverage]:
    """Counts over transcripts: JSON arrays of messages, objects with `messages`, or JSON lines of either. Raises InputError."""
    files = list(yaml_files(paths))
    kinds = {path: kind_of(read_yaml(path)) for path in files}
    rules = RuleSet.load([p for p in files if kinds[p] == "rule"])
    templates = TemplateSet.load([p for p in files if kinds[p] == "template"])
    hits: Counter[str] = Counter()
    saved: Counter[str] = Counter()
    messages = results = 0
    for role, tool, text in _texts(transcripts):
        messages += 1
        hits.update({m.rule_id for m in rules.match(text, role, limit=1)})
        if role != "tool":
            continue
        results += 1
        made = templates.apply(text, tool)
        if made is not None:
            hits[made.by] += 1
            saved[made.by] += rough_tokens(text) - rough_tokens(made.text)
    out = [Coverage(r.rule.id, "rule", hits[r.rule.id], messages) for r in rules.rules]
    shown = [t.file.id for t in templates.templates if t.file.when.kind == "tool_result"]
    return out + [Coverage(name, "template", hits[name], results, saved[name]) for name in shown]


def _texts(paths: Iterable[str | Path]) -> Iterator[tuple[str, str, str]]:
    """(role, tool, text) of every message of transcripts."""
    for given in paths:
        path = Path(given)
        inner = sorted(p for p in path.rglob("*.json*") if p.is_file()) if path.is_dir() else [path]
        for file in inner:
            for message in _messages(file):
                text = _text(message.get("content"))
                if text and message.get("role") in _ROLES:
                    yield str(message["role"]), str(message.get("name") or ""), text


def _messages(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text("utf-8")
        try:
            values = [json.loads(text)]
        except ValueError:
            values = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise InputError(
            f"the transcript cannot be read: {type(error).__name__}", str(path), "give JSON or JSON lines of messages"
        ) from None
    for value in values:
        for item in value if isinstance(value, list) else value.get("messages", [value]) if isinstance(value, dict) else []:
            if isinstance(item, dict):
                inner = item.get("message")
                yield inner if isinstance(inner, dict) else item


def _text(content: Any) -> str:
    """The text of a message's content, whatever its form."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(_text(p.get("text") or p.get("content")) for p in parts if isinstance(p, dict))
