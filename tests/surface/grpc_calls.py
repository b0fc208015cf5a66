"""A client of the gRPC server: verbs by name over a real channel, answers as plain JSON.

In: an address, metadata. Out: what a verb gave; or the code and the error that the trailing
metadata holds.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from smartbrain.entrypoints.grpc.messages import (
    SERVICE,
    make_request,
    message_class,
    read_message,
    rpc_name,
    service,
)
from smartbrain.entrypoints.grpc.server import ERROR, FOLLOW
from smartbrain.entrypoints.wire.verbs import verbs

PATIENCE = 600.0


class GrpcRefusedError(Exception):
    """A call was refused, by a code of gRPC and an error of ours."""

    def __init__(self, error: grpc.RpcError) -> None:
        trailing = dict(error.trailing_metadata() or ())
        self.code: str = error.code().name
        self.error: dict[str, Any] = json.loads(trailing.get(ERROR, b"{}"))
        self.request_id = trailing.get("x-request-id")
        super().__init__(f"{self.code}: {error.details()}")


class GrpcCalls:
    """Calls over one channel."""

    def __init__(self, channel: grpc.Channel, metadata: dict[str, str]) -> None:
        self.channel = channel
        self.metadata = metadata

    def ask(self, name: str, /, given: dict[str, Any], **metadata: str) -> Any:
        """Ask a verb, and return what it gives as plain JSON."""
        rpc = "Open" if name == "open" else rpc_name(verbs()[name])
        method = service().methods_by_name[rpc]
        request = make_request(method, given)
        answer = self.send(rpc, request.SerializeToString(), **metadata)
        read = read_message(message_class(method.output_type).FromString(answer))
        return read if name == "open" else read.get("result")

    def follow(
        self, *, since: int | None = None, kinds: list[str] | None = None, **metadata: str
    ) -> Generator[dict[str, Any]]:
        """Follow events, each as plain JSON; closing it ends the stream."""
        method = service().methods_by_name[FOLLOW]
        request = make_request(method, {"since": since, "kinds": kinds or []})
        call = self.channel.unary_stream(
            f"/{SERVICE}/{FOLLOW}", None, message_class(method.output_type).FromString
        )
        stream = call(request.SerializeToString(), metadata=self._told(metadata), timeout=PATIENCE)
        try:
            yield from map(read_message, stream)
        except grpc.RpcError as error:
            raise GrpcRefusedError(error) from None
        finally:
            stream.cancel()

    def _told(self, metadata: dict[str, str]) -> tuple[tuple[str, str], ...]:
        more = {name.replace("_", "-"): value for name, value in metadata.items()}
        return tuple({**self.metadata, **more}.items())

    def send(self, rpc: str, body: bytes, **metadata: str) -> bytes:
        """Send the bytes of a request, and return those of the answer."""
        call = self.channel.unary_unary(f"/{SERVICE}/{rpc}")
        try:
            answer: bytes = call(body, metadata=self._told(metadata), timeout=PATIENCE)
        except grpc.RpcError as error:
            raise GrpcRefusedError(error) from None
        return answer


@contextmanager
def grpc_calls(
    address: str, *, certificate: bytes | None = None, **metadata: str
) -> Iterator[GrpcCalls]:
    """Open a channel, over TLS if a certificate is to be trusted."""
    named = {name.replace("_", "-"): value for name, value in metadata.items()}
    if certificate is None:
        channel = grpc.insecure_channel(address)
    else:
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(certificate))
    with channel:
        yield GrpcCalls(channel, named)
