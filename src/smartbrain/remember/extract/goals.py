"""Find goals in what is said: lasting aims, and what becomes of them (C1, C6).

In: a sentence. Out: candidates of the type goals. A goal says so
("my goal is", 目标是), or is a want that reaches months ahead ("within two years", 三年内). A wish
of the moment is none, and neither is what others want.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Final, NamedTuple

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.keys import slug
from smartbrain.remember.extract import goals_idioms as idioms
from smartbrain.remember.extract.bygone import present_clauses
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.remember.extract.tasks_title import Told, title_of
from smartbrain.remember.extract.wording import GENERAL, latin_words, project_of, tidy
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.word_list import stored_words

_I: Final = 0x02  # re.IGNORECASE
_FAR: Final = timedelta(days=75)
_YEAR: Final = timedelta(days=365)
_BY: Final = pattern(r"\b(?:by|before|until)\s+\Z", _I)
_LONGEST_NAME: Final = 60


class _Aim(NamedTuple):
    """A goal as a sentence tells of it, in places of the sentence."""

    begin: int
    start: int
    end: int
    rule: str
    status: str = "active"
    close: int = 0  # where the words around it end, if not with it


_HINTS: Final = stored_words(__file__, "_HINTS")
_HINT_ZH: Final = sign(
    r"[想要盼攒志]|目标|愿景|理想|使命|打算|计划|希望|争取|规划|准备|朝着|flag|方向|心愿|愿望|大事"
    r"|任务"
    r"|追求|重中之重|力求|力图|备考|备战|为|期望|决心|发誓|初衷|奔着|冲着|致力|渴望|图的|OKR|goal"
    r"|target",
    _I,
)
_NOUN: Final = (
    r"(?:goals?|aims?|objectives?|targets?|ambitions?|mission|vision|dream|resolutions?|north star"
    r"|okrs?)"
)
_WHOSE: Final = (
    r"\b(?:my|our|the|one of (?:my|our)|this (?:year|quarter|semester|month|term|season)'?s"
    r"|next year'?s|a|(?:the )?(?:project|team|company)'s)"
)
_NAMED: Final = sign(
    rf"{_WHOSE}\s(?:(?:[\w'’-]+\s){{0,4}}?)(?:{_NOUN}|(?:long[- ]term|\w+[- ]year|career|life|big"
    rf"|master) plan)"
    r"(?P<of>(?:\s(?:for|of|in|with|at|this|next|by|over|here|right now|when)\b[^:,.]{0,60}?)?)"
    r"\s?(?:\b(?:is|are|remains|has always been|would be|will be|stays)\b|:|：|'s\b)"
    r"(?:\s(?:still|now|simple|clear|always|simply|basically|actually|really"
    r"|just))*[:,]?\s*(?:to\s|that we\s)?",
    _I,
)
_BARE: Final = sign(
    rf"\A\W*+(?:[\w-]+\s){{0,2}}{_NOUN}(?:\s(?:for|this)[^:]{{1,40}})?\s*[:：]\s*(?:to\s)?", _I
)
_AIM: Final = sign(
    r"\b(?:I|we)(?:'m|'re|\s+am|\s+are|'ve been|\s+have been)?(?:\s+(?:still|also|ultimately"
    r"|eventually|really|always|now))*"
    r"\s+(?:aim(?:ing)? (?:to|for|at)|aspir(?:e|ing) to|striv(?:e|ing) (?:to|for)|saving(?: up"
    r"| money)? (?:to|for)"
    r"|working (?:towards?|my way (?:to|towards?))|training for|on a mission to|(?:set"
    r"|setting) (?:my|our) sights on)\s+",
    _I,
)
_SET: Final = sign(
    rf"\b(?:I|we)(?:'ve|\s+have)?\s+set\s+(?:(?:myself|ourselves|us)\s+)?(?:the|a|an|our"
    rf"|my)\s+(?:[\w'’-]+\s){{0,2}}?{_NOUN}"
    r"(?:\s(?:for|this)\s[\w ]{1,24}?)?\s(?:of|to|for|:)\s*",
    _I,
)
_FOR_MYSELF: Final = sign(
    rf"\b(?:one|a|the|another) (?:[\w-]+ )?{_NOUN} (?:I|we)(?:'ve| have)? set(?: for)?(?: myself"
    rf"| ourselves)?"
    r"[^:,.]{0,20}?(?:\sis|:)\s*(?:to\s)?",
    _I,
)
_WANT: Final = sign(
    r"\b(?:I|we)(?:'m|'re|'d|\s+am|\s+are|\s+would)?(?:\s+(?:still|also|really|ultimately"
    r"|eventually|definitely|just|now"
    r"|currently|someday|one day|do|always))*\s+(?:want(?:ed)?|like|hope|hoping|plan|planning"
    r"|intend|intending|trying|determined|wanting|looking|going|committed)\s+to\s+",
    _I,
)
_WHAT: Final = sign(
    r"\bwhat (?:I|we) (?:ultimately|really|eventually|most|finally)?\s*(?:want|hope|aim|plan"
    r"|dream)(?: (?:to|of) \w+)?"
    r"(?: in (?:life|the (?:long run|end)))?(?: this year| most| ultimately)? is\s+(?:to\s)?",
    _I,
)
_IS_GOAL: Final = sign(
    rf"\s(?:is|are|remains)\s(?:still\s)?(?:my|our|one of (?:my|our)"
    rf"|the)\s(?:[\w'’-]+\s){{0,3}}?{_NOUN}\b",
    _I,
)
_FAR_EN: Final = pattern(
    r"\b(?:long[- ]term|long run|longer run|this year|next year"
    r"|within (?:the next )?(?:\w+ )?(?:years?|months)|in (?:the next )?"
    r"(?:two|three|four|five|six|ten|\d+|a few|the coming) (?:years?|months)|by 20\d\d"
    r"|by the end of (?:the|this|next) (?:year|decade)"
    r"|before i(?:'m| am| turn| retire| die| graduate)|by the time i|by (?:my|age)|eventually"
    r"|ultimately|some ?day|one day"
    r"|this (?:semester|term|quarter|season|decade)|over the next|by next (?:year|summer|winter"
    r"|spring|autumn|fall)|q[1-4]\b"
    r"|the coming (?:year|years|months)|in my life(?:time)?|year'?s end|end of (?:the )?year"
    r"|before \w+ turns?)",
    _I,
)
_NOW_EN: Final = pattern(
    r"(?:eat|drink|sleep|go home|go to (?:bed|sleep)|know|ask|say|see|thank|understand|cry|scream"
    r"|be (?:alone|left)|make sure"
    r"|tell you|believe|talk|hear|be honest|add|clarify|point out|share|mention)\b",
    _I,
)
_ACHIEVED: Final = sign(
    rf"\b(?:I|we)(?:'ve|\s+have)?(?:\s+(?:finally|just|already|actually"
    rf"|now))*\s+(?:(?P<good>reached|achieved|met|hit|accomplished"
    rf"|fulfilled)|(?P<bad>given up on|gave up on|abandoned|dropped|gave up|given up))\s(?:my|our"
    rf"|the)\s(?:[\w'’-]+\s){{0,2}}?{_NOUN}\s(?:of|to)\s+",
    _I,
)
_STOP: Final = pattern(
    r"[;；。！]|(?<![.!?])[.!?]++(?=\s|\Z)|\s[-–—]\s|,\s(?=(?:and )?(?:but|because|so|that'?s"
    r"|which|who"
    r"|though|although|it'?s|i|we|no|"
    r"this|then|hopefully|at least|maybe|not|since|as|even)\b)|\s(?=(?:but|because|although|though"
    r"|so that)\s)",
    _I,
)

_NOUN_ZH: Final = (
    r"(?:目标|愿景|理想|梦想|使命|志向|心愿|愿望|追求|头等大事|(?:努力|奋斗|发展)的?方向|重中之重"
    r"|goal|target|OKR|(?:长期|人生|职业|长远|[一二三五十]年"
    r"|未来)的?(?:规划|计划|打算))"
)
_NAMED_ZH: Final = sign(
    rf"(?:(?<![他她您你])(?:我们?|咱们?|公司|团队|项目|系统|产品|部门|本人|学习|今年|明年|年度"
    rf"|季度|人生|Q[1-4]|这|本)[^，。！？,;；:：]{{0,20}}?|\A\W*)"
    rf"{_NOUN_ZH}\s?(?:之一)?[^，。！？,;；:：是]{{0,8}}?[，,]?\s?(?:就是|仍然是|依然是|一直是"
    rf"|还是|是"
    rf"|为|定为|定在|设为|：|:)\s*(?:要|能|在于)?",
    _I,
)
_IS_GOAL_ZH: Final = sign(
    rf"(?:[，,]\s*+|(?<!\s)\s++)?(?:这|那)?(?:也|就)?是(?:我|我们|咱们|公司|团队|最|这个|今年"
    rf"|整个)[^，。！？]{{0,20}}?{_NOUN_ZH}(?:之一)?[\s。!！]*\Z",
    _I,
)
_WANT_ZH: Final = pattern(
    r"(?:\A|[，,。；\s]"
    r"|(?<=[来看前内底年期里]))(?P<who>(?:我们?(?![妈爸老同朋女男哥姐弟妹儿孩室领司])|咱们?|公司"
    r"|团队|我司|本人|我和\S{1,4})?)"
    r"(?P<when>[^，,。！？]{0,16}?)(?<![不没别])(?:想要?|打算|计划|希望|(?P<try>争取|力争)|立志"
    r"|准备|一定要|决心|要)(?:能够?|可以|要)?(?!是|的话|法|象|到|起|想|念|知道|问|说)"
)
_FAR_ZH: Final = pattern(
    r"长期|长远|今年|明年|后年|年底|年内|[一二两三四五六七八九十\d几]年(?:之内|以内|内|时间|后"
    r"|之后|左右|里)|岁(?:之前|以前|前)|退休|毕业(?:之前|以前|前)"
    r"|这学期|本学期|下学期|这个学期|[上下]半年|季度|Q[1-4]|将来|未来|以后|这辈子|有生之年"
    r"|[一二三四五六七八九十\d]个月(?:之内|以内|内)|20\d\d年|有朝一日|总有一天"
)
_NOW_ZH: Final = pattern(
    r"(?:今年|明年)?(?:不|会|应该|肯定)|吃|喝|睡|回家|问|知道|说|哭|死|静静|看看|休息|你|听|请"
    r"|了解一下|确认一下|打听"
)
_RESOLVED_ZH: Final = sign(r"(?:我们?|本人|公司)(?:从小|一直|就)*(?:立志要?|志在|致力于)")
_ACHIEVED_ZH: Final = sign(
    r"(?:(?P<good>实现|达成|完成|达到)|(?P<bad>放弃))了?(?:我们?的?"
    r"|自己的?)?(?P<body>[^，。！？]{2,40}?)(?:的|这个)目标"
    r"|(?P<body2>[^，。！？]{2,40}?)(?:的|这个)目标(?:已经|终于|总算|提前){0,3}(?:(?P<good2>实现|达成"
    r"|完成|达到)|(?P<bad2>放弃))了"
)
_STOP_ZH: Final = pattern(
    r"[。；;！!]|[，,]\s*(?=(?:这|那|不过|但|因为|所以|你|目前|现在|虽然|可是|就|说|算|加油|希望"
    r"|已经|还)|\Z)"
)


@cache
def _hints() -> frozenset[str]:
    return frozenset(_HINTS.split())


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield the goals that a sentence tells of."""
    text = sentence.text
    if said.source is not Source.USER:
        return
    aims: list[_Aim] = []
    if not _hints().isdisjoint(latin_words(text)):
        aims += _english(sentence, said)
    if not text.isascii() and _HINT_ZH.search(text):
        aims += _chinese(sentence, said)
    if not aims:
        return
    stated = [
        (clause.offset - sentence.offset, clause.offset - sentence.offset + len(clause.text))
        for clause in present_clauses(sentence)
    ]
    for aim in aims:
        told = Told(aim.begin, aim.start, aim.end, "todo", aim.rule)
        name = _name(_CAN.sub("", title_of(text, told, said.times(sentence))))
        # The words of the goal may stand in a clause of their own, after a colon.
        said_so = any(aim.begin < end and start < aim.end for start, end in stated)
        # "What I want is" only looks like a question.
        said_so = said_so or (aim.rule == "goals.what" and not text.rstrip().endswith("?"))
        if slug(name) and said_so:
            yield _candidate(sentence, said, aim, name)
            return


