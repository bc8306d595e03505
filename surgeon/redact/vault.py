"""Placeholders and the values behind them, in memory only."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from typing import Any

import regex

from surgeon.protocols import MARK

PLACEHOLDER = regex.compile(MARK + r"|(?<!\d)(?:\+\d{1,3} )?\d{2,4}\*{4}\d{2,4}(?:#[a-z2-7]{2,12})?")


def derive_key(session: str, secret: str | None = None) -> bytes:
    """The key that placeholders are made with: from the conversation's id and the user's secret, so that all workers agree."""
    return hashlib.sha256(f"surgeon-redaction\0{session}\0{secret or ''}".encode("utf-8", "surrogatepass")).digest()


class Vault:
    """Gives every value one placeholder and puts values back. Lives in process memory; thread-safe."""

    def __init__(self, key: bytes = b"") -> None:
        """`key` makes placeholders unguessable and equal across workers; see :func:`derive_key`."""
        self._key = key or derive_key("")
        self._values: dict[str, str] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def placeholder(self, kind: str, value: str, source: str = "", *, readable: bool = False) -> str:
        """`<PERSON_k3f9>`, or `138****1234` where a readable form is wanted.

        A form that another value has, or that `source` already holds as literal text, is passed over for one with a longer suffix.
        """
        sign = base64.b32encode(hmac.digest(self._key, f"{kind}\0{value}".encode("utf-8", "surrogatepass"), "sha256")).decode().lower()
        forms = [f"<{kind}_{sign[:n]}>" for n in range(4, 13)]
        if readable:
            mask = _mask(value)
            forms = [mask, *(f"{mask}#{sign[:n]}" for n in range(2, 13))]
        with self._lock:
            for form in forms:
                if self._values.get(form) == value:
                    return form
                if form not in self._values and form not in source:
                    self._values[form] = value
                    return form
        return f"<{kind}_{sign}>"

    def reveal(self, text: str) -> str:
        """The text with the real values in place of the placeholders this vault made; JSON stays valid JSON."""
        if not self._values or not ("<" in text or "****" in text):
            return text
        escape = _is_json(text)

        def value(match: Any) -> str:
            mark = str(match.group())
            real = self._values.get(mark)
            if real is None:
                return mark
            return json.dumps(real, ensure_ascii=False)[1:-1] if escape else real

        return str(PLACEHOLDER.sub(value, text))

    def cover(self, text: str) -> str:
        """The text with the values this vault knows replaced by their placeholders, the longest first; single characters are left."""
        with self._lock:
            held = [(value, mark) for mark, value in self._values.items() if mark.startswith("<") and len(value) > 1 and value in text]
        for value, mark in sorted(held, key=lambda k: (-len(k[0]), k[0])):
            before, behind = r"(?<!\w)" if value[0].isascii() else "", r"(?!\w)" if value[-1].isascii() else ""
            text = regex.sub(f"{before}{regex.escape(value)}{behind}", lambda _, mark=mark: mark, text)
        return text

    def dump(self) -> dict[str, str]:
        """Placeholder to value, for a caller that encrypts and keeps it."""
        with self._lock:
            return dict(self._values)

    def load(self, values: dict[str, str]) -> None:
        """Adds what :meth:`dump` gave."""
        with self._lock:
            self._values.update(values)


def _mask(value: str) -> str:
    """First and last digits: `138****1234`, `6216****6529`, `+1 905****93`."""
    prefix, rest = "", value
    match = regex.match(r"\+(\d{1,3})(?=[ .-]|86)|\+(86)", value)
    if match:
        prefix, rest = f"+{match.group(1) or match.group(2)} ", value[match.end() :]
    digits = "".join(c for c in rest if c.isdigit())
    head, tail = (4, 4) if len(digits) > 12 else (3, 4) if len(digits) == 11 else (3, 2)
    return f"{prefix}{digits[:head]}****{digits[-tail:]}"


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
