"""Words that speak of something as done which only hope for it, wait for it or hear of it (C1, C4).

In: a clause in which something is told as finished. Out: whether its speaker says that it is: "let
me know when the bug is fixed", "I thought the bug was fixed", "almost fixed", 小王说修好了 and
快修好了 do not. What was plainly not done is for `undone` to say.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.tasks_words import DONE_ZH
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
# Whatever comes after one of these is not said to be so, as long as nothing new begins.
_GOES_ON: Final = r"(?!.*\b(?:and|but|so|then)\b)"
_DOUBTED: Final = (
    r"(?<!\bno )(?<!\ba )(?<!n['’]t )(?<!\bnot )doubt(?:s|ed|ful)?"
    r"|(?:(?:do|does|did|is|was|are|am|['’]m|['’]re)(?:n['’]t| not)|never) (?:\w+ )?"
    r"(?:say|said|think|thought|believe|mean|claim|clear|true|certain|sure|convinced)"
)
_DOUBTED_EN: Final = sign(rf"(?:\b|(?<=\w)(?=['’]))(?:{_DOUBTED})(?: that| if)?\s{_GOES_ON}", _I)
_HELD_EN: Final = sign(
    r"(?:\b(?<!\bas )(?:hop(?:e|es|ed|ing)|hopefully|fingers crossed|(?:i|we) wish"
    r"|pretend(?:s|ed|ing)?"
    r"|(?:make|making|be) sure|ensur(?:e|es|ing)|see to it|guarantee that|whether|in case"
    rf"|{_DOUBTED}|(?:can|could|would|will|wo)(?:not|n['’]t| not| hardly) \w+"
    r"|(?:want|need)(?:s|ed)?(?: you| him| her| them)? to \w+"
    r"|(?:would|['’]d) (?:like|love)\b[\w ]{0,20}|expect(?:s|ed|ing)?"
    r"|thought|believed|assumed|presumed|was (?:sure|convinced|certain)"
    r"|heard|(?:was|were|been|got) told"
    r"|(?<!\bi )(?<!\bi just )(?<!\bwe )(?:says|(?<=they )say|(?<=people )say|said"
    r"|claims that|claimed|told|tells|mentioned"
    r"|reported|announced|swears?|swore|confirms|insists?)"
    r"(?: (?:me|us|everyone|everybody|the team))?)"
    r"|(?:\A|\b(?:please|and|to|also|just|ll) )\W*(?:double-?)?(?:check|verify|confirm)\b(?! in\b))"
    rf"(?: that| if)?\s{_GOES_ON}",
    _I,
)
# A time to come, if what stands after it is told in the present: "after I fixed it" is over.
_ONCE_EN: Final = sign(
    r"\b(?:when(?:ever)?|once(?! (?:again|more)\b)|as soon as|after|before|until|till|unless"
    rf"|by the time|the (?:moment|minute|second|day))\s{_GOES_ON}",
    _I,
)
_ACTED: Final = pattern(r"\s*(?:i|we)\s+(?!(?:have|am|are)\b)\w", _I)
_PRESENT: Final = pattern(r"\b(?:is|are|am|has|have|gets?)\b|['’](?:s|re|ve)\b", _I)
_SIGN_ZH: Final = sign(
    r"快|马上|即将|[就还]要|眼看|差|几乎|险些|不|没|算|以为|假装|看[起上]|貌似|应该|本[来该]|原本|理应"
    r"|旦|等|只[要有]|直到|待|若|望|盼|期待|但愿|确保|保证|说|讲|告诉|通知|表示|称|据|听|反馈"
    r"|再|才|后|叫|喊|就|离|还[早远]|[吗么]|@|call|ping",
    _I,
)
_DEED: Final = rf"(?:{DONE_ZH}|完成|搞定|解决|处理|收尾|结束|上线|[A-Za-z])"
_NEARLY_ZH: Final = pattern(
    rf"(?:快(?!递)|马上|即将|[就快]要|眼看|差不多|几乎|差点儿?|险些)[就快要都能可以\s]{{0,4}}{_DEED}"
    rf"|(?:不算|算不上|不能算|称不上|谈不上|不敢说|不能说|没法说|以为|假装|看起来|看上去|貌似"
    rf"|应该|理应|本该|本来|原本|离)[已经都也就是\s]{{0,5}}{_DEED}"
    r"|(?<!自)以为"
)
_AHEAD_ZH: Final = pattern(
    r"\A\W*+(?:(?:我们?|咱们?|那|先|就|要|得|还)\s*+){0,6}(?:一旦|等到|等(?![级保同于比价离])|只要|只有|直到"
    r"|若|希望(?!小学|工程)|盼望?|期待|但愿|确保|保证(?![金书人函]))"
)
# 修好了再上线, 修好了告诉我: it is awaited; 修好了就睡了 is over.
_ASKS_FOR_WORD: Final = (
    r"\s*+(?:(?:请|记得|麻烦|务必|就|再|你)\s*+){0,6}(?:(?:告诉|通知|叫|喊|提醒|@|call|ping)\s?(?:我|大家|一?声|他|她)"
    r"|[跟和给]我们?(?:说|讲|发))"
)
_AWAITED_ZH: Final = pattern(
    rf"了\s?(?:之后|以后|后(?![天面端])|就(?![差是剩等])|再|才)(?!.*[了过]\W*\Z)|了\s?{_ASKS_FOR_WORD}"
    r"|了(?:没有?|吗|么)\W*\Z|了还(?:早|远|差)",
    _I,
)
_THEN_ZH: Final = pattern(rf"[\s，,]*+(?:{_ASKS_FOR_WORD}|再(?![说也次过]))", _I)
_TOLD_ZH: Final = pattern(
    r"[跟和对向]我们?(?:说|讲|反映|汇报)(?!过?的)|(?:告诉|通知|转告)(?:了|过)?我们?"
    r"|(?:(?<![数证根依收票单])据|听)[^，,的]{0,6}说(?![明话服法])"
    r"|\A\W*(?:刚才|刚刚|昨天|今天|早上|上午|下午)*"
    r"(?!我|咱|老实|实话|坦白|简单|总的|一般|按|不用|应该|可以|严格|换句|话|再)[^，,。我咱]{1,8}?"
    r"(?<![小传解学评演话听来])(?:说(?![明话服法唱书辞词课起到真实白定完好了清])|表示(?![层法式组])|声称)"
)


def is_unsettled(clause: str, start: int) -> bool:
    """Tell whether a clause does not say of a thing that it is as it is told.

    Args:
        clause: the words around it, up to where something else begins.
        start: where the thing is named, or who did it.
    """
    before = clause[:start]
    if _HELD_EN.search(before):
        return True
    if _ONCE_EN.search(before) and not _ACTED.match(clause, start):
        return _PRESENT.search(clause, start) is not None
    return is_unsettled_zh(clause)


def is_doubted(before: str) -> bool:
    """Tell whether words before a thing to do doubt or deny that it has to be done."""
    return _DOUBTED_EN.search(before) is not None


def is_unsettled_zh(clause: str) -> bool:
    """Tell whether a Chinese clause only hopes for what it tells as done, or hears of it."""
    if clause.isascii() or not _SIGN_ZH.search(clause):
        return False
    return any(
        form.search(clause) is not None for form in (_NEARLY_ZH, _AHEAD_ZH, _AWAITED_ZH, _TOLD_ZH)
    )


def is_awaited(text: str, end: int) -> bool:
    """Tell whether a text goes on after a clause with what is to come then: 修好了，告诉我."""
    return text[:end].endswith("了") and _THEN_ZH.match(text, end) is not None
