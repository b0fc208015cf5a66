"""Text that is handed over, pasted or asked for, whose "I" is not the user's (C1, C6).

In: a message with blanks in the place of code and quotations. Out: the spans of other people's
words: what stands after a request ("translate this:"), mails, chats, stories, role plays and long
documents. Words after "by the way" or "remember that" on a new line are the user's own again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

import msgspec

from smartbrain.text.entities_zh import is_person_name
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import stored_words, word_pattern, word_set

DOCUMENT_BYTES: Final = 6_000
"""The size from which on a text may be a document: about 1,000 English words."""
_MAX_SPEAKING_SHARE: Final = 0.1  # of a document's sentences; what people tell has four times that
_MIN_SENTENCE_BYTES: Final = 60  # of a document on average; lists and notes have shorter ones
_REQUEST_CHARS: Final = 200


class TextSpan(msgspec.Struct, frozen=True):
    """From where to where something stands in a text."""

    start: int
    end: int


class _Phrase(msgspec.Struct, frozen=True):
    """The words up to a mark: a colon, a full stop for any sentence end, or a line break."""

    words: str
    start: int
    end: int
    mark: str


class _Form(msgspec.Struct, frozen=True):
    """A request that hands words over, the marks it may end with, and which words those are.

    `given` is the rest of the message or the paragraph after it, the rest of its sentence, its
    scene (from itself on), its own clause, the text before it, or the clause before it.
    """

    request: re.Pattern[str]
    marks: str
    given: str


def _pattern(name: str) -> re.Pattern[str]:
    return pattern(word_pattern(__file__, name), re.IGNORECASE | re.MULTILINE)


def _form(name: str, marks: str, given: str) -> _Form:
    start = "" if given == "clause before" else r"(?:\A|[,，;；~～])[ \t]*+"
    return _Form(pattern(start + word_pattern(__file__, name), re.IGNORECASE), marks, given)


_FORMS: Final = (
    _form("ABOVE", ".", "before"),
    _form("HOW_TO_SAY", ".\n", "clause before"),
    _form("PLAY", ":.\n", "scene"),
    _form("IN_FICTION", ":.\n", "clause"),
    _form("TRANSLATE", ":\n", "rest"),
    _form("WORK_ON", ":", "rest"),
    _form("SHOWN", ":", "rest"),
    _form("WRITE", ":", "paragraph"),
    _form("JUDGE", ":\n", "paragraph"),
    _form("STORY", ".\n", "sentence"),
)
_LINE: Final = pattern(r"[^\n]+")
_MARK: Final = pattern(r"[?？]?[:：](?!//|\d)|[.!?。！？]++(?![:：])")
_NOT_BLANK: Final = pattern(r"\S")
_PARAGRAPH_END: Final = pattern(r"\n[ \t]*\n")
_OWN_AGAIN: Final = word_pattern(__file__, "OWN_AGAIN")
_OWN_LINE: Final = pattern(rf"^[ \t]*+{_OWN_AGAIN}", re.IGNORECASE | re.MULTILINE)
_OWN_SENTENCE: Final = pattern(
    rf"(?:^|(?<=[.!?。！？]) ?)[ \t]*+{_OWN_AGAIN}", re.IGNORECASE | re.MULTILINE
)
_MAIL: Final = _pattern("MAIL")
_OF_MAILS: Final = _pattern("OF_MAILS")  # from Berlin to Paris is a journey, not a mail
_DEAR: Final = _pattern("DEAR")
_CLOSING: Final = _pattern("CLOSING")
_CHAT_LINE: Final = _pattern("CHAT_LINE")
_SPEAKS_IN_CHAT: Final = pattern(
    r"[^\n]{0,40}?(?:\b(?:I|I'm|I've|I'll|I'd|[Ww]e|[Yy]ou|[Mm]y|[Yy]our)\b|[我你您咱])"
)
_SPEAKERS: Final = word_set(stored_words(__file__, "SPEAKERS"))
_USER_LABELS: Final = word_set("me i myself 我 本人 我自己")
_SENTENCE: Final = pattern(r"[^\s。！？!?](?:[^\n。！？!?.]|\.(?!\s))*+[。！？!?.]*+")
_SPEAKS: Final = pattern(
    r"[你您咱俺]|(?<!自)我(?![国军省市县校])|记[住下得一着]"
    r"|\b(?:I|i(?!\.)|[Ii]m|me|[Mm]y|mine|myself|[Ww]e|us|[Oo]urs?|[Yy]ou|[Yy]ours?|[Rr]emember)\b"
)


def find_handed_over(shown: str, text: str, *, goes_on: bool = False) -> list[TextSpan]:
    """Returns the spans of words that are not the user's own.

    `shown` has blanks where code or a quotation stands in the text; `goes_on` tells whether what
    was handed over before it has not ended.
    """
    spans = [TextSpan(0, _find_own_words(_OWN_LINE, shown, 0))] if goes_on else []
    spans += _find_requested(shown, text)
    mail = _MAIL.search(shown)
    if mail and _OF_MAILS.search(shown, mail.start(), mail.end()):
        spans.append(TextSpan(mail.start(), _find_own_words(_OWN_LINE, shown, mail.end())))
    dear = _DEAR.search(shown)
    closing = _CLOSING.search(shown, dear.end()) if dear else None
    if dear and closing:
        spans.append(TextSpan(dear.start(), closing.end()))
    spans += _find_other_speakers(shown)
    return [span for span in spans if span.start < span.end]


def _find_requested(shown: str, text: str) -> Iterator[TextSpan]:
    done, previous = 0, None
    for phrase in _split_phrases(shown):
        begins = previous is None or previous.mark != ":" or previous.end != phrase.start
        if begins and phrase.start >= done:
            span = _find_given(phrase, previous, shown, text)
            if span:
                yield span
                done = span.end
        previous = phrase


def _split_phrases(text: str) -> Iterator[_Phrase]:
    last_line = len(text.rstrip())
    for line in _LINE.finditer(text):
        start, line_end = line.start(), line.start() + len(line[0].rstrip())
        line_mark = "\n" if line.end() < last_line else "."
        for mark in _MARK.finditer(text, line.start(), line_end):
            kind = line_mark if mark.end() >= line_end else "."
            kind = ":" if mark[0][-1] in ":：" else kind
            yield _Phrase(text[start : mark.start()], start, mark.end(), kind)
            start = mark.end()
        if start < line_end:
            yield _Phrase(text[start:line_end], start, line_end, line_mark)


def _find_given(
    phrase: _Phrase, previous: _Phrase | None, shown: str, text: str
) -> TextSpan | None:
    """Returns the words that a phrase hands over; those in a block or in quotes end with it."""
    words = phrase.words[-_REQUEST_CHARS:].replace("’", "'")
    shift = phrase.start + len(phrase.words) - len(words)
    for form in _FORMS:
        found = form.request.search(words) if phrase.mark in form.marks else None
        if found is None:
            continue
        start, end = shift + found.start(), shift + found.end()
        stop = phrase.start + len(phrase.words)
        given = _NOT_BLANK.search(text, phrase.end)
        if form.given == "before" and phrase.end >= len(shown.rstrip()):
            return TextSpan(0, start)
        if form.given == "clause before" and found.start() > 0:
            return TextSpan(shift + _find_clause(words, found.start()), start)
        if form.given == "clause before" and previous and phrase.mark == ".":
            return TextSpan(previous.start, previous.end)
        if form.given == "scene":
            return TextSpan(start, _find_own_words(_OWN_SENTENCE, shown, phrase.end))
        if form.given in ("clause", "sentence"):
            return TextSpan(start if form.given == "clause" else end, stop)
        if form.given in ("rest", "paragraph") and given and shown[given.start()] == given[0]:
            return TextSpan(phrase.end, _find_end(form.given, shown, phrase.end, given.start()))
    return None


def _find_clause(words: str, end: int) -> int:
    """Returns where the clause begins that ends at a place; after a comma all of them are meant."""
    before = words[:end].rstrip()
    comma = max(before.rfind("，"), before.rfind(","))
    return comma + 1 if comma < len(before) - 1 else 0


def _find_end(given: str, text: str, request_end: int, start: int) -> int:
    """Returns where words end that are handed over; after a request in one line, a paragraph."""
    if given == "rest":
        return _find_own_words(_OWN_LINE, text, request_end)
    on_line = "\n" not in text[request_end:start]
    paragraph = _PARAGRAPH_END.search(text, start) if on_line else None
    return _find_own_words(_OWN_SENTENCE, text[: paragraph.start() if paragraph else None], start)


def _find_own_words(opening: re.Pattern[str], text: str, start: int) -> int:
    own = opening.search(text, start)
    return own.start() if own else len(text)


def _find_other_speakers(text: str) -> Iterator[TextSpan]:
    """Yields what others say in a chat; a list of what people do is no chat."""
    labels = ((line, _judge_label(line["label"].strip())) for line in _CHAT_LINE.finditer(text))
    lines = [(line, speaker) for line, speaker in labels if speaker]
    speaking = [speaker for line, speaker in lines if _SPEAKS_IN_CHAT.match(text, line.end())]
    if not speaking or (len(lines) == 1 and speaking != ["name"]):
        return
    ends = [line.start() for line, _ in lines[1:]] + [len(text)]
    for (line, speaker), end in zip(lines, ends, strict=True):
        if speaker != "user":
            gap = text.find("\n\n", line.end(), end)
            yield TextSpan(line.start(), end if gap < 0 else gap)


def _judge_label(label: str) -> str:
    lower = label.lower()
    if lower in _USER_LABELS:
        return "user"
    if lower in _SPEAKERS or lower.rstrip("0123456789 ") in _SPEAKERS:
        return "role"
    return "name" if is_person_name(label) else ""


def find_document(parts: Sequence[str]) -> list[TextSpan]:
    """Returns where a pasted document stands in each part of a message; nothing if it is none.

    It is a long text of whole sentences that hardly ever speak of I, we or you; the sentences
    before and after it that do are the user's own.
    """
    if sum(map(len, parts)) * 3 < DOCUMENT_BYTES:
        return []
    cut = [list(_SENTENCE.finditer(part)) for part in parts]
    speaking = [bool(_SPEAKS.search(one[0])) for sentences in cut for one in sentences]
    size = sum(len(word.encode()) for part in parts for word in part.split())
    if size < max(DOCUMENT_BYTES, _MIN_SENTENCE_BYTES * len(speaking)):
        return []
    if sum(speaking) >= _MAX_SPEAKING_SHARE * len(speaking):
        return []
    first = list(takewhile(lambda one: _SPEAKS.search(one[0]), cut[0]))
    last = list(takewhile(lambda one: _SPEAKS.search(one[0]), reversed(cut[-1])))
    spans = [TextSpan(0, len(part)) for part in parts]
    if first:
        spans[0] = TextSpan(first[-1].end(), spans[0].end)
    if last:
        spans[-1] = TextSpan(spans[-1].start, last[-1].start())
    return spans