def _candidate(sentence: Sentence, said: Said, aim: _Aim, name: str) -> Candidate:
    """Return a goal as it is remembered."""
    close = max(aim.end, aim.close)
    words = tidy(sentence.text[aim.begin : close])
    project = project_of(sentence.text)
    return Candidate(
        type="goals",
        value={
            "project": project if slug(project) else GENERAL,
            "name": name,
            "description": tidy(sentence.text[aim.start : aim.end]) or words,
            "status": aim.status,
        },
        text=words,
        rule=aim.rule,
        source=said.source,
        confidence=0.85 if aim.rule == "goals.want" else 0.9,
        offset=sentence.offset + aim.begin,
        length=close - aim.begin,
    )


def _name(title: str) -> str:
    """Return the short name of a goal, cut between words."""
    if len(title) <= _LONGEST_NAME:
        return title
    cut = title[:_LONGEST_NAME]
    return _LOOSE_END.sub("", cut[: cut.rfind(" ")]) if " " in cut else cut


_CAN: Final = pattern(r"\A能够?(?=[把让做将在])")
_LOOSE_END: Final = pattern(
    r"(?:\s(?:and|or|to|of|the|an?|in|for|with|by|that|which|start|from|on|at|my|our"
    r"|their)){1,8}\Z",
    _I,
)


