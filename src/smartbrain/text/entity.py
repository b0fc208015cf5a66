"""An entity: somebody or something that a text names, and where.

In: what the recognisers found. Out: a value. Not a memory: the gate decides about that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Entity(NamedTuple):
    """A name in a text.

    `name` is how the text says it, from `offset` on; `length` may go on over what belongs to it,
    such as a version. `canonical` is what it is filed under, in the language of the text, `aliases`
    are its other names. `structural` is what is told by its form: an address, a repository, a path.
    """

    kind: str
    name: str
    canonical: str
    offset: int
    length: int
    structural: bool = False
    aliases: tuple[str, ...] = ()
    attrs: Mapping[str, str] = {}

    @property
    def end(self) -> int:
        """Where the entity ends in the text."""
        return self.offset + self.length
