"""Token counters: a calibrated estimate, the exact cl100k and o200k vocabularies offline, or the caller's own callable."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable
from functools import cache, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, cast

from surgeon.errors import ModelError, SettingsError
from surgeon.resources import resource
from surgeon.text.estimate import estimate
from surgeon.text.safe import clean_surrogates
from surgeon.types import Message

if TYPE_CHECKING:
    import tiktoken

    from surgeon.protocols import TokenCounter

PER_MESSAGE = 4
_VOCABULARIES = {
    "cl100k": ("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    "o200k": ("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
}
# The split patterns of tiktoken_ext/openai_public.py (MIT).
_PATTERNS = {
    "cl100k": r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s""",
    "o200k": "|".join(
        [
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
            r"""\p{N}{1,3}""",
            r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
            r"""\s*[\r\n]+""",
            r"""\s+(?!\S)""",
            r"""\s+""",
        ]
    ),
}
_CACHED_CHARS = 4_000
_CACHED_TEXTS = 4_096
_RUN = 256
# A run of one class is one piece for the byte-pair merge, whose time grows faster than the piece: it is cut, at the price of a token a cut.
# The look-behinds let a match begin only where a run begins, so that the search stays linear.
_LONG_RUN = re.compile("|".join(rf"(?<!{c}){c}{{{_RUN},}}+" for c in (r"[^\W\d_]", r"(?:[^\w\s]|_)", r"\s")))
_LOCK = Lock()


def counter(spec: str | Callable[[str], int] = "estimate") -> TokenCounter:
    """The token counter of that name (`estimate`, `cl100k`, `o200k`); a callable is used as it is. Raises SettingsError."""
    if callable(spec):
        return cast("TokenCounter", spec)
    if spec == "estimate":
        return _estimate
    if spec in _VOCABULARIES:
        return _exact(spec)
    names = ", ".join(["estimate", *_VOCABULARIES])
    raise SettingsError(f"unknown token counter '{spec}'", "tokens.counter", f"available: {names}, or a callable (text) -> int")


def message_tokens(message: Message, count: TokenCounter, thinking: bool = False) -> int:
    """Tokens of a message: its text, its calls as lines `name(arguments)`, fixed prices of what has no text, plus 4.

    With `thinking` the text of thinking parts counts too.
    """
    lines = [p.text for p in message.parts if p.text and (p.kind in ("text", "tool_result") or (thinking and p.kind == "thinking"))]
    lines += [f"{p.tool or ''}({p.text})" for p in message.parts if p.kind == "tool_call"]
    return count("\n".join(lines)) + sum(p.tokens for p in message.parts) + PER_MESSAGE


@lru_cache(_CACHED_TEXTS)
def _estimate_short(text: str) -> int:
    return estimate(text)


def _estimate(text: str) -> int:
    return _estimate_short(text) if len(text) <= _CACHED_CHARS else estimate(text)


@cache
def _exact(name: str) -> TokenCounter:
    """An exact counter; the vocabulary is read at the first count, once for all threads."""

    @lru_cache(_CACHED_TEXTS)
    def short(text: str) -> int:
        return len(_encoding(name).encode_ordinary(clean_surrogates(text)))

    def count(text: str) -> int:
        if len(text) <= _RUN:
            return short(text)
        pieces = _pieces(text) if _LONG_RUN.search(text) else [text]
        if len(pieces) == 1 and len(text) <= _CACHED_CHARS:
            return short(text)
        encoding = _encoding(name)
        return sum(len(encoding.encode_ordinary(clean_surrogates(piece))) for piece in pieces)

    return count


def _pieces(text: str) -> list[str]:
    """The text in pieces none of which holds a run of one class longer than `_RUN` characters."""
    out: list[str] = []
    done = 0
    for run in _LONG_RUN.finditer(text):
        out.append(text[done : run.start()])
        out.extend(text[at : min(at + _RUN, run.end())] for at in range(run.start(), run.end(), _RUN))
        done = run.end()
    out.append(text[done:])
    return [piece for piece in out if piece]


def _encoding(name: str) -> tiktoken.Encoding:
    with _LOCK:
        return _load(name)


@cache
def _load(name: str) -> tiktoken.Encoding:
    """Builds the encoding from the shipped vocabulary. Raises ModelError if the file is missing or is not the one that tiktoken pins."""
    import tiktoken

    base, digest = _VOCABULARIES[name]
    path = resource("models") / "tokens" / f"{base}.tiktoken.gz"
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, ValueError) as error:
        what = f"the vocabulary of '{name}' cannot be read: {type(error).__name__}"
        raise ModelError(what, str(path), "reinstall context-surgeon") from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise ModelError(f"the vocabulary of '{name}' does not match its checksum", str(path), "reinstall context-surgeon")
    return tiktoken.Encoding(base, pat_str=_PATTERNS[name], mergeable_ranks=_ranks(data), special_tokens={})


def _ranks(data: bytes) -> dict[bytes, int]:
    import base64

    lines = (line.split() for line in data.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}
