"""What tool results change: scalar fields of small results become tool facts, with the tool as source. Text of tools never becomes intent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from surgeon.extract.changes import Editor
from surgeon.snapshot.model import Snapshot
from surgeon.types import Message, Part

_FIELDS = 8
_TEXT = 2_000
_USEFUL = re.compile(r"id|no|num|code|status|state|result|error|name|time|date|start|end|total|price|fare|amount|model|version|branch|ref|order|hold|rma|with|min|size|count|type", re.I)
_LINES = (
    ("exit_code", re.compile(r"(?:exit(?:ed with)?(?: code| status)?|returned)[ :=]+(\d{1,3})\b", re.I)),
    ("branch", re.compile(r"(?:Switched to (?:a new )?branch '([^']+)'|^## ([\w./-]+)|On branch ([\w./-]+))", re.M)),
    ("listening", re.compile(r"listening (?:on|at) :?(\S+)", re.I)),
)


def take(snapshot: Snapshot, message: Message) -> Snapshot:
    """The snapshot after a tool answered. Only small structured results and a few well-known lines are read."""
    editor = Editor(snapshot, message)
    for part in message.results:
        if not part.text or len(part.text) > _TEXT:
            continue
        for name, value in _fields(part):
            tool = part.tool or "tool"
            editor.edit(f"tool:{tool}.{name}", value, kind="tool_fact", label=name, owner="", type_="tool", said=tool)
            _settled(editor, name, value, tool)
    return editor.finish(snapshot.discourse.mood, snapshot.discourse.heard) if editor.changed else snapshot


def _settled(editor: Editor, name: str, value: str, tool: str) -> None:
    """A tool decided what the user had asked for: a port that was taken, a branch that was renamed."""
    label = {"listening": "port"}.get(name, name)
    wished = editor.snapshot.facts.get(f"{label}:main")
    if wished is not None and wished.status == "active" and label in ("port", "branch") and wished.value != value:
        editor.replace(wished, value, "update", tool)


def _fields(part: Part) -> Iterator[tuple[str, str]]:
    try:
        data = json.loads(part.text, parse_float=str, parse_int=str)
    except ValueError:
        for name, pattern in _LINES:
            match = pattern.search(part.text)
            if match:
                yield name, next(g for g in match.groups() if g)
        return
    if isinstance(data, dict):
        scalars = [(k, v) for k, v in _scalars(data) if _USEFUL.search(k)]
        yield from scalars[:_FIELDS]


def _scalars(data: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if isinstance(value, dict):
            if not prefix:
                yield from _scalars(value, f"{key}.")
        elif isinstance(value, bool):
            yield prefix + key, str(value).lower()
        elif isinstance(value, str) and 0 < len(value) <= 80 and "\n" not in value:
            yield prefix + key, value
