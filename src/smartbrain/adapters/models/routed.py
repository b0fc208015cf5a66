"""Several embedders side by side, each for the languages that it serves.

In: a text. Out: the embedders that should see it: those of its language, or all of them when it is
mixed or its language cannot be told, as that of a number cannot. A text in a language that is known
and that nobody serves goes to nobody. Not an embedder itself: vectors of different models do not
compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from smartbrain.errors import UsageError
from smartbrain.ports.embedder import Embedder

NO_LANGUAGE: Final = frozenset({"", "mixed", "other"})
"""What `detect` says instead of a language: more than one, or none that it knows."""


@dataclass(frozen=True, slots=True)
class Route:
    """An embedder and the languages it is used for; none given means those it says it serves.

    One that the caller brought along (`owned` false) is the caller's to close.
    """

    embedder: Embedder
    languages: tuple[str, ...] = ()
    owned: bool = True

    def serves(self, language: str) -> bool:
        """Tell whether a text in this language belongs here."""
        return not self.served or language in NO_LANGUAGE or language in self.served

    @property
    def served(self) -> tuple[str, ...]:
        """The languages that it is used for; empty means all."""
        return self.languages or self.embedder.languages


class RoutedEmbedders:
    """The embedders of a brain, one or more; `detect` names the language of a text."""

    def __init__(self, routes: Sequence[Route], detect: Callable[[str], str]) -> None:
        """Take the routes in the order in which answers come.

        Raises:
            UsageError: two embedders would mix their vectors under one name and model.
        """
        names = [(route.embedder.name, route.embedder.model) for route in routes]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(
                    f"the embedder {name[0]} is given twice; give it once, with all its languages"
                )
        self.routes = tuple(routes)
        self._detect = detect

    @property
    def embedders(self) -> tuple[Embedder, ...]:
        """All of them, in order."""
        return tuple(route.embedder for route in self.routes)

    def for_text(self, text: str) -> tuple[Embedder, ...]:
        """Return the embedders for a text, in order; none if nobody serves its language."""
        language = self._detect(text)
        return tuple(route.embedder for route in self.routes if route.serves(language))

    def languages_of(self, embedder: Embedder) -> tuple[str, ...]:
        """Return the languages that one of them is used for; empty means all."""
        return next(route.served for route in self.routes if route.embedder is embedder)

    def close(self) -> None:
        """Close every embedder that is ours to close."""
        for route in self.routes:
            if route.owned:
                route.embedder.close()
