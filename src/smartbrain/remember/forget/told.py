"""What was told, clause by clause, and which clauses the words of a request mean (J7).

In: the texts of messages, what is claimed of their parts, and the words that name what is to be
forgotten. Out: the clauses that are clearly meant, with those that only go on about the same, and
the echoes of the assistant. A clause is judged by the words, the attributes, the fields of life and
the people that it has in common with the request; where different things fit alike, nothing does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache
from itertools import pairwise
from typing import Final

import msgspec
from msgspec.structs import replace

from smartbrain.domain.claim import SELF, Claim
from smartbrain.domain.forgetting import find_clauses, holds_words
from smartbrain.domain.memory import Span
from smartbrain.remember.reader.features import hash_features, whole_features
from smartbrain.remember.reader.read import Frame, read_message
from smartbrain.remember.reader.weights import load_weights
from smartbrain.remember.reader.words import analyse
from smartbrain.remember.subjects import THINGS
from smartbrain.text.entities import find_entities
from smartbrain.text.keywords import keywords_of
from smartbrain.text.ontology import OTHER, Ontology
from smartbrain.text.segment import tag
from smartbrain.text.word_list import STOP_WORDS, stored_words, word_pattern, word_set

MIN_SCORE: Final = 0.45
"""From where on a clause is meant."""
NEAR_BEST: Final = 0.6
"""Which share of the best score a clause must have, where one value is asked for."""
ALIKE: Final = 0.9
"""From which share of the best score on a clause is meant as much as the best."""
MIN_ASKED: Final = 0.35
"""How likely a request must ask for an attribute."""
MIN_TOLD: Final = 0.5
"""How likely a clause must tell an attribute to be about that alone."""
CUED: Final = 0.7
"""How likely a request asks for an attribute that it has a word for."""
CUED_HERE: Final = {"cue": 0.45, "value": 0.35}
"""How likely a clause tells an attribute that it has a word for."""
OF_FIELD: Final = 0.6
"""How clearly a clause is meant that speaks of the field of life which is asked for."""
OF_PERSON: Final = 1.3
FULL: Final = 0.9
MIN_SHARED: Final = 5
"""Letters that two words must share to be the same but for an ending."""
_SMALL: Final = word_set(stored_words(__file__, "SMALL"))
_SMALL_ZH, _TOPIC, _PERSON, _GOES_ON, _TURNS, _OWN, _AND = (
    re.compile(word_pattern(__file__, name), re.IGNORECASE)
    for name in ("SMALL_ZH", "TOPIC", "PERSON", "GOES_ON", "TURNS", "OWN", "AND")
)
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9_@.#+-]*[a-z0-9_#+]|[a-z0-9]|[\u3400-\u9fff]+")
_END: Final = re.compile(r"[.!?。！？;；\n…]")
_STEM: Final = re.compile(
    r"(?:ations?|itions?|ions?|ings?|ments?|ness|ed|es|ers?|als?|s|ly|cy|e|y|t)\Z"
)
_STARTS_OWN: Final = re.compile(r"\W*(?:i|i'm|im|i've|my|we|our)\b|我", re.IGNORECASE)
_FIGURE: Final = re.compile(
    r"(?<![^\s.,!?，。！？、])[^\s.,!?，。！？、\d]*+\d(?:[^\s,!?，。！？、\d]*+\d){2}[^\s.,!?，。！？、]*+"
    r"|[一二两三四五六七八九十百千万\d.]{3,}|(?<![^\s，。])[^\s，。@]++@[^\s，。]+|(?<!\w)\w*[_#@]\w+"
)
_PEOPLE: Final = ("person", "org")


class NotClearError(Exception):
    """Different things are meant alike by a request."""


class Passage(msgspec.Struct, kw_only=True):
    """One text: its words, whether the user said them, and where they are kept.

    `turn` is the place of its turn among those that are read in their order; -1 where a text was
    found by its words alone. `offset` is where it begins in its spans, in bytes.
    """

    text: str
    by_user: bool = True
    turn: int = -1
    turn_id: str = ""
    spans: Sequence[Span] = ()
    offset: int = 0
    claims: Sequence[Claim] = ()
    is_claim: bool = False


Person = tuple[str, str]
"""A relation, and which of its people: empty for any."""


class Line(msgspec.Struct):
    """A clause of a passage, and what tells what it is about."""

    passage: int
    sentence: int
    start: int
    text: str
    words: frozenset[str]
    attributes: dict[str, float]
    people: frozenset[Person]
    names: frozenset[str]
    fields: frozenset[str]


class Wanted(msgspec.Struct):
    """What words name: the same, of a request.

    `is_topic` is whether a whole affair is meant, `is_person` whether somebody is, `is_loose`
    whether only some of the words name it.
    """

    words: tuple[str, ...]
    attributes: dict[str, float]
    people: frozenset[Person]
    names: frozenset[str]
    fields: frozenset[str]
    is_topic: bool
    is_person: bool
    is_own: bool
    is_loose: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether they name nothing."""
        return not (self.words or self.attributes or self.people or self.names or self.fields)

    @property
    def needles(self) -> list[str]:
        """What a text holds that may be meant; a figure or a code is enough by itself."""
        found = [one for one in (*self.words, *self.names) if len(one) > 2 - (not one.isascii())]
        return [one for one in found if _FIGURE.search(one)] or found


