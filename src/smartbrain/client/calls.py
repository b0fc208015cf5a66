"""A call of a verb over HTTP, and the stream of events: how it is asked, what its answer means.

In: a verb with arguments as the library takes them; an answer of a server. Out: a request; a result
of the library's own types, events in their order, or its errors. A call is made again only where
that cannot do it twice: it was never sent, the server refused it for a moment, or it carries an
idempotency key.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote
from uuid import uuid4

import httpx
import msgspec

from smartbrain.domain.memory_event import MemoryEvent
from smartbrain.domain.tenant import folder_of
from smartbrain.entrypoints.wire.errors import RETRY_STATUS, read_error
from smartbrain.entrypoints.wire.verbs import LOCAL, Verb, plain_result, read_result
from smartbrain.errors import CODES, AdapterError, SmartBrainError, UsageError
from smartbrain.remember.arguments import as_mapping

TIMEOUT: Final = 60.0
PAUSES: Final = (0.1, 0.5, 2.0)
"""Seconds before each further attempt."""
_IDEMPOTENT: Final = "idempotency_key"
_NEVER_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_SERVER_FAULT: Final = 500
_HEARTBEAT: Final = 1  # seconds, so that closing never waits longer
_SILENCE: Final = httpx.Timeout(10.0, read=30.0)


class RemoteCall(NamedTuple):
    """A request, ready to be sent."""

    path: str
    body: bytes
    may_repeat: bool
    read: Callable[[Any], Any]


def client_options(url: str, tenant: str, api_key: str | None, timeout: float) -> dict[str, Any]:
    """Return how a client of httpx is made for a server."""
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"{url!r:.80} is no address of a server; give http://… or https://…")
    headers = {"content-type": "application/json"}
    if api_key is not None:
        headers["authorization"] = f"Bearer {api_key}"
    return {"base_url": url, "headers": {**headers, **tenant_header(tenant)}, "timeout": timeout}


def tenant_header(tenant: str) -> dict[str, str]:
    """Return what names a tenant in a request, whatever it is called."""
    folder_of(tenant)
    return {"SmartBrain-Tenant": quote(tenant, safe="")}


def open_call() -> RemoteCall:
    """Return the call that begins a tenant."""
    return RemoteCall("/v1/open", b"{}", True, lambda told: told)


def verb_call(verb: Verb, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> RemoteCall:
    """Return the call of a verb, with its arguments as the library takes them."""
    bound = _signature(verb).bind(*args, **kwargs)
    given: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        is_more = bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD
        given.update(value if is_more else {name: value})
    for name in LOCAL.intersection(given):
        raise UsageError(f"{name} means something only where the brain is; leave it out")
    takes_key = _IDEMPOTENT in verb.arguments.__struct_fields__
    if takes_key and given.get(_IDEMPOTENT) is None:
        given[_IDEMPOTENT] = str(uuid4())
    return RemoteCall(
        f"/v1/{verb.name}", _encode(given), takes_key, lambda told: read_result(verb, told)
    )


def read_answer(call: RemoteCall, answer: httpx.Response) -> Any:
    """Return what a verb gave."""
    try:
        told = msgspec.json.decode(answer.content)
        if answer.is_success:
            return call.read(told)
        error = told["error"]
        code, message = str(error["code"]), str(error["message"])
    except (msgspec.MsgspecError, KeyError, TypeError) as fault:
        code, message = (
            "",
            f"the server answered {answer.status_code}, not as one of ours ({fault})",
        )
        error = {}
    if code in CODES:
        raise read_error(error)
    shown = f"{message} [{code}]" if code else message
    if answer.status_code < _SERVER_FAULT and code:
        raise UsageError(shown)
    raise AdapterError(shown, retryable=answer.status_code == RETRY_STATUS)


def final_error(fault: SmartBrainError | httpx.HTTPError) -> SmartBrainError:
    """Return the error that is raised; after a failure on the way nobody knows what was done."""
    if isinstance(fault, SmartBrainError):
        return fault
    said = str(fault) or type(fault).__name__
    return AdapterError(f"the server did not answer: {said}", code="io_error")


def may_ask_again(call: RemoteCall, fault: SmartBrainError | httpx.HTTPError) -> bool:
    """Tell whether making a call again cannot do it twice, and may help."""
    if isinstance(fault, httpx.HTTPError):
        return call.may_repeat or isinstance(fault, _NEVER_SENT)
    return isinstance(fault, AdapterError) and fault.code in ("busy", "adapter") and fault.retryable


@cache
def _signature(verb: Verb) -> inspect.Signature:
    full = inspect.signature(verb.function)
    return full.replace(parameters=list(full.parameters.values())[1:])


def _encode(given: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(given, enc_hook=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"an argument has no JSON form: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        raise UsageError("a path leads nowhere on the server; read the file and give its text")
    if hasattr(value, "to_dict"):
        return plain_result(value)
    fields = as_mapping(value, type(value).__name__)
    if fields is not None:
        return dict(fields)
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no plain value")


class _Block:
    def __init__(self) -> None:
        self._number = 0
        self._data = ""

    def read(self, line: str) -> MemoryEvent | int | None:
        """Return what has ended with a line: an event, or how far the server has looked."""
        name, _, value = line.partition(": ")
        if name == "id":
            self._number = int(value)
        elif name == "data":
            self._data = value
        if line or not self._number:
            return None
        found = self._number, self._data
        self._number, self._data = 0, ""
        return msgspec.json.decode(found[1], type=MemoryEvent) if found[1] else found[0]


def walk_stream(
    http: httpx.Client, tenant: str, kinds: Iterable[str], since: int
) -> Iterator[MemoryEvent | int]:
    """Yield what happens after a number, until the stream ends, which is an error."""
    if http.is_closed:
        raise _ended(http)
    request: dict[str, Any] = {
        "params": {"heartbeat": _HEARTBEAT, "kinds": ",".join(kinds)},
        "headers": {**tenant_header(tenant), "Last-Event-ID": str(since)},
        "timeout": _SILENCE,
    }
    block = _Block()
    try:
        with http.stream("GET", "/v1/events", **request) as answer:
            if not answer.is_success:
                answer.read()
                read_answer(RemoteCall("", b"", False, lambda told: told), answer)
            for line in answer.iter_lines():
                if (found := block.read(line)) is not None:
                    yield found
    except httpx.HTTPError as fault:
        raise _ended(http, fault) from None
    raise _ended(http)


def _ended(http: httpx.Client, fault: httpx.HTTPError | None = None) -> SmartBrainError:
    """Return why a stream is over: its brain was closed, or the connection is lost."""
    if http.is_closed:
        return UsageError("this brain is closed; open it again", code="closed")
    return final_error(fault or httpx.ReadError("the stream of events has ended"))
