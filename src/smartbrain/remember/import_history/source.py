"""The file of a history and the turns in it, each under a key that stays the same (E4).

In: a path, which may be an export's archive; then messages with their sessions and times, in the
order of the file. Out: its lines or its JSON documents; then `HistoryTurn` values, the oldest
first. A turn is a user's message and all that follows up to the next one. What cannot be read at
all is a `UsageError`; a single bad line says what is wrong.
"""

from __future__ import annotations

import codecs
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import msgspec

from smartbrain.domain.hints import shown
from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.ids import derive
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import read_id

_HEAD_BYTES: Final = 1 << 16
_MAX_BYTES: Final = 1 << 30  # which take several times as much in memory
_MAX_DEPTH: Final = 100
_MEMBER: Final = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
_PACKED: Final = (b"PK\x03\x04", b"PK\x05\x06")
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNSTORABLE: Final = re.compile("[\ud800-\udfff\0]")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_TEXT: Final = re.compile(r"\d{9,10}(?:\.\d+)?|\d{13}|\d{16}")
_MAX_EPOCH_SECONDS: Final = 10**11  # above, an epoch counts thousandths, or millionths


class FileLine(msgspec.Struct, frozen=True):
    """A line, its number, and why it has no text."""

    number: int
    text: str
    fault: str = ""


class HistoryFile(msgspec.Struct, frozen=True):
    """A file that was read: the documents in it by name, of which one that is not packed is one."""

    path: Path
    documents: dict[str, bytes]
    is_packed: bool = False

    @property
    def name(self) -> str:
        """The path as errors show it."""
        return clean_text(str(self.path))

    @property
    def session_id(self) -> str:
        """The session of whatever in the file does not name one: the file's name."""
        return read_id(clean_text(self.path.stem), "the file's name")

    @property
    def size(self) -> int:
        """The bytes that were read."""
        return sum(map(len, self.documents.values()))

    @property
    def head(self) -> str:
        """The first characters."""
        return next(iter(self.documents.values()))[:_HEAD_BYTES].decode(errors="ignore")

    def problem(self, where: str, message: str) -> HistoryProblem:
        """Report a part that is left out."""
        return HistoryProblem(file=self.name, where=where, message=message)

    def lines(self) -> Iterator[FileLine]:
        """Yield the lines one by one; one that is badly encoded only has its fault."""
        for data in self.documents.values():
            for number, raw in enumerate(data.splitlines(), start=1):
                try:
                    yield FileLine(number, raw.decode())
                except UnicodeDecodeError as error:
                    fault = f"the line is not UTF-8 at byte {error.start + 1}"
                    yield FileLine(number, "", fault)

    def parsed(self) -> Iterator[Any]:
        """Yield the JSON documents: the file itself, or each of those in the archive."""
        for name, data in self.documents.items():
            try:
                yield parse_json(data.decode())
            except UnicodeDecodeError as error:
                raise _no_text(name, error.start) from None
            except UsageError as error:
                raise UsageError(f"{name}: {error.message}") from None


def open_source(path: Path) -> HistoryFile:
    """Read a file."""
    name = clean_text(str(path))
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{name}: is not a file; give the file of one chat history")
        with path.open("rb") as file:
            start = file.read(4)
        if start.startswith(_PACKED):
            return HistoryFile(path, _unpack(path, name), is_packed=True)
        _check_size(path.stat().st_size, name)
        data = path.read_bytes()
        if data.startswith(_UTF16):
            data = data.decode("utf-16").encode("utf-8", "replace")
    except (OSError, EOFError, UnicodeDecodeError, zipfile.BadZipFile, zlib.error) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise UsageError(f"{name}: cannot be read ({reason})") from None
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data.strip():
        raise UsageError(f"{name}: is empty; give a file that holds a chat history")
    try:
        head = codecs.getincrementaldecoder("utf-8")().decode(data[:_HEAD_BYTES])
    except UnicodeDecodeError as error:
        raise _no_text(name, error.start) from None
    if head.count("\0") * 10 > len(head):
        raise _no_text(name, head.index("\0"))
    return HistoryFile(path, {name: data})


