"""What the sentences of a message say happens: events with their roles, time and mood (C7).

In: a message, read. Out: at most twenty statements, each with its reason where the sentence tells
one: 因为, 所以, "because", "so". No grammar and no model: the least rules that make a graph of a
plain sentence; one that they cannot read gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import msgspec

from smartbrain.domain.claim import Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.statement import Modality, Role, Statement
from smartbrain.remember.rules.said import Clause, Mood, Said, Sentence
from smartbrain.remember.rules.statement_reader import Noun, SaidEvent, kind_of, read_events
from smartbrain.remember.rules.statement_tokens import (
    read_noun,
    tokenise_chinese,
    tokenise_english,
)
from smartbrain.text.entities import Entity, find_entities
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.times import last_occurrence, tells_past
from smartbrain.text.word_list import word_pattern

MAX_STATEMENTS: Final = 20
"""The most statements of one message."""
MAX_CLAUSE_CHARS: Final = 160
"""A longer clause is not plain."""
_MAX_REASON_WORDS: Final = 5
_MAX_REASON_HAN: Final = 8
_HAN: Final = pattern("[\u3400-\u9fff]")
_LATIN: Final = pattern("[A-Za-z]{2,}")
_LEADS: Final = pattern(word_pattern(__file__, "LEADS"), re.IGNORECASE)
_SINCE_WHEN: Final = pattern(r"\b(?:has|have|had)\b|['’]ve\b", re.IGNORECASE)
_NO_REASON: Final = pattern(word_pattern(__file__, "NO_REASON"), re.IGNORECASE)
_REASON_SUBJECT: Final = pattern(word_pattern(__file__, "REASON_SUBJECT"), re.IGNORECASE)


class _ReadClause(msgspec.Struct):
    """A clause with its names and times, and what its first words make of it: its `lead`.

    That is `reason`, `ahead` (the reason of what follows), `effect`, `shown` (by what is before) or
    empty. The words themselves are blanks in `text`.
    """

    text: str
    offset: int
    entities: list[Entity]
    times: list[tuple[int, int]]
    lead: str = ""
    is_of_noun: bool = False  # "because of"
    statements: list[Statement] = msgspec.field(default_factory=list)


def find_statements(said: Said) -> list[Statement]:
    """Returns what a message says happens, in its order."""
    found: list[Statement] = []
    unread = set()  # sentences that say nothing, of which a long message may have many alike
    before: list[_ReadClause] = []
    for sentence in said.everything:
        if sentence.text in unread or len(found) >= MAX_STATEMENTS:
            continue
        clauses = _read_clauses(sentence, said)
        fresh = list(_link_reasons([*before, *clauses], len(before)))
        unread |= set() if fresh else {sentence.text}
        found += fresh
        before = clauses[-1:]
    return found[:MAX_STATEMENTS]


def unread_after(found: Sequence[Statement], said: Said) -> int:
    """Returns how many sentences were not read as their message had the most statements by then."""
    if len(found) < MAX_STATEMENTS:
        return 0
    return sum(sentence.offset > found[-1].offset for sentence in said.everything)


def _read_clauses(sentence: Sentence, said: Said) -> list[_ReadClause]:
    entities, times = find_entities(sentence.text), said.times(sentence)
    agents: list[Noun] = []
    clauses = []
    for clause in sentence.clauses:
        if len(clause.text) > MAX_CLAUSE_CHARS:
            continue
        shift = clause.offset - sentence.offset
        end = shift + len(clause.text)
        inside = [one for one in entities if shift <= one.offset and one.end <= end]
        spans = [one for one in times if shift <= one.offset < end]
        read = _ReadClause(
            clause.text,
            clause.offset,
            [one._replace(offset=one.offset - shift) for one in inside],
            [(one.offset - shift, one.offset - shift + one.length) for one in spans],
        )
        _read_lead(read, sentence.text)
        time = next(iter(spans or times), None)
        if time and tells_past(clause.text, max(0, time.offset + time.length - shift)):
            time = last_occurrence(time, said.at)
        is_chinese = len(_HAN.findall(read.text)) >= len(_LATIN.findall(read.text)) * 2
        tokenise = tokenise_chinese if is_chinese else tokenise_english
        for event in read_events(tokenise(read.text, read.entities, read.times), agents):
            agents = event.agents()
            mood = sentence.mood if sentence.mood is not Mood.STATED else clause.mood
            if event.reported and mood is Mood.STATED:
                mood = Mood.REPORTED
            statement = _make_statement(event, clause, mood, said.source)
            read.statements.append(replace(statement, time=time))
        clauses.append(read)
    return clauses


def _make_statement(event: SaidEvent, clause: Clause, mood: Mood, source: Source) -> Statement:
    causes = event.agents() if event.predicate == "cause" else []
    roles = [(noun.role, noun) for noun in event.parts if noun.role]
    return Statement(
        predicate=event.predicate,
        words=event.words,
        text=clause.text,
        offset=clause.offset,
        length=len(clause.text),
        negation=event.negation,
        modality=Modality.ASSERTED if mood is Mood.STATED else Modality(mood.value),
        roles=tuple(
            Role(role, noun.kind, noun.name, clause.offset + noun.start)
            for role, noun in (*roles, *((EdgeType.CAUSE, noun) for noun in causes))
        ),
        confidence=0.6 if source is Source.USER else 0.4,
    )


def _read_lead(clause: _ReadClause, sentence: str) -> None:
    """Reads what the first words make of a clause; "since 2021" makes nothing."""
    found = _LEADS.match(clause.text)
    if found is None or found.lastgroup is None:
        return
    end = found.end()
    is_time = _SINCE_WHEN.search(sentence) or any(start - end < 4 for start, _ in clause.times)
    if "since" not in found[0].lower() or not is_time:
        clause.text = " " * end + clause.text[end:]
        clause.lead = found.lastgroup
        clause.is_of_noun = found[0].rstrip().lower().endswith((" of", " to"))


def _link_reasons(clauses: Sequence[_ReadClause], first: int) -> Iterator[Statement]:
    """Yields the statements of a sentence, whose clauses begin at `first` behind the one before it.

    One that has a reason names its clause or holds it; one that is shown by another names that.
    """
    reasons: dict[int, _ReadClause] = {}
    telling = None
    for at, clause in enumerate(clauses[first:], first):
        if clause.lead == "reason" and telling is not None:
            reasons[telling] = clause
        elif clause.lead in ("reason", "ahead"):
            reasons[at + 1] = clause
        elif clause.lead == "effect" and at > first:
            reasons[at] = clauses[at - 1]
        telling = at if clause.statements else telling
    for at, clause in enumerate(clauses[first:], first):
        why = reasons.get(at)
        short = _find_short_reason(why) if why and not why.statements else None
        shown_by = clauses[at - 1].offset if clause.lead == "shown" and at else None
        for statement in clause.statements:
            statement = replace(statement, shown_by=shown_by)
            if why and why.statements:
                yield replace(statement, because=why.offset)
            else:
                yield replace(statement, roles=(*statement.roles, *filter(None, [short])))


def _find_short_reason(clause: _ReadClause) -> Role | None:
    """Returns the reason that a clause is, if it is short: a noun, or words without a pronoun."""
    text = clause.text
    if clause.is_of_noun:
        noun = read_noun(text, clause.entities, clause.times)
        if noun is None or _NO_REASON.fullmatch(noun.name):
            return None
        return Role(EdgeType.CAUSE, noun.kind, noun.name, clause.offset + noun.start)
    for start, end in clause.times:
        text = text[:start] + " " * (end - start) + text[end:]
    start = len(text) - len(text.lstrip())
    subject = _REASON_SUBJECT.match(text, start)
    start = subject.end() if subject else start
    name = " ".join(text[start:].rstrip(" .!?。！？了").split())
    is_long = len(_HAN.findall(name)) > _MAX_REASON_HAN or len(name.split()) > _MAX_REASON_WORDS
    if is_long or not any(map(str.isalpha, name)) or (not clause.lead and _NO_REASON.match(text)):
        return None
    named = [entity.kind for entity in clause.entities if entity.name == name]
    tags = [] if name.isascii() else [kind for _, kind in tag(name)]
    plain = kind_of(name) if len(tags) == 1 and tags[0].startswith("n") else "other"
    return Role(EdgeType.CAUSE, named[0] if named else plain, name, clause.offset + start)
