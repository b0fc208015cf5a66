"""What every blob store must do; an adapter's tests inherit `BlobsContract`.

In: a folder of its own for each test. Out: failed asserts where the adapter differs from the port.
It does not test what only one adapter promises: file layout, sealing, full disks, crashes.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import TYPE_CHECKING

from smartbrain.errors import UsageError
from smartbrain.testing.contracts import raised

if TYPE_CHECKING:
    from pathlib import Path

    from smartbrain.ports.blobs import Blobs

DAY = date(2026, 3, 9)
CONTENTS = (
    b"",
    b"\0",
    b"The build failed with E1042 on Tuesday.",
    "用户说：以后都用简体中文回答。📎 mixed with English".encode(),
    bytes(range(256)) * 64,
)


class BlobsContract:
    """The suite; a subclass says how to make the store and how to damage what it keeps.

        class TestMyBlobs(BlobsContract):
            def make(self, tmp_path: Path) -> Blobs:
                return MyBlobs(tmp_path)

            def damage(self, blobs: Blobs, tmp_path: Path, path: str) -> None:
                (tmp_path / path).write_bytes(b"damaged")

    `make` is called once or more a test; stores made with the same `tmp_path` may share content,
    and the first one of a test is empty. pytest gives each test its own `tmp_path`.
    """

    def make(self, tmp_path: Path) -> Blobs:
        """Return the store under test; `tmp_path` is an empty folder that it may use."""
        raise NotImplementedError

    def damage(self, blobs: Blobs, tmp_path: Path, path: str) -> None:
        """Replace what the store keeps at the path by something it never wrote."""
        raise NotImplementedError

    def test_content_comes_back_as_it_was(self, blobs: Blobs) -> None:
        """Any bytes, in any language or none, are returned exactly."""
        for data in CONTENTS:
            address = blobs.address(data)
            assert data == blobs.get(blobs.put(address, data, DAY), address)

    def test_an_address_names_content_and_nothing_else(self, blobs: Blobs) -> None:
        """Equal content has one address, different content different ones, all 64 hex digits."""
        addresses = [blobs.address(data) for data in CONTENTS]
        assert addresses == [blobs.address(bytes(data)) for data in CONTENTS]
        assert len(CONTENTS) == len(set(addresses))
        assert all(len(one) == 64 and set(one) <= set("0123456789abcdef") for one in addresses)

    def test_a_path_says_day_and_address(self, blobs: Blobs) -> None:
        """The path is relative, has forward slashes, and holds the day and the whole address."""
        address = blobs.address(b"content")
        expected = f"raw/0987/01/02/{address[:2]}/raw_{address}.blob.zst"
        assert expected == blobs.put(address, b"content", date(987, 1, 2))

    def test_equal_content_is_kept_once(self, blobs: Blobs) -> None:
        """Putting content again gives the same path and adds no file."""
        address = blobs.address(b"twice")
        assert blobs.put(address, b"twice", DAY) == blobs.put(address, b"twice", DAY)
        assert len(list(blobs.walk())) == 1

    def test_putting_again_makes_a_blob_young(self, blobs: Blobs) -> None:
        """A repeated put never lowers the time of the file, so a sweep by age spares it."""
        address = blobs.address(b"again")
        blobs.put(address, b"again", DAY)
        (before,) = blobs.walk()
        blobs.put(address, b"again", DAY)
        (after,) = blobs.walk()
        assert before.modified <= after.modified

    def test_a_wrong_address_is_refused(self, blobs: Blobs) -> None:
        """Content under the address of other content, or under none, is not stored."""
        other = blobs.address(b"other")
        for wrong in (other, other.upper(), other[:32], "", "../" + other[3:]):
            assert raised(blobs.put, wrong, b"this", DAY).code == "usage"
        assert list(blobs.walk()) == []

    def test_what_is_not_there_is_missing(self, blobs: Blobs) -> None:
        """A path without a file exists not, cannot be read, and deleting it does nothing."""
        address = blobs.address(b"never stored")
        path = f"raw/2026/03/09/{address[:2]}/raw_{address}.blob.zst"
        assert not blobs.exists(path)
        assert not blobs.delete(path)
        assert raised(blobs.get, path, address).code == "blob_missing"

    def test_a_deleted_blob_is_gone_and_can_return(self, blobs: Blobs) -> None:
        """Delete says that it removed something, once; the content can be put again."""
        address = blobs.address(b"brief")
        path = blobs.put(address, b"brief", DAY)
        assert (blobs.exists(path), blobs.delete(path), blobs.exists(path)) == (True, True, False)
        assert not blobs.delete(path)
        assert list(blobs.walk()) == []
        assert blobs.get(blobs.put(address, b"brief", DAY), address) == b"brief"

    def test_damage_is_reported_and_mended_by_a_put(self, blobs: Blobs, tmp_path: Path) -> None:
        """Damaged content is never returned; putting the content again repairs it."""
        address = blobs.address(b"precious")
        path = blobs.put(address, b"precious", DAY)
        self.damage(blobs, tmp_path, path)
        assert raised(blobs.get, path, address).code == "blob_corrupt"
        assert path == blobs.put(address, b"precious", DAY)
        assert blobs.get(path, address) == b"precious"

    def test_one_blob_does_not_pass_for_another(self, blobs: Blobs) -> None:
        """Reading a good blob under the address of another one is an error."""
        path = blobs.put(blobs.address(b"one"), b"one", DAY)
        assert raised(blobs.get, path, blobs.address(b"two")).code == "blob_corrupt"

    def test_no_path_leaves_the_store(self, blobs: Blobs) -> None:
        """Paths that climb, are absolute or name no file are refused by every method."""
        address = blobs.address(b"")
        outside = ("", "raw", "raw/", "/etc/passwd", "raw/../key.json", "raw/./x", "raw//x")
        for path in (*outside, "../raw/x", "brain.db", "raw/a/../../x", "raw/\0", "raw/\ud800"):
            errors = (
                raised(blobs.get, path, address),
                raised(blobs.exists, path),
                raised(blobs.delete, path),
            )
            assert all(isinstance(error, UsageError) for error in errors), path

    def test_walk_lists_every_blob_in_order(self, blobs: Blobs) -> None:
        """Walking lists what was put, sorted, with a size and a time, nothing unfinished."""
        days = (date(2026, 12, 31), date(2025, 1, 1), date(2026, 2, 1))
        paths = [blobs.put(blobs.address(data), data, day) for data in CONTENTS[1:] for day in days]
        files = list(blobs.walk())
        assert sorted(paths, key=lambda path: path.split("/")) == [file.path for file in files]
        assert all(file.bytes > 0 and file.modified > 0 for file in files)
        assert not any(file.temporary for file in files)

    def test_threads_may_put_the_same_content_at_once(self, blobs: Blobs) -> None:
        """Eight threads that store one content agree on one whole file."""
        data = "并发写入同一内容 ".encode() * 20_000
        address = blobs.address(data)
        with ThreadPoolExecutor(8) as pool:
            paths = set(pool.map(lambda _: blobs.put(address, data, DAY), range(32)))
        (path,) = paths
        assert [(path, False)] == [(file.path, file.temporary) for file in blobs.walk()]
        assert data == blobs.get(path, address)
