"""Tenant keys: made once, locked by a master key, locked anew by another, never lost or shown."""

from __future__ import annotations

import base64
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from smartbrain.adapters.keys import (
    MasterKey,
    create_tenant_key,
    load_tenant_key,
    new_master_key_text,
    rewrap_tenant_key,
)
from smartbrain.domain.record import canonical_json
from smartbrain.errors import AdapterError, UsageError

SECRET = bytes(range(100, 132))
MASTER = MasterKey(SECRET)
OTHER = MasterKey(bytes(range(200, 232)))


def error_of(call: Callable[..., object], *arguments: object) -> AdapterError:
    with pytest.raises(AdapterError) as caught:
        call(*arguments)
    return caught.value


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "text",
    [
        SECRET.hex(),
        SECRET.hex().upper(),
        f"  {SECRET.hex()}\n",
        base64.b64encode(SECRET).decode(),
        base64.b64encode(SECRET).decode().rstrip("="),
        base64.urlsafe_b64encode(SECRET).decode() + "\r\n",
    ],
)
def test_a_master_key_is_read_from_each_text_form(text: str) -> None:
    """Hex in either case and base64 in either alphabet give the same key, blanks around or not."""
    assert MasterKey.from_text(text) == MASTER
    assert MasterKey.from_bytes(text.encode()) == MASTER
    assert MasterKey.from_bytes(b"\xef\xbb\xbf" + text.encode()) == MASTER


def test_a_master_key_is_read_from_raw_bytes() -> None:
    """A file of 32 bytes is the key itself, whatever they are."""
    assert MasterKey.from_bytes(SECRET) == MASTER


@pytest.mark.parametrize(
    "text", ["", "hunter2", "密" * 32, "g" * 64, "ab" * 31, "ab" * 33, "=" * 44, "A" * 42, "p" * 32]
)
def test_malformed_key_text_is_refused_without_repeating_it(text: str) -> None:
    """The error names the accepted forms and the command that makes a key, not what was given."""
    for read, given in ((MasterKey.from_text, text), (MasterKey.from_bytes, f"{text}\n".encode())):
        with pytest.raises(UsageError) as caught:
            read(given)
        assert caught.value.code == "config"
        assert "64 hex digits" in caught.value.message
        assert "memctl key master new" in caught.value.message
        assert not text or text not in caught.value.message


def test_bytes_that_are_no_text_are_refused() -> None:
    """Binary content of another length than 32 is no key."""
    for size in (31, 33):
        with pytest.raises(UsageError, match="64 hex digits"):
            MasterKey.from_bytes(b"\xff" * size)


def test_a_master_key_shows_its_fingerprint_only() -> None:
    """The fingerprint names the key; neither it nor the repr holds any of the key."""
    assert len(MASTER.fingerprint) == 16
    assert MASTER.fingerprint != OTHER.fingerprint
    assert MasterKey(SECRET).fingerprint == MASTER.fingerprint
    assert repr(MASTER) == str(MASTER) == "MasterKey()"


def test_a_new_master_key_is_new_and_readable() -> None:
    """Each new text is another key, of the bytes the source gave."""
    assert MasterKey.from_text(new_master_key_text()) != MasterKey.from_text(new_master_key_text())
    assert MasterKey.from_text(new_master_key_text(lambda size: SECRET[:size])) == MASTER


@pytest.mark.spec("S8")
def test_a_created_key_is_loaded_again(tmp_path: Path) -> None:
    """The key comes back under its master key; the file holds it wrapped, for its owner alone."""
    key = create_tenant_key(tmp_path, MASTER)
    assert len(key) == 32
    assert load_tenant_key(tmp_path, MASTER) == key
    assert create_tenant_key(tmp_path, MASTER) == key
    assert names_in(tmp_path) == ["key.json"]
    content = (tmp_path / "key.json").read_text()
    assert canonical_json(json.loads(content)) == content
    assert list(json.loads(content)) == ["format", "master", "nonce", "wrapped"]
    assert json.loads(content)["master"] == MASTER.fingerprint
    assert base64.b64encode(key).decode()[:40] not in content
    assert stat.S_IMODE((tmp_path / "key.json").stat().st_mode) == 0o600


