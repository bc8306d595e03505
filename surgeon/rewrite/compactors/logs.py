"""Logs: repeated events folded with their count and first and last time; rare events and errors are worth most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from surgeon.rewrite.context import Record, rough_tokens
from surgeon.rewrite.lines import TIME, clean_lines, mask, pack
from surgeon.rewrite.parsed import Parsed
from surgeon.rewrite.weight import is_error, weigh

_LEVEL = re.compile(
    r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|ERR)\b"
    r"|\b(?:debug|info|warn(?:ing)?|error|fatal)\b(?=[\]:= ])|level=\w+"
)
_SEVERE = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|ERR|error|fatal|panic|Traceback)\b|Exception\b")
_WARN = re.compile(r"\bWARN(?:ING)?\b|\bwarning\b")
_TRACE = re.compile(
    r"^(?:\s+(?:at |File \"|\.\.\. \d+ more|raise |return |\^|~)|Traceback \(|Caused by:"
    r"|\s{2,}\S|\t\S|[\w.]{1,120}(?:Error|Exception)\b(?::|$))"
)


class Event(NamedTuple):
    """One log event: its lines (a stack trace belongs to the event before it), its shape and its time."""

    text: str
    shape: str
    time: str


def sniff(lines: list[str]) -> bool:
    """Most lines begin with a time or name a level."""
    sample = [line for line in lines[:400] if line.strip()]
    if len(sample) < 5:
        return False
    marked = sum(1 for line in sample if TIME.match(line) or _LEVEL.search(line[:80]))
    traces = sum(1 for line in sample if _TRACE.match(line))
    return marked >= 3 and marked + traces >= 0.6 * len(sample) and marked >= 0.15 * len(sample)


def parse(text: str, tool: str = "") -> Parsed | None:
    """A log, or any output in which many lines have the same shape; None for other text."""
    lines = clean_lines(text)
    if not sniff(lines):
        return None
    events = list(_events(lines))
    count = Counter(e.shape for e in events)
    folded = list(_fold(events))
    items = tuple(Record(t, _value(e, count[e.shape], len(events), n), _kind(e.text)) for e, t, n in folded)
    return Parsed("log", "\n".join(i.text for i in items), items, noun="events", repeats=tuple(n for _, _, n in folded))


def _events(lines: list[str]) -> Iterator[Event]:
    held: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        if held and not TIME.match(line) and _TRACE.match(line) and len(held) < 200:
            held.append(line)
            continue
        if held:
            yield _event(held)
        held = [line]
    if held:
        yield _event(held)


def _event(lines: list[str]) -> Event:
    time = TIME.match(lines[0])
    rest = lines[0][time.end() :] if time else lines[0]
    return Event("\n".join(lines), mask("\n".join([rest, *lines[1:]])), time[1] if time else "")


def _fold(events: list[Event]) -> Iterator[tuple[Event, str, int]]:
    """Runs of events that are equal apart from their time, as one with count and times. Different numbers are never folded."""
    at = 0
    while at < len(events):
        first = events[at]
        end = at + 1
        while end < len(events) and _same(first, events[end]):
            end += 1
        if end - at >= 2:
            last = events[end - 1]
            until = f", last {last.time}" if last.time and last.time != first.time else ""
            yield first, f"{first.text}  [×{end - at}{until}]", end - at
        else:
            yield first, first.text, 1
        at = end


def _same(a: Event, b: Event) -> bool:
    return a.shape == b.shape and a.text[len(a.time) :].replace(a.time, "") == b.text[len(b.time) :].replace(b.time, "")


def _value(event: Event, same: int, total: int, repeats: int) -> float:
    """Errors first, then what is rare."""
    if _SEVERE.search(event.text):
        base = 0.9
    elif _WARN.search(event.text) or is_error(event.text):
        base = 0.65
    else:
        base = 0.15 + 0.35 * weigh(event.text)
    rarity = 1.0 if same == 1 else max(0.25, 1 - 0.25 * (same.bit_length()))
    return round(min(1.0, base * (0.5 + 0.5 * rarity) + (0.05 if repeats > 1 else 0)), 4)


def _kind(text: str) -> str:
    return "error" if _SEVERE.search(text) else "event"


def split_event(text: str) -> list[str]:
    """A long event as its first line with its last lines (where the cause stands), then the rest in blocks led by the first line."""
    if rough_tokens(text) <= 120 or "\n" not in text:
        return [text]
    head, *rest = text.split("\n")
    blocks = pack(rest, 90)
    return [f"{head}\n{b}" for b in blocks]
