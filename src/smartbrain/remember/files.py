"""Files that a caller names: paths that can be looked at, texts that can be read.

In: anything. Out: a path, or the text in its file, or a `UsageError` that names the file and what
to do. Chat histories are read elsewhere, line by line.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from smartbrain.errors import UsageError

_LARGEST: Final = 1 << 28  # bytes of a text, which is held in memory several times


def read_path(given: object) -> Path:
    """Return what a caller means by a path, there or not.

    Raises:
        UsageError: it is none.
    """
    path = os.fspath(given) if isinstance(given, str | os.PathLike) else None
    if not isinstance(path, str) or not path or "\0" in path:
        raise UsageError(f"{given!r:.80} is no path of a file; give a str or a Path")
    return Path(path)


def read_file(path: Path) -> str:
    """Return the text of a file; a byte order mark is no part of it.

    Raises:
        UsageError: it cannot be read, is too large, is empty or is no text.
    """
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: cannot be read (it is not a file); give a text file")
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path}: is larger than {_LARGEST:,} bytes; split it first")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise _no_text(path) from None
    if "\0" in text:
        raise _no_text(path)
    if not text.strip():
        raise UsageError(f"{path}: is empty; leave it out")
    return text


def _no_text(path: Path) -> UsageError:
    return UsageError(
        f"{path}: is not a text in UTF-8; convert it first: plain text, Markdown, HTML, CSV, JSON"
        " and source code can be taken in, images and office documents cannot"
    )
