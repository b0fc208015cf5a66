"""The HTTP server put together: verbs, graph calls, events, errors, health, metrics, OpenAPI.

In: an open root, the keys. Out: an ASGI application. A verb runs on a thread and to its end, even
if whoever asked has gone; when the server stops, what runs is finished and then the brain closed. A
stream of events (S4) begins after a number, and ends when its key is revoked or the server stops;
clients come again with the last number they have.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from importlib.resources import files
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import anyio
import msgspec
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from smartbrain import __version__
from smartbrain.bootstrap.following import PAUSE
from smartbrain.bootstrap.metrics import prometheus_text
from smartbrain.brain import SmartBrain
from smartbrain.brain.handle import read_events
from smartbrain.domain.memory_event import EventPage, MemoryEvent, read_kinds
from smartbrain.entrypoints.agents.hooks import AgentHooks, event_of
from smartbrain.entrypoints.rest.access import (
    HOOKS,
    STREAM,
    add_access,
    add_errors,
    json_response,
)
from smartbrain.entrypoints.rest.graph_calls import CALLS, CREATING, read_call
from smartbrain.entrypoints.rest.keys import ALL_TENANTS, Admission, ApiKey, ApiKeys
from smartbrain.entrypoints.wire.errors import (
    HTTP_BY_CODE,
    OUTSIDE,
    REFUSALS,
    RETRY_STATUS,
)
from smartbrain.entrypoints.wire.limits import read_json
from smartbrain.entrypoints.wire.service import (
    Service,
    check_tenant,
    with_idempotency,
)
from smartbrain.entrypoints.wire.verbs import Verb, verbs
from smartbrain.errors import SmartBrainError, UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Root

_log = logging.getLogger(__name__)

LAST_EVENT: Final = "Last-Event-ID"
HEARTBEAT_SECONDS: Final = 15
EXAMPLES: Final[dict[str, Any]] = msgspec.json.decode(
    files("smartbrain.entrypoints.rest").joinpath("examples.json").read_bytes()
)
"""A body for calls that one would try, by path; sent in this order each finds what it names."""
COMPRESSED_BYTES: Final = 4096
"""From this size on an answer is compressed for clients that take it."""
_MOST_DIGITS: Final = 18
_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
_EVENT: Final = {
    "type": "object",
    "required": ["hook_event_name", "session_id"],
    "properties": {"hook_event_name": {"type": "string"}, "session_id": {"type": "string"}},
}
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
_PARAMETERS: Final = [
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


def make_app(
    root: Root,
    keys: ApiKeys,
    *,
    is_local: bool = True,
    is_open: bool = False,
    max_body: int | None = None,
) -> FastAPI:
    """Return the server of a root; `is_local` if nobody but this machine reaches it.

    With `is_open` others need no key either, before one was made.
    """
    service = Service(root)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        beside: list[Any] = app.state.beside  # servers of the same root, such as that of gRPC
        for server in beside:
            server.start()
        yield
        for server in beside:
            await anyio.to_thread.run_sync(server.stop)
        await anyio.to_thread.run_sync(root.close)

    app = FastAPI(
        title="SmartBrain", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None
    )
    app.state.beside = []
    _add_verbs(app, service)
    _add_stream(app, service, keys)
    _add_hooks(app, service)
    _add_graph_calls(app, service)
    _add_health(app, service)
    add_errors(app, str(root.path))
    _describe(app)
    app.add_middleware(GZipMiddleware, minimum_size=COMPRESSED_BYTES, compresslevel=1)
    add_access(app, root, Admission(keys, is_local, is_open), max_body=max_body)
    return app


async def read_body(request: Request) -> dict[str, Any]:
    """Return the JSON object that a request has as its body; none at all is an empty one."""
    body = await request.body()
    most = request.app.state.limits.rules.max_json_depth
    given = read_json(body, most) if body.strip() else {}
    if not isinstance(given, dict):
        raise UsageError("the body must be a JSON object with the arguments by name")
    return given


def _add_route(
    app: FastAPI, path: str, endpoint: Callable[..., Any], summary: str, **operation: Any
) -> None:
    """Add a call; `operation` is what OpenAPI is told of it beside what every call has."""
    method, name = operation.pop("method", "POST"), operation.pop("name", None)
    told = {"parameters": _PARAMETERS, **operation}
    responses = {**told.get("responses", {}), **_refusals()}
    app.add_api_route(
        path,
        endpoint,
        methods=[method],
        name=name,
        summary=summary,
        openapi_extra={**told, "responses": responses},
    )


def _body(path: str, schema: dict[str, Any]) -> dict[str, Any]:
    example = {"example": EXAMPLES[path]} if path in EXAMPLES else {}
    return {"content": {"application/json": {"schema": schema, **example}}}


def _schema(kind: type[Any]) -> dict[str, Any]:
    return {"$ref": _REF.format(name=kind.__name__)}


def _add_verbs(app: FastAPI, service: Service) -> None:
    """Add `POST /v1/<verb>` for every verb, and `POST /v1/open`, which begins a tenant."""

    def endpoint(verb: Verb) -> Callable[[Request], Awaitable[Response]]:
        async def ask(request: Request) -> Response:
            tenant = check_tenant(request.state.key, request.state.told.tenant)
            body = await read_body(request)
            given = with_idempotency(verb, body, request.state.told.idempotency)
            call = partial(service.call, verb, tenant, given)
            return json_response(await anyio.to_thread.run_sync(call))

        return ask

    async def begin(request: Request) -> Response:
        tenant = check_tenant(request.state.key, request.state.told.tenant)
        return json_response(await anyio.to_thread.run_sync(service.open, tenant))

    _add_route(app, "/v1/open", begin, "Begin a tenant.")
    for verb in verbs().values():
        path = f"/v1/{verb.name}"
        body = _body(path, _schema(verb.arguments))
        more = {"tags": [verb.group or "brain"], "requestBody": body}
        _add_route(app, path, endpoint(verb), verb.summary, name=verb.name, **more)


def _add_stream(app: FastAPI, service: Service, keys: ApiKeys) -> None:
    async def follow(request: Request) -> Response:
        tenant = check_tenant(request.state.key, request.state.told.tenant)
        brain = await anyio.to_thread.run_sync(partial(service.brain, tenant, create=False))
        key: ApiKey | None = request.state.key
        return await stream_events(request, brain, may_go_on=lambda: key is None or keys.holds(key))

    content = {"text/event-stream": {"schema": {"type": "string"}}}
    _add_route(
        app,
        STREAM,
        follow,
        "Follow what happens to memory, as server-sent events.",
        method="GET",
        name="follow_events",
        tags=["brain"],
        parameters=[*_PARAMETERS, *_STREAM],
        responses={"200": {"description": "A stream without end.", "content": content}},
    )


def _add_graph_calls(app: FastAPI, service: Service) -> None:
    def endpoint(path: str) -> Callable[[Request], Awaitable[Response]]:
        async def ask(request: Request) -> Response:
            given = {"tenant_id": request.state.told.tenant, **await read_body(request)}
            asked = read_call(path, given)
            tenant = check_tenant(request.state.key, asked.tenant_id)

            def call() -> Any:
                return CALLS[path][1](service.brain(tenant, create=path in CREATING), asked)

            return json_response(await anyio.to_thread.run_sync(call))

        return ask

    for path, (kind, run) in CALLS.items():
        summary, number = (run.__doc__ or "").partition("\n")[0], path.strip("/")
        more = {"operationId": number, "tags": ["graph memory"]}
        _add_route(
            app, path, endpoint(path), summary, requestBody=_body(path, _schema(kind)), **more
        )


def _add_hooks(app: FastAPI, service: Service) -> None:
    """Add the call that takes events of coding agents, as `memctl hook` does."""

    async def answer(request: Request) -> Response:
        tenant = check_tenant(request.state.key, request.state.told.tenant)
        given = await read_body(request)
        event = event_of(given)
        given.pop("transcript_path", None)  # a file of the agent's machine, not of this one

        def call() -> Any:
            service.open(tenant)
            return AgentHooks(service.root, tenant).answer(event, given)

        return json_response(await anyio.to_thread.run_sync(call))

    _add_route(
        app,
        HOOKS,
        answer,
        "Answer an event of a coding agent.",
        name="answer_hook",
        tags=["agents"],
        requestBody=_body(HOOKS, _EVENT),
    )


def _add_health(app: FastAPI, service: Service) -> None:
    async def healthz() -> Response:
        return json_response({"status": "ok"})

    async def readyz() -> Response:
        def look() -> None:
            for name in SmartBrain.tenants(service.root.path)[:1]:
                with service.root.tenants.lease(name, create=False):
                    return

        await anyio.to_thread.run_sync(look)
        return json_response({"status": "ready"})

    async def metrics(request: Request) -> Response:
        check_tenant(request.state.key, ALL_TENANTS)
        text = await anyio.to_thread.run_sync(lambda: prometheus_text(service.root.metrics.all()))
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    for path, endpoint, summary in (
        ("/healthz", healthz, "Tell whether the server is alive."),
        ("/readyz", readyz, "Tell whether memory can be asked."),
        ("/metrics", metrics, "Return figures of all tenants for Prometheus."),
    ):
        _add_route(app, path, endpoint, summary, method="GET")


async def stream_events(
    request: Request, brain: SmartBrain, *, may_go_on: Callable[[], bool]
) -> StreamingResponse:
    """Return what happens from a number on; the first page is read before the answer begins."""
    kinds = read_kinds([one for one in request.query_params.get("kinds", "").split(",") if one])
    since = _read_number(request.headers.get(LAST_EVENT, request.query_params.get("since")))
    pause = _read_number(request.query_params.get("heartbeat")) or HEARTBEAT_SECONDS

    async def read(last: int | None) -> EventPage:
        return await anyio.to_thread.run_sync(read_events, brain, last, kinds)

    first = await read(since)

    async def lines() -> AsyncIterator[bytes]:
        page, speaks_at = first, 0.0
        while not getattr(request.app.state, "is_stopping", False):
            if page or monotonic() >= speaks_at:
                if not may_go_on():
                    return
                yield b"".join([*map(_event_lines, page), b": still here\nid: %d\n\n" % page.last])
                speaks_at = monotonic() + pause
            if page.cursor is None:
                await anyio.sleep(PAUSE)
            try:
                page = await read(page.last)
            except SmartBrainError:  # closed, gone or busy: the client comes again and is told
                return

    return StreamingResponse(lines(), media_type="text/event-stream", headers=_HEADERS)


def _read_number(given: str | None) -> int | None:
    if given is None:
        return None
    if not given.isdecimal() or len(given) > _MOST_DIGITS:
        raise UsageError(f"{given!r:.40} is no number; give that of an event, or 0 for all")
    return int(given)


def _event_lines(event: MemoryEvent) -> bytes:
    body = msgspec.json.encode(event.to_dict())
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (event.num, event.kind.encode(), body)


def _describe(app: FastAPI) -> None:
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


def _refusals() -> dict[str, Any]:
    """Return every status of a refusal, whose body is always the same."""
    statuses = {RETRY_STATUS, *HTTP_BY_CODE.values()}
    statuses |= {codes.http_status for codes in OUTSIDE.values()}
    statuses |= {codes.http_status for codes in REFUSALS.values()}
    error = {"application/json": {"schema": {"$ref": _REF.format(name="Error")}}}
    return {
        str(status): {"description": "Refused.", "content": error} for status in sorted(statuses)
    }


def _schemas() -> dict[str, Any]:
    kinds = [verb.arguments for verb in verbs().values()] + [kind for kind, _ in CALLS.values()]
    return msgspec.json.schema_components(kinds, ref_template=_REF)[1]
