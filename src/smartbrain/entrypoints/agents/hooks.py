"""What hooks of coding agents do: give memory to an agent, and keep what it was told and did.

In: an event's JSON as an agent sends it. Out: the JSON that the agent takes back, or nothing. A
prompt opens a turn, tool runs and the answer are steps of it; the same event twice is kept once.
Our own tools are not kept: what memory has shown is no news.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from smartbrain.brain import SmartBrain
from smartbrain.entrypoints.agents.clients import HOOK_CLIENTS
from smartbrain.entrypoints.mcp.tools import TOOLS
from smartbrain.entrypoints.wire.host_memory import (
    EVIDENCE,
    LASTING,
    SPOKEN,
    find_last_turns,
    memory_text,
)
from smartbrain.errors import Conflict, UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Root

CONTEXT_TOKENS: Final = 4000
_OWN_TOOLS: Final = "smartbrain"
_MARKS: Final = "compacted"
"""The folder of marks of sessions whose context was made smaller."""
_TAIL: Final = 512 * 1024
_SHELLS: Final = ("stdout", "stderr")
Answer = dict[str, Any]


class AgentHooks:
    """The hooks of one tenant."""

    def __init__(self, root: Root, tenant: str) -> None:
        self._root = root
        self._tenant = tenant
        self._brain = SmartBrain(root, tenant, owner=False)

    def answer(self, event: str, given: Mapping[str, Any]) -> Answer:
        """Do what an event calls for, and return what the agent is told."""
        read = read_event(given)
        if event not in _EVENTS:
            raise UsageError(f"there is no event {event!r:.60}; give {', '.join(_EVENTS)}")
        text = _EVENTS[event](self, read)
        return _format_answer(event, text, given) if text else {}

    def start(self, event: Mapping[str, Any]) -> str:
        """Return what holds in every conversation; after a compaction, also the last turns."""
        package = self._brain.compose_context(event["session_id"], token_limit=CONTEXT_TOKENS)
        is_compacted = event.get("source") == "compact"
        return memory_text(package, without=SPOKEN - {"recent_turns"} if is_compacted else LASTING)

    def prompt(self, event: Mapping[str, Any]) -> str:
        """Return what memory knows about a prompt, and keep the prompt."""
        session, prompt = event["session_id"], _text(event.get("prompt"))
        if not prompt:
            return ""
        turns = find_last_turns(self._root, self._tenant, session)
        followed = [turn.id for turn in turns if turn.tool_calls or len(turn.messages) > 1]
        package = self._brain.compose_context(session, prompt, token_limit=CONTEXT_TOKENS)
        try:
            self._brain.commit_turn(
                session,
                [{"role": "user", "content": prompt}],
                context_id=package.context_id,
                idempotency_key=_key("prompt", session, *followed[-1:], prompt),
            )
        except Conflict as error:
            if error.code != "idempotency_conflict":
                raise
            return ""  # the same event once more; nothing has followed it yet
        return memory_text(package, only=EVIDENCE)

    def tool(self, event: Mapping[str, Any]) -> str:
        """Keep a run of a tool as a step of the turn in progress."""
        session, name = event["session_id"], _text(event.get("tool_name"))
        if not name or _OWN_TOOLS in name:
            return ""
        call: dict[str, Any] = {"name": name, "args": event.get("tool_input")}
        call |= _outcome(event.get("tool_response"))
        number = _text(event.get("tool_use_id"))
        if number:
            call["id"] = number
        turn = self._last_id(session)
        key = _key("tool", session, number or json.dumps([turn, call], sort_keys=True, default=str))
        self._brain.commit_turn(session, {"tool_calls": [call]}, turn_id=turn, idempotency_key=key)
        return self._restore(session) if event.get("hook_event_name") == "postToolUse" else ""

    def compact(self, event: Mapping[str, Any]) -> str:
        """Keep what the agent has said, before its context is made smaller.

        Where no start of a session follows, a mark says that memory is to be given again.
        """
        if "conversation_id" in event:
            mark = self._mark_of(event["session_id"])
            mark.parent.mkdir(exist_ok=True)
            mark.touch()
        return self.said(event)

    def _restore(self, session: str) -> str:
        """Return what a session's start gives, once after its context was made smaller."""
        try:
            self._mark_of(session).unlink()
        except FileNotFoundError:
            return ""
        return self.start({"session_id": session, "source": "compact"})

    def _mark_of(self, session: str) -> Path:
        return self._root.path / _MARKS / _digest(self._tenant, session)

    def said(self, event: Mapping[str, Any]) -> str:
        """Keep what the agent has said."""
        session = event["session_id"]
        text = _text(event.get("last_assistant_message")) or _last_words(event)
        turn = self._last_id(session)
        if text and turn is not None:
            message = {"role": "assistant", "content": text}
            key = _key("said", session, turn, text)
            self._brain.commit_turn(session, [message], turn_id=turn, idempotency_key=key)
        return ""

    def _last_id(self, session: str) -> str | None:
        turns = find_last_turns(self._root, self._tenant, session)
        return turns[-1].id if turns else None


