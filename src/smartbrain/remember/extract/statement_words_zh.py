"""The small words by which a Chinese clause is read: pronouns, negations, prepositions (C7).

In: nothing. Out: word lists for `statements_zh`, which says what they mean.
"""

from __future__ import annotations

from typing import Final

from smartbrain.domain.graph import EdgeType
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import word_set

COUNTED: Final = pattern(
    "[我你他她咱](?=[爸妈哥姐弟妹爷奶叔姨舅])|[一二两三四五六七八九十几]+[个只条本封台辆件张位名份部顿杯碗家篇](?=.)"
)
REQUEST: Final = pattern(
    r"\s*(?:请(?!了|假|客)|帮我|帮忙|麻烦|给我|替我|让我们|别|不要|不用|记得|记住|可以帮|能帮|能不能|可不可以|你|您)"
)
SPEAKER: Final = frozenset(("我", "我们", "咱们", "咱", "本人", "俺"))
PRONOUNS: Final = word_set(
    """
    他 她 它 他们 她们 它们 这 那 这个 那个 自己 谁 有人 没人 人家 别人 这里 那里 什么 哪里 怎么
    怎么办 怎样 怎么样 多少 哪 哪个 为什么 啥 几
    """
)
NEGATIONS: Final = word_set(
    """
    不 没 没有 未 从不 从来不 从未 从没 不再 并不 并没有 不会 不能 不想 没能 不肯 不愿意 没法
    无法 还没 还没有 不是 从来没 从来没有
    """
)
THINGS: Final = frozenset("车房书药菜酒茶票信狗猫")
"""Things that the segmenter often takes for something else, for they are one character."""
SKIPPED: Final = word_set(
    """
    也 都 还 就 才 已经 已 正在 正 刚 刚刚 刚才 又 再 会 能 能够 可以 要 得 必须 应该 一起 一直
    经常 常常 常 总是 每天 很 非常 特别 终于 一共 马上 立刻 今天 昨天 明天 偷偷 悄悄 突然 忽然
    最近 后来 然后 现在 以前 之前 于是 所以 但是 不过 而且 因为 其实 当时 平时 有时 有时候 偶尔
    仍然 仍 依然 居然 竟然 到底 确实 真的 只 只是 先 最后 最终 将要 快要 快 曾经 曾 顺便 赶紧
    认真 认真地 努力 地 好好 亲自 独自 一个人 连续 重新 主动 被迫 每周 每年 每个月 天天 一会儿
    一下 了 过 着 呢 啊 吧 嘛 们
    """
)
PLACED: Final = frozenset(("在", "于", "从", "到", "往"))
AROUND: Final = word_set(
    """
    里 里面 上 上面 中 下 下面 内 外 外面 旁 旁边 边 前 前面 后 后面 附近 门口 对面 之间 中间
    里头 那里 这里 那儿 这儿
    """
)
NO_PLACE: Final = word_set(
    """
    过程 情况 时候 问题 方面 基础 条件 前提 帮助 生活 工作 会议 时间 期间 状态 情形 原则 理论 心
    心里 脑子 意义 程度 其中 同时 一定 学习 此 于是
    """
)
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
NOT_VERBS: Final = word_set(
    """
    是 为 像 叫 姓 等于 属于 成为 变成 让 使 令 说 来说 看来 没 能 会 要 可能 应该 以为 知道 明白
    觉得 认为 记得 感觉 算 行 可以
    """
)
ABORTING: Final = word_set("是 像 叫 让 使 比 知道 明白 感觉 记得 算")
ENDINGS: Final = ("完", "好", "到", "掉", "出", "过", "了", "起来", "下来", "走")
MARKS: Final = frozenset("，,。.!！？?；;：:、（）()“”\"'…~ ")
# Verb and object in one word, of which the object is worth a name of its own.
GLUED: Final = word_set(
    """
    踢足球 打篮球 打网球 打排球 打羽毛球 打乒乓球 弹钢琴 弹吉他 拉小提琴 看电影 看电视 喝咖啡
    讲故事 写代码 写作业 听音乐 玩游戏
    """
)
# How something is done, without 地 after it.
MANNERS: Final = word_set(
    """
    偷偷 悄悄 认真 努力 好好 亲自 独自 一个人 主动 被迫 快速 迅速 慢慢 仔细 小心 轻轻 静静 默默 大声
    小声 匆匆 匆忙 单独 亲手 当面 私下 耐心 拼命 按时 准时 免费 远程 步行 逐步 小心翼翼
    """
)
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
