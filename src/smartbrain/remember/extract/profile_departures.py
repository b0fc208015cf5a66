"""Where somebody has stopped to work: "I left Google and joined Stripe", 从腾讯离职了 (C4, C6).

In: a sentence. Out: the new employer where it is named, else a retraction of the old one. Leaving
is told by words that may tell an event as well, so it claims none of them. What others did, what
is only planned and whom one left for the day is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.profile_changes import changed
from smartbrain.remember.extract.profile_zh import CITY
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.wording import tidy
from smartbrain.remember.profile_values import ONLY
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_SIGN: Final = sign(
    r"\b(?:left|quit|resigned|laid off|fired|redundant)\b|离职|辞职|离开|跳槽|裁|开除|辞退|裸辞", _I
)
_NAME: Final = r"(?-i:[A-Z])[\w&'’.-]*(?: (?-i:[A-Z])[\w&'’.-]*)*"
_JOB: Final = r"(?:old |previous )?(?:job|position|role|employer|company)"
_LEFT: Final = pattern(
    r"\A\W*+(?:(?:so|and|but|well|also|btw|actually|unfortunately|finally|update)\b[,:]?\s++){0,6}"
    r"i(?:['’]ve| have)?(?: just| recently| finally| also| already| officially){0,4} (?:"
    rf"(?:left|quit|resigned from)(?: my {_JOB} (?:at|with))? (?P<from>{_NAME})"
    rf"|(?:was|got|been) (?:laid off|fired|made redundant) (?:from|by) (?P<by>{_NAME})"
    rf"|(?:left|quit|lost|resigned from) my {_JOB}(?=\W*\Z|[,;]|\s+(?:last|this|in|on|to|and"
    r"|because|after|yesterday|so|as|for|but)\b)|resigned(?! myself| to)\b"
    r"|(?:was|got|been) (?:laid off|fired(?! up)|made redundant)\b)",
    _I,
)
# "I left Google early", "I quit my job in 2015": for the day, or long ago.
_NO_END: Final = pattern(
    r"\A\s+(?:early|late|at \d|for (?:lunch|home|the)|today|tonight|this (?:morning|afternoon"
    r"|evening)|open|running|alone|behind|out|off|there|unattended|(?:on|open)(?=\W*\Z)|an? (?!week"
    r"|month|year|day|few|while|couple|long|little|bit)|the|my|our|some|in (?:the|my)|to (?:load"
    r"|run"
    r"|crash|idle))\b|\b(?:in (?:19|20)\d\d|years? ago|when i|back then|once)\b",
    _I,
)
_LEGAL: Final = pattern(r"(?:,? (?:inc|ltd|llc|corp|co|gmbh|ag|plc|company|group)\.?){1,4}\Z", _I)
_JOINED: Final = pattern(
    r"\b(?:and|to|then|i|i['’]ve|i['’]m|have|just|recently|now) (?:joined|join|start(?:ed)?"
    rf"(?: working)? at|work (?:at|for)|at|with) (?P<to>{_NAME})",
    _I,
)
_ADVERBS_ZH: Final = (
    r"(?:已经|刚|最近|终于|上个?(?:周|月|星期|礼拜)|[今去]年|昨天|前天|这个?月|\d{1,2}月[底初份]?"
    r"|年[初底]|前不久|正式|主动|也|就){0,6}\s*+"
)
_LEFT_ZH: Final = pattern(
    r"\A\W*+(?:(?:对了|其实|另外|而且|不过|但是?|所以|然后)[，,\s]*+)?(?P<who>我|本人|俺)?\s*+"
    rf"{_ADVERBS_ZH}(?:从\s*+(?P<from>[^，,]{{1,20}}?)\s*+{_ADVERBS_ZH}"
    r"(?:离职|辞职|离开|裸辞|跳槽)(?=了|后|之后|[到去]|\W|\Z)"
    r"|离开了?\s*+(?P<of>[^，,]{2,20}?)了?\W*\Z|被\s*+(?P<by>[^，,]{0,20}?)(?:裁员?|开除|辞退)了"
    r"|(?:离职|辞职|裸辞)了)"
)
_JOINED_ZH: Final = pattern(
    r"(?:加入|入职|跳槽[到去]|跳到|\A[到去])了?\s*+(?P<to>[^，,。！!了]{2,20}?)(?:了|工作|上班)?\W*\Z"
)
_ME_ZH: Final = pattern(r"\W*(?:我(?![们的老爸妈儿女哥姐弟妹朋同])|本人|俺)")


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield whom the user has stopped to work for, or works for since."""
    if said.source is not Source.USER or not _SIGN.search(sentence.text):
        return
    for clause in stated_clauses(sentence):
        left = _LEFT.match(clause.text) or _LEFT_ZH.match(clause.text)
        if not left or not _is_mine(left, clause, sentence):
            continue
        end = clause.offset - sentence.offset + left.end()
        rest = sentence.text[end:]
        if _NO_END.search(rest):
            continue
        joined = _JOINED.search(rest) or _JOINED_ZH.search(rest)
        if joined:
            yield changed("employer", tidy(joined["to"]), clause, said)
        else:
            names = [left.groupdict().get(name) for name in ("from", "of", "by")]
            was = next(filter(None, names), "")
            gone = changed("employer", tidy(was), clause, said, CandidateAction.RETRACT)
            yield gone if " my " in left[0] else _in_its_words(gone, was)


def _in_its_words(gone: Candidate, name: str) -> Candidate:
    """Let a name of several words stand for itself: who quit Google Chrome may be with Google."""
    if " " not in _LEGAL.sub("", name):
        return gone
    facts = [{**fact, "v": _LEGAL.sub("", fact["v"]), ONLY: True} for fact in gone.value["facts"]]
    return replace(gone, value={**gone.value, "facts": facts})


def _is_mine(left: re.Match[str], clause: Clause, sentence: Sentence) -> bool:
    """Tell whether it is the user who left; in Chinese that may go without saying."""
    if "who" not in left.groupdict():
        return True
    if left["who"]:  # 我离开北京了 is said of a place
        return not (left["of"] and CITY.fullmatch(left["of"]))
    first = sentence.clauses[0]
    return bool(left["from"]) and (clause == first or bool(_ME_ZH.match(first.text)))
