"""Safe YAML with positions: every key knows its line and column, duplicate keys and anchors are problems, all problems are collected.

It stands beside settings and resources, below the packages that read rule and template files.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from surgeon.errors import RuleError

M = TypeVar("M", bound=BaseModel)
Place = tuple[str | int, ...]

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML was built without libyaml
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]


class Problem(NamedTuple):
    """What is wrong with a file: code, position (from 1), message and repair."""

    code: str
    line: int
    col: int
    message: str
    repair: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A YAML file that was read: its plain data, and for each place in it the line and column of its key and of its value."""

    path: str
    text: str
    data: Any = None
    keys: dict[Place, tuple[int, int]] = field(default_factory=dict)
    values: dict[Place, tuple[int, int]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def at(self, place: Place, value: bool = False) -> tuple[int, int]:
        """Line and column of a place, or of the nearest place around it."""
        table = self.values if value else self.keys
        while place:
            if place in table:
                return table[place]
            if place in self.values:
                return self.values[place]
            place = place[:-1]
        return (1, 1)

    def excerpt(self, line: int) -> str:
        """The text of a line (from 1), without its line break."""
        lines = self.text.splitlines()
        return lines[line - 1] if 0 < line <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Parsed(Generic[M]):
    """A file checked against its model: the model (None if it has problems), the source and all problems."""

    model: M | None
    source: Source
    problems: tuple[Problem, ...] = ()

    def require(self) -> M:
        """The model; raises RuleError for the first problem, with its place and repair."""
        if self.model is not None and not self.problems:
            return self.model
        first = self.problems[0]
        raise RuleError(
            f"{first.code} {first.message}", f"{self.source.path}:{first.line}:{first.col}", first.repair or "run 'surgeon validate'"
        )


def yaml_files(paths: Iterable[str | Path]) -> Iterator[Path]:
    """The *.yaml and *.yml files among the paths and below folders, in a fixed order."""
    for given in paths:
        path = Path(given)
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.suffix in (".yaml", ".yml") and p.is_file())
        else:
            yield path


def read_yaml(path: str | Path, text: str | None = None) -> Source:
    """Reads one YAML document; syntax errors, duplicate keys, anchors and keys that are not text are collected as problems."""
    name = str(path)
    if text is None:
        try:
            text = Path(path).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            return Source(
                name,
                "",
                problems=(Problem("SRG001", 1, 1, f"the file cannot be read: {reason}", "check the path and the encoding (UTF-8)"),),
            )
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return Source(name, text, problems=(Problem("SRG101", 1, 1, "the file is empty", "'surgeon new' writes a skeleton"),))
        walk = _Walk()
        walk.visit(node, ())
        data = None if walk.fatal else loader.construct_document(node)
    except (yaml.YAMLError, ValueError) as error:
        return Source(name, text, problems=(_syntax(error),))
    finally:
        loader.dispose()
    return Source(name, text, data, walk.keys, walk.values, tuple(walk.problems))


def _syntax(error: Exception) -> Problem:
    mark = getattr(error, "problem_mark", None)
    line, col = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return Problem(
        "SRG101", line, col, f"not valid YAML: {getattr(error, 'problem', None) or error}", "quote the text or mend the indentation"
    )


class _Walk:
    """Collects positions and structural problems of composed nodes."""

    def __init__(self) -> None:
        self.keys: dict[Place, tuple[int, int]] = {}
        self.values: dict[Place, tuple[int, int]] = {}
        self.problems: list[Problem] = []
        self.fatal = False
        self._seen: set[int] = set()

    def visit(self, node: Any, place: Place) -> None:
        line, col = node.start_mark.line + 1, node.start_mark.column + 1
        if id(node) in self._seen:
            self.fatal = True
            self.problems.append(Problem("SRG107", line, col, "anchors and aliases are not supported", "write the value out"))
            return
        self._seen.add(id(node))
        self.values[place] = (line, col)
        if isinstance(node, yaml.MappingNode):
            self._mapping(node, place)
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self.visit(item, (*place, index))

    def _mapping(self, node: Any, place: Place) -> None:
        for key, value in node.value:
            line, col = key.start_mark.line + 1, key.start_mark.column + 1
            if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                self.fatal = True
                self.problems.append(Problem("SRG107", line, col, "a key must be plain text", "quote the key"))
                continue
            here = (*place, key.value)
            if here in self.keys:
                self.problems.append(
                    Problem(
                        "SRG105", line, col, f"duplicate key '{key.value}'", f"it stands already on line {self.keys[here][0]}; remove one"
                    )
                )
                continue
            self.keys[here] = (line, col)
            self.visit(value, here)


def parse_model(source: Source, model: type[M]) -> Parsed[M]:
    """Checks a source against a pydantic model; every problem gets its place, unknown keys the nearest allowed one."""
    problems = list(source.problems)
    if source.data is None:
        if not problems:
            problems.append(Problem("SRG101", 1, 1, "the file is empty", "'surgeon new' writes a skeleton"))
        return Parsed(None, source, tuple(problems))
    try:
        return Parsed(model.model_validate(source.data), source, tuple(problems))
    except ValidationError as error:
        places = [e["loc"] for e in error.errors()]
        for found in error.errors():
            place = found["loc"]
            follows = found["type"] == "too_short" and any(p != place and p[: len(place)] == place for p in places)
            problems += [] if follows else [_problem(source, model, dict(found))]
        return Parsed(None, source, tuple(problems))


def _problem(source: Source, model: type[BaseModel], error: dict[str, Any]) -> Problem:
    place = _real(source, tuple(error["loc"]))
    name = str(place[-1]) if place else "file"
    if error["type"] == "extra_forbidden":
        keys = _keys(model, place[:-1])
        near = difflib.get_close_matches(name, keys, n=1)
        hint = f"did you mean '{near[0]}'?  " if near else ""
        return Problem("SRG102", *source.at(place), f"unknown key '{name}'", f"{hint}Keys allowed here: {', '.join(keys)}")
    if error["type"] == "missing":
        return Problem("SRG104", *source.at(place[:-1], value=True), f"missing key '{name}'", f"add '{name}: …'")
    what = str(error["msg"]).removeprefix("Value error, ")
    return Problem("SRG103", *source.at(place, value=True), f"'{'.'.join(map(str, place))}': {what}", "see 'surgeon schema'")


def _real(source: Source, place: Place) -> Place:
    """The place without the branch names that pydantic inserts for unions."""
    out: Place = ()
    data = source.data
    for number, step in enumerate(place):
        inside = step in data if isinstance(data, dict) else isinstance(data, list) and isinstance(step, int) and step < len(data)
        if inside:
            data = data[step]
        elif number < len(place) - 1:
            continue
        out = (*out, step)
    return out


def _keys(model: type[BaseModel], place: Place) -> list[str]:
    """The keys that the model allows at a place."""
    current: Any = model
    for step in place:
        if isinstance(step, int):
            current = _inner(current)
        elif get_origin(current) is dict:
            current = get_args(current)[1]
        else:
            owner = _inner(current)
            found = owner.model_fields.get(step) if owner else None
            current = found.annotation if found else None
    owner = _inner(current)
    return sorted(f.alias or n for n, f in owner.model_fields.items()) if owner else []


def _inner(annotation: Any) -> type[BaseModel] | None:
    """The first model in an annotation such as tuple[Annotated[Case, …], ...]."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((m for a in get_args(annotation) if (m := _inner(a)) is not None), None)
