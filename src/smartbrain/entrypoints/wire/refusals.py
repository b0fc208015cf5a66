"""What a server refuses before memory is asked, by codes of its own.

In: nothing. Out: each code with its HTTP status, its gRPC code and its sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


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
