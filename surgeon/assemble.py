"""Step 8: the conversation within its budget.

Three levels, each taken only if the one before does not fit: everything as it is; tool results rewritten in place; the older
stretch replaced by one block of intent, facts and chosen records, with the newest messages verbatim behind it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from surgeon import block as blocks
from surgeon.decide import Verdict
from surgeon.extract.intents import is_request
from surgeon.offload import Records, Sentences, Source, from_entries, from_units, to_entries
from surgeon.segment import begins_round
from surgeon.select import Candidate, Pool, terms
from surgeon.settings import Settings
from surgeon.snapshot.model import Snapshot
from surgeon.snapshot.render import entity_lines, intent_lines, ranked
from surgeon.taken import taken_up
from surgeon.types import Decision, Fact, Message, Part, Reason, Rewrite, Unit

_SMALL_BUDGET = 2_500
_TIGHT = 800
_VISIBLE = 20_000  # characters of a kept message that count as said already
_RUN = 2  # units after which the only user message has become the first task of a run
_SPARE = 3  # tokens left unused that are not worth another try
_BAND = 0.2  # least share of the room for the newest messages; 0.15 to 0.45 measured, see docs/benchmarks.md
_FIRST = 0.2  # share of a tight budget that the first task takes as a matter of course
_RESULT_FLOOR = 60
_LATEST = 1.3
_ANSWERS = 12  # units after a result within which its answers are looked for
_RECENT, _NEWEST, _REPLY, _MOST = 8, 3.0, 15.0, 0.4  # under a tight budget: units that are recent, what that and standing beside the newest user message weigh, and how much of a unit must be worth choosing
_MESSAGE = 8  # what the block costs beside its text: 4 for a message, and as much again for counting it apart

Shrink = Callable[[Part, Message, Unit, int | None], Rewrite | None]
Ref = Callable[[str], str]
Reword = Callable[[Sequence[Unit]], Mapping[str, Unit | None]]  # removed units -> another wording of some; None: another one stands for it


def _as_said(stretch: Sequence[Unit]) -> Mapping[str, Unit | None]:
    return {}


@dataclass(frozen=True, slots=True)
class Kit:
    """What assembly needs from outside: counting, rewriting, records, sentences, references."""

    count: Callable[[str], int]
    size: Callable[[Message], int]
    shrink: Shrink
    records: Records
    sentences: Sentences
    ref: Ref
    settings: Settings
    language: str
    reword: Reword = _as_said


@dataclass(frozen=True, slots=True)
class Task:
    """One conversation to fit: its units with verdicts, what an earlier block of ours said, and the target in tokens."""

    units: Sequence[Unit]
    verdicts: Mapping[str, Verdict]
    snapshot: Snapshot
    budget: int
    query: str | None = None
    earlier: blocks.Block | None = None


@dataclass(frozen=True, slots=True)
class Assembled:
    """The fitted conversation: messages before the block, the block's text (empty: none), messages behind it."""

    head: tuple[Message, ...]
    block: str
    tail: tuple[Message, ...]
    decisions: tuple[Decision, ...]
    originals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # ref -> ids of the messages it restores
    stretch: tuple[Message, ...] = ()
    stretch_ref: str = ""
    tokens: int = 0
    warnings: tuple[str, ...] = ()


def assemble(task: Task, kit: Kit) -> Assembled:
    """The conversation within `task.budget` tokens, or the smallest valid one with a warning that names what is too large."""
    whole = _whole(task, kit)
    if whole.tokens <= task.budget and task.earlier is None:
        return whole
    rewritten = _rewritten(task, kit)
    if task.earlier is None and rewritten.tokens <= task.budget:
        return rewritten
    task = _softened(task, kit)
    lines = _lines(task, kit)
    facts = _Facts(task, kit)
    earned = _earned(task, kit, lines, facts) if task.budget < _TIGHT else None
    best: Assembled | None = None
    for share in _shares(task, whole.tokens):
        fitted = _fit(task, kit, share, lines, facts, earned)
        if fitted.tokens <= task.budget:
            return fitted
        if best is None or fitted.tokens < best.tokens:
            best = fitted
    assert best is not None
    best = _blockless(best, kit) if not facts.constraints else best
    if best.tokens <= task.budget:
        return best
    return replace(best, warnings=(*best.warnings, _too_large(task, kit, best)))


