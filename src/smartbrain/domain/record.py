"""Records: frozen dataclasses that become JSON and come back.

In: any frozen dataclass that inherits `Record`. Out: `to_dict()` with keys in field order and plain
JSON values; `from_dict()` that ignores unknown fields, so a newer writer never breaks an older
reader. A field whose JSON name is no Python name says so: `field(metadata={"json": "from"})`. Not
a validator: what a value may be beyond its type is checked where it enters.
"""

from __future__ import annotations

import types
import typing
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, Final, NamedTuple, Self, Union, get_args, get_origin

from smartbrain.domain.plain import canonical_json, json_names, text_keyed, to_plain
from smartbrain.errors import InternalError, UsageError

__all__ = ["Record", "canonical_json", "to_plain"]

_Where = str | tuple[Any, str | int]
"""The place of a value, spelled out only when it is refused: a root name, or (parent, step)."""
_Reader = Callable[[Any, _Where], Any]


class Record:
    """What every value and contract inherits: a stable JSON form, both ways.

    A record is declared with `eq=False, repr=False`: comparing and showing it are done here, once,
    for making them anew for each class is a third of the time that importing the domain takes.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))

    def __repr__(self) -> str:
        kind: Any = type(self)
        parts = zip(_names(kind), _values(self), strict=True)
        return f"{kind.__qualname__}({', '.join(f'{name}={value!r}' for name, value in parts)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: field order, enums by value, times in ISO 8601, bytes in base64."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form back; unknown fields are ignored, missing ones take their default.

        Raises:
            UsageError: a required field is missing or a value cannot be read as its type.
        """
        record: Self = _read_record(cls, data, cls.__name__)
        return record


class _Slot(NamedTuple):
    """How one constructor field is read."""

    attribute: str
    name: str
    required: bool
    read: _Reader


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """Return the names of a record's fields."""
    return tuple(field.name for field in fields(kind))


def _values(record: Any) -> tuple[Any, ...]:
    """Return what a record holds, in the order of its fields."""
    kind: Any = type(record)
    return tuple([getattr(record, name) for name in _names(kind)])


@cache
def _slots(cls: type) -> tuple[_Slot, ...]:
    """Work out once a class how each of its fields is read."""
    hints = typing.get_type_hints(cls)
    names = dict(json_names(cls))
    return tuple(
        _Slot(
            field.name,
            names[field.name],
            field.default is MISSING and field.default_factory is MISSING,
            _reader(hints[field.name]),
        )
        for field in fields(cls)
        if field.init
    )


def _read_record(cls: type, data: Any, where: _Where) -> Any:
    """Read an object as a record."""
    if type(data) is not dict and not isinstance(data, Mapping):
        raise _mismatch(where, "an object", data)
    given: dict[str, Any] = {}
    for attribute, name, required, read in _slots(cls):
        if name in data:
            given[attribute] = read(data[name], (where, name))
        elif required:
            raise UsageError(f"{_spell(where)} lacks the field {name!r}")
    return cls(**given)


def _reader(hint: Any) -> _Reader:
    """Choose how a declared type is read."""
    origin, options = get_origin(hint), get_args(hint)
    if hint is Any or hint is object:
        return _read_anything
    if origin in (Union, types.UnionType):
        return _union_reader(options)
    if origin is tuple and options[-1:] != (Ellipsis,):
        return _fixed_reader(options)
    if origin in (tuple, list, Sequence):
        return _items_reader(list if origin is list else tuple, options[0])
    if origin in (dict, Mapping):
        return _mapping_reader(*options)
    if isinstance(hint, type):
        return _scalar_reader(hint)
    raise InternalError(f"a record cannot hold {hint}: it has no JSON form")


