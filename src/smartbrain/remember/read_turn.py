"""What a step of a turn states: words, structured tool results, proposals (C1, C6, C7, C11).

In: the step that is committed and the turn before it. Out: statements of the trained reader,
candidates of tools and of the caller, a reason for each message that holds nothing; and what
happens in it, whom and what it names. Not read: system and developer messages, the prose of tool
output, blocks that a composed context showed, and sentences that such a context had put into the
assistant's mouth.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from smartbrain.domain.audience import MARK_DIGITS, Shown
from smartbrain.domain.claim import Candidate, CandidateAction, Source
from smartbrain.domain.memory import OFF_RECORD
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import canonical_json
from smartbrain.domain.rendered import own_words, rendered_spans, repeats_context
from smartbrain.domain.statement import Statement
from smartbrain.domain.time import read_time
from smartbrain.domain.turn import DECLARED, DOCUMENT, ECHOES, Message, Role, Turn
from smartbrain.domain.types import TypeRegistry
from smartbrain.remember.episode import About
from smartbrain.remember.gate import holds_personal_data
from smartbrain.remember.link import Names, find_names
from smartbrain.remember.reader.statements import ReadStatement, read_statements
from smartbrain.remember.rules.forms import asks_about_previous, is_off_record
from smartbrain.remember.rules.said import Mood, Said, Sentence, read_of, read_said
from smartbrain.remember.rules.statements import find_statements
from smartbrain.remember.rules.tool_results import MOST, find_in_results
from smartbrain.text.controls import without_controls
from smartbrain.text.keywords import keywords_of
from smartbrain.text.ontology import Ontology
from smartbrain.text.pattern import pattern
from smartbrain.text.pii import is_masked
from smartbrain.text.sentences import said_only, sentence_spans

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
_MAX_KEYWORDS: Final = 24
_MAX_JSON: Final = 200_000
"""Characters of a tool's text that is read as JSON."""
_JSON_STARTS: Final = ("{", "[")


class TurnReading(NamedTuple):
    """What was read of a step: its messages, and what they, tools and the caller state.

    Of a step that is `off_record` nothing is read but what the caller itself proposes. One that
    `unsays` only asks that for the turn before it.
    """

    said: list[tuple[int, Said]]
    candidates: list[Candidate]
    nothing: list[tuple[int | None, Reason]]
    """Why there is nothing in a message, or not all of it was read; None is for tool results."""
    off_record: bool = False
    unsays: bool = False
    statements: tuple[ReadStatement, ...] = ()


def read_turn(
    step: Turn, previous: Turn | None, *, ontology: Ontology, off_record: bool = False
) -> TurnReading:
    """Reads a step of a turn; `off_record` if an earlier one asked not to remember the turn."""
    statements: list[ReadStatement] = []
    nothing: list[tuple[int | None, Reason]] = []
    said = read_messages(step, previous)
    for place, (index, whole) in enumerate(said):
        message = step.messages[index]
        one = _without_echoes(whole, message.meta.get(ECHOES, ()))
        said[place] = index, one
        declared = bool(message.meta.get(DECLARED))
        stated: list[ReadStatement] = []
        if not message.meta.get(DOCUMENT):  # a document asserts nothing
            stated = read_statements(one, index, ontology=ontology, declared=declared)
        nothing += [(index, why) for why in _find_reasons(one, whole, found=bool(stated))]
        statements += stated
    proposed = list(_read_proposals(step.proposals))
    talk = _talk_of(step, said)
    if off_record or any(map(is_off_record, talk)):
        own = [index for index, one in said if one.source is Source.USER]
        return TurnReading([], proposed, [(own[0] if own else None, _OFF_RECORD)], off_record=True)
    found = list(islice(_read_results(step), MOST + 1))
    if len(found) > MOST:
        nothing.append((None, _MANY_RESULTS))
    return TurnReading(
        said,
        [*proposed, *found[:MOST]],
        nothing,
        unsays=any(map(asks_about_previous, talk)),
        statements=tuple(statements),
    )


