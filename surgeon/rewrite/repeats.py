"""Repeated questions: several that ask the same thing become one line with their count and the last answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from surgeon.rewrite.context import Render

Near = Callable[["Question", "Question"], bool]

LONGEST = 160  # characters of a question, and of an answer that is copied
_NOT_WORD = re.compile(r"[\W_]+")
_OPENING = re.compile(r"^(?:(?:hi|hello|hey|so|and|ok|okay|sorry|please|excuse me|again|once more)\b[\s,.!:]*|请问|您好|你好|麻烦|再问一下|我想问一下|想问一下|问一下|那个?|[，,。.!！\s])+", re.I)


class Question(NamedTuple):
    """A question of the user: the unit it stands in, its words, and what must be equal for two to ask the same (numbers, names, negation)."""

    unit: str
    text: str
    hard: frozenset[str] = frozenset()

    @property
    def folded(self) -> str:
        """Without opening words, punctuation and case."""
        return _NOT_WORD.sub("", _OPENING.sub("", self.text)).casefold()


class Repeated(NamedTuple):
    """One group: the older questions that the newest stands for, oldest first."""

    newest: Question
    older: tuple[Question, ...]


def repeated(questions: Sequence[Question], near: Near) -> list[Repeated]:
    """Groups of two or more, newest first; every older question is near the newest of its group, so that nothing drifts."""
    left = list(questions)
    out: list[Repeated] = []
    while left:
        newest = left.pop()
        older = [q for q in left if q.hard == newest.hard and near(q, newest)]
        if older:
            out.append(Repeated(newest, tuple(older)))
            left = [q for q in left if q not in older]
    return out


def aggregated(group: Repeated, answer: str, time: str, language: str, render: Render) -> str:
    """The line of a group, empty if no template can say it. The question and the answer are copied word for word."""
    words = group.newest.text.strip().rstrip("?？。.!！ ")
    topic = f"“{words}”" if language == "zh" else f'"{words}"'
    values: dict[str, Any] = {"count": len(group.older) + 1, "topic": topic}
    answer = answer.strip()
    if answer and len(answer) <= LONGEST and "\n" not in answer:
        values |= {"answer": answer.rstrip("。."), **({"time": time} if time else {})}
    done = render("repeat", values, language)
    return "" if done is None or "\n" in done.text or words not in done.text else done.text
