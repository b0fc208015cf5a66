"""A conversation with a model that has a memory, and how it is shown.

In: a brain, a model, what somebody says. Out: for each message the answer, and beside it the
context that was composed, what it took, and what was remembered. Where a step fails, the message is
kept without an answer: nothing said is lost.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.result import RetentionAction
from smartbrain.entrypoints.cli.lines import one_line, print_lines, shortened
from smartbrain.entrypoints.cli.show import console
from smartbrain.entrypoints.cli.show_context import budget_lines, costs, show_blocks, show_why
from smartbrain.errors import AdapterError, SmartBrainError
from smartbrain.ports.language_model import LanguageModel, ModelMessage

if TYPE_CHECKING:
    from smartbrain import SmartBrain
    from smartbrain.domain.context import ContextPackage
    from smartbrain.domain.policy import CompositionRules
    from smartbrain.domain.result import CommitResult


RECIPE: Final = "chat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """What became of one message; `answer` is empty where `error` says why."""

    answer: str
    result: CommitResult
    package: ContextPackage | None = None
    error: SmartBrainError | None = None


@dataclass(slots=True, kw_only=True)
class Conversation:
    """One session of a brain; without a model it is answered with what was said."""

    brain: SmartBrain
    session: str
    model: LanguageModel | None = None
    system: str | None = None
    limit: int | None = None
    timeout: float = 120.0

    def say(self, text: str) -> Exchanged:
        """Compose a context, ask the model, and keep the turn."""
        package: ContextPackage | None = None
        try:
            package = self.brain.compose_context(
                self.session,
                text,
                {"system": self.system} if self.system else None,
                recipe=RECIPE,
                token_limit=self.limit,
            )
            answer = self._answer(text, package)
        except SmartBrainError as error:
            return Exchanged(
                answer="", result=self._keep(text, "", package), package=package, error=error
            )
        except KeyboardInterrupt:
            self._keep(text, "", package)
            raise
        return Exchanged(answer=answer, result=self._keep(text, answer, package), package=package)

    def _answer(self, text: str, package: ContextPackage) -> str:
        if self.model is None:
            return f"(echo) {text}"
        said = [ModelMessage(one["role"], one["content"]) for one in package.messages("openai")]
        answer = self.model.complete(said, timeout=self.timeout).text
        if not answer.strip():
            raise AdapterError(f"{self.model.model} answered with no words; say it again")
        return answer

    def _keep(self, text: str, answer: str, package: ContextPackage | None) -> CommitResult:
        messages = [{"role": "user", "content": text}]
        if answer:
            messages.append({"role": "assistant", "content": answer})
        context = package.context_id if package else None
        return self.brain.commit_turn(self.session, messages, context_id=context)


with suppress(ImportError):  # Windows has none
    import_module("readline")  # arrow keys and earlier lines at the prompt

_COMMANDS: Final = {
    "/context": "all that the last message gave the model",
    "/why": "why that was in it, and what was left out",
    "/pins": "the pinned facts",
    "/help": "these commands",
    "/quit": "end",
}
_COMMAND: Final = re.compile(r"/[a-z]+")
_WIDE: Final = 110  # columns from which on the context stands beside the answer
_LONGEST: Final = 160  # characters of a line in the panel, which cuts it at its edge
_QUIET: Final = (RetentionAction.REFUSED, RetentionAction.DEFERRED)
_TAKEN_FOR_GRANTED: Final = ("episodes", "entities")  # every turn leaves some


class Shown:
    """A conversation as somebody sees it."""

    def __init__(
        self, conversation: Conversation, rules: CompositionRules, *, context: bool
    ) -> None:
        self._conversation = conversation
        self._rules = rules
        self._context = context
        self._last: ContextPackage | None = None
        self._out = console()
        self._typed = sys.stdin.isatty()

    def begin(self) -> None:
        """Say who answers, and how to end."""
        model = self._conversation.model
        who = (
            f"{one_line(model.model)} answers"
            if model
            else "no --url is given, so no model answers: the echo repeats what you say"
        )
        self._out.print(Text(f"Session {one_line(self._conversation.session)}: {who}.", "bold"))
        self._out.print(Text("/help lists the commands, /quit ends.", "dim"))

    def end(self) -> None:
        """Leave the line that was being typed."""
        if self._typed:
            self._out.print()

    def is_command(self, line: str) -> bool:
        """Tell a command from something to say: it is one word, and no path."""
        return bool(_COMMAND.fullmatch(line))

    def command(self, line: str) -> bool:
        """Carry out a command; return whether the conversation goes on."""
        if line == "/help":
            for name, meaning in _COMMANDS.items():
                self._out.print(Text(f"  {name:<9} {meaning}"))
        elif line == "/pins":
            self._show_pins()
        elif line in ("/context", "/why") and self._last is None:
            self._out.print("nothing is composed yet; say something first")
        elif line == "/context" and self._last is not None:
            show_blocks(self._out, self._last)
        elif line == "/why" and self._last is not None:
            show_why(self._out, self._last)
        elif line not in _COMMANDS:
            hint = did_you_mean(line, _COMMANDS)
            self._out.print(f"there is no {line}{hint}; /help lists the commands")
        return line != "/quit"

    def answer(self, line: str) -> SmartBrainError | None:
        """Answer a message and show it all; return what went wrong, if anything did."""
        if not self._typed:
            self._out.print(Text(f"you> {one_line(line)}", "bold"))
        with self._out.status("…"):
            done = self._conversation.say(line)
        self._last = done.package
        if done.error is not None:
            told = f"memctl: {done.error.message} [{done.error.code}]; what you said is kept"
            self._out.file.flush()
            sys.stderr.write(one_line(told) + "\n")
        lines = map(one_line, done.answer.expandtabs(4).split("\n"))
        said = Group(*map(Text, lines)) if done.answer else Text()
        if self._context and done.package is not None:
            self._show_beside(said, self._panel(done.package, done.result))
        elif done.answer:
            self._out.print(said)
        return done.error

    def _show_beside(self, said: Group | Text, panel: Panel) -> None:
        if not self._out.is_terminal or self._out.width < _WIDE:
            self._out.print(said)
            self._out.print(panel, soft_wrap=False)
            return
        grid = Table.grid(padding=(0, 2), expand=True)
        grid.add_column(ratio=1)
        grid.add_column(width=64)
        grid.add_row(said, panel)
        self._out.print(grid, soft_wrap=False)

    def _panel(self, package: ContextPackage, result: CommitResult) -> Panel:
        lines = [*budget_lines(package, costs(package, self._rules), bar=20)]
        lines += [
            f"[E{number}] {one_line(shortened(one.snippet or one.title, _LONGEST))}"
            for number, one in enumerate(package.evidence, 1)
        ]
        lines += _remembered(result)
        return Panel(
            Group(*(Text(line, no_wrap=True, overflow="ellipsis") for line in lines)),
            title="context",
            title_align="left",
            border_style="cyan",
        )

    def _show_pins(self) -> None:
        lines = [
            f"{pin.id}  {pin.type}  {pin.title}: {pin.summary} [{pin.source}]"
            for pin in self._conversation.brain.pins.list()
        ]
        print_lines(lines or ["nothing is pinned"])


def _remembered(result: CommitResult) -> Iterator[str]:
    for one in result.explain.retention:
        if one.action not in _QUIET and one.type not in _TAKEN_FOR_GRANTED:
            yield one_line(f"{one.action.value}: {one.type} {shortened(one.key, _LONGEST)}")
