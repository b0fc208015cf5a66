"""Text that is handed over to be worked on: a translation, a pasted mail, somebody's chat (C1, C6).

In: a message, and the same with blanks where something is shown. Out: what its speaker says, and
apart from it what is handed over, for the "I" in it is not the user's. Told by the request before
or after it, or by how mails and chats look; texts that are asked for are found by `asked_texts`.
What follows "by the way" or "remember that" on a line of its own is the user's again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.remember.extract.asked_texts import asked_spans
from smartbrain.remember.extract.dialogue import spoken_by_others
from smartbrain.remember.extract.request_words import BEGINS, GAP, OWN_AGAIN, POLITE, POLITE_ZH
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.prose import blanked

_I: Final = re.IGNORECASE
_TEXT_EN: Final = (
    r"(?:following|below|text|sentences?|paragraphs?|passage|e-?mails?|mail|letter|messages?"
    r"|article|essay|draft|abstract|post|comment|poem|story|speech|quote|phrase|transcript"
    r"|conversation|dialogue|chat|wording|grammar|caption|tweet|bio|cover letter|description"
    r"|statement|reply|note|notes|copy|content)"
)
_LANGUAGE_EN: Final = (
    r"(?:(?:in)?to|in|from) (?:(?:simple|plain|formal|better|good|fluent|native|proper) )?"
    r"(?:[a-z]+ to )?(?:english|chinese|mandarin|french|german|spanish|italian|japanese|korean"
    r"|portuguese|russian|arabic|hindi|dutch|swedish|norwegian|danish|finnish|polish|czech|turkish|greek"
    r"|hebrew|thai|vietnamese|latin|cantonese|ukrainian|indonesian|malay|zh|en|中文|英文)"
)
_POINTED: Final = (
    rf"\b(?:(?:this|these|it)\b(?! (?!{_TEXT_EN}|for|in|to|into|as|please|now|and)\w)|{_TEXT_EN}\b"
    rf"|{_LANGUAGE_EN}\b)"
)
# Verbs of work on words alone, and those that take other things as well.
_WORDS_EN: Final = (
    r"(?:translate|proof-?read|paraphrase|rephrase|reword|summari[sz]e|spell-?check|condense"
    rf"|tl;?dr)(?:(?=\s*(?:[:：]|$))|(?=\s)(?={GAP}{{0,60}}?{_POINTED}){GAP}{{0,80}})"
)
_ANY_EN: Final = (
    r"(?:(?:polish|rewrite|correct|edit|improve|review|critique|fix|check|shorten|simplify|explain"
    r"|interpret|analy[sz]e|reply to|respond to|answer|read)(?=\s)"
    rf"(?={GAP}{{0,60}}?\b{_TEXT_EN}\b){GAP}{{0,80}}"
    r"|(?:reply|respond|explain|polish|rewrite|shorten|simplify)(?: to)?"
    r" (?:this|these|it|him|her|them|(?-i:[A-Z])\w+)(?: for me| please)*"
    rf"|(?:write|draft) (?:me )?an? (?:\w+ )?(?:reply|answer|response) to{GAP}{{0,60}})"
)
_TEXT_ZH: Final = (
    r"(?:这(?!里|边|样)|下面|以下|下列|如下|邮件|消息|短信|句|段|文章|原文|文字|文本|稿|摘要|作文"
    r"|论文|对话|聊天|帖|评论|信|话|内容|回信)"
)
_LANGUAGE_ZH: Final = (
    r"(?:英|中|法|德|日|韩|俄|泰|粤|西班牙|葡萄牙|意大利|阿拉伯|越南)[文语]|(?:english|chinese)"
)
_OF_IT: Final = rf"(?:[把将用]{GAP}{{0,24}}?)?"
_WORDS_ZH: Final = (
    rf"{POLITE_ZH}{{0,6}}+{_OF_IT}(?:翻译|润色|改写|校对|译成|缩写|扩写|仿写){GAP}{{0,30}}"
)
_VERBS_ZH: Final = "(?:总结|概括|归纳|提炼|回复|回一?下|解释|精简|压缩"
# These may be about anything, such as an address that is to be changed.
_CHANGE_ZH: Final = "(?:修改|改一?[改下]|检查|纠正|审阅)"
_ANY_ZH: Final = (
    rf"(?:{POLITE_ZH}{{1,6}}+{_OF_IT}{_VERBS_ZH}|summarize|translate|polish|rewrite|review)"
    rf"(?!代码|方案|计划|设计|接口|流程|配置)|{POLITE_ZH}{{1,6}}+{_CHANGE_ZH}(?:一下)?(?=\s?[:：])"
    rf"|{POLITE_ZH}{{0,6}}+{_OF_IT}{_VERBS_ZH}|{_CHANGE_ZH}|分析|点评|评价)(?:一下)?{_TEXT_ZH})"
    rf"{GAP}{{0,30}}"
)
# "Here is the mail I got: …"
_SHOWN: Final = (
    r"(?:(?:here(?:'s| is)|this is|below is|(?:the )?following is) (?:an?|the|my|his|her|their|our"
    rf"|what) {GAP}{{0,50}}?\b(?:e-?mail|mail|letter|message from|text from|article|essay|passage"
    rf"|paragraph|transcript|chat log|conversation|draft|abstract)\b{GAP}{{0,50}}"
    rf"|(?:这是|以下是|下面是){GAP}{{0,24}}?(?:邮件|来信|短信|消息|文章|段落|对话|聊天记录|原文|文本|草稿"
    rf"|作文|稿子|帖子|评论){GAP}{{0,16}})"
)
_REQUEST: Final = sign(
    rf"{BEGINS}(?:(?:{POLITE}{_WORDS_EN}|{_WORDS_ZH})"
    r"(?:[:：](?!//)|[.!?。！？]?[ \t]*\n(?=\s*\S))"
    rf"|(?:{POLITE}{_ANY_EN}|{_ANY_ZH}|{_SHOWN})[:：](?!//))",
    _I | re.MULTILINE,
)
_MAIL: Final = sign(
    r"^[ \t]*+(?:(?:(?:from|to|cc|subject|date|sent|发件人|收件人|抄送|主题|发送时间|日期)[ \t]*"
    r"[:：][^\n]*\n{1,3}[ \t]*){2}"
    r"|-{2,9} {0,3}(?:original message|forwarded message|原始邮件|转发邮件|转发的邮件)"
    r"|begin forwarded message|(?:on|在) ?[^\n]{4,90}(?:wrote|写道)\s?[:：][ \t]*$)",
    _I | re.MULTILINE,
)
# From Berlin to Paris is a journey, not a mail.
_HEADER: Final = pattern(
    r"@|\b(?:subject|date|sent|cc|message|wrote)\b|发件人|收件人|抄送|主题|邮件|写道", _I
)
_DEAR: Final = sign(
    r"^(?=[ \t]*+\S)[ \t]*(?:dear (?!diary)[^\n,:]{2,40}|(?:hi|hello) (?-i:[A-Z])[\w. -]{1,30}"
    r"|(?:尊敬的|亲爱的)[^\n，,：:]{1,16}|[^\n，,：:]{1,12}(?:您好|你好))[ \t]*[,，：:！!][ \t]*$",
    _I | re.MULTILINE,
)
_SINCERELY: Final = pattern(
    r"^[ \t]*+(?:(?:(?:best|kind|warm|many)\s?){0,4}regards|(?:yours )?sincerely|yours truly|yours"
    r"|best wishes|best|cheers|此致|敬礼|祝好|顺颂商祺|谨上)[ \t]*[,，！!。]?[ \t]*(?:\n[^\n]*)?",
    _I | re.MULTILINE,
)
_ABOVE: Final = sign(
    r"(?:\b(?:translate|proof-?read|polish|paraphrase|rephrase|rewrite|summari[sz]e|correct|review"
    r"|explain|reply to|respond to)\b[^.!?\n]{0,40}\b(?:above|preceding)\b[^.!?\n]{0,40}"
    r"|(?:上面|以上|上述|前面)[^。！？\n]{0,20}(?:翻译|润色|改写|校对|总结|概括|修改|改一?[改下])"
    r"[^。！？\n]{0,20})[.!?。！？]{0,3}\s{0,9}\Z",
    _I,
)
_LONGEST_ABOVE: Final = 150  # characters that it can match
# 我住在东京用英语怎么说: the words before it are the text.
_HOW_STOPS: Final = r"[吧呢啊?？!！。. \t]{0,8}$"
_HOW_SAID: Final = sign(
    rf"(?P<stop>[，,。！! \t]{{0,4}})(?:(?:这句?话?|这个)?(?:用|拿)?(?:{_LANGUAGE_ZH})(?:该|应该)?"
    rf"怎么(?:说|讲|写|翻|表达)"
    rf"|(?:这句?话?)?怎么翻译|(?:请|帮我|麻烦)?翻译[成为](?:{_LANGUAGE_ZH})|(?:请|帮我|麻烦)?翻译一下"
    rf"|是什么意思){_HOW_STOPS}",
    _I | re.MULTILINE,
)
# How it ends, which is looked for much faster, and how many characters may stand before that.
_HOW_ENDS: Final = pattern(
    r"(?:怎么(?:说|讲|写|翻译?|表达)|翻译(?:一下|[成为][^\n。]{2,7}?)|是什么意思)" + _HOW_STOPS,
    re.MULTILINE,
)
_BEFORE_HOW: Final = 20
_OWN_AGAIN: Final = pattern(rf"^[ \t]*+{OWN_AGAIN}", _I | re.MULTILINE)
_NOT_BLANK: Final = pattern(r"\S+")


def divided(shown: str, text: str, *, goes_on: bool = False) -> tuple[str, str, bool]:
    """Divide a message into what is said and what is handed over, with blanks for the other.

    Args:
        shown: the message with blanks where code or a quotation stands.
        text: the message itself, as long.
        goes_on: whether what was handed over before it has not ended.

    Returns:
        what is said; what is handed over, empty for nothing; whether that reaches the end.
    """
    spans = [(0, _until_own(shown, 0))] if goes_on else []
    spans += _spans(shown, text)
    if not spans:
        return shown, "", False
    blank = blanked(shown)
    own, handed = shown, blank
    for start, end in spans:
        own = own[:start] + blank[start:end] + own[end:]
        handed = handed[:start] + shown[start:end] + handed[end:]
    return own, handed, any(end == len(shown) for _, end in spans)


def _spans(shown: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield from where to where a message hands something over."""
    if above := _ABOVE.search(shown, max(0, len(shown) - _LONGEST_ABOVE)):
        yield 0, above.start()
    for ends in _HOW_ENDS.finditer(shown):
        if how := _HOW_SAID.search(shown, max(0, ends.start() - _BEFORE_HOW), ends.end()):
            yield _begin_of(shown, how), how.start()
            break
    yield from asked_spans(shown)
    if "\n" not in shown and ":" not in shown and "：" not in shown:
        return
    if request := _REQUEST.search(shown):
        given = _NOT_BLANK.search(text, request.end())
        # What follows is shown in a block or between quotation marks, and ends with it.
        if given and shown[given.start()] == given[0][0]:
            yield request.end(), _until_own(shown, request.end())
    if (mail := _MAIL.search(shown)) and _HEADER.search(shown, mail.start(), mail.end()):
        yield mail.start(), _until_own(shown, mail.end())
    if (dear := _DEAR.search(shown)) and (end := _SINCERELY.search(shown, dear.end())):
        yield dear.start(), end.end()
    yield from spoken_by_others(shown)


def _begin_of(text: str, how: re.Match[str]) -> int:
    """Return where the words begin that are asked about: after the last clause or sentence end."""
    marks = "\n。！？!?" if how["stop"].strip() else "\n。！？!?，,：:"
    return max(text.rfind(mark, 0, how.start()) for mark in marks) + 1


def _until_own(text: str, start: int) -> int:
    """Return where the user's own words begin again, else the end."""
    again = _OWN_AGAIN.search(text, start)
    return again.start() if again else len(text)