def _scalar_reader(hint: type) -> _Reader:
    """Choose how a class is read: a record, an enum, or one of the scalars."""
    if issubclass(hint, Record):
        record = hint

        def read_record(value: Any, where: _Where) -> Any:
            return value if isinstance(value, record) else _read_record(record, value, where)

        return read_record
    if issubclass(hint, Enum):
        return _enum_reader(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    raise InternalError(f"a record cannot hold {hint.__name__}: it has no JSON form")


def _enum_reader(enum: type[Enum]) -> _Reader:
    members = {member.value: member for member in enum}

    def read_enum(value: Any, where: _Where) -> Any:
        try:
            return members[value]
        except (KeyError, TypeError):
            names = ", ".join(map(str, members))
            raise UsageError(
                f"{_spell(where)} is {value!r:.80}; it must be one of {names}"
            ) from None

    return read_enum


def _union_reader(options: tuple[Any, ...]) -> _Reader:
    """Read a union: null if allowed, else the first option that takes the value wins."""
    nullable = type(None) in options
    # A whole number is an int wherever int is allowed, so that 1 does not come back as 1.0.
    readers = [
        _reader(option)
        for option in sorted(options, key=lambda option: option is float)
        if option is not type(None)
    ]
    if nullable and len(readers) == 1:
        only = readers[0]
        return lambda value, where: None if value is None else only(value, where)

    def read_union(value: Any, where: _Where) -> Any:
        if value is None and nullable:
            return None
        problems: list[UsageError] = []
        for read in readers:
            try:
                return read(value, where)
            except UsageError as problem:
                problems.append(problem)
        raise problems[0]

    return read_union


def _items_reader(make: type[list[Any]] | type[tuple[Any, ...]], item: Any) -> _Reader:
    read = _reader(item)

    def read_items(value: Any, where: _Where) -> Any:
        if not isinstance(value, list | tuple):
            raise _mismatch(where, "an array", value)
        return make([read(entry, (where, index)) for index, entry in enumerate(value)])

    return read_items


def _fixed_reader(items: tuple[Any, ...]) -> _Reader:
    readers = [_reader(item) for item in items]

    def read_fixed(value: Any, where: _Where) -> Any:
        if not isinstance(value, list | tuple):
            raise _mismatch(where, "an array", value)
        if len(value) != len(readers):
            raise UsageError(f"{_spell(where)} must have {len(readers)} items, not {len(value)}")
        return tuple(
            read(entry, (where, index))
            for index, (read, entry) in enumerate(zip(readers, value, strict=True))
        )

    return read_fixed


def _mapping_reader(key: Any, item: Any) -> _Reader:
    read_key, read = _reader(key), _reader(item)

    def read_mapping(value: Any, where: _Where) -> Any:
        if not isinstance(value, Mapping):
            raise _mismatch(where, "an object", value)
        return {
            read_key(name, (where, name)): read(entry, (where, name))
            for name, entry in text_keyed(value).items()
        }

    return read_mapping


def _read_anything(value: Any, _where: _Where) -> Any:
    """Take any JSON value, as a copy: the caller's object may change later, a record may not."""
    return to_plain(value)


def _read_str(value: Any, where: _Where) -> str:
    if isinstance(value, str):
        return value
    raise _mismatch(where, "str", value)


def _read_bool(value: Any, where: _Where) -> bool:
    if isinstance(value, bool):
        return value
    raise _mismatch(where, "bool", value)


def _read_int(value: Any, where: _Where) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _mismatch(where, "int", value)


def _read_float(value: Any, where: _Where) -> float:
    if isinstance(value, float):
        return value
    try:
        return float(_read_int(value, where))
    except (UsageError, OverflowError):
        raise _mismatch(where, "float", value) from None


def _read_time(value: Any, where: _Where) -> datetime:
    """Read an ISO 8601 time that names its offset."""
    try:
        time = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise UsageError(
            f"{_spell(where)} is not an ISO 8601 time: {value!r:.80}", code="bad_time"
        ) from None
    if time.utcoffset() is None:
        raise UsageError(f"{_spell(where)} has no UTC offset: {value!r:.80}", code="bad_time")
    return time


def _read_bytes(value: Any, where: _Where) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return b64decode(_read_str(value, where), validate=True)
    except ValueError:
        raise _mismatch(where, "bytes in base64", value) from None


_SCALARS: Final[Mapping[type, _Reader]] = {
    str: _read_str,
    bool: _read_bool,
    int: _read_int,
    float: _read_float,
    datetime: _read_time,
    bytes: _read_bytes,
}


def _mismatch(where: _Where, expected: str, value: Any) -> UsageError:
    return UsageError(f"{_spell(where)} must be {expected}, not {type(value).__name__}")


def _spell(where: _Where) -> str:
    """Spell a place as it would be written in code: `Plan.queries[2].weight`."""
    if isinstance(where, str):
        return where
    parent, step = where
    named = isinstance(step, str) and step.isidentifier()
    return f"{_spell(parent)}.{step}" if named else f"{_spell(parent)}[{step!r:.80}]"
