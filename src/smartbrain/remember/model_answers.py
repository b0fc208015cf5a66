"""What a language model or an outside agent is shown of a turn, and what it reads in it (K5, C9).

In: the answer {"claims": [...]} about some messages of a stored turn. Out: claims in the name of
the user whose words they quote, in the place of those that the default reader had found in the same
messages, and why every other part of the answer was dropped. User's operations, tools and callers
are left as they are. An answer that is no such object changes nothing. Beside the turn stand the
memories that it may touch, in single dated lines, so that a reader knows what a change ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from smartbrain.domain.claim import CLOSES, Claim, ClaimStatus
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.reason import Reason
from smartbrain.domain.result import CommitExplain, Retention, RetentionAction
from smartbrain.domain.turn import DECLARED, Message, Turn
from smartbrain.errors import UsageError
from smartbrain.govern.short_term import with_texts
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction
from smartbrain.remember.claims import (
    MODEL,
    READER,
    ClaimMaker,
    ClaimOrigin,
    SaidWords,
    StatedClaim,
)
from smartbrain.remember.quotes import find_quote, spans_at
from smartbrain.remember.read_turn import read_messages
from smartbrain.remember.record import find_other_speaker
from smartbrain.remember.reread import ClaimChanges, replace_claims
from smartbrain.remember.rules.said import Said
from smartbrain.remember.summary import core_memory
from smartbrain.text.controls import value_without_controls
from smartbrain.text.ontology import Ontology
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.remember.write_rules import WriteTools

MAX_CLAIMS: Final = 60
"""Claims of one answer that are looked at."""
REPLACED: Final = "replaced"
MAX_LINES: Final = 40
_NEWEST: Final = 12  # lines that are shown whether or not they share a word
_MAX_READ: Final = 200  # memories of a type that are looked through, the newest ones
_STANDING: Final = ("profile", "preferences", "facts", "decisions", "tasks", "goals", "events")
_FIELDS: Final = {
    "subject": ("subject",),
    "attr": ("attribute", "name"),
    "value": ("value", "decision", "title", "description", "name"),
    "topic": ("topic",),
    "scope": ("project",),
    "status": ("status",),
    "when": ("due", "date"),
}
"""What a line tells, and the fields of values that hold it."""
_UNCERTAIN: Final = "the model is not certain of it; it is kept as a candidate"
_READ_ANEW: Final = "a language model has read the message anew"


class ModelClaim(StatedClaim, frozen=True, kw_only=True):
    """One claim of an answer: a statement, and the user's very words that say it."""

    quote: str
    message: int = -1


