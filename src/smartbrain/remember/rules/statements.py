"""What the sentences of a message say happens: events with their roles, time and mood (C7).

In: a message, read. Out: at most twenty statements; one that has its reason in another clause
(因为, 所以, "because", "so") names that. No grammar and no model: words are looked up in
`words.txt`, and the least rules make a graph of a plain sentence; one that they cannot read gives
nothing. English verbs are told by their form, Chinese ones by the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import msgspec

from smartbrain.domain.claim import Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.statement import Modality, Role, Statement
from smartbrain.remember.rules.said import Clause, Mood, Said, Sentence
from smartbrain.text.entities import Entity, find_entities
from smartbrain.text.entity_words import NICKNAMES_ZH
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.times import find_times, last_occurrence, tells_past
from smartbrain.text.word_list import stored_words, word_pattern, word_set

MAX_STATEMENTS: Final = 20
"""The most statements of one message."""
MAX_CLAUSE_CHARS: Final = 160
"""A longer clause is not plain."""
_HAN: Final = pattern("[\u3400-\u9fff]")
_LATIN: Final = pattern("[A-Za-z]{2,}")
_LEADS: Final = pattern(word_pattern(__file__, "LEADS"), re.IGNORECASE)
_REASON_SUBJECT: Final = pattern(word_pattern(__file__, "REASON_SUBJECT"), re.IGNORECASE)
_MAX_REASON_WORDS: Final = 5
"""Words, or pairs of Chinese characters, of a reason that is taken as it stands."""
_SINCE_WHEN: Final = pattern(r"\b(?:has|have|had)\b|['’]ve\b", re.IGNORECASE)
_WORD: Final = pattern(
    r"(?i:(?:due|owing|thanks|going|used|have|has|had|got|needs?|needed) to\b|no longer\b"
    r"|on foot\b|in (?:person|silence|private|secret)\b|by heart\b)"
    r"|[^\W\d_][\w’'-]*|\d[\w.,:%]*|[^\w\s]"
)
_CONTRACTED: Final = pattern(r"(?i)(\w+)(n['’]t|['’](?:s|re|m|ve|ll|d))\Z")
_MARKS: Final = frozenset(";:()!?.")
_COUNTED: Final = pattern(word_pattern(__file__, "COUNTED"))
_REQUEST: Final = pattern(word_pattern(__file__, "REQUEST"))
_LISTED: Final = ("PEOPLE", "PLACES", "ORGS", "VEHICLES")
_LISTS: Final = {name: word_set(stored_words(__file__, name)) for name in _LISTED}
_PHRASAL: Final = dict(pair.split("=") for pair in stored_words(__file__, "PHRASAL").split("|"))
_PLACE_ENDINGS_ZH: Final = tuple("店馆院站厅室园楼校场边")
_ENDINGS_ZH: Final = ("", "起来", "下来", "完", "好", "到", "掉", "出", "过", "了", "走")
_NOUN_TAGS: Final = ("n", "vn", "eng", "j", "an", "s", "l", "i", "b", "t", "z")
_PLACED: Final = "be_located~"  # the predicate of a clause without a verb: 服务器在法兰克福
_ROLE_ORDER: Final = [
    *(EdgeType.AGENT, EdgeType.PATIENT, EdgeType.RECIPIENT, EdgeType.BENEFICIARY),
    *(EdgeType.INSTRUMENT, EdgeType.LOCATION, EdgeType.MANNER, EdgeType.CAUSE),
]


class _Noun(msgspec.Struct, frozen=True):
    """A noun or a name, where it stands in the clause, and the role it plays there."""

    kind: str
    name: str
    start: int
    role: EdgeType | None = None

    @property
    def is_place(self) -> bool:
        last = self.name.split()[-1].lower()
        return self.kind in ("place", "org") or last in _LISTS["PLACES"] | _LISTS["VEHICLES"]


class _Word(msgspec.Struct, frozen=True):
    """A word with its tags and the predicate it may be; `form` is that of an English verb."""

    text: str
    start: int
    tags: frozenset[str] = frozenset()
    entity: Entity | None = None
    verb: str = ""
    form: str = ""

    def has(self, *tags: str) -> bool:
        return not self.tags.isdisjoint(tags)


class _Token(msgspec.Struct, frozen=True):
    """A noun phrase, or a word of another kind: verb, preposition, be, not, stop and others."""

    kind: str
    word: _Word
    noun: _Noun | None = None


class _ReadClause(msgspec.Struct):
    """A clause, what its first words make of it (a reason, its effect), and what it states.

    `noun` is all that a reason says: because of the rain.
    """

    offset: int
    lead: str = ""
    noun: _Noun | None = None
    statements: list[Statement] = msgspec.field(default_factory=list)


_END: Final = _Word("", 0)
_Event = tuple[list[_Noun], Statement]
"""What a clause says happens, and the nouns that play a part in it."""
_Judge = Callable[[Sequence[_Word], int, Sequence[_Token], bool], str]
"""Tells the kind of a word by the words around it, the tokens before it and an open phrase."""


def find_statements(said: Said) -> list[Statement]:
    """Returns what a message says happens, in its order."""
    found: list[Statement] = []
    unread = set()  # sentences that say nothing, of which a long message may have many alike
    before: list[_ReadClause] = []
    for sentence in said.everything:
        if sentence.text in unread or len(found) >= MAX_STATEMENTS:
            continue
        clauses = list(_read_clauses(sentence, said))
        fresh = list(_link_reasons([*before, *clauses], len(before)))
        unread |= set() if fresh else {sentence.text}
        found += fresh
        before = clauses[-1:]
    return found[:MAX_STATEMENTS]


def _read_clauses(sentence: Sentence, said: Said) -> Iterator[_ReadClause]:
    entities, times = find_entities(sentence.text), find_times(sentence.text, said.at)
    agents: list[_Noun] = []
    for clause in sentence.clauses:
        if len(clause.text) > MAX_CLAUSE_CHARS:
            continue
        shift, text = clause.offset - sentence.offset, clause.text
        spans = [one for one in times if shift <= one.offset < shift + len(text)]
        names = [one for one in entities if shift <= one.offset and one.end <= shift + len(text)]
        read, text = _read_lead(clause, sentence.text, [one.offset - shift for one in spans])
        time = next(iter(spans or times), None)
        if time and tells_past(clause.text, max(0, time.offset + time.length - shift)):
            time = last_occurrence(time, said.at)
        for span in spans:
            start = span.offset - shift
            text = text[:start] + " " * span.length + text[start + span.length :]
        named = [one._replace(offset=one.offset - shift) for one in names]
        tokens = _tokenise(text, named)
        told = [token.noun for token in tokens if token.kind != "stop"]
        if read.lead:
            read.noun = told[0] if len(told) == 1 and told[0] else _read_short_reason(text)
        mood = sentence.mood if sentence.mood is not Mood.STATED else clause.mood
        sure = 0.6 if said.source is Source.USER else 0.4
        for parts, event in _read_events(tokens, agents, clause, timed=bool(spans)):
            agents = [noun for noun in parts if noun.role is EdgeType.AGENT]
            if mood is not Mood.STATED:
                event = replace(event, modality=Modality(mood.value))
            read.statements.append(replace(event, confidence=sure, time=time))
        yield read


def _read_short_reason(text: str) -> _Noun | None:
    """Returns a reason that is a few words, without whom they are about: because it rained."""
    subject = _REASON_SUBJECT.match(text)
    start = subject.end() if subject else 0
    name = " ".join(text[start:].rstrip(" .!?。！？了").split())
    count = len(name.split()) if name.isascii() else (len(name) + 1) // 2
    return _Noun("other", name, start) if 0 < count <= _MAX_REASON_WORDS else None


def _read_lead(clause: Clause, sentence: str, times: Sequence[int]) -> tuple[_ReadClause, str]:
    found = _LEADS.match(clause.text)
    if found is None or found.lastgroup is None:
        return _ReadClause(clause.offset), clause.text
    end = found.end()
    is_time = _SINCE_WHEN.search(sentence) or any(start - end < 4 for start in times)
    if is_time and "since" in found[0].lower():
        return _ReadClause(clause.offset), clause.text
    return _ReadClause(clause.offset, found.lastgroup), " " * end + clause.text[end:]


def _link_reasons(clauses: Sequence[_ReadClause], first: int) -> Iterator[Statement]:
    """Yields the statements of the clauses from `first` on; one with a reason names its clause."""
    reasons: dict[int, _ReadClause] = {}
    telling = None
    for at, clause in enumerate(clauses[first:], first):
        if clause.lead == "reason" and telling is not None:
            reasons[telling] = clause
        elif clause.lead in ("reason", "ahead"):
            reasons[at + 1] = clause
        elif clause.lead == "effect" and at > first:
            reasons[at] = clauses[at - 1]
        telling = at if clause.statements else telling
    for at, clause in enumerate(clauses[first:], first):
        why = reasons.get(at)
        because = why.offset if why and why.statements else None
        cause = []
        if why and why.noun and not why.statements:
            at_noun = why.offset + why.noun.start
            cause = [Role(EdgeType.CAUSE, why.noun.kind, why.noun.name, at_noun)]
        shown_by = clauses[at - 1].offset if clause.lead == "shown" and at else None
        for statement in clause.statements:
            roles = (*statement.roles, *cause)
            yield replace(statement, because=because, shown_by=shown_by, roles=roles)


def _read_events(
    tokens: Sequence[_Token], before: Sequence[_Noun], clause: Clause, *, timed: bool
) -> Iterator[_Event]:
    """Yields the events of a clause; one without a subject is of those of the clause before it."""
    reader = _EventReader(before, {"done"} if timed else set())
    for at, token in enumerate(tokens):
        following = tokens[at + 1].kind if at + 1 < len(tokens) else ""
        if token.kind == "say":
            reader = _EventReader((), {"reported"})
        elif token.kind == "and" and following == "verb":
            yield from reader.make_event(clause)
            reader = _EventReader(reader.subject or before, reader.seen & {"pronoun", "reported"})
        elif token.kind == "stop" or not reader.read(token):
            break
    yield from reader.make_event(clause)


class _EventReader:
    """Reads one event, token by token; `seen` are the kinds of small words in it."""

    def __init__(self, before: Sequence[_Noun], seen: set[str]) -> None:
        self.subject: list[_Noun] = []
        self.seen = seen
        self._before = before
        self._verbs: list[_Word] = []
        self._parts: list[_Noun] = []
        self._last = self._preposition = ""

    def read(self, token: _Token) -> bool:
        """Reads a token; tells whether the event may go on."""
        word = token.word
        self.seen.add("passive" if word.text == "被" else token.kind)
        if token.kind == "noun" and token.noun:
            self._read_noun(token.noun)
        elif token.kind == "verb":
            last = self._verbs[-1].verb if self._verbs else ""
            classes = _classes_of(last)
            if last and not last.endswith("~") and classes.isdisjoint(("moving", "chained")):
                return False
            self._verbs = [*self._verbs, word] if last and "chained" in classes else [word]
            self.seen |= {"passive"} if "be" in self.seen and word.form == "ed" else set()
            self._preposition = ""
        elif token.kind == "preposition":
            self._preposition = word.text.lower().replace(" ", "_")
            if self._last in ("be", "not") and _prepositions()[self._preposition] == "LOCATION":
                self.seen.add("placed")
        elif token.kind == "manner":
            self._add(EdgeType.MANNER, _Noun("other", word.text.removeprefix("很"), word.start))
        self._last = token.kind
        return True

    def _add(self, role: EdgeType | None, noun: _Noun) -> None:
        self._parts += [msgspec.structs.replace(noun, role=role)] if role else []

    def _read_noun(self, noun: _Noun) -> None:
        if self._preposition:
            # What stands beside an English subject plays no part: my flight to Osaka.
            beside = self._preposition.isascii() and not self._verbs and "be" not in self.seen
            self._add(None if beside else self._choose_role(noun), noun)
        elif not self._verbs:
            self.subject = [*self.subject, noun] if "and" in self.seen else [noun]
        else:
            self._add_object(noun)
        self._preposition = ""
        self.seen.discard("and")

    def _choose_role(self, noun: _Noun) -> EdgeType | None:
        """Returns the role of a noun with its preposition; some need a person, others a place."""
        preposition, person = self._preposition, noun.kind == "person"
        role = _prepositions()[preposition]
        classes = _classes_of(self._verbs[-1].verb if self._verbs else "")
        if f"{preposition}_{noun.name}" in _prepositions():
            return EdgeType.MANNER
        if preposition == "with":
            with_tool = EdgeType.INSTRUMENT if "with_tool" in classes else None
            return EdgeType.AGENT if person else with_tool
        if preposition == "by":
            return EdgeType.AGENT if "passive" in self.seen else None
        if role == "LOCATION" or (preposition == "to" and not person):
            return EdgeType.LOCATION if noun.is_place else None
        needs_person = role in ("RECIPIENT", "BENEFICIARY")
        is_way = preposition == "通过" or noun.name in _LISTS["VEHICLES"]
        if (needs_person and not person) or (role == "MANNER" and not is_way):
            return None
        return None if role in ("none", "way") else EdgeType(role)

    def _add_object(self, noun: _Noun) -> None:
        """Gives a noun after the verb its role: a place, who is given something, or the object."""
        verb = self._verbs[-1]
        objects = [part for part in self._parts if part.role is EdgeType.PATIENT]
        if verb.verb.endswith("~"):
            self._add(EdgeType.LOCATION, noun)
        elif noun.kind == "person" and "to_somebody" in _classes_of(verb.text):
            self._add(EdgeType.RECIPIENT, noun)
        elif objects and objects[0].kind == "person":
            self._parts.remove(objects[0])
            self._add(EdgeType.RECIPIENT, objects[0])
            self._add(EdgeType.PATIENT, noun)
        elif not objects or "and" in self.seen:
            self._add(None if "passive" in self.seen else EdgeType.PATIENT, noun)

    def make_event(self, clause: Clause) -> list[_Event]:
        """Returns the event that was read, if there is one."""
        subject = self.subject or ([] if "pronoun" in self.seen else self._before)
        is_placed = any(part.role is EdgeType.LOCATION for part in self._parts)
        is_said = subject or not self.seen.isdisjoint(("pronoun", "reported", "done"))
        if not is_said or not (self._verbs or is_placed or "placed" in self.seen):
            return []
        verbs = self._verbs or [_Word("", 0, verb=_PLACED)]
        role = EdgeType.PATIENT if "passive" in self.seen else EdgeType.AGENT
        acting = [msgspec.structs.replace(noun, role=role) for noun in subject]
        unique = {(part.role, part.name): part for part in (*acting, *self._parts)}
        parts = sorted(unique.values(), key=lambda part: _ROLE_ORDER.index(part.role or role))
        is_going = verbs[-1].verb == "go~" and subject and subject[0].kind == "object"
        telling = [one for one in parts if one.role not in (EdgeType.MANNER, EdgeType.CAUSE)]
        if len(telling) < (2 if is_going else 1):
            return []
        thing = next((one.name.lower() for one in parts if one.role is EdgeType.PATIENT), "")
        *helping, name = [one.verb.rstrip("~") for one in verbs]
        whole = _phrases().get(f"{name}+{thing}") or _phrases().get(f"{verbs[-1].text}+{thing}")
        played = [(one.role, one) for one in parts if one.role]
        if name == "cause" and not helping:
            played += [(EdgeType.CAUSE, one) for role, one in played if role is EdgeType.AGENT]
        statement = Statement(
            predicate="_".join([*helping, whole or name]),
            words=" ".join(one.text for one in verbs),
            text=clause.text,
            offset=clause.offset,
            length=len(clause.text),
            negation="not" in self.seen,
            modality=Modality.REPORTED if "reported" in self.seen else Modality.ASSERTED,
            roles=tuple(
                Role(role, one.kind, one.name, clause.offset + one.start) for role, one in played
            ),
        )
        return [(parts, statement)]


def _kind_of(noun: str) -> str:
    last = noun.split()[-1].lower() if noun.isascii() and noun else noun
    if last in _LISTS["PEOPLE"] or noun in NICKNAMES_ZH:
        return "person"
    if last in _LISTS["ORGS"]:
        return "org"
    is_place = last in _LISTS["PLACES"] or noun.endswith(_PLACE_ENDINGS_ZH)
    return "place" if is_place else "object"


@cache
def _tags(name: str) -> dict[str, frozenset[str]]:
    tags: dict[str, frozenset[str]] = {}
    for line in stored_words(__file__, name).splitlines():
        label, _, words = line.partition(": ")
        tags |= {word: tags.get(word, frozenset()) | {label} for word in words.split()}
    return tags


@cache
def _prepositions() -> dict[str, str]:
    """Returns the roles that prepositions give; `way` is that of one with its noun: by_train."""
    return {word: min(roles) for word, roles in _tags("PREPOSITIONS").items()}


def _classes_of(name: str) -> frozenset[str]:
    """Returns the classes of a predicate or a verb: chained, moving, giving and others."""
    return _tags("CLASSES").get(name.rstrip("~"), frozenset())


@cache
def _phrases() -> dict[str, str]:
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
def _verbs() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    listed = (entry.split(":") for entry in stored_words(__file__, "IRREGULAR").split())
    irregular = {lemma: [(past, "ed") for past in pasts.split(",")] for lemma, pasts in listed}
    more = stored_words(__file__, "MORE_VERBS").split()
    for entry in (*stored_words(__file__, "VERBS").split(";"), *more):
        english, *chinese = entry.strip().split("|")
        name, colon, after = english.partition(":")
        forms = [(word, "") for word in chinese]
        for lemma in (after if colon else english.replace("~", "")).split():
            stems = (
                lemma,
                lemma + lemma[-1],
                lemma.removesuffix("e"),
                lemma.removesuffix("y") + "i",
            )
            forms += [*irregular.get(lemma, []), (lemma, "")]
            forms += [(f"{stem}s", "s") for stem in (lemma, f"{lemma}e", f"{stems[-1]}e")]
            forms += [(stem + end, end) for stem in stems for end in ("ed", "ing")]
        for word, form in forms:
            found.setdefault(word, (name.split()[0], form))
    return found


def _tokenise(text: str, entities: Sequence[Entity]) -> list[_Token]:
    """Returns the tokens of a clause without its times; none of what can be no plain statement."""
    if len(_HAN.findall(text)) >= len(_LATIN.findall(text)) * 2:
        words = [] if _REQUEST.match(text) else _split_chinese(text, entities)
        return _make_tokens(words, _judge_chinese)
    words = list(_split_english(text, entities))
    while words and words[0].has("lead"):
        words.pop(0)
    helped = bool(words) and words[0].has("modal", "have", "be")
    first = (words[helped:] or [_END])[0]
    opens = first.entity or first.has("article", "pronoun") or first.text.endswith("s")
    return _make_tokens(words, _judge_english) if opens or _kind_of(first.text) == "person" else []


def _make_tokens(words: Sequence[_Word], judge: _Judge) -> list[_Token]:
    tokens: list[_Token] = []
    phrase: list[_Word] = []

    def end_phrase() -> None:
        noun = _make_noun(phrase)
        if noun:
            tokens.append(_Token("noun", phrase[-1], noun))
        phrase.clear()

    for at, word in enumerate(words):
        kind = judge(words, at, tokens, bool(phrase))
        if kind != "noun":
            after_place = kind == "around" and bool(phrase)
            end_phrase()
            noun = tokens[-1].noun if after_place and tokens else None
            if noun and noun.kind == "object":
                place = msgspec.structs.replace(noun, kind="place")
                tokens[-1] = _Token("noun", tokens[-1].word, place)
        elif phrase and word.text not in ("'s", "’s", "'"):
            named = phrase[-1].entity
            if named is not None and named.kind == "person":
                end_phrase()
        if kind == "noun":
            phrase.append(word)
        elif kind == "whose":  # 登录的 only tells whose
            if tokens and tokens[-1].kind == "noun" and not _tells_place(tokens):
                tokens.pop()
            elif tokens and _tells_place(tokens):  # 北京的一家公司 is both
                tokens.append(tokens[-2])
        elif kind not in ("", "around"):
            after = words[at + 1].text.lower() if at + 1 < len(words) else ""
            whole = _PHRASAL.get(f"{word.verb.rstrip('~')} {after}", word.verb)
            tokens.append(_Token(kind, msgspec.structs.replace(word, verb=whole)))
    end_phrase()
    return tokens


def _tells_place(tokens: Sequence[_Token]) -> bool:
    return len(tokens) > 1 and _prepositions().get(tokens[-2].word.text) == "LOCATION"


def _make_noun(phrase: Sequence[_Word]) -> _Noun | None:
    """Returns a noun phrase as a noun: its name, else its words without what counts them."""
    words = list(phrase)
    while words and words[0].text[0].isdigit():
        words.pop(0)
    if not words:
        return None
    if entity := words[-1].entity:
        return _Noun(entity.kind, entity.canonical, entity.offset)
    if words[-1].text.isascii():
        name = " ".join(word.text for word in words).replace(" '", "'").replace(" ’", "’")
        if len(words) > 4 or not _LATIN.search(name):
            return None
        name = name if any(word.entity for word in words) else name[0].lower() + name[1:]
        return _Noun(_kind_of(name), name, words[0].start)
    common = [word for word in words if not word.entity]
    name = "".join(word.text for word in common)
    counted = _COUNTED.match(name)
    skip = counted.end() if counted else 0
    return _Noun(_kind_of(name[skip:]), name[skip:], common[0].start + skip)


def _split_english(text: str, entities: Sequence[Entity]) -> Iterator[_Word]:
    named = {entity.offset: entity for entity in entities}
    done = 0
    for found in _WORD.finditer(text):
        start, end = found.span()
        if start < done:
            continue
        if entity := named.get(start):
            yield _Word(entity.name, start, entity=entity)
            start = done = entity.end
        elif parted := _CONTRACTED.match(found[0]):
            yield _english_word(parted[1], start)
            start += len(parted[1])
        if start < end:
            yield _english_word(text[start:end], start)


def _english_word(text: str, start: int) -> _Word:
    lower = text.lower().replace("’", "'").replace(" ", "_")
    verb, form = _verbs().get(lower, ("", ""))
    return _Word(text, start, _tags("WORDS_EN").get(lower, frozenset()), None, verb, form)


def _judge_english(
    words: Sequence[_Word], at: int, tokens: Sequence[_Token], in_phrase: bool
) -> str:
    """Returns the kind of an English word; empty for one that tells nothing."""
    word, after = words[at], words[at + 1] if at + 1 < len(words) else _END
    last = "noun" if in_phrase else tokens[-1].kind if tokens else ""
    has_verb = any(token.kind == "verb" for token in tokens)
    lower = word.text.lower().replace("’", "'")
    points = word.has("article") and not after.tags
    if word.entity:
        return "noun"
    if word.text in _MARKS or lower in ("and", ",", "&"):
        return "stop" if word.text in _MARKS else "and"
    if lower in ("'s", "'"):
        return "be" if last == "pronoun" else "noun"
    if _is_english_verb(words, at, tokens, in_phrase):
        return "verb"
    if at and words[at - 1].text.lower() == "to" and last == "verb":
        return ""  # what is decided is a deed: "to ship"
    for kind in ("not", "be", "modal", "has_to", "have"):
        if word.has(kind):
            return kind if kind in ("not", "be") else "helper"
    if word.has("say") and not has_verb:
        return "say"
    if word.has("subject", "pronoun") and not points and not word.has("object"):
        return "stop" if has_verb else "pronoun"
    if word.has("stop") and not points:
        return "stop"
    if lower.replace(" ", "_") in _prepositions():
        chains = has_verb and last == "verb" and "chained" in _classes_of(tokens[-1].word.verb)
        return "" if chains and lower == "to" and not after.entity else "preposition"
    if word.has("manner") and (lower.endswith("ly") or not after.text.isalpha()):
        return "manner"
    if word.has("object") and not word.has("article"):
        return "pronoun"
    if word.has("article", "adjective", "manner", "adverb", "object"):
        return ""
    return "stop" if last == "pronoun" and not has_verb else "noun"


def _is_english_verb(
    words: Sequence[_Word], at: int, tokens: Sequence[_Token], in_phrase: bool
) -> bool:
    """Tells whether a word is a verb here, by its form and the words before it."""
    word, before = words[at], words[at - 1] if at else _END
    if not word.verb or before.has("article", "adjective") or word.has("say"):
        return False
    last = "noun" if in_phrase else tokens[-1].kind if tokens else ""
    verbs = [token.word for token in tokens if token.kind == "verb"]
    kinds = {token.kind for token in tokens}
    if verbs and (before.text.lower() == "to" or last == "verb"):
        fits = word.form in ("", "ed") if before.text.lower() == "to" else word.form == "ing"
        return fits and "chained" in _classes_of(verbs[-1].verb)
    if verbs:
        return last == "and" and word.form in ("s", "ed")
    if word.has("have"):
        rest = [one for one in words[at + 1 :] if not one.has("adverb")]
        if not rest or rest[0].verb or rest[0].has("not", "be", "say", "has_to"):
            return False
    if "be" in kinds and last != "helper":
        return word.form in ("ed", "ing")
    several = (in_phrase and before.text.lower().endswith("s")) or "and" in kinds
    plain = several or last in ("pronoun", "helper", "not") or "helper" in kinds
    return last != "" and (word.form in ("s", "ed") or (word.form == "" and plain))


def _split_chinese(text: str, entities: Sequence[Entity]) -> list[_Word]:
    words: list[_Word] = []
    done = 0
    for entity in (*sorted(entities, key=lambda one: one.offset), None):
        start = entity.offset if entity else len(text)
        if start < done:
            continue
        for word, form in tag(text[done:start]):
            for piece, piece_form in _split_word(word, form):
                if piece == "地" and words and not words[-1].entity:
                    before = words[-1]
                    words[-1] = _Word(before.text, before.start, frozenset(("manner",)))
                elif piece.strip():
                    tags = _tags("WORDS_ZH").get(piece, frozenset())
                    verb = _chinese_verb(piece, piece_form, tags)
                    words.append(_Word(piece, done, tags, None, verb, piece_form))
                done += len(piece)
        if entity:
            words.append(_Word(entity.name, start, entity=entity))
            done = entity.end
    return words


def _split_word(word: str, form: str) -> list[tuple[str, str]]:
    """Returns a word, or its parts where it is a verb with its object or with a preposition."""
    first, rest, tags = word[0], word[1:], _tags("WORDS_ZH")
    takes_thing = "one_verb" in tags.get(first, ()) and len(rest) > 1 and form in "nrli"
    is_thing = takes_thing and tag(rest)[0] in ((rest, "n"), (rest, "nz"))
    on_vehicle = first in "坐乘搭" and rest in _LISTS["VEHICLES"]
    if on_vehicle or is_thing or "glued" in tags.get(word, ()):
        return [(first, "v"), (rest, "n")]
    is_apart = rest in _prepositions() or rest in _verbs() or "skip" in tags.get(rest, ())
    if len(word) == 2 and (is_apart if first in "不我他她" else rest == "在"):
        return [(first, "d"), (rest, "v")]
    if "manner" in tags.get(word[:2], ()) and word[2:] in _verbs():
        return [(word[:2], "d"), (word[2:], "v")]
    return [("地", "uv"), (rest, form)] if first == "地" and rest else [(word, form)]


def _chinese_verb(text: str, form: str, tags: frozenset[str]) -> str:
    """Returns the predicate of a word; of a verb that is not listed it is the word itself."""
    if not tags.isdisjoint(("no_verb", "skip")):
        return ""
    if text in _phrases() and text not in _verbs():
        return _phrases()[text]
    for ending in _ENDINGS_ZH:
        if text.endswith(ending) and text.removesuffix(ending) in _verbs():
            return _verbs()[text.removesuffix(ending)][0]
    return text if form == "v" and len(text) > 1 else ""


def _is_listed(word: _Word) -> bool:
    return word.verb.rstrip("~") not in ("", word.text)


def _judge_chinese(
    words: Sequence[_Word], at: int, tokens: Sequence[_Token], in_phrase: bool
) -> str:
    """Returns the kind of a Chinese word; empty for one that tells nothing."""
    word, later = words[at], words[at + 1 :]
    last_role = _prepositions().get(tokens[-1].word.text) if tokens and not in_phrase else None
    if word.text == "的":
        return "whose"
    if _is_chinese_noun(words, at, tokens):
        return "noun"
    if last_role == "CAUSE" and word.verb:  # 因为生病
        return "noun"
    if word.has("around"):
        return "around"
    next_at = at + 1 + (len(later) > 1 and later[0].text == "了")
    after = words[next_at] if later else _END
    follows = after.form in ("m", "q", "r", "a") or (
        bool(later) and _is_chinese_noun(words, next_at, tokens)
    )
    role = _prepositions().get(word.text)
    if word.has("and") and follows:
        return "and"
    verb_follows = any(one.verb for one in later)
    if role and ((role == "CAUSE" and after.verb) or (follows and (verb_follows or not word.verb))):
        return "preposition"
    degree = at > 0 and words[at - 1].text == "得" and word.form in ("a", "d", "z")
    if degree or (word.form == "eng" and word.text.endswith("ly")):
        return "manner"
    for kind in ("stop", "say", "manner", "not", "pronoun", "done"):
        if word.has(kind):
            return kind
    is_told = _is_listed(word) or not any(map(_is_listed, later))
    return "verb" if word.verb and after.text != "的" and is_told else ""


def _is_chinese_noun(words: Sequence[_Word], at: int, tokens: Sequence[_Token]) -> bool:
    word, is_last = words[at], at + 1 >= len(words)
    if word.entity or word.text == "们":
        return True
    small = ("skip", "around", "and", "stop", "say", "manner", "not", "pronoun", "done")
    if word.has(*small) or _is_listed(word):
        return False
    if word.text in _prepositions() or word.text in _phrases():
        return False
    if word.form in ("v", "d"):  # at the end of a clause the tag is often wrong
        after_verb = any(token.kind == "verb" for token in tokens)
        return after_verb and len(word.text) > 1 and is_last and words[at - 1].text != "得"
    if word.form == "eng" and word.text.endswith("ly"):
        return False
    is_plain = word.form in ("a", "b", "z") and not is_last
    is_named = len(word.text) > 1 or word.form in ("n", "eng") or word.has("thing")
    return word.form.startswith(_NOUN_TAGS) and is_named and not is_plain
