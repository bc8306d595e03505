"""Which wire format a conversation is in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from surgeon.formats.anthropic import Anthropic
from surgeon.formats.claude_code import ClaudeCode
from surgeon.formats.openai_chat import OpenAIChat
from surgeon.registry import Registry

if TYPE_CHECKING:
    from surgeon.protocols import Format

FORMATS: Registry[Format] = Registry("formats")
FORMATS.add("openai_chat", OpenAIChat)
FORMATS.add("anthropic", Anthropic)
FORMATS.add("claude_code", ClaudeCode)

_SHIPPED = ("openai_chat", "anthropic", "claude_code")


def get(name: str, **options: Any) -> Format:
    """The format of that name. Options: `image_tokens`. Raises RegistryError with the names that exist."""
    return FORMATS.get(name)(**options)


def detect(native: Sequence[Any], **options: Any) -> Format:
    """The shipped format that is surest; plain messages, and no messages at all, are read as OpenAI Chat."""
    formats = [get(name, **options) for name in _SHIPPED]
    return max(formats, key=lambda f: f.detect(native))


def resolve(native: Sequence[Any], format: str = "auto", **options: Any) -> Format:  # noqa: A002  the public keyword is called so
    """The named format, or with `auto` the detected one."""
    return detect(native, **options) if format == "auto" else get(format, **options)
