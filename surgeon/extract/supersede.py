"""A later statement about the same fact takes the place of the earlier one, however differently the two are worded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from surgeon.extract.atoms import Atom, find_atoms
from surgeon.extract.changes import Editor
from surgeon.extract.frames import ALSO, NEWER, Frame, Slots, bare, frame_of, same_thing, told_apart
from surgeon.extract.ledger import MAX_VALUE
from surgeon.extract.merge import contains
from surgeon.extract.values import display
from surgeon.types import Fact

Alike = Callable[[str, Sequence[str]], list[float]]  # similarity of a statement to others, scaled so that 1.0 is surely the same subject

_STATED = ("said", "decision")
_ALIKE = 1.0
_NEAR = 24  # newest statements that are compared by meaning
_MARGIN = 0.1  # by how much the best match by meaning alone must lead
_VALUE = re.compile(r"[A-Z]{2,}[\w-]*|(?<=[a-z,] )[A-Z][\w-]*(?: [A-Z][\w-]*)*|[\"“「《][^\"”」》]*[\"”」》]|[$£€¥]?\d[\w.,:/-]*|[\w.-]+/[\w./-]+")
_MANNER = frozenset({"reply_style", "reply_language", "example_language", "units", "timezone", "currency", "output_format", "next_step", "phase"})  # of the whole conversation: the latest wish holds
_BOUND = frozenset({"money", "date", "clock", "path", "url", "endpoint", "percent", "phone", "email", "address"})


@dataclass(frozen=True, slots=True)
class Superseding:
    """Finds what a statement replaces. `slots` names slots in a text; `alike` compares by meaning (None: words only)."""

    slots: Slots
    alike: Alike | None = None

    def __call__(self, editor: Editor, text: str, atoms: Sequence[Atom], pinned: bool, brief: bool) -> bool:
        """Replaces earlier statements about the same fact; True if the new one stands in their place. `brief`: its typed values say it all, the words need not stay."""
        if len(text) > MAX_VALUE or editor.snapshot.round == 0 or re.search(r"[?？]\s*$", text):
            return False
        old = self._replaced(editor, text, atoms)
        if not old:
            return False
        stated = sorted((f for f in old if f.label != "owner"), key=lambda f: f.kind != "constraint")
        head = stated[0] if stated and not brief else None
        rest = [f for f in old if f is not head]
        if head is not None:
            editor.edit(head.key, text, "update", kind=head.kind, label=head.label, said=text)
            if pinned and head.kind != "constraint":
                editor.bind(head.key)
        for fact in rest:
            editor.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=text)
        for fact in old:
            _carry_values(editor, fact, atoms, text)
        return head is not None

    def apart(self, new: str, old: str) -> bool:
        """Whether two statements surely speak of two things of one kind (the staging port, the production port)."""
        one, other = frame_of(new, self.slots), frame_of(old, self.slots)
        return not same_thing(one, other) and (bool(one.slots & other.slots) or one.marks != other.marks)

    def subject(self, text: str) -> str:
        """The thing a statement's slot belongs to, in a word; empty if none is named."""
        frame = frame_of(text, self.slots)
        return next((w for w in re.findall(r"[A-Za-z]+|[\u4e00-\u9fff]+", text.lower()) if w in frame.things), "") or next((name for _, name in sorted(frame.marks)), "")

    def _replaced(self, editor: Editor, text: str, atoms: Sequence[Atom]) -> list[Fact]:
        newer, also = bool(NEWER.search(text)), bool(ALSO.search(text))
        if also and not newer:
            return []
        new = frame_of(text, self.slots, [a.text for a in atoms])
        earlier = [f for f in editor.active() if f.message_id != editor.message.id]
        stated = [f for f in earlier if (f.kind == "constraint" or f.label in _STATED) and f.value != text]
        if new.slots:
            owned = [f for f in earlier if f.label == "owner" and self._same_slot(new, f.key.partition(":")[2], atoms, newer)]
            return [*(f for f in stated if self._same_slot(new, f.value, atoms, newer)), *owned]
        return self._by_meaning(text, atoms, stated) if newer and self.alike is not None else []

    def _same_slot(self, new: Frame, value: str, atoms: Sequence[Atom], newer: bool) -> bool:
        if not any(name in new.slots for name, _, _ in self.slots(value)):  # most statements are about something else
            return False
        held = _values(value)
        old = frame_of(value, self.slots, [a.text for a in held])
        shared = new.slots & old.slots
        if not shared or not same_thing(new, old) or not _fit(atoms, held):
            return False
        if newer:
            return True
        firm = bool(shared & _MANNER) or bool({a.type for a in atoms} & {a.type for a in held})
        return firm and (bool(new.things & old.things) or not (new.things or old.things))

    def _by_meaning(self, text: str, atoms: Sequence[Atom], stated: Sequence[Fact]) -> list[Fact]:
        """The one earlier statement that means the same but for its value; none if two come close."""
        assert self.alike is not None
        close = [f for f in stated[:_NEAR] if _fit(atoms, _values(f.value)) and not told_apart(text, f.value)]
        if not close:
            return []
        scored = list(zip(self.alike(_masked(text), [_masked(f.value) for f in close]), close, strict=True))
        scored.sort(key=lambda s: -s[0])
        if not scored or scored[0][0] < _ALIKE or (len(scored) > 1 and scored[1][0] > scored[0][0] - _MARGIN):
            return []
        return [scored[0][1]]


@lru_cache(maxsize=4096)
def _values(text: str) -> tuple[Atom, ...]:
    """The typed values of a statement that stands already; every later message asks for them."""
    return tuple(find_atoms(text, None))


def _fit(new: Sequence[Atom], old: Sequence[Atom]) -> bool:
    """Whether the values of two statements can stand for one another: a date is never replaced by an amount."""
    mine, theirs = {a.type for a in new} & _BOUND, {a.type for a in old} & _BOUND
    return not mine or not theirs or bool(mine & theirs)


def _masked(text: str) -> str:
    """A statement without its values, so that only what it is about is compared."""
    return re.sub(r"\s+", " ", _VALUE.sub("it", bare(text))).strip()


def _carry_values(editor: Editor, fact: Fact, atoms: Sequence[Atom], text: str) -> None:
    """Typed values that the replaced statement gave: the new statement's value of the type takes their place, else they lapse with it."""
    for typed in editor.active():
        if not typed.type or typed.message_id != fact.message_id or not contains(fact.value, typed.history[-1].value.split(" (")[0]):
            continue
        match = [a for a in atoms if a.type == typed.type]
        if len(match) == 1:
            editor.replace(typed, display(match[0]), "update", text, normal=match[0].normal)
        elif not any(contains(text, a.text) for a in find_atoms(typed.value, None)):
            editor.edit(typed.key, typed.value, "cancel", kind=typed.kind, said=text)
