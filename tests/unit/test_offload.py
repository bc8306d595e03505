"""Removed messages as records: what weighs more, and what stands together."""

from __future__ import annotations

import json
from typing import Any

from surgeon.decide import Verdict
from surgeon.formats.detect import get
from surgeon.offload import from_units
from surgeon.rewrite.prose import sentences
from surgeon.segment import segment
from surgeon.select import Candidate


def candidates(*native: Any) -> list[Candidate]:
    """Records of OpenAI messages whose units all score nothing."""
    units = segment(get("openai_chat").read(list(native)))
    verdicts = {u.id: Verdict("drop", 0.0, ()) for u in units}
    return from_units(units, verdicts, lambda text, tool, language: [(text, 0.5)], sentences, None, "en")[1]


def test_a_statement_does_not_depend_on_the_score_of_its_message() -> None:
    """A preference in a message that the gates drop weighs far more than narration there; from an assistant it does not."""
    said, told, heard = candidates(
        {"role": "user", "content": "She prefers the aisle."}, {"role": "user", "content": "Walking along the pier."}, {"role": "assistant", "content": "She prefers the aisle."},
    )  # fmt: skip
    assert said.weight > 5 * told.weight
    assert said.weight > 5 * heard.weight
    assert said.news


def test_what_a_call_gave_back_stands_apart_from_what_it_lists() -> None:
    """The plain fields at the top of a result are one short record."""
    result = {"booking": "B-88", "paid": True, "note": None, "others": {f"B-{n}": {"day": f"2031-05-{n:02}"} for n in range(10, 25)}}
    call = {"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"day": "2031-05-09"}'}}
    found = candidates({"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c1", "content": json.dumps(result)})
    assert "booking: B-88, paid: true" in [c.text for c in found]
    assert next(c for c in found if "2031-05-09" in c.text).news
