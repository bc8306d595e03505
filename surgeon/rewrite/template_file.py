"""The shape of a template file (version 1): when it applies, what it captures, what it writes, what must survive, and its tests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from surgeon.yaml_source import Parsed, parse_model, read_yaml

Kind = Literal["tool_result", "correction", "repeat", "state"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class When(_Strict):
    """What the template is for: tool names (`*` allowed), what must be found in the text, and the least size of it."""

    kind: Kind
    tools: tuple[str, ...] = ()
    content: str | None = None
    min_tokens: int = Field(0, ge=0)
    language: Literal["en", "zh"] | None = None


class Capture(_Strict):
    """What a name in the body stands for: the first or last match, the list of all, or their count. `group` is a number or a name."""

    pattern: str = Field(min_length=1)
    take: Literal["first", "last", "all", "count"] = "first"
    group: int | str | None = None
    optional: bool = False


def _as_capture(value: Any) -> Any:
    return {"pattern": value} if isinstance(value, str) else value


CaptureLike = Annotated[Capture, BeforeValidator(_as_capture)]


class TemplateLimits(_Strict):
    """The output may not be larger than this; else the template does not apply."""

    max_tokens: int | None = Field(None, gt=0)
    max_ratio: float = Field(1.0, gt=0, le=1)


class Given(_Strict):
    """The input of a test: the text and the call of a tool result, or the named values of other kinds."""

    content: str = ""
    tool: str = ""
    arguments: str = ""
    values: dict[str, Any] = Field(default_factory=dict)


class TemplateTest(_Strict):
    """One test: exact output, parts of it, or that the template does not apply."""

    name: str = Field(min_length=2)
    given: Given
    expect: str | None = None
    expect_contains: tuple[str, ...] = ()
    expect_unmatched: bool = False

    @model_validator(mode="after")
    def _one(self) -> TemplateTest:
        if (self.expect is not None) + bool(self.expect_contains) + self.expect_unmatched != 1:
            raise ValueError("give exactly one of expect, expect_contains, expect_unmatched")
        return self


class TemplateFile(_Strict):
    """One template. Whatever a pattern of `keep` finds in the source must stand in the output, in tests and at run time."""

    version: Literal[1]
    id: str = Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$")
    status: Literal["draft", "stable"]
    summary: str = Field(min_length=3)
    why: str = Field(min_length=3)
    when: When
    capture: dict[str, CaptureLike] = Field(default_factory=dict)
    body: str = Field(min_length=1)
    keep: tuple[str, ...] = ()
    limits: TemplateLimits = TemplateLimits()  # type: ignore[call-arg]
    otherwise: Literal["keep", "next"] | None = None
    tests: tuple[TemplateTest, ...] = ()


def read_template(path: str | Path, text: str | None = None) -> Parsed[TemplateFile]:
    """Reads one template file; problems are collected, not raised."""
    return parse_model(read_yaml(path, text), TemplateFile)
