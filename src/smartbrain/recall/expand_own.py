"""What users ask of themselves and of what they have to do, in the words of the memories for it.

In: a message. Out: the names of attributes and types to look for beside it. "What is my job?" holds
no word of a profile that says `role: a nurse`, nor 还有什么没做 one of a task that is `todo`. Only
what is really asked counts: what my job id is, or what I need to do to deploy, is something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.recall.cue_words import TwoTongues
from smartbrain.text.pattern import pattern

_END: Final = (
    r"(?: (?:now|again|today|tomorrow|currently|these days|this week|next week|next|then|yet|so far"
    r"|please|at the moment|right now))*\W*\Z"
)
_JOB: Final = "(?:job|occupation|profession|career|line of work|job title|position|role|work)"
_OPEN: Final = "(?:open|outstanding|remaining|pending|unfinished|incomplete|undone|left|not done)"
_TASKS: Final = r"(?:tasks?|to-?dos?|todo items?|action items?|chores|errands)"
_TO_DO: Final = "(?:do|finish|complete|get done|take care of)"
_WHATS: Final = "what(?:['’]s| is)"

_NOW: Final = "(?:现在|目前|如今|到底|平时)?"
_WHAT: Final = "(?:什么|啥|哪些?|几|多少)"
_END_ZH: Final = r"(?:呢|呀|啊|吗|吧|来着)?\W*\Z"
_DO: Final = "(?:做|办|干|完成|处理|搞)"
_THING: Final = "(?:的?(?:事情?|任务|工作|活儿?|东西))?"

_ASKED: Final = (
    (
        "profile home",
        r"where (?:do|did|am) i (?:now )?(?:live|living|reside|based|stay)\b",
        rf"我{_NOW}(?:住|家)在?(?:哪|什么地方)|我{_NOW}在(?:哪|什么地方).{{0,2}}住",
    ),
    ("profile name role", r"who am i\b|what am i called\b", "我是谁|我叫(?:什么|啥)"),
    (
        "profile role employer",
        r"what (?:do|am) i do(?:ing)?(?: for (?:a living|work))?\s*\??\Z"
        rf"|(?:{_WHATS}|what was|know|remember|remind me of|about) my (?:current )?{_JOB}{_END}"
        r"|what (?:kind|sort|type) of (?:work|job) do i (?:do|have)\b|what do i work (?:as|in)\b",
        rf"我{_NOW}是(?:做|干)(?:什么|啥)|我的?(?:职业|工作)是"
        rf"|我的?(?:职业|工作|职务|职位|岗位){_END_ZH}|我的?(?:职业|职务|职位|岗位).{{0,3}}{_WHAT}"
        rf"|我{_NOW}(?:是|在)?(?:从事|干|做){_WHAT}[种个]?(?:工作|职业|行业)",
    ),
    (
        "profile employer",
        r"where do i work\b|where am i employed\b|who do i work for\b"
        r"|who(?:['’]s| is) my employer\b|(?:which|what) company do i work\b",
        rf"我{_NOW}在(?:哪|什么).{{0,3}}(?:工作|上班)|我的?(?:公司|单位|雇主).{{0,3}}(?:什么|哪)",
    ),
    (
        "profile age birthday",
        r"how old am i\b|(?:when|what year) was i born\b",
        "我(?:今年)?(?:多大|几岁|多少岁)|我.{0,3}(?:什么时候|哪[一天年]?)出?生",
    ),
    ("profile hometown", r"where am i from\b", "我(?:是|来自)哪"),
    (
        "profile education",
        rf"what (?:did|do) i (?:study|major in){_END}"
        r"|where did i (?:study|graduate|go to (?:school|college|university))\b",
        "我.{0,3}[学读]的?是?(?:什么|啥|哪个)专业|我.{0,3}哪.{0,4}毕业|我在哪.{0,3}[上读]的?大?学",
    ),
    (
        "profile marital family household",
        r"am i (?:married|single)\b|do i have (?:any )?(?:kids|children|siblings|a family)\b",
        "我(?:结婚|已婚)了?[吗没]|我有(?:没有)?(?:孩子|小孩|兄弟|姐妹)",
    ),
    (
        "profile pet",
        r"do i have (?:any |a )?pets?\b",
        "我(?:家里?)?(?:有没有|有|养了?)(?:什么)?宠物",
    ),
    (
        "profile diet allergy",
        rf"what (?:can['’]?t|cannot) i eat{_END}",
        rf"我不能吃{_WHAT}|我有什么忌口",
    ),
    (
        "profile hobby",
        r"what do i do (?:for fun|in my (?:free|spare) time)\b",
        rf"我(?:空闲|业余).{{0,4}}{_WHAT}",
    ),
    (
        "profile height weight",
        r"how (?:tall|heavy) am i\b|how much do i weigh\b",
        "我有?多[高重]",
    ),
    (
        "profile name role employer home pref goal",
        rf"what (?:else )?(?:do|did|have) you (?:\w+ ){{1,3}}about (?:me|myself){_END}"
        rf"|(?:tell me|everything|anything|all)(?: \w+){{0,4}} about (?:me|myself){_END}"
        rf"|describe (?:me|myself){_END}|what (?:kind|sort) of person am i\b"
        rf"|(?:{_WHATS}|show(?: me)?|summari[sz]e) my (?:user )?profile{_END}",
        rf"你(?:都|还)?(?:知道|了解|记得|记住|记)了?(?:些|关于)?我[的些]?(?:{_WHAT}|信息|情况)"
        rf"|关于我.{{0,2}}你.{{0,4}}(?:{_WHAT}|信息)|你.{{0,4}}{_WHAT}.{{0,3}}关于我"
        rf"|(?:介绍|描述|说说|讲讲|聊聊|总结)(?:一?下)?我(?:自己|这个人)?{_END_ZH}"
        "|你对我.{0,4}(?:了解|印象|认识)|我是一?个?(?:什么样|怎样|怎么样)的?人"
        rf"|我的(?:个人)?(?:信息|资料|档案|画像|情况)[有是]?{_WHAT}?{_END_ZH}",
    ),
    (
        "task todo doing blocked",
        r"what(?:['’]s| is| else is)? (?:still |there )*(?:left|remains|remaining)"
        rf"(?: for (?:me|us))?(?: to (?:{_TO_DO}|be done)| on my list){_END}"
        rf"|what (?:else )?do (?:i|we) (?:still |yet )*(?:have|need) to (?:still )?{_TO_DO}{_END}"
        rf"|what (?:else )?(?:must|should) (?:i|we) still {_TO_DO}{_END}"
        rf"|what haven['’]t (?:i|we) (?:done|finished|completed){_END}"
        rf"|what have (?:i|we) (?:still )?not (?:done|finished|completed){_END}"
        rf"|{_WHATS} on my (?:plate|agenda|list){_END}|{_WHATS} (?:still )?{_OPEN}{_END}"
        rf"|{_OPEN} {_TASKS}\b|{_TASKS} (?:that )?(?:are |is )?(?:still )?{_OPEN}\b"
        rf"|(?:to-?do|task) list\b|my {_TASKS}{_END}",
        rf"\A\W*(?:我的?)?待办|待办(?:事项|清单|列表|任务).{{0,4}}{_WHAT}|(?:任务|待办)(?:清单|列表)"
        rf"|[还都][有剩]下?{_WHAT}{_THING}(?:还?没有?|未|要|需要|得|等着){_DO}"
        rf"|{_WHAT}{_THING}还?(?:没有?|未){_DO}[完好掉]?[的了]?{_THING}{_END_ZH}"
        "|(?:还没|没有?|未)(?:做|完成|办|做完|办完)的(?:事情?|任务|工作|活)"
        rf"|我们?(?:还|接下来)(?:要|需要|得|该|应该){_DO}{_WHAT}(?:事情?)?{_END_ZH}"
        rf"|我的?任务[有是]?{_WHAT}?{_END_ZH}",
    ),
    (
        "goal active",
        r"what (?:do|am) i (?:want|trying|try|aiming|aim|hoping|hope)"
        r" (?:to (?:achieve|reach|accomplish)|for)\b",
        "我[想要](?:达到|实现|达成)(?:什么|哪些)",
    ),
)
_OF_USER: Final = tuple(
    (TwoTongues(pattern(rf"\b(?:{en})", re.IGNORECASE), pattern(zh)), words)
    for words, en, zh in _ASKED
)
# One look at a message tells most of them apart from any of these questions.
_ANY: Final = TwoTongues(
    pattern("|".join(rf"\b(?:{en})" for _, en, _ in _ASKED), re.IGNORECASE),
    pattern("|".join(zh for _, _, zh in _ASKED)),
)


def of_user(text: str) -> Iterator[str]:
    """Yield the words that memories have for what a user asks of himself in very common ones."""
    if _ANY.found(text):
        yield from (words for asked, words in _OF_USER if asked.found(text))
