"""Templates at work: the first one that matches writes a shorter text, which must prove at run time that nothing required was lost."""

from __future__ import annotations

import fnmatch
import functools
import json
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import regex
from jinja2 import TemplateError

from surgeon.errors import LimitError, RuleError
from surgeon.protocols import TokenCounter
from surgeon.resources import resource
from surgeon.rewrite.compactors.runs import verdicts
from surgeon.rewrite.context import rough_tokens
from surgeon.rewrite.evidence import evidence, invented, lost
from surgeon.rewrite.sandbox import Sandbox
from surgeon.rewrite.template_file import Capture, TemplateFile, read_template
from surgeon.settings import Limits
from surgeon.types import Rewrite
from surgeon.yaml_source import yaml_files

log = logging.getLogger("surgeon.templates")
_MAX_TEXT = 2_000_000
_MAX_ALL = 2_000


class Outcome(NamedTuple):
    """What a template did with a text: `output` is None unless `reason` is empty."""

    output: str | None
    captured: Mapping[str, Any]
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CompiledTemplate:
    """A template ready to run."""

    file: TemplateFile
    path: str
    sandbox: Sandbox
    body: Any
    content: Any
    captures: Mapping[str, Any]
    keep: tuple[Any, ...]

    def applies(self, text: str, tool: str, tokens: int, language: str = "") -> bool:
        """Whether tool, size, language and content ask for this template. Raises TimeoutError."""
        when = self.file.when
        if when.tools and not any(fnmatch.fnmatchcase(tool.lower(), t.lower()) for t in when.tools):
            return False
        if tokens < when.min_tokens or (when.language and language and when.language != language):
            return False
        return self.content is None or self.content.search(text, timeout=self.sandbox.limits.regex_seconds) is not None

    def run(self, text: str, values: Mapping[str, Any], count: TokenCounter = rough_tokens) -> Outcome:
        """Captures, renders and proves. Raises TimeoutError, LimitError and RuleError."""
        seconds = self.sandbox.limits.regex_seconds
        captured: dict[str, Any] = {}
        for name, pattern in self.captures.items():
            capture = self.file.capture[name]
            value = take(pattern, capture, text, seconds)
            if value is None and not capture.optional:
                return Outcome(None, captured, reason=f"capture '{name}' finds nothing")
            captured[name] = "" if value is None else value
        output = tidy(self.sandbox.render_text(self.body, {**values, **captured}))
        kept = tuple(evidence(text, self.keep, seconds))
        gone = tuple(lost(kept, output))
        source = text + "\n" + json.dumps(dict(values), ensure_ascii=False, default=str)
        counts = [str(v) for v in captured.values() if isinstance(v, int)]
        counts += [str(len(v)) for v in captured.values() if isinstance(v, list)]
        made_up = tuple(invented(output, source, counts, self.file.body))
        return Outcome(output, captured, kept, gone, made_up, self._reason(output, text, gone, made_up, count))

    def _reason(self, output: str, text: str, gone: tuple[str, ...], made_up: tuple[str, ...], count: TokenCounter) -> str:
        """Why the output may not be used; empty if it may."""
        if not output.strip():
            return "the output is empty"
        if gone:
            return "kept evidence is missing in the output"
        if made_up:
            return "the output has numbers or identifiers that the source lacks"
        limits, after = self.file.limits, count(output)
        if limits.max_tokens is not None and after > limits.max_tokens:
            return f"the output has {after} tokens, the limit is {limits.max_tokens}"
        if text and self.file.when.kind == "tool_result":
            before = count(text)
            if any(line not in output for line in verdicts(text)):
                return "a line that reports a failure or a result is missing in the output"
            if after >= before or after > limits.max_ratio * before:
                return f"the output has {after} tokens, the source {before} (max_ratio {limits.max_ratio})"
        return ""


