"""The tools of a model, put together with the rules of a root: offered, called, answered.

In: a call as a provider gives it, the session it is made in, an open tenant's ports. Out: plain
text within `artifacts.tool_answer_max_tokens`. What a model does wrong is answered in one line that
says what to change; what is wrong with the call itself or with the storage is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from smartbrain.adapters.line_search import ProcessLineSearch
from smartbrain.adapters.splintr_counter import token_counter
from smartbrain.domain.artifact import ArtifactPage, ToolAnswer, read_format
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
from smartbrain.govern.pins import AGENT
from smartbrain.govern.sources import file_snippet
from smartbrain.govern.tool_schemas import (
    TOOLS,
    anthropic_tool,
    find_tool,
    openai_tool,
    read_arguments,
)
from smartbrain.ports.line_search import LineQuery
from smartbrain.recall.gather import RAW
from smartbrain.remember.arguments import ModelCall, read_model_call

if TYPE_CHECKING:
    from smartbrain.bootstrap.governing import WorkingState
    from smartbrain.domain.artifact import Artifact, FoundLines
    from smartbrain.domain.forgetting import ForgetReceipt
    from smartbrain.domain.packet import PlanEntry
    from smartbrain.domain.policy import ArtifactsRules, Rules
    from smartbrain.domain.recall import Recall, RecallItem
    from smartbrain.domain.result import CommitResult
    from smartbrain.domain.working import Pin
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

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
Given = Mapping[str, Any]


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


Verbs = Any
"""A handle of the tenant, whose module stands above this one: long-term memory goes through it."""


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
        run: Callable[[Given], str] = getattr(self, f"_{tool.name}")
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

    def _artifact_get(self, given: Given) -> str:
        def read(outputs: ToolOutputs) -> str:
            found = outputs.get(given["id"], given.get("range"), ports=self._ports)
            head = f"{_source(found.id)} {found.tool_name}, {found.status.value}, {found.shown}"
            return _lines(head, found.text.removesuffix("\n"), found.more)

        return self._read_run(given["id"], read)

    def _artifact_grep(self, given: Given) -> str:
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

    def _file_snippet(self, given: Given) -> str:
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

    def _pin(self, given: Given) -> str:
        source = given.get("source") or self._latest_turn()
        pin: Pin = self._do("pins.add", {**given, "source": source})
        waits = "; it is shown once a person accepts it" if pin.state is PinState.PROPOSED else ""
        return f"pinned as {pin.id}: {pin.title} ({pin.source}){waits}"

    def _unpin(self, given: Given) -> str:
        gone: Sequence[Pin] = self._do("pins.remove", {"ids": given["ids"]})
        return "\n".join(f"unpinned {pin.id}: {pin.title}" for pin in gone)

    def _plan(self, given: Given) -> str:
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

    def _checked(self, given: Given) -> list[PlanEntry]:
        known = {step.id for step in self._state.plan(self._session, ports=self._ports)}
        done = given.get("done", True)
        return [
            self._do("plan.check", {"session": self._session, "id": one, "done": done})
            # One that is not there is refused before any other has been changed.
            for one in sorted(given["ids"], key=lambda one: one in known)
        ]

    def _note(self, given: Given) -> str:
        note = self._do("notebook.add", {"session": self._session, **given})
        return f"noted as {note.id}"

    def _remember(self, given: Given) -> str:
        result: CommitResult = self._verbs.remember(given["text"], session_id=self._session)
        kept = [memory.key for memory in result.memory_written.items]
        return (
            f"kept {', '.join(kept)}" if kept else "kept as it was said; no fact was read from it"
        )

    def _correct(self, given: Given) -> str:
        memory, value = self._verbs.memories.get(given["id"]), given["value"]
        fields: dict[str, Any] = {given["field"]: value}
        if memory.type == _PROFILE:
            fields = {"facts": [{"k": given["field"], "v": value}]}
        self._verbs.memories.correct(memory.id, fields, reason="the model corrected it")
        return f"corrected {memory.key}: {given['field']} is {value}"

    def _artifact_list(self, given: Given) -> str:
        outputs = ToolOutputs(self._artifacts)
        most = given.get("limit", _MATCHES)
        runs = outputs.page(self._session, None, None, most, ports=self._ports).items
        lines = (f"{_source(run.id)} {run.summary.splitlines()[0]}" for run in runs)
        return self._listed(lines, "call artifact_list with a smaller limit") or "no tool has run"

    def _forget(self, given: Given) -> str:
        ids = [one.strip() for one in str(given.get("ids") or "").split(",") if one.strip()]
        named = {"topic": given.get("topic")}
        found: ForgetReceipt = self._verbs.forget(ids or None, preview=True, **named)
        went = f"{len(found.items)} things, among them {len(found.stays)} that stay in part"
        if not given.get("confirm"):
            return f"would forget {went}; call forget again with confirm true to do it"
        receipt = self._verbs.forget(found)
        return f"forgot {went}; receipt {receipt.id}"

    def _recall(self, given: Given) -> str:
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

    def _do(self, verb: str, given: Given) -> Any:
        return self._state.do(verb, given, ports=self._ports, actor=AGENT)


def _lines(head: str, text: str, more: str | None) -> str:
    return "\n".join([head, text, *([more] if more else [])])


def _source(read_id: str) -> str:
    """Return how a model names what it read, a run or a turn."""
    return read_id if read_id.startswith(TURNS) else f"{PREFIX}{read_id}"


def _step(step: PlanEntry) -> str:
    until = f" (done when: {step.done_when})" if step.done_when else ""
    return f"{step.id}. [{'x' if step.done else ' '}] {step.text}{until}"