_EVENTS: Final[Mapping[str, Callable[[AgentHooks, Mapping[str, Any]], str]]] = {
    "SessionStart": AgentHooks.start,
    "UserPromptSubmit": AgentHooks.prompt,
    "PostToolUse": AgentHooks.tool,
    "PreCompact": AgentHooks.compact,
    "Stop": AgentHooks.said,
}


def event_of(given: Mapping[str, Any]) -> str:
    """Return which of our events an agent names in what it sends, under its own name or ours."""
    theirs = given.get("hook_event_name")
    names = {name: ours for one in HOOK_CLIENTS.values() for name, ours in one.events.items()}
    if not isinstance(theirs, str) or theirs not in names:
        told = f"hook_event_name is {theirs!r:.60}; give one of {', '.join(_EVENTS)}"
        raise UsageError(told)
    return names[theirs]


def read_event(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event under the names of one agent, whichever agent has sent it."""
    event = dict(given)
    session = given.get("session_id") or given.get("conversation_id")
    if not isinstance(session, str) or not session:
        raise UsageError("the event names no session_id; send the JSON that the agent gives")
    event["session_id"] = session
    if "command" in given and "output" in given:  # a shell run, told by its own event
        event |= {
            "tool_name": "shell",
            "tool_input": {"command": given["command"]},
            "tool_response": {"stdout": given["output"]},
        }
    if "edits" in given:  # a file that was changed, told by its own event
        edit = {"file_path": given.get("file_path"), "edits": given["edits"]}
        event |= {"tool_name": "edit", "tool_input": edit, "tool_response": "edited"}
    if "result_json" in given:
        event["tool_response"] = given["result_json"]
        if given.get("tool_name") in TOOLS:  # ours: this event does not tell the server
            event["tool_name"] = _OWN_TOOLS
    if "tool_output" in given:
        event["tool_response"] = given["tool_output"]
    if "text" in given:  # the agent's answer, told by its own event
        event["last_assistant_message"] = given["text"]
    return event


def _format_answer(event: str, text: str, given: Mapping[str, Any]) -> Answer:
    """Return what an agent is told, as that agent takes it."""
    if "conversation_id" in given:
        return {"additional_context": text} if event in ("SessionStart", "PostToolUse") else {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _outcome(response: Any) -> dict[str, Any]:
    """Return what a tool gave back: the outputs of a shell apart, anything else as it is."""
    if isinstance(response, str):
        try:
            read = json.loads(response)
        except ValueError:
            return {"result": response}
        response = read if isinstance(read, dict | list) else response
    if not isinstance(response, Mapping) or not any(name in response for name in _SHELLS):
        return {"result": response}
    found = {name: response[name] for name in _SHELLS if isinstance(response.get(name), str)}
    code = response.get("exit_code", response.get("exitCode"))
    return {**found, "exit_code": code} if type(code) is int else found


def _last_words(event: Mapping[str, Any]) -> str:
    """Return what the agent said last, from the end of its transcript: since the last prompt."""
    path = _text(event.get("transcript_path"))
    if not path:
        return ""
    try:
        with Path(path).expanduser().open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _TAIL))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    said: list[str] = []
    for line in reversed(lines):
        role, text = _spoken(line)
        if role == "user" and text:
            break
        if role == "assistant" and text:
            said.append(text)
    return "\n\n".join(reversed(said))


def _spoken(line: str) -> tuple[str, str]:
    """Return who speaks on a line of a transcript, and the words; results of tools are none."""
    try:
        entry = json.loads(line)
        message = entry.get("message") or entry.get("payload") or entry
        role, content = str(message.get("role", "")), message.get("content")
    except (ValueError, AttributeError):
        return "", ""
    if isinstance(content, str):
        return role, content.strip()
    parts = [part for part in content or () if isinstance(part, dict)]
    words = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return role, "\n".join(words).strip()


def _key(*parts: str) -> str:
    return f"hook:{_digest(*parts)}"


def _digest(*parts: str) -> str:
    told = json.dumps(parts, ensure_ascii=False).encode()
    return blake2b(told, digest_size=16).hexdigest()


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
