"""What changes in somebody's life: "I turned 35", "I got promoted to lead", 我上周结婚了 (C4, C6).

In: a sentence. Out: the fact that holds since, beside the event that the same words may tell, so it
claims none of them. What others go through, what is only planned and what was long ago is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.finder import ALONGSIDE
from smartbrain.remember.extract.profile_words import ZH_TRADE, is_trade
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_CONFIDENCE: Final = 0.9
_SIGN: Final = sign(
    r"\b(?:turned|turning|promoted|engaged|married|divorced)\b|岁了|升[职为到任]|[转换]岗|换工作|晋升|提拔|订婚|结婚|领证|离婚",
    _I,
)
_OPEN: Final = (
    r"\A\W*+(?:(?:so|and|but|well|also|btw|hey|actually|guess what|finally|update)\b[,:]?\s++){0,6}"
)
_OFTEN: Final = r"(?: just| finally| recently| also| officially| already){0,4}"
_LATELY: Final = r"(?=\W*\Z|[,!.]| (?:today|yesterday|last|this|recently|on (?:\w+day|the \d))\b)"
_WITH_ZH: Final = r"[和跟](?:(?![说聊宣知看他她我你大])[\u4e00-\u9fffA-Za-z]){1,4}"
_WHEN_ZH: Final = (
    r"(?:已经|刚|终于|今天|昨天|前天|上个?(?:周|月|星期|礼拜)[一二三四五六日天]?|今年|这个?月"
    rf"|\d{{1,2}}月[底初份]?|正式|也|被|{_WITH_ZH}){{0,5}}\s*+"
)
_ME_ZH: Final = r"\A\W*+(?:(?:对了|另外|告诉你)[，,\s]*+)?(?:我(?!们)|本人|俺)\s*+"
_US_ZH: Final = r"\A\W*+(?:(?:对了|另外|告诉你)[，,\s]*+)?(?:我们?|本人|俺)\s*+"
_END_ZH: Final = r"了?(?=[啦哦呢~\s]*+(?:[。！!，,]|\Z))"
_FORMS: Final = (
    ("age", pattern(rf"{_OPEN}i(?:'ve|’ve| have)?{_OFTEN} turned (?P<v>[1-9]\d){_LATELY}", _I)),
    (
        "age",
        pattern(
            rf"{_ME_ZH}(?:今天|昨天|今年|刚|终于|已经){{0,5}}\s*+满?(?P<v>[1-9]\d\s?岁)(?=了){_END_ZH}"
        ),
    ),
    (
        "role",
        pattern(
            rf"{_OPEN}i(?:'ve been|’ve been| have been| was| got){_OFTEN} promoted to (?:be |the "
            rf"|an? )?(?P<v>[A-Za-z][\w /&-]{{1,40}}?){_LATELY}",
            _I,
        ),
    ),
    (
        "role",
        pattern(
            rf"{_ME_ZH}{_WHEN_ZH}(?:升职?[为到]|升任|晋升[为到]|提拔为)\s*+(?P<v>[^，,。！!了的]{{2,12}}?){_END_ZH}"
        ),
    ),
    (
        "role",
        pattern(
            rf"{_ME_ZH}{_WHEN_ZH}(?:升职|晋升|转岗|换岗|换工作)了[，,]\s*+现在是\s*+"
            rf"(?P<v>[^，,。！!了的]{{2,12}}?){_END_ZH}"
        ),
    ),
    (
        "marital_status",
        pattern(
            rf"{_OPEN}(?:i(?:'ve|’ve| have)?|(?:my \w+|[A-Z]\w+) and i|we){_OFTEN}"
            rf" (?:got|gotten|are now|am now) (?P<v>engaged|married|divorced){_LATELY}",
            _I,
        ),
    ),
    (
        "marital_status",
        pattern(rf"{_US_ZH}{_WHEN_ZH}(?P<v>订婚|结婚|领证|离婚)(?=了){_END_ZH}"),
    ),
)
# What was long ago, came to nothing or has changed again holds no more.
_OVER: Final = pattern(
    r"\b(?:ago|back then|long|when|in (?:19|20)\d\d|at \d+|but|declined|turned it down|then)\b"
    r"|后来|复婚|又|没通过|失败|拒绝|年前|去年|前年|的时候|结婚了.*离婚|离婚了.*结婚",
    _I,
)
_STATUS: Final = {"订婚": "已订婚", "结婚": "已婚", "领证": "已婚", "离婚": "离异"}


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what holds of the user since something happened."""
    if (
        said.source is not Source.USER
        or not _SIGN.search(sentence.text)
        or _OVER.search(sentence.text)
    ):
        return
    for clause in stated_clauses(sentence):
        rest = sentence.text[clause.offset - sentence.offset :]
        for name, form in _FORMS:
            found = form.match(rest)
            if found and (name != "role" or _is_role(found["v"])):
                value = tidy(found["v"])
                yield changed(name, _STATUS.get(value, value), clause, said)
                break


def _is_role(words: str) -> bool:
    """Tell whether words name what somebody is, and no floor or version that is reached."""
    return is_trade(words) if words.isascii() else ZH_TRADE.search(words) is not None


def changed(
    name: str,
    value: str,
    clause: Clause,
    said: Said,
    action: CandidateAction = CandidateAction.WRITE,
) -> Candidate:
    """Make a candidate of a fact about the user that holds since, or no more."""
    return Candidate(
        type="profile",
        value={"subject": "user", "facts": [{"k": name, "v": value}]},
        text=tidy(clause.text),
        rule=ALONGSIDE,
        source=said.source,
        action=action,
        confidence=_CONFIDENCE,
        offset=clause.offset,
        length=len(clause.text),
    )
