"""The working summary of a session and the core memory of the tenant, written by rule (C8).

In: a step that was just recorded and the memories it changed. Out: a new version of the summary
when enough has happened since the last one, and the core blocks whose text is another now. Both are
made from memories and from the words of the last turns, never from what tools printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import datetime
from itertools import tee
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.job import StateEntry
from smartbrain.domain.memory import Memory, Status, is_fact_over, status_at
from smartbrain.domain.result import ArtifactSummary, SummaryUpdate
from smartbrain.domain.summary import (
    CORE_BLOCKS,
    PROGRESS,
    QUESTIONS,
    REFERENCES,
    SECTIONS,
    SUMMARY,
    CoreBlock,
    Summary,
    SummaryProgress,
    Trigger,
)
from smartbrain.domain.turn import CallStatus, Role, ToolCall, Turn
from smartbrain.govern.artifacts import size_of, summary_of
from smartbrain.govern.short_term import last_end
from smartbrain.remember.open_questions import open_questions
from smartbrain.remember.record import Recorded, readable
from smartbrain.remember.summary_text import (
    REFERENCE_KINDS,
    Line,
    bullets,
    decision_lines,
    fit,
    goal_lines,
    preference_lines,
    profile_lines,
    question_lines,
    reference_lines,
    render,
    task_lines,
    told_lines,
)
from smartbrain.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from smartbrain.domain.policy import ArtifactsRules, PoliciesRules, Rules
    from smartbrain.domain.record import Record
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

CORE_MEMORY: Final = "core_memory"
"""The kind of the tenant's working state that holds the core blocks."""

_VERSIONS_KEPT: Final = 20
_LARGE_OUTPUT_BYTES: Final = 4_096  # from which on a tool's output is a major result
_MIN_LINES: Final = 12  # that a summary has, by what was talked about if by nothing else
_MAX_TURNS: Final = 100  # that one summary is made from
# How many memories of a type a summary chooses from, the newest; many tasks are done.
_CHOICE: Final = {"goals": 50, "decisions": 20, "tasks": 50, "entities": 30}
_CORE_CHOICE: Final = 200
_TENANT: Final = "tenant"
_CHAT: Final = (Role.USER, Role.ASSISTANT)


def summarise(
    recorded: Recorded,
    changed: Sequence[Memory],
    *,
    ports: Ports,
    transaction: Transaction,
    rules: Rules,
) -> SummaryUpdate:
    """Count what a step adds to its session, and write a summary if one is due.

    The core memory is brought up to what changed as well.
    """
    said = recorded.said
    core_memory(changed, said.created_at, transaction=transaction, rules=rules)
    before = _progress(said.session_id, transaction)
    progress = replace(
        before,
        turns=before.turns + (recorded.stored is None),
        tokens=before.tokens
        + sum(estimate_tokens(one.content) for one in said.messages if one.role in _CHAT),
    )
    trigger = _trigger(recorded, changed, progress, rules.policies)
    if trigger is not None:
        return _write(
            recorded, progress, trigger, ports=ports, transaction=transaction, rules=rules
        )
    if progress != before:
        _put_progress(said, progress, transaction)
    return SummaryUpdate()


def _write(
    recorded: Recorded,
    progress: SummaryProgress,
    trigger: Trigger,
    *,
    ports: Ports,
    transaction: Transaction,
    rules: Rules,
) -> SummaryUpdate:
    """Write the next version of the summary of a step's session."""
    said, owner = recorded.said, _owner(recorded.said.session_id)
    size = min(max(progress.turns, rules.policies.retention.summarize_after_turns), _MAX_TURNS)
    # Of the turn before the window, only a question may get its answer in it.
    begins = last_end(said.session_id, transaction=transaction).turn
    asked = _window(said.session_id, size + 1, begins, transaction)
    turns = asked[-size:]
    read = (readable(one, transaction=transaction, ports=ports) for one in reversed(asked))
    latest, again = tee(read)
    sections, beyond = _sections(turns, open_questions(latest, progress.questions), transaction)
    told: list[str] = []
    lines = [line.text for section in sections.values() for line in section]
    if turns[-1].seq - begins > rules.working.window_turns and len(lines) < _MIN_LINES:
        told = told_lines([*again][::-1], progress.told, lines, _MIN_LINES - len(lines))
    sections[REFERENCES] = [*sections[REFERENCES], *map(Line, told)]
    fitted = fit(sections, rules.policies.composition.summary_max_tokens, beyond)
    summary = Summary(
        version=progress.version + 1,
        text=render(*fitted),
        sections={
            title: tuple(line.text for line in shown) for title, shown in fitted.sections.items()
        },
        trigger_reason=trigger,
        source_turn_range=(turns[0].id, turns[-1].id),
        generated_at=said.created_at,
        left_out=sum(fitted.left_out.values()),
    )
    at, version = summary.generated_at, summary.version
    _put(owner, SUMMARY, f"v{version}", summary, at, transaction)
    transaction.working.drop_state(owner, SUMMARY, f"v{version - _VERSIONS_KEPT}")
    waiting = tuple(line.text for line in fitted.sections.get(QUESTIONS, ()) if not line.source)
    progress = SummaryProgress(version=version, questions=waiting, told=tuple(told))
    _put_progress(said, progress, transaction)
    return SummaryUpdate(
        updated=True,
        trigger_reason=trigger.value,
        version=version,
        source_turn_range=summary.source_turn_range,
        generated_at=at,
    )


