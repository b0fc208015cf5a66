"""Work that a commit leaves to outside agents, queued with it in one transaction (C9).

In: what was just remembered, and which agents are configured. Out: queued jobs that name turns,
sessions and memories by their ids and hold none of their content: whoever takes the work is shown
the content as it is then, so what was forgotten meanwhile is shown to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from smartbrain.domain.ids import derive
from smartbrain.domain.job import Job
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import Role, Turn
from smartbrain.domain.work import WorkKind

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.result import SummaryUpdate
    from smartbrain.ports.truth import Transaction


def ask_agents(
    step: Turn,
    changed: Sequence[Memory],
    summary: SummaryUpdate,
    *,
    transaction: Transaction,
    rules: Rules,
) -> None:
    """Queue what the configured agents can do about a step; the same work is queued once.

    `changed` are the memories that the step wrote or changed, its episode among them.
    """
    if not rules.jobs.agents:
        return
    for kind, payload in _asked(step, changed, summary).items():
        if kind.value in rules.jobs.agents:
            transaction.working.put_job(
                Job(
                    id=derive("job", kind.value, canonical_json(payload)),
                    kind=kind.value,
                    payload=payload,
                    created_at=step.created_at,
                    updated_at=step.created_at,
                )
            )


def _asked(
    step: Turn, changed: Sequence[Memory], summary: SummaryUpdate
) -> Mapping[WorkKind, dict[str, Any]]:
    """Return what there is to do for each kind of agent."""
    asked: dict[WorkKind, dict[str, Any]] = {}
    said = [message.id for message in step.messages if message.content]
    if any(message.role is Role.USER and message.content for message in step.messages):
        asked[WorkKind.EXTRACT] = {"turn_id": step.id, "messages": said}
    if summary.updated:
        asked[WorkKind.SUMMARISE] = {"session_id": step.session_id, "version": summary.version}
    active = [memory.id for memory in changed if memory.status is Status.ACTIVE]
    if active:
        asked[WorkKind.LINK] = {"turn_id": step.id, "memories": active}
    if changed:
        every = [memory.id for memory in changed]
        asked[WorkKind.EMBED] = {"turn_id": step.id, "memories": every}
    return asked
