"""What somebody uses themselves in the place of something else: 我从 Slack 换到 Teams 了 (C4, C6).

In: a sentence of the user. Out: a preference for what is used now, and the end of the one for what
was used before, whether that was ever told or not. Both are named; who moves from a city to another
one, or from one employer to another, switches nothing. What a team switches is a fact, and found
elsewhere (`switches`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.decisions_words import known_as
from smartbrain.remember.extract.preference_words import OF_TOOLS, Topic, named, topic_of
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.switches import SWITCHED, is_no_thing
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_SIGN: Final = sign(
    r"\b(?:switched|moved|migrated|changed|went|gone)\b.{0,20}?\bfrom\b"
    r"|[从把].{1,24}?(?:[换改][成到用为]|切换?到|转[到用]|迁移?到)",
    _I,
)
_LATELY: Final = r"(?:['’]ve| have)?(?: (?:now|just|recently|finally|also|fully|completely)){0,4}"
_NAME: Final = r"[\w+#][\w.+#'-]*(?: [\w+#][\w.+#'-]*){0,2}?"
_ENDS: Final = (
    r"(?: (?:for|at) (?:my |our |the )?[\w/-]++(?: [\w/-]++)?)?(?:,? (?:now|instead|recently"
    r"|(?:last|this) (?:week|month|quarter|year)))?\W*\Z"
)
_FORM: Final = pattern(
    r"\A\W*+(?:(?:and|so|but|also|btw|fyi|update|oh|well)[,:]? ){0,6}"
    rf"i{_LATELY} (?:switched|(?P<goes>moved|migrated|changed|went|gone))(?: over)?"
    rf" from (?:an? |the )?(?P<old>{_NAME}) (?:over )?to (?:an? |the )?(?P<new>{_NAME}){_ENDS}",
    _I,
)
_LATELY_ZH: Final = (
    r"\s?(?:现在|目前|已经|已|最近|刚|终于|也|上个?(?:周|月|星期)|去年|今年|这个?(?:周|月)){0,6}\s?"
)
_NAME_ZH: Final = r"[A-Za-z][\w.+# -]{0,30}?|[\u3400-\u9fff]{2,6}?"
_TO_ZH: Final = r"(?:换成|换到|换用|换为|改用|改成|改为|切换?到|转到|转用|迁移?到)"
_FORM_ZH: Final = pattern(
    rf"\A\W*+我(?!们){_LATELY_ZH}[从把]\s?(?P<old>{_NAME_ZH})\s?{_LATELY_ZH}{_TO_ZH}"
    rf"(?=了|[^，,]*了\W*\Z)了?\s?(?P<new>{_NAME_ZH})\s?了?\W*\Z"
)
_LONGEST_ZH: Final = 200  # characters; the parts of a longer clause have no room in this form
_CAPITAL: Final = pattern(r"[A-Z]|[a-z]+[A-Z]")
_PASSES: Final = pattern(r"\b(?:today|tonight|for now|temporarily)\b|暂时|临时|今天|这次", _I)


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what the user uses now, and the end of what it takes the place of."""
    if said.source is not Source.USER or not _SIGN.search(sentence.text):
        return
    for clause in stated_clauses(sentence):
        found = _FORM.match(clause.text)
        if found is None and len(clause.text) <= _LONGEST_ZH:
            found = _FORM_ZH.match(clause.text)
        if found is None or _PASSES.search(clause.text):
            continue
        old, new = found["old"].strip(" ."), found["new"].strip(" .")
        tools = _is_tool(old) or _is_tool(new)
        goes = found.groupdict().get("goes") or not old.isascii()
        apart = is_no_thing(old) or is_no_thing(new)
        if tools or not (goes or apart or not _CAPITAL.match(old) or not _CAPITAL.match(new)):
            yield from _switch(old, new, clause, said)


def _switch(old: str, new: str, clause: Clause, said: Said) -> Iterator[Candidate]:
    """Yield the preference for the new thing, and the end of the one for the old."""
    was, is_ = _topic(old), _topic(new)
    if not topic_of(new) and topic_of(old):  # it does what the other did: some editor for vim
        is_ = was if (known := topic_of(old)) and known.name else is_
    told = Candidate(
        type="preferences",
        value={"scope": is_.scope, "name": is_.name, "value": new},
        text=tidy(clause.text),
        rule="preferences.switch",
        source=said.source,
        confidence=0.9,
        offset=clause.offset,
        length=len(clause.text),
    )
    yield told
    if was != is_:
        gone = {"scope": was.scope, "name": was.name, "value": old}
        yield replace(told, value=gone, rule=SWITCHED, action=CandidateAction.RETRACT)


def _topic(thing: str) -> Topic:
    """Return the name of a preference for a thing."""
    return named(topic_of(thing), thing)


def _is_tool(thing: str) -> bool:
    """Tell whether somebody works with a thing, by what the lists know."""
    topic = topic_of(thing)
    return bool(known_as(thing)) or (topic is not None and topic.scope in OF_TOOLS)
