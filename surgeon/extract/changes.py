"""The editor: proposes edits for one message and applies them as it goes, so that a later sentence sees what an earlier one did."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from surgeon.extract.acts import Sentence, objects
from surgeon.extract.atoms import SURNAMES, Atom
from surgeon.extract.duties import Duty, key_of
from surgeon.extract.labels import LEXICON, VAGUE, canonical, labels_in, owner_at, owner_of, owners_in, slot_names
from surgeon.extract.merge import contains, merge_address, patch_address, patch_number, swap_in
from surgeon.extract.words import content_words, overlap
from surgeon.snapshot.apply import apply, values
from surgeon.snapshot.model import Snapshot
from surgeon.snapshot.restore import Target, pick
from surgeon.text import times
from surgeon.types import Change, ChangeAction, Edit, Fact, FactKind, FactStatus, Message

_MAX = 200
_SHORT = 12  # characters beside a value up to which a statement says little else
_PLAIN = 18  # words (or Chinese characters) of a sentence beyond which a mere "before" or "last time" tells a story
_HINTS = (
    (re.compile(r"那天|那日|日子|\b(?:day|date)\b", re.I), ("date",)),
    (re.compile(r"那个?点|那个?时间|时段|\b(?:time|hour|slot)\b", re.I), ("clock",)),
    (re.compile(r"那个?地址|地方|\b(?:address|place)\b", re.I), ("address",)),
    (re.compile(r"数量|个数|人数|\b(?:number|quantity|headcount)\b", re.I), ("quantity", "number")),
    (re.compile(r"价|金额|\b(?:price|amount|budget)\b", re.I), ("money",)),
    (re.compile(r"型|款|种|\b(?:type|kind|option|plan)\b", re.I), ("option", "words", "choice")),
)
_FRESH = 2  # rounds after which "forget that" may mean something else
_SAME_THING = 0.6  # share of the words of a thing that another must have to be the same thing
_MANY, _LOOSE = 160, 80  # facts beyond which loose statements and tool facts are trimmed, and how many of them stay
PASSING = frozenset(("today", "yesterday", "tonight", "this week", "今天", "昨天", "前天", "周末", "这周末"))


class Editor:
    """Changes of one message on a snapshot."""

    def __init__(
        self, snapshot: Snapshot, message: Message, apart: Callable[[str, str], bool] | None = None, subject: Callable[[str], str] | None = None,
        names: Callable[[str], Sequence[tuple[str, int, int]]] | None = None,
    ) -> None:
        """`apart`: whether two statements surely speak of two things of one kind; `subject`: the thing that a statement's slot belongs to;
        `names`: the slots a text names."""
        self.names = names or (lambda text: ())
        self.apart = apart or (lambda new, old: False)
        self.subject = subject or (lambda text: "")
        self.snapshot = snapshot
        self.message = message
        self.changed: set[str] = set()
        self.count = 0
        self.dead: list[str] = []  # values the message calls dead
        self.retracts = False  # whether the message takes an earlier plan back

    # --- plumbing ------------------------------------------------------------------------------------------------------------

    def edit(
        self, key: str, value: str, action: ChangeAction = "set", *, kind: FactKind = "entity", label: str = "", owner: str = "", type_: str = "",
        normal: str = "", status: FactStatus = "active", source_round: int | None = None, said: str = "", confidence: float = 1.0,
    ) -> None:
        """Applies one edit now."""
        when = self.message.time.isoformat() if self.message.time else None
        change = Change(action, value[:_MAX], self.message.id, self.message.round, when, source_round, said[:80])
        edit = Edit(key, kind, label or key.partition(":")[0], change, owner, status, type_, normal, None, confidence)
        before = self.snapshot.facts.get(key)
        self.snapshot = apply(self.snapshot, [edit])
        if self.snapshot.facts.get(key) is not before:
            self.changed.add(key)

    def finish(self, mood: str, heard: str | None = None) -> Snapshot:
        """The snapshot after the message; loose statements beyond the newest ones leave it (the archive keeps them)."""
        self._trim()
        return replace(self.snapshot, discourse=replace(self.snapshot.discourse, mood=mood, heard=self.message.prose[:400] if heard is None else heard, proposed=self.snapshot.discourse.proposed if heard is not None else (), listed=() if self.changed else self.snapshot.discourse.listed))

    def _trim(self) -> None:
        facts = self.snapshot.facts
        if len(facts) <= _MANY:
            return
        loose = [k for k, f in facts.items() if f.label in ("said", "what if") or f.kind == "tool_fact"]
        gone = set(loose[: max(0, len(loose) - _LOOSE)])
        if gone:
            self.snapshot = replace(self.snapshot, facts={k: f for k, f in facts.items() if k not in gone})

    def active(self) -> list[Fact]:
        """Active facts, the most recently touched first."""
        order = {k: i for i, k in enumerate(self.snapshot.discourse.touched)}
        return sorted((f for f in self.snapshot.facts.values() if f.status == "active"), key=lambda f: -order.get(f.key, -1))

    # --- acts ----------------------------------------------------------------------------------------------------------------

    def accept(self, text: str) -> None:
        """The user takes what the assistant just proposed; "sounds good, but …" does not."""
        if re.search(r"\b(?:but|however|except|only if)\b|但|不过|只是", text) or _POLITE.match(text):
            return
        for proposal in self.snapshot.discourse.proposed:
            self.edit(proposal["key"], proposal["value"], "set", kind="decision", label=proposal["label"], said=text)

    def suppose(self, text: str, atoms: Sequence[Atom]) -> None:
        """A what-if is kept as hypothetical; it never replaces what holds."""
        self.edit(f"maybe:r{self.message.round}", text, kind="finding", label="what if", status="hypothetical")

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

    def _referred(self, text: str, target: Target, atoms: Sequence[Atom]) -> tuple[Fact | None, Target]:
        """The fact a restore means: the one whose earlier value is named, else by label, else by shared words, else the last one changed."""
        facts = [f for f in self.snapshot.facts.values() if len(values(f)) > 1 or f.status in ("cancelled", "rejected")]
        order = {k: i for i, k in enumerate(self.snapshot.discourse.touched)}
        facts.sort(key=lambda f: -order.get(f.key, -1))
        atoms = [a for a in atoms if not _ORDINAL.fullmatch(a.text)]
        for fact in facts:
            given = values(fact)
            for earlier, later in itertools.pairwise(given):
                core = content_words(later.value)
                if any(re.search(rf"\bbefore (?:the |an? |changing to |we took |i took |i chose |it became )?{re.escape(w)}", text, re.I) for w in core if w.isascii()) or (not later.value.isascii() and re.search(rf"{re.escape(later.value)}(?:之前|以前)", text)):
                    return fact, Target("value", value=earlier.value)
        for fact in facts:
            for change in values(fact):
                if (change.value != fact.value or fact.status != "active") and len(change.value) >= 2 and contains(text, change.value):
                    return fact, Target("value", value=change.value)
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
        hinted = next((kinds for pattern, kinds in _HINTS if pattern.search(text)), ())
        best_of = ([f for f in typed if f.type in hinted] if hinted else []) or typed or ([] if owner else facts)
        return (best_of[0] if best_of else None), target

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
            return bool(_THAT.match(text)) and self._undo(text)
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
        value = _raw(gone.value)
        if not _telling(value):
            return
        for fact in self.active():
            if fact.label == "said" and contains(fact.value, value) and len(fact.value) <= _SHORT + 3 * len(value):
                self.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=text)

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
        atoms = [a for a in self._without_dead(text, atoms) if not _NEGATED.search(text[: a.start]) and not (a.type in ("quantity", "number", "money", "percent") and (_RELATIVE.search(text[: a.start]) or _LATER.match(text[a.end :])))]
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
        dead = [a for a in atoms if _DEAD.match(text[a.end :])]
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

    def revive(self, text: str, atoms: Sequence[Atom]) -> bool:
        """ "Two rooms is too many, one will do": what a sentence calls off may come back with another value in the same breath."""
        hit = False
        for atom in atoms:
            for fact in self.snapshot.facts.values():
                if fact.status == "cancelled" and fact.message_id == self.message.id and fact.type == atom.type and not contains(fact.value, atom.text) and not contains(atom.text, fact.value) and (fact.type != "quantity" or _same_unit(fact.value, atom.text)):
                    self.edit(fact.key, display(atom), "update", kind=fact.kind, type_=fact.type, normal=atom.normal, said=text)
                    hit = True
        return hit

    def _one(self, text: str, atom: Atom, owner: str, update: bool) -> bool:
        fact = self.slot(atom, owner, update, text)
        if fact is None:
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
            same = [f for f in same if f.label in LEXICON or _shape(f.value) == _shape(atom.text)]
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
                alike = [f for f in alike if _same_unit(f.value, atom.text)]
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
        if _EXTREME.search(text) and not _EXTREME.search(live[0].history[-1].said):
            return None
        version = next((f for f in live if f.type == "version"), None)
        if version is not None and re.search(rf"\b(?:go|use|take|stay on|stick with|back to|to) v?{re.escape(number)}\b|(?:用|上|回|到){re.escape(number)}", text, re.I):
            return version
        together = [f for f in live[:4] if f.message_id == live[0].message_id]
        return next((f for f in together if f.type in ("quantity", "money", "number", "endpoint", "code", "version")), None)

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
        frame = _frame(text)
        earlier = next((f for f in self.active() if f.kind == "constraint" and f.value != text and _frame(f.value) == frame), None)
        if earlier is not None:
            self.edit(earlier.key, text, "update", kind="constraint", label=earlier.label, said=text)
            return
        self.count += 1
        self.edit(f"rule:r{self.message.round}.{self.count}", text, kind="constraint", label=rule.split(".")[-1])

    def state(self, text: str, told: Callable[[str], bool]) -> None:
        """Statements that no type covers are kept in the user's words, clause by clause, so that one can lapse without the others."""
        for clause in self._contrasted(_clauses(text)):
            if len(clause) > _MAX or len(clause) < 2 or _INTERJECTION.fullmatch(clause) or any(d in clause for d in self.dead) or not told(clause):
                continue
            if any(f.value == clause for f in self.snapshot.facts.values() if f.label == "said"):
                continue
            self.count += 1
            self.edit(f"said:r{self.message.round}.{self.count}", clause, kind="preference", label="said")

    def _contrasted(self, clauses: Sequence[str]) -> list[str]:
        """Clauses with what they rule out set apart: of "by queue, not by team" the second half is a rule, never a value."""
        out: list[str] = []
        for clause in clauses:
            match = CONTRAST.match(clause)
            if match is None:
                out.append(clause)
                continue
            self.count += 1
            self.edit(f"rule:r{self.message.round}.{self.count}", (match["no"] or match["no_zh"]).strip(), kind="constraint", label="not")
            out.append((match["yes"] or match["yes_zh"]).strip(" ,，"))
        return out

    def labelled(self, text: str, atoms: Sequence[Atom]) -> bool:
        """ "Headline metric: response time": a value in words with its name in front; a later value of that name replaces it."""
        match = _NAMED_VALUE.match(text)
        if match is None or any(a.type in _STRONG for a in atoms) or _NOT_NAMED.search(match["name"]):
            return False
        name, value = canonical(match["name"]), match["value"].strip(" .。")
        fact = next((f for f in self.active() if f.label == name and f.type in ("words", "choice", "option")), None)
        if fact is None:
            self.edit(f"{name}:main", value, label=name, type_="words", said=text)
        elif fact.value != value:
            self.replace(fact, value, "update", text)
        return True

    def covered(self, text: str, atoms: Sequence[Atom]) -> bool:
        """Whether values that facts already hold say most of the sentence."""
        typed = [f.value for f in self.active() if f.type]
        held = [a for a in atoms if any(contains(v, a.text) for v in typed)]
        return sum(a.end - a.start for a in held) >= 0.45 * len(text)

    def supersede_list(self, value: str) -> Change | None:
        """A list that shares some items with an earlier one and not the others takes its place; returns that earlier list."""
        new = set(_items(value))
        old: Change | None = None
        if len(new) < 2:
            return None
        for fact in self.active():
            if fact.label != "said":
                continue
            shared = [i for i in new if contains(fact.value, i)]
            if shared and len(shared) < len(new) and re.search(r"[\u4e00-\u9fff]、[\u4e00-\u9fff]|\band\b|, ", fact.value) and len(fact.value) <= 3 * len(value):
                self.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=f"now {value}")
                found = next((m.group() for m in _LIST.finditer(fact.value) if any(i in m.group() for i in shared)), "")
                old = replace(fact.history[0], value=found) if found else old
        return old

    def bind(self, key: str) -> None:
        """A statement that turned out to be a rule is one from now on; the key stays."""
        self.snapshot = replace(self.snapshot, facts={**self.snapshot.facts, key: replace(self.snapshot.facts[key], kind="constraint")})

    def relabel(self, fact: Fact, label: str) -> None:
        """A value gets the name of its slot once somebody says it; the key stays."""
        self.snapshot = replace(self.snapshot, facts={**self.snapshot.facts, fact.key: replace(fact, label=label)})

    def seen(self, atoms: Sequence[Atom]) -> None:
        """Values said again count as touched."""
        keys = [f.key for a in atoms for f in self.active() if contains(f.value, a.text)]
        touched = [k for k in self.snapshot.discourse.touched if k not in keys] + list(dict.fromkeys(keys))
        self.snapshot = replace(self.snapshot, discourse=replace(self.snapshot.discourse, touched=tuple(touched[-24:])))

    def replace(self, fact: Fact, value: str, action: ChangeAction, text: str, source_round: int | None = None, normal: str = "") -> None:
        old = fact.value
        self.edit(fact.key, value, action, kind=fact.kind, type_=fact.type, normal=normal, source_round=source_round, said=text)
        if fact.status == "active":
            self.carry(fact.key, old, value)

    def carry(self, key: str, old: str, new: str) -> None:
        """A statement that quotes a superseded value no longer holds as it stands; its words stay in its history, never patched up."""
        raw_old, raw_new = _raw(old), _raw(new)
        if not _telling(raw_old):
            return
        intent = self.snapshot.intent
        if intent.time_ref in (old, raw_old):
            self.snapshot = replace(self.snapshot, intent=replace(intent, time_ref=new))
        for fact in self.active():
            if fact.key != key and fact.label in ("said", "decision") and _quotes(fact, raw_old, self.snapshot.facts[key]) and not contains(fact.value, raw_new):
                self.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=f"{raw_old} → {raw_new}")
            elif fact.key != key and fact.type and fact.value == old and fact.label == self.snapshot.facts[key].label:
                self.edit(fact.key, new, "update", kind=fact.kind, type_=fact.type, said=f"{raw_old} → {raw_new}")


