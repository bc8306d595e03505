"""The language of a text is that of its words."""

from __future__ import annotations

import time

import pytest

from surgeon.text.language import detect


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Could you move the tasting to Thursday?", "en"),
        ("ok", "en"),
        ("帮我把品酒会改到周四", "zh"),
        ("好", "zh"),
        ("请用 Python 写 a function that parses the invoice and returns 总额", "mixed"),
        ("deadbeef" * 8 + " 帮我查一下明天的天气", "zh"),
        ("[mid:0f3c9ab1d2e44f5a] u_7d0c9e41b2f84a6f9e55d3c8: 晚饭改到六点", "zh"),
        ("https://example.com/a/very/long/path?with=query 看看这个", "zh"),
        ("联系 anna.berg@example.com 确认", "zh"),
        ("Bonjour, je voudrais une table pour deux avec vue sur la mer", "other"),
        ("これはペンです", "other"),
        ("Привет, как дела", "other"),
        ("12345 67890", "other"),
        ("", "other"),
    ],
)
def test_detects_by_words_and_not_by_codes(text: str, language: str) -> None:
    """Ids, hashes, URLs and e-mail addresses do not count."""
    assert detect(text) == language


def test_is_fast_on_long_input() -> None:
    """Only a sample of a long text is read."""
    began = time.perf_counter()
    detect("A9+/" * 200_000)
    assert time.perf_counter() - began < 10
