"""The steps in order, over frozen values: state goes in and comes out; storing originals is the one effect, last.

On any failure of ours the caller's messages come back as they were and the report says why; `strict` raises.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from surgeon import block as blocks
from surgeon import check, notes, resume
from surgeon.assemble import Assembled, Kit, Task, assemble
from surgeon.decide import Verdict, decide
from surgeon.errors import BudgetError, InputError, RegistryError, StoreError, SurgeonError
from surgeon.private import hidden, revealed
from surgeon.protocols import Archive, Format, Redactor
from surgeon.result import Compaction, Report
from surgeon.reword import Rewording
from surgeon.rewrite.context import Render
from surgeon.scoring.combine import Evidence, combine
from surgeon.segment import begins_round, segment
from surgeon.settings import Settings
from surgeon.snapshot.lapsed import lapsed
from surgeon.snapshot.model import Snapshot
from surgeon.snapshot.render import entity_lines, intent_lines, ranked
from surgeon.types import Decision, Finding, Message, Part, Rewrite, Score, Unit

log = logging.getLogger("surgeon")
_LIGHT_ABOVE = 1_000  # new messages in one call beyond which only the newest are read by the language models
_ENCODED = 48  # texts encoded in one call: a model costs some 5 ms a text


@dataclass(frozen=True, slots=True)
class Engine:
    """Everything the steps call, as plain functions; made in `build.py` only."""

    settings: Settings
    count: Callable[[str], int]
    size: Callable[[Message], int]
    formats: Callable[[str, Sequence[Any]], Format]
    rule_scores: Callable[[Sequence[Unit]], Mapping[str, Score]]
    similarity: Callable[[Sequence[Unit], Sequence[str], frozenset[str]], tuple[Mapping[str, Score], float]] | None
    advance: Callable[[Snapshot, Message, datetime | None, bool], Snapshot]
    shrink: Callable[[Part, Message, Unit, int | None, str, str], Rewrite | None]
    records: Callable[[str, str, str], Sequence[tuple[str, float]]]
    sentences: Callable[[str], Sequence[str]]
    language: Callable[[str], str]
    redactor: Callable[[str], Redactor]
    repair: Callable[[Sequence[Any], Format], tuple[list[Any], list[str]]]
    render: Render
    alike: Callable[[Sequence[str]], Sequence[Sequence[float]]] | None


@dataclass(frozen=True, slots=True)
class Request:
    """One call: what to compact and how. `archive` receives originals under `namespace`."""

    native: Sequence[Any]
    budget: int | None = None
    query: str | None = None
    format: str = "auto"
    state: Mapping[str, Any] | None = None
    now: datetime | None = None
    archive: Archive | None = None
    namespace: str = "one-shot"
    pins: frozenset[str] = frozenset()
    snapshot: Snapshot | None = None
    force: bool = False


@dataclass(slots=True)
class _Clock:
    spent: dict[str, float] = field(default_factory=dict)
    last: float = field(default_factory=time.perf_counter)

    def mark(self, step: str) -> None:
        now = time.perf_counter()
        self.spent[step] = round(self.spent.get(step, 0.0) + 1000 * (now - self.last), 3)
        self.last = now


@dataclass(frozen=True, slots=True)
class Read:
    """The input, read: messages with rounds and without our block, the block if there was one, what is new since the state."""

    messages: tuple[Message, ...]
    earlier: blocks.Block | None
    snapshot: Snapshot
    fresh: frozenset[str]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    whole: tuple[Message, ...] = ()
    following: int = 0  # number of the next message that has no id of its own


def run(engine: Engine, request: Request) -> Compaction:
    """Compacts one conversation. Never raises for a fault of ours unless `strict`; BudgetError only with `on_budget="raise"`."""
    if not isinstance(request.native, Sequence) or isinstance(request.native, str | bytes):
        raise InputError("messages must be a list of messages", "", f"pass a list of dicts, not {type(request.native).__name__}")
    if not engine.settings.enabled:
        return _untouched(engine, request, Snapshot(), "surgeon is switched off (enabled = false)")
    try:
        return _run(engine, request)
    except (BudgetError, InputError, RegistryError):  # the caller's own: a misspelt format is never taken for another
        raise
    except Exception as error:
        if engine.settings.strict:
            raise
        what = error.what if isinstance(error, SurgeonError) else type(error).__name__
        log.warning("compaction failed, messages pass through: %s", type(error).__name__)
        return _untouched(engine, request, request.snapshot or Snapshot(), f"passed through unchanged: {what}", hide=True)


def _untouched(engine: Engine, request: Request, snapshot: Snapshot, *warnings: str, hide: bool = False) -> Compaction:
    """The caller's messages as they are, or with `hide` as they may be sent: what the settings keep from the model stays hidden after a fault of ours too."""
    def state() -> dict[str, Any]:
        return dict(request.state) if request.state else private(engine, request.namespace, {"version": 1, "snapshot": snapshot.to_state(), "tail": [], "rounds": 0})

    native, findings = list(request.native), list[Finding]()
    before = after = 0
    name = ""
    try:
        fmt = engine.formats(request.format, native)
        name, before = fmt.name, sum(engine.size(m) for m in fmt.read(native))
        native = shielded(engine, fmt, native, request.namespace, findings) if hide else native
        after = sum(engine.size(m) for m in fmt.read(native)) if findings else before
    except Exception as error:  # whatever failed may fail here again: the turn goes on
        log.warning("messages pass through unread: %s", type(error).__name__)
    return Compaction(native, "", snapshot, Report(before, after, request.budget, name, findings=tuple(findings), warnings=warnings), state)