def _english(sentence: Sentence, said: Said) -> Iterator[_Aim]:
    """Yield the aims told in English."""
    text = sentence.text
    if found := _ACHIEVED.search(text):
        status = "achieved" if found["good"] else "abandoned"
        yield _Aim(found.start(), found.end(), _end(text, found.end()), "goals.outcome", status)
        return
    for rule, form in _FORMS:
        found = form.search(text)
        if found and _worth(text, found.end()):
            yield _Aim(found.start(), found.end(), _end(text, found.end()), rule)
    for form in (_IS_GOAL, idioms.ON_BUCKET, idioms.THATS, idioms.PRIORITY):
        found = form.search(text)
        if found and found.start() > 2 and (form is not idioms.PRIORITY or _is_far(sentence, said)):
            yield _Aim(0, 0, found.start(), "goals.is_goal", close=found.end())
    for form in (_WANT, idioms.WANT, idioms.TRY):
        found = form.search(text)
        if found and _is_far(sentence, said) and _is_lasting(text, found.end()):
            yield _Aim(found.start(), found.end(), _end(text, found.end()), "goals.want")


_FORMS: Final = (
    ("goals.named", _NAMED),
    ("goals.named", _BARE),
    ("goals.set", _SET),
    ("goals.set", _FOR_MYSELF),
    ("goals.what", _WHAT),
    ("goals.aim", _AIM),
    ("goals.aim", idioms.AIM),
    ("goals.point", idioms.POINT),
    ("goals.what", idioms.AFTER),
    ("goals.bucket_list", idioms.BUCKET),
    ("goals.dream", idioms.DREAMT),
    ("goals.better", idioms.BETTER),
)
_UNWORTHY: Final = pattern(
    r"\W*\Z|(?:unclear|unknown|vague|different|not|no longer|wrong|too|very|ambitious|realistic"
    r"|done|met|reached|fine|this|that|it|what|gone|important|impossible|dead|awesome|great|good"
    r"|amazing|simple|clear|big|huge|crazy|still|always|so|really|coming|on track|within reach)\b",
    _I,
)


