"""The views of one open tenant, put together: indexes, snapshots, embedders, background work.

In: a tenant's ports and the rules of a handle. Out: views that are caught up, and their answers.
This module brings the libraries for search with it, so it is imported by the first call that needs
them, not by opening a tenant.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from smartbrain.adapters.graph.index import NumpyGraph
from smartbrain.adapters.snapshots.folder import FolderSnapshots
from smartbrain.adapters.sqlite.lock import WriteLock
from smartbrain.adapters.tantivy.index import TantivyTextIndex
from smartbrain.bootstrap.background import Background
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import Spread
from smartbrain.domain.memory import Status
from smartbrain.domain.search import Beside, Hit, IndexFilter
from smartbrain.domain.status import EmbedReport
from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.jobs.embed import embed_all, embedding_of, waiting
from smartbrain.recall.search import beside, search_words, spread_from
from smartbrain.recall.views.follow import Follower, OnProgress
from smartbrain.recall.views.links import GraphView
from smartbrain.recall.views.meaning import VectorView, view_name
from smartbrain.recall.views.words import PassagesView, TextView

if TYPE_CHECKING:
    from smartbrain.adapters.faiss.approximate import FaissVectors, Kind
    from smartbrain.bootstrap.models import Models
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.embedder import Embedder, Embedders
    from smartbrain.ports.vector_index import TrainableVectorIndex

FOLDER: Final = "views"
_VIEWS_LOCK: Final = "views.lock"
_EMBED_LOCK: Final = "embed.lock"
_PATIENCE: Final = 24 * 3600.0  # seconds; another process may have a million texts to embed
_RETRY: Final = 30.0  # seconds; how soon a recall has work done that has failed before
_log = logging.getLogger(__name__)


class TenantViews:
    """The views of one tenant. Safe to use from many threads."""

    def __init__(
        self,
        folder: Path,
        ports: Ports,
        *,
        encrypted: bool,
        models: Models,
        background: Background,
        vector_kind: str = "auto",
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Remember what the views will be made of; nothing is opened yet.

        `timer` counts the seconds of the machine, for deadlines and for trying again.
        """
        self.ports = ports
        self.models = models
        self.report = EmbedReport()
        self._folder = folder
        self._encrypted = encrypted
        self._background = background
        self._vector_kind = vector_kind
        self._timer = timer
        self._lock = threading.RLock()
        self._follower: Follower | None = None
        self._locks: dict[str, WriteLock] = {}
        self._embedding: Future[None] | None = None
        self._written = self._running = False
        self._unfinished = True  # what an earlier opening has left is not known yet
        self._tried = -inf
        self._training: Future[None] | None = None
        self._closed = False

    @property
    def loaded(self) -> Follower | None:
        """What follows the truth, if a call has needed it so far."""
        return self._follower

    def names(self, rules: RecallRules) -> list[str]:
        """Return the views that rules let recall use; those of vectors as far as there are any."""
        wanted = [name for name, (_, on) in rules.switches().items() if on]
        return wanted + self._vector_names(rules)

    def ready(self, rules: RecallRules, *, wait: bool = False) -> Follower:
        """Return the views caught up, as far as the deadline of the rules allows.

        What waits to be embedded since before the opening, or since a failure some time ago, is
        taken up in the background.
        """
        return self.caught_up(rules, wait=wait)[0]

    def caught_up(self, rules: RecallRules, *, wait: bool = False) -> tuple[Follower, int]:
        """Return the views as `ready` does, and how many transactions they lack."""
        follower = self._assembled()
        seconds = None if wait else rules.patience
        behind = follower.catch_up(self.names(rules), seconds=seconds)
        self._train(follower)
        if rules.vector.enabled and self._unfinished and self._timer() - self._tried >= _RETRY:
            self._embed_later()
        return follower, behind

    def search(
        self,
        words: str,
        rules: RecallRules,
        *,
        view: str = "text",
        k: int = 10,
        only: IndexFilter | None = None,
        phrases: Sequence[str] = (),
    ) -> list[Hit]:
        """Return the memories or the passages that hold these words; it waits for the view.

        Without a filter only memories that hold now are returned.
        """
        follower = self.ready(rules, wait=True)
        if only is None and view == "text":
            only = IndexFilter(statuses=(Status.ACTIVE.value,))
        return search_words(
            words,
            follower=follower,
            ports=self.ports,
            view=view,
            k=k,
            only=only,
            phrases=phrases,
        )

    def beside(self, node: str, rules: RecallRules, *, limit: int = 50) -> list[Beside]:
        """Return the nodes beside one; it waits for the graph."""
        follower = self.ready(rules, wait=True)
        return beside(node, follower=follower, ports=self.ports, limit=limit)

    def spread(
        self, seeds: Mapping[str, float], rules: RecallRules, *, hops: int, ppr: bool
    ) -> list[tuple[str, float]]:
        """Return the nodes that activation reaches from seeds; it waits for the graph."""
        weights = rules.graph.edge_weights
        how = Spread(
            hops=hops,
            degree_cap=rules.graph.degree_cap,
            type_weights={EdgeType(name): weight for name, weight in weights.items()},
        )
        follower = self.ready(rules, wait=True)
        return spread_from(seeds, how, follower=follower, ports=self.ports, ppr=ppr)

    def begin(self, rules: RecallRules) -> None:
        """Have the views opened and caught up in the background: the next question comes soon."""
        try:
            self._assembled().catch_up(self.names(rules), seconds=0.0)
        except SmartBrainError as error:  # whoever needs them is told
            _log.warning("the views could not be opened: %s", error.message)

    def rebuild(self, rules: RecallRules, on_progress: OnProgress | None = None) -> None:
        """Drop all views and build them again."""
        self._assembled().rebuild(self.names(rules), on_progress)

    def rewrite(self, rules: RecallRules) -> list[str]:
        """Write the files of all views anew, so that none holds what was deleted; name them."""
        folder = self._folder / FOLDER
        if self._encrypted or not folder.exists():
            return []
        follower = self._assembled()
        follower.rebuild(self.names(rules))
        return sorted(
            path.relative_to(self._folder).as_posix()
            for path in folder.rglob("*")
            if path.is_file()
        )

    def save(self, rules: RecallRules) -> None:
        """Write snapshots of all views now."""
        self._assembled().save(self.names(rules))

    def committed(self, rules: RecallRules) -> None:
        """Have what was just written embedded, in the background; later if that is off."""
        if rules.vector.enabled:
            self._written = True
            self._embed_later()
        else:
            self._unfinished, self._tried = True, -inf

    def embed(self, *, dry_run: bool = False) -> EmbedReport:
        """Embed all that waits, here and now; another process that is at it is waited for."""
        embedders = self.models.model()
        if dry_run:
            waits = sum(self.waiting(one, embedders) for one in embedders.embedders)
            return EmbedReport(waiting=waits, code="dry_run", reason="nothing was embedded")
        with self._file_lock(_EMBED_LOCK):
            return self._embed_all(embedders)

    def waiting(self, embedder: Embedder, embedders: Embedders) -> int:
        """Return how many memories an embedder has not come to yet."""
        return waiting(embedder, embedders, ports=self.ports)

    def vector_view(self, embedder: Embedder) -> str | None:
        """Return the name of an embedder's view, made now; None where it has no vectors."""
        embedding = embedding_of(embedder, ports=self.ports)
        if embedding is None:
            return None
        follower = self._assembled()
        name = view_name(embedding)
        if name not in follower.names():
            follower.add(VectorView(self._make_vectors, embedding, self.ports.types))
        return name

    def exact_reason(self) -> str:
        """Return why vectors are compared one by one though they need not be; empty if not so."""
        why = _faiss()[1]
        if not why or self._vector_kind == "exact":
            return ""
        wanted = "" if self._vector_kind == "auto" else f" in place of {self._vector_kind}"
        return f"{why}; exact search by numpy{wanted}"

    def close(self) -> None:
        """Stop what goes on in the background, and let go of the views."""
        with self._lock:
            self._closed = True
            follower, self._follower = self._follower, None
            locks, self._locks = self._locks, {}
        if follower is not None:
            follower.close()
        if self._embedding is not None and not self._embedding.cancel():
            self._embedding.exception()
        for lock in locks.values():
            lock.close()

    def _assembled(self) -> Follower:
        with self._lock:
            self._refuse_closed()
            if self._follower is None:
                ports = self.ports
                snapshots = None
                if not self._encrypted:
                    lock = self._file_lock(_VIEWS_LOCK)
                    snapshots = FolderSnapshots(self._folder / FOLDER, lock.attempt)
                self._follower = Follower(
                    ports.truth,
                    [
                        TextView(TantivyTextIndex, ports.types, ports.blobs),
                        PassagesView(TantivyTextIndex, ports.truth, ports.blobs),
                        GraphView(NumpyGraph),
                    ],
                    snapshots,
                    self._background.soon,
                    self._timer,
                )
            return self._follower

    def _file_lock(self, name: str) -> WriteLock:
        """Return a lock among processes, closed with the views."""
        with self._lock:
            self._refuse_closed()
            return self._locks.setdefault(name, WriteLock(self._folder / name, _PATIENCE))

    def _refuse_closed(self) -> None:
        """Open nothing that nobody would close."""
        if self._closed:
            raise UsageError("this tenant is closed; open it again", code="closed")

    def _make_vectors(self, dimensions: int) -> TrainableVectorIndex:
        """Return an empty vector index: on faiss where that is installed, else by exact search."""
        faiss = _faiss()[0]
        if faiss is not None:
            return faiss(dimensions, kind=cast("Kind", self._vector_kind))
        from smartbrain.adapters.faiss.exact import ExactVectors

        return ExactVectors(dimensions)

    def _vector_names(self, rules: RecallRules) -> list[str]:
        """Return the views of embedders that can be opened; a failed one only costs its arm."""
        if not rules.vector.enabled or not self.models.chosen:
            return []
        try:
            embedders = self.models.model().embedders
        except SmartBrainError:
            return []
        return [name for one in embedders if (name := self.vector_view(one)) is not None]

    def _train(self, follower: Follower) -> None:
        views = [follower.get(name) for name in follower.names()]
        due = [one for one in views if isinstance(one, VectorView) and one.index.needs_training()]
        with self._lock:
            if due and (self._training is None or self._training.done()):
                self._training = self._background.later(lambda: _train_all(due))

    def _embed_later(self) -> None:
        with self._lock:
            if self.models.chosen and not self._running and not self._closed:
                self._running = True
                self._embedding = self._background.later(self._embed_quietly)

    def _embed_all(self, embedders: Embedders) -> EmbedReport:
        """Embed what waits, and remember how it went; whoever calls has the lock for it."""
        self.report = embed_all(embedders, ports=self.ports, stopped=lambda: self._closed)
        self._unfinished, self._tried = self.report.code != "ok", self._timer()
        return self.report

    def _embed_quietly(self) -> None:
        """Embed what waits; a failure is reported by `capabilities` and tried again later."""
        self._written = False
        self._unfinished, self._tried = True, self._timer()  # as it is if another is at it
        try:
            embedders = self.models.model()
            with self._file_lock(_EMBED_LOCK).attempt() as free:
                if free and self._embed_all(embedders).failures:
                    _log.warning("embedding waits [%s]; its report says why", self.report.code)
        except SmartBrainError as error:
            self.report = EmbedReport(code=error.code, reason=error.message)
            if not self._closed:
                _log.warning("embedding waits [%s]; its report says why", error.code)
        finally:
            with self._lock:
                self._running = False
                if self._written:  # by a commit that this run may have passed by
                    self._embed_later()


def _train_all(views: list[VectorView]) -> None:
    for view in views:
        try:
            view.train()
        except SmartBrainError as error:
            _log.warning("training %s failed: %s", view.name, error.message)


def _faiss() -> tuple[type[FaissVectors] | None, str]:
    """Return the index on faiss, or why there is none: not installed, or not to be loaded."""
    try:
        from smartbrain.adapters.faiss.approximate import FaissVectors
    except ModuleNotFoundError:
        return None, "faiss is not installed"
    except (ImportError, OSError) as error:  # such as a library of the system that is not there
        return None, f"faiss cannot be loaded ({' '.join(str(error).split())})"
    return FaissVectors, ""
