"""Put the tokens of a clause together to events: who does what to whom, where, how and why (C7).

In: nouns, verbs, prepositions and small words of a Chinese or English clause, and the word lists of
`words.txt`. Out: events with one English name for a predicate. A clause without a verb, or with
nobody and nothing in it, gives none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cache
from typing import Final

import msgspec

from smartbrain.domain.graph import EdgeType
from smartbrain.text.entities import Entity
from smartbrain.text.entity_words import NICKNAMES_ZH
from smartbrain.text.word_list import stored_words, word_set

TimeSpans = Sequence[tuple[int, int]]
"""Where the times of a clause begin and end."""
VEHICLES: Final = word_set(stored_words(__file__, "VEHICLES"))
_PEOPLE: Final = word_set(stored_words(__file__, "PEOPLE"))
_PLACES: Final = word_set(stored_words(__file__, "PLACES"))
_ORGS: Final = word_set(stored_words(__file__, "ORGS"))
_FAMILY_ZH: Final = ("爸", "妈", "哥", "姐", "弟", "妹", "爷", "奶")
_PLACE_ENDINGS_ZH: Final = tuple("店馆院站厅室园楼校场边")
_ROLE_ORDER: Final = [
    *(EdgeType.AGENT, EdgeType.PATIENT, EdgeType.RECIPIENT, EdgeType.BENEFICIARY),
    *(EdgeType.INSTRUMENT, EdgeType.LOCATION, EdgeType.MANNER, EdgeType.CAUSE),
]
_MAX_OBJECTS: Final = 4


class Noun(msgspec.Struct, frozen=True):
    """A noun or a name, where it stands in the clause, and the role it plays there."""

    kind: str  # of the entity; `other` for how and why
    name: str
    start: int
    role: EdgeType | None = None

    def is_place(self) -> bool:
        """Tells whether something can happen there: at a place, an organisation, in a vehicle."""
        last = self.name.split()[-1].lower()
        return self.kind in ("place", "org") or last in _PLACES or last in VEHICLES


class Predicate(msgspec.Struct, frozen=True):
    """A predicate by name, and whether a place follows it rather than an object."""

    name: str = "be_located"
    takes_place: bool = True


class Token(msgspec.Struct, frozen=True):
    """A part of a clause: a noun, a verb with its form (empty, s, ed, ing), or a small word.

    The kinds: noun, verb, preposition, be, not, manner, and, pronoun, done (了, a time), say, stop.
    """

    kind: str
    text: str
    start: int
    noun: Noun | None = None
    verb: Predicate = Predicate()
    form: str = ""


class ClauseWord(msgspec.Struct, frozen=True):
    """A word with its tags and what verb it may be, or a name as one; a name has no tags."""

    text: str
    start: int
    lower: str = ""
    tags: frozenset[str] = frozenset()
    entity: Entity | None = None
    verb: Predicate | None = None
    form: str = ""

    def has(self, *tags: str) -> bool:
        """Tells whether the lists give the word one of some tags."""
        return not self.tags.isdisjoint(tags)


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
        if token.kind == "say" and not reader.verbs:
            reader = _EventReader((), {"reported"})
        elif token.kind == "and" and following == "verb" and reader.verbs:
            events += reader.make_event()
            reader = _EventReader(reader.subject or before, reader.seen & {"pronoun", "reported"})
        elif not reader.read(token, following):
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

    def read(self, token: Token, following: str) -> bool:
        """Reads a token; tells whether the event may go on."""
        self.seen.add("passive" if token.text == "被" else token.kind)
        if token.kind == "noun" and token.noun:
            self._read_noun(token.noun)
        elif token.kind == "verb":
            return self._read_verb(token)
        elif token.kind == "preposition":
            is_placed = self._last in ("be", "not") and prepositions()[token.text] == "LOCATION"
            self.verbs += [token] if is_placed and "be" in self.seen and not self.verbs else []
            self._preposition = token.text
        elif token.kind == "manner":
            self._add(EdgeType.MANNER, Noun("other", token.text, token.start))
        elif token.kind == "pronoun":
            self._preposition = ""
        self._last = token.kind
        ends = token.kind == "and" and following == "pronoun" and bool(self.verbs)
        return token.kind != "stop" and not ends

    def _add(self, role: EdgeType | None, noun: Noun) -> None:
        self._parts += [msgspec.structs.replace(noun, role=role)] if role else []

    def _read_verb(self, token: Token) -> bool:
        """Reads a verb: the first, one that it is chained to, or the end of a way that is gone."""
        last = self.verbs[-1].verb if self.verbs else None
        classes = classes_of(last.name) if last else frozenset()
        if last and not last.takes_place and classes.isdisjoint(("moving", "chained")):
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
        classes = classes_of(self.verbs[-1].verb.name) if self.verbs else frozenset()
        if preposition == "by":
            role = "AGENT" if "passive" in self.seen else "none"
        elif preposition == "for" and "for_object" in classes:
            role = "PATIENT"
        elif preposition == "with" and person:
            role = "PATIENT" if "social" in classes else "AGENT"
        elif preposition == "with":
            role = "INSTRUMENT" if "with_tool" in classes and not noun.is_place() else "none"
        elif role == "LOCATION" or (preposition == "to" and not person):
            role = "LOCATION" if noun.is_place() else "none"
        elif (role in ("RECIPIENT", "BENEFICIARY") and not person) or (
            role == "MANNER" and preposition != "通过" and noun.name not in VEHICLES
        ):
            role = "none"
        role = "MANNER" if f"{preposition}_{noun.name}" in prepositions() else role
        return None if role == "none" else EdgeType(role)

    def _add_object(self, noun: Noun) -> None:
        """Gives a noun after the verb its role: a place, who is given something, or the object."""
        verb = self.verbs[-1]
        objects = [part for part in self._parts if part.role is EdgeType.PATIENT]
        is_given = "giving" in classes_of(verb.verb.name)
        if verb.verb.takes_place:
            self._add(EdgeType.LOCATION if noun.is_place() else None, noun)
        elif noun.kind == "person" and "to_somebody" in classes_of(verb.text):
            self._add(EdgeType.RECIPIENT, noun)
        elif objects and objects[0].kind == "person" and is_given:
            self._parts.remove(objects[0])
            self._add(EdgeType.RECIPIENT, objects[0])
            self._add(EdgeType.PATIENT, noun)
        elif not objects or ("and" in self.seen and len(objects) < _MAX_OBJECTS):
            self._add(None if "passive" in self.seen else EdgeType.PATIENT, noun)

    def make_event(self) -> list[SaidEvent]:
        """Returns the event that was read, if there is one."""
        subject = self.subject or ([] if "pronoun" in self.seen else self._before)
        is_placed = self.subject and "be" not in self.seen  # 服务器在法兰克福
        is_placed = is_placed and any(part.role is EdgeType.LOCATION for part in self._parts)
        is_said = subject or not self.seen.isdisjoint(("pronoun", "reported", "done"))
        if not is_said or not (self.verbs or is_placed):
            return []
        verbs = self.verbs or [Token("verb", "", 0)]
        last = verbs[-1]
        shared = "pronoun" in self.seen and "social" in classes_of(last.verb.name)
        role = EdgeType.PATIENT if shared or "passive" in self.seen else EdgeType.AGENT
        acting = [msgspec.structs.replace(noun, role=role) for noun in subject]
        unique = {(part.role, part.name): part for part in (*acting, *self._parts)}
        parts = sorted(unique.values(), key=lambda part: _ROLE_ORDER.index(part.role or role))
        is_going = last.verb.name == "go" and subject and subject[0].kind == "object"
        telling = [one for one in parts if one.role not in (EdgeType.MANNER, EdgeType.CAUSE)]
        if len(telling) < (2 if is_going else 1):
            return []
        things = [part.name.lower() for part in parts if part.role is EdgeType.PATIENT]
        pairs = [f"{verb}+{thing}" for verb in (last.verb.name, last.text) for thing in things[:1]]
        whole = next(filter(None, map(phrases().get, pairs)), last.verb.name)
        event = SaidEvent(
            predicate="_".join([*(token.verb.name for token in verbs[:-1]), whole]),
            words=" ".join(token.text for token in verbs),
            negation="not" in self.seen,
            parts=tuple(parts),
            reported="reported" in self.seen,
        )
        return [event]


def kind_of(noun: str) -> str:
    """Returns the kind of entity that a common noun names; what is not listed is an object."""
    last = noun.split()[-1].lower() if noun.isascii() and noun else noun
    is_place = last in _PLACES or (len(noun) > 1 and noun.endswith(_PLACE_ENDINGS_ZH))
    if last in _PEOPLE or noun.endswith(_FAMILY_ZH) or noun in NICKNAMES_ZH:
        return "person"
    if last in _ORGS:
        return "org"
    return "place" if is_place else "object"


@cache
def tag_words(module: str, name: str) -> dict[str, frozenset[str]]:
    """Returns the tags of the words in a list whose lines are `tag: words`."""
    tags: dict[str, frozenset[str]] = {}
    for line in stored_words(module, name).splitlines():
        tag, _, words = line.partition(": ")
        tags |= {word: tags.get(word, frozenset()) | {tag} for word in words.split()}
    return tags


@cache
def prepositions() -> dict[str, str]:
    """Returns the roles that prepositions give; `way` is that of one with its noun: by_train."""
    return {word: min(roles) for word, roles in tag_words(__file__, "PREPOSITIONS").items()}


def classes_of(name: str) -> frozenset[str]:
    """Returns the classes of a predicate or a verb: chained, moving, giving and others."""
    return tag_words(__file__, "CLASSES").get(name, frozenset())


@cache
def phrases() -> dict[str, str]:
    """Returns the names of verbs with their objects: `play+soccer`, `踢+足球`, `踢足球`."""
    names = {}
    for entry in stored_words(__file__, "PHRASES").split(";"):
        name, _, words = entry.strip().partition(": ")
        for phrase in words.split():
            verb, plus, thing = phrase.partition("+")
            names[verb + plus + thing.replace("_", " ")] = name
            if not phrase.isascii():
                names[verb + thing] = name
    return names


@cache
def verbs() -> dict[str, tuple[Predicate, str]]:
    """Returns Chinese verbs and all forms of English ones: the predicate, and the form."""
    found: dict[str, tuple[Predicate, str]] = {}
    listed = (entry.split(":") for entry in stored_words(__file__, "IRREGULAR").split())
    irregular = {lemma: [(past, "ed") for past in pasts.split(",")] for lemma, pasts in listed}
    more = stored_words(__file__, "MORE_VERBS").split()
    for entry in (*stored_words(__file__, "VERBS").split(";"), *more):
        english, *chinese = entry.strip().split("|")
        name, colon, after = english.partition(":")
        bare = name.split()[0]
        forms = [(word, "") for word in chinese]
        for lemma in (after if colon else english.replace("~", "")).split():
            forms += [*irregular.get(lemma, []), *_inflect(lemma)]
        for word, form in forms:
            found.setdefault(word, (Predicate(bare.rstrip("~"), bare.endswith("~")), form))
    return found


def _inflect(lemma: str) -> Iterator[tuple[str, str]]:
    """Yields the forms of an English verb, and some that do no harm: "planned" and "planed"."""
    stems = (lemma, lemma + lemma[-1], lemma.removesuffix("e"), lemma.removesuffix("y") + "i")
    yield lemma, ""
    yield from ((word, "s") for word in (f"{lemma}s", f"{lemma}es", f"{stems[-1]}es"))
    for stem in stems:
        yield f"{stem}ed", "ed"
        yield f"{stem}ing", "ing"
