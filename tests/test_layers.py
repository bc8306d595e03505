"""Imports point downward only, the steps know no registry, and importing the package is cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent / "surgeon"

# From the bottom up. A module may import from its own package, from its own row where the row says so, and from rows below.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "types"),
    ("protocols", "registry", "resources", "settings", "yaml_source"),  # contracts and files; resources only finds folders
    ("models",),  # checksums of model files: needs resources, is needed by whatever loads a model
    ("formats", "text"),
    ("snapshot", "stores"),  # the snapshot is plain values: extraction, scoring and the block build on it
    ("extract", "rewrite", "scoring"),
    ("redact",),  # above extract, since both read one NLP pass
    ("segment", "select", "decide", "block", "result", "resume", "private"),  # result and block are values of the steps; nothing below imports them
    ("offload", "taken", "assemble", "check", "notes", "reword"),
    ("pipeline",),
    ("build",),
    ("session",),
    ("authoring", "evaluate"),
    ("cli",),
    ("__main__",),
)
WITHIN_ROW = {("assemble", "offload"), ("assemble", "taken")}
HEAVY = ("numpy", "spacy", "onnxruntime", "presidio_analyzer", "pydantic")
STEPS = ("segment", "select", "decide", "offload", "block", "assemble", "check", "pipeline")
# Imports that point upward today, each with what would end it. An entry that is no longer needed fails the test.
KNOWN = {
    ("surgeon.scoring.combine", "surgeon.select"): "terms() works on plain text and belongs into text/",
}


class Import(NamedTuple):
    """One import of a module of ours by another, wherever in the file it stands."""

    by: str
    of: str
    line: int


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(p): p for p in sorted(ROOT.rglob("*.py"))}


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Everything but what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _nodes(child)


def _imports() -> Iterator[Import]:
    for name, path in MODULES.items():
        for node in _nodes(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                targets = [a.name for a in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                targets = [f"{node.module}.{a.name}" if f"{node.module}.{a.name}" in MODULES else str(node.module) for a in node.names]
            else:
                continue
            yield from (Import(name, t, node.lineno) for t in targets if t.split(".")[0] == "surgeon")


def _part(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


RANK = {part: rank for rank, row in enumerate(LAYERS) for part in row}


def _allowed(one: Import) -> bool:
    by, of = _part(one.by), _part(one.of)
    if by == of or not of:
        return True
    return RANK[of] < RANK[by] or (by, of) in WITHIN_ROW


def test_every_module_has_a_layer() -> None:
    """A new package is placed before it is used."""
    assert sorted({_part(m) for m in MODULES} - set(RANK) - {""}) == []


def test_imports_point_downward() -> None:
    """No module imports from its own row or above, except what is listed with a reason."""
    upward = [i for i in _imports() if not _allowed(i)]
    new = [f"{i.by}:{i.line} imports {i.of}" for i in upward if (i.by, i.of) not in KNOWN]
    assert new == []
    assert set(KNOWN) <= {(i.by, i.of) for i in upward}, "a known upward import is gone: take it out of the list"


def test_steps_never_look_into_a_registry() -> None:
    """Names become objects in build.py only."""
    found = [f"{i.by}:{i.line}" for i in _imports() if _part(i.by) in STEPS and _part(i.of) in ("registry", "build", "session")]
    assert found == []


def test_no_relative_imports() -> None:
    """A relative import would slip past the table."""
    relative = [n for n, p in MODULES.items() for x in _nodes(ast.parse(p.read_text("utf-8"))) if isinstance(x, ast.ImportFrom) and x.level]
    assert relative == []


@pytest.mark.parametrize("statement", ["import surgeon", "import surgeon.cli.app"])
def test_importing_loads_no_model(statement: str) -> None:
    """Neither the package nor the command line loads numpy, spaCy or onnxruntime before they are needed."""
    code = f"{statement}\nimport sys\nprint([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
