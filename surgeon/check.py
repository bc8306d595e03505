"""Step 9: is the result at least as valid as the input, no larger, and is everything protected still there?"""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

from surgeon.protocols import Format
from surgeon.types import Message, WireIssue


def new_issues(before: Sequence[Any], after: Sequence[Any], fmt: Format) -> list[WireIssue]:
    """Issues of the result that the input did not have, counted per rule (positions shift, so they cannot be compared)."""
    had = collections.Counter(i.rule for i in fmt.check(before))
    fresh: list[WireIssue] = []
    for issue in fmt.check(after):
        if had[issue.rule] > 0:
            had[issue.rule] -= 1
        else:
            fresh.append(issue)
    return fresh


def lost(protected: Sequence[Message], after: Sequence[Any]) -> list[str]:
    """Ids of protected messages whose native object is not in the result any more."""
    there = {id(m) for m in after}
    return [m.id for m in protected if not m.changed and id(m.native) not in there]
