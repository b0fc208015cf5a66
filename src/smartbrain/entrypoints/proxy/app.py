"""The proxy put together: memory is added, the request passed on, the answer kept when it is over.

In: an open root, the address of a model's API. Out: an ASGI application. A model call never fails
because of memory: what goes wrong is told in a header, and the request passes as it came. The bytes
of an answer are never changed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, unquote

import anyio
import httpx
import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from smartbrain.brain import SmartBrain
from smartbrain.entrypoints.proxy.dialects import (
    DIALECTS,
    UNREADABLE,
    AnswerReader,
    Dialect,
    OpenTurn,
    tool_outputs,
    user_of,
    user_words,
    without_marks,
)
from smartbrain.entrypoints.rest.access import OPEN_PATHS, KeyDemands, add_access, add_errors
from smartbrain.entrypoints.rest.keys import Admission, ApiKey, ApiKeys
from smartbrain.entrypoints.wire.host_memory import (
    HOST_VERBS,
    find_last_turns,
    find_turn_kept,
    memory_text,
)
from smartbrain.entrypoints.wire.limits import MEGABYTE
from smartbrain.entrypoints.wire.service import OWN_KEY, SESSION, TENANT, check_tenant
from smartbrain.errors import Conflict, SmartBrainError, UsageError
from smartbrain.ports.telemetry import log_fault

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Root
    from smartbrain.domain.context import ContextPackage

_log = logging.getLogger(__name__)

STATUS: Final = "SmartBrain-Status"
PLACE: Final = "SmartBrain-Place"
PLACES: Final = ("user", "system")
"""Whose words memory can be in a request."""
ANSWER: Final = "proxy:answer:"
"""How the idempotency key begins under which an answer with an id of its own is kept."""
PATIENCE: Final = 2.0
"""Seconds that a request waits for memory."""
IMAGE_FACTOR: Final = 4
"""How much larger than other bodies those may be that hold images."""
CONTEXT_TOKENS: Final = 4000
LATELY: Final = 900.0
"""Seconds in which the same words are the same turn: steps of a tool loop, retries."""
_KNOWN_TURNS: Final = 256
_TIMEOUT: Final = httpx.Timeout(600.0, connect=15.0)
_OURS: Final = frozenset(
    {*(name.lower() for name in (TENANT, SESSION, OWN_KEY, PLACE)), "x-request-id"}
)
_HOPS: Final = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te"),
        *("trailer", "transfer-encoding", "upgrade", "host", "content-length"),
        "accept-encoding",
    }
)
_HOPS_BACK: Final = _HOPS - {"content-length"} | {"date", "server"}


@dataclass(slots=True)
class KnownTurn:
    """A turn that requests were made for lately: what memory adds to them, and where it is kept."""

    text: str
    context_id: str
    since: float
    turn_id: str | None = None


class Exchange(NamedTuple):
    """One request to a model as memory sees it: whose it is, and the turn that it is about."""

    dialect: Dialect
    tenant: str
    session: str
    turn: OpenTurn
    place: str

    @property
    def key(self) -> str:
        """What names the turn: the same in every step of it, and when a request is sent again.

        It rests on the user's words alone: clients change the rest of a history, such as marks for
        caches, from request to request.
        """
        said = [*filter(None, map(user_words, self.turn.before)), self.turn.words]
        told = msgspec.json.encode([self.tenant, self.session, said])
        return f"proxy:{blake2b(told, digest_size=16).hexdigest()}"


class AnsweredTurn(NamedTuple):
    """A turn with its answer, which a later request may name instead of repeating it."""

    session: str
    turn: OpenTurn
    said: Mapping[str, Any] | None

    def go_on(self, asked: Mapping[str, Any], turn: OpenTurn | None) -> OpenTurn | None:
        """Return the turn of a request that begins where this answer ends."""
        if turn is not None:
            spoken = [*map(user_words, self.turn.before), self.turn.words]
            before = [{"role": "user", "content": words} for words in spoken if words]
            return turn._replace(before=[*before, *turn.before])
        outputs = tool_outputs(asked)
        said = [self.said] if self.said else []
        return self.turn._replace(steps=[*said, *outputs]) if outputs else None


class PassedAnswer(StreamingResponse):
    """An answer that passes; where the model's API breaks it off, the connection is closed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        try:
            await super().__call__(scope, receive, send)
        except httpx.HTTPError as error:
            _log.warning("the model's API broke off its answer: %s", error)