def _blockless(done: Assembled, kit: Kit) -> Assembled:
    """The same without its block, which says no rule and does not fit, if what stays may follow one another; originals stay stored."""
    kept = [*done.head, *done.tail]
    roles = [m.role for m in kept if m.role != "system"]
    if not done.block or roles[:1] != ["user"] or any(a == b == "user" for a, b in itertools.pairwise(roles)):
        return done
    return replace(done, block="", tokens=sum(kit.size(m) for m in kept))


def _shares(task: Task, total: int) -> list[float]:
    """Shares of the room that the newest messages may take: larger when little has to go, then less and less."""
    ratio = task.budget / max(1, total)
    first = min(0.85, max(_BAND, ratio))
    return [first, *(s for s in (0.5, 0.3, 0.15, 0.0) if s < first)]


def _whole(task: Task, kit: Kit) -> Assembled:
    decisions = tuple(_decision(u, task.verdicts[u.id], "keep", kit, kit_size(u, kit)) for u in task.units)
    messages = tuple(m for u in task.units for m in u.messages)
    return Assembled((), "", messages, decisions, tokens=sum(kit.size(m) for m in messages))


def kit_size(unit: Unit, kit: Kit) -> int:
    """Tokens of a unit as it is."""
    return sum(kit.size(m) for m in unit.messages)


def _rewritten(task: Task, kit: Kit) -> Assembled:
    """Every unit in place, tool results rewritten without loss where that makes them smaller."""
    messages: list[Message] = []
    decisions: list[Decision] = []
    originals: dict[str, tuple[str, ...]] = {}
    for unit in task.units:
        verdict = task.verdicts[unit.id]
        done = unit if verdict.hard else _shrunk(unit, kit, None, originals)
        messages += done.messages
        action = "keep" if done is unit else "rewrite"
        refs = [r for r, ids in originals.items() if any(m.id in ids for m in unit.messages)]
        decisions.append(_decision(unit, verdict, action, kit, kit_size(done, kit), refs[0] if refs else None))
    return Assembled((), "", tuple(messages), tuple(decisions), originals, tokens=sum(kit.size(m) for m in messages))


def _shrunk(unit: Unit, kit: Kit, cap: int | None, originals: dict[str, tuple[str, ...]]) -> Unit:
    """The unit with its tool results rewritten (whole records, at most `cap` tokens each where given); calls stay with them."""
    changed = False
    out: list[Message] = []
    for message in unit.messages:
        for at, part in enumerate(message.parts):
            if part.kind not in ("tool_result", "tool_call") or not part.editable or not part.text:
                continue
            short = kit.shrink(part, message, unit, cap)
            if short is None:
                continue
            ref = kit.ref(part.text)
            text = short.text
            if short.omitted and part.kind == "tool_result":
                text = f"{text}\n[{short.omitted}; ref {ref}]"
            if kit.count(text) >= kit.count(part.text):
                continue
            originals[ref] = (message.id,)
            message = message.with_part(at, text)
            changed = True
        out.append(message)
    return replace(unit, messages=tuple(out)) if changed else unit


def _softened(task: Task, kit: Kit) -> Task:
    """A task that began a long run, is the only user message and fills more than half of the budget yields to its digest.

    It is the first task, which yields, as much as the newest user message, which does not; a turn just asked never yields.
    """
    asked = [u for u in task.units if u.kind == "user"]
    if len(asked) != 1 or len(task.units) - task.units.index(asked[0]) <= _RUN or kit_size(asked[0], kit) <= task.budget // 2:
        return task
    last = asked[0]
    verdict = task.verdicts[last.id]
    if any(r.name in ("protected", "pinned") for r in verdict.reasons):
        return task
    return replace(task, verdicts={**task.verdicts, last.id: replace(verdict, hard=False, soft=True)})


