"""Full and read-only disks, damaged and missing files, strange databases and lost folders.

Each fault gives one clear error, leaves everything else as it was, and work goes on once its cause
is gone. Real disks, real permissions, real files; keys are in `test_crash_encryption.py`.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from children import Child, memctl
from crash_databases import SESSION as OLD
from crash_databases import (
    build_old,
    declared_by,
    old_text,
    set_version,
    tables_of,
    text_of,
    versions,
)
from crash_faults import (
    SESSION,
    Disk,
    Stored,
    check_error,
    check_untouched,
    contents,
    folder_of,
    refused,
)

from smartbrain import NotFound, SmartBrain
from smartbrain.adapters.sqlite.migrate import latest


@pytest.mark.spec("E5")
@pytest.mark.parametrize("mix", ["mixed", "large"])
def test_a_full_disk_refuses_a_commit_and_keeps_the_others(tmp_path: Path, mix: str) -> None:
    """What was acknowledged can be read on the full disk; with room again, commits go on."""
    with Disk(tmp_path / "disk", "3m") as disk:
        path = disk.path / "brain"
        with SmartBrain.open(path) as brain:
            stored = Stored()
            error = stored.fill_until_refused(brain, mix)
            check_error(error, "disk_full")
            assert error.retryable
            assert len(stored.told) > 3
            stored.check(brain)
            check_error(stored.fill_until_refused(brain, mix), "disk_full")
            disk.remount("size=32m")
            stored.commit(brain, mix)
            stored.check(brain)
        stored.check_whole(path)


@pytest.mark.spec("E5", "E2")
def test_a_disk_that_fills_up_inside_a_blob_leaves_no_half_of_it(tmp_path: Path) -> None:
    """A commit that fails in the middle of its files leaves none of them, and can be retried."""
    with Disk(tmp_path / "disk", "8m") as disk:
        path = disk.path / "brain"
        with SmartBrain.open(path) as brain:
            stored = Stored().fill(brain)
            for left in range(0, 40_960, 4096):
                with disk.nearly_full(left):
                    check_error(stored.fill_until_refused(brain, "large"), "disk_full")
                assert [] == list(path.rglob("*.tmp"))
                stored.check(brain)
            stored.commit(brain, "large")
            stored.check(brain)
        stored.check_whole(path)


@pytest.mark.spec("E5")
def test_a_full_disk_while_a_brain_is_made_or_upgraded_changes_nothing(tmp_path: Path) -> None:
    """However little room is left, opening fails cleanly or works; with room again it works."""
    tried = {f"of-{version}": version for version in versions()[:-1]}
    failures = dict.fromkeys(tried, 0)
    with Disk(tmp_path / "disk", "4m") as disk:
        for left in range(0, 320_000, 20_480):
            for tenant, version in tried.items():
                path = disk.path / "brain"
                folder = folder_of(path, tenant)
                folder.mkdir(parents=True)
                build_old(folder, version, None, tenant=tenant)
                with disk.nearly_full(left):
                    try:
                        SmartBrain.open(path, tenant=tenant).close()
                    except Exception as error:
                        check_error(error, "disk_full")
                        failures[tenant] += 1
                found, tables = tables_of(folder, None)
                assert found in (version, latest())
                assert declared_by(found) == tables
                with SmartBrain.open(path, tenant=tenant) as brain:
                    Stored().fill(brain).check(brain)
                    said = [turn.messages[0].content for turn in brain.sessions.turns(OLD)]
                assert ([old_text(tenant)] if version else []) == said
                assert SmartBrain.doctor(path).healthy
                shutil.rmtree(path)
    assert min(failures.values()) >= 3, failures


@pytest.mark.spec("E5", "S8")
def test_a_disk_that_turns_read_only_refuses_and_recovers(tmp_path: Path) -> None:
    """A read-only disk is never written, the doctor says so, and commits go on afterwards."""
    with Disk(tmp_path / "disk", "8m") as disk:
        path = disk.path / "brain"
        with SmartBrain.open(path) as brain:
            stored = Stored().fill(brain)
        disk.remount("ro")
        before = contents(path)
        for mix in ("mixed", "large"):
            with refused("read_only"), SmartBrain.open(path) as brain:
                stored.commit(brain, mix)
        with refused("read_only"):
            SmartBrain.open(disk.path / "another")
        assert not SmartBrain.doctor(path).healthy
        assert before == contents(path)
        disk.remount("rw")
        stored.check_whole(path)


@pytest.mark.spec("E5", "S8")
def test_a_folder_of_somebody_else_is_refused_and_left_alone() -> None:
    """A user who may not write gets one error, from the doctor too, and changes nothing."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        path = Path(place) / "brain"
        with SmartBrain.open(path) as brain:
            stored = Stored().fill(brain)
        for entry in (path, *path.rglob("*")):
            entry.chmod(0o555 if entry.is_dir() else 0o444)
        before = contents(path)
        with Child("drops", path) as child:
            child.expect("loaded")
            child.go()
            commit, read, doctor = child.finish()[-3:]
        assert commit.startswith("commit AdapterError read_only "), commit
        assert read.startswith(("read fine", "read AdapterError read_only ")), read
        assert "read_only" in doctor.split()
        assert before == contents(path)
        for entry in (path, *path.rglob("*")):
            entry.chmod(0o755 if entry.is_dir() else 0o644)
        stored.check_whole(path)


