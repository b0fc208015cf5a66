"""What a recall is asked, and what it may use to answer: the two values every stage is given.

In: a caller's question with its limits; the views, models and threads of an open tenant. Out:
`RecallRequest` and `RecallTools`. Nothing is read here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from smartbrain.domain.audience import Audience

if TYPE_CHECKING:
    from concurrent.futures import Future

    from smartbrain.domain.policy import QueryExpansionRules
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.recall import ArmReport, Cues, QuestionReading
    from smartbrain.domain.search import IndexFilter, TextQuery
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.embedder import Embedder
    from smartbrain.ports.reranker import Reranker
    from smartbrain.recall.rerank import Run as RunInTime
    from smartbrain.recall.views.follow import Follower
    from smartbrain.text.ontology import Ontology

_MAX_OVERDUE: Final = 2
Run: TypeAlias = "Callable[[Callable[[], Any]], Future[Any]]"
"""Runs an arm beside the others."""
ReadQuestion: TypeAlias = "Callable[[str], QuestionReading]"
"""Reads what a message asks for."""
RunModel: TypeAlias = "Callable[[str, Callable[[], Any]], Future[Any]]"
"""Runs what a model of some name is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """One question: its words, its moment, and what may answer.

    `since` and `until` bound what was said, `as_of` asks what held at a time, `history` also for
    what holds no more. `types` empty means all; where some are left out the question is
    `narrowed`. Of a past question `stored_by` is its moment: what
    was stored later does not answer it. With a `rare_share` it is also asked which of its words at
    most that share of memories holds.
    """

    text: str
    now: datetime
    k: int = 20
    k_hop: int = 2
    session_id: str | None = None
    types: tuple[str, ...] = ()
    narrowed: bool = False
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    history: bool = False
    stored_by: datetime | None = None
    rare_share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketOptions:
    """Whom a packet is for: who reads it, in which run, at which kind of task.

    `whole` is for who shows as much of each memory as has room: nothing is shortened or quoted.
    """

    audience: Audience = Audience.RESPONDER
    run_id: str | None = None
    task_type: str | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorArm:
    """An embedder, the view that holds what it has embedded, and the languages that it reads."""

    embedder: Embedder
    view: str
    languages: tuple[str, ...] = ()


class Overdue:
    """Running work that was given up, by who does it. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: Counter[Hashable] = Counter()
        self.given_up = 0
        """How often so far."""

    def busy(self, who: Hashable) -> bool:
        """Tell whether somebody is not to be asked until earlier work has come back."""
        return self._running[who] >= _MAX_OVERDUE

    def give_up(self, who: Hashable, work: Future[Any]) -> None:
        """Stop waiting for work; if it runs on, that counts until it ends."""
        if work.cancel() or work.done():
            return
        with self._lock:
            self._running[who] += 1
            self.given_up += 1

        def back(_: Future[Any]) -> None:
            with self._lock:
                self._running -= Counter([who])  # none is kept at zero

        work.add_done_callback(back)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTools:
    """What one recall can reach: views that are caught up, embedders, threads, a clock of seconds.

    `run` starts what this machine does, `run_model` what waits for a model: one that hangs holds up
    nobody else. `overdue` knows who has not come back from earlier questions: the models of all
    tenants, and the arms of this one under its `tenant`. `behind` is how many transactions the
    views lack, `unasked` are the arms that cannot be asked, each with why; `expansion` is how far a
    message may be widened, `read_question` tells which attributes of the `ontology` it asks for.
    """

    follower: Follower
    run: Run
    run_model: RunModel
    in_time: RunInTime
    timer: Callable[[], float]
    expansion: QueryExpansionRules
    ontology: Ontology
    read_question: ReadQuestion
    reranker: Reranker | None = None
    vectors: Sequence[VectorArm] = ()
    unasked: Sequence[ArmReport] = ()
    behind: int = 0
    tenant: str = ""
    overdue: Overdue = field(default_factory=Overdue)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What every arm is asked: a request, what its message gives to look for, and by what means.

    `query` is the whole plan as one query, `only` what may answer at all, `k` how many to find.
    """

    request: RecallRequest
    cues: Cues
    query: TextQuery
    only: IndexFilter
    k: int
    tools: RecallTools
    ports: Ports
    rules: RecallRules
