"""A state without personal values: hidden on the way out, put back on the way in while the vault of the conversation lives."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from surgeon.protocols import MARK, Redactor

log = logging.getLogger("surgeon")
WITHHELD = "<WITHHELD>"
_MARK = re.compile(MARK)  # what `hidden` wrote; the readable masks of the context stay masks
_SHORT = 3  # characters; nothing personal is shorter


def hidden(value: Any, hide: Redactor, *, strict: bool = False) -> Any:
    """The value (JSON-like) with every personal value in its texts replaced by a placeholder.

    A text that cannot be read in time is withheld, never given out as it is; with `strict` the error is raised.
    """
    once = _each(value, lambda text: _text(text, hide, strict))
    return _each(once, hide.known)  # a name that only its sentence gave away also stands alone, as the value of a fact


def revealed(value: Any, hide: Redactor) -> Any:
    """The value with the real values in place of the placeholders that this conversation's vault made; others stay."""
    return _each(value, lambda text: _MARK.sub(lambda m: hide.reveal(m.group()), text))


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """The value with every text in it changed; keys of mappings are names of fields and stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {k: _each(v, change) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_each(v, change) for v in value]
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
