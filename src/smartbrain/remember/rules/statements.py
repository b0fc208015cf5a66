"""What the sentences of a message say happens: events with their roles, time and mood (C7).

In: a message, read. Out: at most twenty statements, each with its reason where the sentence tells
one: 因为, 所以, "because", "so". No grammar and no model: the least rules that make a graph of a
plain sentence; one that they cannot read gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import Final

import msgspec

from smartbrain.domain.claim import Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.statement import Modality, Role, Statement
from smartbrain.remember.rules.said import Clause, Mood, Said, Sentence
from smartbrain.remember.rules.statement_tokens import (
    VEHICLES,
    Noun,
    Token,
    classes_of,
    kind_of,
    phrases,
    prepositions,
    read_noun,
    tokenise_chinese,
    tokenise_english,
)
from smartbrain.text.entities import Entity, find_entities
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.times import find_times, last_occurrence, tells_past
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

_ROLE_ORDER: Final = [
    *(EdgeType.AGENT, EdgeType.PATIENT, EdgeType.RECIPIENT, EdgeType.BENEFICIARY),
    *(EdgeType.INSTRUMENT, EdgeType.LOCATION, EdgeType.MANNER, EdgeType.CAUSE),
]


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
    entities, times = find_entities(sentence.text), find_times(sentence.text, said.at)
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


class SaidEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What a clause says happens; `reported` is what somebody is said to say."""

    predicate: str
    words: str
    negation: bool
    parts: tuple[Noun, ...]
    reported: bool = False

    def agents(self) -> list[Noun]:
        """Returns who does it."""
        return [noun for noun in self.parts if noun.role is EdgeType.AGENT]


def read_events(tokens: Sequence[Token], before: Sequence[Noun] = ()) -> list[SaidEvent]:
    """Returns the events of a clause; one without a subject is of those of the clause before it."""
    reader = _EventReader(before)
    events: list[SaidEvent] = []
    for at, token in enumerate(tokens):
        following = tokens[at + 1].kind if at + 1 < len(tokens) else ""
        if token.kind == "say":
            reader = _EventReader((), {"reported"})
        elif token.kind == "and" and following == "verb":
            events += reader.make_event()
            reader = _EventReader(reader.subject or before, reader.seen & {"pronoun", "reported"})
        elif not reader.read(token):
            break
    return [*events, *reader.make_event()]


