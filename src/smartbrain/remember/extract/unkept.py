"""What is told and is not to be remembered: "don't remember this: …", 别记住这个：… (C1, C4).

In: a sentence. Out: the words that are not to be kept: those after such a request or before it, or
the next sentence after one that asks for nothing else. A message with such words is off the
record, and so is what was said before one that is nothing but the request (K12). Who does not
remember something asks for nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from smartbrain.domain.candidate import Source
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = 80  # characters of a sentence that is a request and nothing else
# The verb is never the first word, so its case is known.
_SIGN: Final = sign(
    r"(?:n(?:o|'|’|ee)?[td](?: to)?|ever|have to) (?:remember|memori|store|save|record|note|keep"
    r"|write|jot)|ff the record|[别要用必需甭勿](?:再?(?:[记存]|保存)|把[这那以下])"
)
_ASKS: Final = (
    r"(?:(?:please|also|and|but|so|ok|okay|oh|just|now|hey|actually|no|wait|hmm)[,.]? ){0,6}"
    r"(?:(?:can|could|would|will) you )?(?:please )?"
    r"(?:do not|don['’]?t|never|(?:there(?:['’]s| is) )?no need to|not to"
    r"|you (?:(?:do not|don['’]?t) (?:need|have) to|needn['’]t|must not|mustn['’]t))"
)
_THIS: Final = (
    r"(?:this|that|it|the following|any of (?:this|that)|what (?:i['’]m about to say|i say next"
    r"|follows|comes next))"
)
_WHERE: Final = r"(?: (?:down|anywhere|for later|please|in (?:your |the )?(?:memory|mind|notes)))*"
_SURE: Final = (
    rf"(?:remember|memori[sz]e) {_THIS}{_WHERE}|(?:note|write|jot) {_THIS} down"
    rf"|(?:keep|store|save|record) {_THIS} in (?:your |the )?(?:memory|mind|notes)"
)
_REQUEST: Final = rf"{_ASKS} (?:{_SURE}|(?:note|store|save|record|keep) {_THIS}{_WHERE})"
_OFF_RECORD: Final = (
    r"(?:(?:and|but|ok|okay|now|please)[,.]? ){0,6}"
    r"(?:(?:this|that|it)(?:['’]s| is) |keep (?:this|that|it) )?(?:strictly )?off the record"
)
_THIS_ZH: Final = (
    r"(?:(?:(?:刚才|刚刚|上面)(?:说的)?)?[这那](?:个|些|条|句话?|件事|一?点)?"
    r"|(?:刚才|刚刚|上面)(?:说的)?话?|以下(?:内容|信息)?"
    r"|下面(?:的|这些|这句)?(?:内容|话)?)"
)
_NOT_ZH: Final = (
    r"[，,\s]*+(?:(?:请|麻烦|你|您|就|也|都|先)[，,\s]*+){0,6}(?:别|不要|不用|不必|无需|甭|勿)再?"
)
_KEEP_ZH: Final = r"(?:记(?:住|下来?|录(?:下来)?|着|忆)?|存(?:下来?|起来|储)?|保存)"
_REQUEST_ZH: Final = (
    rf"(?:{_THIS_ZH}{_NOT_ZH}{_KEEP_ZH}|{_NOT_ZH}(?:把{_THIS_ZH})?{_KEEP_ZH}{_THIS_ZH}?)[了啊哦吧]*"
)
_BEFORE: Final = (
    pattern(rf"\A\W*(?:{_REQUEST}|{_OFF_RECORD})\s*[:：—–-]+\s*(?P<told>.+)", _I),
    pattern(rf"\A\W*{_OFF_RECORD}\s*,\s*(?P<told>.+)", _I),
    pattern(rf"\A\W*{_REQUEST_ZH}\s*[:：—–-]+\s*(?P<told>.+)"),
)
_AFTER: Final = (
    pattern(
        rf"\A(?P<told>.+?)(?<![\s,;(—–-])\s*+(?:[,;(—–-]++\s*+)++"
        rf"(?:{_ASKS} (?:{_SURE})|{_OFF_RECORD})\W*\Z",
        _I,
    ),
    pattern(
        rf"\A(?P<told>.+?)(?<![\s，,；;（(—–])\s*+(?:[，,；;（(—–]++\s*+)++(?:但是?|不过)?{_REQUEST_ZH}\W*\Z"
    ),
)
_ALONE: Final = (
    pattern(rf"\A\W*(?:{_REQUEST}|{_OFF_RECORD})\W*\Z", _I),
    pattern(rf"\A\W*{_REQUEST_ZH}\W*\Z"),
)


def unkept(sentence: Sentence, said: Said) -> str:
    """Return the words of a sentence that are not to be remembered; empty if there are none."""
    text = sentence.text
    if _SIGN.search(text):
        forms = (form.match(text) for form in (*_BEFORE, *_AFTER))
        found = next(filter(None, forms), None)
        if found is not None:
            return str(found["told"])
    place = bisect_left(said.sentences, sentence.offset, key=lambda one: one.offset)
    return text if place and is_request(said.sentences[place - 1].text) else ""


def is_request(text: str) -> bool:
    """Tell whether a sentence is a request not to remember something, and says nothing else."""
    if len(text) > _LONGEST or not _SIGN.search(text):
        return False
    return any(form.match(text) for form in _ALONE)


def is_off_record(said: Said) -> bool:
    """Tell whether a message asks that it is not remembered itself."""
    if said.source is not Source.USER or said.pasted:
        return False
    asked = any(unkept(sentence, said) for sentence in said.sentences)
    return asked or (len(said.sentences) > 1 and _requests(said) > 0)


def unsays_previous(said: Said) -> bool:
    """Tell whether a message only asks not to remember what was said before it."""
    return said.source is Source.USER and 0 < len(said.sentences) == _requests(said)


def _requests(said: Said) -> int:
    return sum(is_request(sentence.text) for sentence in said.sentences)