def _worth(text: str, place: int) -> bool:
    """Tell whether an aim is told at a place, rather than something about it."""
    return not (_UNWORTHY.match(text, place) or idioms.NO_AIM.match(text, place))


def _is_lasting(text: str, place: int) -> bool:
    """Tell whether more is wanted at a place than something for the moment or a journey."""
    return not (_NOW_EN.match(text, place) or idioms.NO_WANT.match(text, place))


def _is_far(sentence: Sentence, said: Said) -> bool:
    """Tell whether a sentence reaches months ahead."""
    text = sentence.text
    if _FAR_EN.search(text) or _FAR_ZH.search(text):
        return True
    for span in said.times(sentence):
        # "by October" can only mean the next one.
        passed = span.end < said.at and bool(_BY.search(text, 0, span.offset))
        if span.end + passed * _YEAR - said.at > _FAR:
            return True
    return False


def _end(text: str, start: int) -> int:
    """Return where the words of an aim end."""
    found = _STOP.search(text, start)
    return found.start() if found else len(text)


def _end_zh(text: str, start: int) -> int:
    found = _STOP_ZH.search(text, start)
    return found.start() if found else len(text)


def _chinese(sentence: Sentence, said: Said) -> Iterator[_Aim]:
    """Yield the aims told in Chinese."""
    text = sentence.text
    if found := _ACHIEVED_ZH.search(text):
        group = "body" if found["body"] else "body2"
        status = "achieved" if found["good"] or found["good2"] else "abandoned"
        begin, (start, end) = found.start(), found.span(group)
        yield _Aim(begin, start, end, "goals.outcome", status, found.end())
        return
    if found := _NAMED_ZH.search(text):
        end = _end_zh(text, found.end())
        if end - found.end() > 2 and not _UNWORTHY_ZH.match(text, found.end()):
            yield _Aim(found.start(), found.end(), end, "goals.named")
    for rule, form in _FORMS_ZH:
        found = form.search(text)
        if found and len(text) - found.end() > 1 and not idioms.NOT_LIFE.match(text, found.end()):
            yield _Aim(found.start(), found.end(), _end_zh(text, found.end()), rule)
    if (found := idioms.THATS_ZH.search(text)) and found.start() > 3:
        yield _Aim(0, 0, found.start(), "goals.is_goal", close=found.end())
    if found := _RESOLVED_ZH.search(text):
        yield _Aim(found.start(), found.end(), _end_zh(text, found.end()), "goals.resolved")
    if (found := _IS_GOAL_ZH.search(text)) and found.start() > 3:
        yield _Aim(0, 0, found.start(), "goals.is_goal", close=found.end())
    found = idioms.WISHED_ZH.match(text)
    if found and _is_far(sentence, said) and not _NOW_ZH.match(text, found.end()):
        yield _Aim(found.start(), found.end(), _end_zh(text, found.end()), "goals.want")
    for found in _WANT_ZH.finditer(text):
        own = found["who"] or found["try"] or _FAR_ZH.search(found["when"])
        end = _end_zh(text, found.end())
        wanted = own and end - found.end() > 3 and not _NOW_ZH.match(text, found.end())
        if wanted and _is_far(sentence, said):
            yield _Aim(found.start(), found.end(), end, "goals.want")


_FORMS_ZH: Final = (
    ("goals.flag", idioms.FLAG_ZH),
    ("goals.named", idioms.FIXED_ZH),
    ("goals.longed", idioms.LONGED_ZH),
    ("goals.life", idioms.LIFE_ZH),
    ("goals.point", idioms.FOR_ZH),
)
_UNWORTHY_ZH: Final = pattern(r"(?:什么|不|没|谁|多少|怎|太|很|好|对的|错的|这个|那个)")
