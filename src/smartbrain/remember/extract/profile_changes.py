"""What changes in somebody's life: "I turned 35", "I got promoted to lead", 我上周结婚了 (C4, C6).

In: a sentence. Out: the fact that holds since, beside the event that the same words may tell, so it
claims none of them. What others go through, what is only planned and what was long ago is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.finder import ALONGSIDE
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_CONFIDENCE: Final = 0.85
_SIGN: Final = sign(
    r"\b(?:turned|turning|promoted|engaged|married|divorced)\b|岁了|升[职为到任]|[转换]岗|换工作|晋升|提拔|订婚|结婚|领证|离婚",
    _I,
)
_OPEN: Final = (
    r"\A\W*(?:(?:so|and|but|well|also|btw|hey|actually|guess what|finally|update)\b[,:]?\s+)*"
)
_OFTEN: Final = r"(?: just| finally| recently| also| officially| already)*"
_WHEN_ZH: Final = (
    r"(?:已经|刚刚?|终于|今天|昨天|前天|上个?(?:周|月|星期|礼拜)[一二三四五六日天]?|[今去]年|这个?月"
    r"|\d{1,2}月[底初份]?|正式|也|就|都|和[^，,]{1,8}?|跟[^，,]{1,8}?)*\s*"
)
_ME_ZH: Final = r"\A\W*(?:对了|其实|另外|告诉你|跟你说)?[，,\s]*(?:我们?|本人|俺)\s*"
_FORMS: Final = (
    (
        "age",
        pattern(
            _OPEN + rf"i(?:'ve|’ve| have)?{_OFTEN} turned (?P<v>[1-9]\d)"
            r"(?=\W*\Z|[,;!.]| (?:today|yesterday|last|this|on|and|so|recently|years? old)\b)",
            _I,
        ),
    ),
    ("age", pattern(rf"{_ME_ZH}{_WHEN_ZH}满?(?P<v>[1-9]\d\s?岁)了(?!吗|没)")),
    (
        "role",
        pattern(
            _OPEN + rf"i(?:'ve been|’ve been| have been| was| got){_OFTEN} promoted to (?:be |the "
            r"|an? )?(?P<v>[A-Za-z][\w /&-]{1,40}?)"
            r"(?=\W*\Z|[,;]| (?:last|this|yesterday|today|in|at|and|after)\b)",
            _I,
        ),
    ),
    (
        "role",
        pattern(
            rf"{_ME_ZH}{_WHEN_ZH}(?:被)?(?:升职?为|升职?到|升任|晋升为|晋升到|提拔为)(?:了)?\s*"
            r"(?P<v>[^，,。了]{2,16})"
        ),
    ),
    (
        "role",
        pattern(
            rf"{_ME_ZH}{_WHEN_ZH}(?:升职|晋升|转岗|换岗|换工作)了[，,]\s*现在(?:是|做)\s*"
            r"(?P<v>[^，,。了]{2,16})"
        ),
    ),
    (
        "marital_status",
        pattern(
            _OPEN
            + rf"(?:i(?:'ve|’ve| have)?|(?:my \w+|[A-Z]\w+) and i|we){_OFTEN} (?:got|gotten|are"
            r" now|am now|became) (?P<v>engaged|married|divorced)\b"
            r"(?!.*\b(?:years? ago|in (?:19|20)\d\d|when)\b)",
            _I,
        ),
    ),
    (
        "marital_status",
        pattern(rf"{_ME_ZH}{_WHEN_ZH}(?P<v>订婚|结婚|领证|离婚)了(?!吗|没)"),
    ),
)
_STATUS: Final = {"订婚": "已订婚", "结婚": "已婚", "领证": "已婚", "离婚": "离异"}


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what holds of the user since something happened."""
    if said.source is not Source.USER or not _SIGN.search(sentence.text):
        return
    for clause in stated_clauses(sentence):
        for name, form in _FORMS:
            if found := form.match(sentence.text[clause.offset - sentence.offset :]):
                value = tidy(found["v"])
                yield _candidate(name, _STATUS.get(value, value), clause, said)
                break


def _candidate(name: str, value: str, clause: Clause, said: Said) -> Candidate:
    return Candidate(
        type="profile",
        value={"subject": "user", "facts": [{"k": name, "v": value}]},
        text=tidy(clause.text),
        rule=ALONGSIDE,
        source=said.source,
        confidence=_CONFIDENCE,
        offset=clause.offset,
        length=len(clause.text),
    )