_DEAD = re.compile(
    r"[\s,]*(?:one |address |number |account |email |mail |code )?(?:(?:is|was|got|has been|had been)\s)?(?:old|dead|gone|closed|hacked|wrong|outdated|expired|retired|obsolete|cancell?ed|invalid|no longer|not mine|not valid|does ?n[’']?t work|stopped working)\b"
    r"|(?:那个|这个|的)?(?:已经?)?(?:被盗|停用|不用了|废了|作废|注销|过期|没用了|失效|不能用|打不通|停机)", re.I)
CONTRAST = re.compile(
    r"^(?P<yes>[^,，]{2,80}?),? (?:and |but )?(?P<no>(?:not|rather than|instead of)(?! (?:only|just|yet|sure|that|to\b|be\b|a problem|now))\s[\w’'./\" -]{2,40})$"
    r"|^(?P<yes_zh>.{2,40}?)[，,](?P<no_zh>(?:而)?(?:不是|不要|别|不按|不用)[^，。！？；]{1,20})$", re.I)
STEP = re.compile(r"\b(?:minus|plus|add|drop|down|up|take off|fewer|less|more)\b(?: by| to)? (?:\d+|one|two|three|four|five|six|ten)\b|\b(?:\d+|one|two|three|four|five|six|ten) (?:more|fewer|less|extra)\b|(?:加|减|多|少|降|升|涨)(?:了|个)?[\d一二两三四五六七八九十]", re.I)  # the sum is left to the reply
_RELATIVE = re.compile(r"(?:\b(?:minus|plus|add|another|extra|fewer|less|more by|up by|down by|by)|(?:往上|往下|再|多|少|各)?(?:加|减|降|升|涨|调高|调低|推后|提前|推迟|延后|顺延|往后|往前|延长|缩短)(?:了|个)?)\s?$", re.I)  # a step, not a value
_EXTREME = re.compile(r"\b(?:max(?:imum)?|min(?:imum)?)\b|最大|最小|最多|最少|最高|最低", re.I)
_LATER = re.compile(r"\s*(?:later|earlier|sooner|more|less|fewer|extra|off)\b", re.I)
_ORDINAL = re.compile(r"[一二两三四五六七八九十\d]+(?:次|个|种|版|趟|轮|回)")  # of "第一次": counts no things
_NEGATED = re.compile(
    r"(?:\b(?:not|never|without|instead of|rather than|except)|[^\w]no|^no)(?:\s+(?:in|as|by|with|the|an?|use|using|any))*\s*$|(?:不要|别|不用|不是|而不是|不按|不走|不坐|不选|拒绝|不收|除了)(?:用|按|走|坐|选|要|是)?\s*$", re.I)  # what is ruled out is no value
