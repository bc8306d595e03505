"""Content words, for tying a sentence to the fact it speaks of."""

from __future__ import annotations

import re

_STOP = frozenset(
    ["the", "and", "for", "you", "are", "can", "with", "this", "that", "have", "has", "from", "your", "was", "will", "would", "please", "not", "but", "they", "all", "any", "our", "out", "its", "let", "get", "how", "what", "when", "which", "who", "could", "should", "also", "one", "two", "first", "second", "third", "yes", "back", "use", "make", "change", "set", "put", "want", "need", "like", "just", "still", "now", "then", "again", "before", "after", "original", "previous", "said", "gave", "told", "asked", "address", "value", "thing", "same", "there", "here", "it's", "i'll", "don't", "cancel", "forget", "drop", "lose", "instead", "of", "actually"]
)


def content_words(text: str) -> frozenset[str]:
    """English words of three letters or more and Chinese bigrams, without function words."""
    english = {w.rstrip("s") for w in re.findall(r"[a-z][a-z'-]{2,}", text.lower()) if w not in _STOP}
    chinese = {run[i : i + 2] for run in re.findall(r"[\u4e00-\u9fff]+", text) for i in range(len(run) - 1)}
    return frozenset(english | (chinese - _ZH_STOP))


_ZH_STOP = frozenset(
    ["我们", "你们", "他们", "这个", "那个", "一个", "一下", "可以", "什么", "怎么", "就是", "不是", "还是", "没有", "不要", "不用", "取消", "恢复", "改成", "换成", "改为", "之前", "原来", "第一", "最初", "刚才", "的话", "那就", "算了", "好的", "吧我", "先把", "把那"]
)


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared words, as a share of the smaller set."""
    return len(a & b) / max(1, min(len(a), len(b)))
