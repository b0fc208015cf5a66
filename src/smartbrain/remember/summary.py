"""The working summary of a session and the core memory of the tenant, written by rule (C8, R16).

In: a step that was just recorded and the memories it changed. Out: a new version of the summary
when enough has happened since the last one, and the core blocks whose text is another now. Both are
lines of at most 160 characters, made from memories and from the words of the last turns, of which
as many are kept as fit into a budget; never from what tools printed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice, tee
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.builtin_types import ENDED
from smartbrain.domain.keys import GENERAL
from smartbrain.domain.memory import Memory, Status, is_fact_over, status_at
from smartbrain.domain.memory_type import as_text, labelled, pair
from smartbrain.domain.policy import ArtifactsRules, PoliciesRules, Rules
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
from smartbrain.domain.turn import CallStatus, Message, Role, ToolCall, Turn
from smartbrain.govern.artifacts import size_of, summary_of
from smartbrain.govern.short_term import last_end
from smartbrain.govern.trail import put_state
from smartbrain.ports.truth import Transaction
from smartbrain.remember.record import Recorded, output_spans, readable
from smartbrain.remember.rules.said import asked_in, asks
from smartbrain.text.ontology import is_han
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import inside_cluster, said_only, sentence_spans
from smartbrain.text.telling import instructs, is_exact
from smartbrain.text.tokenise import cut_text, index_terms
from smartbrain.text.tokens import MARGIN, estimate_tokens

if TYPE_CHECKING:
    from smartbrain.remember.write_rules import WriteTools

CORE_MEMORY: Final = "core_memory"
"""The kind of the tenant's working state that holds the core blocks."""

_VERSIONS_KEPT: Final = 20
_LARGE_OUTPUT_BYTES: Final = 4_096  # from which on a tool's output is a major result
_MIN_LINES: Final = 12  # that a summary has, by what was talked about if by nothing else
_MAX_TURNS: Final = 100  # that one summary is made from
# How many memories of a type a summary chooses from, the newest; many tasks are done.
_CHOICE: Final = {"goals": 50, "decisions": 100, "tasks": 50, "entities": 30}
_CORE_CHOICE: Final = 200
_TENANT: Final = "tenant"
_CHAT: Final = (Role.USER, Role.ASSISTANT)
MAX_LINE: Final = 160
REFERENCE_KINDS: Final = frozenset({"url", "file", "repo"})
"""The kinds of entities that are references."""
_BULLET: Final = "- "
_MAX_LINES: Final = 40  # of one section, before anything is measured
_MIN_CUT_LINE: Final = 12  # characters of a line that is worth a cut
_COUNT_TOKENS: Final = 8  # of the line that tells how many are left out
_MAX_DONE: Final = 3
_STATUSES: Final = {"blocked": 0, "doing": 1, "todo": 2, "done": 3}
_GIVES_REASON: Final = pattern(
    r"\b(?:because|until|waiting|due to|missing|lacks?|needs?|by)\b"
    r"|因为|由于|等|缺|没|需要|无法|拿不到|才能",
    re.IGNORECASE,
)


_MAX_MESSAGE: Final = 4_000  # characters that are read of one
_MAX_SENTENCE: Final = 300
_USUAL_SHARE: Final = 0.4  # of the turns, from which on a term tells nothing


