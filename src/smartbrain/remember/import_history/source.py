"""The file of a history: opened, decoded, and given out as lines or as JSON documents.

In: a path, which may be an export's archive. Out: its beginning, its lines with the bytes read so
far, or the documents in it, as JSON that can be stored. UTF-8 is read, and UTF-16 that says so by
its mark. What cannot be read at all is a `UsageError`; a single bad line says what is wrong.
"""

from __future__ import annotations

import codecs
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from smartbrain.domain.hints import shown
from smartbrain.domain.history import HistoryProblem
from smartbrain.errors import UsageError
from smartbrain.remember.names import read_id

_HEAD_BYTES: Final = 1 << 16
_MAX_DOCUMENT_BYTES: Final = 1 << 30  # a document has to fit into memory several times
_MAX_LINE_BYTES: Final = 1 << 26
_MAX_DEPTH: Final = 100
_MEMBER: Final = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
_PACKED: Final = (b"PK\x03\x04", b"PK\x05\x06")
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNSTORABLE: Final = re.compile("[\ud800-\udfff\0]")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_TEXT: Final = re.compile(r"\d{9,10}(?:\.\d+)?|\d{13}|\d{16}")
_MAX_EPOCH_SECONDS: Final = 10**11  # above, an epoch counts thousandths, or millionths


class Line(msgspec.Struct, frozen=True):
    """A line, its number, the bytes read up to its end, and why it has no text."""

    number: int
    text: str
    place: int
    fault: str = ""


class Source(msgspec.Struct, frozen=True):
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
        """Yield the lines one by one; none but the present one is kept."""
        with _opened(self.path) as file:
            if self.encoding == "utf-16":
                text = TextIOWrapper(file, self.encoding, errors="replace", newline="\n")
                for number, line in enumerate(text, start=1):
                    yield Line(number, line.rstrip("\r\n"), file.tell())
            else:
                yield from _utf8_lines(file)

    def documents(self) -> Iterator[Any]:
        """Yield the JSON documents: the file itself, or each of those in the archive."""
        if not self.members:
            with _opened(self.path) as file:
                yield _document(file, self.size, self.encoding, self.name)
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
        start = file.read(_HEAD_BYTES)
    members: tuple[str, ...] = ()
    if start.startswith(_PACKED):
        members = _members(path)
        with _unpacked(path, members[0]) as (member, _):
            start = member.read(_HEAD_BYTES)
    encoding = "utf-16" if start.startswith(_UTF16) else "utf-8-sig"
    head = _decoded(start, encoding, name, whole=len(start) < _HEAD_BYTES)
    if not head.strip():
        raise UsageError(f"{name}: is empty; give a file that holds a chat history")
    if head.count("\0") * 10 > len(head):
        raise UsageError(f"{name}: is not text in UTF-8; convert it first")
    return Source(path, size, encoding, head, members)


def parse_json(text: str) -> Any:
    """Read JSON.

    Raises:
        UsageError: it is none; the sentence says where it ends to be.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}"
        raise UsageError(f"it is not valid JSON at {place}: {error.msg}") from None
    except ValueError as error:  # a number of too many digits
        raise UsageError(f"it is not valid JSON: {error}") from None
    except RecursionError:
        raise UsageError("it is nested too deeply") from None


def clean_text(text: str) -> str:
    """Return a text with U+FFFD for what cannot be stored: half characters and NUL."""
    return _UNSTORABLE.sub("\ufffd", text)


def clean_json(value: Any, depth: int = 0) -> Any:
    """Return a JSON value whose texts can be stored, in a copy.

    Raises:
        UsageError: it is nested too deeply.
    """
    if isinstance(value, str):
        return clean_text(value)
    if depth > _MAX_DEPTH:
        raise UsageError(f"it is nested more than {_MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        return {clean_text(name): clean_json(item, depth + 1) for name, item in value.items()}
    return [clean_json(item, depth + 1) for item in value] if isinstance(value, list) else value


def read_when(value: object) -> str | None:
    """Return a time as ISO 8601, out of ISO or an epoch in seconds or thousandths; None for none.

    A time without an offset keeps none: the zone is applied where turn events are read.

    Raises:
        UsageError: code `bad_time`, it is no time.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str):
            text = value.strip()
            if _EPOCH_TEXT.fullmatch(text):
                return _from_epoch(float(text))
            return datetime.fromisoformat(text).isoformat()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _from_epoch(value)
    except (ValueError, OverflowError):
        pass
    raise UsageError(
        f"{shown(value)} is not a time; give ISO 8601 or an epoch in seconds or milliseconds",
        code="bad_time",
    )


def as_dict(value: object) -> dict[str, Any]:
    """Return an object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return an array, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return a text, or an empty one for anything else."""
    return value if isinstance(value, str) else ""


def _utf8_lines(file: BinaryIO) -> Iterator[Line]:
    """Yield lines of UTF-8; one that is too long or badly encoded only has its fault."""
    number = place = 0
    while raw := file.readline(_MAX_LINE_BYTES):
        number += 1
        place += len(raw)
        if len(raw) == _MAX_LINE_BYTES and not raw.endswith(b"\n"):
            while (rest := file.readline(_MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                place += len(rest)
            place += len(rest)
            yield Line(number, "", place, f"the line is longer than {_MAX_LINE_BYTES:,} bytes")
            continue
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            yield Line(number, raw.decode().rstrip("\r\n"), place)
        except UnicodeDecodeError as error:
            yield Line(number, "", place, f"the line is not UTF-8 at byte {error.start + 1}")


def _document(file: BinaryIO, size: int, encoding: str, name: str) -> Any:
    # A size that an archive declares may be wrong.
    data = b"" if size > _MAX_DOCUMENT_BYTES else file.read(_MAX_DOCUMENT_BYTES + 1)
    if size > _MAX_DOCUMENT_BYTES or len(data) > _MAX_DOCUMENT_BYTES:
        raise UsageError(
            f"{name}: is larger than {_MAX_DOCUMENT_BYTES:,} bytes, and an export is read whole;"
            " split it, or convert it to JSONL, which is read line by line"
        )
    text = _decoded(data, encoding, name)
    try:
        return parse_json(text)
    except UsageError as error:
        raise UsageError(f"{name}: {error.message}") from None


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
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return UsageError(f"{clean_text(str(path))}: cannot be read ({reason})")


def _from_epoch(seconds: float) -> str:
    unit = 1
    while abs(seconds) >= _MAX_EPOCH_SECONDS * unit and unit < 10**6:
        unit *= 1000
    return (_EPOCH + timedelta(seconds=1) * (seconds / unit)).isoformat()


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number that JSON has")
