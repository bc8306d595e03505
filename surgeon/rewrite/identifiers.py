"""The identifiers of a JSON result by field: `flight_number: HAT084, HAT266; date: 2024-05-27`. What later calls need, in few tokens.

One list a field, in source order, so that no value is ever shown beside another record's value as if they belonged together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from surgeon.rewrite.literals import parse_json

_CODE = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z_])[\w.@:/+-]{3,60}", re.A)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_UPPER = re.compile(r"[A-Z]{2,6}", re.A)
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?: ?[ap]m)?")
_STAMP = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}\S*")
_ID_KEY = re.compile(
    r"(?:^|[_.\s-])(?:id|ids|no|number|code|sku|ref|key|uuid|hash|sha|email|user|name|path|file|branch|tag|version)s?$|(?:[a-z])(?:Id|Ids|No|Number|Code|Name|Key)$|编号|单号|号$|名称|姓名|型号"
)
_LIMIT = 60
_LIST = 40
_LINE = 900


class Identifiers(NamedTuple):
    """Lines of machine-made codes and dates, and lines of names and other values that a key calls an identifier."""

    codes: list[str]
    names: list[str]


def identifiers(text: str) -> Identifiers:
    """The identifiers of a JSON text, some fields a line; empty if it is no JSON or has fewer than two."""
    if not text.lstrip().startswith(("{", "[")):
        return Identifiers([], [])
    try:
        data = parse_json(text)
    except (ValueError, RecursionError):
        return Identifiers([], [])
    codes: dict[str, dict[str, None]] = {}
    names: dict[str, dict[str, None]] = {}
    found = 0
    for key, value in _leaves(data, ""):
        if found >= _LIMIT:
            break
        values = (codes if _is_code(value) else names).setdefault(key, {})
        found += value not in values
        values[value] = None
    if found < 2:
        return Identifiers([], [])
    return Identifiers(_lines(codes), _lines(names))


def _is_code(value: str) -> bool:
    return bool(_CODE.fullmatch(value) or _DATE.fullmatch(value) or _UPPER.fullmatch(value)) and not value.startswith("+")


def _lines(fields: dict[str, dict[str, None]]) -> list[str]:
    return _packed([f"{key}: {', '.join(part)}" if key else ", ".join(part) for key, values in fields.items() for part in _chunks(list(values))])


def _chunks(values: list[str]) -> list[list[str]]:
    return [values[i : i + _LIST] for i in range(0, len(values), _LIST)]


def _packed(fields: list[str]) -> list[str]:
    """Fields together in lines of about two hundred characters: a value says more beside the other fields of its result."""
    lines: list[str] = []
    for field in fields:
        if lines and len(lines[-1]) + len(field) < _LINE:
            lines[-1] += f"; {field}"
        else:
            lines.append(field)
    return lines


def _leaves(data: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(data, dict):
        for name, value in data.items():
            if _CODE.fullmatch(str(name)) and isinstance(value, dict | list):
                yield key, str(name)
                yield from _leaves(value, key)
            else:
                yield from _leaves(value, str(name))
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value, key)
    elif isinstance(data, bool) or data is None:
        return
    else:
        value = str(data)
        if _wanted(key, value):
            yield key, value


def _wanted(key: str, value: str) -> bool:
    if not value or len(value) > 60 or "\n" in value:
        return False
    if _STAMP.fullmatch(value):
        return False
    return bool(
        _CLOCK.fullmatch(value) or _CODE.fullmatch(value) or _DATE.fullmatch(value) or _UPPER.fullmatch(value) or _ID_KEY.search(key)
    )
