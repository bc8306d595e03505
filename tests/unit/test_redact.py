"""What is hidden, what must stay, and that it can be put back. All people and numbers are invented."""



from __future__ import annotations

import base64
import json
import random
import time

import pytest

from surgeon.extract.nlp import Analysers
from surgeon.redact import Redactor, Vault, derive_key, redact_text
from surgeon.settings import Redaction

ID_CARD = "110101199003075517"  # made so that the check digit is right
CARD = "4111 1111 1111 1111"
PHONE = "13000005551"


def _types(text: str) -> list[str]:
    return [f.type for f in redact_text(text)[1]]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("邮箱lin.yue@example.com谢谢", ["lin.yue@example.com"]),
        (f"手机{PHONE}微信同号", [PHONE]),
        ("电话+86 130-0000-5552，座机010-55500123", ["+86 130-0000-5552", "010-55500123"]),
        (f"身份证号{ID_CARD}，卡号6222020000000000000", [ID_CARD, "6222020000000000000"]),
        ("收货人王建国，地址：浙江省杭州市西湖区文三路88号3栋502室，共两件", ["王建国", "浙江省杭州市西湖区文三路88号3栋502室"]),
        ("收货地址改成中山路88号", ["中山路88号"]),
        ("车牌是浙A12345，护照号E12345678", ["浙A12345", "E12345678"]),
        ('{"姓名": "李小红", "mobile": "130 0000 5553"}', ["李小红", "130 0000 5553"]),
        ("他1990年3月7日出生", ["1990年3月7日"]),
        ("Martin Keller lives at 450 Harbour Road, mail m.keller@example.com", ["Martin Keller", "450 Harbour Road", "m.keller@example.com"]),
        (f"Please block my card {CARD}.", [CARD]),
        ("Call me at 905-555-0143 or +1 (212) 555-0187.", ["905-555-0143", "+1 (212) 555-0187"]),
        ("SSN 123-45-6789, camera at 192.0.2.41", ["123-45-6789", "192.0.2.41"]),
        ('{"first_name": "Ines", "last_name": "Kowal", "dob": "1971-04-02", "zip": "43282"}', ["Ines", "Kowal", "1971-04-02", "43282"]),
    ],
)  # fmt: skip
def test_personal_data_is_hidden(text: str, hidden: list[str]) -> None:
    """Next to Chinese characters, in prose and in records; what stands around stays."""
    clean, findings = redact_text(text)
    assert [v for v in hidden if v in clean] == []
    spans = [text[f.start : f.end] for f in findings]
    assert all(any(v in s for s in spans) for v in hidden)


@pytest.mark.parametrize(
    "text",
    [
        "立案流水 330106202609150024，顺达运单 7730413000005553021277415，付款流水 20260918104523117",
        "案号（2026）浙0106民初4417号，标的 1,286,500.00 元",
        '{"orderId": "DD4663876624323825", "sku": "033482", "ts": 1745563635853, "amount": 2614.57}',
        "commit 4f2a9c1b7d3e8f60a1b2c3d4e5f60718293a4b5c, version 2.3.15, HAT006 on 2026-05-11T15:14:07",
        '{"reservation_id": "4OG6T3", "payment_id": "credit_card_7574394", "flight_number": "HAT018", "price": 96}',
        "order 13000005551 has shipped, tracking 1Z999AA10123456784",
        "版本号2.3.15.4，大概348人参加，会议室预订是2025年1月6日",
        "trace=4ce491f9-0610-454d-a3b5-c634e6826544 cost=392ms",
        "def test_login(user, password):\n    return check(password)",
    ],
)
def test_identifiers_numbers_and_code_stay(text: str) -> None:
    """Order, case and tracking numbers, hashes, versions, times and amounts are nobody's personal data."""
    assert redact_text(text) == (text, [])


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("访问密钥是AKIAIOSFODNN7EXAMPLE放在桶配置里", "AKIAIOSFODNN7EXAMPLE"),
        ("推送用的令牌ghp_InventedTokenForUnitTests0123456789ab已经配好", "ghp_InventedTokenForUnitTests0123456789ab"),
        ("mysql://report:Reed-77-copper@db.example.com:3306/dw", "Reed-77-copper"),
        ('{"smtp": {"password": "Copper!Reed-4471"}}', "Copper!Reed-4471"),
        ("OPENAI_API_KEY=sk-proj-inventedinventedinvented0123", "sk-proj-inventedinventedinvented0123"),
        ("db_password: 'Copper Reed'\napi_secret: Copper-Reed-19", "Copper-Reed-19"),
        ("Authorization: Bearer abcdef0123456789.invented", "abcdef0123456789.invented"),
        (
            "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJpbnZlbnRlZCJ9.c2lnbmF0dXJl end",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJpbnZlbnRlZCJ9.c2lnbmF0dXJl",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIinvented\nMIIinvented\n-----END PRIVATE KEY-----", "MIIinvented"),
    ],
)
@pytest.mark.parametrize("level", ["secrets", "context", "archive"])
def test_secrets_are_hidden_at_every_level(text: str, secret: str, level: str) -> None:
    """Also without blanks around them; hosts and key names stay."""
    clean, _ = Redactor()(text, level=level)
    assert secret not in clean
    assert "db.example.com" in clean or "db.example.com" not in text


