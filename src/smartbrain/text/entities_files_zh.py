"""Files whose names are Chinese: 季度报告.docx, ./docs/设计.md.

In: a text. Out: entities, not yet freed of overlaps. Chinese sets no blank before a
name: it begins after a mark, a blank or a word that no name of a file has, such as a verb.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from smartbrain.text.entities_structural import EXTENSIONS
from smartbrain.text.entity import Entity
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.word_list import stored_words, word_set

_HAN: Final = "\u3400-\u9fff"
_END: Final = pattern(rf"(?<=[\w（）()])\.(?:{EXTENSIONS})(?![A-Za-z0-9_])")
_STEM: Final = pattern(r"[\w（）()·.—-]{1,60}\Z")
_OPENING: Final = pattern('[“「『"《‘]([^“”「」『』"《》‘’\n]{1,60})\\Z')
_CLOSING: Final = ("”", "」", "』", '"', "》", "’")
_WINDOWS: Final = pattern(
    rf"(?<![A-Za-z0-9_])([A-Za-z]:\\(?:[\w.()-]{{1,80}}\\){{1,12}}[\w.()-]{{1,80}}\.(?:{EXTENSIONS}))"
    r"(?![A-Za-z0-9_])"
)
_NAMED: Final = pattern(f"[{_HAN}]")
_FOLDER: Final = pattern(
    r"(?:(?<![A-Za-z0-9_.:/\\])(?:[A-Za-z]:)?[A-Za-z0-9_.~+-]*)(?:[/\\][\w.+-]+)*[/\\]\Z"
)
_LONGEST: Final = 200  # characters of the folders before a file
_LONGEST_NAME: Final = 61
_TAGS: Final = word_set("n nz nr nrt ns nt nl ng vn eng x j a b an f l i")
_COUNTS: Final = pattern(r"[\d.]+|.*[年月日季度版期号周]\Z")
# Verbs that files are named after as well.
_DEEDS: Final = word_set(stored_words(__file__, "_DEEDS"))


def find_files(text: str) -> Iterator[Entity]:
    """Yield the files with Chinese names."""
    for found in _WINDOWS.finditer(text):
        yield _file(text, found.start(1), found.end(1))
    for end in _END.finditer(text):
        before = max(0, end.start() - _LONGEST_NAME)
        quoted = (
            _OPENING.search(text, before, end.start())
            if text[end.end() :][:1] in _CLOSING
            else None
        )
        stem = quoted or _STEM.search(text, before, end.start())
        if stem is None or not _NAMED.search(stem[0]):
            continue
        if quoted:
            yield _file(text, quoted.start(1), end.end())
            continue
        begin = _begin(stem[0])
        start = stem.start() + begin
        folder = _FOLDER.search(text, max(0, start - _LONGEST), start) if not begin else None
        start = folder.start() if folder else start
        if begin >= 0 and text[start - 1 : start] not in ("/", "\\", ":"):  # an address
            yield _file(text, start, end.end())


def _begin(stem: str) -> int:
    """Return where the name of a file begins in words that run into it; -1 if none ends there."""
    words, start = tag(stem), len(stem)
    while words:
        word, kind = words.pop()
        after_noun = len(word) > 1 and kind == "v" and words and words[-1][1] in _TAGS
        deed = word in _DEEDS or (start == len(stem) and after_noun)
        counts = kind in ("m", "t") and _COUNTS.match(word)
        if kind not in _TAGS and not deed and not counts:
            break
        start -= len(word)
    start += len(stem[start:]) - len(stem[start:].lstrip(".-—·"))
    return start if _NAMED.search(stem, start) else -1


def _file(text: str, start: int, end: int) -> Entity:
    name = text[start:end]
    return Entity("file", name, name, start, len(name), structural=True)
