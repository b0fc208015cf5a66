"""A conversation with a model that has a memory: message by message, nothing said is lost.

In: a brain, a model, what somebody says. Out: for each message the context that was composed, the
answer, and what was remembered. Where a step fails, the message is kept without an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from smartbrain.errors import AdapterError, SmartBrainError
from smartbrain.ports.language_model import LanguageModel, ModelMessage

if TYPE_CHECKING:
    from smartbrain import SmartBrain
    from smartbrain.domain.context import ContextPackage
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
        """Compose a context, ask the model, and keep the turn.

        Raises:
            SmartBrainError: the turn could not be kept.
            KeyboardInterrupt: somebody does not wait for the answer; the message is kept.
        """
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
        """Return what the model says to a context."""
        if self.model is None:
            return f"(echo) {text}"
        said = [ModelMessage(one["role"], one["content"]) for one in package.messages("openai")]
        answer = self.model.complete(said, timeout=self.timeout).text
        if not answer.strip():
            raise AdapterError(f"{self.model.model} answered with no words; say it again")
        return answer

    def _keep(self, text: str, answer: str, package: ContextPackage | None) -> CommitResult:
        """Commit what was said and, if there is one, the answer."""
        messages = [{"role": "user", "content": text}]
        if answer:
            messages.append({"role": "assistant", "content": answer})
        context = package.context_id if package else None
        return self.brain.commit_turn(self.session, messages, context_id=context)
