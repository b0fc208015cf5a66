"""Forgetting: what is asked for, what it covers, and the receipt that proves it (J7).

A `ForgetRequest` names things, a `Coverage` is what they come to, a `ForgetReceipt` says what went
without a word of it. A forgotten text is a hole of the same length, in characters and in bytes, so
that every other offset stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

HOLES: Final = ("_", "\u00af", "\uff3f", "\U0001f7f0")
"""What stands for a forgotten character of one, two, three and four bytes."""
MUTED: Final = "muted"
"""The kind of the tenant's working state that holds what is never to be brought up."""
FORGOTTEN: Final = "forgotten"
"""The code of what was forgotten, and the only field that a forgotten operation keeps."""
FOLLOWS: Final = "nothing else tells of it"
"""Why a memory goes that nobody named."""
_RUN: Final = re.compile(f"[{''.join(HOLES)}]{{4,}}")
_CLAUSE: Final = re.compile(
    r"[^\n。！？!?；;，,、.]+(?:(?:\.(?!\s|$)|(?<=\d),(?=\d{3}))[^\n。！？!?；;，,、.]+)*"
)
_JOINT: Final = re.compile(
    r" (?:and|but|while|because) (?=(?:i|my|we|our|he|she|they|his|her|you|your|the)\b)"
    r"|(?:而且|并且|但是|因为|另外)",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"(?:\d+ )*!?\s*")
NAMING: Final = frozenset(
    ("action", "attribute", "code", "kind", "k", "modality", "mark", "owner", "role", "scope")
    + ("state", "status", "trigger_reason", "type", "granularity", "relation")
)
"""Fields whose values are names of ours, never somebody's words."""
_NAME: Final = re.compile(r"[a-z_]+")
_THEIRS: Final = ("slots", "args", "ref_meta", "meta")  # whose fields others name
_MOMENTS: Final = ("at", "until")  # what the names of fields with our own times end in
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_WINDOW: Final = 12  # bytes compared at every ninth place: a run of 20 has one of them whole
_STRIDE: Final = 9


class ForgetState(StrEnum):
    """How far a forgetting has come."""

    PREVIEW = "preview"
    HIDDEN = "hidden"
    ERASING = "erasing"
    ERASED = "erased"
    TAKEN_BACK = "taken_back"


class ForgetRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody asks to forget: ids, and criteria that all have to be met."""

    ids: tuple[str, ...] = ()
    topic: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    session_id: str | None = None
    everything: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it names nothing at all."""
        return not self.everything and not any(
            (self.ids, self.topic, self.since, self.until, self.session_id)
        )


class ForgetItem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that goes, or stays: its kind, its id and why."""

    kind: str
    id: str
    reason: str = ""


class ForgetReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """What was forgotten, by ids, counts and keyed hashes; no word of it.

    `items` go and `stays` do not. `hashes` are keyed hashes of values, sentences and terms that
    occurred nowhere else; `files` were written anew or deleted. `previous` is the signature of the
    receipt before, `signature` that of all the rest.
    """

    id: str
    state: ForgetState
    tenant: str = ""
    request: Mapping[str, Any] = msgspec.field(default_factory=dict)
    asked_at: datetime
    due_at: datetime | None = None
    erased_at: datetime | None = None
    items: tuple[ForgetItem, ...] = ()
    stays: tuple[ForgetItem, ...] = ()
    counts: Mapping[str, int] = msgspec.field(default_factory=dict)
    hashes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    previous: str = ""
    signature: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    def signed_part(self) -> bytes:
        """Return what a signature is made over."""
        unsigned = msgspec.structs.replace(self, signature="")
        return msgspec.json.encode(msgspec.to_builtins(unsigned), order="deterministic")


class Forgetting(msgspec.Struct, frozen=True, kw_only=True):
    """One forgetting as it is stored: its receipt, and its words until they are erased."""

    receipt: ForgetReceipt
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class ClosedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """What a forgotten claim leaves: where it stood in time, and keyed hashes; no word of it."""

    claim: str
    group: str
    value: str
    type: str
    attribute: str
    said_at: datetime
    place: int
    forgotten_at: datetime
    forgetting: str


def cut_holes(body: bytes, holes: Iterable[tuple[int, int]]) -> bytes:
    """Return text as bytes with parts of it as holes of the same length; line ends stay."""
    parts, last = [], 0
    for start, end in sorted(holes):
        start = max(start, last)
        if end <= start:
            continue
        parts += [body[last:start], fill_hole(body[start:end].decode(errors="replace")).encode()]
        last = end
    return b"".join([*parts, body[last:]])


def fill_hole(text: str) -> str:
    """Return a hole as long as a text; what has a hole's length already stays."""
    return "".join(
        one if one in "\r\n" else HOLES[len(one.encode(errors="replace")) - 1] for one in text
    )


def close_holes(text: str) -> str:
    """Return a text with each hole shown as an ellipsis."""
    return _RUN.sub("…", text)


def is_hole(text: str) -> bool:
    """Tell whether a text has nothing but holes and blanks."""
    return all(one in HOLES or one.isspace() for one in text)


