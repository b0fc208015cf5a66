"""Keys: how a memory is named so that the same thing always gets the same name (M2).

In: a template such as `task:<project>:<task_id>` and the texts to put into it. Out: keys like
`task:SmartBot:brain_runtime_mvp`, their parts, or an error with a key that would be valid.
`<slug(title)>` is a segment that is made from the field `title` when it is not given itself.
What a segment may hold beyond being well spelled is the business of `domain.memory_type`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from smartbrain.domain.hints import shown
from smartbrain.domain.ids import derive
from smartbrain.errors import UsageError

MAX_KEY_BYTES: Final = 512
_SLUG_BYTES: Final = 120
_SHORTEST: Final = 40  # bytes that a segment keeps when a long key is cut to fit
_MAX_SEGMENTS: Final = 8
_NAME_LENGTH: Final = 40

_NAME_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
_CJK: Final = ("\u3040\u30ff", "\u3400\u4dbf", "\u4e00\u9fff", "\uac00\ud7a3")
"""First and last of kana, rare and usual Han, and Hangul."""
_PLACEHOLDER: Final = re.compile(r"<(?P<name>\w+)(?:\((?P<source>\w+)\))?>")
_ESCAPE: Final = re.compile(r"%(3A|25)", re.IGNORECASE)
_ID: Final = re.compile(
    r"(?:[a-z]+_)?[0-9a-f]{16,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE
)
_JOINERS: Final = "\u200c\u200d"  # they shape Persian words and emoji; other marks are invisible
_SLUG_SIGNS: Final = frozenset("-./#@&")

GENERAL: Final = "general"
"""The project of what names none."""


def is_name(text: object) -> bool:
    """Tell whether a text can name a type or start its keys: lower-case ASCII or CJK."""
    return (
        isinstance(text, str)
        and 1 <= len(text) <= _NAME_LENGTH
        and text[0] not in "0123456789_"
        and all(
            char in _NAME_CHARS or any(first <= char <= last for first, last in _CJK)
            for char in text
        )
    )


def segment_text(text: str) -> str:
    """Return a text as a key spells it: NFC, each run of blanks one `_`, nothing invisible.

    Case and every letter stay, so a project keeps the spelling that its people use.
    """
    if not text.isprintable() or " " in text:
        text = "_".join(_visible(text).split())
    return unicodedata.normalize("NFC", text)


def slug(text: str) -> str:
    """Return the short lower-case name of a free text, in the text's own script.

    Compatibility forms and case are folded; blanks and sentence punctuation become `_`. A text
    over 120 bytes is cut and marked with its fingerprint, so two long texts stay apart.
    The slug of a slug is itself; a text without a letter, digit or symbol has the empty slug.
    """
    folded = _fold(text)
    # Folding and composing can enable each other; a slug is what neither changes any more.
    while folded != (again := _fold(folded)):
        folded = again
    return _shorten(folded, _SLUG_BYTES, folded)


def spells(segment: str, text: str) -> bool:
    """Tell whether a key's segment is a spelling of a text: itself, its slug, or cut to fit."""
    plain = segment_text(text)
    return segment == plain or segment == slug(text) or segment.endswith(_fingerprint(plain))


def plain_name(name: object) -> str:
    """Return a name without what its spellings differ in: case, blanks and signs."""
    return _plain_text(str(name))  # 1 and True are equal, but not their names


@lru_cache(maxsize=1_024)  # few domains name many procedures
def _plain_text(name: str) -> str:
    return "".join(part for part in name.casefold() if part.isalnum())


