"""Whole tenants: exported while others write, restored exactly, and deleted for good."""

from __future__ import annotations

import json
import threading
import zipfile
from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, table_rows, user
from forget_builders import everything_shown, files_with

from smartbrain import Conflict, NotFound, SmartBrain, UsageError
from smartbrain.adapters.keys import new_master_key_text

LONG = "Many words that go into a file of their own, 很长的一段话。" * 120


def told(path: Path, **config: object) -> SmartBrain:
    """Return a brain with turns, a large original, a pin and a fact put by hand."""
    brain = fake_brain(path, **config)
    turn = brain.commit_turn("a", [user("The staging host is 10.77.81.12."), assistant("Noted.")])
    brain.commit_turn("a", [user(f"Read this: {LONG}"), assistant("好的。")])
    brain.pins.add("conclusion", "phone", "it is on file", f"chat:{turn.turn_id}")
    value = {"subject": "printer", "attribute": "host", "value": "zanzibar-9"}
    brain.memories.put("facts", "fact:printer:host", value)
    return brain


@pytest.mark.spec("J7", "S8")
def test_a_restored_tenant_is_exactly_what_was_exported(tmp_path: Path) -> None:
    """Every row is equal, originals in files come along, and it is refused where there is one."""
    with told(tmp_path / "one") as brain:
        exported = brain.export(tmp_path / "all.zip")
        kept = table_rows(tmp_path / "one/tenants/t/brain.db")
        before = everything_shown(brain, "staging host?")
    report = SmartBrain.restore(tmp_path / "two", tmp_path / "all.zip")
    assert report.content == exported.content
    assert report.files == exported.files == 1
    assert "no receipts" in report.warning
    assert kept == table_rows(tmp_path / "two/tenants/t/brain.db")
    with SmartBrain.open(tmp_path / "two", tenant="t") as brain:
        assert LONG in brain.sessions.turns("a")[1].messages[0].content
        assert "zanzibar-9" in before
        assert "zanzibar-9" in everything_shown(brain, "staging host?")
    with pytest.raises(Conflict):
        SmartBrain.restore(tmp_path / "two", tmp_path / "all.zip")


@pytest.mark.spec("J7")
def test_receipts_are_applied_to_a_backup_of_before(tmp_path: Path) -> None:
    """What was forgotten after the backup is forgotten in the restored tenant as well."""
    with told(tmp_path / "one") as brain:
        brain.export(tmp_path / "all.zip")
        receipt = brain.forget([one.id for one in brain.memories.history("fact:staging:host")])
    report = SmartBrain.restore(tmp_path / "two", tmp_path / "all.zip", receipts=[receipt])
    assert report.applied == (receipt.id,)
    assert report.warning == ""
    assert files_with(tmp_path / "two", "10.77.81.12") == []


@pytest.mark.spec("J7")
def test_people_get_markdown_and_json_lines(tmp_path: Path) -> None:
    """One can be read, the other parsed; no file is overwritten."""
    with told(tmp_path / "one") as brain:
        brain.export(tmp_path / "all.md")
        brain.export(tmp_path / "all.jsonl")
        with pytest.raises(UsageError):
            brain.export(tmp_path / "all.md")
    assert "10.77.81.12" in (tmp_path / "all.md").read_text(encoding="utf-8")
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = {kind for line in lines for kind in json.loads(line)}
    assert kinds == {"turn", "claim", "memory", "edge"}


@pytest.mark.spec("J7")
def test_a_backup_is_whole_while_writers_run(tmp_path: Path) -> None:
    """What is restored is one state of many."""
    with told(tmp_path / "one") as brain:
        stop = threading.Event()

        def write() -> None:
            while not stop.is_set():
                brain.commit_turn("w", [user("One more turn.")])

        writer = threading.Thread(target=write)
        writer.start()
        try:
            brain.export(tmp_path / "all.zip")
        finally:
            stop.set()
            writer.join()
    SmartBrain.restore(tmp_path / "two", tmp_path / "all.zip")
    assert SmartBrain.doctor(tmp_path / "two").tenants[0].findings == ()


