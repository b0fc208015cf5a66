"""What every request passes before anything else: its id, its size, where it comes from, its key.

In: a request. Out: the same with its id and key in its state, or a refusal. Web pages are kept out
by what browsers cannot leave away: a Host that is not this machine, an Origin of another site, a
body that is not declared as JSON.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

import anyio
import msgspec
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from smartbrain.entrypoints.rest.keys import LOOPBACK, Admission, ApiKey
from smartbrain.entrypoints.wire.errors import RETRY_STATUS, Refusal, http_status, tell_error
from smartbrain.entrypoints.wire.host_memory import HOST_VERBS
from smartbrain.entrypoints.wire.limits import MEGABYTE, Limits
from smartbrain.entrypoints.wire.service import (
    REQUEST_ID,
    CallMetadata,
    check_tenant,
    check_verbs,
    read_metadata,
)
from smartbrain.errors import InternalError, SmartBrainError, UsageError
from smartbrain.ports.telemetry import CURRENT_REQUEST, log_fault

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Root

VERB: Final = "/v1/"
STREAM: Final = f"{VERB}events"
HOOKS: Final = f"{VERB}hooks"
OPEN_PATHS: Final = frozenset({"/healthz", "/readyz"})
"""Addresses that whoever watches over the server asks without a key; they tell nothing."""
SLOWEST: Final = 1024
"""Bytes a second, below which a body is too slow."""
_MOST_DIGITS: Final = 18
_RETRY_SECONDS: Final = "1"
_TOO_MANY: Final = 429
_CODES: Final = {404: "no_route", 405: "wrong_method"}
_log = logging.getLogger(__name__)


def verbs_of_path(path: str) -> Collection[str]:
    """Return the verbs that an address asks; what is no verb has an empty name."""
    if path == HOOKS:
        return HOST_VERBS
    return {path.removeprefix(VERB) if path.startswith(VERB) else ""}


class KeyDemands(NamedTuple):
    """What a server asks of keys: to be for its tenant, if it serves one, and for verbs."""

    tenant: str | None = None
    takes_bearer: bool = True
    """Whether `Authorization` is for us; where it is not, our key has a header of its own."""
    verbs_of: Callable[[str], Collection[str]] = verbs_of_path
    """The verbs that an address asks, all of which a key has to be for."""


class AccessCheck:
    """Middleware that lets requests in, or refuses them."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        admission: Admission,
        limits: Limits,
        root: str,
        max_body: int,
        demands: KeyDemands,
    ) -> None:
        """Let in to an application."""
        self._app = app
        self._demands = demands
        self._admission = admission
        self._limits = limits
        self._root = root
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with its id in the answer's headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        told = read_metadata(headers, takes_bearer=self._demands.takes_bearer)
        answer = Answer(send, told.request_id)
        try:
            self._check_origin(scope, headers)
            key = None if _is_open(scope) else self._check_key(told)
            check_verbs(key, *self._demands.verbs_of(scope["path"]))
            told = told.of_key(key)
            self._check_length(headers)
            with self._take_place(scope, key):
                scope.setdefault("state", {}).update(told=told, key=key)
                CURRENT_REQUEST.set(
                    told.request_id
                )  # the call that serves it is known by the same name
                body = _counted(receive, self._max_body, self._limits.rules.body_seconds)
                await self._app(scope, body, answer)
        except (Refusal, SmartBrainError) as error:
            if answer.has_begun:
                raise
            refused = refusal_response(error, root=self._root, request_id=told.request_id)
            await refused(scope, receive, answer)

    def _take_place(self, scope: Scope, key: ApiKey | None) -> AbstractContextManager[None]:
        """Count a request, and return its place among those at work; a stream needs none."""
        if _is_open(scope):
            return nullcontext()
        client = scope.get("client")
        self._limits.count(key.id if key else str(client[0] if client else ""))
        return nullcontext() if scope["path"] == STREAM else self._limits.running()

    def _check_origin(self, scope: Scope, headers: Mapping[str, str]) -> None:
        if self._admission.is_local and _name(headers.get("host", "")) not in LOOPBACK:
            raise Refusal("foreign_host")
        origin = headers.get("origin", "")
        known = ("", *self._limits.rules.cors_origins)
        if origin not in known and not _is_same_host(origin, headers.get("host", "")):
            raise Refusal("foreign_origin")
        if scope["method"] in ("POST", "PUT", "PATCH"):
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise Refusal("not_json")

    def _check_key(self, told: CallMetadata) -> ApiKey | None:
        """Return the key that a request comes with; none is needed here before one was made."""
        key = self._admission.find_key(told.key)
        if self._demands.tenant is not None:
            check_tenant(key, self._demands.tenant)
        return key

    def _check_length(self, headers: Mapping[str, str]) -> None:
        length = headers.get("content-length", "0")
        is_number = length.isdecimal() and len(length) <= _MOST_DIGITS
        if not is_number or int(length) > self._max_body:
            raise Refusal("too_large", f"The body is larger than {self._max_body} bytes.")


