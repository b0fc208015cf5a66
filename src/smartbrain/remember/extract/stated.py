"""The clauses of a sentence that its speaker stands behind (C1, C6).

In: a sentence with its clauses in their moods. Out: those clauses that state something even where
another clause asks, supposes or tells what others say: "I live in Lyon, where can I eat?". What
follows a condition, an example or "she said:" is not stated; neither is irony.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.said import Clause, Sentence
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE

_IRONY: Final = sign(
    r"\A\W*(?:oh,? (?:sure|great|yes|yeah|wonderful|lovely|joy)|yeah,? (?:right|sure)"
    r"|great, another"
    r"|just great|wow, (?:thanks|great)|sure, because|as if\b)"
    r"|\b(?:best feeling ever|said no ?(?:one|body) ever|just what i needed|how delightful|not!\Z"
    r"|just kidding|/s\Z)"
    r"|\A\W*(?:呵呵|哼|切[，,]|可不是嘛|是啊是啊|好家伙)|可太(?:喜欢|爱)|真是太(?:喜欢|爱)|我谢谢"
    r"|开玩笑的|逗你(?:的|玩)",
    _I,
)
# Whatever comes after one of these belongs to it.
_OPENS: Final = pattern(
    r"\b(?:if|suppose|supposing|imagine|assuming|pretend|for example|for instance|e\.g|say"
    r"|let'?s say"
    r"|wish|what if|as if|according to)\b"
    r"|如果|要是|假如|假设|万一|倘若|除非|比如|例如|打个比方|的话|早知道|据说|听说|据报道|换作"
    r"|换成是",
    _I,
)
# "As for editors": no condition, though it is spelled like one.
_AS_FOR: Final = pattern(
    r"\A(?:那|关于|至于|说到|论|要说|要论)?(?:我(?:个人|自己)?|个人|编辑器|浏览器|语言|编程语言"
    r"|系统|电脑|手机|软件"
    r"|工具|主题|字体|颜色|缩进|代码风格|代码|笔记|写作|格式|邮件|回答|回复|吃的?|喝的?|饮料"
    r"|口味|饮食|咖啡|茶|酒|水果|菜"
    r"|早餐|早饭|午饭|晚饭|零食|甜品|音乐|歌|听歌|电影|书|看书|小说|游戏|运动|健身|爱好|旅行"
    r"|旅游|座位|酒店|住宿|交通|出行"
    r"|衣服|穿衣|工作|职业|老家|家乡|学历|专业|年龄|名字|宠物)(?:方面|上)?的话\W*\Z"
)
_SPEAKS: Final = pattern(
    r"(?:say|says|said|saying|like|goes|wrote|writes|asked|told (?:me|us)|claims?|thinks?"
    r"|thought)\W*\Z"
    r"|(?:说|讲|道|写着|写道|喊|问|觉得|认为|表示)(?:了|过|的)?\W*\Z",
    _I,
)
# 客户说他在腾讯工作，预算是50万: what follows was said as well, unless it is the user's.
_TOLD: Final = sign(
    r"\b(?:says?|said|claims?|claimed|told|mentioned)\b|说|告诉|提到|听说|据说|据悉", _I
)
_OWN: Final = pattern(
    r"\b(?:i|i['’]\w+|we|we['’]\w+|my|our|me|us|let['’]?s|please|remember|so|therefore|because|need"
    r"|needs|must|should|todo)\b|[我咱请]|记[得住]|需要|[得要]|应该|必须|所以|因此|于是|因为|最好|别忘",
    _I,
)
_TURNS: Final = pattern(
    r"\A(?:but|however|yet|anyway|still)\b|\A(?:但|不过|可是|然而|反正|而我|我自己|至于我)", _I
)
_TAG: Final = pattern(
    r"\A\W*(?:right|correct|no|(?:am|are|is|was|were|do|does|did|have|has|had|can|could|will|would"
    r"|should)(?:n['’]?t)? (?:i|we|you|he|she|it|they|that|there)|对吧|是吧|对吗|对不对|是吗"
    r"|是不是)\W*\Z",
    _I,
)


def stated_clauses(sentence: Sentence) -> tuple[Clause, ...]:
    """Return the clauses that the speaker states, in their order."""
    if _IRONY.search(sentence.text):
        return ()
    if sentence.mood is Mood.STATED:
        return tuple(clause for clause in sentence.clauses if clause.mood is Mood.STATED)
    stated: list[Clause] = []
    opened = told = False
    for clause in sentence.clauses:
        if opened and not _TURNS.match(clause.text):
            continue
        told = _is_told(clause, told)
        opened = _SPEAKS.search(clause.text) is not None or (
            clause.mood in (Mood.SUPPOSED, Mood.REPORTED)
            and _OPENS.search(clause.text) is not None
            and not _AS_FOR.match(clause.text)
        )
        if clause.mood is Mood.STATED and not opened and not told:
            stated.append(clause)
        elif stated and clause.mood is Mood.ASKED and _TAG.match(clause.text):
            stated.pop()
    return tuple(stated)


def _is_told(clause: Clause, before: bool) -> bool:
    """Tell whether a clause says what somebody else said, or goes on with that."""
    if clause.mood is Mood.REPORTED:
        return _TOLD.search(clause.text) is not None
    return before and not _TURNS.match(clause.text) and not _OWN.search(clause.text)
