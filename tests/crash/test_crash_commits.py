"""SIGKILL in the middle of commits, blob writes and migrations; reopen; nothing is missing.

The same brain lives through every kill. Seeds are printed on failure, so that a bad round can be
run again with the same turns (the moment of the kill stays the machine's own).
"""

from __future__ import annotations

import secrets
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from children import Child, encryption, profile, remark
from crash_databases import (
    SESSION,
    build_old,
    declared_by,
    old_text,
    tables_of,
    text_of,
    versions,
)
from crash_turns import PLAIN, SEALED, TENANTS
from crash_witness import Witness

from smartbrain import SmartBrain
from smartbrain.adapters.keys import MasterKey, create_tenant_key, load_tenant_key
from smartbrain.adapters.sqlite.migrate import latest
from smartbrain.bootstrap.root import Root
from smartbrain.jobs.doctor import sweep

COMMIT_KILLS = profile(12, 110)
BLOB_KILLS = profile(8, 60)
MIGRATION_KILLS = profile(6, 40)
LONGEST = 0.25
ROUNDS_A_SESSION = 3


@pytest.mark.spec("E5", "E4", "E2", "M4", "S8")
def test_a_kill_at_any_instant_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Killed over and over, a brain has every acknowledged turn whole and nothing half-written."""
    witness = _new_brain(tmp_path, seed=secrets.randbits(32))
    dice = Random(witness.seed)
    mixes = ["mixed"] * COMMIT_KILLS + ["large"] * BLOB_KILLS
    dice.shuffle(mixes)
    inside = 0
    with ExitStack() as stack:
        spare = stack.enter_context(_child(witness))
        for number, mix in enumerate(mixes):
            remark(f"seed {witness.seed}, round {number}, {mix}")
            witness.mix = mix
            session = f"会话-{mix}-{number // ROUNDS_A_SESSION}"
            lines = _killed(spare, f"{witness.next_number} {session} {mix}", dice)
            spare = stack.enter_context(_child(witness))  # starts while this round is checked
            inside += _check_round(witness, lines, session, dice)
    assert inside >= len(mixes) // 2, "most kills landed outside a commit"
    _leave_orphans(witness)
    _sweep_and_check(witness)


def _new_brain(tmp_path: Path, seed: int) -> Witness:
    key_file = tmp_path / "master.key"
    key_file.write_text("a5" * 32)
    root = tmp_path / "brain"
    SmartBrain.open(root, tenant=PLAIN).close()
    SmartBrain.open(root, tenant=SEALED, config=encryption(key_file, enabled=True)).close()
    return Witness(root, key_file, seed)


def _child(witness: Witness) -> Child:
    return Child("commits", witness.root, witness.key_file, witness.seed)


def _killed(child: Child, word: str, dice: Random) -> list[str]:
    """Let a child work for a moment, kill it, and return what it said."""
    child.expect("loaded")
    child.go(word)
    child.expect("ready")
    return child.kill_after(dice.uniform(0, LONGEST))


def _check_round(witness: Witness, lines: list[str], session: str, dice: Random) -> bool:
    """Prove what a killed child left; tell whether the kill landed inside a commit."""
    pending = witness.hear(lines, session)
    if dice.random() < 0.5:
        witness.check_never()  # sometimes the doctor is the first to open after the crash
    with witness.open() as brain:
        present = witness.settle(brain, pending, session)
        if pending is not None and pending.commit.key is not None:
            witness.retry(brain, pending, session, present=present)
        elif pending is not None and present:
            found = {
                turn.id for turn in brain.tenant(pending.commit.tenant).sessions.turns(session)
            }
            known = set(witness.told[pending.commit.tenant])
            (new,) = found - known or {pending.into}
            assert new is not None
            witness.note(pending, session, new)
    witness.check_never()
    return pending is not None


def _leave_orphans(witness: Witness) -> None:
    """Leave what a kill between a file and its row leaves, so that a sweep has work for sure."""
    root = Root(witness.root, config=witness.config)
    for name in TENANTS:
        with root.tenants.lease(name) as tenant:
            data = f"{name} 无人引用".encode() * 1000
            blobs = tenant.ports.blobs
            path = tenant.folder / blobs.put(blobs.address(data), data, tenant.ports.clock().date())
            path.with_name(f"{path.name}.4711.0.tmp").write_bytes(b"half")
    root.tenants.close()


def _sweep_and_check(witness: Witness) -> None:
    """Sweep everything unreferenced, however young: only that goes, and every turn stays."""
    root = Root(witness.root, config=witness.config)
    for name in TENANTS:
        with root.tenants.lease(name) as tenant:
            with tenant.ports.truth.read() as transaction:
                referenced = set(transaction.raw.paths())
            before = {file.path for file in tenant.ports.blobs.walk()}
            report = sweep(ports=tenant.ports, older_than=time.time() + 1)
            after = {file.path for file in tenant.ports.blobs.walk()}
        assert len(before - referenced) == report.files >= 2
        assert referenced == after
        assert referenced
    root.tenants.close()
    with witness.open() as brain:
        witness.check_everything(brain)
    witness.check_never()


@pytest.mark.spec("E5", "S8")
def test_a_kill_during_a_migration_leaves_the_old_or_the_new_version(tmp_path: Path) -> None:
    """Killed while it upgrades, a database is of one version and has its rows; opening ends it."""
    seed = secrets.randbits(32)
    dice = Random(seed)
    key_file = tmp_path / "master.key"
    key_file.write_text("5a" * 32)
    unfinished = 0
    for number in range(MIGRATION_KILLS):
        remark(f"seed {seed}, round {number}")
        root = tmp_path / f"brain{number}"
        tenants = _old_tenants(root, key_file, 24)
        with Child("opens", root, key_file, *tenants) as child:
            child.expect("loaded")
            child.go()
            child.expect("ready")
            began, opened = time.monotonic(), dice.randrange(4, len(tenants) - 2)
            child.expect("ack", opened)
            # Anywhere inside the next one, however quick this machine is.
            lines = child.kill_after(dice.uniform(0, (time.monotonic() - began) / opened))
        done = {line.removeprefix("ack ") for line in lines if line.startswith("ack ")}
        unfinished += len(done) < len(tenants)
        for name, version in tenants.items():
            _check_upgrade(root, key_file, name, version, upgraded=name in done)
        report = SmartBrain.doctor(root, config=encryption(key_file))
        assert [] == report.all()
        assert sorted(tenants) == [health.tenant for health in report.tenants]
    assert unfinished >= MIGRATION_KILLS // 2, "most kills came after the last migration"


def _old_tenants(root: Path, key_file: Path, count: int) -> dict[str, int]:
    """Build tenants of every older version, every third one encrypted; return their versions."""
    master = MasterKey.from_bytes(key_file.read_bytes())
    every = versions()
    found = {f"t{number}": every[number % len(every)] for number in range(count)}
    for number, (name, version) in enumerate(found.items()):
        folder = Root(root).folder(name)
        folder.mkdir(parents=True)
        key = create_tenant_key(folder, master) if number % 3 == 0 else None
        build_old(folder, version, key, tenant=name)
    return found


def _check_upgrade(root: Path, key_file: Path, name: str, version: int, *, upgraded: bool) -> None:
    """Find the old version or the new one, its tables and rows; then open it and look again."""
    opened = Root(root, config=encryption(key_file))
    folder = opened.folder(name)
    key = load_tenant_key(folder, MasterKey.from_bytes(key_file.read_bytes()))
    found, tables = tables_of(folder, key)
    assert found in ({latest()} if upgraded else {version, latest()})
    assert declared_by(found) == tables
    expected = old_text(name) if version else None
    assert expected == text_of(folder, key)
    opened.open_tenant(name).ports.truth.close()
    assert (latest(), declared_by(latest())) == tables_of(folder, key)
    with SmartBrain.open(root, tenant=name, config=encryption(key_file)) as brain:
        said = [turn.messages[0].content for turn in brain.sessions.turns(SESSION)]
    assert ([expected] if expected else []) == said


def test_every_older_version_is_a_database_of_its_own() -> None:
    """The versions differ in what they declare, or a half-done migration could not be told."""
    declared = [declared_by(version) for version in versions()]
    assert len(versions()) == len(set(declared)) >= 2
