"""Find the sentences of Chinese, English and mixed text, and tell a turn in a few of them.

In: plain text, or the (speaker, text) parts of a turn. Out: sentences, as places or as strings; or
a summary of whole sentences in their own words and order. By rule alone, so the same text always
gives the same answer. Not a grammar: a line break ends a sentence unless the line was plainly
wrapped, and an unknown abbreviation may cut one short.
"""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from typing import Final, NamedTuple

from smartbrain.errors import UsageError
from smartbrain.text.pattern import pattern
from smartbrain.text.tokens import MARGIN, estimate_tokens, most_tokens

FENCE: Final = pattern(
    r"^[ \t]*(```|~~~)[^\n]*(.*?)(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE
)
"""A fenced block: its mark, and what is inside."""

_MACHINE: Final = pattern(
    r"[{}\[\]<]|\"[^\"]*\"\s*:|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[$%] |>>> "
    r"|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|File \"|at [\w.$]+\("
    r"|[\w.]+ = "
)
_CODE_ENDS: Final = (";", "{", "}")
_LONG_RUN: Final = pattern(r"[!-~]{100}")
# The box of a list of things to do, which looks like data.
_BOX: Final = pattern(r"\A(?:[-*+] )?\[[ xX]\] ")
_CODE_MARK: Final = pattern(r"[{}\[\]<>=;|\\\"$@%^&+~()]")
_QUOTED_LINE: Final = pattern(r"^[ \t]*>[^\n]*", re.MULTILINE)
# A quotation as long as a sentence; shorter ones are names and terms. The mark that opens it comes
# first, whichever it is: long texts are scanned for that. It begins with the last mark that opens
# one, so that many such marks are not each looked behind.
_QUOTED: Final = pattern(
    '[“「『"](?:(?<=“)[^“”\n]{9,2000}+”|(?<=「)[^「」\n]{9,2000}+」|(?<=『)[^『』\n]{9,2000}+』'
    r"|(?<=\")(?<![\w\"]\")[^\"\n]{16,2000}+\"(?![\w\"]))"
)
# A shorter one is what somebody says where it speaks of its speaker: "I quit", 「我在家」. Titles
# are in capitals: "I Will Survive". Marks like apostrophes stand between letters as well.
_SAYS: Final = (
    r"(?:\b(?:I(?:['’](?:m|ve|ll|d))?|[Ww]e(?:['’](?:re|ve|ll|d))?|[Mm]y)\s+[a-z]"
    r"|(?:我|咱|俺)(?!的[^是叫在有\s]{0,4}[」』”\"'’]))"
)
_QUOTED_SHORT: Final = pattern(
    rf"[“「『\"'‘](?:(?<=“)(?=[^“”\n]{{0,300}}?{_SAYS})[^“”\n]{{2,300}}+”"
    rf"|(?<=「)(?=[^「」\n]{{0,300}}?{_SAYS})[^「」\n]{{2,300}}+」"
    rf"|(?<=『)(?=[^『』\n]{{0,300}}?{_SAYS})[^『』\n]{{2,300}}+』"
    rf"|(?<=\")(?<![\w\"]\")(?=\S)(?=[^\"\n]{{0,300}}?{_SAYS})"
    r"[^\"\n]{2,300}+(?<=\S)\"(?![A-Za-z\d\"])"
    rf"|(?<=')(?<![\w']')(?=\S)(?=(?:[^'\n]|(?<=\w)'(?=\w)){{0,300}}?{_SAYS})"
    r"(?:[^'\n]|(?<=\w)'(?=\w)){2,300}+(?<=\S)'(?![A-Za-z\d'])"
    rf"|(?<=‘)(?=(?:[^‘’\n]|(?<=\w)’(?=\w)){{0,300}}?{_SAYS})(?:[^‘’\n]|(?<=\w)’(?=\w)){{2,300}}+’)"
)
_MARKED: Final = pattern("[“「『\"'‘]")
_MESSAGE: Final = 4_000  # characters
_NOT_BLANK: Final = pattern(r"\S+(?: +\S+)*+")


def said_only(text: str) -> str:
    """Return a text with blanks in place of code, logs, data and whatever is quoted."""
    return _remembered_prose(text) if len(text) <= _MESSAGE else _said(text)


def _said(text: str) -> str:
    if "```" in text or "~~~" in text:
        text = FENCE.sub(_blanked, text)
    if ">" in text:
        text = _QUOTED_LINE.sub(_blanked, text)
    lines = text.splitlines(keepends=True)
    text = "".join(blanked(line) if is_machine(line) else line for line in lines)
    if not _MARKED.search(text):
        return text
    return _QUOTED_SHORT.sub(_blanked, _QUOTED.sub(_blanked, text))


