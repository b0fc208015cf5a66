"""Core memory as a context shows it: dated, and defended by newer words (R21)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from smartbrain.compose.slots import date_blocks
from smartbrain.domain.recalled import UnsureClaim
from smartbrain.domain.summary import CoreBlock
from smartbrain.ports.truth import Transaction

TOLD = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def dated(text: str, facts: list[dict[str, Any]], unsure: list[UnsureClaim]) -> str:
    """Return the text of a block of one profile."""
    memory = SimpleNamespace(
        type="profile", said_at=TOLD, value={"subject": "user", "facts": facts}
    )
    claims = {claim: TOLD for fact in facts for claim in fact["claims"]}
    rows = SimpleNamespace(
        memories=SimpleNamespace(get=lambda ids: dict.fromkeys(ids, memory)),
        recalled=SimpleNamespace(
            claimed_at=lambda ids: {one: claims[one] for one in ids},
            unsure=lambda attributes: [one for one in unsure if one.attribute in attributes],
        ),
    )
    block = CoreBlock(type="profile", text=text, updated_at=TOLD, source=("m",))
    (made,) = date_blocks([block], rows=cast("Transaction", rows))
    return made.text


@pytest.mark.spec("R21")
def test_each_line_has_its_day_and_no_name_where_it_has_none() -> None:
    """What has no attribute is told after its subject."""
    facts = [
        {"k": "home", "v": "Lyon", "claims": ["a"]},
        {"k": "other", "v": "坐高铁上班", "claims": ["b"]},
    ]
    text = dated("- user — home: Lyon\n- user — other: 坐高铁上班", facts, [])
    assert "- user — home: Lyon (2026-03-02)\n- user — 坐高铁上班 (2026-03-02)" == text


@pytest.mark.spec("R21")
@pytest.mark.parametrize(("days", "shown"), [(9, True), (-9, False)])
def test_newer_words_of_which_the_reader_was_unsure_stand_beside(days: int, shown: bool) -> None:
    """Older ones do not, nor those about somebody else."""
    facts = [{"k": "home", "v": "Lyon", "claims": ["a"]}]
    at = TOLD + timedelta(days=days)
    unsure = [
        UnsureClaim("Nora", "home", "she may move to Nice", at),
        UnsureClaim("user", "home", "probably off to Porto", at),
    ]
    text = dated("- user — home: Lyon", facts, unsure)
    later = '; later, unsure: "probably off to Porto" (2026-03-11)'
    assert "- user — home: Lyon (2026-03-02)" + (later if shown else "") == text