def shielded(engine: Engine, fmt: Format, native: Sequence[Any], namespace: str, findings: list[Finding]) -> list[Any]:
    """Messages as they may be sent: what the settings keep from the model is hidden, those that hold nothing of it are the same objects."""
    if engine.settings.redaction.context == "off":
        return list(native)
    hide = engine.redactor(namespace)
    return [fmt.write(_hidden(m, hide, findings)) for m in fmt.read(native)]


def private(engine: Engine, namespace: str, state: dict[str, Any]) -> dict[str, Any]:
    """A state as it may leave: the texts of its snapshot hidden at the level of the archive."""
    if engine.settings.redaction.archive == "off":
        return state
    return {**state, "snapshot": hidden(state["snapshot"], engine.redactor(namespace), strict=engine.settings.strict)}


def _run(engine: Engine, request: Request) -> Compaction:
    clock = _Clock()
    fmt = engine.formats(request.format, request.native)
    native, repaired = list(request.native), list[str]()
    if engine.settings.repair:
        native, repaired = engine.repair(native, fmt)
    read = prepare(engine, fmt, native, request)
    clock.mark("read")
    snapshot, unread = _learn(engine, request, read)
    clock.mark("extract")
    before = sum(engine.size(m) for m in fmt.read(native))
    budget = _target(engine, request, before, len(native), read)
    done = _plain(read, before) if budget is None else _compacted(engine, request, fmt, read, snapshot, budget, clock)
    after = _native(fmt, done, read, engine)
    clock.mark("assemble")
    warnings = [*read.notes, *repaired, *unread, *done.warnings]
    found, left = fmt.check(native), fmt.check(after)
    issues = check.new_issues(found, left)
    tokens = sum(engine.size(m) for m in fmt.read(after))
    hopeless = request.budget is not None and tokens > request.budget and read.earlier is not None and tokens > 0.95 * before
    if issues or tokens > before or hopeless:
        if issues:
            warnings.append(f"passed through: the result would break rule {issues[0].rule}")
        redacted = _plain(read, before)
        after, done = _native(fmt, redacted, read, engine), replace(redacted, warnings=done.warnings)
        tokens, left = sum(engine.size(m) for m in fmt.read(after)), fmt.check(after)
        if tokens > before:
            warnings.append(f"hiding personal data and secrets took {tokens - before:,} tokens more than they had")
    if request.budget is not None and tokens > request.budget:
        if not done.warnings:
            warnings.append(f"{tokens:,} tokens remain, the budget is {request.budget:,}: no smaller form of it is valid")
        if engine.settings.on_budget == "raise":
            raise BudgetError(warnings[-1], "", "raise the budget, lower protect_recent or unpin messages")
    clock.mark("check")
    refs = _commit(engine, request, read, done, warnings)
    if refs is None:  # no marker without its original
        refs, done = {}, _plain(read, before)
        after = _native(fmt, done, read, engine)
        tokens, left = sum(engine.size(m) for m in fmt.read(after)), fmt.check(after)
    clock.mark("commit")
    if engine.settings.shadow:
        warnings.append("shadow: the result was computed and not applied")
        after = list(request.native)
        left = fmt.check(after)
    report = Report(
        before, tokens, request.budget, fmt.name, done.decisions, read.findings, refs, tuple(dict.fromkeys(warnings)), clock.spent, tuple(left),
    )
    text = render_text(engine, snapshot, done)
    sent = resume.as_sent(_without_block(fmt.read(after), fmt)[0], _by_index(done.head) + _by_index(done.tail))
    return Compaction(after, text, snapshot, report, lambda: private(engine, request.namespace, state_of(request, read, snapshot, sent)))


