"""JSON: literals survive byte for byte, whole rows are chosen, and records keep values beside their keys."""

from __future__ import annotations

import json

import pytest

from surgeon.rewrite import CompactContext, compact_text, records
from surgeon.rewrite.literals import dump, minify, parse_json

ROWS = [
    {"order": f"SO-{7000 + i}", "city": ["Lisbon", "杭州", "Tunis"][i % 3], "total": i * 3, "state": "failed" if i == 31 else "sent"}
    for i in range(60)
]
BOOKING = {
    "reservation_id": "QX81LM", "user_id": "lena_ruiz_5550", "cabin": "economy",
    "flights": [
        {"origin": "LIS", "destination": "MAD", "flight_number": "ZZ081", "date": "2026-03-03", "price": 120},
        {"origin": "MAD", "destination": "TUN", "flight_number": "ZZ415", "date": "2026-03-04", "price": 98},
    ],
    "passengers": [{"first_name": "Lena", "last_name": "Ruiz", "dob": "1990-01-02"}],
    "payment_history": [{"payment_id": "gift_card_5550123", "amount": 218}],
    "note": "x" * 40, "insurance": "no",
}  # fmt: skip


@pytest.mark.parametrize("literal", ["1893042217765388120", "70.00", "1e400", "-0.0", "0.1000", '"033482"', '"\\u00e9\\n"', "null", "true"])
def test_literals_keep_their_text(literal: str) -> None:
    """Numbers are never read as floats; strings keep their value."""
    source = f'{{ "v" : [ {literal} , {literal} ] }}'
    small = minify(source)
    assert json.loads(small) == json.loads(source)
    if literal[0] != '"':
        assert small == f'{{"v":[{literal},{literal}]}}'
        assert dump(parse_json(source)) == small


def test_escaped_chinese_is_written_out() -> None:
    """\\u escapes cost six characters each; lone surrogates stay as they are."""
    assert minify('{"a": "\\u4f60\\u597d", "b": "\\ud800"}') == '{"a":"你好","b":"\\ud800"}'


def test_lossless_without_a_limit() -> None:
    """An array of objects becomes a header and rows, which hold everything."""
    made = compact_text(json.dumps(ROWS, indent=1), CompactContext())
    assert made is not None
    assert made.omitted == ""
    head, *lines = made.text.splitlines()
    assert "60 rows" in head
    assert [dict(zip(ROWS[0], json.loads(line), strict=True)) for line in lines] == ROWS


def test_whole_rows_within_a_limit() -> None:
    """The row with an error is kept first, rows are whole, and what is missing is said."""
    made = compact_text(json.dumps(ROWS), CompactContext(max_tokens=200))
    assert made is not None
    rows = [json.loads(line) for line in made.text.splitlines()[1:-1]]
    assert all(dict(zip(ROWS[0], row, strict=True)) in ROWS for row in rows)
    assert any("failed" in row for row in rows)
    assert made.text.splitlines()[-1] == f"[{60 - len(rows)} of 60 rows left out]"
    assert CompactContext().count(made.text) <= 200


def test_the_note_is_in_the_users_language() -> None:
    """Chinese conversations get a Chinese note."""
    made = compact_text(json.dumps(ROWS, ensure_ascii=False), CompactContext(max_tokens=200, language="zh"))
    assert made is not None
    assert made.text.splitlines()[-1].startswith("[略去 ")


@pytest.mark.parametrize("wanted", ["SO-7044", "SO-7013"])
def test_kept_identifiers_and_questions_choose_rows(wanted: str) -> None:
    """What must stay stays; what is asked for is preferred."""
    kept = compact_text(json.dumps(ROWS), CompactContext(max_tokens=120, keep=frozenset({wanted, "absent"})))
    asked = compact_text(json.dumps(ROWS), CompactContext(max_tokens=120, query=f"where is {wanted}?"))
    assert kept is not None
    assert asked is not None
    assert wanted in kept.text
    assert wanted in asked.text


def test_json_lines() -> None:
    """One object a line is a table too."""
    made = compact_text("\n".join(json.dumps(r) for r in ROWS), CompactContext(max_tokens=150))
    assert made is not None
    assert made.by == "json"
    assert "rows left out" in made.text


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2, ' + '"b": "' + "x " * 200 + '"}', "[1, 2", "{not json}" * 40])
def test_what_is_not_clean_json_is_not_rewritten_as_json(text: str) -> None:
    """Repeated keys and broken documents are left alone."""
    made = compact_text(text, CompactContext())
    assert made is None or made.by != "json"


def test_deep_nesting_is_safe() -> None:
    """A hostile document neither crashes nor hangs."""
    assert compact_text("[" * 50_000 + "]" * 50_000, CompactContext(max_tokens=100)) is None
    assert records("[" * 50_000)


def test_records_keep_values_beside_their_keys() -> None:
    """Each record is understood alone: parts of a large object carry its identity."""
    made = [r.text for r in records(json.dumps(BOOKING))]
    assert made[0].startswith("reservation_id: QX81LM, user_id: lena_ruiz_5550, cabin: economy")
    flights = next(t for t in made if "ZZ415" in t)
    assert "flights: [origin, destination, flight_number, date, price: LIS, MAD, ZZ081, 2026-03-03, 120; MAD, TUN, ZZ415" in flights
    payment = next(t for t in made if "gift_card_5550123" in t)
    assert "payment_history: [payment_id: gift_card_5550123, amount: 218]" in payment
    assert all("QX81LM" in t for t in made)


def test_records_of_an_array_are_its_objects() -> None:
    """One record an object, in order, with keys; every value of the source is there."""
    made = records(json.dumps(ROWS, ensure_ascii=False))
    assert [r.text for r in made[:2]] == [
        "order: SO-7000, city: Lisbon, total: 0, state: sent",
        "order: SO-7001, city: 杭州, total: 3, state: sent",
    ]
    assert len(made) == 60
    assert made[31].weight > made[30].weight
    assert all(0 <= r.weight <= 1 for r in made)
