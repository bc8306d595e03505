"""Settings: one strict model, filled from defaults, a file, the environment and arguments, each value with its origin.

Order, later wins: shipped profile < user directory < nearest surgeon.toml, .surgeon.toml or pyproject.toml [tool.surgeon]
(walking up, the first one found) < SURGEON_SECTION__KEY < arguments.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from surgeon.errors import SettingsError

Level = Literal["off", "secrets", "context", "all"]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Tokens(_Section):
    """How tokens are counted: `estimate`, `cl100k`, `o200k`, or a callable `(text) -> int`."""

    counter: str | Callable[[str], int] = "estimate"
    context_window: int = Field(32_000, ge=256, description="Tokens the model can read; shares and water marks refer to it when no budget is given.")
    image: int = Field(800, ge=0, description="Tokens that one image is counted as.")


class Stores(_Section):
    """Where originals and sessions are kept. `path` is a file, `:memory:`, or None for the user's data directory."""

    path: str | None = None
    timeout: float = Field(2.0, gt=0, description="Seconds a store may take before the turn goes on without it.")


class Redaction(_Section):
    """What is hidden at which level: `off`, `secrets`, `context` (secrets and numbers such as cards and phones) or `all`."""

    context: Level = "context"
    archive: Level = "all"
    key: str | None = Field(None, description="Secret that placeholders are keyed with, beside the conversation id.")


class SnapshotSettings(_Section):
    """How the snapshot is kept and shown."""

    history: Literal["on", "off"] = "on"
    notes: Literal["on", "off"] = Field("on", description="Whether changes after an epoch are told in a note behind the newest user message.")
    intent_tokens: int = Field(200, ge=0)
    entity_tokens: int = Field(300, ge=0)


class Gates(_Section):
    """When compaction without a budget begins: both must be reached."""

    min_messages: int = Field(80, ge=0)
    min_tokens: int = Field(4_000, ge=0)


class Water(_Section):
    """Epochs: begin above `high`, compact down to `low` (shares of the budget), only if at least `min_reclaim` of the tokens go."""

    high: float = Field(0.7, gt=0, le=1)
    low: float = Field(0.4, gt=0, le=1)
    min_reclaim: float = Field(0.2, ge=0, le=1)


class Scoring(_Section):
    """How the two channels are combined and where the gates are."""

    channels: tuple[Literal["rules", "similarity"], ...] = ("rules", "similarity")
    rule_weight: float = Field(0.6, ge=0, le=1)
    similarity_weight: float = Field(0.4, ge=0, le=1)
    combine: Literal["classic", "either"] = "either"
    drop_below: float = Field(0.25, ge=0, le=1)
    keep_above: float = Field(0.7, ge=0, le=1)


class Policy(_Section):
    """What may be done to a class of messages."""

    system: Literal["keep"] = "keep"
    user: Literal["keep", "gate", "digest"] = "gate"
    tool_result: Literal["keep", "rewrite", "gate"] = "gate"
    reasoning: Literal["keep", "digest", "gate"] = "gate"


class Limits(_Section):
    """Hard limits that keep a hostile input from hanging the agent."""

    regex_seconds: float = Field(0.25, gt=0)
    template_seconds: float = Field(1.0, gt=0)
    template_chars: int = Field(200_000, gt=0)
    nlp_chars: int = Field(20_000, gt=0, description="Longer texts are read by rules only.")


class Files(_Section):
    """Additional rule and template folders or files; loaded after the shipped ones, same id overrides."""

    paths: tuple[str, ...] = ()
    shipped: bool = True


PROFILES: dict[str, dict[str, Any]] = {
    "default": {},
    "classic": {"scoring": {"combine": "classic", "rule_weight": 0.7, "similarity_weight": 0.3, "drop_below": 0.4, "keep_above": 0.7}},
    "conservative": {"scoring": {"drop_below": 0.0, "keep_above": 0.5}, "policy": {"user": "keep"}, "protect_recent": 40},
    "aggressive": {"scoring": {"drop_below": 0.45, "keep_above": 0.85}, "protect_recent": 6, "water": {"high": 0.6, "low": 0.3}},
    "rules": {"scoring": {"channels": ["rules"]}},
}