def test_each_tenant_gets_its_own_key(tmp_path: Path) -> None:
    """Two tenants of one master key share nothing."""
    (tmp_path / "甲").mkdir()
    (tmp_path / "b").mkdir()
    assert create_tenant_key(tmp_path / "甲", MASTER) != create_tenant_key(tmp_path / "b", MASTER)


def test_a_tenant_without_key_loads_none(tmp_path: Path) -> None:
    """No key file means no key, with or without a master key, and nothing to lock anew."""
    assert load_tenant_key(tmp_path, MASTER) is None
    assert load_tenant_key(tmp_path, None) is None
    assert not rewrap_tenant_key(tmp_path, MASTER, OTHER)
    assert names_in(tmp_path) == []


@pytest.mark.spec("S8")
def test_a_missing_or_wrong_master_key_is_named_and_touches_nothing(tmp_path: Path) -> None:
    """Errors say which key is needed and which was given, by fingerprint."""
    create_tenant_key(tmp_path, MASTER)
    before = (tmp_path / "key.json").read_bytes()
    missing = error_of(load_tenant_key, tmp_path, None)
    assert missing.code == "key_missing"
    assert MASTER.fingerprint in missing.message
    third = MasterKey(bytes(32))
    for wrong in (
        error_of(load_tenant_key, tmp_path, OTHER),
        error_of(create_tenant_key, tmp_path, OTHER),
        error_of(rewrap_tenant_key, tmp_path, OTHER, third),
    ):
        assert wrong.code == "key_wrong"
        assert MASTER.fingerprint in wrong.message
        assert OTHER.fingerprint in wrong.message
        assert not wrong.retryable
    assert (tmp_path / "key.json").read_bytes() == before
    assert names_in(tmp_path) == ["key.json"]


@pytest.mark.spec("S8")
def test_a_rotation_can_be_run_again(tmp_path: Path) -> None:
    """Locking anew keeps the key and shuts the old master key out; a second run does nothing."""
    key = create_tenant_key(tmp_path, MASTER)
    assert rewrap_tenant_key(tmp_path, MASTER, OTHER)
    assert load_tenant_key(tmp_path, OTHER) == key
    assert error_of(load_tenant_key, tmp_path, MASTER).code == "key_wrong"
    after = (tmp_path / "key.json").read_bytes()
    assert not rewrap_tenant_key(tmp_path, MASTER, OTHER)
    assert (tmp_path / "key.json").read_bytes() == after
    assert stat.S_IMODE((tmp_path / "key.json").stat().st_mode) == 0o600


def test_a_rotation_removes_what_a_crash_left_behind(tmp_path: Path) -> None:
    """A leftover that the old master key could still open is gone, even if only it was left."""
    create_tenant_key(tmp_path, MASTER)
    for expected in (True, False):
        os.link(tmp_path / "key.json", tmp_path / "key.json.00ff.tmp")
        assert rewrap_tenant_key(tmp_path, MASTER, OTHER) is expected
        assert names_in(tmp_path) == ["key.json"]


