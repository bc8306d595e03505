"""The embedding channel: how near a unit is to the current intent and to the question, by cosine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from surgeon.protocols import Encoder
from surgeon.types import Reason, Score, Unit

_HEAD = 140  # characters of a unit that are encoded: its topic stands at the start, and cost grows with length


@dataclass(frozen=True, slots=True)
class SimilarityChannel:
    """Scores units by their nearest target. `encoder_for` gives the encoder of a language; all texts of one call use the same one."""

    encoder_for: Callable[[str], Encoder]
    language_of: Callable[[str], str]
    name: str = "similarity"

    def __call__(self, units: Sequence[Unit], targets: Sequence[str], skip: frozenset[str] = frozenset()) -> dict[str, Score]:
        """A Score per unit (similarity only, 0..1). Tool results and units in `skip` are not encoded: their rules decide."""
        wanted = [t for t in targets if t.strip()]
        texts = {u.id: _text(u) for u in units if u.id not in skip and u.kind in ("user", "assistant")}
        texts = {k: v for k, v in texts.items() if v.strip()}
        if not wanted or not texts:
            return {}
        sample = " ".join([*wanted, *list(texts.values())[:20]])
        encoder = self.encoder_for(self.language_of(sample))
        vectors = encoder.encode([*wanted, *texts.values()])
        near = vectors[len(wanted):] @ vectors[: len(wanted)].T
        out: dict[str, Score] = {}
        for row, (unit, _) in enumerate(texts.items()):
            best = int(near[row].argmax())
            cosine = float(near[row, best])
            reason = Reason("similarity", "near_question" if best else "near_intent", round(cosine, 4), f"cosine {cosine:.2f}, threshold {encoder.threshold:.2f}")
            out[unit] = Score(total=cosine, similarity=cosine, reasons=(reason,))
        return out

    def threshold(self, targets: Sequence[str]) -> float:
        """The cosine above which the encoder of these texts calls two texts related."""
        return self.encoder_for(self.language_of(" ".join(targets))).threshold


def _text(unit: Unit) -> str:
    return " ".join(m.prose for m in unit.messages)[:_HEAD]


def scaled(cosine: float, threshold: float) -> float:
    """Cosine on a scale where the encoder's own threshold is 0.5, so that encoders can share gates."""
    if cosine <= threshold:
        return max(0.0, 0.5 * cosine / max(threshold, 1e-6))
    return min(1.0, 0.5 + 0.5 * (cosine - threshold) / max(1e-6, 1 - threshold))



