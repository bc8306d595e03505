"""The stateful shell: `Surgeon` makes sessions, `Session` lives through ingest, append and epoch; `compact` is one epoch in one call.

ingest: `add` returns the message to send, tool results already compacted and secrets hidden.
epoch:  `context` re-decides everything once the high-water mark is passed; its output is frozen and replayed until the next epoch.
append: between epochs, changes of facts follow as a short note in the newest turn, so the prefix that was sent keeps its bytes.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from surgeon.block import find
from surgeon.build import make_archive, make_engine, make_sessions
from surgeon.check import new_issues
from surgeon.errors import StoreError, SurgeonError
from surgeon.notes import Note, Notebook, line, noted, place, unsaid
from surgeon.pipeline import Engine, Request, prepare, private, reference, run, shielded
from surgeon.private import hidden, revealed
from surgeon.protocols import Archive
from surgeon.result import Compaction, Report
from surgeon.segment import begins_round, segment
from surgeon.settings import Settings, load
from surgeon.snapshot.apply import apply, at_round
from surgeon.snapshot.model import Snapshot
from surgeon.stores.unavailable import Unavailable
from surgeon.types import Change, Edit, Fact, Hit, Message

log = logging.getLogger("surgeon")
_SMALL = 2_500
_BATCH = 32
_lock = threading.RLock()
_shared: dict[str, Any] = {}


def _private() -> Archive:
    """The archive in memory that one-shot calls of this process share; references are content hashes."""
    with _lock:
        if "archive" not in _shared:
            _shared["archive"] = make_archive(load({}, environ={}).settings, private=True)
        archive: Archive = _shared["archive"]
        return archive


def _moment(now: Any) -> datetime | None:
    if now is None or isinstance(now, datetime):
        return now
    try:
        return datetime.fromisoformat(str(now).replace("Z", "+00:00"))
    except ValueError:
        raise SurgeonError(f"now is not a time: {str(now)[:40]!r}", "", "give ISO 8601, for example 2024-06-18T09:00:00+08:00") from None


class Surgeon:
    """The entry point: settings from surgeon.toml, [tool.surgeon], SURGEON_… and arguments; any number of sessions. Thread-safe."""

    def __init__(self, settings: Settings | Mapping[str, Any] | None = None, encoder: Any = None, **overrides: Any) -> None:
        merged = {**(settings if isinstance(settings, Mapping) else {}), **overrides} if not isinstance(settings, Settings) else settings
        self.settings = load(merged).settings
        self.engine: Engine = make_engine(self.settings, encoder)
        self._archive: Archive | None = None
        self._sessions: Any = None

    @property
    def archive(self) -> Archive:
        """The archive of the settings, opened at first use."""
        with _lock:
            if self._archive is None:
                if self.settings.stores.path is None and not _shared.get("told"):
                    from surgeon.build import default_path

                    _shared["told"] = True
                    log.warning("originals are kept in %s; set stores.path to choose another place or ':memory:'", default_path())
                self._archive = make_archive(self.settings)
            return self._archive

    def usable(self) -> Archive:
        """The archive, or one that says at every use why it could not be opened; `strict` raises at once."""
        try:
            return self.archive
        except StoreError as error:
            if self.settings.strict:
                raise
            return Unavailable(error)

    @property
    def sessions(self) -> Any:
        """The store of session states, opened at first use."""
        with _lock:
            if self._sessions is None:
                self._sessions = make_sessions(self.settings)
            return self._sessions

    def compact(
        self, messages: Sequence[Any], budget: int | None = None, query: str | None = None, format: str = "auto",  # noqa: A002
        state: Mapping[str, Any] | None = None, now: Any = None,
    ) -> Compaction:
        """One epoch over a whole conversation. Originals go to the file of the settings if one is set, else to a private archive in memory."""
        stored = self.settings.stores.path not in (None, ":memory:")
        namespace = str((state or {}).get("namespace") or "one-shot")
        archive = self.usable() if stored else _private()
        return run(self.engine, Request(messages, budget, query, format, state, _moment(now), archive, namespace))

    async def acompact(self, messages: Sequence[Any], budget: int | None = None, **options: Any) -> Compaction:
        """`compact` in a thread."""
        return await asyncio.to_thread(self.compact, messages, budget, **options)

    def ingest(self, message: Any) -> Any:
        """One message as it should be sent: secrets hidden, a long tool result compacted as far as nothing is left out. No state is kept."""
        return Session(self, "ingest", keep=False).add(message)

    def session(self, gc_id: str) -> Session:
        """Loads or creates the session of that global context id."""
        return Session(self, gc_id)

    def expand(self, ref: str) -> str:
        """The original of a reference of a one-shot call."""
        archive = self.archive if self.settings.stores.path not in (None, ":memory:") else _private()
        return _expand(archive, "one-shot", ref)


class Session:
    """One conversation: what was added, its snapshot, and the epoch that is being replayed. Context manager; thread-safe."""

    def __init__(self, surgeon: Surgeon, gc_id: str, keep: bool = True) -> None:
        self.surgeon, self.id, self._keep = surgeon, gc_id, keep
        self._lock = threading.RLock()
        self._native: list[Any] = []
        self._names: dict[str, str] = {}  # call id -> tool
        self._snapshot = Snapshot()
        self._snapshots: dict[int, Snapshot] = {}
        self._rounds = 0
        self._pins: set[str] = set()
        self._frozen: list[Any] = []
        self._frozen_upto = 0
        self._notebook = Notebook()
        self._unsaved: list[dict[str, Any]] = []
        self._warnings: list[str] = []
        self._format = ""
        self._version = 0
        if keep:
            self._load()

    # --- adding --------------------------------------------------------------------------------------------------------------

    def add(self, message: Any) -> Any:
        """Adds one message in any supported format and returns what to send: tool results come back compacted, secrets hidden.

        The message waits in memory for the next write to the archive (redacted there), at the latest before a marker of it goes out.
        """
        engine = self.surgeon.engine
        if not engine.settings.enabled:
            self._native.append(message)
            return message
        with self._lock:
            try:
                return self._add(message)
            except Exception as error:
                if engine.settings.strict:
                    raise
                log.warning("a message passes through unread: %s", type(error).__name__)
                self._warnings.append(f"a message passed through unread: {type(error).__name__}")
                message = self._shielded(message)
                self._native.append(message)
                return message

    def _shielded(self, native: Any) -> Any:
        """A message that could not be read on, with what the settings keep from the model hidden where that is still possible."""
        engine = self.surgeon.engine
        try:
            return shielded(engine, engine.formats(self._format or "auto", [native]), [native], self.id, [])[0]
        except Exception:
            return native

    def _add(self, native: Any) -> Any:
        engine = self.surgeon.engine
        fmt = engine.formats(self._format or "auto", [native])
        if not self._format and fmt.detect([native]) >= 0.9:
            self._format = fmt.name
        read = prepare(engine, fmt, [native], Request([native], namespace=self.id))
        if not read.messages:
            self._native.append(native)
            return native
        message = read.messages[0]
        if message.id == "m0":
            message = replace(message, id=f"m{len(self._native)}")
        if begins_round(message):
            self._rounds += 1
        message = self._named(replace(message, round=self._rounds))
        self._remember(message)
        if not message.metadata.get("aside"):
            self._snapshot = engine.advance(self._snapshot, message, None, False)
        self._snapshots[self._rounds] = self._snapshot
        small = self._ingested(message)
        out = native if engine.settings.shadow else fmt.write(small)
        self._native.append(out)
        return out

    def _named(self, message: Message) -> Message:
        for call in message.calls:
            if call.call_id and call.tool:
                self._names[call.call_id] = call.tool
        if not message.results:
            return message
        parts = tuple(replace(p, tool=p.tool or self._names.get(p.call_id or "")) if p.kind == "tool_result" else p for p in message.parts)
        return replace(message, parts=parts)

    def _remember(self, message: Message) -> None:
        """Queues the message for the archive; a full batch is written unless the message is a tool result."""
        calls = "".join(f"\n{c.tool}({c.text})" for c in message.calls)
        text = f"{message.text}{calls}".strip()
        for part in message.results:
            self._queue(reference(self.id, part.text), part.text, message, "part")
        if not message.results or message.prose:
            self._queue(reference(self.id, message.id + text), text, message, "message")
        if message.role != "tool" and not message.results and len(self._unsaved) >= _BATCH:
            self._flush()

    def _queue(self, ref: str, text: str, message: Message, kind: str) -> None:
        if not text or not self._keep:
            return
        self._unsaved.append({
            "ref": ref, "text": text, "message_id": message.id, "round": message.round, "role": message.role, "kind": kind,
            "speaker": message.name or "", "tool": next((p.tool for p in message.parts if p.tool), "") or "",
            "time": message.time.isoformat() if message.time else None,
        })

    def _flush(self) -> None:
        """Hides personal data in what waits and stores it. Waiting costs nothing per message; a marker is never shown before this."""
        ready = self._cleaned()
        if not ready:
            return
        try:
            self.surgeon.archive.put(self.id, [{k: v for k, v in e.items() if k != "clean"} for e in ready])
            self._unsaved = [e for e in self._unsaved if not e.get("clean")]
        except StoreError as error:
            if self.surgeon.settings.strict:
                raise
            self._warn(f"archive: {error.what}; {len(self._unsaved)} entries wait in memory")

    def _cleaned(self) -> list[dict[str, Any]]:
        """Of what waits, what may be stored. An entry whose personal data could not be found in time waits on, in memory only."""
        hide = self.surgeon.engine.redactor(self.id) if self.surgeon.settings.redaction.archive != "off" else None
        for at, entry in enumerate(self._unsaved):
            if entry.get("clean"):
                continue
            try:
                text = hide(entry["text"], None, "archive")[0] if hide is not None else entry["text"]
            except Exception as error:
                if self.surgeon.settings.strict:
                    raise
                self._warn(f"archive: an entry of round {entry['round']} waits in memory, its personal data could not be hidden ({type(error).__name__})")
                continue
            self._unsaved[at] = {**entry, "text": text, "clean": True}
        return [e for e in self._unsaved if e.get("clean")]

    def _warn(self, text: str) -> None:
        if text not in self._warnings:
            self._warnings.append(text)

    def _ingested(self, message: Message) -> Message:
        """Tool results shortened before their first send, without loss or by a template with proofs."""
        engine = self.surgeon.engine
        unit = segment([message])[0] if message.parts else None
        for at, part in enumerate(message.parts):
            if unit is None or part.kind != "tool_result" or not part.editable or not part.text:
                continue
            short = engine.shrink(part, message, unit, None, "", "")
            if short is None:
                continue
            ref = reference(self.id, part.text)
            text = f"{short.text}\n[{short.omitted}; ref {ref}]" if short.omitted else short.text
            if engine.count(text) < engine.count(part.text) and (not short.omitted or self._stored()):
                message = message.with_part(at, text)
        return message

    def _stored(self) -> bool:
        """Whether everything that waited is in the archive: a marker goes out only after its original is there."""
        self._flush()
        return self._keep and not self._unsaved

    async def aadd(self, message: Any) -> Any:
        """`add` in a thread."""
        return await asyncio.to_thread(self.add, message)

    # --- context -------------------------------------------------------------------------------------------------------------

    def context(self, query: str | None = None, budget: int | None = None) -> Compaction:
        """What to send now, within `budget` tokens (default: the context window of the settings).

        Below the high-water mark the frozen epoch and what came after it are replayed byte for byte; what changed since then follows
        the newest user message as a note.
        """
        with self._lock:
            self._flush()
            engine = self.surgeon.engine
            limit = budget or engine.settings.tokens.context_window
            plain = [*self._frozen, *self._native[self._frozen_upto:]]
            request = Request(
                plain, limit, query, self._format or "auto", None, None, self.surgeon.usable(), self.id, frozenset(self._pins), self._snapshot, True,
            )
            if not engine.settings.enabled or not plain:
                return run(engine, replace(request, force=False))
            fmt = engine.formats(self._format or "auto", plain)
            due = self._news(plain, fmt)
            notes = {**self._notebook.notes, **(due or {})}
            view = noted(plain, self._shifted(notes), fmt)
            size = sum(engine.size(m) for m in fmt.read(view))
            small = limit < _SMALL
            high = limit if small or budget is not None else int(engine.settings.water.high * limit)
            if size <= high:
                self._notebook.tell(notes, len(self._native), self._snapshot.facts if due is not None else {})
                return self._replayed(view, fmt, size, limit)
            whole = small or (budget is not None and query is not None)
            target = limit if whole else int(limit * max(engine.settings.water.low, 0.4))
            result = self._epoch(request, target)
            self._notebook.sent = len(self._native)
            if result.report.tokens_after < size:
                self._frozen, self._frozen_upto = list(result.messages), len(self._native)
                self._notebook.begin(self._snapshot.facts)
            return result

    def _shifted(self, notes: Mapping[int, Note]) -> dict[int, Note]:
        """Notes by their position in what is sent, which begins with the frozen epoch instead of the messages it stands for."""
        return {at - self._frozen_upto + len(self._frozen): note for at, note in notes.items()}

    def _news(self, plain: list[Any], fmt: Any) -> dict[int, Note] | None:
        """The note that is due, by the position of the message it follows; empty if there is nothing to tell, None if there is no place yet."""
        settings = self.surgeon.engine.settings
        if not self._frozen or settings.shadow or settings.snapshot.notes == "off":
            return {}
        try:
            changed = self._notebook.news(self._snapshot.facts.values())
            return self._note(plain, fmt, changed) if changed else {}
        except Exception as error:
            if settings.strict:
                raise
            log.warning("a note is left out: %s", type(error).__name__)
            return None

    def _note(self, plain: list[Any], fmt: Any, changed: Sequence[Fact]) -> dict[int, Note] | None:
        engine = self.surgeon.engine
        messages = fmt.read(plain)
        at = place(messages, self._notebook.sent - self._frozen_upto + len(self._frozen))
        if at is None:
            return None
        position = at - len(self._frozen) + self._frozen_upto
        later = messages[len(self._frozen):]
        said = {(f"m{self._frozen_upto + n}" if m.id == f"m{m.index}" else m.id): m.text for n, m in enumerate(later)}
        history, zh = engine.settings.snapshot.history == "on", self._chinese(messages)
        lines = [line(f, history, zh) for f in unsaid(changed, said)]
        if engine.settings.redaction.context != "off":
            hide = engine.redactor(self.id)
            lines = [hide(text, None, "context")[0] for text in lines]
        if not lines:
            return {}
        note = {position: Note(self._rounds, tuple(lines))}
        before = noted(plain, self._shifted(self._notebook.notes), fmt)
        after = noted(plain, self._shifted({**self._notebook.notes, **note}), fmt)
        return None if new_issues(fmt.check(before), fmt.check(after)) else note

    def _chinese(self, messages: Sequence[Message]) -> bool:
        """The language of the block, or where there is none that of the user."""
        block = next((b for m in messages[: len(self._frozen)] if (b := find(m.text)) is not None), None)
        spoken = " ".join(m.prose[:200] for m in messages[-30:] if m.role == "user")
        return block.zh if block is not None else self.surgeon.engine.language(spoken) == "zh"

    def _epoch(self, request: Request, target: int) -> Compaction:
        """A fresh decision over everything that was added, so that records are chosen from originals and not from an earlier digest."""
        engine = self.surgeon.engine
        whole = replace(request, native=list(self._native), budget=target)
        result = run(engine, whole)
        return replace(result, report=replace(result.report, budget=request.budget, warnings=(*result.report.warnings, *self._warnings)), make_state=self.state)

    def _replayed(self, view: list[Any], fmt: Any, size: int, limit: int) -> Compaction:
        from surgeon.assemble import Assembled
        from surgeon.pipeline import render_text

        engine = self.surgeon.engine
        done = Assembled((), "", tuple(fmt.read(view)), ())
        report = Report(size, size, limit, fmt.name, warnings=tuple(self._warnings), issues=tuple(fmt.check(view)))
        return Compaction(view, render_text(engine, self._snapshot, done), self._snapshot, report, self.state)

    async def acontext(self, query: str | None = None, budget: int | None = None) -> Compaction:
        """`context` in a thread."""
        return await asyncio.to_thread(self.context, query, budget)

    # --- recall --------------------------------------------------------------------------------------------------------------

    def recall(self, query: str, k: int = 5) -> list[Hit]:
        """Messages that answer a question, best first; may be empty. Every message ever added can be found."""
        with self._lock:
            self._flush()
            try:
                found = self.surgeon.archive.search(self.id, query, 3 * k)
                best: dict[str, Hit] = {}
                for hit in found:
                    if hit.message_id:
                        best.setdefault(hit.message_id, hit)
                return list(best.values())[:k]
            except StoreError as error:
                if self.surgeon.settings.strict:
                    raise
                log.warning("recall failed: %s", error.what)
                return []

    async def arecall(self, query: str, k: int = 5) -> list[Hit]:
        """`recall` in a thread."""
        return await asyncio.to_thread(self.recall, query, k)

    def expand(self, ref: str) -> str:
        """The stored original of a reference of this session. A missing one is a terminal, explained answer."""
        with self._lock:
            self._flush()
            return _expand(self.surgeon.archive, self.id, ref)

    # --- snapshot ------------------------------------------------------------------------------------------------------------

    @property
    def snapshot(self) -> Snapshot:
        """Intent and facts as they stand now."""
        return self._snapshot

    def snapshot_at(self, round: int) -> Snapshot:  # noqa: A002
        """Intent and facts as they stood when that round ended."""
        known = [r for r in self._snapshots if r <= round]
        return self._snapshots[max(known)] if known else at_round(self._snapshot, round)

    def set_fact(self, key: str, value: str, *, kind: Any = "entity", label: str = "", owner: str = "") -> None:
        """Sets a fact from outside; recorded like any other change."""
        with self._lock:
            change = Change("set", value, "api", self._rounds)
            self._snapshot = apply(self._snapshot, [Edit(key, kind, label or key.partition(":")[0], change, owner)])
            self._snapshots[self._rounds] = self._snapshot

    def retract(self, key: str) -> None:
        """Cancels a fact; its history stays."""
        with self._lock:
            fact = self._snapshot.facts.get(key)
            if fact is None:
                raise SurgeonError(f"no fact '{key}'", self.id, f"known keys: {', '.join(list(self._snapshot.facts)[:20]) or 'none'}")
            change = Change("cancel", fact.value, "api", self._rounds)
            self._snapshot = apply(self._snapshot, [Edit(key, fact.kind, fact.label, change)])
            self._snapshots[self._rounds] = self._snapshot

    def pin(self, target: str) -> None:
        """Protects a message id, or every message that holds this text (more than 12 characters)."""
        self._pins.add(target)

    def unpin(self, target: str) -> None:
        """The reverse of `pin`."""
        self._pins.discard(target)

    def add_document(self, text_or_path: str, title: str) -> list[str]:
        """Stores a document in pieces that recall can find; its text never becomes intent or fact. Returns the references."""
        from pathlib import Path

        path = Path(text_or_path) if len(text_or_path) < 1_000 and "\n" not in text_or_path else None
        text = path.read_text("utf-8") if path is not None and path.is_file() else text_or_path
        pieces = [text[i : i + 1_200] for i in range(0, len(text), 1_000)]
        with self._lock:
            refs = []
            for number, piece in enumerate(pieces):
                message = Message(f"doc:{title}:{number}", "tool", (), name=title, round=self._rounds)
                ref = reference(self.id, f"{title}{number}{piece}")
                self._queue(ref, piece, message, "document")
                refs.append(ref)
            self._flush()
            return refs

    # --- state ---------------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """JSON-safe state. Personal values are placeholders, as in the archive."""
        return private(self.surgeon.engine, self.id, self._state())

    def _state(self) -> dict[str, Any]:
        return {"version": 1, "namespace": self.id, "snapshot": self._snapshot.to_state(), "tail": [], "rounds": self._rounds}

    def save(self) -> None:
        """Writes what waits and the state; optimistic, so a concurrent save raises StoreError."""
        with self._lock:
            self._flush()
            state = {
                **self._state(), "native": self._native, "pins": sorted(self._pins), "names": self._names, "format": self._format,
                "frozen": self._frozen, "frozen_upto": self._frozen_upto, "notebook": self._notebook.to_state(),
            }
            clean = self._hidden(state)
            self._version = self.surgeon.sessions.save(self.id, clean, self._version)

    def _hidden(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state as it may be stored; nothing is stored if personal data could not be hidden."""
        if self.surgeon.settings.redaction.archive == "off":
            return state
        try:
            clean: dict[str, Any] = hidden(state, self.surgeon.engine.redactor(self.id), strict=True)
        except Exception as error:
            raise StoreError(f"personal data could not be hidden ({type(error).__name__})", f"session {self.id}", "raise limits.regex_seconds, or save later") from None
        return clean

    def _load(self) -> None:
        stored = self.surgeon.sessions.load(self.id)
        if stored is None:
            return
        self._version, state = stored
        state = revealed(state, self.surgeon.engine.redactor(self.id))
        self._snapshot = Snapshot.from_state(state["snapshot"])
        self._rounds = state.get("rounds", 0)
        self._native = list(state.get("native") or [])
        self._pins, self._names = set(state.get("pins") or ()), dict(state.get("names") or {})
        self._format = state.get("format", "")
        self._frozen, self._frozen_upto = list(state.get("frozen") or []), state.get("frozen_upto", 0)
        self._notebook = Notebook.from_state(state.get("notebook") or {})

    def close(self) -> None:
        """Saves; a store that fails is reported, not raised, unless `strict`."""
        try:
            self.save()
        except StoreError as error:
            if self.surgeon.settings.strict:
                raise
            log.warning("session was not saved: %s", error.what)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _expand(archive: Archive, namespace: str, ref: str) -> str:
    ref = ref.strip().removeprefix("ref ").strip("[]")
    found = archive.get(namespace, ref)
    if found is None:
        raise StoreError(f"no original under reference '{ref}'", namespace, "references belong to the session that made them; nothing else will bring it back, so do not retry")
    return found


