"""Base64 and other blobs without meaning for a reader are replaced by a note of their length."""

from __future__ import annotations

import re

_BLOB = re.compile(
    r"(?<![A-Za-z0-9+/=_-])(data:[\w/+.;=-]{1,80};base64,)?([A-Za-z0-9+/_-]{240,}={0,2}|(?:[A-Za-z0-9+/]{60,76}\r?\n){4,}[A-Za-z0-9+/]{1,76}={0,2})(?![A-Za-z0-9+/=_-])"
)


def drop_blobs(text: str, language: str = "en") -> tuple[str, int]:
    """The text with its blobs replaced, and how many there were. Long words of one class (a path, a run of dashes) are no blobs."""
    if len(text) < 240:
        return text, 0
    found = 0

    def note(match: re.Match[str]) -> str:
        nonlocal found
        body = match[2]
        if not match[1] and not _looks_encoded(body):
            return match[0]
        found += 1
        size = len(body)
        return (match[1] or "") + (f"[base64，{size} 个字符]" if language == "zh" else f"[base64, {size} chars]")

    return _BLOB.sub(note, text), found


def _looks_encoded(body: str) -> bool:
    """Upper case, lower case and digits well mixed, few separators."""
    sample = body[:2000]
    upper, lower, digit = (sum(map(f, sample)) for f in (str.isupper, str.islower, str.isdigit))
    least = 0.08 * len(sample)
    return (
        upper > least
        and lower > least
        and digit > least / 3
        and sample.count("/") + sample.count("_") + sample.count("-") < 0.12 * len(sample)
    )
