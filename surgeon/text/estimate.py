"""Estimate of tokens (first version, not calibrated yet)."""


def estimate(text: str) -> int:
    """A rough, high count."""
    wide = sum(1 for c in text if ord(c) > 0x2E7F) if not text.isascii() else 0
    return int((len(text) - wide) / 2.7 + wide * 1.25 + 0.999)
