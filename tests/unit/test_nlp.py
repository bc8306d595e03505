"""One NLP pass per text, in English and Chinese, with real models."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import surgeon.models
from surgeon.errors import ModelError
from surgeon.extract.nlp import Analysers
from surgeon.settings import Limits
from surgeon.types import Analysis


@pytest.fixture(scope="module")
def analysers() -> Analysers:
    return Analysers()


def _found(analysis: Analysis) -> set[tuple[str, str]]:
    return {(e.label, e.text) for e in analysis.entities}


def test_english_names_places_and_dates(analysers: Analysers) -> None:
    """Labels are ours, not the model's."""
    got = _found(analysers("Martin Keller from Leeds will pay 200 dollars to Acme Corp next Tuesday."))
    assert {("PERSON", "Martin Keller"), ("LOC", "Leeds"), ("DATE", "next Tuesday"), ("MONEY", "200 dollars")} <= got


def test_chinese_names_places_and_times(analysers: Analysers) -> None:
    """LAC's labels become ours; a clock time is a TIME, a day a DATE."""
    got = _found(analysers("李小红明天下午三点在北京市和王建国见面。"))
    assert {("PERSON", "李小红"), ("PERSON", "王建国"), ("DATE", "明天"), ("TIME", "下午三点"), ("LOC", "北京市")} <= got


def test_mixed_text_gets_both_models(analysers: Analysers) -> None:
    """Chinese spans come from the Chinese model, Latin ones from the English model."""
    got = _found(analysers("帮我给 John Miller 发邮件 about the quarterly report and the new budget, 抄送王建国"))
    assert {("PERSON", "John Miller"), ("PERSON", "王建国")} <= got


@pytest.mark.parametrize(
    "text", ["Please call Maria Lopez in Madrid. 🙂 Thanks!", "请联系王建国，他在上海🙂。\n谢谢", "x\ud800y Anna Berg"]
)
def test_offsets_point_into_the_text(analysers: Analysers, text: str) -> None:
    """Entities and words are slices of the source, emoji and lone surrogates or not."""
    analysis = analysers.analyse(text)
    assert analysis.text == text
    assert all(text[s.start : s.end] == s.text for s in (*analysis.entities, *analysis.words) if "?" not in s.text)


def test_same_text_is_read_once(analysers: Analysers) -> None:
    """The analysis is remembered, also between threads."""
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(analysers.analyse, ["Tomas lives in Porto."] * 8))
    assert all(r == results[0] for r in results)
    assert analysers.analyse("Tomas lives in Porto.") is analysers.analyse("Tomas lives in Porto.")


def test_long_text_gets_no_model_pass() -> None:
    """Above the limit only the language is told."""
    analysis = Analysers(Limits(nlp_chars=10)).analyse("Martin Keller from Leeds pays.")  # type: ignore[call-arg]
    assert (analysis.language, analysis.entities) == ("en", ())


def test_missing_model_names_the_repair_or_degrades(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `degrade` a missing model is an error with a command; with it, a warning and no entities."""
    locked = surgeon.models.read_lock()
    gone = {
        name: surgeon.models.LockedModel(name, m.about, m.source, m.licence, m.repair, m.files, "no_such_module")
        for name, m in locked.items()
    }
    monkeypatch.setattr(surgeon.models, "read_lock", lambda folder=None: gone)
    monkeypatch.setattr(surgeon.models, "_verified", {})
    with pytest.raises(ModelError, match="pip install"):
        Analysers().analyse("李小红在北京。")
    lenient = Analysers(degrade=True)
    assert lenient.analyse("李小红在北京。").entities == ()
    assert lenient.analyse("王建国在上海。").language == "zh"
    assert len(lenient.warnings) == 1
