"""Find the sentences of Chinese, English and mixed text, and tell a turn in a few of them.

In: plain text, or the (speaker, text) parts of a turn. Out: sentences, as places or as strings; or
a summary of whole sentences in their own words and order. By rule alone, so the same text always
gives the same answer. Not a grammar: a line break ends a sentence unless the line was plainly
wrapped, and an unknown abbreviation may cut one short.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from smartbrain.text.pattern import pattern, sign
from smartbrain.text.prose import FENCE, is_machine
from smartbrain.text.split import inside_cluster, split_chunks

_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_FULL_STOPS: Final = "。！？；｡"
_CLOSING: Final = "\"'”’」』）】》〉)]"
_CLOSERS: Final = re.escape(_CLOSING)
# The mark comes first and its kind later: so the engine can skip to it.
_END: Final = pattern(
    rf"[{_FULL_STOPS}….!?\r\n](?:(?<=[{_FULL_STOPS}])[{_FULL_STOPS}!?…{_CLOSERS}]*"
    rf"|(?<=…)…*[{_CLOSERS}]*"
    rf"|(?<=[.!?])(?<![.!?][.!?])[.!?]*+[{_CLOSERS}]*+(?=\s|\Z|[{_CJK}「『（《“])"
    r"|(?<=[\r\n])\s*)"
)
_NEXT: Final = pattern(r"[^\S\r\n]*(\S?)")
_WORD: Final = string.ascii_letters + string.digits + "."
_MARKER: Final = pattern(r"\s*[(（]?(?:\d{1,3}|[A-Za-z])\Z")
# A number between the items of a list on one line: "To do: 1. buy milk 2. pay the bills".
_NUMBER: Final = pattern(
    r"(?:(?P<head>\A|[:：]|\bto|\bto-?dos?|\blist|\bmust|待办|清单|[要得])\s*"
    rf"|[\s,，;；、{_CJK}])(?P<number>\d{{1,2}})\Z",
    re.IGNORECASE,
)
_LONGEST_ITEM: Final = 200
_WRAPPED_FROM: Final = 40
_MESSAGE: Final = 4_000  # characters
# Abbreviations after which a sentence always goes on.
_OPEN: Final = pattern(
    r"dr|mrs?|ms|prof|st|mt|rev|hon|gen|sen|rep|gov|capt|lt|col|sgt|e\.g|i\.e|cf|vs|figs?|eq|nos?"
    r"|vol|ch|sec|pp|approx|ca|resp|viz|incl"
)
# Abbreviations that end a sentence only before a capital letter or a Chinese character.
_MAYBE: Final = pattern(
    r"etc|inc|ltd|co|corp|dept|est|al|jr|sr|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)

_USERS: Final = frozenset(("user", "human", "用户"))
_LEAD_WIDTH: Final = 16
_BULLET: Final = pattern(
    r"\A(?:[-*+>]\s+|#{1,6}\s+|[•·●◦‣▪]\s*|\(?\d{1,3}[.)]\s+|\d{1,3}、"
    r"|[（(]?[一二三四五六七八九十]{1,3}[）)、])++"
)
_IDEOGRAPH: Final = pattern(rf"[{_CJK}]")
_IN_WORD: Final = pattern(rf"(?<=[^\W{_CJK}])[^\W{_CJK}]")
_WIDE_END: Final = pattern(rf"[{_CJK}\u3001-\u303f\uff01-\uff65…”’]\Z")
_SIGNALS: Final = (
    pattern(r"\d"),
    pattern(
        r"[`《「『/_.A-Z](?:(?<=[`《「『])|(?<=\w[/_])(?=\w)|(?<=\w\.)[a-z]{1,4}\b"
        r"|(?<=[a-z][A-Z])|(?<=[A-Z])(?<!\w[A-Z])[A-Z]+\b)"
    ),
    sign(
        r"\b(?:decided?|agreed?|chose|will|must|should|need|never|always|prefer|because|instead"
        r"|fix(?:ed)?|fail(?:s|ed)?|error|deadline|remember)\b"
        r"|决定|同意|必须|应该|需要|不要|不能|从不|总是|喜欢|改为|改成|采用|选择|因为|失败|错误|记住|截止",
        re.IGNORECASE,
    ),
)


_FINISHED: Final = tuple(f".!?…{_FULL_STOPS}")
_USER_LEAD, _LEAD, _TELLING, _REST = range(4)


class _Candidate(NamedTuple):
    """A sentence that may go into a summary; candidates sort by how much they are wanted."""

    tier: int
    signals: int
    order: int
    part: int
    text: str


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of every sentence, without the blanks around it."""
    return list(_remembered(text) if len(text) <= _MESSAGE else _spans(text))


