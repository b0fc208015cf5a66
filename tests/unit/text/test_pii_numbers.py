"""Phone numbers, identity cards and bank cards, and the numbers that only look like them."""

from __future__ import annotations

import pytest

from smartbrain.domain.pii import PiiKind, PiiSpan
from smartbrain.text.pii import find_pii, kind_of_number


def found(text: str) -> list[tuple[PiiKind, str]]:
    """Return what was found with its kind."""
    return [(span.kind, text[span.offset : span.end]) for span in find_pii(text)]


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("text", "phone"),
    [
        ("13812345678", "13812345678"),
        ("update call_13812345678_log", "13812345678"),
        ("task:p:call_13812345678", "13812345678"),
        ("contact_13812345678.csv", "13812345678"),
        ("uid13812345678", "13812345678"),
        ("id_13812345678", "13812345678"),
        ("13812345678_backup.tar", "13812345678"),
        ("tel8613812345678", "8613812345678"),
        ("用户uid13812345678的记录", "13812345678"),
        ("张三_13812345678_通话记录", "13812345678"),
        ("call_+8613812345678_log", "+8613812345678"),
        ("电话13812345678，谢谢", "13812345678"),
        ("我的手机号是138-1234-5678。", "138-1234-5678"),
        ("请打 138 1234 5678 2次", "138 1234 5678"),
        ("+8613812345678", "+8613812345678"),
        ("微信同号：+86 138 1234 5678", "+86 138 1234 5678"),
        ("0086 13812345678", "0086 13812345678"),
        ("8613812345678 号码", "8613812345678"),
        ("(+86)13812345678", "(+86)13812345678"),
        ("联系１３８１２３４５６７８吧", "１３８１２３４５６７８"),
        ("联系＋８６－１３８－１２３４－５６７８吧", "＋８６－１３８－１２３４－５６７８"),
        ("call +1 415 555 2671 in 2024", "+1 415 555 2671"),
        ("Call me at +1 (415) 555-2671.", "+1 (415) 555-2671"),
        ("tel:+14155552671", "+14155552671"),
        ("London: +44 20 7946 0958 today", "+44 20 7946 0958"),
        ("+44 (0)20 7946 0958", "+44 (0)20 7946 0958"),
        ("Paris +33 1 42 68 53 00, ask for Ann", "+33 1 42 68 53 00"),
        ("新加坡+65-6123-4567分机", "+65-6123-4567"),
        ("座机 +86 10 6552 9988", "+86 10 6552 9988"),
        ('{"phone": "13812345678"}', "13812345678"),
        ("phone: (415) 555-2671", "(415) 555-2671"),
        ("Call me at 415-555-2671.", "415-555-2671"),
        ("my phone number is 415.555.2671", "415.555.2671"),
        ('{"phone": "(415) 555-2671"}', "(415) 555-2671"),
        ("Tel 020 7946 0958", "020 7946 0958"),
        ("联系电话 010-62345678", "010-62345678"),
        ("电话：0755-8888 6666", "0755-8888 6666"),
        ("座机(010) 62345678转123", "(010) 62345678转123"),
        ("有事致电400-820-8820", "400-820-8820"),
    ],
)
def test_a_phone_number_is_found(text: str, phone: str) -> None:
    """Numbers with a country code and Chinese mobiles are found however they are grouped."""
    assert [(PiiKind.PHONE, phone)] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize("glue", [",", "，", "/", "、", " ", "\n", "或"])
