"""Who is meant: claims about people, gathered by the person they speak of (K10).

In: all claims about people beside the speaker, in the order in which they were said. Out: one
`Person` each, with the claims about them. Relation words such as 女儿, 闺女 and "my daughter" mean
the only one who bears that relation; a name means whoever was given it; where several fit, nobody
is meant and the claim ends nothing. Taking a name back parts what it had joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from smartbrain.domain.claim import SELF, Claim, Say
from smartbrain.domain.keys import slug
from smartbrain.text.ontology import PROJECT, THING, Ontology

PEOPLE: Final = "profile:*"
"""The group of all claims about people beside the speaker."""
THINGS: Final = (THING, PROJECT)
"""Relations of what is nobody."""
NAME: Final = "name"


class Person(msgspec.Struct, kw_only=True):
    """Somebody whom claims speak of.

    `names` are theirs, `called` is every subject that meant them, as slugs; `words` are relation
    words for them, by kind. `key` names their memory, `title` is the same as it was said. Who
    `speaks` for themselves is nobody that others speak of: no speaker ends another's claims.
    """

    relation: str
    speaker: str
    speaks: bool = False
    names: set[str] = msgspec.field(default_factory=set)
    called: set[str] = msgspec.field(default_factory=set)
    words: set[tuple[str, str]] = msgspec.field(default_factory=set)
    claims: list[Claim] = msgspec.field(default_factory=list)
    key: str = ""
    title: str = ""


class _Mention(msgspec.Struct, frozen=True, kw_only=True):
    """The words for somebody: a relation, of a kind where it has several, a name, or both."""

    relation: str
    speaker: str
    speaks: bool = False
    has_relation: bool = False
    kind: str = ""
    which: str = ""
    name: str = ""

    def fits(self, person: Person) -> bool:
        """Tell whether relation words may mean somebody: my kid may be the daughter."""
        if (person.relation, person.speaker) != (self.relation, self.speaker):
            return False
        return not person.words or any(self._is_alike(*words) for words in person.words)

    def may_be(self, person: Person) -> bool:
        """Tell whether words may mean somebody at all; an operation may mean a speaker as well."""
        by_operation = self.relation == SELF and not self.speaks
        return by_operation or self.speaks == person.speaks

    def _is_alike(self, kind: str, which: str) -> bool:
        same = not self.kind or not kind or self.kind == kind
        return same and (not self.which or not which or self.which == which)


def gather_people(claims: Sequence[Claim], ontology: Ontology) -> tuple[list[Person], list[Claim]]:
    """Return the people of claims in order, and the claims that name nobody for certain."""
    people, unknown = _People(ontology), []
    taken_back = _find_taken_back(claims)
    for claim in claims:
        names = claim.attribute == NAME and claim.say is Say.ASSERT and claim.id not in taken_back
        person = people.name(claim) if names else people.find(claim)
        if person is None:
            unknown.append(claim)
        else:
            person.claims.append(claim)
            person.called.add(slug(claim.subject))
    found = people.all
    _name_keys(found, ontology)
    return found, unknown


def subject_slugs(claims: Iterable[Claim]) -> set[str]:
    """Return the slugs of every word and name by which claims speak of people."""
    said = {claim.subject for claim in claims}
    said |= {str(claim.value) for claim in claims if claim.attribute == NAME}
    return {slug(words) for words in said} - {""}


class _People:
    def __init__(self, ontology: Ontology) -> None:
        self.all: list[Person] = []
        self._ontology = ontology

    def find(self, claim: Claim) -> Person | None:
        """Return whom a claim speaks of, made known if nobody fits; None where several do."""
        mention = self._read(claim)
        if mention.name:
            return self._give_name(mention, mention.name)
        fitting = [one for one in self.all if mention.fits(one)]
        just_so = [one for one in fitting if (mention.kind, mention.which) in one.words]
        fitting = just_so or fitting
        if len(fitting) > 1:
            return None
        return self._learn(fitting[0], mention) if fitting else self._add(mention)

    def name(self, claim: Claim) -> Person:
        """Return whom a claim gives a name, known by it from now on."""
        mention = self._read(claim)
        person = self._give_name(mention, str(claim.value))
        return self._learn(person, mention)

    def _give_name(self, mention: _Mention, name: str) -> Person:
        """Return the one who bears a name, or whom relation words mean that has none yet."""
        given = msgspec.structs.replace(mention, name=name)
        known, person = self._named(given), self._named(mention)
        if mention.has_relation and person is None:
            nameless = [one for one in self.all if mention.fits(one) and not one.names]
            person = nameless[0] if len(nameless) == 1 else None
        if person is not None and known is not None and person is not known:
            person = self._join(known, person)
        return self._learn(person or known or self._add(given), given)

    def _named(self, mention: _Mention) -> Person | None:
        name = slug(mention.name)
        bearers = [one for one in self.all if name in one.names and mention.may_be(one)]
        if mention.relation == SELF and not bearers:
            bearers = [one for one in self.all if name in one.called and mention.may_be(one)]
        related = [one for one in bearers if one.relation in (mention.relation, SELF)]
        if related:
            return related[0]
        alone = len(bearers) == 1 and not mention.has_relation
        return bearers[0] if alone else None

    def _add(self, mention: _Mention) -> Person:
        person = Person(relation=mention.relation, speaker=mention.speaker, speaks=mention.speaks)
        self.all.append(person)
        return self._learn(person, mention)

    def _learn(self, person: Person, mention: _Mention) -> Person:
        if person.relation == SELF and not person.speaks:
            person.relation = mention.relation
        if mention.name:
            person.names.add(slug(mention.name))
        if mention.kind or mention.which:
            person.words.add((mention.kind, mention.which))
        return person

    def _join(self, one: Person, other: Person) -> Person:
        """Let two be one: a name says that they are."""
        first, second = sorted((one, other), key=self.all.index)
        first.names |= second.names
        first.words |= second.words
        first.called |= second.called
        first.claims = sorted((*first.claims, *second.claims), key=lambda claim: claim.order)
        self.all.remove(second)
        return first

    def _read(self, claim: Claim) -> _Mention:
        mention = _Mention(
            relation=claim.relation,
            speaker=claim.speaker,
            speaks=claim.relation == SELF and claim.turn_id is not None,
            name=claim.subject,
        )
        read = self._ontology.read_person(claim.subject) if claim.relation != SELF else None
        if read is None or read.relation != claim.relation:
            return mention
        return msgspec.structs.replace(
            mention, has_relation=True, kind=read.kind, which=read.which, name=read.name
        )


def _find_taken_back(claims: Sequence[Claim]) -> set[str]:
    """Return the ids of claims that gave a name which was said later to be wrong."""
    found: set[str] = set()
    given: list[Claim] = []
    for claim in claims:
        if claim.attribute != NAME:
            continue
        if claim.say is Say.ASSERT:
            given.append(claim)
        elif claim.say is Say.WRONG:
            said = slug(str(claim.value))
            found |= {
                one.id
                for one in given
                if one.relation == claim.relation
                and (slug(str(one.value)) == said if said else one.subject == claim.subject)
            }
    return found


def _name_keys(people: Sequence[Person], ontology: Ontology) -> None:
    """Name each memory by the earliest claim: by the name that it gives, else by its words."""
    taken = {"", "user"}
    for person in sorted(people, key=lambda one: not one.speaks):
        first = person.claims[0]
        given = [
            str(claim.value)
            for claim in person.claims
            if claim.source_id == first.source_id
            and claim.attribute == NAME
            and claim.say is Say.ASSERT
            and slug(str(claim.value)) in person.names
        ]
        read = ontology.read_person(first.subject)
        words = given[0] if given else (read.name if read else "") or first.subject
        name, number = slug(words), 1
        while name in taken:
            number += 1
            name = slug(f"{words} {person.relation}{number if number > 2 else ''}")
        taken.add(name)
        person.key, person.title = name, words if number == 1 else name
