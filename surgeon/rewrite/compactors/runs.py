"""Output of test runs (pytest, unittest, jest, go, cargo and kin): summary, failed tests, error lines and their places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surgeon.rewrite.context import Record
from surgeon.rewrite.lines import clean_lines, mask, pack
from surgeon.rewrite.parsed import Parsed

_SUMMARY = re.compile(
    r"^\W{0,90}\b(?:\d+ (?:passed|failed|error|errors|skipped|xfailed|warnings?)\b.{0,160}\bin [\d.:]+\s?(?:s|seconds)"
    r"|Ran \d+ tests? in|FAILED \((?:failures|errors)|OK(?: \(|$)|tests finished:|Tests?:\s+\d|Test Suites:|test result:|Tests run:"
    r"|\d+ (?:passing|failing|pending)\b|(?:ok|FAIL)\s+[\w./-]+\s+[\d.]+s|FAIL$|\d+ tests?, \d+"
    r"|(?:All|\d+) tests? passed|no tests ran|DO \*NOT\* COMMIT)"
)
_FAILED = re.compile(
    r"^\s{0,8}(?:FAILED|FAIL:|ERROR:?|✕|✗|×|●|--- FAIL:|not ok \d+|---- \S{1,200} stdout ----)\s*\S.{0,400}$"
    r"|^\s{0,8}\S.{0,300}\s(?:\.\.\. ?)?(?:FAILED|FAIL|ERROR|\[FAIL\])\s*$|^_{3,}\s?\S.{0,300}?\s?_{3,}$|^test \S{1,300} \.\.\. FAILED$"
)
_ERROR = re.compile(
    r"^E\s{1,8}\S|^\s{0,12}(?:[A-Za-z_][\w.]{0,120})?(?:Error|Exception|Failure|Warning: fail|Interrupt|Exit)\b(?::|$)"
    r"|^\s{0,8}(?:Expected|Received|expected|actual|got|want|left|right|assertion)\b\s?[:=`]"
    r"|^thread '.{0,200}' panicked|^panic:|^\s{0,8}error(?:\[\w+\])?:|^fatal:"
)
_PLACE = re.compile(
    r"^(?:[\w.@/\\+-]{1,300}\.(?:py|pyx|js|jsx|ts|tsx|go|rs|java|rb|php|c|cc|cpp)):\d{1,7}(?::\d{1,5})?:?(?: .{0,200})?$"
    r"|^\s{2,12}(?:at .{0,200}\(?[\w./@-]{1,300}:\d{1,7}:\d{1,5}\)?|File \"[^\"]{1,300}\", line \d{1,7}.{0,200}"
    r"|--> .{0,200}:\d{1,7}:\d{1,5}|\w[\w/.-]{0,200}_test\.go:\d{1,7}: .{0,400})$"
)
_STATUS = re.compile(r"^(?:FAILED|FAIL:|ERROR:?)\s+")
_CODE = re.compile(r"^>\s{1,8}\S")
_PASS = re.compile(
    r"^.{0,400}?(?:\.\.\. ?(?:ok|skipped.{0,120}|passed)|\bPASSED\b.{0,20}|^\s{0,8}[✓√].{0,300}|\[OK\]"
    r"|--- PASS.{0,200}|=== RUN.{0,200})\s*$|^ok \d+ "
)
_LIBRARY = re.compile(r"site-packages|/lib/python\d|node_modules|<frozen|/usr/lib/|\bnode:internal")


def sniff(lines: list[str]) -> bool:
    """A summary line, or a failed test and an error line."""
    summary = any(_SUMMARY.match(line) for line in (*lines[-120:], *lines[:40]) if line[:1] not in ("+", "-"))
    if summary:
        return len(lines) > 3
    failed = sum(1 for line in lines if _FAILED.match(line))
    passed = sum(1 for line in lines if _PASS.match(line))
    return failed + passed >= 3


def verdicts(text: str) -> Iterator[str]:
    """Lines that say how a run ended or that something failed, without rules, blanks and the word FAILED before the name."""
    for line in clean_lines(text):
        if _kind(line)[0] in ("summary", "failure", "error"):
            yield _STATUS.sub("", line.strip("=_ \t"))


def parse(text: str, tool: str = "") -> Parsed | None:
    """A test run; None for other text."""
    lines = clean_lines(text)
    if len(lines) < 4 or not sniff(lines):
        return None
    items = tuple(_records(lines))
    lossless = "\n".join(_without_blank_runs(lines))
    return Parsed("tests", lossless, items, noun="records")


def _without_blank_runs(lines: list[str]) -> Iterator[str]:
    blank = False
    for line in lines:
        if line or not blank:
            yield line
        blank = not line


def _records(lines: list[str]) -> Iterator[Record]:
    """Error groups, failed tests, places and summaries by value; passing tests and other output packed, of little value."""
    seen: set[str] = set()
    idle: list[str] = []
    group: list[str] = []
    for line in lines:
        if line.startswith(("E  ", "E\t")) or (group and line.startswith("E ")):
            group.append(line)
            continue
        kind, weight = _kind(line)
        if group:
            yield from _flush(idle)
            yield from _errors(group, seen)
            group, idle = [], []
        if not kind:
            idle.append(line)
            continue
        if line.strip() in seen:
            continue
        seen.add(line.strip())
        yield from _flush(idle)
        idle = []
        yield Record(line, weight, kind)
    yield from _flush(idle)
    if group:
        yield from _errors(group, seen)


def _kind(line: str) -> tuple[str, float]:
    if not line.strip():
        return "", 0.0
    if _PASS.match(line):
        return "", 0.0
    if _SUMMARY.match(line):
        return "summary", 1.0
    if _FAILED.match(line):
        return "failure", 0.95
    if _ERROR.match(line):
        return "error", 0.9
    if _PLACE.match(line):
        return "place", 0.35 if _LIBRARY.search(line) else 0.8
    return ("code", 0.5) if _CODE.match(line) else ("", 0.0)


def _errors(group: list[str], seen: set[str]) -> Iterator[Record]:
    """`E` lines of one failure: the first lines together, a long tail in blocks of falling value."""
    text = "\n".join(group)
    if text in seen:
        return
    seen.add(text)
    for number, block in enumerate(pack(group, 90)):
        yield Record(block, max(0.3, 0.92 - 0.12 * number), "error")


def _flush(lines: list[str]) -> Iterator[Record]:
    """Other output: packed; blocks that repeat a known shape are worth less."""
    kept = [line for line in lines if line.strip()]
    shapes = {mask(line) for line in kept}
    base = 0.12 if len(shapes) > len(kept) / 2 else 0.05
    for block in pack(kept):
        yield Record(block, base, "output")