class ProxyUse(NamedTuple):
    """How a proxy is to be used: whose memory it adds, and where."""

    tenant: str = "default"
    tenant_by_user: bool = False
    """Whether the user that a request names is its tenant, where no header or key says more."""
    place: str = "user"
    """Whose words memory is in a request that does not say."""


class MemoryProxy:
    """What stands between a client and a model."""

    def __init__(self, root: Root, upstream: str, http: httpx.AsyncClient, use: ProxyUse) -> None:
        self._root = root
        self._upstream = httpx.URL(upstream.rstrip("/"))
        self._use = use
        self._http = http
        self._known: OrderedDict[str, KnownTurn] = OrderedDict()
        self._answered: OrderedDict[str, AnsweredTurn] = OrderedDict()
        self._commits: set[asyncio.Task[None]] = set()

    async def handle(self, request: Request) -> Response:
        """Pass a request on, with memory where it is one that memory understands."""
        dialect = DIALECTS.get(request.url.path) if request.method == "POST" else None
        body = await request.body()
        exchange = await self._read(request, body, dialect) if dialect else None
        told, context = "passed", ""
        if exchange is not None:
            body, told, context = await self._add(exchange, body)
        try:
            answer = await self._ask(request, body)
        except httpx.HTTPError as error:
            return _unreachable(str(self._upstream), error, told)
        reader = None
        if exchange is not None and answer.is_success:
            kind = answer.headers.get("content-type", "")
            reader = AnswerReader(exchange.dialect, is_stream=kind.startswith("text/event-stream"))
        passed = PassedAnswer(
            self._pass(answer, reader, exchange, context), answer.status_code, {STATUS: told}
        )
        for name, value in answer.headers.multi_items():
            if name.lower() not in _HOPS_BACK:
                passed.headers.append(name, value)
        return passed

    async def _add(self, exchange: Exchange, body: bytes) -> tuple[bytes, str, str]:
        """Return a request with memory in it, what became of it, and the id of the context.

        Whatever goes wrong, or takes too long, the request is as it came.
        """
        context, start = "", time.perf_counter()
        try:
            with anyio.fail_after(PATIENCE):
                added = await anyio.to_thread.run_sync(
                    partial(self._compose, exchange), abandon_on_cancel=True
                )
            status, context = "added" if added.text else "nothing fits", added.context_id
            if added.text:
                asked = msgspec.json.decode(body)
                added_to = exchange.dialect.add(asked, added.text, exchange.place)
                body = msgspec.json.encode(added_to)
        except TimeoutError:
            status = "late"
        except SmartBrainError as error:
            status = f"failed {error.code}"
        except Exception as error:  # noqa: BLE001 - the edge: recorded, the request passes as it is
            log_fault(_log, "memory failed", error)
            status = "failed internal"
        took = (time.perf_counter() - start) * 1000
        told = f"{status}; session={quote(exchange.session)}; took={took:.1f}"
        return body, f"{told}; context={context}" if context else told, context

    async def finish(self) -> None:
        """Let the commits end that are under way."""
        while self._commits:
            await asyncio.gather(*self._commits, return_exceptions=True)

    async def _read(self, request: Request, body: bytes, dialect: Dialect) -> Exchange | None:
        """Return the turn that a request is about; what cannot be read is for the model's API."""
        place = _check_place(PLACE, request.headers.get(PLACE, self._use.place))
        try:
            asked = msgspec.json.decode(body)
        except UNREADABLE:
            asked = None
        if not isinstance(asked, dict):
            return None
        tenant = self._find_tenant(request, asked)
        turn, named = dialect.find(asked), unquote(request.headers.get(SESSION, ""))
        answered = await self._find_answer(tenant, asked.get("previous_response_id"))
        if answered is not None:
            turn, named = answered.go_on(asked, turn), named or answered.session
        if turn is None:
            return None
        if answered is not None and named != answered.session:
            turn = turn._replace(turn_id=None)  # a turn is of one conversation
        session = named or _conversation_of(asked) or _session_of(turn, user_of(asked))
        return Exchange(dialect, tenant, session, turn, place)

    def _find_tenant(self, request: Request, asked: Mapping[str, Any]) -> str:
        """Return the tenant that a header names, else the key, else the user, else our own."""
        key: ApiKey | None = request.state.key
        named = request.headers.get(TENANT)
        if named is not None:
            return check_tenant(key, unquote(named))
        user = user_of(asked) if self._use.tenant_by_user else ""
        return check_tenant(key, (key and key.only_tenant) or user or self._use.tenant)

    async def _find_answer(self, tenant: str, number: object) -> AnsweredTurn | None:
        """Return the answer that a request goes on from; one from before a restart is looked up."""
        found = self._answered.get(f"{tenant}\0{number}")
        if found is not None or not isinstance(number, str):
            return found
        look = partial(find_turn_kept, self._root, tenant, f"{ANSWER}{number}")
        try:
            with anyio.fail_after(PATIENCE):
                kept = await anyio.to_thread.run_sync(look, abandon_on_cancel=True)
        except (SmartBrainError, TimeoutError) as error:
            log_fault(_log, "an answer was not found", error)
            return None
        prompt = kept.messages[0].content if kept and kept.messages else ""
        if kept is None or not prompt:
            return None
        message = {"role": "user", "content": prompt}
        return AnsweredTurn(kept.session_id, OpenTurn([], message, [], prompt, kept.id), None)

    def _brain(self, tenant: str) -> SmartBrain:
        return SmartBrain(self._root, tenant, owner=False).tenant(tenant)

    def _compose(self, exchange: Exchange) -> KnownTurn:
        """Return what memory adds; the same in all steps of a turn, so that caches stay warm."""
        known = self._lately(exchange)
        if known is None:
            package: ContextPackage = self._brain(exchange.tenant).compose_context(
                exchange.session, exchange.turn.words, token_limit=CONTEXT_TOKENS
            )
            known = KnownTurn(memory_text(package), package.context_id, time.monotonic())
            self._known[exchange.key] = known
            while len(self._known) > _KNOWN_TURNS:
                self._known.popitem(last=False)
        return known

    def _lately(self, exchange: Exchange) -> KnownTurn | None:
        """Return the turn of an exchange, if a request was made for it lately.

        The same words much later are said anew, and get what memory knows by then.
        """
        known, now = self._known.get(exchange.key), time.monotonic()
        if known is None or now - known.since > LATELY:
            return None
        known.since = now
        return known

    async def _ask(self, request: Request, body: bytes) -> httpx.Response:
        """Send a request to the model's API; its bytes come back as that sends them."""
        headers = [
            (name, value)
            for name, value in request.headers.items()
            if name not in _HOPS and name not in _OURS
        ]
        path = self._upstream.raw_path.rstrip(b"/") + request.scope["raw_path"]
        query = request.scope["query_string"]
        url = self._upstream.copy_with(raw_path=path + (b"?" + query if query else b""))
        asked = self._http.build_request(
            request.method, url, headers=[*headers, ("accept-encoding", "identity")], content=body
        )
        return await self._http.send(asked, stream=True)

    async def _pass(
        self,
        answer: httpx.Response,
        reader: AnswerReader | None,
        exchange: Exchange | None,
        context_id: str,
    ) -> AsyncIterator[bytes]:
        """Yield the bytes of an answer, and keep the turn when they are over or nobody waits."""
        try:
            async for chunk in answer.aiter_raw():
                if reader is not None:
                    reader.feed(chunk)
                yield chunk
        finally:
            if reader is not None and exchange is not None:
                said, number = reader.message(), reader.response_id()
                if number:
                    self._keep_answer(number, exchange, said)
                commit = partial(self._commit, exchange, said, context_id, number)
                task = asyncio.create_task(self._keep(commit))
                self._commits.add(task)
                task.add_done_callback(self._commits.discard)
            with anyio.CancelScope(shield=True):
                await answer.aclose()

    def _keep_answer(self, number: str, exchange: Exchange, said: Mapping[str, Any] | None) -> None:
        turn = exchange.turn._replace(steps=[])
        answered = AnsweredTurn(exchange.session, turn, said)
        self._answered[f"{exchange.tenant}\0{number}"] = answered
        while len(self._answered) > _KNOWN_TURNS:
            self._answered.popitem(last=False)

    async def _keep(self, commit: partial[None]) -> None:
        """Have a thread commit a turn; nobody waits for it any more, so a failure is logged."""
        try:
            await anyio.to_thread.run_sync(commit)
        except Exception as error:  # noqa: BLE001 - the edge: recorded, the model call is long over
            log_fault(_log, "a turn was not kept", error)

    def _commit(
        self, exchange: Exchange, said: Mapping[str, Any] | None, context_id: str, number: str
    ) -> None:
        """Store the prompt once, and behind it the steps and the answer, under its id."""
        brain, session = self._brain(exchange.tenant), exchange.session
        known = self._lately(exchange)
        turn_id = exchange.turn.turn_id or (known.turn_id if known else None)
        if turn_id is None:
            last = find_last_turns(self._root, exchange.tenant, session)[-1:]
            key = ":".join([exchange.key, *(turn.id for turn in last)])
            prompt = without_marks(exchange.turn.message)
            turn_id = brain.commit_turn(session, [prompt], idempotency_key=key).turn_id
            if known is not None:
                known.turn_id = turn_id
        rest = [*exchange.turn.steps, *([said] if said else [])]
        if not rest:
            return
        keep = partial(
            brain.commit_turn, session, rest, turn_id=turn_id, context_id=context_id or None
        )
        try:
            keep(idempotency_key=f"{ANSWER}{number}" if number else None)
        except Conflict as error:
            if error.code != "idempotency_conflict":
                raise
            keep()  # an API that gives several answers one id


