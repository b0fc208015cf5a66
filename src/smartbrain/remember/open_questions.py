"""The questions of a session that wait for an answer (C8).

In: the last turns with the words of their chat, and the questions that were open before them. Out:
the questions that nobody has answered, newest first. A reply answers unless it says that it does
not know; later on, a statement of anybody does that has the words of the question and, where the
question tells what it wants, something of that kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from smartbrain.domain.turn import Role, Turn
from smartbrain.remember.rules.said import LONGEST_SENTENCE, asked_in, asks
from smartbrain.text.keywords import keywords_of
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import sentence_spans
from smartbrain.text.tokenise import cut_text

_NO_ANSWER: Final = pattern(
    r"\b(?:i (?:still |really |honestly )?(?:don[’']?t|do not|can(?:[’']?t|not)|am not able to"
    r"|couldn[’']?t) (?:yet )?(?:know|tell|say|answer)"
    r"|(?:not|isn[’']?t) (?:yet )?(?:sure|clear|known)(?: yet)?\b"
    r"|(?:don[’']?t|do not) have (?:enough|that|this|any) (?:information|data|context|details?)"
    r"|(?:i[’']?ll|i will|let me) (?:check|look|find out|get back|investigate))"
    r"|(?:还|暂时|目前|暂)(?:不知道|不清楚|不确定|不好说|无法|没法|不能|没有(?:答案|结论))"
    r"|我(?:也)?(?:不知道|不清楚|不确定)|没有足够|信息不足|稍后(?:再|给|回)|(?:我|先)(?:去)?(?:查|看|确认)一下",
    re.IGNORECASE,
)
_ANSWER_START: Final = 200  # characters in which a reply says that it is none
# What the answer takes the place of in a Chinese sentence.
_ASKS_ZH: Final = pattern(
    r"什么时候|(?<!为)什么|多[少久大长]|哪[一个里儿些天位种家年月]*|谁|几[个点号月天次台]?|何时"
)
_KINDS: Final = {
    pattern(
        r"\bwhen\b|\bwhat (?:time|day|date)\b|什么时候|何时|几[点号月]|哪[一]?[天年月]",
        re.IGNORECASE,
    ): pattern(
        r"\d|[一二三四五六七八九十]|[今明后昨]天|[上下这本][个]?[周月年]|周|星期|月|年底"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
        r"|\b(?:today|tomorrow|tonight|yesterday|week|month|year|noon|soon)",
        re.IGNORECASE,
    ),
    pattern(r"\bhow (?:many|much|long|often)\b|多[少久大长]|几", re.IGNORECASE): pattern(
        r"\d|[一二两三四五六七八九十百千万半]"
        r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|none|no)\b",
        re.IGNORECASE,
    ),
    pattern(r"\bwhy\b|为什么|为啥|为何|什么原因", re.IGNORECASE): pattern(
        r"\b(?:because|since|due to|caused?|reason|as)\b"
        r"|因为|由于|原因|导致|造成|是[^，。]{1,20}的(?:问题|缘故)",
        re.IGNORECASE,
    ),
}
"""What a question asks for, and what a statement holds that tells it: a time, a number, a cause."""
_FILLER: Final = "请问那么到底究竟现在呢吗啊呀吧的了，,。.？?！! "
_AROUND: Final = 4  # characters beside a Chinese question word, which the answer takes the place of
_READ: Final = 1_500  # characters at each end of a message that are read
# Of a question whose other words tell too little, all stand in its answer.
_ALL_WORDS: Final = pattern(r"\b(?:who|whose|where)\b|谁|哪[里儿]", re.IGNORECASE)


class _Wanted(NamedTuple):
    """What a statement must have to answer a question."""

    place: re.Pattern[str] | None
    stems: frozenset[str]
    words: tuple[str, ...]
    least: float
    kinds: tuple[re.Pattern[str], ...]


def open_questions(latest: Iterable[Turn], carried: Sequence[str] = ()) -> Iterator[str]:
    """Yield what the user asked and nobody answered, newest first.

    Turns come the last one first, and are read on only while questions are asked for; `carried` are
    questions that were open before them, of which long ones are cut.
    """
    asked: list[str] = []
    told: list[str] = []
    following = ""
    for turn in latest:
        # The reply is a later message of the same turn, or of the next one before the user speaks
        # again: some callers commit what user and assistant say as turns of their own.
        reply = following
        for message in reversed(turn.messages):
            content = _ends(message.content)
            if message.role is Role.USER:
                if not reply.strip() or _NO_ANSWER.search(reply[:_ANSWER_START]):
                    for question in asked_in(message.content):
                        if not _is_settled(question, asked, told):
                            yield question
                asked.append(content)
                following = ""
            elif message.role is Role.ASSISTANT:
                reply = reply or content
                following = following or content
            told.append(content)
    for question in carried:
        if not _is_settled(question, asked, told):
            yield question


def _is_settled(question: str, asked: Iterable[str], told: Iterable[str]) -> bool:
    """Tell whether a question was asked again later, or is answered by what was said later."""
    if any(_asks_again(text, _one_line(question)) for text in asked):
        return True
    wanted = _wanted(question)
    return any(
        _answers(sentence, terms, wanted) for text in told for sentence, terms in _sentences(text)
    )


def _asks_again(text: str, question: str) -> bool:
    """Tell whether a message asks a question, of which only the beginning may be known."""
    start = question.removesuffix("…")
    if start not in _one_line(text):
        return False
    rest = ".*" if start != question else ""
    form = re.compile(rf"(?:.*\W)?(?:那么?|所以|请问|还是)?{re.escape(start)}{rest}")
    return any(form.fullmatch(_one_line(one)) for one in asked_in(text))


@lru_cache(maxsize=64)  # each is held against every question
def _sentences(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the sentences of a text, and the terms of each."""
    spans = sentence_spans(text)
    some = [text[start:end] for start, end in spans if end - start <= LONGEST_SENTENCE]
    return tuple((one, frozenset(cut_text(one).terms)) for one in some)


