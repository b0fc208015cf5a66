"""What a correction puts in the place of what was said, and what goes for it (C4).

In: what is said now, and the earlier statement that it means. Out: the new statement under the key
of the old one where that is a place for one value, as the topic of a decision is; or, where each
has a key of its own, as the day of an event and a thing that is liked, the end of the old one and
the new one beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.quick import replace
from smartbrain.remember.extract.correction_times import moved, retimed
from smartbrain.remember.extract.correction_words import Restated
from smartbrain.remember.extract.corrections_meant import in_frame
from smartbrain.remember.extract.denied_values import is_facet
from smartbrain.remember.extract.said import Said
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.times import find_times, time_parts

IN_WORDS: Final = "corrections.retract_"
"""How the rule of a denial begins that says itself what is not so."""
FORGOTTEN: Final = f"{IN_WORDS}forgotten"
"""The rule of what is to be forgotten."""
CONFIDENCE: Final = 0.9
"""How sure it is what a correction says."""

Read = Callable[[str, Said], list[Candidate]]
"""What reads the statements of a text."""


def instead(
    new: Candidate, meant: Candidate | None, restated: Restated, said: Said, read: Read
) -> Candidate:
    """Return what takes the place of an earlier statement, with what goes for it."""
    corrected = replace(
        new,
        rule=f"corrections.{new.type}",
        confidence=CONFIDENCE,
        offset=restated.start,
        length=restated.end - restated.start,
        corrects=True,
    )
    if meant is None:
        return corrected
    if new.type == "events":
        corrected = moved(_on_its_day(corrected, meant, said, read), meant, said.at)
        apart = corrected.value["date"] != meant.value["date"]
    else:
        apart = new.type == "preferences" and _stand_apart(new, meant)
    if not apart:
        return in_frame(corrected, meant)
    gone = retraction(meant, meant.text, restated.start, restated.end)
    return replace(corrected, corrects=False, instead_of=gone)


def each_apart(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates, before each the end of what it is told instead of."""
    found: list[Candidate] = []
    for one in candidates:
        if one.instead_of is not None:
            found.append(replace(one.instead_of, message=one.message))
        found.append(replace(one, instead_of=None))
    return found


def retraction(target: Candidate, text: str, start: int, end: int) -> Candidate:
    """Make a retraction of what is meant."""
    return Candidate(
        type=target.type,
        value=target.value,
        text=tidy(text),
        rule=f"{IN_WORDS}{target.type}",
        source=Source.USER,
        action=CandidateAction.RETRACT,
        confidence=CONFIDENCE,
        offset=start,
        length=end - start,
    )


def _stand_apart(new: Candidate, meant: Candidate) -> bool:
    """Tell whether two preferences are kept under their own words."""
    names = [str(one.value.get("name", "")) for one in (new, meant)]
    return names[0] != names[1] and not is_facet(names[1])


def _on_its_day(new: Candidate, meant: Candidate, said: Said, read: Read) -> Candidate:
    """Return an event of which only the hour is told anew on the day that it is on."""
    times = find_times(new.text, said.at)
    if not times or any(one.day for one in time_parts(times[0].words, said.at)):
        return new
    text = retimed(meant, times[0].words, "", said.at)
    told = (one for one in (read(text, said) if text else ()) if one.type == "events")
    if (found := next(told, None)) is None:
        return new
    return replace(new, value={**new.value, "date": found.value["date"]}, text=found.text)
