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
    is_place,
    kind_of,
    named,
    unlike,
)
from smartbrain.remember.extract.statement_tokens_zh import Word, is_known_verb, read_words, verb_of
from smartbrain.remember.extract.statement_words import Verb, phrases, verbs_en, verbs_zh
from smartbrain.remember.extract.statement_words_zh import (
    ABORTING,
    AND,
    AROUND,
    CHAINED,
    COUNTED,
    MEASURES,
    MOVING,
    NEGATIONS,
    NO_PLACE,
    NOUN_TAGS,
    PLACED,
    PRONOUNS,
    REQUEST,
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


class _Reading:
    """Reads a clause from left to right: subject, what stands before the verb, verb, object."""

    def __init__(self, words: Sequence[Word], *, timed: bool) -> None:
        self._words = words
        self._parts: list[Part] = []
        self._subject: list[Noun] = []
        self._spoken = False
        self._negated = False
        self._passive = False
        self._done = timed  # a time, 了 or 过 shows that something happens
        self._after = False  # whether the verb has been read

    def read(self, before: Sequence[Noun]) -> Event | None:
        """Return the event of the clause."""
        at = 0
        while at < len(self._words):
            word = self._words[at]
            if word.text in SAYING and not word.entity:
                return self._reported(at + 1)
            if word.text in ABORTING:
                return None
            if word.text == "不用" and not self._verb_follows(at + 1):
                self._negated = True
                return self._with_verb(Verb("use"), at, before)
            step = self._before_verb(at)
            if step is not None:
                at = step
                continue
            verb = verb_of(word)
            if verb and (is_known_verb(word) or not self._known_follows(at + 1)):
                return self._with_verb(verb, at, before)
            at += 1
        return self._without_verb()

    def _before_verb(self, at: int) -> int | None:
        """Read a negation, an adverb, a prepositional phrase or a noun; return the next place."""
        word = self._words[at]
        if word.entity:
            return self._name(at)
        if word.text in NEGATIONS:
            if word.text == "没有" and not self._verb_follows(at + 1):
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
        noun, end = self._noun(at)
        if noun is None:
            return at + 1
        if end < len(self._words) and self._words[end].text == "的":
            return end + 1  # it only tells whose
        if self._subject and self._words[at - 1].text not in AND:
            self._subject = []
        self._subject.append(noun)
        return end

    def _phrase(self, at: int) -> int | None:
        """Read 把, 被, 给, 和 or 用 with its noun, or a noun alone."""
        word = self._words[at].text
        if word in AND and self._subject:
            noun, end = self._noun(at + 1)
            if noun and noun.kind == "person":
                self._subject.append(noun)
                return end
        role = ROLES.get(word)
        if role:
            noun, end = self._noun(at + 1)
            follows = self._verb_follows(end)
            if word == "被":
                self._passive = True
                if noun and follows:
                    self._parts.append(Part(EdgeType.AGENT, noun))
                    return end
                return at + 1
            if follows and (noun or self._pronoun(at + 1)):
                if noun and word in ("跟", "和", "与", "同"):
                    self._subject.append(noun)
                elif noun and (role is not EdgeType.RECIPIENT or noun.kind == "person"):
                    self._parts.append(Part(role, noun))
                return end if noun else at + 2
            return None if word in ("用", "使用", "给", "和") else at + 1
        if verb_of(self._words[at]) or self._words[at].tag in ("x", "mark"):
            return None if verb_of(self._words[at]) else at + 1
        _, form = verbs_en().get(word.lower(), (None, ""))
        return at + 1 if form == "ed" else self._name(at)  # an English verb among Chinese words

    def _located(self, at: int) -> int | None:
        """Read 在 and the place after it; None when what follows is no place."""
        skip = 2 if at + 1 < len(self._words) and self._words[at + 1].text == "了" else 1
        noun, end = self._noun(at + skip)
        around = end < len(self._words) and self._words[end].text in AROUND
        if noun is None or noun.name in NO_PLACE or noun.kind == "person":
            return None
        if not is_place(noun) and not around:
            return None
        if around:
            end += 1
        if not is_place(noun) or noun.kind == "object":
            noun = noun._replace(kind="place")
        if end < len(self._words) and self._words[end].text == "的":
            following, after = self._noun(end + 1)
            if following and is_place(following):
                self._parts.append(Part(EdgeType.LOCATION, following))
                end = after
        self._parts.append(Part(EdgeType.LOCATION, noun))
        return end

    def _noun(self, at: int) -> tuple[Noun | None, int]:
        """Read a noun phrase; return its noun and the place after it."""
        words = self._words
        while at < len(words) and (
            words[at].tag in MEASURES
            or words[at].text
            in ("这", "那", "这个", "那个", "个", "一", "些", "我", "我们", "他", "她", "的")
            or (
                words[at].tag in ("a", "r", "b", "z")
                and at + 1 < len(words)
                and words[at + 1].tag not in ("uj", "x")
            )
            or (words[at].tag == "a" and at + 2 < len(words) and words[at + 1].text == "的")
        ):
            at += 1
        if at >= len(words):
            return None, at
        if entity := words[at].entity:
            after = words[at + 1] if at + 1 < len(words) else None
            if after and entity.kind in ("object", "org", "place") and self._is_noun(after):
                return self._noun(at + 1)
            return named(entity), at + 1
        end = at
        while end < len(words) and end - at < 3 and self._is_noun(words[end]):
            end += 1
        if end == at:
            return None, at
        if (
            end + 1 < len(words)
            and words[end].text == "的"
            and (words[end + 1].entity or self._is_noun(words[end + 1]))
        ):
            return self._noun(end + 1)
        if end < len(words) and words[end].text == "们":
            end += 1
        name = "".join(word.text for word in words[at:end])
        counted = COUNTED.match(name)
        skip = counted.end() if counted else 0
        name = name[skip:]
        return Noun(kind_of(name), name, words[at].start + skip, words[end - 1].end), end

    def _is_noun(self, word: Word) -> bool:
        """Tell whether a word may be a part of a noun phrase."""
        if word.entity or word.text in SKIPPED or word.text in AROUND or word.text in NEGATIONS:
            return False
        if word.text in ROLES or word.text in PLACED or word.text in PRONOUNS:
            return False
        if word.text in verbs_zh() or word.text in phrases() or word.tag in ("x", "mark"):
            return False
        if word.tag == "v" and len(word.text) > 1 and self._leads_to_noun(word):
            return True
        if self._after and word.tag in ("v", "d"):  # at the end of a clause the tag is wrong
            return len(word.text) > 1 and word is self._last()
        if not word.tag.startswith(NOUN_TAGS):
            return False
        return len(word.text) > 1 or word.tag in ("n", "eng") or kind_of(word.text) != "object"

    def _leads_to_noun(self, word: Word) -> bool:
        """Tell whether a noun follows at once, and a verb of the lists after it."""
        at = self._words.index(word) + 1
        following = self._words[at] if at < len(self._words) else None
        return bool(following and following.tag == "n" and self._known_follows(at))

    def _known_follows(self, at: int) -> bool:
        """Tell whether a verb of the lists stands at a place or after it."""
        return any(is_known_verb(word) for word in self._words[at:])

    def _last(self) -> Word | None:
        """Return the last word that is no mark and no particle."""
        told = [word for word in self._words if word.tag != "mark" and word.text not in SKIPPED]
        return told[-1] if told else None

    def _pronoun(self, at: int) -> bool:
        return at < len(self._words) and self._words[at].text in (SPEAKER | PRONOUNS)

    def _verb_follows(self, at: int) -> bool:
        """Tell whether a verb stands at a place or after it."""
        return any(verb_of(word) for word in self._words[at:])

    def _without_verb(self) -> Event | None:
        """Return that something is somewhere, if that is all the clause says."""
        places = [part for part in self._parts if part.role is EdgeType.LOCATION]
        if not (places and self._subject) or self._passive:
            return None
        parts = unlike([*(Part(EdgeType.AGENT, noun) for noun in self._subject), *self._parts])
        return Event("be_located", "在", self._negated, parts)

    def _reported(self, at: int) -> Event | None:
        """Read what somebody says: the event in their words."""
        while at < len(self._words) and (
            self._words[at].tag == "mark" or self._words[at].text in ("我", "我们", "了", "过")
        ):
            at += 1
        event = _Reading(self._words[at:], timed=True).read(())
        return event._replace(reported=True) if event else None

    def _with_verb(self, verb: Verb, at: int, before: Sequence[Noun]) -> Event | None:
        """Read what follows the verb and put the event together."""
        first = self._words[at]
        name, text = verb.name, first.text
        at += 1
        while verb.name in CHAINED and at < len(self._words) and (following := self._chained(at)):
            verb, at = following
            name, text = f"{name}_{verb.name}", self._words[at - 1].text
        if first.text == "想" and at == self._words.index(first) + 1:
            return None
        last = self._words[at - 1]
        self._after = True
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
        if not parts or not told or (self._passive and (verb.to_place or verb.name in MOVING)):
            return None
        words = "".join(w.text for w in self._words if first.start <= w.start < last.end)
        return Event(name, words, self._negated, parts, spoken=self._spoken)

    def _chained(self, at: int) -> tuple[Verb, int] | None:
        """Return the verb that follows one such as 喜欢 at once."""
        while at < len(self._words) and self._words[at].text in ("去", "要", "再"):
            if at + 1 < len(self._words) and not verb_of(self._words[at + 1]):
                break
            at += 1
        verb = verb_of(self._words[at]) if at < len(self._words) else None
        return (verb, at + 1) if verb else None

    def _objects(self, verb: Verb, text: str, at: int) -> tuple[Verb, Word | None]:
        """Read the nouns after the verb; return the verb that the clause comes down to."""
        serial = None
        while at < len(self._words):
            word = self._words[at]
            if word.tag == "mark":
                break
            if word.text in PLACED and (placed := self._located(at)):
                at = placed
                continue
            if word.text in ("给", "跟", "向") and not word.entity:
                noun, end = self._noun(at + 1)
                if noun and noun.kind == "person":
                    self._parts.append(Part(EdgeType.RECIPIENT, noun))
                    at = end
                    continue
            if word.text in ("了", "过"):
                self._done = True
            noun, end = self._noun(at)
            if noun and end > at:
                self._place(verb, text, noun)
                at = end
                continue
            following = verb_of(word)
            if following and word.text not in SKIPPED:
                if at + 1 < len(self._words) and self._words[at + 1].text == "的":
                    at += 2
                    continue
                if not (verb.to_place or verb.name in MOVING):
                    break
                verb, serial, text = following, word, word.text
            at += 1
        return verb, serial

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
