"""What has form in a message, and what the user asks for by a form of words (C1, C4, C10, K12).

In: a message, or words of it. Out: the items of lists of things to do, the time until which
something holds, what a bare yes agrees to, what is to be remembered and what is not, and how the
words feel. "Remember to …" is a task, "do you remember …" and "I don't remember …" ask for nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

import msgspec

from smartbrain.domain.claim import Source
from smartbrain.domain.memory import Sentiment
from smartbrain.domain.pii import PiiKind
from smartbrain.remember.rules.said import Said, Sentence
from smartbrain.text.pattern import pattern
from smartbrain.text.pii import is_masked, mark_of
from smartbrain.text.sentences import sentence_spans
from smartbrain.text.word_list import word_pattern

MAX_ITEMS: Final = 50
_BOX: Final = re.compile(
    r"^[ \t]{0,8}(?:[-*+]|\d{1,3}[.)])?[ \t]{0,4}\[(?P<mark>[ xX✓√])\][ \t]{1,4}"
    r"(?P<item>\S[^\n]{0,199})$",
    re.MULTILINE,
)
_HEADING: Final = re.compile(
    r"^[ \t#*]{0,8}(?:my |our |the )?(?:to-?dos?|to-?do list|tasks?|action items|next steps"
    r"|待办(?:事项|清单)?|要做的事?|任务(?:清单|列表)?|今天要做的?)"
    r"(?: (?:for )?(?:today|tomorrow|this week))?"
    r"[ \t*]{0,4}[:：][ \t]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM: Final = re.compile(
    r"[ \t]{0,8}(?:[-*+•·]|\d{1,3}[.)、])[ \t]{0,4}(?P<item>\S[^\n]{0,199})(?:\n|\Z)"
)
_INLINE: Final = re.compile(
    r"^[ \t]{0,8}(?:to-?do|待办(?:事项)?)[ \t]{0,2}[:：][ \t]{0,4}(?P<item>\S[^\n]{0,199})$",
    re.IGNORECASE | re.MULTILINE,
)
UNTIL_REACH: Final = 40
"""Characters behind a statement in which its time may stand: until tomorrow, 用到周五为止."""
_UNTIL: Final = re.compile(
    r"\s*[,，(（]?\s*(?:\b(?:(?:valid|good|but only|only) )?(?:until|till|through)\s+(?=\S)"
    r"|(?:可以|只能|一直|有效|使用|用){0,3}(?:直到|到|截至|截止到?)(?=[^，,。]{1,12}(?:为止|止)))"
    r"(?P<time>[^.!?。！？\n]{1,30})",
    re.IGNORECASE,
)
_UNTIL_AT_END: Final = re.compile(
    r"(?<=\S)\s*(?:\b(?:until|till|through)\s+(?P<en>[^.!?,\n]{1,30})"
    r"|(?:直到|到|截至|截止到?)(?P<zh>[^，,。到]{1,12})(?:为止|止))\Z",
    re.IGNORECASE,
)
_EXAMPLES: Final = {
    mark_of(PiiKind.EMAIL): "q@zx.qz",
    mark_of(PiiKind.PHONE): "9075309",
    mark_of(PiiKind.ID_CARD): "907530919",
    mark_of(PiiKind.BANK_CARD): "90753091907",
}
"""An example of each kind that is known by its form, as long as the mark."""


class ListedTask(msgspec.Struct, frozen=True):
    """An item of a list of things to do, and where it stands."""

    text: str
    start: int
    end: int
    is_done: bool = False


def find_listed_tasks(text: str) -> list[ListedTask]:
    """Returns the items of the lists of things to do in a text."""
    found: dict[int, ListedTask] = {}

    def add(item: re.Match[str], *, is_done: bool = False) -> None:
        words, start = item["item"].rstrip(), item.start("item")
        found.setdefault(start, ListedTask(words, start, start + len(words), is_done))

    for box in _BOX.finditer(text):
        add(box, is_done=box["mark"] != " ")
    for inline in _INLINE.finditer(text):
        add(inline)
    for heading in _HEADING.finditer(text):
        item = _ITEM.match(text, heading.end() + 1)
        while item is not None:
            if not item["item"].startswith("["):
                add(item)
            item = _ITEM.match(text, item.end())
    return [found[start] for start in sorted(found)][:MAX_ITEMS]


def find_until(behind: str) -> str:
    """Returns the words of the time until which something holds, said right behind it."""
    found = _UNTIL.match(behind)
    return found["time"].strip() if found else ""


def find_own_until(value: str) -> str:
    """Returns the words of the time until which something holds, where its value ends with them."""
    found = _UNTIL_AT_END.search(value)
    return (found["en"] or found["zh"]).strip() if found else ""


def show_examples(text: str) -> str:
    """Returns a text with an example in the place of each mark."""
    for mark, example in _EXAMPLES.items() if is_masked(text) else ():
        text = text.replace(mark, example)
    return text


def restore_marks(text: str) -> str:
    """Returns a text with the marks that `show_examples` had replaced, the longest first."""
    for mark, example in sorted(_EXAMPLES.items(), key=lambda pair: -len(pair[1])):
        text = text.replace(example, mark)
    return text


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
_DONE: Final = pattern(word_pattern(__file__, "DONE"), re.IGNORECASE)
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


def says_done(text: str) -> bool:
    """Returns whether a message says that something is done, and no more: "Done!", 搞定了."""
    return len(text) <= _MAX_LENGTH and _DONE.fullmatch(text) is not None


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


_OPENING: Final = pattern(
    rf"\W*{word_pattern(__file__, 'ASKED')}{word_pattern(__file__, 'REMEMBERS')}"
    r"(?: this| it| the following| one thing)?"
    r"(?:\s*[:,\u2014-]\s*(?:that\s+)?|\s+that\s+|\s+)(?P<en>\S)"
    rf"|\W*{word_pattern(__file__, 'ASKED_ZH')}{word_pattern(__file__, 'REMEMBERS_ZH')}"
    r"\s*[，,：:、]?\s*(?P<zh>\S)",
    re.IGNORECASE,
)
_CLOSING: Final = pattern(word_pattern(__file__, "CLOSING"), re.IGNORECASE)
_NO_STATEMENT: Final = pattern(
    r"(?:to|when|how|what|why|who|where|if|whether|the time|me|him|her|them|us|about|\w+ing)\b",
    re.IGNORECASE,
)
_MAX_SENTENCE: Final = 2_000
_MAX_REQUEST_CHARS: Final = 80
_REQUEST: Final = word_pattern(__file__, "REQUEST")
_NOT: Final = pattern(
    r"\b(?:not|n't|dont|never|no need|off the record)\b|n't\b|[别要用必需甭勿]", re.IGNORECASE
)
_ALONE: Final = pattern(rf"\A\W*{_REQUEST}\W*\Z", re.IGNORECASE)
_LEADING: Final = pattern(
    rf"\A\W*(?:{_REQUEST}\s*[:：—–-]+|{word_pattern(__file__, 'OFF_RECORD')}\s*,)\s*(?P<told>.+)",
    re.IGNORECASE,
)
_LAST_CLAUSES: Final = pattern(r"(?<![\s，,；;（(—–-])\s*+[，,；;（(—–-]")
_TRAILING: Final = pattern(
    rf"[，,；;（(—–\s-]*+{word_pattern(__file__, 'SURE_REQUEST')}\W*\Z", re.IGNORECASE
)


def find_declared(sentence: str) -> tuple[int, int] | None:
    """Returns from where to where a sentence says what is to be remembered, if it asks for that."""
    if len(sentence) > _MAX_SENTENCE or sentence.rstrip().endswith(("?", "？")):
        return None
    opening = _OPENING.match(sentence)
    if opening is not None:
        start = opening.start("en" if opening["en"] else "zh")
        return None if _NO_STATEMENT.match(sentence, start) else (start, len(sentence))
    closing = _CLOSING.search(sentence)
    return (0, closing.start()) if closing is not None and closing.start() else None


def find_off_record_words(sentence: Sentence, said: Said) -> str:
    """Returns the words of a sentence that are not to be remembered; empty if there are none."""
    text = sentence.text.replace("’", "'")
    if _NOT.search(text):
        leading = _LEADING.match(text)
        if leading:
            return sentence.text[leading.start("told") :]
        for comma in _LAST_CLAUSES.finditer(text, max(0, len(text) - _MAX_REQUEST_CHARS)):
            if _TRAILING.match(text, comma.start()):
                return sentence.text[: comma.start()]
    place = bisect_left(said.sentences, sentence.offset, key=lambda one: one.offset)
    follows = place > 0 and is_off_record_request(said.sentences[place - 1].text)
    return sentence.text if follows else ""


def is_off_record_request(text: str) -> bool:
    """Tells whether a sentence asks not to remember something, and says nothing else."""
    straight = text.replace("’", "'")
    is_short = len(text) <= _MAX_REQUEST_CHARS
    return is_short and bool(_NOT.search(straight) and _ALONE.match(straight))


def is_off_record(said: Said) -> bool:
    """Tells whether a message asks that it is not remembered itself."""
    if said.source is not Source.USER or said.pasted:
        return False
    if any(find_off_record_words(sentence, said) for sentence in said.sentences):
        return True
    return len(said.sentences) > 1 and _count_requests(said) > 0


def asks_about_previous(said: Said) -> bool:
    """Tells whether a message only asks not to remember what was said before it."""
    return said.source is Source.USER and 0 < len(said.sentences) == _count_requests(said)


def _count_requests(said: Said) -> int:
    return sum(is_off_record_request(sentence.text) for sentence in said.sentences)


_FEELINGS: Final = {
    "THRILLED": (0.9, 0.8),
    "GLAD": (0.6, 0.4),
    "SAD": (-0.6, 0.4),
    "UPSET": (-0.8, 0.9),
}
"""The valence and the arousal of the words of each list."""
_FEELING: Final = pattern(
    rf"(?P<no>{word_pattern(__file__, 'NOT')})?(?P<very>{word_pattern(__file__, 'VERY')})?(?:"
    + "|".join(f"(?P<{name}>{word_pattern(__file__, name)})" for name in _FEELINGS)
    + ")",
    re.IGNORECASE,
)
_STIRRED: Final = pattern(r"[!！]")
_DEGREE: Final = 0.1  # what a mark or a word of degree adds


def read_sentiment(text: str) -> Sentiment:
    """Returns how the words of a text feel."""
    found = [_score(one) for one in _FEELING.finditer(text)]
    if not found:
        return Sentiment()
    stirred = _DEGREE if _STIRRED.search(text) else 0.0
    valence = sum(one for one, _ in found) / len(found)
    arousal = min(1.0, max(one for _, one in found) + stirred)
    return Sentiment(round(valence, 3), round(arousal, 3))


def _score(found: re.Match[str]) -> tuple[float, float]:
    valence, arousal = _FEELINGS[str(found.lastgroup)]
    arousal += _DEGREE if found["very"] else 0.0
    return (-valence / 2, arousal / 2) if found["no"] else (valence, arousal)