Lines = Mapping[str, tuple[list[Source], list[Candidate]]]


def _lines(task: Task, kit: Kit) -> Lines:
    """The records of every unit that may go; of a listing, the record that the answer after it names weighs more."""
    out: dict[str, tuple[list[Source], list[Candidate]]] = {}
    first = _first(task, kit)
    for at, unit in enumerate(task.units):
        if task.verdicts[unit.id].hard:
            continue
        sources, candidates = from_units([unit], task.verdicts, kit.records, kit.sentences, first, kit.language)
        if any(s.role == "t" for s in sources):
            after = itertools.takewhile(lambda u: u.kind != "tools", task.units[at + 1 : at + 1 + _ANSWERS])
            answers = [u.text for u in after if u.kind == "assistant"]
            candidates = [c for n, own in itertools.groupby(candidates, key=lambda c: c.source) for c in (taken_up(list(own), answers) if sources[n].role == "t" else own)]
        out[unit.id] = sources, candidates
    return out


def _first(task: Task, kit: Kit) -> str | None:
    """The first user task, unless the intent block says it anyway or it would fill a tight budget: its sentences then compete like others."""
    first = next((u for u in task.units if u.kind == "user"), None)
    if first is None or first.text.strip() in task.snapshot.intent.goal:
        return None
    return None if task.budget < _TIGHT and kit_size(first, kit) > _FIRST * task.budget else first.id


def _earned(task: Task, kit: Kit, lines: Lines, facts: _Facts) -> set[str]:
    """Recent messages that are worth their tokens under a tight budget: of which much would be chosen as records, the newest weighing more."""
    loose = [u for u in task.units if not task.verdicts[u.id].hard]
    sources, candidates = _candidates(task, kit, loose, lines)
    newest = max((i for i, u in enumerate(task.units) if u.kind == "user"), default=len(task.units))
    recent = {u.id: _REPLY if i >= newest - 1 else _NEWEST for i, u in enumerate(task.units) if i >= len(task.units) - _RECENT}
    weighed = [replace(c, weight=c.weight * recent.get(sources[c.source].unit, 1.0)) for c in candidates if facts.adds(c.text)]
    room = task.budget - sum(kit_size(u, kit) for u in task.units if task.verdicts[u.id].hard) - facts.cost - facts.overhead
    held: dict[str, int] = {}
    for record in Pool(weighed, kit.count, _wanted(task)).choose(room, facts.lines):
        origin = sources[record.source].unit
        held[origin] = held.get(origin, 0) + kit.count(record.text)
    return {u.id for u in loose if not _plain_talk(u) or held.get(u.id, 0) >= _MOST * _speech(u, lines, kit)}


def _plain_talk(unit: Unit) -> bool:
    """Whether a unit is only text that someone wrote: what else it holds cannot be weighed by records."""
    return unit.kind in ("user", "assistant") and all(p.kind == "text" for m in unit.messages for p in m.parts)


def _speech(unit: Unit, lines: Lines, kit: Kit) -> int:
    """Tokens of a message, without white space that its records leave out."""
    return min(kit_size(unit, kit), 4 + sum(kit.count(c.text) for c in lines[unit.id][1]))