def _target(engine: Engine, request: Request, before: int, messages: int, read: Read) -> int | None:
    """Tokens to reach, or None if nothing has to be done."""
    if request.budget is not None:
        return request.budget if before > request.budget or request.force else None
    gates = engine.settings.gates
    if not request.force and (messages < gates.min_messages or before < gates.min_tokens):
        return None
    window = engine.settings.tokens.context_window
    return min(int(engine.settings.water.low * window), int(0.6 * before))


# --- reading -------------------------------------------------------------------------------------------------------------------


def prepare(engine: Engine, fmt: Format, native: Sequence[Any], request: Request) -> Read:
    """Native messages as values: our own block taken out, rounds counted on, secrets hidden, what is new since the state marked."""
    messages = fmt.read(native)
    hide = engine.redactor(request.namespace)
    level = engine.settings.redaction.context
    findings: list[Finding] = []
    whole = [m if level == "off" else _hidden(m, hide, findings) for m in messages]
    messages, earlier = _without_block(whole, fmt)
    state = request.state or {}
    found = resume.known(messages, state, earlier is not None)
    counted = _counted(resume.renamed(messages, found, state.get("next")), found, int(state.get("rounds", 0)), earlier)
    snapshot = request.snapshot or (Snapshot.from_state(revealed(state["snapshot"], hide)) if state.get("snapshot") else Snapshot())
    if earlier is not None and not snapshot.facts and not snapshot.intent.goal:
        snapshot = replace(snapshot, intent=earlier.intent, facts=earlier.facts)
    fresh = frozenset(m.id for m in counted[found.size :])
    following = int(state.get("next", 0)) + len(fresh) if found.size else len(whole)
    return Read(tuple(counted), earlier, snapshot, fresh, tuple(findings), (), tuple(whole), following)


def _counted(messages: Sequence[Message], found: resume.Known, rounds: int, earlier: blocks.Block | None) -> list[Message]:
    """The messages with their rounds: those the state knows, new ones counted on from there, or from what the block stands for."""
    begun = earlier.rounds if earlier else 0
    rounds = max(0, rounds - _user_rounds(messages[: found.size])) if found.size else begun
    out: list[Message] = []
    for at, message in enumerate(messages):
        rounds += begins_round(message)
        out.append(replace(message, round=found.marks[at][1] if at < len(found.marks) else rounds))
    return out


def _user_rounds(messages: Sequence[Message]) -> int:
    return sum(1 for m in messages if begins_round(m))


