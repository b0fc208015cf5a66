"""The clients that can be connected: where each keeps its settings, and SmartBrain put into them.

In: a client's name, the command that it is to run. Out: the file and its text with SmartBrain in
it, or the file changed and the old one kept beside. A file that cannot be understood is never
written; whatever else stands in it stays.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from smartbrain.domain.hints import did_you_mean
from smartbrain.errors import UsageError
from smartbrain.ports.blobs import disk_error

NAME: Final = "smartbrain"
EVENTS: Final = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop")
"""The events that our hooks answer."""
_SAME: Final = {event: event for event in EVENTS}
_SECONDS: Final = 15


class Snippet(NamedTuple):
    """What is to stand in a client's settings: the file, what is new, and the whole text."""

    path: Path
    shown: str
    text: str


class McpClient(NamedTuple):
    """A client of MCP servers: where its file is, and under which name the servers stand there."""

    place: Callable[[], Path]
    servers: str
    is_typed: bool = False


def _desktop_folder() -> Path:
    """Return where desktop programs keep their settings on this system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home() / "AppData" / "Roaming"))
    return Path(os.environ.get("XDG_CONFIG_HOME", Path.home() / ".config"))


MCP_CLIENTS: Final[Mapping[str, McpClient]] = {
    "claude-code": McpClient(lambda: Path.cwd() / ".mcp.json", "mcpServers", is_typed=True),
    "claude-desktop": McpClient(
        lambda: _desktop_folder() / "Claude" / "claude_desktop_config.json", "mcpServers"
    ),
    "cursor": McpClient(lambda: Path.home() / ".cursor" / "mcp.json", "mcpServers"),
    "codex": McpClient(lambda: Path.home() / ".codex" / "config.toml", "mcp_servers"),
    "vscode": McpClient(lambda: Path.cwd() / ".vscode" / "mcp.json", "servers", is_typed=True),
}


def mcp_snippet(client: str, root: Path, tenant: str) -> Snippet:
    """Return what makes a client start our MCP server."""
    known = choose(client, MCP_CLIENTS)
    program, *rest = memctl_command()
    arguments = [*rest, "mcp", "--root", str(root.absolute()), "--tenant", tenant]
    path = known.place()
    if path.suffix == ".toml":
        table = f"{known.servers}.{NAME}"
        command, given = (json.dumps(one, ensure_ascii=False) for one in (program, arguments))
        block = f"[{table}]\ncommand = {command}\nargs = {given}\n"
        return Snippet(path, block, appended_toml(path, table, block))
    entry: dict[str, Any] = {"command": program, "args": arguments}
    if known.is_typed:
        entry = {"type": "stdio", **entry}
    return json_snippet(path, {known.servers: {NAME: entry}})


def json_snippet(path: Path, changes: Mapping[str, Any]) -> Snippet:
    """Return what is put into a JSON file."""
    shown = json.dumps(changes, ensure_ascii=False, indent=2) + "\n"
    return Snippet(path, shown, merged_json(path, changes))


def choose(client: str, known: Mapping[str, Any]) -> Any:
    """Return what is known of a client."""
    if client not in known:
        near = did_you_mean(client, list(known))
        raise UsageError(f"there is no client {client!r:.60}{near}; give {', '.join(known)}")
    return known[client]


def memctl_command() -> list[str]:
    """Return the command that runs memctl wherever a client is started from."""
    found = shutil.which("memctl")
    module = "smartbrain.entrypoints.cli.main"
    return [found] if found else [sys.executable, "-m", module]


class HookClient(NamedTuple):
    """A client with hooks: where its file is, and which of its events are which of ours.

    An event in `matchers` is asked for with these tools alone.
    """

    place: Callable[[], Path]
    events: Mapping[str, str]
    is_flat: bool = False
    matchers: Mapping[str, str] = {}


HOOK_CLIENTS: Final[Mapping[str, HookClient]] = {
    "claude-code": HookClient(lambda: Path.home() / ".claude" / "settings.json", _SAME),
    "codex": HookClient(lambda: Path.home() / ".codex" / "hooks.json", _SAME),
    "cursor": HookClient(
        lambda: Path.home() / ".cursor" / "hooks.json",
        {
            "sessionStart": "SessionStart",
            "beforeSubmitPrompt": "UserPromptSubmit",
            "afterShellExecution": "PostToolUse",
            "afterMCPExecution": "PostToolUse",
            "afterFileEdit": "PostToolUse",
            "postToolUse": "PostToolUse",
            "preCompact": "PreCompact",
            "afterAgentResponse": "Stop",
            "stop": "Stop",
        },
        is_flat=True,
        matchers={"postToolUse": "Read|Grep|Delete|Task"},  # the others have events of their own
    ),
}


def hook_snippet(client: str, root: Path, tenant: str) -> Snippet:
    """Return what makes a client run our hooks."""
    known: HookClient = choose(client, HOOK_CLIENTS)
    hooks: dict[str, Any] = {}
    for theirs, ours in known.events.items():
        words = [*memctl_command(), "hook", ours, "--root", str(root.absolute())]
        command = _shell_words([*words, "--tenant", tenant])
        if known.is_flat:
            matcher = {"matcher": known.matchers[theirs]} if theirs in known.matchers else {}
            hooks[theirs] = [{"command": command, **matcher}]
        else:
            entry = {"type": "command", "command": command, "timeout": _SECONDS}
            hooks[theirs] = [{"hooks": [entry]}]
    version = {"version": 1} if known.is_flat else {}
    return json_snippet(known.place(), {**version, "hooks": hooks})


def _shell_words(words: list[str]) -> str:
    """Return words as a shell of this system reads them."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def merged_json(path: Path, changes: Mapping[str, Any]) -> str:
    """Return a JSON file's text with objects merged into it; a list gets what it does not have."""
    text = _read(path)
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise _unreadable(path, error) from None
    if not isinstance(found, dict):
        raise _unreadable(path, "it is no object")
    return json.dumps(_merged(found, changes), ensure_ascii=False, indent=2) + "\n"