@dataclass(frozen=True, slots=True)
class Segment:
    """One placeholder of a template, and the field it is made from when it is not given."""

    name: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class KeyRule:
    """The template of a type's keys, read; `example` is a key that follows it."""

    prefix: str
    segments: tuple[Segment, ...]
    example: str = ""
    keyed_by_ids: bool = False

    @property
    def form(self) -> str:
        """The template as people read it, such as `case:<domain>:<slug>`."""
        return ":".join([self.prefix, *(f"<{segment.name}>" for segment in self.segments)])

    def join(self, texts: Sequence[str]) -> str:
        """Return the key of these segment texts, spelled and escaped, cut where it is too long."""
        plain = [*map(segment_text, texts)]
        parts = [*map(_escape, plain[:-1]), plain[-1]]
        key = ":".join([self.prefix, *parts])
        while (excess := len(_bytes(key)) - MAX_KEY_BYTES) > 0:
            sizes = [len(_bytes(part)) for part in parts]
            longest = sizes.index(max(sizes))
            limit = max(_SHORTEST, sizes[longest] - excess)
            parts[longest] = _shorten(parts[longest], limit, plain[longest])
            key = ":".join([self.prefix, *parts])
        return key

    def split(self, key: str) -> dict[str, str]:
        """Return a key's segments by name, escapes undone."""
        if not isinstance(key, str):
            raise self.refusal(key, "it must be text")
        prefix, _, rest = key.partition(":")
        parts = rest.split(":", len(self.segments) - 1)
        if prefix != self.prefix:
            raise self.refusal(key, f"it must start with {self.prefix}:")
        if (size := len(_bytes(key))) > MAX_KEY_BYTES:
            raise self.refusal(key, f"it has {size} bytes; shorten it to {MAX_KEY_BYTES}")
        texts = [*map(_unescape, parts[:-1]), parts[-1]]
        plain = [*map(segment_text, texts)]
        if len(parts) < len(self.segments) or not all(plain):
            raise self.refusal(key, f"it must be {self.form} with no part left empty")
        if plain != texts or parts[:-1] != [*map(_escape, texts[:-1])]:
            raise UsageError(
                f"key {shown(key)}: it holds blanks, invisible or unnormalised (not NFC)"
                f" characters, or a bare %; write it as {self.join(texts)}",
                code="bad_key",
            )
        if not self.keyed_by_ids and all(map(_ID.fullmatch, texts)):
            raise self.refusal(key, "ids alone tell a reader nothing; put a readable name in it")
        return {segment.name: text for segment, text in zip(self.segments, texts, strict=True)}

    def refusal(self, key: object, problem: str) -> UsageError:
        """Return the one-line error of a key, with a valid one beside it."""
        return UsageError(
            f"key {shown(key)}: {problem}; a valid key is {self.example}", code="bad_key"
        )


def read_template(
    template: str, samples: Mapping[str, str], *, keyed_by_ids: bool = False
) -> KeyRule:
    """Read `prefix:<segment>:<segment(field)>` into a rule; samples fill its example."""
    if not isinstance(template, str):
        raise UsageError(f"key is {shown(template)}; write a template such as note:<topic>")
    prefix, *places = template.split(":")
    if not is_name(prefix):
        raise UsageError(
            f"key {shown(template)} starts with {shown(prefix)}; start it with"
            f" a lower-case ASCII or CJK word of up to {_NAME_LENGTH} characters"
        )
    matches = [_PLACEHOLDER.fullmatch(place) for place in places]
    segments = tuple(Segment(found["name"], found["source"]) for found in matches if found)
    if not 1 <= len(segments) == len(places) <= _MAX_SEGMENTS:
        raise UsageError(
            f"key {shown(template)} is no template; write {prefix}:<name> with 1 to"
            f" {_MAX_SEGMENTS} such names in angle brackets, separated by ':'"
        )
    names = [segment.name for segment in segments]
    if len(set(names)) != len(names):
        raise UsageError(f"key {shown(template)} uses a name twice; give each segment its own")
    rule = KeyRule(prefix, segments, keyed_by_ids=keyed_by_ids)
    example = rule.join([samples.get(name, name) for name in names])
    return KeyRule(prefix, segments, example, keyed_by_ids)


def _visible(text: str) -> str:
    """Return a text without invisible marks, control characters turned into blanks."""
    if text.isprintable():
        return text
    kept: list[str] = []
    for char in text:
        category = unicodedata.category(char)
        if category in ("Cc", "Cs"):
            kept.append(" ")
        elif category != "Cf" or char in _JOINERS:
            kept.append(char)
    return "".join(kept)


def _fold(text: str) -> str:
    """Return one pass of slugging."""
    folded = unicodedata.normalize("NFKC", _visible(text)).casefold()
    words = "".join(map(_slugged, folded)).split()
    return "_".join(words).lstrip("_-").rstrip("_-./&")


@lru_cache(maxsize=4_096)
def _slugged(char: str) -> str:
    """Return a character that a slug keeps, or a blank for any other.

    It keeps letters, marks, digits, symbols and a few signs.
    """
    kept = (
        char.isalnum()
        or char in _SLUG_SIGNS
        or char in _JOINERS
        or unicodedata.category(char)[0] in "MS"
    )
    return char if kept else " "


def _shorten(text: str, limit: int, whole: str) -> str:
    """Return a text of at most `limit` bytes: itself, or its beginning and a fingerprint."""
    data = _bytes(text)
    if len(data) <= limit:
        return text
    mark = _fingerprint(whole)
    start = data[: limit - len(mark)].decode("utf-8", "ignore")
    return re.sub(r"%[0-9A-F]?$", "", start) + mark


def _fingerprint(text: str) -> str:
    """Return the mark that ends a cut text: `~` and eight hex digits."""
    return f"~{derive('key', text)[-8:]}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace(":", "%3A")


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "%" in text else text


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
