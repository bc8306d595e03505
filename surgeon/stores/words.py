"""Words to index and to search: Latin words as they are, Chinese as single characters and pairs, plus what a segmenter gives."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

Tokenise = Callable[[str], Iterable[str]]

_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7a3"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_INDEXED_CHARS = 200_000
_HEAD = re.compile(r"^\[[^\]\n]{1,80} · round \d+ · [^\]\n]{1,80}\] ")
_QUERY_TERMS = 64
_STOPWORDS = frozenset(
    re.findall(
        r"\S+",
        "a an and are as at be by did do does for from had has have how i in is it its me my of on or our that the their they this to was "
        "we were what when where which who why will with would you your "
        "的 了 是 在 我 你 他 她 它 们 吗 呢 吧 啊 和 与 就 都 也 请 把 被 这 那 哪 什 么 个",
    )
)
_SUFFIX = re.compile(r"(?:(?<=ss)es|(?<=\w{3})(?:ing|ed|es|e)|(?<=[a-z]{2})(?<!s)s)\Z")


def _is_cjk(run: str) -> bool:
    return re.match(f"[{_CJK}]", run) is not None


def stem(word: str) -> str:
    """A Latin word without its plainest English endings, so that "addresses" finds "address" and "shipped" finds "ship"."""
    if not word.isascii() or not word.isalpha():
        return word
    cut = _SUFFIX.sub("", word)
    doubled = len(word) - len(cut) >= 2 and len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "aeiouls"
    return cut[:-1] if doubled else cut


def index_words(text: str, tokenise: Tokenise | None = None) -> str:
    """The text as blank-separated words for a full-text index."""
    clean = _clean(text[:_INDEXED_CHARS])
    out: list[str] = []
    for run in _RUN.findall(clean):
        out.extend([*run, *_pairs(run)] if _is_cjk(run) else [stem(run)])
    if tokenise is not None:
        out.extend(w for w in _segmented(text[:_INDEXED_CHARS], tokenise) if len(w) > 2)
    return " ".join(out)


def query_words(text: str, tokenise: Tokenise | None = None) -> list[str]:
    """The words of a question worth searching for, each once; single Chinese characters only where a run has no pair."""
    clean = _clean(text[:2_000])
    out: list[str] = []
    for run in _RUN.findall(clean):
        out.extend((_pairs(run) or [run]) if _is_cjk(run) else [run if run in _STOPWORDS else stem(run)])
    if tokenise is not None:
        out.extend(w for w in _segmented(text[:2_000], tokenise) if len(w) > 2)
    unique = list(dict.fromkeys(out))
    telling = [w for w in unique if w not in _STOPWORDS and not (_is_cjk(w) and any(c in _STOPWORDS for c in w))]
    if not telling:
        telling = [w for w in unique if w not in _STOPWORDS and not all(c in _STOPWORDS for c in w)]
    return (telling or unique)[:_QUERY_TERMS]


def match_expression(words: Iterable[str]) -> str:
    """An FTS5 expression that finds any of the words; every word is quoted, so that no syntax of a question gets through."""
    return " OR ".join('"' + w.replace('"', '""') + '"' for w in words)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _clean(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode("utf-8")).lower()
    return folded.replace("\x00", " ")


def _segmented(text: str, tokenise: Tokenise) -> list[str]:
    """Words of a segmenter, line by line and without the head of a stored message: so it meets the lines that were read before."""
    words = (str(t) for line in text.splitlines() for t in tokenise(_HEAD.sub("", line)))
    return [w for w in (_clean(t).strip() for t in words) if w and _RUN.fullmatch(w)]

