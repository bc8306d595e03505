"""Reads a conversation from a file, from bytes or from stdin, and writes the same shape back."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from surgeon.errors import InputError
from surgeon.formats import sqlite_table
from surgeon.formats.detect import detect
from surgeon.formats.openai_chat import OpenAIChat

if TYPE_CHECKING:
    from surgeon.protocols import Format

Shape = Literal["array", "object", "lines", "sqlite"]

_SHAPES = "give a JSON array of messages, an object with 'messages', JSON Lines, an agent transcript in JSON Lines, or a SQLite file"
_DEEP = "the JSON is nested too deeply or holds a number that is too long"


@dataclass(frozen=True, slots=True)
class Wrapper:
    """What stood around the messages: the shape, the other fields of an object (order kept) and where it came from."""

    shape: Shape = "array"
    fields: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""
    data: bytes = b""


class Loaded(NamedTuple):
    """A conversation as it was read: native messages, their format, and what stood around them."""

    messages: list[Any]
    format: Format
    wrapper: Wrapper


def load_conversation(source: str | Path | bytes) -> Loaded:
    """Reads a path, `-` for stdin, or bytes. Raises InputError that says what, where and how to repair."""
    where = "bytes" if isinstance(source, bytes) else "stdin" if str(source) == "-" else str(source)
    data = source if isinstance(source, bytes) else _read(source)
    if data.startswith(sqlite_table.MAGIC):
        messages = sqlite_table.read_table(data, where)
        return Loaded(messages, OpenAIChat(), Wrapper("sqlite", where=where, data=data))
    text = _decode(data, where)
    if not text.strip():
        raise InputError("the input is empty", where, _SHAPES)
    return _parse(text, where)


def _read(source: str | Path) -> bytes:
    if str(source) == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a path"
        raise InputError(f"cannot read the file: {reason}", str(source), "check the path; '-' reads stdin") from None


def _decode(data: bytes, where: str) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in data:
        place = data.find(b"\x00")
        at = f"{where}: byte {place}" if place >= 0 else where
        raise InputError("the input holds NUL bytes or is UTF-16", at, "save it as UTF-8 text without NUL bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("the input is not UTF-8", f"{where}: line {line}, byte {error.start}", "save it as UTF-8") from None


def _parse(text: str, where: str) -> Loaded:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        if _looks_like_lines(text):
            return _parse_lines(text, where)
        place = f"{where}: line {error.lineno}, column {error.colno}"
        raise InputError(f"not valid JSON: {error.msg}", place, f"mend the JSON there; {_SHAPES}") from None
    except (RecursionError, ValueError):
        raise InputError(_DEEP, where, "flatten it") from None
    return _shape(value, where)


def _shape(value: Any, where: str) -> Loaded:
    if isinstance(value, list):
        return _loaded(value, Wrapper("array", where=where))
    if isinstance(value, dict) and "messages" in value:
        if not isinstance(value["messages"], list):
            raise InputError("'messages' is not a list", where, _SHAPES)
        return _loaded(value["messages"], Wrapper("object", {k: None if k == "messages" else v for k, v in value.items()}, where))
    if isinstance(value, dict) and ("role" in value or "type" in value):
        return _loaded([value], Wrapper("lines", where=where))
    raise InputError(f"this is no conversation but a JSON {_kind(value)}", where, _SHAPES)


def _looks_like_lines(text: str) -> bool:
    first, _, rest = text.strip().partition("\n")
    if not rest.strip():
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return bool(re.match(r"\s*\{.*\}\s*$", first))


def _parse_lines(text: str, where: str) -> Loaded:
    messages: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            place = f"{where}: line {number}, column {error.colno}"
            raise InputError(f"not valid JSON: {error.msg}", place, "each line holds one whole JSON object") from None
        except (RecursionError, ValueError):
            raise InputError(_DEEP, f"{where}: line {number}", "flatten it") from None
        if isinstance(value, dict) and "messages" in value and "role" not in value and "type" not in value:
            raise InputError("each line is a conversation of its own", f"{where}: line {number}", "use 'surgeon batch' or give one")
        messages.append(value)
    return _loaded(messages, Wrapper("lines", where=where))


def _loaded(messages: list[Any], wrapper: Wrapper) -> Loaded:
    likely = [m for m in messages if isinstance(m, dict) and ("role" in m or "type" in m or "uuid" in m)]
    if messages and not likely:
        raise InputError("none of the entries is a message (no 'role', no 'type')", wrapper.where, _SHAPES)
    return Loaded(messages, detect(messages), wrapper)


def _kind(value: Any) -> str:
    names = {dict: "object without 'messages'", str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}
    return names.get(type(value), "value")


def dump(messages: Sequence[Any], wrapper: Wrapper | None = None) -> str:
    """The messages in the shape they came in, with Chinese unescaped. A SQLite shape becomes a JSON array (see `save_conversation`)."""
    shape = wrapper or Wrapper()
    if shape.shape == "lines":
        return "".join(f"{encode(m)}\n" for m in messages)
    if shape.shape == "object":
        fields = {k: list(messages) if k == "messages" else v for k, v in shape.fields.items()}
        return encode(fields if "messages" in fields else {**fields, "messages": list(messages)}, indent=2) + "\n"
    return encode(list(messages), indent=2) + "\n"


def encode(value: Any, indent: int | None = None) -> str:
    """JSON with readable Chinese; lone surrogates are escaped, so that the text can always be encoded as UTF-8."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return re.sub("[\ud800-\udfff]", lambda m: f"\\u{ord(m.group()):04x}", text)


def save_conversation(messages: Sequence[Any], wrapper: Wrapper, target: str | Path) -> None:
    """Writes the shape they came in to a file (`-`: stdout, where a SQLite shape is written as JSON). A SQLite source stays as it is."""
    if str(target) == "-":
        sys.stdout.buffer.write(dump(messages, wrapper).encode("utf-8"))
        return
    try:
        if wrapper.shape == "sqlite":
            sqlite_table.write_table(messages, target, wrapper.data)
        else:
            Path(target).write_bytes(dump(messages, wrapper).encode("utf-8"))
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise InputError(f"cannot write the file: {reason}", str(target), "check the folder and its rights") from None
