"""Cut an English or a Chinese clause into the tokens that its events are read from (C7).

In: a clause with the names and the times in it, and the word lists of `words.txt`. Out: nouns,
verbs and prepositions; nothing for an English clause without a subject of its own, nor for a
Chinese request. An English word is a verb where its form fits the words before it; in Chinese the
segmenter only tells where words end, and the lists say which are verbs and prepositions, for its
tags are often wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import dropwhile, takewhile
from typing import Final

import msgspec

from smartbrain.domain.graph import EdgeType
from smartbrain.text.entities import Entity
from smartbrain.text.entity_words import NICKNAMES_ZH
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.word_list import stored_words, word_pattern, word_set

TimeSpans = Sequence[tuple[int, int]]
"""Where the times of a clause begin and end."""
VEHICLES: Final = word_set(stored_words(__file__, "VEHICLES"))
_PEOPLE: Final = word_set(stored_words(__file__, "PEOPLE"))
_PLACES: Final = word_set(stored_words(__file__, "PLACES"))
_ORGS: Final = word_set(stored_words(__file__, "ORGS"))
_PLACE_ENDINGS_ZH: Final = tuple("店馆院站厅室园楼校场边")
_WORD: Final = pattern(
    r"(?i:(?:due|owing|thanks|going|used|have|has|had|got|needs?|needed) to\b|no longer\b"
    r"|on foot\b|in (?:person|silence|private|secret)\b|by heart\b)"
    r"|[^\W\d_][\w’'-]*|\d[\w.,:%]*|[^\w\s]"
)
_CONTRACTED: Final = pattern(r"(?i)(\w+)(n['’]t|['’](?:s|re|m|ve|ll|d))\Z")
_LETTERS: Final = pattern(r"[^\W\d_]{2}")
_MARKS: Final = frozenset(";:()!?.")
_PHRASAL: Final = dict(pair.split("=") for pair in stored_words(__file__, "PHRASAL").split("|"))
_NOT_IN_NAMES: Final = ("article", "adjective", "manner", "adverb")
_COUNTED: Final = pattern(word_pattern(__file__, "COUNTED"))
_REQUEST: Final = pattern(word_pattern(__file__, "REQUEST"))
_NOUN_TAGS: Final = ("n", "vn", "eng", "j", "an", "s", "l", "i", "ng", "b", "a", "t", "z")
_KINDS: Final = ("stop", "say", "manner", "not", "pronoun", "done")
_ENDINGS: Final = ("起来", "下来", "完", "好", "到", "掉", "出", "过", "了", "走")


PLACED: Final = "be_located~"
"""The predicate of a clause without a verb: 服务器在法兰克福."""


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


class Token(msgspec.Struct, frozen=True):
    """A part of a clause: a noun, a verb with its form (empty, s, ed, ing), or a small word.

    `verb` is the predicate; with a ~ at its end a place follows it rather than an object. The
    kinds: noun, verb, preposition, be, not, manner, and, pronoun, done (了, a time), say, stop.
    """

    kind: str
    text: str
    start: int
    noun: Noun | None = None
    verb: str = PLACED
    form: str = ""


class ClauseWord(msgspec.Struct, frozen=True):
    """A word with its tags and what verb it may be, or a name as one; a name has no tags."""

    text: str
    start: int
    lower: str = ""
    tags: frozenset[str] = frozenset()
    entity: Entity | None = None
    verb: str = ""
    form: str = ""

    def has(self, *tags: str) -> bool:
        """Tells whether the lists give the word one of some tags."""
        return not self.tags.isdisjoint(tags)


_END: Final = ClauseWord("", 0)


def kind_of(noun: str) -> str:
    """Returns the kind of entity that a common noun names; what is not listed is an object."""
    last = noun.split()[-1].lower() if noun.isascii() and noun else noun
    is_place = last in _PLACES or noun.endswith(_PLACE_ENDINGS_ZH)
    if last in _PEOPLE or noun in NICKNAMES_ZH:
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
    return tag_words(__file__, "CLASSES").get(name.rstrip("~"), frozenset())


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
def verbs() -> dict[str, tuple[str, str]]:
    """Returns Chinese verbs and all forms of English ones: the predicate, and the form."""
    found: dict[str, tuple[str, str]] = {}
    listed = (entry.split(":") for entry in stored_words(__file__, "IRREGULAR").split())
    irregular = {lemma: [(past, "ed") for past in pasts.split(",")] for lemma, pasts in listed}
    more = stored_words(__file__, "MORE_VERBS").split()
    for entry in (*stored_words(__file__, "VERBS").split(";"), *more):
        english, *chinese = entry.strip().split("|")
        name, colon, after = english.partition(":")
        forms = [(word, "") for word in chinese]
        for lemma in (after if colon else english.replace("~", "")).split():
            forms += [*irregular.get(lemma, []), *_inflect(lemma)]
        for word, form in forms:
            found.setdefault(word, (name.split()[0], form))
    return found


def _inflect(lemma: str) -> Iterator[tuple[str, str]]:
    """Yields the forms of an English verb, and some that do no harm: "planned" and "planed"."""
    stems = (lemma, lemma + lemma[-1], lemma.removesuffix("e"), lemma.removesuffix("y") + "i")
    yield lemma, ""
    yield from ((word, "s") for word in (f"{lemma}s", f"{lemma}es", f"{stems[-1]}es"))
    for stem in stems:
        yield f"{stem}ed", "ed"
        yield f"{stem}ing", "ing"


def read_noun(text: str, entities: Sequence[Entity], times: TimeSpans) -> Noun | None:
    """Returns the noun phrase that a text is, up to its first mark."""
    words = _split_words_en(text, entities, times)
    return _make_noun(list(takewhile(lambda word: word.text not in _MARKS | {","}, words)))


def tokenise_english(text: str, entities: Sequence[Entity], times: TimeSpans) -> list[Token]:
    """Returns the tokens of an English clause."""
    words = list(dropwhile(lambda word: word.has("lead"), _split_words_en(text, entities, times)))
    helped = bool(words) and words[0].has("modal", "have", "be")
    first = (words[helped:] or [_END])[0]
    opens = first.entity or first.has("article", "pronoun")
    if not opens and not first.lower.endswith("s") and kind_of(first.text) != "person":
        return []
    return _EnglishTokeniser(words).tokens


def _split_words_en(
    text: str, entities: Sequence[Entity], times: TimeSpans
) -> Iterator[ClauseWord]:
    """Yields the words of a clause without its times, each name as one word."""
    named = {entity.offset: entity for entity in entities}
    done = 0
    for found in _WORD.finditer(text):
        start, end = found.span()
        if start < done or any(begin <= start < stop for begin, stop in times):
            continue
        entity, parted = named.get(start), _CONTRACTED.match(found[0])
        if entity:
            yield ClauseWord(entity.name, start, entity=entity)
            start = done = entity.end
        elif parted:
            yield _make_word(parted[1], start)
            start += len(parted[1])
        if start < end:
            yield _make_word(text[start:end], start)


def _make_word(text: str, start: int) -> ClauseWord:
    lower = text.lower().replace("’", "'").replace(" ", "_")
    tags = tag_words(__file__, "WORDS_EN").get(lower, frozenset())
    verb, form = verbs().get(lower, ("", ""))
    return ClauseWord(text, start, lower, tags, verb=verb, form=form)


def _make_noun(phrase: Sequence[ClauseWord]) -> Noun | None:
    """Returns a noun phrase as a noun: without articles, numbers and plain adjectives."""
    words = list(phrase)
    while words and (words[0].has(*_NOT_IN_NAMES) or words[0].text[0].isdigit()):
        words.pop(0)
    entity = words[-1].entity if words else None
    if entity:
        return Noun(entity.kind, entity.canonical, entity.offset)
    name = " ".join(word.text for word in words).replace(" '", "'").replace(" ’", "’")
    if len(words) > 4 or not _LETTERS.search(name):
        return None
    if not any(word.entity for word in words):
        name = name[0].lower() + name[1:]
    return Noun(kind_of(name), name, words[0].start)


class _EnglishTokeniser:
    """Makes the tokens of a clause, word by word."""

    def __init__(self, words: Sequence[ClauseWord]) -> None:
        self.tokens: list[Token] = []
        self._words = words
        self._phrase: list[ClauseWord] = []
        self._verb = ""  # of the event that is read
        self._is_be = self._is_helped = False
        for at, word in enumerate(words):
            before = words[at - 1] if at else _END
            after = words[at + 1] if at + 1 < len(words) else _END
            kind = self._judge(word, before, after)
            of_person = before.entity is not None and before.entity.kind == "person"
            anew = of_person or (word.has("article") and not before.has("article"))
            if kind != "noun" or (anew and word.lower not in ("'s", "'")):
                self._end_phrase()
            if kind == "noun":
                self._phrase.append(word)
            elif kind:
                self._add_token(kind, word, after)
        self._end_phrase()

    def _end_phrase(self) -> None:
        """Adds the noun phrase before a word; "my flight to Osaka" is one."""
        noun = _make_noun(self._phrase)
        self._phrase = []
        is_aside = self.tokens and self.tokens[-1].kind == "preposition" and not self._verb
        if noun and is_aside and not self._is_be:
            self.tokens.pop()
        elif noun:
            self.tokens.append(Token("noun", noun.name, noun.start, noun=noun))

    def _add_token(self, kind: str, word: ClauseWord, after: ClauseWord) -> None:
        if word.verb and kind == "verb":
            self._verb = _PHRASAL.get(f"{word.verb.rstrip('~')} {after.lower}", word.verb)
        self._is_be = kind == "be" or (self._is_be and kind != "say")
        text = (
            word.text.lower() if kind == "manner" else word.text if kind == "verb" else word.lower
        )
        verb = self._verb or PLACED
        self.tokens.append(Token(kind, text, word.start, verb=verb, form=word.form))

    def _judge(self, word: ClauseWord, before: ClauseWord, after: ClauseWord) -> str:
        """Returns the kind of a word; empty for one that tells nothing."""
        last = "noun" if self._phrase else self.tokens[-1].kind if self.tokens else ""
        if word.entity:
            return "noun"
        if word.text in _MARKS or word.lower in ("and", ",", "&"):
            return "stop" if word.text in _MARKS else "and"
        if word.lower in ("'s", "'"):
            return "be" if last == "pronoun" else "noun"
        if self._is_verb(word, before, last):
            return "verb"
        if word.lower == "to" and self._verb and "intended" in classes_of(self._verb):
            return "preposition" if after.entity else ""
        if before.lower == "to" and last == "verb":
            return ""  # what is decided is a deed: "to ship"
        if word.has("say") and not self._verb:
            return "say"
        if word.has("be", "not", "has_to", "modal", "have"):
            self._is_helped = True
            self._is_be = self._is_be and not word.has("has_to")
            return "be" if word.has("be") else "not" if word.has("not") else ""
        return self._judge_small(word, before, after, last)

    def _judge_small(
        self, word: ClauseWord, before: ClauseWord, after: ClauseWord, last: str
    ) -> str:
        points = word.has("article") and not after.tags
        if word.has("subject", "pronoun") and not points and not word.has("object"):
            return "stop" if self._verb else "pronoun"
        if word.has("stop") and not points:
            return "stop"
        if word.lower in prepositions():
            particle = before.verb and f"{before.verb.rstrip('~')} {word.lower}" in _PHRASAL
            return "" if particle else "preposition"
        if not word.has("manner", "adverb", "object"):
            is_unknown = (
                last == "pronoun" and not self._verb and not word.has("article", "adjective")
            )
            return "stop" if is_unknown else "noun"
        if word.has("manner") and (word.lower.endswith("ly") or not after.text.isalpha()):
            return "manner"
        if word.has("object"):
            return "noun" if word.has("article") else "pronoun"
        return ""

    def _is_verb(self, word: ClauseWord, before: ClauseWord, last: str) -> bool:
        """Tells whether a word is a verb here, by its form and the words before it."""
        form = word.form
        if not word.verb or before.has("article", "adjective") or word.has("say"):
            return False
        if self._verb and (before.lower == "to" or last == "verb"):
            fits = form in ("", "ed") if before.lower == "to" else form == "ing"
            return fits and "chained" in classes_of(self._verb)
        if self._verb:
            return last == "and" and form in ("s", "ed")
        if word.has("have"):
            rest = (one for one in self._words if one.start > word.start)
            following = next(dropwhile(lambda one: one.has("adverb"), rest), _END)
            if following is _END or following.verb or following.has("not", "be", "say", "has_to"):
                return False
        if self._is_be:
            return form in ("ed", "ing")
        head = self._phrase[-1].lower if self._phrase else ""
        several = head.endswith("s") or "and" in {token.kind for token in self.tokens}
        plain = several or self._is_helped or last == "pronoun"
        return last != "" and (form in ("s", "ed") or (form == "" and plain))


def tokenise_chinese(text: str, entities: Sequence[Entity], times: TimeSpans) -> list[Token]:
    """Returns the tokens of a Chinese clause."""
    if _REQUEST.match(text):
        return []
    tokens = _ChineseTokeniser(_split_words_zh(text, entities, times)).tokens
    return [*([Token("done", "", 0)] if times else []), *tokens]


def _split_words_zh(text: str, entities: Sequence[Entity], times: TimeSpans) -> list[ClauseWord]:
    """Returns the words of a clause without its times, each name as one word."""
    spans: list[tuple[int, int, Entity | None]] = [(start, end, None) for start, end in times]
    spans += [(entity.offset, entity.end, entity) for entity in entities]
    words: list[ClauseWord] = []
    done = 0
    for start, end, entity in (*sorted(spans, key=lambda span: span[0]), (len(text), 0, None)):
        if start < done:
            continue
        for word, form in tag(text[done:start]):
            for piece, piece_form in _split_word(word, form):
                _add_word(words, piece, done, piece_form)
                done += len(piece)
        if entity:
            words.append(ClauseWord(entity.name, start, entity=entity))
        done = end
    return words


def _has(word: str, kind: str) -> bool:
    return kind in tag_words(__file__, "WORDS_ZH").get(word, ())


def _split_word(word: str, form: str) -> list[tuple[str, str]]:
    """Returns a word, or its parts where it is a verb with its object or with a preposition."""
    first, rest = word[0], word[1:]
    on_vehicle = first in "坐乘搭" and rest in VEHICLES
    is_thing = len(rest) > 1 and _has(first, "one_verb") and form in "nrli"
    if (
        on_vehicle
        or _has(word, "glued")
        or (is_thing and tag(rest)[0] in ((rest, "n"), (rest, "nz")))
    ):
        return [(first, "v"), (rest, "n")]
    is_apart = rest in prepositions() or rest in verbs() or _has(rest, "skip")
    if len(word) == 2 and (is_apart if first in "不我他她" else rest == "在"):
        return [(first, "d"), (rest, "v")]
    if _has(word[:2], "manner") and word[2:] in verbs():
        return [(word[:2], "d"), (word[2:], "v")]
    return [("地", "uv"), (rest, form)] if first == "地" else [(word, form)]


def _add_word(words: list[ClauseWord], text: str, start: int, form: str) -> None:
    """Adds a word; what tells how, with 地 or without, is one word."""
    before = words[-1] if words else _END
    if text == "地" and words and not before.entity and not _is_known(before):
        words[-1] = ClauseWord(before.text, before.start, tags=frozenset(("manner",)))
    elif text.strip():
        tags = tag_words(__file__, "WORDS_ZH").get(text, frozenset())
        words.append(ClauseWord(text, start, text, tags, None, _find_verb(text, form), form))


def _find_verb(text: str, form: str) -> str:
    """Returns the predicate of a word; of a verb that is not listed it is the word itself."""
    if _has(text, "no_verb") or _has(text, "skip"):
        return ""
    if text in phrases() and text not in verbs():
        return phrases()[text]
    for ending in ("", *_ENDINGS):
        if text.endswith(ending) and text.removesuffix(ending) in verbs():
            return verbs()[text.removesuffix(ending)][0]
    is_verb = form == "v" and len(text) > 1
    return text if is_verb else ""


def _is_known(word: ClauseWord) -> bool:
    return word.verb.rstrip("~") not in ("", word.text)


class _ChineseTokeniser:
    """Makes the tokens of a clause, word by word."""

    def __init__(self, words: Sequence[ClauseWord]) -> None:
        self.tokens: list[Token] = []
        self._words = words
        self._phrase: list[ClauseWord] = []
        self._is_after_verb = False
        self._last_verb = max((at for at, word in enumerate(words) if word.verb), default=-1)
        self._last_known = max((at for at, one in enumerate(words) if _is_known(one)), default=-1)
        for at, word in enumerate(words):
            place = self.tokens[-1] if self._last_role() == "LOCATION" else None
            if self._is_noun(at):
                self._phrase.append(word)
            elif word.text != "的" or place:
                self._end_phrase(is_place=word.has("around"))
                if word.text == "的" and place:  # 北京的一家公司 is both
                    self.tokens.append(place)
                self._add_token(at, word)
            self._phrase = [] if word.text == "的" else self._phrase  # it only tells whose
        self._end_phrase()

    def _word(self, at: int) -> ClauseWord:
        return self._words[at] if 0 <= at < len(self._words) else _END

    def _end_phrase(self, *, is_place: bool = False) -> None:
        """Adds the noun phrase before a word, without a name that only tells whose: 腾讯股票."""
        entity = self._phrase[-1].entity if self._phrase else None
        common = [word for word in self._phrase if not word.entity]
        name = "".join(word.text for word in common)
        counted = _COUNTED.match(name)
        skip = counted.end() if counted else 0
        if entity:
            noun = Noun(entity.kind, entity.canonical, entity.offset)
        elif common:
            noun = Noun(kind_of(name[skip:]), name[skip:], common[0].start + skip)
        else:
            return
        if is_place and noun.kind == "object":
            noun = Noun("place", noun.name, noun.start)
        self.tokens.append(Token("noun", noun.name, noun.start, noun=noun))
        self._phrase = []

    def _add_token(self, at: int, word: ClauseWord) -> None:
        """Adds a word that is no noun."""
        next_at = at + 1 + (self._word(at + 1).text == "了")
        after, verb_follows = self._word(next_at), at < self._last_verb
        noun_follows = self._is_noun(next_at) or after.form in ("m", "q", "r", "a")
        role = prepositions().get(word.text)
        is_bare = role == "CAUSE" and after.verb
        is_known = _is_known(word) or at >= self._last_known
        kind = next((kind for kind in _KINDS if word.has(kind)), "")
        if self._last_role() == "CAUSE" and word.verb:  # 因为生病
            kind = "noun"
        elif word.has("and") and noun_follows:
            kind = "and"
        elif role and (is_bare or (noun_follows and (verb_follows or not word.verb))):
            kind = "preposition"
        elif word.form == "eng" or (
            self._word(at - 1).text == "得" and word.form in ("a", "d", "z")
        ):
            kind = "manner" if word.form != "eng" or word.text.endswith("ly") else ""
        elif not kind and word.verb and after.text != "的" and is_known:
            kind = "verb"
            self._is_after_verb = True
        if kind:
            text = word.text.removeprefix("很") if kind == "manner" else word.text
            start = word.start + len(word.text) - len(text)
            verb, noun = word.verb or PLACED, Noun("other", text, start)
            self.tokens.append(Token(kind, text, start, noun, verb))

    def _last_role(self) -> str | None:
        return prepositions().get(self.tokens[-1].text) if self.tokens else None

    def _is_noun(self, at: int) -> bool:
        """Tells whether a word may be a part of a noun phrase."""
        word = self._word(at)
        if word.entity or word.text == "们":
            return True
        no_noun = word.has("skip", "around", "and", "stop", *_KINDS) or _is_known(word)
        if no_noun or word.text in prepositions() or word.text in phrases():
            return False
        if word.form in ("v", "d"):  # at the end of a clause the tag is often wrong
            is_last = at + 1 >= len(self._words) and self._word(at - 1).text != "得"
            return self._is_after_verb and len(word.text) > 1 and is_last
        if word.form == "eng" and word.text.endswith("ly"):
            return False
        is_plain = word.form in ("a", "b", "z") and at + 1 < len(self._words)
        is_named = len(word.text) > 1 or word.form in ("n", "eng") or word.has("thing")
        return word.form.startswith(_NOUN_TAGS) and is_named and not is_plain
