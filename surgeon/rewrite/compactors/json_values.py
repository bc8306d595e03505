"""JSON results: minified losslessly, arrays of objects as a header and rows, and records in which every value stands by its key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from surgeon.rewrite.context import Record, rough_tokens
from surgeon.rewrite.lines import pack
from surgeon.rewrite.literals import Literal, dump, minify, parse_json, plain
from surgeon.rewrite.parsed import Parsed
from surgeon.rewrite.prose import sentences
from surgeon.rewrite.weight import is_error, weigh

LONG = 120
_MAX_DEPTH = 60
_IDENTITY = ("id", "_id", "name", "key", "number", "code", "title", "path", "email", "编号", "名称", "姓名", "订单号")


def parse(text: str, tool: str = "") -> Parsed | None:
    """A whole JSON document or JSON lines; None for anything else."""
    stripped = text.strip()
    if not stripped or stripped[0] not in "[{":
        return None
    try:
        value = parse_json(stripped)
    except ValueError:
        return _lines(stripped)
    if _depth(value) > _MAX_DEPTH:
        return None
    lossless = minify(stripped)
    rows = _table(value)
    if rows is None:
        return Parsed("json", lossless, tuple(flat_records(value)), noun="records")
    head, lines = rows
    table = "\n".join([head, *lines])
    return Parsed("json", min(lossless, table, key=len), tuple(_row_records(lines)), head=head, noun="rows")


def _lines(text: str) -> Parsed | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or any(line.lstrip()[0] not in "[{" for line in lines[:50]):
        return None
    try:
        values = [parse_json(line) for line in lines]
    except ValueError:
        return None
    small = [minify(line.strip()) for line in lines]
    rows = _table(values)
    if rows is None:
        return Parsed("json", "\n".join(small), tuple(_row_records(small)), noun="rows")
    table = "\n".join([rows[0], *rows[1]])
    return Parsed("json", min("\n".join(small), table, key=len), tuple(_row_records(rows[1])), head=rows[0], noun="rows")


def _row_records(lines: list[str]) -> Iterator[Record]:
    for line in lines:
        yield Record(line, weigh(line.replace(",", " , ")), "error" if is_error(line) else "row")


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        if depth > _MAX_DEPTH:
            break
        level = [c for v in level if isinstance(v, (dict, list)) for c in (v.values() if isinstance(v, dict) else v)]
    return depth


def _table(value: Any) -> tuple[str, list[str]] | None:
    """Header and rows of an array of objects (at least three) that share their keys, or of an object that is mostly such an array."""
    if isinstance(value, dict):
        arrays = [(k, v) for k, v in value.items() if isinstance(v, list) and len(v) >= 3 and _table(v)]
        if len(arrays) != 1:
            return None
        key, array = arrays[0]
        rest = {k: v for k, v in value.items() if k != key}
        inner = _table(array)
        shown = dump(rest) if rest else ""
        if inner is None or len(shown) > 0.3 * sum(map(len, inner[1])):
            return None
        return f"{shown}\n{plain(key)}: {inner[0]}".strip(), inner[1]
    if not isinstance(value, list) or len(value) < 3 or not all(isinstance(v, dict) and v for v in value):
        return None
    keys = list(value[0])
    if any(list(v) != keys for v in value):
        return None
    return f"{len(value)} rows of {dump(keys)}", [dump(list(v.values())) for v in value]


# -- records: every value beside its key --------------------------------------------------------------------------------------


def flat(value: Any, depth: int = 0) -> str:
    """`key: value, key: value`, nested objects in brackets."""
    if isinstance(value, dict):
        inner = ", ".join(f"{k}: {flat(_without(v, k), depth + 1)}" for k, v in value.items())
        return f"{{{inner}}}" if depth > 1 else inner if depth == 0 else f"({inner})"
    if isinstance(value, list):
        rows = _short_rows(value)
        if rows is not None:
            return rows
        if any(isinstance(v, (dict, list)) for v in value):
            return "[" + "; ".join(flat(v, 0) if isinstance(v, dict) else flat(v, depth + 1) for v in value) + "]"
        return "[" + ", ".join(plain(v) for v in value) + "]"
    return plain(value)


def _short_rows(value: list[Any]) -> str | None:
    """Two or more objects of the same scalar fields: the keys once, then the values of each; None if they are not so."""
    if len(value) < 2 or not isinstance(value[0], dict) or not value[0]:
        return None
    keys = list(value[0])
    for row in value:
        if not isinstance(row, dict) or list(row) != keys or any(isinstance(v, (dict, list)) or "," in plain(v) for v in row.values()):
            return None
    rows = "; ".join(", ".join(plain(v) for v in row.values()) for row in value)
    return f"[{', '.join(keys)}: {rows}]"


def _without(value: Any, key: str) -> Any:
    """An object less the identifier that repeats the key it stands under."""
    if isinstance(value, dict) and len(value) > 1 and value.get("id") == key:
        return {k: v for k, v in value.items() if k != "id"}
    return value


def flat_records(value: Any) -> Iterator[Record]:
    """Records of any JSON value, in source order."""
    for text in _split(value, "", ""):
        if text.strip():
            yield Record(text, weigh(text), "error" if is_error(text) else "row")


def _split(value: Any, path: str, identity: str) -> Iterator[str]:
    """Texts of at most about LONG tokens; parts of a large object carry its path and what identifies it."""
    lead = _lead(identity, path)
    whole = flat(value)
    if rough_tokens(whole) <= LONG and not (isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict) and not path):
        yield lead + whole
    elif isinstance(value, dict):
        yield from _split_object(value, path, identity)
    elif isinstance(value, list):
        yield from _split_array(value, lead, path, identity)
    else:
        text = plain(value)
        for piece in pack(text.splitlines(), LONG - 30) if text.count("\n") > 3 else sentences(text):
            yield lead + piece


def _split_object(value: dict[str, Any], path: str, identity: str) -> Iterator[str]:
    own = _identity(value) or identity
    lead = _lead(identity, path)
    fields: list[str] = []
    size = 0
    for key, child in value.items():
        shown = f"{key}: {flat(child, 1)}"
        cost = rough_tokens(shown)
        big = cost > LONG or (isinstance(child, list) and len(child) > 1 and isinstance(child[0], dict) and cost > LONG // 2)
        if fields and (big or size + cost > LONG):
            yield lead + ", ".join(fields)
            fields, size = [], 0
            lead = _lead(own, path)
        if big:
            yield from _split(child, f"{path}.{key}" if path else key, own)
        else:
            fields.append(shown)
            size += cost
    if fields:
        yield lead + ", ".join(fields)


def _split_array(value: list[Any], lead: str, path: str, identity: str) -> Iterator[str]:
    pack: list[str] = []
    size = 0
    for child in value:
        cost = rough_tokens(flat(child))
        if isinstance(child, (dict, list)) or cost > LONG:
            if pack:
                yield lead + ", ".join(pack)
                pack, size = [], 0
            yield from _split(child, path, identity)
            continue
        if pack and size + cost > LONG // 2:
            yield lead + ", ".join(pack)
            pack, size = [], 0
        pack.append(plain(child))
        size += cost + 1
    if pack:
        yield lead + ", ".join(pack)


def _lead(identity: str, path: str) -> str:
    return (f"{identity}, " if identity else "") + (f"{path}: " if path else "")


def _identity(value: dict[str, Any]) -> str:
    """`reservation_id: OBUT9V`: the first field that names the object."""
    for key, child in value.items():
        if isinstance(child, (str, Literal)) and 0 < len(child) <= 60 and key.lower().endswith(_IDENTITY):
            return f"{key}: {child}"
    return ""