def _unpack(path: Path, name: str) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            found = sorted(one for one in archive.namelist() if _MEMBER.fullmatch(one))
            _check_size(sum(archive.getinfo(one).file_size for one in found), name)
            documents = {f"{name}: {clean_text(one)}": archive.read(one) for one in found}
    except (NotImplementedError, RuntimeError):  # packed in another way, or locked by a password
        raise UsageError(
            f"{name}: the archive cannot be unpacked here; unpack it and give its"
            " conversations.json"
        ) from None
    if not documents:
        raise UsageError(
            f"{name}: the archive holds no conversations.json; unpack it and give the file of the"
            " chat history"
        )
    return documents


def _check_size(size: int, name: str) -> None:
    if size > _MAX_BYTES:
        raise UsageError(f"{name}: is larger than {_MAX_BYTES:,} bytes; split it first")


def _no_text(name: str, place: int) -> UsageError:
    return UsageError(f"{name}: is not text in UTF-8 (at byte {place + 1}); convert it first")


def parse_json(text: str) -> Any:
    """Read JSON, with U+FFFD for what cannot be stored.

    Raises:
        UsageError: it is none, or nested too deeply; the sentence says where it ends to be.
    """
    try:
        return _clean(json.loads(text, parse_constant=_finite, parse_float=_finite), 0)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}"
        raise UsageError(f"it is not valid JSON at {place}: {error.msg}") from None
    except ValueError as error:  # a number that is too large, or has too many digits
        raise UsageError(f"it is not valid JSON: {error}") from None
    except RecursionError:
        raise UsageError(f"it is nested more than {_MAX_DEPTH} levels deep") from None


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is no number that JSON has")
    return number


def clean_text(text: str) -> str:
    """Return a text with U+FFFD for what cannot be stored: half characters and NUL."""
    return _UNSTORABLE.sub("\ufffd", text)


