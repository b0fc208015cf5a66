"""Every call that changes what is governed, and what a turn does to it by itself (R19, W4).

In: a name and plain input, or a step that was just recorded; lines of a user's message such as
`!pin …` or `!待办 完成 2` are read as calls. Out: what the call answers. The input is stored as an
event first, so running all events again makes the same; a refusal leaves nothing behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.memory import Memory
from smartbrain.domain.result import ArtifactSummary, Retention, RetentionAction
from smartbrain.domain.turn import DOCUMENT, Message, Role, Turn
from smartbrain.domain.working import PinType
from smartbrain.errors import Conflict, NotFound, UsageError
from smartbrain.govern.fastmemo import FASTMEMO, add_bullet, compact_memo, count_step, replace_memo
from smartbrain.govern.pins import (
    NOTEBOOK,
    PINS,
    PLAN,
    accept_pins,
    add_note,
    add_pin,
    add_step,
    append_notes,
    check_step,
    compact_notes,
    notes_of_calls,
    remove_pins,
    remove_steps,
    renew_pins,
    roll_back_pins,
    settle_pins,
    split_ids,
    update_pin,
)
from smartbrain.govern.run_row import add_event
from smartbrain.govern.state_file import load_state
from smartbrain.govern.trail import SYSTEM, Act, Place, read_change, roll_back
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import FENCE
from smartbrain.text.word_list import stored_meanings

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction


_NAMES: Final = stored_meanings(__file__, "_NAMES")
_ACTIONS: Final = stored_meanings(__file__, "_ACTIONS")
_TYPES: Final = stored_meanings(__file__, "_TYPES")
_CALLED: Final = rf"[!！]({'|'.join(sorted(_NAMES, key=len, reverse=True))})(?![\w-])"
_COMMAND: Final = pattern(
    rf"^[ \t\u3000]*{_CALLED}[ \t\u3000:：]*([^\r\n]*)", re.MULTILINE | re.IGNORECASE
)
_SOMEWHERE: Final = pattern(_CALLED, re.IGNORECASE)  # much faster where there is none
_ACTION: Final = pattern(
    rf"({'|'.join(_ACTIONS)})(?:(?<=[\u4e00-\u9fff])|(?![\w-]))[\s:：]*(.*)", re.IGNORECASE
)
_NOT_BLANK: Final = pattern(r"\S")
_TYPED: Final = pattern(rf"({'|'.join(_TYPES)})[:：]\s*+(.+)")
_MUST: Final = pattern(
    r"(?i)\b(?:must|never|always|don't|do not|only)\b|必须|不要|不能|不得|禁止|务必|一律"
)
_PATH: Final = pattern(r"(?:~|\.{0,2})?/[^\s/]+(?:/[^\s/]*)*|[A-Za-z]:\\\S+")
_SHELL: Final = pattern(r"[`$].+")
_LONGEST_TITLE: Final = 40
_USAGE: Final = "write !todo add <text>, !todo done <id> or !todo remove <ids>"


class Command(NamedTuple):
    """A line that is a command: the call it stands for, or why it stands for none."""

    line: str
    verb: str | None = None
    given: Mapping[str, Any] = {}
    problem: str = ""


def find_commands(text: str, *, session_id: str, turn_id: str) -> list[Command]:
    """Return the commands of a message in order; `turn_id` becomes the source of what is pinned."""
    commands: list[Command] = []
    for found in _lines(text):
        name, rest = _NAMES[found[1].casefold()], found[2].strip()
        line = found.group().strip()
        if name == "todo":
            commands += _todo(line, rest, {"session": session_id})
        else:
            commands.append(_command(line, name, rest, session_id, turn_id))
    return commands


def without_commands(text: str) -> str:
    """Return a text of the same length with blanks in place of its commands."""
    for found in _lines(text):
        blank = _NOT_BLANK.sub(" ", found.group())
        text = text[: found.start()] + blank + text[found.end() :]
    return text


def _lines(text: str) -> Iterator[re.Match[str]]:
    """Yield the lines outside code fences that are commands."""
    if not _SOMEWHERE.search(text):
        return
    fences = (
        [found.span() for found in FENCE.finditer(text)] if "``" in text or "~~" in text else []
    )
    for found in _COMMAND.finditer(text):
        if not any(start <= found.start() < end for start, end in fences):
            yield found


def _command(line: str, name: str, rest: str, session_id: str, turn_id: str) -> Command:
    session = {"session": session_id}
    if name == "pin":
        if not rest:
            return Command(line, problem="there is nothing to pin; write !pin <text>")
        return Command(line, "pins.add", {**_pin(rest), **session, "source": f"chat:{turn_id}"})
    if name == "unpin":
        ids = split_ids(rest)
        if not ids:
            return Command(line, problem="it names no pin; write !unpin 1 3")
        return Command(line, "pins.remove", {"ids": ids})
    if not rest:
        return Command(line, problem="there is nothing to note; write !note <text>")
    return Command(line, "notebook.add", {**session, "text": rest, "source": f"chat:{turn_id}"})


def _todo(line: str, rest: str, session: Mapping[str, str]) -> list[Command]:
    found = _ACTION.match(rest)
    action, more = (_ACTIONS[found[1].casefold()], found[2].strip()) if found else (None, "")
    ids = split_ids(more)
    if action is None or not ids:
        return [Command(line, problem=_USAGE)]
    if action == "add":
        return [Command(line, "plan.add", {**session, "text": more})]
    if action == "done":
        ticked = ({**session, "id": one, "done": True} for one in ids)
        return [Command(line, "plan.check", given) for given in ticked]
    return [Command(line, "plan.remove", {**session, "ids": ids})]


def _pin(text: str) -> dict[str, Any]:
    typed = _TYPED.fullmatch(text)
    if typed:
        kind, text = PinType(_TYPES[typed[1]]), typed[2]
    elif _PATH.fullmatch(text):
        kind = PinType.PATH
    elif _SHELL.fullmatch(text):
        kind = PinType.COMMAND
    else:
        kind = PinType.CONSTRAINT if _MUST.search(text) else PinType.CONCLUSION
    short = text if len(text) <= _LONGEST_TITLE else f"{text[: _LONGEST_TITLE - 1]}…"
    return {"type": kind.value, "title": short, "summary": text}


Given = Mapping[str, Any]
Verb = Callable[[Given, "Transaction", Act, "Rules"], Any]


def place_of(kind: str, session_id: str | None) -> Place:
    """Return where a list is: pins and the surface memory are the tenant's, others a session's."""
    return Place(kind, session_id if kind in (PLAN, NOTEBOOK) else None)


def _back(kind: str) -> Verb:
    def run(given: Given, rows: Transaction, act: Act, _rules: Rules) -> int:
        place = place_of(kind, given.get("session"))
        return roll_back(place, read_change(given["to"]), act, rows=rows).number

    return run


VERBS: Final[Mapping[str, Verb]] = {
    "pins.add": add_pin,
    "pins.update": update_pin,
    "pins.remove": remove_pins,
    "pins.renew": renew_pins,
    "pins.accept": accept_pins,
    "plan.add": add_step,
    "plan.check": check_step,
    "plan.remove": remove_steps,
    "notebook.add": add_note,
    "notebook.compact": compact_notes,
    "fastmemo.add": add_bullet,
    "fastmemo.compact": compact_memo,
    "fastmemo.load": replace_memo,
    "state.load": load_state,
    "pins.rollback": roll_back_pins,
    **{f"{kind}.rollback": _back(kind) for kind in (PLAN, NOTEBOOK, FASTMEMO.kind)},
}
"""What each call does inside its transaction."""


def perform(
    verb: str,
    given: Given,
    *,
    ports: Ports,
    rules: Rules,
    rules_hash: str,
    actor: str = "user",
) -> Any:
    """Store a call as an event and do it, in one transaction."""
    with ports.truth.write() as rows:
        stored = {**given, "actor": actor}
        now = add_event(
            verb, stored, transaction=rows, ports=ports, rules_hash=rules_hash, actor=actor
        ).at
        if not verb.startswith(PINS.kind):  # calls about pins know which of them to keep
            settle_pins(now, None, rows=rows, rules=rules)
        return VERBS[verb](given, rows, Act(now, actor, verb, given.get("reason") or ""), rules)


def perform_again(verb: str, stored: Given, ports: Ports, rules: Rules, rules_hash: str) -> None:
    """Do a call again from its event."""
    given = {name: value for name, value in stored.items() if name != "actor"}
    perform(verb, given, ports=ports, rules=rules, rules_hash=rules_hash, actor=stored["actor"])


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
    reasons = tuple(
        _carried_out(command, step, rows=rows, rules=rules)
        for message in (step.messages if rules.commands.enabled else ())
        if _may_command(message)
        for command in find_commands(message.content, session_id=session, turn_id=step.id)
    )
    count_step(step, happened.place, happened.changed, ended=happened.ended, rows=rows, rules=rules)
    return reasons


def is_history(step: Turn) -> bool:
    """Tell whether a step is of the past, such as an imported one: nobody works on it now."""
    return step.created_at - step.at > _PAST


def spoken(step: Turn, *, rules: Rules) -> Turn:
    """Return a step without its commands: they are carried out, not remembered."""
    if not rules.commands.enabled or is_history(step):
        return step
    messages = tuple(
        replace(one, content=without_commands(one.content)) if _may_command(one) else one
        for one in step.messages
    )
    return step if messages == step.messages else replace(step, messages=messages)


def _may_command(message: Message) -> bool:
    return message.role is Role.USER and not message.meta.get(DOCUMENT)


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
    return Retention(
        type=COMMAND,
        key=command.verb or "",
        action=action,
        code=code,
        reason=f"{command.line:.60}: {reason}",
    )