class ToldLines:
    """All clauses of some passages."""

    def __init__(self, passages: Sequence[Passage], ontology: Ontology) -> None:
        self.passages = passages
        self._ontology = ontology
        self.lines = [
            line
            for place, passage in enumerate(passages)
            for line in _read_lines(place, passage, ontology)
        ]
        self._told = [place for place, one in enumerate(self.lines) if self._passage(one).by_user]
        self._named = {
            stem_of(name.split()[0]) for place in self._told for name in self.lines[place].names
        }
        self._counts = Counter(word for place in self._told for word in self.lines[place].words)

    def find(
        self, named: Sequence[str], asking: Sequence[str], spared: str = ""
    ) -> list[tuple[Passage, Line]]:
        """Returns the clauses that `named` means, but for those that `spared` names.

        Where nothing is named clearly, the texts of `asking` may name it, one after the other.
        """
        kept = set(content_words(spared))
        chosen: set[int] = set()
        for words in named:
            for wanted in self._parts(words):
                chosen |= self._find_one(wanted, kept)
        for text in asking:
            chosen = chosen or self._find_one(self._read_loosely(text), kept)
        return [(self._passage(self.lines[one]), self.lines[one]) for one in sorted(chosen)]

    def _passage(self, line: Line) -> Passage:
        return self.passages[line.passage]

    def _parts(self, words: str) -> list[Wanted]:
        """Returns what is named by words, each of several things by itself."""
        whole = read_wanted(words, self._ontology)
        parts = [read_wanted(one, self._ontology) for one in _AND.split(words) if one]
        parts = [one for one in parts if not one.is_empty]
        if len(parts) < 2:
            return [whole]
        is_topic, is_own = whole.is_topic, whole.is_own
        return [replace(one, is_topic=one.is_topic or is_topic, is_own=is_own) for one in parts]

    def _read_loosely(self, asking: str) -> Wanted:
        """Returns what a whole message names: somebody, or whatever of its words was told."""
        wanted = read_wanted(asking, self._ontology)
        told = {name for place in self._told for name in self.lines[place].names}
        named = frozenset(one for one in told if holds_words(asking.casefold(), one))
        known = tuple(one for one in wanted.words if self._counts[one] or not one.isascii())
        return replace(
            wanted,
            words=() if named else known,
            attributes={} if named else wanted.attributes,
            people=frozenset(),
            names=named,
            is_topic=bool(named) or wanted.is_topic or len(known) == 1,
            is_person=bool(named) or wanted.is_person,
            is_loose=True,
        )

    def _find_one(self, wanted: Wanted, kept: Set[str]) -> set[int]:
        """Returns the places of the clauses that one thing is told in."""
        is_named = any(one in self._named for one in wanted.words)
        if is_named:
            wanted = replace(wanted, attributes={}, is_topic=True, is_person=True)
        scores = {
            place: self._score(wanted, self.lines[place])
            for place in self._told
            if not _is_kept(self.lines[place], kept, wanted)
        }
        best = max(scores.values(), default=0.0)
        is_wide = wanted.is_topic and not (wanted.is_loose and wanted.words)
        least = MIN_SCORE if is_wide else max(MIN_SCORE, NEAR_BEST * best)
        chosen = {place for place, score in scores.items() if score >= least}
        if any(_says(wanted, self.lines[place]) for place in chosen):
            chosen = {place for place in chosen if _shares(wanted, self.lines[place])}
        if not (wanted.is_topic or wanted.is_own):
            self._check_clear({place for place in chosen if scores[place] >= ALIKE * best})
        for place in list(chosen):
            chosen |= {other for other in self._going_on(place, wanted) if other in scores}
        return chosen | set(self._echoes(chosen))

    def _check_clear(self, places: Set[int]) -> None:
        """Refuses clauses that are meant alike and tell different figures of different things."""
        told = [self.lines[place] for place in places]
        figures = {one.text.casefold(): frozenset(_figures(one.text)) for one in told}
        different = {one for one in figures.values() if one}
        if len(different) > 1 and not frozenset.intersection(*different):
            raise NotClearError

    def _score(self, wanted: Wanted, line: Line) -> float:
        """Returns how clearly a clause is meant."""
        weights = [1.0 if self._counts[one] <= 2 else 0.7 for one in wanted.words]
        total = sum(weights)
        pairs = zip(wanted.words, weights, strict=True)
        matched = sum(weight * _match(one, line) for one, weight in pairs)
        lexical = matched / (min(total, 2.0) if wanted.is_loose else total) if total else 0.0
        told = max(
            (
                min(1.0, share) * min(1.0, line.attributes.get(name, 0.0))
                for name, share in wanted.attributes.items()
            ),
            default=0.0,
        )
        told = max(told, OF_FIELD * bool(wanted.fields & line.fields))
        score = max(lexical, told) + 0.5 * min(lexical, told)
        if wanted.people or wanted.names:
            lowered = line.text.casefold()
            is_of = any(_is_same(a, b) for a in wanted.people for b in line.people)
            is_of = is_of or any(holds_words(lowered, one) for one in wanted.names)
            if not wanted.words:
                is_field = bool(wanted.fields & line.fields)
                return max(float(is_of), OF_FIELD * is_field, told * wanted.is_loose)
            return score * (OF_PERSON if is_of else 0.4)
        return score * (OF_FIELD if wanted.is_own and line.people else 1.0)

    def _going_on(self, place: int, wanted: Wanted) -> Iterator[int]:
        """Yields the clauses around a chosen one that only go on about the same."""
        own = self.lines[place]
        for other in range(place - 1, -1, -1) if wanted.is_topic else ():
            line = self.lines[other]
            if not _is_beside(line, own) or _TURNS.match(own.text):
                break
            if not (wanted.attributes and _is_strange(line, wanted)):
                yield other
        if wanted.is_topic:
            yield from self._spoken_of_before(place)
        is_answer = is_other = False
        for other in range(place + 1, len(self.lines)):
            line, passage = self.lines[other], self._passage(self.lines[other])
            if passage.turn < 0 <= self._passage(own).turn:
                break
            if not passage.by_user:
                is_answer = passage.text.rstrip()[-1:] in ("?", "？")
                continue
            is_beside = _is_beside(line, own)
            if _TURNS.match(line.text) or not (wanted.is_topic or line.passage == own.passage):
                break
            is_other = is_other or line.passage != own.passage
            if not self._goes_on(line, own, wanted, is_answer=is_answer, is_other=is_other):
                break
            if not _is_strange(line, wanted) or (is_beside and not wanted.attributes):
                yield other
            own = line

    def _spoken_of_before(self, place: int) -> Iterator[int]:
        """Yields the sentence that a clause goes on from, where it names nobody but by "he"."""
        own = self.lines[place]
        if not _GOES_ON.match(own.text):
            return
        earlier = [
            one for one in self._told if one < place and not _is_beside(self.lines[one], own)
        ]
        for one in reversed(earlier):
            if not _is_beside(self.lines[one], self.lines[earlier[-1]]):
                break
            yield one

    def _goes_on(
        self, line: Line, own: Line, wanted: Wanted, *, is_answer: bool, is_other: bool
    ) -> bool:
        """Tells whether a clause may go on about what the one before it tells."""
        if _is_beside(line, own):
            if wanted.is_topic:
                return not (is_other and _STARTS_OWN.match(line.text))
            return _is_short(line) and not _is_strange(line, wanted)
        goes_on = _GOES_ON.match(line.text)
        is_it = goes_on is not None and goes_on["it"] is not None
        if not wanted.is_topic:
            return is_it
        if line.passage == own.passage:
            return not _STARTS_OWN.match(line.text)
        return is_it or is_answer or (goes_on is not None and wanted.is_person)

    def _echoes(self, chosen: Set[int]) -> Iterator[int]:
        """Yields the clauses of the assistant that repeat what is chosen."""
        turns: dict[int, list[int]] = {}
        for place in self._told:
            turns.setdefault(self._passage(self.lines[place]).turn, []).append(place)
        values = {
            value
            for place in chosen
            for value in (*self.lines[place].names, *_figures(self.lines[place].text))
        }
        for place, line in enumerate(self.lines):
            if self._passage(line).by_user:
                continue
            near = turns.get(self._passage(line).turn, ())
            own = {word for one in near if one in chosen for word in self.lines[one].words}
            rest = {word for one in near if one not in chosen for word in self.lines[one].words}
            lowered = line.text.casefold()
            if line.words & (own - rest) or any(holds_words(lowered, one) for one in values):
                yield place


