"""Who of several speakers a statement is about: the user of the tenant, or somebody else by name.

In: the candidates of a step. Out: the same, those of other speakers under their own names, so that
nobody's profile and preferences take the place of another's. A session's user is who speaks in it
first; without a name it is always the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from smartbrain.domain.candidate import Candidate, CandidateAction
from smartbrain.domain.job import StateEntry
from smartbrain.domain.turn import Message, Role
from smartbrain.text.controls import without_controls

if TYPE_CHECKING:
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.record import Recorded

_FIRST: Final = "first_speaker"
_MINE: Final = "user"


def by_speaker(
    candidates: Sequence[Candidate], recorded: Recorded, *, transaction: Transaction
) -> list[Candidate]:
    """Return candidates with the names of those who are not the user."""
    names = [_name(one) for one in recorded.said.messages]
    if not any(names):
        return list(candidates)
    first = _first_speaker(recorded, transaction)
    others = {place: name for place, name in enumerate(names) if name and name != first}
    return [
        _named(one, others[one.message]) if one.message in others else one for one in candidates
    ]


def find_other_speaker(message: Message, session_id: str, *, transaction: Transaction) -> str:
    """Return the name of who says a stored message; empty where that is the user."""
    name = _name(message)
    known = next(iter(transaction.working.state(f"session:{session_id}", _FIRST)), None)
    return name if name and known is not None and name != known.body["name"] else ""


def _name(message: Message) -> str:
    """Return the name that a message of somebody who talks to the assistant has."""
    return without_controls(message.name or "").strip() if message.role is Role.USER else ""


def _first_speaker(recorded: Recorded, transaction: Transaction) -> str:
    """Return who spoke first in a session, noted when somebody first does under a name."""
    step = recorded.said
    owner = f"session:{step.session_id}"
    known = next(iter(transaction.working.state(owner, _FIRST)), None)
    if known is not None:
        return str(known.body["name"])
    before = recorded.stored.messages if recorded.stored else ()
    if recorded.previous is not None:
        before = transaction.events.turn(recorded.previous.id).messages
    spoken = [one for one in (*before, *step.messages) if one.role is Role.USER]
    first = _name(spoken[0])
    transaction.working.put_state(
        StateEntry(
            owner=owner,
            kind=_FIRST,
            id=_FIRST,
            body={"name": first},
            created_at=step.created_at,
            updated_at=step.created_at,
        )
    )
    return first


def _named(candidate: Candidate, name: str) -> Candidate:
    """Return a candidate as what somebody else says of themselves."""
    value, text = dict(candidate.value), ""  # their own words say "I", which is the user
    if candidate.type == "preferences" and value.get("name"):
        value["name"] = f"{name} {value['name']}"
        text = f"{name}: {candidate.text}" if candidate.text else ""
    elif value.get("subject") == _MINE:
        value["subject"] = name
    else:
        return candidate
    if candidate.action is CandidateAction.RETRACT:
        text = candidate.text  # which is only looked at
    return replace(candidate, value=value, text=text, rule=f"speaker.{candidate.rule}")
