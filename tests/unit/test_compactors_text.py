"""Typed compactors for terminal output, tables, code, pages and prose; no text hangs them."""

from __future__ import annotations

import time

import pytest

from surgeon.rewrite import CompactContext, compact_text, records
from surgeon.rewrite.compactors import recognise

LOG = "\n".join(
    [f"2026-03-03 10:00:{i:02d} INFO worker handled job {i} in {i * 7} ms" for i in range(40)]
    + [f"2026-03-03 10:01:{i:02d} INFO heartbeat ok" for i in range(30)]
    + ["2026-03-03 10:02:00 ERROR payment SO-7031 refused", "Traceback (most recent call last):", '  File "/srv/pay.py", line 8, in run',
       "ValueError: 余额不足", "2026-03-03 10:02:01 INFO worker handled job 41 in 9 ms"]
)  # fmt: skip
PYTEST = "\n".join(
    ["=== test session starts ===", *[f"tests/test_a.py::test_{i} PASSED" for i in range(60)], "=== FAILURES ===", "____ test_total ____",
     "    def test_total():", ">       assert total() == 3", "E       assert 2 == 3", "E        +  where 2 = total()",
     "tests/test_a.py:88: AssertionError",
     "=== short test summary info ===", "FAILED tests/test_a.py::test_total - assert 2 == 3", "=== 1 failed, 60 passed in 1.20s ==="]
)  # fmt: skip
CARGO = "\n".join(
    [*[f"test util::case_{i} ... ok" for i in range(40)], "test route::slash ... FAILED", "---- route::slash stdout ----",
     "thread 'route::slash' panicked at src/route.rs:41:5:", "assertion `left == right` failed", "  left: 2", " right: 3",
     "test result: FAILED. 40 passed; 1 failed; 0 ignored"]
)  # fmt: skip
DIFF = """diff --git a/shop/cart.py b/shop/cart.py
index 83db48f..bf269f4 100644
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -1,9 +1,9 @@ class Cart:
 import decimal
 import typing
 from shop import money
 from shop import rates
-    limit = 10
+    limit = 12
 def one():
     return 1
 def two():
     return 2
@@ -40,7 +40,7 @@ def total(self):
     start = 0
     lines = self.lines
     for line in lines:
-        start += line.price
+        start += line.price * line.count
     return start
     # done
"""
GREP = "\n".join(f"src/app/views/orders.py:{n}:    state = load_order(request, number={n})" for n in range(10, 50))
CSV = "id,name,city,balance\n" + "\n".join(f"{i},n{i},{'杭州' if i == 7 else 'Lisbon'},{i}.50" for i in range(60))
MARKDOWN = "| id | name | state |\n|----|------|-------|\n" + "\n".join(
    f"| {i} | item{i} | {'error' if i == 9 else 'ok'} |" for i in range(40)
)
LISTING = "\n".join(f"src/pkg/mod_{i}.py" for i in range(60))
CODE = "import os\nimport sys\n\n" + "\n\n".join(
    f"def step_{i}(value):\n    result = value + {i}\n    log.debug(result)\n    return result\n" for i in range(30)
)
PAGE = (
    "<html><head><style>p {color: red}</style><script>var a = 1;</script></head><body>"
    + "<div class='wide'><p>Ferry leaves at <b>06:20</b> from <a href='https://pier.example.com/3'>pier 3</a>.</p></div>" * 12
    + "</body></html>"
)
SAMPLES = {"log": LOG, "tests": PYTEST, "diff": DIFF, "search": GREP, "table": CSV, "listing": LISTING, "code": CODE, "html": PAGE}


@pytest.mark.parametrize("name", SAMPLES)
def test_each_kind_is_recognised(name: str) -> None:
    """The compactor that fits takes the text."""
    parsed = recognise(SAMPLES[name])
    assert parsed is not None
    assert parsed.name == name


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("limit", [None, 90, 200])
def test_results_are_smaller_and_within_the_limit(name: str, limit: int | None) -> None:
    """Never larger than the source; within the tokens wanted, with a note of what is missing."""
    count = CompactContext().count
    made = compact_text(SAMPLES[name], CompactContext(max_tokens=limit))
    if made is None:
        assert limit is None or count(SAMPLES[name]) <= limit
        return
    assert count(made.text) < count(SAMPLES[name])
    if limit is not None:
        assert count(made.text) <= limit
    if limit is not None and name != "html":
        assert bool(made.omitted) == ("left out]" in made.text)


