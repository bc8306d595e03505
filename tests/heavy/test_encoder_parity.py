"""The shipped MiniLM against sentence-transformers on torch, from the original weights."""

from __future__ import annotations

import numpy as np
import pytest

from surgeon.scoring.encoder import MiniLM
from surgeon.scoring.models_build import parity, reference_vectors
from surgeon.scoring.models_texts import check_texts

pytestmark = pytest.mark.heavy

TARGETS = ["When is the invoice for September due?", "Cancel the flight to Porto", "retry after connection reset in the gateway"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return check_texts(400, seed=23)


@pytest.fixture(scope="module")
def reference(texts: list[str]) -> np.ndarray:
    return reference_vectors([*TARGETS, *texts])


@pytest.fixture(scope="module")
def shipped(texts: list[str]) -> np.ndarray:
    return MiniLM().encode([*TARGETS, *texts])


def test_vectors_match_the_reference(reference: np.ndarray, shipped: np.ndarray) -> None:
    """Mean cosine at least 0.99, lowest 0.96, Spearman of pairwise similarities 0.99, on texts the build did not see."""
    assert parity(reference, shipped).good


def test_decisions_match_the_reference(reference: np.ndarray, shipped: np.ndarray) -> None:
    """Related or not, judged at the encoder's threshold: 97 of 100 verdicts agree, and the nearest text is near here too."""
    k = len(TARGETS)
    wanted, got = reference[k:] @ reference[:k].T, shipped[k:] @ shipped[:k].T
    assert ((wanted >= MiniLM.threshold) == (got >= MiniLM.threshold)).mean() >= 0.97
    for column in range(k):
        assert wanted[:, column].argmax() in np.argsort(-got[:, column])[:3]
