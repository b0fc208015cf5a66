"""A message as the finders read it: sentences in their moods, without code and quotations (C6).

In: who said what, when, and what was said before. Out: sentences and clauses with their places in
the message, and apart from them those of text that was only handed over. Only the beginning of a
very long message is read; the rest stays in the events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, overload

from smartbrain.domain.candidate import Source
from smartbrain.domain.quick import quick
from smartbrain.domain.time_span import TimeSpan
from smartbrain.remember.extract.handed import divided
from smartbrain.remember.extract.moods import Mood, asks, mood_of
from smartbrain.remember.extract.pasted import documents_in
from smartbrain.remember.extract.wording import latin_words
from smartbrain.text.controls import without_controls
from smartbrain.text.pattern import pattern
from smartbrain.text.prose import blanked, said_only
from smartbrain.text.sentences import sentence_spans
from smartbrain.text.times import FIRST_WORDS, find_times

_READ: Final = (9_000, 6_000)  # characters at the ends of a very long message
_READ_WIDE: Final = (3_000, 2_000)  # where a character is half a word, as in Chinese
_EARLIER: Final = 6  # messages that a message may refer to
LONGEST_SENTENCE: Final = 2_000
"""A longer sentence is no speech; it is left alone."""

# Where a clause may end: a comma or a semicolon, and a word that begins a new one. The comma
# inside a number or between two words of a list of names does no harm: finders see the sentence.
# A colon between capitals is part of a name: "CI:CD".
_CLAUSE_END: Final = pattern(
    r"[,，;；:：—](?!\d|//|(?<=[A-Z]{2}:)[A-Z]{2})\s*|(?<!\s)\s++(?=(?:but|so|because|although|though|while"
    r"|whereas)\s)"
)
# What is so, and in the same breath what is not: 住在苏州|不是杭州, "the port is 5433 |not 5432".
_NAMED: Final = (
    r"(?:(?:an?|the|in|at|on) )?(?!(?:i|we|you|they)(?:['’]\w+)?\b)"
    r"(?-i:[$€£¥]?[A-Z\d])[\w.,:%/+#$'’&-]*+"
)
_CONTRAST: Final = pattern(
    r"(?:住|[是叫姓为在用]|搬到|来自|等于|改成|换成)\s?[^，,是叫在的不没吗谁哪][^，,是不没的吗谁哪]{0,18}"
    r"(?<![要莫可又还就也都才本再更经而并])\s?(?P<zh>)(?:而|并)?不是(?!很|太|特别|非常|那么|这么|因为|为了|由于|说|什么"
    r"|来|去|想|要|我|你|他|她|它|这|那|一[天两个次]|没|不|所有|每|只|个|真|闹|开玩笑|问题|办法|问|长久|吗|最|挺|有)"
    r"[^，,是]{1,18}\Z"
    rf"|\b(?:{_NAMED} ){{1,3}}(?P<en>)(?:and |but )?not (?:{_NAMED} ?){{1,3}}\Z"
    r"|\ban? [\w-]+ (?P<of>)not an? [\w-]+\Z"
    r"|\b(?:live in|based in|work (?:at|for)|moved to|name(?: is|'s|’s)|called) "
    r"(?!not\b|fact\b|general\b)[\w-]+ (?P<at>)not (?:in |at |for )?[\w-]+\Z",
    0x02,
)
_DIGIT: Final = pattern(r"\d")


class Earlier(NamedTuple):
    """A message before the one that is read; without a time it was said just before it."""

    source: Source
    text: str
    at: datetime | None = None


class Past(Sequence[Earlier]):
    """The messages before the one that is read, fetched when somebody asks for them."""

    def __init__(self, fetch: Callable[[], Sequence[Earlier]], *own: Earlier) -> None:
        """Fetch what was said before, once at most; `own` was said after that."""
        self._fetch = fetch
        self._own = own

    def then(self, one: Earlier) -> Past:
        """Return the messages before the next one, of which `one` is the last."""
        return Past(lambda: self._all, one)

    @cached_property
    def _all(self) -> tuple[Earlier, ...]:
        return (*self._fetch(), *self._own)[-_EARLIER:]

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> Earlier: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Earlier, ...]: ...
    def __getitem__(self, index: int | slice) -> Earlier | tuple[Earlier, ...]:
        return self._all[index]


class _Part(NamedTuple):
    """A part of a message: where it stands, what its speaker says, and what is handed over."""

    offset: int
    own: str
    handed: str


class Clause(NamedTuple):
    """A part of a sentence and where it stands in the message."""

    text: str
    offset: int
    mood: Mood


class Sentence(NamedTuple):
    """A sentence, where it stands in the message, and its clauses.

    `mood` is that of the whole: a question or a condition anywhere in it colours all of it.
    """

    text: str
    offset: int
    mood: Mood
    clauses: tuple[Clause, ...]


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a turn, read.

    `handed` are the sentences of text that the speaker hands over, and states nothing in; `pasted`
    tells that most of it is a document that nobody says a word about. `earlier` are the messages
    before it, in this turn and in the one before, the last one last.
    """

    text: str
    source: Source
    speaker: str
    at: datetime
    sentences: tuple[Sentence, ...]
    handed: tuple[Sentence, ...] = ()
    pasted: bool = False
    earlier: Sequence[Earlier] = ()

    @property
    def everything(self) -> list[Sentence]:
        """All sentences, in the order of the message."""
        return sorted((*self.sentences, *self.handed), key=lambda one: one.offset)

    def times(self, sentence: Sentence) -> list[TimeSpan]:
        """Return the times that a sentence speaks of, placed in the sentence."""
        return list(_times(sentence.text, self.at, self.at.tzinfo))


