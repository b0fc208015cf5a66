"""Plain values: what Python objects become on their way into JSON.

In: records, enums, times, bytes, tuples, mappings and anything that is JSON already. Out: a fresh
copy in dicts, lists and scalars, or `canonical_json()`, the one spelling that is stored and hashed.
What JSON has no form for is refused, never guessed. Reading back is in `domain.record`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum, StrEnum
from functools import cache
from json.encoder import encode_basestring
from math import isfinite
from typing import Any, Final

from smartbrain.errors import UsageError

_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_TEXT: Final = frozenset({str})
_TOO_DEEP: Final = "the value is nested too deeply or holds itself; flatten it"


def canonical_json(value: object) -> str:
    """Return the single JSON spelling of a value: sorted keys, UTF-8, no blanks.

    Raises:
        UsageError: something in it is not JSON, such as NaN or half of a surrogate pair.
    """
    try:
        text = _spell(value)
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
    """Turn records, enums, times, bytes, tuples and mappings into a fresh copy `json` can write.

    Raises:
        UsageError: there is something in it that JSON has no form for.
    """
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
    if is_dataclass(kind):
        return _record_writer(kind)
    if issubclass(kind, Enum):
        return _plain_enum
    for family, write in _WRITERS:
        if issubclass(kind, family):
            return write
    raise UsageError(f"a {kind.__name__} cannot be stored as JSON; give plain values")


def _record_writer(kind: type) -> Callable[[Any], dict[str, Any]]:
    names = json_names(kind)

    def write_record(value: Any) -> dict[str, Any]:
        return {name: _plain(getattr(value, attribute)) for attribute, name in names}

    return write_record


def _plain_enum(value: Enum) -> Any:
    return _plain(value.value)


def _plain_items(value: Sequence[Any]) -> list[Any]:
    return [_plain(item) for item in value]


def _plain_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    if {*map(type, value)} <= _TEXT:  # nearly always, and twice as fast
        return {key: _plain(item) for key, item in value.items()}
    return {key: _plain(item) for key, item in text_keyed(value).items()}


def _plain_time(value: datetime) -> str:
    if value.utcoffset() is None:
        raise UsageError(f"the time {value} has no UTC offset; give it one", code="bad_time")
    return value.isoformat()


def _plain_bytes(value: bytes) -> str:
    return b64encode(value).decode()


def _as_is(value: Any) -> Any:
    return value


_WRITERS: Final[Sequence[tuple[type | tuple[type, ...], Callable[[Any], Any]]]] = (
    ((list, tuple), _plain_items),
    (Mapping, _plain_mapping),
    (datetime, _plain_time),
    (bytes, _plain_bytes),
    ((str, int, float), _as_is),
)


def _spell(value: Any) -> str:
    """Spell a value in one pass; a plain copy for the encoder of `json` takes twice as long."""
    kind: type = type(value)
    return (_SPELLERS.get(kind) or _speller(kind))(value)


def _spell_mapping(value: Mapping[Any, Any]) -> str:
    keyed = value if {*map(type, value)} <= _TEXT else text_keyed(value)
    parts = [
        f"{encode_basestring(key)}:{encode_basestring(item) if type(item) is str else _spell(item)}"
        for key, item in sorted(keyed.items())
    ]
    return f"{{{','.join(parts)}}}"


def _spell_items(value: Sequence[Any]) -> str:
    return f"[{','.join([_spell(item) for item in value])}]"


def _spell_float(value: float) -> str:
    if not isfinite(value):
        raise ValueError(f"{value} is not finite")
    return float.__repr__(value)


def _spell_bool(value: bool) -> str:
    return "true" if value else "false"


def _spell_null(_value: None) -> str:
    return "null"


@cache
def _speller(kind: type) -> Callable[[Any], str]:
    """Choose once a class how to spell what is not a plain type itself."""
    if is_dataclass(kind):
        return _record_speller(kind)
    if StrEnum in kind.__mro__:
        return encode_basestring  # it is its own text
    write = _writer(kind)

    def spell_other(value: Any) -> str:
        plain = write(value)
        for family in (str, int, float):
            if isinstance(plain, family) and type(plain) is not bool:
                return _SPELLERS[family](plain)
        return _spell(plain)

    return spell_other


def _record_speller(kind: type) -> Callable[[Any], str]:
    names = sorted((name, attribute) for attribute, name in json_names(kind))
    spelled = [(encode_basestring(name), attribute) for name, attribute in names]

    def spell_record(value: Any) -> str:
        held = [(name, getattr(value, attribute)) for name, attribute in spelled]
        parts = [
            f"{name}:{encode_basestring(one) if type(one) is str else _spell(one)}"
            for name, one in held
        ]
        return f"{{{','.join(parts)}}}"

    return spell_record


_SPELLERS: Final[Mapping[type, Callable[[Any], str]]] = {
    str: encode_basestring,
    dict: _spell_mapping,
    list: _spell_items,
    tuple: _spell_items,
    int: int.__repr__,
    float: _spell_float,
    bool: _spell_bool,
    type(None): _spell_null,
}


def text_keyed(value: Mapping[Any, Any]) -> dict[str, Any]:
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


def json_names(kind: type) -> tuple[tuple[str, str], ...]:
    """Each field's attribute and its name in JSON."""
    return tuple((field.name, field.metadata.get("json", field.name)) for field in fields(kind))