_INTERJECTION = re.compile(
    r"\W*(?:(?:no|nope|yes|yeah|yep|ok(?:ay)?|oh|ah|um+|hm+|hey|hi|hello|wait|hang on|hold on|sorry(?: me again)?|actually|well|right|so|good|great|nice|lol|haha|please|listen|again|cheers|ta|thanks|the|and|but|then|now)\b\W*)+"
    r"|[嗯啊哦呃哎唉欸诶好行对不是的吧呢了哈嘛呀等下一会儿，,。！!~～…\s]+", re.I)
_THAT = re.compile(r"\W*(?:no,? |oh,? |ok,? |actually,? )?(?:forget|scratch|cancel|drop|undo|never ?mind)(?: (?:that|it|this)(?: one)?)?(?=[,.!;]|$)|\W*(?:算了|不用了|取消吧?|当我没说|刚才那个不算)(?=[，。！,!]|$)", re.I)
_NAMED_VALUE = re.compile(r"^(?:\[[^\]]{1,6}\]\s*)?(?P<name>[A-Za-z][a-z]+(?: [a-z]+){0,2}|[\u4e00-\u9fff]{2,6})\s?[:：]\s?(?P<value>[^,.;:!?，。；：！？\n]{2,48})(?=[,.;，。；]|$)")
_NOT_NAMED = re.compile(r"(?i)^(?:note|notes|update|fact|rule|goal|task|question|answer|summary|re|reminder|important|warning|error|example|decision|subject|hi|hello|ok|so|but|and|ps|also|btw|fyi|todo|state|preference|constraint|safety|hard|user|spice|breakfast)\b|注意|说明|备注|要求|更新|补充|另外|问题|原因|建议|结论|总结|事实|偏好|约束|规则|提醒|意见")
_STRONG = frozenset({"address", "phone", "email", "url", "path", "money", "quantity", "date", "clock", "code", "id", "person", "number", "version", "percent", "endpoint"})
_POLITE = re.compile(r"(?:ok(?:ay)?|great|good|sure|yes|perfect|fine|好的?|嗯|行)?[,，!！. ]{0,3}(?:thanks?|thank you|谢谢|多谢|感谢)(?: (?:you|so much|very much|a lot))?(?: for \w|[,，.!。！]|$|你的?)", re.I)  # thanks take nothing up
_APART = re.compile(r"(?<=[，；;])\s*|(?<=,)\s+|(?<=[^\d])\s+(?:but|and then|so)\s+(?=\w+ \w+)")


