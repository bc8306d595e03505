"""The rule channel: finds what a text is about by tested patterns, fast and with a limit of time for every search."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import regex

from surgeon.errors import RuleError
from surgeon.resources import resource
from surgeon.scoring.rule_file import Defaults, Rule, RuleFile, read_rules
from surgeon.settings import Limits
from surgeon.types import Reason, Score, Unit
from surgeon.yaml_source import yaml_files

log = logging.getLogger("surgeon.rules")
NEUTRAL = 0.2
SECONDS = Limits().regex_seconds  # type: ignore[call-arg]
_LONG = 4_000
_UPPER = r"(?<!\\)(?<!\\[pP])(?<!\\[pP]\{)(?<!\\[pP]\{[A-Z])[A-Z]"
_QUIET = frozenset({"identifier", "name", "time"})
_FLAGS = {"ignorecase": regex.I, "multiline": regex.M, "dotall": regex.S, "verbose": regex.X, "ascii": regex.A}


class RuleMatch(NamedTuple):
    """Where a rule matched: offsets in characters, `end` exclusive."""

    rule_id: str
    label: str
    weight: float
    effect: str
    start: int
    end: int
    text: str


class TextScore(NamedTuple):
    """How much a text matters by rules, 0..1, and why."""

    score: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule ready to search. `folded`: its patterns hold for lower-cased text, where they are searched without `ignorecase` (faster)."""

    rule: Rule
    keywords: tuple[str, ...]
    roles: frozenset[str]
    any: tuple[Any, ...]
    all: tuple[Any, ...]
    unless: tuple[Any, ...]
    folded: bool = False

    def search(self, text: str, seconds: float, limit: int) -> list[tuple[int, int]]:
        """Spans of the rule in the text, prefilter not applied. Raises TimeoutError past the limit of time."""
        if self.folded:
            lowered = text.lower()
            text = lowered if len(lowered) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
        spans: list[tuple[int, int]] = []
        for pattern in self.all:
            found = pattern.search(text, timeout=seconds)
            if found is None:
                return []
            if not self.any:
                spans.append(found.span())
        for pattern in self.any:
            for found in pattern.finditer(text, timeout=seconds):
                if found.end() > found.start():
                    spans.append(found.span())
                    if len(spans) >= limit:
                        break
        if not spans or not self.unless:
            return spans
        against = [m.span() for p in self.unless for m in p.finditer(text, timeout=seconds)]
        return [s for s in spans if not any(a < s[1] and s[0] < b for a, b in against)]

    def passes(self, lowered: str) -> bool:
        """Whether the prefilter lets the (lower-cased) text through."""
        return not self.keywords or any(k in lowered for k in self.keywords)


def compile_pattern(pattern: str, flags: Sequence[str]) -> Any:
    """A pattern of the `regex` module with the flags of a rule file. Raises regex.error."""
    combined = 0
    for flag in flags:
        combined |= _FLAGS[flag]
    return regex.compile(pattern, combined)


def compile_rule(rule: Rule, defaults: Defaults) -> CompiledRule:
    """The rule with its patterns compiled. Raises regex.error."""
    flags = rule.flags if rule.flags is not None else defaults.flags
    merged = _merge(rule.any)
    folded = "ignorecase" in flags and not any(regex.search(_UPPER, p) for p in (*rule.any, *rule.all, *rule.unless))
    if folded:
        flags = tuple(f for f in flags if f != "ignorecase")
    any_, all_, unless = (tuple(compile_pattern(p, flags) for p in group) for group in (merged, rule.all, rule.unless))
    return CompiledRule(rule, tuple(k.lower() for k in rule.keywords), frozenset(rule.roles or defaults.roles), any_, all_, unless, folded)


