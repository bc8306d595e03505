"""What a recogniser is, and how a table of them is run over a text in linear time."""



from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import regex

from surgeon.errors import LimitError

Scope = Literal["secret", "number", "personal"]

_RUN = regex.compile(r"[A-Za-z0-9+/_-]{200,}={0,2}")
_LOOK_BACK = 40  # characters before a match in which its context words are looked for
_ID_WORD = r"(?:单号|订单|流水|编号|案号|运单|快递|物流|序号|工单|order|track\w*|invoice|ticket|reservation|booking|flight|trace|request|transaction|serial|sku)"
NOT_AN_ID = regex.compile(
    _ID_WORD + r"[\w\-\"' ]{0,14}[:：=#是为]?[\s\"'#]{0,3}$|(?<![a-z])id[\"']?\s{0,2}[:=#]?\s{0,2}[\"']?$", regex.IGNORECASE
)


class Found(NamedTuple):
    """A stretch that a recogniser claims; where two overlap the higher rank wins, then the longer one."""

    start: int
    end: int
    type: str
    scope: Scope
    rank: int = 5


class Pattern(NamedTuple):
    """One recogniser: the group `v` of the expression (or the whole match) is the value.

    `needs`: literals of which one must occur in the lower-cased text, else the expression is not tried.
    `check`: says whether a matched value is valid. `near` must match, and `unless` must not match, the 40 characters before the value.
    """

    type: str
    scope: Scope
    expression: Any
    rank: int = 5
    needs: tuple[str, ...] = ()
    check: Callable[[str], bool] | None = None
    near: Any = None
    unless: Any = None


def pattern(
    kind: str,
    scope: Scope,
    expression: str,
    *,
    rank: int = 5,
    needs: Sequence[str] = (),
    check: Callable[[str], bool] | None = None,
    near: str = "",
    unless: Any = None,
    flags: int = 0,
) -> Pattern:
    """A Pattern from plain strings; `near` is matched without regard to case."""
    context = regex.compile(near, regex.IGNORECASE) if near else None
    return Pattern(kind, scope, regex.compile(expression, flags), rank, tuple(needs), check, context, unless)


def blank_runs(text: str) -> str:
    """The text with unbroken runs of 200 and more base64 characters blanked, offsets kept: nothing personal can be read in them."""
    if len(text) < 200:
        return text
    return str(_RUN.sub(lambda m: " " * len(m.group()), text))


def search(text: str, table: Sequence[Pattern], seconds: float) -> Iterator[Found]:
    """Everything the table finds. Each expression has `seconds` per 20,000 characters; LimitError beyond that."""
    lowered = text.lower()
    limit = seconds * (1 + len(text) / 20_000)
    for entry in table:
        if entry.needs and not any(word in lowered for word in entry.needs):
            continue
        try:
            for match in entry.expression.finditer(text, timeout=limit):
                if (found := _accept(text, entry, match)) is not None:
                    yield found
        except TimeoutError:
            raise LimitError(f"the recogniser for {entry.type} ran out of time", "surgeon.redact", "raise limits.regex_seconds") from None


def _accept(text: str, entry: Pattern, match: Any) -> Found | None:
    start, end = match.span("v") if "v" in entry.expression.groupindex else match.span()
    if start == end or (entry.check is not None and not entry.check(text[start:end])):
        return None
    before = text[max(0, start - _LOOK_BACK) : start]
    if entry.near is not None and not entry.near.search(before):
        return None
    if entry.unless is not None and entry.unless.search(before):
        return None
    return Found(start, end, entry.type, entry.scope, entry.rank)


def choose(found: Sequence[Found]) -> list[Found]:
    """The claims that stand, in order: higher rank first, then the longer one; what overlaps a standing claim is dropped."""
    standing: list[Found] = []
    taken: set[int] = set()
    for claim in sorted(found, key=lambda f: (-f.rank, f.start - f.end, f.start)):
        span = range(claim.start, claim.end)
        if not taken.intersection(span):
            standing.append(claim)
            taken.update(span)
    return sorted(standing)
