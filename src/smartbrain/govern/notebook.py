"""The notebook of a session: what was done and why, one short line each (W4).

In: lines to write down, inside a transaction. Out: the notes as they are now. Above a limit the
older ones are folded into one line that counts them; decisions, failures, finished tasks and
whatever is marked as a milestone stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.kept import Note
from smartbrain.domain.result import ArtifactSummary
from smartbrain.domain.turn import CallStatus
from smartbrain.govern.given import read_line, read_optional_line
from smartbrain.govern.trail import SYSTEM, Act, Place, Sheet, put_entries, read_sheet
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_state import NotebookRules
    from smartbrain.ports.truth import Transaction

NOTEBOOK: Final = "notebook"
COMPACT: Final = "notebook.compact"
_LONGEST_CALL: Final = 200
_TOLD: Final = 3  # subjects that a folded line names
_RUN: Final = "tool:"
_LAST_RUNS: Final = 2  # notes of tool runs in a context, besides the runs that it tells itself
_MILESTONE: Final = pattern(
    r"(?i)\b(?:decided|decision|agreed|done|finished|completed|failed|failure|released|milestone)\b"
    r"|决定|决策|完成|搞定|失败|发布|里程碑"
)
_HAN: Final = pattern(r"[\u4e00-\u9fff]")
_SUBJECT: Final = pattern(r"[^\s:：，,。;；]{1,40}")
Given = Mapping[str, Any]


def notebook_of(session_id: str) -> Place:
    """Return where the notes of a session are."""
    return Place(NOTEBOOK, session_id)


def add_note(given: Given, rows: Transaction, act: Act, rules: Rules) -> Note:
    """Write a line into the notebook of a session.

    Raises:
        UsageError: the text is no line.
    """
    note = Note(
        id="",
        at=act.at,
        text=read_line(given["text"], "text"),
        source=read_optional_line(given.get("source"), "source"),
        milestone=bool(given.get("milestone")),
    )
    return append_notes(given["session"], [note], act, rows=rows, rules=rules.notebook)[-1]


def compact_notes(given: Given, rows: Transaction, act: Act, rules: Rules) -> list[Note]:
    """Fold the older notes of a session now, and return what is left."""
    place = notebook_of(given["session"])
    sheet = _folded(place, read_sheet(place, rows=rows), act, rows=rows, rules=rules.notebook)
    return notes_of(sheet)


def append_notes(
    session_id: str, notes: Sequence[Note], act: Act, *, rows: Transaction, rules: NotebookRules
) -> list[Note]:
    """Write notes, give them their ids, and fold the older ones if there are too many."""
    place = notebook_of(session_id)
    sheet = read_sheet(place, rows=rows)
    named = [replace(one, id=str(sheet.next + n)) for n, one in enumerate(notes)]
    sheet = put_entries(place, sheet, [*sheet.entries, *named], act, rows=rows)
    if len(sheet.entries) > rules.max_notes:
        fold = Act(act.at, SYSTEM, COMPACT, f"more than {rules.max_notes} notes")
        _folded(place, sheet, fold, rows=rows, rules=rules)
    return named


def notes_of(sheet: Sheet) -> list[Note]:
    """Return the notes of a list."""
    return [Note.from_dict(one) for one in sheet.entries]


def note_of_call(call: ArtifactSummary) -> str:
    """Return how a tool run ended in one short line, without what it printed."""
    ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
    name = " ".join(call.tool_name.split())
    return f"{name}: {ended}, {call.bytes:,} bytes"[:_LONGEST_CALL]


def notes_of_calls(calls: Sequence[ArtifactSummary], act: Act) -> list[Note]:
    """Return a note for each finished tool run; a failure is a milestone."""
    return [
        Note(
            id="",
            at=act.at,
            text=note_of_call(call),
            source=f"{_RUN}{call.id}",
            milestone=call.status is CallStatus.ERROR or bool(call.exit_code),
        )
        for call in calls
    ]


def shown_notes(notes: Sequence[Note], told: Collection[str], rules: NotebookRules) -> list[Note]:
    """Return the notes that a context shows, oldest first; their number does not follow the work.

    Of what tools left that is the last few runs which are not told elsewhere; of failures and of
    what somebody wrote, as many as the rules say: the latest, but half of them give way to what
    somebody marked as a milestone earlier.

    Args:
        notes: all there are, oldest first.
        told: the tool runs that the context tells anyway.
        rules: how many are shown.
    """
    fresh = [one for one in notes if (one.source or "").removeprefix(_RUN) not in told]
    runs = [one for one in fresh if _is_run(one) and not one.milestone]
    said = [one for one in fresh if not _is_run(one) or one.milestone]
    latest = rules.shown - rules.shown // 2
    marked = [one for one in said[:-latest] if one.milestone and not _is_run(one)]
    marked = marked[len(marked) - min(len(marked), rules.shown // 2) :]
    others = [one for one in said if one not in marked][len(marked) - rules.shown :]
    kept = {one.id for one in (*runs[-_LAST_RUNS:], *marked, *others)}
    return [one for one in fresh if one.id in kept]


def is_milestone(note: Note) -> bool:
    """Tell whether a note is worth keeping when those around it are folded."""
    said = not note.folded and not _is_run(note)
    return note.milestone or (said and bool(_MILESTONE.search(note.text)))


def _is_run(note: Note) -> bool:
    """Tell whether a finished tool run left a note by itself."""
    return note.source is not None and note.source.startswith(_RUN)


def _folded(
    place: Place, sheet: Sheet, act: Act, *, rows: Transaction, rules: NotebookRules
) -> Sheet:
    """Fold the older notes of a list into one line; milestones go too only if they are too many."""
    notes = notes_of(sheet)
    older, latest = notes[: -rules.keep], notes[-rules.keep :]
    kept = [one for one in older if is_milestone(one)]
    room = max(0, rules.max_notes - rules.keep - 1)
    kept = kept[len(kept) - room :] if len(kept) > room else kept
    stay = {one.id for one in kept}
    gone = [one for one in older if one.id not in stay]
    if not gone or (len(gone) == 1 and gone[0].folded):
        return sheet
    line = _fold(gone, str(sheet.next), act)
    return put_entries(place, sheet, [line, *kept, *latest], act, rows=rows)


def _fold(notes: Sequence[Note], name: str, act: Act) -> Note:
    """Return one line for many notes: how many there were, since when, and what about."""
    count = sum(one.folded or 1 for one in notes)
    subjects: Counter[str] = Counter()
    for one in notes:
        if not one.folded and (found := _SUBJECT.search(one.text)):
            subjects[found.group()] += 1
    told = ", ".join(f"{subject} {times}" for subject, times in subjects.most_common(_TOLD))
    since = min(one.at for one in notes)
    zh = any(_HAN.search(one.text) for one in notes)
    end = f"{act.at:%Y-%m-%d %H:%M}"
    text = (
        f"{count} 条较早的笔记（至 {end}）：{told}"
        if zh
        else f"{count} earlier notes (to {end}): {told}"
    )
    # The time is that of the first note, so that folding again still tells since when.
    return Note(id=name, at=since, text=text, folded=count)
