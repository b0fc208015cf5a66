"""What somebody who programs with it meets first: mistakes, reprs, pages, ids, types, silence.

In: a brain, and small mistakes. Out: one line that says what to change; values that can be read.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import smartbrain
from smartbrain import Conflict, SmartBrain, UsageError
from smartbrain.domain import inputs
from smartbrain.domain.artifact import FORMATS as ARTIFACT_FORMATS
from smartbrain.domain.audience import Audience
from smartbrain.domain.working import PinType
from smartbrain.entrypoints.wire.verbs import verbs
from smartbrain.remember.import_history.formats import FORMATS as CHAT_FORMATS

SAID = [{"role": "user", "content": "We decided to use PostgreSQL."}]


def _one_line(error: Exception) -> str:
    text = str(error)
    assert (1, True) == (len(text.splitlines()), len(text) < 250), text
    return text


@pytest.mark.spec("S1")
@pytest.mark.parametrize("which", ["embedder", "reranker"])
def test_a_model_folder_that_is_not_there_is_refused_at_once(tmp_path: Path, which: str) -> None:
    """When the brain is opened, not by the first call that needs the model; nothing is made."""
    with pytest.raises(UsageError, match="there is no model folder") as caught:
        SmartBrain.open(tmp_path / "b", **{which: f"onnx:{tmp_path / '模型'}"})
    assert "模型" in _one_line(caught.value)
    assert not (tmp_path / "b").exists()


@pytest.mark.spec("S1")
def test_an_unknown_key_of_the_agents_state_is_refused(tmp_path: Path) -> None:
    """With what was probably meant; left out silently, its words would never reach the model."""
    with SmartBrain.open(tmp_path) as brain:
        with pytest.raises(UsageError, match=r"agent_state has no 'sytem'") as caught:
            brain.compose_context("s", "hi", {"sytem": "You are kind."})  # type: ignore[typeddict-unknown-key]
        assert "did you mean 'system'?" in _one_line(caught.value)


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"session_id": "t"}, "session_id"),
        ({"turn_events": [*SAID, {"role": "assistant", "content": "好"}]}, "messages"),
        (
            {"context_id": "c", "turn_events": SAID[:0] + [{"role": "user", "content": "x"}]},
            "context_id, messages",
        ),
        ({"turn_events": {"messages": SAID, "at": "2026-01-01T00:00:00Z"}}, "at"),
    ],
)
def test_a_key_that_was_used_says_what_differs(
    tmp_path: Path, change: dict[str, object], differs: str
) -> None:
    """The names of the parts that are not as they were under this idempotency key."""
    call = {"session_id": "s", "turn_events": SAID, "idempotency_key": "k"}
    with SmartBrain.open(tmp_path) as brain:
        first = brain.commit_turn(**call)
        assert first.turn_id == brain.commit_turn(**call).turn_id
        with pytest.raises(Conflict) as caught:
            brain.commit_turn(**{**call, **change})
    assert f"which differs in {differs}; use a new key" in _one_line(caught.value)
    assert "idempotency_conflict" == caught.value.code


@pytest.mark.spec("S1")
def test_results_are_shown_on_one_short_line(tmp_path: Path) -> None:
    """Their fields that say something, in short; what is long is in `to_dict()`."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", SAID)
        values = [
            *(result, brain.recall("which database?"), brain.recall("which database?")[0]),
            *(brain.compose_context("s", "which database?"), brain.memories.list()),
            *(brain.memories.list()[0], brain.sessions.turns("s")[0], brain.status()),
        ]
    for value in values:
        shown = repr(value)
        assert (1, True) == (len(shown.splitlines()), len(shown) < 600), shown
        assert shown.startswith(f"{type(value).__name__}(")
    assert f"turn_id='{result.turn_id}'" in repr(result)


