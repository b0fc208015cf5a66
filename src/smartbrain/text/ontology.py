"""The ontology: which attributes memories have, and what they are called, told and asked by.

In: `ontology.toml`, and attributes that brain.yml adds. Out: lookups by name, words and values in
Chinese and English: which attribute a name means, whether two values are the same, which relation
`my daughter Nora` has, what a question asks about. Not a reader of statements: the cue words are
features for one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from smartbrain.domain.plain import canonical_json
from smartbrain.errors import UsageError
from smartbrain.text.ontology_file import (
    OTHER,
    Attribute,
    PlainWords,
    Relation,
    check_names,
    plain_name,
    read_added,
    read_tables,
)
from smartbrain.text.phrase_index import PhraseIndex, fold_text
from smartbrain.text.relations import PersonWords, RelationReader
from smartbrain.text.sentences import sentence_spans

__all__ = [
    "MAX_ATTRIBUTES",
    "OTHER",
    "Attribute",
    "CueHit",
    "Ontology",
    "Relation",
    "extend_ontology",
    "load_ontology",
]

MAX_ATTRIBUTES: Final = 60
"""How many attributes the file may have; brain.yml adds to them."""

_FILE: Final = Path(__file__).with_name("ontology.toml")
_EDGES: Final = " \t\n,.;:!?，。；：！？、()（）\"'“”「」"
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")


class CueHit(msgspec.Struct, frozen=True):
    """Words of a text that stand for an attribute: a cue, a value it can have, or asking for it."""

    attribute: str
    kind: Literal["cue", "value", "asked"]
    start: int
    end: int


class Ontology(msgspec.Struct, frozen=True, dict=True, eq=False):
    """All attributes and relations, with the lookups over them."""

    attributes: tuple[Attribute, ...]
    relations: tuple[Relation, ...]
    words: PlainWords

    def attribute(self, name: str, memory_type: str = "") -> Attribute | None:
        """Return the attribute of a name or an alias, in whatever case.

        Args:
            name: as finders and callers write it: `location`, `Reply language`.
            memory_type: the type of the memory, whose aliases alone then count: the location of a
                thing (`facts`) is its place, that of a person (`profile`) the home.
        """
        key = plain_name(name)
        return self._by_name.get((memory_type, key)) or self._by_own_name.get(key)

    def is_name(self, name: str) -> bool:
        """Tell whether an attribute has just this name."""
        return any(one.name == name for one in self.attributes)

    def canonical(self, name: str, memory_type: str = "") -> str:
        """Return the one name of an attribute; a name that means none is returned as it is."""
        found = self.attribute(name, memory_type)
        return found.name if found else name

    def value_class(self, attribute: str, text: str) -> str | None:
        """Return the name of the one value that a text tells: `allergic to eggs` tells `egg`.

        None where it tells no value that the attribute's lexicon knows, or several.
        """
        index = self._values.get(self.canonical(attribute))
        if index is None:
            return None
        told = {*index.look_up(text.strip(_EDGES))}
        told = told or {value for hit in index.find(text) for value in hit.meanings}
        return told.pop() if len(told) == 1 else None

    def same_value(self, attribute: str, one: str, other: str) -> bool:
        """Tell whether two texts tell the same value of an attribute, in either language.

        Other numbers make another value (`ubuntu 22`, `ubuntu 24`), and so does a denial.
        """
        if _bare(one) == _bare(other):
            return True
        told = self.value_class(attribute, one)
        if told is None or told != self.value_class(attribute, other):
            return False
        beside = [self._beside_value(attribute, text) for text in (one, other)]
        numbers = [_NUMBER.findall(text) for text in beside]
        denied = [any(self._negations.find(text)) for text in beside]
        return denied[0] == denied[1] and (numbers[0] == numbers[1] or not all(numbers))

    def excludes(self, attribute: str, one: str, other: str) -> bool:
        """Tell whether two values of a `many` cannot stand together: vegan and vegetarian."""
        found = self.attribute(attribute)
        first, second = (self.value_class(attribute, text) for text in (one, other))
        if found is None or first == second:
            return False
        return any({first, second} <= {*values} for values in found.exclusive)

    def asked(self, text: str) -> tuple[str, ...]:
        """Return the attributes that a text asks about, in the order in which it does."""
        return tuple(dict.fromkeys(hit.attribute for hit in self.find_asked(text)))

    def find_asked(self, text: str) -> tuple[CueHit, ...]:
        """Return the words by which the sentences of a text that ask name attributes."""
        found: list[CueHit] = []
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            hits = list(self._asked.find(sentence))
            if hits and self._asks(sentence, hits[0].start, hits[-1].end):
                found += [
                    CueHit(name, "asked", start + hit.start, start + hit.end)
                    for hit in hits
                    for name in hit.meanings
                ]
        return tuple(found)

    def find_cues(self, text: str) -> tuple[CueHit, ...]:
        """Return the words of a text that signal an attribute, from left to right."""
        hits = [
            CueHit(name, "cue", hit.start, hit.end)
            for hit in self._cues.find_all(text)
            for name in hit.meanings
        ]
        hits += [
            CueHit(name, "value", hit.start, hit.end)
            for hit in self._all_values.find_all(text)
            for name in hit.meanings
        ]
        return tuple(sorted(hits, key=lambda hit: (hit.start, hit.end)))

    def relation_of(self, words: str) -> tuple[str, str] | None:
        """Return the relation that words name and the name beside it: `my daughter Nora`.

        A thing goes by its own words: `the staging server` is the thing `staging server`. None
        where the words name nobody that is known so, or somebody else's: `my daughter's teacher`.
        """
        return self._relation_reader.read(words)

    def find_relations(self, text: str) -> list[tuple[str, int, int]]:
        """Return the words of a text that name a relation: its name, start and end."""
        return self._relation_reader.find_relations(text)

    def read_person(self, words: str) -> PersonWords | None:
        """Return what words tell of somebody: the relation, which of several, and the name."""
        return self._relation_reader.read_person(words)

    def without_owner(self, words: str) -> str:
        """Return the words for a thing without those that tell whose it is: my car is a car."""
        return words[self._relation_reader.skip_owners(fold_text(words)) :]

    def with_attributes(self, extra: Mapping[str, Any]) -> Ontology:
        """Return the ontology with further attributes, by name, as brain.yml gives them.

        Raises:
            UsageError: one of them is not declared right; the sentence says what to change.
        """
        added = read_added(extra)
        check_names(added)
        for one in added:
            where = f"ontology.attributes.{one.name}"
            if one.name in self._by_own_name:
                raise UsageError(f"{where} is there already; choose another name")
            for alias, memory_type in product(one.aliases, one.all_types):
                if known := self.attribute(alias, memory_type):
                    raise UsageError(f"{where}.aliases: {alias!r} means {known.name}; remove it")
        return Ontology((*self.attributes, *added), self.relations, self.words) if added else self

    @cached_property
    def _by_own_name(self) -> Mapping[str, Attribute]:
        return {one.name: one for one in self.attributes}

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Attribute]:
        """Attributes by memory type, or none, and name; names come before aliases."""
        found: dict[tuple[str, str], Attribute] = {}
        for one in self.attributes:
            found.update({(memory_type, one.name): one for memory_type in ("", *one.all_types)})
        for one in self.attributes:
            for alias in map(plain_name, one.aliases):
                for memory_type in ("", *one.all_types):
                    found.setdefault((memory_type, alias), one)
        return found

    @cached_property
    def _asked(self) -> PhraseIndex[str]:
        return PhraseIndex((word, one.name) for one in self.attributes for word in one.asked)

    @cached_property
    def _cues(self) -> PhraseIndex[str]:
        return PhraseIndex((word, one.name) for one in self.attributes for word in one.cues)

    @cached_property
    def _all_values(self) -> PhraseIndex[str]:
        return PhraseIndex(
            (word, one.name) for one in self.attributes for same in one.values for word in same
        )

    @cached_property
    def _values(self) -> Mapping[str, PhraseIndex[str]]:
        """The words for the values of each attribute, with the name of the value."""
        return {
            one.name: PhraseIndex((word, same[0]) for same in one.values for word in same)
            for one in self.attributes
        }

    @cached_property
    def _questions(self) -> PhraseIndex[bool]:
        return PhraseIndex((word, True) for word in self.words.question)

    @cached_property
    def _negations(self) -> PhraseIndex[bool]:
        return PhraseIndex((word, True) for word in self.words.negation)

    @cached_property
    def _relation_reader(self) -> RelationReader:
        return RelationReader(self.relations, self.words)

    def _asks(self, sentence: str, start: int, end: int) -> bool:
        """Tell whether a sentence asks: by its mark, by its words, or as there is nothing else.

        我的职业 is nothing else; `start` and `end` are where the words for attributes stand.
        """
        if sentence.rstrip().endswith(("?", "？")) or any(self._questions.find(sentence)):
            return True
        folded = fold_text(sentence)
        return self._relation_reader.skip_owners(folded) >= start and not folded[end:].strip(_EDGES)

    def _beside_value(self, attribute: str, text: str) -> str:
        """Return a text without the words for its value."""
        kept, past = [], 0
        for hit in self._values[self.canonical(attribute)].find(text):
            kept.append(text[past : hit.start])
            past = hit.end
        return " ".join((*kept, text[past:]))


@cache
def load_ontology() -> Ontology:
    """Return the ontology of the package, read once."""
    tables = read_tables(_FILE.read_text(encoding="utf-8"))
    return Ontology(tables.attributes, tables.relations, tables.words)


def extend_ontology(attributes: Mapping[str, Any]) -> Ontology:
    """Return the ontology with the attributes of `rules.ontology`, made once for the same ones.

    Raises:
        UsageError: one of them is not declared right.
    """
    return _extend(canonical_json(attributes)) if attributes else load_ontology()


@lru_cache(maxsize=16)
def _extend(attributes: str) -> Ontology:
    return load_ontology().with_attributes(json.loads(attributes))


def _bare(text: str) -> str:
    return " ".join(text.strip(_EDGES).casefold().split())
