"""Token counters: exact ones offline, an estimate that is near and seldom low."""

from __future__ import annotations

import hashlib
import json
import random
import time
import uuid

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from surgeon.errors import SettingsError
from surgeon.formats import get
from surgeon.resources import resource
from surgeon.text.tokens import counter, message_tokens

ENGLISH = (
    "The customer called on Tuesday to change the delivery address. She said that the parcel must arrive before noon, because the office "
    "closes early, and that nobody may leave it with the neighbours. We confirmed the time and promised to send a message when the driver "
    "is on the way. If the budget is exceeded, the manager approves it first. "
)
CHINESE = (
    "客户周二打电话要求修改送货地址。她说包裹必须在中午之前送到，因为办公室关门比较早，而且不能放在邻居家里。我们确认了新的时间，"
    "并答应司机出发时发消息通知她。如果超出预算，订单需要经理先批准。另外，她希望发票抬头写公司的全称，不要写个人姓名。"
)


def _varied() -> dict[str, str]:
    """Texts of every class, made by a seeded generator."""
    rng = random.Random(7)
    rows = [{"id": f"C{rng.randrange(10_000)}", "name": rng.choice(["Ann Lee", "王小明"]), "total": rng.random() * 100} for _ in range(30)]
    levels, parts = ["INFO", "WARN", "ERROR"], ["OrderService", "db.Pool", "auth.Filter"]
    log = "\n".join(
        f"2026-03-{rng.randrange(1, 29):02} 10:{rng.randrange(60):02}:07,{rng.randrange(999):03} {rng.choice(levels)} "
        f"com.example.{rng.choice(parts)} - request {rng.randrange(10**6)} took {rng.randrange(5000)} ms"
        for _ in range(40)
    )
    code = "\n".join(
        f"def handle_request_{i}(self, request: Request, *, timeout: float = {i}.5) -> Response:\n"
        f"    if not request.user.is_authenticated:\n        raise PermissionError(f'user {{request.user}} may not')\n"
        f"    return self._client.post('/api/v2/items/{i}', json=request.data)"
        for i in range(20)
    )
    return {
        "english": ENGLISH * 3,
        "chinese": CHINESE * 3,
        "mixed": (ENGLISH[:120] + CHINESE[:60]) * 4,
        "json": json.dumps(rows, ensure_ascii=False),
        "json_indented": json.dumps(rows, indent=2, ensure_ascii=False),
        "log": log,
        "code": code,
        "numbers": " ".join(str(rng.randrange(10**8)) for _ in range(150)),
        "hex": " ".join(hashlib.sha256(bytes([i])).hexdigest() for i in range(20)),
        "uuid": "\n".join(str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(20)),
        "table": "\n".join(f"| {i:>5} | {rng.randrange(9999):>8} | {rng.choice(['open', 'closed'])} |" for i in range(40)),
        "blanks": ("x" + " " * 40 + "\n") * 40,
    }


@pytest.mark.parametrize(("name", "text"), _varied().items())
def test_estimate_is_near_and_not_low(name: str, text: str) -> None:
    """Against cl100k the estimate is at most 5 % low and 25 % high in every class of text."""
    ratio = counter("estimate")(text) / counter("cl100k")(text)
    assert 0.95 <= ratio <= 1.25, (name, ratio)


def test_exact_counts() -> None:
    """Known counts of both vocabularies, special tokens taken as plain text."""
    cl100k, o200k = counter("cl100k"), counter("o200k")
    assert (cl100k("hello world"), o200k("hello world")) == (2, 2)
    assert (cl100k("你好，世界。"), o200k("你好，世界。")) == (7, 4)
    assert cl100k("<|endoftext|>") > 1
    assert cl100k("") == o200k("") == 0


def test_shipped_vocabularies_match_the_lock_file() -> None:
    """The lock file states the checksum, size and licence of each vocabulary."""
    folder = resource("models") / "tokens"
    for entry in yaml.safe_load((folder / "LOCK.yaml").read_text("utf-8")):
        data = (folder / entry["file"]).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data), entry["licence"]) == (entry["sha256"], entry["size"], "MIT")


@pytest.mark.parametrize("name", ["estimate", "cl100k", "o200k"])
def test_hostile_texts_take_linear_time(name: str) -> None:
    """Long runs of one class and lone surrogates are counted quickly."""
    count = counter(name)
    count("warm")
    for piece in ("a", "-_", " ", "\n ", "改", "\ud800", "👍🏽", "aB3+", "e\u0301"):
        text = piece * (300_000 // len(piece))
        begun = time.perf_counter()
        assert count(text) > 0
        assert time.perf_counter() - begun < 60, piece


@pytest.mark.parametrize("name", ["estimate", "cl100k", "o200k"])
@given(st.text(max_size=200))
@settings(max_examples=40, deadline=None)
def test_counts_are_sane(name: str, text: str) -> None:
    """Any text has a count that is not negative, the same each time, and zero only for an empty text."""
    count = counter(name)
    assert count(text) == count(text)
    assert (count(text) > 0) == bool(text)


def test_counter_by_name_or_callable() -> None:
    """A callable is used as it is; an unknown name says what exists."""
    assert counter(len) is len
    with pytest.raises(SettingsError, match="cl100k"):
        counter("gpt2")


def test_message_tokens() -> None:
    """Text, calls printed as name(arguments), the price of an image, and four a message."""
    native = {
        "role": "assistant",
        "content": [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "data:"}}],
        "tool_calls": [{"id": "c", "function": {"name": "get", "arguments": '{"a": 1}'}}],
    }
    message = get("openai_chat", image_tokens=700).read([native])[0]
    assert message_tokens(message, len) == len('see\nget({"a": 1})') + 700 + 4
