"""Presidio on the shared NLP pass: its recognisers and context words, fed with our words and names instead of a second model run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from surgeon.redact.patterns import NOT_AN_ID, Found, Scope
from surgeon.types import Analysis

_TYPES: dict[str, tuple[str, Scope, float]] = {  # presidio's type: ours, scope, and the score below which it is a guess
    "IBAN_CODE": ("IBAN", "number", 0.5),
    "US_DRIVER_LICENSE": ("DRIVER_LICENSE", "personal", 0.6),
    "US_PASSPORT": ("PASSPORT", "personal", 0.4),
    "US_ITIN": ("TAX_ID", "personal", 0.5),
    "US_BANK_NUMBER": ("BANK_ACCOUNT", "personal", 0.4),
    "UK_NHS": ("HEALTH_ID", "personal", 0.9),
    "CRYPTO": ("CRYPTO", "personal", 0.5),
    "PHONE_NUMBER": ("PHONE", "number", 0.7),
}
_MAX_CHARS = 20_000
_MAX_DIGITS = 400  # a text with more numbers than this is a table, whose phone numbers the patterns find


class PresidioRecognisers:
    """The presidio analyser, made when first used; no network, no model of its own. Thread-safe."""

    def __init__(self) -> None:
        """Loads nothing yet."""
        self._engine: Any = None
        self._lock = threading.Lock()

    def find(self, text: str, analysis: Analysis) -> Iterator[Found]:
        """What presidio finds with enough confidence, in our types; nothing for a text without digits or a very long one."""
        digits = sum(c.isdigit() for c in text[:_MAX_CHARS])
        if digits < 6 or digits > _MAX_DIGITS or len(text) > _MAX_CHARS:
            return
        with self._lock:
            if self._engine is None:
                self._engine = _make_engine()
            results = self._engine.analyze(
                text, "en", entities=list(_TYPES), nlp_artifacts=_artifacts(analysis, self._engine.nlp_engine), score_threshold=0.4
            )
        for result in results:
            kind, scope, enough = _TYPES[result.entity_type]
            digits = sum(c.isdigit() for c in text[result.start : result.end])
            if result.score >= enough and digits >= 4 and not NOT_AN_ID.search(text[max(0, result.start - 40) : result.start]):
                yield Found(result.start, result.end, kind, scope, 4)


def _artifacts(analysis: Analysis, engine: Any) -> Any:
    from presidio_analyzer.nlp_engine import NlpArtifacts

    words: Any = [w.text for w in analysis.words]  # presidio only asks for the length of each
    starts = [w.start for w in analysis.words]
    return NlpArtifacts([], words, starts, [w.lower() for w in words], engine, "en")


def _make_engine() -> Any:
    """An AnalyzerEngine whose registry holds only the recognisers named here and whose NLP engine never runs.

    Its e-mail recogniser is left out: it would fetch a public-suffix list from the network, and ours needs none.
    """
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer import predefined_recognizers as shipped
    from presidio_analyzer.nlp_engine import NlpEngine

    class Shared(NlpEngine):  # type: ignore[misc, unused-ignore]
        """Stands where presidio expects a model; our analysis is passed in with every call."""

        def load(self) -> None:
            """Nothing to load."""

        def is_loaded(self) -> bool:
            """Always."""
            return True

        def process_text(self, text: str, language: str) -> Any:
            """No words and no names."""
            return _artifacts(Analysis(text, language), self)

        def process_batch(self, texts: Any, language: str, batch_size: int = 1, n_process: int = 1, **kwargs: Any) -> Any:
            """No words and no names, for each text."""
            return ((text, self.process_text(text, language)) for text in texts)

        def is_stopword(self, word: str, language: str) -> bool:
            """Short words carry no context."""
            return len(word) < 3

        def is_punct(self, word: str, language: str) -> bool:
            """Whether a word has neither letter nor digit."""
            return not any(c.isalnum() for c in word)

        def get_supported_entities(self) -> list[str]:
            """None: names come from elsewhere."""
            return []

        def get_supported_languages(self) -> list[str]:
            """English only; Chinese has recognisers of its own."""
            return ["en"]

    names = (
        "IbanRecognizer",
        "UsLicenseRecognizer",
        "UsPassportRecognizer",
        "UsItinRecognizer",
        "UsBankRecognizer",
        "NhsRecognizer",
        "CryptoRecognizer",
    )
    recognisers = [getattr(shipped, name)() for name in names]
    recognisers.append(shipped.PhoneRecognizer(supported_regions=("US", "GB")))
    registry = RecognizerRegistry(recognizers=recognisers, supported_languages=["en"])
    return AnalyzerEngine(registry=registry, nlp_engine=Shared(), supported_languages=["en"])
