"""Value shapes: what a field of a memory's value may hold, said in one small object.

In: a JSON value from a caller, a model or a file. Out: None or one sentence that names the field,
what it was and what is allowed; the caller chooses the error and its code. `stored()` gives the
form that is kept. Fields that a shape does not name are kept too, so that a newer writer never
loses anything to an older reader. Not a schema language: just what memory values need.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from difflib import get_close_matches
from math import isfinite
from typing import Any, Final

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.record import canonical_json, to_plain
from smartbrain.errors import UsageError

MAX_DEPTH: Final = 32
MAX_BYTES: Final = 64 * 1024
Where = str | tuple[Any, str | int]
"""The place of a value, spelled out only when it is refused: a name, or (parent, step)."""

_INTEGERS: Final = range(-(2**63), 2**63)
_MAPPING: Final = (dict, Mapping)  # the usual first: asking an abstract class is slow
_NESTED: Final = (*_MAPPING, list, tuple)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape(ABC):
    """What one field may hold; a field with a default is filled in when it was left out."""

    required: bool = True
    default: Any = None

    @property
    @abstractmethod
    def expected(self) -> str:
        """What is allowed, to end the sentence `it must be …`."""

    @abstractmethod
    def accepts(self, value: object) -> bool:
        """Tell whether a value that is there has this shape."""

    def absent(self, value: object) -> bool:
        """Tell whether a value counts as left out: null or blank text."""
        return value is None or (isinstance(value, str) and not value.strip())

    def problem(self, value: object, where: Where) -> str | None:
        """Return what is wrong with the value found at `where`, or None."""
        if self.accepts(value):
            return None
        return f"{_spelled(where)} is {shown(value)}; it must be {self.expected}"

    def stored(self, value: Any) -> Any:
        """Return the plain form of an accepted value."""
        return to_plain(value)


@dataclass(frozen=True, slots=True)
class Text(Shape):
    """Text in any language, not blank."""

    max_length: int = 10_000

    @property
    def expected(self) -> str:
        """Say so, with the longest that fits."""
        return f"text of 1 to {self.max_length} characters"

    def accepts(self, value: object) -> bool:
        """Take text that says something and fits."""
        return isinstance(value, str) and bool(value.strip()) and len(value) <= self.max_length


@dataclass(frozen=True, slots=True)
class Number(Shape):
    """A finite number, within limits when there are any."""

    minimum: float | None = None
    maximum: float | None = None

    def __post_init__(self) -> None:
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise UsageError(f"the minimum {self.minimum} is above the maximum {self.maximum}")

    @property
    def expected(self) -> str:
        """Name the kind of number and its limits."""
        return f"a number{self._limits()}"

    def accepts(self, value: object) -> bool:
        """Take integers and finite floats within the limits; true is not a number."""
        return _is_number(value) and self._within(value)

    def _within(self, value: Any) -> bool:
        return (self.minimum is None or value >= self.minimum) and (
            self.maximum is None or value <= self.maximum
        )

    def _limits(self) -> str:
        low = "" if self.minimum is None else f" from {self.minimum}"
        return low if self.maximum is None else f"{low} up to {self.maximum}"


@dataclass(frozen=True, slots=True)
class Integer(Number):
    """A whole number of at most 64 bits, within limits when there are any."""

    @property
    def expected(self) -> str:
        """Name the kind of number and its limits."""
        return f"an integer{self._limits()}"

    def accepts(self, value: object) -> bool:
        """Take integers within the limits; 3.0 and true are not integers."""
        return isinstance(value, int) and _is_number(value) and self._within(value)


@dataclass(frozen=True, slots=True)
class Boolean(Shape):
    """True or false."""

    expected = "true or false"

    def accepts(self, value: object) -> bool:
        """Take the two booleans; 0, 1 and "yes" are not booleans."""
        return isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Date(Shape):
    """A day as ISO 8601 writes it."""

    expected = "a date such as 2026-02-20"

    def accepts(self, value: object) -> bool:
        """Take YYYY-MM-DD of a day that exists."""
        if not isinstance(value, str) or not _DAY.fullmatch(value):
            return False
        try:
            date.fromisoformat(value)
        except ValueError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Time(Shape):
    """An instant as ISO 8601 writes it, with its UTC offset."""

    expected = "a time with its UTC offset such as 2026-02-20T09:30:00+08:00"

    def accepts(self, value: object) -> bool:
        """Take an ISO 8601 date and time that names its offset."""
        if not isinstance(value, str):
            return False
        try:
            return datetime.fromisoformat(value).tzinfo is not None
        except ValueError:
            return False


@dataclass(frozen=True, slots=True)
class When(Shape):
    """A day or an instant, whichever is known."""

    expected = f"{Date.expected} or {Time.expected}"

    def accepts(self, value: object) -> bool:
        """Take what a date or a time takes."""
        return Date().accepts(value) or Time().accepts(value)


@dataclass(frozen=True, slots=True)
class Anything(Shape):
    """Any JSON; null too where `null` says that it means something."""

    null: bool = False

    @property
    def expected(self) -> str:
        """Say so."""
        return "any JSON" if self.null else "any JSON but null"

    def accepts(self, value: object) -> bool:
        """Take everything that the JSON check of the whole value let through."""
        return not self.absent(value)

    def absent(self, value: object) -> bool:
        """Count only a null that means nothing; blank text is text here."""
        return value is None and not self.null


@dataclass(frozen=True, slots=True)
class Choice(Shape):
    """One of a few words."""

    options: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.options or not all(Text().accepts(option) for option in self.options):
            raise UsageError(f"choices are {shown(self.options)}; give one or more quoted words")

    @property
    def expected(self) -> str:
        """List them."""
        return f"one of {', '.join(self.options)}"

    def accepts(self, value: object) -> bool:
        """Take exactly these words."""
        return isinstance(value, str) and value in self.options

    def problem(self, value: object, where: Where) -> str | None:
        """Add the nearest word to the usual sentence."""
        wrong = Shape.problem(self, value, where)
        return wrong and wrong + did_you_mean(value, self.options)


@dataclass(frozen=True, slots=True)
class ListOf(Shape):
    """A list whose items all have one shape."""

    item: Shape
    max_items: int = 1000

    @property
    def expected(self) -> str:
        """Name the items' shape."""
        return f"a list of up to {self.max_items} items, each {self.item.expected}"

    def accepts(self, value: object) -> bool:
        """Take lists that are not too long; the items are looked at one by one."""
        return isinstance(value, list | tuple) and len(value) <= self.max_items

    def problem(self, value: object, where: Where) -> str | None:
        """Return the first problem of the list or of an item."""
        wrong = Shape.problem(self, value, where)
        if wrong is None and isinstance(value, list | tuple):
            found = (self.item.problem(entry, (where, n)) for n, entry in enumerate(value))
            wrong = next(filter(None, found), None)
        return wrong

    def stored(self, value: Any) -> Any:
        """Return the items in their stored form."""
        return [self.item.stored(entry) for entry in value]


