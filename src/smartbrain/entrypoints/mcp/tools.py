"""The ten tools of the MCP server: what a model is told of them, and what each does.

In: arguments as a model gives them, a brain and a conversation. Out: plain text, short enough for a
context. Descriptions are for a model that reads them with every request, so they are short. What is
wrong is raised as an error of ours; the server tells it to the model.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from smartbrain.domain.forgetting import ForgetReceipt
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.recall import Recall, RecallItem
from smartbrain.entrypoints.cli.lines import counted, shortened
from smartbrain.errors import NotFound, UsageError

if TYPE_CHECKING:
    from smartbrain import SmartBrain

MOST_TOOLS: Final = 10
_RECALL_TOKENS: Final = 1500
_PREVIEWS: Final = 64
_SHOWN: Final = 20
_STEPS: Final = 12


class Remember(Struct, frozen=True, forbid_unknown_fields=True):
    """Store a lasting fact, preference, decision or goal that the user stated."""

    text: Annotated[str, Meta(description="In the user's words.")]


class RecallMemory(Struct, frozen=True, forbid_unknown_fields=True):
    """Search long-term memory of all conversations. Shows ids for correct and forget."""

    query: str
    k: Annotated[int, Meta(description="How many at most.")] = 8
    since: Annotated[str | None, Meta(description="ISO date or time.")] = None
    until: str | None = None
    types: list[str] = []


class Compose(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything memory has for answering one message, ready to read. Call it at a task's start."""

    message: str
    tokens: Annotated[int | None, Meta(description="Limit.")] = None


class Correct(Struct, frozen=True, forbid_unknown_fields=True):
    """Replace a wrong memory, or retract it if no value is given."""

    id: Annotated[str, Meta(description="Id or key from recall.")]
    value: Annotated[
        str | dict[str, Any] | None, Meta(description="The right text, or fields to change.")
    ] = None
    reason: str | None = None


class Forget(Struct, frozen=True, forbid_unknown_fields=True):
    """Erase for good, if the user asks. First call previews; repeat with its receipt to do so."""

    ids: list[str] = []
    topic: str | None = None
    receipt: str | None = None


class PinFact(Struct, frozen=True, forbid_unknown_fields=True):
    """Keep a key fact in every later context; remove or list pins."""

    action: Literal["add", "remove", "list"]
    type: Literal["constraint", "path", "command", "code", "conclusion", None] = None
    title: str | None = None
    summary: str | None = None
    source: Annotated[
        str | None, Meta(description="chat:<turn>, tool:<run> or file:<path>#L<line>")
    ] = None
    ids: list[str] = []


class KeepPlan(Struct, frozen=True, forbid_unknown_fields=True):
    """The to-do list of this conversation."""

    action: Literal["add", "check", "remove", "list"]
    text: str | None = None
    ids: list[str] = []


class WriteNote(Struct, frozen=True, forbid_unknown_fields=True):
    """Note what was done or decided in this conversation, and why."""

    text: str


class ReadArtifact(Struct, frozen=True, forbid_unknown_fields=True):
    """Read part of an earlier tool output, or find lines in it."""

    id: str
    range: Annotated[str | None, Meta(description="Lines such as 10-40.")] = None
    pattern: Annotated[str | None, Meta(description="Regular expression.")] = None


class Explain(Struct, frozen=True, forbid_unknown_fields=True):
    """Why memory did or did not bring something up."""

    query: Annotated[str, Meta(description="The question.")]
    expect: Annotated[str, Meta(description="Id, key or words that were expected.")]