def read_wanted(words: str, ontology: Ontology) -> Wanted:
    """Returns what the words of a request name."""
    weights = load_weights()
    features = hash_features(whole_features(analyse(words, "", ontology)))
    shares = weights.asked.shares([features])[0].tolist()
    likely = zip(weights.asked.labels, shares, strict=True)
    attributes = {name: share for name, share in likely if share >= MIN_ASKED and name != OTHER}
    related = [hit for hit in ontology.find_relations(words) if _is_somebody(hit[0])]
    for hit in ontology.find_cues(words):
        if hit.kind == "cue" and not any(a < hit.end and hit.start < b for _, a, b in related):
            attributes[hit.attribute] = attributes.get(hit.attribute, 0.0) + CUED
    if "name" in attributes:  # whatever is called something tells one
        attributes["name"] /= 2
    names = _names(words, ())
    of_people = {word for _, start, end in related for word in content_words(words[start:end])}
    content = tuple(
        one for one in content_words(words) if one not in of_people and one not in names
    )
    fields = _fields(words, asks=True)
    is_name = len(content) == 1 and not (attributes or fields or _figures(words))
    return Wanted(
        words=content,
        attributes=attributes,
        people=_people(words, ontology),
        names=names,
        fields=fields,
        is_topic=_TOPIC.search(words) is not None or not content or is_name,
        is_person=bool(names or of_people) or _PERSON.search(words) is not None,
        is_own=_OWN.search(words) is not None,
    )


