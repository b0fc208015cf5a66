"""The new number or mail address of somebody: 我换手机号了，新号码是 139… (C4, C6).

In: a sentence of the user. Out: the fact as it is now, under the name that the old one has. The
change is told by one clause and the value by the next, which does not say again whose it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.fact_changes import CHANGED
from smartbrain.remember.extract.fact_names import USER, thing_of
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_SIGN: Final = sign(r"\b(?:changed|new)\b|换.{0,6}(?:号|电话|邮箱)", _I)
# A number, an address, or what stands for one that is masked.
_VALUE: Final = r"(?P<value>\+?\d[\d ()-]{4,20}\d|[^\s，,@]+@[\w.-]+\w|\[[a-z_]+\])"
_WHAT: Final = r"(?:(?:phone |mobile |cell |telephone )?number|e-?mail(?: address)?)"
_FORMS: Final = (
    pattern(
        r"\A\W*(?:(?:and|so|but|also|btw|fyi|update|hey|hi)[,:]? )*(?P<who>i|we|my [\w-]+)"
        r"(?:['’]ve| have| has)?(?: (?:just|recently|now))*"
        rf" (?:changed (?:my|our|his|her|their)|(?:got|have|has|had)? ?a new) (?P<what>{_WHAT})"
        r"[,;:]? (?:and |so )*(?:now )?(?:(?:it['’]s|it is|(?:the|my|our|his|her|their) new"
        rf" (?:one|{_WHAT})(?:['’]s| is))(?: now)? )?{_VALUE}\W*\Z",
        _I,
    ),
    pattern(
        r"\A\W*(?P<who>我|我?[\u3400-\u9fff]{1,5}?)的?(?:最近|刚刚?|已经?|上周|上个月|今天|昨天)*换了?"
        r"(?:一?个)?(?:新的?)?(?P<what>手机号码?|电话号?码?|号码?|邮箱)了?\s?[，,：:；]\s?"
        r"(?:现在|以后|我|他|她|的)*(?:新的?)?(?:手机号?码?|电话号?码?|号码?|邮箱)?(?:现在|改)?"
        rf"[是为成]?\s?{_VALUE}\W*\Z"
    ),
)
_MAIL: Final = pattern(r"e-?mail|邮箱", _I)
_ME: Final = pattern(r"(?:i|我)\Z", _I)
_NOBODY: Final = pattern(r".*[不没想要会能打如该]|[你您他她它谁]")


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield the new numbers and addresses that a sentence tells."""
    if said.source is not Source.USER or not _SIGN.search(sentence.text):
        return
    clauses = stated_clauses(sentence)
    for place, clause in enumerate(clauses):
        last = clauses[min(place + 1, len(clauses) - 1)]
        text = said.text[clause.offset : last.offset + len(last.text)]
        found = next(filter(None, (form.match(text) for form in _FORMS)), None)
        if found is None or _NOBODY.match(found["who"]):
            continue
        subject = USER if _ME.match(found["who"]) else thing_of(found["who"])
        attribute = "email" if _MAIL.match(found["what"]) else "phone"
        yield Candidate(
            type="facts",
            value={"subject": subject, "attribute": attribute, "value": found["value"]},
            text=tidy(text),
            rule=f"facts.{CHANGED}",
            source=said.source,
            confidence=0.9,
            offset=clause.offset,
            length=len(text),
        )
