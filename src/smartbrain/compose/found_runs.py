"""The runs of tools whose output was found, so that evidence leads to it (W6, R17).

In: what a search found, by which original words. Out: for each turn the run that printed them, with
its summary and its id. What a tool printed is not shown again; it is read under that id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.govern.artifacts import run_of_text

if TYPE_CHECKING:
    from smartbrain.domain.artifact import Artifact
    from smartbrain.domain.indexed import SpokenTurn
    from smartbrain.domain.packet import MemoryPacket
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction
    from smartbrain.recall.pipeline import Found

_MOST: Final = 3  # runs, the best: a summary may take a look at a large output


def found_runs(
    found: Found,
    packet: MemoryPacket,
    spoken: Sequence[SpokenTurn],
    *,
    rows: Transaction,
    blobs: Blobs,
    rules: Rules,
) -> dict[str, Artifact]:
    """Return the runs whose output brought an episode of the packet, by their turns."""
    passages = found.passages
    if not passages:
        return {}
    shown = {one.id for one in packet.episodes}
    messages = {turn.turn_id: len(turn.messages) for turn in spoken}
    printed: dict[str, int] = {}
    for one in found.ranked:
        row = one.row
        passage, turn = passages.get(row.num), row.source_turn_id
        if passage is None or turn is None or row.id not in shown:
            continue
        if len(printed) == _MOST:
            break
        said = row.raw_refs[: messages.get(turn, 0)]  # an episode names what was said first
        if all(ref.num != passage for ref in said):
            printed[turn] = passage
    texts = rows.followed.ids(list(printed.values())) if printed else {}
    runs = {
        turn: run_of_text(turn, texts[num], transaction=rows, blobs=blobs, rules=rules.artifacts)
        for turn, num in printed.items()
        if num in texts
    }
    return {turn: run for turn, run in runs.items() if run is not None}
