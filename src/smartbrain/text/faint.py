"""The terms of a query that say too little to be found by alone: what greets, and bare characters.

In: a message, and the terms that it was cut into. Out: those that only add to the score of what
holds a telling one as well. A single character of a longer Chinese run is mostly a part of a word:
好 of 你好 does not ask for 修好了. It tells if it is a word that people say by itself, such as 猫.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.tokenise import query_terms

_CHARACTERS: Final = frozenset(
    "的了着过地得之吗呢吧啊呀哦噢嗯呃啦嘛哈哟哇呗嘿喂哎唉么我你您他她它们咱这那哪谁啥什怎几是不没有在和与及或跟对把被给"
    "让向从到于为以因所而但就都也还又再才只很太更最真挺好一个些点下上里来去要想会能可说看做行见儿如则其此每各等时候样"
    "种次今请谢先走"
    "著過嗎噢啦嘛喲們這誰幾沒對給讓從為還個點裡來會說見兒則樣種請謝時"
)
"""Characters that hold a sentence together; two of them side by side say no more than one."""

_SAY_LITTLE: Final = frozenset("人事天年月日号叫用打开问知弄搞回出进起完成发变")
"""What a segmenter takes for a word, and nobody looks for."""

_WORDS_OF_ONE: Final = frozenset(
    "猫貓狗鱼魚鸟鳥鸡雞鸭鴨鹅鵝猪豬牛羊兔龟龜蛇鼠车車船房钱錢书書药藥病茶酒饭飯菜肉奶糖盐鹽汤湯粥蛋虾蝦蟹"
    "树樹床灯燈锁鎖伞傘鞋帽裤褲裙琴棋画畫歌舞票楼樓桥橋爸妈媽哥姐弟妹爷爺叔姨舅婆孙孫"
    "牙腿脚腳腰胃肝肺烟煙刀枪槍笔筆碗杯瓶盒箱袋"
)
"""Words of one character for what people have, eat, wear, and for whom they live with."""

_COURTESIES: Final = pattern(
    r"\b(?=[bghosty])(?:hello|hi|hey|hiya|thanks?(?: you)?|thx|ok(?:ay)?|(?:good)?bye|today"
    r"|good (?:morning|afternoon|evening|night)|see you|you(?:'|’)?re welcome)\b"
    "|[你您]们?好|大家好|哈[喽囉]|[谢謝]{2}[你您]?|[多感][谢謝]|不客[气氣]|再[见見]|拜拜|早安|晚安"
    "|[早晚]上好|[上中下]午好|[没沒][关關][系係]|[没沒]事|今[天日]",
    re.IGNORECASE,
)
"""What is said to anybody at any time; today is another day each time."""


def without_courtesies(text: str) -> str:
    """Return a text without the words that only greet, thank or say that it is today."""
    return _COURTESIES.sub(" ", text)


def faint_terms(text: str, terms: Iterable[str], singles: Iterable[str]) -> frozenset[str]:
    """Return the terms of a query that nothing is found by unless it holds others too.

    Args:
        text: the message that is looked for.
        terms: what it and all that widens it were cut into.
        singles: those of them that are single characters of a longer run.
    """
    faint = {term for term in terms if bare(term)}
    about = without_courtesies(text)
    if about != text:
        faint.update(one.term for one in query_terms(text))
        faint.difference_update(one.term for one in query_terms(about) if not bare(one.term))
    loose = set(singles) - _WORDS_OF_ONE
    if loose:
        faint |= loose - {word for word, kind in tag(text) if _is_telling(word, kind)}
    return frozenset(faint)


def bare(term: str) -> bool:
    """Tell whether a term is made of nothing but characters that hold a sentence together."""
    return _CHARACTERS.issuperset(term)


def _is_telling(word: str, kind: str) -> bool:
    """Tell whether a segmenter found a thing or a deed in a single character."""
    return (
        len(word) == 1
        and kind.startswith(("n", "v"))
        and word not in _CHARACTERS
        and word not in _SAY_LITTLE
    )
