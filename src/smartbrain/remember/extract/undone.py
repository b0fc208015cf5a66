"""What somebody says they have not done after all, in the words that a deed would be told in (C4).

In: a clause that is stated. Out: the deed that was not done, or nothing: "I didn't clean the
kitchen", "the milk isn't bought", 厨房没打扫. What others have not done, what was not meant, and
whether anything comes of it, is not decided here.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.deeds import LONGEST, Deed, is_past, plain_word, words_of
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.word_list import word_set

_I: Final = 0x02  # re.IGNORECASE
_SIGN: Final = sign(r"n['’]t\b|\bnot\b|\bnever\b|没", _I)
_OPENING: Final = (
    r"\A\W*+(?:(?:actually|no|nope|well|so|but|and|in fact|wait|sorry|oops|it turns out"
    r"|turns out)[\s,]++)*"
)
_OFTEN: Final = r"(?:\s++(?:actually|really|even|yet)){0,4}"
_END: Final = r"(?:[\s,]++(?:yet|after all|at all|in the end|actually|though)){0,4}\W*+\Z"
# "I didn't clean the kitchen", "we haven't booked it", "I never called Bob".
_DID_NOT: Final = pattern(
    rf"{_OPENING}(?:i|we)(?:['’]ve)?{_OFTEN}\s+(?:did not|didn['’]t|have not|haven['’]t|never"
    rf"|not){_OFTEN}\s+(?P<deed>[a-z]+)\s+(?P<thing>\S.*?){_END}",
    _I,
)
_IS_NOT: Final = pattern(
    rf"{_OPENING}(?P<thing>\S.*?)\s+(?:is|are|was|were|has|have)(?:n['’]t|\s+not)(?:\s+been)?"
    rf"{_OFTEN}\s+(?P<deed>[a-z]+){_END}",
    _I,
)
# 我没打扫厨房, 厨房没打扫.
_NOT_ZH: Final = pattern(
    r"\A\W*+(?:(?:其实|不对|等等)[\s，,]*+){0,4}(?P<before>[^没]{0,24}?)没有?\s?"
    r"(?!了|[事空钱人用关办错想]|必要|打算|准备|计划|时间|机会|什么|问题)(?P<deed>[\u3400-\u9fff]|[A-Za-z]+)(?P<after>[^没]{0,40}?)[呢啊哦]?\W*\Z"
)
_ADVERBS_ZH: Final = pattern(r"其实|根本|压根|并(?!购)|确实|还(?![书款钱])|都")
# "I didn't need to", "it isn't planned": nothing that could have been done.
_NO_DEED: Final = word_set("need want plan mean have like know think require expect happen intend")


def undone_of(clause: str) -> Deed | None:
    """Return the deed that a clause says was not done by who says it, or not done at all."""
    if len(clause) > LONGEST or not _SIGN.search(clause):
        return None
    if found := _NOT_ZH.match(clause):
        told = _ADVERBS_ZH.sub("", found["before"]) + found["deed"] + found["after"]
        words = words_of(found["deed"] + found["after"])
        return Deed(words[0], words_of(told), done=False) if words else None
    if found := _DID_NOT.match(clause):
        told = f"{found['deed']} {found['thing']}"
    elif (found := _IS_NOT.match(clause)) and is_past(found["deed"].lower(), own=False):
        told = f"{found['thing']} {found['deed']}"
    else:
        return None
    verb = plain_word(found["deed"])
    return Deed(verb, words_of(told), done=False) if verb and verb not in _NO_DEED else None