@lru_cache(maxsize=256)  # several finders ask about one sentence, one after the other
def _times(text: str, at: datetime, _zone: tzinfo | None) -> tuple[TimeSpan, ...]:
    """Find times; one instant is another day in another zone, though equal as a key."""
    if text.isascii() and FIRST_WORDS.isdisjoint(latin_words(text)) and not _DIGIT.search(text):
        return ()
    return tuple(find_times(text, at))


def read_said(
    text: str,
    *,
    source: Source,
    speaker: str,
    at: datetime,
    earlier: Sequence[Earlier] = (),
    own: bool = False,
) -> Said:
    """Read a message; its control characters are blanks to whoever looks for memories.

    `own` tells that the speaker stands behind all of it, however much it looks like a document.
    """
    text = without_controls(text)
    parts, pasted = _spoken(_ends_of(text)), False
    if source is Source.USER and not own:
        parts, pasted = _without_documents(parts)
    return Said(
        text=text,
        source=source,
        speaker=speaker,
        at=at,
        sentences=tuple(sentence_at(*one) for part in parts for one in _cut(part.own, part.offset)),
        handed=tuple(
            sentence_at(*one, Mood.REPORTED)  # its speaker does not stand behind it
            for part in parts
            for one in _cut(part.handed, part.offset)
        ),
        pasted=pasted,
        earlier=earlier,
    )


def asked_in(text: str) -> tuple[str, ...]:
    """Return the sentences of a message that ask something."""
    return _asked(_ends_of(without_controls(text)))


@lru_cache(maxsize=32)  # each summary of a session asks about its last messages again
def _asked(ends: tuple[tuple[int, str], ...]) -> tuple[str, ...]:
    cut = (shown for part in _spoken(ends) for shown, _ in _cut(part.own, part.offset))
    return tuple(shown for shown in cut if asks(shown))


def read_of(text: str) -> tuple[int, int] | None:
    """Return how many characters at both ends of a very long text are read; None if all are.

    What people say stands at its beginning or its end, and what they paste in between.
    """
    least = sum(_READ_WIDE)
    if len(text) <= least:
        return None
    ends = _READ_WIDE if len(text.encode("utf-8", "replace")) > 2 * len(text) else _READ
    return ends if len(text) > sum(ends) else None


def _ends_of(text: str) -> tuple[tuple[int, str], ...]:
    """Return the parts of a text that are read, each with its place."""
    ends = read_of(text)
    if ends is None:
        return ((0, text),)
    first, last = ends
    return (0, text[:first]), (len(text) - last, text[-last:])


@lru_cache(maxsize=4)  # what was read for memories is read for questions
def _spoken(ends: tuple[tuple[int, str], ...]) -> tuple[_Part, ...]:
    """Tell in each part of a text what its speaker says from what is handed over."""
    parts, goes_on = [], False
    for offset, part in ends:
        own, handed, goes_on = divided(said_only(part), part, goes_on=goes_on)
        parts.append(_Part(offset, own, handed))
    return tuple(parts)


def _without_documents(parts: tuple[_Part, ...]) -> tuple[tuple[_Part, ...], bool]:
    """Return the parts of a message with a document in it handed over, and whether there is one."""
    spans = documents_in([part.own for part in parts])
    if not spans:
        return parts, False
    return tuple(map(_handed_over, parts, spans)), True


def _handed_over(part: _Part, span: tuple[int, int]) -> _Part:
    """Return a part of a message with one more stretch of it handed over."""
    start, end = span
    blank = blanked(part.own)
    own = part.own[:start] + blank[start:end] + part.own[end:]
    rest = blank[:start] + part.own[start:end] + blank[end:]
    if part.handed:  # where the one has blanks, the other may have words
        rest = "".join(map(max, rest, part.handed))
    return _Part(part.offset, own, rest)


def _cut(shown: str, offset: int) -> Iterator[tuple[str, int]]:
    """Yield the sentences of a part of a text, each with its place."""
    for start, end in sentence_spans(shown):
        if end - start <= LONGEST_SENTENCE:
            yield shown[start:end], offset + start


def sentence_at(text: str, offset: int, known: Mood | None = None) -> Sentence:
    """Return words that stand at a place of a message as a sentence, cut into clauses.

    Args:
        text: the words.
        offset: where they stand.
        known: the mood of all of them; None if they tell it themselves.
    """
    mood, clauses = _read_sentence(text, known)
    return Sentence(
        text, offset, mood, tuple(Clause(one, offset + at, felt) for one, at, felt in clauses)
    )


@lru_cache(maxsize=64)  # what long messages are full of is often the same
def _read_sentence(text: str, known: Mood | None) -> tuple[Mood, list[tuple[str, int, Mood]]]:
    """Return the mood of a sentence, and its clauses with their places and moods."""
    mood = known or mood_of(text)
    clauses = []
    start = 0
    for end in [*_CLAUSE_END.finditer(text), None]:
        stop = end.start() if end else len(text)
        cut = _contrast_in(text[start:stop])
        for at, until in ((start, start + cut), (start + cut, stop)):
            part = text[at:until]
            if shown := part.strip():
                begin = at + len(part) - len(part.lstrip())
                clauses.append((shown, begin, mood if shown == text else known or mood_of(shown)))
        start = end.end() if end else start
    return mood, clauses


def _contrast_in(part: str) -> int:
    """Return where a clause that says what is so goes on with what is not; 0 if it does not."""
    if "不是" not in part and " not " not in part:
        return 0
    found = _CONTRAST.search(part.rstrip(" .。!！~～"))
    return max(map(found.start, ("zh", "en", "of", "at"))) if found else 0
