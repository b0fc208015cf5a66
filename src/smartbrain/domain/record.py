"""Records: frozen structs that become JSON and come back.

In: any frozen struct that inherits `Record`. Out: `to_dict()` with keys in field order and plain
JSON values; `from_dict()` that ignores unknown fields, so a newer writer never breaks an older
reader; and `canonical_json()`, the one spelling that is stored and hashed. A field whose JSON name
is no Python name says so: `field(name="from")`. What JSON has no form for is refused, never
guessed; what a value may be beyond its type is checked where it enters.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from json import JSONEncoder
from typing import Annotated, Any, Final, Self

import msgspec

from smartbrain.errors import UsageError

Instant = Annotated[datetime, msgspec.Meta(tz=True)]
"""A time that a caller gives, with its UTC offset."""

_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_TEXT: Final = frozenset({str})
_LONGEST_REFUSAL: Final = 200
_TOO_DEEP: Final = "the value is nested too deeply or holds itself; flatten it"
_TOLD: Final = 8  # fields of a record in its repr
_BRIEF: Final = 40  # characters of a field in it
_encode: Final = JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


class Record(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """What every value and contract inherits: a stable JSON form, both ways."""

    def __repr__(self) -> str:
        """Name what differs from the default, on one line that stays short."""
        told = [f"{name}={_brief(value)}" for name, value in self.__rich_repr__()]
        more = ", …" if len(told) > _TOLD else ""
        return f"{type(self).__name__}({', '.join(told[:_TOLD])}{more})"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: field order, enums by value, times in ISO 8601, bytes in base64."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form back; unknown fields are ignored, missing ones take their default."""
        try:
            # What is not flat is copied first, so that a record keeps no hold on it.
            is_flat = type(data) is dict and {*map(type, data.values())} <= _PLAIN
            record: Self = msgspec.convert(data if is_flat else to_plain(data), cls)
        except msgspec.ValidationError as error:
            raise UsageError(f"{cls.__name__}: {error}"[:_LONGEST_REFUSAL]) from None
        return record


def _brief(value: object) -> str:
    """Return a value as it is shown beside others: short, on one line."""
    if isinstance(value, Enum):
        return repr(value.value)
    if isinstance(value, datetime):
        return f"'{value.isoformat()}'"
    if isinstance(value, Record):
        return f"{type(value).__name__}(…)"
    if isinstance(value, Sized) and not isinstance(value, str):
        return f"<{len(value)}>" if value else "[]"
    text = value if isinstance(value, str) else repr(value)
    shown = text if len(text) <= _BRIEF else text[: _BRIEF - 1] + "…"
    return repr(shown) if isinstance(value, str) else shown


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
        names = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
        return _record_writer(tuple(names))
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


def _plain_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Copy a mapping with its keys spelled as text; one spelling for two would lose a value."""
    keyed = value if {*map(type, value)} <= _TEXT else {_key(key): value[key] for key in value}
    if len(keyed) != len(value):
        raise UsageError("two keys of one object have the same spelling; rename one")
    return {key: _plain(item) for key, item in keyed.items()}


def _plain_time(value: datetime) -> str:
    if value.utcoffset() is None:
        raise UsageError(f"the time {value} has no UTC offset; give it one", code="bad_time")
    return value.isoformat()


_WRITERS: Final[Sequence[tuple[type | tuple[type, ...], Callable[[Any], Any]]]] = (
    ((list, tuple), lambda value: [_plain(item) for item in value]),
    (Mapping, _plain_mapping),
    (datetime, _plain_time),
    (bytes, lambda value: b64encode(value).decode()),
    ((str, int, float), lambda value: value),
)


def _key(key: Any) -> str:
    """Spell the key of an object: text, or a whole number or enum that has one spelling as text."""
    if isinstance(key, Enum):
        key = key.value
    if isinstance(key, str):
        return key
    if isinstance(key, int) and not isinstance(key, bool):
        return str(key)
    raise UsageError(f"an object's keys are text, not {type(key).__name__}; rename {key!r:.80}")
