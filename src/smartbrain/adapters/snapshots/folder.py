"""Snapshots in a tenant's folder: `views/<view>/<seq>.<n>/` and a `CURRENT` that names one.

Implements `ports.snapshots`. Files are synced and described before CURRENT is swapped, so whatever
moment a process dies at, CURRENT names a whole snapshot or the one before. The snapshot that was
replaced stays until the next one, for readers who are just opening it. A name is not used again, so
that who works on top of a snapshot notices when it was replaced.
"""

from __future__ import annotations

import json
import os
import shutil
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from smartbrain.domain.record import canonical_json
from smartbrain.errors import AdapterError
from smartbrain.ports.blobs import disk_error
from smartbrain.ports.snapshots import Refused, Seen, Snapshot, SnapshotStamp, Writing

MANIFEST: Final = "MANIFEST"
MAGIC: Final = "smartbrain-view"
_PIECE: Final = 1 << 20


class BadManifestError(Exception):
    """A snapshot is not what its manifest says, or has none that can be read."""


def write_manifest(folder: Path, about: Mapping[str, str | int], before: Path | None) -> Path:
    """Describe the files that lie in a folder, and return the manifest's path."""
    files = {
        path.relative_to(folder).as_posix(): [path.stat().st_size, _crc(path)]
        for path in files_of(folder)
    }
    if before is not None:
        _check_shared(folder, before, files)
    content = canonical_json({"magic": MAGIC, **about, "files": files})
    manifest = folder / MANIFEST
    manifest.unlink(missing_ok=True)  # it may be that of the snapshot before, linked with the rest
    manifest.write_bytes(_sealed(content.encode()))
    return manifest


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what a manifest says."""
    try:
        stored = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        raise BadManifestError("it has no MANIFEST") from None
    content = stored.partition(b"\n")[2].removesuffix(b"\n")
    if stored != _sealed(content):
        raise BadManifestError("its MANIFEST is damaged")
    said: dict[str, Any] = json.loads(content)
    if said.get("magic") != MAGIC:
        raise BadManifestError("its MANIFEST is not ours")
    return said


def check_files(folder: Path, files: dict[str, list[int]]) -> None:
    """Read every file and hold it against the manifest."""
    there = {path.relative_to(folder).as_posix() for path in files_of(folder)}
    if there != set(files):
        odd = sorted(there ^ set(files))[0]
        raise BadManifestError(f"{odd} is {'not listed' if odd in there else 'missing'}")
    for name, (size, checksum) in files.items():
        path = folder / name
        if path.stat().st_size != size or _crc(path) != checksum:
            raise BadManifestError(f"{name} is damaged")


def _check_shared(folder: Path, before: Path, files: Mapping[str, list[int]]) -> None:
    """Let no damage of the snapshot before get into this one, where it would have a checksum."""
    known: dict[str, list[int]] = {}
    with suppress(BadManifestError):
        known = read_manifest(before)["files"]
    for name in known.keys() & files.keys():
        with suppress(FileNotFoundError):
            if known[name] != files[name] and (before / name).samefile(folder / name):
                raise BadManifestError(f"{name} is damaged")


def seen_in(folder: Path) -> Seen:
    """Return the files that whoever has a snapshot open may be reading from, as they are now.

    What describes them is read once, when it is opened.
    """
    found = [path for path in files_of(folder) if path.suffix != ".json"]
    stats = [path.stat() for path in found]
    return tuple(
        (str(path), one.st_size, one.st_mtime_ns) for path, one in zip(found, stats, strict=True)
    )


def files_of(folder: Path) -> Iterator[Path]:
    """Return the files of a snapshot in order; lock files of libraries are no part of it."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != MANIFEST and path.suffix != ".lock":
            yield path


def _sealed(content: bytes) -> bytes:
    return b"%08x\n%s\n" % (zlib.crc32(content), content)


