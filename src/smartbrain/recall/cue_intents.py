"""What a message is after: an answer, the next step, a fault, a summary, research, or just a chat.

In: a message, its traditional characters read as simplified ones. Out: an `Intent`. What is asked
for by its verb comes before what a message is about: "summarise the errors" is a summary.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.domain.recall import Intent
from smartbrain.recall.cue_words import TwoTongues
from smartbrain.text.pattern import pattern

_I: Final = re.IGNORECASE
_LONGEST_CHAT: Final = 40  # characters

_BY_VERB: Final = (
    (
        Intent.SUMMARIZE,
        TwoTongues(
            pattern(
                r"\bsummar(?:y|i[sz]e|i[sz]ing|ies)\b|\brecap\b|\btl;?dr\b"
                r"|\bsum (?:it |this |that )?up\b"
                r"|\b(?:an|the|brief|quick) overview\b|\bwrap[- ]up\b|\bkey (?:points|takeaways)\b"
                r"|\bin a nutshell\b",
                _I,
            ),
            pattern("总结|概括|归纳|摘要|梳理一?下|回顾一?下|复盘|小结|概述|汇总|提炼|要点"),
        ),
    ),
    (
        Intent.CONTINUE_TASK,
        TwoTongues(
            pattern(
                r"(?:\A|[.!?,;]\s+|\b(?:please|let's|lets|can we|could we|can you"
                r"|could you|and|then|want to|now) )(?:continue|carry on|go on"
                r"|keep (?:going|working)|resume|proceed)\b"
                r"|\b(?:pick(?:ing)? up|left off|stopped) (?:from )?(?:where|last time|yesterday)"
                r"|\bwhere (?:we|i) (?:left off|stopped|were)\b|\bnext steps?\b"
                r"|\bwhat(?:'s| is) next\b"
                r"|\bwhat(?:'s| is) left\b|\bfinish (?:the rest|what we)\b",
                _I,
            ),
            pattern(
                r"(?:\A|[，。！？,;；\s请我们再来就])(?:继续|接着|接下来)(?!教育)|下一步|往下(?:做|写|走|推进)"
                r"|上次(?:做|写|弄|讲|说|聊)到|剩下的?(?:部分|工作|任务|步骤)|还[剩差]什么|没[做写弄]完"
            ),
        ),
    ),
    (
        Intent.DEBUG,
        TwoTongues(
            pattern(
                r"\bdebug(?:ging)?\b|\b(?:bug|error|exception|traceback|stack ?trace|segfault"
                r"|core dump|timeout|deadlock|memory leak)s?\b|\bcrash(?:es|ed|ing)?\b"
                r"|\btroubleshoot"
                r"|(?<![a-z0-9_])(?-i:[A-Z][A-Za-z]*(?:Error|Exception))(?![a-z0-9_])"
                r"|\b(?:not|isn't|n't|stopped) work(?:s|ing)?\b|\b(?:is|are|was|got|build) broken\b"
                r"|\bfail(?:s|ed|ing)? (?:to|with|on)\b|\b(?:build|tests?|deploy|ci|job) fail"
                r"|\bwon't (?:start|open|load|build|run|compile|connect|boot)\b"
                r"|\b(?:fix|diagnose) (?:the|this|that|my|it)\b|\broot cause\b",
                _I,
            ),
            pattern(
                "报错|错误[码信代]|出错|异常|崩溃|闪退|蓝屏|死机|卡死|死锁|内存泄漏|超时|调试|排查|排错|故障"
                "|堆栈|打不开|开不了|用不了|连不上|启动不了|不工作|跑不[起通]|编译不过|[构部]建失败|部署失败"
                "|(?:运行|编译|安装|启动|连接|测试|登录)失败|失灵|不生效|怎么修|修复|bug|Bug|BUG"
            ),
        ),
    ),
    (
        Intent.RESEARCH,
        TwoTongues(
            pattern(
                r"(?:\A|[.!?,;]\s+|\b(?:please|can you|could you|you to|want to|need to|let's"
                r"|and|then) )"
                r"(?:research|investigate|compare|look into|survey|explore)\b"
                r"|\b(?:do|some|more) research (?:on|about|into)\b"
                r"|\bcompar(?:e|ison|ing) (?:of|between)\b"
                r"|\b(?:pros and cons|state of the art|literature review|trade-?offs?)\b"
                r"|\bfind (?:me )?(?:some |any |the )?"
                r"(?:papers|sources|literature|articles|evidence)\b",
                _I,
            ),
            pattern(
                "调研|研究(?:一下|下|研究)|做(?:个|一个)?(?:对比|比较|分析)|对比(?:一下|下)|比较(?:一下|下)"
                "|(?:查|找|搜)(?:一?下|些|点|找)?(?:相关)?(?:资料|文献|论文)|文献综述|综述|优缺点|利弊|优劣"
                "|深入(?:了解|分析)|竞品"
            ),
        ),
    ),
)
_CHAT: Final = pattern(
    r"(?:(?:hi|hey|hello|hiya|yo|thanks?|thank you|thx|cheers|ok(?:ay)?|cool|nice|great|awesome"
    r"|perfect|lol|haha+|bye|goodbye|see you|good (?:morning|night|evening|afternoon|day|job)|sure"
    r"|well done|how are you(?: doing| today)?|how's it going|what's up|sup|wow|you're welcome"
    r"|no problem|sounds good|got it|so much|very much|a lot|there|again|everyone|all|for your help"
    r"|你好|您好|嗨|哈喽|在吗|早(?:上好|安)?|晚(?:上好|安)|下午好|中午好|谢谢(?:你|您)?|多谢|感谢|辛苦了?+|好的|好"
    r"|嗯++|哦++|哈{2,}+|呵呵|嘻嘻|再见|拜拜|明天见|不客气|没事|没问题|收到|知道了|明白了?+|厉害|真棒|太棒了?+|太好了"
    r"|不错|行|可以|吃了吗|最近怎么样|最近好吗|今天天气真?(?:好|不错)|无聊|么么哒|啊|呀|呢|吧|了|啦|哟|哇)[\W_]*+)+\Z",
    _I,
)
_WORDLESS: Final = pattern(r"\W*[\u231a-\u27bf\U0001f000-\U0001faff]\W*\Z")
_ASKS: Final = TwoTongues(
    pattern(
        r"[?]|(?:\A|[.!,;]\s+|\band )(?:what|when|where|who|whom|whose|which|why|how|is|are"
        r"|was|were|do|does|did|can|could|would|will|should|has|have|had|am)(?:'s|'re|'d|n't)?\b"
        r"|\b(?:what|when|where|who|which|why|how) (?:did|do|does|is|are|was|were|has"
        r"|have|can|should)\b"
        r"|\b(?:tell|remind|show) me\b|\bdo you (?:know|remember)\b|\bi (?:wonder|forgot|forget)\b",
        _I,
    ),
    pattern(
        "[?？]|什么|啥|谁|哪|几[个点时号岁年月天次]|多少|多[大久长远高]|怎么|怎样|如何|为何|为什么|是否|是不是"
        "|有没有|能不能|会不会|可不可以|[吗呢]\\s*\\Z|还记得|告诉我|提醒我|来着"
    ),
)


def intent_of(text: str, *, faults: bool = False) -> Intent:
    """Return what a message is after.

    Args:
        text: the message.
        faults: whether an error code is in it, which asks about a fault in any language.
    """
    stripped = text.strip()
    if not stripped:
        return Intent.OTHER
    if len(stripped) <= _LONGEST_CHAT and (_CHAT.match(stripped) or _WORDLESS.match(stripped)):
        return Intent.CHIT_CHAT
    for intent, words in _BY_VERB:
        if (faults and intent is Intent.DEBUG) or words.found(stripped):
            return intent
    return Intent.QA if _ASKS.found(stripped) else Intent.OTHER