def core_memory(
    changed: Iterable[Memory],
    at: datetime,
    *,
    transaction: Transaction,
    rules: Rules,
) -> None:
    """Bring the core blocks up to what a commit or an operation changed.

    Nothing is read unless a memory of one of their types changed, and a block whose text stays the
    same keeps its time.
    """
    if not any(memory.type in CORE_BLOCKS for memory in changed):
        return
    stored = {block.type: block for block in _stored_blocks(transaction)}
    for name, block in _make_blocks(at, transaction=transaction, rules=rules).items():
        before = stored.get(name)
        if before is not None and before.text == block.text:
            block = replace(block, updated_at=before.updated_at)
        if not block.text and before is not None:
            transaction.working.drop_state(_TENANT, CORE_MEMORY, name)
        elif block.text and block != before:
            _put(_TENANT, CORE_MEMORY, name, block, at, transaction)


def _make_blocks(at: datetime, *, transaction: Transaction, rules: Rules) -> dict[str, CoreBlock]:
    """Return the core blocks of what holds at a time; one without text is empty."""
    every = {name: _active(name, _CORE_CHOICE, transaction) for name in CORE_BLOCKS}
    ends = {name: _next_end(memories, at) for name, memories in every.items()}
    profile, preferences, goals = ([*_held(memories, at)] for memories in every.values())
    goal_places = {goal.id: (0, goal.key) for goal in goals}
    lines = (
        profile_lines(profile),
        preference_lines(preferences),
        [line._replace(place=goal_places[line.source]) for line in goal_lines(goals)],
    )
    limit = rules.policies.composition.system_blocks_max_tokens
    fitted = fit(dict(zip(CORE_BLOCKS, lines, strict=True)), limit).sections
    blocks = {}
    for name in CORE_BLOCKS:
        shown = fitted.get(name, ())
        source = tuple(dict.fromkeys(line.source for line in shown))
        text = bullets(shown) if shown else ""
        blocks[name] = CoreBlock(
            type=name, text=text, updated_at=at, source=source, holds_until=ends[name]
        )
    return blocks


def _held(memories: Iterable[Memory], at: datetime) -> Iterator[Memory]:
    """Yield what holds at a time, a profile without the facts whose time is over."""
    for memory in memories:
        if status_at(memory.status, memory.valid_until, memory.value, at) is Status.EXPIRED:
            continue
        facts = memory.value.get("facts") or ()
        kept = [fact for fact in facts if not is_fact_over(fact, at)]
        same = len(kept) == len(facts)
        yield memory if same else replace(memory, value={**memory.value, "facts": kept})


def _next_end(memories: Iterable[Memory], at: datetime) -> datetime | None:
    """Return when the first of some memories, or of a profile's facts, stops to hold."""
    ends = [memory.valid_until for memory in memories]
    facts = [fact for memory in memories for fact in memory.value.get("facts") or ()]
    told = [fact["until"] for fact in facts if fact.get("until") and not is_fact_over(fact, at)]
    ends += [datetime.fromisoformat(one) for one in told if "T" in one]
    return min((one for one in ends if one is not None and one > at), default=None)


def summaries(session_id: str, *, transaction: Transaction) -> list[Summary]:
    """Return the versions of a session's working summary that are kept, oldest first."""
    entries = transaction.working.state(_owner(session_id), SUMMARY)
    return [Summary.from_dict(entry.body) for entry in entries]


def latest_summary(session_id: str, *, transaction: Transaction) -> Summary | None:
    """Return a session's working summary, if one has been written."""
    return next(iter(summaries(session_id, transaction=transaction)[::-1]), None)


def core_blocks(now: datetime, *, transaction: Transaction, rules: Rules) -> tuple[CoreBlock, ...]:
    """Return the blocks of the core memory that have text, in their order.

    Where something in them has stopped to hold since they were written, they are made anew.
    """
    stored = _stored_blocks(transaction)
    if all(one.holds_until is None or one.holds_until > now for one in stored):
        return stored
    made = _make_blocks(now, transaction=transaction, rules=rules)
    return tuple(block for block in made.values() if block.text)


def _stored_blocks(transaction: Transaction) -> tuple[CoreBlock, ...]:
    entries = {entry.id: entry for entry in transaction.working.state(_TENANT, CORE_MEMORY)}
    return tuple(CoreBlock.from_dict(entries[name].body) for name in CORE_BLOCKS if name in entries)