def _merge(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Alternatives as one pattern (one search instead of several), unless they count their groups or set flags."""
    if len(patterns) < 2 or any(regex.search(r"\\[1-9]|\(\?P|\(\?[a-zA-Z]|\(\?<[a-zA-Z]|(?<!\\)\((?!\?)|#", p) for p in patterns):
        return patterns
    return ("|".join(f"(?:{p})" for p in patterns),)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules of several files. A later file overrides a rule of the same id; the same id twice in one file is an error."""

    rules: tuple[CompiledRule, ...]
    seconds: float = SECONDS

    @classmethod
    def load(cls, paths: Iterable[str | Path] | None = None, seconds: float | None = None) -> RuleSet:
        """Reads files and folders (None: the shipped packs). Raises RuleError with file:line:col."""
        limit = SECONDS if seconds is None else seconds
        found: dict[str, CompiledRule] = {}
        for path in yaml_files([resource("rules")] if paths is None else paths):
            parsed = read_rules(path)
            found.update(_compile_file(parsed.require(), str(path)))
        return cls(tuple(found.values()), limit)

    def match(self, text: str, role: str = "user", limit: int = 16) -> list[RuleMatch]:
        """Every match, in order of position; at most `limit` a rule. A search that runs out of time counts as no match."""
        lowered = text.lower()
        out: list[RuleMatch] = []
        for compiled in self.rules:
            if role not in compiled.roles or not compiled.passes(lowered):
                continue
            try:
                spans = compiled.search(text, self.seconds, limit)
            except TimeoutError:
                log.warning("rule %s ran out of time on a text of %d characters", compiled.rule.id, len(text))
                continue
            rule = compiled.rule
            out += [RuleMatch(rule.id, rule.label, rule.weight, rule.effect, a, b, text[a:b]) for a, b in spans]
        out.sort(key=lambda m: (m.start, m.end, m.rule_id))
        return out

    def score_text(self, text: str, role: str = "user") -> TextScore:
        """Positive rules combine as 1 - Π(1 - weight); negative ones count by the share of the text they cover. No match: 0.2.

        Of long texts only the beginning and the end are read.
        """
        if len(text) > 2 * _LONG:
            text = f"{text[:_LONG]}\n{text[-_LONG:]}"
        return score_matches(text, self.match(text, role, limit=4))


def score_matches(text: str, matches: Sequence[RuleMatch]) -> TextScore:
    """The score of a text from its matches; each rule counts once, its best match gives the reason."""
    rest, against, covered = 1.0, 1.0, 0
    reasons: dict[str, Reason] = {}
    last = 0
    for m in matches:
        if m.weight < 0:
            covered += max(0, m.end - max(m.start, last))
            last = max(last, m.end)
        if m.rule_id in reasons:
            continue
        if m.weight >= 0:
            rest *= 1 - m.weight
        else:
            against *= 1 + m.weight
        quiet = m.label in _QUIET or any(c.isdigit() or c == "@" for c in m.text)
        reasons[m.rule_id] = Reason("rules", m.rule_id, m.weight, m.label if quiet else f"{m.label}: {m.text[:40]}")
    share = min(1.0, 1.3 * covered / max(1, len(text.strip())))
    total = NEUTRAL + (1 - NEUTRAL) * (1 - rest) - (1 - against) * share * 0.6
    ordered = sorted(reasons.values(), key=lambda r: (-abs(r.weight), r.name))
    return TextScore(round(min(1.0, max(0.0, total)), 4), tuple(ordered))


def _compile_file(file: RuleFile, path: str) -> dict[str, CompiledRule]:
    out: dict[str, CompiledRule] = {}
    for rule in file.rules:
        if rule.id in out:
            raise RuleError(f"SRG106 duplicate id '{rule.id}'", path, "give one of the rules another id")
        try:
            out[rule.id] = compile_rule(rule, file.defaults)
        except regex.error as error:
            raise RuleError(
                f"SRG201 pattern does not compile: {error}", f"{path}  rule {rule.id}", "run 'surgeon validate' for the place"
            ) from None
    return out


@functools.lru_cache(maxsize=1)
def shipped_rules() -> RuleSet:
    """The shipped packs, read once."""
    return RuleSet.load()


def score_text(text: str, role: str = "user", rules: RuleSet | None = None) -> TextScore:
    """`RuleSet.score_text` with the shipped packs, or the given ones."""
    return (rules or shipped_rules()).score_text(text, role)


@dataclass(frozen=True, slots=True)
class RuleChannel:
    """Scores units by rules: the best of its messages decides, reasons of all of them are given (strongest first, at most six)."""

    rules: RuleSet
    name: str = "rules"

    def __call__(self, units: Sequence[Unit], snapshot: Any = None, query: str | None = None) -> Mapping[str, Score]:
        """unit id -> Score with `total` = `rule`; snapshot and query do not matter to this channel."""
        out: dict[str, Score] = {}
        for unit in units:
            scored = [self.rules.score_text(m.text, m.role) for m in unit.messages if m.text]
            best = max((s.score for s in scored), default=0.0)
            reasons = {r.name: r for s in sorted(scored, key=lambda s: -s.score) for r in s.reasons}
            strongest = sorted(reasons.values(), key=lambda r: (-abs(r.weight), r.name))
            out[unit.id] = Score(best, rule=best, reasons=tuple(strongest[:6]))
        return out
