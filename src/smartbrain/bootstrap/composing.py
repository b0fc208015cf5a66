"""The compose path of a root, put together: what a context is made with, and what is kept of it.

In: what a caller asks for, an open tenant, the rules of a handle. Out: packages. Traces and the
times at which memories were shown are written afterwards, many at once, by a background thread.
Documents are asked beside the call that waits for them, and not for ever. Loaded by the first call
that composes.
"""

from __future__ import annotations

import dataclasses
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.adapters.models.given import GivenResources
from smartbrain.adapters.splintr_counter import token_counter
from smartbrain.bootstrap.background import Background, Threaded
from smartbrain.compose.counting import PricedCounter
from smartbrain.compose.documents import Outside
from smartbrain.compose.pipeline import Composition, compose
from smartbrain.compose.request import (
    ComposeRequest,
    message_text,
    read_agent_state,
    read_message,
)
from smartbrain.compose.trace import shown_texts, trace_of
from smartbrain.domain.audience import Audience, Shown
from smartbrain.domain.context_messages import prefix_share
from smartbrain.domain.metrics import PREFIX_SHARE
from smartbrain.domain.recipe import recipe_named
from smartbrain.domain.turn import Role
from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.govern.short_term import with_texts
from smartbrain.recall.request import PacketOptions, RecallRequest
from smartbrain.remember.arguments import read_id, read_optional_id
from smartbrain.text.tokens import EstimatedTokens

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.recalling import Recalling
    from smartbrain.compose.counting import Count
    from smartbrain.compose.documents import AskDocuments
    from smartbrain.domain.context import ContextPackage
    from smartbrain.domain.evidence import EvidencePack
    from smartbrain.domain.job import Trace
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.resources import Resources
    from smartbrain.ports.token_counter import TokenCounter


def asking(resources: Resources | None, background: Background) -> AskDocuments | None:
    """Return how documents are asked; None where there are none."""
    if resources is None:
        return None
    given = GivenResources(resources)

    def ask(plan: RetrievalPlan, seconds: float) -> EvidencePack:
        answer = background.outside(partial(given.retrieve, plan))
        try:
            return answer.result(seconds)
        finally:
            answer.cancel()  # one that has not even begun is not request any more

    return ask


_log: Final = logging.getLogger(__name__)
_SOON: Final = 0.1  # seconds in which traces are gathered before they are written
_PRUNED_EVERY: Final = 100  # traces
_MOST_TOKENS: Final = 10_000_000
_SHORT: Final = 2_000  # characters of a text whose tokens are counted once, of many such
_LONGER: Final = 50_000  # of few: the last turns come again
_LATEST: Final = 64  # contexts whose answers may come before they are written
_ASKED: Final = (6_000, 2_000)  # characters at the ends of a long message that are looked for
Lease = Callable[..., AbstractContextManager["OpenTenant"]]