def summarise(recorded: Recorded, changed: Sequence[Memory], *, tools: WriteTools) -> SummaryUpdate:
    """Count what a step adds to its session, and write a summary if one is due."""
    said, rows, rules = recorded.said, tools.transaction, tools.rules
    owner = _owner(said.session_id)
    stored = next(iter(rows.working.state(owner, PROGRESS)), None)
    before = SummaryProgress.from_dict(stored.body) if stored else SummaryProgress()
    chat = [one.content for one in said.messages if one.role in _CHAT]
    progress = replace(
        before,
        turns=before.turns + (recorded.stored is None),
        tokens=before.tokens + sum(map(estimate_tokens, chat)),
    )
    trigger = _trigger(recorded, changed, progress, rules.policies)
    summary = None
    if trigger is not None:
        summary, progress = _make_summary(recorded, progress, trigger, tools)
        name, body = f"v{summary.version}", summary.to_dict()
        put_state(owner, SUMMARY, name, body, said.created_at, rows=rows)
        rows.working.drop_state(owner, SUMMARY, f"v{summary.version - _VERSIONS_KEPT}")
    if progress != before:
        put_state(owner, PROGRESS, PROGRESS, progress.to_dict(), said.created_at, rows=rows)
    if summary is None:
        return SummaryUpdate()
    return SummaryUpdate(
        updated=True,
        trigger_reason=summary.trigger_reason.value,
        version=summary.version,
        source_turn_range=summary.source_turn_range,
        generated_at=summary.generated_at,
    )


def _make_summary(
    recorded: Recorded, progress: SummaryProgress, trigger: Trigger, tools: WriteTools
) -> tuple[Summary, SummaryProgress]:
    said, rows, rules = recorded.said, tools.transaction, tools.rules
    size = min(max(progress.turns, rules.policies.retention.summarize_after_turns), _MAX_TURNS)
    # Of the turn before the window, only a question may get its answer in it.
    begins = last_end(said.session_id, transaction=rows).turn
    asked = _window(said.session_id, size + 1, begins, rows)
    turns = asked[-size:]
    read = (readable(one, transaction=rows, ports=tools.ports) for one in reversed(asked))
    latest, again = tee(read)
    sections = _sections(turns, open_questions(latest, progress.questions), rows)
    told: list[str] = []
    lines = [line.text for section in sections.values() for line in section]
    if turns[-1].seq - begins > rules.working.window_turns and len(lines) < _MIN_LINES:
        told = told_lines([*again][::-1], progress.told, lines, _MIN_LINES - len(lines))
    sections[REFERENCES] = [*sections[REFERENCES], *map(Line, told)]
    fitted = fit(sections, rules.policies.composition.summary_max_tokens)
    summary = Summary(
        version=progress.version + 1,
        text=render(*fitted),
        sections={
            name: tuple(one.text for one in shown) for name, shown in fitted.sections.items()
        },
        trigger_reason=trigger,
        source_turn_range=(turns[0].id, turns[-1].id),
        generated_at=said.created_at,
        left_out=sum(fitted.left_out.values()),
    )
    waiting = tuple(line.text for line in fitted.sections.get(QUESTIONS, ()) if not line.source)
    after = SummaryProgress(version=summary.version, questions=waiting, told=tuple(told))
    return summary, after


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
            put_state(_TENANT, CORE_MEMORY, name, block.to_dict(), at, rows=transaction)


def _make_blocks(at: datetime, *, transaction: Transaction, rules: Rules) -> dict[str, CoreBlock]:
    """Return the core blocks of what holds at a time; one without text is empty."""
    every = {name: _active(name, _CORE_CHOICE, transaction) for name in CORE_BLOCKS}
    profile, preferences, goals = ([*_held(memories, at)] for memories in every.values())
    facts = [fact for memory in profile for fact in memory.value.get("facts", ())]
    claims = [one for fact in facts for one in _claims_of(fact)]
    lines = (
        profile_lines(profile, transaction.recalled.claimed_at(claims)),
        preference_lines(preferences),
        goal_lines(goals),
    )
    limit = rules.policies.composition.system_blocks_max_tokens
    fitted = fit(dict(zip(CORE_BLOCKS, lines, strict=True)), limit).sections
    blocks = {}
    for name in CORE_BLOCKS:
        shown = fitted.get(name, ())
        blocks[name] = CoreBlock(
            type=name,
            text=bullets(shown),
            updated_at=at,
            source=tuple(dict.fromkeys(line.source for line in shown)),
            holds_until=_next_end(every[name], at),
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
    calls = recorded.spans.tool_calls
    failed = any(one.status is CallStatus.ERROR or one.exit_code not in (None, 0) for one in calls)
    sizes = [sum(span.length for part in output_spans(one) for span in part) for one in calls]
    return failed or max(sizes, default=0) >= _LARGE_OUTPUT_BYTES


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


def _window(session_id: str, size: int, begins: int, transaction: Transaction) -> list[Turn]:
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
) -> dict[str, list[Line]]:
    session_id = turns[0].session_id
    goals, decisions, tasks, entities = (
        _active(name, most, transaction) for name, most in _CHOICE.items()
    )
    references = [one for one in entities if one.value.get("kind") in REFERENCE_KINDS]
    shown = [*goals, *decisions, *tasks, *references]
    near = {turn.id for turn in turns}
    sources = {one.source_turn_id for one in shown if one.source_turn_id is not None} - near
    own = near | transaction.remembering.of_session(sorted(sources), session_id)
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
    return dict(zip(SECTIONS, lines, strict=True))


