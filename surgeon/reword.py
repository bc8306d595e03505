"""Removed user messages in fewer or clearer words: corrections as what they changed, repeated questions as one line.

Both are candidates for the dialogue section like any record; what they say stands in the history of a fact or in the messages themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from surgeon.extract import acts
from surgeon.extract.labels import LEXICON
from surgeon.rewrite.changelog import Changed, changelog
from surgeon.rewrite.context import Render
from surgeon.rewrite.repeats import LONGEST, Question, aggregated, repeated
from surgeon.select import terms
from surgeon.snapshot.model import LOOSE, REPLACING, Snapshot
from surgeon.types import Fact, Message, Part, Unit

Alike = Callable[[Sequence[str]], Sequence[Sequence[float]]]  # cosines of every text with every text

_CLOSE = 0.92  # questions of the same sense lie above it with both shipped encoders, of another sense below; docs/decisions/0002-encoders.md
_SAME_WORDS = 0.75  # enough where the words are the same but for their order and fillers
_ENCODED = 32  # texts: a model costs some 5 ms each
_HEAD = 4  # tokens of a line's head ("u12: ")
_MANY = 400  # newest questions among which repeats are looked for: comparing is quadratic
_NOT = re.compile(r"\b(?:not|never|no|without)\b|n['’]t\b|[不没无别]", re.I)
_OWN = re.compile(r"\b(?:my|our|mine|ours|i|we)\b|我", re.I)
_POINTS = re.compile(r"\b(?:this|that|these|those|it|its|it's|there|here|he|she|they|him|her|his|them|their|one)\b|[这那它他她其该此]", re.I)
_WORD = re.compile(r"[a-z][a-z'’-]+|[\u3400-\u9fff]")
_FILLERS = frozenset(
    re.findall(
        r"\S+",
        "the an and or is are was were be been do does did has have had can could will would you your my me our it its this that there what when "
        "where which who how what's where's when's to of for on in at by with please tell check know let now yet already still again today just so "
        "hi hello hey also then get got any is there i'd i'll i'm right currently exactly actually",
    )
) | frozenset("的了吗呢啊吧呀嘛么在现大概请问一下能可以有没什样怎如何时候几点会要是我你您它这那里哪儿到底还就都也多少")


@dataclass(slots=True)
class Rewording:
    """The wordings of one conversation. Called with a removed stretch it gives, by unit, another wording or None for one that another stands for."""

    units: Sequence[Unit]
    snapshot: Snapshot
    language: str
    render: Render
    count: Callable[[str], int]
    sentences: Callable[[str], Sequence[str]]
    alike: Alike | None = None
    history: bool = True
    idle: frozenset[str] = frozenset()  # units that say nothing worth keeping: a count would only give them room
    _changes: dict[str, list[tuple[Fact, Changed, str]]] = field(default_factory=dict)
    _cosines: dict[tuple[str, str], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for fact in self.snapshot.facts.values():
            for before, change in zip((None, *fact.history), fact.history, strict=False):
                old = before.value if before is not None else ""
                row = Changed(name_of(fact, self.language), old, change.value, change.action, change.round, change.source_round)
                self._changes.setdefault(change.message_id, []).append((fact, row, change.said))

    def __call__(self, stretch: Sequence[Unit]) -> dict[str, Unit | None]:
        """Units of the stretch that have another wording there; the others stay as they are."""
        out: dict[str, Unit | None] = {}
        asked = [u for u in stretch if u.kind == "user" and len(u.messages) == 1 and all(p.kind == "text" for p in u.messages[0].parts)]
        for unit in asked:
            lines = self._corrected(unit.messages[0]) if self.history else []
            if lines:
                out[unit.id] = _worded(unit, "\n".join(lines))
        self._aggregate([u for u in asked if u.id not in out], stretch, out)
        return out

    # --- corrections ---------------------------------------------------------------------------------------------------------

    def _corrected(self, message: Message) -> list[str]:
        """The change-log lines of a message that does nothing but correct what the snapshot holds."""
        rows = [r for r in self._changes.get(message.id, ()) if not (r[0].label in LOOSE and r[1].action == "cancel")]  # those follow from the others
        if not rows or any(not self._tells(message, *row) for row in rows):
            return []
        return changelog(message.prose, [r[1] for r in rows], self.language, self.render, self.count)

    def _tells(self, message: Message, fact: Fact, row: Changed, said: str) -> bool:
        """Whether a change can stand for the words that made it: a value that was replaced, by these words."""
        spoken = any(piece and piece in message.prose for piece in said.split(" → "))
        loose = fact.kind in ("constraint", "tool_fact") or fact.label in (*LOOSE, "decision")
        return spoken and not loose and row.action in REPLACING and bool(row.old) and "\n" not in f"{row.old}{row.new}"

    # --- repeats -------------------------------------------------------------------------------------------------------------

    def _aggregate(self, asked: Sequence[Unit], stretch: Sequence[Unit], out: dict[str, Unit | None]) -> None:
        by_id = {u.id: u for u in asked}
        questions = [q for u in asked if u.id not in self.idle and (q := _question(u)) is not None]
        for group in repeated(questions[-_MANY:], self._near):
            unit = by_id[group.newest.unit]
            sentence, time = self._answer(unit, stretch)
            line = aggregated(group, sentence, time, self.language, self.render)
            raw = sum(self.count(q.text) + _HEAD for q in (*group.older, group.newest)) + (self.count(sentence) + _HEAD if sentence else 0)
            if line and self.count(line) < raw:
                out[unit.id] = _worded(unit, line)
                out.update({q.unit: None for q in group.older})

    def _near(self, a: Question, b: Question) -> bool:
        """Whether two questions ask the same: no word of weight on both sides that the other lacks, and a high cosine."""
        if a.folded == b.folded:
            return self._one_thing(a, b)
        mine, other = _weighty(a.text), _weighty(b.text)
        if mine - other and other - mine:
            return False
        return self._cosine(a, b) >= (_SAME_WORDS if mine == other else _CLOSE) and self._one_thing(a, b)

    def _one_thing(self, a: Question, b: Question) -> bool:
        """Whether both speak of the same thing: it is named or the user's own, or nothing was said between that could be another "it"."""
        named = bool(a.hard - {"not"}) or (bool(_OWN.search(a.text)) and bool(_OWN.search(b.text)))
        if named and not _POINTS.search(f"{a.text} {b.text}"):
            return True
        rounds = {u.id: u.round for u in self.units}
        low, high = sorted((rounds[a.unit], rounds[b.unit]))
        return not any(low < row.round < high for rows in self._changes.values() for _, row, _ in rows)

    def _cosine(self, a: Question, b: Question) -> float:
        """Only pairs that may be one question are encoded, and no more texts than a turn can afford."""
        pair = (a.text, b.text)
        if self.alike is None or (pair not in self._cosines and len({t for known in (*self._cosines, pair) for t in known}) > _ENCODED):
            return 0.0
        if pair not in self._cosines:
            self._cosines[pair] = float(self.alike(pair)[0][1])
        return self._cosines[pair]

    def _answer(self, unit: Unit, stretch: Sequence[Unit]) -> tuple[str, str]:
        """The sentence of the last answer that says most, and when; empty if it was not answered, stays visible, or may quote a replaced value."""
        gone = {u.id for u in stretch}
        at = next(i for i, u in enumerate(self.units) if u.id == unit.id)
        until = next((i for i in range(at + 1, len(self.units)) if self.units[i].kind == "user"), len(self.units))
        replies = [m for u in self.units[at + 1 : until] if u.id in gone for m in u.messages if m.role == "assistant" and m.prose.strip()]
        if not replies or not self.history:
            return "", ""
        asked = terms(unit.text)
        said = [s.strip() for s in self.sentences(replies[-1].prose) if s.strip() and len(s) <= LONGEST]
        best = max(said, key=lambda s: sum(w for t, w in terms(s).items() if t not in asked), default="")
        return best, _clock(replies[-1], unit.messages[0]) if best else ""