def find_clauses(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the clauses of a text are; a mark inside a number or a name ends none."""
    for found in _CLAUSE.finditer(text):
        prefix = _NUMBERED.match(text, found.start(), found.end())
        start = prefix.end() if prefix and prefix.end() < found.end() else found.start()
        joints = [one.span() for one in _JOINT.finditer(text, start, found.end())]
        starts = [start, *(end for _, end in joints)]
        for first, last in zip(starts, [*(at for at, _ in joints), found.end()], strict=True):
            end = last - (len(text[first:last]) - len(text[first:last].rstrip()))
            if first < end:
                yield first, end


def holds_words(text: str, needle: str) -> bool:
    """Tell whether a text names something: by whole words, where it has letters of an alphabet."""
    return any(True for _ in find_words(text, needle))


def find_words(text: str, needle: str) -> Iterator[int]:
    """Yield where a text names something, both in lower case."""
    at = text.find(needle) if needle else -1
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(needle) : at + len(needle) + 1]
        if not (_joins(before, needle[0]) or _joins(needle[-1], after)):
            yield at
        at = text.find(needle, at + 1)


def _joins(one: str, other: str) -> bool:
    """Tell whether two characters beside each other are of one word."""
    return all(c and c.isascii() and c.isalnum() for c in (one, other))


class Matcher:
    """Finds forgotten words in other texts: whole needles, runs of 20 bytes, and single terms."""

    def __init__(
        self,
        needles: Iterable[str] = (),
        windows: Iterable[bytes] = (),
        terms: Iterable[str] = (),
    ) -> None:
        """Take needles in any case, windows of forgotten texts, and terms of one word."""
        self._needles = tuple({one.casefold() for one in needles if one.strip()})
        self._terms = frozenset(terms)
        self._windows = frozenset(windows)

    @property
    def needles(self) -> tuple[str, ...]:
        """What is looked for as it is, in lower case."""
        return self._needles

    def matches(self, text: str) -> bool:
        """Tell whether a text holds anything forgotten."""
        if any(holds_words(text.casefold(), one) for one in self._needles):
            return True
        if self._windows:
            data, windows = text.encode(errors="replace"), self._windows
            ends = range(0, len(data) - _WINDOW + 1, _STRIDE)
            if any(data[at : at + _WINDOW] in windows for at in ends):
                return True
        return bool(self._terms) and not self._terms.isdisjoint(terms_of(text))

    def clean(self, text: str) -> str:
        """Return a text without the clauses that hold anything forgotten."""
        if not self.matches(text):
            return text
        for start, end in reversed([*find_clauses(text)]):
            if self.matches(text[start:end]):
                text = f"{text[:start]}…{text[end:]}"
        return "" if self.matches(text) or not text.strip("… .,。，!?") else text

    def clean_value(self, value: Any, *, theirs: bool = False) -> Any:
        """Return JSON without the texts that hold anything forgotten; a list loses its items.

        `theirs` says that somebody else has named the fields.
        """
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, list | tuple):
            kept = [self.clean_value(one, theirs=theirs) for one in value]
            return [new for new, old in zip(kept, value, strict=True) if new or not old]
        if isinstance(value, dict):
            return {
                key: self.clean_value(one, theirs=theirs or key in _THEIRS)
                if theirs or not _is_ours(key, one)
                else one
                for key, one in value.items()
                if not (theirs or not _NAME.fullmatch(key)) or not self.matches(key)
            }
        if theirs and isinstance(value, int | float) and self.matches(str(value)):
            return None
        return value


def words_in(value: Any, *, theirs: bool = False) -> Iterator[str]:
    """Yield the texts of JSON that may be somebody's words: no names of fields, kinds or states."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from words_in(one, theirs=theirs)
    elif isinstance(value, dict):
        for key, one in value.items():
            if theirs or not _NAME.fullmatch(key):
                yield key
            if theirs or not _is_ours(key, one):
                yield from words_in(one, theirs=theirs or key in _THEIRS)
    elif theirs and isinstance(value, int | float):
        yield str(value)


def _is_ours(key: str, value: Any) -> bool:
    """Tell whether a field holds a name or a time of ours."""
    if not isinstance(value, str):
        return key in NAMING
    if key.rpartition("_")[2] in _MOMENTS and _MOMENT.fullmatch(value):
        return True
    return key in NAMING and _NAME.fullmatch(value) is not None


def windows_of(text: str) -> Iterator[bytes]:
    """Yield every window of a text, by which runs of 20 bytes of it are found elsewhere."""
    data = text.encode(errors="replace")
    for at in range(len(data) - _WINDOW + 1):
        yield data[at : at + _WINDOW]


_TERM: Final = re.compile(r"[0-9a-z][0-9a-z_.@+-]{2,}[0-9a-z]|[0-9a-z]{3,}")
_HAN: Final = re.compile(r"[\u3400-\u9fff]{2,}")


def mark_term(term: str) -> str:
    """Return the text whose keyed hash a receipt has of an erased term."""
    return f"term\0{term}"


def terms_of(text: str) -> set[str]:
    """Return the terms of a text: words of three letters and more, and pairs of characters."""
    plain = text.casefold()
    found = set(_TERM.findall(plain))
    for run in _HAN.findall(plain):
        found.update(run[at : at + 2] for at in range(len(run) - 1))
    return found
