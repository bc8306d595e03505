"""The Jinja environment of templates: immutable sandbox, strict names, caps on width, repetition, loops, output and time.

A template can read what it was given and nothing else: no files, no environment, no attributes with underscores.
"""

from __future__ import annotations

import time
from typing import Any

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeVisitor

from surgeon.errors import LimitError, RuleError
from surgeon.settings import Limits

MAX_WIDTH = 400
MAX_RANGE = 2_000
MAX_LOOPS = 50_000
TICK = "tick__"
FILTERS = (
    "abs", "capitalize", "count", "d", "default", "first", "float", "groupby", "indent", "int", "join", "last", "length", "list", "lower",
    "map", "max", "min", "reject", "replace", "reverse", "round", "select", "sort", "string", "sum", "title", "trim", "truncate", "unique",
    "upper", "wordcount",
)  # fmt: skip
METHODS = frozenset({
    "lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "startswith", "endswith", "replace", "count", "find",
    "join", "title", "capitalize", "isdigit", "items", "keys", "values", "get", "index",
})  # fmt: skip


class _Budget:
    """What one rendering may still use."""

    def __init__(self, loops: int, deadline: float) -> None:
        self.loops, self.deadline = loops, deadline

    def step(self) -> bool:
        """Counts one step; always true."""
        self.loops -= 1
        if self.loops < 0:
            raise LimitError(f"the template ran more than {MAX_LOOPS} loop steps", "", "loop over fewer captures")
        if self.loops % 64 == 0 and time.monotonic() > self.deadline:
            raise LimitError("the template ran out of time", "", "loop over fewer captures")
        return True


class Sandbox(ImmutableSandboxedEnvironment):
    """Compiles and renders template bodies within limits."""

    intercepted_binops = frozenset(["*", "**", "%", "+", "~"])

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False, keep_trailing_newline=False)
        self.limits = limits or Limits()  # type: ignore[call-arg]
        self.filters = {name: self.filters[name] for name in FILTERS}
        self.filters["indent"] = _indent
        self.filters["truncate"] = _truncate
        self.filters["join"] = _join
        self.filters["replace"] = _replace
        self.globals = {"range": _range}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        _Guard().visit(tree)
        return tree

    def wrap_str_format(self, value: Any) -> None:
        """`str.format` is not offered: its widths allocate before they can be capped."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Items of mappings, and the few string and mapping methods that cannot blow up."""
        if attr.startswith("_") or not super().is_safe_attribute(obj, attr, value):
            return False
        return not isinstance(obj, (str, list, tuple, int, float, dict)) or attr in METHODS or _is_loop(obj)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Repetition and formatting are capped before they allocate."""
        if operator == "**":
            raise SecurityError("'**' is not allowed in templates")
        if operator == "%" and isinstance(left, str):
            raise SecurityError("'%' formatting is not allowed in templates; write {{ value }}")
        if operator == "*":
            _check_repetition(left, right)
        result = super().call_binop(context, operator, left, right)
        self._check_size(result)
        return result

    def call(self, context: Context, obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls of allowed methods; their result is capped too."""
        if getattr(obj, "__name__", "") in ("replace", "join"):
            owner = getattr(obj, "__self__", "")
            many = len(args[1]) if len(args) > 1 and isinstance(args[1], str) else 1
            if isinstance(owner, str) and len(owner) * max(1, many) > 20 * self.limits.template_chars:
                raise LimitError("a text in the template grows too large", "", "replace less")
        result = super().call(context, obj, *args, **kwargs)
        self._check_size(result)
        return result

    def _check_size(self, value: Any) -> None:
        if isinstance(value, (str, list)) and len(value) > self.limits.template_chars:
            raise LimitError(f"a text in the template is longer than {self.limits.template_chars} characters", "", "capture less")
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**30:
            raise LimitError("a number in the template is too large", "", "compute less")

    def render_text(self, template: Any, names: dict[str, Any]) -> str:
        """The output of a compiled template. Raises LimitError past a limit and RuleError for any other failure."""
        budget = _Budget(MAX_LOOPS, time.monotonic() + self.limits.template_seconds)
        out: list[str] = []
        size = 0
        try:
            for piece in template.generate({**names, TICK: budget.step}):
                size += len(piece)
                if size > self.limits.template_chars:
                    raise LimitError(f"the output is longer than {self.limits.template_chars} characters", "", "capture less")
                budget.step()
                out.append(piece)
        except LimitError:
            raise
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise RuleError(f"the template does not render: {type(error).__name__}: {error}", "", "run 'surgeon try'") from None
        return "".join(out)


