"""What takes back: restore, cancel, swap, and an old value exchanged for a new one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surgeon.extract.acts import objects
from surgeon.extract.atoms import Atom
from surgeon.extract.cues import THAT
from surgeon.extract.find import Finder
from surgeon.extract.labels import labels_in, slot_names
from surgeon.extract.merge import contains, swap_in
from surgeon.extract.values import SHORT, display, same_unit, telling
from surgeon.extract.words import content_words, overlap
from surgeon.snapshot.lapsed import undated
from surgeon.snapshot.restore import Target, pick
from surgeon.types import Fact

_FRESH = 2  # rounds after which "forget that" may mean something else


class Returns(Finder):
    """Changes that look back."""

    def swap(self, text: str) -> bool:
        """Two facts of one type that the sentence names (or the two touched last) trade their values."""
        facts = [f for f in self.active() if f.kind == "entity" and f.owner]
        named = [f for f in facts if f.owner.lower() in text.lower()]
        pool = named if len(named) >= 2 else facts if not re.search(r"\b(?:for|with)\b|换成", text) else []
        for first in pool:
            for second in pool:
                if first.key < second.key and first.type == second.type and first.label == second.label and first.value != second.value:
                    a, b = first.value, second.value
                    self.edit(first.key, b, "update", kind=first.kind, type_=first.type, said=text)
                    self.edit(second.key, a, "update", kind=second.kind, type_=second.type, said=text)
                    return True
        return False

    def exchange(self, old: str, new: str) -> bool:
        """A named old value is replaced by a new one wherever it is current."""
        size = len(old.split())
        if not re.search(r"[\u4e00-\u9fff]", new) and len(new.split()) > size:
            new = " ".join(new.split()[-size:])
        new = new.strip(" ,.，。")
        if any(2 * (b - a) >= len(old) for _, a, b in (*self.names(old), *((label, a, b) for a, b, label in labels_in(old)))):
            return False  # "项目代号改为…": what changes is named by its slot, not by its old value
        hit = False
        for fact in self.active():
            if fact.kind == "constraint" or not contains(fact.value, old) or contains(fact.value, new):
                continue
            value = swap_in(fact.value, old, new)
            whole = fact.value.strip().lower() == old.lower()
            self.edit(fact.key, value, "update" if whole else "patch", kind=fact.kind, type_=fact.type, said=f"{old} → {new}")
            hit = True
        return hit

    def restore(self, text: str, target: Target, atoms: Sequence[Atom]) -> bool:
        """An earlier value becomes current again, and with it what other facts quote of it."""
        fact, target = self._referred(text, target, atoms)
        if fact is None:
            return self._back_to(text)
        change = pick(fact, target)
        if change is None or (change.value == fact.value and fact.status == "active"):
            return False
        self.replace(fact, change.value, "restore", text, source_round=change.round)
        return True

    def _back_to(self, text: str) -> bool:
        """ "Return to balanced": the value is named, but no fact of that slot has it yet; the statement that first had it tells the round."""
        found = [o for o in objects(text) if len(o) <= 30]
        if not found:
            return False
        origin = next((f for f in self.snapshot.facts.values() if contains(f.history[0].value, found[0])), None)
        target = next((f for f in self.active()[:4] if f.type in ("words", "choice")), None)
        if target is None or origin is None or target.value == found[0]:
            return False
        self.replace(target, found[0], "restore", text, source_round=origin.history[0].round)
        return True

    def cancel(self, text: str) -> bool:
        """The facts a sentence calls off: by label or by the words it shares with them."""
        words = content_words(text)
        labels = slot_names(text)
        scored: list[tuple[float, int, Fact]] = []
        for position, fact in enumerate(self.active()):
            said = content_words(f"{fact.value} {fact.owner}")
            score = overlap(words, said) + (0.3 if fact.label in labels and fact.type else 0.0)
            if score >= 0.25 and (fact.label in labels or words & (said | content_words(fact.label))):
                scored.append((score, -position, fact))
        if not scored:
            return bool(THAT.match(text)) and self._undo(text)
        best = max(s for s, _, _ in scored)
        named = [f for _, _, f in scored if f.type and f.label in labels]
        for score, _, fact in scored:
            if score >= max(0.3, 0.75 * best) or named == [fact]:
                self.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=text)
                if fact.type:
                    self._lapse(fact, text)
        return True

    def _undo(self, text: str) -> bool:
        """ "Forget that": what the user's last change set is taken back, what it replaced holds again."""
        order = [k for k in reversed(self.snapshot.discourse.touched) if k in self.snapshot.facts]
        last = next((self.snapshot.facts[k] for k in order if self.snapshot.facts[k].round < self.message.round and self.snapshot.facts[k].status == "active"), None)
        if last is None or self.message.round - last.round > _FRESH:
            return False
        for fact in [f for f in self.active() if f.round == last.round and f.kind not in ("constraint", "tool_fact")]:
            before = pick(fact, Target("previous")) if fact.action in ("update", "patch", "restore") else None
            if before is not None:
                self.replace(fact, before.value, "restore", text, source_round=before.round)
            else:
                self.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=text)
        return True

    def _lapse(self, gone: Fact, text: str) -> None:
        """Statements of the same thing that quote a value which was called off go with it."""
        value = undated(gone.value)
        if not telling(value):
            return
        for fact in self.active():
            if fact.label == "said" and contains(fact.value, value) and len(fact.value) <= SHORT + 3 * len(value):
                self.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=text)

    def revive(self, text: str, atoms: Sequence[Atom]) -> bool:
        """ "Two rooms is too many, one will do": what a sentence calls off may come back with another value in the same breath."""
        hit = False
        for atom in atoms:
            for fact in self.snapshot.facts.values():
                if fact.status == "cancelled" and fact.message_id == self.message.id and fact.type == atom.type and not contains(fact.value, atom.text) and not contains(atom.text, fact.value) and (fact.type != "quantity" or same_unit(fact.value, atom.text)):
                    self.edit(fact.key, display(atom), "update", kind=fact.kind, type_=fact.type, normal=atom.normal, said=text)
                    hit = True
        return hit
