"""Names in Latin letters: people, organisations, products, places.

In: a text, also a Chinese one with such names in it. Out: entities, not yet freed of overlaps. A
name is told by the lists, by its form, or by the words around it; never by its capital letter
alone, which every sentence begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from smartbrain.text.entity_words import (
    CAPITAL_ONLY,
    GIVEN_NAMES,
    HARD,
    NOT_NAMES,
    OBJECT,
    SURE_NAMES,
    TITLES,
    UNSURE,
    UNSURE_PLACES,
    Entity,
    head_of,
    is_pinyin_name,
    made_by,
    places,
    product,
    things,
    whole,
)
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import stored_words, word_pattern, word_set

ANY_CASE: Final = re.IGNORECASE
LETTER: Final = "A-Za-z\u00c0-\u024f"
TOKEN: Final = pattern(
    rf"(?<![{LETTER}0-9_@/\\])\.?[{LETTER}0-9]++(?:[.&'’-][{LETTER}0-9]+)*+(?:\+\+|\#)?"
)
STARTS: Final = pattern(r"(?:\A|[.!?。！？:：\n\"“「(（•·>*])\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)?\Z")
HAN: Final = pattern("[\u3400-\u9fff，。！？、；：]")
USED: Final = pattern(
    rf"(?:\b{word_pattern(__file__, 'USED')}|[用学在装和跟写]|[\u4e00-\u9fff]) ?\Z", ANY_CASE
)
USING: Final = pattern(
    r"\b(?:use|uses|used|using|via|install|installed|installing|learn|learning|switch(?:ed)? to"
    r"|migrat\w+ (?:to|from))(?: the)? \Z"
)
GOING: Final = pattern(
    r"\b(?:in|to|from|near|around|at|visit|visits|visited|visiting|leave|leaving|left|via|of|through"
    r"|toward|towards|outside|reach|reached|into|across|between|and|or) (?:the )?\Z",
    ANY_CASE,
)
ANNOUNCED: Final = pattern(
    r"(?:'s\b| (?:announced|released|is|has|just|will|said|bought|reported|launched|and|or|vs)\b"
    r"| ?[和跟与的])"
)
CAMEL: Final = pattern(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+[A-Z]*|[A-Z][a-z]{2,}[A-Z]{2,}\Z")
NOT_CAMEL: Final = pattern(
    r"(?:Mc|Mac|De|Di|La|Le|Du|Van|Fitz|O)[A-Z][a-z]+\Z|.*(?:Exception|Error)\Z"
)
ORG_END: Final = pattern(rf"{word_pattern(__file__, 'ORG_END')}\.?\Z")
ORG_START: Final = pattern(r"(?:University|Bank|Institute|Ministry|Department|College|Academy)\Z")
PLACE_END: Final = pattern(rf"{word_pattern(__file__, 'PLACE_END')}\Z")
PLACE_START: Final = pattern(r"(?:Lake|Mount|Mt|Cape|Port|Fort|Isle|Gulf)\.?\Z")
TITLE: Final = pattern(rf"(?:{TITLES})\.?\Z")
JOINED: Final = pattern(r" (?:(?:of|the|and|&|de|van|von|der|den|la|di|da|bin|al|el|du) ){0,2}\Z")
INSIDE: Final = frozenset(
    ("", "van der", "de la", "de", "van", "von", "der", "di", "da", "bin", "al", "el", "du")
)
"""What may stand between the words of one name."""
RELATIONS: Final = word_pattern(__file__, "RELATIONS")
PERSON_CUE: Final = pattern(
    rf"(?:\b{RELATIONS}s?,?(?: is)?(?: (?:named|called|is called))?"
    r"|\b(?:someone|somebody|guy|woman|girl|boy|man|person|lady) (?:named|called)"
    r"|\bname(?:'s| is)|\b(?:dear|hi|hello|hey|cc)"
    r"|\b(?:ask|asked|tell|told|email|emailed|remind|reminded|thank|thanked|invite|invited|met"
    r"|congratulate|interview|interviewed|text|texted|phone|phoned|message|messaged|ping|pinged)"
    r"|\b(?:lunch|dinner|coffee|date|chat|talk|1:1|one-on-one|talked|spoke|speak|breakfast|drinks"
    r"|walk) (?:with|to)"
    r"|\b(?:remember|keep|contact|call)"
    rf"|\b(?:{TITLES})\.?) \Z",
    ANY_CASE,
)
PERSON_VERB: Final = pattern(
    r"(?: (?:said|says|told|thinks|thought|asked|asks|likes|loves|hates|emailed|texted|replied"
    r"|agreed|suggested|mentioned|plays|played|lives|married|laughed|cried|smiled|promised|complained"
    r"|forgot|apologi[sz]ed|quit|resigned|got (?:engaged|married|promoted)|is my|was born"
    r"|and I\b)\b|'s (?:birthday|wife|husband|mother|father|mom|dad|email|phone|boss|house|place"
    r"|wedding|kids)\b)"
)
ORG_CUE: Final = pattern(rf"\b{word_pattern(__file__, 'ORG_CUE')} \Z", ANY_CASE)
PLACE_CUE: Final = pattern(
    rf"\b{word_pattern(__file__, 'PLACE_CUE')} (?:back )?(?:in|to|from|near|at|around|into) \Z",
    ANY_CASE,
)
# "Project Phoenix", "the Phoenix project" and Phoenix 项目 name one; "Project Manager" names none.
PROJECT: Final = pattern(r"(?:Project|Operation)\Z")
A_PROJECT: Final = pattern(
    r" (?:project|initiative)\b|(?P<zh>)(?<=[a-z]{2})(?<!Demo)(?<!Web)(?<!App)(?<!Test)(?<!Open)"
    r"(?<!Side) ?项目(?!经理|部|管理)"
)
PROJECT_WORDS: Final = word_set(stored_words(__file__, "PROJECT_WORDS"))
# Words that open a request, so their capital says nothing.
OPENERS: Final = word_set(stored_words(__file__, "OPENERS"))
ORG_GAPS: Final = (" ", " and ", " & ", " of ", " de ", "'s ", "’s ", ". ")
LONGEST_RUN: Final = 6


class _Token(NamedTuple):
    """A word without the possessive ending."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.lower()

    @property
    def given(self) -> str:
        return self.lower.partition("-")[0]

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()


