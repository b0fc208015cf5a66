"""The OpenAPI document: every operation with the schema of its body, from the table of verbs.

In: verbs and calls. Out: what FastAPI adds to each route, and the components that these refer to.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec
from fastapi import FastAPI

from smartbrain.entrypoints.rest.graph_calls import CALLS
from smartbrain.entrypoints.wire.errors import HTTP_BY_CODE, OUTSIDE, RETRY_STATUS
from smartbrain.entrypoints.wire.refusals import REFUSALS
from smartbrain.entrypoints.wire.verbs import Verb, verbs

_REF: Final = "#/components/schemas/{name}"
_ERROR: Final = {
    "type": "object",
    "required": ["error", "request_id"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "retryable": {"type": "boolean"},
            },
        },
        "request_id": {"type": "string"},
    },
}
_HEADERS: Final = [
    {
        "name": "SmartBrain-Tenant",
        "in": "header",
        "description": "Whose memory, percent-encoded; `default` if left out.",
        "schema": {"type": "string"},
    }
]


_STREAM: Final = [
    {"name": name, "in": place, "description": meaning, "schema": {"type": kind}}
    for name, place, meaning, kind in (
        ("Last-Event-ID", "header", "Begin after this event; else now.", "integer"),
        ("since", "query", "The same, for those who cannot set headers.", "integer"),
        ("heartbeat", "query", "Seconds of silence at most; 15 if left out.", "integer"),
        ("kinds", "query", "Only these kinds, with commas between them.", "string"),
    )
]


def verb_operation(verb: Verb) -> dict[str, Any]:
    """Return what OpenAPI is told of a verb."""
    tag = verb.group or "brain"
    return {**_operation(verb.arguments.__name__), "tags": [tag], "parameters": _HEADERS}


def call_operation(path: str, kind: type[Any]) -> dict[str, Any]:
    """Return what OpenAPI is told of a call of the graph memory specification."""
    return {**_operation(kind.__name__), "operationId": path.strip("/"), "tags": ["graph memory"]}


def stream_operation() -> dict[str, Any]:
    """Return what OpenAPI is told of the stream of events."""
    content = {"text/event-stream": {"schema": {"type": "string"}}}
    found = {"200": {"description": "A stream without end.", "content": content}}
    responses = {**found, **_refusals()}
    return {"tags": ["brain"], "parameters": [*_HEADERS, *_STREAM], "responses": responses}


def bare_operation() -> dict[str, Any]:
    """Return what OpenAPI is told of an address that takes no arguments."""
    return {"responses": _refusals(), "parameters": _HEADERS}


def describe(app: FastAPI) -> None:
    """Have an application tell of the schemas that its operations refer to."""
    plain = app.openapi

    @cache
    def document() -> dict[str, Any]:
        found = plain()
        components = found.setdefault("components", {})
        components["schemas"] = {**components.get("schemas", {}), **_schemas(), "Error": _ERROR}
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{}, {"key": []}]
        return found

    app.openapi = document  # type: ignore[method-assign]


def _operation(name: str) -> dict[str, Any]:
    schema = {"$ref": _REF.format(name=name)}
    return {
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": _refusals(),
    }


def _refusals() -> dict[str, Any]:
    """Return every status of a refusal, whose body is always the same."""
    statuses = {outside.http_status for outside in OUTSIDE.values()} | {
        *HTTP_BY_CODE.values(),
        RETRY_STATUS,
    }
    statuses |= {codes.http_status for codes in REFUSALS.values()}
    error = {"application/json": {"schema": {"$ref": _REF.format(name="Error")}}}
    return {
        str(status): {"description": "Refused.", "content": error} for status in sorted(statuses)
    }


def _schemas() -> dict[str, Any]:
    kinds = [verb.arguments for verb in verbs().values()] + [kind for kind, _ in CALLS.values()]
    return msgspec.json.schema_components(kinds, ref_template=_REF)[1]
