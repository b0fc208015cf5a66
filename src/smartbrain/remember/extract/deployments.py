"""Where what somebody builds is deployed: "we deploy on Vercel", 部署在 Vercel (C4, C6).

In: a sentence of the user. Out: a fact, what something runs on; of what has no name it is told as
of the project, however it is said. That it is there now, or was moved there, takes the place of
where it was. What is deployed on a day, or to an environment such as staging, runs on nothing new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.decisions_words import known_as
from smartbrain.remember.extract.fact_changes import CHANGED
from smartbrain.remember.extract.fact_names import thing_of
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.switches import is_no_thing
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_SIGN: Final = sign(r"\b(?:deploy|host)(?:s|ed|ing|ments?)?\b|部署|托管", _I)
_OPEN: Final = r"\A\W*+(?:(?:and|so|but|also|btw|fyi|update|oh|well|ok|okay)[,:]? ){0,6}"
_NOW: Final = r"(?: (?P<now>now|currently))?(?: (?:all|both|mostly|just|also)){0,4}"
_HOST: Final = r"(?P<host>[\w+#][\w.+#'-]*+(?: [\w+#][\w.+#'-]*+){0,2}?)"
_END: Final = r"(?: (?P<then>now|instead|these days|for now|today))?\W*\Z"
_THING: Final = r"(?P<thing>(?:the|our|my) [\w-]+(?: [\w-]+){0,2}?|it|this|everything)"
_FORMS: Final = (
    pattern(
        rf"{_OPEN}(?:we|i){_NOW} (?:deploy|host)(?: (?P<thing>it|everything|(?:the|our|my) [\w-]+"
        rf"(?: [\w-]+)?))? (?:on|to|with) {_HOST}{_END}",
        _I,
    ),
    pattern(
        rf"{_OPEN}(?:{_THING}(?:['’]s| is| are)|we['’]re|we are){_NOW} (?:deployed|hosted)"
        rf" (?:on|to|with) {_HOST}{_END}",
        _I,
    ),
    pattern(
        rf"{_OPEN}(?:we|i)(?:['’]ve| have)?(?: (?:just|recently|now|already)){{0,4}}"
        r" (?P<moved>moved|switched|migrated|changed) (?:our |the )?(?:deployments?|hosting)"
        rf"(?: over)?(?: from [^,]{{1,30}}?)? to {_HOST}{_END}",
        _I,
    ),
    pattern(
        rf"{_OPEN}(?:our |the )?(?:deployments?|hosting)(?: has| was| is| got)?(?: (?:just|recently"
        r"|now|been)){0,4} (?P<moved>moved|switched|migrated|changed)(?: over)?"
        rf"(?: from [^,]{{1,30}}?)? to {_HOST}{_END}",
        _I,
    ),
)  # fmt: skip
_NOW_ZH: Final = r"\s?(?:(?P<now>现在|目前|如今|已经?|改)|都|也|全|是|一直|主要){0,6}\s?"
_THING_ZH: Final = (
    r"(?P<thing>(?:(?!现在|目前|如今|已|改|都|也|全|是|一直|主要)[^，,。从把将]{1,12}?)?)"
)
_HOST_ZH: Final = (
    r"\s?(?P<host>[A-Za-z][\w.+#-]*+(?: [A-Za-z\d][\w.+#-]*+){0,2}|[\u3400-\u9fff]{1,6}云)\s?"
    r"(?:上面?|里面?|中)?"
)
_LONGEST_ZH: Final = 200  # characters; the parts of a longer clause have no room in these forms
_FORMS_ZH: Final = (
    pattern(
        rf"\A\W*+{_THING_ZH}的?{_NOW_ZH}(?:部署|托管)(?:[在于]|到(?=.*了\W*\Z)){_HOST_ZH}\s?(?P<then>了)?"
        r"的?\W*\Z"
    ),
    pattern(
        r"\A\W*+(?:我们?|咱们?)?\s?(?:已经|刚|最近){0,3}把?(?P<thing>[^，,。从把将]{0,10}?)的?"
        r"(?:部署|托管)(?:平台|环境)?\s?(?:已经|刚|最近){0,3}(?:从\s?[^，,。]{1,20}?)?"
        rf"(?P<moved>迁移?|换|改|搬|切换?|转|挪)[到成至为]了?{_HOST_ZH}\s?了?\W*\Z"
    ),
)
_NO_HOST: Final = pattern(
    r"(?:prod(?:uction)?|staging|dev(?:elopment)?|test(?:ing)?|qa|uat|main|master|(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)days?|weekends?|demand|time|schedule|it|that|this|them|(?:a|an|the|our|my"
    r"|every|each)\b.*)\Z",
    _I,
)
_NAMED: Final = pattern(r"[A-Z\u3400-\u9fff]|[a-z]+[A-Z\d.]")
_US: Final = pattern(r"(?:it|this|everything|我们?|咱们?|它|这个|)\Z", _I)
_BIDS: Final = pattern(
    r".*(?:[要想能请帮让给别先再不没]|应该|可以|打算|准备|计划|决定|如何|怎么|直接)"
)
PROJECT: Final = "project"
"""The subject of what is deployed and has no other name."""


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield where a sentence says that something is deployed."""
    if said.source is not Source.USER or not _SIGN.search(sentence.text):
        return
    for clause in stated_clauses(sentence):
        wide = not clause.text.isascii() and "’" not in clause.text
        if wide and len(clause.text) > _LONGEST_ZH:
            continue
        forms = _FORMS_ZH if wide else _FORMS
        found = next(filter(None, (form.match(clause.text) for form in forms)), None)
        if found is not None and _is_host(found["host"].strip(" .")):
            parts = found.groupdict()
            thing = (parts.get("thing") or "").strip()
            if not _BIDS.match(thing):
                yield _candidate(thing, found, clause, said)


def _candidate(thing: str, found: re.Match[str], clause: Clause, said: Said) -> Candidate:
    """Return the fact of where something runs."""
    parts = found.groupdict()
    changed = any(parts.get(name) for name in ("now", "then", "moved"))
    return Candidate(
        type="facts",
        value={
            "subject": PROJECT if _US.match(thing) else thing_of(thing),
            "attribute": "runs_on",
            "value": found["host"].strip(" ."),
        },
        text=tidy(clause.text),
        rule=f"facts.{CHANGED if changed else 'deployed'}",
        source=said.source,
        confidence=0.85,
        offset=clause.offset,
        length=len(clause.text),
    )


def _is_host(name: str) -> bool:
    """Tell whether words name something that one can deploy on."""
    if _NO_HOST.match(name) or is_no_thing(name):
        return False
    return bool(known_as(name)) or _NAMED.match(name) is not None
