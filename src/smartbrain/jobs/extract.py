"""Reading turns with a language model: extraction work is taken, asked, checked and handed back.

In: the queue and a model. Out: claims of what the model read, and a report of what it cost. A model
that is not there leaves the work in the queue; one that answers nonsense is asked again later, a
few times. No commit fails by any of it (K5, C9).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.job import JobState
from smartbrain.domain.record import Record
from smartbrain.domain.work import WorkKind
from smartbrain.errors import AdapterError, Conflict, NotFound, SmartBrainError, UsageError
from smartbrain.jobs.extract_prompt import answer_schema, make_prompt
from smartbrain.jobs.work import Queue, Work, WorkOutcome
from smartbrain.ports.language_model import LanguageModel
from smartbrain.remember.model_answers import count_claims
from smartbrain.text.ontology import extend_ontology

if TYPE_CHECKING:
    from collections.abc import Mapping

    from smartbrain.ports.bundle import Ports
    from smartbrain.remember.rules import WriteRules

TIMEOUT: Final = 60.0
"""Seconds that a model is given for an answer."""
_OWNER: Final = "language model"
_SECONDS: Final = 600.0  # of a lease; longer than all attempts of a model take


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ExtractReport(Record):
    """What became of the turns that waited: read, put off, still waiting, and what it cost.

    `calls` and tokens are as the model counts them; `claims` how many were kept, dropped and
    replaced. The code and the reason are those of the last failure.
    """

    read: int = 0
    put_off: int = 0
    waiting: int = 0
    written: int = 0
    calls: int = 0
    failures: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    claims: Mapping[str, int] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    code: str = "ok"
    reason: str = "nothing waits"


def run_extract(
    ports: Ports,
    model: LanguageModel,
    rules: WriteRules,
    *,
    wall: Callable[[], datetime],
    stopped: Callable[[], bool] = lambda: False,
    timeout: float = TIMEOUT,
) -> ExtractReport:
    """Have a model read the turns that wait, until none does, it is not there, or told to stop."""
    reader = TurnReader(Queue(ports, rules, wall), model, timeout)
    while not stopped():
        leased = reader.queue.lease([WorkKind.EXTRACT], reader.owner, seconds=_SECONDS)
        if not leased or not reader.read(leased[0]):
            break
    left = len(reader.queue.works(WorkKind.EXTRACT, JobState.QUEUED))
    report = reader.report
    if left and report.code == "ok":
        report = replace(report, code="stopped", reason="the rest waits for the next run")
    return replace(report, waiting=left)


def read_answer(text: str) -> dict[str, Any]:
    """Return the JSON object in a model's answer, be it wrapped in words or a fence.

    Raises:
        UsageError: there is none.
    """
    start, end = text.find("{"), text.rfind("}")
    try:
        answer = json.loads(text[start : end + 1] if start >= 0 else "")
    except (ValueError, RecursionError):
        raise UsageError("the model did not answer a JSON object") from None
    if not isinstance(answer, dict):
        raise UsageError("the model did not answer a JSON object")
    return answer


class TurnReader:
    """Has a model read leased work, and counts what that costs."""

    def __init__(self, queue: Queue, model: LanguageModel, timeout: float = TIMEOUT) -> None:
        """Take work under a name that no other run has."""
        self.queue = queue
        self.owner = f"{_OWNER} {model.model} {queue.ports.ids.new()}"
        self.report = ExtractReport()
        self.outcome: WorkOutcome | None = None
        self._ontology = extend_ontology(queue.rules.rules.ontology.attributes)
        self._model = model
        self._timeout = timeout

    def read(self, work: Work) -> bool:
        """Have one turn read; return whether it makes sense to go on with the next."""
        try:
            answer = self._ask(work)
            self.outcome = self.queue.complete(work.id, self.owner, read_answer(answer))
        except Conflict as error:  # somebody else was quicker, or it took too long
            self._fail(error)
        except (SmartBrainError, NotFound) as error:
            return self._hand_back(work, error)
        else:
            self._count(self.outcome)
        return True

    def give_up(self, work: Work) -> bool:
        """Hand work back that takes too long; return False where it is done meanwhile."""
        try:
            self.queue.give_back(work.id, self.owner, f"no answer within {self._timeout:g} s")
        except (Conflict, NotFound):
            return False
        return True

    def _ask(self, work: Work) -> str:
        """Return what the model answers about a turn."""
        self.report = replace(self.report, calls=self.report.calls + 1)
        answer = self._model.complete(
            make_prompt(work.input, self._ontology), schema=answer_schema(), timeout=self._timeout
        )
        report, usage = self.report, answer.usage
        self.report = replace(
            report,
            prompt_tokens=report.prompt_tokens + usage.get("prompt_tokens", 0),
            completion_tokens=report.completion_tokens + usage.get("completion_tokens", 0),
        )
        return answer.text

    def _hand_back(self, work: Work, error: SmartBrainError) -> bool:
        """Hand back what the model did not read, to be tried again; tell whether it is there."""
        self._fail(error)
        is_away = isinstance(error, AdapterError) and error.retryable
        if is_away or error.code == "closed":
            self.queue.give_back(work.id, self.owner, error.message)
            return False
        self.queue.fail(work.id, self.owner, error.message)
        self.report = replace(self.report, put_off=self.report.put_off + 1)
        return True

    def _fail(self, error: SmartBrainError) -> None:
        failures = self.report.failures + 1
        self.report = replace(self.report, failures=failures, code=error.code, reason=error.message)

    def _count(self, outcome: WorkOutcome) -> None:
        """Add an answer to the report."""
        report, counted = self.report, count_claims(outcome.explain)
        claims = {name: report.claims.get(name, 0) + found for name, found in counted.items()}
        self.report = replace(
            report,
            read=report.read + 1,
            written=report.written + len(outcome.written),
            claims=claims,
            dropped=(*report.dropped, *(one.reason for one in outcome.explain.ignored)),
        )
