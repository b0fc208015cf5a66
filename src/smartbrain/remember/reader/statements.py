"""What the trained reader finds in the messages of a step, as statements and as claims (K5, K6).

In: messages as they were cut into what their speaker says and what is only handed over. Out:
statements with the place of their words, and the claims they make: certain ones count, the others
are candidates. Text that was handed over, pasted or shown by a context is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from smartbrain.domain.claim import Claim, ClaimStatus, Say, Source
from smartbrain.domain.forgetting import is_hole
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.domain.types import TypeRegistry
from smartbrain.ports.truth import Transaction
from smartbrain.remember.claims import (
    MAX_VALUE,
    READER,
    ClaimMaker,
    ClaimOrigin,
    SaidWords,
    StatedClaim,
)
from smartbrain.remember.quotes import is_denied_around, spans_at
from smartbrain.remember.reader.read import Frame, read_message
from smartbrain.remember.record import Recorded, find_other_speaker
from smartbrain.remember.rules.forms import (
    UNTIL_REACH,
    ListedTask,
    find_confirmed,
    find_declared,
    find_listed_tasks,
    find_until,
    is_off_record_request,
    restore_marks,
    says_done,
    show_examples,
)
from smartbrain.remember.rules.said import Mood, Said
from smartbrain.text.controls import without_controls
from smartbrain.text.entities import find_entities
from smartbrain.text.ontology import OTHER, Ontology

MIN_KEPT: Final = 0.3
"""Below this a frame is not even a candidate."""
MIN_CERTAIN: Final = 0.65
CASE_REACH: Final = 120
"""Characters before a solution in which its problem is told."""
MIN_NAMED: Final = 0.7
"""From here on an attribute is named; what is less certain stands as words of no attribute."""
_UNSURE: Final = 0.49
_UNCERTAIN: Final = "the reader is not certain of it; the words are kept as a candidate"
_OF_SOMEBODY: Final = frozenset(("profile", "facts"))
_SAID_BY_NOT: Final = frozenset(("allergy", "diet", "health", "habit", "limit", "status", "skill"))
"""Attributes that are told by what somebody does not do: "I can't eat nuts"."""
_OF_PLANS: Final = frozenset(("tasks", "goals", "events", "cases"))
_OF_PROJECTS: Final = frozenset(("tasks", "goals", "decisions", "events", "cases"))


class ReadStatement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of a message, and where its words stand.

    `declared` is what the user asked to remember, `confirmed` what the assistant had proposed.
    """

    message: int
    stated: StatedClaim
    start: int
    end: int
    quote: tuple[int, int]
    declared: bool = False
    confirmed: bool = False


def read_statements(
    said: Said, message: int, *, ontology: Ontology, declared: bool = False
) -> list[ReadStatement]:
    """Returns what a message of the user states; all of it may be `declared`, to be remembered."""
    if said.source is not Source.USER or said.pasted:
        return []
    if finished := _finished(said, message, ontology):
        return finished
    text, before = own_text(said), said.answers
    listed = [_listed(one, message) for one in find_listed_tasks(text)]
    asked = _declared_spans(said, declared=declared)
    found = [
        _statement(frame, said, message, declared=_is_within(frame.start, asked))
        for frame in _read_frames(text, before, ontology)
        if not is_hole(frame.value)
        and not any(one.start < frame.end and frame.start < one.end for one in listed)
    ]
    found = [one for one in found if one.stated.certainty >= MIN_KEPT or one.declared]
    stated = [(one.start, one.end) for one in (*found, *listed)]
    notes = [_note(text, span, message) for span in asked if not _holds_any(span, stated)]
    found += _confirmed(text, before, message, ontology) if not found else []
    return [*found, *listed, *notes]


def _read_frames(text: str, before: str, ontology: Ontology) -> Sequence[Frame]:
    """Returns what the reader finds; masked data is read as what it was."""
    shown = show_examples(text)
    frames = read_message(shown, before, ontology=ontology)
    if shown == text:
        return frames
    spoken = ("subject", "value", "when", "because", "topic", "scope", "solution")
    return [
        msgspec.structs.replace(
            frame, **{name: restore_marks(getattr(frame, name)) for name in spoken}
        )
        for frame in frames
    ]


def _statement(frame: Frame, said: Said, message: int, *, declared: bool) -> ReadStatement:
    stated = _stated(frame, declared=declared)
    until = find_until(said.text[frame.end : frame.end + UNTIL_REACH])
    if frame.type == "decisions" and not stated.when:  # the day may stand before the choice
        before = said.text[frame.clause[0] : frame.start]
        stated = msgspec.structs.replace(stated, when=before)
    if frame.type == "cases" and not frame.solution:
        problem = said.text[max(0, frame.clause[0] - CASE_REACH) : frame.start]
        told = " ".join(problem.split()).strip(" ,.，。") or stated.value
        stated = msgspec.structs.replace(stated, problem=told, solution=stated.value)
    if _is_denied(frame, said):
        stated = msgspec.structs.replace(stated, certainty=min(stated.certainty, _UNSURE))
    return ReadStatement(
        message=message,
        stated=msgspec.structs.replace(stated, until=until) if until else stated,
        start=frame.start,
        end=frame.end,
        quote=frame.clause,
        declared=declared,
    )


def _is_denied(frame: Frame, said: Said) -> bool:
    """Tells whether words that deny a value stand around it, though it was read as so."""
    if frame.say != Say.ASSERT or frame.type not in _OF_SOMEBODY or frame.attr in _SAID_BY_NOT:
        return False
    return is_denied_around(frame.start, frame.end, said)


