"""One message further: what a new message changes in the snapshot. Pure: the same snapshot and message give the same result.

User statements set and change facts; an assistant's restatement fills in what the user's words left open ("push it by an hour"),
but never overrides what the user said in the same round; questions, suppositions and quotations change nothing that holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from surgeon.extract import acts, assistant, intents, tools
from surgeon.extract.atoms import Atom, find_atoms
from surgeon.extract.changes import Editor
from surgeon.extract.cues import CONTRAST, PASSING, STEP
from surgeon.extract.duties import duties
from surgeon.extract.supersede import Superseding
from surgeon.extract.values import within
from surgeon.snapshot.model import Snapshot
from surgeon.types import Analysis, Message

_LONG = 6_000
_PLAN = 160  # characters; a longer sentence is a story, not a plan
_BRIEF = 16  # characters of a correction that says nothing beside the corrected value
_SCOPE = 8  # words: "For the rest of this session." alone says nothing without the sentence that follows
_WORTH = 0.3  # above the neutral 0.2: at least one rule speaks for the sentence


class Pin(NamedTuple):
    """Where a rule that pins (a constraint) matched."""

    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What extraction needs from outside: one NLP pass, the pinning rules, and how much a sentence says."""

    analyse: Callable[[str], Analysis]
    pins: Callable[[str, str], Sequence[Pin]]
    worth: Callable[[str], float]
    supersede: Superseding
    choices: Callable[[str], Sequence[tuple[str, int, int]]] = lambda text: ()

    def __call__(self, snapshot: Snapshot, message: Message, now: datetime | None, light: bool) -> Snapshot:
        """The snapshot after one more message. `light` (very long histories) skips the language model, word classes and comparing statements."""
        moment = message.time or now
        if message.role == "user" and not message.results:
            return self._user(replace(snapshot, round=max(snapshot.round, message.round)), message, moment, light)
        if message.role == "assistant":
            return assistant.listen(snapshot, message, moment, self.choices) if message.prose and not light else snapshot
        if message.results:
            return tools.take(snapshot, message)
        return snapshot

    def _user(self, snapshot: Snapshot, message: Message, moment: datetime | None, light: bool) -> Snapshot:
        text = message.prose if len(message.prose) <= _LONG else message.prose[: _LONG // 2] + "\n" + message.prose[-_LONG // 2 :]
        if not text.strip():
            return snapshot
        entities = () if light else self.analyse(text).entities
        atoms = find_atoms(text, moment, entities, () if light else self.choices(text))
        pinned = self.pins(text, "user")
        editor = Editor(snapshot, message, self.supersede.apart, self.supersede.subject, self.supersede.slots)
        spoken = acts.joined(text, acts.sentences(text))
        mood = "ask"
        editor.retracts = bool(acts.RETRACT.search(text))
        for position, sentence in enumerate(spoken):
            act = acts.act_of(sentence.text)
            inside = within(atoms, sentence)
            held = [p for p in pinned if sentence.start <= p.start < sentence.end]
            if not (act.question or act.suppose):
                mood = "state"
            self._sentence(editor, sentence, act, inside, held, position == 0, spoken[position + 1].text if position + 1 < len(spoken) else "", light)
        after = editor.finish("step" if mood == "state" and STEP.search(text) else mood)
        return intents.follow(after, message, [s.text for s in spoken], atoms, self.worth)

    def _tells(self, text: str, act: acts.Act, atoms: Sequence[Atom]) -> bool:
        """Whether a sentence states something worth keeping: a rule speaks for it, it holds a value, asks for work or changes something."""
        worth = self.worth(text)
        told = [a for a in atoms if a.text.lower() not in PASSING]
        return worth > _WORTH or (worth > 0 and bool(told or act.update or act.cancel or act.target or intents.is_request(text) or CONTRAST.match(text) or self.supersede.slots(text)))

    def _sentence(self, editor: Editor, sentence: acts.Sentence, act: acts.Act, atoms: list[Atom], held: Sequence[Pin], first: bool, following: str, light: bool) -> None:
        text = sentence.text
        if first and act.accept and not act.suppose:
            editor.accept(text)
        if act.suppose or (act.question and not act.update):
            editor.suppose(text, atoms) if act.suppose and atoms and not act.question else None
            return
        if act.quoted and act.question:
            return
        done = False
        if act.swap:
            done = editor.swap(text)
        exchanged = False
        for old, new in acts.pairs(text):
            exchanged = editor.exchange(old, new) or exchanged
        done = done or exchanged
        if act.target is not None and not done:
            done = editor.restore(text, act.target, atoms)
            if done:
                editor.seen(atoms)
                return
        if act.cancel and not done and not act.quoted:
            done = editor.cancel(text)
            if done:
                editor.revive(text, atoms)
            if done and not held:
                return
        if not done and not any(a.type == "option" for a in atoms):
            done = editor.choose(text)
        if not (done or act.quoted or light) and self.supersede(editor, text, atoms, bool(held), act.update and len(text) <= _BRIEF):
            return
        found = [] if act.quoted else duties(text)
        if found and editor.own(text, found) and not held:
            return
        named = not done and editor.labelled(text, atoms)
        if not done:
            done = editor.assign(text, atoms, act.update) or named
            if not done and act.update:
                done = editor.object(text, acts.objects(text))
        if held and not text.rstrip().endswith(("?", "？")):
            editor.constrain(text if len(text.split()) > _SCOPE or re.search(r"[\u4e00-\u9fff]", text) else f"{text} {following}".strip(), held[0].rule)
        elif acts.DECISION.search(text) and not editor.covered(text, atoms) and not text.rstrip().endswith(("?", "？")) and len(text) <= _PLAN:
            editor.decide(text, editor.retracts)
        elif not exchanged and not (done and act.update and len(text) <= _BRIEF) and self._tells(text, act, atoms) and not editor.covered(text, atoms):
            editor.state(text, lambda clause: self.worth(clause) > 0 and not editor.covered(clause, [a for a in atoms if a.text in clause]))
