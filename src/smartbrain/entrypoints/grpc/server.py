"""The gRPC server put together: a call a verb, keys, errors by the one table, health, reflection.

In: an open root, the keys. Out: a server of the gRPC library. Metadata says what headers say over
HTTP: whose memory, the key, the conversation, the idempotency key, the request's id. A verb runs on
a thread and to its end, even if whoever asked has gone; a stream of events has one until it ends.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import grpc
import msgspec
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from smartbrain.bootstrap.following import walk_pages
from smartbrain.brain.handle import read_events
from smartbrain.domain.memory_event import MemoryEvent, read_kinds
from smartbrain.entrypoints.grpc.messages import (
    SERVICE,
    fill_message,
    message_class,
    read_arguments,
    rpc_name,
    service,
)
from smartbrain.entrypoints.wire.errors import Refusal, grpc_code, tell_error
from smartbrain.entrypoints.wire.limits import MEGABYTE, Limits
from smartbrain.entrypoints.wire.service import (
    REQUEST_ID,
    CallMetadata,
    Service,
    check_tenant,
    check_verbs,
    read_metadata,
    with_idempotency,
)
from smartbrain.entrypoints.wire.verbs import Verb, verbs
from smartbrain.errors import InternalError, SmartBrainError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from google.protobuf.descriptor import MethodDescriptor
    from google.protobuf.message import Message

    from smartbrain.bootstrap.root import Root
    from smartbrain.entrypoints.rest.keys import Admission

_log = logging.getLogger(__name__)

ERROR: Final = "smartbrain-error-bin"
"""The trailing metadata that holds an error as JSON."""
FOLLOW: Final = "FollowEvents"
OPEN: Final = "Open"
THREADS: Final = 32
MAX_STREAMS: Final = 16
"""Streams of events at once: each has a thread, and verbs need some too."""
GRACE_SECONDS: Final = 30
_HEALTH: Final = "/grpc.health.v1.Health/"


class KeyCheck(grpc.ServerInterceptor):  # type: ignore[misc]
    """Lets calls in, or refuses them: a key that holds, for the tenant that is named."""

    def __init__(self, admission: Admission, limits: Limits) -> None:
        self._admission = admission
        self._limits = limits

    def intercept_service(self, continuation: Callable[[Any], Any], details: Any) -> Any:
        """Pass a call on, or answer it with a refusal."""
        told = _read(details.invocation_metadata)
        try:
            if not details.method.startswith(_HEALTH):
                key = self._admission.find_key(told.key)
                check_tenant(key, told.of_key(key).tenant)
                check_verbs(key, _verb_names().get(details.method, ""))
                self._limits.count(key.id if key else "")
        except (Refusal, SmartBrainError) as error:
            refused = error
            return grpc.unary_unary_rpc_method_handler(
                lambda _, context: abort(context, refused, told.request_id, root="")
            )
        return continuation(details)


class MemoryCalls:
    """The verbs as calls of the service."""

    def __init__(self, root: Root, admission: Admission, limits: Limits) -> None:
        self._service = Service(root)
        self._root = str(root.path)
        self._admission = admission
        self._limits = limits
        self._streams = threading.BoundedSemaphore(MAX_STREAMS)
        self.is_stopping = False

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what answers the calls of the service."""
        named = {rpc_name(verb): verb for verb in verbs().values()}
        handlers = {
            method.name: self._stream_handler(method)
            if method.name == FOLLOW
            else self._method_handler(method, named.get(method.name))
            for method in service().methods
        }
        return grpc.method_handlers_generic_handler(SERVICE, handlers)

    def _method_handler(self, method: MethodDescriptor, verb: Verb | None) -> grpc.RpcMethodHandler:
        """Return what answers a call of a verb, or without one begins a tenant."""
        request, response = message_class(method.input_type), message_class(method.output_type)

        def answer(message: Message, context: grpc.ServicerContext) -> Message:
            answered = response()
            with self._begun(method, context) as told, self._limits.running():
                given = read_arguments(message, self._limits.rules.max_json_depth)
                if verb is None:
                    fill_message(answered, self._service.open(told.tenant))
                else:
                    fill_message(answered, {"result": self._ask(verb, told, given)})
            return answered

        return grpc.unary_unary_rpc_method_handler(
            answer, request.FromString, response.SerializeToString
        )

    def _ask(self, verb: Verb, told: CallMetadata, given: dict[str, Any]) -> Any:
        if told.session is not None and "session_id" in verb.arguments.__struct_fields__:
            given = {"session_id": told.session, **given}
        asked = with_idempotency(verb, given, told.idempotency)
        return self._service.call(verb, told.tenant, asked)

    def _stream_handler(self, method: MethodDescriptor) -> grpc.RpcMethodHandler:
        request, response = message_class(method.input_type), message_class(method.output_type)

        def follow(message: Message, context: grpc.ServicerContext) -> Iterator[Message]:
            with self._begun(method, context) as told, self._place():
                for event in self._walk(told, context, **read_arguments(message)):
                    answered = response()
                    fill_message(answered, event.to_dict())
                    yield answered

        return grpc.unary_stream_rpc_method_handler(
            follow, request.FromString, response.SerializeToString
        )

    def _walk(
        self,
        told: CallMetadata,
        context: grpc.ServicerContext,
        *,
        since: int | None = None,
        kinds: list[str] | None = None,
    ) -> Iterator[MemoryEvent]:
        """Yield events until the client has gone, its key is revoked or the server stops."""
        wanted, brain = read_kinds(kinds), self._service.brain(told.tenant, create=False)
        last = read_events(brain, None).last if since is None else since
        for found in walk_pages(lambda number: read_events(brain, number, wanted), last):
            if self.is_stopping or not context.is_active():
                return
            self._admission.find_key(told.key)
            if isinstance(found, MemoryEvent):
                yield found

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._streams.acquire(blocking=False):
            raise Refusal("too_busy")
        try:
            yield
        finally:
            self._streams.release()

    @contextmanager
    def _begun(
        self, method: MethodDescriptor, context: grpc.ServicerContext
    ) -> Iterator[CallMetadata]:
        """Read the metadata of a call, and end it with the error that is raised inside."""
        told = _read(context.invocation_metadata())
        context.set_trailing_metadata(((REQUEST_ID.lower(), told.request_id),))
        try:
            yield told.of_key(self._admission.find_key(told.key))
        except (Refusal, SmartBrainError) as error:
            abort(context, error, told.request_id, root=self._root)
        except Exception:  # noqa: BLE001 - the edge: recorded, and told as a fault
            _log.exception("%s failed", method.name)
            abort(context, InternalError(), told.request_id, root=self._root)


