"""A state without personal values: hidden on the way out, put back on the way in while the vault of the conversation lives."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from surgeon.protocols import Redactor

log = logging.getLogger("surgeon")
WITHHELD = "<WITHHELD>"
_SHORT = 3  # characters; nothing personal is shorter


def hidden(value: Any, hide: Redactor, *, strict: bool = False) -> Any:
    """The value (JSON-like) with every personal value in its texts replaced by a placeholder.

    A text that cannot be read in time is withheld, never given out as it is; with `strict` the error is raised.
    """
    if isinstance(value, str):
        return _text(value, hide, strict)
    if isinstance(value, Mapping):
        return {k: hidden(v, hide, strict=strict) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [hidden(v, hide, strict=strict) for v in value]
    return value


def revealed(value: Any, hide: Redactor) -> Any:
    """The value with the real values in place of the placeholders that this conversation's vault made; others stay."""
    if isinstance(value, str):
        return hide.reveal(value)
    if isinstance(value, Mapping):
        return {k: revealed(v, hide) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [revealed(v, hide) for v in value]
    return value


def _text(text: str, hide: Redactor, strict: bool) -> str:
    if len(text) <= _SHORT:
        return text
    try:
        return hide(text, None, "archive")[0]
    except Exception as error:
        if strict:
            raise
        log.warning("a text of the state is withheld: %s", type(error).__name__)
        return WITHHELD
