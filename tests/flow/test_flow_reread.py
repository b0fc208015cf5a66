"""Reading all stored turns again with the present reader, on request alone (K12)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from flow_builders import assistant, fake_brain, inside, plain_facts, user

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.claim import ClaimStatus
from smartbrain.jobs import replay
from smartbrain.remember import read_turn
from smartbrain.remember.reader import statements
from smartbrain.remember.reader.statements import ReadStatement

SAID: Final = (
    "I live in Berlin.",
    "The staging port is 5432.",
    "我搬到沈阳了。",
    "我对花生过敏。",
    "I need to buy milk.",
    "Done.",
    "以后都用中文回答。",
    "这个别记：我在云雀公司上班。",
)


@contextmanager
def older_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let everything that is committed meanwhile be read by a reader that finds no profile."""
    read = read_turn.read_statements

    def read_less(*given: Any, **more: Any) -> list[ReadStatement]:
        return [one for one in read(*given, **more) if one.stated.type != "profile"]

    with monkeypatch.context() as patch:
        patch.setattr(read_turn, "read_statements", read_less)
        yield


def tell_all(brain: SmartBrain, *said: str) -> None:
    for number, text in enumerate(said or SAID):
        brain.commit_turn(f"s{number // 3}", [user(text), assistant("Okay.")])


def replays(brain: SmartBrain) -> bool:
    with brain._lease() as tenant:
        return check_replay(tenant, brain._terms.rules).identical


def profile(brain: SmartBrain) -> list[tuple[str, str]]:
    found = brain.memories.list("profile").items
    return [(fact["k"], fact["v"]) for one in found for fact in plain_facts(one)]


@pytest.mark.spec("K12")
def test_what_is_read_as_before_changes_nothing(tmp_path: Path) -> None:
    """Turns of one step and of several come out as they are stored."""
    with fake_brain(tmp_path) as brain:
        tell_all(brain)
        grown = brain.commit_turn("g", [user("I have a cat called Mia.")]).turn_id
        brain.commit_turn("g", [assistant("Nice."), user("No, her name is Luna.")], turn_id=grown)
        before = [one.to_dict() for one in brain.memories.list(status=None, limit=1000).items]
        report = brain.reread()
        assert (report.turns, report.changed, report.gone, report.new) == (len(SAID) + 1, 0, 0, 0)
        after = [one.to_dict() for one in brain.memories.list(status=None, limit=1000).items]
        assert after == before


@pytest.mark.spec("K12")
def test_what_an_older_reader_missed_is_there_after_a_reread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dry run only tells; afterwards all is as if it had been read so at once."""
    with fake_brain(tmp_path) as brain:
        with older_reader(monkeypatch):
            tell_all(brain)
        assert profile(brain) == []
        told = brain.reread(dry_run=True)
        assert (told.dry_run, told.changed, told.gone) == (True, 3, 0)
        assert "user.home = 'Berlin'" in told.examples[0].new[0]
        assert profile(brain) == []
        done = brain.reread()
        assert (done.changed, done.new) == (told.changed, told.new)
        assert {("home", "沈阳"), ("allergy", "花生")} <= {*profile(brain)}
        assert brain.reread().changed == 0
        assert replays(brain)


@pytest.mark.spec("K12")
def test_what_is_not_read_any_more_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it had ended holds again, and what was done by hand stays."""
    with fake_brain(tmp_path) as brain:
        tell_all(brain, "I live in Berlin.", "我搬到沈阳了。")
        brain.memories.put("facts", "fact:staging:port", {"value": 1})
        with older_reader(monkeypatch):
            report = brain.reread()
            assert (report.gone, report.new) == (2, 0)
            assert profile(brain) == []
            assert brain.memories.get("fact:staging:port").value["value"] == 1
            assert replays(brain)


@pytest.mark.spec("K12")
@pytest.mark.parametrize("reader", ["reader/0", "reader/00"])
def test_another_version_that_reads_the_same_keeps_claims_and_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    """New weights reread nothing by themselves, and on request only what they read otherwise."""
    with fake_brain(tmp_path) as brain:
        with monkeypatch.context() as patch:
            patch.setattr(statements, "READER", reader)
            tell_all(brain)
        before = {one.id for one in brain.memories.list(status=None, limit=1000).items}
        assert brain.reread().changed == 0
        assert {one.id for one in brain.memories.list(status=None, limit=1000).items} == before


@pytest.mark.spec("K12", "K5")
def test_what_a_language_model_has_read_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its claims have taken the place of the reader's; a reread does not bring these back."""
    with fake_brain(tmp_path) as brain:
        with older_reader(monkeypatch):
            result = brain.commit_turn("s", [user("I live in Berlin. The staging port is 5432.")])
        with brain._lease() as tenant, tenant.ports.truth.write() as transaction:
            found = transaction.claims.of_turn(result.turn_id)
            transaction.claims.set_status([one.id for one in found], ClaimStatus.REPLACED)
        report = brain.reread()
        assert (report.left_to_model, report.changed) == (1, 0)
        assert profile(brain) == []


@pytest.mark.spec("J9", "K12")
def test_a_reread_that_was_cut_off_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was done stays done; the next call begins after it, and progress is told."""
    monkeypatch.setattr(replay, "_BATCH", 2)
    seen: list[tuple[int, int]] = []

    def stop_after_two(done: int, total: int) -> None:
        seen.append((done, total))
        if len(seen) == 2:
            raise KeyboardInterrupt

    with fake_brain(tmp_path) as brain:
        with older_reader(monkeypatch):
            tell_all(brain)
        with pytest.raises(KeyboardInterrupt):
            brain.reread(on_progress=stop_after_two)
        report = brain.reread()
        assert seen == [(2, len(SAID)), (4, len(SAID))]
        assert (report.resumed, report.turns) == (True, len(SAID) - 4)
        assert brain.reread().resumed is False
        with inside(brain) as transaction:
            assert transaction.working.state("tenant", "reread") == []
        assert replays(brain)
