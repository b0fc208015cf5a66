"""Names of people: given names in Latin letters, Chinese surnames, titles, and what is no name.

In: nothing. Out: word lists, read when first asked for. Names that are everyday words too are
marked apart, for a capital letter alone says nothing about them.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import stored_words, word_set

_GIVEN: Final = stored_words(__file__, "_GIVEN")

_PINYIN: Final = stored_words(__file__, "_PINYIN")

_SYLLABLES: Final = pattern(r"(?:(?:[bpmfdtnlgkhjqxzcsryw]|[zcs]h)?[aeiouü]{1,3}(?:ng?|r)?){1,3}\Z")

# Given names that are everyday words, places or months too: they need a surname or a clear cue.
_UNSURE_GIVEN: Final = word_set(stored_words(__file__, "_UNSURE_GIVEN"))

TITLES: Final = (
    r"Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Doctor|Sir|Madam|Madame|Captain|Capt|Coach|Uncle|Aunt"
    r"|Auntie|Grandma|Grandpa|President|Senator|Judge|Officer|Detective|Father|Sister|Brother"
    r"|Lady|Lord|Queen|King|Pastor|Rabbi|Herr|Frau|Señor|Monsieur|Signor"
)

# Capital letters by rule: days, months, languages, holidays, forms of address.
NOT_NAMES: Final = word_set(stored_words(__file__, "NOT_NAMES"))

# What may follow a Chinese surname or name: a title, which tells that it is one.
TITLES_ZH: Final = (
    "老师|经理|先生|女士|小姐|医生|大夫|教授|同学|主任|总监|博士|律师|局长|部长|院长|校长|老板|师傅|阿姨|叔叔|组长|科长|处长"
    "|主管|董事长|主席|书记|市长|省长|县长|教练|工程师|助理|编辑|导演|队长|班长|警官|法官|会计|护士|秘书|大哥|大姐|总裁|行长|董|总|哥|姐"
    "|叔|婶|爷爷|奶奶|大爷|大妈|导|局|工"
)

SURNAMES: Final = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱林何郭罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶余潘杜戴汪任"
    "姜范姚谭廖邹陆郝崔邱秦侯邵孟段尹贺赖龚庞樊殷翟倪俞葛聂马高"
)
UNSURE_SURNAMES: Final = frozenset(
    "金白康毛江史顾龙万雷钱汤黎易常武乔文兰施陶洪安颜严牛温芦季章鲁伍韦申尤毕丛焦柳邢岳齐梅莫庄辛祝左涂谷祁"
    "舒耿牟卜詹苗凌费纪靳盛童欧甄项曲阳裴屈鲍覃霍翁隋甘景司柏宁柯阮桂闵柴华冉古米池滕于田石钟夏方"
    "孔熊闻简薄阎肖邝佘麦区褚佟冼艾丘岑洛"
)
DOUBLE_SURNAMES: Final = frozenset(
    (
        "欧阳",
        "司马",
        "上官",
        "诸葛",
        "东方",
        "皇甫",
        "尉迟",
        "公孙",
        "慕容",
        "令狐",
        "宇文",
        "长孙",
        "司徒",
        "夏侯",
    )
)
# Tagged as names or built like names, but everyday words.
NOT_NAMES_ZH: Final = word_set(stored_words(__file__, "NOT_NAMES_ZH"))
# Known by heart, for the segmenter takes them for something else.
NICKNAMES_ZH: Final = word_set(stored_words(__file__, "NICKNAMES_ZH"))


@cache
def given_names() -> frozenset[str]:
    """Return given names, in lower case."""
    return frozenset(_GIVEN.split()) | _UNSURE_GIVEN


@cache
def sure_names() -> frozenset[str]:
    """Return the given names that are nothing else, in lower case."""
    return frozenset(_GIVEN.split()) - _UNSURE_GIVEN


@cache
def pinyin_surnames() -> frozenset[str]:
    """Return Chinese surnames in Latin letters, in lower case."""
    return frozenset(_PINYIN.split())


def is_pinyin_name(one: str, two: str) -> bool:
    """Tell whether two words are a Chinese name in Latin letters, surname first or last."""
    both = bool(_SYLLABLES.match(one) and _SYLLABLES.match(two))
    known = one in pinyin_surnames() or two in pinyin_surnames()
    return both and known and one not in NOT_NAMES and two not in NOT_NAMES
