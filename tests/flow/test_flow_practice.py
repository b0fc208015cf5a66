"""Six weeks of one person's chat: what a context of it holds, and when it is silent (R9, R16, R20).

In: two scenarios that people wrote who knew nothing of the code, one mostly in English and one
mostly in Chinese. Out: how often the answer stands in a context of 4,000 tokens, without a model.
Practice data: rules may be chosen by it. What judges them is elsewhere and stays shut.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.contexts import play_scenario

PRACTICE = Path(__file__).parents[1] / "data" / "practice"


@pytest.mark.spec("R9", "R16", "R20", "K7")
@pytest.mark.parametrize(
    ("name", "least", "silent"), [("scenario_en", 0.88, 0.65), ("scenario_zh", 0.90, 0.9)]
)
def test_a_context_holds_the_answer(tmp_path: Path, name: str, least: float, silent: float) -> None:
    """Also of what was told in the other language, and of what changed since."""
    held, quiet = [], []
    for brain, one in play_scenario(PRACTICE / f"{name}.jsonl", tmp_path):
        context = brain.compose_context("asking", one["text"], token_limit=4_000)
        if "off_topic" in one:
            quiet.append(not any(e.source_uri.startswith("turn:") for e in context.evidence))
        else:
            shown = [block.text for block in context.system_blocks]
            shown += [piece.snippet for piece in context.evidence]
            held.append(any(answer in "\n".join(shown) for answer in one["answer"]))
    assert sum(held) >= least * len(held)
    assert sum(quiet) >= silent * len(quiet)
