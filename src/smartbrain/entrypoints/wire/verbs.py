"""The one table of verbs: what can be asked of a brain from outside this process.

In: `SmartBrain` and its groups, looked at. Out: of each verb its arguments as a struct with a JSON
schema, its result as plain JSON, and the way back. What opens, closes or changes a handle, and what
reads or writes a file of the machine that the brain is on, is no verb of this table.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, cached_property, reduce
from operator import or_
from os import PathLike
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, is_typeddict

import msgspec

import smartbrain
from smartbrain.brain import GROUPS
from smartbrain.brain.mirror import public_methods
from smartbrain.domain.record import to_plain
from smartbrain.errors import UsageError

HANDLE_ONLY: Final = frozenset({"open", "close", "configure", "subscribe", "tenant"})
"""Methods that are about a handle, not about what is remembered."""
LOCAL: Final = frozenset({"path", "file", "on_progress"})
"""Arguments that mean something only on the machine of the brain; they never come from outside."""
_ARGS: Final = re.compile(r"^Args:\n(.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_ARG: Final = re.compile(r"^    (\w+): (.*(?:\n     .*)*)", re.MULTILINE)
_OMITTED: Final = msgspec.UNSET


class Verb:
    """One verb: its name, such as `recall` or `memories.get`, what it takes and what it gives."""

    def __init__(self, group: str, method: str) -> None:
        self.group = group
        self.method = method
        self.name = f"{group}.{method}" if group else method
        self.function: Callable[..., Any] = getattr(GROUPS[group], method)
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        self.takes_more = any(one.kind is one.VAR_KEYWORD for one in parameters)
        self.parameters = [
            one for one in parameters if one.kind is not one.VAR_KEYWORD and one.name not in LOCAL
        ]

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return self._doc.partition("\n")[0]

    @property
    def about(self) -> str:
        """What it does, without what it takes and raises."""
        return re.split(r"\n\n(?:Args|Raises|Returns):", self._doc)[0]

    @property
    def _doc(self) -> str:
        return inspect.getdoc(self.function) or ""

    @cached_property
    def meanings(self) -> Mapping[str, str]:
        """What its arguments mean, those that the docstring tells of."""
        said = _ARGS.search(self._doc)
        return {
            name: " ".join(meaning.split())
            for name, meaning in (_ARG.findall(said[1]) if said else ())
        }

    @cached_property
    def arguments(self) -> type[msgspec.Struct]:
        """What it takes, as a struct; a field that may be left out has no value of its own."""
        fields: list[tuple[str, Any, Any]] = []
        for one in self.parameters:
            kind = _json_type(self.hint(one.annotation))
            if one.name in self.meanings:
                kind = Annotated[kind, msgspec.Meta(description=self.meanings[one.name])]
            if one.default is one.empty:
                fields.append((one.name, kind, msgspec.NODEFAULT))
            else:
                fields.append((one.name, kind | msgspec.UnsetType, _OMITTED))
        title = "".join(word.title() for word in re.split(r"[._]", self.name))
        return msgspec.defstruct(
            f"{title}Arguments",
            [
                (name, kind) if default is msgspec.NODEFAULT else (name, kind, default)
                for name, kind, default in fields
            ],
            kw_only=True,
            frozen=True,
            forbid_unknown_fields=not self.takes_more,
        )

    @cached_property
    def result(self) -> Any:
        """The type of what it gives."""
        return self.hint(inspect.signature(self.function).return_annotation)

    @property
    def results(self) -> tuple[Any, ...]:
        """The types that its answer may be one of."""
        is_union = get_origin(self.result) in (Union, types.UnionType)
        return get_args(self.result) if is_union else (self.result,)

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments as the method takes them."""
        try:
            read = msgspec.convert(given, self.arguments)
        except msgspec.ValidationError as error:
            raise UsageError(f"{self.name}: {_spell(error)}") from None
        names = self.arguments.__struct_fields__
        found = {name: getattr(read, name) for name in names}
        more = {name: value for name, value in given.items() if name not in names}
        return {**more, **{name: one for name, one in found.items() if one is not _OMITTED}}

    def call(self, brain: object, given: Mapping[str, Any]) -> Any:
        """Ask a brain, and return the answer as plain JSON."""
        return plain_result(self.bound(brain)(**self.read(given)))

    def bound(self, brain: object) -> Callable[..., Any]:
        """Return the method of a brain that this is."""
        owner = getattr(brain, self.group) if self.group else brain
        method: Callable[..., Any] = getattr(owner, self.method)
        return method

    def hint(self, annotation: Any) -> Any:
        """Return the type that an annotation names."""
        if not isinstance(annotation, str):
            return annotation
        module = inspect.getmodule(self.function)
        return eval(annotation, {**_public_types(), **vars(module)})  # noqa: S307 # nosec B307 - ours


@cache
def _public_types() -> dict[str, Any]:
    return {name: getattr(smartbrain, name) for name in smartbrain.__all__}


@cache
def verbs() -> Mapping[str, Verb]:
    """Return all verbs by name, those without a group first."""
    return {verb.name: verb for verb in _all_verbs()}


def _all_verbs() -> Iterator[Verb]:
    for group, kind in GROUPS.items():
        for name, method in public_methods(kind):
            if isinstance(method, staticmethod) or (not group and name in HANDLE_ONLY):
                continue
            parameters = inspect.signature(method).parameters
            files = [parameters[one] for one in LOCAL.intersection(parameters)]
            if all(one.default is not one.empty for one in files):
                yield Verb(group, name)


def plain_result(value: Any) -> Any:
    """Return what a verb gave as plain JSON."""
    write = getattr(value, "to_dict", None)
    if write is not None:
        return write()
    if isinstance(value, list | tuple):
        return [plain_result(one) for one in value]
    return to_plain(value)


def read_result(verb: Verb, plain: Any) -> Any:
    """Return what a verb gave from its plain JSON; of several structs, the one of its fields."""
    first, *others = verb.results
    if others:
        first = next(one for one in verb.results if {*one.__struct_fields__} == plain.keys())
    return msgspec.convert(plain, first)


def _json_type(hint: Any) -> Any:
    """Return the type that a hint allows in JSON: no paths and times that text already covers."""
    origin, options = get_origin(hint), get_args(hint)
    if hint is object:
        return Any
    if origin is Literal:
        return str  # what it may be is checked, and told of, where it is read
    if is_typeddict(hint):
        return dict[str, Any]
    if origin in (Union, types.UnionType):
        if any(getattr(one, "_is_protocol", False) for one in options):
            return Any  # an object of a library, or what it is in JSON
        kinds = [_json_type(one) for one in options if get_origin(one) is not PathLike]
        shapes = [one for one in kinds if get_origin(one) is dict]
        kept = [
            one
            for one in kinds
            if not (one is datetime and str in kinds) and not (shapes and _is_struct(one))
        ]
        return reduce(or_, kept)
    if origin in (Sequence, Iterable):
        return list[_json_type(options[0])]  # type: ignore[misc]
    if origin is Mapping:
        return dict[str, Any]
    return hint


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _spell(error: msgspec.ValidationError) -> str:
    """Return what is wrong with arguments, with the place first: `$.k` is the argument `k`."""
    what, _, place = str(error).partition(" - at `$.")
    said = what.replace("Object missing required field", "it needs").replace(
        "Object contains unknown field", "it has no argument"
    )
    return f"{place.rstrip('`')}: {said}" if place else said