@lru_cache(maxsize=64)  # a turn is read for its memories, then told in its episode
def _remembered(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_spans(text))


def _spans(text: str) -> list[tuple[int, int]]:
    spans = []
    start = 0
    for end in _ends(text):
        sentence = text[start:end]
        if shown := sentence.strip():
            begin = start + len(sentence) - len(sentence.lstrip())
            spans.append((begin, begin + len(shown)))
        start = end
    return spans


def split_sentences(text: str) -> list[str]:
    """Return the sentences of `text` in order, without the blanks around them."""
    return [text[start:end] for start, end in sentence_spans(text)]


def extract_summary(parts: Sequence[tuple[str, str]], limit: int = 280) -> str:
    """Tell a turn in at most `limit` characters, in whole sentences of its own.

    A turn that fits comes back whole, a line a part. Else the first telling sentence of each part
    goes in, the user's before the others', then the sentences with the most of: a number, a name
    or path, a decision. Headings, code, logs and data go in only when there is nothing else. Only
    a sentence that alone is too long is cut, and then shows "…".

    Args:
        parts: who spoke and what was said, in order.
        limit: the most characters of the answer.
    """
    said = [(speaker, text.strip()) for speaker, text in parts if text.strip()]
    whole = "\n".join(f"{speaker}: {text}" for speaker, text in said)
    if len(whole) <= limit:
        return whole
    if limit < 1:
        return ""
    candidates = sorted(_candidates(said, limit))
    chosen: list[_Candidate] = []
    room = limit + 1  # the first line has no line break before it
    for candidate in candidates:
        if chosen and candidate.tier == _REST > chosen[0].tier:
            break
        new_line = all(candidate.part != other.part for other in chosen)
        cost = len(candidate.text) + 1 + new_line * len(f"{said[candidate.part][0]}: ")
        if cost <= room:
            chosen.append(candidate)
            room -= cost
    if not chosen and candidates:
        whole = f"{said[candidates[0].part][0]}: {candidates[0].text}"
    return _tell(said, chosen) or _shorten(whole, limit)


def first_sentences(text: str, limit: int) -> str:
    """Return the first sentences that have room in `limit` characters, in their own words.

    A first sentence that is too long alone is cut, and then shows "…".
    """
    whole = text.strip()
    if len(whole) <= limit:
        return whole
    begun = whole[: limit + 1]
    ends = [end for _, end in sentence_spans(begun)]
    if ends and not (ends[-1] <= limit and begun.endswith(_FINISHED, 0, ends[-1])):
        ends.pop()  # it ends only because the text was cut there
    return whole[: ends[-1]] if ends else _shorten(whole, limit)


def _ends(text: str) -> Iterator[int]:
    """Yield where the sentences end; the last ends with the text."""
    start = 0
    for found in _END.finditer(text):
        if _ends_here(text, start, found):
            yield (start := found.end())
    yield len(text)


def _ends_here(text: str, start: int, found: re.Match[str]) -> bool:
    """Tell whether a possible end, in a sentence from `start`, is one."""
    end = found.group()
    if end[0] in "\r\n":
        return not _is_wrapped(text, start, found)
    if end[0] in _FULL_STOPS:
        return True
    after = _NEXT.match(text, found.end())
    following = after.group(1) if after else ""
    if end[0] == "…" or end.startswith(".."):
        return not following or following.isupper() or end[-1] not in ".…"
    if end[0] in "!?":
        return end[-1] in "!?" or not following.islower()
    if text[found.start() - 1 : found.start()].isdigit() and _numbers_item(text, start, found):
        return False
    return _full_stop_ends(text[max(start, found.start() - 20) : found.start()], following)


def _numbers_item(text: str, start: int, found: re.Match[str]) -> bool:
    """Tell whether a "." follows the number of an item in a list that goes on in its line."""
    number = _NUMBER.search(text, max(start, found.start() - 12), found.start())
    if number is None:
        return False
    count = int(number["number"])
    if count == 1:
        near = text[found.end() : found.end() + _LONGEST_ITEM].split("\n", 1)[0]
        return number["head"] is not None and _has_item(near, 2)
    return _has_item(text[max(start, found.start() - _LONGEST_ITEM) : found.start()], count - 1)


def _has_item(text: str, number: int) -> bool:
    """Tell whether a text holds the item of a list with a number."""
    return re.search(rf"(?<![A-Za-z0-9.$€£¥]){number}\.(?!\d)", text) is not None


