"""New numbers and mail addresses: whose they are, and what only looks like a change."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from smartbrain.domain.candidate import Source
from smartbrain.remember.extract.find import find_stated
from smartbrain.remember.extract.said import read_said

AT = datetime(2026, 3, 5, 10, tzinfo=UTC)


def told(text: str) -> list[tuple[str, str, str]]:
    """Return the facts that a message of the user tells as a change."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    found = [one for one in find_stated(said) if one.rule == "facts.changed"]
    return [(one.value["subject"], one.value["attribute"], one.value["value"]) for one in found]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("我换手机号了，新号码是13900000002。", ("user", "phone", "13900000002")),
        ("我换号了，新号是13900000002，记一下", ("user", "phone", "13900000002")),
        ("我换了手机号：13900000002", ("user", "phone", "13900000002")),
        ("我的新手机号是13900000002。", ("user", "phone", "13900000002")),
        ("我换邮箱了，新邮箱是li@tern.example", ("user", "email", "li@tern.example")),
        ("我老婆换手机号了，新号码是13900000002。", ("wife", "phone", "13900000002")),
        ("公司换电话了，新号码是13900000002", ("company", "phone", "13900000002")),
        ("I changed my phone number, the new one is 555-123-9999.",
         ("user", "phone", "555-123-9999")),
        ("I got a new phone number: 555-123-9999", ("user", "phone", "555-123-9999")),
        ("My new number is 555-123-9999.", ("user", "phone", "555-123-9999")),
        ("I have a new email, it's li@tern.example", ("user", "email", "li@tern.example")),
        ("My wife changed her number, the new one is 555-123-9999.",
         ("wife", "phone", "555-123-9999")),
    ],
)  # fmt: skip
def test_a_new_number_is_of_the_one_who_changed_it(text: str, fact: tuple[str, str, str]) -> None:
    """The clause with the value does not say again whose it is."""
    assert [fact] == told(text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "我没换手机号，号码是13900000002",
        "我想换手机号，号码是13900000002",
        "他换手机号了，新号码是13900000002",
        "我换手机号了吗，新号码是13900000002？",
        "If I changed my number, it's 555-123-9999.",
        "You changed your number, it's 555-123-9999?",
        "I have a phone, it's 555-123-9999.",
    ],
)
def test_what_was_not_changed_is_no_new_number(text: str) -> None:
    """Nor is what is only wished, asked, or said of somebody who is not named."""
    assert [] == told(text)
