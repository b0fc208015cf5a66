"""Texts that are asked for, role plays and examples: nobody's own words (C1, C6).

In: a message. Out: the places of what it gives such a text to say: "write a story where the hero
says: …", "role play: …", 这句话对吗：…. After a colon that is the rest of the paragraph, of a role
play the rest of the message, and of a story that is only described the rest of the sentence. What
somebody wants said of themselves, a résumé or a diary, is their own word, and so is a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.remember.extract.request_words import BEGINS, GAP, OWN_AGAIN, POLITE, POLITE_ZH
from smartbrain.text.pattern import pattern, sign

_I: Final = re.IGNORECASE
_A: Final = r"(?:me |us )?(?:an?|another|the|some|one|two|three|my|our) (?:[\w'-]+ ){0,3}?"
_FICTION: Final = (
    r"(?:stor(?:y|ies)|poems?|novel|tale|fairy ?tale|fable|song|lyrics|joke|limerick|haiku|script"
    r"|screenplay|dialog(?:ue)?|monolog(?:ue)?|scene|fan ?fiction|skit|sketch)"
)
_MESSAGE: Final = (
    r"(?:e-?mails?|mail|(?<!cover )letter|messages?|text|tweet|post|caption|slogan|headline"
    r"|announcement|press release|article|essay|speech|toast|review|comment|reply|answer|response"
    r"|statement|invitation|blurb|ad|advert|sentences?|paragraph|greeting|apology)"
)
_WRITES: Final = (
    r"(?:write|draft|compose|create|make up|invent|generate|come up with|tell|give|produce|send"
    r"|post|continue|finish)"
)
_WRITES_ZH: Final = r"(?:[写编讲拟作发想]|起草|撰写|草拟|拟写|创作|编写|虚构|续写|生成)"
_OF_ZH: Final = r"(?:一?下?[个封首篇段条则份句章出部]|一下|[几两三]\S)?"
_FICTION_ZH: Final = r"(?:故事|小说|诗歌?|剧本|对话|台词|独白|笑话|段子|童话|寓言|歌词|情景剧|小品)"
_MESSAGE_ZH: Final = (
    r"(?:邮件|信(?!息)|短信|微信|消息|推文|推特|微博|朋友圈|文案|帖子?|公告|通知|声明|回复|回信|贺词"
    r"|演讲|发言|[演讲新闻]稿|文章|作文|评论|好评|差评|标语|口号|句子|祝福语?|道歉信|邀请函|情书|话)"
)
# "Write a story where the hero says: …", 帮我写一封邮件给客户：…
_ASKED: Final = (
    rf"{POLITE}{_WRITES} {_A}(?:{_FICTION}|{_MESSAGE})\b{GAP}{{0,80}}"
    rf"|{POLITE_ZH}{{0,6}}+(?:用[^，,]{{1,10}})?{_WRITES_ZH}{_OF_ZH}[^，,。！？:：\n]{{0,12}}?"
    rf"(?:{_FICTION_ZH}|{_MESSAGE_ZH}){GAP}{{0,40}}"
)
# 以老师的口吻写：…, "in the voice of a pirate: …"
_VOICE: Final = (
    rf"{POLITE_ZH}{{0,6}}+[以用]{GAP}{{1,20}}?(?:口吻|语气|口气|视角|身份|名义|第一人称){GAP}{{0,24}}"
    rf"|{POLITE}(?:(?:write|speak|answer|say|talk)\b{GAP}{{0,40}})?"
    r"(?:in the (?:voice|tone|style|words|role|person)|from the (?:perspective|viewpoint"
    rf"|point of view)) of\b{GAP}{{1,60}}"
)
_EXAMPLE: Final = (
    r"(?:(?:an? |the |my |here'?s an? )?(?:example|sample)s?(?: (?:sentences?|text|input|output"
    r"|answer|message|dialog(?:ue)?|conversation))?(?: ?\d{1,2})?"
    r"|(?:例句|例子|示例|样例|范例|例文|范文|造句|举个?例子?)\s?[\d一二三]?)[ \t]*"
)
# "Is this sentence correct: …", 这句话对吗：…
_JUDGED: Final = (
    r"(?:(?:is|are) (?:this|these|the following|it)(?: \w+){0,2}? (?:correct|right"
    r"|grammatical(?:ly)?|natural|idiomatic|ok(?:ay)?)"
    r"|does (?:this|the following|it)(?: \w+)?(?: sound| read| look)"
    r"|how (?:do|would|can|should) (?:you|i|we|one) (?:say|write|put|phrase|translate))"
    rf"{GAP}{{0,40}}"
    rf"|(?:下面|以下|请问|帮我看看?|看看)*(?:这|那|下面|以下)[一个几两]*(?:句话?|句子|段话?|话|表达|说法|写法)"
    rf"{GAP}{{0,8}}?(?:[对错]|正确|通顺|语病|地道|自然|怎么[说写翻改]|什么意思){GAP}{{0,8}}"
)
# 用“决定”造句：…, "make a sentence with …: …", whose quotation is blank here.
_EXERCISE: Final = (
    r"(?:请|帮我|给我)*[用以拿][^，,。！？:：\n]{1,16}?造(?:一?个)?句子?[ \t]*"
    rf"|{POLITE}(?:(?:make|form|build) {_A}sentences?\b{GAP}{{0,40}}"
    rf"|use {GAP}{{1,30}}? in an? (?:\w+ )?sentence{GAP}{{0,20}})"
)
_COLON: Final = r"[:：](?!//)"
_GIVEN: Final = sign(
    rf"{BEGINS}(?:(?:{_ASKED}|{_VOICE}|{_EXAMPLE}|{_EXERCISE}){_COLON}"
    rf"|(?:{_JUDGED})(?:[?？]?{_COLON}|[?？][ \t]*\n(?=\s*\S)))",
    _I | re.MULTILINE,
)
_PLAY: Final = sign(
    rf"{BEGINS}(?:{POLITE}(?:(?:do|play|start|have|try) (?:an? |some |the )?)?"
    r"role-? ?play(?:ing)?(?: (?:game|time|exercise|scenario|session))?(?: with me)?\s?[:：.!,—-]"
    rf"|{POLITE}pretend (?:that )?i(?:'m| am| was| were)\b"
    r"|(?:我们|咱们|让我们|来|玩|做|一?个|现在|开始)*(?:角色扮演|扮演(?:一?个|一下)?角色)"
    r"(?:游戏|一下|吧)*\s?[:：。，,！!]"
    r"|(?:现在)?(?:假装我[是叫在]|我来?扮演|我演))",
    _I | re.MULTILINE,
)
_STORY: Final = sign(
    rf"{BEGINS}(?:{POLITE}{_WRITES} {_A}{_FICTION}\b|{POLITE_ZH}{{1,6}}+{_WRITES_ZH}{_OF_ZH}"
    rf"[^，,。！？:：\n]{{0,12}}?{_FICTION_ZH})",
    _I | re.MULTILINE,
)
# "In the novel, I'm a detective": who somebody is there.
_THERE: Final = sign(
    rf"{BEGINS}(?:in (?:the|this|that|my|our) (?:(?:next|new|first|last|same) )?(?:novel|story|tale"
    r"|fairy ?tale|film|movie|comic|dream|nightmare|fan ?fic(?:tion)?|role-?play)s?,? (?:i|my|we)"
    r"(?:['’]m|['’]re| am| are| was| were| live| work| have| had| name| lived| worked)\b"
    r"|在?(?:这|那)?(?:[部本个场篇])?(?:我的)?(?:小说|故事|童话|电影|漫画|梦)[里中](?:面|头)?[，,]?\s?"
    r"我(?:们|的名字)?(?:是|叫|住|在|有|当))",
    _I | re.MULTILINE,
)
_OWN_AGAIN: Final = pattern(rf"(?:^|(?<=[.!?。！？])\s*)[ \t]*+{OWN_AGAIN}", _I | re.MULTILINE)
_SENTENCE_END: Final = pattern(r"[.!?。！？](?=\s|\Z|(?<=[。！？]))|\n")
_PARAGRAPH_END: Final = pattern(r"\n[ \t]*\n")
_NOT_BLANK: Final = pattern(r"\S")


def asked_spans(shown: str) -> Iterator[tuple[int, int]]:
    """Yield from where to where a message gives words to somebody else than who writes it."""
    if play := _PLAY.search(shown):
        yield play.start(), _own_from(shown, play.end(), len(shown))
    if there := _THERE.search(shown):
        yield there.start(), _end_of(_SENTENCE_END, shown, there.end())
    if given := _GIVEN.search(shown):
        yield given.end(), _given_until(shown, given.end())
    elif story := _STORY.search(shown):
        yield story.end(), _end_of(_SENTENCE_END, shown, story.end())


def _given_until(text: str, start: int) -> int:
    """Return where a text ends that begins after a colon: with its paragraph, if on that line."""
    first = _NOT_BLANK.search(text, start)
    on_line = first is not None and "\n" not in text[start : first.start()]
    end = _end_of(_PARAGRAPH_END, text, start) if on_line else len(text)
    return _own_from(text, start, end)


def _own_from(text: str, start: int, end: int) -> int:
    """Return where the user's own words begin again, else the end."""
    again = _OWN_AGAIN.search(text, start, end)
    return again.start() if again else end


def _end_of(shape: re.Pattern[str], text: str, start: int) -> int:
    """Return where a sentence or a paragraph ends."""
    found = shape.search(text, start)
    return found.start() if found else len(text)
