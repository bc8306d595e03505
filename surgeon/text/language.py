"""Which language a text is written in, judged by its words and not by the ids, addresses and codes in it."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["zh", "en", "mixed", "other"]

_SAMPLE = 4_000
_NOISE = re.compile(
    r"""
    https?://[^\s\u3000-\u303f\u3400-\u9fff\uff00-\uffef]{1,2000}      # URLs
    | [A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,255}                      # e-mail
    | <[^<>\n]{1,200}>                                                 # tags and placeholders
    | [A-Za-z0-9+/=_:.-]{24,}                                          # hashes, base64, long ids
    | (?<![A-Za-z0-9])(?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_:.-]{2,}        # anything of letters that holds a digit
    | (?:[A-Za-z]:)?[/\\][\w.~-]+(?:[/\\][\w.~-]*)+                    # paths
    """,
    re.VERBOSE | re.ASCII,
)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA_HANGUL = re.compile(r"[\u3040-\u30ff\u31f0-\u31ff\uac00-\ud7af\u1100-\u11ff]")
_FOREIGN = re.compile(r"[\u0370-\u1fff]")  # Greek, Cyrillic, Hebrew, Arabic, Indic, Thai, Georgian …
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’-][A-Za-z\u00c0-\u024f]+)*")
_ENGLISH = frozenset(
    re.findall(
        r"\S+",
        """
    the of and to in is you that it he was for on are as with his they i at be this have from or had by not but what all were we
    when your can said there an each which she do how their if will up other about out many then them these so some her would make
    like him into time has look two more go see no way could people my than first been who its now find long down day did get come
    made may please thanks me us our just need want let should does
        """,
    )
)
_OTHERS = frozenset(
    re.findall(
        r"\S+",
        """
    der das und ist nicht ich sie wir mit auf für ein eine den von zu im dem des auch es le la les et est pas je nous vous avec
    pour une dans que qui sur au du el los las y con por para una en se lo como pero il che di non per sono della o os um uma não
    com mais foi het een van niet ik
        """,
    )
)
_HAN_PER_WORD = 1.6  # characters of Chinese that say as much as one English word


def _sample(text: str) -> str:
    """Head, middle and tail of a long text."""
    if len(text) <= 3 * _SAMPLE:
        return text
    middle = len(text) // 2
    return f"{text[:_SAMPLE]} {text[middle : middle + _SAMPLE]} {text[-_SAMPLE:]}"


def _latin_language(words: list[str]) -> Language:
    """English, unless function words of other languages clearly outnumber its own."""
    lowered = [w.lower() for w in words]
    english = sum(w in _ENGLISH for w in lowered)
    others = sum(w in _OTHERS for w in lowered)
    return "other" if others >= 2 and others > 1.5 * english else "en"


def detect(text: str) -> Language:
    """The language of a text: "zh", "en", "mixed" (both matter) or "other" (another language, or no words at all).

    A pure function that reads at most 12,000 characters.
    """
    sample = _sample(text)
    words_only = _NOISE.sub(" ", sample)
    han = len(_HAN.findall(words_only))
    words = _LATIN.findall(words_only)
    syllables, foreign = len(_KANA_HANGUL.findall(words_only)), len(_FOREIGN.findall(words_only))
    if syllables > 0.15 * han and syllables >= 2 and syllables > len(words):
        return "other"
    if foreign > 3 * len(words) and foreign > han:
        return "other"
    if not han:
        if words:
            return _latin_language(words)
        return "en" if re.search(r"[A-Za-z]{2}", sample) else "other"
    share = han / (han + _HAN_PER_WORD * len(words))
    if share >= 0.6:
        return "zh"
    return "en" if share < 0.1 else "mixed"