def test_context_level_keeps_names_and_shows_readable_numbers() -> None:
    """What an agent works with stays; numbers can still be told apart, by a suffix if need be."""
    redactor = Redactor()
    text = f"王建国，电话{PHONE}或13012345551，身份证{ID_CARD}，地址文三路88号"
    clean, findings = redactor(text, level="context")
    assert "王建国" in clean
    assert "文三路88号" in clean
    assert "130****5551" in clean
    assert len({f.placeholder for f in findings}) == len(findings) == 3
    assert ID_CARD not in clean
    assert redactor.reveal(clean) == text


def test_policy_decides_what_a_level_hides() -> None:
    """`off` hides nothing, `secrets` only secrets."""
    text = "Mail m.keller@example.com, key AKIAIOSFODNN7EXAMPLE"
    assert Redactor(Redaction(archive="off"))(text) == (text, [])  # type: ignore[call-arg]
    assert [f.type for f in Redactor(Redaction(archive="secrets"))(text)[1]] == ["API_KEY"]  # type: ignore[call-arg]


def test_placeholders_are_keyed_stable_and_left_alone() -> None:
    """The same value and key give the same placeholder; another key another one; a second pass changes nothing."""
    text = "Write to m.keller@example.com, then again to m.keller@example.com."
    first, second = (Redactor(key=derive_key("gc_1", "s"))(text)[0] for _ in range(2))
    assert first == second != Redactor(key=derive_key("gc_2", "s"))(text)[0]
    assert first.count("<EMAIL_") == 2
    assert Redactor(key=derive_key("gc_1", "s"))(first) == (first, [])


def test_literal_look_alikes_do_not_collide() -> None:
    """Text that already holds the very placeholder gets another one, and reveal touches only its own."""
    key = derive_key("gc_1")
    mark = Vault(key).placeholder("EMAIL", "m.keller@example.com")
    redactor = Redactor(key=key)
    clean, findings = redactor(f"{mark} and m.keller@example.com")
    assert findings[0].placeholder != mark
    assert redactor.reveal(clean) == f"{mark} and m.keller@example.com"


def test_reveal_inside_json_stays_json() -> None:
    """Values with quotes and line breaks go back escaped; a number that was hidden leaves valid JSON."""
    redactor = Redactor()
    record = json.dumps({"password": 'Cop"per\\Reed-4471', "to": "m.keller@example.com", "phone": 13000005551})
    clean, _ = redactor(record)
    assert "m.keller" not in clean
    json.loads(clean)
    assert json.loads(redactor.reveal(clean))["password"] == 'Cop"per\\Reed-4471'
    other = redactor.reveal(json.dumps({"command": f"echo {json.loads(clean)['password']}"}))
    assert json.loads(other)["command"] == 'echo Cop"per\\Reed-4471'


def test_findings_point_into_the_source_and_never_hold_the_value() -> None:
    """Offsets rebuild the clean text; the rest is byte for byte the same."""
    text = f"工单：报修人邮箱lin.yue@example.com，手机{PHONE}微信同号🙂，网卡02:42:ac:9f:10:7e的那台"
    clean, findings = redact_text(text)
    rebuilt, at = "", 0
    for f in findings:
        rebuilt += text[at : f.start] + f.placeholder
        at = f.end
        assert text[f.start : f.end] not in str(f)
    assert rebuilt + text[at:] == clean
    assert {f.type for f in findings} == {"EMAIL", "PHONE", "MAC"}


def test_shared_analysis_spares_a_second_pass() -> None:
    """With an analysis at hand, no model is asked again."""
    analysis = Analysers().analyse("Martin Keller called about the lease.")

    def refuse(text: str) -> None:
        raise AssertionError("a second pass")

    clean, _ = Redactor(analyse=refuse)(analysis.text, analysis)  # type: ignore[arg-type]
    assert "Keller" not in clean


@pytest.mark.parametrize(
    "unit",
    [base64.b64encode(random.Random(5).randbytes(600_000)).decode(), "eyJ" * 266_000, "138-0000-" * 90_000, "a.b-c@" * 130_000, '"password": "' * 60_000],
    ids=["base64", "jwt heads", "digits", "mail", "keys"],
)  # fmt: skip
def test_long_lines_are_read_in_linear_time(unit: str) -> None:
    """Some 800 kB on one line take a moment, not minutes; nothing is found inside base64."""
    began = time.perf_counter()
    _, findings = redact_text(unit)
    assert time.perf_counter() - began < 60
    assert "PERSON" not in {f.type for f in findings}
    assert findings == [] or not unit[:40].isalnum() or unit.startswith("eyJ")
