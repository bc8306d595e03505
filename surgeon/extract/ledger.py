"""The facts of a conversation while one message changes them: edits are applied as they come, and carried to what quotes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from surgeon.extract.atoms import Atom
from surgeon.extract.merge import contains
from surgeon.extract.values import quotes, telling
from surgeon.snapshot.apply import apply, touch
from surgeon.snapshot.lapsed import undated
from surgeon.snapshot.model import LOOSE, Snapshot
from surgeon.types import Change, ChangeAction, Edit, Fact, FactKind, FactStatus, Message

MAX_VALUE = 200  # characters of a value; a longer statement is not a fact
_MANY, _LOOSE = 160, 80  # facts beyond which loose statements and tool facts are trimmed, and how many of them stay


class Ledger:
    """Facts as one message changes them."""

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

    def edit(
        self, key: str, value: str, action: ChangeAction = "set", *, kind: FactKind = "entity", label: str = "", owner: str = "", type_: str = "",
        normal: str = "", status: FactStatus = "active", source_round: int | None = None, said: str = "", confidence: float = 1.0,
    ) -> None:
        """Applies one edit now."""
        when = self.message.time.isoformat() if self.message.time else None
        change = Change(action, value[:MAX_VALUE], self.message.id, self.message.round, when, source_round, said[:80])
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
        loose = [k for k, f in facts.items() if f.label in LOOSE or f.kind == "tool_fact"]
        gone = set(loose[: max(0, len(loose) - _LOOSE)])
        if gone:
            self.snapshot = replace(self.snapshot, facts={k: f for k, f in facts.items() if k not in gone})

    def active(self) -> list[Fact]:
        """Active facts, the most recently touched first."""
        order = {k: i for i, k in enumerate(self.snapshot.discourse.touched)}
        return sorted((f for f in self.snapshot.facts.values() if f.status == "active"), key=lambda f: -order.get(f.key, -1))

    def replace(self, fact: Fact, value: str, action: ChangeAction, text: str, source_round: int | None = None, normal: str = "") -> None:
        old = fact.value
        self.edit(fact.key, value, action, kind=fact.kind, type_=fact.type, normal=normal, source_round=source_round, said=text)
        if fact.status == "active":
            self.carry(fact.key, old, value)

    def carry(self, key: str, old: str, new: str) -> None:
        """A statement that quotes a superseded value no longer holds as it stands; its words stay in its history, never patched up."""
        raw_old, raw_new = undated(old), undated(new)
        if not telling(raw_old):
            return
        intent = self.snapshot.intent
        if intent.time_ref in (old, raw_old):
            self.snapshot = replace(self.snapshot, intent=replace(intent, time_ref=new))
        for fact in self.active():
            if fact.key != key and fact.label in ("said", "decision") and quotes(fact, raw_old, self.snapshot.facts[key]) and not contains(fact.value, raw_new):
                self.edit(fact.key, fact.value, "cancel", kind=fact.kind, said=f"{raw_old} → {raw_new}")
            elif fact.key != key and fact.type and fact.value == old and fact.label == self.snapshot.facts[key].label:
                self.edit(fact.key, new, "update", kind=fact.kind, type_=fact.type, said=f"{raw_old} → {raw_new}")

    def bind(self, key: str) -> None:
        """A statement that turned out to be a rule is one from now on; the key stays."""
        self.snapshot = replace(self.snapshot, facts={**self.snapshot.facts, key: replace(self.snapshot.facts[key], kind="constraint")})

    def relabel(self, fact: Fact, label: str) -> None:
        """A value gets the name of its slot once somebody says it; the key stays."""
        self.snapshot = replace(self.snapshot, facts={**self.snapshot.facts, fact.key: replace(fact, label=label)})

    def seen(self, atoms: Sequence[Atom]) -> None:
        """Values said again count as touched."""
        self.snapshot = touch(self.snapshot, (f.key for a in atoms for f in self.active() if contains(f.value, a.text)))

    def covered(self, text: str, atoms: Sequence[Atom]) -> bool:
        """Whether values that facts already hold say most of the sentence."""
        typed = [f.value for f in self.active() if f.type]
        held = [a for a in atoms if any(contains(v, a.text) for v in typed)]
        return sum(a.end - a.start for a in held) >= 0.45 * len(text)