def _read_lines(place: int, passage: Passage, ontology: Ontology) -> Iterator[Line]:
    """Yields the clauses of a passage; frames are read where it is of late."""
    text, sentence, last = passage.text, 0, 0
    is_read = passage.by_user and passage.turn >= 0
    frames = read_message(text, ontology=ontology) if is_read else ()
    for start, end in find_clauses(text):
        sentence += _END.search(text, last, start) is not None
        last, own = end, text[start:end]
        inside = [one for one in frames if one.start < end and start < one.end]
        attributes: dict[str, float] = {}
        told = [(one.label, one.attr_certainty) for one in inside]
        told += [
            (one.attribute, 1.0)
            for one in passage.claims
            if passage.is_claim or (one.start < end and start < one.start + one.length)
        ]
        told += [(hit.attribute, CUED_HERE[hit.kind]) for hit in ontology.find_cues(own)]
        for name, share in told:
            attributes[name] = max(share, attributes.get(name, 0.0)) + 0.2 * (name in attributes)
        yield Line(
            passage=place,
            sentence=sentence,
            start=start,
            text=own,
            words=frozenset(content_words(own)),
            attributes=attributes,
            people=_people(own, ontology),
            names=_names(own, inside),
            fields=_fields(own),
        )


def _people(text: str, ontology: Ontology) -> frozenset[Person]:
    """Returns the people whom a text speaks of by what they are to the user."""
    found = set()
    for name, start, end in ontology.find_relations(text):
        if _is_somebody(name):
            person = ontology.read_person(text[start:end])
            found.add((name, person.kind if person else text[start:end]))
    return frozenset(found)


def _is_somebody(relation: str) -> bool:
    return relation not in (SELF, *THINGS)


def _is_same(one: Person, other: Person) -> bool:
    return one[0] == other[0] and (one[1] == other[1] or not (one[1] and other[1]))


