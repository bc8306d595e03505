"""The shipped examples run, are what they claim to be, and come out right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from surgeon import Compaction, Surgeon, check_wire
from surgeon.cli.common import with_rounds
from surgeon.formats import load_conversation
from surgeon.types import Fact

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CASES = (("agent_run_en.json", 3_000), ("agent_run_anthropic.json", 3_000), ("service_chat_zh.json", 900))
FIRST_ADDRESS = "杭州市西湖区文三路128号"


def _compacted(name: str, budget: int) -> tuple[list[Any], Compaction, str]:
    loaded = load_conversation(EXAMPLES / name)
    surgeon = Surgeon({"stores": {"path": ":memory:"}, "tokens": {"counter": "cl100k"}})
    return loaded.messages, surgeon.compact(loaded.messages, budget, format=loaded.format.name), loaded.format.name


def _script(name: str, tmp_path: Path) -> str:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, str(EXAMPLES / name)], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


@pytest.mark.parametrize(("name", "budget"), CASES)
def test_compacted_within_budget_and_valid(name: str, budget: int) -> None:
    """Smaller, within the budget by exact count, no wire issue before or after, the newest message untouched."""
    messages, result, fmt = _compacted(name, budget)
    assert check_wire(messages, fmt) == []
    assert check_wire(result.messages, fmt) == []
    assert result.report.tokens_after <= budget < result.report.tokens_before
    assert result.messages[-1] is messages[-1]


def test_the_examples_are_long_enough() -> None:
    """At least 40 messages of an agent with parallel calls, at least 40 rounds of a dialogue."""
    agent = json.loads((EXAMPLES / "agent_run_en.json").read_text("utf-8"))
    assert len(agent) >= 40
    assert any(len(m.get("tool_calls", ())) > 1 for m in agent)
    loaded = load_conversation(EXAMPLES / "service_chat_zh.json")
    assert with_rounds(loaded.format.read(loaded.messages))[-1].round >= 40


def _address(facts: list[Fact]) -> Fact:
    found = [f for f in facts if f.key.startswith("address") and f.status == "active"]
    assert len(found) == 1
    return found[0]


def test_the_restored_address_is_the_first_one() -> None:
    """Changed three times, then restored: the value of round 3 in the snapshot, all others in its history, none of them current."""
    _, result, _ = _compacted("service_chat_zh.json", 900)
    fact = _address(list(result.snapshot.facts.values()))
    assert (fact.value, fact.action, fact.source_round) == (FIRST_ADDRESS, "restore", 3)
    values = [c.value for c in fact.history]
    assert len(values) >= 4
    for middle in ("江南大道56号", "江南大道65号", "文一西路969号"):
        assert any(middle in v for v in values)
    assert any(f.kind == "constraint" and "严禁放快递柜" in f.value for f in result.snapshot.facts.values())


def test_the_compacted_chat_answers_the_last_question() -> None:
    """The last user asks for the address and the prohibition: both stand in what is sent."""
    _, result, _ = _compacted("service_chat_zh.json", 900)
    sent = json.dumps(result.messages, ensure_ascii=False)
    assert FIRST_ADDRESS in sent
    assert "严禁放快递柜" in sent


def test_the_agent_keeps_what_it_must_obey() -> None:
    """The prohibition of the first turn survives verbatim, the corrected port is current."""
    _, result, _ = _compacted("agent_run_en.json", 3_000)
    assert "Never touch deploy/prod.yml" in json.dumps(result.messages)
    ports = [f for f in result.snapshot.active() if f.key.startswith("port")]
    assert [f.value for f in ports] == ["8083"]


def test_the_demo_is_readable_in_a_terminal(tmp_path: Path) -> None:
    """Sizes, snapshot, conversation and reasons, no line wider than 100 columns."""
    out = _script("demo.py", tmp_path)
    for part in ("before and after", "intent", "facts", "the compacted conversation", "why"):
        assert part in out
    assert max(cell_len(line) for line in out.splitlines()) <= 100
    assert not list(tmp_path.iterdir())


def test_the_quickstart_runs(tmp_path: Path) -> None:
    """The ten lines of the quick start work and write nothing into the user's folder."""
    out = _script("quickstart.py", tmp_path)
    assert "recalled from round" in out
    assert "8083" in out
    assert not list(tmp_path.iterdir())
