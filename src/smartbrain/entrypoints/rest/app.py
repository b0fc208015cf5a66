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
from functools import partial
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
from smartbrain.entrypoints.rest.openapi import (
    PARAMETERS,
    STREAM_PARAMETERS,
    DescribedApp,
    HookEvent,
    answers_of,
    body_of,
)
from smartbrain.entrypoints.wire.limits import read_json
from smartbrain.entrypoints.wire.service import (
    Service,
    check_tenant,
    with_idempotency,
)
from smartbrain.entrypoints.wire.verbs import Verb, plain_result, verbs
from smartbrain.errors import SmartBrainError, UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Root

_log = logging.getLogger(__name__)

LAST_EVENT: Final = "Last-Event-ID"
HEARTBEAT_SECONDS: Final = 15
COMPRESSED_BYTES: Final = 4096
"""From this size on an answer is compressed for clients that take it."""
_MOST_DIGITS: Final = 18
_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}


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

    app = DescribedApp(
        title="SmartBrain", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None
    )
    app.state.beside = []
    _add_verbs(app, service)
    _add_stream(app, service, keys)
    _add_hooks(app, service)
    _add_graph_calls(app, service)
    _add_health(app, service)
    add_errors(app, str(root.path))
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
    app.add_api_route(
        path,
        endpoint,
        methods=[method],
        name=name,
        summary=summary,
        response_class=Response,  # what it answers is told by `operation` alone
        openapi_extra={"parameters": PARAMETERS, **operation},
    )


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

    begun = answers_of(dict[str, str])
    _add_route(app, "/v1/open", begin, "Begin a tenant.", tags=["brain"], responses=begun)
    for verb in verbs().values():
        path = f"/v1/{verb.name}"
        _add_route(
            app,
            path,
            endpoint(verb),
            verb.summary,
            name=verb.name,
            tags=[verb.group or "brain"],
            requestBody=body_of(path, verb.arguments),
            responses=answers_of(*verb.results),
        )


def _add_stream(app: FastAPI, service: Service, keys: ApiKeys) -> None:
    async def follow(request: Request) -> Response:
        tenant = check_tenant(request.state.key, request.state.told.tenant)
        brain = await anyio.to_thread.run_sync(partial(service.brain, tenant, create=False))
        key: ApiKey | None = request.state.key
        return await stream_events(request, brain, may_go_on=lambda: key is None or keys.holds(key))

    _add_route(
        app,
        STREAM,
        follow,
        "Follow what happens to memory, as server-sent events.",
        method="GET",
        name="follow_events",
        tags=["brain"],
        parameters=[*PARAMETERS, *STREAM_PARAMETERS],
        responses=answers_of(str, media_type="text/event-stream"),
    )


def _add_graph_calls(app: FastAPI, service: Service) -> None:
    def endpoint(path: str) -> Callable[[Request], Awaitable[Response]]:
        async def ask(request: Request) -> Response:
            given = {"tenant_id": request.state.told.tenant, **await read_body(request)}
            asked = read_call(path, given)
            tenant = check_tenant(request.state.key, asked.tenant_id)

            def answer() -> Any:
                brain = service.brain(tenant, create=path in CREATING)
                return plain_result(CALLS[path].run(brain, asked))

            return json_response(await anyio.to_thread.run_sync(answer))

        return ask

    for path, call in CALLS.items():
        _add_route(
            app,
            path,
            endpoint(path),
            (call.run.__doc__ or "").partition("\n")[0],
            operationId=path.strip("/"),
            tags=["graph memory"],
            requestBody=body_of(path, call.body),
            responses=answers_of(*call.answers),
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
        requestBody=body_of(HOOKS, HookEvent),
        responses=answers_of(dict[str, Any]),
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

    state, figures = answers_of(dict[str, str]), answers_of(str, media_type="text/plain")
    for path, endpoint, summary, answers in (
        ("/healthz", healthz, "Tell whether the server is alive.", state),
        ("/readyz", readyz, "Tell whether memory can be asked.", state),
        ("/metrics", metrics, "Return figures of all tenants for Prometheus.", figures),
    ):
        _add_route(app, path, endpoint, summary, method="GET", responses=answers)


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