def _clock(reply: Message, asked: Message) -> str:
    """When an answer was given; with its day where the question came on another."""
    if reply.time is None:
        return ""
    same = asked.time is not None and asked.time.date() == reply.time.date()
    return f"{reply.time:%H:%M}" if same else f"{reply.time:%Y-%m-%d %H:%M}"


def _worded(unit: Unit, text: str) -> Unit:
    return replace(unit, messages=(replace(unit.messages[0], parts=(Part("text", text),)),))


def _question(unit: Unit) -> Question | None:
    """The question that a user's message consists of, if it is one."""
    text = unit.text.strip()
    if unit.kind != "user" or not 2 < len(text) <= LONGEST or "\n" in text:
        return None
    spoken = acts.sentences(text)
    if not spoken or not acts.act_of(spoken[-1].text).question or len(spoken) > 2:
        return None
    hard = {t for t, w in terms(text).items() if w >= 1.0} | ({"not"} if _NOT.search(_positive(text)) else set())
    return Question(unit.id, text, frozenset(hard))


def _positive(text: str) -> str:
    """The text without the negations that only make it a question ("好了没有", "能不能")."""
    return re.sub(r"(.)不\1|有没有|没有?[?？吗呢]|没有?$", "", text)


def _weighty(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _FILLERS


def name_of(fact: Fact, language: str) -> str:
    """A fact's slot in the language of the block, with its owner."""
    words = LEXICON.get(fact.label, "").split("|")
    chinese = next((w for w in words if re.match(r"[\u4e00-\u9fff]{2}", w)), "")
    label = chinese if language == "zh" and chinese else fact.label
    if not fact.owner:
        return label
    return f"{fact.owner}的{label}" if language == "zh" and chinese else f"{fact.owner} {label}"
