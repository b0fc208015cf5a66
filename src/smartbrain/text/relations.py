"""Relations in words: who `my daughter Nora`, 我女儿朵朵 or `the staging server` is to the user.

In: the words of a subject. Out: the relation and the name beside it, or nothing where they name
nobody that is known so, or somebody else's: `my daughter's teacher`. Whether two subjects are one
is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from smartbrain.text.ontology_file import PlainWords, Relation, Wording
from smartbrain.text.phrase_index import PhraseIndex, fold_text, is_han

THING: Final = "thing"
PROJECT: Final = "project"

_NAMED_FIRST: Final = re.compile(r"(?:(?<!\s)\s++)?[,，(（]\s*+|(?<!\s)\s++(?=my\s)")
_JOINT: Final = re.compile(r"[\s,，:：(（-]*(?:(?:named|called|名叫|叫做|叫)\s*)?", re.IGNORECASE)
_EDGES: Final = " \t\n,.;:!?，。；：！？、()（）\"'“”「」《》"
_OF_ANOTHER: Final = re.compile(r"['’]s?(?!\w)|的(?=.)")
_MAX_NAME_WORDS: Final = 3
_MAX_HAN_NAME: Final = 4


class PersonWords(NamedTuple):
    """The words for somebody.

    `kind` is which of those who bear the relation, daughter or son, empty where it may be any;
    `which` tells two of a kind apart: the older, 二.
    """

    relation: str
    kind: str
    which: str
    name: str


class RelationReader:
    """Reads subjects by the words of the ontology."""

    def __init__(self, relations: Iterable[Relation], words: PlainWords) -> None:
        """Take the words for each relation, and the small words around them."""
        relations = tuple(relations)
        self._kinds = {one.name: _index_kinds(one) for one in relations}
        self._relations = PhraseIndex((word, one.name) for one in relations for word in one.words)
        self._owners = _index_words(words.owner)
        self._qualifiers = _index_words(words.qualifier)
        self._unnamed = _index_words(words.unnamed)

    def read(self, words: str) -> tuple[str, str] | None:
        """Return the relation that words name and the name beside it."""
        words = words.strip(_EDGES)
        if known := self._relations.look_up(words):
            return known[0], words if known[0] == THING else ""
        return self._relation_first(words) or self._name_first(words) or self._named_thing(words)

    def read_person(self, words: str) -> PersonWords | None:
        """Return the relation that words name, which one of several bears it, and the name."""
        found = self.read(words)
        if found is None:
            return None
        relation, name = found
        folded = fold_text(words.replace(name, " ") if name else words)
        hits = [hit for hit in self._relations.find(folded) if relation in hit.meanings]
        if not hits:
            return PersonWords(relation, "", "", name)
        said = folded[hits[0].start : hits[0].end]
        which = folded[self.skip_owners(folded) : hits[0].start].strip(_EDGES)
        kinds = self._kinds[relation]
        for place in range(len(said)):
            word = said[place:]
            if word in kinds and (place == 0 or is_han(word) or said[place - 1] in " -"):
                return PersonWords(relation, kinds[word], which + said[:place].strip(" -"), name)
        return PersonWords(relation, said if kinds else "", which, name)

    def find_relations(self, text: str) -> list[tuple[str, int, int]]:
        """Return the words of a text that name a relation: its name, start and end."""
        return [(hit.meanings[0], hit.start, hit.end) for hit in self._relations.find(text)]

    def skip_owners(self, folded: str) -> int:
        """Return the place after the words that tell whose it is."""
        place = 0
        while hit := self._owners.match_at(folded, place):
            place = _skip_space(folded, hit.end)
        return place

    def _relation_first(self, words: str) -> tuple[str, str] | None:
        """Read `my daughter Nora` and 我女儿朵朵."""
        folded = fold_text(words)
        place = self.skip_owners(folded)
        while not (hit := self._relations.match_at(folded, place)):
            qualifier = self._qualifiers.match_at(folded, place)
            if not qualifier:
                return None
            place = _skip_space(folded, qualifier.end)
        relation, rest = hit.meanings[0], words[hit.end :]
        if relation == THING or _OF_ANOTHER.match(rest):
            return None
        joint = _JOINT.match(rest)
        name = rest[joint.end() if joint else 0 :].strip(_EDGES + "的")
        return (relation, name) if not name or self._is_name(name, relation) else None

    def _name_first(self, words: str) -> tuple[str, str] | None:
        """Read `Nora, my daughter` and 朵朵（我女儿）."""
        name, *others = _NAMED_FIRST.split(words, maxsplit=1)
        found = self._relation_first(others[0].strip(_EDGES)) if others and name else None
        if not found or found[1] or not self._is_name(name, found[0]):
            return None
        return found[0], name

    def _named_thing(self, words: str) -> tuple[str, str] | None:
        """Read `the Apollo project`, 阿波罗项目 and `the staging server`."""
        hits = list(self._relations.find(words))
        if not hits or hits[-1].end != len(words):
            return None
        relation = hits[-1].meanings[0]
        start = self.skip_owners(fold_text(words))
        if relation not in (THING, PROJECT) or _OF_ANOTHER.search(words, start):
            return None
        name = words[start:] if relation == THING else words[start : hits[-1].start]
        return relation, name.strip(_EDGES)

    def _is_name(self, words: str, relation: str) -> bool:
        """Tell whether words beside a relation may be a name."""
        if is_han(words):
            other = self._relations.look_up(words)
            short = len(words) <= _MAX_HAN_NAME and not any(self._unnamed.find(words))
            return short and (not other or other[0] == relation)
        parts = words.split()
        if len(parts) > _MAX_NAME_WORDS or any(map(self._unnamed.look_up, parts)):
            return False
        return words[0].isalpha() and (words[0].isupper() or not self._relations.look_up(words))


def _index_kinds(relation: Relation) -> dict[str, str]:
    """Return the kind that each word means; empty for words that may mean any."""
    return {
        fold_text(word): "" if place == 0 else words[0]
        for place, words in enumerate(relation.alike)
        for word in words
    }


def _index_words(words: Wording) -> PhraseIndex[bool]:
    return PhraseIndex((word, True) for word in words)


def _skip_space(text: str, place: int) -> int:
    while text[place : place + 1] == " ":
        place += 1
    return place