def _without_block(messages: Sequence[Message], fmt: Format) -> tuple[list[Message], blocks.Block | None]:
    """Messages without our own notes and block (only the first block counts; there is at most one), and what the block said."""
    out: list[Message] = []
    found: blocks.Block | None = None
    for message in notes.without(messages, fmt):
        place = next((i for i, p in enumerate(message.parts) if p.kind == "text" and "[context#" in p.text), None)
        mine = blocks.find(message.parts[place].text) if place is not None and found is None and message.role in ("user", "system") else None
        if mine is None or place is None:
            out.append(message)
            continue
        found = mine
        text = message.parts[place].text
        rest = (text[: mine.start] + text[mine.end :]).strip("\n")
        if rest:
            out.append(message.with_part(place, rest))
            continue
        native = fmt.unlead(message.native, text)
        if native is not None:
            out.append(replace(fmt.read([native])[0], id=message.id, time=message.time, index=message.index))
    return out, found


def _hidden(message: Message, hide: Redactor, findings: list[Finding]) -> Message:
    for at, part in enumerate(message.parts):
        if part.kind in ("text", "tool_result", "tool_call") and part.editable and part.text:
            clean, found = hide(part.text, None, "context")
            if found:
                findings.extend(found)
                message = message.with_part(at, clean)
    return message


def _learn(engine: Engine, request: Request, read: Read) -> tuple[Snapshot, list[str]]:
    """The snapshot after every new message, one at a time, so that one go and message by message give the same; and what could not be read."""
    snapshot = read.snapshot
    failed: list[str] = []
    new = [m for m in read.messages if m.id in read.fresh and not m.metadata.get("aside")]
    for at, message in enumerate(new):
        light = len(new) - at > _LIGHT_ABOVE
        try:
            snapshot = notes.heard(engine.advance(snapshot, message, request.now, light), message)
        except Exception:
            if engine.settings.strict:
                raise
            log.warning("extraction failed for one message")
            failed.append(message.id)
    return snapshot, [f"no facts were read from {len(failed)} messages, the first is {failed[0]}"] if failed else []


# --- deciding and fitting ------------------------------------------------------------------------------------------------------


def _plain(read: Read, tokens: int) -> Assembled:
    decisions = tuple(Decision(u.id, tuple(m.id for m in u.messages), "keep") for u in segment(read.messages))
    return Assembled((), "", read.messages, decisions, tokens=tokens)


def judge(engine: Engine, units: Sequence[Unit], snapshot: Snapshot, query: str | None, pins: frozenset[str]) -> dict[str, Verdict]:
    """Scores and verdicts of units. The embedding channel reads only what rules leave open, at most the newest of them."""
    rules = engine.rule_scores(units)
    first = decide(units, rules, snapshot, engine.settings, pins)
    near: Mapping[str, Score] = {}
    threshold = 0.5
    targets = [t for t in (snapshot.intent.goal, query or "") if t]
    if engine.similarity is not None and targets:
        open_ = [u for u in units if not first[u.id].hard and 0.1 < rules[u.id].total < 0.7 and not any(r.name == "recent" for r in first[u.id].reasons)]
        asked = {u.id for u in open_[-_ENCODED:]}
        skip = frozenset(u.id for u in units if u.id not in asked)
        near, threshold = engine.similarity(units, targets, skip)
    scores = combine(units, Evidence(rules, near, threshold, snapshot, query), engine.settings.scoring)
    return decide(units, scores, snapshot, engine.settings, pins)


