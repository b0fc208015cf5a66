"""The one error table: what each class of error is called on each surface.

In: an error of ours. Out: the exit code of a command, the status of an HTTP answer, the code of an
MCP error and of a gRPC call; and the way back, from what a server told to the error that it was.
A class that is missing here fails a test.
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
