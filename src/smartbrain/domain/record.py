"""Records: frozen structs that become JSON and come back.

In: any frozen struct that inherits `Record`. Out: `to_dict()` with keys in field order and plain
JSON values; `from_dict()` that ignores unknown fields, so a newer writer never breaks an older
reader; and `canonical_json()`, the one spelling that is stored and hashed. A field whose JSON name
is no Python name says so: `field(name="from")`. What JSON has no form for is refused, never
guessed; what a value may be beyond its type is checked where it enters.
"""

from __future__ import annotations

import types
import typing
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from json import JSONEncoder
from typing import Any, Final, Self, Union, get_args, get_origin

import msgspec

from smartbrain.errors import InternalError, UsageError

_Where = str | tuple[Any, str | int]
"""The place of a value, spelled out only when it is refused: a root name, or (parent, step)."""
_Reader = Callable[[Any, _Where], Any]

_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_TEXT: Final = frozenset({str})
_TOO_DEEP: Final = "the value is nested too deeply or holds itself; flatten it"
_encode: Final = JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


class Record(msgspec.Struct, frozen=True):
    """What every value and contract inherits: a stable JSON form, both ways."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: field order, enums by value, times in ISO 8601, bytes in base64."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form back; unknown fields are ignored, missing ones take their default."""
        record: Self = _read_record(cls, data, cls.__name__)
        return record


def canonical_json(value: object) -> str:
    """Return the single JSON spelling of a value: sorted keys, UTF-8, no blanks."""
    try:
        text = _encode(_plain(value))
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(
            "a text holds a lone surrogate, which UTF-8 cannot store; decode it with"
            " errors='replace' before handing it in"
        ) from None
    except ValueError as error:  # too many digits, or none at all
        raise UsageError(f"a number cannot be stored as JSON: {error}") from None
    except RecursionError:
        raise UsageError(_TOO_DEEP) from None
    return text


def to_plain(value: Any) -> Any:
    """Turn records, enums, times, bytes, tuples and mappings into a fresh copy `json` can write."""
    try:
        return _plain(value)
    except RecursionError:
        raise UsageError(_TOO_DEEP) from None


def _plain(value: Any) -> Any:
    kind: type = type(value)
    return value if kind in _PLAIN else _writer(kind)(value)


@cache
def _writer(kind: type) -> Callable[[Any], Any]:
    """Choose once a class how its values are written."""
    if issubclass(kind, msgspec.Struct):
        return _record_writer(tuple(zip(_json_names(kind), kind.__struct_fields__, strict=True)))
    if is_dataclass(kind):
        return _record_writer(tuple((field.name, field.name) for field in fields(kind)))
    if issubclass(kind, Enum):
        return lambda value: _plain(value.value)
    for family, write in _WRITERS:
        if issubclass(kind, family):
            return write
    raise UsageError(f"a {kind.__name__} cannot be stored as JSON; give plain values")


def _record_writer(names: tuple[tuple[str, str], ...]) -> Callable[[Any], dict[str, Any]]:
    def write_record(value: Any) -> dict[str, Any]:
        return {name: _plain(getattr(value, attribute)) for name, attribute in names}

    return write_record


def _plain_items(value: Sequence[Any]) -> list[Any]:
    return [_plain(item) for item in value]


def _plain_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    keyed = value if {*map(type, value)} <= _TEXT else _text_keyed(value)
    return {key: _plain(item) for key, item in keyed.items()}


def _plain_time(value: datetime) -> str:
    if value.utcoffset() is None:
        raise UsageError(f"the time {value} has no UTC offset; give it one", code="bad_time")
    return value.isoformat()


_WRITERS: Final[Sequence[tuple[type | tuple[type, ...], Callable[[Any], Any]]]] = (
    ((list, tuple), _plain_items),
    (Mapping, _plain_mapping),
    (datetime, _plain_time),
    (bytes, lambda value: b64encode(value).decode()),
    ((str, int, float), lambda value: value),
)