class Settings(_Section):
    """All settings. Every key can stand in surgeon.toml, in [tool.surgeon] of pyproject.toml, in SURGEON_… or in an argument."""

    profile: Literal["default", "classic", "conservative", "aggressive", "rules"] = "default"
    enabled: bool = True
    shadow: bool = False
    strict: bool = False
    degrade: bool = False
    repair: bool = False
    on_budget: Literal["best_effort", "raise"] = "best_effort"
    protect_recent: int = Field(20, ge=0, description="The last messages that are left alone while the budget allows it.")
    expand_tool: str = Field("expand", description="Name of the tool that the legend tells the model to call for a reference; empty: none.")
    tokens: Tokens = Tokens()  # type: ignore[call-arg]
    stores: Stores = Stores()  # type: ignore[call-arg]
    redaction: Redaction = Redaction()  # type: ignore[call-arg]
    snapshot: SnapshotSettings = SnapshotSettings()  # type: ignore[call-arg]
    gates: Gates = Gates()  # type: ignore[call-arg]
    water: Water = Water()  # type: ignore[call-arg]
    scoring: Scoring = Scoring()  # type: ignore[call-arg]
    policy: Policy = Policy()
    limits: Limits = Limits()  # type: ignore[call-arg]
    rules: Files = Files()
    templates: Files = Files()

    @classmethod
    def for_model(cls, context_window: int, tools: int = 0, system_prompt: str = "") -> Settings:
        """Settings for a model of that context window, less what tools and system prompt take (rule of thumb of `net_budget`)."""
        return load({"tokens": {"context_window": net_budget(context_window, len(system_prompt) // 3, tools)}}).settings


class Loaded(NamedTuple):
    """Settings and, per dotted key that is not a default, where its value came from."""

    settings: Settings
    origins: dict[str, str]


def net_budget(context_window: int, system_tokens: int = 0, tools: int | list[Any] = 0, output_reserve: int | None = None) -> int:
    """Tokens really left for the conversation.

    With a list of tool definitions and an output reserve they are measured (3 characters of JSON a token); with only a window and
    a number of tools it is the rule of thumb 0.85 × window − 300 × tools − system tokens.
    """
    tool_tokens = len(json.dumps(tools, ensure_ascii=False)) // 3 if isinstance(tools, list) else 300 * tools
    room = int(0.85 * context_window) if output_reserve is None else context_window - output_reserve
    return max(256, room - tool_tokens - system_tokens)


def _discover(start: Path) -> tuple[dict[str, Any], str]:
    """The nearest configuration file, walking up from `start`."""
    for folder in (start, *start.parents):
        for name in ("surgeon.toml", ".surgeon.toml", "pyproject.toml"):
            path = folder / name
            if not path.is_file():
                continue
            data = _read_toml(path)
            if name == "pyproject.toml":
                if "surgeon" not in data.get("tool", {}):
                    continue
                data = data["tool"]["surgeon"]
            return data, str(path)
    return {}, ""


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"not valid TOML: {error}", str(path), "mend the file; 'surgeon config show' prints the keys") from None


def _environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """SURGEON_SECTION__KEY=value as a nested mapping; values are JSON where they parse as such."""
    out: dict[str, Any] = {}
    for name, raw in environ.items():
        if not name.startswith("SURGEON_"):
            continue
        *sections, key = name.removeprefix("SURGEON_").lower().split("__")
        if not sections and key not in Settings.model_fields:
            continue
        try:
            value: Any = json.loads(raw)
        except ValueError:
            value = raw
        place = out
        for section in sections:
            place = place.setdefault(section, {})
        place[key] = value
    return out


def _merge(base: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(base)
    for key, value in extra.items():
        out[key] = _merge(out[key], value) if isinstance(value, Mapping) and isinstance(out.get(key), Mapping) else value
    return out


def _leaves(data: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def load(overrides: Settings | Mapping[str, Any] | None = None, *, start: Path | None = None, environ: Mapping[str, str] | None = None) -> Loaded:
    """Settings from every source, each value with its origin. Raises SettingsError with the nearest valid key."""
    if isinstance(overrides, Settings):
        return Loaded(overrides, {})
    layers: list[tuple[str, Mapping[str, Any]]] = []
    found, where = _discover(start or Path.cwd())
    if found:
        layers.append((where, found))
    layers.append(("environment", _environment(os.environ if environ is None else environ)))
    layers.append(("argument", overrides or {}))
    profile = "default"
    for _, layer in layers:
        profile = layer.get("profile", profile)
    layers.insert(0, (f"profile {profile}", PROFILES.get(str(profile), {})))
    data: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, layer in layers:
        data = _merge(data, layer)
        origins.update(dict.fromkeys(_leaves(layer), origin))
    try:
        return Loaded(Settings.model_validate(data), origins)
    except ValidationError as error:
        raise _explain(error, origins) from None


def _explain(error: ValidationError, origins: Mapping[str, str]) -> SettingsError:
    first = error.errors()[0]
    path = [str(p) for p in first["loc"]]
    dotted = ".".join(path)
    model: Any = Settings
    for step in path[:-1]:
        field = model.model_fields.get(step) if hasattr(model, "model_fields") else None
        model = field.annotation if field else None
    keys = sorted(getattr(model, "model_fields", {}))
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(path[-1], keys, n=1)
        hint = f"did you mean '{near[0]}'?  " if near else ""
        return SettingsError(f"unknown setting '{dotted}'", origins.get(dotted, ""), f"{hint}Keys allowed here: {', '.join(keys)}")
    return SettingsError(f"setting '{dotted}': {first['msg']}", origins.get(dotted, ""), "see 'surgeon schema settings'")