def _one_shot(settings: Any) -> Surgeon:
    if settings is None:
        with _lock:
            if "surgeon" not in _shared:
                _shared["surgeon"] = Surgeon()
            made: Surgeon = _shared["surgeon"]
            return made
    key = repr(settings)
    with _lock:
        cache: dict[str, Surgeon] = _shared.setdefault("surgeons", {})
        if key not in cache:
            if len(cache) > 32:
                cache.pop(next(iter(cache)))
            cache[key] = Surgeon(settings)
        return cache[key]


def compact(
    messages: Sequence[Any], budget: int | None = None, query: str | None = None, format: str = "auto",  # noqa: A002
    settings: Any = None, state: Mapping[str, Any] | None = None, now: Any = None,
) -> Compaction:
    """Compacts a conversation: same format back, safe to send, within `budget` tokens.

    Args:
        messages: a list of messages in any supported format; never changed.
        budget: tokens for the result; None: only if the gates of the settings (80 messages and 4,000 tokens) are reached.
        query: the question at hand; what bears on it is kept first.
        settings: a `Settings` or a nested mapping of the same keys as the settings file.
        state: `result.state` of an earlier call on this conversation.
        now: time for messages that carry none (ISO 8601 or datetime).

    Raises:
        InputError: `messages` is not a list. BudgetError: only with `on_budget="raise"`. SettingsError: a wrong setting.
    """
    return _one_shot(settings).compact(messages, budget, query, format, state, now)


async def acompact(messages: Sequence[Any], budget: int | None = None, **options: Any) -> Compaction:
    """`compact` in a thread."""
    return await asyncio.to_thread(compact, messages, budget, **options)


def expand(ref: str) -> str:
    """The original behind a marker of a one-shot `compact` in this process. StoreError if there is none."""
    return _expand(_private(), "one-shot", ref)
