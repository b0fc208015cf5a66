"""What callers hand over, whatever it is: ids, texts, paths, dicts and objects of SDKs.

In: anything; SDKs are not imported, an object is known by what it can do. Out: text that can be
stored and seen, the text of a file, the fields of an object, a call that a model makes; or a
`UsageError` that says what to change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.hints import shown
from smartbrain.domain.keys import segment_text
from smartbrain.domain.record import Record
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain.ports.truth import Transaction


def as_mapping(value: object, where: str) -> Mapping[str, Any] | None:
    """Return the fields of a dict or an object; None for what has none."""
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    try:
        if callable(dump):
            fields = dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
        elif isinstance(value, Record):
            fields = value.to_dict()
        elif is_dataclass(value) and not isinstance(value, type):
            fields = asdict(value)
        else:
            own = getattr(value, "__dict__", {})
            fields = {name: own[name] for name in own if not name.startswith("_")}
    except (TypeError, ValueError, RecursionError) as error:
        cause = " ".join(ascii(str(error)[:200]).split())
        raise UsageError(
            f"{where}: a {type(value).__name__} does not give its fields ({cause});"
            " give a dict instead"
        ) from None
    return fields if isinstance(fields, Mapping) and fields else None


def present(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a copy of the fields that are there: SDKs give None for all that are not."""
    return {
        name: as_mapping(value, where) if hasattr(value, "model_dump") else value
        for name, value in given.items()
        if value is not None
    }


def text_of(value: object, where: str) -> str:
    """Return what must be text; whether it can be stored is seen later."""
    if not isinstance(value, str):
        kind = "nothing" if value is None else type(value).__name__
        raise UsageError(f"{where} must be text, not {kind}")
    return value


class ModelCall(NamedTuple):
    """What a model calls; with a `problem` there are no arguments."""

    name: str
    arguments: Mapping[str, Any]
    id: str | None = None
    problem: str = ""


def read_model_call(call: object) -> ModelCall:
    """Read a call."""
    fields = None if isinstance(call, str) else as_mapping(call, "call")
    if fields is None:
        raise UsageError(
            f"call is {shown(call)}; give one tool call of OpenAI, one tool_use block of"
            " Anthropic, or {'name': …, 'arguments': …}"
        )
    found = present(fields, "call")
    inner = found.get("function")
    told = {**found, **inner} if isinstance(inner, Mapping) else found
    name = told.get("name")
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"call names no tool: its 'name' is {shown(name)}; give one tool call")
    arguments, problem = _arguments(told.get("arguments", told.get("input")))
    number = found.get("call_id", found.get("id"))
    return ModelCall(name, arguments, None if number is None else str(number), problem)


def _arguments(given: object) -> tuple[Mapping[str, Any], str]:
    """Return arguments, which may be JSON, or why they cannot be read."""
    if given is None or (isinstance(given, str) and not given.strip()):
        return {}, ""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except json.JSONDecodeError as error:
            where = f"{error.msg} at character {error.pos}"
            return {}, f"the arguments are no JSON ({where}); give one JSON object"
        except (ValueError, RecursionError):
            return {}, "the arguments are no JSON that can be read; give one plain JSON object"
    if not isinstance(given, Mapping):
        return {}, f"the arguments are {shown(given)}; give one JSON object"
    return {str(name): value for name, value in given.items()}, ""


LONGEST_ID: Final = 512
"""The most characters of a name."""
_FACT: Final = "fact:"  # how keys of facts begin


def read_id(value: object, name: str) -> str:
    """Return what a caller names something by, if it is a name."""
    text = read_text(value, name, longest=LONGEST_ID)
    if not segment_text(text):
        raise UsageError(f"{name} {text!r:.60} is blank; give some text that can be seen")
    return text


def read_optional_id(value: object, name: str) -> str | None:
    """Return an id that may be left out."""
    return None if value is None else read_id(value, name)


def read_text(value: object, where: str, *, longest: int | None = None, empty: bool = False) -> str:
    """Return text that can be stored."""
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


_LARGEST: Final = 1 << 28  # bytes of a text, which is held in memory several times


def read_path(given: object) -> Path:
    """Return what a caller means by a path, there or not."""
    path = os.fspath(given) if isinstance(given, str | os.PathLike) else None
    if not isinstance(path, str) or not path or "\0" in path:
        raise UsageError(f"{given!r:.80} is no path of a file; give a str or a Path")
    return Path(path)


def read_file(path: Path, largest: int = _LARGEST) -> str:
    """Return the text of a file; a byte order mark is no part of it."""
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: cannot be read (it is not a file); give a text file")
        if path.stat().st_size > largest:
            raise UsageError(f"{path}: is larger than {largest:,} bytes; split it first")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(
            f"{path}: is not a text in UTF-8; convert it first: plain text, Markdown, HTML, CSV,"
            " JSON and source code can be taken in, archives, images and office documents cannot"
        )
    if not text.strip():
        raise UsageError(f"{path}: is empty; leave it out")
    return text
