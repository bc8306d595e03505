"""The redactor: every recogniser over one text, the claims that stand, and the text with placeholders in their place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Literal

import regex

from surgeon.redact.chinese import CHINESE, addresses
from surgeon.redact.english import ENGLISH, titled
from surgeon.redact.patterns import Found, blank_runs, choose, search
from surgeon.redact.presidio import PresidioRecognisers
from surgeon.redact.secrets import SECRETS, whole_secrets
from surgeon.redact.vault import PLACEHOLDER, Vault
from surgeon.settings import Redaction
from surgeon.types import Analysis, Finding, Span

_READABLE = frozenset({"PHONE", "BANK_CARD"})
_SCOPES = {
    "off": frozenset[str](),
    "secrets": frozenset({"secret"}),
    "context": frozenset({"secret", "number"}),
    "all": frozenset({"secret", "number", "personal"}),
}
_NUMBERS = tuple(p for p in (*CHINESE, *ENGLISH) if p.scope == "number")
_PERSONAL = tuple(p for p in (*CHINESE, *ENGLISH) if p.scope == "personal")
_NO_NAME = frozenset(
    [
        "user",
        "assistant",
        "system",
        "api",
        "json",
        "http",
        "https",
        "url",
        "id",
        "ok",
        "error",
        "warning",
        "info",
        "debug",
        "visa",
        "mastercard",
        "amex",
        "paypal",
        "iban",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "bot",
        "n/a",
        "ciao",
        "hello",
        "hi",
        "dear",
        "thanks",
        "suite",
        "apt",
        "wi-fi",
        "wifi",
        "python",
        "docker",
        "kubernetes",
        "redis",
        "linux",
        "git",
        "github",
        "java",
    ]
)
_SMALL_WORDS = frozenset({"a", "an", "at", "and", "by", "for", "in", "is", "of", "on", "or", "the", "to"})
_LATIN_NAME = regex.compile(r"[\p{L}\p{M}]['’\p{L}\p{M}.-]*(?:[ \u00a0][\p{L}\p{M}]['’\p{L}\p{M}.-]*){0,4}")
_ITEM = r"\p{Lu}[\p{L}\p{M}'’-]{1,24}(?: \p{Lu}[\p{L}\p{M}'’-]{1,24})?"
_LIST = regex.compile(_ITEM + "(?:, " + _ITEM + "){1,12}+(?:,? (?:and|or) " + _ITEM + ")?")
_presidio = PresidioRecognisers()


class Redactor:
    """Hides personal data and secrets; what it hid can be put back through `vault`.

    Args:
        policy: What is hidden at which level (settings section `redaction`).
        key: Key of the placeholders; see `vault.derive_key`. Ignored if a vault is given.
        vault: Where values are kept; a new one by default.
        analyse: The shared NLP pass, asked only when names are wanted and no analysis was passed in.
        seconds: Time limit of one expression per 20,000 characters (setting `limits.regex_seconds`).
    """

    def __init__(
        self,
        policy: Redaction | None = None,
        key: bytes = b"",
        *,
        vault: Vault | None = None,
        analyse: Callable[[str], Analysis] | None = None,
        seconds: float = 0.25,
    ) -> None:
        """Loads nothing yet."""
        self.policy = policy or Redaction()  # type: ignore[call-arg]
        self.vault = vault or Vault(key)
        self._analyse = analyse
        self._seconds = seconds

    def __call__(self, text: str, analysis: Analysis | None = None, level: str = "archive") -> tuple[str, list[Finding]]:
        """The clean text and what was hidden, offsets in the source.

        `level` is context or archive (the policy says what that hides), graph (everything), or off, secrets, all.
        """
        depth = self._depth(level)
        if depth == "off" or not text:
            return text, []
        if depth == "all" and analysis is None and self._analyse is not None:
            analysis = self._analyse(text)
        claims = [f for f in self._claims(text, analysis, depth) if f.scope in _SCOPES[depth]]
        kept = choose([*claims, *_own_marks(text)])
        return self._replace(text, [f for f in kept if f.type], readable=depth == "context")

    def reveal(self, text: str) -> str:
        """The real values back in place of the placeholders; JSON stays valid."""
        return self.vault.reveal(text)

    def known(self, text: str) -> str:
        """The text with every value that has a placeholder already replaced by it, wherever it stands."""
        return self.vault.cover(text)

    def _depth(self, level: str) -> Literal["off", "secrets", "context", "all"]:
        named = {"context": self.policy.context, "archive": self.policy.archive, "graph": "all"}.get(level, level)
        return named if named in ("off", "secrets", "context") else "all"  # type: ignore[return-value]

    def _claims(self, text: str, analysis: Analysis | None, depth: str) -> Iterator[Found]:
        yield from whole_secrets(text)
        readable = blank_runs(text)
        yield from search(readable, SECRETS, self._seconds)
        if depth == "secrets":
            return
        yield from search(readable, _NUMBERS, self._seconds)
        if depth == "context":
            return
        yield from search(readable, _PERSONAL, self._seconds)
        yield from addresses(readable)
        yield from titled(readable)
        if analysis is not None:
            yield from _names(readable, analysis)
            if analysis.language != "zh":
                yield from _presidio.find(readable, analysis)

    def _replace(self, text: str, found: list[Found], *, readable: bool) -> tuple[str, list[Finding]]:
        quoted = bool(found) and text.lstrip()[:1] in ("{", "[")
        pieces, findings, at = [], [], 0
        for claim in found:
            value = text[claim.start : claim.end]
            form = self.vault.placeholder(claim.type, _plain(value, quoted), text, readable=readable and claim.type in _READABLE)
            shown = f'"{form}"' if quoted and _bare_number(text, claim) else form
            pieces += [text[at : claim.start], shown]
            findings.append(Finding(claim.type, claim.start, claim.end, form))
            at = claim.end
        return "".join([*pieces, text[at:]]), findings


def _plain(value: str, quoted: bool) -> str:
    """A value taken from a JSON string, without its escapes."""
    if not quoted or "\\" not in value:
        return value
    try:
        return str(json.loads(f'"{value}"'))
    except ValueError:
        return value


def _bare_number(text: str, claim: Found) -> bool:
    """Whether a JSON number, not a string, is replaced: its placeholder needs quotes."""
    before, after = text[: claim.start].rstrip()[-1:], text[claim.end :].lstrip()[:1]
    return (
        before in (":", "[", ",") and after in (",", "}", "]") and text[claim.start : claim.end].isdigit() and text[claim.start - 1] != '"'
    )


def _own_marks(text: str) -> Iterator[Found]:
    """Placeholders that are there already win over everything and are left alone (type '')."""
    if "<" in text or "****" in text:
        for match in PLACEHOLDER.finditer(text):
            yield Found(match.start(), match.end(), "", "secret", 99)


def _names(text: str, analysis: Analysis) -> Iterator[Found]:
    """Persons that the model named, where the stretch can be a name at all; the same name elsewhere in the text counts too."""
    record = text.lstrip()[:1] in ("{", "[")
    seen: set[str] = set()
    for entity in analysis.entities:
        if entity.label == "PERSON" and (span := _name_span(text, entity, record)) is not None:
            yield Found(*span, "PERSON", "personal", 5)
            seen.add(text[span[0] : span[1]])
    for name in {n for n in seen if n[:1] < "\u3400"}:
        seen.update(_listed(text, name))
    for name in seen:
        if len(name) >= (2 if name[0] >= "\u3400" else 4):
            for match in regex.finditer(rf"(?<![\p{{Latin}}\d_]){regex.escape(name)}(?![\p{{Latin}}\d_])", text):
                yield Found(match.start(), match.end(), "PERSON", "personal", 5)


def _listed(text: str, name: str) -> set[str]:
    """Capitalised words beside a known name in a list of three and more ("Ana, Bo and Cy"): names too."""
    found: set[str] = set()
    for match in _LIST.finditer(text):
        items = regex.split(r", (?:and |or )?| and | or ", match.group())
        if name in items and len(items) >= 3:
            found.update(i for i in items if i.lower() not in _NO_NAME)
    return found


def _name_span(text: str, entity: Span, record: bool) -> tuple[int, int] | None:
    value = text[entity.start : entity.end]
    if value[:1] >= "\u3400":
        return (entity.start, entity.end) if 2 <= len(value) <= 6 and not any(c.isdigit() or c.isspace() for c in value) else None
    match = _LATIN_NAME.match(value)
    if match is None or match.end() < 2 or match.group().lower() in _NO_NAME:
        return None
    start, end = entity.start, entity.start + match.end()
    name = match.group()
    if text[start - 1 : start] in ("_", "/", ".", "@", "#", "-", "$") or text[end : end + 1] in ("_", "/", "(", "=", "@"):
        return None
    if record and (text[end : end + 2] == '":' or not name[0].isupper()):
        return None
    if regex.search(r"\p{Ll}\p{Lu}", name) and " " not in name and not name.startswith(("Mc", "Mac", "De", "Di", "La", "O")):
        return None  # camelCase
    if name.islower() and not text.islower():
        return None  # a word of the text, not a name, where names are capitalised
    if name.isupper() and ((len(name) <= 4 and " " not in name) or _SMALL_WORDS.intersection(name.lower().split())):
        return None
    return start, end
