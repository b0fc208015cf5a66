"""What a turn does to what is governed: notes, quick commands, expiry, compaction (R19, W4).

In: a step that was just recorded, inside its transaction. Out: what became of each command in it.
Everything follows from the step, so running the step again makes the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from smartbrain.domain.memory import Memory
from smartbrain.domain.result import ArtifactSummary, Retention, RetentionAction
from smartbrain.domain.turn import DOCUMENT, Message, Role, Turn
from smartbrain.errors import Conflict, NotFound, UsageError
from smartbrain.govern.compaction import count_step
from smartbrain.govern.notebook import append_notes, notes_of_calls
from smartbrain.govern.pins import settle_pins
from smartbrain.govern.quick_commands import Command, find_commands, without_commands
from smartbrain.govern.trail import SYSTEM, Act
from smartbrain.govern.verbs import VERBS

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.truth import Transaction

_PAST: Final = timedelta(days=1)
COMMAND: Final = "command"
"""What a commit calls a quick command where it tells what became of each candidate."""


@dataclass(frozen=True, slots=True)
class Happened:
    """A step as it matters here: its place, its finished tool runs, the memories it changed.

    `begun` says that it begins a session; `ended` that no tool call of its turn is open and the
    assistant has spoken last, asking for no more of them.
    """

    step: Turn
    place: int
    finished: Sequence[ArtifactSummary]
    changed: Iterable[Memory]
    begun: bool
    ended: bool


def keep_state(happened: Happened, *, rows: Transaction, rules: Rules) -> tuple[Retention, ...]:
    """Let a step change what is governed, and say what became of each command in it."""
    step = happened.step
    now, session = step.created_at, step.session_id
    if is_history(step):
        return ()
    settle_pins(now, session, rows=rows, rules=rules, begun=happened.begun)
    if happened.finished and rules.notebook.auto:
        act = Act(now, SYSTEM, "notebook.call", "a tool run ended")
        notes = notes_of_calls(happened.finished, act)
        append_notes(session, notes, act, rows=rows, rules=rules.notebook)
    reasons = _commanded(step, rows=rows, rules=rules) if rules.commands.enabled else ()
    count_step(step, happened.place, happened.changed, ended=happened.ended, rows=rows, rules=rules)
    return reasons


def is_history(step: Turn) -> bool:
    """Tell whether a step is of the past, such as an imported one: nobody works on it now."""
    return step.created_at - step.at > _PAST


def spoken(step: Turn, *, rules: Rules) -> Turn:
    """Return a step without its commands: they are carried out, not remembered."""
    if not rules.commands.enabled or is_history(step):
        return step
    messages = [_without_commands(one) if _may_command(one) else one for one in step.messages]
    same = all(one is said for one, said in zip(messages, step.messages, strict=True))
    return step if same else replace(step, messages=tuple(messages))


def _without_commands(message: Message) -> Message:
    """Return a message without its commands: itself, as most have none."""
    text = without_commands(message.content)
    return message if text is message.content else replace(message, content=text)


def _may_command(message: Message) -> bool:
    return message.role is Role.USER and not message.meta.get(DOCUMENT)


def _commanded(step: Turn, *, rows: Transaction, rules: Rules) -> tuple[Retention, ...]:
    """Carry out the commands of a step."""
    return tuple(
        _carried_out(command, step, rows=rows, rules=rules)
        for message in step.messages
        if _may_command(message)
        for command in find_commands(message.content, session_id=step.session_id, turn_id=step.id)
    )


def _carried_out(command: Command, step: Turn, *, rows: Transaction, rules: Rules) -> Retention:
    """Carry out one command; a refusal is told, and the turn is kept all the same."""
    if command.verb is None:
        return _told(command, RetentionAction.REFUSED, "command_unclear", command.problem)
    act = Act(step.created_at, "user", command.verb, f"quick command in turn {step.id}")
    try:
        done = VERBS[command.verb](command.given, rows, act, rules)
    except (UsageError, NotFound, Conflict) as error:
        return _told(command, RetentionAction.REFUSED, error.code, error.message)
    entries = done if isinstance(done, list) else [done]
    ids = ", ".join(one.id for one in entries)
    return _told(command, RetentionAction.WRITTEN, "command_done", f"done: {ids}")


def _told(command: Command, action: RetentionAction, code: str, reason: str) -> Retention:
    """Say what became of a command, which is named by the call it stands for."""
    return Retention(
        type=COMMAND,
        key=command.verb or "",
        action=action,
        code=code,
        reason=f"{command.line:.60}: {reason}",
    )
