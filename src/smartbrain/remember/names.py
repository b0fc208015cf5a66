"""Reading the names that callers give to sessions, turns and memories.

In: anything. Out: text that can be stored and seen, or a `UsageError` that says what to change; and
the key that a memory is stored under.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from smartbrain.domain.keys import segment_text
from smartbrain.errors import UsageError
from smartbrain.remember.objects import text_of

if TYPE_CHECKING:
    from smartbrain.ports.truth import Transaction

LONGEST_ID: Final = 512
"""The most characters of a name."""
_FACT: Final = "fact:"  # how keys of facts begin


def read_id(value: object, name: str) -> str:
    """Return what a caller names something by, if it is a name.

    Raises:
        UsageError: it is not text of 1 to 512 characters with a visible one among them.
    """
    text = read_text(value, name, longest=LONGEST_ID)
    if not segment_text(text):
        raise UsageError(f"{name} {text!r:.60} is blank; give some text that can be seen")
    return text


def read_optional_id(value: object, name: str) -> str | None:
    """Return an id that may be left out.

    Raises:
        UsageError: it is given and is none.
    """
    return None if value is None else read_id(value, name)


def read_text(value: object, where: str, *, longest: int | None = None, empty: bool = False) -> str:
    """Return text that can be stored.

    Raises:
        UsageError: it is no text, empty, too long, or half a character.
    """
    text = text_of(value, where)
    if not text and not empty:
        raise UsageError(f"{where} is empty; give some text")
    if longest is not None and len(text) > longest:
        raise UsageError(f"{where} has {len(text)} characters; {longest} is the limit")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{where} holds half a character (a lone surrogate) at position {error.start};"
            " it cannot be stored, decode the text properly"
        ) from None
    return text


def stored_key(key: str, *, transaction: Transaction) -> str:
    """Return the key that a memory is stored under: that of a fact may be in other case."""
    known = transaction.remembering.fact_key(key) if key.startswith(_FACT) else None
    return known or key
