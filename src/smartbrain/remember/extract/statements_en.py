"""Read what an English clause says happens: who does what to whom, and where (C7).

In: a clause with the names and the times in it. Out: an event, or none when it is not plain: a
clause without a subject of its own, without a known verb, or that only says what something is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from smartbrain.domain.graph import EdgeType
from smartbrain.remember.extract.statement_nouns import (
    Event,
    Noun,
    Part,
    circumstance,
    is_place,
    kind_of,
    tells,
    unlike,
)
from smartbrain.remember.extract.statement_subjects_en import (
    Item,
    is_auxiliary,
    may_begin_subject,
    read_items,
    read_noun,
    read_subject,
)
from smartbrain.remember.extract.statement_words import Verb, phrases, verbs_en
from smartbrain.remember.extract.statement_words_en import (
    ADVERBS,
    BE,
    CHAINED,
    DETERMINERS,
    DUE_TO,
    GIVING,
    HAVE,
    INTENDING,
    LEADS,
    MANNERS,
    MEANS,
    MODALS,
    NEGATIONS,
    OBJECT_PRONOUNS,
    OTHER_PREPOSITIONS,
    OWING,
    PHRASAL,
    PLACED,
    PRONOUNS,
    SAME_IN_PAST,
    SAYING,
    SOCIAL,
    SPEAKER,
    STOPS,
    SUBJECTS,
    TO,
    WAYS,
    WITH_TOOL,
)
from smartbrain.text.entities import Entity

_AFTER_ADVERBS: Final = STOPS | PLACED | OTHER_PREPOSITIONS | ADVERBS | OWING | {"and"}


def read_english(
    text: str, entities: Sequence[Entity], times: Sequence[tuple[int, int]]
) -> Iterator[Event]:
    """Yield what an English clause says happens; what "and" adds is done by the same one."""
    coming = read_items(text, entities, times)
    items: list[Item] = []
    helper = ""  # of a question, before whom it is about
    for item in coming:
        items.append(item)
        if not helper and (item.lower in LEADS or item.text == ","):
            continue
        if helper or not (item.lower in MODALS or item.lower in BE):
            break
        helper = item.lower
    if not items or not may_begin_subject(items[-1]):
        return
    at = len(items) - 1
    items += coming
    subject = read_subject(items, at)
    if subject is None:
        return
    nouns, at = subject
    while at < len(items):
        found = _Reading(items, nouns, helper).read(at)
        if found is None:
            return
        event, at = found
        if event:
            yield event


class _Reading:
    """Reads the verb of a clause and what follows it."""

    def __init__(self, items: Sequence[Item], nouns: list[Noun] | None, helper: str = "") -> None:
        self._items = items
        self._helper = helper
        self._nouns = nouns
        self._parts: list[Part] = []
        self._negated = False
        self._passive = False

    def read(self, at: int) -> tuple[Event | None, int] | None:
        """Return the event from a place on, and where the next one begins."""
        items = self._items
        start = self._verb_at(at)
        if start is None:
            return None
        verb, first, at = start
        if verb.name == "say":
            return self._reported(at)
        particle = items[at].lower if at < len(items) else ""
        verb = PHRASAL.get((verb.name, particle), verb)
        if verb.name == "cause" and particle == "to":
            at += 1
        chained = verb.name
        while verb.name in CHAINED and (following := self._chained(at)):
            verb, at = following
            chained = f"{chained}_{verb.name}"
        last = items[at - 1]
        after = self._objects(verb, at)
        subject = self._nouns or []
        role = EdgeType.PATIENT if self._passive else EdgeType.AGENT
        parts = unlike([*(Part(role, noun) for noun in subject), *self._parts])
        things = [part.noun for part in self._parts if part.role is EdgeType.PATIENT]
        predicate = chained
        for thing in things[:1]:
            whole = phrases().get(f"{verb.name}+{thing.name.lower()}")
            if whole:
                predicate = chained[: -len(verb.name)] + whole
        going = verb.name == "go" and subject and subject[0].kind == "object"
        told = len(tells(parts))
        if not told or (going and told == 1):
            return None, after
        words = " ".join(item.text for item in items if first <= item.start < last.end)
        return (
            Event(predicate, words, self._negated, parts, spoken=self._nouns is None),
            after,
        )

    def _verb_at(self, at: int) -> tuple[Verb, int, int] | None:
        """Return the main verb, where it begins, and the place after it."""
        items, be, helped = self._items, self._helper in BE, self._helper in MODALS
        while at < len(items):
            item = items[at]
            word = item.lower
            if word in NEGATIONS:
                self._negated = True
            elif word == "no" and at + 1 < len(items) and items[at + 1].lower == "longer":
                self._negated = True
                at += 1
            elif word in TO and at + 1 < len(items) and items[at + 1].lower == "to":
                helped, be = True, False
                at += 1
            elif word in BE or (word == "got" and be):
                be = True
            elif (word in MODALS and not self._is_main(at)) or (
                word in HAVE and not self._is_main(at)
            ):
                helped = True
            elif word in MANNERS:
                self._parts.append(_manner(item))
            elif word not in ADVERBS:
                break
            at += 1
        if at >= len(items):
            return None
        item = items[at]
        if item.lower in SAYING and not be:
            return Verb("say"), item.start, at + 1
        form = verbs_en().get(item.lower)
        if be and item.lower in PLACED:
            return Verb("be_located", to_place=True), item.start, at
        if form is None or (be and form[1] not in ("ed", "ing")):
            return None
        if form[1] == "ing" and not be:
            return None
        base = form[1] == "" and not helped and not be
        one = self._nouns is not None and len(self._nouns) == 1 and not self._plural()
        if base and one and item.lower not in SAME_IN_PAST:
            return None
        self._passive = be and form[1] == "ed"
        return form[0], item.start, at + 1

    def _plural(self) -> bool:
        """Tell whether the one noun of the subject may stand for several."""
        name = self._nouns[0].name if self._nouns else ""
        return name.endswith("s") or name in ("people", "children", "kids", "team", "police", "men")

    def _is_main(self, at: int) -> bool:
        """Tell whether have or do is the verb itself: a noun follows, not a verb."""
        for item in self._items[at + 1 : at + 4]:
            if item.lower in NEGATIONS or item.lower in ADVERBS:
                continue
            if item.lower in verbs_en() or item.lower in BE or item.lower in SAYING:
                return False
            return item.lower != "been" and self._items[at].lower not in ("will", "would", "can")
        return self._items[at].lower in HAVE

    def _reported(self, at: int) -> tuple[Event | None, int] | None:
        """Read what somebody says: the event in their words."""
        items = self._items
        while at < len(items) and (
            items[at].lower in OBJECT_PRONOUNS
            or items[at].lower in ("that", ",", ":", "to")
            or (items[at].entity and at + 1 < len(items) and items[at + 1].lower == "that")
        ):
            # "told me that", but not the subject of what is said: "said it works".
            if items[at].lower in ("it", "this", "these", "those") and at + 1 < len(items):
                break
            at += 1
        subject = read_subject(items, at)
        if subject is None:
            return None
        found = _Reading(items, subject[0]).read(subject[1])
        if found is None or found[0] is None:
            return None
        return found[0]._replace(reported=True), found[1]

    def _chained(self, at: int) -> tuple[Verb, int] | None:
        """Return the verb that "to" or a form in -ing adds: "likes playing", "wants to buy"."""
        items = self._items
        if at + 1 < len(items) and items[at].lower == "to":
            form = verbs_en().get(items[at + 1].lower)
            return (form[0], at + 2) if form and form[1] == "" else None
        form = verbs_en().get(items[at].lower) if at < len(items) else None
        return (form[0], at + 1) if form and form[1] == "ing" else None

    def _objects(self, verb: Verb, at: int) -> int:
        """Read what follows the verb; return where another verb of the same subject begins."""
        items = self._items
        preposition = ""
        while at < len(items):
            item = items[at]
            word = item.lower
            if word in STOPS or item.text in ";:()!?.":
                return len(items)
            if word == "and" or item.text == ",":
                form = verbs_en().get(items[at + 1].lower) if at + 1 < len(items) else None
                if form and form[1] in ("s", "ed") and word == "and":
                    return at + 1
                if at + 2 < len(items) and items[at + 1].lower in (SPEAKER | PRONOUNS):
                    return len(items)
            elif word == "to" and verb.name in CHAINED | INTENDING and self._is_bare(at + 1):
                at += 1  # what is decided is a deed: "to ship"
            elif word in OWING and self._leads_to(at):
                preposition = DUE_TO
                at += 1
            elif word in PLACED or word in OTHER_PREPOSITIONS:
                preposition = word
            elif word in MANNERS:
                if self._tells_how(at):
                    self._parts.append(_manner(item))
            elif word == "home" and verb.to_place and not preposition:
                self._parts.append(Part(EdgeType.LOCATION, _plain_noun(item)))
            elif (word not in ADVERBS and word not in OBJECT_PRONOUNS | NEGATIONS) or word in (
                "this",
                "that",
                "these",
                "those",
                "her",
            ):
                end = self._noun_end(at)
                noun = read_noun(items[at:end])
                if word in SUBJECTS:
                    return len(items)
                if noun:
                    listed = items[at - 1].lower in ("and", ",")
                    self._place(verb, preposition, noun, listed=listed)
                at = max(end, at + 1)
                preposition = preposition if at < len(items) and items[at].lower == "and" else ""
                continue
            elif word in OBJECT_PRONOUNS:
                preposition = ""
            at += 1
        return len(items)

    def _is_bare(self, at: int) -> bool:
        """Tell whether a plain word stands at a place, without an article and no name."""
        item = self._items[at] if at < len(self._items) else None
        return item is not None and not item.entity and item.lower not in DETERMINERS | SUBJECTS

    def _leads_to(self, at: int) -> bool:
        """Tell whether "to" follows a word such as "due"."""
        return at + 1 < len(self._items) and self._items[at + 1].lower == "to"

    def _tells_how(self, at: int) -> bool:
        """Tell whether an adverb belongs to the verb, not to a noun after it: "a hard problem"."""
        if self._items[at - 1].lower in DETERMINERS:
            return False
        after = self._items[at + 1] if at + 1 < len(self._items) else None
        if after is None or self._items[at].lower.endswith("ly"):
            return True
        return after.text in ",;:()!?.&" or after.lower in _AFTER_ADVERBS

    def _noun_end(self, at: int) -> int:
        """Return where a noun phrase ends."""
        items = self._items
        end = at
        while end < len(items):
            item = items[end]
            word = item.lower
            owning = item.text in ("'", "'s", "’s", "’")
            last = items[end - 1].entity if end > at else None
            if last and last.kind == "person" and not owning:
                break
            if word in STOPS or word in PLACED or word in OTHER_PREPOSITIONS or word == "and":
                break
            mark = item.text in ",;:()!?.&" or (word in ADVERBS and end > at)
            mark = mark or (word in OWING and self._leads_to(end))
            if mark or (is_auxiliary(item) and not owning):
                break
            if word in SUBJECTS or (
                end > at and word in DETERMINERS and items[end - 1].lower not in DETERMINERS
            ):
                break
            end += 1
        return end

    def _place(self, verb: Verb, preposition: str, noun: Noun, *, listed: bool) -> None:
        """Give a noun after the verb its role, if it has one."""
        if how := _how(preposition, noun):
            self._parts.append(Part(EdgeType.MANNER, how))
            return
        role = _role(verb, preposition, noun, passive=self._passive)
        if role is None:
            return
        if role is EdgeType.PATIENT and not preposition:
            earlier = [part for part in self._parts if part.role is EdgeType.PATIENT]
            if earlier and verb.name in GIVING and earlier[-1].noun.kind == "person":
                self._parts.remove(earlier[-1])
                self._parts.append(Part(EdgeType.RECIPIENT, earlier[-1].noun))
            elif earlier and (not listed or len(earlier) > 3):
                return
        self._parts.append(Part(role, noun))


def _plain_noun(item: Item) -> Noun:
    return Noun(kind_of(item.lower), item.lower, item.start, item.end)


def _manner(item: Item) -> Part:
    """Return an adverb as a part."""
    return Part(EdgeType.MANNER, circumstance(item.lower, item.start, item.end))


def _how(preposition: str, noun: Noun) -> Noun | None:
    """Return how something is done if a noun and its preposition tell it: "by train"."""
    words = f"{preposition} {noun.name}"
    if words in WAYS:
        name = noun.name if preposition == "with" else words
        return circumstance(name, noun.end - len(name), noun.end)
    return noun if preposition == "by" and noun.name in MEANS else None


def _role(verb: Verb, preposition: str, noun: Noun, *, passive: bool) -> EdgeType | None:
    """Return the role of a noun after a verb and a preposition."""
    person = noun.kind == "person"
    if not preposition:
        if passive:
            return None
        if verb.to_place:
            return EdgeType.LOCATION if is_place(noun) else None
        return EdgeType.PATIENT
    if preposition == DUE_TO:
        return EdgeType.CAUSE
    if preposition in PLACED:
        return EdgeType.LOCATION if is_place(noun) else None
    if preposition == "to":
        if person:
            return EdgeType.RECIPIENT
        if verb.name == "listen_to":
            return EdgeType.PATIENT
        return EdgeType.LOCATION if is_place(noun) else None
    if preposition == "by":
        return EdgeType.AGENT if passive else None
    if preposition == "for":
        if verb.name in ("wait_for", "work"):
            return EdgeType.PATIENT
        return EdgeType.BENEFICIARY if person else None
    if preposition == "with":
        if person:
            return EdgeType.PATIENT if verb.name in SOCIAL else EdgeType.AGENT
        return EdgeType.INSTRUMENT if verb.name in WITH_TOOL and not is_place(noun) else None
    return EdgeType.INSTRUMENT if preposition in ("using", "via") else None
