"""`memctl` where keys, settings and files do not fit each other: what is said, and what goes on.

In: brains with changed settings, lost or swapped keys, and an open umask. Out: one line a fault.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_runs import encrypted_brain, memctl

from smartbrain import AdapterError, SmartBrain

OLD, NEW = "0a" * 32, "0b" * 32


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Let new files be readable by everybody unless whoever makes them says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def readable_by_others(place: Path) -> list[str]:
    """Return what other users can get at below a folder, starting from there."""
    found = []
    for path in place.iterdir():
        mode = path.stat().st_mode
        if mode & 0o077:
            found += [path.name, *(readable_by_others(path) if path.is_dir() else [])]
    return found


@pytest.mark.spec("S2", "S7", "S8")
def test_encryption_can_be_switched_on_after_init(tmp_path: Path) -> None:
    """Init leaves nothing that a later setting contradicts: the first tenant is encrypted."""
    place = tmp_path / "b"
    assert 0 == memctl("init", place, folder=tmp_path).code
    file = place / "brain.yml"
    text = file.read_text(encoding="utf-8")
    text = text.replace("# enabled: false   ", "enabled: true")
    text = text.replace("# master_key_file: null", "master_key_file: 主.key")
    file.write_text(text, encoding="utf-8")
    (place / "主.key").write_text(OLD, encoding="utf-8")
    with SmartBrain.open(place) as brain:
        brain.commit_turn("s", [{"role": "user", "content": "秘密 secret"}])
        assert brain.status().encrypted
    assert 0 == memctl("doctor", "--root", place, folder=tmp_path).code


@pytest.mark.spec("S8")
@pytest.mark.usefixtures("open_umask")
@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_nothing_of_a_brain_is_readable_by_other_users(tmp_path: Path) -> None:
    """Neither in a folder of our own making nor in one that was there, open to all."""
    for place in (tmp_path / "made" / "brain", tmp_path / "found"):
        if place.name == "found":
            place.mkdir()
        assert 0 == memctl("init", place, folder=tmp_path).code
        encrypted_brain(place, "张三", "x" * 200, "Ü" * 200, key=OLD)
        assert [] == readable_by_others(place)
    assert ["found"] == readable_by_others(tmp_path)


@pytest.mark.spec("S2", "S8")
def test_a_rotation_goes_on_past_a_tenant_that_fails(tmp_path: Path) -> None:
    """The others get the new key, each failure is a line, and the exit code tells of it."""
    place = encrypted_brain(tmp_path / "b", "a", "坏", "z", key=OLD)
    spoilt = place / "tenants" / "%e5%9d%8f" / "key.json"
    whole = spoilt.read_bytes()
    spoilt.write_text("{}", encoding="utf-8")
    file = tmp_path / "new.key"
    file.write_text(NEW, encoding="utf-8")
    arguments = ("key", "master", "rotate", file, "--root", place)
    run = memctl(*arguments, folder=tmp_path, SMARTBRAIN_MASTER_KEY=OLD)
    assert (5, 1) == (run.code, len(run.err.splitlines()))
    assert run.err.startswith("memctl: 坏: key.json of tenant folder %e5%9d%8f is damaged")
    assert "2 tenants locked with the new key, 0 already were; keep the old key" in run.out
    told = memctl(*arguments, "--json", folder=tmp_path, SMARTBRAIN_MASTER_KEY=OLD)
    assert (5, {"a": False, "z": False}) == (told.code, told.json["rotated"])
    assert ["corrupt"] == [told.json["errors"][name]["code"] for name in ("坏",)]
    spoilt.write_bytes(whole)
    last = memctl(*arguments, folder=tmp_path, SMARTBRAIN_MASTER_KEY=OLD)
    assert (0, "") == (last.code, last.err)
    assert last.out.startswith("1 tenant locked with the new key, 2 already were; put the new one")
    doctor = memctl("doctor", "--root", place, folder=tmp_path, SMARTBRAIN_MASTER_KEY=NEW)
    assert 0 == doctor.code


@pytest.mark.spec("E2", "S8")
@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("missing", "it is damaged, or encrypted and {key} is missing; restore the file"),
        ("swapped", "{key} does not belong to it, or it is damaged; restore this tenant's own"),
    ],
)
def test_a_key_file_that_is_missing_or_anothers_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, said: str, enabled: bool
) -> None:
    """The sentence tells which file is to blame and what to do, on one line."""
    place = encrypted_brain(tmp_path / "b", "甲", "other", key=OLD)
    monkeypatch.setenv("SMARTBRAIN_MASTER_KEY", OLD)
    key = place / "tenants" / "%e7%94%b2" / "key.json"
    if fault == "missing":
        key.unlink()
    else:
        shutil.copy(place / "tenants" / "other" / "key.json", key)
    with pytest.raises(AdapterError) as caught:
        SmartBrain.open(place, tenant="甲", config={"encryption.enabled": enabled})
    assert ("corrupt", 1) == (caught.value.code, len(caught.value.message.splitlines()))
    assert said.format(key=key) in caught.value.message
