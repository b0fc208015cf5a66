"""What outside agents and models propose to remember, on the way that everything takes (C3, C6).

In: the answer of whoever read a turn, as proposals by type. Out: memories of that turn, where gate
and resolving let them pass. A proposal that quotes the user's own words counts as said by the user,
any other one is inferred. What the rules had found in the same turn is not counted again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.reason import Reason
from smartbrain.domain.result import CommitExplain
from smartbrain.domain.turn import Turn
from smartbrain.errors import UsageError
from smartbrain.govern.sessions import with_texts
from smartbrain.remember.claims import Origin as ClaimOrigin
from smartbrain.remember.episode import episode_of
from smartbrain.remember.extract.said import Said
from smartbrain.remember.extract.turn import read_step
from smartbrain.remember.gate import Judged, gate
from smartbrain.remember.groups import claim_and_fold
from smartbrain.remember.link import link_named
from smartbrain.remember.names import read_text
from smartbrain.remember.origin import Origin
from smartbrain.remember.quotes import spans_at
from smartbrain.remember.review import ask_for_review
from smartbrain.remember.summarise import core_memory
from smartbrain.remember.user_quotes import LONGEST_QUOTE, Quoted, find_quote
from smartbrain.remember.write_set import WriteSet

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.rules import WriteRules

RETRACTIONS: Final = "retractions"
AGENTS: Final = "agents/1"
"""The reader of claims that an outside agent makes."""
# Made by the runtime itself: turns leave episodes and statements, runs leave insights.
_OURS: Final = frozenset({"episodes", "statements", "insights", "meta", "concepts"})
_MOST: Final = 100
_UNSAID: Final = 0.6  # how sure a proposal is that does not say it
_NOT_ASKED: Final = ("confirmed", "remember")
_ABOUT: Final = frozenset({"quote", "confidence", "evidence_refs", *_NOT_ASKED})


@dataclass(frozen=True, slots=True)
class Spoken:
    """The part of a turn that an agent is asked about: its messages, and how they are read."""

    turn: Turn
    said: list[tuple[int, Said]]


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of an answer: the ids of what it wrote, and why each part of it fared so."""

    written: tuple[str, ...] = ()
    explain: CommitExplain = field(default_factory=CommitExplain)
    operation_id: str | None = None


def proposable(types: TypeRegistry) -> list[str]:
    """Return the types of memory that an agent may propose."""
    return [kind.name for kind in types if kind.name not in _OURS]


def read_proposals(answer: Mapping[str, Any], types: TypeRegistry) -> dict[str, list[Any]]:
    """Return proposals by type, each fit to be a memory of its type.

    Raises:
        UsageError: a part is malformed; the sentence names it.
    """
    names = [*proposable(types), RETRACTIONS]
    read: dict[str, list[Any]] = {}
    for name in sorted(answer, key=str):  # as it is read when it is run again
        given = answer[name]
        if name not in names:
            near = did_you_mean(name, names) or f"; it may have {', '.join(names)}"
            raise UsageError(f"the answer has {name!r:.60}, which cannot be proposed{near}")
        if not isinstance(given, list | tuple):
            raise UsageError(f"{name} must be a list of proposals, not {type(given).__name__}")
        for place, proposal in enumerate(given):
            check_proposal(name, proposal, f"{name}[{place}]", types)
        read[name] = [dict(proposal) for proposal in given]
    count = sum(map(len, read.values()))
    if count > _MOST:
        raise UsageError(f"the answer has {count} proposals; {_MOST} is the limit")
    return read


def check_proposal(name: str, proposal: object, where: str, types: TypeRegistry) -> None:
    """Refuse a proposal that could be no memory of its type.

    Raises:
        UsageError: the sentence names the field.
    """
    if not isinstance(proposal, Mapping):
        raise UsageError(f"{where} must be a dict, not {type(proposal).__name__}")
    if proposal.get("quote") is not None:
        read_text(proposal["quote"], f"{where}.quote", longest=LONGEST_QUOTE, empty=True)
    told = {field: item for field, item in proposal.items() if field != "quote"}
    if name == RETRACTIONS and told.get("type") not in proposable(types):
        raise UsageError(f"{where}.type must be one of {', '.join(proposable(types))}")
    try:
        if name == RETRACTIONS:
            types.get(str(told["type"])).check_key(told.get("key", ""))
        else:
            types.get(name).check_proposal(told)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", code=error.code) from error


def spoken(payload: Mapping[str, Any], *, transaction: Transaction, ports: Ports) -> Spoken:
    """Return the messages that a piece of work is about.

    Raises:
        NotFound: the turn is gone.
        AdapterError: an original is damaged or gone.
    """
    turn = transaction.events.turn(str(payload["turn_id"]))
    asked = frozenset(payload["messages"])
    kept = tuple(message for message in turn.messages if message.id in asked)
    turn = replace(turn, messages=kept, tool_calls=(), proposals={})
    (turn,) = with_texts([turn], transaction=transaction, blobs=ports.blobs, outputs=False)
    return Spoken(turn, read_step(turn, lambda: None).said)


