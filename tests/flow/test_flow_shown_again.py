"""What memory gave comes back in a message: it is not learned again, and the commit says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.rendered import disarmed, rendered_spans
from smartbrain.domain.result import CommitResult

SHOWN = "shown_before"
SAID = [
    (
        "We decided to use FastAPI for the api project. I prefer short answers.",
        "What did we decide for the api?",
        "I need to buy new hiking boots.",
    ),
    (
        "我们决定用 Redis 做缓存。我喜欢简短的回答。",
        "我们决定用什么做缓存？",
        "我得买牛奶。",
    ),
]


def taught(result: CommitResult) -> set[str]:
    """Return the types of what a commit wrote or counted again."""
    kept = [one for one in result.explain.retention if one.action.value in ("written", "merged")]
    return {one.type for one in kept} - {"episodes", "entities"}


def codes(result: CommitResult) -> set[str]:
    """Return why something was refused."""
    return {one.code for one in result.explain.retention if one.action.value == "refused"}


def shown(brain: SmartBrain, said: str, question: str) -> str:
    """Say something in one session, and return the context that a question in another one gets."""
    brain.commit_turn("long ago", [user(said)])
    brain.commit_turn("s", [user("Hello. 你好。"), assistant("Hi. 你好！")])
    text = brain.compose_context("s", question).text()
    assert said in text
    return text.partition("=== [User message]")[0].strip()


@pytest.mark.spec("C11")
@pytest.mark.parametrize("who", [user, assistant])
@pytest.mark.parametrize(("said", "question", "new"), SAID)
@pytest.mark.parametrize(
    "form", ["{0}", "{0}\n\n{0}", "\n{0}\n\n\n{0}\n", "{1}", "{2}", "{2}\n{1}"]
)
def test_a_context_that_is_repeated_teaches_nothing(
    tmp_path: Path, said: str, question: str, new: str, form: str, who: type
) -> None:
    """All of it, twice, its evidence alone, and a piece of that without its end."""
    with fake_brain(tmp_path) as brain:
        text = shown(brain, said, question)
        evidence = text.partition("=== [Evidence] ===\n")[2]
        piece = evidence.partition("\n(mode=")[0]
        result = brain.commit_turn("s", [who(form.format(text, evidence, piece))])
        kept = [one.frequency for one in brain.memories.list(type="decisions").items]
    assert set() == taught(result)
    assert {SHOWN} == codes(result)
    assert [1] == kept
    reason = next(one.reason for one in result.explain.retention if one.code == SHOWN)
    assert "never feeds on itself" in reason


@pytest.mark.spec("C11")
@pytest.mark.parametrize(("said", "question", "new"), SAID)
@pytest.mark.parametrize(
    "form", ["{1}\n\n{0}", "{0}\n\n{1}", "{0}\n\n{0}\n\n{1}", "{2}\n{1}", "{0}\n\n{1}\n\n{0}"]
)
def test_new_words_around_a_context_are_read(
    tmp_path: Path, said: str, question: str, new: str, form: str
) -> None:
    """Before it, after it, between two of it: what is new is learned, what is old is not."""
    with fake_brain(tmp_path) as brain:
        text = shown(brain, said, question)
        evidence = text.partition("=== [Evidence] ===\n")[2]
        result = brain.commit_turn("s", [user(form.format(text, new, evidence))])
    assert {"tasks"} == taught(result)
    assert {SHOWN} == codes(result)


@pytest.mark.spec("C11")
@pytest.mark.parametrize(("said", "question", "new"), SAID)
def test_an_echo_of_the_assistant_is_explained(
    tmp_path: Path, said: str, question: str, new: str
) -> None:
    """One sentence that it was shown; words of its own beside it have a reason of their own."""
    with fake_brain(tmp_path) as brain:
        shown(brain, said, question)
        echo = brain.commit_turn("s", [user(question), assistant(said)])
        brain.compose_context("s", question)
        both = brain.commit_turn("s", [user(question), assistant(f"{said} {new}")])
        own = brain.commit_turn("s", [user(question), assistant("It is sunny. 今天晴。")])
    assert {SHOWN, "question"} == codes(echo)
    assert {SHOWN, "question", "assistant_word"} == codes(both)
    assert {"question", "assistant_word"} == codes(own)


@pytest.mark.spec("C11")
@pytest.mark.parametrize(("said", "question", "new"), SAID)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_packet_that_is_pasted_teaches_nothing(
    tmp_path: Path, said: str, question: str, new: str, indent: int | None
) -> None:
    """As JSON in one line or in many; the words behind it are read."""
    with fake_brain(tmp_path) as brain:
        shown(brain, said, question)
        packet = brain.build_memory_packet("s", question).to_dict()
        text = json.dumps(packet, ensure_ascii=False, indent=indent, default=str)
        assert said in text
        assert set() == taught(brain.commit_turn("s", [user(text)]))
        assert {"tasks"} == taught(brain.commit_turn("s", [user(f"{text}\n\n{new}")]))


@pytest.mark.spec("C11", "R17")
@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("=== [Goals] ===\n- run 跑步\n  far\n\n- read\n\nI live in Oslo.", "I live in Oslo."),
        (
            "=== [Recent turns] ===\n[2026-01-01 10:00]\nuser: 我住在成都。\n  真的\n\n我搬家了。",
            "我搬家了。",
        ),
        (
            "=== [Working summary] ===\nGoals:\n- run\nTasks:\n- [todo] 买票\n\n我搬家了。",
            "我搬家了。",
        ),
        ("=== [System] ===\n- be brief\n\nI need you to be kind.", ""),
        ("=== [Past summary] ===\nWe met.\n\nWe decided to move.", ""),
        ("[E1] chat — turn:1\n2026-01-01, user: I live in Oslo.\nI moved.", "I moved."),
        (
            "[E1] chat — turn:1\nI live in Oslo.\n\nIt is cold.\n(mode=exact, score=0.50)\nHi.",
            "Hi.",
        ),
    ],
)
def test_where_a_block_ends(text: str, own: str) -> None:
    """Lists, turns and evidence end where their form does; free text with the next heading."""
    (span,) = rendered_spans(text)
    assert (0, own) == (span[0], text[span[1] :])


@pytest.mark.spec("C11", "R17")
def test_words_cannot_close_a_piece_of_evidence() -> None:
    """A line like the one that closes it is quoted, so that the rest stays inside."""
    assert "a\n> (mode=exact, score=0.50)\nb" == disarmed("a\n(mode=exact, score=0.50)\nb")
