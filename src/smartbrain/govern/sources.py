"""Where a pin comes from: something said, a tool call, or a line of a file (W5, W6).

In: `chat:<id>`, `tool:<id>` or `file:<path>#L<n>`. Out: the session it leads to, if any; a source
that leads nowhere is refused. Lines of a file are read from folders that the settings allow and
from nowhere else: links are followed first and judged by where they lead, and what is opened is
looked at again, lest a link be put in its place in between.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smartbrain.domain.artifact import Snippet
from smartbrain.domain.hints import shown
from smartbrain.errors import UsageError
from smartbrain.govern.artifacts import line_count, part_of
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from smartbrain.domain.policy import ArtifactsRules
    from smartbrain.ports.truth import Transaction


_LARGEST: Final = 1 << 26  # bytes of a file that is looked into
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not wait for a writer
    | getattr(os, "O_BINARY", 0)
)


def file_snippet(
    path: str, start: int, count: int, *, wanted: object = None, rules: ArtifactsRules
) -> Snippet:
    """Return lines of a file, from `start` (1 is the first), at most `count` of them.

    With `wanted`, a range as `part_of` reads it, that part instead. A line that is more than may be
    shown comes in such parts, by bytes.
    """
    if not rules.file_roots:
        raise UsageError(
            "no folder may be shown from; set artifacts.file_roots to the folders that may"
        )
    real = _allowed(path, rules.file_roots)
    text = _text(real, path)
    total = line_count(text)
    if wanted is None and start > max(1, total):
        raise UsageError(f"line {start:,} is outside: {path!r:.80} has {total:,} lines")
    asked = (start, start + count - 1) if wanted is None else wanted
    part = part_of(text, asked, most=rules.read_max_chars, free_end=wanted is None)
    by_lines, more = not part.shown.startswith("bytes"), part.more
    if by_lines and wanted is None:
        more = f"go on with start={part.last + 1}" if part.last < total else None
    return Snippet(
        path=real,
        start=part.first,
        end=part.last,
        lines=part.lines,
        text=part.text.removesuffix("\n") if by_lines else part.text,
        more=more,
        shown=part.shown,
    )


def _allowed(path: str, roots: Sequence[str]) -> str:
    """Return where a path really leads, if that is inside a folder that is allowed.

    A relative path is looked for in each folder in turn.
    """
    inside = [real for real in places_inside(path, roots) if os.path.lexists(real)]
    if not inside:
        folders = ", ".join(roots)
        raise UsageError(
            f"there is no file {path!r:.80} in the folders that are allowed: {folders}"
        )
    return inside[0]


def places_inside(path: str, roots: Sequence[str]) -> Iterator[str]:
    """Yield the places inside allowed folders that a path may mean."""
    if "\0" in path:
        raise UsageError(f"{path!r:.80} is no path of a file")
    for root in roots:
        top = os.path.realpath(root)
        real = os.path.realpath(Path(top, path))
        if real != top and os.path.commonpath([top, real]) == top:
            yield real


def _text(real: str, path: str) -> str:
    """Return the text of a file that no link has taken the place of."""
    try:
        descriptor = os.open(real, _FLAGS)
    except OSError as error:
        raise UsageError(f"{path!r:.80} cannot be read ({error.strerror})") from None
    try:
        opened = os.fstat(descriptor)
        if not stat.S_ISREG(opened.st_mode):
            raise UsageError(f"{path!r:.80} is no file; folders, devices and pipes are not shown")
        if opened.st_size > _LARGEST:
            raise UsageError(f"{path!r:.80} is larger than {_LARGEST:,} bytes; it is not shown")
        _check_same(real, opened, path)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(_LARGEST)
    except OSError as error:
        raise UsageError(f"{path!r:.80} cannot be read ({error.strerror})") from None
    finally:
        os.close(descriptor)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"{path!r:.80} is no text in UTF-8; it is not shown")
    return text.replace("\r\n", "\n")


def _check_same(real: str, opened: os.stat_result, path: str) -> None:
    """Refuse a file that is not what lies at the place that was judged."""
    try:
        same = os.path.realpath(real) == real and os.path.samestat(opened, os.lstat(real))
    except OSError:
        same = False
    if not same:
        raise UsageError(f"{path!r:.80} was moved while it was opened; it is not shown")


_FORMS: Final = "chat:<message or turn id>, tool:<call id> or file:<path>#L<line>"
_RUN: Final = "tool:"
_SOURCE: Final = pattern(r"(chat|tool|file):(.+)")
_FILE: Final = pattern(r"(.+)#L([1-9]\d{0,8})")


def check_artifact(ref: object, *, rows: Transaction) -> None:
    """Refuse a run of a tool that is not there; what is kept elsewhere is not looked at."""
    name = ref.removeprefix(_RUN) if isinstance(ref, str) else ref
    if isinstance(name, str) and name != ref and rows.sources.called_in(name) is None:
        raise UsageError(
            f"artifact_ref {shown(ref)} leads nowhere: this tenant has no tool call of that id",
            code="no_source",
        )


def resolve_source(
    source: object, *, rows: Transaction, folders: Sequence[str] | None = None
) -> str | None:
    """Return the session that a source leads to; a file outside belongs to none.

    A file is looked for in these folders alone; with None anywhere, where a person asks.
    """
    found = _SOURCE.fullmatch(source) if isinstance(source, str) else None
    if found is None:
        told = "missing" if source is None or source == "" else shown(source)
        raise UsageError(f"source is {told}; give {_FORMS}", code="no_source")
    kind, name = found[1], found[2]
    if kind == "file":
        return _file(name, rows=rows, folders=folders)
    look = rows.sources.said_in if kind == "chat" else rows.sources.called_in
    session = look(name)
    if session is None:
        what = "message or turn" if kind == "chat" else "tool call"
        raise UsageError(
            f"source {shown(source)} leads nowhere: this tenant has no {what} of that id",
            code="no_source",
        )
    return session


def _file(name: str, *, rows: Transaction, folders: Sequence[str] | None) -> str | None:
    found = _FILE.fullmatch(name)
    if found is None:
        raise UsageError(
            f"source {shown('file:' + name)} names no line; give file:<path>#L<line>",
            code="no_source",
        )
    path, line = found[1], int(found[2])
    session = rows.sources.referred_in(path) or rows.sources.referred_in(f"file://{path}")
    if session is not None:
        return session
    places = [path] if folders is None else places_inside(path, folders)
    counts = (_lines(one, line) for one in places)
    lines = next((count for count in counts if count is not None), None)
    if lines is None:
        where = "on this machine" if folders is None else "in a folder that may be shown"
        raise UsageError(
            f"source file {shown(path)} is neither {where} nor a ref of this tenant",
            code="no_source",
        )
    if line > lines:
        raise UsageError(
            f"source file {shown(path)} has {lines} lines, not {line}", code="no_source"
        )
    return None


def _lines(path: str, most: int) -> int | None:
    """Return how many lines a file has, counting up to `most`; None if there is no such file."""
    try:
        if not Path(path).is_file():
            return None  # a device or a pipe has no lines that stay
        with Path(path).open("rb") as file:
            return sum(1 for _ in islice(file, most))
    except (OSError, ValueError):
        return None