@pytest.mark.spec("J7")
def test_what_is_no_archive_or_damaged_is_refused(tmp_path: Path) -> None:
    """No tenant is left behind then."""
    (tmp_path / "no.zip").write_text("nothing", encoding="utf-8")
    with told(tmp_path / "one") as brain:
        brain.export(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["smartbrain.json"] = parts["smartbrain.json"].replace(b'"content": "', b'"content": "0')
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    for name in ("no.zip", "bad.zip"):
        with pytest.raises(UsageError):
            SmartBrain.restore(tmp_path / "two", tmp_path / name)
    assert SmartBrain.tenants(tmp_path / "two") == []


@pytest.mark.spec("J7", "S8")
def test_a_deleted_tenant_is_gone_with_its_key(tmp_path: Path) -> None:
    """Nothing of its folder is left; a handle that is open says that it is gone."""
    key = tmp_path / "master.key"
    key.write_text(new_master_key_text(), encoding="utf-8")
    config = {"encryption.enabled": True, "encryption.master_key_file": str(key)}
    with told(tmp_path / "one", **config) as brain:
        receipt = SmartBrain.delete_tenant(tmp_path / "one", "t")
        assert "key.json" in receipt.files
        assert [*(tmp_path / "one" / "tenants").iterdir()] == []
        with pytest.raises(NotFound):
            brain.memories.list()
    with pytest.raises(NotFound):
        SmartBrain.delete_tenant(tmp_path / "one", "t")


@pytest.mark.spec("E3", "S7")
def test_old_originals_go_when_nothing_rests_on_them(tmp_path: Path) -> None:
    """Counted from storing, not from when it was said; what a fact was read from stays."""
    config = {"raw.delete_after_days": 1, "timezone": "UTC"}
    with fake_brain(tmp_path, **config) as brain:
        at = "1990-01-01T00:00:00Z"
        idle = {"at": at, "messages": [user("Zanzibar was sunny, they say, was it not?")]}
        brain.commit_turn("a", idle)
        brain.commit_turn("a", [user("The staging host is 10.77.81.12.")])
        with brain._lease() as tenant:
            forgetter = brain._forgetter(tenant)
            assert forgetter.age_raw() is None
            brain._root._present.advance(days=2)
            assert forgetter.age_raw() is not None
            assert forgetter.age_raw() is None
        assert files_with(tmp_path, "Zanzibar") == []
        assert "10.77.81.12" in everything_shown(brain, "staging host?")


@pytest.mark.spec("J7")
def test_a_backup_is_whole_while_originals_are_forgotten(tmp_path: Path) -> None:
    """Files that go between the copy of the rows and their own are not missed."""
    with told(tmp_path / "one") as brain:
        turns = [
            brain.commit_turn("f", [user(f"{number} is the code. {LONG}"), assistant("ok")]).turn_id
            for number in range(12)
        ]
        done = threading.Event()

        def forget() -> None:
            for turn in turns:
                brain.forget(turn)
            done.set()

        forgetting = threading.Thread(target=forget)
        forgetting.start()
        backups = []
        while not done.is_set() or not backups:
            backups.append(tmp_path / f"{len(backups)}.zip")
            brain.export(backups[-1])
        forgetting.join()
    for number, backup in enumerate(backups):
        SmartBrain.restore(tmp_path / f"two{number}", backup)
        assert SmartBrain.doctor(tmp_path / f"two{number}").tenants[0].findings == ()


@pytest.mark.spec("J7")
def test_receipts_of_all_kinds_are_applied(tmp_path: Path) -> None:
    """Of turns that the backup lacks, of several steps, and of what was only hidden by then."""
    with told(tmp_path / "one") as brain:
        brain.commit_turn("b", [user("My phone number is 13812345678."), assistant("ok")])
        brain.commit_turn("b", [user("We met Alibaba today. I like tea."), assistant("ok")])
        brain.export(tmp_path / "all.zip")
        new = brain.commit_turn("b", [user("The locker number is 4471."), assistant("ok")])
        brain.forget(new.turn_id)
        brain.forget(topic="Alibaba", session_id="b")
        brain.forget([one.id for one in brain.memories.history("fact:staging:host")])
        brain.commit_turn("b", [user("Please forget my phone number.")])
        receipts = brain.receipts()
    assert len(receipts) == 4
    report = SmartBrain.restore(tmp_path / "two", tmp_path / "all.zip", receipts=receipts)
    assert report.applied == tuple(one.id for one in receipts)
    for word in ("13812345678", "Alibaba", "10.77.81.12"):
        assert files_with(tmp_path / "two", word) == [], word
    with SmartBrain.open(tmp_path / "two", tenant="t") as brain:
        assert "I like tea" in everything_shown(brain, "tea?")
        assert all(map(brain.verify_receipt, brain.receipts()))
    assert SmartBrain.doctor(tmp_path / "two").tenants[0].findings == ()


@pytest.mark.spec("J7", "S8")
def test_a_deletion_that_was_killed_is_finished_by_the_next_opening(tmp_path: Path) -> None:
    """Whatever tenant is opened."""
    with told(tmp_path) as brain:
        brain.commit_turn("s", [user("Zanzibar was sunny."), assistant("ok")])
    place = tmp_path / "tenants"
    (place / ".deleting").mkdir()
    (place / "t").rename(place / ".deleting" / "x")
    assert SmartBrain.tenants(tmp_path) == []
    with SmartBrain.open(tmp_path, tenant="other"):
        assert files_with(tmp_path, "Zanzibar") == []
        assert not (place / ".deleting").exists()