def _fit(task: Task, kit: Kit, share: float, lines: Lines, facts: _Facts, earned: set[str] | None) -> Assembled:
    """One attempt: the newest messages take `share` of the room, the block takes the rest."""
    units, originals = list(task.units), dict[str, tuple[str, ...]]()
    hard = sum(kit_size(u, kit) for u in units if task.verdicts[u.id].hard)
    room = task.budget - hard - facts.cost - facts.overhead
    band = _band(task, kit, int(room * share), originals, earned)
    keep = {u.id: u for u in band}
    start = next((i for i, u in enumerate(units) if u.id in keep), len(units))
    stretch = [u for u in units if u.id not in keep and not task.verdicts[u.id].hard]
    begin = next((i for i, u in enumerate(units) if not task.verdicts[u.id].hard), start)  # the block stands where the first removed unit stood
    head = units[: min(begin, start)]
    band = [*(u for u in units[begin:start] if task.verdicts[u.id].hard), *band]
    keep = {u.id: u for u in band}
    spent = sum(kit_size(u, kit) for u in band if not task.verdicts[u.id].hard)
    sources, candidates = _candidates(task, kit, stretch, lines)
    candidates = [c for c in candidates if facts.adds(c.text)]
    pool = Pool(candidates, kit.count, _wanted(task))
    visible = [m.text[:_VISIBLE] for u in [*head, *band] for m in u.messages]
    left = room - spent
    text, chosen = "", list[Candidate]()
    ref = kit.ref("\n".join(m.id + m.text for u in stretch for m in u.messages)) if stretch else (task.earlier.ref if task.earlier else "")
    rounds = _rounds(task, stretch)
    messages = [*(m for u in head for m in u.messages), *(m for u in band for m in u.messages)]
    base = sum(kit.size(m) for m in messages)
    if stretch or task.earlier:
        text, chosen = _filled(task, kit, pool, facts, sources, [*visible, *facts.lines], left, base, rounds, ref)
    total = base + (kit.count(text) + _MESSAGE if text else 0)
    decisions = _decisions(task, kit, keep, stretch, sources, chosen, ref, originals)
    if stretch and text:
        originals[ref] = tuple(m.id for u in stretch for m in u.messages)
    return Assembled(
        tuple(m for u in head for m in u.messages), text, tuple(m for u in band for m in u.messages), decisions, originals,
        tuple(m for u in stretch for m in u.messages), ref if stretch else "", total,
    )


def _rounds(task: Task, stretch: Sequence[Unit]) -> int:
    """User messages that the block stands for: those of an earlier block and those removed now."""
    before = task.earlier.rounds if task.earlier else 0
    return before + sum(1 for u in stretch for m in u.messages if begins_round(m))


def _filled(
    task: Task, kit: Kit, pool: Pool, facts: _Facts, sources: Sequence[Source], visible: Sequence[str], left: int, base: int, rounds: int, ref: str,
) -> tuple[str, list[Candidate]]:
    """The block that comes nearest to the budget from below, found in a few tries; only constraints if nothing else fits."""
    best: tuple[str, list[Candidate]] | None = None
    for _ in range(8):
        chosen = pool.choose(left, visible)
        text = facts.write(to_entries(sources, chosen), rounds, ref)
        spare = task.budget - base - kit.count(text) - _MESSAGE
        if spare >= 0:
            if best is None or len(chosen) > len(best[1]):
                best = (text, chosen)
            if spare <= _SPARE or len(chosen) == len(pool.candidates):
                break
            left += max(4, int(0.9 * spare))
            continue
        if best is not None or left <= 0:
            break
        left = min(left + spare, int(left * 0.97))
    return best if best is not None else (facts.write([], rounds, ref, minimal=True), [])


def _superseded(snapshot: Snapshot, history: bool) -> list[str]:
    """Texts that no longer hold: statements, plans and rules that were replaced; with the history off every replaced value."""
    out: list[str] = []
    for fact in snapshot.facts.values():
        worded = fact.kind == "constraint" or fact.label in ("said", "decision")
        if not worded and history:
            continue
        now = fact.value if fact.status == "active" else ""
        out += [c.value for c in fact.history if len(c.value) >= 6 and c.value != now and c.value not in now]
    return list(dict.fromkeys(out))


