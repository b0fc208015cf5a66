"""The small words by which a Chinese clause is read: pronouns, negations, prepositions (C7).

In: nothing. Out: word lists for `statements_zh`, which says what they mean.
"""

from __future__ import annotations

from typing import Final

from smartbrain.domain.graph import EdgeType
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import stored_words, word_set

COUNTED: Final = pattern(
    "[我你他她咱](?=[爸妈哥姐弟妹爷奶叔姨舅])|[一二两三四五六七八九十几]+[个只条本封台辆件张位名份部顿杯碗家篇](?=.)"
)
REQUEST: Final = pattern(
    r"\s*(?:请(?!了|假|客)|帮我|帮忙|麻烦|给我|替我|让我们|别|不要|不用|记得|记住|可以帮|能帮|能不能|可不可以|你|您)"
)
SPEAKER: Final = frozenset(("我", "我们", "咱们", "咱", "本人", "俺"))
PRONOUNS: Final = word_set(stored_words(__file__, "PRONOUNS"))
NEGATIONS: Final = word_set(stored_words(__file__, "NEGATIONS"))
THINGS: Final = frozenset("车房书药菜酒茶票信狗猫")
"""Things that the segmenter often takes for something else, for they are one character."""
SKIPPED: Final = word_set(stored_words(__file__, "SKIPPED"))
PLACED: Final = frozenset(("在", "于", "从", "到", "往"))
AROUND: Final = word_set(stored_words(__file__, "AROUND"))
NO_PLACE: Final = word_set(stored_words(__file__, "NO_PLACE"))
MEASURES: Final = frozenset(("m", "q", "mq"))
NOUN_TAGS: Final = ("n", "vn", "eng", "j", "an", "s", "l", "i", "ng", "b", "a", "x", "t", "z")
SAYING: Final = word_set("说 告诉 认为 觉得 表示 提到 宣称 以为 听说 据说 透露")
CHAINED: Final = word_set(
    """
    want plan like hate try start stop promise refuse learn prefer
    """
)
TO_SOMEBODY: Final = word_set("送给 交给 发给 寄给 还给 借给 卖给 递给 留给")
MOVING: Final = word_set("drive ride walk run drive_car ride_bike")
SOCIAL: Final = word_set("meet speak argue discuss fight marry have_meeting")
BARE_VERBS: Final = frozenset("踢打吃喝看读写买卖做开学弹唱跳骑玩讲画洗修接送寄借拍听租养种拉遛下")
NOT_VERBS: Final = word_set(stored_words(__file__, "NOT_VERBS"))
ABORTING: Final = word_set("是 像 叫 让 使 比 知道 明白 感觉 记得 算")
ENDINGS: Final = ("完", "好", "到", "掉", "出", "过", "了", "起来", "下来", "走")
MARKS: Final = frozenset("，,。.!！？?；;：:、（）()“”\"'…~ ")
# Verb and object in one word, of which the object is worth a name of its own.
GLUED: Final = word_set(stored_words(__file__, "GLUED"))
# How something is done, without 地 after it.
MANNERS: Final = word_set(stored_words(__file__, "MANNERS"))
DEGREES: Final = frozenset(("很", "非常", "特别", "太", "挺", "十分", "真", "更", "最", "比较"))
BECAUSE: Final = frozenset(("因为", "由于", "因"))
CAUSING: Final = frozenset(("导致", "造成", "引起", "引发", "致使", "使得"))
RIDING: Final = frozenset(("坐", "乘", "乘坐", "搭", "搭乘"))
AND: Final = frozenset(("和", "跟", "与", "同", "、", "及"))
ROLES: Final = {
    "把": EdgeType.PATIENT,
    "将": EdgeType.PATIENT,
    "被": EdgeType.AGENT,
    "给": EdgeType.RECIPIENT,
    "向": EdgeType.RECIPIENT,
    "对": EdgeType.RECIPIENT,
    "为": EdgeType.BENEFICIARY,
    "替": EdgeType.BENEFICIARY,
    "帮": EdgeType.BENEFICIARY,
    "用": EdgeType.INSTRUMENT,
    "使用": EdgeType.INSTRUMENT,
    "和": EdgeType.AGENT,
    "跟": EdgeType.AGENT,
    "与": EdgeType.AGENT,
    "同": EdgeType.AGENT,
    "陪": EdgeType.BENEFICIARY,
    "通过": EdgeType.MANNER,
    **dict.fromkeys(RIDING, EdgeType.MANNER),
}
