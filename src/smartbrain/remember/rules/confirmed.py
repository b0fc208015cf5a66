"""What the user agrees to by a bare yes: the assistant's last proposal, as the user would say it.

In: the user's message and the assistant's message before it. Out: the proposal as a statement in
the first person ("You prefer dark themes, right?" is "I prefer dark themes"), which the reader then
reads on the user's word (C1, C3). A polite "ok, thanks" and a yes with a but confirm nothing.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.text.sentences import sentence_spans

_YES: Final = re.compile(
    r"\W*(?:(?:oh|well|ah|ok|okay|great|good idea|perfect|好的?|嗯+|哦)[,，.。!！ ]+){0,2}"
    r"(?:yes|yep|yeah|yup|yea|absolutely|definitely|exactly|correct|(?:that['’]s |you['’]re )right"
    r"|agreed?|i agree|confirm(?:ed)?|deal|go ahead|(?:please )?do (?:it|that)|please do"
    r"|let['’]s do (?:it|that)|(?:that )?works for me|sounds good|sure(?: thing)?|ok|okay|👍|\+1"
    r"|will do|是的?|是啊|对的?|对啊|对对|没错|正是|同意|赞成|确认|就这么(?:办|定|做)|就这样"
    r"|可以的?|行的?|没问题"
    r"|当然|要的?|需要|说得对|成交|听你的|照办|好的?|好啊|好呀|嗯+)"
    r"(?P<rest>(?:[,，.。!！ ~～]+[^?？]{0,40})?)[\s.!。！~～]*\Z",
    re.IGNORECASE,
)
_BUT: Final = re.compile(
    r"\b(?:but|however|except|though|unless|not|no|never|later|instead|wait|maybe|only if"
    r"|don['’]t)\b"
    r"|但|不过|然而|先别|不(?!错|用谢|客气)|别|没(?!错|问题)|算了|再说|改成|换成|等等",
    re.IGNORECASE,
)
_THANKS: Final = re.compile(r"thank|thx|cheers|谢", re.IGNORECASE)
_WEAK: Final = re.compile(
    r"\W*(?:ok|okay|sounds good|好的?|嗯+)\W*(?:thank|thx|cheers|谢|\Z)", re.I
)
_LEADS: Final = (
    (r"(?:shall|should|can|could|may) i (?:also |always )?(?:remember|note) that (?=i|you|we)", ""),
    (
        r"(?:shall|should|can|could|may) i (?:also )?(?:add|put|note) (?P<todo>.{3,80}?)"
        r" (?:to|on|in) (?:your|the|our) (?:to-?do ?|task ?)?(?:list|to-?dos?|tasks?|backlog)",
        "I need to {todo}",
    ),
    (r"(?:shall|should) i remind you to (?P<todo>.{3,80})", "I need to {todo}"),
    (
        r"(?:so |then )?(?:shall|should) we (?:go with|use|pick|choose) (?P<way>.{2,80})",
        "We use {way}",
    ),
    (r"(?:so |then )?(?:shall|should) we (?P<way>.{3,80})", "We decided to {way}"),
    (
        r"(?:do you want me to|would you like me to|shall i|should i) (?P<way>.{3,80})",
        "From now on {way}",
    ),
    (
        r"(?:so |then )?(?:do )?you (?P<own>(?:prefer|like|use|live|work|have|want|need).{2,80})",
        "I {own}",
    ),
    (r"(?:so |then )?(?:is )?your (?P<own>.{3,80})", "My {own}"),
    (r"(?:so |then )?you(?:['’]re| are) (?P<own>.{2,80})", "I am {own}"),
    (
        r"(?:要不要|需要)(?:我)?(?:帮您?你?)?把(?P<todo>.{2,40}?)(?:加到|加进|加入|记到|放进|列入)"
        r".{0,6}(?:待办|清单|任务|日程).*",
        "我要{todo}",
    ),
    (r"(?:要不要|需要)(?:我)?提醒[你您](?P<todo>.{2,40}?)[吗？?]*", "我要{todo}"),
    (
        r"(?:那)?(?:以后)?(?:要不要|需要)(?:我)?(?:以后)?(?:都)?(?P<way>.{2,40}?)[吗？?]*",
        "以后都{way}",
    ),
    (
        r"(?:那)?(?:我们|咱们)(?:就)?(?P<way>.{2,40}?)[，,]?(?:怎么样|好吗|可以吗|行吗|吧)?",
        "我们决定{way}",
    ),
    (r"(?:那)?[你您](?P<own>.{2,40}?)[，,]?(?:对吗|是吗|对吧|是吧|吗|吧)?", "我{own}"),
)
_PROPOSALS: Final = tuple((re.compile(rf"\W*{lead}\Z", re.I), said) for lead, said in _LEADS)
_TAG: Final = re.compile(
    r",? ?(?:right|correct|is that (?:right|correct)|yes|ok|okay|then|instead|from now on)?"
    r"\s*[?？.。!！]+\Z",
    re.IGNORECASE,
)
_READ_SENTENCES: Final = 3
_READ_CHARACTERS: Final = 2_000
_MAX_LENGTH: Final = 80


def find_confirmed(message: str, before: str) -> str:
    """Returns what a message agrees to, as the user would say it; empty where it agrees to none."""
    if not before or len(message) > _MAX_LENGTH:
        return ""
    agreed = _YES.match(message)
    if agreed is None or _BUT.search(message) or (_THANKS.search(message) and _WEAK.match(message)):
        return ""
    end_of_answer = before[-_READ_CHARACTERS:]
    sentences = [end_of_answer[start:end] for start, end in sentence_spans(end_of_answer)]
    for sentence in reversed(sentences[-_READ_SENTENCES:]):
        stated = _as_statement(sentence)
        if stated:
            return stated
    return ""


def _as_statement(sentence: str) -> str:
    """Returns a proposal as a statement of the user; empty where a sentence proposes nothing."""
    if not sentence.rstrip().endswith(("?", "？")):
        return ""
    words = _TAG.sub("", sentence.strip())
    for lead, said in _PROPOSALS:
        found = lead.match(words)
        if found is not None:
            return said.format(**found.groupdict()) if said else words[found.end() :]
    return ""