@pytest.mark.parametrize("rewrap", [False, True])
def test_a_write_that_fails_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rewrap: bool
) -> None:
    """When the disk fails, the error is ours and the folder holds what it held."""
    if rewrap:
        create_tenant_key(tmp_path, MASTER)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    call = rewrap_tenant_key if rewrap else create_tenant_key
    arguments = (tmp_path, MASTER, OTHER) if rewrap else (tmp_path, MASTER)
    assert error_of(call, *arguments).code == "disk_full"
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_a_folder_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    """A key is not written into a folder that does not exist, nor is the folder made."""
    assert error_of(create_tenant_key, tmp_path / "gone", MASTER).code == "io_error"
    (tmp_path / "file").touch()
    assert error_of(load_tenant_key, tmp_path / "file", MASTER).code == "io_error"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"null",
        b"[1]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"format":1,"master":"x","nonce":"AAAA","wrapped":"AAAA"}',
        b'{"format":1,"master":"x","nonce":1,"wrapped":null}',
        '{"format":1,"master":"x","nonce":"密","wrapped":"钥"}'.encode(),
        b'{"format":0,"master":"x","nonce":"AAAA","wrapped":"AAAA"}',
    ],
)
def test_a_damaged_key_file_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    """What cannot be read as a key file is corrupt, and is left as it is."""
    (tmp_path / "key.json").write_bytes(content)
    for call in (load_tenant_key, create_tenant_key):
        error = error_of(call, tmp_path, MASTER)
        assert error.code == "corrupt"
        assert "restore that file from a backup" in error.message
    assert (tmp_path / "key.json").read_bytes() == content


def test_a_changed_byte_never_gives_another_key(tmp_path: Path) -> None:
    """Each single damage of the file is an error, or does not matter to the key."""
    key = create_tenant_key(tmp_path, MASTER)
    content = (tmp_path / "key.json").read_bytes()
    outcomes = set()
    for at in range(len(content)):
        for flip in (0x01, 0x20, 0xFF):
            (tmp_path / "key.json").write_bytes(
                content[:at] + bytes([content[at] ^ flip]) + content[at + 1 :]
            )
            try:
                outcomes.add(load_tenant_key(tmp_path, MASTER))
            except AdapterError as error:
                outcomes.add(error.code)
    # "format":1 turned into a larger digit asks for a newer version, which is an error too.
    assert {key, "corrupt"} <= outcomes <= {key, "corrupt", "newer_database"}


def test_damage_under_the_right_key_is_not_blamed_on_the_key(tmp_path: Path) -> None:
    """A wrapped key that does not open although the fingerprint fits is corrupt."""
    create_tenant_key(tmp_path, MASTER)
    fields = json.loads((tmp_path / "key.json").read_text())
    fields["wrapped"] = base64.b64encode(bytes(48)).decode()
    (tmp_path / "key.json").write_text(canonical_json(fields))
    assert error_of(load_tenant_key, tmp_path, MASTER).code == "corrupt"


def test_a_key_file_of_a_newer_version_asks_for_an_upgrade(tmp_path: Path) -> None:
    """A format from the future is not called damaged."""
    (tmp_path / "key.json").write_text('{"format":2}')
    assert error_of(load_tenant_key, tmp_path, MASTER).code == "newer_database"


@pytest.mark.spec("S8")
def test_the_first_of_many_creators_wins(tmp_path: Path) -> None:
    """Threads and processes that create the key of a new tenant at once all get the same one."""
    script = """
import sys
from pathlib import Path
from smartbrain.adapters.keys import MasterKey, create_tenant_key
print(flush=True)
for line in sys.stdin:
    key = create_tenant_key(Path(line.rstrip()), MasterKey.from_text(sys.argv[1]))
    print(key.hex(), flush=True)
"""
    command = [sys.executable, "-c", script, SECRET.hex()]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        for _ in range(2)
    ]
    folders = [tmp_path / str(number) for number in range(20)]
    for folder in folders:
        folder.mkdir()
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    said = "".join(f"{folder}\n" for folder in folders)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda process: process.communicate(said)[0], processes))
        for folder, first, second in zip(folders, *map(str.split, answers), strict=True):
            assert first == second
            assert names_in(folder) == ["key.json"]
        (tmp_path / "threads").mkdir()
        keys = set(pool.map(lambda _: create_tenant_key(tmp_path / "threads", MASTER), range(16)))
    assert len(keys) == 1
    assert names_in(tmp_path / "threads") == ["key.json"]
