"""Read the nouns of a Chinese clause (C7).

In: the words of a clause. Out: the noun phrase at a place, and which kinds of words follow it. What
the nouns do there is read by `statements_zh`.
"""

from __future__ import annotations

from collections.abc import Sequence

from smartbrain.remember.extract.statement_nouns import Noun, kind_of, named
from smartbrain.remember.extract.statement_tokens_zh import Word, is_known_verb, verb_of
from smartbrain.remember.extract.statement_words import phrases, verbs_zh
from smartbrain.remember.extract.statement_words_zh import (
    AROUND,
    COUNTED,
    MEASURES,
    NEGATIONS,
    NOUN_TAGS,
    PLACED,
    PRONOUNS,
    ROLES,
    SKIPPED,
    SPEAKER,
    THINGS,
)


class NounReader:
    """Reads noun phrases; `after` is whether the verb of the clause has been read."""

    def __init__(self, words: Sequence[Word]) -> None:
        """Take the words of a clause."""
        self.words = words
        self.after = False

    def noun(self, at: int) -> tuple[Noun | None, int]:
        """Read a noun phrase; return its noun and the place after it."""
        words = self.words
        while at < len(words) and (
            words[at].tag in MEASURES
            or words[at].text
            in ("这", "那", "这个", "那个", "个", "一", "些", "我", "我们", "他", "她", "的")
            or (
                words[at].tag in ("a", "r", "b", "z")
                and at + 1 < len(words)
                and words[at + 1].tag not in ("uj", "x")
            )
            or (words[at].tag == "a" and at + 2 < len(words) and words[at + 1].text == "的")
        ):
            at += 1
        if at >= len(words):
            return None, at
        if entity := words[at].entity:
            after = words[at + 1] if at + 1 < len(words) else None
            if after and entity.kind in ("object", "org", "place") and self._is_noun(after):
                return self.noun(at + 1)
            return named(entity), at + 1
        end = at
        while end < len(words) and end - at < 3 and self._is_noun(words[end]):
            end += 1
        if end == at:
            return None, at
        if (
            end + 1 < len(words)
            and words[end].text == "的"
            and (words[end + 1].entity or self._is_noun(words[end + 1]))
        ):
            return self.noun(end + 1)
        if end < len(words) and words[end].text == "们":
            end += 1
        name = "".join(word.text for word in words[at:end])
        counted = COUNTED.match(name)
        skip = counted.end() if counted else 0
        name = name[skip:]
        return Noun(kind_of(name), name, words[at].start + skip, words[end - 1].end), end

    def _is_noun(self, word: Word) -> bool:
        """Tell whether a word may be a part of a noun phrase."""
        if word.entity or word.text in SKIPPED or word.text in AROUND or word.text in NEGATIONS:
            return False
        if word.text in ROLES or word.text in PLACED or word.text in PRONOUNS:
            return False
        if word.text in verbs_zh() or word.text in phrases() or word.tag in ("x", "mark"):
            return False
        if word.tag == "v" and len(word.text) > 1 and self._leads_to_noun(word):
            return True
        if self.after and word.tag in ("v", "d"):  # at the end of a clause the tag is wrong
            return len(word.text) > 1 and word == self._last()
        if self.after and word.text in THINGS:
            return True
        if not word.tag.startswith(NOUN_TAGS):
            return False
        return len(word.text) > 1 or word.tag in ("n", "eng") or kind_of(word.text) != "object"

    def _leads_to_noun(self, word: Word) -> bool:
        """Tell whether a noun follows at once, and a verb of the lists after it."""
        at = self.words.index(word) + 1
        following = self.words[at] if at < len(self.words) else None
        return bool(following and following.tag == "n" and self.known_follows(at))

    def known_follows(self, at: int) -> bool:
        """Tell whether a verb of the lists stands at a place or after it."""
        return any(is_known_verb(word) for word in self.words[at:])

    def _last(self) -> Word | None:
        """Return the last word that is no mark and no particle."""
        told = [word for word in self.words if word.tag != "mark" and word.text not in SKIPPED]
        return told[-1] if told else None

    def pronoun(self, at: int) -> bool:
        """Tell whether a pronoun stands at a place."""
        return at < len(self.words) and self.words[at].text in (SPEAKER | PRONOUNS)

    def verb_follows(self, at: int) -> bool:
        """Tell whether a verb stands at a place or after it."""
        return any(verb_of(word) for word in self.words[at:])
