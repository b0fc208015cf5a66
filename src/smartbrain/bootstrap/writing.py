"""The write path, put together: turns, working state, outputs of tools, and a model's own calls.

In: what callers and models give, an open tenant's ports. Out: what the stages of `remember` and
`govern` make of it under the rules of a root. What may not be stored for privacy's sake is masked
here before anything behind sees it. What a model does wrong is answered in one line that says what
to change. Loaded by the first write, for it brings all the rules that read text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from smartbrain.adapters.line_search import ProcessLineSearch
from smartbrain.adapters.splintr_counter import token_counter
from smartbrain.domain.artifact import ArtifactPage, ToolAnswer, read_format
from smartbrain.domain.shapes import json_problem
from smartbrain.domain.turn import CommitRequest, GivenTurn
from smartbrain.domain.working import PinState
from smartbrain.errors import Conflict, NotFound, UsageError
from smartbrain.govern.artifacts import (
    PREFIX,
    TURNS,
    added_artifact,
    find_lines,
    get_artifact,
    list_artifacts,
    run_of_text,
)
from smartbrain.govern.fastmemo import (
    FASTMEMO,
    governed,
    memo_of,
    memo_text,
    read_compaction,
    read_memo_text,
)
from smartbrain.govern.insights import add_insight, validate_insight
from smartbrain.govern.pins import (
    AGENT,
    FIELDS,
    living_pins,
    notebook_of,
    notes_of,
    read_choice,
    read_entry_id,
    read_ids,
    read_line,
    read_moment,
    read_plan,
)
from smartbrain.govern.runs import end_run, get_run, list_runs, read_change, start_run, update_run
from smartbrain.govern.sources import check_artifact, file_snippet, resolve_source
from smartbrain.govern.state_file import export_state, read_state, state_diff, state_text
from smartbrain.govern.tool_schemas import (
    TOOLS,
    anthropic_tool,
    find_tool,
    openai_tool,
    read_arguments,
)
from smartbrain.govern.trail import read_sheet, trail_of
from smartbrain.govern.turn_state import perform, place_of
from smartbrain.jobs.replay import reread_turns
from smartbrain.ports.line_search import LineQuery
from smartbrain.recall.gather import RAW
from smartbrain.remember.arguments import (
    ModelCall,
    read_file,
    read_id,
    read_model_call,
    read_optional_id,
    read_path,
    read_text,
)
from smartbrain.remember.gate import KEEP, kept, masked, protect
from smartbrain.remember.import_history.formats import open_history
from smartbrain.remember.import_history.importing import import_history
from smartbrain.remember.ingest import document_events, ingest_document, make_graph
from smartbrain.remember.input import read_turn_events
from smartbrain.remember.operations import (
    add_edge,
    add_node,
    correct_memory,
    give_feedback,
    put_memory,
    retract_memory,
)
from smartbrain.remember.pipeline import Given, commit_turns
from smartbrain.remember.record import draft_turn
from smartbrain.remember.reread import read_claims
from smartbrain.remember.write_rules import WriteTools

if TYPE_CHECKING:
    from smartbrain.domain.artifact import Artifact, FoundLines
    from smartbrain.domain.claim import Claim
    from smartbrain.domain.forgetting import ForgetReceipt
    from smartbrain.domain.history import HistoryProblem, HistoryTurn, ImportReport
    from smartbrain.domain.packet import PlanEntry, WorkingMemory
    from smartbrain.domain.policy import ArtifactsRules, Rules
    from smartbrain.domain.recall import Recall, RecallItem
    from smartbrain.domain.result import CommitResult
    from smartbrain.domain.turn import TurnEvents
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.domain.working import Compaction, Governed, Memo, Note, Pin, TrailEntry
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.import_history.importing import OnProgress
    from smartbrain.remember.write_rules import WriteRules

_READ_ONLY: Final = "read"
"""The session of what is only read, and stored nowhere."""
_ACTORS: Final = ("user", AGENT)
_WORDS: Final = frozenset({"title", "summary", "text", "done_when", "reason", "bullets"})
_NAMES_WORDS: Final = frozenset({"sections"})  # whose names are no words of anybody
_PROFILE: Final = "profile"
_EPISODES: Final = "episodes"
_K: Final = 8  # memories of a recall that names no number
_MATCHES: Final = 20
_LINES: Final = 80
_CHARS_A_TOKEN: Final = 4  # about what English takes; where it takes less, a part is read again
_FEWEST: Final = 100  # characters below which a part is cut rather than read again
_CUT: Final = "… (cut)"
_SEE_PLAN: Final = "call plan with action list to see them"
_ASK_LESS: Final = "ask for less, with other words in query, or with since and until"
ModelGiven = Mapping[str, Any]
Verbs = Any
"""A handle of the tenant, whose module stands above this one: long-term memory goes through it."""


class Writing:
    """The write path under one set of rules."""

    def __init__(self, rules: WriteRules, zone: tzinfo) -> None:
        self._rules = rules
        self._zone = zone
        self.runs, self.state = RunState(rules), WorkingState(rules)
        self.outputs = ToolOutputs(rules.rules.artifacts)
        self.tools = Tooling(rules.rules, self.state)
        self.commit = partial(commit_turns, rules=rules)
        self.reread = partial(reread_turns, rules=rules)
        self.ingest = partial(ingest_document, rules=rules)
        self.make_graph = partial(make_graph, rules=rules)
        self.put = partial(put_memory, rules=rules)
        self.correct = partial(correct_memory, rules=rules)
        self.retract = partial(retract_memory, rules=rules)
        self.add_node = partial(add_node, rules=rules)
        self.add_edge = partial(add_edge, rules=rules)
        self.feedback = partial(give_feedback, rules=rules)

    def read(self, given: GivenTurn, types: TypeRegistry) -> Given:
        """Read what a caller hands over."""
        events, ignored = read_turn_events(given.events, zone=self._zone, types=types)
        request = CommitRequest(
            session_id=read_id(given.session_id, "session_id"),
            events=events,
            turn_id=read_optional_id(given.turn_id, "turn_id"),
            run_id=read_optional_id(given.run_id, "run_id"),
            idempotency_key=read_optional_id(given.idempotency_key, "idempotency_key"),
            context_id=read_optional_id(given.context_id, "context_id"),
        )
        return request, ignored

    def read_claims(self, text: object, before: object, *, ports: Ports) -> list[Claim]:
        """Return the claims that a message would make, said after others; nothing is written."""
        said = {"role": "user", "content": read_text(text, "the text to read")}
        earlier = [{"role": "assistant", "content": before}] if isinstance(before, str) else before
        step, *previous = [
            draft_turn(self._protected(events, ports), ports=ports, rules_hash=self._rules.hash)
            for events in ([said], earlier)
            if events is not None
        ]
        with ports.truth.read() as rows:
            tools = WriteTools(rows, ports, self._rules.rules)
            return read_claims(step, previous[0] if previous else None, tools=tools)

    def _protected(self, events: object, ports: Ports) -> CommitRequest:
        """Read events as a commit would, with what is to be masked masked."""
        request, _ = self.read(GivenTurn(session_id=_READ_ONLY, events=events), ports.types)
        return protect(request, rules=self._rules.rules.privacy)

    def open_chat(self, path: object, form: str) -> Iterator[HistoryTurn | HistoryProblem]:
        """Open a chat history in a file."""
        return open_history(read_path(path), read_text(form, "format"))

    def import_chat(
        self,
        history: Iterator[HistoryTurn | HistoryProblem],
        on_progress: OnProgress | None,
        *,
        ports: Ports,
    ) -> ImportReport:
        """Commit the turns of a chat history."""
        return import_history(
            history,
            read=lambda given: self.read(given, ports.types),
            ports=ports,
            rules=self._rules,
            on_progress=on_progress,
        )

    def read_document(
        self, text_or_path: object, types: TypeRegistry, *, mime: object, meta: object
    ) -> TurnEvents:
        """Read a text, or the file of a path, with what is known about it."""
        given = document_events(text_or_path, mime=mime, meta=meta)
        return read_turn_events(given, zone=self._zone, types=types)[0]


class WorkingState:
    """What is governed, under the rules of one root."""

    def __init__(self, rules: WriteRules) -> None:
        self._rules = rules

    def do(self, verb: str, given: Mapping[str, Any], *, ports: Ports, actor: str = "user") -> Any:
        """Do one of `govern.turn_state`; a source that is given has to lead somewhere."""
        given = _read(verb, given)
        problem = json_problem(given, verb)
        if problem:
            raise UsageError(problem)
        who = read_choice(actor, "actor", _ACTORS)
        kept = dict(self._kept(given))
        if kept.get("reason") is not None:
            kept["reason"] = read_line(kept["reason"], "reason")
        if verb.startswith("pins.") and {"source", "artifact_ref"} & {*kept}:
            folders = self._rules.rules.artifacts.file_roots if who == AGENT else None
            with ports.truth.read() as rows:
                check_artifact(kept.get("artifact_ref"), rows=rows)
                if "source" in kept:
                    kept["session"] = resolve_source(kept["source"], rows=rows, folders=folders)
        rules = self._rules
        return perform(verb, kept, ports=ports, rules=rules.rules, rules_hash=rules.hash, actor=who)

    def pins(self, *, ports: Ports) -> list[Pin]:
        """Return the pins that have not expired."""
        with ports.truth.read() as rows:
            return living_pins(rows=rows, now=ports.clock())

    def plan(self, session_id: str, *, ports: Ports) -> list[PlanEntry]:
        """Return the plan of a session."""
        with ports.truth.read() as rows:
            return list(read_plan(session_id, rows=rows))

    def notes(self, session_id: str, *, ports: Ports) -> list[Note]:
        """Return the notes of a session."""
        with ports.truth.read() as rows:
            return notes_of(read_sheet(notebook_of(session_id), rows=rows))

    def memo(self, *, ports: Ports) -> Memo:
        """Return the surface memory."""
        with ports.truth.read() as rows:
            return memo_of(read_sheet(FASTMEMO, rows=rows), self._rules.rules.fastmemo)

    def memo_file(self, path: object, *, ports: Ports) -> str:
        """Return the surface memory as text, and write it to a file if one is named."""
        text = memo_text(self.memo(ports=ports).sections)
        return _written(text + "\n" if text else "", path)

    def load_memo(self, path: object, *, actor: str, ports: Ports) -> Memo:
        """Put what a file says into the place of the surface memory."""
        sections = read_memo_text(read_file(read_path(path)))
        memo: Memo = self.do("fastmemo.load", {"sections": sections}, ports=ports, actor=actor)
        return memo

    def history(
        self, kind: str, session_id: str | None, limit: int, *, ports: Ports
    ) -> Sequence[TrailEntry]:
        """Return the changes of a list, newest first."""
        with ports.truth.read() as rows:
            return trail_of(place_of(kind, session_id), limit=limit, rows=rows)

    def governed(self, session_id: str, *, ports: Ports) -> Governed:
        """Return all that a session may be shown."""
        with ports.truth.read() as rows:
            return governed(session_id, rows=rows, now=ports.clock(), rules=self._rules.rules)

    def compaction(self, session_id: str, *, ports: Ports) -> Compaction:
        """Return how far a session is from its next soft compaction."""
        with ports.truth.read() as rows:
            return read_compaction(session_id, rows=rows)

    def export(self, session_id: str, path: object, *, ports: Ports) -> dict[str, Any]:
        """Return the state of a session, and write it to a file if one is named."""
        state = self._state(session_id, ports=ports)
        _written(state_text(state), path)
        return state

    def diff(self, session_id: str, path: object, *, ports: Ports) -> str:
        """Return how a file differs from the state of a session."""
        text = read_file(read_path(path))
        return state_diff(self._state(session_id, ports=ports), text)

    def load(self, session_id: str, path: object, *, actor: str, ports: Ports) -> dict[str, int]:
        """Put what a file says into the place of the state of a session."""
        text = read_file(read_path(path))
        with ports.truth.read() as rows:
            state = read_state(session_id, text, rows=rows, rules=self._rules.rules)
        numbers: dict[str, int] = self.do("state.load", state, ports=ports, actor=actor)
        return numbers

    def _state(self, session_id: str, *, ports: Ports) -> dict[str, Any]:
        with ports.truth.read() as rows:
            return export_state(session_id, rows=rows, now=ports.clock(), rules=self._rules.rules)

    def _kept(self, value: Any) -> Any:
        """Return input as it may be stored: words are masked if need be, ids and sources never."""
        if self._rules.rules.privacy.pii == KEEP:
            return value
        if isinstance(value, Mapping):
            return {name: self._part(name, one) for name, one in value.items()}
        return [self._kept(one) for one in value] if isinstance(value, list) else value

    def _part(self, name: str, value: Any) -> Any:
        if name in _NAMES_WORDS:
            return {section: masked(lines) for section, lines in value.items()}
        return masked(value) if name in _WORDS else self._kept(value)


def _read(verb: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return input with its ids and moments in the one form that is stored."""
    readers = {"ids": read_ids, "id": read_entry_id, "to": read_moment}
    if verb == "pins.update":
        for name in given:
            read_choice(name, "the field to update", ("id", *FIELDS))
    return {name: readers[name](one) if name in readers else one for name, one in given.items()}


