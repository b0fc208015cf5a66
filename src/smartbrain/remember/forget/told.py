"""What was told, clause by clause, and which clauses the words of a request mean (J7).

In: the texts of messages, what is claimed of their parts, and the words that name what is to be
forgotten. Out: the clauses that are clearly meant, with those that only go on about the same, and
the echoes of the assistant. A clause is judged by the words, the attributes and the people that it
has in common with the request; where different things are meant alike, nothing is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec

from smartbrain.domain.claim import SELF
from smartbrain.domain.forgetting import find_clauses, holds_words
from smartbrain.remember.reader.features import whole_features
from smartbrain.remember.reader.read import Frame, read_message
from smartbrain.remember.reader.weights import load_weights
from smartbrain.remember.reader.words import analyse
from smartbrain.remember.subjects import THINGS
from smartbrain.text.entities import find_entities
from smartbrain.text.keywords import keywords_of
from smartbrain.text.ontology import OTHER, Ontology
from smartbrain.text.word_list import STOP_WORDS, stored_words, word_pattern, word_set

MIN_SCORE: Final = 0.45
"""From where on a clause is meant."""
NEAR_BEST: Final = 0.6
"""Which share of the best score a clause must have."""
MIN_ASKED: Final = 0.2
"""How likely a request must name an attribute."""
_SMALL: Final = word_set(stored_words(__file__, "SMALL"))
_SMALL_ZH: Final = re.compile(word_pattern(__file__, "SMALL_ZH"))
_TOPIC: Final = re.compile(word_pattern(__file__, "TOPIC"), re.IGNORECASE)
_GOES_ON: Final = re.compile(word_pattern(__file__, "GOES_ON"), re.IGNORECASE)
_TURNS: Final = re.compile(word_pattern(__file__, "TURNS"), re.IGNORECASE)
_OWN: Final = re.compile(word_pattern(__file__, "OWN"), re.IGNORECASE)
_AND: Final = re.compile(word_pattern(__file__, "AND"), re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9_@.#+-]*[a-z0-9_#+]|[a-z0-9]|[\u3400-\u9fff]+")
_END: Final = re.compile(r"[.!?。！？;；\n…]")
_STEM: Final = re.compile(
    r"(?:ations?|itions?|ions?|ings?|ments?|ness|ed|es|er|ers|als?|s|ly|cy|e|y|t)\Z"
)
_OWN_START: Final = re.compile(r"\W*(?:i|i'm|im|i've|my|we|our)\b|我", re.IGNORECASE)
_FIGURE: Final = re.compile(r"\S*\d\S*\d\S*\d[^\s.,!?，。！？]*|[一二两三四五六七八九十百千万\d.]{3,}|\S+@\S+|(?<!\w)\w*[_#@]\w+")
_PEOPLE: Final = ("person", "org")


class Passage(msgspec.Struct):
    """One message: its text, whether the user said it, and the turn it is of, in their order."""

    text: str
    by_user: bool = True
    turn: int = -1
    known: Sequence[tuple[int, int, str, str]] = ()
    """What is claimed of its parts: from where to where, the attribute and the relation."""


class Line(msgspec.Struct):
    """A clause of a passage, and what tells what it is about."""

    passage: int
    start: int
    end: int
    sentence: int
    text: str
    words: frozenset[str]
    attributes: dict[str, float]
    relations: frozenset[str]
    names: frozenset[str]
    fields: frozenset[str]


class Wanted(msgspec.Struct):
    """What words name: the same, of a request."""

    words: tuple[str, ...]
    attributes: dict[str, float]
    relations: frozenset[str]
    names: frozenset[str]
    fields: frozenset[str]
    is_topic: bool
    is_own: bool
    is_loose: bool = False


class ToldLines:
    """All clauses of some passages."""

    def __init__(self, passages: Sequence[Passage], ontology: Ontology) -> None:
        """Reads the passages."""
        self.passages = passages
        self._ontology = ontology
        self.lines: list[Line] = []
        for place, passage in enumerate(passages):
            self.lines += _read_lines(place, passage, ontology)
        self._counts = Counter(
            word for line in self.lines if self._is_told(line) for word in line.words
        )

    def find(self, named: Sequence[str], message: str, spared: str = "") -> list[Line]:
        """Returns the clauses that words mean; those that `spared` names stay.

        `message` is all that is asked, for words that name nothing by themselves.
        """
        kept = set(_words(spared))
        chosen: set[int] = set()
        for words in named:
            for wanted in self._parts(words):
                chosen |= self._find_one(wanted, kept)
        if not chosen:
            chosen = self._find_one(self._read_loosely(message), kept)
        return [self.lines[one] for one in sorted(chosen)]

    def _read_loosely(self, message: str) -> Wanted:
        """Returns what a whole message names: any of its words that were told may be meant."""
        wanted = read_wanted(message, self._ontology)
        told = {name for line in self.lines if self._is_told(line) for name in line.names}
        named = {one for one in told if holds_words(message.casefold(), one)}
        if named:
            return msgspec.structs.replace(
                wanted, names=frozenset(named), relations=frozenset(), words=(), is_topic=True
            )
        known = [one for one in wanted.words if self._counts[one] or not one.isascii()]
        return msgspec.structs.replace(
            wanted, words=tuple(known), relations=frozenset(), names=frozenset(), is_loose=True,
            is_topic=wanted.is_topic or len(known) == 1,
        )

    def _parts(self, words: str) -> list[Wanted]:
        whole = read_wanted(words, self._ontology)
        parts = [read_wanted(p, self._ontology) for p in _AND.split(words) if p and p.strip()]
        parts = [p for p in parts if p.words or p.names or p.relations or p.attributes or p.fields]
        if len(parts) < 2:
            return [whole]
        return [msgspec.structs.replace(p, is_topic=p.is_topic or whole.is_topic, is_own=whole.is_own) for p in parts]

    def _find_one(self, wanted: Wanted, kept: Set[str]) -> set[int]:
        names = wanted.names | self._names_of(wanted.relations)
        wanted = msgspec.structs.replace(wanted, names=frozenset(names))
        scores = {
            place: self._score(wanted, line)
            for place, line in enumerate(self.lines)
            if self._is_told(line) and not self._is_kept(line, kept, wanted)
        }
        best = max(scores.values(), default=0.0)
        least = MIN_SCORE if wanted.is_topic and not wanted.is_loose else max(MIN_SCORE, NEAR_BEST * best)
        chosen = {place for place, score in scores.items() if score >= least}
        for place in list(chosen):
            chosen |= {other for other in self._going_on(place, wanted) if other in scores}
        return chosen | set(self._echoes(chosen))

    def _is_told(self, line: Line) -> bool:
        return self.passages[line.passage].by_user

    def _is_kept(self, line: Line, kept: Set[str], wanted: Wanted) -> bool:
        return any(_matches(one, line) for one in kept) and not any(
            _matches(one, line) >= 0.9 for one in wanted.words
        )

    def _names_of(self, relations: Set[str]) -> set[str]:
        """Returns what the people of some relations are called."""
        return {
            name for line in self.lines for name in line.names
            if any(_same_person(a, b) for a in line.relations for b in relations)
        } if relations else set()

    def _weight(self, word: str) -> float:
        """Returns what a word counts: less, the more clauses hold it."""
        return 1.0 if self._counts[word] <= 2 else 0.7

    def _score(self, wanted: Wanted, line: Line) -> float:
        """Returns how clearly a clause is meant."""
        total = sum(map(self._weight, wanted.words))
        matched = sum(self._weight(one) * _matches(one, line) for one in wanted.words)
        if wanted.is_loose:
            total = min(total, 2.0)
        lexical = matched / total if total else 0.0
        told = max(
            (min(1.0, share) * min(1.0, line.attributes.get(name, 0.0)) * (0.5 if name == "name" else 1) for name, share in wanted.attributes.items()),
            default=0.0,
        )
        told = max(told, 0.6 * bool(wanted.fields & line.fields))
        score = max(lexical, told) + 0.5 * min(lexical, told)
        if wanted.relations or wanted.names:
            is_of = any(_same_person(a, b) for a in wanted.relations for b in line.relations)
            is_of = is_of or any(one in line.text.casefold() for one in wanted.names)
            if not wanted.words:
                return float(is_of)
            return score + 0.3 if is_of else score * 0.5
        return score * (0.6 if wanted.is_own and line.relations else 1.0)

    def _going_on(self, place: int, wanted: Wanted) -> Iterable[int]:
        """Yields the clauses around a chosen one that only go on about it."""
        own = self.lines[place]
        for other in range(place - 1, -1, -1) if wanted.is_topic else ():
            line = self.lines[other]
            if (line.passage, line.sentence) != (own.passage, own.sentence) or _TURNS.match(own.text):
                break
            if not (wanted.attributes and _is_strange(line, wanted)):
                yield other
        asked = False
        for other in range(place + 1, len(self.lines)):
            line, passage = self.lines[other], self.passages[self.lines[other].passage]
            if not passage.by_user:
                asked = passage.text.rstrip()[-1:] in ("?", "？")
                continue
            same = (line.passage, line.sentence) == (own.passage, own.sentence)
            if _TURNS.match(line.text) or not (same or wanted.is_topic):
                break
            strange = _is_strange(line, wanted) and bool(wanted.attributes or not same)
            if same and not wanted.is_topic and (strange or len(line.words) > 2):
                break
            if line.passage != own.passage and not (_GOES_ON.match(line.text) or asked):
                break
            if line.passage == own.passage and not same and _OWN_START.match(line.text):
                break
            if not strange:
                yield other
            own = line

    def _echoes(self, chosen: Set[int]) -> Iterable[int]:
        """Yields the clauses of the assistant that repeat what is chosen."""
        turns: dict[int, list[int]] = {}
        for place, line in enumerate(self.lines):
            if self._is_told(line):
                turns.setdefault(self.passages[line.passage].turn, []).append(place)
        values = {one for place in chosen for one in (*self.lines[place].names, *_values(self.lines[place].text))}
        for place, line in enumerate(self.lines):
            if self._is_told(line):
                continue
            near = turns.get(self.passages[line.passage].turn, ())
            own = {w for one in near if one in chosen for w in self.lines[one].words}
            rest = {w for one in near if one not in chosen for w in self.lines[one].words}
            lowered = line.text.casefold()
            if line.words & (own - rest) or any(holds_words(lowered, one) for one in values):
                yield place


def _is_strange(line: Line, wanted: Wanted) -> bool:
    return any(
        share >= 0.5 and name not in wanted.attributes and name not in (OTHER, "name", "todo")
        for name, share in line.attributes.items()
    )


def _values(text: str) -> list[str]:
    """Returns the figures of a text that are hardly said of anything else."""
    return _FIGURE.findall(text.casefold())


def _read_lines(place: int, passage: Passage, ontology: Ontology) -> list[Line]:
    text = passage.text
    message = analyse(text, "", ontology)
    frames = read_message(text, ontology=ontology) if passage.by_user else ()
    lines, sentence, last = [], 0, 0
    for start, end in find_clauses(text):
        sentence += bool(_END.search(text, last, start))
        last = end
        attributes = {}
        def note(name, share):
            attributes[name] = max(attributes.get(name, 0.0), share) + (0.2 if name in attributes else 0)
        for frame in frames:
            if frame.start < end and start < frame.end:
                note(frame.label, frame.attr_certainty)
        for first, after, name, _ in passage.known:
            if first < end and start < after:
                note(name, 0.9)
        for hit in ontology.find_cues(text[start:end]):
            note(hit.attribute, 0.45 if hit.kind == "cue" else 0.35)
        own = text[start:end]
        lines.append(
            Line(
                passage=place, start=start, end=end, sentence=sentence, text=own,
                words=frozenset(_words(own)),
                attributes=attributes,
                relations=_relations(own, ontology),
                names=_names(own, frames, start, end),
                fields=_fields(own),
            )
        )
    return lines


def read_wanted(words: str, ontology: Ontology) -> Wanted:
    """Returns what the words of a request name."""
    weights = load_weights()
    shares = weights.asked.shares([whole_features(analyse(words, "", ontology))])[0]
    attributes = {
        name: share
        for name, share in zip(weights.asked.labels, shares.tolist(), strict=True)
        if share >= MIN_ASKED and name != OTHER
    }
    for hit in ontology.find_cues(words):
        if hit.kind == "cue":
            attributes[hit.attribute] = attributes.get(hit.attribute, 0.0) + 0.7
    relations = _relations(words, ontology)
    names = _names(words, (), 0, len(words))
    content = _words(words)
    related = {w for _, s, e in ontology.find_relations(words) for w in _words(words[s:e])}
    content = [w for w in content if w not in related and w not in names]
    return Wanted(
        words=tuple(content),
        attributes=attributes,
        relations=relations,
        names=names,
        fields=_fields(words, asks=True),
        is_topic=_TOPIC.search(words) is not None or not content,
        is_own=_OWN.search(words) is not None,
    )


def _relations(text: str, ontology: Ontology) -> frozenset[tuple[str, str]]:
    found = set()
    for name, start, end in ontology.find_relations(text):
        if name in (SELF, *THINGS):
            continue
        person = ontology.read_person(text[start:end])
        found.add((name, person.kind if person else text[start:end]))
    return frozenset(found)


def _same_person(one, other) -> bool:
    return one[0] == other[0] and (one[1] == other[1] or not one[1] or not other[1])


def _names(text: str, frames: Iterable[Frame], start: int, end: int) -> frozenset[str]:
    found = {one.name.casefold() for one in find_entities(text) if one.kind in _PEOPLE}
    found |= {
        f.value.casefold() for f in frames
        if f.label == "name" and f.attr_certainty >= 0.5 and f.start >= start and f.end <= end
    }
    return frozenset(found)


@cache
def _field_words() -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    """Returns the fields of life: a name, the words that ask for it, those that tell of it."""
    found = []
    for line in stored_words(__file__, "FIELDS").splitlines():
        asks, tells = (one.split() for one in line.split("|"))
        stems = [frozenset(map(stem, one)) for one in (asks, [*asks, *tells])]
        found.append((asks[0], *stems))
    return tuple(found)


def _fields(text: str, *, asks: bool = False) -> frozenset[str]:
    lowered = text.casefold()
    words = {stem(w) for w in _WORD.findall(lowered)}
    return frozenset(
        name for name, asking, telling in _field_words()
        if any((w in lowered if not w.isascii() else w in words) for w in (asking if asks else telling))
    )


def stem(word: str) -> str:
    """Returns a word without its ending."""
    if len(word) <= 4 or not word.isascii() or any(c.isdigit() for c in word):
        return word
    cut = _STEM.sub("", word)
    if len(cut) < 3:
        return word
    return cut[:-1] if cut[-1] == cut[-2] and len(cut) > 3 else cut


def _words(text: str) -> list[str]:
    """Returns the content words of a text, without endings."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii():
            if word not in _SMALL and word not in STOP_WORDS:
                found.append(stem(word))
        else:
            for part in _SMALL_ZH.split(word):
                if part:
                    found += keywords_of(part) or (part,)
    return list(dict.fromkeys(found))


def _matches(word: str, line: Line) -> float:
    """Returns how well a clause holds a word."""
    if word in line.words:
        return 1.0
    if not word.isascii():
        if word in line.text.casefold():
            return 1.0
        if len(word) > 2 and sum(word[n:n+2] in line.text for n in range(len(word)-1)) * 2 >= len(word) - 1:
            return 0.8
        return 0.0
    if len(word) < 4:
        return 0.0
    plain = line.text.casefold()
    if re.search(rf"\b{re.escape(word)}", plain.replace(" ", "")) and word in plain.replace(" ", ""):
        pass
    for other in line.words:
        short = min(len(word), len(other))
        shared = next((n for n in range(short) if word[n] != other[n]), short)
        if shared >= 5 and shared >= 0.8 * max(len(word), len(other)) - 0.5:
            return 0.9
    pairs = plain.split()
    if any(stem(a + b) == word for a, b in zip(pairs, pairs[1:])):
        return 0.9
    return 0.0
