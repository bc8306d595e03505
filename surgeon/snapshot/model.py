"""The snapshot: what the user wants now, every fact and constraint, and how each came to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from surgeon.types import Change, Fact

VERSION = 1
REPLACING = frozenset({"update", "patch", "cancel", "restore"})  # actions that make an earlier value no longer hold
LOOSE = frozenset({"said", "what if"})  # labels of facts that are a sentence of the user, word for word


@dataclass(frozen=True, slots=True)
class Task:
    """Where the work stands: the current step, what is done, what is open, and extracted information."""

    step: str = ""
    done: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    info: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OtherIntent:
    """An intent that is not the current one: finished, abandoned or waiting."""

    goal: str
    status: str
    round: int


@dataclass(frozen=True, slots=True)
class Intent:
    """What the user wants now, in the user's own words."""

    goal: str = ""
    time_ref: str = ""
    recipient: str = ""
    format: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)
    status: str = "active"
    task: Task = Task()
    others: tuple[OtherIntent, ...] = ()
    round: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The public mapping."""
        return {
            "goal": self.goal,
            "time_ref": self.time_ref,
            "recipient": self.recipient,
            "format": self.format,
            "conditions": dict(self.conditions),
            "status": self.status,
            "task": {"step": self.task.step, "done": list(self.task.done), "open": list(self.task.open), "info": dict(self.task.info)},
            "others": [asdict(o) for o in self.others],
            "round": self.round,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Intent:
        """The reverse of `to_dict`."""
        task = data.get("task") or {}
        return cls(
            goal=data.get("goal", ""),
            time_ref=data.get("time_ref", ""),
            recipient=data.get("recipient", ""),
            format=data.get("format", ""),
            conditions=dict(data.get("conditions") or {}),
            status=data.get("status", "active"),
            task=Task(task.get("step", ""), tuple(task.get("done") or ()), tuple(task.get("open") or ()), dict(task.get("info") or {})),
            others=tuple(OtherIntent(o["goal"], o["status"], o["round"]) for o in data.get("others") or ()),
            round=data.get("round", 0),
        )


@dataclass(frozen=True, slots=True)
class Discourse:
    """What the next message may refer to without naming it.

    `touched`: keys in the order they were last changed, newest last. `proposed`: edits the assistant offered and the user has
    neither taken nor refused. `listed`: option names in the order they were mentioned, `listed_for`: what they are options of.
    `mood`: what the user's last turn did (`state` or `ask`): answers to a question are not adopted.
    `heard`: the user's last words, to tell a restatement from a wrong echo.
    """

    touched: tuple[str, ...] = ()
    proposed: tuple[Mapping[str, Any], ...] = ()
    listed: tuple[str, ...] = ()
    listed_for: str = ""
    mood: str = ""
    heard: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Intent and facts at one moment. Look-up by key is a dictionary access; nothing is changed in place."""

    intent: Intent = Intent()
    facts: Mapping[str, Fact] = field(default_factory=dict)
    round: int = 0
    discourse: Discourse = Discourse()

    def active(self) -> list[Fact]:
        """Facts that hold now: constraints first, then the most recently changed."""
        live = [f for f in self.facts.values() if f.status == "active"]
        return sorted(live, key=_order)

    def to_dict(self) -> dict[str, Any]:
        """The public form: intent and facts with history."""
        rest = [f for f in self.facts.values() if f.status != "active"]
        return {"schema_version": VERSION, "intent": self.intent.to_dict(), "facts": [fact_to_dict(f) for f in [*self.active(), *rest]]}

    def to_state(self) -> dict[str, Any]:
        """Everything that is needed to go on later, JSON-safe."""
        return {
            "version": VERSION,
            "intent": self.intent.to_dict(),
            "facts": [fact_to_dict(f) for f in self.facts.values()],
            "round": self.round,
            "discourse": {
                "touched": list(self.discourse.touched),
                "proposed": [dict(p) for p in self.discourse.proposed],
                "listed": list(self.discourse.listed),
                "listed_for": self.discourse.listed_for,
                "mood": self.discourse.mood,
                "heard": self.discourse.heard,
            },
        }

    @classmethod
    def from_state(cls, data: Mapping[str, Any]) -> Snapshot:
        """The reverse of `to_state`."""
        talk = data.get("discourse") or {}
        return cls(
            intent=Intent.from_dict(data.get("intent") or {}),
            facts={f["key"]: fact_from_dict(f) for f in data.get("facts") or ()},
            round=data.get("round", 0),
            discourse=Discourse(
                touched=tuple(talk.get("touched") or ()),
                proposed=tuple(dict(p) for p in talk.get("proposed") or ()),
                listed=tuple(talk.get("listed") or ()),
                listed_for=talk.get("listed_for", ""),
                mood=talk.get("mood", ""),
                heard=talk.get("heard", ""),
            ),
        )


_KIND_ORDER = {"constraint": 0, "entity": 1, "decision": 1, "preference": 2, "task": 2, "tool_fact": 3, "question": 4, "finding": 5}


def _order(fact: Fact) -> tuple[int, int, int, str]:
    return (_KIND_ORDER[fact.kind], -min(1, max(0, len(fact.history) - 1)), -fact.round, fact.key)


def fact_to_dict(fact: Fact) -> dict[str, Any]:
    """A fact as JSON; `history` lists every change, the first and the current one included."""
    return {
        "key": fact.key,
        "kind": fact.kind,
        "label": fact.label,
        "owner": fact.owner,
        "value": fact.value,
        "status": fact.status,
        "round": fact.round,
        "action": fact.action,
        "source_round": fact.source_round,
        "message_id": fact.message_id,
        "type": fact.type,
        "normal": fact.normal,
        "confidence": fact.confidence,
        "span": list(fact.span) if fact.span else None,
        "history": [{f.name: getattr(c, f.name) for f in fields(Change)} for c in fact.history],
    }


def fact_from_dict(data: Mapping[str, Any]) -> Fact:
    """The reverse of `fact_to_dict`."""
    known = {f.name for f in fields(Change)}
    span = data.get("span")
    return Fact(
        key=data["key"],
        kind=data["kind"],
        label=data["label"],
        value=data["value"],
        owner=data.get("owner", ""),
        status=data.get("status", "active"),
        round=data.get("round", 0),
        action=data.get("action", "set"),
        message_id=data.get("message_id", ""),
        source_round=data.get("source_round"),
        span=(span[0], span[1]) if span else None,
        confidence=data.get("confidence", 1.0),
        type=data.get("type", ""),
        normal=data.get("normal", ""),
        history=tuple(Change(**{k: v for k, v in c.items() if k in known}) for c in data.get("history") or ()),
    )