class McpTools:
    """The tools of one brain in one conversation; previews of forgetting are kept here a while."""

    def __init__(self, brain: SmartBrain, session_id: str) -> None:
        self._brain = brain
        self._session = session_id
        self._previews: OrderedDict[str, ForgetReceipt] = OrderedDict()

    def call(self, name: str, given: Mapping[str, Any]) -> str:
        """Do what a model calls for, and return what it is told."""
        if name not in TOOLS:
            raise unknown_tool(name)
        try:
            asked = msgspec.convert(given, TOOLS[name])
        except msgspec.ValidationError as error:
            raise UsageError(f"{name}: {error}") from None
        run: Callable[[Any], str] = getattr(self, name)
        return run(asked)

    def remember(self, asked: Remember) -> str:
        """Store what the user states, and say what became of it."""
        result = self._brain.remember(asked.text, session_id=self._session)
        lines = [f"remembered {one.id} ({one.type})" for one in result.memory_written.items]
        lines += [
            f"{one.action.value} {one.type}: {one.reason}"
            for one in result.explain.retention
            if one.action.value != "written"
        ]
        return "\n".join(lines) or f"kept as said, in turn {result.turn_id}"

    def recall(self, asked: RecallMemory) -> str:
        """Return what answers a question, an item a line with its id."""
        found = self._brain.recall(
            asked.query,
            k=asked.k,
            since=asked.since,
            until=asked.until,
            types=asked.types or None,
            session_id=self._session,
            budget_tokens=_RECALL_TOKENS,
        )
        return recall_text(found) or "nothing is remembered about that"

    def compose(self, asked: Compose) -> str:
        """Return the context of a message as titled blocks."""
        limit = asked.tokens
        return self._brain.compose_context(self._session, asked.message, token_limit=limit).text()

    def correct(self, asked: Correct) -> str:
        """Put a right value in the place of a wrong one, or take it back."""
        if asked.value is None:
            self._brain.memories.retract(asked.id, asked.reason)
            return f"retracted {asked.id}"
        value = asked.value
        if isinstance(value, str):
            value = self._main_field(asked.id, value)
        result = self._brain.memories.correct(asked.id, value, asked.reason)
        written = ", ".join(one.id for one in result.memory_written.items)
        return f"corrected {asked.id}; now {written}"

    def _main_field(self, wanted: str, text: str) -> dict[str, Any]:
        fields = self._brain.memories.get(wanted).value
        if "value" in fields:
            return {"value": text}
        names = ", ".join(fields)
        raise UsageError(f"{wanted} has the fields {names}; give value as an object of these")

    def forget(self, asked: Forget) -> str:
        """Say what would go, or let exactly that go."""
        if asked.receipt is not None:
            preview = self._previews.pop(asked.receipt, None)
            if preview is None:
                raise NotFound(f"no preview {asked.receipt!r:.60} is open; call forget without it")
            done = self._brain.forget(preview)
            return f"forgot {_counted(preview)}; receipt {done.id}"
        preview = self._brain.forget(asked.ids or None, topic=asked.topic, preview=True)
        number = _number_of(preview)
        self._previews[number] = preview
        while len(self._previews) > _PREVIEWS:
            self._previews.popitem(last=False)
        named = [one.id for one in preview.items if one.kind == "memory"]
        words = [f"- {self._words(one)}" for one in named[:_SHOWN]]
        more = [f"- and {len(named) - _SHOWN} memories more"] if len(named) > _SHOWN else []
        head = f"would forget {_counted(preview)}; nothing is gone yet"
        how = f"if the user agrees, call forget with receipt {number}"
        return "\n".join([head, *words, *more, how])

    def _words(self, memory_id: str) -> str:
        try:
            memory = self._brain.memories.get(memory_id)
        except NotFound:
            return memory_id
        return f"[{memory.type}] {shortened(memory.text)}"

    def pin(self, asked: PinFact) -> str:
        """Add, remove or list pins."""
        if asked.action == "list":
            pins = self._brain.pins.list()
            return "\n".join(f"{pin.id}. {pin.title}: {pin.summary}" for pin in pins) or "no pins"
        if asked.action == "remove":
            return self._tool("unpin", {"ids": asked.ids})
        fields = ("type", "title", "summary", "source")
        return self._tool("pin", {name: getattr(asked, name) for name in fields})

    def plan(self, asked: KeepPlan) -> str:
        """Add to the plan, check or remove steps, or list it."""
        given = {"action": asked.action, "text": asked.text, "ids": asked.ids or None}
        return self._tool("plan", given)

    def note(self, asked: WriteNote) -> str:
        """Write a line into the notebook."""
        return self._tool("note", {"text": asked.text})

    def artifact(self, asked: ReadArtifact) -> str:
        """Read a part of an output, or find lines in it."""
        if asked.pattern is not None:
            return self._tool("artifact_grep", {"id": asked.id, "pattern": asked.pattern})
        return self._tool("artifact_get", {"id": asked.id, "range": asked.range})

    def explain(self, asked: Explain) -> str:
        """Say why something is in an answer or is not, step by step."""
        found = self._brain.explain(query=asked.query, expect=asked.expect)
        verdict = found.verdict.value if found.verdict else "unknown"
        trail = [f"- {step.reason}" for step in found.trail[:_STEPS]]
        return "\n".join([f"{verdict}: {found.reason}", *trail, *filter(None, [found.hint])])

    def _tool(self, name: str, arguments: dict[str, Any]) -> str:
        """Have the tool of a model's host do it, which answers in few words."""
        given = {key: value for key, value in arguments.items() if value is not None}
        answer = self._brain.call_tool(self._session, {"name": name, "arguments": given})
        if answer.is_error:
            raise UsageError(answer.text)
        return answer.text