@dataclass(frozen=True, slots=True)
class Object(Shape):
    """Named fields, each with its shape, and room for fields nobody named yet."""

    fields: Mapping[str, Shape] = field(default_factory=dict)

    def __post_init__(self) -> None:
        declared: Mapping[Any, Any] = self.fields
        for name, shape in declared.items():
            if not isinstance(name, str) or not name.strip():
                raise UsageError(f"a field is named {shown(name)}; name it with quoted text")
            if not isinstance(shape, Shape):
                raise UsageError(f"field {name} is {shown(shape)}; give a shape such as Text()")
            if shape.default is not None:
                wrong = json_problem(shape.default, name) or shape.problem(shape.default, name)
                if wrong:
                    raise UsageError(f"the default of {wrong}")

    @property
    def expected(self) -> str:
        """Name the fields that it needs."""
        needed = [name for name, shape in self.fields.items() if shape.required]
        return f"an object with {', '.join(needed)}" if needed else "an object"

    def accepts(self, value: object) -> bool:
        """Take objects; the fields are looked at one by one."""
        return isinstance(value, _MAPPING)

    def problem(self, value: object, where: Where) -> str | None:
        """Return the first problem of the object or of a field, in the order of declaration."""
        if not isinstance(value, _MAPPING):
            return Shape.problem(self, value, where)
        for name, shape in self.fields.items():
            if name in value and not shape.absent(value[name]):
                wrong = shape.problem(value[name], (where, name))
            elif shape.required and shape.default is None:
                stray = [key for key in value if key not in self.fields]
                near = get_close_matches(name, stray, n=1)
                instead = f", or did you mean it by {near[0]!r}?" if near else ""
                lacks = f"{_spelled(where)} lacks {name!r}"
                wrong = f"{lacks}; it must be {shape.expected}{instead}"
            else:
                continue
            if wrong:
                return wrong
        return None

    def stored(self, value: Any) -> Any:
        """Return every field in its stored form: left-out ones dropped or set to their default."""
        more = sorted(name for name in value if name not in self.fields)
        kept = {name: to_plain(value[name]) for name in more}
        for name, shape in self.fields.items():
            if name in value and not shape.absent(value[name]):
                kept[name] = shape.stored(value[name])
            elif shape.default is not None:
                kept[name] = shape.stored(shape.default)
        return kept


