"""What HTTP refuses before memory is asked, and how every refusal looks.

In: an error of ours, or one of the few that only a server has. Out: its status and its JSON body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from starlette.responses import Response

from smartbrain.entrypoints.wire.errors import RETRY_STATUS, http_status
from smartbrain.errors import SmartBrainError

REFUSALS: Final[Mapping[str, tuple[int, str]]] = {
    "unauthorized": (401, "An API key is needed; send it as `Authorization: Bearer <key>`."),
    "forbidden": (403, "This API key is not for this tenant."),
    "foreign_origin": (403, "Pages of other sites may not ask this server."),
    "foreign_host": (421, "The Host header names another machine than this server serves."),
    "no_route": (404, "There is nothing at this address."),
    "wrong_method": (405, "This address is asked in another way."),
    "too_large": (413, "The body is larger than this server takes."),
    "not_json": (415, "The body must be JSON, with `Content-Type: application/json`."),
    "not_built": (501, "This job does not exist yet."),
}
"""Codes of refusals that are no errors of the library, with their status and sentence."""
REQUEST_ID: Final = "X-Request-ID"
_RETRY_SECONDS: Final = "1"


class Refusal(Exception):  # noqa: N818 - what a server does, not a fault
    """The server refuses a request by one of its own codes."""

    def __init__(self, code: str, message: str = "") -> None:
        self.code = code
        self.status, sentence = REFUSALS[code]
        self.message = message or sentence
        super().__init__(self.message)


def refusal_response(error: Refusal | SmartBrainError, *, root: str, request_id: str) -> Response:
    """Return the answer that tells an error; it never says where on the disk the brain lies."""
    told: dict[str, object] = {"code": error.code, "message": error.message}
    status = error.status if isinstance(error, Refusal) else http_status(error)
    if isinstance(error, SmartBrainError):
        told = error.to_dict()
    told["message"] = str(told["message"]).replace(root, "<root>")
    headers = {REQUEST_ID: request_id}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status == RETRY_STATUS:
        headers["Retry-After"] = _RETRY_SECONDS
    return json_response({"error": told, "request_id": request_id}, status, headers)


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return plain JSON as an answer."""
    body = msgspec.json.encode(value)
    return Response(body, status, dict(headers or {}), media_type="application/json")