class _Facts:
    """The intent and entities of the block, within their shares of the budget; below 2,500 tokens the shares shrink in proportion."""

    def __init__(self, task: Task, kit: Kit) -> None:
        self.kit = kit
        scale = min(1.0, task.budget / _SMALL_BUDGET)
        limits = kit.settings.snapshot
        history = limits.history == "on"
        self.brief = task.budget < _TIGHT
        self._said_by_user = [u.text for u in task.units if u.kind == "user"]
        self.intent = _within(self._intent(task.snapshot), int(limits.intent_tokens * scale), kit.count)
        wanted = terms(task.query) if task.query else {}

        def relevant(fact: Fact) -> float:
            said = terms(f"{fact.key} {fact.value}")
            return sum(w for t, w in wanted.items() if t in said) + (1 if len(fact.history) > 1 else 0) + fact.round / 1e4

        facts = [f for f in ranked(task.snapshot, relevant) if f.label != "said" or task.budget >= _SMALL_BUDGET]  # their words compete in the dialogue
        self.entities = _unsaid(entity_lines(facts, int(limits.entity_tokens * scale), kit.count, history).lines)
        if self.brief:
            self.entities = [_ROUND.sub("", line) if line.startswith("! ") else line for line in self.entities]
        self.constraints = [line for line in self.entities if line.startswith("! ")]
        self.lines = [*self.intent, *self.entities]
        self._said = "\n".join(self.lines)
        self._old = _superseded(task.snapshot, history)
        self.cost = sum(kit.count(line) + 1 for line in self.lines)
        self.overhead = (95 if self.lines else 75) - (35 if self.brief else 0)

    def _intent(self, snapshot: Snapshot) -> list[str]:
        """The intent; under a tight budget without what says little apart from its sentence, or is a sentence that the records hold anyway."""
        intent = snapshot.intent
        if not self.brief:
            return intent_lines(intent)
        task = replace(intent.task, step="") if any(intent.task.step in t for t in self._said_by_user) else intent.task
        goal = intent.goal if is_request(intent.goal) else ""  # a remark that opened the talk competes in the dialogue
        return intent_lines(replace(intent, goal=goal, time_ref="", recipient="", format="", task=task))

    def adds(self, text: str) -> bool:
        """Whether a record says something that stands in no line yet, and nothing that no longer holds."""
        return (len(text) < 12 or text not in self._said) and not any(o in text for o in self._old)

    def write(self, entries: Sequence[blocks.Entry], rounds: int, ref: str, minimal: bool = False) -> str:
        """The block with these dialogue lines; `minimal` keeps only constraints."""
        entities = self.constraints if minimal else self.entities
        body = blocks.sections([("intent", [] if minimal else self.intent), ("entities", entities), ("dialogue", [blocks.entry_line(e, self.brief) for e in entries])])
        return blocks.write(body or "<|dialogue|>\n<|/dialogue|>", rounds, ref, "" if self.brief else self.kit.settings.expand_tool, self.kit.language == "zh")


_ROUND = re.compile(r" \(r[0-9]{1,9}\)$")  # when a rule was set is the least that a tight budget has to say


def _unsaid(lines: Sequence[str]) -> list[str]:
    """The lines without rules that stand word for word in a longer one."""
    texts = [_bare(line) for line in lines]
    return [line for i, line in enumerate(lines) if not (line.startswith("! ") and any(texts[i] in t and len(texts[i]) < len(t) for t in texts))]


def _bare(line: str) -> str:
    """A line of a rule without its mark and its round."""
    return line.removeprefix("! ").rpartition(" (r")[0]


def _within(lines: Sequence[str], room: int, count: Callable[[str], int]) -> list[str]:
    out: list[str] = []
    for line in lines:
        room -= count(line) + 1
        if room < 0:
            break
        out.append(line)
    return out