class Composing:
    """Contexts with the models and threads of one root."""

    def __init__(
        self,
        recalling: Recalling,
        background: Background,
        lease: Lease,
        *,
        resources: Resources | None,
    ) -> None:
        self._recalling = recalling
        self.documents = asking(resources, background)
        self._kept = _Keeping(background, lease)
        self._counts: dict[str, PricedCounter] = {}

    def read(
        self, given: dict[str, Any], now: datetime, rules: Rules, *, message: object, state: object
    ) -> ComposeRequest:
        """Read what a caller asks for at some time."""
        system, developer = read_agent_state(state)
        limit = given["token_limit"]
        if limit is None:
            limit = rules.policies.composition.token_limit
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST_TOKENS:
            raise UsageError(
                f"token_limit is a whole number from 1 to {_MOST_TOKENS}, not {limit!r:.60}"
            )
        return ComposeRequest(
            session_id=read_id(given["session_id"], "session_id"),
            message=read_message(message),
            recipe=recipe_named(given["recipe"], rules.recipes),
            audience=_audience(given["audience"]),
            limit=limit,
            now=now,
            turn_id=read_optional_id(given["turn_id"], "turn_id"),
            run_id=read_optional_id(given["run_id"], "run_id"),
            system=system,
            developer=developer,
        )

    def compose(self, request: ComposeRequest, tenant: OpenTenant, rules: Rules) -> ContextPackage:
        """Return the context of one model call, and have what was decided kept."""
        roomy = dataclasses.replace(rules, packet=rules.packet.for_context(request.limit))
        found, packet = self._recalling.brought(*asked_of(request, tenant, roomy), tenant, roomy)
        made = compose(
            request,
            found,
            packet,
            ports=tenant.ports,
            rules=rules,
            count=self.count(rules),
            outside=Outside(self.documents, self._recalling.judge(rules)),
        )
        made = self._with_prefix_share(made, tenant.name)
        self._kept.add(tenant.name, Kept(made, rules, self.count(rules).plain))
        return made.package

    def _with_prefix_share(self, made: Composition, tenant: str) -> Composition:
        package = made.package
        before = self._kept.latest(tenant, package.session_id, None)
        if before is None:
            return made
        share = prefix_share(before, package)
        self._recalling.observe(tenant, PREFIX_SHARE, share)
        debug = replace(package.debug, planner={**package.debug.planner, "prefix_share": share})
        return dataclasses.replace(made, package=replace(package, debug=debug))

    def flush(self) -> None:
        """Write what waits to be kept."""
        self._kept.flush()

    def close(self) -> None:
        """Write what waits to be kept, and end the thread that looks for it."""
        self._kept.flush()
        self._kept.rest()

    def shown(self, tenant: str, session_id: str, context_id: str | None) -> Shown | None:
        """Return what a context of late showed; None for one that is not known.

        Without an id it is the last one of the session.
        """
        package = self._kept.latest(tenant, session_id, context_id)
        return None if package is None else Shown(texts=tuple(shown_texts(package)))

    def count(self, rules: Rules) -> PricedCounter:
        """Return how tokens are counted; texts that come again are counted once."""
        name = rules.policies.composition.tokenizer
        if name not in self._counts:
            plain = _counting(token_counter(rules.policies.composition))
            self._counts[name] = PricedCounter(plain, estimated=name == EstimatedTokens.name)
        return self._counts[name]


class Kept(NamedTuple):
    """A composition, the rules it was made under, and how its tokens are counted."""

    made: Composition
    rules: Rules
    count: Count