@pytest.mark.spec("E5", "S8")
@pytest.mark.parametrize("length", [1, 15, 100, 511, 512, 4096, 8192, -4096, "garbage"])
def test_a_damaged_database_is_named_and_left_as_it_is(tmp_path: Path, length: int | str) -> None:
    """Cut short anywhere or overwritten: an error, no byte changed, other tenants as before."""
    stored, others = _two_tenants(tmp_path)
    database = folder_of(tmp_path) / "brain.db"
    whole = database.read_bytes()
    cut = Random(1).randbytes(len(whole)) if isinstance(length, str) else whole[:length]
    database.write_bytes(cut)
    before = contents(tmp_path)
    with refused("corrupt"), SmartBrain.open(tmp_path) as brain:
        stored.check(brain)
        brain.commit_turn(SESSION, [{"role": "user", "content": "不写"}])
    report = SmartBrain.doctor(tmp_path)
    health = {tenant.tenant: [one.code for one in tenant.findings] for tenant in report.tenants}
    assert ["corrupt"] == sorted(set(health.pop("default")))
    assert {"other": []} == health
    assert before == contents(tmp_path)
    with SmartBrain.open(tmp_path, tenant="other") as brain:
        others.check(brain)
    database.write_bytes(whole)
    stored.check_whole(tmp_path)


@pytest.mark.spec("E5", "S8")
@pytest.mark.parametrize("left", ["empty", "nothing"])
def test_a_lost_database_does_not_become_an_empty_tenant(tmp_path: Path, left: str) -> None:
    """Raw files beside an empty or missing database show that there was one; it is asked for."""
    stored, _ = _two_tenants(tmp_path)
    database = folder_of(tmp_path) / "brain.db"
    backup = database.rename(tmp_path / "backup")
    if left == "empty":
        database.touch()
    before = contents(tmp_path)
    with refused("corrupt"):
        SmartBrain.open(tmp_path)
    findings = SmartBrain.doctor(tmp_path).tenants[0].findings
    assert ["corrupt"] == [finding.code for finding in findings]
    assert ["default", "other"] == SmartBrain.tenants(tmp_path)
    assert before == contents(tmp_path)
    backup.rename(database)
    stored.check_whole(tmp_path)


@pytest.mark.spec("E5")
def test_a_log_beside_an_empty_database_is_not_thrown_away(tmp_path: Path) -> None:
    """A crash leaves a log; where the database lost its bytes meanwhile, the log is kept."""
    with Child("writes", tmp_path, 0) as child:
        child.expect("loaded")
        child.go()
        child.expect("ack", 5)
        child.kill_after(0)
    database = folder_of(tmp_path) / "brain.db"
    whole = database.read_bytes()
    database.write_bytes(b"")
    before = contents(tmp_path)
    with refused("corrupt"):
        SmartBrain.open(tmp_path)
    assert not SmartBrain.doctor(tmp_path).healthy
    assert before == contents(tmp_path)
    database.write_bytes(whole)
    with SmartBrain.open(tmp_path) as brain:
        assert len(brain.sessions.turns("s0")) >= 5