def _active(type_name: str, most: int, transaction: Transaction) -> list[Memory]:
    found = transaction.remembering.newest(type_name, limit=most)
    return [memory for memory in found if memory.status is Status.ACTIVE]


def _owner(session_id: str) -> str:
    return f"session:{session_id}"


class Line(NamedTuple):
    """A line, its place among those that are shown, and the memory it tells of."""

    text: str
    place: tuple[int, str] = (0, "")
    source: str = ""


class Fitted(NamedTuple):
    """The lines of each section that are shown, in order, and how many of each are not."""

    sections: dict[str, tuple[Line, ...]]
    left_out: dict[str, int]


def one_line(text: str, longest: int = MAX_LINE - len(_BULLET)) -> str:
    """Return a text in one line; with its bullet it has at most `MAX_LINE` characters."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    end = longest - 1
    while inside_cluster(line, end):
        end -= 1
    return line[:end].rstrip() + "…"


def bullets(lines: Iterable[Line], left_out: int = 0) -> str:
    """Return lines as a list; the last one tells how many are left out, if any."""
    more = [f"{_BULLET}({left_out} more)"] if left_out else []
    return "\n".join([*(_BULLET + line.text for line in lines), *more])


def render(sections: Mapping[str, Sequence[Line]], left_out: Mapping[str, int]) -> str:
    """Return sections as text, each under its title; one without lines is left out."""
    return "\n".join(
        f"{title}:\n{bullets(lines, left_out.get(title, 0))}"
        for title, lines in sections.items()
        if lines
    )


def fit(sections: Mapping[str, Sequence[Line]], limit: int) -> Fitted:
    """Leave out lines until the text is within `limit` tokens.

    The share of a section is the limit divided by the number of sections that have lines: within
    it nothing is lost, and what one section does not need the others take. Lines come in the order
    in which they matter: the last one of the section that takes most goes first, and a single line
    over its share is cut. A section goes, the last one first, only where its share is next to
    nothing.
    """
    kept = {title: list(lines[:_MAX_LINES]) for title, lines in sections.items() if lines}
    costs = {title: [_cost(line) for line in lines] for title, lines in kept.items()}

    def left_out() -> dict[str, int]:
        return {title: len(sections[title]) - len(kept.get(title, ())) for title in sections}

    def taken(title: str) -> int:
        more = _COUNT_TOKENS if len(sections[title]) > len(kept[title]) else 0
        return sum(costs[title]) + estimate_tokens(f"{title}:\n", 1.0) + more

    # The sum is cheap and close; only when it fits is the text itself measured.
    while kept and (
        sum(map(taken, kept)) * MARGIN > limit or estimate_tokens(render(kept, left_out())) > limit
    ):
        dearest = max(reversed(kept), key=taken)
        room = int(limit / len(kept) / MARGIN) - (taken(dearest) - sum(costs[dearest]))
        if len(kept[dearest]) > 1:
            kept[dearest].pop()
            costs[dearest].pop()
        elif shorter := _shorten(kept[dearest][0], room):
            kept[dearest], costs[dearest] = [shorter], [_cost(shorter)]
        else:
            kept.popitem()
    shown = {
        title: tuple(sorted(lines, key=lambda line: line.place)) for title, lines in kept.items()
    }
    return Fitted(shown, left_out())


def _cost(line: Line) -> int:
    return estimate_tokens(f"{_BULLET}{line.text}\n", 1.0)


def _shorten(line: Line, room: int) -> Line | None:
    """Return a line cut to so many tokens, and cut in any case; None if nothing would be left."""
    while len(line.text) > _MIN_CUT_LINE:
        line = line._replace(text=one_line(line.text, len(line.text) * 3 // 4))
        if _cost(line) <= room:
            return line
    return None


def goal_lines(memories: Sequence[Memory], own: Collection[str] | None = None) -> list[Line]:
    """Return the goals that are pursued; those said in the turns of `own` come first, if given."""
    lines = []
    for goal in _own_first(memories, own or ()):
        if as_text(goal.value.get("status")).casefold() in ENDED:
            continue
        name = as_text(goal.value.get("name")).replace("_", " ")  # often a short form only
        told = _under_project(goal, as_text(goal.value.get("description")) or name)
        place = f"{_in_order(goal.said_at)} {goal.key}" if own is None else ""
        lines.append(Line(one_line(told), (0, place), goal.id))
    return lines


def decision_lines(memories: Sequence[Memory], own: Collection[str]) -> list[Line]:
    """Return decisions, each with its day, at least the one on which it was told."""
    lines = []
    for decision in _own_first(memories, own):
        made = as_text(decision.value.get("made_at"))[:10]
        day = made or decision.said_at.date().isoformat()
        text = _under_project(decision, pair(decision.value, "topic", "decision"))
        lines.append(Line(one_line(f"{day} {text}"), source=decision.id))
    return lines


def task_lines(memories: Sequence[Memory], own: Collection[str]) -> list[Line]:
    """Return open tasks, blocked ones first, then the last few that were done in `own`."""
    ordered = sorted(memories, key=lambda one: (one.source_turn_id not in own, _task_place(one)))
    still_open = [task for task in ordered if _status(task) != "done"]
    done = [task for task in ordered if _status(task) == "done" and task.source_turn_id in own]
    lines = []
    for task in [*still_open, *done[:_MAX_DONE]]:
        due = as_text(task.value.get("due"))
        mark = f"{_status(task)}, due {due}" if due else _status(task)
        told = one_line(f"[{mark}] {_under_project(task, as_text(task.value.get('title')))}")
        lines.append(Line(told, (_task_place(task), ""), task.id))
    return lines


def reference_lines(turns: Sequence[Turn], entities: Sequence[Memory]) -> list[Line]:
    """Return what turns and entities refer to, then how the turns' tool calls ended."""
    found: dict[str, Line] = {}
    for turn in reversed(turns):
        for ref in turn.refs:
            title = as_text(ref.ref_meta.get("title"))
            told = f"{ref.ref_type.value}: {ref.ref_uri}" + (f" — {title}" if title else "")
            found.setdefault(ref.ref_uri, Line(one_line(told)))
    for entity in entities:
        name = as_text(entity.value.get("canonical"))
        told = labelled(as_text(entity.value.get("kind")), name)
        found.setdefault(name, Line(one_line(told), source=entity.id))
    calls: Counter[str] = Counter()
    for call in (call for turn in reversed(turns) for call in reversed(turn.tool_calls)):
        how = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
        calls[f"tool: {' '.join(call.name.split())} — {how}"] += 1
    ended = [text if times == 1 else f"{text} ×{times}" for text, times in calls.items()]
    return [*found.values(), *(Line(one_line(text)) for text in ended)]