class _Keeping(Threaded):
    """What waits to be written of the contexts that were composed, tenant by tenant."""

    def __init__(self, background: Background, lease: Lease) -> None:
        self._background = background
        self._lease = lease
        self._latest: deque[tuple[str, ContextPackage]] = deque()
        super().__init__()

    def begin(self) -> None:
        """Start with nothing that waits: in a child that is the parent's to write."""
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._waiting: dict[str, list[Kept]] = {}
        self._looking: threading.Thread | None = None
        self._rested = threading.Event()
        self._unwritten: set[str] = set()
        self._written: dict[str, int] = {}

    def add(self, tenant: str, one: Kept) -> None:
        """Have a composition written soon, with others."""
        with self._lock:
            self._waiting.setdefault(tenant, []).append(one)
            self._latest.appendleft((tenant, one.made.package))
            self._unwritten.add(one.made.package.context_id)
            if self._looking is None or not self._looking.is_alive():
                self._rested = threading.Event()
                self._looking = threading.Thread(
                    target=self._look, args=(self._rested,), name="smartbrain-traces", daemon=True
                )
                self._looking.start()

    def latest(self, tenant: str, session_id: str, context_id: str | None) -> ContextPackage | None:
        """Return a context of late by its id, or the last one of a session."""
        with self._lock:
            latest = [package for owner, package in self._latest if owner == tenant]
        for one in latest:
            if context_id == one.context_id or (
                context_id is None and one.session_id == session_id
            ):
                return one
        return None

    def flush(self) -> None:
        """Write everything that waits; what cannot be written is lost, and that is said.

        What another thread is just writing is written when this returns.
        """
        with self._writing:
            with self._lock:
                waiting, self._waiting = self._waiting, {}
            for tenant, some in waiting.items():
                try:
                    self._write(tenant, some)
                except SmartBrainError as error:
                    _log.warning("%d traces of %s are lost: %s", len(some), tenant, error.message)
                finally:
                    self._settle([one.made.package.context_id for one in some])

    def _settle(self, written: Sequence[str]) -> None:
        """Let go of contexts whose answers find them in the storage by now."""
        with self._lock:
            self._unwritten.difference_update(written)
            while len(self._latest) > _LATEST:
                if self._latest[-1][1].context_id in self._unwritten:
                    break
                self._latest.pop()

    def rest(self) -> None:
        """Have nobody look for what waits until there is more."""
        with self._lock:
            self._rested.set()
            self._looking = None

    def _look(self, rested: threading.Event) -> None:
        """Have what waits written now and then, as long as there is some."""
        while not rested.wait(_SOON):
            with self._lock:
                if rested.is_set():
                    return
                if not self._waiting:
                    self._looking = None
                    return
            try:
                wait([self._background.soon(self.flush)])
            except RuntimeError:  # the process ends unclosed: as after a crash, traces are lost
                return

    def _write(self, tenant: str, waiting: list[Kept]) -> None:
        with self._lease(tenant, create=False) as opened:
            with opened.ports.truth.read() as rows:
                traces = [
                    trace_of(*one, rows=rows)
                    for one in waiting
                    if one.rules.policies.observability.trace
                ]
            self._put(tenant, waiting, traces, opened.ports)

    def _put(self, tenant: str, waiting: list[Kept], traces: list[Trace], ports: Ports) -> None:
        seen = self._written.get(tenant)
        with ports.truth.write() as rows:
            for one in waiting:
                if one.made.shown:
                    rows.composed.accessed(one.made.shown, one.made.inputs.request.now)
            forgotten = rows.forgettings.receipts(last=1)
            for trace in traces:  # one from before a forgetting may hold its words
                if not forgotten or trace.created_at > forgotten[0].asked_at:
                    rows.working.put_trace(trace)
            if seen is None or seen + len(traces) >= _PRUNED_EVERY:
                last = waiting[-1]
                rules = last.rules.policies.observability
                oldest = last.made.inputs.request.now - timedelta(days=rules.trace_days)
                rows.composed.prune_traces(oldest, rules.max_traces, rules.max_trace_bytes)
                seen = 0
        self._written[tenant] = seen + len(traces)


def _counting(counter: TokenCounter) -> Count:
    short = lru_cache(maxsize=8_192)(counter.count)
    longer = lru_cache(maxsize=128)(counter.count)

    def count(text: str) -> int:
        size = len(text)
        if size <= _SHORT:
            return short(text)
        return longer(text) if size <= _LONGER else counter.count(text)

    return count


def asked_of(
    request: ComposeRequest, tenant: OpenTenant, rules: Rules
) -> tuple[RecallRequest, PacketOptions]:
    """Return what memory is asked for a context, and for whom."""
    asked = RecallRequest(
        text=_query(request, tenant),
        now=request.now,
        k=rules.packet.max_per_type,
        k_hop=rules.recall.graph.k_hop,
        session_id=request.session_id,
    )
    return asked, PacketOptions(audience=request.audience, run_id=request.run_id, whole=True)


def _query(request: ComposeRequest, tenant: OpenTenant) -> str:
    """Return what memory is asked: the message, or what the user said in the turn in progress."""
    text = message_text(request.message)
    if request.message is None and request.turn_id is not None:
        ports = tenant.ports
        with ports.truth.read() as rows:
            turn = rows.events.turn(request.turn_id)
            said = [one for one in turn.messages if one.role is Role.USER][-1:]
            (turn,) = with_texts(
                [replace(turn, messages=tuple(said))],
                transaction=rows,
                blobs=ports.blobs,
                outputs=False,
            )
        text = "".join(one.content for one in turn.messages)
    head, tail = _ASKED
    return text if len(text) <= head + tail else f"{text[:head]}\n{text[-tail:]}"


def _audience(given: object) -> Audience:
    if isinstance(given, str) and given in set(Audience):
        return Audience(given)
    raise UsageError(f"audience is one of {', '.join(Audience)}, not {given!r:.60}")
