"""Plain denials: "I don't work at Google", "the port is not 80", 我不在腾讯工作 (C4, C6).

In: a sentence of the user. Out: retractions of the employer and of the facts that its words deny,
as they would be read if it said so. It is asked last, and has nothing to say of a sentence in which
others have read something, such as what is so instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract import facts, profile
from smartbrain.remember.extract.correction_words import affirmed, read
from smartbrain.remember.extract.corrections_instead import IN_WORDS
from smartbrain.remember.extract.corrections_profile import facts_in
from smartbrain.remember.extract.denied_values import DENIED
from smartbrain.remember.extract.said import Clause, Said, Sentence, read_said
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_SIGN: Final = sign(r"\bnot\b|n['’]t\b|不[是在]", _I)
_NO_WORK: Final = pattern(
    r"\bi (?:do not|don['’]t) (?:actually |currently |even )?work (?:at|for)\s"
    r"|[我俺人](?:其实|现在|目前|并)*不在[^，,]{1,20}?(?:工作|上班|任职)",
    _I,
)
_IS_NOT: Final = pattern(r"\b(?:is|are)(?:n['’]t| not) |(?<=[^我你他她它这那])(?:并)?不是", _I)


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what the user says is not so."""
    if said.source is not Source.USER or not _SIGN.search(sentence.text):
        return
    if read(sentence) is not None:  # a correction, which says itself what it takes back
        return
    for clause in stated_clauses(sentence):
        for one in _denied(clause, said):
            yield replace(
                one,
                action=CandidateAction.RETRACT,
                offset=sentence.offset,
                length=len(sentence.text),
            )


def _denied(clause: Clause, said: Said) -> Iterator[Candidate]:
    """Yield what a clause would say if it did not deny it."""
    works = _NO_WORK.search(clause.text) is not None
    if not works and not _IS_NOT.search(clause.text):
        return
    own = read_said(affirmed(clause.text), source=said.source, speaker=said.speaker, at=said.at)
    ask = profile.find if works else facts.find
    for one in (found for sentence in own.sentences for found in ask(sentence, own)):
        if not works:
            yield replace(one, rule=DENIED)
        elif employer := [fact for fact in facts_in([one]) if fact["k"] == "employer"]:
            value = {**one.value, "facts": employer}
            yield replace(one, value=value, rule=f"{IN_WORDS}profile")