def question_lines(asked: Iterable[str], tasks: Sequence[Memory]) -> list[Line]:
    """Return the questions that nobody answered, newest first, and why tasks are blocked.

    Questions are asked for only until there are enough.
    """
    lines = [Line(text) for text in dict.fromkeys(map(one_line, islice(asked, _MAX_LINES)))]
    for task in tasks:
        reason = _block_reason(task) if _status(task) == "blocked" else ""
        lines += [Line(one_line(f"blocked: {reason}"), source=task.id)] if reason else []
    return lines


def _block_reason(task: Memory) -> str:
    """Return why a task is blocked: its last note, or what was said if that tells why."""
    title = as_text(task.value.get("title"))
    notes = [as_text(note) for note in task.value.get("notes") or ()]
    told = notes[-1] if notes else task.text if _GIVES_REASON.search(task.text) else ""
    return labelled(title, told) if told and title not in told else told


def profile_lines(memories: Sequence[Memory], told_at: Mapping[str, datetime]) -> list[Line]:
    """Return who people are, a line a fact; the user's own facts matter most.

    Their place is by when they were told: a new one comes last, and none before it moves (R22).
    """
    lines = []
    for memory in sorted(memories, key=lambda one: one.value.get("subject") != "user"):
        subject = as_text(memory.value.get("subject"))
        for fact in memory.value.get("facts", ()):
            told = labelled(as_text(fact.get("k")), as_text(fact.get("v")))
            times = [_in_order(told_at[one]) for one in _claims_of(fact) if one in told_at]
            line = one_line(f"{subject} — {told}")
            lines.append(Line(line, (0, min(times, default="")), memory.id))
    return lines


