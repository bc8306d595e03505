"""Recognisers for keys, tokens and passwords. Boundaries are ASCII, so that Chinese characters may touch a secret."""



from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from surgeon.redact.patterns import Found, Pattern, pattern

_L, _R = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
_NOT_SECRET = frozenset(
    [
        "true",
        "false",
        "null",
        "none",
        "yes",
        "no",
        "required",
        "optional",
        "string",
        "password",
        "secret",
        "token",
        "changeme",
        "undefined",
        "empty",
        "hidden",
        "redacted",
    ]
)
_KEY_NAME = r"[A-Za-z0-9_.-]{0,30}(?:password|passwd|passphrase|pwd|secret|api[_-]?key|apikey|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|token|client[_-]?secret|credential)s?"
_KEY_NEEDS = ("passw", "passphrase", "pwd", "secret", "key", "token", "credential")


def _secret_value(value: str) -> bool:
    """Whether the value of a key named like a secret is one: not a word, a reference, a placeholder or a count."""
    bare = value.strip("\"'")
    if len(bare) < 6 or bare.lower() in _NOT_SECRET or bare[0] in "<${%*" or set(bare) <= set("*xX.•-"):
        return False
    if bare.isdigit():
        return len(bare) >= 8
    return not (bare.isalpha() and bare.islower()) or _entropy(bare) > 3.2


def _entropy(text: str) -> float:
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


SECRETS: tuple[Pattern, ...] = (
    pattern("API_KEY", "secret", _L + r"(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}" + _R, rank=9, needs=("akia", "asia", "agpa", "aida", "aroa")),
    pattern("API_KEY", "secret", _L + r"(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})" + _R, rank=9, needs=("gh", "github_pat_")),
    pattern("API_KEY", "secret", _L + r"glpat-[A-Za-z0-9_-]{16,64}", rank=9, needs=("glpat-",)),
    pattern("API_KEY", "secret", _L + r"sk-(?:proj-|ant-|live-|or-v1-)?[A-Za-z0-9_-]{16,200}" + _R, rank=9, needs=("sk-",)),
    pattern("API_KEY", "secret", _L + r"[sprw]k_(?:live|test)_[A-Za-z0-9]{10,120}" + _R, rank=9, needs=("_live_", "_test_")),
    pattern("API_KEY", "secret", _L + r"whsec[_-][A-Za-z0-9+/=_-]{12,120}", rank=9, needs=("whsec",)),
    pattern("API_KEY", "secret", _L + r"xox[abeoprs]-[A-Za-z0-9-]{10,250}" + _R, rank=9, needs=("xox",)),
    pattern("API_KEY", "secret", r"https://hooks\.slack\.com/services/(?P<v>[A-Za-z0-9/_-]{20,120})", rank=9, needs=("hooks.slack.com",)),
    pattern("API_KEY", "secret", _L + r"AIza[A-Za-z0-9_-]{35}" + _R, rank=9, needs=("aiza",)),
    pattern("API_KEY", "secret", _L + r"ya29\.[A-Za-z0-9_-]{20,300}", rank=9, needs=("ya29.",)),
    pattern("API_KEY", "secret", _L + r"(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,250}|hf_[A-Za-z0-9]{30,60}|dop_v1_[a-f0-9]{64}|SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}|LTAI[A-Za-z0-9]{12,24}|AKID[A-Za-z0-9]{28,36})" + _R, rank=9, needs=("npm_", "pypi-", "hf_", "dop_v1_", "sg.", "ltai", "akid")),
    pattern("PASSWORD", "secret", r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,24}://[^\s:/@\"'<>\u3000-\u9fff]{0,64}:(?P<v>[^\s/@\"'<>\u3000-\u9fff]{1,128})@", rank=9, needs=("://",)),
    pattern("TOKEN", "secret", r"(?i:authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)|\bbearer)\s{1,3}(?P<v>[A-Za-z0-9._~+/=-]{12,1000})", rank=8, needs=("authorization", "bearer")),
    pattern("PASSWORD", "secret", r"(?i)[\"']" + _KEY_NAME + r"[\"']\s{0,4}:\s{0,4}\"(?P<v>(?:[^\"\\\n]|\\.){4,400})\"", rank=8, needs=_KEY_NEEDS, check=_secret_value),
    pattern("PASSWORD", "secret", r"(?i)\\\"" + _KEY_NAME + r"\\\"\s{0,4}:\s{0,4}\\\"(?P<v>[^\"\\\n]{4,400})\\\"", rank=8, needs=_KEY_NEEDS, check=_secret_value),
    pattern("PASSWORD", "secret", r"(?i)(?<![A-Za-z0-9_.-])" + _KEY_NAME + r"[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?P<v>[^\s\"',;}&，。；\u4e00-\u9fff]{4,400})", rank=7, needs=_KEY_NEEDS, check=_secret_value),
    pattern("PASSWORD", "secret", r"(?:密码|口令|密钥|令牌)(?:是|为|[:：=])?\s{0,2}[\"'“]?(?P<v>[A-Za-z0-9!@#$%^&*()_+\-./~]{6,200})", rank=7, needs=("密码", "口令", "密钥", "令牌"), check=lambda v: any(c.isdigit() for c in v)),
    pattern("PASSWORD", "secret", r"(?i)\b(?:password|passcode|passphrase)\s{1,2}(?:is|was)\s{1,2}[\"'“]?(?P<v>[^\s\"'”]{6,100}?)(?=[.,;!?]?(?:[\s\"'”]|$))", rank=7, needs=("passw", "passcode", "passphrase"), check=lambda v: any(not c.isalpha() for c in v.rstrip(".,;!?"))),
)  # fmt: skip

_TOKEN_CHARS = r"[A-Za-z0-9_-]"
_JWT = pattern(
    "JWT", "secret", rf"(?<!{_TOKEN_CHARS})eyJ{_TOKEN_CHARS}{{8,4000}}+\.{_TOKEN_CHARS}{{4,8000}}+(?:\.{_TOKEN_CHARS}{{0,2000}}+)?", rank=10
)


def whole_secrets(text: str) -> Iterator[Found]:
    """Secrets that may hold long base64 runs themselves: JSON web tokens and private keys in PEM form."""
    if "eyJ" in text:
        for match in _JWT.expression.finditer(text):
            yield Found(match.start(), match.end(), "JWT", "secret", 10)
    at = text.find("-----BEGIN ")
    while at >= 0:
        head = text[at : at + 60]
        end = text.find("-----END ", at)
        close = text.find("-----", end + 9) if end >= 0 else -1
        if "PRIVATE KEY" in head:
            yield Found(at, close + 5 if close >= 0 else len(text), "PRIVATE_KEY", "secret", 10)
        at = text.find("-----BEGIN ", at + 11)
