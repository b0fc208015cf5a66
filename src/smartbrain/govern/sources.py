"""Where a pin comes from: something said, a tool call, or a line of a file (W5).

In: `chat:<id>`, `tool:<id>` or `file:<path>#L<n>`. Out: the session it leads to, if any; a source
that leads nowhere is refused. It is looked at once, when it is given: a file that goes later takes
nothing away. A model learns nothing of files that it may not be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smartbrain.domain.hints import shown
from smartbrain.errors import UsageError
from smartbrain.govern.file_snippet import places_inside
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from smartbrain.ports.truth import Transaction

_FORMS: Final = "chat:<message or turn id>, tool:<call id> or file:<path>#L<line>"
_RUN: Final = "tool:"
_SOURCE: Final = pattern(r"(chat|tool|file):(.+)")
_FILE: Final = pattern(r"(.+)#L([1-9]\d{0,8})")


def check_artifact(ref: object, *, rows: Transaction) -> None:
    """Refuse a run of a tool that is not there; what is kept elsewhere is not looked at.

    Raises:
        UsageError: code `no_source`; this tenant has no such run.
    """
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

    Args:
        source: as somebody gives it.
        rows: where turns, calls and refs are looked up.
        folders: the only ones in which a file is looked for; None for any, where a person asks.

    Raises:
        UsageError: code `no_source`; it is missing, malformed, or leads nowhere.
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
    """Look up a line of a file that is there, or that a turn refers to."""
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
