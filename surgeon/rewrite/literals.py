"""JSON whose numbers keep their text: 1893042217765388120 and 70.00 come out as they went in."""

from __future__ import annotations

import json
import re
from typing import Any

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|\s+', re.DOTALL)


class Literal(str):
    """The text of a JSON number (or of NaN and Infinity)."""

    __slots__ = ()


class _RepeatedKeyError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise _RepeatedKeyError
    return out


def parse_json(text: str) -> Any:
    """The value, numbers as :class:`Literal`. Raises ValueError for what is not JSON, repeats a key, or is nested too deeply."""
    try:
        return json.loads(text, parse_float=Literal, parse_int=Literal, parse_constant=Literal, object_pairs_hook=_pairs)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _minify_token(match: re.Match[str]) -> str:
    token = match[0]
    if token[0] != '"':
        return ""
    if "\\u" not in token:
        return token
    try:
        value = json.loads(token)
        value.encode("utf-8")
    except (ValueError, UnicodeEncodeError):
        return token
    shown = json.dumps(value, ensure_ascii=False)
    return shown if value.isprintable() or len(shown) < len(token) else token


def minify(text: str) -> str:
    """Valid JSON text without white space outside strings and with \\u escapes written out; all else byte for byte."""
    return _TOKEN.sub(_minify_token, text)


def dump(value: Any) -> str:
    """Minified JSON of a value that `parse_json` gave."""
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{dump(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dump, value)) + "]"
    return {None: "null", True: "true", False: "false"}[value]


def plain(value: Any) -> str:
    """A scalar as a reader sees it: a string without quotes, anything else as JSON."""
    return str(value) if isinstance(value, str) else dump(value)