TOOLS: Final[Mapping[str, type[Struct]]] = {
    "remember": Remember,
    "recall": RecallMemory,
    "compose": Compose,
    "correct": Correct,
    "forget": Forget,
    "pin": PinFact,
    "plan": KeepPlan,
    "note": WriteNote,
    "artifact": ReadArtifact,
    "explain": Explain,
}
"""What each tool takes, in the order they are offered; the method of that name does it."""
READS: Final = frozenset({"recall", "compose", "artifact", "explain"})
"""Tools that change nothing that anybody is shown."""


def tool_schemas() -> list[dict[str, Any]]:
    """Return the tools as a model is told of them: name, description and JSON schema."""
    return [
        {"name": name, "description": kind.__doc__, "inputSchema": _schema(kind)}
        for name, kind in TOOLS.items()
    ]


def verb_of(tool: str, given: Mapping[str, Any]) -> str:
    """Return the verb that a call of a tool asks, which an API key may be limited to."""
    if tool in ("pin", "plan"):
        return f"{'pins' if tool == 'pin' else tool}.{given.get('action', 'list')}"
    if tool == "correct":
        return "memories.retract" if given.get("value") is None else "memories.correct"
    if tool == "artifact":
        return "artifacts.get" if given.get("pattern") is None else "artifacts.grep"
    return {"compose": "compose_context", "note": "notebook.add"}.get(tool, tool)


def unknown_tool(name: str) -> NotFound:
    """Return the error about a tool that is not there, with the nearest that is."""
    near = did_you_mean(name, list(TOOLS))
    return NotFound(f"there is no tool {name!r:.60}{near}; the tools are {', '.join(TOOLS)}")


def recall_text(found: Recall) -> str:
    """Return memories as lines, best first, each with its date and id."""
    return "\n".join(f"{number}. {_line(item)}" for number, item in enumerate(found, 1))


def _line(item: RecallItem) -> str:
    return f"[{item.type}] {' '.join(item.text.split())} ({item.at:%Y-%m-%d}) {item.id}"


def _counted(receipt: ForgetReceipt) -> str:
    kinds = Counter(one.kind for one in receipt.items)
    return ", ".join(counted(count, kind) for kind, count in sorted(kinds.items())) or "nothing"


def _number_of(preview: ForgetReceipt) -> str:
    """Return what names a preview: the same for the same things."""
    named = "\n".join(sorted(one.id for one in preview.items))
    return blake2b(named.encode(), digest_size=4).hexdigest()


def _schema(kind: type[Struct]) -> dict[str, Any]:
    """Return the schema of arguments as short as it can be: a model pays for each word of it."""
    (found,) = msgspec.json.schema_components([kind])[1].values()
    fields = {
        name: {key: value for key, value in _plain_optional(given).items() if key != "default"}
        for name, given in found["properties"].items()
    }
    return {"type": "object", "properties": fields, "required": found.get("required", [])}


def _plain_optional(given: dict[str, Any]) -> dict[str, Any]:
    """Return a field that may be null as one that may be left out, which says it in fewer words."""
    if "enum" in given:
        return {**given, "enum": [one for one in given["enum"] if one is not None]}
    kinds = [one for one in given.get("anyOf", ()) if one != {"type": "null"}]
    if not kinds:
        return given
    rest = {key: value for key, value in given.items() if key != "anyOf"}
    return {**kinds[0], **rest} if len(kinds) == 1 else {**rest, "type": [k["type"] for k in kinds]}