def _clauses(text: str) -> list[str]:
    """The clauses of a statement; a lone adverb in front and a "not that one" behind stay with their neighbour."""
    out: list[str] = []
    for piece in _APART.split(text):
        if out and (re.match(r"(?:not|nor|but not|rather than|而)\b|而不是|不是", piece.strip()) or re.fullmatch(r"(?:[A-Z][A-Z ]+: )?[A-Z]?[a-z]+ly,", out[-1].strip())):
            out[-1] = f"{out[-1]}{'' if re.search('[，；]$', out[-1]) else ' '}{piece}"
        else:
            out.append(piece)
    return [c.strip(" ,，;；、") for c in out]


def _unit(value: str) -> str:
    """The unit of a quantity, folded: "22 units" and "24 unit" have the same."""
    return re.sub(r"^(?:[\d.,\s-]+|[零〇一二两三四五六七八九十百千万半]+|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)", "", value.lower()).strip(" -").rstrip("s")


def _same_unit(one: str, other: str) -> bool:
    """Whether two quantities count the same: equal units, or one of them counts units of anything."""
    a, b = _unit(one), _unit(other)
    return a == b or ((a in _ANY_UNIT) != (b in _ANY_UNIT) and not ({a, b} & _MEASURES))


_ANY_UNIT = frozenset({"unit", "item", "piece", "of them", "台", "件", "个"})
_MEASURES = frozenset({"day", "week", "month", "year", "hour", "minute", "min", "people", "person", "guest", "night", "adult", "ticket", "room", "天", "周", "年", "个月", "小时", "分钟", "人", "位", "晚", "间", "张"})


