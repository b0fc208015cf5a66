"""Whether a message asks how it was: by words for what was before, in Chinese and English (R2).

In: a message, its traditional characters read as simplified ones. Out: yes or no. A word that means
something else in a fixed saying (used to it, 原来如此, before Friday) does not count, nor does
"used to" where it tells what something is for: the port used to connect.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from smartbrain.recall.cue_words import TwoTongues
from smartbrain.text.pattern import pattern

_I: Final = re.IGNORECASE

_TALK_ZH: Final = (
    "说|聊|谈|讨论|提到|提过|提及|讲|问|发|给|写|推荐|建议|分享|介绍|告诉|回答|看过|见过"
)
_STATE_ZH: Final = (
    "是|在|住|用|叫|喜欢|讨厌|爱|的(?!时候)|怎么|做|当|待|养|开|吃|喝|租|穿|买|上班|工作|公司|负责"
    "|选|定|学|读|玩|常|一直|都|还|认为|觉得|想|打算|计划"
)
_TIME_BEFORE: Final = "".join(
    rf"(?<!{word} before)" for word in ("day", "days", "week", "night", "year", "month", "hour")
)
# What lasts: "what tool did you use to build it" asks for the tool that was used.
_BEING_EN: Final = (
    "be|live|like|love|hate|enjoy|prefer|work|have|own|drink|eat|think|believe|want|stay|sit|stand"
    "|belong|wear|drive|play|go|visit|watch|read|study|teach|use"
)
_WHOSE_ZH: Final = "(?:我们?|咱们?|你们?|您|[他她它]们?)?"
_DATED_ZH: Final = "(?<![年月周天日号点时钟分末底初个]..)(?<!周[一二三四五六]..)"
# Things of which one version takes the place of another; an old server is not of them.
_VERSIONED_EN: Final = (
    "address|job|name|version|phone|number|employer|company|boss|plan|role|team|school|home|flat"
    "|apartment|house|car|laptop|password|email|title|value|settings?|decision|preference|salary"
    "|position|port|host ?name|ip|domain|url|endpoint|path|deadline|due date|budget|price|rate|goal"
    "|status|limit|timeout|threshold|default|schedule|location|occupation|user ?name|nickname"
)
_KIND_EN: Final = "(?:e-?mail|phone|mobile|home|work|office|ip|street|job|account|default|user) "
# What comes before in a conversation or a calendar, or happened before, is no earlier version.
_OTHER_PREVIOUS: Final = (
    "(?:one|message|question|answer|reply|response|turn|sentence|line|page|chapter|paragraph|step"
    "|conversation|chat|session|discussion|suggestion|advice|example|point|comment|section|topic"
    "|day|night|morning|evening|week|weekend|month|year|season|quarter|century|hour|time|meeting"
    "|call|event|trip|visit|campaign|booking|order|attempt|run|game|match|episode|experience"
    "|knowledge|research|study|work)"
)
_NO_NOUN: Final = "(?:is|was|are|were|and|or|has|had|will|would|can|in|of|to|for|with|on)"
_VERSIONED_ZH: Final = (
    "(?:地址|版本|(?:电话|手机)?号码|密码|名字|名称|邮箱|职位|方案|计划|端口|域名|网址|路径|配置|设置|参数|取值|数值|价格"
    "|预算|目标|状态|负责人|截止日期)"
)

_BEFORE: Final = TwoTongues(
    pattern(
        r"(?:\A|\b(?:where|what|how|who|when) )did (?:\w+ ){1,3}use to\b"
        rf"|\b(?:which|what|whose|how) (?:\w+ ){{1,3}}did (?:\w+ ){{1,4}}use to (?:{_BEING_EN})\b"
        r"|\bpreviously\b|\bformerly\b"
        r"|\boriginally\b|\binitially\b|(?:\A|\b(?:the|my|our|his|her|its|their) )history of\b"
        r"|\bin the past\b(?! (?:few|couple|year|month|week|day|hour|decade|\d|one|two"
        r"|three|four|five|six))"
        r"|\bback then\b|\bin those days\b"
        rf"|\b(?:previous|former|prior|old) (?:{_KIND_EN})?(?:{_VERSIONED_EN})\b"
        rf"|\b(?:previous|former) (?!(?:\w+ )?{_OTHER_PREVIOUS}\b|{_NO_NOUN}\b)\w+(?<!s)\b"
        r"|\bbefore (?:i|we|he|she|they) (?:moved|switched|changed|joined|left|started|quit|got)\b"
        r"|\bbefore (?:the|my|our|his|her|their) (?:move|switch|change|migration|renaming)\b"
        rf"|\bbefore{_TIME_BEFORE}\s*(?:[?.!,]|\Z)",
        _I,
    ),
    pattern(
        rf"曾经|曾(?=在|是|用|住)|从前|当初|早先|历史(?:{_VERSIONED_ZH}|记录|变更|上的)|变更历史|的历史"
        r"|(?<![目当之以先此])前任(?![务何意职教])"
        rf"|以前{_DATED_ZH}(?!{_TALK_ZH})|[之先此]前{_DATED_ZH}{_WHOSE_ZH}(?={_STATE_ZH})"
        rf"|原[来先](?=的|在|住|用|叫|喜欢|那|打算|计划|想|定)|原先|过去(?=是|住|用|叫|喜欢|的)"
        rf"|[旧老]的?{_VERSIONED_ZH}|旧(?:版|公司|手机|电脑|单位|家)|上一?[个任]{_VERSIONED_ZH}"
    ),
)

_NO_NAME: Final = "(?:the|an?|my|our|your|his|her|its|their|i|you|we|he|she|they|it|than|as)"
_QUALIFIED: Final = rf"(?:(?!{_NO_NOUN}\b|{_NO_NAME}\b)[\w-]+ ){{1,2}}"
_NEAR: Final = "[^的是叫什哪，。？！；,.?!;]{0,10}?"
_FIRST_ZH: Final = "(?:最初|最早|最开始|一开始|刚开始|起初|起先|更早|较早|早期|早前)"
_TO_OTHER_ZH: Final = "(?:变更|修改|更改|变化)"
# Which of several versions: an earlier one, all of them, how one became the other.
_VERSIONS: Final = TwoTongues(
    pattern(
        rf"(?<!how )(?<!years )(?<!year )(?<![-\w])old {_QUALIFIED}(?:{_VERSIONED_EN})\b"
        rf"|\b(?:original|earlier) (?:{_QUALIFIED})?(?:{_VERSIONED_EN})\b"
        rf"|\b(?:{_VERSIONED_EN}|change|revision)(?:e?s)? (?:history|so far|over time)\b",
        _I,
    ),
    pattern(
        rf"[旧老]的{_NEAR}{_VERSIONED_ZH}|旧 ?[A-Za-z0-9_. -]{{1,16}}{_VERSIONED_ZH}"
        rf"|{_FIRST_ZH}的{_NEAR}{_VERSIONED_ZH}"
        rf"|{_FIRST_ZH}(?<!最早)(?:[用住叫选定]|是(?:什么|哪|多少|谁|几)|在哪)"
        rf"|{_VERSIONED_ZH}(?:的?{_TO_OTHER_ZH}?历史|的?{_TO_OTHER_ZH}记录"
        r"|.{0,5}(?:(?:改|换|变|变更|更改|修改|调整)过|(?:怎么|如何|怎样)(?:变|演变)))"
        r"|[换搬改]过(?:几|多少|哪些|什么)|从(?:什么|哪个?|多少|几)(?:改|换|变)"
    ),
)

_TAIL: Final = 200  # characters of a message in which its last question is looked for
_WORD: Final = r"[\w'’-]+"
_NOBODY: Final = "(?:i|you|we|he|she|they|there|anything|something|nothing|everything|much)"
_KEPT: Final = (
    "(?:use|live|work|have|own|drive|prefer|like|run|pay|stay|study|belong|keep|store|host|rent)"
)
_WAS: Final = (
    rf"\b(?:what|which|where|who|whose)(?: {_WORD}){{0,3}} (?:did (?:{_WORD} ){{1,5}}{_KEPT}"
    rf"(?: {_WORD}){{0,3}}|(?:was|were) (?!{_NOBODY}\b){_WORD}(?: {_WORD}){{0,5}})"
)
# Before a value something else was so; before a time, a meal or a deed something else happened.
_NO_VALUE: Final = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|fall|winter|christmas|easter"
    r"|thanksgiving|halloween|new|noon|midnight|dawn|dusk|sunrise|sunset|bed|bedtime|breakfast"
    r"|lunch|dinner|supper|work|school|class|yesterday|today|tonight|tomorrow|last|next|sleep"
    rf"|{_NO_NAME}|\w+ing|(?:19|20)\d\d|\d{{1,2}})\b"
)
_VALUE: Final = rf"(?!{_NO_VALUE}){_WORD}(?: (?-i:[A-Z0-9]){_WORD}){{0,2}}"
_LAST_ASKED: Final = pattern(
    rf"\b(?:has|have|did) (?!{_NOBODY}\b)(?:{_WORD} ){{1,5}}?(?:ever )?(?:changed?|evolved?)"
    r"(?: over (?:time|the (?:years|months|weeks)))?\W*\Z"
    rf"|\b(?:did|was|were|has|have|had) (?:{_WORD} ){{1,6}}?changed? from\W*\Z"
    rf"|{_WAS} (?:at first|before (?:that|this|then|now|{_VALUE}))\W*\Z",
    _I,
)
_ENDS_SO: Final = pattern(r"\b(?:before|first|changed?|evolved?)\b", _I)

_USED_TO: Final = pattern(r"\bused to\b", _I)
_AROUND: Final = 80  # characters that are read before it, and behind it
_MOST_READ: Final = 8  # nobody asks how it was more often in one message
# Something is used, somebody is used to something.
_PASSIVE: Final = pattern(
    r"(?:\b(?:(?:is|are|was|were|can)(?:n['’]t)?|am|be|been|being|gets?|got|getting)"
    r"|['’](?:s|m|re))(?: (?:not|also|often|still|only|usually|commonly|typically|mainly))?\s*\Z",
    _I,
)
_NO_VERB: Final = pattern(
    r"\s*(?:(?:it|this|that|these|those|the|an?|my|our|them)\b|\w*[aeiouy]\w*ing\b)", _I
)
_LASTS: Final = pattern(
    r"\s*(?:(?:not|also|always|often|just|really|still) )?"
    r"(?:(?:be|live|like|love|hate|enjoy|prefer|work|have|own|think|believe|want|need|know|stay|sit"
    r"|stand|belong|cost|consist|depend|exist|happen|occur|seem|mean|go|come|remain|crash|fail)\b"
    r"|(?:run|listen|start|begin|open|close|end|meet|leave|arrive)"
    r" (?:on|at|in|under|around|every|from)\b|(?:point|resolve) to\b"
    r"|(?:take|last) (?:\d+|an? hour|hours|days|weeks|months|place|long)\b)",
    _I,
)
_DOER: Final = pattern(
    r"(?:\b(?:i|you|we|he|she|they|it|there|who|what|which|that|people|everyone|everybody|someone"
    r"|somebody|nobody|team|company|boss|family|friends?|parents|man|woman|kids?|children|never"
    r"|always|also|both|all|still|really|just|only)"
    r"|(?:\A|[.?!,;:]\s*|\band )(?:which|what|whose)(?: (?!(?:is|are|was|were)\b)\w+){1,3}"
    r"|\bdid(?:n['’]t)?(?: \w+){1,4}|\bdidn['’]t"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )(?<!['’]s )\b(?:my|our|your|his|her|their)(?: \w+){1,2}"
    r"|(?:\A|[^\w\s]\s*|(?<!\bthe)(?<!\ba)(?<!\ban)(?<!\bthis)(?<!\bthat)(?<!\bmy)(?<!\bour) )"
    r"(?-i:[A-Z][a-z]+))\s*\Z",
    _I,
)
_MEANS: Final = pattern(
    r"\b(?:the|an?|this|that|these|those|what|which)(?:(?! where| when| why) \w+){0,3}?"
    r" (?:i|we|you|he|she|they)\s*\Z",
    _I,
)
_ON_SOMETHING: Final = pattern(
    r"\s*\w+(?: (?:in|up|out|on|to|into|for|with))?"
    r" (?:the|an?|my|our|your|his|her|its|their|this|that|it|them)\b",
    _I,
)


def asks_how_it_was(text: str) -> bool:
    """Tell whether a message asks for what was before, or for earlier versions."""
    if _BEFORE.found(text) or _VERSIONS.found(text):
        return True
    last = text[-_TAIL:]
    if _ENDS_SO.search(last) and _LAST_ASKED.search(last):
        return True
    return any(
        _is_habit(
            text[max(0, used.start() - _AROUND) : used.start()],
            text[used.end() : used.end() + _AROUND],
        )
        for used in islice(_USED_TO.finditer(text), _MOST_READ)
    )


def _is_habit(before: str, after: str) -> bool:
    """Tell whether "used to" between two texts says what was, and not what something is for.

    What lasts was so, whoever is spoken of. What is done was so where somebody did it: of a thing
    it says what that is for, also of one that somebody used ("the key I used to sign the file").
    """
    if _PASSIVE.search(before) or _NO_VERB.match(after):
        return False
    if _LASTS.match(after):
        return True
    if _MEANS.search(before) and _ON_SOMETHING.match(after):
        return False
    return _DOER.search(before) is not None