def make_proxy(
    root: Root,
    keys: ApiKeys,
    upstream: str,
    *,
    use: ProxyUse | None = None,
    is_local: bool = True,
    is_open: bool = False,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Starlette:
    """Return the proxy of a root before a model's API."""
    if not upstream.startswith(("http://", "https://")):
        raise UsageError(f"{upstream!r:.80} is no address of an API; give http://… or https://…")
    use = use or ProxyUse()
    _check_place("--place", use.place)
    http = httpx.AsyncClient(timeout=_TIMEOUT, transport=transport)
    proxy = MemoryProxy(root, upstream, http, use)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await proxy.finish()
        await http.aclose()
        await anyio.to_thread.run_sync(root.close)

    async def alive(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    own = [Route(path, alive, methods=["GET"]) for path in sorted(OPEN_PATHS)]
    every = Route("/{path:path}", proxy.handle, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
    app = Starlette(routes=[*own, every], lifespan=lifespan)
    add_errors(app, str(root.path))
    most = root.settings.rules.server.max_body_mb * MEGABYTE * IMAGE_FACTOR
    admission = Admission(keys, is_local, is_open)
    # `Authorization` is for the model's API, and every address is for those who may use memory.
    demands = KeyDemands(takes_bearer=False, verbs_of=lambda _: HOST_VERBS)
    add_access(app, root, admission, max_body=most, demands=demands)
    return app


def _check_place(name: str, place: str) -> str:
    if place not in PLACES:
        raise UsageError(f"{name} is {place!r:.40}; give {' or '.join(PLACES)}")
    return place


def _conversation_of(asked: Mapping[str, Any]) -> str:
    """Return the id of a conversation that the model's API keeps, if a request is part of one."""
    given = asked.get("conversation")
    number = given.get("id") if isinstance(given, dict) else given
    return number if isinstance(number, str) else ""


def _session_of(turn: OpenTurn, user: str) -> str:
    """Return the conversation of a request that names none: how it began, and with whom."""
    first = next(filter(None, map(user_words, turn.before)), turn.words)
    named = "\0".join(filter(None, [user, first]))
    return f"chat-{blake2b(named.encode(), digest_size=8).hexdigest()}"


def _unreachable(upstream: str, error: httpx.HTTPError, told: str) -> Response:
    message = f"{upstream} did not answer: {str(error) or type(error).__name__}"
    body = {"type": "error", "error": {"type": "api_error", "message": message, "code": None}}
    return JSONResponse(body, 502, {STATUS: told})
