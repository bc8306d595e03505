"""One way in: templates first, then typed compactors, then an extractive digest. The result is never larger than the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from surgeon.protocols import CompactContext as Context
from surgeon.rewrite.compactors import recognise
from surgeon.rewrite.compactors.blobs import drop_blobs
from surgeon.rewrite.context import CompactContext
from surgeon.rewrite.digest import digest
from surgeon.rewrite.parsed import SMALL, finish, keeps
from surgeon.types import Part, Rewrite

if TYPE_CHECKING:
    from surgeon.rewrite.templates import TemplateSet


def compact_text(text: str, context: CompactContext, templates: TemplateSet | None = None) -> Rewrite | None:
    """A smaller text, or None if it stays as it is.

    Without `context.max_tokens` only lossless rewriting (and templates) is done; with it, whole records are chosen and the text
    says what was left out. Texts of up to about 60 tokens stay.
    """
    before = context.count(text)
    if before <= SMALL:
        return None
    if templates is not None:
        made = templates.apply(text, context.tool, context.arguments, context.language, context.count)
        if (
            made is not None
            and keeps(made.text, text, context)
            and (context.max_tokens is None or context.count(made.text) <= context.max_tokens)
        ):
            return made
    small, blobs = drop_blobs(text, context.language)
    parsed = recognise(small, context.tool)
    made = finish(parsed, small, context) if parsed is not None else digest(small, context)
    if made is None and blobs:
        made = Rewrite(small, "base64", f"{blobs} of {blobs} blobs")
    if made is None or not keeps(made.text, text, context) or context.count(made.text) >= before:
        return None
    return made


@dataclass(frozen=True, slots=True)
class TypedCompactor:
    """`compact_text` in the shape of :class:`surgeon.protocols.Compactor`."""

    templates: TemplateSet | None = None
    name: str = "typed"

    def __call__(self, part: Part, context: Context) -> Rewrite | None:
        """Rewrites the text of one part, or returns None."""
        own = CompactContext(
            context.tool or part.tool or "",
            context.arguments,
            context.query,
            context.language,
            context.keep,
            context.max_tokens,
            context.count,
        )
        return compact_text(part.text, own, self.templates)