def _clean(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if depth > _MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        return {clean_text(name): _clean(item, depth + 1) for name, item in value.items()}
    return [_clean(item, depth + 1) for item in value] if isinstance(value, list) else value


def read_when(value: object) -> str | None:
    """Return a time as ISO 8601, out of ISO or an epoch in seconds or thousandths; None for none.

    A time without an offset keeps none: the zone is applied where turn events are read.

    Raises:
        UsageError: code `bad_time`, it is no time.
    """
    if value is None or value == "":
        return None
    text = value.strip() if isinstance(value, str) else value
    try:
        if isinstance(text, str) and not _EPOCH_TEXT.fullmatch(text):
            return datetime.fromisoformat(text).isoformat()
        if isinstance(text, str | int | float) and not isinstance(text, bool):
            seconds, unit = float(text), 1
            while abs(seconds) >= _MAX_EPOCH_SECONDS * unit and unit < 10**6:
                unit *= 1000
            return (_EPOCH + timedelta(seconds=1) * (seconds / unit)).isoformat()
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


_MAX_TURN_MESSAGES: Final = 1000  # a log of one speaker has no end of a turn
_CLOCK_TICK: Final = timedelta(seconds=1)  # what a clock that counts whole seconds may be behind
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


class HistoryMessage(msgspec.Struct, frozen=True):
    """One message of a history with its time and what it brings along."""

    message: dict[str, Any]
    at: str | None = None
    refs: Sequence[Mapping[str, Any]] = ()


class HistoryEntry(msgspec.Struct, frozen=True):
    """What a place of a source holds: one message, or a whole turn with its other events."""

    session_id: str
    said: Sequence[HistoryMessage]
    events: Mapping[str, Any] | None = None
    turn_id: str = ""

    @property
    def at(self) -> str | None:
        """When it was said, if that is known."""
        return (self.events or {}).get("at") or next((one.at for one in self.said if one.at), None)

    @property
    def begins(self) -> bool:
        """Whether a turn begins with it: not with a user's message that only answers calls."""
        if self.events is not None:
            return True
        message = self.said[0].message
        content = message.get("content")
        answers = isinstance(content, list) and all(
            isinstance(part, dict) and part.get("type") == "tool_result" for part in content
        )
        return message["role"] == Role.USER and not (content and answers)


def make_turns(
    entries: Iterable[HistoryEntry | HistoryProblem],
    format_name: str,
    source: HistoryFile,
    *,
    is_ordered: bool = False,
) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the problems among entries, then the turns that the others make.

    `is_ordered` tells that a session's messages follow each other as they stand.
    """
    sessions: dict[str, list[HistoryEntry]] = {}
    for entry in entries:
        if isinstance(entry, HistoryProblem):
            yield entry
        else:
            sessions.setdefault(entry.session_id, []).append(entry)
    found: list[tuple[datetime, HistoryEntry]] = []
    for own in sessions.values():
        latest = min((_time_of(entry) for entry in own), default=_NEVER)
        for turn in _join_turns(own if is_ordered else _sort_entries(own)):
            latest = max(latest, _time_of(turn)) if turn.at else latest
            found.append((latest, turn))
    found.sort(key=itemgetter(0))
    alike: Counter[tuple[str, str | None]] = Counter()
    for number, (_, turn) in enumerate(found, start=1):
        at = (turn.session_id, turn.at)
        yield _make_turn(turn, format_name, alike[at], source.size * number // len(found), source)
        alike[at] += 1


def _time_of(entry: HistoryEntry) -> datetime:
    at = datetime.fromisoformat(entry.at) if entry.at else _NEVER
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _sort_entries(entries: list[HistoryEntry]) -> list[HistoryEntry]:
    """Return the entries of a session by time, where it goes backwards."""
    blocks: list[list[HistoryEntry]] = []  # what has no time stays behind what it follows
    for entry in entries:
        if entry.at is None and blocks:
            blocks[-1].append(entry)
        else:
            blocks.append([entry])
    dated = [block for block in blocks if block[0].at]
    pairs = [(one[0], other[0]) for one, other in pairwise(dated) if _is_dated_alike(one, other)]
    if all(
        _time_of(other) >= _time_of(one) - (timedelta(0) if other.begins else _CLOCK_TICK)
        for one, other in pairs
    ):
        return entries
    if all(_time_of(one) >= _time_of(other) for one, other in pairs):
        dated.reverse()  # newest first
    # A user's message comes before what answers it, wherever that stands.
    dated.sort(key=lambda block: (_time_of(block[0]), not block[0].begins))
    undated = [block for block in blocks if not block[0].at]
    return [entry for block in (*undated, *dated) for entry in block]


def _is_dated_alike(one: list[HistoryEntry], other: list[HistoryEntry]) -> bool:
    """Tell whether two times are of one clock: both have an offset, or none has."""
    times = [datetime.fromisoformat(str(block[0].at)) for block in (one, other)]
    return (times[0].tzinfo is None) == (times[1].tzinfo is None)


def _join_turns(entries: Sequence[HistoryEntry]) -> Iterator[HistoryEntry]:
    said: list[HistoryMessage] = []
    for entry in entries:
        if said and (entry.begins or len(said) >= _MAX_TURN_MESSAGES):
            yield HistoryEntry(entry.session_id, tuple(said))
            said = []
        if entry.events is not None:
            yield entry
        else:
            said += entry.said
    if said:
        yield HistoryEntry(entries[0].session_id, tuple(said))


def _make_turn(
    turn: HistoryEntry, format_name: str, ordinal: int, place: int, source: HistoryFile
) -> HistoryTurn:
    """Return a turn; `ordinal` counts those of its session and time before it.

    Counting from the beginning would give a turn another key once the oldest part of a log is cut
    off.
    """
    given, at = turn.events or {}, turn.at
    events = {
        **given,
        "at": at,
        "messages": [_message_of(one, at) for one in turn.said],
        "refs": [*given.get("refs", ()), *(ref for one in turn.said for ref in one.refs)],
    }
    events = {name: value for name, value in events.items() if value not in (None, [])}
    first = turn.turn_id or (turn.said[0].message.get("id") if turn.said else "")
    mark = f"id {first}" if first else f"number {ordinal}"
    return HistoryTurn(
        session_id=turn.session_id,
        events=events,
        key=derive("chat", format_name, turn.session_id, mark, canonical_json(events)),
        place=place,
        total=source.size,
    )


def _message_of(said: HistoryMessage, at: str | None) -> dict[str, Any]:
    if said.at in (None, at):
        return said.message
    return {**said.message, "meta": {"at": said.at, **(said.message.get("meta") or {})}}
