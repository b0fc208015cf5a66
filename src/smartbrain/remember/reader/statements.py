"""What the trained reader finds in the messages of a step, as statements and as claims (K5, K6).

In: messages as they were cut into what their speaker says and what is only handed over. Out:
statements with the place of their words, and the claims they make: certain ones count, the others
are candidates. Text that was handed over, pasted or shown by a context is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from smartbrain.domain.candidate import Source
from smartbrain.domain.claim import CLOSES, Claim, ClaimStatus, Say
from smartbrain.domain.reason import Reason
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.remember.claims import READER, ClaimMaker
from smartbrain.remember.gate import judge_privacy
from smartbrain.remember.quotes import spans_at
from smartbrain.remember.reader.read import Frame, read_message
from smartbrain.remember.speakers import find_other_speaker
from smartbrain.remember.stated import SaidWords, StatedClaim, StatementReader
from smartbrain.text.ontology import Ontology, extend_ontology

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.claims import Origin
    from smartbrain.remember.extract.said import Said
    from smartbrain.remember.record import Recorded

MIN_KEPT: Final = 0.3
"""Below this a frame is not even a candidate."""
MIN_CERTAIN: Final = 0.5
MIN_ENDING: Final = 0.6
"""How sure the reader must be that something ended, before it ends anything."""
_UNSURE: Final = 0.49
_UNCERTAIN: Final = "the reader is not certain of it; the words are kept as a candidate"
_OF_ONE_PERSON: Final = frozenset(("profile", "preferences", "facts"))


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of a message, and where its words stand."""

    message: int
    stated: StatedClaim
    start: int
    end: int
    quote: tuple[int, int]


def trained_ontology(rules: Rules) -> Ontology | None:
    """Returns the ontology that the trained reader reads by; None where rules read."""
    if rules.policies.retention.reader != "trained":
        return None
    return extend_ontology(rules.ontology.attributes)


def read_statements(
    said: Said, message: int, *, ontology: Ontology, declared: bool = False
) -> list[Statement]:
    """Returns what a message of the user states."""
    if said.source is not Source.USER or said.pasted:
        return []
    reading = read_message(own_text(said), _asked_before(said), ontology=ontology)
    return [
        Statement(
            message=message,
            stated=_stated(frame, declared=declared),
            start=frame.start,
            end=frame.end,
            quote=frame.clause,
        )
        for frame in reading.frames
        if frame.certainty >= MIN_KEPT or declared
    ]


def own_text(said: Said) -> str:
    """Returns a message with blanks in the place of what its speaker does not say."""
    own = [" "] * len(said.text)
    for sentence in said.sentences:
        own[sentence.offset : sentence.offset + len(sentence.text)] = sentence.text
    kept = "".join(own)
    return "".join(
        char if char != " " else ("\n" if said.text[place] == "\n" else " ")
        for place, char in enumerate(kept)
    )


def _asked_before(said: Said) -> str:
    """Returns the assistant's message that a message answers, if it does."""
    before = said.earlier[-1] if len(said.earlier) else None
    return before.text if before is not None and before.source is Source.ASSISTANT else ""


def _stated(frame: Frame, *, declared: bool) -> StatedClaim:
    certainty = max(frame.certainty, 0.9) if declared else frame.certainty
    if certainty < MIN_CERTAIN or _is_unresolved(frame) or _ends_by_guess(frame):
        certainty = min(certainty, _UNSURE)
    return StatedClaim(
        type=frame.type,
        subject=frame.subject,
        relation=frame.relation,
        attr=frame.attr,
        value=frame.value,
        say=Say(frame.say),
        when=frame.when if frame.type in ("tasks", "events", "goals") else "",
        because=frame.because if frame.type in ("tasks", "decisions") else "",
        topic=frame.topic if frame.type == "decisions" else "",
        problem=frame.value if frame.type == "cases" else "",
        solution=frame.solution if frame.type == "cases" else "",
        certainty=certainty,
    )


def _is_unresolved(frame: Frame) -> bool:
    """Tells whether nobody knows of whom or what something is said (K10)."""
    return frame.subject == "user" and (frame.relation != "self" or frame.type == "facts")


def _ends_by_guess(frame: Frame) -> bool:
    return Say(frame.say) in CLOSES and frame.say_certainty < MIN_ENDING


def claim_statements(
    statements: Sequence[Statement],
    recorded: Recorded,
    origin: Origin,
    *,
    transaction: Transaction,
    types: TypeRegistry,
    rules: Rules,
) -> tuple[list[Claim], list[Retention]]:
    """Returns the claims of statements, and why there is none of others."""
    ontology = extend_ontology(rules.ontology.attributes)
    origin = msgspec.structs.replace(origin, reader=READER)
    reader = StatementReader(origin, ClaimMaker(origin, types, ontology), ontology)
    claims: list[Claim] = []
    told: list[Retention] = []
    for one in statements:
        message = recorded.said.messages[one.message]
        start, end = one.quote
        text = message.content[start:end].strip()
        pii, refused = judge_privacy((text, one.stated.value), rules)
        words = SaidWords(
            text=text,
            message=origin.first_message + one.message,
            message_id=message.id,
            start=one.start,
            length=one.end - one.start,
            spans=spans_at(
                message.content, recorded.spans.messages[one.message], start, end - start
            ),
            speaker=find_other_speaker(message, origin.session_id, transaction=transaction),
            pii=pii,
            confidence=rules.policies.retention.confidence.user_asserted,
        )
        made = refused or reader.make_claim(one.stated, words)
        if isinstance(made, Reason):
            told.append(_retain(one, RetentionAction.REFUSED, made.code, made.reason))
            continue
        claims.append(made)
        if made.status is ClaimStatus.CANDIDATE:
            told.append(_retain(one, RetentionAction.DEFERRED, "uncertain", _UNCERTAIN))
    return claims, told


def _retain(one: Statement, action: RetentionAction, code: str, reason: str) -> Retention:
    told = f"{one.stated.attr} of {one.stated.subject} = {one.stated.value}"
    return Retention(
        type=one.stated.type, key="", action=action, code=code, reason=f"{told[:120]}: {reason}"
    )
