"""What somebody says they are not: "I'm not a nurse", 我不住在北京, "I don't have a dog" (C4, C6).

In: a clause of the user that denies something. Out: the facts about the user that it would tell if
it did not, each in the very words that are denied: who is no senior engineer may be an engineer. A
denial that tells several things at once ("I'm not a nurse at Bayer") leaves open which is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from smartbrain.domain.candidate import Candidate
from smartbrain.remember.extract import profile
from smartbrain.remember.extract.corrections_instead import IN_WORDS
from smartbrain.remember.extract.corrections_profile import facts_in
from smartbrain.remember.extract.negation import denies_degree
from smartbrain.remember.extract.profile_lists import going_on
from smartbrain.remember.extract.profile_words import KIN, PETS
from smartbrain.remember.extract.said import Clause, Said, Sentence, read_said
from smartbrain.remember.profile_values import ONLY
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
SIGN: Final = sign(r"\b(?:not|never|no|cannot)\b|n['’]t\b|[不没]|并非", _I)
"""What stands in every denial."""
_LONGEST: Final = 120  # characters; a longer clause denies more than who somebody is
_HOW: Final = r"(?:\s(?:even|just|also|still|\w+ly|so|such)){0,6}"
_EN: Final = (
    (pattern(r"\b(?:i was|i(?:['’]ve| have)) never (?:been )?(?=(?:an?|the) )", _I), "I'm "),
    (pattern(r"\bi(?:['’]ve| have) never been\b", _I), "I'm"),
    (pattern(rf"\bi(?:['’]?m| am){_HOW} (?:not|never)\b{_HOW}", _I), "I'm"),
    (pattern(r"\bi(?:(?:['’]ve| have)? never| didn['’]t| did not) (?:had|have|owned)\b", _I),
     "I have"),
    (pattern(r"\bi(?:['’]ve| have) (?:never|not)\b|\bi haven['’]t\b", _I), "I've"),
    (pattern(rf"\bi{_HOW} (?:do not|don['’]t|never)\b{_HOW}", _I), "I"),
    (pattern(r"\bi (?:cannot|can['’]t|can not) (?=speak )", _I), "I "),
    (pattern(r"\b(my [\w ]+? (?:is|are))(?:n['’]t| not| never)\b", _I), r"\1"),
)  # fmt: skip
_SOME: Final = pattern(rf"\bI have (?:any |a single )?(?=(?:[\w-]+ ){{0,2}}?(?:{KIN}|{PETS})\b)")
_ZH: Final = (
    (pattern(r"没有?结婚"), ("已婚",)),
    (pattern(r"(?:并|其实)*不是(?=[\d一二两三四五六七八九十]{1,4}岁)"), ("",)),
    (pattern(r"我们?家(?=没|不养)"), ("我",)),
    (pattern(r"(?:并|从来?|其实|根本|又|真的?|也|都)*没有?(?:养|在养)"), ("养",)),
    (
        pattern(
            r"(?:并|从来?|其实|根本|又|真的?|也|都)*(?:不(?:再|太|怎么|曾|会(?=过敏))?|没有?|并非)"
            r"(?:是(?=对|一个人))?"
        ),
        ("", "有", "养", "是"),
    ),
)
_ALL_OF: Final = {"pet": pattern(r"(?:(?:any|an?) )?pets?|宠物", _I)}
"""What stands for whatever there is of a kind."""
_ENDS: Final = " .。!！~～"
_END: Final = pattern(
    r"(?:[\s,]*\b(?:at all|actually|either|though|by the way|btw|you know|myself|yet|at present"
    r"|currently|now))+\Z|[的呢啊呀哦啦]+\Z",
    _I,
)


def denied_facts(clause: Clause, sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what the parts of a clause would tell of the user if they did not deny it.

    A list that a clause begins goes on to the end of the sentence.
    """
    for piece in profile.pieces(clause):
        if len(piece.text) > _LONGEST or not SIGN.search(piece.text):
            continue
        if not profile.is_about_me(piece.text) or denies_degree(piece.text):
            continue
        for text in _affirmed(_END.sub("", piece.text.strip(_ENDS))):
            own = read_said(text, source=said.source, speaker=said.speaker, at=said.at)
            found = [one for each in own.sentences for one in profile.find(each, own)]
            if len(found) == 1 and (facts := _meant(found[0], text)):
                facts += _listed_on(facts[-1], clause, sentence)
                yield replace(
                    found[0],
                    value={**found[0].value, "facts": facts},
                    text=piece.text.strip(_ENDS),
                    rule=f"{IN_WORDS}profile",
                    offset=piece.offset,
                    length=len(piece.text),
                )
                break


def _listed_on(fact: dict[str, Any], clause: Clause, sentence: Sentence) -> list[dict[str, Any]]:
    """Return the facts that the clauses after one add to its list: "nuts, milk or eggs"."""
    added = []
    for one in sentence.clauses:
        if one.offset > clause.offset:
            rest = sentence.text[one.offset - sentence.offset :]
            added += [{**fact, "v": each} for each in going_on(fact["k"], one.text, rest)]
    return added


def _affirmed(text: str) -> Iterator[str]:
    """Yield how a denial may have to be put to say that it is so."""
    for shape, instead in _EN:
        told, denied = shape.subn(instead, text, count=1)
        if denied:
            yield _SOME.sub("I have a ", told) if " a " not in told else told
            return
    for form, others in _ZH:
        if form.search(text):
            yield from (form.sub(one, text, count=1) for one in others)


def _meant(told: Candidate, text: str) -> list[dict[str, Any]]:
    """Return the facts that are denied, if they are of one kind and nothing is said of them."""
    facts = facts_in([told])
    kinds = {str(fact["k"]) for fact in facts}
    if len(kinds) != 1 or not _is_last(str(facts[-1]["v"]), text):
        return []
    whole = _ALL_OF.get(kind := kinds.pop())
    if whole and any(whole.fullmatch(str(fact["v"])) for fact in facts):
        return [{"k": kind, "v": ""}]
    return [{**fact, ONLY: True} for fact in facts]


def _is_last(value: str, text: str) -> bool:
    """Tell whether a sentence ends with a value, so that no more is denied than that."""
    before, _, after = text.rpartition(value)
    after = after.strip(_ENDS)
    if value not in text or _SUCH.search(before):
        return False
    return not after or _TAIL.fullmatch(after) is not None


# "Not a strict vegetarian" may be one, and 不是严格的素食者 too.
_SUCH: Final = pattern(r"\ban? (?:(?!of|in|at|from|to|by)[\w-]+ )+\Z|[\u3400-\u9fff]的\Z", _I)
_TAIL: Final = pattern(
    r"工作|上班|任职|就职|打工|供职|实习|长大|人|一起住|as well|too|(?:in|at) (?:an? |the )?\w+ing",
    _I,
)
