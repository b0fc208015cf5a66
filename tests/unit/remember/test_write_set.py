"""What a memory is searched by when it is said again: written anew only if it says otherwise."""

from __future__ import annotations

import pytest
from fold_brain import DAY, Brain, editor, port

from smartbrain.domain.memory import Memory


def searched_by(brain: Brain, memory: Memory | None) -> str:
    """Return the only search text of a memory."""
    assert memory is not None
    with brain.truth.read() as rows:
        (text,) = rows.replayed.chunks([memory.id]).get(memory.id, [])
    return text


def keep_another(brain: Brain, memory: Memory | None, text: str) -> None:
    """Put a text of ours where a memory's search text is, to see whether it is replaced."""
    assert memory is not None
    with brain.truth.write() as rows:
        rows.memories.put_chunks({memory.id: [text]})


def test_what_is_only_counted_keeps_its_search_text() -> None:
    """A statement that is repeated at the same time is not indexed once more."""
    brain = Brain()
    at = brain.clock()
    brain.say(port("五四三二"), at=at)
    keep_another(brain, brain.active("fact:测试库:port"), "as it was")
    brain.say(port("五四三二"), at=at)
    memory = brain.active("fact:测试库:port")

    assert memory is not None
    assert memory.frequency == 2
    assert searched_by(brain, memory) == "as it was"


@pytest.mark.parametrize("name", ["Zed", "中文编辑器"])
def test_what_is_said_again_later_is_found_by_its_later_day(name: str) -> None:
    """The day in the search text is that of the last time it was said."""
    brain = Brain()
    first = brain.clock()
    brain.say(editor(name), at=first)
    brain.say(editor(name), at=first + 3 * DAY)
    text = searched_by(brain, brain.active("pref:tools:editor"))

    assert name in text
    assert (first + 3 * DAY).date().isoformat() in text
