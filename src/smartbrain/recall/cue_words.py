"""The words that tell how a message wants to be answered: how it was, word for word, by whom.

In: a message, its traditional characters read as simplified ones. Out: yes or no for each flag of
the cues. By words alone, in Chinese and English; a word that means something else in a fixed
saying (used to it, 原来如此, before Friday) does not count.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from smartbrain.text.pattern import pattern

_I: Final = re.IGNORECASE
_TRADITIONAL: Final = str.maketrans(
    "個這連結檔倉庫網說過話總繼續錄誰嗎麼為什對較資從來還會議講問給寫們後曾聽聯絡點頁鏈項",
    "个这连结档仓库网说过话总继续录谁吗么为什对较资从来还会议讲问给写们后曾听联络点页链项",
)
_LATIN: Final = pattern("[A-Za-z]")

_TALK_ZH: Final = (
    "说|聊|谈|讨论|提到|提过|提及|讲|问|发|给|写|推荐|建议|分享|介绍|告诉|回答|看过|见过"
)
_STATE_ZH: Final = (
    "是|在|住|用|叫|喜欢|讨厌|爱|的(?!时候)|怎么|做|当|待|养|开|吃|喝|租|穿|买|上班|工作|公司|负责"
    "|选|定|学|读|玩|常|一直|都|还|认为|觉得|想|打算|计划"
)
_TOLD_EN: Final = (
    "said|told|suggested|recommended|mentioned|advised|proposed|gave|listed|wrote"
    "|answered|promised|explained|described|provided|shared|showed|replied"
)
_TELL_EN: Final = (
    "say|tell|suggest|recommend|mention|advise|propose|give|list|write|answer|promise|explain"
    "|describe|provide|share|show|reply|call"
)
# Looked at after the words are found: at every place in a text it would cost more than all else.
_PASSIVE: Final = "".join(
    rf"(?<!{word} used to)"
    for word in (r"\bis", r"\bare", r"\bwas", r"\bwere", r"\bbe", r"\bbeen", r"\bbeing", r"\bget")
) + "".join(
    rf"(?<!{word} used to)" for word in (r"\bgot", r"\bgetting", r"\bcan", "'s", "'m", "'re")
)
_TIME_BEFORE: Final = "".join(
    rf"(?<!{word} before)" for word in ("day", "days", "week", "night", "year", "month", "hour")
)
_DATED_ZH: Final = "(?<![年月周天日号点时钟分末底初个]..)(?<!周[一二三四五六]..)"


class TwoTongues(NamedTuple):
    """One question to a text, in English and in Chinese words."""

    en: re.Pattern[str]
    zh: re.Pattern[str]

    def found(self, text: str) -> bool:
        """Tell whether either language says it."""
        if _LATIN.search(text) and self.en.search(text):
            return True
        return not text.isascii() and self.zh.search(text) is not None


HISTORY: Final = TwoTongues(
    pattern(
        rf"\bused to\b{_PASSIVE}|(?:\A|\b(?:where|what|how|who|when) )did (?:\w+ ){{1,3}}use to\b"
        r"|\bpreviously\b|\bformerly\b"
        r"|\boriginally\b|(?:\A|\b(?:the|my|our|his|her|its|their) )history of\b"
        r"|\bin the past\b(?! (?:few|couple|year|month|week|day|hour|decade|\d|one|two"
        r"|three|four|five|six))"
        r"|\bback then\b|\bin those days\b"
        r"|\b(?:previous|former|old) (?:address|job|name|version|phone|number|employer|company|boss"
        r"|plan|role|team|school|home|flat|apartment|house|car|laptop|password|email|title|value"
        r"|setting|settings|decision|preference|salary|position)\b"
        r"|\bbefore (?:i|we|he|she|they) (?:moved|switched|changed|joined|left|started|quit|got)\b"
        rf"|\bbefore{_TIME_BEFORE}\s*(?:[?.!,]|\Z)",
        _I,
    ),
    pattern(
        rf"曾经|曾(?=在|是|用|住)|从前|当初|早先|历史(?:版本|记录|变更|上的)|变更历史|的历史"
        rf"|以前{_DATED_ZH}(?!{_TALK_ZH})|[之先]前{_DATED_ZH}(?={_STATE_ZH})"
        rf"|原[来先](?=的|在|住|用|叫|喜欢|那|打算|计划|想|定)|原先|过去(?=是|住|用|叫|喜欢|的)"
        r"|旧(?:地址|版本?|号码|密码|公司|手机|电脑|方案|计划|名字|邮箱|职位|单位|家)"
    ),
)
"""Whether the person asks how it was."""

ORIGINAL: Final = TwoTongues(
    pattern(
        r"\bexact(?:ly)? (?:words?|wording|quotes?|phrasing|text|sentence|message)\b|\bverbatim\b"
        r"|\bword[- ]for[- ]word\b|\bdirect quotes?\b"
        r"|\bin (?:my|his|her|their|your|our) own words\b"
        r"|\bquot(?:e|ing|ed) (?:me|him|her|them|us|what|exactly|the|my|his|their|your|from|back)\b"
        r"|\boriginal (?:text|wording|message|words?|quotes?|sentence|passage)\b"
        r"|\bwith (?:citations?|quotes|quotations|references)\b|\bcite\b",
        _I,
    ),
    pattern(
        "原文|原话|原句|原始(?:消息|记录|文本|对话)|逐字|一字不[差漏改]|带(?:上)?引用|附(?:上)?引用"
        "|引用(?:出来|一下|我|他|她|你|当时)|怎么说的来着|具体(?:是)?怎么说的"
    ),
)
"""Whether the person asks for the words as they were said."""

ASSISTANT: Final = TwoTongues(
    pattern(
        rf"\byou(?:'d| had| have|'ve)?(?: just| also| previously| once| already| earlier)?"
        rf" (?:{_TOLD_EN})\b(?! to (?:me|us)\b.*\bwill\b)"
        rf"|\bdid you (?:just |also |previously )?(?:{_TELL_EN})\b"
        r"|\byour (?:previous|last|earlier|first|original|prior) (?:answer|suggestions?|advice|list"
        r"|recommendations?|reply|response|message|explanation|tips?|plan|idea)\b",
        _I,
    ),
    pattern(
        r"你(?:之前|上次|上回|刚才|刚刚|昨天|前天|以前|曾经?|先前|那天|当时|早上|上周|前面)[^，。？！,?!\n]{0,6}?"
        r"(?:说|建议|推荐|提|讲|回答|告诉|给|写|列|答应|介绍|解释|发)"
        r"|你(?:说|提到|讲|回答|写|列|介绍|解释|告诉我|给我|给|答应)(?:过|的(?!对|没错|有道理|是吧)|了什么|了哪)"
        r"|你(?:是)?(?:怎么|如何)(?:说|回答|建议|解释|讲)的?"
        r"|你(?:建议|推荐)(?!一[个下些本部]|几|我?怎么|我?如何|吗|什么|哪|点)"
        r"|你的(?:建议|推荐|回答|回复|说法|方案)是(?:什么来着|啥来着)"
    ),
)
"""Whether the person asks what the assistant said."""

NEWEST: Final = TwoTongues(
    pattern(r"\b(?:most recent(?:ly)?|latest|newest|up[- ]to[- ]date)\b", _I),
    pattern("最新|最近(?:的)?(?:一次|一回|那次)|最后一次"),
)
"""Whether the person asks for the newest of something, however long ago it was."""

_LANGUAGES: Final = (
    (
        "zh",
        TwoTongues(
            pattern(
                r"\bchinese(?:-language)? (?:documents?|docs|sources?|papers?|articles?|pages?"
                r"|notes?|texts?|materials?|websites?|posts?)\b|\bwritten in chinese\b",
                _I,
            ),
            pattern("[中汉](?:文|语)的?(?:资料|文档|文献|论文|来源|网页|文章|材料|笔记|网站)"),
        ),
    ),
    (
        "en",
        TwoTongues(
            pattern(
                r"\benglish(?:-language)? (?:documents?|docs|sources?|papers?|articles?|pages?"
                r"|notes?|texts?|materials?|websites?|posts?)\b|\bwritten in english\b",
                _I,
            ),
            pattern("英(?:文|语)的?(?:资料|文档|文献|论文|来源|网页|文章|材料|笔记|网站)"),
        ),
    ),
)


def simplified(text: str) -> str:
    """Return a text of the same length with simplified characters where words are looked for."""
    return text if text.isascii() else text.translate(_TRADITIONAL)


def languages_asked(text: str) -> tuple[str, ...]:
    """Return the languages that sources are asked to be in; an answer's language is none."""
    return tuple(code for code, words in _LANGUAGES if words.found(text))