class GrpcServer:
    """The gRPC server of a root: it listens at once, and answers from `start` to `stop`."""

    def __init__(
        self,
        root: Root,
        admission: Admission,
        address: str,
        *,
        max_body: int | None = None,
        tls: tuple[Path, Path] | None = None,
    ) -> None:
        """Listen at an address; `tls` is a certificate chain and its private key."""
        rules = root.settings.rules.server
        limits = Limits(rules)
        self._server = grpc.server(
            ThreadPoolExecutor(THREADS, thread_name_prefix="grpc"),
            interceptors=(KeyCheck(admission, limits),),
            options=[
                ("grpc.max_receive_message_length", max_body or rules.max_body_mb * MEGABYTE),
                ("grpc.max_send_message_length", -1),
                ("grpc.so_reuseport", 0),
            ],
            maximum_concurrent_rpcs=rules.max_concurrent,
        )
        self._health = health.HealthServicer()
        self._calls = MemoryCalls(root, admission, limits)
        self._server.add_generic_rpc_handlers((self._calls.handler(),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME), self._server)
        try:
            if tls is None:
                self.port: int = self._server.add_insecure_port(address)
            else:
                cert, key = (path.read_bytes() for path in tls)
                credentials = grpc.ssl_server_credentials([(key, cert)])
                self.port = self._server.add_secure_port(address, credentials)
        except RuntimeError:
            raise UsageError(f"{address} cannot be served; change the options") from None

    def start(self) -> None:
        """Begin to answer."""
        self._server.start()
        for name in ("", SERVICE):
            self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def stop(self) -> None:
        """Take no new calls, end streams, and let the calls that run end."""
        self._calls.is_stopping = True
        self._health.enter_graceful_shutdown()
        self._server.stop(GRACE_SECONDS).wait()


def abort(
    context: grpc.ServicerContext, error: Refusal | SmartBrainError, request_id: str, *, root: str
) -> None:
    """End a call with an error, which never says where on the disk the brain lies."""
    told = tell_error(error, root)
    name = error.codes.grpc_code if isinstance(error, Refusal) else grpc_code(error)
    body = msgspec.json.encode(told)
    context.set_trailing_metadata(((ERROR, body), (REQUEST_ID.lower(), request_id)))
    context.abort(getattr(grpc.StatusCode, name), str(told["message"]))


@cache
def _verb_names() -> dict[str, str]:
    """Return the verb of each call by its full name."""
    names = {rpc_name(verb): verb.name for verb in verbs().values()}
    named = {**names, FOLLOW: "events", OPEN: "open"}
    return {f"/{SERVICE}/{rpc}": name for rpc, name in named.items()}


def _read(pairs: Any) -> CallMetadata:
    return read_metadata({name.lower(): one for name, one in pairs if isinstance(one, str)})
