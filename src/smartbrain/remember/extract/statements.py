"""What the sentences of a message say happens: events with their parts, time and mood (C7).

In: a message, read. Out: at most twenty statements. No grammar and no model: the least rules that
make a graph of a plain sentence; one that they cannot read gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from smartbrain.domain.candidate import Source
from smartbrain.domain.statement import Modality, Role, Statement
from smartbrain.domain.time_span import TimeSpan
from smartbrain.remember.extract.coming import gone_by, tells_past
from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.statement_causes import Clues, Told, read_lead, with_causes
from smartbrain.remember.extract.statement_nouns import Event, Noun, with_causer
from smartbrain.remember.extract.statements_en import read_english
from smartbrain.remember.extract.statements_zh import read_chinese
from smartbrain.text.entities import find_entities
from smartbrain.text.pattern import pattern

MOST: Final = 20
"""The most statements of one message."""
LONGEST_CLAUSE: Final = 160
"""A longer clause is not plain."""

_HAN: Final = pattern("[\u3400-\u9fff]")
_LATIN: Final = pattern("[A-Za-z]{2,}")
_MODALITIES: Final = {
    Mood.STATED: Modality.ASSERTED,
    Mood.ASKED: Modality.ASKED,
    Mood.SUPPOSED: Modality.SUPPOSED,
    Mood.REPORTED: Modality.REPORTED,
}


def find_statements(said: Said) -> list[Statement]:
    """Return what a message says happens, in its order."""
    found: list[Statement] = []
    without = set()  # sentences that say none, of which a long message may have many alike
    for sentence in said.everything:
        if sentence.text in without:
            continue
        fresh = list(_in_sentence(sentence, said))
        if not fresh:
            without.add(sentence.text)
        found += fresh
        if len(found) >= MOST:
            break
    return found[:MOST]


def unread_after(found: Sequence[Statement], said: Said) -> int:
    """Return how many sentences were not read as their message had the most statements by then."""
    if len(found) < MOST:
        return 0
    return sum(one.offset > found[-1].offset for one in said.everything)


def _in_sentence(sentence: Sentence, said: Said) -> Iterator[Statement]:
    """Yield the statements of a sentence, those that have a reason with it."""
    told = list(_clauses(sentence, said))
    if any(one.lead for one in told):
        yield from with_causes(told)
    else:
        yield from (each for one in told for each in one.statements)


def _clauses(sentence: Sentence, said: Said) -> Iterator[Told]:
    """Yield the clauses of a sentence with what each says happens."""
    entities = find_entities(sentence.text)
    times = said.times(sentence)
    before: list[Noun] = []
    for clause in sentence.clauses:
        if len(clause.text) > LONGEST_CLAUSE:
            continue
        shift = clause.offset - sentence.offset
        end = shift + len(clause.text)
        inside = [
            one._replace(offset=one.offset - shift)
            for one in entities
            if shift <= one.offset and one.end <= end
        ]
        spans = [one for one in times if shift <= one.offset < end]
        clues = Clues(
            inside, [(one.offset - shift, one.offset - shift + one.length) for one in spans]
        )
        told = read_lead(clause.text, clause.offset, clues, sentence.text)
        found = []
        for event in _read(told, before):
            before = event.agents()
            time = next(iter(spans or times), None)
            if time and tells_past(clause.text, max(0, time.offset + time.length - shift)):
                time = gone_by(time, said.at)
            found.append(_statement(event, clause, sentence, time, said))
        yield told._replace(statements=found)


def _read(told: Told, before: Sequence[Noun]) -> Iterator[Event]:
    """Read a clause in its language."""
    text, (entities, spans) = told.text, told.clues
    characters = 0 if text.isascii() else len(_HAN.findall(text))
    if characters >= len(_LATIN.findall(text)) * 2:
        yield from read_chinese(text, entities, spans, before)
    else:
        yield from read_english(text, entities, spans)


def _statement(
    event: Event, clause: Clause, sentence: Sentence, time: TimeSpan | None, said: Said
) -> Statement:
    """Return an event of a clause as a statement of the message."""
    mood = sentence.mood if sentence.mood is not Mood.STATED else clause.mood
    reported = event.reported and mood in (Mood.STATED, Mood.REPORTED)
    return Statement(
        predicate=event.predicate,
        words=event.words,
        text=clause.text,
        offset=clause.offset,
        length=len(clause.text),
        negation=event.negation,
        modality=Modality.REPORTED if reported else _MODALITIES[mood],
        time=time,
        roles=tuple(
            Role(part.role, part.noun.kind, part.noun.name, clause.offset + part.noun.start)
            for part in with_causer(event)
        ),
        confidence=0.6 if said.source is Source.USER else 0.4,
    )