def unsays_turn_before(turn: Turn) -> bool:
    """Tells whether a turn only asks not to remember what was said before it."""
    talk = _talk_of(turn, read_messages(turn, None))
    return any(map(asks_about_previous, talk)) and not any(map(is_off_record, talk))


def asks_off_record(turn: Turn) -> bool:
    """Tells whether a turn asks that it is not remembered itself."""
    return any(map(is_off_record, _talk_of(turn, read_messages(turn, None))))


def _talk_of(turn: Turn, said: Sequence[tuple[int, Said]]) -> list[Said]:
    return [one for index, one in said if not turn.messages[index].meta.get(DOCUMENT)]


def read_messages(step: Turn, previous: Turn | None) -> list[tuple[int, Said]]:
    """Returns the messages of user and assistant by their place, cut into what they say."""
    said: list[tuple[int, Said]] = []
    told = [m for m in (previous.messages if previous else ()) if m.role in _SOURCES and m.content]
    before = told[-1] if told else None
    users = next((m.content for m in reversed(told) if m.role is Role.USER), "")
    for index, message in enumerate(step.messages):
        source = _SOURCES.get(message.role)
        if source is None or not message.content:
            continue
        asked = before is not None and before.role is Role.ASSISTANT
        one = read_said(
            message.content,
            source=source,
            at=step.at,
            answers=without_controls(before.content) if before is not None and asked else "",
            follows=without_controls(users),
            own=bool(message.meta.get(DECLARED)),
        )
        said.append((index, one))
        before = message
        users = message.content if message.role is Role.USER else users
    return said


def _find_reasons(said: Said, whole: Said, *, found: bool) -> Iterator[Reason]:
    shorter = len(said.everything) < len(whole.everything) or repeats_context(whole.text)
    again = said is not whole and shorter
    if again:
        yield _SHOWN
    if said.pasted:
        yield _PASTED
    elif not found and (said.everything or not again):
        yield _why_nothing(said)
    if (ends := read_of(said.text)) is not None:
        first, last = ends
        reason = f"only its first {first:,} and last {last:,} characters were read for memories"
        yield Reason("long_message", reason)


def _read_results(step: Turn) -> Iterator[Candidate]:
    for call in step.tool_calls:
        result = call.result if call.result_json else _parse_json(call.result)
        if result is not None:
            yield from find_in_results(call.name, result)


def _parse_json(text: Any) -> Any:
    """Returns what a text says that is a whole JSON object or array; None for any other text."""
    if not isinstance(text, str) or len(text) > _MAX_JSON:
        return None
    if text.lstrip()[:1] not in _JSON_STARTS:
        return None
    try:
        parsed = json.loads(text)
        canonical_json(parsed)
    except (ValueError, RecursionError):  # UsageError, for what cannot be stored, is a ValueError
        return None
    return parsed


