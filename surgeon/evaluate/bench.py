"""How fast this machine is: milliseconds per ingested message, a whole compaction, the import, and memory.

Models are loaded and warm before anything is timed. Every run uses texts that no run before it used, so that no cache answers.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from surgeon.session import Surgeon

_PER_RUN = 40
_QUIET = {"stores": {"path": ":memory:"}}

_EN = (
    "Please move the delivery of order {n} to {hour} pm on Thursday and send the invoice to Harbor Street {n}, Springfield.",
    "The staging server listens on port {port} now; do not restart it before Anna Miller has confirmed build {n}.",
    "I compared both quotes: {n} euros from Northwind, {port} from Contoso. Take the cheaper one unless support is missing.",
    "Why does the import of file report_{n}.csv fail with code {port}? It worked on Monday, before the update to version 4.{hour}.",
)
_ZH = (
    "请把订单{n}改到周四下午{hour}点送，发票寄到上海市浦东新区世纪大道{n}号，收件人王小明。",
    "测试环境的端口改成{port}了，在李娜确认第{n}次构建之前不要重启服务器。",
    "两家报价我都看了：甲方{n}元，乙方{port}元。除非没有售后，否则选便宜的那家。",
    "文件report_{n}.csv导入失败，错误码{port}，周一升级到4.{hour}版本之前还是好的，为什么？",
)


class Figure(NamedTuple):
    """One measurement: median and p90 over everything, and the lowest and highest median of a run."""

    name: str
    unit: str
    median: float
    p90: float
    low: float
    high: float
    n: int


def measure(runs: int = 3) -> list[Figure]:
    """All figures, each measured in `runs` runs."""
    surgeon = Surgeon(_QUIET)
    _warm(surgeon)
    parts: list[tuple[str, Callable[[int], list[float]]]] = [
        ("ingest, English message", lambda r: _ingest(surgeon, f"en{r}", _chat(_EN, r))),
        ("ingest, Chinese message", lambda r: _ingest(surgeon, f"zh{r}", _chat(_ZH, r))),
        ("ingest, tool result of 2,000 tokens", lambda r: _ingest(surgeon, f"tool{r}", _results(r))),
        ("compact, 200 messages, half of them English", lambda r: _compactions(surgeon, r)),
        ("import surgeon", lambda _: _import("import surgeon")),
        ("from surgeon import compact", lambda _: _import("from surgeon import compact")),
    ]
    figures = [_figure(name, "ms", [one(r) for r in range(runs)]) for name, one in parts]
    memory = _memory()
    return [*figures, Figure("memory, highest resident", "MB", memory, memory, memory, memory, 1)] if memory else figures


def _figure(name: str, unit: str, runs: list[list[float]]) -> Figure:
    values = sorted(v for run in runs for v in run)
    medians = [statistics.median(run) for run in runs]
    p90 = values[min(len(values) - 1, int(0.9 * len(values)))]
    middle, low, high = round(statistics.median(values), 2), round(min(medians), 2), round(max(medians), 2)
    return Figure(name, unit, middle, round(p90, 2), low, high, len(values))


def _warm(surgeon: Surgeon) -> None:
    for texts in (_EN, _ZH):
        surgeon.compact(_conversation(texts, -1), budget=600)
    _ingest(surgeon, "warm", [*_results(-1)][:2])


def _fill(text: str, n: int) -> str:
    return text.format(n=1_000 + n, hour=n % 11 + 1, port=3_000 + 7 * n % 5_000)


def _chat(texts: tuple[str, ...], run: int) -> Iterator[dict[str, Any]]:
    for i in range(_PER_RUN):
        yield {"role": "user", "content": _fill(texts[i % len(texts)], run * _PER_RUN + i + 10)}


def _results(run: int) -> Iterator[dict[str, Any]]:
    """Calls and results of about 2,000 tokens each; only the results are timed."""
    for i in range(_PER_RUN // 2):
        seed = (run + 2) * 1_000 + i
        rows = [{"id": f"ord-{seed}-{j}", "status": ("open", "sent")[j % 2], "total": 10.5 + j, "city": "Springfield"} for j in range(50)]
        call = {"id": f"call_{seed}", "type": "function", "function": {"name": "list_orders", "arguments": json.dumps({"page": seed})}}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": call["id"], "content": json.dumps({"orders": rows, "next": seed + 1}, indent=1)}


def _ingest(surgeon: Surgeon, name: str, messages: Any) -> list[float]:
    """Milliseconds per message that is no call."""
    session = surgeon.session(f"bench-{name}")
    spent = []
    for message in messages:
        started = time.perf_counter()
        session.add(message)
        if not message.get("tool_calls"):
            spent.append(1000 * (time.perf_counter() - started))
    return spent


def _conversation(texts: tuple[str, ...], run: int) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for i in range(100):
        out.append({"role": "user", "content": _fill(texts[i % len(texts)], 5_000 + run * 100 + i)})
        out.append({"role": "assistant", "content": _fill(texts[(i + 1) % len(texts)], 9_000 + run * 100 + i)})
    return out


def _compactions(surgeon: Surgeon, run: int) -> list[float]:
    spent = []
    for texts in (_EN, _ZH):
        messages = _conversation(texts, run)
        started = time.perf_counter()
        surgeon.compact(messages, budget=2_000)
        spent.append(1000 * (time.perf_counter() - started))
    return spent


def _import(statement: str) -> list[float]:
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [1000 * float(done.stdout)]


def _memory() -> float:
    """The highest resident size of this process in MB, 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(size / (1e6 if sys.platform == "darwin" else 1e3), 1)