def _written(text: str, path: object) -> str:
    if path is None:
        return text
    target: Path = read_path(path)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target}: cannot be written ({error.strerror})") from None
    return text


class RunState:
    """Runs and insights under the rules of one root."""

    def __init__(self, rules: WriteRules) -> None:
        self._rules = rules
        self.validate = partial(validate_insight, rules_hash=rules.hash)
        self.get, self.list = get_run, list_runs
        self.end = partial(end_run, rules_hash=rules.hash)

    def start(self, session_id: str, *, ports: Ports, **given: Any) -> str:
        """Begin a run."""
        change = self._kept(read_change(**given))
        return start_run(session_id, change, ports=ports, rules_hash=self._rules.hash)

    def update(self, run_id: str, *, ports: Ports, **given: Any) -> WorkingMemory:
        """Change what a run has in mind."""
        change = self._kept(read_change(**given))
        return update_run(run_id, change, ports=ports, rules_hash=self._rules.hash)

    def insight(
        self, run_id: str, statement: str, confidence: float, evidence: Sequence[str], ports: Ports
    ) -> str:
        """Note what a run supposes."""
        added = add_insight(
            run_id,
            self._kept(statement),
            confidence,
            evidence,
            ports=ports,
            rules=self._rules.rules,
            rules_hash=self._rules.hash,
        )
        return added.id

    def _kept(self, value: Any) -> Any:
        return kept(value, self._rules.rules.privacy)


