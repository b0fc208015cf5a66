"""Why evidence stays out: no tokens, no more pieces, or the share of its source."""

from __future__ import annotations

import pytest

from smartbrain.compose.candidates import Candidate
from smartbrain.compose.counting import PricedCounter
from smartbrain.compose.passages import EvidenceChoice
from smartbrain.domain.context import EvidenceSource
from smartbrain.domain.policy import CompositionRules
from smartbrain.text.tokens import estimate_tokens

LINES = tuple(f"The headset {place} 耳机断开了。" for place in range(6))


def reasons(*, room: float, most: int, share: int, session: str = "") -> list[tuple[str, str]]:
    """Return why those of six memories stay out that have no place."""
    choice = EvidenceChoice(
        waiting=[
            Candidate(
                id=f"m{place}",
                group="episodes",
                title="chat",
                source_uri=f"turn:{place}",
                text=text,
                score=0.5,
                session=session or f"s{place}",
                place=(place, 0),
            )
            for place, text in enumerate(LINES)
        ],
        words=[],
        rules=CompositionRules(evidence_max_items=most),
        count=PricedCounter(estimate_tokens, estimated=True),
        most=most,
        quotas={EvidenceSource.MEMORY: share},
    )
    choice.take(room)
    choice.close(())
    return [(one.code, one.reason) for one in choice.ignored]


@pytest.mark.spec("R16", "R17")
def test_the_limit_that_left_something_out_is_named() -> None:
    """The number of pieces, the share of a source, or the tokens: the one that was reached."""
    full = ("over_limit", "evidence_max_items, 2, are shown; raise it for more")
    assert [full] * 4 == reasons(room=900, most=2, share=2)
    shared = ("over_limit", "memory may bring 1 of evidence_max_items, 4")
    assert [shared] * 5 == reasons(room=900, most=4, share=1)
    spent = ("over_budget", "there is no room left for it")
    assert {spent} == set(reasons(room=80, most=4, share=4))
    assert {spent} == set(reasons(room=80, most=1, share=1, session="one"))
    assert [] == reasons(room=900, most=1, share=1, session="one")