@cache
def _firsts() -> dict[str, int]:
    """Return the first words of the names in the lists, with the most words one of them has."""
    found: dict[str, int] = {}
    for name in [*things(), *places()]:
        if name[-1] < "\u2e80":
            words = name.split()
            found[words[0]] = max(found.get(words[0], 0), len(words))
    return found


@cache
def _words() -> frozenset[str]:
    return frozenset(word for name in [*things(), *places()] for word in name.split())


def find_latin(text: str) -> Iterator[Entity]:
    """Yield the names in Latin letters."""
    firsts, words = _firsts(), _words()
    tokens = []
    for found in TOKEN.finditer(text):
        word = found[0]
        if word.lower() not in words:
            word = head_of(text, word, found.start()) or word
        if word.islower() and word not in words and "'" not in word:
            continue
        if word[-2:] in ("'s", "’s") and word.lower() not in firsts:
            word = word[:-2]
        if word and (word[0].isupper() or word in words or word.lower() in words):
            tokens.append(_Token(word, found.start(), found.start() + len(word)))
    done = 0
    for index, token in enumerate(tokens):
        count = firsts.get(token.lower, 0)
        known = _known(text, tokens, index, count) if count else None
        if known:
            yield known
        if token.capital and index >= done:
            run = _run(text, tokens, index)
            done = index + len(run)
            yield from _named(text, run)


def _known(text: str, tokens: Sequence[_Token], index: int, count: int) -> Entity | None:
    for size in range(min(count, len(tokens) - index), 0, -1):
        last = tokens[index + size - 1]
        start = tokens[index].start
        name = text[start : last.end]
        lower = name.lower()
        if (thing := things().get(lower)) and _is_thing(text, name, start, last.end):
            kind, own, others = thing
            if kind == OBJECT:
                return product(text, name, start)
            made = made_by(text, name, start)
            return made or Entity(kind, name, own, start, len(name), False, others)
        if (place := places().get(lower)) and _is_place(text, name, start):
            own, other = place
            return Entity("place", name, own, start, len(name), aliases=(other,) if other else ())
    return None