class ClaimsAnswer(msgspec.Struct, frozen=True):
    """All that a model may answer about a turn."""

    claims: list[ModelClaim]


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What became of an answer: the ids of what it wrote, and why each part of it fared so."""

    written: tuple[str, ...] = ()
    explain: CommitExplain = field(default_factory=CommitExplain)
    operation_id: str | None = None


@dataclass(frozen=True, slots=True)
class AskedMessages:
    """The messages of a turn that an answer is about, by their place in it, and how they read."""

    turn: Turn
    said: list[tuple[int, Said]]


def load_messages(
    payload: Mapping[str, Any], *, transaction: Transaction, ports: Ports
) -> AskedMessages:
    """Return the messages that a piece of work is about."""
    turn = transaction.events.turn(str(payload["turn_id"]))
    turn = replace(turn, tool_calls=(), proposals={})
    (turn,) = with_texts([turn], transaction=transaction, blobs=ports.blobs, outputs=False)
    asked = frozenset(payload["messages"])
    said = read_messages(turn, None)
    return AskedMessages(turn, [one for one in said if turn.messages[one[0]].id in asked])


def read_claims(answer: Mapping[str, Any]) -> tuple[list[ModelClaim], list[Reason]]:
    """Return the claims of an answer that are formed right, and why others are not."""
    given = answer.get("claims")
    if {*answer} != {"claims"} or not isinstance(given, list | tuple):
        raise UsageError('an answer is {"claims": [...]}, and nothing else')
    claims, dropped = [], []
    for place, one in enumerate(given[:MAX_CLAIMS]):
        try:
            claims.append(_read_claim(one))
        except (msgspec.ValidationError, TypeError, ValueError) as error:
            dropped.append(Reason("bad_claim", f"claims[{place}]: {error!s:.200}"))
    if len(given) > MAX_CLAIMS:
        more = len(given) - MAX_CLAIMS
        reason = f"{more} claims beyond the first {MAX_CLAIMS} are not looked at"
        dropped.append(Reason("too_many", reason, detail={"count": more}))
    return claims, dropped


def apply_model_answer(
    payload: Mapping[str, Any],
    answer: Mapping[str, Any],
    now: datetime,
    *,
    tools: WriteTools,
) -> AnswerOutcome:
    """Let the claims of an answer stand in the place of those that the default reader had found."""
    stated, dropped = read_claims(answer)
    asked = load_messages(payload, transaction=tools.transaction, ports=tools.ports)
    turn = asked.turn
    claims = _make_claims(stated, asked, dropped, tools)
    replaced = _find_replaced(asked, claims, tools.transaction)
    changes = ClaimChanges((), claims, replaced)
    outcome, written = replace_claims(turn, changes, now, tools=tools)
    core_memory(written, now, transaction=tools.transaction, rules=tools.rules)
    waiting = [one for one in claims if one.status is ClaimStatus.CANDIDATE]
    explain = CommitExplain(
        retention=(
            *outcome.retention,
            *(_retain(one, RetentionAction.DEFERRED, "uncertain", _UNCERTAIN) for one in waiting),
            *(_retain(one, RetentionAction.SUPERSEDED, REPLACED, _READ_ANEW) for one in replaced),
        ),
        conflicts=tuple(outcome.conflicts),
        ignored=tuple(dropped),
    )
    return AnswerOutcome(tuple(outcome.written), explain)


def count_claims(explain: CommitExplain) -> dict[str, int]:
    """Return how many claims of an answer were kept, dropped and replaced, told by its reasons."""
    replaced = sum(one.code == REPLACED for one in explain.retention)
    dropped = sum(int(one.detail.get("count", 1)) for one in explain.ignored)
    kept = len(explain.retention) - replaced
    return {"kept": kept, "dropped": dropped, "replaced": replaced}


def _read_claim(given: object) -> ModelClaim:
    """Read one claim; what is null is left out, and a number is its digits."""
    if not isinstance(given, Mapping):
        raise TypeError("a claim is an object")
    fields = {name: item for name, item in given.items() if item is not None}
    value = fields.get("value", "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        fields["value"] = str(value)
    return msgspec.convert(value_without_controls(fields), ModelClaim)


def _make_claims(
    stated: Sequence[ModelClaim],
    asked: AskedMessages,
    dropped: list[Reason],
    tools: WriteTools,
) -> list[Claim]:
    turn = asked.turn
    session, place = turn.session_id, turn.seq
    origin = ClaimOrigin(
        turn_id=turn.id, session_id=session, place=place, said_at=turn.at, reader=MODEL
    )
    maker = ClaimMaker(origin, tools.ports.types, tools.rules)
    shown = [index for index, _ in asked.said]
    claims = []
    for one in stated:
        first = shown[one.message] if 0 <= one.message < len(shown) else -1
        ends = one.say in CLOSES
        at = find_quote(one.quote, one.value, asked.said, turn.messages, first, of_ending=ends)
        if isinstance(at, Reason):
            dropped.append(_about(at, one))
            continue
        message = turn.messages[at.message]
        words = _words_of(message, at.message, at.offset, at.length, one.value)
        speaker = find_other_speaker(message, session, transaction=tools.transaction)
        made = maker.claim_statement(one, replace(words, speaker=speaker))
        if isinstance(made, Reason):
            dropped.append(_about(made, one))
        else:
            claims.append(made)
    return claims


def _words_of(message: Message, index: int, start: int, length: int, value: str) -> SaidWords:
    """Return the words of a quotation; a claim stands where its value does, if that is quoted."""
    text = message.content[start : start + length]
    inside = text.find(value.strip()) if value.strip() else -1
    return SaidWords(
        text=text,
        message=index,
        message_id=message.id,
        start=start + max(0, inside),
        length=len(value.strip()) if inside >= 0 else length,
        spans=spans_at(message.content, message.spans, start, length),
    )


def _find_replaced(
    asked: AskedMessages, claims: Sequence[Claim], transaction: Transaction
) -> list[Claim]:
    """Return the claims that readers had found before in the messages of an answer.

    What the user asked outright to remember stays, where the answer says nothing of its message.
    """
    read_again = {index for index, _ in asked.said}
    messages, spoken = asked.turn.messages, {claim.message for claim in claims}
    read_again -= {index for index in read_again - spoken if messages[index].meta.get(DECLARED)}
    fresh = {claim.id for claim in claims}
    return [
        claim
        for claim in transaction.claims.of_turn(asked.turn.id)
        if claim.reader in (READER, MODEL)
        and claim.message in read_again
        and claim.status is not ClaimStatus.REPLACED
        and claim.id not in fresh
    ]


def _about(reason: Reason, one: ModelClaim) -> Reason:
    told = f"{one.type}.{one.attr} of {one.subject} = {one.value}"
    return replace(reason, reason=f"{told[:120]}: {reason.reason}", type=one.type)


def _retain(claim: Claim, action: RetentionAction, code: str, reason: str) -> Retention:
    told = f"{claim.attribute} of {claim.subject} = {claim.value}"
    return Retention(
        type=claim.type,
        key=str(claim.detail.get("key") or ""),
        action=action,
        code=code,
        reason=f"{told[:120]}: {reason}",
    )


def choose_standing_lines(
    turn_id: str, text: str, ontology: Ontology, *, transaction: Transaction
) -> list[dict[str, Any]]:
    """Return what stood before a turn that its text may touch, what it touches most first."""
    terms = frozenset(index_terms(text))
    cued = {hit.attribute for hit in ontology.find_cues(text)}

    def score(line: dict[str, Any]) -> float:
        said = " ".join(str(line.get(name, "")) for name in ("subject", "value", "topic", "scope"))
        shared = len(terms.intersection(index_terms(said)))
        return shared + 2.0 * (line.get("attr") in cued)  # a cue counts as two words

    lines = [
        line
        for kind in _STANDING
        for memory in _stood_before(turn_id, kind, transaction)
        for line in _lines_of(memory)
    ]
    lines.sort(key=lambda line: str(line["since"]), reverse=True)
    scored = [(score(line), line) for line in lines]
    newest = [line for scores, line in scored if scores <= 0][:_NEWEST]
    touched = [one for one in scored if one[0] > 0]
    touched.sort(key=lambda one: -one[0])
    return [*(line for _, line in touched[: MAX_LINES - len(newest)]), *newest]


def _stood_before(turn_id: str, kind: str, transaction: Transaction) -> Iterator[Memory]:
    standing = transaction.remembering.newest(kind, limit=_MAX_READ)
    changed = [one.key for one in standing if one.source_turn_id == turn_id]
    histories = transaction.remembering.histories(changed) if changed else {}
    for memory in standing:
        if memory.source_turn_id != turn_id:
            yield memory
            continue
        earlier = [
            one
            for one in histories.get(memory.key, ())
            if one.source_turn_id != turn_id and one.status is Status.SUPERSEDED
        ]
        yield from earlier[-1:]


def _lines_of(memory: Memory) -> Iterator[dict[str, Any]]:
    """Yield a memory as lines: of a profile one a fact, of what is done none."""
    value, since = memory.value, memory.said_at.date().isoformat()
    line: dict[str, Any] = {"type": memory.type, "since": since}
    if memory.type == "profile":
        for fact in value["facts"]:
            yield {**line, "subject": value["subject"], "attr": fact["k"], "value": fact["v"]}
    elif value.get("status") not in ("done", "achieved"):
        told = {
            name: next(filter(None, map(value.get, fields)), None)
            for name, fields in _FIELDS.items()
            if (name, memory.type) != ("attr", "goals")
        }
        yield {**line, **{name: item for name, item in told.items() if item}}