def _band(task: Task, kit: Kit, room: int, originals: dict[str, tuple[str, ...]], earned: set[str] | None) -> list[Unit]:
    """The newest units that fit, oldest first; long tool results among them are rewritten. Hard units at the end cost nothing here.

    With `earned` only those of them are taken; the others go to the records.
    """
    band: list[Unit] = []
    used = 0
    cap = max(_RESULT_FLOOR, room // 2)
    for unit in reversed(task.units):
        if task.verdicts[unit.id].hard:
            if unit.kind == "system" and not band:
                break
            band.append(unit)
            continue
        if earned is not None and unit.id not in earned:
            continue
        done = unit
        if kit_size(unit, kit) > min(cap, room - used):
            done = _shrunk(unit, kit, max(_RESULT_FLOOR, min(cap, room - used) // max(1, len(unit.messages) - 1)), originals)
        cost = kit_size(done, kit)
        if used + cost > room:
            break
        used += cost
        band.append(done)
    band.reverse()
    while band and band[0].kind == "system":
        band.pop(0)
    return band


def _candidates(task: Task, kit: Kit, stretch: Sequence[Unit], lines: Lines) -> tuple[list[Source], list[Candidate]]:
    """Lines of an earlier block and of the stretch, in order."""
    sources, candidates = from_entries(task.earlier.entries) if task.earlier else ([], [])
    first = _first(task, kit)
    latest = {c.tool: m.id for u in task.units for m in u.messages for c in m.calls}
    worded = kit.reword([u for u in stretch if u.id != first])
    for unit in stretch:
        told = worded.get(unit.id, unit)
        if told is None:
            continue
        more, records = lines[unit.id] if told is unit else from_units([told], task.verdicts, kit.records, str.splitlines, first, kit.language)
        shift = len(sources)
        sources += more
        candidates += [replace(c, source=c.source + shift, weight=c.weight * _freshness(more[c.source], latest)) for c in records]
    return sources, candidates


def _freshness(source: Source, latest: Mapping[str | None, str]) -> float:
    """The newest call of a tool says what holds now; that of an earlier one may have been asked with other values."""
    return _LATEST if source.role == "a" and source.tool and latest.get(source.tool) == source.message_id else 1.0


def _wanted(task: Task) -> dict[str, float]:
    """Extra weight for what the question and the goal speak of."""
    goal = task.snapshot.intent.goal
    out = dict.fromkeys(terms(goal), 0.3) if is_request(goal) else {}
    out.update({t: 2.0 * w for t, w in terms(task.query or "").items()})
    return out


def _decisions(
    task: Task, kit: Kit, keep: Mapping[str, Unit], stretch: Sequence[Unit], sources: Sequence[Source],
    chosen: Sequence[Candidate], ref: str, originals: Mapping[str, tuple[str, ...]],
) -> tuple[Decision, ...]:
    left: dict[str, int] = {}
    for record in chosen:
        origin = sources[record.source].unit
        left[origin] = left.get(origin, 0) + kit.count(record.text)
    gone = {u.id for u in stretch}
    out: list[Decision] = []
    for unit in task.units:
        verdict = task.verdicts[unit.id]
        if unit.id in gone:
            after = left.get(unit.id, 0)
            action = "offload" if after or verdict.action != "drop" else "drop"
            out.append(_decision(unit, verdict, action, kit, after, ref, Reason("budget", "removed", detail=f"{task.budget} tokens")))
        else:
            done = keep.get(unit.id, unit)
            mark = next((r for r, ids in originals.items() if any(m.id in ids for m in unit.messages)), None)
            out.append(_decision(unit, verdict, "keep" if done is unit else "rewrite", kit, kit_size(done, kit), mark))
    return tuple(out)


def _decision(unit: Unit, verdict: Verdict, action: str, kit: Kit, after: int, ref: str | None = None, *extra: Reason) -> Decision:
    ids = tuple(m.id for m in unit.messages)
    return Decision(unit.id, ids, action, (*verdict.reasons, *extra), verdict.score, kit_size(unit, kit), after, None, ref)  # type: ignore[arg-type]


def _too_large(task: Task, kit: Kit, best: Assembled) -> str:
    """The warning (or BudgetError text) that names what does not fit."""
    system = sum(kit_size(u, kit) for u in task.units if u.kind == "system")
    hard = sum(kit_size(u, kit) for u in task.units if task.verdicts[u.id].hard) - system
    return (
        f"{best.tokens:,} tokens remain, the budget is {task.budget:,}: system {system:,} · protected, pinned and newest {hard:,}"
        f" · block {kit.count(best.block):,}; raise the budget or unpin messages"
    )
