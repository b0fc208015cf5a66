"""What was so once, or came to nothing: 小时候我喜欢画画, "we had decided on it, but …" (C4, C6).

In: a sentence. Out: those of its stated clauses that tell how things are now. What a sentence says
of former times holds until it speaks of now. That something is over is for `formerly` and the
corrections to say; here it is only no news.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from smartbrain.remember.extract.said import Clause, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_AGE_ZH: Final = (
    r"小时候(?![起就开])|(?:上学|读书|读大学|上大学|大学|中学|高中|初中|小学|学生|童年|年轻|刚毕业|刚入职)"
    r"(?:的时候|时期|时代|那会儿?|时(?=[，,我]))|那时候?(?!起|就|开始)|那会儿|那年头"
)
_PLACE_ZH: Final = (
    r"[上前]一?(?:家|份|个|任)(?:公司|工作|单位|团队|东家)"
    r"|前(?:公司|东家|单位)|以前的?(?:公司|单位|团队)"
)
# 以前 and 之前 also say before what: 周五以前, 会议之前.
_FORMER_ZH: Final = (
    r"(?<![天周月日号点末期完一二三四五六\d])以前(?=(?:一直|都|也|还|总|最|很|就|老|特别|非常)*\s?"
    r"(?:我|咱|是|用|叫|在|喜|爱|决|住|有|做|常|经|选|采|讨|不|没|管|[，,]|\Z))"
    r"|从前|曾(?:经|(?=[用住在是决]))"
)
_ONCE: Final = sign(
    r"\b(?:formerly|back (?:then|in the day)|in those days|in my (?:childhood|youth|teens)"
    r"|growing up"
    r"|when i was (?:an? |still |at |in |young|little|small|\d)|as a (?:kid|child)"
    r"|(?:at|in|with|for) (?:my|our) (?:last|previous|former|old|prior|ex) ?-?(?:job|company"
    r"|employer"
    r"|workplace|team|firm|role|startup|gig|school))\b"
    rf"|{_AGE_ZH}|{_PLACE_ZH}|{_FORMER_ZH}",
    _I,
)
# Of how things are, and not of what was decided: 之前我们决定… may stand still.
_EARLIER: Final = sign(
    r"(?:\A\W*|我们?|咱们?)(?:之前|原来)(?=我|咱|[用住在是叫喜爱])"
    r"|(?<=[\u3400-\u9fffA-Za-z])(?:之前|原来|原先|最初|一开始|本来)(?=[是用叫]\s?[A-Za-z\d])"
)
# Of what was decided: first so, and then otherwise or not at all.
_AT_FIRST: Final = sign(
    r"\b(?:originally|initially|at first)\b|本来|原本|原先|原来(?=我|咱|[打决])|起初|最初|一开始"
    r"|当初"
    r"|差一?点(?!忘|错|没)|险些",
    _I,
)
_HAD: Final = sign(
    r"\bhad (?:\w+ly |already |just |once )?(?:decided|agreed|chosen|settled|opted|picked"
    r"|planned)\b",
    _I,
)
_BUT: Final = pattern(r"\A\W*(?:but|until|however|then|and then|only|yet|though)\b", _I)
_CAME_TO_NOTHING: Final = pattern(
    r"\b(?:cancell?ed|scrapped|abandoned|shelved|f(?:e|a)ll(?:s|en)? (?:through|apart)"
    r"|called (?:it )?off|back(?:ed|ing) out|changed (?:my|our|their) minds?|revers(?:ed)? (?:it"
    r"|that)"
    r"|didn['’]t (?:happen|work out|go through|pan out)|never (?:happened|came of it)"
    r"|dropped (?:it|that)"
    r"|reject(?:ed)? (?:it|that)|vetoed (?:it|that))\b"
    r"|(?:但|可|不过|结果|后来|最后).{0,10}(?:取消|作废|放弃|没成|没做|黄了|泡汤|搁置|否了|否决|推翻"
    r"|改(?:变)?主意|反悔|打消|不了了之)",
    _I,
)
_NOW: Final = pattern(
    r"\b(?:now(?:adays)?|these days|today|currently|ended up|still|ever since|since then)\b|现在"
    r"|如今|目前|后来|还是|改[用成]",
    _I,
)
# What once happened and is so for good.
_LASTS: Final = pattern(
    r"\b(?:born|gr[eo]w(?:n|ing)? up|graduat\w+|stud(?:ied|ying)|degree|majored|adopted)\b"
    r"|出生|生[于在]|长大|毕业|(?<![大上中小同])学(?:的是|了|过|习)|专业|[读念]的是",
    _I,
)
_WHOLE_TIME: Final = pattern(
    r"\W*(?:(?:well|so|and|but|but then)[, ]+)?(?:back|in|at|when|as|with|growing|for"
    r"|formerly)\b[^,]*|"
    r"[\u3400-\u9fff]{0,8}(?:以前|之前|从前|曾经|时候?|时期|时代|那会儿?|公司|工作|单位|团队|东家)",
    _I,
)


def present_clauses(sentence: Sentence) -> tuple[Clause, ...]:
    """Return the clauses that state how things are, in their order."""
    stated = stated_clauses(sentence)
    if not (_ONCE.search(sentence.text) or _EARLIER.search(sentence.text)):
        return stated
    gone = _bygone(sentence)
    return tuple(one for one in stated if one.offset not in gone and not _EARLIER.search(one.text))


def lasting_clauses(sentence: Sentence) -> tuple[Clause, ...]:
    """Return the clauses that state what may have been decided and still is."""
    stated = stated_clauses(sentence)
    kept = list(stated)
    if _ONCE.search(sentence.text):
        gone = _bygone(sentence)
        kept = [one for one in stated if one.offset not in gone]
    if _AT_FIRST.search(sentence.text):
        kept = [one for one in kept if not _AT_FIRST.search(one.text)]
    return tuple(one for one in kept if not _is_undone(one, sentence))


def undone_clauses(sentence: Sentence) -> list[Clause]:
    """Return the clauses that state what came to nothing by what is said after them."""
    return [one for one in stated_clauses(sentence) if _is_undone(one, sentence)]


def _bygone(sentence: Sentence) -> frozenset[int]:
    """Return where the clauses begin that tell of former times."""
    return frozenset(_told_of_once(sentence))


def _told_of_once(sentence: Sentence) -> Iterator[int]:
    """Yield where a clause begins that tells of former times; a mere time is of all that follow."""
    goes_on = False
    for clause in sentence.clauses:
        if _NOW.search(clause.text):
            goes_on = False
            continue
        if _LASTS.search(clause.text):
            continue
        once = _ONCE.search(clause.text) is not None
        if once or goes_on:
            yield clause.offset
        goes_on = goes_on or (once and _WHOLE_TIME.fullmatch(clause.text) is not None)


def _is_undone(clause: Clause, sentence: Sentence) -> bool:
    """Tell whether what a clause says came to nothing by what is said after it."""
    after = [one.text for one in sentence.clauses if one.offset > clause.offset]
    if not after:
        return False
    if _HAD.search(clause.text) and any(map(_BUT.match, after)):
        return True
    return any(map(_CAME_TO_NOTHING.search, after))
