"""Read what a Chinese clause says happens: who does what to whom, and where (C7).

In: a clause with the names and the times in it. Out: an event, or none when it is not plain. The
segmenter only tells where words end; which of them are verbs and prepositions the lists say, for
its tags are often wrong about short sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartbrain.domain.graph import EdgeType
from smartbrain.remember.extract.statement_nouns import (
    Event,
    Noun,
    Part,
    circumstance,
    is_place,
    is_vehicle,
    tells,
    unlike,
)
from smartbrain.remember.extract.statement_nouns_zh import NounReader
from smartbrain.remember.extract.statement_tokens_zh import (
    MANNER,
    Word,
    is_known_verb,
    read_words,
    verb_of,
)
from smartbrain.remember.extract.statement_words import Verb, phrases, verbs_en
from smartbrain.remember.extract.statement_words_zh import (
    ABORTING,
    AND,
    AROUND,
    BECAUSE,
    CAUSING,
    CHAINED,
    DEGREES,
    MOVING,
    NEGATIONS,
    NO_PLACE,
    PLACED,
    PRONOUNS,
    REQUEST,
    RIDING,
    ROLES,
    SAYING,
    SKIPPED,
    SOCIAL,
    SPEAKER,
    TO_SOMEBODY,
)
from smartbrain.text.entities import Entity


def read_chinese(
    text: str,
    entities: Sequence[Entity],
    times: Sequence[tuple[int, int]],
    before: Sequence[Noun] = (),
) -> Iterator[Event]:
    """Yield what a Chinese clause says happens; without a subject it is the last one."""
    if REQUEST.match(text):
        return
    event = _Reading(read_words(text, entities, times), timed=bool(times)).read(before)
    if event:
        yield event


class _Reading(NounReader):
    """Reads a clause from left to right: subject, what stands before the verb, verb, object."""

    def __init__(self, words: Sequence[Word], *, timed: bool) -> None:
        super().__init__(words)
        self._parts: list[Part] = []
        self._subject: list[Noun] = []
        self._spoken = False
        self._negated = False
        self._passive = False
        self._done = timed  # a time, 了 or 过 shows that something happens

    def read(self, before: Sequence[Noun]) -> Event | None:
        """Return the event of the clause."""
        at = 0
        while at < len(self.words):
            word = self.words[at]
            if word.text in SAYING and not word.entity:
                return self._reported(at + 1)
            if word.text in ABORTING:
                return None
            if word.text == "不用" and not self.verb_follows(at + 1):
                self._negated = True
                return self._with_verb(Verb("use"), at, before)
            step = self._before_verb(at)
            if step is not None:
                at = step
                continue
            verb = verb_of(word)
            if verb and (is_known_verb(word) or not self.known_follows(at + 1)):
                return self._with_verb(verb, at, before)
            at += 1
        return self._without_verb()

    def _before_verb(self, at: int) -> int | None:
        """Read a negation, an adverb, a prepositional phrase or a noun; return the next place."""
        word = self.words[at]
        if word.entity:
            return self._name(at)
        if word.tag == MANNER and self.verb_follows(at + 1):
            self._parts.append(_manner(word))
            return at + 1
        if word.text in BECAUSE or word.text in CAUSING:
            reason = self._because(at) if word.text in BECAUSE else self._caused(at)
            if reason:
                return reason
        if word.text in NEGATIONS:
            if word.text == "没有" and not self.verb_follows(at + 1):
                return None
            self._negated = True
            return at + 1
        if word.text in SPEAKER or word.text in PRONOUNS:
            self._spoken = True
            return at + 1
        if word.text in SKIPPED:
            self._done = self._done or word.text in ("已经", "刚", "刚刚", "正在", "曾经")
            return at + 1
        if word.text in PLACED and (placed := self._located(at)):
            return placed
        if word.text in ("在", "正"):
            self._done = True
            return at + 1
        return self._phrase(at)

    def _name(self, at: int) -> int | None:
        """Read a name before the verb: the subject, or a part of it."""
        noun, end = self.noun(at)
        if noun is None:
            return at + 1
        if end < len(self.words) and self.words[end].text == "的":
            return end + 1  # it only tells whose
        if self._subject and self.words[at - 1].text not in AND:
            self._subject = []
        self._subject.append(noun)
        return end

    def _phrase(self, at: int) -> int | None:
        """Read 把, 被, 给, 和 or 用 with its noun, or a noun alone."""
        word = self.words[at].text
        if word in AND and self._subject:
            noun, end = self.noun(at + 1)
            if noun and noun.kind == "person":
                self._subject.append(noun)
                return end
        role = ROLES.get(word)
        if role:
            noun, end = self.noun(at + 1)
            follows = self.verb_follows(end)
            if word in RIDING and not (noun and is_vehicle(noun.name)):
                return None
            if word == "被":
                self._passive = True
                if noun and follows:
                    self._parts.append(Part(EdgeType.AGENT, noun))
                    return end
                return at + 1
            if follows and (noun or self.pronoun(at + 1)):
                if noun and word in ("跟", "和", "与", "同"):
                    self._subject.append(noun)
                elif noun and (role is not EdgeType.RECIPIENT or noun.kind == "person"):
                    self._parts.append(Part(role, noun))
                return end if noun else at + 2
            return None if word in ("用", "使用", "给", "和", "通过", *RIDING) else at + 1
        if verb_of(self.words[at]) or self.words[at].tag in ("x", "mark"):
            return None if verb_of(self.words[at]) else at + 1
        _, form = verbs_en().get(word.lower(), (None, ""))
        return at + 1 if form == "ed" else self._name(at)  # an English verb among Chinese words

    def _because(self, at: int) -> int | None:
        """Read the reason that stands between the subject and the verb: 因为生病, 因大雨."""
        noun, end = self.noun(at + 1)
        if noun is None and at + 1 < len(self.words) and verb_of(self.words[at + 1]):
            word, end = self.words[at + 1], at + 2
            noun = circumstance(word.text, word.start, word.end)
        inside = (self._subject or self._spoken) and self.verb_follows(end)
        if noun is None or noun.kind == "person" or not inside:
            return None
        self._parts.append(Part(EdgeType.CAUSE, noun))
        return end

    def _caused(self, at: int) -> int | None:
        """Let what stands before 导致 be the reason of what is told after it."""
        if not self._subject or not self.known_follows(at + 1):
            return None
        self._parts += [Part(EdgeType.CAUSE, noun) for noun in self._subject]
        self._subject = []
        return at + 1

    def _located(self, at: int) -> int | None:
        """Read 在 and the place after it; None when what follows is no place."""
        skip = 2 if at + 1 < len(self.words) and self.words[at + 1].text == "了" else 1
        noun, end = self.noun(at + skip)
        around = end < len(self.words) and self.words[end].text in AROUND
        if noun is None or noun.name in NO_PLACE or noun.kind == "person":
            return None
        if not is_place(noun) and not around:
            return None
        if around:
            end += 1
        if not is_place(noun) or noun.kind == "object":
            noun = noun._replace(kind="place")
        if end < len(self.words) and self.words[end].text == "的":
            following, after = self.noun(end + 1)
            if following and is_place(following):
                self._parts.append(Part(EdgeType.LOCATION, following))
                end = after
        self._parts.append(Part(EdgeType.LOCATION, noun))
        return end

    def _without_verb(self) -> Event | None:
        """Return that something is somewhere, if that is all the clause says."""
        places = [part for part in self._parts if part.role is EdgeType.LOCATION]
        if not (places and self._subject) or self._passive:
            return None
        parts = unlike([*(Part(EdgeType.AGENT, noun) for noun in self._subject), *self._parts])
        return Event("be_located", "在", self._negated, parts)

    def _reported(self, at: int) -> Event | None:
        """Read what somebody says: the event in their words."""
        while at < len(self.words) and (
            self.words[at].tag == "mark" or self.words[at].text in ("我", "我们", "了", "过")
        ):
            at += 1
        event = _Reading(self.words[at:], timed=True).read(())
        return event._replace(reported=True) if event else None

    def _with_verb(self, verb: Verb, at: int, before: Sequence[Noun]) -> Event | None:
        """Read what follows the verb and put the event together."""
        first = self.words[at]
        name, text = verb.name, first.text
        at += 1
        while verb.name in CHAINED and at < len(self.words) and (following := self._chained(at)):
            verb, at = following
            name, text = f"{name}_{verb.name}", self.words[at - 1].text
        if first.text == "想" and at == self.words.index(first) + 1:
            return None
        last = self.words[at - 1]
        self.after = True
        verb, serial = self._objects(verb, text, at)
        if serial:
            name, text, last = verb.name, serial.text, serial
        things = [part.noun for part in self._parts if part.role is EdgeType.PATIENT]
        for thing in things[:1]:
            whole = phrases().get(f"{text}+{thing.name}")
            if whole:
                name = (name[: -len(verb.name)] if name.endswith(verb.name) else "") + whole
        if not self._subject and not self._spoken:
            self._subject = list(before)
        role = EdgeType.PATIENT if self._passive else EdgeType.AGENT
        if verb.name in SOCIAL and self._spoken:
            role = EdgeType.PATIENT
        parts = unlike([*(Part(role, noun) for noun in self._subject), *self._parts])
        told = bool(self._subject) or self._spoken or self._done
        if (
            not tells(parts)
            or not told
            or (self._passive and (verb.to_place or verb.name in MOVING))
        ):
            return None
        words = "".join(w.text for w in self.words if first.start <= w.start < last.end)
        return Event(name, words, self._negated, parts, spoken=self._spoken)

    def _chained(self, at: int) -> tuple[Verb, int] | None:
        """Return the verb that follows one such as 喜欢 at once."""
        while at < len(self.words) and self.words[at].text in ("去", "要", "再"):
            if at + 1 < len(self.words) and not verb_of(self.words[at + 1]):
                break
            at += 1
        verb = verb_of(self.words[at]) if at < len(self.words) else None
        return (verb, at + 1) if verb else None

    def _objects(self, verb: Verb, text: str, at: int) -> tuple[Verb, Word | None]:
        """Read the nouns after the verb; return the verb that the clause comes down to."""
        serial = None
        while at < len(self.words):
            word = self.words[at]
            if word.tag == "mark":
                break
            if word.text in PLACED and (placed := self._located(at)):
                at = placed
                continue
            if word.text in ("给", "跟", "向") and not word.entity:
                noun, end = self.noun(at + 1)
                if noun and noun.kind == "person":
                    self._parts.append(Part(EdgeType.RECIPIENT, noun))
                    at = end
                    continue
            if word.text in ("了", "过"):
                self._done = True
            if word.text == "得" and (how := self._how_well(at + 1)):
                at = how
                continue
            if word.tag == MANNER:
                self._parts.append(_manner(word))
                at += 1
                continue
            noun, end = self.noun(at)
            if noun and end > at:
                self._place(verb, text, noun)
                at = end
                continue
            following = verb_of(word)
            if following and word.text not in SKIPPED:
                if at + 1 < len(self.words) and self.words[at + 1].text == "的":
                    at += 2
                    continue
                if not (verb.to_place or verb.name in MOVING):
                    break
                verb, serial, text = following, word, word.text
            at += 1
        return verb, serial

    def _how_well(self, at: int) -> int | None:
        """Read how something is done after 得: 跑得很快."""
        words = self.words
        while at < len(words) and words[at].text in DEGREES:
            at += 1
        if at >= len(words) or words[at].tag not in ("a", "ad", "d", "z", "i", MANNER):
            return None
        self._parts.append(_manner(words[at]))
        return at + 1

    def _place(self, verb: Verb, text: str, noun: Noun) -> None:
        """Give a noun after the verb its role."""
        if verb.to_place:
            if is_place(noun):
                self._parts.append(Part(EdgeType.LOCATION, noun))
            return
        if noun.kind == "person" and (text in TO_SOMEBODY or verb.name == "give"):
            self._parts.append(Part(EdgeType.RECIPIENT, noun))
        elif not any(part.role is EdgeType.PATIENT for part in self._parts) and not self._passive:
            self._parts.append(Part(EdgeType.PATIENT, noun))


def _manner(word: Word) -> Part:
    """Return a word that tells how something is done, as a part: 快 of 很快, 认真 of 认真地."""
    name = word.text.removesuffix("地").removeprefix("很")
    start = word.start + word.text.find(name)
    return Part(EdgeType.MANNER, circumstance(name, start, start + len(name)))
