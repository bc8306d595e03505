"""Sentences in both languages, and cuts that keep characters whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgeon.text.safe import clean_surrogates, graphemes, head, safe_cut, tail
from surgeon.text.sentences import sentences

CASES = [
    ("Hi there. Go on! Why? Yes.", ["Hi there.", "Go on!", "Why?", "Yes."]),
    ("Meet at 3:30 p.m. today, e.g. in room No. 5.", ["Meet at 3:30 p.m. today, e.g. in room No. 5."]),
    ("It closes at 5 p.m. We leave then.", ["It closes at 5 p.m.", "We leave then."]),
    ("Version 2.0.1 costs $3.50! Buy it.", ["Version 2.0.1 costs $3.50!", "Buy it."]),
    ("See https://example.com/a.b?c=1. Then call.", ["See https://example.com/a.b?c=1.", "Then call."]),
    ("Dr. J. Wu came. I did too.", ["Dr. J. Wu came.", "I did too."]),
    ("1. First item.\n2. Second item.", ["1. First item.", "2. Second item."]),
    ("Wait... what? ok.", ["Wait... what?", "ok."]),
    ("改成后天。不对，是88号！好吗？", ["改成后天。", "不对，是88号！", "好吗？"]),
    ("他说：“好。”我走了；你呢", ["他说：“好。”", "我走了；", "你呢"]),
    ("价格3.5元。OK.好的", ["价格3.5元。", "OK.", "好的"]),
    ("first line\nsecond line\n\nthird", ["first line", "second line", "third"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences(text: str, expected: list[str]) -> None:
    """Stops end a sentence, abbreviations, numbers, versions and addresses do not."""
    assert [text[a:b].strip() for a, b in sentences(text)] == expected


@given(st.text(alphabet=st.sampled_from('ab A.!?。！？；…\n "”)1é👍\u200d\u0301'), max_size=60))
def test_sentences_cover_the_text(text: str) -> None:
    """Sentences are in order, not empty, and joined they are the text."""
    found = sentences(text)
    assert "".join(text[a:b] for a, b in found) == text
    assert all(a < b for a, b in found)


@given(st.text(alphabet=st.sampled_from("ab\r\n👨\u200d👩👍🏽🇨🇳e\u0301好 "), max_size=30), st.integers(-2, 32))
def test_cuts_fall_between_graphemes(text: str, at: int) -> None:
    """A cut never splits an emoji sequence, a flag or a letter from its accent."""
    borders = {0}
    for g in graphemes(text):
        borders.add(max(borders) + len(g))
    cut = safe_cut(text, at)
    assert cut in borders
    assert cut <= max(0, at)
    assert len(head(text, max(0, at))) <= max(0, at)
    assert len(text) - len(tail(text, max(0, at))) in borders


def test_surrogates() -> None:
    """Pairs are joined, lone ones replaced, other text is the same object."""
    plain = "你好"
    assert clean_surrogates(plain) is plain
    assert clean_surrogates("\ud83d\ude00 \ud800x") == "😀 \ufffdx"
