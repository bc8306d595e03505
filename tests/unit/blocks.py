"""What tests of the dialogue section share: the block of a compacted conversation."""

from __future__ import annotations

from typing import Any

from surgeon import compact


def block(messages: list[dict[str, str]], budget: int, settings: dict[str, Any]) -> str:
    """The block of the compacted conversation; compacting again changes nothing."""
    result = compact(messages, budget=budget, settings=settings)
    again = compact(list(result.messages), budget=budget, settings=settings, state=result.state)
    assert list(again.messages) == list(result.messages)
    return str(result.messages[0]["content"])