def add_access(
    app: Starlette,
    root: Root,
    admission: Admission,
    *,
    max_body: int | None = None,
    demands: KeyDemands | None = None,
) -> None:
    """Put the access check of a root before an application, by the settings of the root."""
    rules = root.settings.rules.server
    limits = Limits(rules)
    app.state.limits = limits
    app.add_middleware(
        AccessCheck,
        admission=admission,
        limits=limits,
        root=str(root.path),
        max_body=max_body or rules.max_body_mb * MEGABYTE,
        demands=demands or KeyDemands(),
    )
    if rules.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=rules.cors_origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=[REQUEST_ID],
        )


class Answer:
    """A way to send an answer that puts the request's id into its headers."""

    def __init__(self, send: Send, number: str) -> None:
        self._send = send
        self._number = number
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.has_begun = True
            name = REQUEST_ID.lower().encode()
            kept = [one for one in message["headers"] if one[0] != name]
            message["headers"] = [*kept, (name, self._number.encode())]
        await self._send(message)


def _counted(receive: Receive, most: int, seconds: float) -> Receive:
    """Return a way to receive a body that refuses one longer than it said, or too slow.

    What comes buys time, so that one that drips byte by byte holds its place no longer than one
    that does not come at all.
    """
    left, is_whole, patience = most, False, seconds

    async def receive_counted() -> Message:
        nonlocal left, is_whole, patience
        if is_whole:
            return await receive()
        began = anyio.current_time()
        try:
            with anyio.fail_after(patience):
                message = await receive()
        except TimeoutError:
            raise Refusal("too_slow") from None
        is_whole = not message.get("more_body", False)
        came = len(message.get("body", b""))
        waited = anyio.current_time() - began
        patience = min(seconds, max(0.0, patience - waited) + came / SLOWEST)
        left -= came
        if left < 0:
            raise Refusal("too_large", f"The body is larger than {most} bytes.")
        return message

    return receive_counted


def _is_open(scope: Scope) -> bool:
    """Tell whether a request is that of whoever watches over the server."""
    return scope["path"] in OPEN_PATHS and scope["method"] == "GET"


def _is_same_host(origin: str, host: str) -> bool:
    try:
        return _name(urlsplit(origin).netloc) == _name(host)
    except ValueError:
        return False


def _name(netloc: str) -> str:
    try:
        return urlsplit(f"//{netloc}").hostname or ""
    except ValueError:
        return ""


def refusal_response(error: Refusal | SmartBrainError, *, root: str, request_id: str) -> Response:
    """Return the answer that tells an error; it never says where on the disk the brain lies."""
    status = error.codes.http_status if isinstance(error, Refusal) else http_status(error)
    headers = {REQUEST_ID: request_id}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status in (RETRY_STATUS, _TOO_MANY):
        headers["Retry-After"] = _RETRY_SECONDS
    told = {"error": tell_error(error, root), "request_id": request_id}
    return json_response(told, status, headers)


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return plain JSON as an answer."""
    body = msgspec.json.encode(value)
    return Response(body, status, dict(headers or {}), media_type="application/json")


def add_errors(app: Starlette, root: str) -> None:
    """Have every error answered by the table, and a fault of ours without its details."""

    def told(request: Request, error: Refusal | SmartBrainError) -> Response:
        return refusal_response(error, root=root, request_id=request.state.told.request_id)

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
