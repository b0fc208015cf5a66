"""What every request passes before anything else: its id, its size, where it comes from, its key.

In: a request. Out: the same with its id and key in its state, or a refusal. Web pages are kept out
by what browsers cannot leave away: a Host that is not this machine, an Origin of another site, a
body that is not declared as JSON.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from smartbrain.entrypoints.rest.keys import LOOPBACK, ApiKey, ApiKeys
from smartbrain.entrypoints.rest.refusals import REQUEST_ID, Refusal, refusal_response
from smartbrain.errors import SmartBrainError
from smartbrain.ports.telemetry import CURRENT_REQUEST

OPEN_PATHS: Final = frozenset({"/healthz", "/readyz"})
"""Addresses that whoever watches over the server asks without a key; they tell nothing."""
MAX_BODY: Final = 16 * 1024 * 1024
OWN_KEY: Final = "SmartBrain-Key"
_MOST_DIGITS: Final = 18
_ID: Final = re.compile(r"[\w.-]{1,80}", re.ASCII)


class AccessCheck:
    """Middleware that lets requests in, or refuses them."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: ApiKeys,
        is_local: bool,
        root: str,
        max_body: int = MAX_BODY,
        tenant: str | None = None,
        takes_bearer: bool = True,
    ) -> None:
        """Let in to an application; where that serves one `tenant`, by keys of that alone.

        Without `takes_bearer` the `Authorization` header is somebody else's, and our key has a
        header of its own.
        """
        self._app = app
        self._takes_bearer = takes_bearer
        self._tenant = tenant
        self._keys = keys
        self._is_local = is_local
        self._root = root
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with its id in the answer's headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get(REQUEST_ID, "")
        number = given if _ID.fullmatch(given) else secrets.token_hex(8)
        answer = _with_header(send, REQUEST_ID.lower(), number)
        try:
            self._check_origin(scope, headers)
            key = self._check_key(scope, headers)
            self._check_length(headers)
        except (Refusal, SmartBrainError) as error:
            told = refusal_response(error, root=self._root, request_id=number)
            await told(scope, receive, answer)
            return
        scope.setdefault("state", {}).update(request_id=number, key=key)
        CURRENT_REQUEST.set(number)  # the call that serves it is known by the same name
        await self._app(scope, _counted(receive, self._max_body), answer)

    def _check_origin(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Refuse what a browser sends for a page of another site.

        Raises:
            Refusal: it is such.
        """
        if self._is_local and _name(headers.get("host", "")) not in LOOPBACK:
            raise Refusal("foreign_host")
        origin = headers.get("origin")
        if origin is not None and _name(urlsplit(origin).netloc) != _name(headers.get("host", "")):
            raise Refusal("foreign_origin")
        if scope["method"] in ("POST", "PUT", "PATCH"):
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise Refusal("not_json")

    def _check_key(self, scope: Scope, headers: Mapping[str, str]) -> ApiKey | None:
        """Return the key that a request comes with; none is needed here before one was made.

        Raises:
            Refusal: it needs one, and has none that holds.
        """
        is_open = scope["path"] in OPEN_PATHS and scope["method"] == "GET"
        if is_open or (self._is_local and not self._keys.exist):
            return None
        text = headers.get(OWN_KEY.lower())
        if text is None and self._takes_bearer:
            scheme, _, text = headers.get("authorization", "").partition(" ")
            text = text if scheme.lower() == "bearer" else None
        if text is None:
            raise Refusal("unauthorized")
        key = self._keys.find(text.strip())
        if key is None:
            raise Refusal("unauthorized", "This API key is unknown, revoked or expired.")
        if self._tenant is not None and not key.may_reach(self._tenant):
            raise Refusal("forbidden")
        return key

    def _check_length(self, headers: Mapping[str, str]) -> None:
        length = headers.get("content-length", "0")
        is_number = length.isdecimal() and len(length) <= _MOST_DIGITS
        if not is_number or int(length) > self._max_body:
            raise Refusal("too_large", f"The body is larger than {self._max_body} bytes.")


def _counted(receive: Receive, most: int) -> Receive:
    """Return a way to receive a body that refuses one longer than it said.

    Raises:
        Refusal: it is too long.
    """
    left = most

    async def receive_counted() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise Refusal("too_large", f"The body is larger than {most} bytes.")
        return message

    return receive_counted


def _with_header(send: Send, name: str, value: str) -> Callable[[Message], Awaitable[None]]:
    async def send_with_header(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept: list[Any] = [one for one in message["headers"] if one[0] != name.encode()]
            message["headers"] = [*kept, (name.encode(), value.encode())]
        await send(message)

    return send_with_header


def _name(netloc: str) -> str:
    """Return the name of a machine without its port."""
    try:
        return urlsplit(f"//{netloc}").hostname or ""
    except ValueError:
        return ""