@pytest.mark.spec("S1")
def test_a_page_is_used_like_a_list(tmp_path: Path) -> None:
    """It has a length, places and slices, and can be gone through."""
    with SmartBrain.open(tmp_path) as brain:
        for text in ("I like tea.", "I live in Berlin."):
            brain.remember(text, session_id=text)
        for page in (brain.memories.list(), brain.sessions.list()):
            assert list(page) == [page[place] for place in range(len(page))]
            assert (page[-1], page.items[:1]) == (page.items[-1], page[:1])
            with pytest.raises(IndexError):
                _ = page[len(page)]


@pytest.mark.spec("S1")
def test_a_turn_has_one_name_for_its_id(tmp_path: Path) -> None:
    """Whatever tells of a turn has `turn_id`, which calls take."""
    with SmartBrain.open(tmp_path) as brain:
        result = brain.remember("We use PostgreSQL.", session_id="s")
        (turn,) = brain.sessions.turns("s")
        found = brain.recall("PostgreSQL")
        memories = [brain.memories.get(one.id) for one in found]
        ids = {turn.turn_id, *(one.turn_id for one in (*found, *memories))}
    assert {result.turn_id} == ids


@pytest.mark.spec("S1")
def test_the_types_of_all_results_can_be_imported() -> None:
    """For annotations, from the package itself."""
    for verb in verbs().values():  # whose types are looked up among the public names
        assert verb.result is None or "ForwardRef" not in repr(verb.result)


@pytest.mark.spec("S1")
def test_nothing_is_printed_that_nobody_asked_for(tmp_path: Path) -> None:
    """A damaged index is built anew without a word, unless the program listens to the log."""
    program = (
        "import sys; from pathlib import Path; from smartbrain import SmartBrain\n"
        "place = Path(sys.argv[1])\n"
        "with SmartBrain.open(place, embedder='http://127.0.0.1:9/v1#none') as brain:\n"
        "    brain.remember('We use PostgreSQL.'); brain.recall('database'); brain.rebuild()\n"
        "    brain.jobs.run('embed')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (0, "", "") == (run.returncode, run.stdout, run.stderr)


@pytest.mark.spec("S1")
def test_the_types_of_arguments_say_what_is_taken() -> None:
    """A literal lists what the code knows, a TypedDict the fields that are read."""
    assert {*Audience} == {*get_args(inputs.AudienceName)}
    assert {*ARTIFACT_FORMATS} == {*get_args(inputs.ProviderName)}
    assert {*PinType} == {*get_args(inputs.PinTypeName)}
    assert {"auto", *CHAT_FORMATS} == {*get_args(inputs.ChatFormatName)}
    assert {"system", "developer", "tools", "mode"} == inputs.AgentState.__optional_keys__
    assert inputs.TurnInput.__optional_keys__ >= {"at", "messages", "tool_calls", "refs"}
    public = {name: getattr(smartbrain, name) for name in smartbrain.__all__}
    hints = get_type_hints(SmartBrain.commit_turn, localns=public)
    assert inputs.TurnInput in get_args(hints["turn_events"])
    asked = get_type_hints(SmartBrain.compose_context, localns=public)
    assert inputs.AgentState in get_args(asked["agent_state"])
    assert inputs.AudienceName == asked["audience"]


@pytest.mark.spec("S1", "S2")
@pytest.mark.parametrize("action", get_args(inputs.FeedbackName))
def test_each_kind_of_feedback_is_taken(tmp_path: Path, action: str) -> None:
    """Those that the type of the argument lists."""
    with SmartBrain.open(tmp_path) as brain:
        (memory,) = brain.remember("I like tea.").memory_written.items[:1]
        assert memory.id == brain.feedback(memory.id, action).id


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("place", "library"), [("fastembed", "fastembed"), ("onnx", "tokenizers")])
def test_a_library_that_is_not_installed_is_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, library: str
) -> None:
    """With the command that brings it, when the brain is opened."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=f"{library} is not installed") as caught:
        SmartBrain.open(tmp_path / "b", embedder=f"{place}:{tmp_path}")
    assert f"pip install 'smartbrain[{place}]'" in _one_line(caught.value)
