"""Stub."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgeon.formats.common import Repaired
from surgeon.types import WireIssue


def check(messages: Sequence[Any]) -> list[WireIssue]:
    """."""
    return []
def repair(messages: Sequence[Any]) -> Repaired:
    """."""
    return Repaired(list(messages), [])
