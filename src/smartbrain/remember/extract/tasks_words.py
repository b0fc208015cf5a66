"""The verbs of tasks, in English and Chinese, and the plain form of an English verb.

In: a word. Out: whether it does a piece of work, and its plain form ("migrating" and "migrated"
are "migrate"). Only verbs of work are here: nobody has a task to sleep, to admit or to feel.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from smartbrain.remember.extract.wording import latin_words
from smartbrain.text.word_list import stored_words, word_set

_WORK: Final = stored_words(__file__, "_WORK")
VERBS: Final = frozenset(_WORK.split())
"""The plain forms of what people put on lists."""

# What is over with its doing, so that "I already …" tells of a task and not of a life.
_LASTING: Final = stored_words(__file__, "_LASTING")
FINISHING: Final = VERBS - frozenset(_LASTING.split())
"""Verbs of work that is over when it is done."""
ERRANDS: Final = word_set(stored_words(__file__, "ERRANDS"))
"""Verbs of what somebody is reminded of, and no assistant is told to do on the way."""
KINDS: Final = word_set(stored_words(__file__, "KINDS"))
"""Words in -ing that also tell of what kind a thing is: a shopping list, a booking page."""

_IRREGULAR: Final = {
    "sent": "send",
    "paid": "pay",
    "wrote": "write",
    "written": "write",
    "rewritten": "rewrite",
    "rewrote": "rewrite",
    "built": "build",
    "rebuilt": "rebuild",
    "set": "set",
    "cut": "cut",
    "bought": "buy",
    "got": "get",
    "made": "make",
    "found": "find",
    "done": "do",
    "did": "do",
    "gave": "give",
    "given": "give",
    "took": "take",
    "taken": "take",
    "drew": "draw",
    "drawn": "draw",
    "laid": "lay",
    "hung": "hang",
    "sold": "sell",
    "put": "put",
    "met": "meet",
    "redone": "redo",
    "shot": "shoot",
    "reset": "reset",
    "rang": "ring",
    "split": "split",
    "ran": "run",
    "run": "run",
    "brought": "bring",
    "told": "tell",
    "mown": "mow",
    "chosen": "choose",
    "chose": "choose",
    "swept": "sweep",
    "taught": "teach",
}
_VOWELS: Final = frozenset("aeiou")
_STRESSED_LAST: Final = frozenset(("submit", "resubmit", "transfer", "scrub", "split", "format"))
_STRESSED_FIRST: Final = frozenset(("edit", "open", "iron"))


@cache
def _gerunds() -> dict[str, str]:
    return {_inflected(verb, "ing"): verb for verb in VERBS}


@cache
def _pasts() -> dict[str, str]:
    return {_inflected(verb, "ed"): verb for verb in VERBS} | _IRREGULAR


def _inflected(verb: str, ending: str) -> str:
    """Return the regular form of a verb with an ending."""
    if verb.endswith("e"):
        return verb[:-1] + ending
    if verb.endswith("y") and ending == "ed" and verb[-2] not in _VOWELS:
        return f"{verb[:-1]}ied"
    closed = verb[-1] not in "aeiouwxyh" and verb[-2] in _VOWELS and verb[-3] not in _VOWELS
    doubles = closed and (len(verb) < 5 or verb in _STRESSED_LAST) and verb not in _STRESSED_FIRST
    return verb + verb[-1] * doubles + ending


def of_gerund(word: str) -> str | None:
    """Return the plain form of a word in -ing that does work, else None."""
    return _gerunds().get(word.lower())


def of_past(word: str) -> str | None:
    """Return the plain form of a past form of a verb of work, else None."""
    return _pasts().get(word.lower())


_TELLING: Final = stored_words(__file__, "_TELLING")


@cache
def _telling() -> frozenset[str]:
    return frozenset(_TELLING.split()) | _pasts().keys()


def tells(text: str) -> bool:
    """Tell whether an English word of a text may tell of a task; most texts have none."""
    return not _telling().isdisjoint(latin_words(text))


# Longer ones first where one begins another.
VERBS_ZH: Final = (
    "整理|准备|提交|完成|更新|更换|更改|修复|修改|修正|修订|修理|打电话|打印|打扫|打包|联系|预约"
    "|预订|预定"
    "|续签|续费|续保|续租|续约|申请|报名|报销|报税|测试|部署|迁移|重构|重写|重做|重装|重置|实现"
    "|开发"
    "|设计|审核|审批|审查|审阅|跟进|安排|确认|通知|回复|回信|回电|清理|清点|清洗|收拾|检查|备份"
    "|升级|合并|接入"
    "|对接|填写|签署|签字|签|翻译|总结|汇报|面试|参加|复印|扫描|下载|上传|安装|配置|调试|排查|优化"
    "|梳理|核对|核实|对账|退货|退款|退|拿|送|接|起草|撰写|编写|拟定|拟|制定|制作|采购|订购|购买"
    "|挑选|验收|盘点"
    "|搭建|搭|录入|录制|录|剪辑|剪|导出|导入|导|标注|校对|校准|归档|存档|补充|补齐|补交|补|解决"
    "|处理|落实"
    "|评审|评估|调研|走访|拜访|催|盖章|缴费|缴纳|缴|付款|支付|付|转账|还款|还|充值|办理|办|交给|交"
    "|写|改|买"
    "|订|约|寄|发给|发|做|修|换|取|搬|查|补办|填|装|配|测|画|排|跑|调|删除|删|加|搞|弄|种|洗|擦|缝"
    "|裁|喷|刷"
    "|铺|砌|贴|印|拍|找|选|租|招|培训|学完|复习|背|读完|看完|清|扔|挂|卖|谈|问清楚|问|review|merge"
    "|fix|deploy"
    "|refactor|update|release|submit|push|check|debug|test|migrate|setup|set up|sync|commit"
    "|follow up|book|call|email|训练|跑一?趟|领|挂号|盘|补|批改|核算|浇|喂|拆|扫|晒|熨|申报|备案"
    "|登记|注销"
    "|取消|退订|退掉|搬家|备课|出题|阅卷|带|陪|接种|体检|复查|拆线|年检|保养|加油卡|充|续|请假"
    "|兑换|汇款|转给|倒垃圾|遛"
)
"""Verbs of work as an alternation for a pattern."""

ERRANDS_ZH: Final = (
    r"(?:去|来|回家|下班|顺便|顺路|再|先|要|把|\s)*(?:买|订|约|寄|交(?!代|互|叉|替)|缴|付|还(?!是|有|要)|取|领|拿|接(?!口|入|下)|送|带(?!有|上注)|打电话|打扫|预约|预订|预定|报名|报销|报税|报到"
    r"|续|充|退|办|洗|晒|浇|喂|遛|倒垃圾|扔垃圾|关(?:灯|门|窗|煤气|空调|火)|锁门|挂号|体检|复查|请假|打卡|签到|签字|搬|收拾|修车|修理|加油(?=\Z|站)|提交|发邮件|发货|发工资"
    r"|回(?:电话|邮件|信|复)|联系|通知|参加|开会|续费|转账|汇款|盖章|备份|[给跟帮替](?!我|出|你).{1,10}(?:打|发|买|寄|送|带|回|说|约|转|交)"
    r"|.{1,10}?(?:交|发|寄|还|转|送|拿|带|取)(?:给|到|去|回|了|上去)|写(?=周报|日报|月报|报告|作业|论文|总结))"
)
"""The same in Chinese, with what may stand before it."""

DONE_ZH: Final = stored_words(__file__, "DONE_ZH")
"""Verbs that tell of finished work when 完 or 好 follows."""
