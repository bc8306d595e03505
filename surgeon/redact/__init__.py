"""Hiding personal data and secrets, and putting them back."""

from __future__ import annotations

from functools import cache

from surgeon.redact.engine import Redactor
from surgeon.redact.vault import Vault, derive_key
from surgeon.settings import Redaction
from surgeon.types import Finding

__all__ = ["Redactor", "Vault", "derive_key", "redact_text"]


def redact_text(text: str, policy: Redaction | str | None = None) -> tuple[str, list[Finding]]:
    """The text without personal data and secrets, and what was hidden (type, offsets in the source, placeholder; never the value).

    Args:
        text: Any text, English or Chinese.
        policy: A level (`off`, `secrets`, `context`, `all`) or the settings section `redaction`, of which the archive's level holds;
            None hides all personal types.
    """
    level = policy if isinstance(policy, str) else "archive"
    redactor = Redactor(policy if isinstance(policy, Redaction) else None, analyse=_analysers().analyse)
    return redactor(text, level=redactor.policy.context if level == "context" else level)


@cache
def _analysers():  # type: ignore[no-untyped-def]
    from surgeon.extract.nlp import Analysers

    return Analysers()