class ToolOutputs:
    """The runs of tools under the rules of one root."""

    def __init__(self, rules: ArtifactsRules) -> None:
        self._rules = rules
        self._search = ProcessLineSearch()
        self.get = partial(get_artifact, rules=rules)
        self.added = partial(added_artifact, rules=rules)
        self.snippet = partial(file_snippet, rules=rules)

    def grep(
        self,
        artifact_id: str,
        pattern: str,
        *,
        ports: Ports,
        limit: int,
        after: int,
        context: int,
        ignore_case: bool,
    ) -> FoundLines:
        """Return the lines of an output that match."""
        query = LineQuery(pattern, ignore_case, after, limit, self._rules.grep_seconds)
        return find_lines(
            artifact_id,
            query,
            context=context,
            search=self._search,
            ports=ports,
            rules=self._rules,
        )

    def page(
        self,
        session_id: str | None,
        turn_id: str | None,
        before: tuple[int, int] | None,
        most: int,
        *,
        ports: Ports,
    ) -> ArtifactPage:
        """Return runs, newest first, and where the next page begins."""
        found = list_artifacts(
            session_id=session_id,
            turn_id=turn_id,
            before=before,
            limit=most + 1,
            ports=ports,
            rules=self._rules,
        )
        items = found[:most]
        return ArtifactPage(
            tuple(artifact for _, artifact in items),
            "{}.{}".format(*items[-1][0]) if len(found) > most else None,
        )


