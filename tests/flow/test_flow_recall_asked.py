"""Questions that name a place or a time, and questions of common words only, on a whole brain."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from recall_builders import NOW, opened, say

from smartbrain import SmartBrain


@pytest.fixture(name="brain")
def _brain(tmp_path: Path) -> Iterator[SmartBrain]:
    with opened(tmp_path) as brain:
        yield brain


@pytest.mark.spec("R14")
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("in src/web/ what does the setup need?", "app.py"),
        ("src/api/ 目录下 setup 怎么做", "main.py"),
    ],
)
def test_a_place_that_is_named_comes_first_and_is_told(
    brain: SmartBrain, question: str, first: str
) -> None:
    """What names it counts more; the trace says that the rest may answer too."""
    say(brain, "The setup of src/web/app.py needs node.", at=NOW - timedelta(days=60))
    say(brain, "The setup of src/api/main.py needs python.", at=NOW - timedelta(days=5))
    say(brain, "setup notes are in docs/readme.md", at=NOW - timedelta(days=4))
    found = brain.recall(question)
    assert first in found[0].text
    (told,) = found.trace.ignored_fields
    assert ("weighed", "global_filters.source_uri_prefix") == (told.code, told.key)


@pytest.mark.spec("R14")
def test_a_time_weighs_and_since_decides(brain: SmartBrain) -> None:
    """What words imply is told; what the caller says leaves the others out."""
    say(brain, "The setup needs node.", at=NOW - timedelta(days=60))
    say(brain, "The setup needs python.", at=NOW - timedelta(days=5))
    found = brain.recall("setup in the last two weeks")
    assert "python" in found[0].text
    assert ["global_filters.time_range"] == [one.key for one in found.trace.ignored_fields]
    narrowed = brain.recall("setup", since=NOW - timedelta(days=14))
    assert [] == [one for one in narrowed if "node" in one.text]
    assert () == narrowed.trace.ignored_fields


@pytest.mark.spec("R2", "R3")
@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("I live in Paris now.", "where do I live"),
        ("我住在上海", "我住哪儿"),
        ("我搬到沈阳了", "which city am I in?"),
        ("I moved to Leeds.", "我在哪个城市"),
        ("I work as a nurse.", "what do I do"),
        ("My name is Ann.", "who am I"),
        ("我叫李雷。", "我是谁"),
    ],
)
def test_a_profile_is_found_by_what_users_ask_of_themselves(
    brain: SmartBrain, told: str, question: str
) -> None:
    """With nothing but the text index."""
    brain.configure({"recall.graph.enabled": False, "recall.raw.enabled": False})
    say(brain, told)
    say(brain, "The weather was nice. 天气不错")
    found = brain.recall(question, types="profile")
    assert ["profile:user"] == [one.key for one in found]


@pytest.mark.spec("R3")
def test_stop_words_alone_find_what_has_them_together(brain: SmartBrain) -> None:
    """The same words in the order of a statement."""
    brain.configure({"recall.graph.enabled": False, "recall.raw.enabled": False})
    say(brain, "it was over there")
    say(brain, "lunch tastes of salt")
    first = brain.recall("was it there?")[0]
    assert "it was over there" == first.text.split("\n")[0].removeprefix("user: ")


@pytest.mark.spec("R12")
@pytest.mark.parametrize(
    "question",
    ["what is my job?", "what do you know about me?", "tell me about myself"]
    + ["我是做什么工作的", "你知道我什么", "介绍一下我"],
)
@pytest.mark.parametrize(
    "said",
    ["I work as a nurse at Charité. My name is Tom.", "我叫李雷，是护士，在协和医院工作。"],
)
def test_who_a_user_is_comes_first_in_either_language(
    tmp_path: Path, said: str, question: str
) -> None:
    """Whatever words it was told in; the turn that told it may hold a word of the question."""
    with opened(tmp_path) as brain:
        say(brain, said)
        say(brain, "The weather was nice. 天气不错。")
        first = brain.recall(question).items[:2]  # it, or the turn that told it
        assert "profile:user" in [one.key for one in first]


@pytest.mark.spec("R12")
@pytest.mark.parametrize(
    "question",
    ["what's left to do?", "what do I still have to do?", "what are my open tasks?"]
    + ["待办事项", "还有什么没做", "我还有哪些任务没完成"],
)
def test_what_is_open_comes_before_what_is_done(tmp_path: Path, question: str) -> None:
    """A question for what is left to do is one for tasks that are not done."""
    with opened(tmp_path) as brain:
        for n, title in enumerate(["call the landlord", "交房租", "migrate the billing DB"]):
            status = ("done", "todo", "blocked")[n]
            brain.memories.put("tasks", f"task:home:t{n}", {"title": title, "status": status})
        brain.memories.put("tasks", "task:home:t3", {"title": "写发布说明", "status": "done"})
        found = [one.value["status"] for one in brain.recall(question, types="tasks")]
    assert {"todo", "blocked"} == set(found[:2])
