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
from functools import lru_cache

Count = Callable[[str], int]
_SCALES = (1.0, 0.8, 0.6)
_LEAST, _BETTER = 0.02, 1.03
_KNOWN = 0.5  # what a known term is worth in a statement that says something new of it

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
_RUN = 256
_LABEL = re.compile(r"^\W{0,3}[A-Z][A-Z_ -]{2,28}: ")  # "GOAL STATE: ": capitals that name nothing, and what follows begins a sentence
_ENDLESS = re.compile(rf"[\w.+/@&'’:-]{{{_RUN},}}")  # no identifier is that long, and every pattern above would try it from each of its characters
_MIXED = re.compile(r"[a-z_@/]", re.I)
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]{2,}")
_CJK = re.compile(r"[\u3400-\u9fff]+")
_STOP = frozenset(
    ["the", "and", "for", "you", "are", "can", "with", "this", "that", "have", "has", "from", "your", "was", "will", "would", "please", "not", "but", "they", "all", "any", "our", "out", "its", "let", "get", "how", "what", "when", "which", "who", "could", "should", "also", "one", "been", "were", "there", "their", "his", "her", "him", "she", "just", "like", "really", "very", "about", "then", "than", "them", "some", "more", "much", "into", "yes", "yeah", "okay", "sure", "thanks", "thank", "good", "great", "nice", "well", "know", "think", "going", "make", "want", "need", "here", "now", "too", "see", "say", "said", "did", "does", "don't", "i'm", "it's"]
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may be kept: where it comes from (`source`, `order` in it), its text, and how much its origin weighs."""

    source: int
    order: int
    text: str
    weight: float = 1.0
    must: bool = False
    needs: int = -1  # order of the record of the same source without which this one means nothing
    news: bool = False  # a statement: a value that is known says something new beside other words


@lru_cache(maxsize=32_768)
def terms(text: str) -> Mapping[str, float]:
    """What a text says, as terms with a base weight: identifiers 3, numbers 2 to 2.5, names 2, single digits 1, words 0.5, Chinese bigrams 0.35."""
    out: dict[str, float] = {}
    if len(text) > _RUN:
        text = _ENDLESS.sub(lambda m: m.group()[:64], text)
    label = _LABEL.match(text)
    if label:
        out.update(dict.fromkeys(label.group().lower().strip(": ").split(), 0.5))
        text = text[label.end():]
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
        if _MIXED.search(value):
            out[value] = 3.0
        else:
            out[value] = 2.5 if len(value) > 3 else 1.8 if len(value) > 1 else 1.0
    return out


class Pool:
    """Candidates with their terms and costs worked out once, to be chosen from as often as a budget has to be tried."""

    def __init__(self, candidates: Sequence[Candidate], count: Count, wanted: Mapping[str, float] | None = None, head_cost: int = 4) -> None:
        """`wanted`: terms of the question or the intent with an extra weight. `head_cost`: tokens of a line's head, paid once a source."""
        self.candidates = candidates
        self.head_cost = head_cost
        self.costs = [count(c.text) + 2 for c in candidates]
        seen: collections.Counter[str] = collections.Counter()
        for text in dict.fromkeys(c.text for c in candidates):  # said twice is not used twice
            seen.update(terms(text).keys())
        total, extra = len(candidates), wanted or {}
        self.parts = [{t: _weight(b, seen[t], total) + extra.get(t, 0.0) for t, b in terms(c.text).items()} for c in candidates]
        self.place = {(c.source, c.order): i for i, c in enumerate(candidates)}

    def choose(self, room: int, covered: Iterable[str] = ()) -> list[Candidate]:
        """The candidates to keep within `room` tokens, in source order; what `covered` texts say already gains nothing."""
        if room <= 0 or not self.candidates:
            return []
        said: set[str] = set()
        for text in covered:
            said.update(terms(text))
        best, worth = set[int](), 0.0
        for scale in _SCALES:
            chosen, total = self._greedy(room, set(said), scale)
            if total > worth * _BETTER:
                best, worth = chosen, total
        return [self.candidates[i] for i in sorted(best, key=lambda i: (self.candidates[i].source, self.candidates[i].order))]

    def _greedy(self, room: int, said: set[str], scale: float) -> tuple[set[int], float]:
        """Records chosen by gain per token to the power of `scale`, and what they are worth together."""
        opened: set[int] = set()
        chosen: set[int] = set()
        used, total = 0, 0.0
        heap = [(-math.inf if c.must else -self._gain(i, said, opened, scale), i) for i, c in enumerate(self.candidates)]
        heapq.heapify(heap)
        while heap:
            _, i = heapq.heappop(heap)
            group = self._group(i, chosen)
            cost = sum(self.costs[j] for j in group) + (0 if self.candidates[i].source in opened else self.head_cost)
            if i in chosen or used + cost > room:
                continue
            if not self.candidates[i].must:
                now = self._gain(i, said, opened, scale)
                if self._gain(i, said, opened) <= _LEAST:
                    continue
                if heap and now < -heap[0][0] - 1e-12:
                    heapq.heappush(heap, (-now, i))
                    continue
            used += cost
            for j in group:
                total += self._worth(j, said)
                chosen.add(j)
                said.update(self.parts[j])
            opened.add(self.candidates[i].source)
        return chosen, total

    def _group(self, i: int, chosen: set[int]) -> list[int]:
        """A record and the one it needs, if that is not chosen yet."""
        candidate = self.candidates[i]
        head = self.place.get((candidate.source, candidate.needs)) if candidate.needs >= 0 else None
        return [i] if head is None or head in chosen else [head, i]

    def _worth(self, i: int, said: set[str]) -> float:
        candidate = self.candidates[i]
        new = [w for t, w in self.parts[i].items() if t not in said]
        fresh = sum(new)
        if candidate.news and new:
            fresh += _KNOWN * (sum(self.parts[i].values()) - fresh)
        return candidate.weight * fresh

    def _gain(self, i: int, said: set[str], opened: set[int], scale: float = 1.0) -> float:
        cost = self.costs[i] + (0 if self.candidates[i].source in opened else self.head_cost)
        return self._worth(i, said) / (cost if scale == 1.0 else cost**scale)


def _weight(base: float, count: int, records: int) -> float:
    """Rare words weigh more than common ones; an identifier that comes back is one that is used."""
    rarity = math.log(1 + records / max(1, count)) / math.log(2 + records)
    if base >= 3.0:
        return base * (0.7 + 0.3 * rarity) * (1.0 + 0.2 * min(3, max(0, count - 1)))
    return base * rarity