def _shape(value: str) -> str:
    """A code with its letters and digits folded: PT-5550142 and PT-5550199 have the same shape."""
    return re.sub(r"\d+", "9", re.sub(r"[A-Za-z]+", "A", value))


def _frame(text: str) -> str:
    """A sentence without its values: numbers, codes, dates and amounts folded."""
    return re.sub(r"[$£€¥]?[A-Za-z_/-]*\d[\w.,:/-]*", "#", text).lower()


def _raw(value: str) -> str:
    """The words of a value, without the date that was worked out for them."""
    return re.sub(r" \(\d{4}-\d{2}-\d{2}\)$", "", value)


_LIST = re.compile(r"[A-Z][\w-]*(?:, [A-Z][\w-]*)* (?:and|&) [A-Z][\w-]*|[\u4e00-\u9fff]{2,4}(?:、[\u4e00-\u9fff]{2,4})+")


def _items(text: str) -> list[str]:
    """The items of a list in words ("Midwest and South", "华东、华南"); empty if it is none."""
    found = re.split(r"\s*(?:、|,\s|\band\b|\s&\s|和|与)\s*", text.strip(" .。"))
    return [i for i in found if i] if len(found) > 1 else []


def _telling(value: str) -> bool:
    """Whether a value is distinctive enough to be looked for in other facts: not a bare function word or a single digit."""
    return len(value) >= 2 and value.lower() not in _COMMON and bool(re.search(r"\d\d|\d\D|[A-Z\u4e00-\u9fff]|\w{5,}", value))