@pytest.mark.spec("E5")
def test_a_creation_that_was_interrupted_is_finished(tmp_path: Path) -> None:
    """An empty database file and nothing else is a tenant that was about to be made."""
    folder_of(tmp_path).mkdir(parents=True)
    (folder_of(tmp_path) / "brain.db").touch()
    with SmartBrain.open(tmp_path) as brain:
        Stored().fill(brain).check(brain)
    assert SmartBrain.doctor(tmp_path).healthy


@pytest.mark.spec("E2", "E5")
@pytest.mark.parametrize(
    ("damage", "code"),
    [("flip", "blob_corrupt"), ("cut", "blob_corrupt"), ("delete", "blob_missing")],
)
def test_a_damaged_raw_file_costs_its_own_turn_only(tmp_path: Path, damage: str, code: str) -> None:
    """Only the turn that needs the file fails; the doctor names the file; the rest reads fine."""
    with SmartBrain.open(tmp_path) as brain:
        stored = Stored().fill(brain)
        turns = brain.sessions.turns(SESSION)
        file = max(folder_of(tmp_path).rglob("*.zst"), key=lambda one: one.stat().st_mtime_ns)
        whole = file.read_bytes()
        middle = len(whole) // 2
        if damage == "delete":
            file.unlink()
        else:
            flipped = bytes([whole[middle] ^ 1]) + whole[middle + 1 :] if damage == "flip" else b""
            file.write_bytes(whole[:middle] + flipped)
        bad = [turn.seq for turn in turns if not _reads(brain, turn.seq, code)]
        assert 1 == len(bad)
        brain.commit_turn(SESSION, [{"role": "user", "content": "继续 go on"}])
    (finding,) = SmartBrain.doctor(tmp_path).all()
    assert (code, file.relative_to(folder_of(tmp_path)).as_posix()) == (
        finding.code,
        finding.subject,
    )
    file.write_bytes(whole)
    with SmartBrain.open(tmp_path) as brain:
        assert len(stored.told) + 1 == len(brain.sessions.turns(SESSION))
    assert SmartBrain.doctor(tmp_path).healthy


def _reads(brain: SmartBrain, seq: int, code: str) -> bool:
    """Tell whether a turn can be read; if not, it must be for the reason given."""
    try:
        (turn,) = brain.sessions.turns(SESSION, after=seq - 1, limit=1)
    except Exception as error:
        check_error(error, code)
        return False
    return turn.seq == seq


@pytest.mark.spec("E2", "E5")
def test_content_that_comes_again_brings_its_lost_file_back(tmp_path: Path) -> None:
    """A commit never relies on a file that is gone: it writes it, and mends the older turn too."""
    text = "同样的内容 the same content, again and again. " * 200
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("first", [{"role": "user", "content": text}])
        for file in folder_of(tmp_path).rglob("*.zst"):
            file.unlink()
        with refused("blob_missing"):
            brain.sessions.turns("first")
        brain.commit_turn("second", [{"role": "user", "content": text}])
        for session in ("first", "second"):
            assert text == brain.sessions.turns(session)[0].messages[0].content
    assert SmartBrain.doctor(tmp_path).healthy