def appended_toml(path: Path, table: str, block: str) -> str:
    """Return a TOML file's text with a table at its end, unless it is there already."""
    text = _read(path)
    try:
        found: Any = tomllib.loads(text)
        wanted: Any = tomllib.loads(block)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, error) from None
    for part in table.split("."):
        found, wanted = found.get(part, {}), wanted[part]
    if found == wanted:
        return text
    if found:
        raise UsageError(f"{path} has a table [{table}] already; put the snippet in its place")
    return f"{text.rstrip()}\n\n{block}" if text.strip() else block


def write_beside(path: Path, text: str) -> Path | None:
    """Write a file whole or not at all, and return where the old one was kept, if there was one."""
    real = Path(os.path.realpath(path))  # a link stays a link
    kept: Path | None = None
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        if real.exists():
            if real.read_text(encoding="utf-8") == text:
                return None
            kept = _free_name(real)
            shutil.copy2(real, kept)
        fresh = real.with_name(f"{real.name}.{os.getpid()}.new")
        fresh.write_text(text, encoding="utf-8")
        if kept is not None:
            shutil.copymode(kept, fresh)
        fresh.replace(real)
    except OSError as error:
        raise disk_error(error, f"write {path}") from error
    return kept


def _free_name(path: Path) -> Path:
    """Return a name for the old file that no earlier one has."""
    number = 0
    while (kept := path.with_name(f"{path.name}.old{number or ''}")).exists():
        number += 1
    return kept


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, Mapping):
        return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *(one for one in new if one not in old)]
    return new


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise _unreadable(path, error) from None
    except OSError as error:
        raise disk_error(error, f"read {path}") from error


def _unreadable(path: Path, why: object) -> UsageError:
    return UsageError(f"{path} cannot be changed safely ({why}); add the snippet by hand")
