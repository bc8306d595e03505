"""The provider's validity rules, by format: `check_wire` finds violations, `repair_wire` mends them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgeon.formats import wire_anthropic, wire_openai, wire_transcript
from surgeon.formats.common import Repaired
from surgeon.formats.detect import resolve
from surgeon.types import WireIssue

_RULES = {"openai_chat": wire_openai, "anthropic": wire_anthropic, "claude_code": wire_transcript}


def check_wire(messages: Sequence[Any], format: str = "auto", **options: Any) -> list[WireIssue]:  # noqa: A002
    """The provider's rules that these messages break, in order of position; empty when valid.

    Options: `thinking` (True, False or None for unknown) for the rules that depend on the model's mode; for Anthropic also `tools`
    (False: none are defined), `prefill` (False: the model accepts no final assistant message) and `original` (the messages before
    they were changed, which the rules on signed thinking compare with).
    """
    found = resolve(messages, format)
    rules = _RULES.get(found.name)
    return rules.check(messages, **options) if rules else found.check(messages)


def repair_wire(messages: Sequence[Any], format: str = "auto") -> Repaired:  # noqa: A002
    """The messages with their own issues mended, and a note for each mend. Messages without an issue come back as the same objects."""
    found = resolve(messages, format)
    rules = _RULES.get(found.name)
    return rules.repair(messages) if rules else Repaired(found.repair(messages), [])