def test_log_folds_repeats_and_keeps_errors_whole() -> None:
    """Equal events become one with count and last time; the stack trace stays with its event."""
    whole = compact_text(LOG, CompactContext())
    assert whole is not None
    assert "2026-03-03 10:01:00 INFO heartbeat ok  [×30, last 2026-03-03 10:01:29]" in whole.text
    assert whole.text.count("handled job") == 41
    small = compact_text(LOG, CompactContext(max_tokens=120))
    assert small is not None
    error = 'ERROR payment SO-7031 refused\nTraceback (most recent call last):\n  File "/srv/pay.py", line 8, in run\nValueError: 余额不足'
    assert error in small.text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (PYTEST, ["1 failed, 60 passed in 1.20s", "FAILED tests/test_a.py::test_total", "E       assert 2 == 3", "tests/test_a.py:88"]),
        (CARGO, ["test route::slash ... FAILED", "panicked at src/route.rs:41:5", "left: 2", "test result: FAILED. 40 passed"]),
    ],
)
def test_test_runs_keep_what_failed_and_where(text: str, wanted: list[str]) -> None:
    """Counts, names, error lines and places survive a tight limit."""
    made = compact_text(text, CompactContext(max_tokens=150))
    assert made is not None
    assert made.by == "tests"
    assert [w for w in wanted if w not in made.text] == []


def test_diff_records_hold_file_hunk_and_changes() -> None:
    """A hunk is understood alone."""
    made = [r.text for r in records(DIFF)]
    assert any(t.startswith("shop/cart.py @@ -1,9") and "-    limit = 10\n+    limit = 12" in t for t in made)


def test_table_records_name_their_columns() -> None:
    """`column: value` for every cell; the header survives a limit."""
    assert records(CSV)[7].text == "id: 7, name: n7, city: 杭州, balance: 7.50"
    made = compact_text(MARKDOWN, CompactContext(max_tokens=80))
    assert made is not None
    assert made.text.startswith("id|name|state")
    assert "|9|item9|error|".strip("|") in made.text


def test_page_becomes_its_text() -> None:
    """Scripts and styles go, links stay."""
    made = compact_text(PAGE, CompactContext())
    assert made is not None
    assert "Ferry leaves at 06:20 from pier 3 (https://pier.example.com/3)." in made.text
    assert "color" not in made.text
    assert "var a" not in made.text


def test_base64_is_replaced_by_its_length() -> None:
    """A blob says nothing to a reader; an ordinary long word stays."""
    blob = "iVBORw0KGgoAAAANSUhEUgAAAAUA" * 40
    made = compact_text(f"the image is {blob} and its name is chart.png", CompactContext())
    assert made is not None
    assert made.text == f"the image is [base64, {len(blob)} chars] and its name is chart.png"
    assert compact_text("path " + "/very/long/folder" * 30, CompactContext()) is None


def test_digest_takes_whole_sentences() -> None:
    """Prose: identifiers and rules first, sentence by sentence."""
    filler = "It was a rather quiet morning and everyone went about their day. " * 12
    made = compact_text(filler + "The refund SO-7031 must not exceed 40 euros. " + filler, CompactContext(max_tokens=80))
    assert made is not None
    assert "The refund SO-7031 must not exceed 40 euros." in made.text
    assert "sentences left out]" in made.text


def test_digest_of_chinese() -> None:
    """Chinese sentences end at their own marks."""
    filler = "今天早上天气很好，大家都在忙自己的事情。" * 12
    made = compact_text(filler + "订单SO7031的退款不得超过40元。" + filler, CompactContext(max_tokens=90, language="zh"))
    assert made is not None
    assert "订单SO7031的退款不得超过40元。" in made.text
    assert "[略去 " in made.text


@pytest.mark.parametrize("text", ["total 3", "ok", "", "2 files changed", '{"a":1}', "好的，已完成。"])
def test_small_results_stay(text: str) -> None:
    """Below about 60 tokens nothing is won."""
    assert compact_text(text, CompactContext(max_tokens=5)) is None


@pytest.mark.parametrize("name", [*SAMPLES, "prose"])
def test_records_cover_the_values_of_the_source(name: str) -> None:
    """Identifiers of the source stand in some record."""
    text = SAMPLES.get(name, "Order SO-7031 left Lisbon at 06:20. It costs 70.00 euros.\n\n- pier 3\n  - ferry ZZ081\n")
    joined = "\n".join(r.text for r in records(text))
    for word in ("SO-7031", "06:20", "70.00", "ZZ081", "shop/cart.py", "mod_59.py", "step_29"):
        assert word in joined or word not in text


@pytest.mark.parametrize(
    "text",
    ["a" * 300_000, "[" * 300_000, "/a" * 150_000, ". " * 150_000, "\n" * 300_000, '"' * 300_000, "<a " * 100_000, "a:1:" * 70_000,
     "|a" * 150_000,
     "\x1b[" * 150_000, "a@" * 150_000, "1" * 300_000, "中" * 300_000, "E   x\n" * 50_000, "- " * 150_000, "\\" * 300_000, "`" * 300_000],
    ids=lambda t: repr(t[:4]),
)  # fmt: skip
def test_pathological_texts_are_read_in_linear_time(text: str) -> None:
    """Hostile lines cost no more than others."""
    began = time.perf_counter()
    records(text)
    compact_text(text, CompactContext(max_tokens=100))
    assert time.perf_counter() - began < 60