def _full_stop_ends(before: str, following: str) -> bool:
    """Tell whether a single "." ends a sentence, from the words before it and what comes next."""
    if not following:
        return True
    if _MARKER.fullmatch(before):
        return False  # "1." or "a)" that opens a list item
    word = before[len(before.rstrip(_WORD)) :]
    if _OPEN.fullmatch(word.lower()) or (len(word) == 1 and word.isupper()):
        return False
    if "." in word or _MAYBE.fullmatch(word.lower()):
        return not (following.islower() or following.isdigit())
    return True


def _is_wrapped(text: str, start: int, found: re.Match[str]) -> bool:
    """Tell whether a line break only wraps a long line inside a sentence."""
    line = text[max(start, text.rfind("\n", start, found.start()) + 1) : found.start()].rstrip()
    following = text[found.end() : found.end() + 1]
    if len(line) < _WRAPPED_FROM or found.group().count("\n") > 1:
        return False
    return line[-1] in ",，、" or (
        line[-1].islower() and following.isascii() and following.islower()
    )


def _candidates(said: Sequence[tuple[str, str]], limit: int) -> Iterator[_Candidate]:
    """Yield every different sentence of the parts with its rank."""
    seen = set()
    for part, (speaker, text) in enumerate(said):
        sentences = list(_sentences_of(text))
        prose = [sentence for sentence, machine in sentences if not machine]
        lead = next((one for one in prose if _is_wide(one)), (prose or [""])[0])
        for sentence, machine in sentences:
            if (speaker, sentence) in seen:
                continue
            seen.add((speaker, sentence))
            tier, signals, shown = _REST, 0, sentence
            if sentence == lead:
                tier = _USER_LEAD if speaker.lower() in _USERS else _LEAD
                fits = limit - len(f"{speaker}: ")
                alone = len(said) == len(prose) == 1
                if len(sentence) > fits:
                    shown = _shorten(sentence, fits if alone else limit // 2)
            elif not machine and not sentence.endswith((":", "：")):
                signals = sum(1 for signal in _SIGNALS if signal.search(sentence))
                if signals or (_is_wide(sentence) and _is_finished(sentence)):
                    tier = _TELLING
            yield _Candidate(tier, -signals, len(seen), part, shown)


def _sentences_of(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a part, each with whether it is code, log or data.

    Of a text too long to read, its beginning and its end.
    """
    chunks = split_chunks(text)
    for chunk in chunks if len(chunks) < 3 else (chunks[0], chunks[-1]):
        done = 0
        for fence in FENCE.finditer(chunk):
            yield from _outside_fences(chunk[done : fence.start()])
            yield from (
                (line.strip(), True) for line in fence.group(2).splitlines() if line.strip()
            )
            done = fence.end()
        yield from _outside_fences(chunk[done:])


def _outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of plain lines, without bullets, and the lines of logs and data."""
    for machine, lines in groupby(text.splitlines(keepends=True), key=is_machine):
        for sentence in lines if machine else split_sentences("".join(lines)):
            if joined := " ".join(sentence.split()):
                yield _BULLET.sub("", joined) or joined, machine


def _is_wide(text: str) -> bool:
    """Tell whether a sentence holds enough to lead: a Chinese character counts as two letters."""
    return len(text) >= _LEAD_WIDTH or len(text) + len(_IDEOGRAPH.findall(text)) >= _LEAD_WIDTH


def _is_finished(sentence: str) -> bool:
    """Tell whether a sentence has its end mark."""
    return sentence.rstrip(_CLOSING).endswith(_FINISHED)


def _shorten(text: str, size: int) -> str:
    """Cut `text` to `size` characters with a final "…", between words where there are any."""
    if len(text) <= size:
        return text
    if size < 1:
        return ""
    end = size - 1
    begin = end
    while begin > size // 2 and _IN_WORD.match(text, begin):
        begin -= 1
    if begin > size // 2:
        end = begin
    while inside_cluster(text, end):
        end -= 1
    return text[:end].rstrip() + "…"


def _tell(said: Sequence[tuple[str, str]], chosen: Sequence[_Candidate]) -> str:
    """Put the chosen sentences in order, a line a part."""
    lines: dict[int, str] = {}
    for candidate in sorted(chosen, key=lambda one: one.order):
        line = lines.get(candidate.part)
        if line is None:
            lines[candidate.part] = f"{said[candidate.part][0]}: {candidate.text}"
        else:
            glue = "" if _WIDE_END.search(line) else " "
            lines[candidate.part] = f"{line}{glue}{candidate.text}"
    return "\n".join(lines.values())
