"""Arrays in a folder, so written that damage cannot go unseen.

In: a head (plain data) and named arrays in pieces. Out: the same, or AdapterError `corrupt`. Every
array is a file of bare numbers; `index.json` says what each holds, with a checksum a piece, and
ends with its own. Nothing that was not checked is given to anybody. Not synced, never changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from io import BufferedReader
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.blobs import disk_error

MAGIC: Final = "smartbrain vectors"
FORMAT: Final = 1
INDEX: Final = "index.json"
_PAGE: Final = 4_096

Pieces = Sequence[npt.NDArray[Any]]


def write_arrays(folder: Path, head: Mapping[str, Any], arrays: Mapping[str, Pieces]) -> None:
    """Write everything into an empty folder.

    Raises:
        UsageError: the folder is not there or not empty.
        AdapterError: `disk_full`, `read_only` or `io_error`.
    """
    try:
        if not folder.is_dir() or any(folder.iterdir()):
            raise UsageError(f"{folder} is not an empty folder; save into a new one")
        listed = {name: _write(folder, name, pieces) for name, pieces in arrays.items()}
        whole = {"magic": MAGIC, "format": FORMAT, "head": dict(head), "arrays": listed}
        line = json.dumps(whole).encode()
        (folder / INDEX).write_bytes(b"%s\n%08x\n" % (line, crc32(line)))
    except OSError as error:
        raise disk_error(error, f"write the vectors into {folder}") from error


class Contents:
    """What a folder holds, read and checked array by array.

    Raises:
        AdapterError: `corrupt`, `read_only` or `io_error`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        whole = _checked_index(_read_bytes(folder / INDEX), folder)
        self.head: dict[str, Any] = whole["head"]
        self._arrays: dict[str, Any] = whole["arrays"]

    def pieces(self, name: str, dtype: npt.DTypeLike, width: int | None = None) -> Pieces:
        """Return an array in the pieces it was written in.

        Raises:
            AdapterError: `corrupt`: it is missing, damaged or has another shape.
        """
        listed = self._arrays.get(name)
        tail = [] if width is None else [width]
        if listed is None or (listed["dtype"], listed["tail"]) != (np.dtype(dtype).str, tail):
            raise corrupt(self._folder, f"{name} is not what this version writes")
        shapes = [(piece["rows"], *tail) for piece in listed["pieces"]]
        path = self._folder / f"{name}.bin"
        try:
            with path.open("rb") as file:
                arrays = [_read_piece(file, np.empty(shape, dtype)) for shape in shapes]
                ended = not file.read(1)
        except FileNotFoundError:
            raise corrupt(self._folder, f"{path.name} is missing") from None
        except OSError as error:
            raise disk_error(error, f"read {path}") from error
        for array, piece in zip(arrays, listed["pieces"], strict=True):
            if not ended or array is None or checksum(array) != piece["check"]:
                raise corrupt(self._folder, f"{path.name} is damaged")
        return [array for array in arrays if array is not None]

    def array(
        self, name: str, dtype: npt.DTypeLike, count: int, width: int | None = None
    ) -> npt.NDArray[Any]:
        """Return an array of so many rows in one piece.

        Raises:
            AdapterError: `corrupt`: it is missing, damaged or has another shape.
        """
        pieces = self.pieces(name, dtype, width)
        if sum(map(len, pieces)) != count:
            raise corrupt(self._folder, f"{name} does not have {count} rows")
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate([np.empty((0,) if width is None else (0, width), dtype), *pieces])

    def text(self, name: str) -> Any:
        """Return plain data.

        Raises:
            AdapterError: `corrupt`: it is missing or damaged.
        """
        return json.loads(b"".join(piece.tobytes() for piece in self.pieces(name, np.uint8)))

    def broken(self, what: str) -> AdapterError:
        """Return the error that this folder does not make sense."""
        return corrupt(self._folder, what)


def plain_bytes(value: Any) -> Pieces:
    """Return plain data as an array to be written."""
    return [np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)]


def checksum(array: npt.NDArray[Any]) -> int:
    """Return a checksum of an array's bytes.

    A page is summed up in 8-byte words, and the sums go through CRC-32: any change within one word
    shows for certain, and it runs at the speed of memory, five times that of CRC-32 alone.
    """
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = len(data) // _PAGE * _PAGE
    sums = data[:whole].view(np.uint64).reshape(-1, _PAGE // 8).sum(axis=1, dtype=np.uint64)
    return crc32(data[whole:].data, crc32(sums.data))


def corrupt(folder: Path, what: str) -> AdapterError:
    """Return the error of a folder that cannot be loaded."""
    return AdapterError(f"{folder}: {what}; rebuild the vectors", code="corrupt")


def _write(folder: Path, name: str, pieces: Iterable[npt.NDArray[Any]]) -> dict[str, Any]:
    """Write one array and return what is to be remembered of it."""
    listed = []
    first = None
    with (folder / f"{name}.bin").open("xb") as file:
        for piece in pieces:
            first = piece if first is None else first
            file.write(np.ascontiguousarray(piece).data)
            listed.append({"rows": len(piece), "check": checksum(piece)})
    if first is None:
        return {"dtype": "", "tail": [], "pieces": []}
    return {"dtype": first.dtype.str, "tail": list(first.shape[1:]), "pieces": listed}


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise corrupt(path.parent, f"{path.name} is missing") from None
    except OSError as error:
        raise disk_error(error, f"read {path}") from error


def _checked_index(data: bytes, folder: Path) -> dict[str, Any]:
    """Return the index if it is whole and of this format."""
    line, _, rest = data.partition(b"\n")
    if rest != b"%08x\n" % crc32(line):
        raise corrupt(folder, f"{INDEX} is damaged")
    whole: dict[str, Any] = json.loads(line)
    if (whole.get("magic"), whole.get("format")) != (MAGIC, FORMAT):
        raise corrupt(folder, "it is of another format")
    return whole


def _read_piece(file: BufferedReader, array: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Fill an array from a file; None if the file ends before."""
    view = array.reshape(-1).view(np.uint8).data
    return array if file.readinto(view) == len(view) else None
