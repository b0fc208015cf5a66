"""The lines that summaries and core blocks are made of, and how they fit into a budget (C8, R16).

In: memories, turns with the texts of their messages, a number of tokens. Out: lines of at most 160
characters in their memories' own language, by sections, and how many were left out. What tools
printed never gets here: of a tool call its name and how it ended.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import sqrt
from typing import Final, NamedTuple

from smartbrain.domain.builtin_types import ENDED
from smartbrain.domain.keys import GENERAL
from smartbrain.domain.memory import Memory
from smartbrain.domain.memory_type import as_text, labelled, pair
from smartbrain.domain.turn import Message, Role, ToolCall, Turn
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import inside_cluster, said_only, sentence_spans
from smartbrain.text.telling import asks, instructs, is_exact
from smartbrain.text.tokenise import index_terms
from smartbrain.text.tokens import MARGIN, estimate_tokens

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
_FADES: Final = 4  # by how much less a term counts in the next sentence that has it


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


def fit(
    sections: Mapping[str, Sequence[Line]], limit: int, beyond: Mapping[str, int] | None = None
) -> Fitted:
    """Leave out lines until the text is within `limit` tokens.

    The share of a section is the limit divided by the number of sections that have lines: within
    it nothing is lost, and what one section does not need the others take. Lines come in the order
    in which they matter: the last one of the section that takes most goes first, and a single line
    over its share is cut. A section goes, the last one first, only where its share is next to
    nothing. `beyond` is how many more lines a section would have than were given.
    """
    kept = {title: list(lines[:_MAX_LINES]) for title, lines in sections.items() if lines}
    wanted = {title: len(sections[title]) + (beyond or {}).get(title, 0) for title in sections}
    costs = {title: [_cost(line) for line in lines] for title, lines in kept.items()}
    titles = {title: estimate_tokens(f"{title}:\n", 1.0) for title in kept}

    def taken(title: str) -> int:
        more = _COUNT_TOKENS if wanted[title] > len(kept[title]) else 0
        return sum(costs[title]) + titles[title] + more

    def left_out() -> dict[str, int]:
        return {title: wanted[title] - len(kept.get(title, ())) for title in wanted}

    # The sum is cheap and close; only when it fits is the text itself measured.
    while kept and (
        sum(map(taken, kept)) * MARGIN > limit or estimate_tokens(render(kept, left_out())) > limit
    ):
        dearest = max(reversed(kept), key=taken)
        room = int(limit / len(kept) / MARGIN) - titles[dearest] - _COUNT_TOKENS
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
    """Return the tokens of a line without their margin."""
    return estimate_tokens(f"{_BULLET}{line.text}\n", 1.0)


def _shorten(line: Line, room: int) -> Line | None:
    """Return a line cut to so many tokens, and cut in any case; None if nothing would be left."""
    while len(line.text) > _MIN_CUT_LINE:
        line = line._replace(text=one_line(line.text, len(line.text) * 3 // 4))
        if _cost(line) <= room:
            return line
    return None


def goal_lines(memories: Sequence[Memory], own: Collection[str] = ()) -> list[Line]:
    """Return the goals that are pursued; those said in the turns of `own` come first."""
    return [
        Line(one_line(_under_project(goal, _goal_text(goal))), source=goal.id)
        for goal in _own_first(memories, own)
        if as_text(goal.value.get("status")).casefold() not in ENDED
    ]


def _goal_text(goal: Memory) -> str:
    """Return what a goal is; its name is often only a short form of it."""
    name = as_text(goal.value.get("name")).replace("_", " ")
    return as_text(goal.value.get("description")) or name


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
    calls = Counter(_ended(call) for turn in reversed(turns) for call in reversed(turn.tool_calls))
    ended = [text if times == 1 else f"{text} ×{times}" for text, times in calls.items()]
    return [*found.values(), *(Line(one_line(text)) for text in ended)]


def _ended(call: ToolCall) -> str:
    """Tell in a line how a call ended, and nothing of what it printed."""
    ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
    return f"tool: {' '.join(call.name.split())} — {ended}"


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
    lines = []
    for one in memories:
        stands = "declared" in one.tags or instructs(one.text)
        lines.append(Line(one_line(one.text or one.title), (int(not stands), one.key), one.id))
    return sorted(lines, key=lambda line: line.place[0])


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


class _Sentence(NamedTuple):
    """A sentence as it is shown, what it is about, and what each of its terms counts."""

    line: str
    terms: frozenset[str]
    counts: float


def told_lines(
    turns: Iterable[Turn], carried: Sequence[str], shown: Iterable[str], most: int
) -> list[str]:
    """Return a few sentences that tell what was talked about, in the order they were said.

    They are chosen by how much they tell that the others do not: what comes up in several turns
    weighs more, what comes up in nearly all of them nothing.
    `carried` are the lines of the summary before, `shown` what this one says anyhow.
    """
    sentences = [_weigh(line, *line.partition(": ")[::2]) for line in carried]
    turns_with: Counter[str] = Counter(term for one in sentences for term in one.terms)
    size = len(sentences)
    for turn in turns:
        size += 1
        said = [one for message in turn.messages for one in _sentences_of(message)]
        turns_with.update({term for one in said for term in one.terms})
        sentences += said
    said_anyhow = {term for line in shown for term in index_terms(line)}
    usual = max(2, int(size * _USUAL_SHARE))
    worth = {
        term: 2.0 if held > 1 else 1.0
        for term, held in turns_with.items()
        if held <= usual and term not in said_anyhow
    }
    telling = {one.line: one for one in sentences if _tells(one.terms, worth)}
    chosen: set[str] = set()
    while telling.keys() - chosen and len(chosen) < most:
        # The first of equals, as they stand in their order.
        best = max(
            (one for line, one in telling.items() if line not in chosen),
            key=lambda one: one.counts * sum(worth.get(term, 0.0) for term in sorted(one.terms)),
        )
        chosen.add(best.line)
        for term in best.terms & worth.keys():
            worth[term] /= _FADES
    return [line for line in telling if line in chosen]


def _tells(terms: frozenset[str], worth: Mapping[str, float]) -> bool:
    """Tell whether a sentence says something that is not said anyhow."""
    new = len(terms & worth.keys())
    return new > 1 and 2 * new >= len(terms)


def _sentences_of(message: Message) -> Iterator[_Sentence]:
    """Yield the sentences of a message that tell something: no questions, code or quotations."""
    speaker = message.name or message.role.value
    text = said_only(message.content[:_MAX_MESSAGE])
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        if len(sentence) <= _MAX_SENTENCE and not asks(sentence):
            yield _weigh(one_line(f"{speaker}: {sentence}"), message.role.value, sentence)


def _weigh(line: str, speaker: str, sentence: str) -> _Sentence:
    terms = frozenset(index_terms(sentence))
    exact = 1.5 if is_exact(sentence) else 1.0
    replies = 0.5 if speaker == Role.ASSISTANT else 1.0
    return _Sentence(line, terms, exact * replies / sqrt(len(terms) or 1))  # a long one has more
