"""Running arms one after the other in a thread, and telling what became of each (R4).

In: arms that wait. Out: what they found, how long each took, and a report. Whoever is slow loses
the thread, and those behind it go on in threads of their own. A thread that hangs cannot be
stopped: `Overdue` counts them, so that no more are sent after it.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeAlias

from smartbrain.domain.recall import ArmReport, ArmVerdict
from smartbrain.errors import SmartBrainError
from smartbrain.ports.telemetry import log_fault

_MAX_OVERDUE: Final = 2
_SENTENCE: Final = 200
_log = logging.getLogger(__name__)

Run: TypeAlias = Callable[[Callable[[], Any]], "Future[Any]"]
"""Runs an arm beside the others."""
Waiting = tuple[str, Callable[[], None]]
"""An arm that has not begun: its name, and what is to be done."""


class Overdue:
    """Running work that was given up, by who does it. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Counter[Hashable] = Counter()
        self.given_up = 0
        """How often so far."""

    def busy(self, who: Hashable) -> bool:
        """Tell whether somebody is not to be asked until earlier work has come back."""
        return self._running[who] >= _MAX_OVERDUE

    def give_up(self, who: Hashable, work: Future[Any]) -> None:
        """Stop waiting for work; if it runs on, that counts until it ends."""
        if work.cancel() or work.done():
            return
        with self._lock:
            self._running[who] += 1
            self.given_up += 1

        def back(_: Future[Any]) -> None:
            with self._lock:
                self._running -= Counter([who])  # none is kept at zero

        work.add_done_callback(back)


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

    def run_for(self, seconds: float, run: Run) -> dict[str, Future[Any]]:
        """Run the arms that wait, for some seconds; then what has not begun, each by itself.

        So one that is slow, stuck or fails holds up the others no longer than that. Those who wait
        later are none of its thread's business, which may still be at work then.
        """
        waiting, self.waiting = self.waiting, deque()
        names = [name for name, _ in waiting]
        if not names:
            return {}
        together = run(partial(_take_each, waiting, lambda _, work: work()))
        with suppress(TimeoutError):
            together.exception(seconds)
        together.cancel()
        alone: dict[str, Future[Any]] = {}
        _take_each(waiting, lambda name, work: alone.update({name: run(work)}))
        return {name: alone.get(name, together) for name in names}

    def report(self, name: str, future: Future[Any], seconds: float) -> ArmReport:
        """Wait for an arm, and tell what became of it; one that is late is left to itself."""
        verdict, code, reason, hits = ArmVerdict.OK, "ok", "it answered", 0
        if name not in self.answers:
            try:
                failure = future.exception(seconds)
            except TimeoutError:
                verdict, code = ArmVerdict.LATE, "late"
                reason = "it did not answer in time; the others went on without it"
            else:
                if failure is not None:
                    verdict, (code, reason) = ArmVerdict.FAILED, _failure(name, failure)
        if verdict is ArmVerdict.OK:
            answer = self.answers[name]
            hits = len(answer[0] if isinstance(answer, tuple) else answer)
        took = self.took.get(name)
        if took is None:  # it has not ended: how long it was waited for
            took = self._timer() - self.asked.get(name, self._timer())
        took_ms = round(took * 1000, 3)
        return ArmReport(
            name=name, verdict=verdict, code=code, reason=reason, hits=hits, took_ms=took_ms
        )


def _take_each(waiting: deque[Waiting], do: Callable[[str, Callable[[], None]], None]) -> None:
    """Do something with the arms that no other thread has taken, one by one."""
    while True:
        try:
            name, work = waiting.popleft()
        except IndexError:
            return
        do(name, work)


def _failure(name: str, failure: BaseException) -> tuple[str, str]:
    """Return the code and the sentence of a failure; a defect costs no more than the arm's hits."""
    if isinstance(failure, SmartBrainError):
        return failure.code, failure.message
    if not isinstance(failure, Exception):
        raise failure  # it tells the process to end
    log_fault(_log, f"the arm {name} of recall failed", failure)
    return "internal", " ".join(f"{type(failure).__name__}: {failure}".split())[:_SENTENCE]
