"""Runs of agents, as `brain.runs` shows them: what they have in mind, and what they suppose.

In: ids, texts and plain values. Out: working memory, runs, insights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from smartbrain.brain.arguments import Verbs
from smartbrain.remember.arguments import read_id, read_optional_id

if TYPE_CHECKING:
    from smartbrain.bootstrap.writing import RunState
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.packet import PlanEntry, RunDecision, WorkingMemory
    from smartbrain.domain.working import Run


class Runs(Verbs):
    """The runs of a tenant: `brain.runs`."""

    @property
    def _runs(self) -> RunState:
        return self._terms.writing.runs

    def start(
        self,
        session_id: str,
        goal: str | None = None,
        constraints: Sequence[str] = (),
        slots: Mapping[str, Any] | None = None,
        plan: Sequence[str | Mapping[str, Any] | PlanEntry] = (),
    ) -> str:
        """Begin a run and return its id.

        Args:
            session_id: the conversation that it belongs to.
            goal: what it is to reach.
            constraints: what it has to keep to.
            slots: what it knows by name, plain JSON.
            plan: what it will do: texts, or dicts of text, done, done_when and id.
        """
        session = read_id(session_id, "session_id")
        given = {"goal": goal, "constraints": constraints, "slots": slots, "plan": plan}
        return self._run(self._runs.start, session, **given)

    def update(
        self,
        run_id: str,
        *,
        goal: str | None = None,
        constraints: Sequence[str] | None = None,
        slots: Mapping[str, Any] | None = None,
        plan: Sequence[str | Mapping[str, Any] | PlanEntry] | None = None,
        decision: str | Mapping[str, Any] | RunDecision | None = None,
    ) -> WorkingMemory:
        """Change what a run has in mind and return it all; what is not given stays.

        Args:
            run_id: the run.
            goal: another goal.
            constraints: all the constraints there are now.
            slots: laid over those that are there; a slot of None is deleted.
            plan: the whole plan as it is now.
            decision: one more decision: a text, or a dict of text and detail.

        Raises:
            NotFound: there is no such run.
            Conflict: it has ended.
        """
        wanted = read_id(run_id, "run_id")
        given = {"goal": goal, "constraints": constraints, "slots": slots, "plan": plan}
        return self._run(self._runs.update, wanted, decision=decision, **given)

    def insight(
        self, run_id: str, statement: str, confidence: float, evidence: Sequence[str] = ()
    ) -> str:
        """Note what a run supposes and return its id; nobody but its planner is shown it.

        A run has at most ten: the least sure one expires, which may be this one; `get` says so
        under `dropped`.

        Args:
            run_id: the run.
            statement: the hypothesis in a sentence.
            confidence: how sure the run is, from 0 to 1.
            evidence: ids of memories, turns or raw chunks, or addresses, that speak for it.

        Raises:
            NotFound: there is no such run, or nothing that the evidence names.
            Conflict: the run has ended.
        """
        wanted = read_id(run_id, "run_id")
        return self._run(self._runs.insight, wanted, statement, confidence, evidence)

    def validate(
        self, insight_id: str, evidence: Sequence[str] = (), *, by_user: bool = False
    ) -> Memory:
        """Let an insight become a memory that outlives its run, on evidence or the user's word.

        Evidence are ids (of memories, raw chunks, turns, messages, tool calls, sessions), keys of
        memories, addresses or paths of files; a sentence is none.

        Raises:
            NotFound: there is no such insight, or nothing that the evidence names.
            Conflict: it has expired.
        """
        wanted = read_id(insight_id, "insight_id")
        return self._run(self._runs.validate, wanted, evidence, by_user=by_user)

    def get(self, run_id: str) -> Run:
        """Return a run with its working memory and insights; of one that ended only the frame.

        Raises:
            NotFound: there is no such run.
        """
        return self._run(self._runs.get, read_id(run_id, "run_id"))

    def list(self, session_id: str | None = None) -> Sequence[Run]:
        """Return the runs that go on, oldest first, without what they have in mind."""
        return self._run(self._runs.list, read_optional_id(session_id, "session_id"))

    def end(self, run_id: str) -> Run:
        """End a run: what it had in mind is cleared, what nobody validated expires.

        Raises:
            NotFound: there is no such run.
            Conflict: it has ended already.
        """
        return self._run(self._runs.end, read_id(run_id, "run_id"))
