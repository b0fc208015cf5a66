"""Plain denials: "I don't work at Google", "the port is not 80", 我不住在北京 (C4, C6).

In: a sentence of the user. Out: retractions of what its words deny, as they would be read if it
said so: facts about the user, their editor and the like, and other facts. It is asked last, and
has nothing to say of words in which others have read something, such as what is so instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract import facts, preferences, profile
from smartbrain.remember.extract.correction_words import affirmed, read
from smartbrain.remember.extract.corrections_instead import IN_WORDS
from smartbrain.remember.extract.corrections_profile import facts_in
from smartbrain.remember.extract.denied_values import DENIED
from smartbrain.remember.extract.negation import denies_degree
from smartbrain.remember.extract.profile_denials import SIGN, denied_facts
from smartbrain.remember.extract.said import Clause, Said, Sentence, read_said
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_IS_NOT: Final = pattern(r"\b(?:is|are)(?:n['’]t| not) |(?<=[^我你他她它这那])(?:并)?不是", _I)
_MINE: Final = frozenset({"preferences.mine", "preferences.favourite"})
"""The rules of what somebody calls theirs: 我的编辑器是 vim."""


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what the user says is not so."""
    if said.source is not Source.USER or not SIGN.search(sentence.text):
        return
    corrects = read(sentence) is not None  # it says itself what it takes back
    told = {fact["k"] for fact in facts_in([*profile.find(sentence, said)])} if corrects else {}
    for clause in stated_clauses(sentence):
        own = [
            one
            for one in denied_facts(clause, sentence, said)
            if not any(fact["k"] in told for fact in facts_in([one]))
        ]
        for one in own or (() if corrects else _denied(clause, sentence, said)):
            yield replace(one, action=CandidateAction.RETRACT)


def _denied(clause: Clause, sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what a clause would say is so if it did not deny it."""
    if not _IS_NOT.search(clause.text) or denies_degree(clause.text):
        return
    own = read_said(affirmed(clause.text), source=said.source, speaker=said.speaker, at=said.at)
    mine = (one for each in own.sentences for one in preferences.find(each, own))
    found = [replace(one, rule=f"{IN_WORDS}preferences") for one in mine if one.rule in _MINE]
    if not found:
        told = (one for each in own.sentences for one in facts.find(each, own))
        found = [replace(one, rule=DENIED) for one in told]
    for one in found:
        yield replace(one, offset=sentence.offset, length=len(sentence.text))
