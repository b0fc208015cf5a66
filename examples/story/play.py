"""Putting the story into a brain, day by day, on a clock of its own.

In: a brain and the days. Out: what each turn left in memory, how large each step of a tool loop
was, and short names for ids, so that two runs read the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from random import Random

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.result import Retention, RetentionAction
from story.script import Day, Turn

QUIET = ("episodes", "entities", "statements")
"""What every turn leaves: its episode, who is named in it, what it states."""


class StoryClock:
    """The time of the story, which stands still until it is told to go on."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the present of the story."""
        return self._now

    def morning(self, day: date) -> None:
        """Begin a day at nine."""
        self._now = datetime.combine(day, time(9), UTC)

    def later(self) -> None:
        """Let twenty minutes pass."""
        self._now += timedelta(minutes=20)


def open_brain(folder: str, clock: StoryClock) -> SmartBrain:
    """Open a brain whose time and ids are those of the story, so that every run reads the same."""
    return SmartBrain(Root(folder, clock=clock, entropy=Random(8).randbytes), "default", owner=True)


@dataclass(frozen=True)
class Step:
    """One step of a tool loop: what had been printed by then, and what the next call was given."""

    tool: str
    printed: int
    tokens: int


@dataclass(frozen=True)
class Told:
    """A turn of a day, and what it changed in memory."""

    day: Day
    turn: Turn
    became: tuple[str, ...]


@dataclass
class Played:
    """What came of the story."""

    told: list[Told] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def named(self, text: str) -> str:
        """Return a text with short names in place of ids."""
        for name, short in self.names.items():
            text = text.replace(name, short)
        return text


def play_day(brain: SmartBrain, clock: StoryClock, day: Day, played: Played) -> None:
    """Put one day into a brain: what was said, which tools ran, what is kept in order."""
    turn_id = ""
    clock.morning(day.date)
    for turn in day.turns:
        clock.later()
        turn_id = _play_turn(brain, day, turn, played)
    for kind, title, summary in day.pins:
        brain.pins.add(kind, title, summary, f"chat:{turn_id}", ttl="30d")
    for step in day.plan:
        brain.plan.add(day.session, step)
    for number in day.checked:
        brain.plan.check(day.session, number)
    for note in day.notes:
        brain.notebook.add(day.session, note, milestone=True)


def name_memories(brain: SmartBrain, played: Played) -> None:
    """Let memories go by their keys."""
    for memory in brain.memories.list(status=None, limit=1000):
        played.names[memory.id] = memory.key


def _play_turn(brain: SmartBrain, day: Day, turn: Turn, played: Played) -> str:
    """Commit a turn, step by step where tools run, and note what was learned."""
    user = {"role": "user", "content": turn.said}
    answer = {"role": "assistant", "content": turn.answer}
    result = brain.commit_turn(day.session, [user] if turn.steps else [user, answer])
    turn_id = result.turn_id
    played.names[turn_id] = f"{day.session}-{len(played.told) + 1}"
    became = [_became(one) for one in result.explain.retention if one.type not in QUIET]
    printed = 0
    for call in turn.steps:
        run = brain.commit_turn(day.session, {"tool_calls": [call]}, turn_id=turn_id)
        (artifact,) = run.artifacts
        played.names[artifact.id] = f"{artifact.tool_name}-{len(played.steps) + 1}"
        context = brain.compose_context(day.session, turn_id=turn_id, recipe="tool_loop")
        printed += artifact.bytes
        tokens = context.constraints.token_budget.used_estimate
        played.steps.append(Step(artifact.tool_name, printed, tokens))
    if turn.steps:
        brain.commit_turn(day.session, [answer], turn_id=turn_id)
    played.told.append(Told(day, turn, tuple(became)))
    return turn_id


def _became(one: Retention) -> str:
    """Return what became of a candidate in two words."""
    verb = "learned" if one.code == "new" else "changed"
    if one.action is not RetentionAction.WRITTEN:
        verb = one.action.value
    return f"{verb} {one.type.removesuffix('s')}"