class _Guard(NodeVisitor):
    """Adds a step to every loop, and refuses what could run without one."""

    def visit_For(self, node: nodes.For) -> None:  # noqa: N802 -- the name that jinja2 looks for
        if node.recursive:
            raise TemplateSyntaxError("recursive loops are not allowed in templates", node.lineno)
        step = nodes.Call(nodes.Name(TICK, "load", lineno=node.lineno), [], [], None, None, lineno=node.lineno)
        node.body.insert(0, nodes.If(step, [], [], [], lineno=node.lineno))
        if node.test is not None:
            node.test = nodes.And(step, node.test, lineno=node.lineno)
        self.generic_visit(node)

    def _refuse(self, node: nodes.Node) -> None:
        raise TemplateSyntaxError(f"'{type(node).__name__.lower()}' is not allowed in templates", node.lineno)

    visit_Macro = visit_CallBlock = visit_Include = visit_Import = visit_FromImport = visit_Extends = _refuse  # noqa: N815


def _is_loop(obj: Any) -> bool:
    return isinstance(obj, LoopContext)


def _check_repetition(left: Any, right: Any) -> None:
    for text, times in ((left, right), (right, left)):
        if isinstance(text, (str, list, tuple)) and isinstance(times, int) and len(text) * max(0, times) > MAX_WIDTH:
            raise LimitError(f"a repetition in the template is longer than {MAX_WIDTH} characters", "", "repeat less")


def _range(*bounds: int) -> range:
    made = range(*bounds)
    if len(made) > MAX_RANGE:
        raise LimitError(f"range() in a template gives at most {MAX_RANGE} numbers", "", "loop over captures instead")
    return made


def _width(width: int) -> int:
    if not isinstance(width, int) or width > MAX_WIDTH:
        raise LimitError(f"a width in a template is at most {MAX_WIDTH}", "", "use a smaller width")
    return width


def _indent(text: str, width: int = 4, first: bool = False) -> str:
    """The text with its lines indented by `width` blanks."""
    lead = " " * _width(width)
    lines = str(text).splitlines()
    return "\n".join(lead + line if (i or first) and line else line for i, line in enumerate(lines))


def _truncate(text: str, length: int = 100, end: str = "…") -> str:
    """At most `length` characters, cut at white space; `end` says that something is missing."""
    text = str(text)
    if len(text) <= length:
        return text
    cut = text[: max(0, length)].rsplit(" ", 1)[0]
    return cut + str(end)[:40]


def _join(values: Any, sign: str = "", attribute: str | None = None) -> str:
    """The values as one text."""
    shown = [str(v if attribute is None else v[attribute]) for v in values]
    if sum(map(len, shown)) + len(sign) * len(shown) > 1_000_000:
        raise LimitError("join() in a template gives more than a million characters", "", "capture less")
    return sign.join(shown)


def _replace(text: str, old: str, new: str) -> str:
    """Every `old` replaced; the result is capped before it is made."""
    text = str(text)
    hits = text.count(old) if old else len(text) + 1
    if len(text) + hits * len(new) > 1_000_000:
        raise LimitError("replace() in a template gives more than a million characters", "", "replace less")
    return text.replace(old, new)