def _is_thing(text: str, name: str, start: int, end: int) -> bool:
    """Tell whether a name of the lists means the thing here, not the everyday word."""
    lower = name.lower()
    if lower in CAPITAL_ONLY and not name[-1].isupper():
        return lower == name == "vivo"
    if lower not in UNSURE and lower not in HARD:
        return (
            name[0].isupper()
            or not name.isalpha()
            or things()[lower][0] == OBJECT
            or _chinese(text, start, end)
        )
    before = text[max(0, start - 24) : start]
    version = whole(text, name, end).version
    if version and (name[0].isupper() or (lower not in HARD and version[1:2] > " ")):
        return True
    if not name[0].isupper():
        return lower not in HARD and bool(USING.search(before) or _chinese(text, start, end))
    if lower in HARD:
        return bool(USED.search(before)) and not STARTS.search(before)
    return not STARTS.search(text[max(0, start - 8) : start]) or bool(ANNOUNCED.match(text, end))


def _is_place(text: str, name: str, start: int) -> bool:
    """Tell whether a name of the lists means the place here."""
    lower = name.lower()
    before = text[max(0, start - 24) : start]
    if not name[0].isupper() or lower in UNSURE_PLACES:
        return bool(GOING.search(before)) and (name[0].isupper() or lower not in UNSURE_PLACES)
    return True


def _chinese(text: str, start: int, end: int) -> bool:
    """Tell whether a word stands in a Chinese sentence."""
    around = (text[:start].rstrip()[-1:], text[end : end + 2].lstrip()[:1])
    return any(HAN.match(one) for one in around if one)


def _run(text: str, tokens: Sequence[_Token], index: int) -> list[_Token]:
    run = [tokens[index]]
    for token in tokens[index + 1 : index + 12]:
        gap = text[run[-1].end : token.start]
        if not token.capital:
            continue
        short = TITLE.match(run[-1].text) or len(run[-1].text) == 1 or run[-1].text == "St"
        if (
            (gap == ". " and short)
            or JOINED.match(gap)
            or (gap in ("'s ", "’s ") and ORG_END.match(token.text))
        ):
            run.append(token)
        else:
            break
        if len(run) == LONGEST_RUN:
            break
    return run


def _named(text: str, run: list[_Token]) -> Iterator[Entity]:
    """Yield what a run of capitalised words names, if anything tells."""
    first = bool(run) and bool(STARTS.search(text[max(0, run[0].start - 8) : run[0].start]))
    if project := _project(text, run):
        yield project
        yield from _named(text, [token for token in run if token.start >= project.end])
        run = [token for token in run if token.end <= project.offset]
    while run and run[0].lower in NOT_NAMES and not PLACE_START.match(run[0].text):
        run, first = run[1:], False
    if first and len(run) > 1 and run[0].lower in OPENERS and not TITLE.match(run[0].text):
        run, first = run[1:], False
    while run and run[-1].lower in NOT_NAMES:
        run = run[:-1]
    if not run:
        return
    organisation = _organisation(text, run, first=first)
    if organisation:
        yield organisation
        yield from _named(text, [token for token in run if token.start >= organisation.end])
        return
    parts = _split(text, run)
    for position, part in enumerate(parts):
        yield from _one(text, part, first=first and position == 0)


def _project(text: str, run: list[_Token]) -> Entity | None:
    """Return the project that a run names by the word in front of it."""
    for at, token in enumerate(run[:-1]):
        named = run[at + 1 : at + 3]
        if PROJECT.match(token.text) and not any(
            one.lower in PROJECT_WORDS or one.lower in NOT_NAMES for one in named
        ):
            joined = all(text[one.end : two.start] == " " for one, two in pairwise(named))
            part = [token, *(named if joined else named[:1])]
            if text[token.end : named[0].start] == " ":
                return _entity(OBJECT, text, part)
    return None


def _split(text: str, run: list[_Token]) -> list[list[_Token]]:
    """Cut a run at "and", "of" and the like: what is left are words side by side."""
    parts = [[run[0]]]
    for token in run[1:]:
        gap = text[parts[-1][-1].end : token.start].strip(" .")
        if gap in INSIDE:
            parts[-1].append(token)
        else:
            parts.append([token])
    return parts


def _organisation(text: str, run: list[_Token], *, first: bool) -> Entity | None:
    if len(run) > 1 and ORG_START.match(run[0].text) and text.startswith(" of ", run[0].end):
        return _entity("org", text, _until_and(text, run))
    for size in range(len(run), 1, -1):
        if ORG_END.match(run[size - 1].text):
            if size < len(run) and text[run[size - 1].end : run[size].start] == " ":
                continue
            start = 1 if first and size > 2 and run[0].lower in OPENERS else 0
            part = run[start:size]
            ok = len(part) > 1 and all(
                text[one.end : two.start] in ORG_GAPS for one, two in pairwise(part)
            )
            return _entity("org", text, part) if ok and part[0].lower not in OPENERS else None
    return None


