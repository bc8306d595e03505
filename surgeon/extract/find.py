"""Which fact a value or a sentence speaks of."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from surgeon.extract.acts import objects
from surgeon.extract.atoms import Atom
from surgeon.extract.cues import EXTREME, HINTS, ORDINAL
from surgeon.extract.labels import LEXICON, owner_of, slot_names
from surgeon.extract.ledger import Ledger
from surgeon.extract.merge import contains
from surgeon.extract.values import same_unit, shape_of
from surgeon.extract.words import content_words, overlap
from surgeon.snapshot.apply import values
from surgeon.snapshot.restore import Target
from surgeon.types import Fact

_PLAIN = 18  # words (or Chinese characters) of a sentence beyond which a mere "before" or "last time" tells a story


class Finder(Ledger):
    """Finds the fact that is meant."""

    def _referred(self, text: str, target: Target, atoms: Sequence[Atom]) -> tuple[Fact | None, Target]:
        """The fact a restore means: the one whose earlier value is named, else by label, else by shared words, else the last one changed."""
        facts = [f for f in self.snapshot.facts.values() if len(values(f)) > 1 or f.status in ("cancelled", "rejected")]
        order = {k: i for i, k in enumerate(self.snapshot.discourse.touched)}
        facts.sort(key=lambda f: -order.get(f.key, -1))
        atoms = [a for a in atoms if not ORDINAL.fullmatch(a.text)]
        meant = _before(text, facts) or _by_value(text, facts)
        if meant is not None:
            return meant
        if not facts:
            return None, target
        labels = slot_names(text)
        owner = owner_of(text)
        if not any(f.owner == owner for f in facts):
            owner = ""
        if atoms and not any(f.type == a.type for f in facts for a in atoms):
            return None, target
        labelled = [f for f in facts if f.label in labels and (not owner or f.owner == owner)]
        if labelled:
            return labelled[0], target
        words = content_words(text)
        kinds = {a.type for a in atoms}
        scored = [(overlap(words, content_words(f"{f.key} {f.label} {f.owner} {f.value}")), -i) for i, f in enumerate(facts) if not kinds or f.type in kinds]
        best = max(scored, default=(0.0, 0))
        if best[0] >= 0.2:
            return facts[-best[1]], target
        if atoms or (target.which == "previous" and objects(text)) or len(re.findall(r"[\u4e00-\u9fff]|[A-Za-z0-9’']+", text)) > _PLAIN:
            return None, target
        typed = [f for f in facts if f.type and (not owner or f.owner == owner)]
        hinted = next((kinds for pattern, kinds in HINTS if pattern.search(text)), ())
        best_of = ([f for f in typed if f.type in hinted] if hinted else []) or typed or ([] if owner else facts)
        return (best_of[0] if best_of else None), target

    def _named_key(self, text: str) -> str:
        """A key after the slot that a sentence names, where a value would else be its own key (and stay in it when the value changes)."""
        slots = list(dict.fromkeys(name for name, _, _ in self.names(text)))
        if len(slots) != 1:
            return ""
        key = f"{slots[0].replace('_', ' ')}:{self.subject(text) or 'main'}"
        return "" if key in self.snapshot.facts else key

    def slot(self, atom: Atom, owner: str, update: bool, text: str) -> Fact | None:
        """The fact an atom speaks of, if it is known already."""
        live = [f for f in self.active() if f.kind in ("entity", "decision") and f.type]
        if atom.type in ("path", "url") and atom.label not in ("branch",):
            return next((f for f in live if f.value == atom.text), None)
        if atom.type == "person" and atom.label != "name":
            return next((f for f in live if f.value == atom.text), None)
        same = [f for f in live if f.type == atom.type and f.label == atom.label and not self.apart(text, f.history[-1].said)]
        if atom.type in ("code", "id"):
            same = [f for f in same if f.label in LEXICON or shape_of(f.value) == shape_of(atom.text)]
        owned = [f for f in same if f.owner == owner]
        if owned and (atom.told or update or atom.type in ("address", "phone", "email")):
            return owned[0]
        if atom.told and not owner:
            words = content_words(text)
            near = [f for f in same if f.owner and words & content_words(f.history[-1].said)]
            if len(near) == 1:
                return near[0]
        if not update:
            return None
        if len(same) == 1 and (not owner or not same[0].owner):
            return same[0]
        if same and not owner:
            return same[0]
        alike = [f for f in live if f.type == atom.type and (not owner or f.owner == owner) and (f.label not in LEXICON or atom.label not in LEXICON or not atom.told)]
        if alike and atom.type in ("address", "phone", "email", "endpoint", "percent", "money", "quantity"):
            if atom.type == "quantity":
                alike = [f for f in alike if same_unit(f.value, atom.text)]
            return next(iter(alike), None) if atom.type not in ("money", "quantity") or len(alike) == 1 else None
        if atom.type == "number" and atom.label not in LEXICON and live:
            return self._part_of(atom.text, text, [f for f in live if not owner or f.owner == owner])
        return None

    def _part_of(self, number: str, text: str, live: Sequence[Fact]) -> Fact | None:
        """The fact that a bare number corrects a part of: an address where it reads as a house number, else the last one touched if it has a number."""
        if len(number.partition(".")[0]) > 3 or (number.startswith("0") and not number.startswith("0.")):
            return None  # a long number or one with a leading zero identifies, it does not count
        if not live:
            return None
        house = rf"{re.escape(number)}\s*号|\b(?:at|number|no\.?) {re.escape(number)}\b"
        address = next((f for f in live if f.type == "address"), None)
        if address is not None and re.search(house, text, re.I):
            return address
        if EXTREME.search(text) and not EXTREME.search(live[0].history[-1].said):
            return None
        version = next((f for f in live if f.type == "version"), None)
        if version is not None and re.search(rf"\b(?:go|use|take|stay on|stick with|back to|to) v?{re.escape(number)}\b|(?:用|上|回|到){re.escape(number)}", text, re.I):
            return version
        together = [f for f in live[:4] if f.message_id == live[0].message_id]
        return next((f for f in together if f.type in ("quantity", "money", "number", "endpoint", "code", "version")), None)


def _before(text: str, facts: Sequence[Fact]) -> tuple[Fact, Target] | None:
    """ "The one before the aisle", "仲裁之前的": the value that a named one replaced."""
    for fact in facts:
        for earlier, later in itertools.pairwise(values(fact)):
            words = [w for w in content_words(later.value) if w.isascii()]
            english = any(re.search(rf"\bbefore (?:the |an? |changing to |we took |i took |i chose |it became )?{re.escape(w)}", text, re.I) for w in words)
            if english or (not later.value.isascii() and re.search(rf"{re.escape(later.value)}(?:之前|以前)", text)):
                return fact, Target("value", value=earlier.value)
    return None


def _by_value(text: str, facts: Sequence[Fact]) -> tuple[Fact, Target] | None:
    """The fact one of whose earlier values is named."""
    for fact in facts:
        for change in values(fact):
            if (change.value != fact.value or fact.status != "active") and len(change.value) >= 2 and contains(text, change.value):
                return fact, Target("value", value=change.value)
    return None