def _compacted(engine: Engine, request: Request, fmt: Format, read: Read, snapshot: Snapshot, budget: int, clock: _Clock) -> Assembled:
    units = segment(read.messages)
    verdicts = judge(engine, units, snapshot, request.query, request.pins)
    clock.mark("score")
    sample = " ".join(m.prose[:200] for m in read.messages[-30:] if m.role in ("user", "assistant"))
    zh = read.earlier.zh if read.earlier else engine.language(sample) == "zh"  # what is left tells less of the language than the whole did
    language = "zh" if zh else "en"
    following = _following(read.messages)

    def shrink(part: Part, message: Message, unit: Unit, cap: int | None) -> Rewrite | None:
        return engine.shrink(part, message, unit, cap, request.query or "", following.get(message.id, ""))

    sentences, earlier = engine.sentences, read.earlier
    if engine.settings.snapshot.history == "off":  # what no longer holds is then not to be seen at all
        gone = lapsed(snapshot)
        sentences = _without(engine.sentences, gone)
        earlier = earlier and earlier._replace(entries=[e for e in earlier.entries if not gone(e.text)])
        goal = " ".join(s for s in engine.sentences(snapshot.intent.goal) if not gone(s))
        snapshot = replace(snapshot, intent=replace(snapshot.intent, goal=goal))
    worded = Rewording(
        units, snapshot, language, engine.render, engine.count, engine.sentences, engine.alike, engine.settings.snapshot.history == "on",
        frozenset(i for i, v in verdicts.items() if v.action == "drop"),
    )
    kit = Kit(
        engine.count, engine.size, shrink, engine.records, sentences,
        lambda text: reference(request.namespace, text), engine.settings, language, worded,
    )
    task = Task(units, verdicts, snapshot, budget, request.query, earlier)
    return assemble(task, kit)


def _without(sentences: Callable[[str], Sequence[str]], gone: Callable[[str], bool]) -> Callable[[str], list[str]]:
    return lambda text: [s for s in sentences(text) if not gone(s)]


def _following(messages: Sequence[Message]) -> dict[str, str]:
    """For each message, the text of the next assistant turn: identifiers named there must stay visible in a rewritten result."""
    out: dict[str, str] = {}
    later = ""
    for message in reversed(messages):
        out[message.id] = later
        if message.role == "assistant":
            later = message.prose + " " + " ".join(c.text for c in message.calls)
    return out


def reference(namespace: str, text: str) -> str:
    """The content reference of an original in a namespace: 12 hex digits."""
    return hashlib.sha256(f"{namespace}\x1f{text}".encode("utf-8", "replace")).hexdigest()[:12]


# --- writing -------------------------------------------------------------------------------------------------------------------


def _native(fmt: Format, done: Assembled, read: Read, engine: Engine) -> list[Any]:
    """The fitted conversation in the caller's format; the block leads the next user message where roles must alternate."""
    done = replace(done, head=_by_index(done.head), tail=_by_index(done.tail))
    if not done.block:
        if done.tail == read.messages:
            return [fmt.write(m) for m in read.whole]
        return [fmt.write(m) for m in (*done.head, *done.tail)]
    if fmt.alternates:
        return _in_turns(fmt, done)
    return [*(fmt.write(m) for m in done.head), fmt.make("user", done.block), *(fmt.write(m) for m in done.tail)]


def _by_index(messages: Sequence[Message]) -> tuple[Message, ...]:
    """In the order of the input: a note that stood between a call and its result goes back there."""
    return tuple(sorted(messages, key=lambda m: m.index))


def _in_turns(fmt: Format, done: Assembled) -> list[Any]:
    """The messages around the block so that roles go on taking turns: neighbours of one role that removal brought together become one.

    The block leads the user message behind it, else it ends the one before it; it comes first where a reply would begin otherwise.
    """
    leads = bool(done.tail) and done.tail[0].role == "user" and not done.tail[0].results
    first = next((m.role for m in done.head if m.role != "system"), "")
    place = 0 if first == "assistant" else len(done.head)
    items: list[tuple[int, str, Any]] = [(m.index, m.role, fmt.write(m)) for m in (*done.head, *done.tail)]
    if place == len(done.head) and leads:
        index, role, native = items[place]
        items[place] = (index, role, fmt.lead(native, done.block))
    else:
        items.insert(place, (-1, "user", fmt.make("user", done.block)))
    out: list[tuple[int, str, Any]] = []
    for item in items:
        if out and item[1] == out[-1][1] != "system" and (item[0] != out[-1][0] + 1 or item[0] <= 0):
            out[-1] = (item[0], item[1], fmt.join(out[-1][2], item[2]))
        else:
            out.append(item)
    return [native for _, _, native in out]