def _trigger(
    recorded: Recorded, changed: Sequence[Memory], progress: SummaryProgress, rules: PoliciesRules
) -> Trigger | None:
    """Return the first reason to write a summary now."""
    if rules.consolidation.stage_events and _is_stage(recorded, changed):
        return Trigger.STAGE_EVENT
    if progress.tokens > rules.consolidation.token_pressure * rules.composition.token_limit:
        return Trigger.TOKEN_PRESSURE
    if progress.turns >= rules.retention.summarize_after_turns:
        return Trigger.TURN_COUNT
    return None


def _is_stage(recorded: Recorded, changed: Sequence[Memory]) -> bool:
    """Tell whether a step ends something: a task, a choice, a call that failed or gave much."""
    turn_id = recorded.said.id
    for memory in changed:
        # What was only said again is changed too, but it comes from its own turn, or is counted.
        new = memory.source_turn_id == turn_id and memory.frequency == 1
        done = memory.type == "tasks" and memory.value.get("status") == "done"
        if new and memory.status is Status.ACTIVE and (done or memory.type == "decisions"):
            return True
    return any(_is_major(call) for call in recorded.spans.tool_calls)


def summarise_call(call: ToolCall, rules: ArtifactsRules) -> ArtifactSummary:
    """Return how a call ended and what it printed in one to six lines, errors first (W6)."""
    size = size_of(call)
    return ArtifactSummary(
        id=call.id,
        tool_name=call.name,
        status=call.status,
        exit_code=call.exit_code,
        bytes=size,
        summary=summary_of(call, rules, size=size),
    )


def _is_major(call: ToolCall) -> bool:
    """Tell whether a call ended in an error or gave back much."""
    spans = call.result_spans + call.stdout_spans + call.stderr_spans
    failed = call.status is CallStatus.ERROR or call.exit_code not in (None, 0)
    return failed or sum(span.length for span in spans) >= _LARGE_OUTPUT_BYTES


def _window(session_id: str, size: int, begins: int, transaction: Transaction) -> list[Turn]:
    """Return a session's last turns after the one that it begins at, with their chat's spans."""
    last = transaction.events.last_turn(session_id)
    assert last is not None  # the step that was just recorded is in it
    return [
        replace(turn, messages=tuple(one for one in turn.messages if one.role in _CHAT))
        for turn in transaction.events.turns(
            session_id, after=max(begins, last.seq - size), limit=size
        )
    ]


def _sections(
    turns: Sequence[Turn], questions: Iterable[str], transaction: Transaction
) -> tuple[dict[str, list[Line]], dict[str, int]]:
    """Return what a summary may say, and how many more lines a section would have."""
    session_id = turns[0].session_id
    goals, decisions, tasks, entities = (
        _active(name, most, transaction) for name, most in _CHOICE.items()
    )
    references = [one for one in entities if one.value.get("kind") in REFERENCE_KINDS]
    shown = [*goals, *decisions, *tasks, *references]
    own = _own_turns(turns, shown, transaction)
    named = transaction.mentions.counted(
        [one.id for one in references], session_id, turns=len(turns)
    )
    lines = (
        goal_lines(goals, own),
        decision_lines(decisions, own),
        task_lines(tasks, own),
        reference_lines(
            turns, [one for one in references if one.source_turn_id in own or named.get(one.id)]
        ),
        question_lines(questions, tasks),
    )
    beyond = {}
    if len(decisions) == _CHOICE["decisions"]:
        stand = transaction.recalled.counts(["decisions"])["decisions"]
        beyond["Decisions"] = stand - len(decisions)
    return dict(zip(SECTIONS, lines, strict=True)), beyond


def _active(type_name: str, most: int, transaction: Transaction) -> list[Memory]:
    """Return the memories of a type that hold, newest first."""
    found = transaction.remembering.newest(type_name, limit=most)
    return [memory for memory in found if memory.status is Status.ACTIVE]


def _own_turns(
    window: Sequence[Turn], memories: Iterable[Memory], transaction: Transaction
) -> Set[str]:
    """Return the turns that memories come from and that are of the window's session."""
    near = {turn.id for turn in window}
    sources = {one.source_turn_id for one in memories if one.source_turn_id is not None} - near
    if not sources:
        return frozenset(near)
    return near | transaction.remembering.of_session(sorted(sources), window[0].session_id)


def _owner(session_id: str) -> str:
    return f"session:{session_id}"


def _progress(session_id: str, transaction: Transaction) -> SummaryProgress:
    entries = transaction.working.state(_owner(session_id), PROGRESS)
    return SummaryProgress.from_dict(entries[0].body) if entries else SummaryProgress()


def _put_progress(turn: Turn, progress: SummaryProgress, transaction: Transaction) -> None:
    owner = _owner(turn.session_id)
    _put(owner, PROGRESS, PROGRESS, progress, turn.created_at, transaction)


def _put(
    owner: str, kind: str, name: str, body: Record, at: datetime, transaction: Transaction
) -> None:
    told = body.to_dict()
    transaction.working.put_state(
        StateEntry(owner=owner, kind=kind, id=name, body=told, created_at=at, updated_at=at)
    )
