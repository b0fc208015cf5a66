"""`memctl replay --into`: a new brain from the events of one of any format (E1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runs import encrypted_brain, make_older, memctl

from smartbrain import SmartBrain

KEY = "6b" * 32


def told_brain(place: Path) -> None:
    """Make a brain with turns, an operation, an original in a file and an idempotency key."""
    place.mkdir()
    (place / "brain.yml").write_text("timezone: Asia/Shanghai\n", encoding="utf-8")
    with SmartBrain.open(place, tenant="甲") as brain:
        turn = [{"role": "user", "content": "I live in Rome."}]
        brain.commit_turn("s", turn, idempotency_key="first")
        brain.commit_turn("s", [{"role": "user", "content": "我搬到沈阳了。"}])
        brain.commit_turn("s", [{"role": "user", "content": "A long tale. " * 2000}])
        brain.commit_turn("ended", [{"role": "user", "content": "Off the record: I am Ann."}])
        brain.sessions.end("ended")
        brain.memories.put("facts", "fact:staging:port", {"value": 5432})


def files_of(place: Path) -> dict[str, bytes]:
    """Return every file of a brain but the shared memory of SQLite."""
    found = (path for path in place.rglob("*") if path.is_file() and path.suffix != ".db-shm")
    return {str(path.relative_to(place)): path.read_bytes() for path in found}


@pytest.mark.spec("E1", "S2")
@pytest.mark.parametrize("older", [True, False])
def test_a_new_brain_is_made_of_the_events_of_another(tmp_path: Path, older: bool) -> None:
    """It has the memories, originals, replies and configuration; the old one is as it was."""
    place, into = tmp_path / "old", tmp_path / "new"
    told_brain(place)
    if older:
        make_older(place, "甲")
    before = files_of(place)
    told = memctl("replay", "--into", into, "--root", place, "--json", folder=tmp_path)
    assert 0 == told.code
    report = told.json["tenants"]["甲"]
    assert (4, 1, 1, 0) == tuple(
        report[name] for name in ("steps", "operations", "raw_files", "failed")
    )
    after = files_of(place)
    assert {name: data for name, data in after.items() if data} == {
        name: data for name, data in before.items() if data
    }
    with SmartBrain.open(into, tenant="甲") as brain:
        (profile,) = brain.memories.list("profile").items
        assert [("home", "沈阳")] == [(one["k"], one["v"]) for one in profile.value["facts"]]
        assert 5432 == brain.memories.get("fact:staging:port").value["value"]
        assert 26_000 == len(brain.sessions.turns("s")[2].messages[0].content)
        again = [{"role": "user", "content": "I live in Rome."}]
        assert brain.commit_turn("s", again, idempotency_key="first").replayed
        assert "Ann" not in str(brain.recall("Who is Ann?", session_id="ended").items)
    assert "Asia/Shanghai" in (into / "brain.yml").read_text(encoding="utf-8")
    assert 0 == memctl("replay", "--check", "--root", into, folder=tmp_path).code
    assert 0 == memctl("doctor", "--root", into, folder=tmp_path).code


@pytest.mark.spec("E1", "E2")
def test_an_encrypted_tenant_keeps_its_key(tmp_path: Path) -> None:
    """Its originals are named by the key, so the new tenant has the same one."""
    place, into = tmp_path / "old", tmp_path / "new"
    encrypted_brain(place, "锁", key=KEY)
    (place / "brain.yml").write_text("encryption.enabled: true\n", encoding="utf-8")
    more = {"SMARTBRAIN_MASTER_KEY": KEY}
    told = memctl("replay", "--into", into, "--root", place, folder=tmp_path, **more)
    assert (0, True) == (told.code, "1 original file copied" in told.out)
    checked = memctl("replay", "--check", "--root", into, folder=tmp_path, **more)
    assert (0, True) == (checked.code, "identical" in checked.out)


@pytest.mark.spec("S2")
def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    """Nothing is written into it."""
    place, into = tmp_path / "old", tmp_path / "new"
    told_brain(place)
    into.mkdir()
    (into / "mine.txt").write_text("mine", encoding="utf-8")
    told = memctl("replay", "--into", into, "--root", place, folder=tmp_path)
    assert (2, True) == (told.code, "is not empty" in told.err)
    assert ["mine.txt"] == [path.name for path in into.iterdir()]


@pytest.mark.parametrize("options", [(), ("--check", "--into", "x")])
def test_what_to_do_has_to_be_said(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Neither of the two, or both, is a mistake."""
    place = tmp_path / "old"
    told_brain(place)
    told = memctl("replay", *options, "--root", place, folder=tmp_path)
    assert (2, True) == (told.code, "`--into NEW`" in told.err)
