"""Running arms one after the other in a thread, and telling what became of each (R4).

In: arms that wait. Out: what they found, how long each took, and a report. Whoever is slow loses
the thread, and those behind it go on in threads of their own.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from smartbrain.domain.recall import ArmReport, ArmVerdict
from smartbrain.errors import SmartBrainError
from smartbrain.ports.telemetry import log_fault

_SENTENCE: Final = 200
_log = logging.getLogger(__name__)

Run: TypeAlias = Callable[[Callable[[], Any]], "Future[Any]"]
"""Runs an arm beside the others."""
Waiting = tuple[str, Callable[[], None]]
"""An arm that has not begun: its name, and what is to be done."""


class ArmLine:
    """Arms that one thread runs one after the other: to hand over each costs more than most do."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self.waiting: deque[Waiting] = deque()
        self.asked: dict[str, float] = {}
        self.answers: dict[str, Any] = {}
        self.took: dict[str, float] = {}

    def answer(self, name: str, arm: Callable[[], Any]) -> None:
        """Run an arm, and keep what it found and how long it took."""
        start = self._timer()
        try:
            answer = arm()
        finally:
            self.took[name] = self._timer() - start
        self.answers[name] = answer

    def took_ms(self, name: str) -> float:
        """Return how long an arm took; one that has not ended, how long it was waited for."""
        took = self.took.get(name)
        if took is None:
            took = self._timer() - self.asked.get(name, self._timer())
        return round(took * 1000, 3)

    def run_for(self, seconds: float, run: Run) -> dict[str, Future[Any]]:
        """Run the arms that wait, for some seconds; then what has not begun, each by itself.

        So one that is slow, stuck or fails holds up the others no longer than that. Those who wait
        later are none of its thread's business, which may still be at work then.
        """
        waiting, self.waiting = self.waiting, deque()
        names = [name for name, _ in waiting]
        if not names:
            return {}
        together = run(partial(_run_each, waiting))
        with suppress(TimeoutError):
            together.exception(seconds)
        together.cancel()
        alone = {name: run(work) for name, work in _taken(waiting)}
        return {name: alone.get(name, together) for name in names}


def _run_each(waiting: deque[Waiting]) -> None:
    for _, work in _taken(waiting):
        work()


def _taken(waiting: deque[Waiting]) -> Iterator[Waiting]:
    """Take the arms that no other thread has taken, one by one."""
    with suppress(IndexError):
        while True:
            yield waiting.popleft()


def report_of(name: str, future: Future[Any], line: ArmLine, seconds: float) -> ArmReport:
    """Wait for an arm, and tell what became of it; one that is late is left to itself."""
    if name not in line.answers:
        try:
            failure = future.exception(seconds)
        except TimeoutError:
            sentence = "it did not answer in time; the others went on without it"
            late = ArmReport(name=name, verdict=ArmVerdict.LATE, code="late", reason=sentence)
            return replace(late, took_ms=line.took_ms(name))
        if failure is not None:
            return replace(_failed(name, failure), took_ms=line.took_ms(name))
    answer = line.answers[name]
    hits = answer[0] if isinstance(answer, tuple) else answer
    return ArmReport(
        name=name,
        verdict=ArmVerdict.OK,
        reason="it answered",
        hits=len(hits),
        took_ms=line.took_ms(name),
    )


def _failed(name: str, failure: BaseException) -> ArmReport:
    """Report a failure; a defect of one arm costs no more than its hits."""
    if isinstance(failure, SmartBrainError):
        code, sentence = failure.code, failure.message
    elif isinstance(failure, Exception):
        log_fault(_log, f"the arm {name} of recall failed", failure)
        code = "internal"
        sentence = " ".join(f"{type(failure).__name__}: {failure}".split())[:_SENTENCE]
    else:
        raise failure
    return ArmReport(name=name, verdict=ArmVerdict.FAILED, code=code, reason=sentence)
