"""Shorter texts that stay true: templates, typed compactors, record-level digest."""

from surgeon.rewrite.context import CompactContext, Record, rough_tokens
from surgeon.rewrite.cover import cover
from surgeon.rewrite.dispatch import TypedCompactor, compact_text
from surgeon.rewrite.records import records

__all__ = ["CompactContext", "Record", "TypedCompactor", "compact_text", "cover", "records", "rough_tokens"]
