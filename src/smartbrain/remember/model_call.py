"""A call of a tool as a provider gives it: OpenAI's tool call, Anthropic's tool use, or plain.

In: a dict or an object of an SDK, which is never imported. Out: the tool's name, its arguments and
the id that the answer refers to. Arguments that cannot be read are the model's mistake and are told
in `problem`; what is no call at all is the caller's and is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from smartbrain.domain.hints import shown
from smartbrain.errors import UsageError
from smartbrain.remember.objects import as_mapping, present


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
