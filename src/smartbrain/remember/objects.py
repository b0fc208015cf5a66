"""What a provider gives, as a dict or an object of its SDK: the fields of it, and a call of a tool.

In: any value; SDKs are not imported, an object is known by what it can do. Out: its fields, text
where text must be, and the name, arguments and id of a call that a model makes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, NamedTuple

from smartbrain.domain.hints import shown
from smartbrain.domain.record import Record
from smartbrain.errors import UsageError


def as_mapping(value: object, where: str) -> Mapping[str, Any] | None:
    """Return the fields of a dict or an object; None for what has none.

    Raises:
        UsageError: the object does not give its fields.
    """
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
    """Return what must be text; whether it can be stored is seen later.

    Raises:
        UsageError: it is something else.
    """
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
    """Read a call.

    Raises:
        UsageError: it is no call that a provider gives.
    """
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
