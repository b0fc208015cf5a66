"""The demo behind `make demo`: two weeks of a bilingual project, and what comes to mind of them.

No model, no network, nothing left behind: the brain lives in a temporary folder, and the clock is
that of the story, so that every run reads the same.
"""

from __future__ import annotations

import tempfile

from story.play import Played, StoryClock, name_memories, open_brain, play_day
from story.script import DAYS, QUESTION
from story.show import (
    chapter,
    new_console,
    show_day,
    show_next,
    show_question,
    show_steps,
    show_timeline,
)


def main() -> None:
    """Play the story, ask a question, and show what comes of it."""
    out, clock, played = new_console(), StoryClock(), Played()
    with tempfile.TemporaryDirectory() as folder, open_brain(folder, clock) as brain:
        chapter(out, "Two weeks: a small team builds the ticket shop of a lantern festival")
        for day in DAYS:
            before = len(played.told)
            play_day(brain, clock, day, played)
            show_day(out, played.told[before:])
        chapter(out, "The tool loop of 5 March: output piles up, the context does not grow")
        show_steps(out, played)

        clock.morning(QUESTION.at)
        package = brain.compose_context(
            QUESTION.session, QUESTION.text, token_limit=QUESTION.token_limit
        )
        name_memories(brain, played)
        chapter(out, f"The context for: {QUESTION.text}")
        show_question(out, package, played)
        chapter(out, "What was learned, superseded and retracted, and when")
        show_timeline(out, brain.memories.list(status=None, limit=1000))
    chapter(out, "What to try next")
    show_next(out)


if __name__ == "__main__":
    main()
