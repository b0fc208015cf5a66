"""In what mood something is said: stated, asked, supposed, or told of what others say (C1, C6).

In: a sentence or a part of one. Out: its mood. Only what is stated can become a memory, so these
rules would rather call a statement a guess than a guess a statement. Not a grammar: they look for
the words that give a mood away, in Chinese and English.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

from smartbrain.remember.extract.dialogue import is_person
from smartbrain.text.pattern import pattern, sign


class Mood(StrEnum):
    """How far the speaker stands behind what is said."""

    STATED = "stated"
    ASKED = "asked"
    SUPPOSED = "supposed"  # a condition, a wish, a guess, an example
    REPORTED = "reported"  # what somebody else says, thinks or likes


_I: Final = 0x02  # re.IGNORECASE, which costs an import here

_ASKED: Final = sign(
    r"[?？]\s*+(?:[\"'”’」』)）]++\s*+)?\Z|(?:吗|(?<!着)呢)\s*[。.!！~～]*\Z",
)
# 还没写呢 tells how things are; it asks nothing.
_GOES_ON: Final = sign(r"(?:没|正在?|还在)[^，,。?？什怎谁哪几多]{0,10}呢[\s。.!！~～]*\Z")
_QUESTION_EN: Final = sign(
    r"\A\W*+(?:(?:hey|hi|ok|okay|so|and|but|well|please|btw|also|then|sorry|quick question)"
    r"[,:]?\s++)*"
    r"(?:what|who|whom|whose|which|when|where|why|how|can (?:you|i|we)|could (?:you|i|we)"
    r"|would you|will you|do you|does (?:it|he|she|that|this|the)|did (?:you|it|we|i|he|she|they)"
    r"|are (?:you|there|we|they)|is (?:it|there|that|this|the)|was (?:it|there|that)|have you"
    r"|has (?:it|he|she|the)|should (?:i|we)|shall (?:i|we)|may i|any (?:idea|chance|thoughts)"
    r"|wanna|mind if|am i|isn'?t|aren'?t|don'?t you|can'?t (?:you|we))\b"
    r"(?!ever\b|'s (?:more|left|next)\b)",
    _I,
)
_QUESTION_ZH: Final = sign(
    r"(?:是不是|有没有|能不能|可不可以|要不要|会不会|行不行|好不好|对不对|该不该|用不用|需不需要"
    r"|为什么|为啥|怎么样|怎样才|什么时候|多少钱|哪个好|哪里有|谁知道|请问)"
)
_SUPPOSED: Final = sign(
    r"\b(?:if (?!not (?:already|yet))|suppose(?!d)|supposing|imagine|assuming|what if"
    r"|hypothetically|wish|would be (?:nice|great|cool|good|fun)|maybe|perhaps|might|possibly"
    r"|probably"
    r"|i guess|i suppose|i think maybe|not sure|no idea|who knows|could be|seems? (?:like|to)"
    r"|looks like|apparently|for example|for instance|e\.g\.|say,|let'?s say|pretend"
    r"|i (?:had |always |just )?(?:thought|assumed) (?:that )?(?:we|i|you|he|she|it|they|the|our"
    r"|my|there)\b"
    r"|would have|could have|should have|i'd (?:love|like) to (?:be|have|live|go|see) )",
    _I,
)
_SUPPOSED_ZH: Final = sign(
    r"如果|要是|假如|假设|万一|倘若|除非|的话(?=[，,。！!]|\Z)|(?<!尽)可能|也许|或许|大概(?!\d|[一二两三四五六七八九十])|估计|好像"
    r"|似乎|说不定|没准|应该是|恐怕|不一定|不确定|不知道|比如|例如|打个比方|早知道|(?<![引所])以为|要不然|但愿|真希望|真想"
)
_REPORTED: Final = sign(
    r"\A\W*(?:(?:and|but|so|also|well|yeah|oh)[, ]+)?(?:according to\b|rumou?r has it|they say\b|"
    r"(?:my|our|his|her|their|the|a|an|some|one of (?:my|our|the)) (?:(?!(?:I|we) )[\w'-]+ ){1,4}?"
    r"(?:says?|said|thinks?|thought|claims|claimed|believes?|told|wants?|wanted|loves?|likes?"
    r"|liked|prefers?|preferred|hates?|suggests?|suggested|mentioned|asked|insists?|swears?"
    r"|always|never|keeps?)\b"
    r"|(?:he|she|they|everyone|everybody|someone|somebody|people)(?:'s|'re|'ve| has| have)? "
    r"(?:always |never |really |just |also )*"
    r"(?:says?|said|saying|thinks?|thought|claims?|claimed|believes?|told|wants?|wanted|loves?"
    r"|likes?|liked|prefers?|preferred|hates?|suggests?|suggested|mentioned|asked|insists?|swears?)\b"
    r"|(?!(?:i|we|you|please|never|always|only|just|also|then|not|and|but|so|to|really|kindly)\b)"
    r"(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?:says?|said|thinks?|thought|claims|claimed|believes?"
    r"|told|suggests?|suggested|mentioned|insists?|swears?|loves?|likes?|prefers?|hates?)\b)",
    _I,
)
_REPORTED_ZH: Final = pattern(
    r"\A\W*(?:而且|但是|不过|然后|对了)?(?:据说|据报道|据悉|听说|有人说|网上说|新闻说|报道说|传言|"
    r"(?:他|她|他们|她们|人家|别人|大家|对方|[\u4e00-\u9fff]{0,6}?(?:同事|朋友|老板|老婆|老公|室友|同学|爸|妈"
    r"|爸爸|妈妈|儿子|女儿|姐姐|哥哥|弟弟|妹妹|客户|经理|老师|领导|组长|邻居|女朋友|男朋友|媳妇|师傅|医生))"
    r"[\u4e00-\u9fff]{0,4}?(?:说|觉得|认为|以为|喜欢|讨厌|想要|建议|推荐|怀疑|告诉|提到|坚持|抱怨|问)"
    r"|(?:[\u4e00-\u9fffA-Za-z]{0,6}?)(?:文档|手册|说明书|教程|规范|网上|书|README)[里上中]?"
    r"(?:说(?!明)|讲(?!解)|提到|写[着的道明]))"
)
# 小王说他在腾讯工作: a name, and what whoever is called so says or thinks.
_SAYS: Final = sign(
    r"\A\W*(?P<who>[\u3400-\u9fff]{2,4}?|[A-Z][a-z]+)\s?"
    r"(?:刚才|刚刚|昨天|今天|上次|之前|又|还|也|都|跟我|和我|对我)*"
    r"(?:(?:说|表示|提到|讲|声称|透露|告诉我)(?![的过话法明清服完不])|觉得|认为|以为|怀疑|推荐|建议|猜(?!测))"
)


@lru_cache(maxsize=64)  # what a correction may mean is read again
def mood_of(text: str) -> Mood:
    """Return the mood of a sentence or a clause."""
    chinese = not text.isascii()
    if asks(text):
        return Mood.ASKED
    if _REPORTED.match(text) or (chinese and (_REPORTED_ZH.match(text) or _is_by_name(text))):
        return Mood.REPORTED
    if _SUPPOSED.search(text) or (chinese and _SUPPOSED_ZH.search(text)):
        return Mood.SUPPOSED
    return Mood.STATED


def asks(text: str) -> bool:
    """Tell whether a sentence or a clause is a question."""
    chinese = not text.isascii()
    if ("?" in text or chinese) and _ASKED.search(text):
        asked = not (chinese and _GOES_ON.search(text))
    else:
        asked = False
    return asked or bool(_QUESTION_EN.match(text) or (chinese and _QUESTION_ZH.search(text)))


def _is_by_name(text: str) -> bool:
    """Tell whether a sentence says what somebody said or thinks who is called by name."""
    found = _SAYS.match(text)
    return found is not None and is_person(found["who"])
