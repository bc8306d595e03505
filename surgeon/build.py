"""The composition root: the only place where names and settings become objects. Models load at first use, not here."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from surgeon.errors import SettingsError
from surgeon.extract.advance import Extraction, Pin
from surgeon.extract.supersede import Superseding
from surgeon.formats.detect import resolve
from surgeon.formats.wire import repair_wire
from surgeon.pipeline import Engine
from surgeon.protocols import Archive, Encoder, Format, Redactor
from surgeon.rewrite.context import CompactContext
from surgeon.rewrite.dispatch import compact_text
from surgeon.rewrite.prose import sentences
from surgeon.rewrite.records import records
from surgeon.scoring.rules import RuleChannel, RuleSet
from surgeon.scoring.similarity import SimilarityChannel
from surgeon.settings import Settings
from surgeon.snapshot.model import Snapshot
from surgeon.text.language import detect as language_of
from surgeon.text.tokens import counter, message_tokens
from surgeon.types import Message, Part, Rewrite, Score, Unit

_IDENT = re.compile(r"[A-Za-z_./#@-]*\d[\w./#@:-]*|[\w.-]+/[\w./-]+|\b[A-Za-z]+_[A-Za-z_]+\b", re.A)
_CHINESE = re.compile(r"[\u3400-\u9fff]{2}")
_CJK = re.compile(r"[\u3400-\u9fff]")  # only Chinese needs a segmenter
_MAX_KEEP = 40
_LONG_TEXT = 4_000  # shorter texts are remembered by the counters themselves
_SAME_SUBJECT = 1.7  # times an encoder's threshold of relatedness; below 1.5 other subjects of one kind come in
_HUGE = 200_000  # characters of one part beyond which only its two ends are read


def make_engine(settings: Settings, encoder: Any = None) -> Engine:
    """Everything the steps call, wired for these settings. Loads rule and template files, no model."""
    count = _remembering(counter(settings.tokens.counter))
    rules = _rules(settings)
    analysers = _analysers(settings)

    def pins(text: str, role: str) -> list[Pin]:
        return [Pin(m.start, m.end, m.rule_id) for m in rules.match(text, role) if m.effect == "pin"]

    @lru_cache(maxsize=8192)
    def worth(text: str) -> float:
        scored = rules.score_text(text, "user")
        chat = any(r.weight < 0 for r in scored.reasons) and not any(r.weight > 0 for r in scored.reasons)
        return 0.0 if chat or len(text.strip(" .!?。！？，,~…")) < 2 else scored.score

    slots, choices = _naming(rules, "slot"), _naming(rules, "choice")
    rules = RuleSet(tuple(r for r in rules.rules if r.rule.effect not in ("slot", "choice")), rules.seconds)
    encoders = _encoder_for(encoder) if "similarity" in settings.scoring.channels else None
    extraction = Extraction(analysers, pins, worth, Superseding(slots, _alike(encoders)), choices)

    def advance(snapshot: Snapshot, message: Message, now: datetime | None, light: bool) -> Snapshot:
        return extraction(snapshot, message, now, light)

    def shrink(part: Part, message: Message, unit: Unit, cap: int | None, query: str, following: str) -> Rewrite | None:
        return _shrink(part, message, unit, cap, query, following, count, settings)

    def formats(name: str, native: Sequence[Any]) -> Format:
        return resolve(native, name, image_tokens=settings.tokens.image)

    return Engine(
        settings=settings,
        count=count,
        size=lambda m: message_tokens(m, count),  # type: ignore[arg-type]
        formats=formats,
        rule_scores=RuleChannel(rules),
        similarity=_similarity(encoders),
        advance=advance,
        shrink=shrink,
        records=lambda text, tool, language: [(r.text, r.weight) for r in records(_bounded(text), tool, language)],
        sentences=lambda text: sentences(_bounded(text)),
        language=language_of,
        redactor=lambda key: _redactor(settings, key),
        repair=_repair,
        render=lambda kind, values, language: _templates(settings.templates.paths, settings.templates.shipped).render(kind, values, language),
        alike=_cosines(encoders),
    )


def _remembering(count: Callable[[str], int]) -> Callable[[str], int]:
    """The counter with a memory for long texts, which are counted many times in one call; the texts themselves are not held."""
    known: dict[tuple[int, int], int] = {}

    def remembered(text: str) -> int:
        if len(text) < _LONG_TEXT:
            return count(text)
        key = (len(text), hash(text))
        if key not in known:
            if len(known) > 512:
                known.clear()
            known[key] = count(text)
        return known[key]

    return remembered


def _repair(native: Sequence[Any], fmt: Format) -> tuple[list[Any], list[str]]:
    mended = repair_wire(native, fmt.name)
    return list(mended.messages), list(mended.notes)


def _rules(settings: Settings) -> RuleSet:
    if settings.rules.paths or not settings.rules.shipped:
        from surgeon.resources import resource

        shipped = [resource("rules")] if settings.rules.shipped else []
        return RuleSet.load([*shipped, *settings.rules.paths], settings.limits.regex_seconds)
    return _shipped_rules(settings.limits.regex_seconds)


@lru_cache(maxsize=4)
def _shipped_rules(seconds: float) -> RuleSet:
    return RuleSet.load(None, seconds)


@lru_cache(maxsize=4)
def _templates(paths: tuple[str, ...], shipped: bool) -> Any:
    from surgeon.resources import resource
    from surgeon.rewrite.templates import TemplateSet

    return TemplateSet.load([*([resource("templates")] if shipped else []), *paths])


def _analysers(settings: Settings) -> Any:
    return _shared_analysers(settings.limits.nlp_chars, settings.degrade)


@lru_cache(maxsize=4)
def _shared_analysers(nlp_chars: int, degrade: bool) -> Any:
    from surgeon.extract.nlp import Analysers
    from surgeon.settings import Limits

    return Analysers(Limits(nlp_chars=nlp_chars), degrade=degrade)  # type: ignore[call-arg]


@lru_cache(maxsize=1)
def _encoders() -> Any:
    from surgeon.scoring.encoder import Encoders

    return Encoders()


def _naming(rules: RuleSet, effect: str) -> Callable[[str], tuple[tuple[str, int, int], ...]]:
    """What rules of that effect name in a text: the last part of their id, and where."""
    own = RuleSet(tuple(r for r in rules.rules if r.rule.effect == effect), rules.seconds)

    @lru_cache(maxsize=8192)
    def named(text: str) -> tuple[tuple[str, int, int], ...]:
        return tuple((m.rule_id.rpartition(".")[2], m.start, m.end) for m in own.match(text))

    return named


Choose = Callable[[str], Encoder]  # the encoder of a language


def _encoder_for(encoder: Any) -> Choose:
    """The user's own encoder for every language, else the shipped ones; made at first use."""

    @lru_cache(maxsize=1)
    def made() -> Any:
        if encoder is None:
            return _encoders()
        from surgeon.scoring.encoder import Encoders

        return Encoders(encoder)

    def chosen(language: str) -> Encoder:
        model: Encoder = made().for_language(language)
        return model

    return chosen


