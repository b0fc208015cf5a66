"""Taking back: what the user denies is retracted (C4, C11, M4).

In: a denial with its own time. Out: the version that it meant, retracted and buried; of a profile
the facts that were denied are gone and the others stand on. It is kept for what arrives later.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.candidate import Candidate, CandidateAction
from smartbrain.domain.memory import NEVER, OVER, Memory, Status
from smartbrain.domain.result import ConflictRule, RetentionAction
from smartbrain.remember.denials import ENDED, keep_denial
from smartbrain.remember.extract.corrections_instead import FORGOTTEN, IN_WORDS
from smartbrain.remember.extract.denied_values import (
    DENIED,
    forbids,
    names_another,
    tells_end,
)
from smartbrain.remember.extract.forgetting import FORGOTTEN_TOO
from smartbrain.remember.extract.standing import NAME_TO_USE, PERMITTED, RENAMED
from smartbrain.remember.extract.switches import SWITCHED
from smartbrain.remember.gate import Judged
from smartbrain.remember.known import left_of, meant_key
from smartbrain.remember.outcome import Outcome, conflict
from smartbrain.remember.profile_facts import is_meant as is_meant_fact
from smartbrain.remember.versions import bury, chain, labels_of, titled

if TYPE_CHECKING:
    from smartbrain.domain.memory_type import MemoryType
    from smartbrain.remember.board import Board

NOTHING_TO_RETRACT: Final = "nothing_to_retract"
"""The code of a denial that nothing is known of."""
_NOT_KNOWN: Final = "nothing that is remembered is what it asks to forget"
SAID_SINCE: Final = "it was said again after it was denied"
_IF_THERE: Final = frozenset({RENAMED, SWITCHED, FORGOTTEN_TOO, PERMITTED})
"""Rules of what goes with something new, whether or not there is anything to go."""


def retract(judged: Judged, board: Board, outcome: Outcome) -> None:
    """Take back what the user denies, and keep it from coming back by itself."""
    kind = board.types.get(judged.candidate.type)
    active = board.standing(kind.name, judged.key) if judged.key else None
    keep_denial(judged, board)
    if active is not None and active.said_at > board.origin.said_at:
        outcome.refused(judged, "older_than_active", SAID_SINCE)
        return
    if active is None or _spares(judged.candidate, active):
        if judged.candidate.rule in _IF_THERE:
            return  # nobody said that it was remembered
        asked = judged.candidate.rule == FORGOTTEN
        reason = _NOT_KNOWN if asked else "nothing that is remembered says what it denies"
        outcome.refused(judged, NOTHING_TO_RETRACT, reason)
        return
    if kind.name == "profile" and (left := left_of(active, judged.candidate)) is not None:
        _retract_facts(judged, active, left, board=board, outcome=outcome)
        return
    told = "it was taken back" if judged.candidate.message is None else "the user denied it"
    if kind.name == "events":
        keep_denial(_ended(judged), board)
    ended = {"status": Status.RETRACTED, "valid_until": board.origin.said_at}
    old = board.put(active, **ended, tags=(*active.tags, *_why_gone(judged.candidate)))
    board.lead(old.type, old.key)
    reason = judged.candidate.text or "the user denied it"
    bury(old, reason, board)
    if judged.candidate.rule in (FORGOTTEN, FORGOTTEN_TOO):
        _forget_disputed(judged, board)
    outcome.kept(judged, old, RetentionAction.RETRACTED, "denied", told)
    met = (None, old, Status.RETRACTED)
    outcome.conflicts.append(conflict(ConflictRule.RETRACT, met, "denied", told, ()))


def _why_gone(denied: Candidate) -> tuple[str, ...]:
    """Return the tag that says why something is taken back; an operation need not tell."""
    if _is_over(denied):
        return (OVER,)
    return () if denied.message is None else (NEVER,)


def _is_over(denied: Candidate) -> bool:
    """Tell whether what is taken back was true until then; what is to be forgotten is gone."""
    if denied.rule in (FORGOTTEN, FORGOTTEN_TOO):
        return False
    return denied.rule in (OVER, SWITCHED) or tells_end(denied.text)


def _forget_disputed(judged: Judged, board: Board) -> None:
    """Take back what disputes something that is to be forgotten, unless only a value is meant."""
    if "value" in judged.candidate.value:
        return
    for one in board.history(judged.candidate.type, judged.key):
        if one.status is Status.DISPUTED:
            ended = board.put(
                one,
                status=Status.RETRACTED,
                valid_until=board.origin.said_at,
                tags=(*one.tags, NEVER),
            )
            bury(ended, judged.candidate.text, board)


def _spares(denied: Candidate, active: Memory) -> bool:
    """Tell whether a denial names facts or a value that the version that stands lacks."""
    said = denied.rule in (DENIED, *_IF_THERE) or denied.rule.startswith(IN_WORDS)
    names = bool(denied.value.get("facts")) or (said and active.type != "profile")
    return names and not is_meant(denied, active)


def _retract_facts(
    judged: Judged, active: Memory, left: list[Any], *, board: Board, outcome: Outcome
) -> None:
    """Take some facts out of a profile; the others stand on in a new version."""
    kind = board.types.get(active.type)
    value = {**active.value, "facts": left}
    sentence = " ".join(kind.sentence(value).split())
    old = board.put(active, status=Status.SUPERSEDED)
    gone = [fact for fact in active.value["facts"] if fact not in left]
    if NEVER in _why_gone(judged.candidate):
        _mark_never(active.key, gone, board)
    new = board.put(
        board.make(
            active.type,
            active.key,
            title=titled(sentence),
            text=sentence,
            value=value,
            keywords=labels_of(titled(sentence), sentence, value),
            confidence=active.confidence,
            importance=active.importance,
            source_message_id=judged.message_id,
            raw_refs=judged.raw_refs,
            privacy=active.privacy,
            provenance=active.provenance,
        )
    )
    chain(new, board)
    board.lead(new.type, new.key)
    bury(replace(old, value={**old.value, "facts": gone}), "the user denied it", board)
    outcome.wrote(new)
    names = ", ".join(str(fact["k"]) for fact in gone)
    outcome.kept(judged, new, RetentionAction.RETRACTED, "denied", f"the user denied {names}")
    met = (new, old, Status.SUPERSEDED)
    told = f"{names} was denied; the rest of the profile stands"
    outcome.conflicts.append(conflict(ConflictRule.RETRACT, met, "denied", told, ("facts",)))


def _mark_never(key: str, gone: list[Any], board: Board) -> None:
    """Mark the versions of a profile that hold facts which were said to be wrong, or to be gone."""
    values = [(fact["k"], fact["v"]) for fact in gone]
    for one in board.history("profile", key):
        held = [(fact["k"], fact["v"]) for fact in one.value["facts"]]
        if NEVER not in one.tags and any(fact in held for fact in values):
            board.put(one, tags=(*one.tags, NEVER))


def retract_meant(judged: Judged, kind: MemoryType, board: Board, outcome: Outcome) -> None:
    """Take back what a correction is about that has another key, such as an event's other date."""
    meant = meant_key(judged, kind, board)
    active = board.standing(kind.name, meant.key) if meant.key != judged.key else None
    if active is not None:
        denied = replace(judged.candidate, action=CandidateAction.RETRACT, text="corrected")
        gone = replace(judged, key=active.key, candidate=denied)
        retract(_ended(gone) if kind.name == "events" else gone, board, outcome)


def _ended(judged: Judged) -> Judged:
    """Return the note that an event was taken back; who took it back says itself what it means."""
    return replace(judged, candidate=replace(judged.candidate, rule=ENDED))


def is_meant(denied: Candidate, memory: Memory) -> bool:
    """Tell whether a denial takes back what a version says; of a profile it may mean any fact."""
    if denied.rule == PERMITTED:
        return forbids(memory.value)
    called_so = denied.rule == RENAMED and memory.value.get("name") == NAME_TO_USE
    if called_so or denied.rule in (SWITCHED, DENIED):
        called = (str(one.value.get("value")).casefold() for one in (denied, memory))
        return len({*called}) == 1
    if denied.rule.startswith(IN_WORDS) and names_another(memory.type, denied.value, memory.value):
        return False
    facts = memory.value.get("facts")
    if memory.type != "profile" or not facts:
        return True
    named = denied.value.get("facts", ())
    if named:
        return any(is_meant_fact(one, fact) for one in named for fact in facts)
    return any(str(fact["v"]).casefold() in denied.text.casefold() for fact in facts)
