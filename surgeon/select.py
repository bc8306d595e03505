"""Which records of removed messages are worth their tokens.

Every removed message is a list of records (a sentence, a row, a log event). They are chosen greedily by gain per token, where the
gain of a record is what it says that nothing chosen so far has said: identifiers and numbers first, then names, then rare words.
The coverage objective is submodular, so a lazy heap gives the same choice as recomputing every gain (Minoux 1978).
"""

from __future__ import annotations

import collections
import heapq
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

Count = Callable[[str], int]

_IDENT = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # mail
    r"|https?://[^\s\"'<>，。；）)]+"
    r"|(?:[~.]{0,2}/)?(?:[A-Za-z0-9_.@+-]+/)+[A-Za-z0-9_.@+-]*[A-Za-z0-9_]"  # path
    r"|#?(?<![A-Za-z0-9_])(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z_])[A-Za-z0-9_-]{3,}"  # code with letters and digits
    r"|\d[\d.,:/-]*\d|\d"  # number, date, time
    r"|[A-Za-z0-9-]*_[A-Za-z0-9_]+|[a-z]+[A-Z][A-Za-z0-9]*"  # snake and camel case
    r"|[A-Za-z0-9_-]+\.(?:py|ts|tsx|js|jsx|json|md|toml|ya?ml|txt|go|rs|java|c|h|cpp|sh|sql|csv|pdf|log|xml|html|css)\b"
)
_NAME = re.compile(r"(?<![.!?。！？]\s)(?<!^)\b[A-Z][\w'’&-]*[a-z0-9](?:[ -][A-Z][\w'’-]*)*|\b[A-Z]{2,}\b|[\"“「《'‘]([^\"”」》'’\n]{2,30})[\"”」》'’]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]{2,}")
_CJK = re.compile(r"[\u3400-\u9fff]+")
_STOP = frozenset(
    "the and for you are can with this that have has from your was will would please not but they all any our out its let get how what when"
    " which who could should also one been were there their his her him she just like really very about then than them some more much into"
    " yes yeah okay sure thanks thank good great nice well know think going make want need here now too see say said did does don't i'm it's".split()
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may be kept: where it comes from (`source`, `order` in it), its text, and how much its origin weighs."""

    source: int
    order: int
    text: str
    weight: float = 1.0
    must: bool = False


def terms(text: str) -> dict[str, float]:
    """What a text says, as terms with a base weight: identifiers and numbers 3, names and quoted words 2, words 0.5, Chinese bigrams 0.35."""
    out: dict[str, float] = {}
    for match in _CJK.finditer(text):
        run = match.group()
        for i in range(len(run) - 1):
            out[run[i : i + 2]] = 0.35
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if word not in _STOP:
            out[word] = 0.5
    for match in _NAME.finditer(text):
        value = (match.group(1) or match.group()).lower()
        if value not in _STOP:
            out[value] = 2.0
    for match in _IDENT.finditer(text):
        value = match.group().lower()
        out[value] = 3.0 if len(value) > 1 else 1.0
    return out


class Corpus:
    """How common each term is among the records of this conversation."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.records = 0
        self.seen: collections.Counter[str] = collections.Counter()
        for text in texts:
            self.records += 1
            self.seen.update(terms(text).keys())

    def weight(self, term: str, base: float) -> float:
        """Rare words weigh more than common ones; an identifier that comes back is one that is used."""
        count = self.seen[term] or 1
        rarity = math.log(1 + self.records / count) / math.log(2 + self.records)
        if base >= 3.0:
            return base * (0.7 + 0.3 * rarity) * (1.0 + 0.15 * min(3, count - 1))
        return base * rarity


def choose(
    candidates: Sequence[Candidate],
    room: int,
    count: Count,
    covered: Iterable[str] = (),
    wanted: Mapping[str, float] | None = None,
    head_cost: int = 4,
) -> list[Candidate]:
    """The candidates to keep within `room` tokens, in source order.

    Args:
        covered: texts that stay visible anyway; what they say gains nothing.
        wanted: terms of the question or the intent, with an extra weight.
        head_cost: tokens of the line head that the first record of a source costs.
    """
    if room <= 0 or not candidates:
        return []
    corpus = Corpus(c.text for c in candidates)
    said: set[str] = set()
    for text in covered:
        said.update(terms(text))
    parts = [_weighted(c, corpus, wanted or {}) for c in candidates]
    costs = [count(c.text) + 2 for c in candidates]
    opened: set[int] = set()
    chosen: list[int] = []
    used = 0

    def gain(i: int) -> float:
        fresh = sum(w for t, w in parts[i].items() if t not in said)
        return candidates[i].weight * fresh / (costs[i] + (0 if candidates[i].source in opened else head_cost))

    heap = [(-(math.inf if c.must else gain(i)), i) for i, c in enumerate(candidates)]
    heapq.heapify(heap)
    while heap:
        value, i = heapq.heappop(heap)
        cost = costs[i] + (0 if candidates[i].source in opened else head_cost)
        if used + cost > room:
            continue
        if not candidates[i].must:
            now = gain(i)
            if now <= 0.02:
                continue
            if heap and now < -heap[0][0] - 1e-12:
                heapq.heappush(heap, (-now, i))
                continue
        chosen.append(i)
        used += cost
        said.update(parts[i])
        opened.add(candidates[i].source)
    return [candidates[i] for i in sorted(chosen, key=lambda i: (candidates[i].source, candidates[i].order))]


def _weighted(candidate: Candidate, corpus: Corpus, wanted: Mapping[str, float]) -> dict[str, float]:
    return {t: corpus.weight(t, base) + wanted.get(t, 0.0) for t, base in terms(candidate.text).items()}
