"""What runs have in mind and suppose, put together with the rules of a root.

In: what `brain.runs` was given, and an open tenant's ports. Out: what the stages of `govern` make
of it. What may not be stored for privacy's sake is masked here, before anything behind sees it.
Loaded by the first call that needs a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from smartbrain.bootstrap.working_state import WorkingState
from smartbrain.govern.insights import add_insight, validate_insight
from smartbrain.govern.run_change import read_change
from smartbrain.govern.runs import end_run, get_run, list_runs, start_run, update_run
from smartbrain.remember.privacy import kept

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.packet import WorkingMemory
    from smartbrain.domain.run import Run
    from smartbrain.ports.bundle import Ports
    from smartbrain.remember.rules import WriteRules


class Governing:
    """Runs and insights under the rules of one root."""

    def __init__(self, rules: WriteRules) -> None:
        self._rules = rules
        self.state = WorkingState(rules)

    def start(self, session_id: str, *, ports: Ports, **given: Any) -> str:
        """Begin a run."""
        change = self._kept(read_change(**given))
        return start_run(session_id, change, ports=ports, rules_hash=self._rules.hash)

    def update(self, run_id: str, *, ports: Ports, **given: Any) -> WorkingMemory:
        """Change what a run has in mind."""
        change = self._kept(read_change(**given))
        return update_run(run_id, change, ports=ports, rules_hash=self._rules.hash)

    def insight(
        self, run_id: str, statement: str, confidence: float, evidence: Sequence[str], ports: Ports
    ) -> str:
        """Note what a run supposes."""
        added = add_insight(
            run_id,
            self._kept(statement),
            confidence,
            evidence,
            ports=ports,
            rules=self._rules.rules,
            rules_hash=self._rules.hash,
        )
        return added.id

    def validate(
        self, insight_id: str, evidence: Sequence[str], *, by_user: bool, ports: Ports
    ) -> Memory:
        """Let an insight become a memory."""
        return validate_insight(
            insight_id, evidence, by_user, ports=ports, rules_hash=self._rules.hash
        )

    def get(self, run_id: str, *, ports: Ports) -> Run:
        """Return a run."""
        return get_run(run_id, ports=ports)

    def list(self, session_id: str | None, *, ports: Ports) -> Sequence[Run]:
        """Return the runs that go on."""
        return list_runs(session_id, ports=ports)

    def end(self, run_id: str, *, ports: Ports) -> Run:
        """End a run."""
        return end_run(run_id, ports=ports, rules_hash=self._rules.hash)

    def _kept(self, value: Any) -> Any:
        """Return a value as it may be stored."""
        return kept(value, self._rules.rules.privacy)