@pytest.mark.spec("E5", "S8")
def test_processes_that_upgrade_at_once_agree(tmp_path: Path) -> None:
    """Of several processes that open old databases together, one upgrades and none fails."""
    (tmp_path / "master.key").write_text("11" * 32)
    every = versions()
    tenants = {f"t{number}": every[number % len(every)] for number in range(12)}
    for name, version in tenants.items():
        folder = folder_of(tmp_path, name)
        folder.mkdir(parents=True)
        build_old(folder, version, None, tenant=name)
    with ExitStack() as stack:
        arguments = (tmp_path, tmp_path / "master.key", *tenants)
        crowd = [stack.enter_context(Child("opens", *arguments)) for _ in range(3)]
        for child in crowd:
            child.expect("loaded")
        for child in crowd:
            child.go()
        for child in crowd:
            child.expect("done")
    for name, version in tenants.items():
        folder = folder_of(tmp_path, name)
        assert (latest(), declared_by(latest())) == tables_of(folder, None)
        assert (old_text(name) if version else None) == text_of(folder, None)
    assert [] == SmartBrain.doctor(tmp_path).all()


@pytest.mark.spec("E5", "S8")
def test_a_database_of_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    """Opening it says which version is needed; no file changes, by us or by the doctor."""
    with SmartBrain.open(tmp_path) as brain:
        stored = Stored().fill(brain)
    set_version(folder_of(tmp_path), 999)
    before = contents(tmp_path)
    with refused("newer_database"):
        SmartBrain.open(tmp_path)
    (finding,) = SmartBrain.doctor(tmp_path).tenants[0].findings
    assert "newer_database" == finding.code
    told = memctl(tmp_path, "migrate", "--apply")
    assert (5, "") == (told.returncode, told.stdout)
    assert 1 == told.stderr.count("\n")
    assert "[newer_database]" in told.stderr
    check_untouched(before, tmp_path)
    set_version(folder_of(tmp_path), latest())
    stored.check_whole(tmp_path)


@pytest.mark.spec("S8")
def test_a_tenant_whose_folder_is_deleted_starts_anew(tmp_path: Path) -> None:
    """Deleted under an open handle, a tenant is gone; the next commit begins an empty one."""
    with SmartBrain.open(tmp_path) as brain:
        other = brain.tenant("other")
        kept = Stored().fill(brain)
        Stored().fill(other)
        shutil.rmtree(folder_of(tmp_path, "other"))
        assert ["default"] == SmartBrain.tenants(tmp_path)
        with refused("gone", NotFound):
            other.sessions.turns(SESSION)
        assert ["default"] == SmartBrain.tenants(tmp_path)
        Stored().fill(other).check(other)
        shutil.rmtree(folder_of(tmp_path, "other"))
        Stored().fill(other).check(other)
        kept.check(brain)
    assert SmartBrain.doctor(tmp_path).healthy


@pytest.mark.spec("S2", "E5")
def test_memctl_doctor_tells_healthy_from_damaged(tmp_path: Path) -> None:
    """Exit code 0 or 1, the same verdict in JSON, and one line where there is no brain at all."""
    stored, _ = _two_tenants(tmp_path)
    fine = memctl(tmp_path, "doctor")
    assert (0, "") == (fine.returncode, fine.stderr)
    assert "2 tenants checked: 0 errors" in fine.stdout
    report = json.loads(memctl(tmp_path, "doctor", "--json").stdout)
    assert [True, ["default", "other"]] == [
        report["healthy"],
        [tenant["tenant"] for tenant in report["tenants"]],
    ]
    file = next(folder_of(tmp_path).rglob("*.zst"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    ill = memctl(tmp_path, "doctor")
    assert (1, "") == (ill.returncode, ill.stderr)
    assert file.name in ill.stdout
    told = memctl(tmp_path, "doctor", "--json")
    report = json.loads(told.stdout)
    assert [1, False] == [told.returncode, report["healthy"]]
    assert "blob_corrupt" == report["tenants"][0]["findings"][0]["code"]
    file.write_bytes(whole)
    nothing = memctl(tmp_path / "nothing", "doctor")
    assert (2, "", 1) == (nothing.returncode, nothing.stdout, nothing.stderr.count("\n"))
    stored.check_whole(tmp_path)


def _two_tenants(path: Path) -> tuple[Stored, Stored]:
    """Make a brain with two filled tenants, closed."""
    with SmartBrain.open(path) as brain:
        return Stored().fill(brain), Stored().fill(brain.tenant("other"))
