"""Records: frozen dataclasses that become JSON and come back.

In: any frozen dataclass that inherits `Record`. Out: `to_dict()` with keys in field order and plain
JSON values; `from_dict()` that ignores unknown fields, so a newer writer never breaks an older
reader; `canonical_json()`, the one spelling that is stored and hashed. Not a validator: shapes of
user input are checked where they enter.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, Self, Union, get_args, get_origin

from smartbrain.errors import UsageError


def canonical_json(value: object) -> str:
    """Return the single JSON spelling of a value: sorted keys, UTF-8, no blanks."""
    return json.dumps(
        to_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def to_plain(value: Any) -> Any:
    """Turn records, enums, times, tuples and mappings into what `json` can write."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [to_plain(item) for item in value]
    raise UsageError(f"a {type(value).__name__} cannot be stored as JSON; give plain values")


class Record:
    """What every value and contract inherits: a stable JSON form, both ways."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: field order, enums by value, times in ISO 8601."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form back; unknown fields are ignored, missing ones take their default.

        Raises:
            UsageError: a required field is missing or a value cannot be read as its type.
        """
        if not isinstance(data, Mapping):
            raise UsageError(f"{cls.__name__} is read from an object, not {type(data).__name__}")
        read: dict[str, Any] = {}
        for name, (hint, required) in _fields_of(cls).items():
            if name in data:
                read[name] = _read(hint, data[name], f"{cls.__name__}.{name}")
            elif required:
                raise UsageError(f"{cls.__name__} lacks the field {name!r}")
        return cls(**read)


@cache
def _fields_of(cls: type) -> dict[str, tuple[Any, bool]]:
    """Each constructor field's resolved type and whether it must be given."""
    hints = typing.get_type_hints(cls)
    return {
        field.name: (
            hints[field.name],
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(cls)
        if field.init
    }


def _read(hint: Any, value: Any, where: str) -> Any:
    """Read one JSON value as the type that the field declares."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _read_union(get_args(hint), value, where)
    if origin in (tuple, list, Sequence):
        return _read_sequence(get_args(hint), value, where)
    if origin is dict or origin is Mapping:
        if not isinstance(value, Mapping):
            raise UsageError(f"{where} must be an object, not {type(value).__name__}")
        item = get_args(hint)[1]
        return {str(key): _read(item, entry, f"{where}.{key}") for key, entry in value.items()}
    if isinstance(hint, type):
        return _read_scalar(hint, value, where)
    return value


def _read_union(options: tuple[Any, ...], value: Any, where: str) -> Any:
    """Read `X | None` and unions of scalars: the first option that takes the value wins."""
    if value is None and type(None) in options:
        return None
    problem: UsageError | None = None
    for option in options:
        if option is type(None):
            continue
        try:
            return _read(option, value, where)
        except UsageError as error:
            problem = problem or error
    raise problem or UsageError(f"{where} may not be null")


def _read_sequence(items: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    """Read a JSON array; sequences are tuples in the domain."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise UsageError(f"{where} must be an array, not {type(value).__name__}")
    fixed = items and items[-1] is not Ellipsis and len(items) > 1
    if fixed and len(items) != len(value):
        raise UsageError(f"{where} must have {len(items)} items, not {len(value)}")
    hints = items if fixed else (items[:1] or (Any,)) * len(value)
    return tuple(
        _read(hint, entry, f"{where}[{index}]")
        for index, (hint, entry) in enumerate(zip(hints, value, strict=True))
    )


def _read_scalar(hint: type, value: Any, where: str) -> Any:
    """Read a record, enum, time or plain scalar."""
    if issubclass(hint, Record):
        return value if isinstance(value, hint) else hint.from_dict(value)
    if issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError:
            names = ", ".join(str(member.value) for member in hint)
            raise UsageError(f"{where} is {value!r}; it must be one of {names}") from None
    if hint is datetime:
        return _read_time(value, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, hint) and not (hint is int and isinstance(value, bool)):
        return value
    raise UsageError(f"{where} must be {hint.__name__}, not {type(value).__name__}")


def _read_time(value: Any, where: str) -> datetime:
    """Read an ISO 8601 time that names its offset."""
    try:
        time = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise UsageError(f"{where} is not an ISO 8601 time: {value!r}", code="bad_time") from None
    if time.tzinfo is None:
        raise UsageError(f"{where} has no UTC offset: {value!r}", code="bad_time")
    return time