def json_problem(value: object, where: Where, depth: int = 1) -> str | None:
    """Return why a value cannot be stored as JSON, or None: the check every value passes first."""
    if isinstance(value, str):
        wrong = _text_problem(value)
    elif isinstance(value, int):
        wrong = None if value in _INTEGERS else "is an integer of over 64 bits; write it as text"
    elif isinstance(value, float):
        wrong = None if isfinite(value) else f"is {value}; a number must be finite"
    elif isinstance(value, _NESTED):
        return _nested_problem(value, where, depth)
    else:
        kind = type(value).__name__
        wrong = None if value is None else f"is a {kind}; it must be plain JSON"
    return wrong and f"{_spelled(where)} {wrong}"


def _nested_problem(value: Any, where: Where, depth: int) -> str | None:
    """Return the first problem of an object or a list, its names and items in their order."""
    if depth > MAX_DEPTH:
        return f"{_spelled(where)[:80]} is nested over {MAX_DEPTH} levels deep; flatten it"
    named = isinstance(value, _MAPPING)
    entries: Iterable[tuple[Any, Any]] = value.items() if named else enumerate(value)
    for name, item in entries:
        if named and not isinstance(name, str):
            return f"{_spelled(where)} has the field name {shown(name)}; names must be text"
        if named and (wrong := _text_problem(name)):
            return f"a field name in {_spelled(where)} {wrong}"
        if wrong := json_problem(item, (where, name), depth + 1):
            return wrong
    return None


def size_problem(value: object, where: str) -> str | None:
    """Return that a JSON value is too large to be a memory, or None."""
    size = len(canonical_json(value).encode())
    if size <= MAX_BYTES:
        return None
    return f"{where} takes {size} bytes as JSON; at most {MAX_BYTES}: keep the text as a raw chunk"


def _text_problem(text: str) -> str | None:
    """Return that a text holds half a character, which UTF-8 cannot write, or None."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"holds half a character (a lone surrogate) at position {error.start}; remove it"
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _spelled(where: Where) -> str:
    """Spell a place as it would be written in code."""
    if isinstance(where, str):
        return where
    parent, step = where
    if isinstance(step, str) and step.isidentifier():
        return f"{_spelled(parent)}.{step[:60]}"
    return f"{_spelled(parent)}[{shown(step)}]"
