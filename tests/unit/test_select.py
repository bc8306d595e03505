"""Which records are chosen: by what they say that nothing else says, within the room, in source order."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgeon.select import Candidate, Pool, terms


def count(text: str) -> int:
    """Tokens: one a word."""
    return len(text.split())


def chosen(records: list[Candidate], room: int, covered: list[str] | None = None, wanted: dict[str, float] | None = None) -> list[str]:
    """Texts of the chosen records, with room for so many words and the head of one line."""
    pool = Pool(records, count, wanted or {})
    return [c.text for c in pool.choose(room + pool.head_cost, covered or [])]


ROWS = [Candidate(0, n, t) for n, t in enumerate(["order A-17 was sent", "it is what it is", "order A-17 was sent", "refund RF-99 of 45.50 EUR pending"])]


@pytest.mark.parametrize(
    ("text", "term", "weight"),
    [
        ("mail ann@example.com now", "ann@example.com", 3.0),
        ("see src/app/main.py there", "src/app/main.py", 3.0),
        ("order A-17 is late", "a-17", 3.0),
        ("call get_user_id twice", "get_user_id", 3.0),
        ("at 14:22 sharp", "14:22", 2.5),
        ("we met Ann Lee there", "ann lee", 2.0),
        ("take 7 of them", "7", 1.0),
        ("a curious word", "curious", 0.5),
        ("送到幸福路", "幸福", 0.35),
    ],
)
def test_terms_and_their_weights(text: str, term: str, weight: float) -> None:
    """Identifiers weigh most, then numbers and names, then words."""
    assert terms(text)[term] == weight


def test_an_unbroken_run_takes_linear_time() -> None:
    """A blob of a quarter of a million characters has no terms worth the time."""
    start = time.process_time()
    for unit in ("a", "é", "日志", "a.b/", "1,", "_"):
        terms(unit * (250_000 // len(unit)))
    assert time.process_time() - start < 5


def test_what_says_something_new_comes_first_and_repeats_gain_nothing() -> None:
    """Identifiers beat small talk; the same record is not taken twice."""
    assert chosen(ROWS, 100)[:1] == ["order A-17 was sent"]
    assert chosen(ROWS, 100).count("order A-17 was sent") == 1
    assert len(chosen(ROWS, 8)) == 1


def test_what_is_visible_elsewhere_is_not_chosen() -> None:
    """A record that only repeats what the reader sees anyway gains nothing."""
    assert "order A-17 was sent" not in chosen(ROWS, 100, ["order A-17 was sent yesterday"])


def test_a_must_comes_before_every_gain() -> None:
    """A record that must stay is taken first while it fits."""
    records = [*ROWS, Candidate(1, 0, "please do as told", must=True)]
    assert chosen(records, 6) == ["please do as told"]
    assert "please do as told" not in chosen(records, 2)


def test_a_record_brings_the_one_it_needs() -> None:
    """The rest of a row is never chosen without what identifies the row."""
    records = [Candidate(0, 0, "row seven", 0.01), Candidate(0, 1, "total 99.95 EUR due 2026-03-01", 5.0, needs=0)]
    assert chosen(records, 100) == ["row seven", "total 99.95 EUR due 2026-03-01"]
    assert chosen(records, 4) in ([], ["row seven"])


def test_the_question_draws_its_records() -> None:
    """What the question speaks of is chosen first in a room for one."""
    records = [Candidate(0, 0, "alpha beta gamma delta epsilon"), Candidate(1, 0, "kettle spoon table window garden")]
    assert chosen(records, 9, wanted={"kettle": 5.0, "spoon": 5.0}) == ["kettle spoon table window garden"]


texts = st.lists(st.sampled_from(["A-17", "B-2", "sent", "Ann", "45.50", "幸福路88号", "the", "late", "x_y"]), min_size=1, max_size=6).map(" ".join)
pools = st.lists(st.tuples(st.integers(0, 4), texts, st.booleans()), max_size=25).map(
    lambda rows: [Candidate(s, n, t, must=m) for n, (s, t, m) in enumerate(sorted(rows))]
)


@settings(max_examples=150, deadline=None)
@given(pools, st.integers(-3, 80))
def test_a_choice_fits_is_ordered_and_repeatable(records: list[Candidate], room: int) -> None:
    """The records fit the room, stand in source order, are all of the input, and are the same every time."""
    first = Pool(records, count, {}).choose(room, [])
    assert sum(count(c.text) for c in first) <= max(0, room)
    assert [(c.source, c.order) for c in first] == sorted((c.source, c.order) for c in first)
    assert len({(c.source, c.order) for c in first}) == len(first)
    assert all(c in records for c in first)
    assert Pool(list(records), count, {}).choose(room, []) == first


def test_ten_thousand_records_are_quick() -> None:
    """The lazy heap does not recompute every gain for every choice."""
    records = [Candidate(n // 10, n % 10, f"order A-{n} row {n} of {n % 97} was sent to city{n % 31}") for n in range(10_000)]
    start = time.process_time()
    assert chosen(records, 2_000)
    assert time.process_time() - start < 10


def test_a_statement_of_something_known_is_news() -> None:
    """A known value beside other words says something new where it is a statement, unless those words are known too."""
    known = ["the depot is in B-12"]
    told = [Candidate(0, 0, "spare gate B-12"), Candidate(1, 0, "we walked from gate B-12 along a spare wall")]
    news = [Candidate(0, 0, "we walked from gate B-12 along a spare wall"), Candidate(1, 0, "spare gate B-12", news=True)]
    assert chosen(told, 5, known) == ["spare gate B-12"]
    assert chosen(news, 5, known) == ["spare gate B-12"]
    pool = Pool(news, count)
    assert pool._gain(1, {"b-12"}, set()) > pool._gain(0, {"b-12"}, set())
    assert pool._gain(1, {"b-12", "gate", "spare"}, set()) == 0


def test_the_same_text_twice_is_not_used_twice() -> None:
    """An identifier that comes back in a repeated line weighs no more than in one."""
    repeated = Pool([Candidate(n, 0, "ran fetch_all") for n in range(4)], count)
    used = Pool([Candidate(n, 0, f"ran fetch_all on {n}") for n in range(4)], count)
    assert repeated.parts[0]["fetch_all"] < used.parts[0]["fetch_all"]


def test_the_capitals_of_a_label_name_nothing() -> None:
    """A label weighs as words do, and what follows it begins a sentence."""
    found = terms("GOAL STATE: The boat is tied up")
    assert found["goal"] == found["state"] == 0.5
    assert "goal state" not in found
    assert "the" not in found


def test_a_large_record_that_holds_much_is_not_squeezed_out_by_small_ones() -> None:
    """The densest records first would leave no room for the one that is worth more than all of them."""
    small = [Candidate(0, n, f"X-{n}1") for n in range(3)]
    large = Candidate(1, 0, "list " + " ".join(f"Y-{n}7" for n in range(12)))
    assert chosen([*small, large], 16) == [large.text]