class Tooling:
    """The tools of a model under the rules of one root."""

    def __init__(self, rules: Rules, state: WorkingState) -> None:
        self._rules = rules
        self._state = state

    def schemas(self, form: object) -> list[dict[str, Any]]:
        """Return the tools that may be called, as a provider takes them."""
        write = openai_tool if read_format(form) == "openai" else anthropic_tool
        return [write(tool) for tool in TOOLS.values()]

    def answer(self, call: object, session: str, *, ports: Ports, verbs: Verbs) -> ToolAnswer:
        """Do what a model calls for, and return what it is to be told."""
        made = read_model_call(call)
        asked = _ToolRun(self._rules, self._state, session, ports, verbs)
        failed = False
        try:
            text = asked.do(made)
        except (UsageError, NotFound, Conflict) as error:
            text, failed = " ".join(error.message.split()), True
        return ToolAnswer(name=made.name, text=asked.cut(text), is_error=failed, call_id=made.id)


class _ToolRun:
    """One call of a model: what every tool needs to do its work."""

    def __init__(
        self,
        rules: Rules,
        state: WorkingState,
        session: str,
        ports: Ports,
        verbs: Verbs,
    ) -> None:
        self._artifacts = rules.artifacts
        self._room = rules.artifacts.tool_answer_max_tokens
        self._count = token_counter(rules.policies.composition).count
        self._state = state
        self._session = session
        self._ports = ports
        self._verbs = verbs

    def do(self, made: ModelCall) -> str:
        """Carry a call out."""
        tool = find_tool(made.name)
        if made.problem:
            raise UsageError(made.problem)
        run: Callable[[ModelGiven], str] = getattr(self, f"_{tool.name}")
        return run(read_arguments(tool, made.arguments))

    def cut(self, text: str) -> str:
        """Return a text within the limit: its beginning, if it is too long."""
        if self._count(text) <= self._room:
            return text
        least, most = 0, len(text)
        while least < most:  # the longest beginning that fits
            middle = (least + most + 1) // 2
            if self._count(text[:middle] + _CUT) <= self._room:
                least = middle
            else:
                most = middle - 1
        return text[:least] + _CUT

    def _artifact_get(self, given: ModelGiven) -> str:
        def read(outputs: ToolOutputs) -> str:
            found = outputs.get(given["id"], given.get("range"), ports=self._ports)
            head = f"{_source(found.id)} {found.tool_name}, {found.status.value}, {found.shown}"
            return _lines(head, found.text.removesuffix("\n"), found.more)

        return self._read_run(given["id"], read)

    def _artifact_grep(self, given: ModelGiven) -> str:
        def read(outputs: ToolOutputs) -> str:
            found = outputs.grep(
                given["id"],
                given["pattern"],
                ports=self._ports,
                limit=given.get("limit", _MATCHES),
                after=given.get("after", 0),
                context=given.get("context", 0),
                ignore_case=given.get("ignore_case", False),
            )
            return str(found) or f"no line of {_source(found.id)} matches {found.pattern!r:.80}"

        return self._read_run(given["id"], read)

    def _file_snippet(self, given: ModelGiven) -> str:
        def read(outputs: ToolOutputs) -> str:
            start, count = given.get("start", 1), given.get("len", _LINES)
            found = outputs.snippet(given["path"], start, count, wanted=given.get("range"))
            return _lines(f"{given['path']}, {found.shown}", found.text, found.more)

        return self._fitting(read)

    def _read_run(self, wanted: str, read: Callable[[ToolOutputs], str]) -> str:
        try:
            return self._fitting(read)
        except NotFound:
            raise NotFound(
                f"there is no run {wanted!r:.80}; give the id of one you were shown as tool:<id>,"
                " or of a turn as turn:<id>"
            ) from None

    def _fitting(self, read: Callable[[ToolOutputs], str]) -> str:
        """Read as much as the model may be told; what says how to go on has to be right for it."""
        most = min(self._artifacts.read_max_chars, self._room * _CHARS_A_TOKEN)
        while True:
            text = read(ToolOutputs(replace(self._artifacts, read_max_chars=most)))
            tokens = self._count(text)
            if tokens <= self._room or most <= _FEWEST:
                return text
            most = max(_FEWEST, int(min(most, len(text)) * self._room / tokens * 0.9))

    def _pin(self, given: ModelGiven) -> str:
        source = given.get("source") or self._latest_turn()
        pin: Pin = self._do("pins.add", {**given, "source": source})
        waits = "; it is shown once a person accepts it" if pin.state is PinState.PROPOSED else ""
        return f"pinned as {pin.id}: {pin.title} ({pin.source}){waits}"

    def _unpin(self, given: ModelGiven) -> str:
        gone: Sequence[Pin] = self._do("pins.remove", {"ids": given["ids"]})
        return "\n".join(f"unpinned {pin.id}: {pin.title}" for pin in gone)

    def _plan(self, given: ModelGiven) -> str:
        action = given["action"]
        session = {"session": self._session}
        if action == "list":
            return self._steps(given.get("start", 1))
        if action == "add":
            if "text" not in given:
                raise UsageError("plan add needs 'text': what is to be done")
            added = {"text": given["text"], "done_when": given.get("done_when")}
            return f"added {_step(self._do('plan.add', {**session, **added}))}"
        if "ids" not in given:
            raise UsageError(f"plan {action} needs 'ids': the numbers of the steps")
        if action == "remove":
            gone = self._do("plan.remove", {**session, "ids": given["ids"]})
            return self._listed((f"removed {_step(step)}" for step in gone), _SEE_PLAN)
        return self._listed(map(_step, self._checked(given)), _SEE_PLAN)

    def _steps(self, start: int) -> str:
        steps = self._state.plan(self._session, ports=self._ports)
        steps.sort(key=lambda step: step.done)
        if not steps:
            return "the plan is empty"
        if start > len(steps):
            raise UsageError(f"start is {start}; the plan has {len(steps)} steps")
        lines = map(_step, steps[start - 1 :])
        return self._listed(lines, "call plan with action list and start {next}", start)

    def _checked(self, given: ModelGiven) -> list[PlanEntry]:
        known = {step.id for step in self._state.plan(self._session, ports=self._ports)}
        done = given.get("done", True)
        return [
            self._do("plan.check", {"session": self._session, "id": one, "done": done})
            # One that is not there is refused before any other has been changed.
            for one in sorted(given["ids"], key=lambda one: one in known)
        ]

    def _note(self, given: ModelGiven) -> str:
        note = self._do("notebook.add", {"session": self._session, **given})
        return f"noted as {note.id}"

    def _remember(self, given: ModelGiven) -> str:
        result: CommitResult = self._verbs.remember(given["text"], session_id=self._session)
        kept = [memory.key for memory in result.memory_written.items]
        return (
            f"kept {', '.join(kept)}" if kept else "kept as it was said; no fact was read from it"
        )

    def _correct(self, given: ModelGiven) -> str:
        memory, value = self._verbs.memories.get(given["id"]), given["value"]
        fields: dict[str, Any] = {given["field"]: value}
        if memory.type == _PROFILE:
            fields = {"facts": [{"k": given["field"], "v": value}]}
        self._verbs.memories.correct(memory.id, fields, reason="the model corrected it")
        return f"corrected {memory.key}: {given['field']} is {value}"

    def _artifact_list(self, given: ModelGiven) -> str:
        outputs = ToolOutputs(self._artifacts)
        most = given.get("limit", _MATCHES)
        runs = outputs.page(self._session, None, None, most, ports=self._ports).items
        lines = (f"{_source(run.id)} {run.summary.splitlines()[0]}" for run in runs)
        return self._listed(lines, "call artifact_list with a smaller limit") or "no tool has run"

    def _forget(self, given: ModelGiven) -> str:
        ids = [one.strip() for one in str(given.get("ids") or "").split(",") if one.strip()]
        named = {"topic": given.get("topic")}
        found: ForgetReceipt = self._verbs.forget(ids or None, preview=True, **named)
        went = f"{len(found.items)} things, among them {len(found.stays)} that stay in part"
        if not given.get("confirm"):
            return f"would forget {went}; call forget again with confirm true to do it"
        receipt = self._verbs.forget(found)
        return f"forgot {went}; receipt {receipt.id}"

    def _recall(self, given: ModelGiven) -> str:
        found: Recall = self._verbs.recall(
            given["query"],
            k=given.get("k", _K),
            since=given.get("since"),
            until=given.get("until"),
            session_id=self._session,
        )
        with self._ports.truth.read() as rows:
            told = [self._memory(item, rows) for item in found]
        lines = (f"{number}. {line}" for number, line in enumerate(told, 1))
        return self._listed(lines, _ASK_LESS) or "nothing is remembered about that"

    def _memory(self, item: RecallItem, rows: Transaction) -> str:
        """Return a memory on one line, with the source that a pin of it would have.

        Where it was found by what a tool printed, the run and what came of it follow.
        """
        source = f", chat:{item.source_turn_id}" if item.source_turn_id else ""
        kind = item.type if item.type == _EPISODES else f"{item.type} {item.key}"
        told = f"[{kind}] {' '.join(item.text.split())} ({item.at:%Y-%m-%d}{source})"
        if (run := self._printed(item, rows)) is None:
            return told
        return f"{told}; in tool:{run.id}: {' '.join(run.summary.split())}"

    def _printed(self, item: RecallItem, rows: Transaction) -> Artifact | None:
        first = item.quotes[0].span if item.quotes else None
        if first is None or item.source_turn_id is None or RAW not in item.found_by:
            return None
        return run_of_text(
            item.source_turn_id,
            first.raw_id,
            transaction=rows,
            blobs=self._ports.blobs,
            rules=self._artifacts,
        )

    def _latest_turn(self) -> str:
        with self._ports.truth.read() as rows:
            last = rows.events.last_turn(self._session)
        if last is None:
            raise UsageError(
                "source is missing and this conversation has no turn yet; give chat:<id>,"
                " tool:<id> or file:<path>#L<line>"
            )
        return f"chat:{last.id}"

    def _listed(self, lines: Iterable[str], how: str, start: int = 1) -> str:
        """Return as many lines as fit, how many are left, and how to have those.

        The first is number `start`; `how` may name the `{next}` one.
        """
        rest = list(lines)
        shown: list[str] = []

        def told() -> str:
            more = f"… and {len(rest)} more; {how.format(next=start + len(shown))}"
            return "\n".join([*shown, more] if rest else shown)

        while rest:
            before = told()
            shown.append(rest.pop(0))
            if len(shown) > 1 and self._count(told()) > self._room:
                return before
        return "\n".join(shown)

    def _do(self, verb: str, given: ModelGiven) -> Any:
        return self._state.do(verb, given, ports=self._ports, actor=AGENT)


def _lines(head: str, text: str, more: str | None) -> str:
    return "\n".join([head, text, *([more] if more else [])])


def _source(read_id: str) -> str:
    """Return how a model names what it read, a run or a turn."""
    return read_id if read_id.startswith(TURNS) else f"{PREFIX}{read_id}"


def _step(step: PlanEntry) -> str:
    until = f" (done when: {step.done_when})" if step.done_when else ""
    return f"{step.id}. [{'x' if step.done else ' '}] {step.text}{until}"