def _until_and(text: str, run: list[_Token]) -> list[_Token]:
    """Return a run without what "and" begins."""
    for at in range(1, len(run)):
        if text[run[at - 1].end : run[at].start].startswith(" and"):
            return run[:at]
    return run


def _one(text: str, part: list[_Token], *, first: bool) -> Iterator[Entity]:
    if len(part) > 1 and PLACE_END.match(part[-1].text):
        body = part[1:] if first and part[0].lower in OPENERS else part
        if len(body) > 1:
            yield _entity("place", text, body)
        return
    if len(part) > 1 and PLACE_START.match(part[0].text):
        yield _entity("place", text, part)
        return
    person = _person(text, part, first=first)
    if person:
        yield person
        return
    if any(_listed(token) for token in part):
        return
    before = text[max(0, part[0].start - 48) : part[0].start]
    single = part[0].text
    camel = len(part) == 1 and CAMEL.match(single) and not NOT_CAMEL.match(single)
    project = A_PROJECT.match(text, part[-1].end) if len(part) < 3 else None
    if camel or (project and (not first or project["zh"] is not None)):
        yield _entity(OBJECT, text, part)
    elif first or (len(part) == 1 and (single.isupper() or len(single) < 2)):
        return
    elif ORG_CUE.search(before):
        yield _entity("org", text, part)
    elif PLACE_CUE.search(before):
        yield _entity("place", text, part)


def _person(text: str, part: list[_Token], *, first: bool) -> Entity | None:
    start = next((at for at, token in enumerate(part) if TITLE.match(token.text)), -1) + 1
    if start and start < len(part):
        return _entity("person", text, part[start:])
    for at, token in enumerate(part):
        if token.given in GIVEN_NAMES and _is_given(text, part, at, first=first and at == 0):
            return _entity("person", text, part[at:])
    between = text[part[0].end : part[-1].start].strip()
    if len(part) == 2 and between in ("van", "von", "van der", "bin"):
        return _entity("person", text, part)
    if len(part) == 2 and is_pinyin_name(part[0].lower, part[1].lower):
        return _entity("person", text, part)
    if (
        any(_listed(token) for token in part)
        or any(_odd(token.text) for token in part)
        or len(part) > 3
    ):
        return None
    before = text[max(0, part[0].start - 48) : part[0].start]
    if not first and (PERSON_CUE.search(before) or PERSON_VERB.match(text, part[-1].end)):
        return _entity("person", text, part)
    if first and len(part) > 1 and PERSON_CUE.match(f"{part[0].text} ") is not None:
        return _entity("person", text, part[1:])
    return None


def _listed(token: _Token) -> bool:
    return token.lower in things() or token.lower in places()


def _odd(word: str) -> bool:
    """Tell whether a word is written as no name of a person is."""
    return (
        not word.replace("-", "").replace("'", "").isalpha()
        or (len(word) > 1 and word.isupper())
        or bool(CAMEL.match(word) and not NOT_CAMEL.match(word))
    )


def _is_given(text: str, part: list[_Token], at: int, *, first: bool) -> bool:
    token = part[at]
    if at and part[at - 1].lower not in OPENERS and part[at - 1].lower in GIVEN_NAMES:
        return False
    followed = at + 1 < len(part) and not _listed(part[at + 1]) and not _odd(part[at + 1].text)
    if token.text.isupper() and len(token.text) > 1:
        return False
    if token.given in SURE_NAMES:
        # Mid-run, as in "the Jira Martin board", a name may be a part of something else.
        return True
    before = text[max(0, token.start - 48) : token.start]
    if followed:
        return not first or part[at + 1].lower not in NOT_NAMES
    if token.lower in NOT_NAMES:
        return False
    cued = token.lower not in places() and bool(PERSON_CUE.search(before))
    return cued or bool(PERSON_VERB.match(text, token.end))


def _entity(kind: str, text: str, part: Sequence[_Token]) -> Entity:
    start, end = part[0].start, part[-1].end
    name = text[start:end]
    return Entity(kind, name, " ".join(name.split()), start, end - start)
