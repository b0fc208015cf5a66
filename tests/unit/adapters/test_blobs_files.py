"""Blobs as files: layout, sealing, damage, limits, links, and what a walk shows."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.adapters.blobs.cipher import AesGcm
from smartbrain.adapters.blobs.files import FileBlobs, zstd
from smartbrain.errors import AdapterError, SmartBrainError, UsageError
from smartbrain.ports.blobs import Blobs

DAY = date(2026, 3, 9)
KEY = bytes(range(32))
TEXT = "内存是一张图 memory is a graph. ".encode() * 4


def plain(folder: Path) -> FileBlobs:
    return FileBlobs(folder)


def sealed(folder: Path) -> FileBlobs:
    return FileBlobs(folder, AesGcm(KEY))


def put(blobs: Blobs, data: bytes, day: date = DAY) -> tuple[str, str]:
    address = blobs.address(data)
    return blobs.put(address, data, day), address


def code_of_get(blobs: Blobs, path: str, address: str) -> str:
    with pytest.raises(AdapterError) as caught:
        blobs.get(path, address)
    return caught.value.code


@pytest.mark.spec("E2")
def test_a_plain_blob_lies_as_zstd_at_its_dated_path(tmp_path: Path) -> None:
    """The file's path holds day and SHA-256, its content is the compressed text, its owner's."""
    digest = hashlib.sha256(TEXT).hexdigest()
    expected = f"raw/2026/03/09/{digest[:2]}/raw_{digest}.blob.zst"
    assert (expected, digest) == put(plain(tmp_path), TEXT)
    assert zstd.decompress((tmp_path / expected).read_bytes()) == TEXT
    assert len(TEXT) > (tmp_path / expected).stat().st_size
    assert stat.S_IMODE((tmp_path / expected).stat().st_mode) == 0o600


@pytest.mark.spec("E2", "S8")
def test_a_sealed_file_tells_nothing(tmp_path: Path) -> None:
    """Neither text nor hash of the content shows in the file or in its name."""
    data = b"".join(b"%d the secret of tenant seven;" % number for number in range(500))
    path, _ = put(sealed(tmp_path), data)
    stored = (tmp_path / path).read_bytes()
    assert not any(data[at : at + 6] in stored for at in range(len(data) - 6))
    assert not any(
        frame in stored for frame in (b"\x28\xb5\x2f\xfd", hashlib.sha256(data).digest())
    )
    assert hashlib.sha256(data).hexdigest()[:8] not in path


@pytest.mark.spec("E2")
@pytest.mark.parametrize("make", [plain, sealed])
def test_a_flipped_byte_at_any_place_is_noticed(tmp_path: Path, make) -> None:
    """Every inverted byte makes the blob corrupt."""
    blobs = make(tmp_path)
    path, address = put(blobs, TEXT)
    stored = (tmp_path / path).read_bytes()
    for at in range(len(stored)):
        flipped = stored[:at] + bytes([stored[at] ^ 0xFF]) + stored[at + 1 :]
        (tmp_path / path).write_bytes(flipped)
        assert (at, code_of_get(blobs, path, address)) == (at, "blob_corrupt")


@pytest.mark.spec("E2")
def test_no_change_of_a_plain_file_changes_what_is_read(tmp_path: Path) -> None:
    """Whatever value a byte takes, a read gives the true content or an error, nothing else."""
    blobs = plain(tmp_path)
    path, address = put(blobs, b"short")
    stored = (tmp_path / path).read_bytes()
    outcomes = set()
    for at in range(len(stored)):
        for value in range(256):
            (tmp_path / path).write_bytes(stored[:at] + bytes([value]) + stored[at + 1 :])
            try:
                outcomes.add(blobs.get(path, address))
            except AdapterError as error:
                outcomes.add(error.code)
    assert outcomes == {b"short", "blob_corrupt"}


@pytest.mark.spec("E2")
@pytest.mark.parametrize("data", [TEXT, b""])
@pytest.mark.parametrize("make", [plain, sealed])
def test_a_cut_or_extended_file_is_noticed(tmp_path: Path, make, data: bytes) -> None:
    """A file cut at any length, empty or with more behind it is corrupt; without it, missing."""
    blobs = make(tmp_path)
    path, address = put(blobs, data)
    stored = (tmp_path / path).read_bytes()
    for wrong in (*(stored[:size] for size in range(len(stored))), stored + b"\0", stored * 2):
        (tmp_path / path).write_bytes(wrong)
        assert code_of_get(blobs, path, address) == "blob_corrupt"
    (tmp_path / path).unlink()
    assert code_of_get(blobs, path, address) == "blob_missing"


@pytest.mark.spec("E2", "S8")
def test_key_and_blob_must_belong_together(tmp_path: Path) -> None:
    """Another key, no key for a sealed blob, or a key for a plain one is an error, not a crash."""
    path, address = put(sealed(tmp_path), TEXT)
    assert code_of_get(FileBlobs(tmp_path, AesGcm(bytes(32))), path, address) == "blob_corrupt"
    assert code_of_get(plain(tmp_path), path, address) == "blob_corrupt"
    path, address = put(plain(tmp_path), TEXT)
    assert code_of_get(sealed(tmp_path), path, address) == "blob_corrupt"


@pytest.mark.parametrize("make", [plain, sealed])
def test_a_large_blob_comes_back(tmp_path: Path, make) -> None:
    """Twenty megabytes that do not compress are stored and read."""
    blobs = make(tmp_path)
    data = os.urandom(20_000_000)
    path, address = put(blobs, data)
    assert data == blobs.get(path, address)


def test_a_blob_that_unpacks_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    """Content over the limit is not stored, and a small file that unpacks to it is not unpacked."""
    blobs = FileBlobs(tmp_path, limit=1000)
    with pytest.raises(UsageError, match="at most 1000 bytes, not 1001"):
        blobs.address(bytes(1001))
    path, address = put(blobs, bytes(1000))
    assert blobs.get(path, address) == bytes(1000)
    for bomb in (zstd.compress(bytes(1001)), zstd.compress(bytes(50_000_000)), bytes(3000)):
        (tmp_path / path).write_bytes(bomb)
        assert code_of_get(blobs, path, address) == "blob_corrupt"


@pytest.mark.spec("E2")
@given(data=st.one_of(st.binary(max_size=5000), st.text().map(str.encode)), day=st.dates())
def test_any_content_of_any_day_comes_back(data: bytes, day: date) -> None:
    """Content survives the way to disk and back, plain and sealed."""
    with tempfile.TemporaryDirectory() as folder:
        for blobs in (plain(Path(folder)), sealed(Path(folder))):
            path, address = put(blobs, data, day)
            assert data == blobs.get(path, address)
            assert day.strftime("/%m/%d/") in path


@given(path=st.one_of(st.text(), st.text().map("raw/".__add__)))
def test_no_path_raises_a_foreign_error(path: str) -> None:
    """Whatever the path, a read ends in an error of ours."""
    with tempfile.TemporaryDirectory() as folder, pytest.raises(SmartBrainError):
        plain(Path(folder)).get(path, "0" * 64)


@pytest.mark.spec("S8")
def test_links_lead_nowhere(tmp_path: Path) -> None:
    """A linked file or folder is never read through, written through or walked into."""
    elsewhere = tmp_path / "elsewhere"
    blobs = plain(tmp_path / "tenant")
    (tmp_path / "tenant").mkdir()
    path, address = put(blobs, TEXT)
    (tmp_path / "tenant/raw/2026").rename(elsewhere)
    (tmp_path / "tenant/raw/2026").symlink_to(elsewhere)
    assert code_of_get(blobs, path, address) == "blob_corrupt"
    for call in (blobs.exists, blobs.delete, lambda _: blobs.put(address, TEXT, DAY)):
        with pytest.raises(AdapterError, match="leads out of the raw folder"):
            call(path)
    assert [file.path for file in blobs.walk()] == ["raw/2026"]
    assert blobs.delete("raw/2026")
    assert [path.removeprefix("raw/2026/")] == [
        file.relative_to(elsewhere).as_posix() for file in elsewhere.rglob("*.zst")
    ]
    (tmp_path / "tenant/raw/link").symlink_to(elsewhere / path.removeprefix("raw/2026/"))
    assert code_of_get(blobs, "raw/link", address) == "blob_corrupt"
    assert not blobs.exists("raw/link")


def test_what_is_not_a_file_is_corrupt(tmp_path: Path) -> None:
    """A folder, a pipe or a link in a circle at the path of a blob does not hang or crash."""
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/folder").mkdir()
    os.mkfifo(tmp_path / "raw/pipe")
    (tmp_path / "raw/circle").symlink_to("circle")
    blobs = plain(tmp_path)
    for name in ("folder", "pipe", "circle"):
        assert code_of_get(blobs, f"raw/{name}", "0" * 64) == "blob_corrupt"
    assert code_of_get(blobs, "raw/circle/x", "0" * 64) == "blob_corrupt"
    assert code_of_get(blobs, "raw/pipe/x", "0" * 64) == "blob_missing"


def test_walk_shows_foreign_and_unfinished_files(tmp_path: Path) -> None:
    """Files of others are listed as they are, unfinished writes as temporary; delete takes both."""
    blobs = plain(tmp_path)
    assert list(blobs.walk()) == []
    path, _ = put(blobs, TEXT)
    unfinished = f"{path}.{os.getpid()}.0.tmp"
    for name in (unfinished, "raw/笔记.tmp", "raw/z\\y", "raw/\udcff"):
        (tmp_path / name).write_bytes(b"four")
    os.utime(tmp_path / unfinished, (5, 5.5))
    found = {file.path: (file.bytes, file.temporary) for file in blobs.walk()}
    size = (tmp_path / path).stat().st_size
    expected = {path: (size, False), unfinished: (4, True), "raw/笔记.tmp": (4, False)}
    expected |= {"raw/z\\y": (4, False), "raw/\udcff": (4, False)}
    assert expected == found
    assert [file.modified for file in blobs.walk() if file.temporary] == [5.5]
    assert list(found) == sorted(found, key=lambda one: one.split("/"))
    assert all(blobs.exists(one) and blobs.delete(one) for one in found)
    put(blobs, TEXT)
    assert blobs.exists(path)


def test_a_stale_unfinished_file_stands_in_nobodys_way(tmp_path: Path) -> None:
    """A put succeeds although a crashed process of the same number left its temporary file."""
    blobs = plain(tmp_path)
    path, address = put(blobs, TEXT)
    blobs.delete(path)
    (tmp_path / f"{path}.{os.getpid()}.0.tmp").write_bytes(b"half")
    assert put(blobs, TEXT) == (path, address)
    assert blobs.get(path, address) == TEXT


def test_putting_an_old_blob_again_renews_its_age(tmp_path: Path) -> None:
    """An old file that is found whole is kept as it is but for its time."""
    blobs = plain(tmp_path)
    path, _ = put(blobs, TEXT)
    inode = (tmp_path / path).stat().st_ino
    os.utime(tmp_path / path, (1, 1))
    put(blobs, TEXT)
    assert (tmp_path / path).stat().st_ino == inode
    assert (tmp_path / path).stat().st_mtime > 1


def test_folders_removed_by_hand_are_made_again(tmp_path: Path) -> None:
    """A store that remembers its folders notices when they are gone."""
    blobs = plain(tmp_path)
    put(blobs, TEXT)
    (tmp_path / "raw").rename(tmp_path / "moved")
    path, address = put(blobs, TEXT)
    assert blobs.get(path, address) == TEXT


def test_a_tenant_folder_is_not_brought_back(tmp_path: Path) -> None:
    """Writing for a tenant whose folder is gone fails and creates nothing."""
    with pytest.raises(AdapterError) as caught:
        put(plain(tmp_path / "forgotten"), TEXT)
    assert caught.value.code == "io_error"
    assert list(tmp_path.iterdir()) == []
