"""`brain.read`: the claims that a message would make, and nothing is written (S1, K5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import Claim, UsageError


@pytest.mark.spec("K5", "K1")
@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("I live in Oslo.", [("assert", "profile", "home", "Oslo")]),
        ("我搬到沈阳了。", [("assert", "profile", "home", "沈阳")]),
        ("The staging port is 5432.", [("assert", "facts", "port", "5432")]),
        ("What time is it?", []),
        ("今天天气不错。", []),
        ("Off the record: I live in Oslo.", []),
    ],
)
def test_a_message_is_read_and_not_stored(
    tmp_path: Path, text: str, claims: list[tuple[str, ...]]
) -> None:
    """The claims are those of a commit."""
    with fake_brain(tmp_path) as brain:
        found = brain.read(text)
        said = [(one.say.value, one.type, one.attribute, one.value) for one in found]
        assert [one for one in said if one[1] not in ("tasks", "goals")] == claims
        assert brain.sessions.list().items == ()
        assert brain.memories.list(status=None).items == ()


@pytest.mark.spec("K12")
@pytest.mark.parametrize(
    "before",
    [
        "Shall I remember that you prefer tea?",
        [user("I like tea."), assistant("Shall I remember that you prefer tea?")],
    ],
)
def test_a_message_is_read_with_what_was_said_before(tmp_path: Path, before: object) -> None:
    """The assistant's words may be given as text, or messages as to a commit."""
    with fake_brain(tmp_path) as brain:
        assert brain.read("Yes, please.") == []
        (claim,) = brain.read("Yes, please.", before=before)
        assert (claim.type, claim.value) == ("preferences", "tea")


@pytest.mark.spec("S1")
def test_a_claim_is_one_line_and_plain_json(tmp_path: Path) -> None:
    """It is shown as what is claimed of whom."""
    with fake_brain(tmp_path) as brain:
        (claim,) = brain.read("I live in Oslo.")
        assert isinstance(claim, Claim)
        assert repr(claim) == "Claim(assert profile user.home = 'Oslo', counted)"
        told = json.loads(json.dumps(claim.to_dict()))
        assert (told["say"], told["value"], told["source"]) == ("assert", "Oslo", "user")
        assert told["said_at"].startswith("2001-05-17T")


@pytest.mark.parametrize("given", [None, 7, b"bytes"])
def test_what_is_no_text_is_refused(tmp_path: Path, given: object) -> None:
    """The error says what to give."""
    with fake_brain(tmp_path) as brain, pytest.raises(UsageError, match="the text to read"):
        brain.read(given)  # type: ignore[arg-type]
