"""What users ask of themselves and of what they have to do, in the words of the memories for it.

In: a message. Out: the names of attributes and types to look for beside it. "What is my job?" holds
no word of a profile that says `role: a nurse`, nor 还有什么没做 one of a task that is `todo`. By
which words an attribute is asked for is the ontology's; tasks, goals and the user as a whole are
asked for here. My job id, or what I need to do to deploy, is something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from smartbrain.recall.cue_words import TwoTongues
from smartbrain.text.ontology import CueHit, load_ontology
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import split_sentences
from smartbrain.text.word_list import STOP_WORDS, stored_words, word_set

_END: Final = (
    r"(?: (?:now|again|today|tomorrow|currently|these days|this week|next week|next|then|yet|so far"
    r"|please|at the moment|right now))*\W*\Z"
)
_OPEN: Final = "(?:open|outstanding|remaining|pending|unfinished|incomplete|undone|left|not done)"
_TASKS: Final = r"(?:tasks?|to-?dos?|todo items?|action items?|chores|errands)"
_TO_DO: Final = "(?:do|finish|complete|get done|take care of)"
_WHATS: Final = "what(?:['’]s| is)"

_WHAT: Final = "(?:什么|啥|哪些?|几|多少)"
_END_ZH: Final = r"(?:呢|呀|啊|吗|吧|来着)?\W*\Z"
_DO: Final = "(?:做|办|干|完成|处理|搞)"
_THING: Final = "(?:的?(?:事情?|任务|工作|活儿?|东西))?"

_ASKED: Final = (
    (
        "profile marital family household",
        r"am i (?:married|single)\b|do i have (?:any )?(?:kids|children|siblings|a family)\b",
        "我(?:结婚|已婚)了?[吗没]|我有(?:没有)?(?:孩子|小孩|兄弟|姐妹)",
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


_TYPES: Final = {"profile": "profile", "preferences": "pref"}  # as keys begin
# The names in memories that answer for an attribute, where they are not its own name alone.
_ANSWERED_BY: Final = {
    "name": ("name role",),
    "home": ("location", "home"),  # `location` is what finders call it
    "role": ("role employer",),
    "age": ("age birthday",),
    "birthday": ("age birthday",),
    "allergy": ("diet allergy",),
    "diet": ("diet allergy",),
    "health": ("health height weight",),
}
_MINE: Final = TwoTongues(pattern(r"\b(?:i|my|me|i['’]m)\b", re.IGNORECASE), pattern("我"))
_WORD: Final = pattern(r"[a-z0-9][\w'’-]*", re.IGNORECASE)
_ASIDE: Final = word_set(stored_words(__file__, "_ASIDE"))
# Nothing but these stands beside an attribute that is asked for: pronouns, particles, asking, when.
_ASIDE_ZH: Final = pattern(
    "[我你您的了是在有没过吗呢呀啊吧嘛哦来着现目前如今到底平时还都请问一下告诉知道记得住什么啥哪谁几多少"
    "叫做干用会个这那里儿家能要说]"
)
_HAN: Final = pattern("[\u3400-\u9fff]")


def of_user(text: str) -> Iterator[str]:
    """Yield the words that memories have for what a user asks of himself in very common ones."""
    if _ANY.found(text):
        yield from (words for asked, words in _OF_USER if asked.found(text))
    found: dict[str, None] = {}
    for sentence in split_sentences(text):
        found.update(dict.fromkeys(_attributes_of_user(sentence)))
    yield from found


def _attributes_of_user(sentence: str) -> Iterator[str]:
    """Yield the words for the attributes that a sentence asks of the user, and for nothing else."""
    ontology = load_ontology()
    hits = ontology.find_asked(sentence) if _MINE.found(sentence) else ()
    if not hits or _asks_more(sentence, hits):
        return
    for hit in hits:
        attribute = ontology.attribute(hit.attribute)
        if attribute and attribute.type in _TYPES:
            for names in _ANSWERED_BY.get(attribute.name, (attribute.name,)):
                yield f"{_TYPES[attribute.type]} {names}"


def _asks_more(sentence: str, hits: Iterable[CueHit]) -> bool:
    """Tell whether a sentence names something beside the attributes: my job id, my son's age."""
    rest = list(sentence)
    for hit in hits:
        rest[hit.start : hit.end] = " " * (hit.end - hit.start)
    left = "".join(rest)
    words = {word.lower().replace("’", "'") for word in _WORD.findall(left)}
    return bool(words - STOP_WORDS - _ASIDE) or _HAN.search(_ASIDE_ZH.sub("", left)) is not None