def _claims_of(fact: Mapping[str, Any]) -> Sequence[str]:
    return fact.get("claims") or ()


def preference_lines(memories: Sequence[Memory]) -> list[Line]:
    """Return preferences in the words they were given in; standing instructions matter most.

    Their place is by when they were told: a new one comes last, and none before it moves (R22).
    """
    lines = []
    for one in memories:
        stands = "declared" in one.tags or instructs(one.text)
        place = f"{_in_order(one.said_at)} {int(not stands)} {one.key}"
        lines.append((not stands, Line(one_line(one.text or one.title), (0, place), one.id)))
    return [line for _, line in sorted(lines, key=lambda ranked: ranked[0])]


def _in_order(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _own_first(memories: Sequence[Memory], own: Collection[str]) -> list[Memory]:
    return sorted(memories, key=lambda one: one.source_turn_id not in own)


def _under_project(memory: Memory, text: str) -> str:
    """Return a text with the project it belongs to, if it names one."""
    project = as_text(memory.value.get("project"))
    named = project if project != GENERAL else ""
    return " — ".join(filter(None, (named, text or memory.title)))


def _status(task: Memory) -> str:
    return as_text(task.value.get("status")) or "todo"


def _task_place(task: Memory) -> int:
    return _STATUSES.get(_status(task), _STATUSES["todo"])


def told_lines(
    turns: Iterable[Turn], carried: Sequence[str], shown: Iterable[str], most: int
) -> list[str]:
    """Return a few sentences that tell what was talked about, in the order they were said.

    What comes up in several turns weighs more, what comes up in nearly all of them nothing.
    `carried` are the lines of the summary before, `shown` what this one says anyhow.
    """
    lines = {line: line.partition(": ")[2] for line in carried}
    spoken = [dict(line for one in turn.messages for line in _sentences_of(one)) for turn in turns]
    counts: Counter[str] = Counter()
    for said in (lines, *spoken):
        counts.update({term for sentence in said.values() for term in index_terms(sentence)})
        lines = {**lines, **said}
    usual = max(2, int((len(carried) + len(spoken)) * _USUAL_SHARE))
    said_anyhow = {term for line in shown for term in index_terms(line)}
    worth = {
        term: min(2, held)
        for term, held in counts.items()
        if held <= usual and term not in said_anyhow
    }
    scores = {}
    for line, sentence in lines.items():
        terms = frozenset(index_terms(sentence))
        new = sorted(terms & worth.keys())
        if max(2, len(terms) / 2) <= len(new):  # a long sentence has more, and is not better
            exact = 1.5 if is_exact(sentence) else 1.0
            scores[line] = exact * sum(map(worth.__getitem__, new)) / sqrt(len(terms))
    chosen = sorted(scores, key=lambda line: -scores[line])[:most]
    return [line for line in scores if line in chosen]


def _sentences_of(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a message that tell something: no questions, code or quotations."""
    speaker = message.name or message.role.value
    text = said_only(message.content[:_MAX_MESSAGE])
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        if len(sentence) <= _MAX_SENTENCE and not asks(sentence):
            yield one_line(f"{speaker}: {sentence}"), sentence


_NO_ANSWER: Final = pattern(
    r"\b(?:i (?:still |really |honestly )?(?:don[’']?t|do not|can(?:[’']?t|not)|am not able to"
    r"|couldn[’']?t) (?:yet )?(?:know|tell|say|answer)"
    r"|(?:not|isn[’']?t) (?:yet )?(?:sure|clear|known)(?: yet)?\b"
    r"|(?:don[’']?t|do not) have (?:enough|that|this|any) (?:information|data|context|details?)"
    r"|(?:i[’']?ll|i will|let me) (?:check|look|find out|get back|investigate))"
    r"|(?:还|暂时|目前|暂)(?:不知道|不清楚|不确定|不好说|无法|没法|不能|没有(?:答案|结论))"
    r"|我(?:也)?(?:不知道|不清楚|不确定)|没有足够|信息不足|稍后(?:再|给|回)|(?:我|先)(?:去)?(?:查|看|确认)一下",
    re.IGNORECASE,
)
_ANSWER_START: Final = 200  # characters in which a reply says that it is none
_READ: Final = 1_500  # characters at each end of a message that are read
# What asks in a Chinese question, and what any sentence may have: neither stands in the answer.
_ASKING_ZH: Final = pattern(
    r"什么时候|(?:为)?什么|多[少久大长]|哪[一个里儿些天位种家年月]*|谁|几[个点号月天次台]?|何时"
    r"|请问|那么|到底|究竟|[现在呢吗啊呀吧的了]"
)
_ANSWERING_SHARE: Final = 2 / 3  # of the words of a question, which stand in its answer


def open_questions(latest: Iterable[Turn], carried: Sequence[str] = ()) -> Iterator[str]:
    """Yield what the user asked and nobody answered, newest first.

    Turns come the last one first, and are read on only while questions are asked for; `carried` are
    questions that were open before them, of which long ones are cut.
    """
    asked: list[str] = []  # after a question, by the user
    told: list[str] = []
    following = ""
    for turn in latest:
        # The reply is a later message of the same turn, or of the next one before the user speaks
        # again: some callers commit what user and assistant say as turns of their own.
        reply = following
        for message in reversed(turn.messages):
            content = message.content
            if len(content) > 2 * _READ:
                content = f"{content[:_READ]}\n{content[-_READ:]}"
            if message.role is Role.USER:
                if not reply.strip() or _NO_ANSWER.search(reply[:_ANSWER_START]):
                    for question in asked_in(message.content):
                        if not _is_settled(question, asked, told):
                            yield question
                asked += (" ".join(one.split()) for one in asked_in(content))
                following = ""
            elif message.role is Role.ASSISTANT:
                reply = reply or content
                following = following or content
            told += [content[start:end] for start, end in sentence_spans(content)]
    for question in carried:
        if not _is_settled(question, asked, told):
            yield question


def _is_settled(question: str, asked: Iterable[str], told: Iterable[str]) -> bool:
    """Tell whether a question was asked again later, or is answered by what was said later."""
    start = " ".join(question.split()).removesuffix("…")  # of a long one only that is known
    again = re.compile(r"(?<![0-9A-Za-z])" + re.escape(start))
    if any(map(again.search, asked)):
        return True
    words = _words_in(_ASKING_ZH.sub(" ", question))
    least = max(2, len(words) * _ANSWERING_SHARE)  # a single word tells nothing
    stated = (one for one in told if not asks(one) and not _NO_ANSWER.search(one))
    return any(len(words & _words_in(one)) >= least for one in stated)


def _words_in(text: str) -> frozenset[str]:
    stems = (term for term in cut_text(text).terms if term.isascii())
    return frozenset((*stems, *filter(is_han, text)))
