"""What else to look for beside a message: queries that widen a search and state nothing.

In: cues and how far to widen. Out: queries with the cue that each came from, the message first.
Three to eight of them unless the rules say otherwise, in an order that depends on the cues alone:
one of each sort by turns, the weightiest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest
from typing import Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.plan import PlanQuery, QueryMode
from smartbrain.domain.policy import QueryExpansionRules
from smartbrain.domain.recall import Cues
from smartbrain.recall.cue_references import entities_of
from smartbrain.recall.cue_words import listed_in_both
from smartbrain.recall.synonyms import find_synonyms
from smartbrain.text.entities import find_entities
from smartbrain.text.keywords import keywords_of
from smartbrain.text.pattern import pattern
from smartbrain.text.query import nouns_of_one

_TOPICS: Final = 4
_ATTRIBUTES: Final = 2
_WORDS: Final = 8
_MOST_ALIKE: Final = 40
_ASKED: Final = 500  # characters of a message in which its question is looked for
_CLAUSE: Final = pattern(
    r"[，,;；。！？!?\n]+|\.\s|\s(?:and|or|but|then)\s|以及|还有|并且|或者|另外|然后|[和与及或]"
)
# "What is left?" holds no word of a task that is `todo`, nor 介绍一下我 one of a profile.
_OF_USER: Final = (
    (listed_in_both(__file__, "PERSON"), "profile name role employer home pref goal"),
    (listed_in_both(__file__, "TASKS"), "task todo doing blocked"),
)
_HYBRID: Final = QueryMode.HYBRID
_EXACT: Final = QueryMode.EXACT
_LEAST, _SUREST = 0.5, 0.8  # what the sorts of queries weigh among each other


class Expansion(NamedTuple):
    """A query, and the cue that it came from."""

    cue: str
    query: PlanQuery


class _Sort(NamedTuple):
    """A way to widen a search: the cue it reads, how it is matched, what it counts."""

    cue: str
    mode: QueryMode
    weight: float
    texts: Callable[[Cues], Iterable[str]]


def expand(cues: Cues, rules: QueryExpansionRules) -> list[Expansion]:
    """Return the queries of a message: itself, then what widens it; none where it is empty."""
    if not cues.text.strip():
        return []
    message = _of_message(cues, _HYBRID, 1.0)
    if not rules.enabled:
        return [message]
    found = {cues.text.casefold(): message}
    by_sort = zip_longest(*(_expansions(sort, cues) for sort in _SORTS))
    for one in (one for turn in by_sort for one in turn if one):
        if len(found) >= rules.max_queries:
            break
        found.setdefault(one.query.text.casefold(), one)
    # A message of a word or two has nothing else to offer than itself, matched in other ways.
    again = (_of_message(cues, _EXACT, 0.6), _of_message(cues, QueryMode.SEMANTIC, 0.5))
    _, *further = found.values()
    further += again[: max(0, rules.min_queries - len(found))]
    further = [_weighed(one, rules) for one in further]
    return [message, *sorted(further, key=lambda one: -one.query.weight)]


def _weighed(one: Expansion, rules: QueryExpansionRules) -> Expansion:
    """Return a query with its weight between those that the rules allow."""
    sure = (one.query.weight - _LEAST) / (_SUREST - _LEAST)
    weight = rules.min_weight + sure * (rules.max_weight - rules.min_weight)
    return one._replace(query=replace(one.query, weight=round(weight, 3)))


def _of_message(cues: Cues, mode: QueryMode, weight: float) -> Expansion:
    return Expansion("message", PlanQuery(text=cues.text, mode=mode, weight=weight))


def _expansions(sort: _Sort, cues: Cues) -> Iterator[Expansion]:
    for text in sort.texts(cues):
        if text.strip():
            yield Expansion(sort.cue, PlanQuery(text=text, mode=sort.mode, weight=sort.weight))


def _keywords(cues: Cues) -> Iterator[str]:
    yield " ".join(cues.keywords)


def _aliases(cues: Cues) -> Iterator[str]:
    """Yield the other names of what is named or referred to."""
    named = {*cues.entities, *cues.referred}
    found: dict[str, None] = {}
    known = (one for name in cues.referred for one in entities_of(name))
    for one in (*find_entities(cues.text), *known):
        if one.canonical in named:
            found.update(dict.fromkeys(one.aliases))
    yield from found


def _topics(cues: Cues) -> Iterator[str]:
    """Yield the content words of each clause, where there are several with any."""
    clauses = islice(_CLAUSE.split(cues.text), 4 * _TOPICS)
    topics = [words for one in clauses if (words := " ".join(keywords_of(one, _WORDS)))]
    if len(topics) > 1:
        yield from topics[:_TOPICS]


def _twins(cues: Cues) -> Iterator[str]:
    """Yield the words of the other language for what is named."""
    words = (word for one in find_synonyms(cues.text[:_ASKED]) for word in one.other)
    # A character alone is in too many words, but for what people say as one: 猫.
    told = (word for word in words if len(word) > 1 or nouns_of_one([word]))
    yield " ".join(islice(dict.fromkeys(told), _MOST_ALIKE))


def _attributes(cues: Cues) -> Iterator[str]:
    """Yield the names that memories have for what is asked for."""
    yield " ".join(name.replace("_", " ") for name in cues.attributes[:_ATTRIBUTES])


def _own(cues: Cues) -> Iterator[str]:
    """Yield the words of the memories for what a user asks of himself and of what is to be done."""
    yield from (words for asked, words in _OF_USER if asked.found(cues.text[:_ASKED]))


_SORTS: Final = (
    _Sort("codes", _EXACT, 0.8, lambda cues: cues.codes),
    _Sort("phrases", _EXACT, 0.8, lambda cues: cues.phrases),
    _Sort("referred", _HYBRID, 0.8, lambda cues: cues.referred),
    _Sort("keywords", _HYBRID, 0.7, _keywords),
    _Sort("entities", _HYBRID, 0.7, lambda cues: cues.entities),
    _Sort("aliases", _HYBRID, 0.6, _aliases),
    _Sort("attributes", _HYBRID, 0.5, _attributes),
    _Sort("own", _HYBRID, 0.5, _own),
    _Sort("twins", _HYBRID, 0.8, _twins),
    _Sort("topics", _HYBRID, 0.6, _topics),
)
