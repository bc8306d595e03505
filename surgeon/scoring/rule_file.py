"""The shape of a rule file (version 1): rules with their reasons, patterns and tests. Strict: unknown keys are errors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from surgeon.types import Role
from surgeon.yaml_source import Parsed, parse_model, read_yaml

Flag = Literal["ignorecase", "multiline", "dotall", "verbose", "ascii"]
Status = Literal["draft", "stable"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class Case(_Strict):
    """One test text; `span` is what must be among the matched stretches, `role` who says it (default: the first of the rule's roles)."""

    text: str = Field(min_length=1)
    span: str | None = None
    role: Role | None = None


def _as_case(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


CaseLike = Annotated[Case, BeforeValidator(_as_case)]


class RuleTests(_Strict):
    """Texts that must match, must not match, and should match one day (reported when they do)."""

    match: tuple[CaseLike, ...] = ()
    no_match: tuple[CaseLike, ...] = ()
    todo_match: tuple[CaseLike, ...] = ()


class Defaults(_Strict):
    """What rules of the file use when they do not say otherwise."""

    roles: tuple[Role, ...] = ("user", "system", "assistant")
    flags: tuple[Flag, ...] = ("ignorecase",)


class Rule(_Strict):
    """One sign in a text. It matches where a pattern of `any` matches, every pattern of `all` occurs, and no `unless` overlaps.

    `keywords` is a prefilter: unless one of them occurs (case ignored), no pattern is tried. `weight` is in -1..1; negative speaks
    against keeping. `effect: pin` protects the message. `slot` names what a sentence gives a value to, `choice` a value of which only
    one holds at a time; these count for no score, and the last part of the id names the slot.

    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$")
    status: Status
    summary: str = Field(min_length=3)
    why: str = Field(min_length=3)
    label: str = Field(pattern=r"^[a-z][a-z_]*$")
    weight: float = Field(ge=-1, le=1)
    keywords: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    effect: Literal["none", "pin", "slot", "choice"] = "none"
    roles: tuple[Role, ...] | None = None
    flags: tuple[Flag, ...] | None = None
    tests: RuleTests = RuleTests()


class RuleFile(_Strict):
    """A rule pack: one label, English and Chinese together."""

    version: Literal[1]
    about: str = Field(min_length=3)
    defaults: Defaults = Defaults()
    rules: tuple[Rule, ...] = Field(min_length=1)


def read_rules(path: str | Path, text: str | None = None) -> Parsed[RuleFile]:
    """Reads one rule file; problems are collected, not raised."""
    return parse_model(read_yaml(path, text), RuleFile)
