"""The file of a history: opened, decoded, and given out as lines or as JSON documents.

In: a path, which may be an export's archive. Out: its beginning, its lines with the bytes read so
far, or the documents in it. UTF-8 is read, and UTF-16 that says so by its mark. What cannot be
read at all is a `UsageError`; a single bad line says what is wrong with it and the rest goes on.
"""

from __future__ import annotations

import codecs
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from smartbrain.domain.history import HistoryProblem
from smartbrain.errors import UsageError
from smartbrain.remember.history.values import clean_text, parse
from smartbrain.remember.names import read_id

_HEAD: Final = 1 << 16
_LARGEST: Final = 1 << 30  # bytes of a JSON document, which has to fit into memory several times
_LONGEST_LINE: Final = 1 << 26
_MEMBER: Final = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
_PACKED: Final = (b"PK\x03\x04", b"PK\x05\x06")
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Line(NamedTuple):
    """A line, its number, the bytes read up to its end, and why it has no text."""

    number: int
    text: str
    place: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that can be read, its first characters, and the documents in it if it is packed."""

    path: Path
    size: int
    encoding: str
    head: str
    members: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The path as errors show it."""
        return clean_text(str(self.path))

    @property
    def session_id(self) -> str:
        """The session of whatever in the file does not name one: the file's name."""
        return read_id(clean_text(self.path.stem), "the file's name")

    def problem(self, where: str, message: str) -> HistoryProblem:
        """Report a part that is left out."""
        return HistoryProblem(file=self.name, where=where, message=message)

    def lines(self) -> Iterator[Line]:
        """Yield the lines one by one; none but the present one is kept.

        Raises:
            UsageError: the file can no longer be read.
        """
        with _opened(self.path) as file:
            if self.encoding == "utf-16":
                text = TextIOWrapper(file, self.encoding, errors="replace", newline="\n")
                for number, line in enumerate(text, start=1):
                    yield Line(number, line.rstrip("\r\n"), file.tell())
            else:
                yield from _utf8_lines(file)

    def documents(self) -> Iterator[Any]:
        """Yield the JSON documents: the file itself, or each of those in the archive.

        Raises:
            UsageError: one is too large, is no text or no JSON.
        """
        if not self.members:
            with _opened(self.path) as file:
                yield _document(file, self.size, self.encoding, self.name)
            return
        for member in self.members:
            with _unpacked(self.path, member) as (file, size):
                yield _document(file, size, "utf-8-sig", f"{self.name}: {clean_text(member)}")


def open_source(path: Path) -> Source:
    """Look at a file before it is read.

    Raises:
        UsageError: it is no file, cannot be read, is empty or is no text.
    """
    name = clean_text(str(path))
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{name}: is not a file; give the file of one chat history")
        size = path.stat().st_size
    except OSError as error:
        raise _unreadable(path, error) from None
    with _opened(path) as file:
        start = file.read(_HEAD)
    members: tuple[str, ...] = ()
    if start.startswith(_PACKED):
        members = _members(path)
        with _unpacked(path, members[0]) as (member, _):
            start = member.read(_HEAD)
    encoding = "utf-16" if start.startswith(_UTF16) else "utf-8-sig"
    head = _decoded(start, encoding, name, whole=len(start) < _HEAD)
    if not head.strip():
        raise UsageError(f"{name}: is empty; give a file that holds a chat history")
    if head.count("\0") * 10 > len(head):
        raise UsageError(f"{name}: is not text in UTF-8; convert it first")
    return Source(path, size, encoding, head, members)


def _utf8_lines(file: BinaryIO) -> Iterator[Line]:
    """Yield lines of UTF-8; one that is too long or badly encoded only has its fault."""
    number = place = 0
    while raw := file.readline(_LONGEST_LINE):
        number += 1
        place += len(raw)
        if len(raw) == _LONGEST_LINE and not raw.endswith(b"\n"):
            while (rest := file.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
                place += len(rest)
            place += len(rest)
            yield Line(number, "", place, f"the line is longer than {_LONGEST_LINE:,} bytes")
            continue
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            yield Line(number, raw.decode().rstrip("\r\n"), place)
        except UnicodeDecodeError as error:
            yield Line(number, "", place, f"the line is not UTF-8 at byte {error.start + 1}")


def _document(file: BinaryIO, size: int, encoding: str, name: str) -> Any:
    """Read one JSON document whole."""
    data = b"" if size > _LARGEST else file.read(_LARGEST + 1)  # a declared size may be wrong
    if size > _LARGEST or len(data) > _LARGEST:
        raise UsageError(
            f"{name}: is larger than {_LARGEST:,} bytes, and an export is read whole;"
            " split it, or convert it to JSONL, which is read line by line"
        )
    try:
        return parse(_decoded(data, encoding, name))
    except UsageError as error:
        where = "" if error.message.startswith(name) else f"{name}: "
        raise UsageError(f"{where}{error.message}") from None


def _decoded(data: bytes, encoding: str, name: str, *, whole: bool = True) -> str:
    """Decode a text; one that is not whole may end within a character."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, whole)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name}: is not text in UTF-8 (at byte {error.start + 1}); convert it first"
        ) from None


def _members(path: Path) -> tuple[str, ...]:
    """Return the names of the conversations in an export's archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if _MEMBER.fullmatch(name))
    except (OSError, zipfile.BadZipFile) as error:
        raise _unreadable(path, error) from None
    if not names:
        raise UsageError(
            f"{clean_text(str(path))}: the archive holds no conversations.json;"
            " unpack it and give the file of the chat history"
        )
    return tuple(names)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise _unreadable(path, error) from None


@contextmanager
def _unpacked(path: Path, member: str) -> Iterator[tuple[Any, int]]:
    """Open a member of an archive for reading, and tell its size."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            yield file, archive.getinfo(member).file_size
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise _unreadable(path, error) from None
    except (NotImplementedError, RuntimeError):  # packed in another way, or locked by a password
        raise UsageError(
            f"{clean_text(str(path))}: the archive cannot be unpacked here;"
            " unpack it and give its conversations.json"
        ) from None


def _unreadable(path: Path, error: Exception) -> UsageError:
    """Say that a file cannot be read, and why."""
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return UsageError(f"{clean_text(str(path))}: cannot be read ({reason})")