_remembered_prose: Final = lru_cache(maxsize=8)(_said)  # a message is read once for each who asks


def is_machine(line: str) -> bool:
    """Tell whether a line is code, log or data rather than something said."""
    line = line.strip()
    if "[" in line and (box := _BOX.match(line)):
        line = line[box.end() :]
    return bool(
        _MACHINE.match(line)
        or line.endswith(_CODE_ENDS)
        or (len(line) >= 100 and max(map(len, line.split())) >= 100 and _LONG_RUN.search(line))
        or len(_CODE_MARK.findall(line)) > len(line) / 4
    )


def blanked(text: str) -> str:
    """Return as many blanks, with the line breaks where they were."""
    return _NOT_BLANK.sub(lambda found: " " * len(found[0]), text)


def _blanked(found: re.Match[str]) -> str:
    return blanked(found.group())


_BLOCK: Final = 256
# By so much a sum of blocks and the estimate of the whole may differ.
_SLACK: Final = 1.07
_LONGEST_CLUSTER: Final = 32
_ENDS: Final = tuple(
    pattern(source)
    for source in (
        r"\n\s*\n",
        r"[\n\r]",
        r"[。！？；…]+[”’」』）】》]*|(?<![.!?;])[.!?;]++[\"'’”)\]]*+[^\S\n]+",
        r"\s+",
    )
)
_HIGH: Final = pattern("[\ud800-\udbff]")
_LOW: Final = pattern("[\udc00-\udfff]")
_FOLLOWS: Final = pattern(
    "[\u0e33\u0eb3\u200c\u200d\u1160-\u11ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_FLAG_LETTERS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_FLAGS_SEEN: Final = 4096


def split_chunks(text: str, min_tokens: int = 1000, max_tokens: int = 2000) -> list[str]:
    """Return `text` in pieces of `min_tokens` to `max_tokens` estimated tokens.

    A text of at most `max_tokens` is one piece and the empty text none. No piece has more than
    `max_tokens` unless a single visible character does; one has less than `min_tokens` only if the
    limits leave no other choice.
    """
    if not 1 <= min_tokens <= max_tokens:
        raise UsageError(
            f"a chunk of {min_tokens} to {max_tokens} tokens cannot be; give 1 <= min <= max"
        )
    if most_tokens(text) <= max_tokens:
        return [text] if text else []
    return list(_split(text, min_tokens, max_tokens))


@lru_cache(maxsize=2)  # a long message is cut to be stored, then told in its episode
def _split(text: str, min_tokens: int, max_tokens: int) -> tuple[str, ...]:
    meter = _Meter(text)
    pieces = []
    start = 0
    while start < len(text):
        end = _end_of_chunk(meter, start, min_tokens, max_tokens)
        pieces.append(text[start:end])
        start = end
    return tuple(pieces)


def inside_cluster(text: str, index: int) -> bool:
    """Tell whether a cut before `text[index]` would tear one visible character apart."""
    if not 0 < index < len(text):
        return False
    before, after = text[index - 1], text[index]
    if (before, after) == ("\r", "\n") or (_HIGH.match(before) and _LOW.match(after)):
        return True
    if before == "\u200d" or _FOLLOWS.match(after) or unicodedata.category(after).startswith("M"):
        return True
    if after in _FLAG_LETTERS:
        seen = text[max(0, index - _FLAGS_SEEN) : index]
        return (len(seen) - len(seen.rstrip(_FLAG_LETTERS))) % 2 == 1  # two letters make a flag
    return False


class _Meter:
    """The tokens of a text up to any place, from one estimate a block of characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        blocks = (text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK))
        costs = (estimate_tokens(block, margin=1.0) * MARGIN for block in blocks)
        self._sums = list(accumulate(costs, initial=0.0))

    def tokens(self, end: int) -> float:
        """Return the tokens before `end`; inside a block they are taken to be spread evenly."""
        block, rest = divmod(end, _BLOCK)
        return self._sums[block] + (rest / self._size(block) * self._cost(block) if rest else 0)

    def place(self, tokens: float) -> int:
        """Return the place that has about so many tokens before it."""
        block = bisect_right(self._sums, tokens) - 1
        if block == len(self._sums) - 1:
            return len(self.text)
        inside = (tokens - self._sums[block]) / self._cost(block) * self._size(block)
        return block * _BLOCK + round(inside)

    def fits(self, start: int, end: int, limit: int) -> bool:
        """Tell whether a piece has at most `limit` tokens; count it only if that is in doubt.

        The blocks it touches bound it, but for what an estimate gains from a wider view.
        """
        touched = self._sums[-(-end // _BLOCK)] - self._sums[start // _BLOCK]
        return touched * _SLACK <= limit or estimate_tokens(self.text[start:end]) <= limit

    def _size(self, block: int) -> int:
        return min(_BLOCK, len(self.text) - block * _BLOCK)

    def _cost(self, block: int) -> float:
        return self._sums[block + 1] - self._sums[block]


def _end_of_chunk(meter: _Meter, start: int, least: int, most: int) -> int:
    text = meter.text
    done = meter.tokens(start)
    left = meter.tokens(len(text)) - done
    # Blocks count a little too much, most of all in long blanks; far beyond the limit is beyond it.
    if left <= most * 1.5 and meter.fits(start, len(text), most):
        return len(text)
    fewest, largest = _reach(left, least, most)
    low = max(start + 1, meter.place(done + fewest))
    high = max(low, meter.place(done + largest))
    while True:
        end = _best_end(text, start, min(low, high), high)
        if high == start + 1 or meter.fits(start, end, most):
            return end
        high = max(start + 1, start + (min(end, high) - start) * 9 // 10)


def _reach(left: float, least: int, most: int) -> tuple[float, float]:
    """Return the fewest and most tokens of the next piece, so that what follows fits as well."""
    enough, full = least * _SLACK, most / _SLACK
    low, high = enough, min(most, left - enough)
    # Leave no rest that is too much for one piece and too little to choose where to cut it in two.
    if full < left - low < 2.3 * enough and left - full <= high:
        low = left - full
    if high < low:
        low, high = least, left - least
    return low, high


def _best_end(text: str, start: int, low: int, high: int) -> int:
    """Return the first end of the best kind from `low` to `high`."""
    for ends in _ENDS:
        for found in ends.finditer(text, low, high):
            if not inside_cluster(text, found.end()):
                return found.end()
    return _between_clusters(text, start, (low + high) // 2)


def _between_clusters(text: str, start: int, index: int) -> int:
    """Return a place near `index`, after `start`, that tears nothing apart."""
    index = max(index, start + 1)
    for place in range(index, max(start, index - _LONGEST_CLUSTER), -1):
        if not inside_cluster(text, place):
            return place
    for place in range(index, min(len(text), index + _LONGEST_CLUSTER)):
        if not inside_cluster(text, place):
            return place
    return index


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
    pattern(
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


_remembered: Final = lru_cache(maxsize=64)(_spans)  # a turn is read, then told in its episode


def split_sentences(text: str) -> list[str]:
    """Return the sentences of `text` in order, without the blanks around them."""
    return [text[start:end] for start, end in sentence_spans(text)]


def extract_summary(parts: Sequence[tuple[str, str]], limit: int = 280) -> str:
    """Tell a turn in at most `limit` characters, in whole sentences of its own.

    A turn that fits comes back whole, a line a part. Else the first telling sentence of each part
    goes in, the user's before the others', then the sentences with the most of: a number, a name
    or path, a decision. Headings, code, logs and data go in only when there is nothing else. Only
    a sentence that alone is too long is cut, and then shows "…".
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
    start = 0
    for found in _END.finditer(text):
        if _ends_here(text, start, found):
            yield (start := found.end())
    yield len(text)


def _ends_here(text: str, start: int, found: re.Match[str]) -> bool:
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
                finished = sentence.rstrip(_CLOSING).endswith(_FINISHED)
                if signals or (_is_wide(sentence) and finished):
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
    for machine, lines in groupby(text.splitlines(keepends=True), key=is_machine):
        for sentence in lines if machine else split_sentences("".join(lines)):
            if joined := " ".join(sentence.split()):
                yield _BULLET.sub("", joined) or joined, machine


def _is_wide(text: str) -> bool:
    """Tell whether a sentence holds enough to lead: a Chinese character counts as two letters."""
    return len(text) >= _LEAD_WIDTH or len(text) + len(_IDEOGRAPH.findall(text)) >= _LEAD_WIDTH


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
    lines: dict[int, str] = {}
    for candidate in sorted(chosen, key=lambda one: one.order):
        line = lines.get(candidate.part)
        if line is None:
            lines[candidate.part] = f"{said[candidate.part][0]}: {candidate.text}"
        else:
            glue = "" if _WIDE_END.search(line) else " "
            lines[candidate.part] = f"{line}{glue}{candidate.text}"
    return "\n".join(lines.values())