def _text_keyed(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Copy a mapping with its keys spelled as text; one spelling for two would lose a value."""
    keyed = {_key(key): item for key, item in value.items()}
    if len(keyed) != len(value):
        raise UsageError("two keys of one object have the same spelling; rename one")
    return keyed


def _key(key: Any) -> str:
    """Spell the key of an object: text, or a whole number or enum that has one spelling as text."""
    if isinstance(key, Enum):
        key = key.value
    if isinstance(key, str):
        return key
    if isinstance(key, int) and not isinstance(key, bool):
        return str(key)
    raise UsageError(f"an object's keys are text, not {type(key).__name__}; rename {key!r:.80}")


def _json_names(cls: Any) -> tuple[str, ...]:
    names: tuple[str, ...] = cls.__struct_encode_fields__
    return names


@cache
def _slots(cls: Any) -> tuple[tuple[str, str, bool, _Reader], ...]:
    """Return of each field once a class: attribute, JSON name, if it is required, its reader."""
    hints = typing.get_type_hints(cls)
    return tuple(
        (field.name, field.encode_name, field.required, _reader(hints[field.name]))
        for field in msgspec.structs.fields(cls)
    )


def _read_record(cls: type, data: Any, where: _Where) -> Any:
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
        return lambda value, _: to_plain(value)  # a copy: the caller's object may change later
    if origin in (Union, types.UnionType):
        return _union_reader(options)
    if origin in (tuple, list, Sequence):
        return _items_reader(origin, options)
    if origin in (dict, Mapping):
        return _mapping_reader(*map(_reader, options))
    if isinstance(hint, type) and issubclass(hint, Record):
        return lambda value, where: (
            value if isinstance(value, hint) else _read_record(hint, value, where)
        )
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum_reader(hint)
    if hint not in _SCALARS:
        raise InternalError(f"a record cannot hold {hint.__name__}: it has no JSON form")
    return _SCALARS[hint]


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
    ordered = sorted(options, key=lambda option: option is float)
    readers = [_reader(option) for option in ordered if option is not type(None)]

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


def _items_reader(origin: Any, options: tuple[Any, ...]) -> _Reader:
    """Read an array: of one type, or of as many as a tuple declares."""
    fixed = origin is tuple and options[-1] is not Ellipsis
    readers = [_reader(option) for option in (options if fixed else options[:1])]
    make = list if origin is list else tuple

    def read_items(value: Any, where: _Where) -> Any:
        if not isinstance(value, list | tuple):
            raise _mismatch(where, "an array", value)
        if fixed and len(value) != len(readers):
            raise UsageError(f"{_spell(where)} must have {len(readers)} items, not {len(value)}")
        each = readers if fixed else readers * len(value)
        return make([each[place](item, (where, place)) for place, item in enumerate(value)])

    return read_items


def _mapping_reader(read_key: _Reader, read: _Reader) -> _Reader:
    def read_mapping(value: Any, where: _Where) -> Any:
        if not isinstance(value, Mapping):
            raise _mismatch(where, "an object", value)
        return {
            read_key(name, (where, name)): read(item, (where, name))
            for name, item in _text_keyed(value).items()
        }

    return read_mapping


def _exactly(kind: type) -> _Reader:
    """Read a scalar as it is; true is no number."""

    def read_scalar(value: Any, where: _Where) -> Any:
        if isinstance(value, kind) and (kind is not int or not isinstance(value, bool)):
            return value
        raise _mismatch(where, kind.__name__, value)

    return read_scalar


def _read_float(value: Any, where: _Where) -> float:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    except OverflowError:
        pass
    raise _mismatch(where, "float", value)


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
    if isinstance(value, str):
        try:
            return b64decode(value, validate=True)
        except ValueError:
            raise _mismatch(where, "bytes in base64", value) from None
    raise _mismatch(where, "str", value)


_SCALARS: Final[Mapping[type, _Reader]] = {
    **{kind: _exactly(kind) for kind in (str, bool, int)},
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