_COMMON = frozenset(["the", "this", "that", "these", "those", "there", "here", "what", "which", "when", "where", "one", "two", "all", "any", "some", "none", "yes", "now", "then", "done", "same", "other"])


def _quotes(fact: Fact, old: str, changed: Fact) -> bool:
    """Whether a statement quotes a value, or, said in the round that the value came from, the same number in other words ("来十个", 10位)."""
    if contains(fact.value, old):
        return True
    given = next((c.round for c in reversed(changed.history[:-1]) if c.value.startswith(old)), -1)
    if fact.label != "said" or given != fact.round or len(fact.value) > _SHORT:
        return False
    numbers = {times.number(n) for n in _NUMERAL.findall(fact.value)} - {None}
    return bool(numbers & ({times.number(n) for n in _NUMERAL.findall(old)} - {None}))


_NUMERAL = re.compile(r"\d+|[零〇一二两三四五六七八九十百千]+")


def within(atoms: Sequence[Atom], sentence: Sentence) -> list[Atom]:
    """The values of one sentence, with offsets in it."""
    return [a._replace(start=a.start - sentence.start, end=a.end - sentence.start) for a in atoms if sentence.start <= a.start < sentence.end]


def display(atom: Atom) -> str:
    """Dates carry the day they stand for beside the words."""
    if atom.type == "date" and atom.normal and atom.normal not in atom.text:
        return f"{atom.text} ({atom.normal})"
    return atom.text