def _names(text: str, frames: Iterable[Frame]) -> frozenset[str]:
    found = {one.name.casefold() for one in find_entities(text) if one.kind in _PEOPLE}
    found |= {
        one.value.casefold()
        for one in frames
        if one.label == "name" and one.attr_certainty >= MIN_TOLD and one.value in text
    }
    return frozenset(found)


@cache
def _field_words() -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    """Returns the fields of life: a name, the words that ask for it, those that tell of it."""
    found = []
    for line in stored_words(__file__, "FIELDS").splitlines():
        asking, telling = (frozenset(map(stem_of, one.split())) for one in line.split("|"))
        found.append((line.split()[0], asking, asking | telling))
    return tuple(found)


def _fields(text: str, *, asks: bool = False) -> frozenset[str]:
    """Returns the fields of life that a text speaks of, or asks for."""
    lowered = text.casefold()
    words = {stem_of(one) for one in _WORD.findall(lowered)}
    if not text.isascii():
        words |= {word for word, _ in tag(lowered)}
    return frozenset(
        name
        for name, asking, telling in _field_words()
        if any(
            one in words or (not one.isascii() and len(one) > 1 and one in lowered)
            for one in (asking if asks else telling)
        )
    )


def stem_of(word: str) -> str:
    """Returns a word without its ending."""
    if len(word) <= 4 or not word.isascii() or any(one.isdigit() for one in word):
        return word
    cut = _STEM.sub("", word)
    if len(cut) < 3:
        return word
    return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] else cut


def content_words(text: str) -> list[str]:
    """Returns the content words of a text, without endings."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii():
            found += [] if word in _SMALL or word in STOP_WORDS else [stem_of(word)]
            continue
        for part in filter(None, _SMALL_ZH.split(word)):
            found += keywords_of(part) or (part,)
    return list(dict.fromkeys(found))


def _match(word: str, line: Line) -> float:
    """Returns how well a clause holds a word: as it is, with another ending, in parts."""
    if word in line.words:
        return 1.0
    lowered = line.text.casefold()
    if not word.isascii():
        pairs = [one + other in lowered for one, other in pairwise(word)]
        return 1.0 if word in lowered else 0.8 * (len(word) > 2 and sum(pairs) * 2 >= len(pairs))
    if len(word) < MIN_SHARED - 1:
        return 0.0
    joined = (stem_of(one + other) for one, other in pairwise(lowered.split()))
    return FULL * (any(_is_alike(word, one) for one in line.words) or word in joined)


def _is_alike(one: str, other: str) -> bool:
    """Tells whether two words are the same but for an ending."""
    most = max(len(one), len(other))
    shared = next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )
    return shared >= MIN_SHARED and shared >= 0.8 * most - 0.5


def _figures(text: str) -> list[str]:
    """Returns the figures, codes and handles of a text, which are hardly said of anything else."""
    return _FIGURE.findall(text.casefold())


def _says(wanted: Wanted, line: Line) -> bool:
    """Tells whether a clause gives a value in the very words of a request."""
    told = max(line.attributes.values(), default=0.0)
    gives = wanted.is_topic or told >= MIN_TOLD or bool(_figures(line.text))
    return bool(wanted.words) and gives and all(_match(one, line) >= FULL for one in wanted.words)


def _shares(wanted: Wanted, line: Line) -> bool:
    """Tells whether a clause has a word of a request, or in a whole affair its field of life."""
    if wanted.is_topic and wanted.fields & line.fields:
        return True
    return any(_match(one, line) for one in wanted.words)


def _is_kept(line: Line, kept: Set[str], wanted: Wanted) -> bool:
    if not any(_match(one, line) for one in kept):
        return False
    return not any(_match(one, line) >= FULL for one in wanted.words)


def _is_short(line: Line) -> bool:
    """Tells whether a clause is too short to begin something of its own."""
    return len(line.words) <= 2 and not (line.people or _STARTS_OWN.match(line.text) or line.names)


def _is_beside(line: Line, other: Line) -> bool:
    return (line.passage, line.sentence) == (other.passage, other.sentence)


def _is_strange(line: Line, wanted: Wanted) -> bool:
    """Tells whether a clause tells something that is not asked for."""
    known = {*wanted.attributes, OTHER, "todo"} | (
        {"name"} if not _STARTS_OWN.match(line.text) else set()
    )
    return any(share >= MIN_TOLD and name not in known for name, share in line.attributes.items())