class _EventReader:
    """Reads one event, token by token; `seen` are the kinds of small words in it."""

    def __init__(self, before: Sequence[Noun], seen: Set[str] = frozenset()) -> None:
        self.verbs: list[Token] = []
        self.subject: list[Noun] = []
        self.seen = set(seen)
        self._before = before
        self._parts: list[Noun] = []
        self._last = self._preposition = ""

    def read(self, token: Token) -> bool:
        """Reads a token; tells whether the event may go on."""
        self.seen.add("passive" if token.text == "被" else token.kind)
        if token.noun and token.kind == "noun":
            self._read_noun(token.noun)
        elif token.kind == "verb":
            return self._read_verb(token)
        elif token.kind == "preposition":
            is_placed = self._last in ("be", "not") and prepositions()[token.text] == "LOCATION"
            self.verbs += [token] if is_placed and not self.verbs else []
            self._preposition = token.text
        elif token.kind == "manner":
            self._add(EdgeType.MANNER, Noun("other", token.text, token.start))
        self._last = token.kind
        return token.kind != "stop"

    def _add(self, role: EdgeType | None, noun: Noun) -> None:
        self._parts += [msgspec.structs.replace(noun, role=role)] if role else []

    def _read_verb(self, token: Token) -> bool:
        """Reads a verb: the first, one that it is chained to, or the end of a way that is gone."""
        last = self.verbs[-1].verb if self.verbs else ""
        classes = classes_of(last)
        if last and not last.endswith("~") and classes.isdisjoint(("moving", "chained")):
            return False
        self.verbs = [*self.verbs, token] if last and "chained" in classes else [token]
        self.seen |= {"passive"} if "be" in self.seen and token.form == "ed" else set()
        self._preposition = ""
        return True

    def _read_noun(self, noun: Noun) -> None:
        if self._preposition:
            self._add(self._choose_role(noun), noun)
        elif not self.verbs:
            self.subject = [*self.subject, noun] if "and" in self.seen else [noun]
        else:
            self._add_object(noun)
        self._preposition = ""
        self.seen.discard("and")

    def _choose_role(self, noun: Noun) -> EdgeType | None:
        """Returns the role of a noun with its preposition; some need a person, others a place."""
        preposition, person = self._preposition, noun.kind == "person"
        role = prepositions()[preposition]
        classes = classes_of(self.verbs[-1].verb if self.verbs else "")
        if preposition == "by":
            role = "AGENT" if "passive" in self.seen else "none"
        elif preposition == "with" and person:
            role = "AGENT"
        elif preposition == "with":
            role = "INSTRUMENT" if "with_tool" in classes else "none"
        elif role == "LOCATION" or (preposition == "to" and not person):
            role = "LOCATION" if noun.is_place() else "none"
        elif (role in ("RECIPIENT", "BENEFICIARY") and not person) or (
            role == "MANNER" and preposition != "通过" and noun.name not in VEHICLES
        ):
            role = "none"
        role = "MANNER" if f"{preposition}_{noun.name}" in prepositions() else role
        return None if role in ("none", "way") else EdgeType(role)

    def _add_object(self, noun: Noun) -> None:
        """Gives a noun after the verb its role: a place, who is given something, or the object."""
        verb = self.verbs[-1]
        objects = [part for part in self._parts if part.role is EdgeType.PATIENT]
        if verb.verb.endswith("~"):
            self._add(EdgeType.LOCATION, noun)
        elif noun.kind == "person" and "to_somebody" in classes_of(verb.text):
            self._add(EdgeType.RECIPIENT, noun)
        elif objects and objects[0].kind == "person":
            self._parts.remove(objects[0])
            self._add(EdgeType.RECIPIENT, objects[0])
            self._add(EdgeType.PATIENT, noun)
        elif not objects or "and" in self.seen:
            self._add(None if "passive" in self.seen else EdgeType.PATIENT, noun)

    def make_event(self) -> list[SaidEvent]:
        """Returns the event that was read, if there is one."""
        subject = self.subject or ([] if "pronoun" in self.seen else self._before)
        is_placed = any(part.role is EdgeType.LOCATION for part in self._parts)  # 服务器在法兰克福
        is_said = subject or not self.seen.isdisjoint(("pronoun", "reported", "done"))
        if not is_said or not (self.verbs or is_placed):
            return []
        verbs = self.verbs or [Token("verb", "", 0)]
        last = verbs[-1]
        role = EdgeType.PATIENT if "passive" in self.seen else EdgeType.AGENT
        acting = [msgspec.structs.replace(noun, role=role) for noun in subject]
        unique = {(part.role, part.name): part for part in (*acting, *self._parts)}
        parts = sorted(unique.values(), key=lambda part: _ROLE_ORDER.index(part.role or role))
        is_going = last.verb == "go~" and subject and subject[0].kind == "object"
        telling = [one for one in parts if one.role not in (EdgeType.MANNER, EdgeType.CAUSE)]
        if len(telling) < (2 if is_going else 1):
            return []
        things = [part.name.lower() for part in parts if part.role is EdgeType.PATIENT]
        name, thing = last.verb.rstrip("~"), next(iter(things), "")
        whole = phrases().get(f"{name}+{thing}") or phrases().get(f"{last.text}+{thing}") or name
        event = SaidEvent(
            predicate="_".join([*(token.verb.rstrip("~") for token in verbs[:-1]), whole]),
            words=" ".join(token.text for token in verbs),
            negation="not" in self.seen,
            parts=tuple(parts),
            reported="reported" in self.seen,
        )
        return [event]
