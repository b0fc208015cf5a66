"""What reading all stored turns again with the present reader has changed, or would change (K12).

In: nothing. Out: values for `jobs` and whoever shows them.
"""

from __future__ import annotations

from dataclasses import dataclass

from smartbrain.domain.record import Record


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RereadTurn(Record):
    """A turn that is read otherwise now: what its claims said, and what they say instead."""

    turn_id: str
    session_id: str
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RereadReport(Record):
    """What reading all turns again has shown; of a `dry_run` nothing was written.

    `turns` were read, `changed` of them otherwise than before: `gone` claims went and `new` ones
    came. `left_to_model` turns were left as a language model has read them. `examples` are the
    first that changed. `resumed` is true where an earlier call had been cut off.
    """

    reader: str
    dry_run: bool = False
    resumed: bool = False
    turns: int = 0
    changed: int = 0
    gone: int = 0
    new: int = 0
    left_to_model: int = 0
    examples: tuple[RereadTurn, ...] = ()