def _commit(engine: Engine, request: Request, read: Read, done: Assembled, warnings: list[str]) -> dict[str, tuple[str, ...]] | None:
    """Stores the originals behind every marker. On failure the caller passes the originals through."""
    refs = dict(done.originals)
    if not refs:
        return refs
    if request.archive is None:
        return refs
    hide = engine.redactor(request.namespace)
    level = engine.settings.redaction.archive
    by_id = {m.id: m for m in read.messages}
    entries: list[dict[str, Any]] = []
    for ref, ids in refs.items():
        whole = ref == done.stretch_ref
        texts = []
        for i in ids:
            message = by_id[i]
            texts.append(_original(message, ref, request.namespace, whole))
        text = "\n\n".join(texts)
        if whole and read.earlier is not None and read.earlier.ref:
            text = f"[earlier: ref {read.earlier.ref}]\n\n{text}"
        if level != "off":
            text = hide(text, None, "archive")[0]
        first = by_id[ids[0]]
        entries.append({"ref": ref, "text": text, "message_id": first.id if not whole else "", "round": first.round, "role": first.role, "kind": "marker", "indexed": request.namespace == "one-shot"})
    try:
        request.archive.put(request.namespace, entries)
    except StoreError as error:
        if engine.settings.strict:
            raise
        warnings.append(f"passed through: originals could not be stored ({error.what}{'; ' + error.repair if error.repair else ''})")
        return None
    return refs


def _original(message: Message, ref: str, namespace: str, whole: bool) -> str:
    """The text of a message that a marker stands for; for a part, exactly that part."""
    if not whole:
        for part in message.parts:
            if part.text and reference(namespace, part.text) == ref:
                return part.text
    calls = "".join(f"\n{c.tool}({c.text})" for c in message.calls)
    return f"[{message.id} · round {message.round} · {message.name or message.role}] {message.text}{calls}"


def render_text(engine: Engine, snapshot: Snapshot, done: Assembled) -> str:
    """The sandwich as text: intent, entities, dialogue."""
    limits = engine.settings.snapshot
    intent = intent_lines(snapshot.intent)
    entities = entity_lines(ranked(snapshot), max(limits.entity_tokens, 200), engine.count, limits.history == "on").lines
    dialogue: list[str] = [blocks.entry_line(blocks.Entry(blocks.role_letter(m.role), m.round, _said(m))) for m in done.head if m.role != "system"]
    earlier = blocks.find(done.block)
    if earlier is not None:
        dialogue += [blocks.entry_line(e) for e in earlier.entries]
    dialogue += [blocks.entry_line(blocks.Entry(blocks.role_letter(m.role), m.round, _said(m))) for m in done.tail if m.role != "system"]
    out = [f"<|{name}|>\n" + "\n".join(lines) + f"\n<|/{name}|>" for name, lines in (("intent", intent), ("entities", entities), ("dialogue", dialogue))]
    return "\n".join(out)


def _said(message: Message) -> str:
    calls = " ".join(f"{c.tool}({c.text})" for c in message.calls)
    name = f"{message.name}: " if message.name else ""
    return f"{name}{message.text} {calls}".strip()


def state_of(request: Request, read: Read, snapshot: Snapshot, sent: Sequence[Message]) -> dict[str, Any]:
    """JSON-safe state: the snapshot, and enough of the messages, as they came and as they were `sent`, to know where to go on."""
    rounds = max((m.round for m in read.messages), default=0)
    return {
        "version": 1, "namespace": request.namespace, "snapshot": snapshot.to_state(), "rounds": rounds,
        "next": read.following, "whole": resume.view(read.messages), "sent": resume.view(sent),
    }