def _declared_spans(said: Said, *, declared: bool) -> list[tuple[int, int]]:
    """Returns the parts of a message that the user asks to be remembered."""
    spans = []
    for sentence in said.sentences:
        if declared:
            asks = sentence.mood is Mood.ASKED or not any(map(str.isalnum, sentence.text))
            span = None if asks else (0, len(sentence.text))
        else:
            asks_not_to = is_off_record_request(sentence.text)
            span = None if asks_not_to else find_declared(sentence.text)
        if span is not None:
            spans.append((sentence.offset + span[0], sentence.offset + span[1]))
    if declared and not said.sentences and said.handed and said.text.strip():
        spans.append((0, min(len(said.text), MAX_VALUE)))
    return spans


def _is_within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _holds_any(span: tuple[int, int], stated: Sequence[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in stated)


def _note(text: str, span: tuple[int, int], message: int) -> ReadStatement:
    """Returns words that are to be remembered and that nothing was read in: a fact of their own."""
    start, end = span
    words = " ".join(text[start:end].split()).strip(" ,.;:!，。；：！")[:MAX_VALUE]
    about = next((one.name for one in find_entities(words)), "user")
    stated = StatedClaim(type="facts", subject=about, relation="thing", value=words, certainty=0.9)
    return ReadStatement(
        message=message, stated=stated, start=start, end=end, quote=span, declared=True
    )


def _listed(task: ListedTask, message: int) -> ReadStatement:
    say = Say.DONE if task.is_done else Say.ASSERT
    return ReadStatement(
        message=message,
        stated=StatedClaim(type="tasks", attr="todo", value=task.text, say=say),
        start=task.start,
        end=task.end,
        quote=(task.start, task.end),
    )


def _confirmed(text: str, before: str, message: int, ontology: Ontology) -> list[ReadStatement]:
    """Returns what a bare yes agrees to; its words stand in the assistant's message."""
    proposal = find_confirmed(text.strip(), before)
    frames = read_message(proposal, ontology=ontology) if proposal else ()
    start = len(text) - len(text.lstrip())
    span = start, start + len(text.strip())
    return [
        ReadStatement(
            message=message,
            stated=_stated(frame, declared=False),
            start=span[0],
            end=span[1],
            quote=span,
            confirmed=True,
        )
        for frame in frames
        if frame.certainty >= MIN_CERTAIN
    ]


def _finished(said: Said, message: int, ontology: Ontology) -> list[ReadStatement]:
    """Returns the one task that the user has just spoken of, where a message says it is done."""
    told = read_message(said.follows, ontology=ontology) if says_done(said.text) else ()
    tasks = [one for one in told if one.type == "tasks" and one.certainty >= MIN_CERTAIN]
    if len(tasks) != 1:
        return []
    stated = msgspec.structs.replace(_stated(tasks[0], declared=False), say=Say.DONE, because="")
    span = 0, len(said.text)
    return [ReadStatement(message=message, stated=stated, start=0, end=span[1], quote=span)]


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


def _stated(frame: Frame, *, declared: bool) -> StatedClaim:
    certainty = max(frame.certainty, 0.9) if declared else frame.certainty
    if certainty < MIN_CERTAIN or _is_unresolved(frame):
        certainty = min(certainty, _UNSURE)
    return StatedClaim(
        type=frame.type,
        subject=frame.subject,
        relation=frame.relation,
        attr=frame.attr if certainty >= MIN_NAMED or frame.type in _OF_PLANS else OTHER,
        value=" ".join(frame.value.split()),
        say=Say(frame.say),
        when=frame.when if frame.type in _OF_PROJECTS else "",
        because=frame.because if frame.type in ("tasks", "decisions") else "",
        topic=frame.topic if frame.type == "decisions" else "",
        scope=frame.scope if frame.type in _OF_PROJECTS else "",
        problem=frame.value if frame.type == "cases" else "",
        solution=frame.solution if frame.type == "cases" else "",
        certainty=certainty,
    )


def _is_unresolved(frame: Frame) -> bool:
    """Tells whether nobody knows of whom or what something is said (K10)."""
    return frame.subject == "user" and (frame.relation != "self" or frame.type == "facts")


def claim_statements(
    statements: Sequence[ReadStatement],
    recorded: Recorded,
    origin: ClaimOrigin,
    *,
    transaction: Transaction,
    types: TypeRegistry,
    rules: Rules,
) -> tuple[list[Claim], list[Retention]]:
    """Returns the claims of statements, and why there is none of others."""
    origin = msgspec.structs.replace(origin, reader=READER)
    maker = ClaimMaker(origin, types, rules)
    claims: list[Claim] = []
    told: list[Retention] = []
    for one in statements:
        message = recorded.said.messages[one.message]
        start, end = one.quote
        words = SaidWords(
            text=without_controls(message.content[start:end]).strip().rstrip(",，;；、"),
            message=origin.first_message + one.message,
            message_id=message.id,
            start=one.start,
            length=one.end - one.start,
            spans=spans_at(
                message.content, recorded.spans.messages[one.message].spans, start, end - start
            ),
            speaker=find_other_speaker(message, origin.session_id, transaction=transaction),
            declared=one.declared,
            confirmed=one.confirmed,
        )
        made = maker.claim_statement(one.stated, words)
        if isinstance(made, Reason):
            told.append(_retain(one, RetentionAction.REFUSED, made.code, made.reason))
            continue
        claims.append(made)
        if made.status is ClaimStatus.CANDIDATE:
            told.append(_retain(one, RetentionAction.DEFERRED, "uncertain", _UNCERTAIN))
    return claims, told


def _retain(one: ReadStatement, action: RetentionAction, code: str, reason: str) -> Retention:
    told = f"{one.stated.attr} of {one.stated.subject} = {one.stated.value}"
    return Retention(
        type=one.stated.type, key="", action=action, code=code, reason=f"{told[:120]}: {reason}"
    )
