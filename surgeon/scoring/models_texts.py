"""Texts on which a built encoder is held against its reference: prose, questions, tool output and code, short and long.

Made from parts with a fixed seed, so that a build is judged on the same texts everywhere.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable

_WHO = [
    "The auditor",
    "Our landlord",
    "A new colleague",
    "The night nurse",
    "My sister",
    "The harbour office",
    "Nobody on the team",
    "The caterer",
    "An old customer",
    "The pilot",
]
_DID = [
    "moved",
    "cancelled",
    "praised",
    "postponed",
    "lost",
    "paid for",
    "complained about",
    "forgot",
    "repaired",
    "double-checked",
    "explained",
    "sold",
]
_WHAT = [
    "the delivery of winter tyres",
    "the invoice for September",
    "a table for six",
    "the backup of the ledger",
    "the flight to Porto",
    "two crates of lemons",
    "the heating in room 14",
    "a draft of the contract",
    "the vaccination card",
    "the keys to the boathouse",
    "the slides about churn",
    "a violin lesson",
]
_WHEN = [
    "last Tuesday",
    "before the storm",
    "at a quarter past nine",
    "during lunch",
    "in the spring of 2019",
    "after the second reminder",
    "on the way home",
    "while everyone was asleep",
]
_WHY = [
    "because the gate was locked",
    "although it had been promised in writing",
    "and nobody could say why",
    "since the price had gone up by 4.5 %",
    "so the whole plan has to change",
    "which pleased hardly anyone",
    "as the rules demand",
]
_ASK = [
    "Could you tell me when {}?",
    "Why was it that {}?",
    "Is it true that {}?",
    "Please check whether {}.",
    "What happens if {}?",
    "Remind me tomorrow that {}.",
]
_LEVEL = ("INFO", "WARN", "ERROR", "DEBUG")
_SERVICE = ("billing", "gateway", "search-indexer", "mailer", "auth")
_EVENT = [
    "connection reset by peer",
    "retry 3 of 5",
    "cache miss for key user:{}",
    "took {} ms",
    "schema migrated to version {}",
    "queue depth {}",
    "401 unauthorized",
]
_VERB = ["load", "parse", "merge", "render", "archive", "cancel", "refund", "schedule"]
_NOUN = ["order", "invoice", "session", "snapshot", "ticket", "route", "customer", "token"]
_SHORT = [
    "ok",
    "Thanks!",
    "yes, go ahead",
    "No.",
    "3 pm",
    "cancel it",
    "done",
    "not yet",
    "sure, why not",
    "London Heathrow",
    "€ 1,250.00",
    "lol",
    "🙂 see you",
    "v2.14.0",
    "left, then right",
]


def _sentence(r: random.Random) -> str:
    return f"{r.choice(_WHO)} {r.choice(_DID)} {r.choice(_WHAT)} {r.choice(_WHEN)} {r.choice(_WHY)}."


def _question(r: random.Random) -> str:
    clause = _sentence(r)[:-1]
    return r.choice(_ASK).format(clause[0].lower() + clause[1:])


def _prose(r: random.Random) -> str:
    return " ".join(_sentence(r) for _ in range(r.randint(2, 14)))


def _log(r: random.Random) -> str:
    def line() -> str:
        stamp = f"2026-{r.randint(1, 12):02}-{r.randint(1, 28):02} {r.randint(0, 23):02}:{r.randint(0, 59):02}:{r.randint(0, 59):02}"
        return f"{stamp} {r.choice(_LEVEL)} [{r.choice(_SERVICE)}] {r.choice(_EVENT).format(r.randint(2, 9000))}"

    return "\n".join(line() for _ in range(r.randint(1, 9)))


def _record(r: random.Random) -> str:
    rows = [
        {
            "id": f"{r.choice(_NOUN)}-{r.randint(1000, 99999)}",
            "status": r.choice(("open", "paid", "late")),
            "total": round(r.uniform(1, 900), 2),
        }
        for _ in range(r.randint(1, 6))
    ]
    return json.dumps({"items": rows, "note": _sentence(r)}, indent=r.choice((None, 2)))


def _code(r: random.Random) -> str:
    verb, noun, other = r.choice(_VERB), r.choice(_NOUN), r.choice(_NOUN)
    body = "\n".join(
        f"    {other}_{i} = {r.choice(_VERB)}_{r.choice(_NOUN)}({noun}, limit={r.randint(1, 500)})" for i in range(r.randint(1, 6))
    )
    return f'def {verb}_{noun}({noun}: {noun.title()}) -> None:\n    """{_sentence(r)}"""\n{body}\n    return {other}_0\n'


def _shell(r: random.Random) -> str:
    names = [f"-rw-r--r-- 1 app app {r.randint(10, 90000):>6} {r.choice(_NOUN)}_{r.randint(1, 40)}.py" for _ in range(r.randint(1, 8))]
    return f"$ ls -l src/{r.choice(_NOUN)}s\n" + "\n".join(names)


def _short(r: random.Random) -> str:
    return r.choice(
        (
            r.choice(_SHORT),
            r.choice(_WHAT),
            f"{r.choice(_SHORT)} {r.choice(_WHEN)}",
            f"{r.choice(_VERB)} {r.choice(_NOUN)} {r.randint(1, 999)}",
        )
    )


def check_texts(n: int = 1_000, seed: int = 7) -> list[str]:
    """`n` different texts, evenly spread over the kinds, always the same for one seed."""
    r = random.Random(seed)
    kinds: tuple[Callable[[random.Random], str], ...] = (_sentence, _question, _prose, _log, _record, _code, _shell, _short)
    texts: dict[str, None] = {}
    turn = 0
    while len(texts) < n:
        texts.setdefault(kinds[turn % len(kinds)](r))
        turn += 1
    return list(texts)
