"""Filling a budget with records: new information first, never over the room."""

from __future__ import annotations

from surgeon.rewrite import Record, rough_tokens
from surgeon.rewrite.cover import cover


def items(*texts: str) -> list[Record]:
    return [Record(t, 0.5, "row") for t in texts]


def test_a_repeat_is_worth_little() -> None:
    """The second telling of an identifier yields to a new one."""
    made = items("order SO-7031 is late", "SO-7031 order is late", "订单SO-9999已发货 ZZ415")
    assert cover(made, [8, 8, 8], 16) == [0, 2]


def test_the_room_is_never_exceeded() -> None:
    """Whole records within the room, in source order."""
    made = items(*(f"order SO-{n} from city{n} costs {n}.50" for n in range(40)))
    costs = [rough_tokens(r.text) + 1 for r in made]
    picked = cover(made, costs, 100)
    assert picked == sorted(picked)
    assert 0 < sum(costs[i] for i in picked) <= 100


def test_boosts_and_known_text_decide() -> None:
    """A boosted record wins; what is known already is not told again."""
    made = items("order SO-7031 is late", "order SO-7032 is late")
    assert cover(made, [8, 8], 8, [1.0, 2.0]) == [1]
    assert cover(made, [8, 8], 8, known="SO-7031") == [1]
    assert cover([], [], 10) == []
