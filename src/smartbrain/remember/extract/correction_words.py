"""How people take back or correct what they said: the signs, and what is said instead (C4, C6).

In: a sentence. Out: whether it corrects and how surely, the statements it makes in place of the
wrong ones (`the port isn't 5432, it's 5433` makes `the port is 5433`), and what it denies, said
as if it were still so. What is meant is found by the finder of corrections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

from smartbrain.remember.extract.negation import denies_degree
from smartbrain.remember.extract.said import Clause, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.tasks_words import VERBS_ZH
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.tokenise import index_terms

_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = 400
"""A longer sentence corrects no one thing."""


class Sign(IntEnum):
    """How surely a sentence corrects something."""

    NONE = 0
    SOFT = 1  # `actually`: only if there is something to correct
    DENIAL = 2  # `no longer`: something is not so any more
    SURE = 3  # `correction:`


class Restated(NamedTuple):
    """Something said in place of what was wrong, and the wrong value where it is named."""

    text: str
    start: int
    end: int
    old: str = ""


class Reading(NamedTuple):
    """A sentence read as a correction."""

    sign: Sign
    restated: list[Restated]
    denied: list[Restated]
    withdrawn: bool  # takes back what was said last, whatever it was


# Words that two statements share without being about the same.
_SHARED_BY_ALL: Final = """
    need use goal forget one want decid prefer work live have plan now longer anymor like mine call
    go get make set start new old time day year month week it is not actual any