def take(pattern: Any, capture: Capture, text: str, seconds: float) -> Any:
    """What a capture stands for: text, list of texts, or number; None if nothing is found."""
    matches = pattern.finditer(text, timeout=seconds)
    if capture.take == "count":
        return sum(1 for _ in matches)
    group: int | str = capture.group if capture.group is not None else (1 if pattern.groups else 0)
    values = []
    for match in matches:
        value = match[group]
        if value is None:
            continue
        if capture.take == "first":
            return value
        values.append(value)
        if capture.take == "all" and len(values) > _MAX_ALL:
            raise LimitError(f"a capture finds more than {_MAX_ALL} values", "", "capture less")
    if capture.take == "last":
        return values[-1] if values else None
    return values or None


def tidy(text: str) -> str:
    """Without trailing blanks, blank edges and runs of blank lines."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in text.split("\n"))).strip("\n")


def compile_template(file: TemplateFile, path: str = "", limits: Limits | None = None) -> CompiledTemplate:
    """A template with its patterns and its body compiled. Raises regex.error and jinja2.TemplateError."""
    sandbox = Sandbox(limits)
    return CompiledTemplate(
        file,
        path,
        sandbox,
        sandbox.from_string(file.body),
        regex.compile(file.when.content) if file.when.content else None,
        {name: regex.compile(c.pattern) for name, c in file.capture.items()},
        tuple(regex.compile(p) for p in file.keep),
    )


@dataclass(frozen=True, slots=True)
class TemplateSet:
    """Templates in the order they are tried; a later file overrides a template of the same id."""

    templates: tuple[CompiledTemplate, ...]

    @classmethod
    def load(cls, paths: Iterable[str | Path] | None = None, limits: Limits | None = None) -> TemplateSet:
        """Reads files and folders (None: the shipped ones). Raises RuleError with file:line:col."""
        found: dict[str, CompiledTemplate] = {}
        for path in yaml_files([resource("templates")] if paths is None else paths):
            file = read_template(path).require()
            try:
                found[file.id] = compile_template(file, str(path), limits)
            except (regex.error, TemplateError) as error:
                raise RuleError(
                    f"template {file.id} does not compile: {error}", str(path), "run 'surgeon validate' for the place"
                ) from None
        return cls(tuple(found.values()))

    def apply(
        self, text: str, tool: str = "", arguments: str = "", language: str = "", count: TokenCounter = rough_tokens
    ) -> Rewrite | None:
        """The output of the first template for tool results that matches and proves itself; None leaves the text to others.

        After a template that matched but could not prove its output, `otherwise: keep` stops the search, `next` goes on.
        """
        if len(text) > _MAX_TEXT:
            return None
        tokens = count(text)
        for template in self.templates:
            if template.file.when.kind != "tool_result":
                continue
            try:
                if not template.applies(text, tool, tokens, language):
                    continue
                outcome = template.run(text, {"tool": tool, "arguments": arguments}, count)
            except (TimeoutError, LimitError, RuleError) as error:
                log.warning("template %s failed: %s", template.file.id, type(error).__name__)
                continue
            if outcome.output is not None and not outcome.reason:
                return Rewrite(outcome.output, template.file.id)
            if template.file.otherwise == "keep" and outcome.output is not None:
                return None
        return None

    def render(self, kind: str, values: Mapping[str, Any], language: str = "en") -> Rewrite | None:
        """The output of the first template of a kind (correction, repeat, state) and language for named values, or None."""
        for template in self.templates:
            when = template.file.when
            if when.kind != kind or (when.language and when.language != language):
                continue
            try:
                outcome = template.run("", values)
            except (TimeoutError, LimitError, RuleError) as error:
                log.debug("template %s does not fit: %s", template.file.id, type(error).__name__)
                continue
            if outcome.output is not None and not outcome.reason:
                return Rewrite(outcome.output, template.file.id)
        return None


@functools.lru_cache(maxsize=1)
def shipped_templates() -> TemplateSet:
    """The shipped templates, read once."""
    return TemplateSet.load()
