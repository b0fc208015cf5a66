"""Some lines of a file, from folders that the settings allow and from nowhere else (W6).

In: a path and which lines or bytes. Out: those and how to go on. Links are followed first and
judged by where they lead; what is opened is looked at again, lest a link be put in its place in
between. Devices, pipes, folders and whatever is no text are refused.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smartbrain.domain.artifact import Snippet
from smartbrain.errors import UsageError
from smartbrain.govern.text_part import part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from smartbrain.domain.policy_state import ArtifactsRules

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

    Raises:
        UsageError: the file is outside the folders that are allowed, is not there or is no text,
            or has fewer lines, or the range is none; the sentence says what to change.
    """
    if not rules.file_roots:
        raise UsageError(
            "no folder may be shown from; set artifacts.file_roots to the folders that may"
        )
    real = _allowed(path, rules.file_roots)
    text = _text(real, path)
    if wanted is not None:
        return _part(real, text, wanted, rules)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if start > max(1, len(lines)):
        raise UsageError(f"line {start:,} is outside: {path!r:.80} has {len(lines):,} lines")
    shown: list[str] = []
    room = rules.read_max_chars
    for line in lines[start - 1 : start - 1 + count]:
        room -= len(line) + 1
        if room < 0 and shown:
            break
        if room < -1:  # what ends a line is not shown
            return _part(real, text, (start, start), rules)
        shown.append(line)
    end = start - 1 + len(shown)
    more = f"go on with start={end + 1}" if end < len(lines) else None
    return Snippet(
        path=real,
        start=start,
        end=end,
        lines=len(lines),
        text="\n".join(shown),
        more=more,
        shown=f"lines {start:,}-{end:,} of {len(lines):,}",
    )


def _part(real: str, text: str, wanted: object, rules: ArtifactsRules) -> Snippet:
    """Return a part of a file by its lines or bytes, and how to go on."""
    part = part_of(text, wanted, most=rules.read_max_chars)
    told = part.text if part.shown.startswith("bytes") else part.text.removesuffix("\n")
    return Snippet(
        path=real,
        start=part.first,
        end=part.last,
        lines=part.lines,
        text=told,
        more=part.more,
        shown=part.shown,
    )


def _allowed(path: str, roots: Sequence[str]) -> str:
    """Return where a path really leads, if that is inside a folder that is allowed.

    A relative path is looked for in each folder in turn.

    Raises:
        UsageError: it is not; whether there is such a file elsewhere is not told.
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
