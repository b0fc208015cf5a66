"""Everything governed that one call is shown, read in four statements whatever there is (W4).

In: a session and a reading transaction. Out: its plan and notebook, and the pins and the surface
memory of its tenant. Pins that wait for a person are left out; those that have expired are lines of
the notebook already, if no write has made them so yet. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from smartbrain.domain.context import NotebookEntry, PinEntry
from smartbrain.domain.governed import Governed
from smartbrain.govern.fastmemo import FASTMEMO, sections_of
from smartbrain.govern.notebook import notebook_of, notes_of, shown_notes
from smartbrain.govern.pins import shown_pins
from smartbrain.govern.plan import read_plan
from smartbrain.govern.trail import read_sheet

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.truth import Transaction


def governed(
    session_id: str,
    *,
    rows: Transaction,
    now: datetime,
    rules: Rules,
    told: Collection[str] | None = None,
) -> Governed:
    """Return what a session may be shown, each list within its limit.

    With `told`, the tool runs that a context tells anyway, only the notes that it shows beside
    them are returned.
    """
    pins, lapsed = shown_pins(session_id, rows=rows, now=now)
    sheet = read_sheet(notebook_of(session_id), rows=rows)
    named = [replace(one, id=str(number)) for number, one in enumerate(lapsed, sheet.next)]
    notes = [*notes_of(sheet), *named][-rules.notebook.max_notes :]
    if told is not None:
        notes = shown_notes(notes, told, rules.notebook)
    return Governed(
        pins=tuple(PinEntry.from_dict(one.to_dict()) for one in pins[: rules.pins.max_pins]),
        plan=read_plan(session_id, rows=rows),
        notebook=tuple(
            NotebookEntry(
                id=one.id, at=one.at, text=one.text, source=one.source, milestone=one.milestone
            )
            for one in notes
        ),
        fastmemo=sections_of(read_sheet(FASTMEMO, rows=rows)),
    )
