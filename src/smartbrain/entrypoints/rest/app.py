"""The HTTP server put together: routes made from the tables, errors, health, metrics, shutdown.

In: an open root, the keys. Out: an ASGI application. A verb runs on a thread and to its end, even
if whoever asked has gone; when the server stops, what runs is finished and then the brain closed.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import anyio
import msgspec
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from smartbrain import __version__
from smartbrain.bootstrap.folders import DATABASE
from smartbrain.bootstrap.metrics import prometheus_text
from smartbrain.brain import SmartBrain
from smartbrain.entrypoints.rest.access import MAX_BODY, AccessCheck
from smartbrain.entrypoints.rest.events import stream_events
from smartbrain.entrypoints.rest.graph_calls import CALLS, CREATING, read_call
from smartbrain.entrypoints.rest.keys import ALL_TENANTS, ApiKey, ApiKeys
from smartbrain.entrypoints.rest.openapi import (
    call_operation,
    describe,
    stream_operation,
    verb_operation,
)
from smartbrain.entrypoints.rest.refusals import Refusal, json_response, refusal_response
from smartbrain.entrypoints.wire.verbs import Verb, verbs
from smartbrain.errors import InternalError, NotFound, SmartBrainError, UsageError
from smartbrain.ports.telemetry import log_fault

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Root

_log = logging.getLogger(__name__)

TENANT: Final = "SmartBrain-Tenant"
IDEMPOTENCY: Final = "Idempotency-Key"
DEFAULT_TENANT: Final = "default"
CREATING_VERBS: Final = frozenset({"commit_turn", "remember", "ingest"})
"""Verbs that begin a tenant which is not there."""
_CODES: Final = {404: "no_route", 405: "wrong_method"}


class Service:
    """A root as a server asks it: tenants by request, as far as a key reaches."""

    def __init__(self, root: Root) -> None:
        self.root = root

    def allow(self, request: Request, tenant: str) -> str:
        """Return a tenant, if the key of a request is for it.

        Raises:
            Refusal: it is not.
        """
        key: ApiKey | None = request.state.key
        if key is not None and not key.may_reach(tenant):
            raise Refusal("forbidden")
        return tenant

    def brain(self, tenant: str, *, create: bool) -> SmartBrain:
        """Return a handle of a tenant; one that is not there is begun only if asked.

        Raises:
            NotFound: it is not there.
        """
        brain = SmartBrain(self.root, tenant, owner=False)
        if create:
            return brain.tenant(tenant)
        if not (self.root.folder(tenant) / DATABASE).exists():
            raise NotFound(f"there is no tenant {tenant!r:.80}; POST /v1/open begins it")
        return brain


def make_app(
    root: Root, keys: ApiKeys, *, is_local: bool = True, max_body: int = MAX_BODY
) -> FastAPI:
    """Return the server of a root; `is_local` if nobody but this machine reaches it."""
    service = Service(root)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await anyio.to_thread.run_sync(root.close)

    app = FastAPI(
        title="SmartBrain", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None
    )
    _add_verbs(app, service)
    _add_stream(app, service, keys)
    _add_graph_calls(app, service)
    _add_health(app, service)
    _add_errors(app, str(root.path))
    describe(app)
    app.add_middleware(
        AccessCheck, keys=keys, is_local=is_local, root=str(root.path), max_body=max_body
    )
    return app


def tenant_of(request: Request) -> str:
    """Return the tenant that the header of a request names, in percent-encoding if need be."""
    return unquote(request.headers.get(TENANT, DEFAULT_TENANT))


async def read_body(request: Request) -> dict[str, Any]:
    """Return the JSON object that a request has as its body; none at all is an empty one.

    Raises:
        UsageError: it is something else.
    """
    body = await request.body()
    try:
        given = msgspec.json.decode(body) if body.strip() else {}
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise UsageError(f"the body is no JSON: {error}") from None
    if not isinstance(given, dict):
        raise UsageError("the body must be a JSON object with the arguments by name")
    return given


def _add_verbs(app: FastAPI, service: Service) -> None:
    """Add `POST /v1/<verb>` for every verb, and `POST /v1/open`, which begins a tenant."""

    def endpoint(verb: Verb) -> Callable[[Request], Awaitable[Response]]:
        async def ask(request: Request) -> Response:
            tenant = service.allow(request, tenant_of(request))
            given = _with_key(verb, await read_body(request), request)
            _refuse_files(given)

            def call() -> Any:
                brain = service.brain(tenant, create=verb.name in CREATING_VERBS)
                told = verb.call(brain, given)
                return {**told, "path": ""} if verb.name == "status" else told

            return json_response(await anyio.to_thread.run_sync(call))

        return ask

    async def begin(request: Request) -> Response:
        tenant = service.allow(request, tenant_of(request))
        await anyio.to_thread.run_sync(partial(service.brain, tenant, create=True))
        return json_response({"tenant": tenant, "version": __version__})

    app.add_api_route("/v1/open", begin, methods=["POST"], summary="Begin a tenant.")
    for verb in verbs().values():
        app.add_api_route(
            f"/v1/{verb.name}",
            endpoint(verb),
            methods=["POST"],
            name=verb.name,
            summary=verb.summary,
            openapi_extra=verb_operation(verb),
        )


def _add_stream(app: FastAPI, service: Service, keys: ApiKeys) -> None:
    """Add the stream of events."""

    async def follow(request: Request) -> Response:
        tenant = service.allow(request, tenant_of(request))
        brain = await anyio.to_thread.run_sync(partial(service.brain, tenant, create=False))
        key: ApiKey | None = request.state.key
        return await stream_events(request, brain, may_go_on=lambda: key is None or keys.holds(key))

    app.add_api_route(
        "/v1/events",
        follow,
        methods=["GET"],
        name="follow_events",
        summary="Follow what happens to memory, as server-sent events.",
        openapi_extra=stream_operation(),
    )


def _add_graph_calls(app: FastAPI, service: Service) -> None:
    """Add the calls of the graph memory specification."""

    def endpoint(path: str) -> Callable[[Request], Awaitable[Response]]:
        run = CALLS[path][1]

        async def ask(request: Request) -> Response:
            given = {"tenant_id": tenant_of(request), **await read_body(request)}
            asked = read_call(path, given)
            tenant = service.allow(request, asked.tenant_id)

            def call() -> Any:
                return run(service.brain(tenant, create=path in CREATING), asked)

            return json_response(await anyio.to_thread.run_sync(call))

        return ask

    for path, (kind, run) in CALLS.items():
        summary = (run.__doc__ or "").partition("\n")[0]
        app.add_api_route(
            path,
            endpoint(path),
            methods=["POST"],
            name=path,
            summary=summary,
            openapi_extra=call_operation(path, kind),
        )


def _add_health(app: FastAPI, service: Service) -> None:
    """Add what whoever watches over the server asks: alive, ready, and figures."""

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
        service.allow(request, ALL_TENANTS)
        text = await anyio.to_thread.run_sync(lambda: prometheus_text(service.root.metrics.all()))
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    for path, endpoint, summary in (
        ("/healthz", healthz, "Tell whether the server is alive."),
        ("/readyz", readyz, "Tell whether memory can be asked."),
        ("/metrics", metrics, "Return figures of all tenants for Prometheus."),
    ):
        app.add_api_route(path, endpoint, methods=["GET"], summary=summary)


def _add_errors(app: FastAPI, root: str) -> None:
    """Have every error answered by the table, and a fault of ours without its details."""

    def told(request: Request, error: Refusal | SmartBrainError) -> Response:
        return refusal_response(error, root=root, request_id=request.state.request_id)

    async def refuse(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal | SmartBrainError)
        return told(request, error)

    async def no_route(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code in _CODES:
            return told(request, Refusal(_CODES[error.status_code]))
        return told(request, UsageError(str(error.detail)))

    async def fault(request: Request, error: Exception) -> Response:
        log_fault(_log, f"{request.url.path} failed", error)
        return told(request, InternalError())

    app.add_exception_handler(Refusal, refuse)
    app.add_exception_handler(SmartBrainError, refuse)
    app.add_exception_handler(HTTPException, no_route)
    app.add_exception_handler(Exception, fault)


def _with_key(verb: Verb, given: dict[str, Any], request: Request) -> dict[str, Any]:
    """Return arguments with the idempotency key of the header.

    Raises:
        UsageError: the verb takes none, so that a retry would do it again.
    """
    key = request.headers.get(IDEMPOTENCY)
    if key is None:
        return given
    if "idempotency_key" not in verb.arguments.__struct_fields__:
        raise UsageError(
            f"{verb.name} takes no {IDEMPOTENCY}; only commit_turn and artifacts.add do"
        )
    return {"idempotency_key": key, **given}


def _refuse_files(given: Mapping[str, Any]) -> None:
    """Refuse a source that is a file: it would be looked for on the server's machine.

    Raises:
        UsageError: it is one.
    """
    if str(given.get("source", "")).startswith("file:") and given.get("actor") != "agent":
        raise UsageError(
            "a source from outside is chat:<id> or tool:<id>; files are those of the server",
            code="no_source",
        )
