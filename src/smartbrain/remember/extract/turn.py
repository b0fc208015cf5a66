"""Everything a turn's words, tool results and proposals ask to be remembered (C1, C6, C11).

In: the step that is committed and what was said before it. Out: candidates, and a reason for each
message that holds none. Not read: system and developer messages, the prose of tool output, blocks
that a composed context showed, and sentences that it had put into the assistant's mouth.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final, NamedTuple

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.quick import replace
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import canonical_json
from smartbrain.domain.rendered import rendered_spans, repeats_context
from smartbrain.domain.time import read_time
from smartbrain.domain.turn import DECLARED, DOCUMENT, ECHOES, Message, Role, Turn
from smartbrain.remember.echoes import sentence_mark
from smartbrain.remember.extract.corrections_instead import FORGOTTEN
from smartbrain.remember.extract.find import find_declared, find_formal, find_stated
from smartbrain.remember.extract.key_names import well_named
from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.said import (
    Earlier,
    Past,
    Said,
    Sentence,
    read_of,
    read_said,
)
from smartbrain.remember.extract.tools import MOST, find_in_results
from smartbrain.remember.extract.unkept import is_off_record, unsays_previous
from smartbrain.remember.extract.until import hold_until
from smartbrain.remember.reader.statements import Statement, read_statements
from smartbrain.text.controls import without_controls
from smartbrain.text.ontology import Ontology

_SOURCES: Final = {Role.USER: Source.USER, Role.ASSISTANT: Source.ASSISTANT}
_ABOUT: Final = frozenset({"confidence", "confirmed", "remember", "evidence_refs", "valid_until"})
_WHY: Final = {
    Mood.ASKED: Reason("question", "a question states nothing; it is kept in the events"),
    Mood.SUPPOSED: Reason("guess", "a guess, a wish or a condition is no fact; it is kept"),
    Mood.REPORTED: Reason("hearsay", "it tells what others say; it is kept in the events"),
    Mood.STATED: Reason("nothing_lasting", "nothing in it is of lasting use; it is in the events"),
}


_HANDED: Final = Reason(
    "hearsay", "what is handed over or asked for is not the user's word; it is kept in the events"
)
_ASSISTANT_WORD: Final = Reason(
    "assistant_word",
    "the assistant's word counts only once the user confirms it; it is kept in the events",
)
NOTHING_LASTING: Final = frozenset({"nothing_lasting", _ASSISTANT_WORD.code})
"""The codes of a message that states something, of which nothing is kept."""
_MANY_RESULTS: Final = Reason(
    "many_results", f"only the first {MOST} tasks and facts of its tool results were looked at"
)
_PASTED: Final = Reason(
    "pasted_text",
    "a long text in which hardly anything speaks of I or you is a document: it states nothing in"
    " the user's name; it is kept in the events",
)
_SHOWN: Final = Reason(
    "shown_before",
    "words that a composed context had given are not learned again, for memory never feeds on"
    " itself; only what is new beside them is read",
)
_OFF_RECORD: Final = Reason(
    "off_record",
    "the user asked not to remember it: nothing is made of the turn, and only its own session"
    " shows it until that ends; it is kept in the events",
)
_LONGEST_JSON: Final = 200_000  # characters of a text that is read as JSON
_OPENS: Final = ("{", "[")


class Read(NamedTuple):
    """What was read of a step: its messages, and the candidates in them.

    Of a step that is `off_record` nothing is read but what it takes back of earlier turns, and what
    the caller itself proposes. One that `unsays` only asks that for the turn before it.
    """

    said: list[tuple[int, Said]]
    candidates: list[Candidate]
    nothing: list[tuple[int | None, Reason]]
    """Why there is nothing in a message, or not all of it was read; None is for tool results."""
    off_record: bool = False
    unsays: bool = False
    statements: tuple[Statement, ...] = ()
    """What the trained reader found, where it reads in the place of rules."""


def read_step(
    step: Turn,
    before: Callable[[], Turn | None],
    *,
    off_record: bool = False,
    trained: Ontology | None = None,
) -> Read:
    """Read a step of a turn.

    Args:
        step: what is committed.
        before: returns what was said just before it; asked only where something refers to them.
        off_record: whether an earlier step asked not to remember the turn.
        trained: the ontology, where the trained reader reads in the place of rules.
    """

    def fetch() -> list[Earlier]:
        turn = before()
        return [
            Earlier(_SOURCES[message.role], without_controls(message.content), turn.at)
            for message in (turn.messages if turn else ())
            if turn and message.role in _SOURCES and message.content
        ]

    earlier = Past(fetch)
    said: list[tuple[int, Said]] = []
    candidates = [*_proposed(step.proposals)]
    statements: list[Statement] = []
    nothing: list[tuple[int | None, Reason]] = []
    for index, message in enumerate(step.messages):
        source = _SOURCES.get(message.role)
        if source is None or not message.content:
            continue
        whole = read_said(
            message.content,
            source=source,
            speaker=without_controls(message.name or message.role.value),
            at=step.at,
            earlier=earlier,
            own=bool(message.meta.get(DECLARED)),
        )
        one = _without(whole, message.meta.get(ECHOES, ()))
        found, stated = _find_in(one, message, index, trained)
        nothing += [(index, why) for why in _whys(one, whole, found=bool(found or stated))]
        candidates += found
        statements += stated
        said.append((index, one))
        earlier = earlier.then(Earlier(source, one.text))
    talk = [one for index, one in said if not step.messages[index].meta.get(DOCUMENT)]
    if off_record or any(map(is_off_record, talk)):
        return _off_record(said, candidates)
    found = list(islice(_in_results(step), MOST + 1))
    if len(found) > MOST:
        nothing.append((None, _MANY_RESULTS))
    candidates += found[:MOST]
    unsays = any(map(unsays_previous, talk))
    return Read(said, candidates, nothing, unsays=unsays, statements=tuple(statements))


def _find_in(
    said: Said, message: Message, index: int, trained: Ontology | None
) -> tuple[list[Candidate], list[Statement]]:
    """Return what rules and the trained reader find in a message."""
    found = [
        replace(hold_until(well_named(each), said), message=index)
        for each in _asked_of(said, message, trained is not None)
    ]
    if trained is None or message.meta.get(DOCUMENT):
        return found, []
    declared = bool(message.meta.get(DECLARED))
    stated = read_statements(said, index, ontology=trained, declared=declared)
    return ([] if stated and declared else found), stated


def _whys(said: Said, whole: Said, *, found: bool) -> Iterator[Reason]:
    """Yield why there is nothing in a message, or why not all of it was read."""
    again = said is not whole and _is_shorter(said, whole)
    if again:
        yield _SHOWN
    if said.pasted:
        yield _PASTED
    elif not found and (said.everything or not again):
        yield _why_nothing(said)
    if (ends := read_of(said.text)) is not None:
        yield _partly_read(*ends)


def _off_record(said: Sequence[tuple[int, Said]], candidates: Sequence[Candidate]) -> Read:
    """Return a step that is not to be remembered, with what it takes back of earlier turns."""
    own = [index for index, one in said if one.source is Source.USER]
    kept = [one for one in candidates if one.message is None or one.rule.startswith(FORGOTTEN)]
    return Read([], kept, [(own[0] if own else None, _OFF_RECORD)], off_record=True)


def _partly_read(first: int, last: int) -> Reason:
    return Reason(
        "long_message",
        f"only its first {first:,} and last {last:,} characters were read for memories",
    )


def _in_results(step: Turn) -> Iterator[Candidate]:
    """Yield what the results of a step's tool calls state, those in JSON's text as well."""
    for call in step.tool_calls:
        result = call.result if call.result_json else _parsed(call.result)
        if result is not None:
            yield from find_in_results(call.name, result, most=MOST + 1)


def _parsed(text: Any) -> Any:
    """Return what a text says that is a whole JSON object or array; None for any other text."""
    if not isinstance(text, str) or len(text) > _LONGEST_JSON or text.lstrip()[:1] not in _OPENS:
        return None
    try:
        parsed = json.loads(text)
        canonical_json(parsed)
    except (ValueError, RecursionError):  # UsageError, for what cannot be stored, is a ValueError
        return None
    return parsed


def _asked_of(said: Said, message: Message, trained: bool) -> list[Candidate]:
    """Return what a message holds; a document asserts nothing, a declaration all it says."""
    if message.meta.get(DOCUMENT):
        return []
    if message.meta.get(DECLARED):
        return find_declared(said)
    return find_formal(said) if trained else find_stated(said)


def _without(said: Said, echoes: Collection[str]) -> Said:
    """Leave out what is an echo of memory, not something new."""
    spans = rendered_spans(said.text)
    if not echoes and not spans:
        return said

    def kept(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
        return tuple(
            sentence
            for sentence in sentences
            if not any(start <= sentence.offset < end for start, end in spans)
            and not (echoes and sentence_mark(sentence.text) in echoes)
        )

    return replace(said, sentences=kept(said.sentences), handed=kept(said.handed))


def _is_shorter(said: Said, whole: Said) -> bool:
    """Tell whether something was left out that memory had given, be it words or only marks."""
    return len(said.everything) < len(whole.everything) or repeats_context(whole.text)


def _why_nothing(said: Said) -> Reason:
    """Say why a message holds nothing to remember; the assistant asks, or it only says so."""
    moods = {sentence.mood for sentence in said.sentences}
    if said.source is Source.ASSISTANT and moods != {Mood.ASKED}:
        return _ASSISTANT_WORD
    if said.handed:
        return _HANDED
    for mood in (Mood.STATED, Mood.SUPPOSED, Mood.REPORTED, Mood.ASKED):
        if mood in moods:
            return _WHY[mood]
    return _WHY[Mood.STATED]


def _proposed(proposals: Mapping[str, Any]) -> Iterator[Candidate]:
    """Yield what the caller itself proposes to remember or to retract.

    Tasks and decisions count as asserted; anything else is a proposal until it is confirmed.
    """
    for name, given in proposals.items():
        for proposal in given:
            if name == "retractions":
                yield Candidate(
                    type=proposal["type"],
                    value={"key": proposal["key"]},
                    text=str(proposal.get("reason", "")),
                    rule="proposal.retraction",
                    action=CandidateAction.RETRACT,
                )
                continue
            sure = bool(proposal.get("confirmed")) or bool(proposal.get("remember"))
            asserted = name in ("tasks", "decisions") or sure
            value = {field: item for field, item in proposal.items() if field not in _ABOUT}
            yield Candidate(
                type=name,
                value=value,
                text="",
                rule="proposal",
                source=Source.USER if asserted else Source.AGENT,
                confidence=float(proposal.get("confidence", 0.6)),
                confirmed=bool(proposal.get("confirmed")),
                declared=bool(proposal.get("remember")),
                evidence_refs=tuple(proposal.get("evidence_refs") or ()),
                valid_until=_time_of(proposal.get("valid_until")),
            )


def _time_of(given: Any) -> datetime | None:
    """Return the time until which a proposal holds, if it gives one."""
    return None if given is None else read_time(given, UTC, "valid_until")
