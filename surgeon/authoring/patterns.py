"""Checks of a single regular expression: compiles, never matches nothing, stays fast on grown texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import regex

from surgeon.authoring.issues import Issue, issue
from surgeon.scoring.rules import compile_pattern
from surgeon.settings import Limits
from surgeon.yaml_source import Place, Source

GROWN = 8_000
_SEEDS = ("a", "A", "0", " ", "\n", "_", "a ", "a1-", "1.", "/a", "中", "=", "<a ")


def compile_checked(pattern: str, flags: Iterable[str], source: Source, place: Place, item: str) -> tuple[Any, list[Issue]]:
    """The compiled pattern (None if it does not compile) and what is wrong with it."""
    try:
        compiled = compile_pattern(pattern, tuple(flags))
    except regex.error as error:
        where = f" at character {error.pos + 1}" if error.pos is not None else ""
        return None, [issue("SRG201", source, place, f"the pattern does not compile: {error.msg}{where}", "", item)]
    found = []
    if compiled.search("") is not None:
        found.append(issue("SRG203", source, place, "the pattern matches empty text", "", item))
    return compiled, found


def slow(compiled: Any, samples: Iterable[str] = ()) -> str | None:
    """The kind of grown text on which a pattern runs out of time, or None."""
    seconds = Limits().regex_seconds  # type: ignore[call-arg]
    for seed, text in _grown(samples):
        if all(_runs_out(compiled, text, seconds) for _ in range(2)):
            return seed
    return None


def _runs_out(compiled: Any, text: str, seconds: float) -> bool:
    try:
        for number, _ in enumerate(compiled.finditer(text, timeout=seconds)):
            if number > GROWN:
                break
    except TimeoutError:
        return True
    return False


def _grown(samples: Iterable[str]) -> Iterator[tuple[str, str]]:
    for seed in _SEEDS:
        yield repr(seed * 3), seed * (GROWN // len(seed)) + "!"
    for sample in samples:
        if sample:
            yield "a test text, repeated", (sample + " ") * max(1, GROWN // (len(sample) + 1)) + "\x00"
