"""The OpenAPI document: what every call takes, what it answers, and how it refuses.

In: the table of verbs, the bodies and answers of the graph calls. Out: operations with schemas made
from those very structs, so that the document cannot say anything else than the code does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from fastapi import FastAPI

from smartbrain.entrypoints.rest.graph_calls import CALLS
from smartbrain.entrypoints.wire.errors import HTTP_BY_CODE, OUTSIDE, REFUSALS, RETRY_STATUS
from smartbrain.entrypoints.wire.verbs import verbs

EXAMPLES: Final[dict[str, Any]] = msgspec.json.decode(
    files("smartbrain.entrypoints.rest").joinpath("examples.json").read_bytes()
)
"""A body for calls that one would try, by path; sent in this order each finds what it names."""
JSON: Final = "application/json"
PARAMETERS: Final = [
    {
        "name": "SmartBrain-Tenant",
        "in": "header",
        "description": "Whose memory, percent-encoded; if left out, whom the key is for alone,"
        " else `default`.",
        "schema": {"type": "string"},
    }
]
STREAM_PARAMETERS: Final = [
    {"name": name, "in": place, "description": meaning, "schema": {"type": kind}}
    for name, place, meaning, kind in (
        ("Last-Event-ID", "header", "Begin after this event; else now.", "integer"),
        ("since", "query", "The same, for those who cannot set headers.", "integer"),
        ("heartbeat", "query", "Seconds of silence at most; 15 if left out.", "integer"),
        ("kinds", "query", "Only these kinds, with commas between them.", "string"),
    )
]
_REF: Final = "#/components/schemas/{name}"


class RefusalDetails(msgspec.Struct, frozen=True):
    """Why a call was refused; `retryable` where trying again can help."""

    code: str
    message: str
    retryable: bool = False


class Error(msgspec.Struct, frozen=True):
    """The answer to a call that is refused, or that failed."""

    error: RefusalDetails
    request_id: str


class HookEvent(msgspec.Struct, frozen=True):
    """An event of a coding agent, with whatever fields its kind has."""

    hook_event_name: str
    session_id: str


def body_of(path: str, kind: Any) -> dict[str, Any]:
    """Return the body of a call, with an example that can be sent as it stands."""
    example = {"example": EXAMPLES[path]} if path in EXAMPLES else {}
    return {"content": {JSON: {"schema": schema_of(kind), **example}}}


def answers_of(*kinds: Any, media_type: str = JSON) -> dict[str, Any]:
    """Return all answers of a call: those of some kinds, none if it gives none, and refusals."""
    schemas = [schema_of(kind) for kind in kinds]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    given = {"description": "The answer.", "content": {media_type: {"schema": schema}}}
    return {**({"200": given} if kinds else {}), **_refusals()}


def schema_of(kind: Any) -> Mapping[str, Any]:
    """Return the schema of a kind that the document knows."""
    return _schemas()[0][kind]


class DescribedApp(FastAPI):
    """An application that tells of the schemas that its operations refer to."""

    def openapi(self) -> dict[str, Any]:
        """Return the document, made once."""
        is_new = self.openapi_schema is None
        found = super().openapi()
        if is_new:
            components = found.setdefault("components", {})
            components["schemas"] = {**components.get("schemas", {}), **_schemas()[1]}
            components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            found["security"] = [{}, {"key": []}]
        return found


@cache
def _refusals() -> dict[str, Any]:
    """Return every status of a refusal, whose body is always the same."""
    statuses = {RETRY_STATUS, *HTTP_BY_CODE.values()}
    statuses |= {codes.http_status for codes in OUTSIDE.values()}
    statuses |= {codes.http_status for codes in REFUSALS.values()}
    error = {JSON: {"schema": schema_of(Error)}}
    return {
        str(status): {"description": "Refused.", "content": error} for status in sorted(statuses)
    }


@cache
def _schemas() -> tuple[dict[Any, dict[str, Any]], dict[str, Any]]:
    """Return the schema of every kind that is taken or given, and the components they refer to."""
    plain = (str, dict[str, str], dict[str, Any])
    kinds = {*plain, Error, HookEvent, *(kind for call in CALLS.values() for kind in call.kinds)}
    for verb in verbs().values():
        kinds |= {verb.arguments, *verb.results}
    ordered = sorted(kinds, key=str)  # the same document from every process
    found, components = msgspec.json.schema_components(ordered, ref_template=_REF)
    return dict(zip(ordered, found, strict=True)), components
