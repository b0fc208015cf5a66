"""Words that mean the same where stemming cannot tell: other forms, other parts of speech, twins.

In: words of a message. Out: words to look for beside them. Small tables of very common words: each
line of `_FORMS` is one family, each pair of `_TWINS` a Chinese word and its English ones. Only what
is safe in any conversation; near-synonyms are left to the search by meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Final

from smartbrain.text.tokenise import phrase_terms
from smartbrain.text.word_list import stored_words

_FORMS: Final = stored_words(__file__, "_FORMS")

_TWINS: Final = stored_words(__file__, "_TWINS")


@cache
def _families() -> dict[str, tuple[str, ...]]:
    """Return the words of a family by the stem of each of them."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in "|".join(_FORMS.strip().splitlines()).split("|"):
        words = tuple(entry.split())
        for word in words:
            stem = stem_of(word)
            found[stem] = (*found.get(stem, ()), *words)
    return found


@cache
def _twins() -> dict[str, tuple[str, ...]]:
    """Return the words of the other language by Chinese words and by English stems."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _TWINS.split():
        chinese, _, english = entry.partition("=")
        words = english.split(",")
        found[chinese] = tuple(words)
        for word in words:
            stem = stem_of(word)
            found[stem] = (*found.get(stem, ()), chinese)
    return found


@lru_cache(maxsize=2_048)  # messages are made of few words
def stem_of(word: str) -> str:
    """Return what the text index makes of one word."""
    return " ".join(phrase_terms(word))


def derived(words: Iterable[str]) -> Iterator[str]:
    """Yield the other forms of English words that no stemmer joins, each stem once."""
    stems = [stem_of(word) for word in words]
    seen = set(stems)
    for stem in stems:
        for other in _families().get(stem, ()):
            if stem_of(other) not in seen:
                seen.add(stem_of(other))
                yield other


def twins(words: Iterable[str]) -> Iterator[str]:
    """Yield the very common words of the other language that mean the same, each once."""
    known = dict.fromkeys(words)
    found: dict[str, None] = {}
    for word in known:
        found.update(dict.fromkeys(_twins().get(word if not word.isascii() else stem_of(word), ())))
    yield from (word for word in found if word not in known)
