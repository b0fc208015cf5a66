"""Which clause of a sentence tells the reason of which: 因为, 所以, "because", "so" (C7).

In: the clauses of a sentence with what was read in them. Out: the same statements; each that has a
reason names the clause that tells it, or holds the few words of it as its cause. What only comes
after something else has no reason here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import takewhile
from typing import Final, NamedTuple

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.statement import Role, Statement
from smartbrain.remember.extract.statement_nouns import kind_of
from smartbrain.remember.extract.statement_subjects_en import read_items, read_noun
from smartbrain.text.entities import Entity
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag

_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = 40  # characters of a reason that is no statement
_MOST_WORDS: Final = 5
_MARKS: Final = frozenset(",;:()!?.，。！？")
_MOST_HAN: Final = 8
_NOBODY: Final = frozenset(
    ("you", "me", "him", "her", "it", "us", "them", "this", "that", "course")
)


class Lead(StrEnum):
    """What the first words of a clause make of it."""

    REASON = "reason"
    REASON_AHEAD = "reason_ahead"  # of what follows, wherever it stands
    EFFECT = "effect"


class Clues(NamedTuple):
    """What is known of a clause beside its words: the names and the times in it."""

    entities: Sequence[Entity]
    times: Sequence[tuple[int, int]]


class Told(NamedTuple):
    """A clause: what its first words make of it, its words, and what they say happens.

    The first words themselves are blanks in `text`; `noun` is whether they ask for a noun.
    """

    text: str
    offset: int
    clues: Clues
    lead: Lead | None = None
    noun: bool = False
    statements: Sequence[Statement] = ()


_LEADS: Final = (
    (Lead.REASON, pattern("(?:而且|但是|但|主要|就|都|也)?是?(?:因为|因(?![此而果素子]))")),
    (Lead.REASON_AHEAD, pattern("由于")),
    (Lead.EFFECT, pattern("所以|因此|因而|从而|导致|造成|致使|使得|以致")),
)
_LEADS_EN: Final = (
    (
        Lead.REASON,
        pattern(
            r"(?:and |but )?(?:just |only |mainly |partly |probably )?"
            r"(?:because(?: of)?|on account of"
            r"|since(?! (?:then|when|last|early|late|\w+ing|\w+ last)\b))\s",
            _I,
        ),
    ),
    (Lead.REASON_AHEAD, pattern(r"(?:due|owing|thanks) to\s", _I)),
    (
        Lead.EFFECT,
        pattern(
            r"(?:and )?(?:so(?! (?:that|far|much|many|long|on|forth|what)\b"
            r"|(?: \w+){1,2} (?:can|could|might|would)\b)|therefore|thus|hence"
            r"|consequently|as a result)[\s,]",
            _I,
        ),
    ),
)
_FIRST: Final = frozenset("因由是所从导造致使以而但主就都也BbCcDdHhJjMmOoPpSsTtAa")
_SINCE: Final = pattern(r"\bsince\s", _I)
_PERFECT: Final = pattern(r"\b(?:has|have|had)\b|['’]ve\b", _I)
_SUBJECT: Final = pattern(
    r"(?:(?:i|we|you|he|she|it|they|this|that|there)\b"
    r"(?:['’](?:s|m|re|ve)|\s+(?:was|were|is|are|am|has|have|had|been|can be|will be)\b)*"
    r"|the\b|an?\b|我们?|他们?|她们?|它们?|咱们?|你们?)\s*",
    _I,
)
_NO_REASON: Final = pattern(
    r"(?:yes|yeah|no|ok(?:ay)?|well|sure|right|fine|good|great|thanks?|got it|sounds|alright|anyway"
    r"|i (?:see|know|think|guess))\b|好|是|对|没错|[我也]?(?:知道|明白)|可以|行|嗯|谢",
    _I,
)
_HAN: Final = pattern("[\u3400-\u9fff]")


def read_lead(text: str, offset: int, clues: Clues, whole: str) -> Told:
    """Return a clause with what its first words make of it.

    Args:
        text: the words of the clause.
        offset: where they stand in the message.
        clues: the names and the times in it.
        whole: the sentence it belongs to.
    """
    plain = Told(text, offset, clues)
    if text[:1] not in _FIRST:
        return plain
    for lead, words in _LEADS_EN if text[0].isascii() else _LEADS:
        found = words.match(text)
        if not found:
            continue
        end = found.end()
        if _SINCE.search(found[0]) and (
            _PERFECT.search(whole) or any(start - end < 4 for start, _ in clues.times)
        ):
            return plain  # it tells since when
        noun = found[0].rstrip().lower().endswith((" of", " to"))
        return plain._replace(text=" " * end + text[end:], lead=lead, noun=noun)
    return plain


def with_causes(told: Sequence[Told]) -> Iterator[Statement]:
    """Yield the statements of a sentence, with their reasons."""
    reasons = dict(_pairs(told))
    for at, one in enumerate(told):
        why = told[reasons[at]] if at in reasons else None
        if why is None:
            yield from one.statements
        elif why.statements:
            yield from (replace(each, because=why.offset) for each in one.statements)
        elif one.statements:
            role = _few_words(why)
            roles = (role,) if role else ()
            yield from (replace(each, roles=each.roles + roles) for each in one.statements)


def _pairs(told: Sequence[Told]) -> Iterator[tuple[int, int]]:
    """Yield the places of effects, each with that of its reason."""
    for at, one in enumerate(told):
        before = next((n for n in range(at - 1, -1, -1) if told[n].statements), None)
        if one.lead is Lead.REASON and before is not None:
            yield before, at
        elif one.lead in (Lead.REASON, Lead.REASON_AHEAD) and at + 1 < len(told):
            yield at + 1, at
        elif one.lead is Lead.EFFECT and at:
            yield at, at - 1


def _few_words(told: Told) -> Role | None:
    """Return the reason that a clause is, if it is short: a noun, or words without a pronoun."""
    if told.noun:
        items = takewhile(lambda one: one.text not in _MARKS, read_items(told.text, *told.clues))
        noun = read_noun(list(items))
        if noun is None or noun.name.lower() in _NOBODY:
            return None
        return Role(EdgeType.CAUSE, noun.kind, noun.name, told.offset + noun.start)
    text = told.text
    if told.lead is None and _NO_REASON.match(text):
        return None
    for start, end in told.clues.times:
        text = text[:start] + " " * (end - start) + text[end:]
    start = len(text) - len(text.lstrip())
    if subject := _SUBJECT.match(text, start):
        start = subject.end()
    name = " ".join(text[start:].rstrip(" .!?。！？了").split())
    if len(_HAN.findall(name)) > _MOST_HAN or len(name.split()) > _MOST_WORDS:
        return None
    if len(name) > _LONGEST or not any(one.isalpha() for one in name):
        return None
    return Role(EdgeType.CAUSE, _kind(name, told.clues.entities), name, told.offset + start)


def _kind(name: str, entities: Sequence[Entity]) -> str:
    """Return what kind of entity a reason is; what is no noun is none of the known kinds."""
    for entity in entities:
        if entity.name == name:
            return entity.kind
    words = () if name.isascii() else tag(name)
    return kind_of(name) if len(words) == 1 and words[0][1].startswith("n") else "other"
