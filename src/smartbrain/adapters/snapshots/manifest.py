"""The MANIFEST of a snapshot: what its files are, so that a wrong byte anywhere is noticed.

One line of canonical JSON behind its own CRC32. It is written last, so a folder without one is not
a snapshot.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from smartbrain.domain.record import canonical_json
from smartbrain.ports.snapshots import Seen

MANIFEST: Final = "MANIFEST"
MAGIC: Final = "smartbrain-view"
_PIECE: Final = 1 << 20


class BadManifestError(Exception):
    """A snapshot is not what its manifest says, or has none that can be read."""


def write_manifest(folder: Path, about: Mapping[str, str | int], before: Path | None) -> Path:
    """Describe the files that lie in a folder, and return the manifest's path.

    Raises:
        BadManifestError: a file that is shared with the snapshot before is not what it was there.
    """
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
    """Return what a manifest says.

    Raises:
        BadManifestError: it is missing or damaged.
    """
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
    """Read every file and hold it against the manifest.

    Raises:
        BadManifestError: one is missing, of another size or of other content, or there are more.
    """
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
    """Return the content of a manifest behind its checksum."""
    return b"%08x\n%s\n" % (zlib.crc32(content), content)


def _crc(path: Path) -> int:
    """Return a file's CRC32."""
    checksum = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            checksum = zlib.crc32(piece, checksum)
    return checksum
