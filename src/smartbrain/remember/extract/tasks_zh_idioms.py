"""Less plain ways of telling of tasks in Chinese: what is owed, handed over, or named before.

In: a sentence of the user and its clauses. Out: the parts of it that tell of tasks, as places. In
护照快过期了，我得去续签 the first clause names the thing and the second what is to be done with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from smartbrain.remember.extract.dialogue import is_person
from smartbrain.remember.extract.tasks_title import Told
from smartbrain.remember.extract.tasks_words import DONE_ZH, VERBS_ZH
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_LEAD: Final = (
    r"\W*+(?:(?:不过|但是?|可是|所以|而且|唉|哎|说到这个|对了|另外|还有|然后|那个|目前|(?:现在"
    r"|今天)(?!的)|第[一二三四五])"
    r"[，,\s]*+){0,6}"
)
_OWE: Final = pattern(
    rf"{_LEAD}(?:我们?|咱们?)(?:这边|现在|目前|好像)?(?:还|也)*(?:欠着?|差着?)(?!你|您|我|债|钱|揍"
    rf"|考虑|觉)"
    r"(?P<what>(?:[^，,。！？\s]{1,8}?)(?:[一两二三四五六七八九十几\d]+[份个封篇张顿笔次条页套件]"
    r"|那[份个封篇张])"
    r"(?![^，,。！？]*[万亿元块])[^，,。！？]{1,20})\W*\Z"
)
_PILED: Final = sign(
    rf"{_LEAD}(?:我们?|咱们?)?(?:手上|手里|手头上?|这边|这儿|桌上|名下)?(?:还|也)?(?:压着|攒着"
    rf"|积着|积压着|剩着?"
    r"|有)(?P<what>[^，,。！？]{2,20}?)(?:一直|都|还)*(?:没(?:有|来得及)?|等着|要)"
    rf"(?P<verb>{DONE_ZH})(?:完|好)?(?:呢|哈|啊|的)?\W*\Z"
)
_OWN_LATER: Final = pattern(
    rf"{_LEAD}(?P<what>[^，,。！？我]{{2,20}}?)我们?(?:一直|也|都|到现在|现在)*(?:还没有?|没来得及"
    rf"|没顾上|没顾得上"
    r"|还没来得及)(?:去|来得及|顾上|顾得上|抽空)?(?P<verb>(?!吃|看|听|玩|睡|喝|想|懂|试|过|见|学会"
    r"|搞懂|弄懂|明白)"
    r"[\u4e00-\u9fff]{1,3}?)(?:呢|哈|啊)?\W*\Z"
)
_HANDED: Final = sign(
    rf"(?!.*(?:现在|目前|一直|已经)[由归]){_LEAD}(?P<what>[^，,。！？我]{{2,24}}?)(?:就|都|先"
    rf"|这块|这边){{0,4}}"
    r"(?:(?:(?<![路自理缘来])由(?![于器来衷])|交由|交给"
    r"|归)(?P<who>[^，,。！？由的他她你您]{1,6}?)(?:来|去|负责|牵头){0,4}|我们?(?:来"
    r"|去|负责|包了?){1,4})"
    rf"(?P<verb>跟进|负责|搞定|(?!导演|编剧|主演)(?:{VERBS_ZH})|管|弄)(?!过|的|了"
    rf"|得)[^，,。！？的了]{{0,8}}(?<!\W)\W*+\Z",
    _I,
)
# 小李写文档，小王做测试: each with a task of his own.
_ASSIGNED: Final = pattern(
    rf"{_LEAD}(?P<who>[\u4e00-\u9fff]{{2,3}}?|[A-Z][a-z]+)\s?(?:就|先|那边|今天|明天){{0,4}}(?:来|去|要"
    rf"|得|会)?"
    rf"(?P<what>(?:(?:{VERBS_ZH}|跟|弄|管)(?![了过着完好得的])"
    rf"|把)\s?[^，,。！？的了]{{2,20}})\W*\Z",
    _I,
)
_SENT: Final = pattern(
    rf"{_LEAD}(?:我们?)?(?:就|先|要|得|会|已经)*(?:让|叫|请|安排|派|委托"
    rf"|拜托)(?:了)?\s?(?P<who>[\u4e00-\u9fff]{{2,3}}?|[A-Z][a-z]+)\s?"
    rf"(?:去|来|负责|帮忙|尽快|先|今天|明天|后天|周[一二三四五六日]|[本下这]周|月底|之?前"
    rf"|\s)*(?P<what>(?:(?:{VERBS_ZH}|跟)(?![了过着完好得的])"
    rf"|把)\s?[^，,。！？的了]{{2,20}})(?:了|吧)?\W*\Z",
    _I,
)
_MINE: Final = sign(
    rf"{_LEAD}(?P<what>[^，,。！？]{{2,24}}?)(?:就|都|还是)*(?:归我们?(?:管|负责|弄|写|做)?"
    rf"|包在我身上|我包了|交给我"
    r"(?:吧|了|来)?|我负责|我来负责|落到我头上了?|分给我们?了?|派给我们?了?|轮到我们?(?:组|队|班"
    r"|部门|家)?了?)\W*\Z"
)
_NO_WHAT: Final = pattern(
    r".*(?:[他她你您谁]|什么|怎么|如果|要是|不|没|别)|(?:我们?|这[个次]?|那个?|事情?|今天|昨天"
    r"|现在|都|"
    r"饭|钱|有些?|大家|时间|一切|终于|总算|快|该|下次|下一个|今晚|手机|电脑|电瓶车)*\Z"
    r"|.*[饭菜碗单]\Z"
)
# 小李做医生: what somebody is, and no task.
_NO_WORK: Final = pattern(r"做.{1,6}[师生员工家长人饭菜]\Z|" + _NO_WHAT.pattern)
# A clause that names a thing and says what has become of it.
_STATE_OF: Final = pattern(
    rf"{_LEAD}(?:我们?的?|家里的?)?(?P<what>[\u4e00-\u9fffA-Za-z0-9 ]{{2,14}}?)(?:这次|这个月"
    rf"|下个?月|下周|明天|后天"
    r"|月底|周[一二三四五六日])?(?:又|也|都|已经?|马上|快要?|就要?|眼看|早就?|还){0,5}(?:过期|到期|坏"
    r"|破|漏|满|用完|没了|断|轮到"
    r"|超期|逾期|欠费|批下来|出来|到了|到货|丢|裂|松|脏|旧|堵|有问题|不够|报错|没电|没油|截止|还没"
    r"|没写|没交|要交|下来了"
    r"|回来了|催了)[^，,。！？]{0,8}\Z"
)
_THEN: Final = pattern(
    r"\W*+(?:(?:所以|那|我们?|咱们?|这周|这两天|今天|明天|后天|周末|抽空|尽快|赶紧|赶快|最近|下周"
    r"|月底|之?前|以前|在"
    r"|周[一二三四五六日天]|最晚|最迟)\s*+){0,8}(?:得|要|必须得?|需要|该|还得|还要"
    r"|务必)(?:在?[^，,。！？]{0,8}?(?:之前|以前|前))?"
    r"(?:赶紧|赶快|尽快|抽空|重新|再|先|自己|找人|找时间|记得){0,4}(?:去|来|拿去|送去)?"
    rf"(?P<verb>(?:{DONE_ZH}|续|换|修|补|交|取|催|盘|退|还))(?:完|好|掉|一下|了|下|新的?|上|出来"
    rf"|出去|一?个){{0,6}}\W*\Z"
)
_BOUGHT: Final = sign(
    rf"{_LEAD}(?:[\u4e00-\u9fff]{{2,4}}这边)?(?P<what>[\u4e00-\u9fffA-Za-z]{{2,12}}?)(?:已经|都|也"
    rf"|倒是)?"
    rf"(?P<verb>{DONE_ZH})了\W*\Z"
)
_STILL: Final = pattern(r"[^，,。！？]{1,16}(?:还没|还差|没来得及)")
_AT_NUMBER: Final = pattern(
    rf"\W*我们?(?:已经|都|现在|刚|才)*(?P<verb>{DONE_ZH}|讲"
    rf"|批改)(?:到了?第[一二三四五六七八九十\d]+"
    r"|了?(?:一半|大半|[一二三四五六七八九\d]成|百分之))[^，,。！？]{0,4}\Z"
)
_ERRAND: Final = pattern(
    r"(?<![不别没])(?:得|要|打算|准备|该|需要|必须)(?:先|再|赶紧|抽空)*"
    r"(?P<what>(?:去|跑|回|到)[^，,。！？把给]{1,10}[，,]\s*(?:顺便)?把[^，,。！？]{3,30})"
)
_NAMES: Final = pattern(rf"{_LEAD}(?P<what>[^，,。！？我你他她]{{3,20}})\Z")
_HINT: Final = pattern(
    r"[欠差压攒积剩让叫请派托，,]|安排|有.+没|我们?.{0,6}没|由|交|派|归|我们?[来去负包]|身上|轮到"
    r"|[得要该需]|了|第"
    r"|成|半"
)

Part = tuple[int, int]
"""Where a clause begins and ends."""


def idioms(text: str, parts: Sequence[Part]) -> Iterator[Told]:
    """Yield what the clauses of a sentence of the user tell of tasks in one of these ways."""
    if not _HINT.search(text):
        return
    if found := _ERRAND.search(text):
        # 跑趟药房，把药领回来 is one thing to do.
        yield Told(found.start(), *found.span("what"), "todo", "tasks.need")
    yield from _assigned(text, parts)
    for number, (start, end) in enumerate(parts):
        told = _alone(text, start, end)
        if told is None and number + 1 < len(parts):
            told = _with_next(text, (start, end), parts[number + 1])
        if told:
            yield told


def _alone(text: str, start: int, end: int) -> Told | None:
    """Return the task that one clause tells of by itself."""
    if found := _OWE.match(text, start, end):
        return Told(start, *found.span("what"), "todo", "tasks.owe", "给")
    for rule, form in _OWN:
        found = form.match(text, start, end)
        if found and not _NO_WHAT.match(found["what"]):
            verb = found.groupdict().get("verb") or ""
            verb = "" if verb in _LIGHT else verb
            who = (found.groupdict().get("who") or "").strip()
            who = who if who not in _NOBODY else ""
            return Told(start, *found.span("what"), "todo", rule, verb, close=end, who=who)
    return None


def _assigned(text: str, parts: Sequence[Part]) -> Iterator[Told]:
    """Yield what others are to do: one who is sent, or several with a task each."""
    if text.rstrip().endswith(("?", "？")):
        return
    found = [(form, form.match(text, *part)) for part in parts for form in (_SENT, _ASSIGNED)]
    named = [
        (form, one)
        for form, one in found
        if one and is_person(one["who"]) and not _NO_WORK.match(one["what"])
    ]
    several = len({one["who"] for form, one in named if form is _ASSIGNED}) > 1
    for form, one in named:
        if form is _SENT or several:
            yield Told(one.start("who"), *one.span("what"), "todo", "tasks.others", who=one["who"])


_OWN: Final = (
    ("tasks.piled", _PILED),
    ("tasks.not_yet", _OWN_LATER),
    ("tasks.handed", _HANDED),
    ("tasks.mine", _MINE),
)
_NOBODY: Final = frozenset(("我", "我们", "咱们", "自己", "大家", "谁"))
_LIGHT: Final = frozenset(("负责", "搞定", "管", "弄", "做", "搞", "要"))


def _with_next(text: str, part: Part, following: Part) -> Told | None:
    """Return the task whose thing one clause names, and the next what is done with it."""
    close = following[1]
    then = _THEN.match(text, *following)
    named = _STATE_OF.match(text, *part) if then else None
    if named and then and not _NO_WHAT.match(named["what"]):
        span = named.span("what")
        return Told(part[0], *span, "todo", "tasks.then", then["verb"], close=close)
    at = _AT_NUMBER.match(text, *following)
    named = _NAMES.match(text, *part) if at else None
    if named and at and not _NO_WHAT.match(named["what"]):
        return Told(part[0], *named.span("what"), "doing", "tasks.at_number", close=close)
    named = _BOUGHT.match(text, *part)
    if named and _STILL.match(text, *following) and not _NO_WHAT.match(named["what"]):
        return Told(part[0], *named.span("what"), "done", "tasks.bought", named["verb"])
    return None