def test_phones_of_a_list_are_each_found(glue: str) -> None:
    """Two numbers one after the other are two phones."""
    expected = [(PiiKind.PHONE, "13812345678"), (PiiKind.PHONE, "15912345678")]

    assert expected == found(f"13812345678{glue}15912345678")


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "text",
    [
        "订单号 1381234567",
        "订单号 138123456789",
        "order 20240115138123456780",
        "12812345678",
        "x13812345678",
        "a13812345678",
        "sha 9f3c13812345678ab0de",
        "0x13812345678",
        "commit 13812345678fab",
        "call_138123456789_log",
        "log_20240113812345678",
        "uid1381234567890",
        "x_0.13812345678",
        "0.13812345678",
        "13812345678.25",
        "¥13812345678",
        "总额13812345678元",
        "文件 /img/13812345678.jpg",
        "138-1234-5678-9",
        "2024-01-15 13:45:00 +0800",
        "2024-01-15T13:45:00.123456+08:00",
        "timestamp 1700000000 and 1700000000000",
        "1+4155552671",
        "x = +3.1415926535",
        "+1 100 555 2671",
        "+10000000",
        "diff @@ -138,1234 +5678,9012 @@",
        "ISBN 978-7-111-21382-6",
        "1,381,234,567,800",
        "550e8400-e29b-41d4-a716-138123456780",
        "order 415-555-2671",
        "I call the function 4155552671 times",
        "call at 10:30, room 415",
        "订单号 010-62345678",
        "电话费 0755 元，打了 3 次",
    ],
)
def test_other_numbers_are_no_phone(text: str) -> None:
    """Numbers of another length, prices, times, paths and identifiers are left alone."""
    assert [] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("11010519491231002X", "11010519491231002X"),
        ("身份证11010519491231002x，请核对", "11010519491231002x"),
        ("证件号：310101199003071230。", "310101199003071230"),
        ("ID card 44030119851212456X was shown", "44030119851212456X"),
        ("生于闰日 510107200002290010", "510107200002290010"),
        ("甘肃 620102199912317778", "620102199912317778"),
        ("65010219880815333X", "65010219880815333X"),
        ("香港居民 810000199707019998 入住", "810000199707019998"),
        ("孩子的是330106201111112226吧", "330106201111112226"),
        ("110105 19491231 002X", "110105 19491231 002X"),
        ("１１０１０５１９４９１２３１００２Ｘ", "１１０１０５１９４９１２３１００２Ｘ"),
        ("旧证 110105491231002", "110105491231002"),
        ("old card 310101900307123, expired", "310101900307123"),
    ],
)
def test_an_identity_card_is_found(text: str, number: str) -> None:
    """Numbers of 18 characters with their checksum and of 15 with a day of birth are found."""
    assert [(PiiKind.ID_CARD, number)] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "text",
    [
        "110105194912310021",
        "11010519491331002X",
        "11010519490230002X",
        "31010118990307123X",
        "00010519491231002X",
        "99010519491231002X",
        "A11010519491231002X",
        "11010519491231002XY",
        "11010519491231002X9",
        "1111010519491231002X",
        "110105491331002",
        "200105491231002",
        "110105490230002",
        "order 202401150012345",
        "0.110105491231002",
    ],
)
def test_other_numbers_are_no_identity_card(text: str) -> None:
    """A wrong day, province, checksum or length makes it something else."""
    assert [] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("6222021381234567892", "6222021381234567892"),
        ("卡号6222 0213 8123 4567 892，工行", "6222 0213 8123 4567 892"),
        ("622202 1381234567892", "622202 1381234567892"),
        ("6217000012345670", "6217000012345670"),
        ("visa 4000-1234-5678-9017 ok", "4000-1234-5678-9017"),
        ("card 4000 1234 5678 9017 20 times", "4000 1234 5678 9017"),
        ("row 1234 4000 1234 5678 9017", "4000 1234 5678 9017"),
        ("4000012345670", "4000012345670"),
        ("mc: 5100123456789013.", "5100123456789013"),
        ("2221001234567896", "2221001234567896"),
        ("amex 3700 012345 67899", "3700 012345 67899"),
        ("370001234567899", "370001234567899"),
        ("36000123456780", "36000123456780"),
        ("jcb 3530012345678906", "3530012345678906"),
        ("付到6011001234567891这张卡", "6011001234567891"),
        ("老卡9558800123456789015", "9558800123456789015"),
        ("６２１７００００１２３４５６７０", "６２１７００００１２３４５６７０"),
    ],
)
def test_a_bank_card_is_found(text: str, card: str) -> None:
    """Cards of the known networks are found, in one run or in groups."""
    assert [(PiiKind.BANK_CARD, card)] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "text",
    [
        "4000123456789018",
        "订单 6222021381234567890",
        "4000 1234 5678 9018",
        "1000123456789010",
        "7000123456789017",
        "40001234567890170000",
        "a4000123456789017",
        "4000123456789017b",
        "4000-1234 5678-9017",
        "3.4000123456789017",
        "4000123456789017.5",
        "$4000123456789017",
        "9783161484100",
        "6901234567892",
        "1700000000000000",
        "4000.1234.5678.9017",
        "4000123e4567890170abcdef0123456789abcdef",
        "36000123456781",
    ],
)
def test_other_numbers_are_no_bank_card(text: str) -> None:
    """A wrong last digit, network or length makes it an order number."""
    assert [] == found(text)


@pytest.mark.spec("C10")
def test_spans_count_characters() -> None:
    """Offset and length count characters, whatever stands before."""
    assert [PiiSpan(PiiKind.PHONE, 3, 11)] == find_pii("👍电话13812345678")


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (13812345678, PiiKind.PHONE),
        (13812345678.0, PiiKind.PHONE),
        (8613812345678, PiiKind.PHONE),
        (4111111111111111, PiiKind.BANK_CARD),
        (6222021381234567892, PiiKind.BANK_CARD),
        (440524199001010018, PiiKind.ID_CARD),
        (440524199001010014, None),
        (4111111111111112, None),
        (12812345678, None),
        (-13812345678, None),
        (13812345678.5, None),
        (1773048600, None),
        (1773048600000, None),
        (1773048600000000, None),
        (1773048600000000000, None),
        (1381234567, None),
        (True, None),
        (0, None),
        pytest.param(10**5000, None, id="long"),
        (float("inf"), None),
        (float("nan"), None),
    ],
)
def test_a_number_is_what_its_digits_are_in_a_text(number: float, kind: PiiKind | None) -> None:
    """Times, counts and ids without the right checksum are nothing personal."""
    assert kind == kind_of_number(number)
