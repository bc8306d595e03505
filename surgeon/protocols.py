"""The contracts between the steps. Anything with these shapes can be plugged in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from surgeon.types import Analysis, Edit, Finding, Hit, Message, Part, Rewrite, Score, Unit, WireIssue

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
else:
    Vectors = Any  # numpy takes 150 ms to import and is needed only where vectors are made


class TokenCounter(Protocol):
    """Counts tokens of one text."""

    def __call__(self, text: str) -> int: ...


class Encoder(Protocol):
    """Turns texts into unit-length vectors. `id` names the weights; `threshold` is the cosine above which two texts are related."""

    id: str
    threshold: float

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (len(texts), dim), rows of length 1 (or 0 for an empty text)."""
        ...


class Analyser(Protocol):
    """One NLP pass over a text."""

    def __call__(self, text: str) -> Analysis: ...


class Format(Protocol):
    """A wire format: reads native messages, writes changed ones back, and knows the provider's rules."""

    name: str

    def detect(self, native: Sequence[Any]) -> float:
        """How sure the format is that these are its messages, 0..1."""
        ...

    def read(self, native: Sequence[Any]) -> list[Message]:
        """One Message per native message, same order, `round` filled in (user messages that are not only tool results, from 1)."""
        ...

    def write(self, message: Message) -> Any:
        """The native object: the same one if nothing changed, else a copy in which only the changed parts differ."""
        ...

    def make(self, role: str, text: str) -> Any:
        """A new native message that holds only text."""
        ...

    def lead(self, native: Any, text: str) -> Any:
        """A copy of a user message with `text` as an additional part before its own text parts (tool results stay first); own parts stay as they are."""
        ...

    def join(self, first: Any, second: Any) -> Any:
        """A copy of `first` with the parts of `second` behind its own: what the provider would make of two messages of one role in a row."""
        ...

    def unlead(self, native: Any, text: str) -> Any:
        """The reverse of `lead`: a copy without the part that is exactly `text`, or None if nothing else is left."""
        ...

    def check(self, native: Sequence[Any]) -> list[WireIssue]:
        """The provider's validity rules; empty when valid."""
        ...

    def repair(self, native: Sequence[Any]) -> list[Any]:
        """The same messages with what breaks a rule mended or removed; unbroken input comes back as the same objects."""
        ...

    @property
    def alternates(self) -> bool:
        """Whether user and assistant must take turns."""
        ...


class Scorer(Protocol):
    """Scores units by one channel."""

    name: str

    def __call__(self, units: Sequence[Unit], snapshot: Any, query: str | None) -> Mapping[str, Score]: ...


class Extractor(Protocol):
    """Finds changes of facts in new messages."""

    name: str

    def __call__(self, messages: Sequence[Message], snapshot: Any) -> list[Edit]: ...


class CompactContext(Protocol):
    """What a compactor may look at beside the part: the call that asked for it, tokens wanted, identifiers that must stay."""

    tool: str
    arguments: str
    query: str
    language: str
    keep: frozenset[str]
    max_tokens: int | None
    count: TokenCounter


class Compactor(Protocol):
    """Rewrites one part, or returns None if it does not apply."""

    name: str

    def __call__(self, part: Part, context: CompactContext) -> Rewrite | None: ...


MARK = r"<[A-Z][A-Z0-9_]{1,24}_[a-z2-7]{4,12}>"  # a placeholder as a pattern: <PERSON_k3f9>, its type and a keyed hash


class Redactor(Protocol):
    """Hides personal data and secrets in a text. `level` is context, archive or graph."""

    def __call__(self, text: str, analysis: Analysis | None = None, level: str = "archive") -> tuple[str, list[Finding]]: ...

    def reveal(self, text: str) -> str:
        """The real values in place of the placeholders this redactor made; others stay."""
        ...

    def known(self, text: str) -> str:
        """The text with every value that has a placeholder already replaced by it, wherever it stands."""
        ...


class Archive(Protocol):
    """Keeps originals by content reference, for ever, in the session's own namespace."""

    def put(self, session: str, entries: Sequence[Mapping[str, Any]]) -> list[str]:
        """Stores entries {ref, text, message_id, round, role, tool, time, …} in one transaction; returns their refs."""
        ...

    def get(self, session: str, ref: str) -> str | None:
        """The stored text, or None."""
        ...

    def search(self, session: str, query: str, k: int) -> list[Hit]:
        """The best k stored messages; may be empty."""
        ...

    def close(self) -> None: ...


class SessionStore(Protocol):
    """Keeps session state with optimistic versions."""

    def load(self, session: str) -> tuple[int, dict[str, Any]] | None: ...

    def save(self, session: str, state: Mapping[str, Any], version: int) -> int:
        """Saves if the stored version is `version`; returns the new one; StoreError on conflict."""
        ...

    def close(self) -> None: ...
