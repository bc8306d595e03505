"""The editor: proposes edits for one message and applies them as it goes, so that a later sentence sees what an earlier one did."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from surgeon.extract.atoms import Atom
from surgeon.extract.cues import CONTRAST, DEAD, DENIED, INTERJECTION, LATER, NAMED_VALUE, NEGATED, NOT_NAMED, PASSING, POLITE, RELATIVE
from surgeon.extract.duties import Duty, key_of
from surgeon.extract.labels import LEXICON, VAGUE, canonical, labels_in, slot_names
from surgeon.extract.ledger import MAX_VALUE
from surgeon.extract.merge import contains, merge_address, patch_address, patch_number
from surgeon.extract.returns import Returns
from surgeon.extract.values import LIST, clauses_of, display, frame_text, list_items, owner_for
from surgeon.extract.words import content_words, overlap
from surgeon.snapshot.apply import touch
from surgeon.text import times
from surgeon.types import Change, ChangeAction

_SAME_THING = 0.6  # share of the words of a thing that another must have to be the same thing
_STRONG = frozenset({"address", "phone", "email", "url", "path", "money", "quantity", "date", "clock", "code", "id", "person", "number", "version", "percent", "endpoint"})


class Editor(Returns):
    """Changes of one message on a snapshot."""

    def accept(self, text: str) -> None:
        """The user takes what the assistant just proposed; "sounds good, but …" does not."""
        if re.search(r"\b(?:but|however|except|only if)\b|但|不过|只是", text) or POLITE.match(text):
            return
        for proposal in self.snapshot.discourse.proposed:
            self.edit(proposal["key"], proposal["value"], "set", kind="decision", label=proposal["label"], said=text)

    def suppose(self, text: str, atoms: Sequence[Atom]) -> None:
        """A what-if is kept as hypothetical; it never replaces what holds."""
        self.edit(f"maybe:r{self.message.round}", text, kind="finding", label="what if", status="hypothetical")

    def choose(self, text: str) -> bool:
        """One of the options the assistant just listed is named (or counted)."""
        listed = self.snapshot.discourse.listed
        named = [o for o in listed if contains(text, o)]
        label = self.snapshot.discourse.listed_for
        key = f"choice:{label}" if label else "choice:main"
        if len(named) != 1:
            return False
        self.edit(key, named[0], "set", kind="decision", label=label or "choice", type_="choice", said=text)
        return True

    def assign(self, text: str, atoms: Sequence[Atom], update: bool) -> bool:
        """Every typed value fills its slot; the same slot said differently is an update, a part of it a patch."""
        atoms = [a for a in self._without_dead(text, atoms) if not NEGATED.search(text[: a.start]) and not (a.type in ("quantity", "number", "money", "percent") and (RELATIVE.search(text[: a.start]) or LATER.match(text[a.end :])))]
        hit = self._shift(text)
        for position, atom in enumerate(atoms):
            owner = owner_for(text, atoms, position)
            hit = self._one(text, atom, owner, update) or hit
        return hit

    def _shift(self, text: str) -> bool:
        """ "Two weeks later", "提前三天": the date that the sentence names, or the last one touched, moves by that much."""
        step = times.shift(text)
        if not step:
            return False
        labels = slot_names(text)
        dated = [f for f in self.active() if f.type == "date" and re.fullmatch(r"\d{4}-\d{2}-\d{2}", f.normal)]
        fact = next((f for f in dated if f.label in labels), dated[0] if len(dated) == 1 or (dated and not labels) else None)
        if fact is None:
            return False
        day = (date.fromisoformat(fact.normal) + timedelta(days=step)).isoformat()
        self.replace(fact, day, "patch", text, normal=day)
        return True

    def _without_dead(self, text: str, atoms: Sequence[Atom]) -> list[Atom]:
        """The values without those the sentence calls dead ("the old one got hacked"); what such a value was current for lapses or takes the other."""
        dead = [a for a in atoms if DEAD.match(text[a.end :])]
        live = [a for a in atoms if a not in dead]
        self.dead += [a.text for a in dead]
        for atom in dead:
            other = [a for a in live if a.type == atom.type]
            for fact in self.active():
                if fact.type == atom.type and contains(fact.value, atom.text):
                    if len(other) == 1:
                        self.replace(fact, display(other[0]), "update", text, normal=other[0].normal)
                    else:
                        self.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=text)
        return live

    def _one(self, text: str, atom: Atom, owner: str, update: bool) -> bool:
        fact = self.slot(atom, owner, update, text)
        if fact is None:
            return self._new(text, atom, owner, update)
        value = display(atom)
        if fact.type == "address":
            value = merge_address(fact.value, atom.text) if atom.type == "address" else patch_address(fact.value, atom.text) or fact.value
        elif atom.type == "number" and fact.type != "number":
            value = patch_number(fact.value, atom.text) or atom.text
        if value == fact.value:
            self.seen([atom])
            return True
        action: ChangeAction = "patch" if fact.type == "address" and atom.type != "address" else "update"
        self.replace(fact, value, action, text, normal=atom.normal)
        return True

    def _new(self, text: str, atom: Atom, owner: str, update: bool) -> bool:
        """A value that no fact has a slot for yet becomes a fact, unless nothing ties it to a slot."""
        if atom.type == "number" and atom.label not in LEXICON and owner:
            like = next((f for f in self.active() if f.type == "number" and f.owner and f.owner != owner and f.label in LEXICON), None)
            if like is not None and re.search(rf"\b(?:and|also|for)\b[^.]{{0,20}}{re.escape(owner)}|{re.escape(owner)}(?:也|的|，)", text, re.I):
                self.edit(f"{like.label}:{owner}", atom.text, label=like.label, owner=owner, type_=atom.type, said=text)
                return True
        if (atom.type == "date" and atom.text.lower() in PASSING) or (atom.type == "number" and atom.label not in LEXICON):
            return False
        if not update and not atom.told and any(f.type == atom.type and f.label == atom.label and f.owner == owner for f in self.active()):
            return False  # one more value of a type that nothing ties to the slot: the statement keeps it
        label = atom.label
        if atom.type == "name" and not atom.told and not re.match(r"[\u4e00-\u9fff]", atom.text):
            return False
        if owner == "" and any(f.key == f"{label}:main" and f.type == atom.type and self.apart(text, f.history[-1].said) for f in self.active()):
            owner = self.subject(text)
        key = f"{label}:{owner or ('main' if (label in LEXICON and atom.type != 'name') or atom.type in ('address', 'date', 'clock') else atom.text[:24])}"
        if key.endswith(f":{atom.text[:24]}"):
            key = self._named_key(text) or key
        if key in self.snapshot.facts and self.snapshot.facts[key].type != atom.type:
            key = f"{key}/{atom.type}"
        self.edit(key, display(atom), label=label, owner=owner, type_=atom.type, normal=atom.normal, said=text)
        return True

    def object(self, text: str, found: Sequence[str]) -> bool:
        """A new value in words goes to the fact the sentence names, else to the last one of words that was touched."""
        if not found:
            return False
        value = found[0]
        labels = [label for a, b, label in labels_in(text) if text[a:b].lower() not in VAGUE]
        live = [f for f in self.active() if f.kind in ("entity", "decision", "preference")]
        for fact in live:
            if fact.label in labels and fact.type in ("words", "choice", "name"):
                self.replace(fact, value, "update", text)
                return True
        recent = [f for f in live[:3] if f.type in ("words", "choice")]
        if recent and len(value) <= 30:
            self.replace(recent[0], value, "update", text)
            return True
        return False

    def own(self, text: str, found: Sequence[Duty]) -> bool:
        """Each thing has one person who is responsible for it; whether that is most of what the sentence says."""
        for duty in found:
            words = content_words(duty.thing)
            held = [f for f in self.active() if f.label == "owner" and f.type == "person"]
            same = next((f for f in held if f.key == key_of(duty.thing)), None) or next(
                (f for f in held if words and overlap(words, content_words(f.key.partition(":")[2])) >= _SAME_THING and not self.apart(text, f.history[-1].said)), None)
            if same is None:
                self.edit(key_of(duty.thing), duty.who, kind="entity", label="owner", type_="person", said=text)
            elif same.value != duty.who:
                self.edit(same.key, duty.who, "update", kind=same.kind, type_=same.type, said=text)
        return sum(d.end - d.start for d in found) >= 0.45 * len(text)

    def decide(self, text: str, retracts: bool) -> None:
        """A plan in words. One that takes back the last plan replaces it; otherwise it stands beside it."""
        last = next((f for f in self.active() if f.label == "decision"), None)
        if last is not None and retracts and last.round != self.message.round:
            self.edit(last.key, text, "update", kind="decision", label="decision", said=text)
            return
        self.count += 1
        key = "decision:main" if "decision:main" not in self.snapshot.facts else f"decision:r{self.message.round}.{self.count}"
        self.edit(key, text, kind="decision", label="decision", said=text)

    def constrain(self, text: str, rule: str) -> None:
        """A rule the user sets, in the user's words. The same rule with another value takes the place of the earlier one."""
        same = next((f for f in self.active() if f.kind == "constraint" and f.value == text), None)
        if same is not None:
            self.snapshot = touch(self.snapshot, [same.key])
            return
        frame = frame_text(text)
        earlier = next((f for f in self.active() if f.kind == "constraint" and f.value != text and frame_text(f.value) == frame), None)
        if earlier is not None:
            self.edit(earlier.key, text, "update", kind="constraint", label=earlier.label, said=text)
            return
        self.count += 1
        self.edit(f"rule:r{self.message.round}.{self.count}", text, kind="constraint", label=rule.split(".")[-1])

    def state(self, text: str, told: Callable[[str], bool]) -> None:
        """Statements that no type covers are kept in the user's words, clause by clause, so that one can lapse without the others."""
        for clause in self._contrasted(clauses_of(text)):
            if len(clause) > MAX_VALUE or len(clause) < 2 or INTERJECTION.fullmatch(clause) or any(d in clause for d in self.dead) or not told(clause):
                continue
            if any(f.value == clause for f in self.snapshot.facts.values() if f.label == "said"):
                continue
            self.count += 1
            self.edit(f"said:r{self.message.round}.{self.count}", clause, kind="preference", label="said")

    def _contrasted(self, clauses: Sequence[str]) -> list[str]:
        """Clauses without what they rule out: "by queue, not by team" is a rule, word for word, and only its first half is a value."""
        out: list[str] = []
        for clause in clauses:
            match = CONTRAST.match(clause)
            if match is None or DENIED.search(match["yes"] or ""):
                out.append(clause)
                continue
            self.count += 1
            self.edit(f"rule:r{self.message.round}.{self.count}", clause.strip(" ,，"), kind="constraint", label="not")
            out.append((match["yes"] or match["yes_zh"]).strip(" ,，"))
        return out

    def labelled(self, text: str, atoms: Sequence[Atom]) -> bool:
        """ "Headline metric: response time": a value in words with its name in front; a later value of that name replaces it."""
        match = NAMED_VALUE.match(text)
        if match is None or any(a.type in _STRONG for a in atoms) or NOT_NAMED.search(match["name"]):
            return False
        name, value = canonical(match["name"]), match["value"].strip(" .。")
        fact = next((f for f in self.active() if f.label == name and f.type in ("words", "choice", "option")), None)
        if fact is None:
            self.edit(f"{name}:main", value, label=name, type_="words", said=text)
        elif fact.value != value:
            self.replace(fact, value, "update", text)
        return True

    def supersede_list(self, value: str) -> Change | None:
        """A list that shares some items with an earlier one and not the others takes its place; returns that earlier list."""
        new = set(list_items(value))
        old: Change | None = None
        if len(new) < 2:
            return None
        for fact in self.active():
            if fact.label != "said":
                continue
            shared = [i for i in new if contains(fact.value, i)]
            if shared and len(shared) < len(new) and re.search(r"[\u4e00-\u9fff]、[\u4e00-\u9fff]|\band\b|, ", fact.value) and len(fact.value) <= 3 * len(value):
                self.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=f"now {value}")
                found = next((m.group() for m in LIST.finditer(fact.value) if any(i in m.group() for i in shared)), "")
                old = replace(fact.history[0], value=found) if found else old
        return old
