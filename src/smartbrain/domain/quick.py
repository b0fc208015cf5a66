"""Frozen dataclasses that are made, and copied with a change, as fast as if they were not frozen.

In: a frozen dataclass with slots. Out: the same class. A frozen one sets each field by a call that
takes three times as long as an assignment, and a turn makes a hundred records. Here the fields are
assigned while the record is of an open class of the same layout; then it is closed, before anybody
sees it. Not for classes that do something of their own when one is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import cache, wraps
from typing import Any, NamedTuple, TypeVar

_Kind = TypeVar("_Kind")


class _Made(NamedTuple):
    """How records of a class are made, and copied with some fields changed."""

    init: Callable[..., None]
    copy: Callable[[Any, dict[str, Any]], Any]


def quick(kind: type[_Kind]) -> type[_Kind]:
    """Let a frozen dataclass with slots be made quickly; how is worked out when the first one is.

    Importing the domain must not cost what that takes.
    """
    closed: Any = kind

    @wraps(closed.__init__)
    def first(self: Any, *given: Any, **named: Any) -> None:
        closed.__init__ = init = _made(closed).init
        init(self, *given, **named)

    closed.__init__ = first
    return kind


def replace(record: _Kind, **values: Any) -> _Kind:
    """Return a copy of a record with other values in some of its fields, as `dataclasses` does.

    It may be of any class with slots that does nothing of its own when one is made.

    Raises:
        AttributeError: it has no such field.
    """
    kind: Any = type(record)
    copied: _Kind = _made(kind).copy(record, values)
    return copied


@cache
def _made(kind: Any) -> _Made:
    """Write the two functions of a class, as `dataclasses` writes its own."""
    assert not hasattr(kind, "__post_init__"), kind
    # With only one of the two, setting would go by way of the other one's method.
    plain = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    known: dict[str, Any] = {
        "_Open": type(kind.__name__, (kind,), {"__slots__": (), **plain}),
        "_Kind": kind,
        "_new": object.__new__,
        "_set": object.__setattr__,
        "_MISSING": MISSING,
    }
    every = fields(kind)
    for each in every:
        known[f"_default_{each.name}"] = each.default
        known[f"_factory_{each.name}"] = each.default_factory
    lines = [
        f"def init({', '.join(_parameters(every))}):",
        " _own = self.__class__",  # a class that is made of this one stays what it is
        " _set(self, '__class__', _Open)",
        *(f" self.{each.name} = {_given(each)}" for each in every),
        " self.__class__ = _own",
        "def copy(self, values):",
        " new = _new(_Open)",
        *(f" new.{each.name} = self.{each.name}" for each in every),
        " for name, value in values.items():",
        "  setattr(new, name, value)",
        " new.__class__ = _Kind",
        " return new",
    ]
    exec("\n".join(lines), known)  # noqa: S102 - made of nothing but the names of fields
    known["init"].__qualname__ = f"{kind.__qualname__}.__init__"  # what errors call it
    return _Made(known["init"], known["copy"])


def _parameters(every: tuple[Field[Any], ...]) -> list[str]:
    """Return the parameters of a class's fields, those that are given by name alone last."""
    named = [_parameter(each) for each in every if each.kw_only]
    placed = [_parameter(each) for each in every if not each.kw_only]
    return ["self", *placed, *(["*", *named] if named else [])]


def _parameter(each: Field[Any]) -> str:
    """Return one parameter."""
    if each.default is not MISSING:
        return f"{each.name}=_default_{each.name}"
    return each.name if each.default_factory is MISSING else f"{each.name}=_MISSING"


def _given(each: Field[Any]) -> str:
    """Return the value that a field gets."""
    if each.default_factory is MISSING:
        return each.name
    return f"_factory_{each.name}() if {each.name} is _MISSING else {each.name}"