def _crc(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            checksum = zlib.crc32(piece, checksum)
    return checksum


CURRENT: Final = "CURRENT"
_TRIES: Final = 5
_WAIT, _WAITS = 0.05, 600  # seconds, and how often: as long as anybody waits for a lock

Attempt = Callable[[], AbstractContextManager[bool]]
"""Takes the lock of those who write snapshots, if it is free just now."""


class FolderSnapshots:
    """The snapshots of one tenant."""

    def __init__(self, folder: Path, attempt: Attempt) -> None:
        """Keep snapshots below a folder that need not be there yet."""
        self._folder = folder
        self._attempt = attempt

    def newest(self, view: str, version: int) -> Snapshot | Refused:
        for _ in range(_TRIES):
            name = _current(self._folder / view)
            if name is None:
                if (self._folder / view / CURRENT).exists():
                    return Refused("corrupt", f"the name of the snapshot of {view} is damaged")
                return Refused("missing", f"there is no snapshot of {view}")
            failure: OSError | None = None
            found: Snapshot | Refused = Refused("corrupt", "")
            try:
                found = _checked(self._folder / view / name, view, version)
            except OSError as error:
                failure = error
            if isinstance(found, Snapshot):
                return found
            # Perhaps it was replaced twice while it was read; then a newer one is named by now.
            if _current(self._folder / view) == name:
                if failure is not None:
                    raise disk_error(failure, f"read the snapshot {view}/{name}") from failure
                return found
        return Refused("missing", f"the snapshot of {view} changes faster than it can be read")

    def altered(self, seen: Seen) -> str:
        for path, size, written in seen:
            try:
                now = os.stat(path)  # noqa: PTH116  # half the time of Path.stat
            except OSError:
                continue
            if now.st_mtime_ns != written or now.st_size != size:
                return path
        return ""

    @contextmanager
    def writing(self) -> Iterator[Writing | None]:
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise disk_error(error, f"make {self._folder}") from error
        with self._attempt() as free:
            yield _Writing(self._folder) if free else None

    def drop(self) -> None:
        if not self._folder.exists():
            return
        for _ in range(_WAITS):
            with self._attempt() as free:
                if free:
                    self._delete()
                    return
            time.sleep(_WAIT)
        raise AdapterError(f"another process is writing to {self._folder}; try again", code="busy")

    def _delete(self) -> None:
        try:
            for view in self._folder.iterdir():
                if view.is_dir():
                    _empty(view)
        except OSError as error:
            raise disk_error(error, f"delete the snapshots in {self._folder}") from error


class _Writing:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def newest(self, view: str) -> Path | None:
        name = _current(self._folder / view)
        return None if name is None else self._folder / view / name

    def folder(self, view: str, seq: int) -> Path:
        place = self._folder / view
        try:
            place.mkdir(parents=True, exist_ok=True)
            kept = _current(place)
            taken = [int(path.name.split(".")[1]) for path in _snapshots(place, seq)]
            folder = place / f"{seq}.{max(taken, default=-1) + 1}"
            folder.mkdir()
        except OSError as error:
            raise disk_error(error, f"make a folder for a snapshot in {place}") from error
        for path in _snapshots(place):
            if path.name not in (kept, folder.name):
                shutil.rmtree(path, ignore_errors=True)
        return folder

    def publish(
        self, view: str, folder: Path, about: SnapshotStamp, *, alone: bool = False
    ) -> Seen:
        place = self._folder / view
        try:
            seen = seen_in(folder)
            said = {"view": view, **about._asdict()}
            manifest = write_manifest(folder, said, self.newest(view))
            for path in (*files_of(folder), manifest):
                _sync(path)
            for path in {folder, *(path.parent for path in files_of(folder))}:
                _sync(path)
            temporary = place / f"{CURRENT}.tmp"
            temporary.write_text(_named(folder.name), encoding="utf-8")
            _sync(temporary)
            temporary.replace(place / CURRENT)
            _sync(place)
            if alone:
                for path in _snapshots(place):
                    if path != folder:
                        shutil.rmtree(path)
        except BadManifestError as error:
            sentence = f"the snapshot before {folder} cannot be built on: {error}"
            raise AdapterError(f"{sentence}; the view is built anew", code="corrupt") from error
        except OSError as error:
            raise disk_error(error, f"write the snapshot {folder}") from error
        return seen


def _current(place: Path) -> str | None:
    """Return the name of a view's snapshot; what is damaged counts as none."""
    try:
        with suppress(FileNotFoundError):
            content = (place / CURRENT).read_bytes()
            name = content.decode("utf-8", "replace").partition(" ")[0]
            return name if content == _named(name).encode() else None
    except OSError as error:
        raise disk_error(error, f"read {place / CURRENT}") from error
    return None


def _named(name: str) -> str:
    return f"{name} {zlib.crc32(name.encode()):08x}\n"


def _empty(place: Path) -> None:
    """Delete a view's snapshots; an empty folder keeps the last name from being used again."""
    (place / CURRENT).unlink(missing_ok=True)  # first, so that nobody begins to read
    found = _snapshots(place)
    for path in found:
        shutil.rmtree(path)
    if found:
        max(found, key=lambda path: [*map(int, path.name.split("."))]).mkdir()


def _snapshots(place: Path, seq: int | None = None) -> list[Path]:
    """Return the folders of a view's snapshots, whole or not; those of one seq if it is given."""
    found = []
    for path in place.iterdir():
        parts = path.name.split(".")
        named = len(parts) == 2 and all(part.isdecimal() for part in parts)
        if named and path.is_dir() and seq in (None, int(parts[0])):
            found.append(path)
    return found


def _checked(folder: Path, view: str, version: int) -> Snapshot | Refused:
    try:
        said = read_manifest(folder)
        if said.get("version") != version or said.get("view") != view:
            return Refused(
                "format",
                f"the snapshot of {view} is of format {said.get('version')}, not {version}",
            )
        seen = seen_in(folder)
        check_files(folder, said["files"])
    except BadManifestError as error:
        return Refused("corrupt", f"the snapshot {view}/{folder.name} cannot be used: {error}")
    return Snapshot(folder, int(said["seq"]), str(said.get("mark")), seen)


def _sync(path: Path) -> None:
    """Make a file or the names in a folder durable; Windows syncs folders itself."""
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
