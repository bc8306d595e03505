"""Step 9: is the result at least as valid as the input?"""

from __future__ import annotations

import collections
from collections.abc import Sequence

from surgeon.types import WireIssue


def new_issues(before: Sequence[WireIssue], after: Sequence[WireIssue]) -> list[WireIssue]:
    """Issues of the result that the input did not have, counted per rule (positions shift, so they cannot be compared)."""
    had = collections.Counter(i.rule for i in before)
    fresh: list[WireIssue] = []
    for issue in after:
        if had[issue.rule] > 0:
            had[issue.rule] -= 1
        else:
            fresh.append(issue)
    return fresh
