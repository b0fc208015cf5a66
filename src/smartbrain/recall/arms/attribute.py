"""The arm of asked attributes: what was told of what a message asks for, in whatever words (K7).

In: the attributes that a question asks for, the likeliest first. Out: numbers of the memories and
turns whose claims are of them, also of claims that their reader was not sure of, and of the turns
that hold the words by which such things are told, in either language.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from smartbrain.domain.search import Scored
from smartbrain.recall.arms.text import search_text
from smartbrain.recall.request import Question
from smartbrain.text.query import text_query

MOST_FOUND: Final = 100
"""Memories that an arm of few finds at most."""
_MOST: Final = 2  # attributes of one question that are looked for
_SHARE: Final = 0.5  # what each further attribute counts of the one before it
_LEAST: Final = 0.4  # of the best score; what has less is told of something else
_FALLS: Final = 0.5  # from the newest claim of an attribute to the first


def search_attributes(question: Question) -> list[Scored]:
    """Return what tells an attribute that a message asks for, best first."""
    cues, ontology = question.cues, question.tools.ontology
    weighed = [(name, _SHARE**place) for place, name in enumerate(cues.attributes[:_MOST])]
    told = [
        (" ".join(attribute.cues), weight)
        for name, weight in weighed
        if (attribute := ontology.attribute(name))
    ]
    found: dict[int, float] = {}
    if question.tools.follower.get("text") is not None:
        query = text_query("", expansions=told)
        whole = tuple(term for term in query.terms if len(term.term) > 1)
        hits = search_text(
            replace(query, terms=whole),
            question.only,
            follower=question.tools.follower,
            k=MOST_FOUND,
        )
        best = max([hit.score for hit in hits], default=1.0)
        found = {hit.num: hit.score / best for hit in hits if hit.score >= _LEAST * best}
    with question.ports.truth.read() as rows:
        claimed = rows.recalled.claimed([name for name, _ in weighed], limit=MOST_FOUND)
    for name, weight in weighed:
        nums = claimed.get(name, ())
        for place, num in enumerate(nums):
            score = weight * (1.0 - _FALLS * place / len(nums))
            found[num] = max(found.get(num, 0.0), score)
    order = sorted([Scored(*one) for one in found.items()], key=lambda hit: (-hit.score, hit.num))
    return order[:MOST_FOUND]
