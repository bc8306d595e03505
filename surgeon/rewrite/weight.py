"""How much a piece of text says: identifiers, numbers, names and errors per word. Linear in the length of the text."""

from __future__ import annotations

import math
import re

_WORD = re.compile(r"[A-Za-z0-9_@#$€£¥./+%'’\\-]{1,160}:?|[\u3400-\u9fff]{1,40}")
_DIGIT = re.compile(r"\d")
_ALPHA = re.compile(r"[A-Za-z]")
_CAMEL = re.compile(r"[a-z][A-Z]")
_ERROR = re.compile(
    r"\b(?:\w{0,40}(?:Error|Exception)|ERROR|FATAL|CRITICAL|FAIL(?:ED|URE)?|error|failed|failure|fatal|panic|denied|refused|timed? ?out"
    r"|[Tt]raceback|invalid|not found|unauthorized|forbidden|aborted|crash(?:ed)?)\b|报错|错误|失败|异常|拒绝|超时|崩溃|无效"
)
_RULE = re.compile(
    r"\b(?:must|never|do not|don't|only|at (?:most|least)|no (?:more|later|less) than|unless|deadline"
    r"|required?|not allowed|cannot|final|decided|because)\b"
    r"|必须|务必|严禁|禁止|不要|不得|只能|不超过|最多|至少|截止|为准|除非|最终|决定|因为",
    re.IGNORECASE,
)
_FILE = re.compile(r"\w\.[A-Za-z]\w{0,4}$")
_QUOTED = re.compile(r"(?:(?<=[\s(:,])|^)(?:'[^'\n]{2,60}'|\"[^\"\n]{2,60}\"|`[^`\n]{2,60}`)(?![A-Za-z])")
_NAME_ZH = re.compile(
    r"《[^》]{1,40}》|「[^」]{1,40}」|“[^”]{1,40}”|[一二三四五六七八九十百千万两]{1,6}(?:元|块|点|号|日|月|天|间|人|张|位|岁|年|公里|小时|分钟)"
)


def signals(text: str) -> tuple[float, float]:
    """Weighted count of what is worth keeping, and the number of words (two Chinese characters are one)."""
    found = words = 0.0
    first = True
    for match in _WORD.finditer(text):
        word = match[0]
        if word[0] >= "\u3400":
            words += len(word) / 2
            first = False
            continue
        words += 1
        found += _word(word.strip(".:,'"), word.endswith(":"), first)
        first = word[-1] in ".:"
    found += 0.7 * min(6, sum(1 for _ in _QUOTED.finditer(text, 0, 4_000)))
    found += 0.9 * min(6, len(_NAME_ZH.findall(text))) if not text.isascii() else 0
    return found, words


def said(text: str) -> dict[str, float]:
    """The words of a text that carry information (identifiers, numbers, names), lower-cased, each with its signal 0..1."""
    out: dict[str, float] = {}
    first = True
    for match in _WORD.finditer(text):
        word = match[0]
        if word[0] >= "\u3400":
            out.update((word[i : i + 2], 0.12) for i in range(len(word) - 1))
            first = False
            continue
        bare = word.strip(".:,'\"")
        value = _word(bare, word.endswith(":"), first)
        first = word[-1] in ".:"
        if value >= 0.3 or len(bare) > 3:
            key = bare.lower()
            out[key] = max(out.get(key, 0.0), value if value >= 0.3 else 0.08)
    return out


def _word(word: str, key: bool, first: bool) -> float:
    """The signal of one word: an identifier, a path, a number, a code name, a proper name."""
    if key or not word:
        return 0.1
    if _DIGIT.search(word):
        if _ALPHA.search(word):
            return 1.0
        return 1.0 if len(word) >= 5 else 0.6
    if not _ALPHA.search(word):
        return 0.0
    if ("/" in word and len(word) > 3) or "@" in word:
        return 1.0
    if word[0] == "#" or _FILE.search(word):
        return 0.9
    if "_" in word or _CAMEL.search(word):
        return 0.6
    if word.isupper() and 1 < len(word) < 7:
        return 0.6
    return 0.5 if word[0].isupper() and not first else 0.0


def is_error(text: str) -> bool:
    """Whether a line reports a failure."""
    return _ERROR.search(text) is not None


def weigh(text: str) -> float:
    """Information density in 0..1; errors and rules are worth extra, text without signals is worth little."""
    found, words = signals(text)
    if words < 1:
        return 0.0
    weight = 0.08 + 0.92 * (1 - math.exp(-2.0 * found / (words + 3)))
    if _ERROR.search(text):
        weight += 0.25
    if _RULE.search(text):
        weight += 0.15
    return round(min(1.0, weight), 4)
