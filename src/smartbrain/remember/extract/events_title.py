"""The title of an event: the words that name it, without its time, its teller and side remarks.

In: the words of a sentence that tell an event, and the times in them. Out: a short phrase, which is
also what the key is made of: the same event told twice should have the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from smartbrain.domain.time_span import TimeSpan
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern, strip_end

_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = 80
_OF_DAY: Final = pattern(r"\A(?:['’]s |的)|(?<=\S)['’]s\Z")
_BESIDE: Final = pattern(r"(?:又|也|都|再次?|被|已经?|临时|突然|可能){1,6}\Z")
_NOTHING: Final = pattern(r"[\W_]*\Z")
_EDGE: Final = pattern(
    r"(?:(?:(?<!\s)\s++)?(?:(?<![A-Za-z])(?:on|at|for|in|(?<!came )by|from|to|is|are|will be|be"
    r"|been|has|got"
    r"|was|were"
    r"|now|scheduled|set|planned|booked|moved|fixed|confirmed|rescheduled|held|postponed|pushed|shifted|slipped"
    r"|(?:pushed|moved)(?: back| out)? an? (?:\w+ )?(?:day|week)|delayed|brought forward|coming up"
    r"|happening|back|early|late|around|about|(?:will )?takes? place|took place|happens|happened"
    r"|starting|of|until|since|called|named|and)|[,，、(]|(?<![租合契])约在|定在|定于|定到"
    r"|安排[在到]|改到|改期到?|推迟到?|推到"
    r"|提前到?|延期到?|延后到?|延到|挪到|调到|换到|从|在|于|是|将)){1,12}\s*+\Z",
    _I,
)
_LONGEST_EDGE: Final = 80  # characters at the end among which it is looked for
_OPENING: Final = pattern(
    r"\A(?:\s*(?:also|then|or so|there|就|的|了|，|,|是|\)|[.!])(?![A-Za-z]))+\s*", _I
)
_GOES_ON: Final = pattern(r"\s*(?:and|but|so|which|where|when|who|that)\s", _I)
_WEEKDAY: Final = pattern(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|christmas|easter", _I)
_NEXT_WORD: Final = pattern(r" (?!at|on|in|and|with|to|for|by|from|so|but|night|morning)[a-z]", _I)
_ARTICLE: Final = pattern(
    r"\A(?:(?:had|suffered) (?:the|an?|my|our|his|her|another) |(?:the|an?|that|this|my|our|am|are"
    r"|will be|be|next|upcoming|amazing|great) )+",
    _I,
)
_SIDE: Final = pattern(
    r"(?<!\s)\s++(?:that|which|who|whom|whose|where|while|because|since|so|but|although|though|until"
    r"|as (?:i|we|it|they|a|part)|in hopes|in order|on (?:this|that|it)|like|instead|even"
    r"|especially|including"
    r"|and (?:i|we|it|they|he|she|now|then|was|were|got|had|have|am|it[’']s|saw|ended|caught|made"
    r"|felt|went|came|took|found|met|said|spent|bought|\w+ed)|to (?:discuss|make|get|see|talk"
    r"|celebrate|help|learn|raise|go over|mark|be|show|showcase|support|bring|find|give|improve"
    r"|promote|relax|check|pick|buy|watch|play|meet|try|share|speak|present|finalize|sign"
    r"|discuss|review|review|plan)|(?:i|we|they|he|she|you)(?:[’']\w+)?(?= \w)|coming up"
    r"|after (?:i|we|a|being)|before (?:i|we)"
    r"|when|if|too|(?<!putting )together|as well|there|during|lately|recently|finally"
    r"|for (?:the first time|dinner"
    r"|lunch))(?![\w'’])"
    r".*|(?:(?<!\s)\s++)?[(\[!?].*|(?<!\s)\s++[-–]++\s.*",
    _I,
)
_JUST: Final = pattern(r"(?<!\s)\s++(?:just|also|finally|actually|really)\s+", _I)
_SIDE_ZH: Final = pattern(r"[（(].*|(?<=会)开\Z")
_TELLER_ZH: Final = pattern(
    r"\A(?:我们的?|咱们的?|我的|我(?!们|[妹弟姐哥爸妈爷奶儿女老姑叔舅姨侄家的孩朋同室])|已经|终于"
    r"|刚刚?|又"
    r"|要|会(?=[开去办有])|将|得|还|才|就|今年|最近|去?(?:参加|出席)了?|召开了?|举行了?|举办了?"
    r"|开(?=[^了始业庭学工张通发源盘放机车心])|有一?[个场次]|有(?=[\u4e00-\u9fff]{1,8}会)|\s)+"
)
_MOVER_ZH: Final = pattern(r"\A(?:他们?|她们?|老板|领导|客户|对方)?(?:又|已经?)?[把将](?=.{2})")
_VAGUE: Final = pattern(
    r"(?:(?:it|them|this|that|these|those|something|things?|stuff|he|she|they|him|her|one|some"
    r"|everything|anything|event|talk|service|show|session|game|play|(?:my )?favou?rite .*"
    r"|\w+ed (?:it|them|this|that|him|her|me)(?: \w+)?|great \w+|something .*|visited (?:home"
    r"|there|here)"
    r"|(?:(?:crazy|wild|intense|tough|rough|hard|fun|good|nice|awesome|amazing|bad|weird|strange"
    r"|unexpected|funny|incredible|interesting|special|big|long|busy|super|really|and)(?:,? ))+"
    r"(?:event|talk|session|game|match|show|play|meeting|trip|incident)(?: on (?:my|the) way .*)?)"
    r"|(?=[我他她它这那有会了的是到为之前])(?:[我他她它这那有会了的是到]|为止)*+"
    r"(?:之前.*|前.{0,2}(?:[我他她它这那有会了的是到]|为止)*+)?)",
    _I,
)


def title_of(
    text: str, start: int, end: int, times: Sequence[TimeSpan], main: TimeSpan | None
) -> str:
    """Return the words of a sentence from start to end that name an event at its main time."""
    pieces: list[str] = []
    place = start
    for time in times:
        if start <= time.offset < end and (time == main or not _is_part(text, time)):
            pieces.append(strip_end(text[place : time.offset], _EDGE, _LONGEST_EDGE))
            place = max(place, time.offset + time.length)
    pieces.append(text[place:end])
    shown = pieces[0]
    for piece in pieces[1:]:
        if shown and _GOES_ON.match(piece):
            break
        shown = _joined(shown, _OPENING.sub(" ", piece))
    short = strip_end(_SIDE.sub("", shown), _EDGE, _LONGEST_EDGE)
    short = _ARTICLE.sub("", tidy(short if not _NOTHING.match(short) else shown))
    if not short.isascii():
        short = _SIDE_ZH.sub("", short).replace("已经", "").strip()
        teller = _TELLER_ZH.match(short)
        short = short[teller.end() :] if teller and teller.end() < len(short) - 1 else short
    return _cut(tidy(_JUST.sub(" ", short)))


def name_of(title: str) -> str:
    """Return the title of what is moved or called off, without the day that it was on."""
    name = tidy(_BESIDE.sub("", _OF_DAY.sub("", _MOVER_ZH.sub("", title, 1))))
    return "会议" if name == "会" else name


def is_name(title: str) -> bool:
    """Tell whether a title names something that one would know again."""
    return not _VAGUE.fullmatch(title)


def _joined(before: str, after: str) -> str:
    """Join what stood before and after a time."""
    shown = after.strip()
    if not before or not shown:
        return before or shown
    apart = (before[-1] + shown[0]).isascii() or (shown[0].isascii() and after[0] == " ")
    return before + (" " if apart else "") + shown


def _is_part(text: str, time: TimeSpan) -> bool:
    """Tell whether a weekday is a part of a name: "the Sunday mass"."""
    end = time.offset + time.length
    return bool(_WEEKDAY.fullmatch(time.words)) and bool(_NEXT_WORD.match(text, end))


def _cut(title: str) -> str:
    """Return a title that is not too long, cut between words."""
    if len(title) <= _LONGEST:
        return title
    short = title[:_LONGEST]
    return (short.rpartition(" ")[0] if short.isascii() else short) or short
