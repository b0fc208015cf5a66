"""The words that tell how a message wants to be answered: word for word, by whom, how new.

In: a message, its traditional characters read as simplified ones. Out: yes or no for each flag of
the cues. By words alone, in Chinese and English. Asking how it was has a module of its own.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from smartbrain.text.pattern import pattern

_I: Final = re.IGNORECASE
_TRADITIONAL: Final = str.maketrans(
    "個這連結檔倉庫網說過話總繼續錄誰嗎麼為什對較資從來還會議講問給寫們後曾聽聯絡點頁鏈項剛條輪復複訴談幾請",
    "个这连结档仓库网说过话总继续录谁吗么为什对较资从来还会议讲问给写们后曾听联络点页链项刚条轮复复诉谈几请",
)
_LATIN: Final = pattern("[A-Za-z]")

_TOLD_EN: Final = (
    "said|told|suggested|recommended|mentioned|advised|proposed|gave|listed|wrote"
    "|answered|promised|explained|described|provided|shared|showed|replied"
)
_TELL_EN: Final = (
    "say|tell|suggest|recommend|mention|advise|propose|give|list|write|answer|promise|explain"
    "|describe|provide|share|show|reply|call"
)


class TwoTongues(NamedTuple):
    """One question to a text, in English and in Chinese words."""

    en: re.Pattern[str]
    zh: re.Pattern[str]

    def found(self, text: str) -> bool:
        """Tell whether either language says it."""
        if _LATIN.search(text) and self.en.search(text):
            return True
        return not text.isascii() and self.zh.search(text) is not None


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

_SAYS_EN: Final = (
    rf"(?:{_TOLD_EN}|{_TELL_EN}|ask(?:ed)?|wrote|sen[dt]|meant?|typed?|post(?:ed)?|decided?|agreed?"
    r"|t(?:alk(?:ed|ing)?|elling)|sp(?:eak|oke)|discuss(?:ed|ing)?|cover(?:ed|ing)?|saying|asking"
    r"|doing)"
)
_WE_EN: Final = "(?:i|we|you)(?:'ve|'d|'re|'m| have| had| were| was| are| am)?"
_WHAT_EN: Final = r"\b(?:what|which|who|where|when|why|how)(?: \w+){0,3}?"
_LAST_EN: Final = "(?:very )?(?:last|previous|preceding|prior)"
_SAID_EN: Final = "(?:messages?|questions?|answers?|repl(?:y|ies)|responses?|sentences?|turns?)"
_AGO_EN: Final = "(?:just now|an? (?:moment|second|minute) ago|last|before (?:that|this))"
_AGAIN_EN: Final = r"(?: (?:again|once more|one more time|please|for me|to me))*\W*\Z"
_PLEASE_EN: Final = r"\A\W*(?:(?:please|sorry|can you|could you|would you|will you|and|so|ok) )*"
_WE_ZH: Final = "(?:我们?|你们?|您|咱们?)"
_SAYS_ZH: Final = "(?:说|聊|讲|问|谈|提|讨论|回答|回复|告诉|答|写)"
_WHICH_ZH: Final = "(?:什么|啥|哪|谁|几|多少|怎么)"
_OPENING_ZH: Final = (
    "(?:请问?|麻烦|那|嗯|所以|对了|记得|忘了|告诉我|帮我|给我|把|再|能不能|可以|能|还){0,6}"
)
_JUST_ZH: Final = (
    rf"(?:\A\W*+{_OPENING_ZH}|{_WE_ZH}){_WE_ZH}?(?:刚[才刚]?|方才)(?:的时候)?{_WE_ZH}?"
)
_ONE_ZH: Final = (
    "(?:上一?|前一?|最后一?)(?:句话?|条(?:消息|信息)?|轮对?话?|个?问题|个?回答|个?回复|次回答)"
)

LAST_TURNS: Final = TwoTongues(
    pattern(
        # "the library you just named" is about the library, "what you just named" is about this.
        rf"{_WHAT_EN} (?:did|have|had|were|was|are|am) (?:i|we|you) (?:only )?just {_SAYS_EN}\b"
        rf"|\bwhat {_WE_EN} (?:only )?just {_SAYS_EN}\b"
        rf"|{_WHAT_EN} (?:did|have|had|were|was) (?:i|we|you) {_SAYS_EN}"
        rf"(?: \w+){{0,4}}? {_AGO_EN}\b"
        rf"|\bwhat(?:'s| is| was| were) (?:my|your|our|the) {_LAST_EN} (?:\w+ )?{_SAID_EN}\b"
        r"(?! (?:of|in|on|from|at) the\b)"
        rf"|\bwhat (?:did|does) (?:my|your|our|the) {_LAST_EN} {_SAID_EN} (?:say|mean|ask|tell)\b"
        rf"|\bwhat(?:'s| is| was| were) the {_LAST_EN} (?:\w+ ){{1,2}}?(?:that )?{_WE_EN}"
        rf" (?:just )?{_SAYS_EN}\b"
        rf"|{_PLEASE_EN}(?:repeat|say|tell me|write|send|show me) (?:(?:my|your|our|the) {_LAST_EN}"
        rf" {_SAID_EN}|what {_WE_EN} (?:just )?{_SAYS_EN}){_AGAIN_EN}"
        rf"|{_PLEASE_EN}repeat(?: (?:that|it|this|yourself))?{_AGAIN_EN}"
        rf"|{_PLEASE_EN}(?:say|tell me|write|send) (?:that|it|this)"
        rf" (?:again|once more|one more time){_AGAIN_EN}"
        rf"|{_PLEASE_EN}(?:what did (?:you|i|we) (?:just )?say|what was that|come again"
        rf"|where were we|what were we (?:just )?(?:talking about|discussing|saying)){_AGAIN_EN}",
        _I,
    ),
    pattern(
        rf"{_JUST_ZH}(?:都|在|又|跟[你我]|和[你我]){{0,4}}{_SAYS_ZH}"
        rf"(?:到|过|了|完|给?[你我]|的?(?:都?是|话是)|的|些){{0,6}}{_WHICH_ZH}"
        rf"|{_JUST_ZH}{_SAYS_ZH}(?:到|过)?的(?:那|这)?[^，。？！\s]{{0,6}}?(?:是|在|叫)"
        r"(?:哪|谁|多少|几|(?:什么|啥)(?:名字|地方|来着))"
        rf"|(?:\A\W*+{_OPENING_ZH}|{_WE_ZH}(?:们|的)?){_ONE_ZH}"
        rf"(?:都|又|是|{_SAYS_ZH}|的|了|到){{0,6}}(?:什么|啥|哪|来着|怎么{_SAYS_ZH}|\W*\Z)"
        rf"|(?:\A\W*+|{_WE_ZH}(?:们)?)(?:刚[才刚]?)?{_SAYS_ZH}到(?:哪|什么地方)"
        rf"|\A\W*+{_OPENING_ZH}(?:{_WE_ZH}|刚[才刚]?|{_ONE_ZH}|{_SAYS_ZH}|的|那|这|句?话|一?句){{0,8}}"
        r"(?:再|重新)(?:给我|跟我)?(?:说|讲|念|发|重复|回答)(?:一?[遍次下])(?:吧|吗|好吗|行吗|可以吗)?\W*\Z"
        rf"|\A\W*+{_OPENING_ZH}重复(?:一[下遍次])?(?:{_WE_ZH}|刚[才刚]?|{_ONE_ZH}|{_SAYS_ZH}|的|那|这|句?话){{0,8}}\W*\Z"
    ),
)
"""Whether a sentence asks for what was said in the last turns, and not for what that is about."""

OURS: Final = TwoTongues(pattern(r"\b(?:i|we|you|me|us|my|our|your)\b", _I), pattern("我|你|您|咱"))
"""Whether somebody speaks of themselves or of whom they talk to."""

_ASKING: Final = pattern(
    r"\b(?:what|which|who|whom|whose|when|where|why|how)(?:ever)?(?:['’]s)?\b"
    "|[为為]?什[么麼](?:时候|時候)?|[为為][何啥]|啥|[谁誰]|哪(?![吒怕])[里裡儿兒个個些位家天年月种種一]?"
    "|怎[么麼样樣]+|如何|多少|多久|(?<!茶)[几幾][个個点點时時号號岁歲次天年月]|何[时時地处處]"
    r"|[吗嗎呢](?=\W|\Z)",
    _I,
)

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


def without_asking(text: str) -> str:
    """Return a text without the words that only ask, such as what, 什么 and 哪里."""
    return _ASKING.sub(" ", text)


def languages_asked(text: str) -> tuple[str, ...]:
    """Return the languages that sources are asked to be in; an answer's language is none."""
    return tuple(code for code, words in _LANGUAGES if words.found(text))
