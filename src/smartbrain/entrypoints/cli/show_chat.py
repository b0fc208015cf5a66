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
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.result import RetentionAction
from smartbrain.entrypoints.cli.lines import one_line, print_lines, shortened
from smartbrain.entrypoints.cli.show import console
from smartbrain.entrypoints.cli.show_context import budget_lines, show_blocks, show_why
from smartbrain.errors import AdapterError, SmartBrainError
from smartbrain.ports.language_model import LanguageModel, ModelMessage

if TYPE_CHECKING:
    from smartbrain import SmartBrain
    from smartbrain.domain.context import ContextPackage
    from smartbrain.domain.policy import CompositionRules
    from smartbrain.domain.result import CommitResult

with suppress(ImportError):  # Windows has none
    import_module("readline")  # arrow keys and earlier lines at the prompt

RECIPE: Final = "chat"
_COMMANDS: Final = {
    "/context": "all that the last message gave the model",
    "/why": "why that was in it, and what was left out",
    "/pins": "the pinned facts",
    "/help": "these commands",
    "/quit": "end",
}
_COMMAND: Final = re.compile(r"/[a-z]+")  # one word, and no path
_WIDE: Final = 110  # columns from which on the context stands beside the answer
_LONGEST: Final = 160  # characters of a line in the panel, which cuts it at its edge
_QUIET: Final = (RetentionAction.REFUSED, RetentionAction.DEFERRED)
_TAKEN_FOR_GRANTED: Final = ("episodes", "entities")  # every turn leaves some


@dataclass(slots=True, kw_only=True)
class Chat:
    """One session of a brain as somebody sees it; without a model it answers with what was said."""

    brain: SmartBrain
    session: str
    rules: CompositionRules
    model: LanguageModel | None = None
    system: str | None = None
    limit: int | None = None
    timeout: float = 120.0
    context: bool = True
    last: ContextPackage | None = None
    out: Console = field(default_factory=console)

    def begin(self) -> None:
        """Say who answers, and how to end."""
        who = "no --url is given, so no model answers: the echo repeats what you say"
        if self.model:
            who = f"{one_line(self.model.model)} answers"
        self.out.print(Text(f"Session {one_line(self.session)}: {who}.", "bold"))
        self.out.print(Text("/help lists the commands, /quit ends.", "dim"))

    def take(self, line: str) -> SmartBrainError | None:
        """Carry out a command or answer a message; return what went wrong, if anything did."""
        if not _COMMAND.fullmatch(line):
            return self._answer(line)
        if line == "/help":
            for name, meaning in _COMMANDS.items():
                self.out.print(Text(f"  {name:<9} {meaning}"))
        elif line == "/pins":
            pins = self.brain.pins.list()
            lines = [
                f"{one.id}  {one.type}  {one.title}: {one.summary} [{one.source}]" for one in pins
            ]
            print_lines(lines or ["nothing is pinned"])
        elif line not in _COMMANDS:
            hint = did_you_mean(line, _COMMANDS)
            self.out.print(f"there is no {line}{hint}; /help lists the commands")
        elif self.last is None:
            self.out.print("nothing is composed yet; say something first")
        else:
            (show_blocks if line == "/context" else show_why)(self.out, self.last)
        return None

    def _answer(self, line: str) -> SmartBrainError | None:
        """Compose a context, ask the model, keep the turn, and show it all."""
        if not sys.stdin.isatty():
            self.out.print(Text(f"you> {one_line(line)}", "bold"))
        package: ContextPackage | None = None
        failed: SmartBrainError | None = None
        answer = ""
        try:
            with self.out.status("…"):
                package = self._compose(line)
                answer = self._complete(line, package)
        except SmartBrainError as error:
            failed = error
            self.out.file.flush()
            told = f"memctl: {error.message} [{error.code}]; what you said is kept"
            sys.stderr.write(one_line(told) + "\n")
        finally:
            self.last = package
            result = self._keep(line, answer, package)
        lines = map(one_line, answer.expandtabs(4).split("\n"))
        said = Group(*map(Text, lines)) if answer else Text()
        if self.context and package is not None:
            self._show_beside(said, self._panel(package, result))
        elif answer:
            self.out.print(said)
        return failed

    def _compose(self, text: str) -> ContextPackage:
        return self.brain.compose_context(
            self.session,
            text,
            {"system": self.system} if self.system else None,
            recipe=RECIPE,
            token_limit=self.limit,
        )

    def _complete(self, text: str, package: ContextPackage) -> str:
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

    def _show_beside(self, said: Group | Text, panel: Panel) -> None:
        if not self.out.is_terminal or self.out.width < _WIDE:
            self.out.print(said)
            self.out.print(panel, soft_wrap=False)
            return
        grid = Table.grid(padding=(0, 2), expand=True)
        grid.add_column(ratio=1)
        grid.add_column(width=64)
        grid.add_row(said, panel)
        self.out.print(grid, soft_wrap=False)

    def _panel(self, package: ContextPackage, result: CommitResult) -> Panel:
        lines = [*budget_lines(package, self.rules, bar=20)]
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


def _remembered(result: CommitResult) -> Iterator[str]:
    for one in result.explain.retention:
        if one.action not in _QUIET and one.type not in _TAKEN_FOR_GRANTED:
            yield one_line(f"{one.action.value}: {one.type} {shortened(one.key, _LONGEST)}")
