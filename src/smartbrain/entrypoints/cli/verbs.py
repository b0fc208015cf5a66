"""Commands made of verbs: the words of a call become its arguments, and its result is shown.

In: verbs of the one table, and names for the commands. Out: groups for typer. What a verb needs
are words in order, what it can do without are options; fields of a value are written `name=value`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter, Signature
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import typer

from smartbrain.domain.artifact import Artifact, ArtifactPage
from smartbrain.domain.page import Page
from smartbrain.entrypoints.cli.groups import Group, command_words
from smartbrain.entrypoints.cli.options import (
    SessionOption,
    about_tenant,
    begun_brain,
    opened_brain,
    read_moment,
    stored_brain,
)
from smartbrain.entrypoints.cli.show import name_of
from smartbrain.entrypoints.wire.verbs import Verb, verbs
from smartbrain.errors import UsageError

_SESSION: Final = "session_id"
_MOMENT: Final = "to"
_BEGINNERS: Final = frozenset(
    {"memories.put", "runs.start", "plan.add", "notebook.add", "fastmemo.add"}
)
"""Verbs that store something new: they make a brain where there is none."""
_LISTINGS: Final = frozenset({"list", "history", "turns"})
"""Methods that show nothing where nothing is stored yet, and do not fail."""
_ROWS: Final[Mapping[Any, Any]] = {ArtifactPage: Artifact}
"""What the rows of a page are, where nothing else is said of none of them."""


def verb_group(name: str, group: typer.Typer | None = None) -> typer.Typer:
    """Return a group with the commands that `commands.toml` names for it, each of a verb."""
    group = group or typer.Typer(cls=Group, rich_markup_mode=None)
    for command, verb in command_words()["verbs"].get(name, {}).items():
        add_verb(group, command, verbs()[verb])
    return group


def add_verb(group: typer.Typer, name: str, verb: Verb) -> None:
    """Make a command of a verb."""
    hints = {one.name: _kind(verb.hint(one.annotation)) for one in verb.parameters}
    empty, kind = _shown(verb)

    def run(brain: Any, **given: Any) -> Any:
        told = {
            one: _value(hints[one], value, one)
            for one, value in given.items()
            if value is not None and value is not False and value != []
        }
        result = empty() if brain is None else verb.bound(brain)(**verb.read(told))
        return [result] if name_of(kind) and not isinstance(result, Sequence) else result

    run.__doc__ = re.sub(r"^Return\b", "Show", verb.about)  # as it is at a prompt
    needed = [_argument(one, hints[one.name], verb) for one in verb.parameters]
    words = sorted(needed, key=lambda one: one.default is not one.empty)
    brain = Parameter("brain", Parameter.POSITIONAL_ONLY)
    vars(run)["__signature__"] = Signature([brain, *words])
    reader = opened_brain if empty else stored_brain
    opened = begun_brain if verb.name in _BEGINNERS else reader
    group.command(name)(about_tenant(opened, kind)(run))


def _shown(verb: Verb) -> tuple[Any, Any]:
    """Return what a listing gives where nothing is, and the type that a result is shown as."""
    result, is_listing = verb.result, verb.method in _LISTINGS
    if get_origin(result) is Sequence:
        return list if is_listing else None, get_args(result)[0]
    is_page = isinstance(result, type) and issubclass(result, Page)
    return result if is_page else None, _ROWS.get(result, result)


def _argument(given: Parameter, kind: type, verb: Verb) -> Parameter:
    words = command_words()["arguments"]
    meaning = verb.meanings.get(given.name) or words.get(given.name, "")
    meaning = meaning[:1].upper() + meaning[1:]
    is_needed = given.default is given.empty
    typed = list[str] if kind in (list, dict) else kind
    if given.name == _SESSION:
        option = typer.Option("--session", help=words[_SESSION])
        annotation: Any = SessionOption if is_needed else Annotated[str | None, option]
    elif is_needed:
        annotation = Annotated[typed, typer.Argument(help=meaning)]
    else:
        flag = f"--{given.name.removesuffix('_id').replace('_', '-')}"
        annotation = Annotated[typed | None, typer.Option(flag, help=meaning)]
    default = given.empty if is_needed else (False if kind is bool else None)
    return Parameter(given.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _kind(hint: Any) -> type:
    """Return what a word of the command line is for a verb: dict and list are several words."""
    origin, options = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        kinds = [_kind(one) for one in options if one is not type(None)]
        several = [one for one in kinds if one in (list, dict)]
        return several[0] if several else (kinds[0] if len({*kinds}) == 1 else str)
    if origin is not None and issubclass(origin, Mapping):
        return dict
    if origin in (list, Sequence, Iterable):
        return list
    return hint if hint in (bool, int, float) else str


def _value(kind: type, given: Any, name: str) -> Any:
    if kind is dict:
        return _fields(given, name)
    return read_moment(given) if name == _MOMENT else given


def _fields(words: Sequence[str], name: str) -> dict[str, Any]:
    """Read fields: one JSON object, or `name=value` each, where a value may be JSON."""
    if len(words) == 1 and isinstance(whole := _json(words[0]), dict):
        return whole
    found = {}
    for word in words:
        field, equals, value = word.partition("=")
        if not (field and equals):
            raise UsageError(
                f"{name}: {word!r:.60} is no field; write such as attribute=port value=8443"
            )
        found[field] = _json(value)
    return found


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