def _cosines(chosen: Choose | None) -> Callable[[Sequence[str]], Sequence[Sequence[float]]] | None:
    """Cosines among texts, by the encoder of their language; None where no encoder is used."""
    if chosen is None:
        return None

    def cosines(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        vectors = chosen(language_of(" ".join(texts))).encode(texts)
        rows: list[list[float]] = (vectors @ vectors.T).tolist()
        return rows

    return cosines


def _similarity(chosen: Choose | None) -> Callable[[Sequence[Unit], Sequence[str], frozenset[str]], tuple[Mapping[str, Score], float]] | None:
    if chosen is None:
        return None
    channel = SimilarityChannel(chosen, language_of)

    def score(units: Sequence[Unit], targets: Sequence[str], skip: frozenset[str]) -> tuple[Mapping[str, Score], float]:
        scores = channel(units, targets, skip)
        return scores, channel.threshold(targets) if scores else 0.5

    return score


def _alike(chosen: Choose | None) -> Callable[[str, Sequence[str]], list[float]] | None:
    """Similarity of a statement to others, 1.0 where they surely are about the same; None where no encoder is used."""
    if chosen is None:
        return None

    def alike(text: str, others: Sequence[str]) -> list[float]:
        model = chosen(language_of(text))
        vectors = model.encode([text, *others])
        return [float(v) / (_SAME_SUBJECT * model.threshold) for v in vectors[1:] @ vectors[0]]

    return alike


def _shrink(part: Part, message: Message, unit: Unit, cap: int | None, query: str, following: str, count: Callable[[str], int], settings: Settings) -> Rewrite | None:
    if settings.policy.tool_result == "keep":
        return None
    if len(part.text) > _HUGE and cap is None:
        return None  # megabytes are not worth reading twice; under a budget only their ends are read
    if part.kind == "tool_call":
        return _shrink_call(part, cap, count)
    call = next((c for m in unit.messages for c in m.calls if c.call_id == part.call_id), None)
    keep = frozenset(w for w in _IDENT.findall(following) if len(w) > 2 and w in part.text) if following else frozenset()
    context = CompactContext(
        tool=(call.tool if call else None) or part.tool or "",
        arguments=call.text if call else "",
        query=query,
        language="zh" if language_of(part.text[:2_000] + following[:200]) == "zh" else "en",
        keep=frozenset(sorted(keep)[:_MAX_KEEP]),
        max_tokens=cap,
        count=count,  # type: ignore[arg-type]
    )
    templates = _templates(settings.templates.paths, settings.templates.shipped)
    if len(part.text) <= _HUGE:
        return compact_text(part.text, context, templates)
    ends, gone = _ends(part.text)
    made = compact_text(ends, context, templates) or Rewrite(ends, "ends")
    return Rewrite(made.text, made.by, "; ".join(s for s in (made.omitted, f"{gone:,} characters in the middle") if s))


def _bounded(text: str) -> str:
    return text if len(text) <= _HUGE else _ends(text)[0]


def _ends(text: str) -> tuple[str, int]:
    """The beginning and the end of a huge text at line borders (or, without lines, at blanks), and how many characters lie between."""
    half = _HUGE // 2
    head, tail = text[:half], text[-half:]
    for mark in ("\n", " ", ",", ";"):
        if mark in head[-2_000:] and mark in tail[:2_000]:
            head, tail = head[: head.rindex(mark) + 1], tail[tail.index(mark) + 1 :]
            break
    return f"{head}\n{tail}", len(text) - len(head) - len(tail)


def _shrink_call(part: Part, cap: int | None, count: Callable[[str], int]) -> Rewrite | None:
    """Long string arguments of old calls are left out whole; the JSON stays valid, short values stay byte for byte."""
    import json

    if cap is None or count(part.text) <= max(60, cap // 2):
        return None
    try:
        data = json.loads(part.text)
    except ValueError:
        return None
    if not isinstance(data, dict):
        return None
    short = {k: v if len(json.dumps(v, ensure_ascii=False)) <= 200 else f"[{len(json.dumps(v, ensure_ascii=False))} characters left out]" for k, v in data.items()}
    return Rewrite(json.dumps(short, ensure_ascii=False), "arguments", "long arguments") if short != data else None


class _NoRedactor:
    def __call__(self, text: str, analysis: Any = None, level: str = "archive") -> tuple[str, list[Any]]:
        return text, []

    def reveal(self, text: str) -> str:
        return text

    def known(self, text: str) -> str:
        return text


_redactors: dict[tuple[str, str, str, str], Redactor] = {}
_redactor_lock = threading.Lock()

def _redactor(settings: Settings, key: str) -> Redactor:
    """One redactor a conversation, so that two values with one mask keep their suffixes."""
    policy = settings.redaction
    if policy.context == "off" and policy.archive == "off":
        return _NoRedactor()
    from surgeon.redact.engine import Redactor as Engine_
    from surgeon.redact.vault import derive_key

    name = (key, policy.context, policy.archive, policy.key or "")
    with _redactor_lock:
        if name not in _redactors:
            if len(_redactors) > 512:
                _redactors.pop(next(iter(_redactors)))
            analyse = _analysers(settings)
            _redactors[name] = Engine_(policy, derive_key(key, policy.key or ""), analyse=analyse, seconds=settings.limits.regex_seconds)
        return _redactors[name]


def make_archive(settings: Settings, private: bool = False) -> Archive:
    """The archive of originals: a private one in memory, or the SQLite file of the settings (default: the user's data directory)."""
    from surgeon.stores.archive import SqliteArchive

    path = ":memory:" if private else settings.stores.path or str(default_path())
    if path.startswith(("chroma", "qdrant", "http")):
        raise SettingsError(f"archive '{path.partition(':')[0]}' is not available in this version", "stores.path", "give a file name or :memory:")
    return SqliteArchive(path, timeout=settings.stores.timeout, tokenise=_tokenise)


def make_sessions(settings: Settings) -> Any:
    """The store of session state beside the archive: same file, or memory."""
    from surgeon.stores.sessions import MemorySessions, SqliteSessions

    path = settings.stores.path or str(default_path())
    return MemorySessions() if path == ":memory:" else SqliteSessions(path)


def default_path() -> Path:
    """The SQLite file in the user's data directory."""
    from platformdirs import user_data_dir

    return Path(user_data_dir("surgeon", appauthor=False)) / "surgeon.db"


def _tokenise(text: str) -> list[str]:
    """Words for the full-text index that a segmenter must find; Latin words need none, and a language model for them would cost most of a turn."""
    if not _CHINESE.search(text):
        return []
    return [w.text for w in _shared_analysers(20_000, True)(text).words] if _CJK.search(text) else []