def suggest(
    payload: Mapping[str, Any],
    answer: Mapping[str, Any],
    now: datetime,
    *,
    transaction: Transaction,
    ports: Ports,
    rules: WriteRules,
) -> Applied:
    """Make memories of what an agent proposes about a turn, at the turn's own time.

    Raises:
        UsageError: the answer is malformed; the sentence names the field.
        NotFound: the turn is gone.
    """
    proposals = read_proposals(answer, ports.types)
    about = spoken(payload, transaction=transaction, ports=ports)
    turn = about.turn
    ignored: list[Reason] = []
    candidates = list(_candidates(proposals, about, ports.types, ignored))
    origin = Origin(turn_id=turn.id, session_id=turn.session_id, said_at=turn.at, now=now)
    weighing = rules.rules.policies.linking.edge_weight
    writes = WriteSet(transaction, ports.types, origin, weighing)
    judged = gate(candidates, types=ports.types, rules=rules.rules)
    checked = [_checked(_with_spans(one, turn)) for one in judged]
    claimed = ClaimOrigin(
        turn_id=turn.id,
        session_id=turn.session_id,
        place=turn.seq,
        said_at=turn.at,
        reader=AGENTS,
    )
    outcome = claim_and_fold(checked, claimed, writes=writes, rules=rules.rules)
    episode = episode_of(ports.types.get("episodes"), turn.session_id, turn.id).id
    link_named([writes.get(one) for one in (*outcome.written, *outcome.repeated)], episode, writes)
    writes.write()
    ask_for_review(outcome.to_review, writes=writes)
    core_memory(writes.written(), now, transaction=transaction, rules=rules.rules)
    explain = CommitExplain(
        retention=tuple(outcome.retention),
        conflicts=tuple(outcome.conflicts),
        ignored=tuple(ignored),
    )
    return Applied(tuple(outcome.written), explain)


def _candidates(
    proposals: Mapping[str, list[Any]], about: Spoken, types: TypeRegistry, ignored: list[Reason]
) -> Iterator[Candidate]:
    """Yield the candidates of an answer, and note what it says that is not for an agent to say."""
    for name, given in proposals.items():
        for place, proposal in enumerate(given):
            where = f"{name}[{place}]"
            ignored += [
                Reason("not_asked", f"{where}.{field} is for the user to say; not read")
                for field in _NOT_ASKED
                if proposal.get(field)
            ]
            quote = str(proposal.get("quote") or "")
            at = None
            if quote:
                denies = name == RETRACTIONS
                at = find_quote(quote, about.said, about.turn.messages, of_denial=denies)
            if quote and at is None:
                said = "the user does not state it in these words"
                ignored.append(Reason("quote_not_found", f"{where}.quote: {said}; it is inferred"))
            yield _candidate(name, proposal, at, about.turn, types)


def _candidate(
    name: str, proposal: Mapping[str, Any], at: Quoted | None, turn: Turn, types: TypeRegistry
) -> Candidate:
    """Return one proposal as a candidate, of the user where the user's words say so."""
    retracts = name == RETRACTIONS
    value = {field: item for field, item in proposal.items() if field not in _ABOUT}
    told = {field: item for field, item in value.items() if field != "key"}
    text = str(proposal.get("reason") or "") if retracts else types.get(name).sentence(told)
    sure = proposal.get("confidence")
    candidate = Candidate(
        type=str(proposal["type"]) if retracts else name,
        value={"key": proposal["key"]} if retracts else value,
        text=text,
        rule="agent.retraction" if retracts else "agent.proposal",
        source=Source.AGENT,
        action=CandidateAction.RETRACT if retracts else CandidateAction.WRITE,
        confidence=_UNSAID if sure is None else float(sure),
    )
    if at is None:
        return candidate
    words = turn.messages[at.message].content[at.offset : at.offset + at.length]
    return replace(
        candidate,
        text=words,
        source=Source.USER,
        message=at.message,
        offset=at.offset,
        length=at.length,
    )


def _with_spans(judged: Judged, turn: Turn) -> Judged:
    """Return a candidate with the spans of the words that it quotes."""
    one = judged.candidate
    if one.message is None:
        return judged
    message = turn.messages[one.message]
    refs = spans_at(message.content, message, one.offset, one.length)
    return replace(judged, raw_refs=refs, message_id=message.id)


def _checked(judged: Judged) -> Judged:
    """Refuse what only the user may say."""
    one = judged.candidate
    if judged.refused is not None:
        return judged
    if one.type == "entities":
        reason = Reason("entity_gate", "an entity becomes a memory by being named again")
    elif one.action is CandidateAction.RETRACT and one.source is not Source.USER:
        reason = Reason("unconfirmed", "only the user's own words take something back")
    else:
        return judged
    return replace(judged, refused=reason)