def owner_for(text: str, atoms: Sequence[Atom], position: int) -> str:
    """Whose the value at that position of a sentence is; with several of one kind, the name right beside it tells."""
    atom = atoms[position]
    if atom.type == "version":
        return _product(text, atom)
    if atom.type in ("path", "code", "id", "person", "name", "email", "url"):
        return ""
    owner = owner_at(text, atom.start, atom.end, atom.type in ("address", "phone", "email"))
    if _several(atoms, position) and atom.type in ("date", "clock", "quantity", "address"):
        return owner or _beside(text, atom)
    return owner


def _product(text: str, atom: Atom) -> str:
    """What a version is of: the name right before it."""
    match = re.search(r"([A-Za-z][\w.+-]*?)(?:版本)? ?(?:is |to |降到|升到|升级到|改成|换成|用|v)?$", text[max(0, atom.start - 24):atom.start])
    return match[1].lower() if match and match[1].lower() not in _COMMON_VERBS else ""


_COMMON_VERBS = frozenset(["upgrade", "downgrade", "update", "bump", "it", "to", "version", "pinned", "pin", "go", "target", "that", "this", "is"])
_NOBODY = frozenset(["the", "at", "and", "for", "on", "in", "it", "we", "they", "there", "this", "that", "please", "can", "could", "let", "make", "my", "your", "our", "his", "her", "what", "when", "if", "so", "then", "also", "but", "no", "yes"])


def _several(atoms: Sequence[Atom], position: int) -> bool:
    mine = atoms[position]
    return sum(1 for a in atoms if a.type == mine.type and a.label == mine.label) > 1


def _beside(text: str, atom: Atom) -> str:
    """With several values of one kind in a sentence, the name that stands right before one tells whose it is."""
    before = re.split(r"[,;，；。]|\band\b", text[max(0, atom.start - 48):atom.start])[-1]
    subject = re.match(r"\s*([A-Z][a-z]+)\s+[a-z]", before)
    if subject and subject[1].lower() not in _NOBODY:
        return subject[1]
    match = re.search(r"([A-Z][\w’'-]+)\s*(?:at|is|gets?|in|on|to|:)?\s*$", before)
    if match:
        return match[1] if match[1].lower() not in ("the", "at", "and", "for") else ""
    named = [o for o in owners_in(before) if len(before) - o[1] <= 2]
    if named:
        return named[-1][2]
    chinese = re.search(r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff]{2,3})(?:的|是|在|订|要|买|领)?$", before)
    return chinese[1] if chinese and chinese[1][0] in SURNAMES else ""
