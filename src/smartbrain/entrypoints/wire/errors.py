"""The one error table: what each class of error, and each refusal, is called on each surface.

In: an error of ours, or a refusal of a server by a code of its own. Out: the exit code of a
command, the status of an HTTP answer, the code of an MCP error and of a gRPC call; and the way
back, from what a server told to the error that it was. A class that is missing fails a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from smartbrain.errors import (
    CODES,
    AdapterError,
    Conflict,
    InternalError,
    NotFound,
    SmartBrainError,
    UsageError,
)

EXIT_UNHEALTHY: Final = 1
HTTP_BY_CODE: Final[dict[str, int]] = {
    "gone": 410,
    "over_quota": 507,
    "disk_full": 507,
}
"""Codes whose HTTP status says more than that of their class."""
GRPC_BY_CODE: Final[dict[str, str]] = {
    "over_quota": "RESOURCE_EXHAUSTED",
    "disk_full": "RESOURCE_EXHAUSTED",
}
"""Codes whose gRPC code says more than that of their class."""
RETRY_STATUS: Final = 503
"""The status of an error that trying again can help."""
RETRY_GRPC: Final = "UNAVAILABLE"
"""The gRPC code of such an error."""


class OutsideCodes(NamedTuple):
    """What one class of error is called: by a command, over HTTP, MCP (JSON-RPC) and gRPC."""

    exit_code: int
    http_status: int
    mcp_code: int
    grpc_code: str


OUTSIDE: Final[dict[type[SmartBrainError], OutsideCodes]] = {
    UsageError: OutsideCodes(2, 400, -32602, "INVALID_ARGUMENT"),
    NotFound: OutsideCodes(3, 404, -32002, "NOT_FOUND"),
    Conflict: OutsideCodes(4, 409, -32009, "ABORTED"),
    AdapterError: OutsideCodes(5, 500, -32005, "INTERNAL"),
    InternalError: OutsideCodes(70, 500, -32603, "UNKNOWN"),
}
EXIT_CODES: Final = {kind: outside.exit_code for kind, outside in OUTSIDE.items()}


def outside_codes(error: SmartBrainError) -> OutsideCodes:
    """Return what the class of an error is called outside."""
    return next(outside for kind, outside in OUTSIDE.items() if isinstance(error, kind))


def exit_code(error: SmartBrainError) -> int:
    """Return the exit code that tells this error from the others."""
    return outside_codes(error).exit_code


def http_status(error: SmartBrainError) -> int:
    """Return the status of an HTTP answer about an error."""
    if error.code in HTTP_BY_CODE:
        return HTTP_BY_CODE[error.code]
    return RETRY_STATUS if _can_retry(error) else outside_codes(error).http_status


def grpc_code(error: SmartBrainError) -> str:
    """Return the name of the gRPC code of an error."""
    if error.code in GRPC_BY_CODE:
        return GRPC_BY_CODE[error.code]
    return RETRY_GRPC if _can_retry(error) else outside_codes(error).grpc_code


def _can_retry(error: SmartBrainError) -> bool:
    return isinstance(error, AdapterError) and error.retryable


def read_error(told: Mapping[str, Any]) -> SmartBrainError:
    """Return the error that `to_dict()` told of; an unknown code is a fault of the server."""
    code, message = str(told.get("code", "")), str(told.get("message", ""))
    if code not in CODES:
        return InternalError(f"{message} [{code}]")
    kind = CODES[code][0]
    if issubclass(kind, AdapterError):
        return kind(message, code=code, retryable=bool(told.get("retryable")))
    return kind(message, code=code)


class RefusalCodes(NamedTuple):
    """What one refusal is called over HTTP and gRPC, and what it says."""

    http_status: int
    grpc_code: str
    sentence: str


REFUSALS: Final[Mapping[str, RefusalCodes]] = {
    "unauthorized": RefusalCodes(
        401, "UNAUTHENTICATED", "An API key is needed; send it as `Authorization: Bearer <key>`."
    ),
    "forbidden": RefusalCodes(403, "PERMISSION_DENIED", "This API key is not for this tenant."),
    "foreign_origin": RefusalCodes(
        403, "PERMISSION_DENIED", "Pages of other sites may not ask this server."
    ),
    "foreign_host": RefusalCodes(
        421, "PERMISSION_DENIED", "The Host header names another machine than this server serves."
    ),
    "no_route": RefusalCodes(404, "UNIMPLEMENTED", "There is nothing at this address."),
    "wrong_method": RefusalCodes(405, "UNIMPLEMENTED", "This address is asked in another way."),
    "too_large": RefusalCodes(
        413, "RESOURCE_EXHAUSTED", "The body is larger than this server takes."
    ),
    "too_slow": RefusalCodes(
        408, "DEADLINE_EXCEEDED", "The rest of the request did not come in time."
    ),
    "too_many": RefusalCodes(
        429, "RESOURCE_EXHAUSTED", "Too many requests with this key; wait a second."
    ),
    "too_busy": RefusalCodes(
        503, "UNAVAILABLE", "The server has as much to do as it takes; try again."
    ),
    "not_json": RefusalCodes(
        415, "INVALID_ARGUMENT", "The body must be JSON, with `Content-Type: application/json`."
    ),
    "not_built": RefusalCodes(501, "UNIMPLEMENTED", "This job does not exist yet."),
}
"""Codes of refusals that are no errors of the library."""


class Refusal(Exception):  # noqa: N818 - what a server does, not a fault
    """A server refuses a request by one of its own codes."""

    def __init__(self, code: str, message: str = "") -> None:
        self.code = code
        self.codes = REFUSALS[code]
        self.message = message or self.codes.sentence
        super().__init__(self.message)


def tell_error(error: Refusal | SmartBrainError, root: str) -> dict[str, Any]:
    """Return an error as programs read it; it never says where on the disk the brain lies."""
    told: dict[str, Any] = {"code": error.code, "message": error.message}
    if isinstance(error, SmartBrainError):
        told = error.to_dict()
    return {**told, "message": told["message"].replace(root, "<root>") if root else told["message"]}
