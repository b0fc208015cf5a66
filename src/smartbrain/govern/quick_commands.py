"""Quick commands: lines of a user's message such as `!pin …` or `!待办 完成 2`, read as calls.

In: what a user says. Out: the calls that its lines stand for, or why a line stands for none, and
the text without those lines. Only a line of its own counts, never one inside a code fence. What a
call does, and whether it is refused, is decided where every other call is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from smartbrain.domain.kept import PinType
from smartbrain.govern.given import split_ids
from smartbrain.text.pattern import pattern
from smartbrain.text.prose import FENCE

_NAMES: Final = {
    "pin": "pin",
    "置顶": "pin",
    "unpin": "unpin",
    "取消置顶": "unpin",
    "todo": "todo",
    "待办": "todo",
    "note": "note",
    "笔记": "note",
}
_ACTIONS: Final = {
    "add": "add",
    "添加": "add",
    "done": "done",
    "完成": "done",
    "remove": "remove",
    "删除": "remove",
}
_CALLED: Final = rf"[!！]({'|'.join(sorted(_NAMES, key=len, reverse=True))})(?![\w-])"
_COMMAND: Final = pattern(
    rf"^[ \t\u3000]*{_CALLED}[ \t\u3000:：]*([^\r\n]*)", re.MULTILINE | re.IGNORECASE
)
_SOMEWHERE: Final = pattern(_CALLED, re.IGNORECASE)  # much faster where there is none
_ACTION: Final = pattern(
    rf"({'|'.join(_ACTIONS)})(?:(?<=[\u4e00-\u9fff])|(?![\w-]))[\s:：]*(.*)", re.IGNORECASE
)
_NOT_BLANK: Final = pattern(r"\S")
_TYPED: Final = pattern(
    r"(constraint|path|command|code|conclusion|约束|路径|命令|代码|结论)[:：]\s*+(.+)"
)
_TYPES: Final = {
    "约束": PinType.CONSTRAINT,
    "路径": PinType.PATH,
    "命令": PinType.COMMAND,
    "代码": PinType.CODE,
    "结论": PinType.CONCLUSION,
}
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
    """Read one line."""
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
    """Read a line about the plan; each step that it ticks off is a call of its own."""
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
    """Return the type, title and summary of what is to be pinned."""
    typed = _TYPED.fullmatch(text)
    if typed:
        kind, text = _TYPES.get(typed[1]) or PinType(typed[1]), typed[2]
    elif _PATH.fullmatch(text):
        kind = PinType.PATH
    elif _SHELL.fullmatch(text):
        kind = PinType.COMMAND
    else:
        kind = PinType.CONSTRAINT if _MUST.search(text) else PinType.CONCLUSION
    short = text if len(text) <= _LONGEST_TITLE else f"{text[: _LONGEST_TITLE - 1]}…"
    return {"type": kind.value, "title": short, "summary": text}