"""
_WEAK: Final = frozenset(_SHARED_BY_ALL.split())
_WEAK_HAN: Final = frozenset(
    "我们的了是不用在也都就那这一已经个之前说取消改要有没做还和把到会能目标决定今年"
)

_BEFORE: Final = (
    r"\A\W*+(?:(?:sorry|oh|ah|oops|wait|hmm|ok|okay|well|so|no|nope|hold on|hang on|um)\b"
    r"[\s,.!—-]*+)*"
)
_WITHDRAWS: Final = sign(
    _BEFORE + r"(?:(?:please )?(?:scratch|scrap|strike|cancel|ignore|disregard) (?:that|this|it"
    r"|what i (?:just )?said|my last (?:message|point|remark))|(?:please )?forget (?:that|this|it"
    r"|what i (?:just )?(?:said|told you))(?: one)?|i take (?:that|it) back"
    r"|never ?mind (?:that|what i said))\b(?: earlier| before)?(?! about)"
    r"|\A\W*(?:(?:刚才|之前|前面|上面)(?:说的|那句|那条)?(?:话)?(?:不算(?:数)?|作废|收回"
    r"|忘了吧)|当我没说|收回(?:刚才|前面)的?话)",
    _I,
)
_SURE: Final = sign(
    _BEFORE
    + r"(?:(?:a )?(?:small |quick )?correction\b|i (?:was|am) (?:wrong|mistaken)|i made a mistake"
    r"|i misspoke"
    r"|i got (?:that|it) wrong|my (?:mistake|bad)\b|(?:that's|that is|that was|this is|you're"
    r"|it's) (?:not (?:right"
    r"|correct|true|quite right|what i meant)|wrong|incorrect|outdated|no longer (?:true|right"
    r"|correct))"
    r"|(?:scratch|scrap|strike|forget|ignore|cancel|disregard) (?:that|what i said)|i take (?:that"
    r"|it) back"
    r"|(?:i|we)(?:'ve| have)? changed (?:my|our) minds?|change of plans?|let me correct"
    r"|to correct myself"
    r"|i (?:actually )?meant\b|i said .{1,40} but i meant|not true)"
    r"|\A\W*+(?:抱歉|不好意思|等等|等下|哦|啊|嗯|呃|哎|糟了|诶){0,8}[\s，,]*+(?:不对|不是这样|不是的"
    r"|更正|纠正|勘误|(?:我|你)?(?:刚才|刚刚|之前|前面|上次|昨天)?"
    r"(?:好像)?(?:说|搞|弄|记|打|写|讲)错了?|口误|我?(?:又)?改(?:变)?主意了?|我?改口|计划有变"
    r"|有变化|情况有变|那个决定作废)",
    _I,
)
_SOFT_START: Final = sign(
    r"\W*(?:actually|no\b|nope\b|wait\b|well, actually|in fact|sorry|oops|我?其实|不[，,]|不是|错了"
    r"|等等|on second thoughts?\b|never ?mind\b|算了|(?:再|仔细)?想了?想"
    r"|(?:那|我们|咱们?)*(?:还是(?:使?用|选|上)|(?:还是)?[用换改]回)[^，,]{1,24}(?:吧|好了|了)\W*\Z"
    r"|(?:ok(?:ay)?,? |so |then )*(?:let'?s|we(?:'re|'ll)) (?:just )?(?:go|mov"
    r"|switch)\w* back to\b)",
    _I,
)
_DEADLINE: Final = r"(?:deadline|due date)"
_DEADLINE_ZH: Final = r"(?:截止(?:日期|时间|日)?|期限|ddl|deadline)"
_SOFT: Final = sign(
    rf"\b{_DEADLINE}\b.{{0,30}}\b(?:moved|pushed|postponed|extended)\b"
    rf"|{_DEADLINE_ZH}.{{0,12}}(?:推迟|延|提前)|"
    r"\bactually\b|\binstead\b|(?:n't|\bnot)\b[^.]{1,60}"
    r"(?:, ?(?:it's|it is|they're|s?he's|s?he is)| but )|而是"
    r"|\A\W*(?:it's|it is)\b[^,.]{1,40}, ?not\b|\A\W*(?:应该)?是[^，,]{1,20}[，,]\s*(?:而)?不是"
    r"|改成|换成|改用|换用|改为|换为|改到|变成|不是\s?\d[^，,]{0,12}[，,]\s*是\s?\d|我(?:的[^，,]{1,8})?不[是叫在][^，,]{1,20}[，,]\s*[是叫在]"
    r"|不是?叫[^，,]{1,20}[，,]\s*(?:而?是|应该是?)?叫",
    _I,
)
_DENIES: Final = sign(
    r"\bno longer\b|n't\b.*\b(?:any ?more|any longer|after all)\b|\bnot\b.*\b(?:any ?more"
    r"|any longer|after all)\b"
    r"|\bg(?:ave|iven) up on\b|\b(?:called|calling) off\b|\bis (?:off|cancell?ed)\b|\b(?:stopped"
    r"|quit) \w+ing\b"
    r"|(?<!n't )(?<!n’t )(?<!not )(?<!never )\bforget (?:what i said about\b|(?:about )?(?:the|my"
    r"|our)\b)"
    r"|\blet(?:['’]?s| us) not (?:go (?:with|for)|use|do|pick|choose|take|adopt|keep)\b"
    r"|\bwe(?:['’]re| are) not going with\b|(?:我们|咱们?|还是)别[用选]"
    r"|\bno need to .* any ?more\b|\b(?:cancel|drop|scratch|scrap) (?:the|my|our)\b"
    r"|已经不|已经没|不再|(?<!差)不(?!算)[^，,。]{1,16}了|没有?[^，,。]{0,10}了|取消|作废|算了吧|不算数|别管"
    r"|不做了|撤销",
    _I,
)
# The sign itself, with what belongs to it; what is left says something.
_STRIPPED: Final = pattern(
    _BEFORE + r"(?:(?:a )?(?:small |quick )?correction(?: on that| to that)?|(?:actually|in fact"
    r"|instead))\b[\s,:：—-]*|\A\W*+"
    r"(?:抱歉|不好意思|等等|等下|哦|啊|嗯|呃){0,8}[\s，,]*+(?:不对不?对?|不是这样的?|不是的"
    r"|更正(?:一下)?|纠正(?:一下)?|勘误|其实|口误)[\s，,。:：]*",
    _I,
)
_SIGN_CLAUSE: Final = pattern(
    r"\A\W*(?:(?:sorry|oh|oops|wait|no|nope|ok|hmm|my (?:mistake|bad)|actually|correction"
    r"|not true|on second thoughts?|never ?mind)\W*\Z"
    r"|(?:sorry,? )?i (?:was|am) (?:wrong|mistaken)\b.{0,30}|i made a mistake.{0,20}"
    r"|i misspoke.{0,20}|i got (?:that|it) wrong.{0,20}"
    r"|(?:that's|that is|that was|this is|you're|it's) (?:not (?:right|correct|true|quite right"
    r"|what i meant)|wrong|incorrect|outdated)"
    r".{0,20}|(?:please )?(?:scratch|scrap|strike|forget|ignore|cancel|disregard) (?:that|it|this"
    r"|what i said)(?: one| earlier| before)?"
    r"|i take (?:that|it) back|(?:i|we)(?:'ve| have)? changed (?:my|our) minds?.{0,20}"
    r"|change of plans?|let me correct.{0,20}"
    r"|抱歉|不好意思|等等|算了|(?:再|仔细)?想了?想|不对|不是|错了|更正(?:一下)?|(?:我|你)?(?:刚才|刚刚|之前|前面|上次"
    r"|昨天)?(?:好像)?(?:说|搞|弄|记|打|写|讲)错了?"
    r"|我?(?:又)?改(?:变)?主意了?|计划有变|那个决定作废|取消吧?|不.{0,3}了"
    r"|刚才.{0,4}说成.{1,20}了)\W*\Z",
    _I,
)
_NOT_EN: Final = pattern(
    r"\A(?:and |but |so )?not\b|n't\b|\blet(?:['’]?s| us) not\b"
    r"|\b(?:is|are|am|'m|'re|'s|was|were|do|does|did) not\b"
    r"|\bno longer\b|\bany ?more\b|\bnever\b"
    r"|\b(?:stopped|quit) \w+ing\b|\bg(?:ave|iven) up on\b|\b(?:called|calling) off\b"
    r"|\A(?:please )?(?:forget|drop|cancel|scrap)"
    r" (?:about )?(?:the|my|our)\b|\bis (?:off|cancell?ed)\b",
    _I,
)
_NOT_ZH: Final = pattern(
    r"\A(?:而|并|也)?(?:并)?不(?:是|用|再|在|需要|想|打算|去|叫|要)|\A(?:我们|咱们?|还是)+别[用选]|已经不|已经没|不再"
    r"|不叫|\A我(?:其实|并)?不在|(?<!差)不(?!算).{1,16}了\Z|不是|作废|\A[^，,]{1,10}不(?:用|选|采用)\s?[A-Za-z\u4e00-\u9fff]{2,20}\Z|取消"
    r"|没.{0,10}了\Z|说成|\A我?(?:其实|并|根本)*(?:不会[说讲用弹开写]|没有?养|没有?[孩小车房猫狗])|不过敏\Z"
)
_THEN: Final = pattern(
    r"\A(?:but |rather |and |so )*(?:it's|it is|it should be|they're|they are|he's|she's|that's"
    r"|should be|it was supposed to be)?\s*(?P<y>\S.{0,80})\Z",
    _I,
)
_SAYS_SO: Final = pattern(
    r"\A(?:but|rather|it's|it is|it should|they're|they are|should be|s?he's|s?he is)\b", _I
)
_BEGUN: Final = pattern(r"\W*(?:no,? |actually,? )*(?:it|that|this)(?:'s| is)\s*\Z", _I)
_IS_NOT: Final = pattern(
    r"\A(?P<s>.{1,80}?)(?P<be> is| are| am|['’][sm])(?: not|n't|n’t)(?: (?:in|at|on|called"
    r"|named)(?= ))? (?P<x>\S.{0,60})\Z",
    _I,
)
# "I'm not a doctor but a nurse", and not "… but I read a lot".
_OF_ONESELF: Final = pattern(r"(?:an?|from|in|at)\s", _I)
_NOT_SHI: Final = pattern(
    r"\A(?P<s>.{0,40}?)(?:并)?不(?:是(?=叫))?(?P<be>是|在|叫)\s?(?P<x>[^，,]{1,40})\Z"
)
_THEN_ZH: Final = pattern(
    r"\A(?:(?:而?是|应该)叫|而是|应该是|应该为|应为|应该在|是在|是|在|叫|改成|改为)\s?(?P<y>\S.{0,60}?)\Z"
)
_OLD: Final = pattern(
    r"\A(?:and |but )?not (?:in |on |at |to |with )?(?P<en>\S.{0,50})\Z|\A(?:而)?不(?:是|用|在"
    r"|叫)\s?(?P<zh>[^，,]{1,30}?)了?\Z"
    r"|说成\s?(?P<mis>[^，,]{1,30}?)\s?了",
    _I,
)
_SHOULD: Final = pattern(r"\bshould (?:actually )?be\b", _I)
_SHOULD_ZH: Final = pattern(r"应该?(?=是)|应为")
_CHANGED_ZH: Final = pattern(
    r"\A(?P<s>[^，,把要想准]{2,24}?)(?:已经|现在|都)?(?:改成|换成|改为|换为|变成|改到"
    r"|改叫)(?:了)?\s?(?P<y>[^，,]{1,40}?)了?\Z"
)
_CHANGED: Final = pattern(
    r"\A(?P<s>(?:the|our|my) [\w' -]{2,60}?) (?:has |have )?(?:changed|been changed"
    r"|switched) (?:from .{1,40} )?to (?P<y>\S.{0,60})\Z",
    _I,
)
_TIME: Final = r"(?=.*(?:\d|day\b|week|month|tomorrow|next|end))"
_MOVED: Final = pattern(
    rf"\A(?P<s>(?:the|our|my) (?:[\w' -]{{2,60}}? )?{_DEADLINE}) (?:has |have |is |was |got )?"
    r"(?:been )?(?:moved|pushed|postponed|extended)(?: back| out| forward)?"
    rf"(?: from .{{1,40}})? (?:to|until) {_TIME}(?P<y>\S.{{0,60}})\Z",
    _I,
)
_MOVED_ZH: Final = pattern(
    rf"\A(?!.*(?:希望|想|要求|能否|是否|建议|申请|如果))(?P<s>[^，,]{{0,16}}?{_DEADLINE_ZH})(?:已经|都|要|被)*(?:推迟|延期|延后|延长|提前)[到至]了?\s?"
    r"(?P<y>[^，,]{1,40}?)了?\Z",
    _I,
)
_CHANGES: Final = (_CHANGED, _CHANGED_ZH, _MOVED, _MOVED_ZH)
_AFFIRMED: Final = (
    (pattern(r"(?:['’]ve |have |has )?\b(?:stopped|quit) using\b", _I), "use"),
    (pattern(r"\bno longer\s+", _I), ""),
    (pattern(r"\b(do|does)(?:n't|n’t| not) ", _I), ""),
    (pattern(r"\b(am|are|is|was)(?:n't|n’t| not)\b", _I), r"\1"),
    (pattern(r"(?<=\w)(['’](?:m|re|s)) not\b", _I), r"\1"),
    (pattern(r"\blet(?:s| us) not\b", _I), "let's"),
    (pattern(r"(?:我们|咱们?|还是){0,4}别(?=[用选])"), "我们决定"),
    (pattern(r"(?<![\s,])[\s,]*\b(?:any ?more|any longer|after all|now)\b", _I), ""),
    (pattern(r"已经|(?<=我)也"), ""),
    (pattern(rf"不[用必](?=[再去]?(?:{VERBS_ZH}|[给把跟帮]))"), "要"),
    (pattern(r"没有(?=[猫狗])"), "养"),
    (pattern(r"没有(?=[孩小车房])"), "有"),
    (pattern(r"不再|不(?=[\u4e00-\u9fffA-Za-z ])|没有?在?"), ""),
    (pattern(r"了\Z"), ""),
)
# "Don't ever do that": how something is to be done, and nothing taken back.
_BIDS: Final = sign(
    r"\A\W*(?:please )?(?:don't|don’t|do not|never(?! ?mind)|stop)\b"
    r"|\A\W*(?:请|以后|今后)?(?:你)?(?:不要|别"
    r"|不许|不准|不能|不可以|不得)",
    _I,
)
# "I've made up my mind not to": a decision, and nothing taken back.
_RESOLVES: Final = sign(
    r"\b(?:decided|agreed|chose|resolved) (?:not to|against|to (?:drop|cancel|scra(?:p|tch)))\b"
    r"|(?:决定|打定主意|拿定主意|下定决心|下决心|想好了?"
    r"|想清楚了?|商量好了?|说好了?|想来想去)[，,]?(?:还是|就|先|以后|暂时|再也)?不",
    _I,
)
# "It's no longer blocked": how far something is, and nothing taken back.
_LIFTS: Final = sign(
    r"\b(?:no longer|not|isn['’]t|aren['’]t) (?:blocked|stuck|on hold|held up|paused|stalled)\b"
    r"|(?:不再?|没有?再?)被?(?:卡|堵|阻塞|\s?block)(?:住|着)?了?\W*(?:\Z|[，,])|(?:卡点|阻塞|障碍|blocker).{0,6}没有?了",
    _I,
)
# "Actually I like coffee too" adds, and takes back nothing.
_BESIDES: Final = pattern(
    r"其实[^，,]{0,3}[也还]|\bactually\b.*\b(?:too|as well|also)\b"
    r"|(?:deadline|due date) (?:was|is|has)(?:n['’]t| not)|截止.{0,6}没",
    _I,
)


def read(sentence: Sentence) -> Reading | None:
    """Read a sentence as a correction; None if nothing in it says that it is one."""
    sign = _sign(straight(sentence.text))
    if sign is None:
        return None
    restated, denied = _statements(sentence)
    return Reading(sign, restated, denied, bool(_WITHDRAWS.match(straight(sentence.text))))


@lru_cache(maxsize=16)  # a sentence is read once for itself and once for the one after it
def _sign(text: str) -> Sign | None:
    """Return how surely a sentence corrects something; None if nothing in it says so."""
    if len(text) > _LONGEST:
        return None
    if _SURE.match(text):
        found = Sign.SURE
    elif _DENIES.search(text):
        found = Sign.DENIAL
    elif _SOFT_START.match(text) or _SOFT.search(text) or _WITHDRAWS.match(text):
        found = Sign.SOFT
    else:
        return None
    if _BIDS.match(text) or (found is not Sign.SURE and _RESOLVES.search(text)):
        return None
    if found is not Sign.SURE and _LIFTS.search(text):
        return None
    if found is Sign.SOFT and _BESIDES.search(text):
        return None
    return found


def straight(text: str) -> str:
    """Return a text with straight apostrophes, as the patterns have them."""
    return text.replace("’", "'")


def terms_of(text: str) -> set[str]:
    """Return the words that tell what a text is about."""
    return {
        term
        for term in index_terms(text)
        if term not in _WEAK and _WEAK_HAN.isdisjoint(term) and (len(term) > 1 or term.isdigit())
    }


def affirmed(text: str) -> str:
    """Say what is denied as if it were still so: `I no longer use vim` as `I use vim`."""
    for shape, instead in _AFFIRMED:
        text = shape.sub(instead, text)
    return " ".join(text.split())


def _statements(sentence: Sentence) -> tuple[list[Restated], list[Restated]]:
    """Sort the clauses of a sentence into what is said instead and what is denied."""
    restated: list[Restated] = []
    denied: list[Restated] = []
    open_denial: re.Match[str] | None = None
    for clause in _halves(sentence):
        text = straight(clause.text).strip(" .。!！~～")
        start, end = clause.offset, clause.offset + len(clause.text)
        text = _STRIPPED.sub("", text, count=1)
        if not text or _SIGN_CLAUSE.match(text):
            continue
        if open_denial is not None and (spliced := _spliced(open_denial, text)):
            restated.append(Restated(spliced, denied.pop().start, end, open_denial["x"]))
            open_denial = None
            continue
        changed = next(filter(None, (form.match(text) for form in _CHANGES)), None)
        if _NOT_EN.search(text) or _NOT_ZH.search(text):
            if denies_degree(text) or not _is_stated(clause, sentence):
                open_denial = None
                continue
            if (old := _OLD.search(text)) and restated:
                named = old["en"] or old["zh"] or old["mis"]
                restated[-1] = restated[-1]._replace(old=named.strip())
                continue
            denied.append(Restated(text, start, end))
            open_denial = _IS_NOT.match(text) or _NOT_SHI.match(text)
        elif changed:
            is_ = "是" if "\u4e00" <= changed["s"][-1] <= "\u9fff" else " is "
            restated.append(Restated(changed["s"] + is_ + changed["y"], start, end))
        else:
            text = _SHOULD_ZH.sub("", _SHOULD.sub("is", text))
            old_value = open_denial["x"] if open_denial else ""
            restated.append(Restated(text, start, end, old_value))
            open_denial = None
    return restated, denied


def _is_stated(clause: Clause, sentence: Sentence) -> bool:
    """Tell whether the speaker stands behind a clause: who is only said to deny denies nothing."""
    begins = [one.offset for one in sentence.clauses if one.offset <= clause.offset]
    return max(begins) in [one.offset for one in stated_clauses(sentence)]


def _halves(sentence: Sentence) -> Iterator[Clause]:
    """Yield the clauses of a sentence, cut also where 而是 follows without a mark.

    "It's" and "not on Friday" are one.
    """
    begun: Clause | None = None
    for clause in sentence.clauses:
        if begun is not None:
            end = clause.offset + len(clause.text) - sentence.offset
            start, begun = begun.offset, None
            clause = clause._replace(
                text=sentence.text[start - sentence.offset : end], offset=start
            )
        elif _BEGUN.match(straight(clause.text)):
            begun = clause
            continue
        before, then, after = clause.text.partition("而是")
        if not before or not then or "不是" not in before:
            yield clause
            continue
        yield clause._replace(text=before)
        yield clause._replace(text=then + after, offset=clause.offset + len(before))


def _spliced(denial: re.Match[str], text: str) -> str:
    """Return `the port is 5433` of `the port isn't 5432` and `it's 5433`; empty if it is none."""
    if denial.re.pattern == _NOT_SHI.pattern:
        then = _THEN_ZH.match(text)
        return f"{denial['s']}{denial['be']}{then['y']}" if then else ""
    if not _SAYS_SO.match(text):
        return ""
    then = _THEN.match(text)
    subject = denial["s"].strip()
    if not then or subject.casefold() in ("it", "that", "this"):
        return f"it's {then['y']}" if then else ""
    if denial["be"].endswith("m") and not _OF_ONESELF.match(then["y"]):
        # "I'm not allergic to X but to Y".
        said_of = denial["x"].partition(" to ")[0] if then["y"].startswith("to ") else ""
        return f"{subject}{denial['be']} {said_of} {then['y']}" if said_of else ""
    return f"{subject}{denial['be']} {then['y']}"
