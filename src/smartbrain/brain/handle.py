"""The handle of one tenant: `SmartBrain`, with the verbs that belong to no group.

In: plain values. Out: what was stored, forgotten with a receipt (J7), or happened, in the order of
commits (S4). Handles are light and thread-safe: what is behind them is opened on demand, shared,
and closed when it has not been used for long.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

from smartbrain.bootstrap.background import Closable
from smartbrain.bootstrap.folders import list_tenants
from smartbrain.bootstrap.following import Subscription, walk_pages
from smartbrain.bootstrap.health import capabilities_of, examine_root, status_of
from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.bootstrap.root import Root
from smartbrain.bootstrap.sources import Config, changed_settings, read_root
from smartbrain.brain.arguments import flag, page_size, whole
from smartbrain.brain.artifacts import Artifacts
from smartbrain.brain.graph import Graph
from smartbrain.brain.memories import Memories
from smartbrain.brain.reads import Reads
from smartbrain.brain.runs import Runs
from smartbrain.brain.sessions import Sessions
from smartbrain.brain.work import Jobs, WorkQueue
from smartbrain.brain.working import FastMemo, Notebook, Pins, Plan, State
from smartbrain.domain.forgetting import ForgetReceipt, ForgetRequest
from smartbrain.domain.inputs import (
    ChatFormatName,
    FeedbackName,
    GivenMessage,
    GivenTurnEvents,
    ProviderName,
)
from smartbrain.domain.memory_event import EventPage, MemoryEvent, read_kinds
from smartbrain.domain.tenant import folder_of
from smartbrain.domain.time import Clock, read_time
from smartbrain.domain.turn import DECLARED, GivenTurn, Marked
from smartbrain.errors import UsageError
from smartbrain.ports.telemetry import note_tenant
from smartbrain.remember.arguments import LONGEST_ID, read_id, read_path, read_text

if TYPE_CHECKING:
    from smartbrain.bootstrap.forgetting import Forgetter
    from smartbrain.domain.archive import ExportReport, RestoreReport
    from smartbrain.domain.artifact import ToolAnswer
    from smartbrain.domain.claim import Claim
    from smartbrain.domain.history import GraphReport, ImportReport
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.memory_event import EventKind
    from smartbrain.domain.replay import RereadReport
    from smartbrain.domain.result import CommitResult
    from smartbrain.domain.status import Capabilities, HealthReport, TenantStatus
    from smartbrain.ports.resources import Resources

_AT_ONCE: Final = 500  # events of one page


class SmartBrain(Reads, Closable):
    """The memory of one tenant. Open it with `SmartBrain.open`, close it with `close` or `with`.

    Every verb raises UsageError where an argument is malformed, before anything is written,
    NotFound where the tenant has been deleted, and AdapterError where the storage failed; what a
    verb raises beside these, it names.
    """

    def __init__(self, root: Root, tenant: str, *, owner: bool) -> None:
        """Use `SmartBrain.open` or `brain.tenant`; this is how they make a handle."""
        folder_of(tenant)  # refuses what is no name
        self._root = root
        self._tenant = tenant
        self._owner = owner
        self._closed = False
        self._subscriptions: list[Subscription] = []
        self._terms = terms = root.terms(tenant)
        self._settings = terms.settings
        self.sessions = Sessions(self._lease, self.forget)
        self.memories = Memories(self._lease, terms)
        self.graph = Graph(self._lease, self._recall_rules, terms)
        self.jobs = Jobs(self._lease, root.reading)
        self.work = WorkQueue(self._lease, terms.rules)
        self.runs = Runs(self._lease, terms)
        self.artifacts = Artifacts(self._lease, terms, self._written)
        self.pins = Pins(self._lease, terms)
        self.plan = Plan(self._lease, terms)
        self.notebook = Notebook(self._lease, terms)
        self.fastmemo = FastMemo(self._lease, terms)
        self.state = State(self._lease, terms)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        tenant: str = "default",
        config: Config = None,
        clock: Clock | None = None,
        embedder: object = None,
        language_model: object = None,
        reranker: object = None,
        resources: Resources | None = None,
    ) -> Self:
        """Open the brain in a folder, creating it if there is none.

        Args:
            path: the brain's folder; its `brain.yml` is read if it has one.
            tenant: whose memory this handle is.
            config: values that beat `brain.yml`, or the path of another file.
            clock: returns the present as an aware datetime; the machine's by default.
            embedder: an `Embedder`, or such as `onnx:<folder>`, `https://…#<model>` or
                `fastembed:<name>`, or a list of these, each for its languages.
            language_model: a `LanguageModel`, or such as `https://…#<model>`; it reads every turn
                in the background, and what it claims stands in the place of what rules found.
            reranker: a `Reranker`, or such as `onnx:<folder>` or `https://…#<model>`; it has the
                last word on the order of what recall finds.
            resources: what answers retrieval plans with evidence from documents.

        Raises:
            AdapterError: the folder, the database or the key is not usable.
        """
        root = Root(
            path,
            config=config,
            clock=clock,
            embedder=embedder,
            language_model=language_model,
            reranker=reranker,
        )
        root.resources = resources
        handle = cls(root, tenant, owner=True)
        with handle._lease(create=True):
            return handle

    @staticmethod
    def tenants(path: str | os.PathLike[str]) -> list[str]:
        """Return the names of the tenants in a brain's folder, sorted.

        Raises:
            AdapterError: the folder cannot be read.
        """
        return list_tenants(read_root(path))

    @staticmethod
    def doctor(path: str | os.PathLike[str], config: Config = None) -> HealthReport:
        """Check a brain's folder and every tenant in it, changing nothing."""
        return examine_root(Root(path, config=config))

    @staticmethod
    def delete_tenant(path: str | os.PathLike[str], name: str) -> ForgetReceipt:
        """Delete a tenant for good, with its folder; an encrypted one loses its key first.

        Raises:
            NotFound: there is no such tenant.
            AdapterError: the folder cannot be deleted; calling again goes on.
        """
        return Root(path).delete_tenant(name)

    @staticmethod
    def restore(
        path: str | os.PathLike[str],
        file: str | os.PathLike[str],
        *,
        config: Config = None,
        receipts: Iterable[ForgetReceipt] = (),
    ) -> RestoreReport:
        """Make a tenant from the file that `export` wrote, exactly as it was.

        Args:
            path: the folder of the brain that gets the tenant.
            file: an archive.
            config: as `open` takes it, such as where the master key of an encrypted tenant is.
            receipts: those of forgettings since then, which are done once more.

        Raises:
            Conflict: the tenant is there already.
        """
        root = Root(path, config=config)
        try:
            return root.restore(read_path(file), tuple(receipts))
        finally:
            root.close()

    def export(self, file: str | os.PathLike[str]) -> ExportReport:
        """Write all that this tenant holds into one file, while others go on writing.

        Args:
            file: a new file; `.md` and `.jsonl` are for people, anything else can be restored.
        """
        with self._lease() as tenant:
            return self._root.export(tenant, read_path(file))

    @property
    def tenant_name(self) -> str:
        """The tenant that this handle reads and writes."""
        return self._tenant

    def tenant(self, name: str) -> SmartBrain:
        """Return a handle of another tenant of the same brain, created if there is none.

        Raises:
            AdapterError: its folder, database or key is not usable.
        """
        handle = SmartBrain(self._root, name, owner=False)
        with handle._lease(create=True):
            return handle

    def commit_turn(
        self,
        session_id: str,
        turn_events: GivenTurnEvents,
        *,
        turn_id: str | None = None,
        run_id: str | None = None,
        idempotency_key: str | None = None,
        context_id: str | None = None,
        wait: bool = False,
    ) -> CommitResult:
        """Store a turn after a model call: what was said, what tools did, what was referred to.

        Args:
            session_id: the conversation; it starts with its first turn.
            turn_events: a list of messages, or a dict with messages, tool_calls, refs and `at`.
            turn_id: add to this earlier turn instead of starting one; what it has is skipped.
            run_id: the run this turn belongs to.
            idempotency_key: repeating a call with its key returns the first result.
            context_id: the composed context that the answer was given.
            wait: have the language model read the turn before this returns, as long as it is given
                for an answer; where it fails, `explain.ignored` says so and the turn is stored.

        Raises:
            NotFound: `turn_id` names no turn.
            Conflict: the idempotency key was used with another body.
        """
        given = GivenTurn(
            session_id=session_id,
            events=turn_events,
            turn_id=turn_id,
            run_id=run_id,
            idempotency_key=idempotency_key,
            context_id=context_id,
        )
        writing = self._terms.writing
        request = writing.read(given, self._terms.types)
        with self._lease(create=True) as tenant:
            shown = self._root.shown(self._tenant, request[0])
            result = writing.commit([request], ports=tenant.ports, shown=shown)[0]
            if wait:
                result = self._root.reading.read_at_once(result, self._lease)
            self._written(tenant, is_read=wait and not result.explain.ignored)
            return result

    def remember(self, text: str, *, session_id: str | None = None) -> CommitResult:
        """Remember something that the user states directly.

        Args:
            text: what to remember, in plain words.
            session_id: the conversation it belongs to; one of its own by default.
        """
        if not read_text(text, "the text to remember").strip():
            raise UsageError("the text to remember is blank; give some words")
        declared = Marked([{"role": "user", "content": text}], DECLARED)
        return self.commit_turn("remember" if session_id is None else session_id, declared)

    def tools(self, session_id: str, format: ProviderName = "openai") -> list[dict[str, Any]]:  # noqa: A002 - public
        """Return what a model may call on its memory, as its provider takes it.

        Args:
            session_id: the conversation that the model is in.
            format: `openai` or `anthropic`.
        """
        read_id(session_id, "session_id")
        return self._terms.writing.tools.schemas(format)

    def call_tool(self, session_id: str, call: object) -> ToolAnswer:
        """Do what a model calls for and return the answer, which is short and plain text.

        A mistake of the model is no error here: the answer says in one line what to change.

        Args:
            session_id: the conversation that the model is in.
            call: a tool call of OpenAI, a tool_use block of Anthropic, a dict or an object of
                their SDKs; or a dict with `name` and `arguments`.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._terms.writing.tools.answer(call, session, ports=tenant.ports, verbs=self)

    def read(self, text: str, *, before: str | Sequence[GivenMessage] | None = None) -> list[Claim]:
        """Return the claims that a message of the user would make; nothing is written.

        Args:
            text: the message.
            before: what was said before it: the assistant's words, or a list of messages.
        """
        with self._lease() as tenant:
            return self._terms.writing.read_claims(text, before, ports=tenant.ports)

    def reread(
        self,
        *,
        dry_run: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> RereadReport:
        """Read all stored turns again with the present reader, and fold what it reads otherwise.

        Claims that say what they said stay, and so does what a language model has read, what
        callers proposed and what was done by hand. The next call goes on with one that was cut off.

        Args:
            dry_run: only count, and name examples; nothing is written.
            on_progress: told how many commits are done, and of how many.
        """
        with self._lease() as tenant:
            writing = self._terms.writing
            report = writing.reread(dry_run=dry_run, on_progress=on_progress, ports=tenant.ports)
            self._written(tenant)
            return report

    def ingest(
        self,
        text_or_path: str | os.PathLike[str],
        *,
        mime: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """Keep a document as raw chunks and return their ids; `r2g` makes a graph of them.

        The same document is kept once, however often it comes. It asserts nothing: no task and no
        preference is read out of it.

        Args:
            text_or_path: a str is the text itself, a Path is a file of text in UTF-8.
            mime: what kind of text it is; told by the file's name by default.
            meta: what else is known about it.
        """
        types, writing = self._terms.types, self._terms.writing
        document = writing.read_document(text_or_path, types, mime=mime, meta=meta)
        with self._lease(create=True) as tenant:
            return writing.ingest(document, ports=tenant.ports)

    def r2g(self, on_progress: Callable[[int, int], None] | None = None) -> GraphReport:
        """Make a graph of what was ingested: an episode a chunk, entities, statements.

        What an earlier call has done is not done again; one that was cut off is gone on with.

        Args:
            on_progress: told how many chunks are done, and of how many.
        """
        with self._lease() as tenant:
            report = self._terms.writing.make_graph(on_progress=on_progress, ports=tenant.ports)
            self._written(tenant)
            return report

    def import_chat(
        self,
        path: str | os.PathLike[str],
        *,
        format: ChatFormatName = "auto",  # noqa: A002 - the public keyword
        on_progress: Callable[[int, int | None], None] | None = None,
    ) -> ImportReport:
        """Import a chat history, each turn at its own time; what is there already is skipped.

        An import that was cut off is finished by calling this again, and so is one that stopped
        because the tenant is full, once its quota is raised. Turns that cannot be stored are named
        in the report.

        Args:
            path: a file of JSONL, an export of ChatGPT or Claude, or a transcript.
            format: `auto`, `jsonl`, `chatgpt`, `claude` or `transcript`.
            on_progress: told how far the file is read, and of how much if that is known.
        """
        writing = self._terms.writing
        history = writing.open_chat(path, format)
        with self._lease(create=True) as tenant:
            report = writing.import_chat(history, on_progress, ports=tenant.ports)
            self._written(tenant)
            if report.turns:
                tenant.views.begin(self._recall_rules())
            return report

    def feedback(self, memory_id: str, action: FeedbackName) -> Memory:
        """Say what a memory was worth: pin, unpin, upvote, downvote or reject.

        A rejected memory never was so: it is retracted, and what it had ended holds again.

        Raises:
            NotFound: there is no such memory, or it does not stand.
        """
        wanted = read_id(memory_id, "memory_id")
        asked = read_text(action, "action", longest=LONGEST_ID)
        with self._lease() as tenant:
            return self._terms.writing.feedback(wanted, asked, ports=tenant.ports)

    def forget(
        self,
        ids: str | Iterable[str] | ForgetReceipt | None = None,
        *,
        topic: str | None = None,
        since: object = None,
        until: object = None,
        session_id: str | None = None,
        everything: bool = False,
        preview: bool = False,
    ) -> ForgetReceipt:
        """Forget for good: what was said, every memory made of it, and all that quotes it.

        All criteria have to be met. The words are gone from every file when this returns.

        Args:
            ids: one or many ids of memories, claims, turns, artifacts, edges or sessions; or the
                receipt of a preview, and then exactly what it lists goes.
            topic: an entity or a concept, with what is only about it.
            since: only what was said from then on.
            until: only what was said before then.
            session_id: only what was said in this conversation.
            everything: all that this tenant knows.
            preview: only say what would go, what stays and why.

        Raises:
            UsageError: nothing is named, or a time is malformed; nothing was deleted.
            NotFound: an id, a topic or a session is not there; nothing was deleted.
        """
        zone = self._terms.zone
        with self._lease() as tenant:
            forgetter = self._forgetter(tenant)
            if isinstance(ids, ForgetReceipt):
                return forgetter.forget(ids)
            request = ForgetRequest(
                ids=_read_ids(ids),
                topic=None if topic is None else read_text(topic, "topic").strip(),
                since=None if since is None else read_time(since, zone, "since"),
                until=None if until is None else read_time(until, zone, "until"),
                session_id=None if session_id is None else read_id(session_id, "session_id"),
                everything=flag(everything, "everything"),
            )
            if flag(preview, "preview"):
                return forgetter.preview(request)
            return forgetter.forget(request)

    def take_back(self, forgetting_id: str) -> ForgetReceipt:
        """Put back what was asked to be forgotten in words, while it is only hidden.

        Raises:
            NotFound: there is none of that id, or it is erased already.
        """
        with self._lease() as tenant:
            return self._forgetter(tenant).take_back(read_id(forgetting_id, "forgetting_id"))

    def receipts(self) -> list[ForgetReceipt]:
        """Return the receipts of all that was forgotten, oldest first.

        Raises:
            NotFound: the tenant has been deleted.
        """
        with self._lease() as tenant:
            return self._forgetter(tenant).receipts()

    def verify_receipt(self, receipt: ForgetReceipt | str) -> bool:
        """Check every place again: true if nothing of what a receipt names is left.

        Args:
            receipt: a receipt, or its id.

        Raises:
            NotFound: there is no receipt of that id.
        """
        with self._lease() as tenant:
            forgetter = self._forgetter(tenant)
            if not isinstance(receipt, ForgetReceipt):
                receipt = forgetter.find_receipt(read_id(receipt, "receipt"))
            return forgetter.verify(receipt)

    def _forgetter(self, tenant: OpenTenant) -> Forgetter:
        return self._terms.forgetter(tenant, self._recall_rules())

    def events(
        self, since: int | None = 0, kinds: str | Iterable[str] | None = None, limit: int = 100
    ) -> EventPage:
        """Return what happened after an event, in order; `last` of the page is where to go on.

        Args:
            since: the number of the last event that is known; 0 is the beginning, None is now:
                no event, and the number of the last one in `last`.
            kinds: only these, such as `Memory.NodeCreated`; any by default.
            limit: how many at most, up to 1000.

        Raises:
            NotFound: code `gone`; events after that number were dropped, begin anew from 0.
        """
        number = None if since is None else whole(since, "since", 0)
        return self._read_events(number, read_kinds(kinds), limit=page_size(limit))

    def subscribe(
        self,
        callback: Callable[[MemoryEvent], object],
        *,
        since: int | None = None,
        kinds: str | Iterable[str] | None = None,
    ) -> Subscription:
        """Call a function with every event, in a thread of its own, until this handle is closed.

        Events of other processes come as well. One whose call raised comes again, after a pause.

        Args:
            callback: called with one event after the other.
            since: the number of the last event that is known; what happens from now on by default.
            kinds: only these; any by default.
        """
        if not callable(callback):
            raise UsageError(f"callback is {callback!r:.60}; give a function of one event")
        wanted = read_kinds(kinds)
        start = self.events(None).last if since is None else whole(since, "since", 0)
        read = partial(self._read_events, kinds=wanted)
        subscription = Subscription(partial(walk_pages, read), callback, start)
        self._subscriptions.append(subscription)
        return subscription

    def _read_events(
        self, since: int | None, kinds: tuple[EventKind, ...] = (), *, limit: int = _AT_ONCE
    ) -> EventPage:
        with self._lease() as tenant, tenant.ports.truth.read() as rows:
            if since is None:
                return EventPage(last=rows.memory_events.last())
            return rows.memory_events.page(since, kinds, limit=limit)

    def status(self) -> TenantStatus:
        """Return what this tenant holds, in figures."""
        with self._lease() as tenant:
            return status_of(tenant, self._root, self._recall_rules())

    def capabilities(self) -> Capabilities:
        """Return which arms of recall are up, being built or off, and why."""
        with self._lease() as tenant:
            return capabilities_of(tenant, self._root.models, self._recall_rules())

    def configure(self, values: Mapping[str, Any]) -> None:
        """Change how this handle recalls, at once: `{"recall.vector.enabled": False}`.

        Raises:
            UsageError: code `config`; a name or a value is wrong, or it is fixed when a brain is
                opened. Nothing was changed.
        """
        if not isinstance(values, Mapping):
            raise UsageError(
                f"settings are a dict of names and values, not {values!r:.60}",
                code="config",
            )
        self._settings = changed_settings(self._settings, values)

    def rebuild(self, on_progress: Callable[[str, int], None] | None = None) -> Capabilities:
        """Drop the indexes of this tenant and build them again from what is stored.

        Args:
            on_progress: told which view is being built, and how many rows it has so far.
        """
        with self._lease() as tenant:
            tenant.views.rebuild(self._recall_rules(), on_progress)
        return self.capabilities()

    def close(self) -> None:
        """Close this handle; the one that opened the brain closes all its tenants."""
        self._closed = True
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()
        if self._owner:
            self._root.close()

    def __repr__(self) -> str:
        return f"SmartBrain({str(self._root.path)!r}, tenant={self._tenant!r})"

    def _lease(self, *, create: bool = False) -> AbstractContextManager[OpenTenant]:
        if self._closed:
            raise UsageError("this brain is closed; open it again", code="closed")
        note_tenant(self._tenant, self._root.telemetry)
        return self._root.tenants.lease(self._tenant, create=create)

    def _written(self, tenant: OpenTenant, *, is_read: bool = False) -> None:
        """Have what was just written embedded, read by a model, and erased where that is due."""
        root = self._root
        root.erase_due(tenant)
        if root.models.chosen:
            tenant.views.committed(self._recall_rules())
        if root.language_models.chosen and not is_read:
            root.reading.later(self._tenant, self._lease)


def read_events(
    brain: SmartBrain, since: int | None, kinds: tuple[EventKind, ...] = ()
) -> EventPage:
    """Return a page as somebody reads it who follows: looking for news is no call of its own."""
    return brain._read_events(since, kinds)  # noqa: SLF001 - a verb would be logged each time


def _read_ids(ids: object) -> tuple[str, ...]:
    """Return ids as a caller gives them."""
    if ids is None:
        return ()
    if isinstance(ids, str):
        return (read_id(ids, "ids"),)
    if not isinstance(ids, Iterable):
        raise UsageError(f"ids must be an id or a list of ids, not {ids!r:.60}")
    return tuple(dict.fromkeys(read_id(one, "ids") for one in ids))