def _without_echoes(said: Said, echoes: Collection[str]) -> Said:
    """Leaves out what is an echo of memory, not something new."""
    spans = rendered_spans(said.text)
    if not echoes and not spans:
        return said

    def keep(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
        return tuple(
            sentence
            for sentence in sentences
            if not any(start <= sentence.offset < end for start, end in spans)
            and not (echoes and sentence_mark(sentence.text) in echoes)
        )

    return msgspec.structs.replace(said, sentences=keep(said.sentences), handed=keep(said.handed))


def _why_nothing(said: Said) -> Reason:
    """Says why a message holds nothing to remember; the assistant asks, or it only says so."""
    moods = {sentence.mood for sentence in said.sentences}
    if said.source is Source.ASSISTANT and moods != {Mood.ASKED}:
        return _ASSISTANT_WORD
    if said.handed:
        return _HANDED
    for mood in (Mood.STATED, Mood.SUPPOSED, Mood.REPORTED, Mood.ASKED):
        if mood in moods:
            return _WHY[mood]
    return _WHY[Mood.STATED]


def _read_proposals(proposals: Mapping[str, Any]) -> Iterator[Candidate]:
    """Yields what the caller itself proposes to remember or to retract.

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
            until = proposal.get("valid_until")
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
                valid_until=None if until is None else read_time(until, UTC, "valid_until"),
            )


class StepReading(NamedTuple):
    """What was read of a step; `told` names the message of each statement."""

    read: TurnReading
    told: list[tuple[int, Statement]]
    names: Names
    about: About


def hear(
    step: Turn,
    spoken: Turn,
    previous: Turn | None,
    *,
    types: TypeRegistry,
    ontology: Ontology,
    off_record: bool = False,
) -> StepReading:
    """Return what a step says; `spoken` is the step without its commands.

    `previous` was said just before it; `off_record` tells whether an earlier step asked not to
    remember the turn. What the assistant tells happens is nobody's own account.
    """
    read = read_turn(spoken, previous, ontology=ontology, off_record=off_record)
    texts = [message.content for message in step.messages]
    personal = any(is_masked(text) or holds_personal_data(text) for text in texts)
    if read.off_record:
        about = About(pii=personal, tags=(OFF_RECORD,))
        return StepReading(read, [], Names(types.get("entities")), about)
    told = [
        (index, statement)
        for index, said in read.said
        if said.source is not Source.ASSISTANT
        for statement in find_statements(said)
    ]
    names = find_names(read.said, step, told, types=types)
    words = [word for _, said in read.said for word in keywords_of(own_words(said.text))]
    keywords = tuple(dict.fromkeys(words))[:_MAX_KEYWORDS]
    return StepReading(read, told, names, About(names.texts(), keywords, personal))


_MARKS: Final = pattern(r"[\W_]+")
_STATES: Final = pattern(r"[^\W_][\W_]+[^\W_]|[\u3400-\u9fff]{2}")
"""What a sentence holds that states something: two words."""


def sentence_mark(text: str) -> str:
    """Return what a sentence is recognised by, however it is set; empty for one without words."""
    words = _MARKS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return blake2b(words.encode(), digest_size=4).hexdigest() if words else ""


def shown_sentences(texts: Iterable[str]) -> list[str]:
    """Return the marks of all sentences of texts that were shown, each once, sorted.

    What is shown stands under headings and behind who said it: a sentence is marked as it is, line
    by line, and without what stands before its first colon.
    """
    return sorted({mark for text in texts for mark in _marks_of(text)} - {""})


@lru_cache(maxsize=1_024)  # the next context shows most texts again
def _marks_of(text: str) -> frozenset[str]:
    found = set()
    for sentence in _sentences(text):
        found.add(sentence)
        lines = sentence.splitlines()
        for line in lines:
            _, colon, said = line.partition(": ")
            if colon or len(lines) > 1:
                found.add(said if colon else line)
    return frozenset(sentence_mark(one) for one in found if _STATES.search(one))


def with_echoes(turn: Turn, shown: Shown) -> Turn:
    """Return a turn in which the assistant's messages name their sentences that were shown."""
    marks = {mark[:MARK_DIGITS] for mark in shown.marks or shown_sentences(shown.texts)}
    if not marks:
        return turn
    return replace(turn, messages=tuple(_name_echoes(one, marks) for one in turn.messages))


def _name_echoes(message: Message, shown: Container[str]) -> Message:
    if message.role is not Role.ASSISTANT:
        return message
    said = _sentences(said_only(without_controls(message.content)))
    marks = {sentence_mark(one) for one in said if _STATES.search(one)}
    echoes = sorted(mark for mark in marks if mark[:MARK_DIGITS] in shown)
    return replace(message, meta={**message.meta, ECHOES: echoes}) if echoes else message


def _sentences(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in sentence_spans(text))
