"""The lines that summaries and core blocks are made of, and how they fit into a budget (C8, R16).

In: memories, turns with the texts of their messages, a number of tokens. Out: lines of at most 160
characters in their memories' own language, by sections, and how many were left out. What tools
printed never gets here: of a tool call its name and how it ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from smartbrain.domain.builtin_types import ENDED
from smartbrain.domain.memory import Memory
from smartbrain.domain.phrases import as_text, labelled, pair
from smartbrain.domain.turn import Message, Role, ToolCall, Turn
from smartbrain.remember.extract.said import asked_in
from smartbrain.remember.extract.wording import GENERAL
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.split import inside_cluster
from smartbrain.text.telling import instructs
from smartbrain.text.tokens import MARGIN, estimate_tokens

LONGEST_LINE: Final = 160
REFERENCE_KINDS: Final = frozenset({"url", "file", "repo"})
"""The kinds of entities that are references."""

_BULLET: Final = "- "
_MOST_LINES: Final = 40  # of one section, before anything is measured
_MOST_DONE: Final = 3
_I: Final = 0x02  # re.IGNORECASE
_STATUSES: Final = {"blocked": 0, "doing": 1, "todo": 2, "done": 3}
_NO_ANSWER: Final = sign(
    r"\b(?:i (?:still |really |honestly )?(?:don[’']?t|do not|can(?:[’']?t|not)|am not able to"
    r"|couldn[’']?t) (?:yet )?(?:know|tell|say|answer)"
    r"|(?:not|isn[’']?t) (?:yet )?(?:sure|clear|known)(?: yet)?\b"
    r"|(?:don[’']?t|do not) have (?:enough|that|this|any) (?:information|data|context|details?)"
    r"|(?:i[’']?ll|i will|let me) (?:check|look|find out|get back|investigate))"
    r"|(?:还|暂时|目前|暂)(?:不知道|不清楚|不确定|不好说|无法|没法|不能|没有(?:答案|结论))"
    r"|我(?:也)?(?:不知道|不清楚|不确定)|没有足够|信息不足|稍后(?:再|给|回)|(?:我|先)(?:去)?(?:查|看|确认)一下",
    _I,
)
_ANSWER_START: Final = 200  # characters in which a reply says that it is none
_WHY: Final = pattern(
    r"\b(?:because|until|waiting|due to|missing|lacks?|needs?|by)\b"
    r"|因为|由于|等|缺|没|需要|无法|拿不到|才能",
    _I,
)


class Line(NamedTuple):
    """A line, its place among those that are shown, and the memory it tells of."""

    text: str
    place: tuple[int, str] = (0, "")
    source: str = ""


class Fitted(NamedTuple):
    """The lines of each section that are shown, in order, and how many are not."""

    sections: dict[str, tuple[Line, ...]]
    left_out: int


def one_line(text: str) -> str:
    """Return a text in one line; with its bullet it has at most `LONGEST_LINE` characters."""
    line = " ".join(text.split())
    end = LONGEST_LINE - len(_BULLET)
    if len(line) <= end:
        return line
    end -= 1
    while inside_cluster(line, end):
        end -= 1
    return line[:end].rstrip() + "…"


def listed(lines: Iterable[Line]) -> str:
    """Return lines as a list, a bullet each."""
    return "\n".join(_BULLET + line.text for line in lines)


def rendered(sections: Mapping[str, Sequence[Line]]) -> str:
    """Return sections as text, each under its title; one without lines is left out."""
    return "\n".join(f"{title}:\n{listed(lines)}" for title, lines in sections.items() if lines)


def fit(sections: Mapping[str, Sequence[Line]], limit: int) -> Fitted:
    """Leave out lines until the text is within `limit` tokens.

    Lines come in the order in which they matter: the last one of the longest section goes first.
    """
    kept = {title: list(lines[:_MOST_LINES]) for title, lines in sections.items() if lines}
    costs = {
        title: [estimate_tokens(f"{_BULLET}{line.text}\n", 1.0) for line in lines]
        for title, lines in kept.items()
    }
    titles = {title: estimate_tokens(f"{title}:\n", 1.0) for title in kept}
    total = sum(map(sum, costs.values())) + sum(titles.values())
    # The sum is cheap and close; only when it fits is the text itself measured.
    while kept and (total * MARGIN > limit or estimate_tokens(rendered(kept)) > limit):
        longest = max(reversed(kept), key=lambda title: len(kept[title]))
        kept[longest].pop()
        total -= costs[longest].pop()
        if not kept[longest]:
            total -= titles[longest]
            del kept[longest]
    shown = {
        title: tuple(sorted(lines, key=lambda line: line.place)) for title, lines in kept.items()
    }
    return Fitted(shown, sum(map(len, sections.values())) - sum(map(len, shown.values())))


def goal_lines(memories: Sequence[Memory], own: Collection[str] = ()) -> list[Line]:
    """Return the goals that are pursued; those said in the turns of `own` come first."""
    return [
        Line(one_line(_under(goal, _goal(goal))), source=goal.id)
        for goal in _own_first(memories, own)
        if as_text(goal.value.get("status")).casefold() not in ENDED
    ]


def decision_lines(memories: Sequence[Memory], own: Collection[str]) -> list[Line]:
    """Return decisions, each with its day."""
    return [
        Line(
            one_line(
                f"{_day(decision)} {_under(decision, pair(decision.value, 'topic', 'decision'))}"
            ),
            source=decision.id,
        )
        for decision in _own_first(memories, own)
    ]


def task_lines(memories: Sequence[Memory], own: Collection[str]) -> list[Line]:
    """Return open tasks, blocked ones first, then the last few that were done in `own`."""
    ordered = sorted(memories, key=lambda one: (one.source_turn_id not in own, _place(one)))
    still_open = [task for task in ordered if _status(task) != "done"]
    done = [task for task in ordered if _status(task) == "done" and task.source_turn_id in own]
    lines = []
    for task in [*still_open, *done[:_MOST_DONE]]:
        due = as_text(task.value.get("due"))
        mark = f"{_status(task)}, due {due}" if due else _status(task)
        told = one_line(f"[{mark}] {_under(task, as_text(task.value.get('title')))}")
        lines.append(Line(told, (_place(task), ""), task.id))
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
    calls = Counter(_ended(call) for turn in reversed(turns) for call in reversed(turn.tool_calls))
    ended = [text if times == 1 else f"{text} ×{times}" for text, times in calls.items()]
    return [*found.values(), *(Line(one_line(text)) for text in ended)]


def question_lines(latest: Iterable[Turn], tasks: Sequence[Memory]) -> list[Line]:
    """Return what the user asked and nobody answered, newest first, and why tasks are blocked.

    Turns come latest first, and are asked for only until there are questions enough.
    """
    asked = dict.fromkeys(one_line(text) for text in islice(_unanswered(latest), _MOST_LINES))
    blocked = [
        Line(one_line(f"blocked: {reason}"), source=task.id)
        for task in tasks
        if _status(task) == "blocked" and (reason := _reason(task))
    ]
    return [*(Line(text) for text in asked), *blocked]


def profile_lines(memories: Sequence[Memory]) -> list[Line]:
    """Return who people are, a line a fact, the user first."""
    lines = []
    for memory in sorted(memories, key=lambda one: one.value.get("subject") != "user"):
        subject = as_text(memory.value.get("subject"))
        place = (int(subject != "user"), memory.key)
        for fact in memory.value.get("facts", ()):
            told = labelled(as_text(fact.get("k")), as_text(fact.get("v")))
            lines.append(Line(one_line(f"{subject} — {told}"), place, memory.id))
    return lines


def preference_lines(memories: Sequence[Memory]) -> list[Line]:
    """Return preferences in the words they were given in, standing instructions first.

    Their place is by key, so that a new one moves none of the others.
    """
    lines = [
        Line(one_line(one.text or one.title), (int(not _instructs(one)), one.key), one.id)
        for one in memories
    ]
    return sorted(lines, key=lambda line: line.place[0])


def _own_first(memories: Sequence[Memory], own: Collection[str]) -> list[Memory]:
    """Return memories in their order, those that were said in these turns before the others."""
    return sorted(memories, key=lambda one: one.source_turn_id not in own)


def _under(memory: Memory, text: str) -> str:
    """Return a text with the project it belongs to, if it names one."""
    project = as_text(memory.value.get("project"))
    named = project if project != GENERAL else ""
    return " — ".join(filter(None, (named, text or memory.title)))


def _goal(goal: Memory) -> str:
    """Return what a goal is; its name is often only a short form of it."""
    name = as_text(goal.value.get("name")).replace("_", " ")
    return as_text(goal.value.get("description")) or name


def _day(decision: Memory) -> str:
    """Return the day of a decision, at least the one on which it was told."""
    made = as_text(decision.value.get("made_at"))
    return made[:10] or decision.said_at.date().isoformat()


def _status(task: Memory) -> str:
    return as_text(task.value.get("status")) or "todo"


def _place(task: Memory) -> int:
    """Return where a task stands among others, by how far it is."""
    return _STATUSES.get(_status(task), _STATUSES["todo"])


def _reason(task: Memory) -> str:
    """Return why a task is blocked: its last note, or what was said if that tells why."""
    title = as_text(task.value.get("title"))
    notes = [as_text(note) for note in task.value.get("notes") or ()]
    told = notes[-1] if notes else task.text if _WHY.search(task.text) else ""
    return labelled(title, told) if told and title not in told else told


def _ended(call: ToolCall) -> str:
    """Tell in a line how a call ended, and nothing of what it printed."""
    ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
    return f"tool: {' '.join(call.name.split())} — {ended}"


def _unanswered(latest: Iterable[Turn]) -> Iterator[str]:
    """Yield the questions that wait for an answer, of the latest message first."""
    for message, reply in _replied(latest):
        if not reply.strip() or _NO_ANSWER.search(reply[:_ANSWER_START]):
            yield from asked_in(message.content)


def _replied(latest: Iterable[Turn]) -> Iterator[tuple[Message, str]]:
    """Yield the user's messages, latest first, with the last reply to each.

    It is a later message of the same turn, or of the next one before the user speaks again: some
    callers commit what the user says and what the assistant says as turns of their own.
    """
    following = ""
    for turn in latest:
        reply = following
        for message in reversed(turn.messages):
            if message.role is Role.USER:
                yield message, reply
                following = ""
            elif message.role is Role.ASSISTANT:
                reply = reply or message.content
                following = following or message.content


def _instructs(preference: Memory) -> bool:
    """Tell whether a preference is an instruction that stands, and not only a taste."""
    return "declared" in preference.tags or instructs(preference.text)