def _answers(sentence: str, terms: frozenset[str], wanted: _Wanted) -> bool:
    """Tell whether a statement has most words of a question, and what it asks for."""
    found = len(wanted.stems & terms) + sum(word in sentence for word in wanted.words)
    at_place = wanted.place is not None and wanted.place.search(sentence)
    return bool(
        (at_place or found >= wanted.least)
        and all(kind.search(sentence) for kind in wanted.kinds)
        and not asks(sentence)
        and not _NO_ANSWER.search(sentence)
    )


@lru_cache(maxsize=64)  # those that stay open are asked about with every summary
def _wanted(question: str) -> _Wanted:
    """Return what answers a question."""
    found = _ASKS_ZH.search(question)
    place = None
    if found:
        before = question[: found.start()].rpartition("，")[2].strip(_FILLER)[-_AROUND:]
        after = question[found.end() :].partition("，")[0].strip(_FILLER)[:_AROUND]
        if len(before + after) > 1:
            place = re.compile(rf"{re.escape(before)}\s*\S[^，。！？\n]{{0,30}}?{re.escape(after)}")
    stems = frozenset(one for one in cut_text(question).terms if one.isascii())
    words = tuple(one for one in keywords_of(question) if not one.isascii())
    share = 1 if _ALL_WORDS.search(question) else 2 / 3
    least = max(2, (len(stems) + len(words)) * share)  # a single word tells nothing
    kinds = tuple(told for asked, told in _KINDS.items() if asked.search(question))
    return _Wanted(place, stems, words, least, kinds)


def _ends(text: str) -> str:
    """Return what is read of a message: all of it, or where it begins and where it ends."""
    return text if len(text) <= 2 * _READ else f"{text[:_READ]}\n{text[-_READ:]}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
