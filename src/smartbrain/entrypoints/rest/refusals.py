"""How every refusal looks over HTTP.

In: an error of ours, or one of the few that only a server has. Out: its status and its JSON body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from starlette.responses import Response

from smartbrain.entrypoints.wire.errors import RETRY_STATUS, http_status
from smartbrain.entrypoints.wire.refusals import Refusal
from smartbrain.entrypoints.wire.service import REQUEST_ID
from smartbrain.errors import SmartBrainError

_RETRY_SECONDS: Final = "1"
_TOO_MANY: Final = 429


def refusal_response(error: Refusal | SmartBrainError, *, root: str, request_id: str) -> Response:
    """Return the answer that tells an error; it never says where on the disk the brain lies."""
    told: dict[str, object] = {"code": error.code, "message": error.message}
    status = error.codes.http_status if isinstance(error, Refusal) else http_status(error)
    if isinstance(error, SmartBrainError):
        told = error.to_dict()
    told["message"] = str(told["message"]).replace(root, "<root>")
    headers = {REQUEST_ID: request_id}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status in (RETRY_STATUS, _TOO_MANY):
        headers["Retry-After"] = _RETRY_SECONDS
    return json_response({"error": told, "request_id": request_id}, status, headers)


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return plain JSON as an answer."""
    body = msgspec.json.encode(value)
    return Response(body, status, dict(headers or {}), media_type="application/json")
