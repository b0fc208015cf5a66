"""How much is kept of a context: little at any limit, and what is too much is cut and said so."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flow_builders import fake_brain

from smartbrain import SmartBrain
from smartbrain.adapters.sqlite.rows import packed_json
from smartbrain.compose.trace import MAX_BYTES
from smartbrain.domain.job import Trace
from smartbrain.errors import NotFound

SAID = {
    "en": "The parrot {0} of Mara in flat {1} likes apples, and its vet comes on day {2} of May.",
    "zh": "玛拉的第{0}只鹦鹉住在{1}号房，最喜欢吃苹果，兽医五月{2}号来看它。",
}
ASKED = {"en": "What does the parrot of Mara like?", "zh": "玛拉的鹦鹉最喜欢吃什么？"}
USUAL = 3_072


def told(path: Path, language: str, turns: int) -> SmartBrain:
    """Open a brain that was told much about the same."""
    brain = fake_brain(path / "brain")
    first = datetime(2001, 5, 1, tzinfo=UTC)
    lines = (
        {
            "role": "user",
            "content": SAID[language].format(turn, turn % 91, 1 + turn % 28),
            "at": (first + timedelta(minutes=turn)).isoformat(),
            "session": f"s{turn // 12}",
        }
        for turn in range(turns)
    )
    history = path / "history.jsonl"
    history.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines))
    brain.import_chat(history)
    return brain


def kept(brain: SmartBrain, context_id: str) -> Trace:
    """Return what is stored of a context."""
    brain._root.composing().flush()
    with brain._lease() as tenant, tenant.ports.truth.read() as rows:
        trace = rows.working.trace(context_id)
    assert trace is not None
    return trace


@pytest.mark.spec("S6")
@pytest.mark.parametrize("language", ["zh", "en"])
def test_little_is_kept_of_a_context(tmp_path: Path, language: str) -> None:
    """Whatever the limit, and it can be made again to the byte."""
    with told(tmp_path, language, 60) as brain:
        for limit in (200, 2_048, 8_192, 200_000):
            package = brain.compose_context("now", ASKED[language], token_limit=limit)
            trace = kept(brain, package.context_id)
            assert len(packed_json(trace.body)) <= USUAL
            assert "cut" not in trace.body
            assert brain.replay(package.context_id, {}).same


@pytest.mark.spec("S6")
@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_is_too_much_to_keep_is_cut_and_said_so(
    tmp_path: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it was chosen from goes first: a context is still explained, and not made again."""
    monkeypatch.setattr("smartbrain.compose.trace.MAX_BYTES", 1_700)
    with told(tmp_path, language, 60) as brain:
        package = brain.compose_context("now", ASKED[language], token_limit=200_000)
        trace = kept(brain, package.context_id)
        why = brain.explain(package.context_id)
        with pytest.raises(NotFound, match="its trace would take more than"):
            brain.replay(package.context_id, {})
    assert len(packed_json(trace.body)) <= 1_700
    assert why.context is not None
    assert ("context",) == why.context.not_kept
    (told_why,) = [one.reason for one in why.trail if one.code == "not_kept"]
    assert told_why.startswith("the context was not kept: its trace would take more than")


@pytest.mark.spec("S6")
@pytest.mark.parametrize("word", ["鹦鹉喜欢苹果。", "The parrot likes apples. "])
def test_a_very_long_message_is_explained_in_few_bytes(tmp_path: Path, word: str) -> None:
    """It is too much to keep; its beginning is told."""
    with fake_brain(tmp_path) as brain:
        package = brain.compose_context("now", random_words(word), token_limit=400_000)
        trace = kept(brain, package.context_id)
        why = brain.explain(package.context_id)
    assert len(packed_json(trace.body)) <= MAX_BYTES
    assert why.context is not None
    assert "context" in why.context.not_kept
    assert random_words(word)[:2_000] == why.context.message


def random_words(word: str) -> str:
    """Return a long text that does not pack well."""
    return "".join(f"{word}{number * 7_919 % 104_729} " for number in range(9_000))
