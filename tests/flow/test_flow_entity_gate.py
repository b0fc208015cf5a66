"""The entity gate: a name passes it that is declared, in use, named often, or come back to (C2).

A mere noun waits, and the order in which turns arrive decides nothing about an entity.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from any_order import assert_replays, entities
from flow_builders import fake_brain, user

from smartbrain.domain.result import CommitResult


@pytest.mark.spec("C2", "C7")
@pytest.mark.parametrize(
    ("said", "name", "noun"),
    [
        (
            "We need to send the samples to Hannah Brandt in Oslo.",
            "entity:person:Hannah_Brandt",
            "entity:object:samples",
        ),
    ],
)
def test_a_task_makes_names_memories_and_no_noun(
    tmp_path: Path, said: str, name: str, noun: str
) -> None:
    """What only has a part in a statement is a node that waits until it is named again."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(said)])
        assert "tasks" in [one.type for one in result.memory_written.items]
        told = {one.key: (one.action, one.code) for one in result.explain.retention}
        assert ("written", "entity_in_use") == told[name]
        assert ("deferred", "entity_gate") == told[noun]
        again = brain.commit_turn("s", [user(said)])
    assert "entity_frequent" in [one.code for one in again.explain.retention if one.key == noun]


@pytest.mark.spec("C7")
@pytest.mark.parametrize("asked", ["Is Grafana any good compared to Kibana?"])
def test_a_question_is_no_name(tmp_path: Path, asked: str) -> None:
    """Its first word is a verb."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(asked)])
    named = {one.key for one in result.explain.retention if one.type == "entities"}
    assert {"entity:object:Grafana", "entity:object:Kibana"} == named


def gated(result: CommitResult) -> dict[str, str]:
    """Return by which rule each entity of a turn passes the gate or waits."""
    return {one.key: one.code for one in result.explain.retention if one.type == "entities"}


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("remember Project Phoenix", "object:Project_Phoenix"),
        ("remember that Project Phoenix is our rewrite", "object:Project_Phoenix"),
        ('Please remember "Project Phoenix".', "object:Project_Phoenix"),
        ("don't forget Project Phoenix", "object:Project_Phoenix"),
        ("Remember our vendor Kestrel Dynamics", "org:Kestrel_Dynamics"),
        ("记住飞书", "object:飞书"),
        ("请记住刘志强是我们的客户", "person:刘志强"),
        ("记住：刘志强负责采购", "person:刘志强"),
    ],
)
def test_what_the_user_declares_is_a_memory_at_once(tmp_path: Path, said: str, key: str) -> None:
    """It needs no second mention, however often the settings ask for one."""
    config = {"policies": {"retention": {"entity_gate": {"freq_threshold": 9}}}}
    with fake_brain(tmp_path, **config) as brain:
        result = brain.commit_turn("s", [user(said)])
        assert "entity_declared" == gated(result)[f"entity:{key}"]
        assert [f"entity:{key}"] == [one.key for one in brain.memories.list("entities").items]


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    "said",
    [
        "Do you remember Joanna Whitfield?",
        "I don't remember Joanna Whitfield",
        "I remember Project Phoenix well",
        "He should remember Project Phoenix",
        "remember the milk",
        "REMEMBER THE MILK",
        "Remember Christmas is coming",
        "From now on don't use Slack",
        "他没记住张雅琴",
        "你记住凤凰计划了吗？",
        "我记住凤凰计划了",
        "记住我们的项目",
        "记住这个计划",
        "记住每天的计划",
        "以后别用 Slack",
        "以后都用英文",
        "以后都按这个来",
    ],
)
def test_what_is_not_asked_for_is_not_declared(tmp_path: Path, said: str) -> None:
    """A question, a report, a refusal and a plain noun make no entity a memory."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(said)])
        assert not brain.memories.list("entities").items


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("first", "between", "again", "key"),
    [
        ("Grafana looks nice.", "Fine weather.", "Grafana it is?", "entity:object:Grafana"),
        ("飞书挺好用的", "天气不错", "飞书又更新了", "entity:object:飞书"),
    ],
)
@pytest.mark.parametrize(
    ("window", "code"), [(20, "entity_frequent"), (3, "entity_frequent"), (2, "entity_gate")]
)
def test_mentions_count_within_the_window(
    tmp_path: Path,
    first: str,
    between: str,
    again: str,
    key: str,
    window: int,
    code: str,
) -> None:
    """So many of the last turns have to name it, the present one among them."""
    rules = {"window_turns": window, "freq_threshold": 2}
    with fake_brain(tmp_path, policies={"retention": {"entity_gate": rules}}) as brain:
        assert "entity_gate" == gated(brain.commit_turn("s", [user(first)]))[key]
        brain.commit_turn("s", [user(between)])
        assert code == gated(brain.commit_turn("s", [user(again)]))[key]


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("We decided to use Grafana for the dashboards.", "entity:object:Grafana"),
        ("我们决定用飞书开会", "entity:object:飞书"),
        ("see src/app/main.py", "entity:file:src/app/main.py"),
        ("看看季度报告.docx", "entity:file:季度报告.docx"),
    ],
)
def test_a_decision_or_a_form_lets_a_name_in(tmp_path: Path, said: str, key: str) -> None:
    """What is decided on, and what is told by its form, is worth a memory at once."""
    with fake_brain(tmp_path) as brain:
        code = gated(brain.commit_turn("s", [user(said)]))[key]
    assert code in ("entity_in_use", "entity_structural")


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("first", "back", "key"),
    [
        ("Grafana looks nice.", "Let's go on with that tool from last time", "object:Grafana"),
        ("飞书挺好用的", "继续用上次那个工具", "object:飞书"),
    ],
)
def test_coming_back_to_a_thing_lets_it_in(tmp_path: Path, first: str, back: str, key: str) -> None:
    """Whoever wants to go on with it need not say its name."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(first)])
        assert "entity_referred" == gated(brain.commit_turn("s", [user(back)]))[f"entity:{key}"]


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("first", "back"),
    [
        ("Falcon 今天有点慢", "上次那个 Falcon 项目，我们接着做"),
        ("Falcon 今天有点慢", "继续之前聊到的 Falcon 项目"),
        ("Falcon is slow today", "Let's continue with that Falcon project from last time"),
        ("I like tea", "上次那个 Falcon project，接着做"),
    ],
)
def test_what_the_user_comes_back_to_by_its_name_is_a_memory(
    tmp_path: Path, first: str, back: str
) -> None:
    """One mention is enough where the user goes on with it."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(first)])
        told = gated(brain.commit_turn("s", [user(back)]))
        assert "entity_referred" == told["entity:object:Falcon"]
        assert ["entity:object:Falcon"] == [
            one.key for one in brain.memories.list("entities").items
        ]


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    "said",
    ["Falcon 项目不错", "I think that the Falcon project is slow", "昨天 Falcon 项目的群里很热闹"],
)
def test_what_is_only_spoken_of_waits(tmp_path: Path, said: str) -> None:
    """A name after "that" or 昨天 alone comes back to nothing."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(said)])
        assert [] == [one.key for one in brain.memories.list("entities").items]


@pytest.mark.spec("C2", "C7", "M3")
@pytest.mark.parametrize(
    "told",
    [
        ["We use Postgres 16 here.", "PostgreSQL 17.1 is out, Tom says.", "postgres again"],
        ["我用微信和飞书", "飞书 7.2 更新了", "记住飞书"],
        [
            "the repo foo/bar-baz",
            "https://github.com/foo/bar-baz",
            "https://gitlab.com/foo/bar-baz",
        ],
        ["Tom plays soccer tomorrow", "Tom played soccer today", "remember Tom"],
    ],
    ids=" / ".join,
)
def test_an_entity_is_the_same_in_any_order(tmp_path: Path, told: list[str]) -> None:
    """It is valid since its first mention, with all its names and versions, however it came."""
    outcomes = []
    for number, order in enumerate(permutations(range(len(told)))):
        with fake_brain(tmp_path / str(number)) as brain:
            for day in order:
                turn = {"at": f"2000-01-{day + 1:02}T00:00:00Z", "messages": [user(told[day])]}
                brain.commit_turn("s", turn)
            outcomes.append(entities(brain))
            assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes
    assert "2000-01-01" in {str(one["valid_since"])[:10] for one in outcomes[0]}


@pytest.mark.spec("C2", "M3")
def test_an_entity_knows_the_versions_that_were_named(tmp_path: Path) -> None:
    """A later version does not hide the earlier one, and they stand in their order."""
    with fake_brain(tmp_path) as brain:
        for said in ("We run Python 3.12.", "Python 3.9 is too old", "升级到Python3.13了"):
            brain.commit_turn("s", [user(said)])
        (python,) = brain.memories.list("entities").items
    assert {"version": "3.9, 3.12, 3.13"} == python.value["attrs"]


FAR = [
    # Seven turns in their order; a window of three.
    ["Grafana looks nice.", "hi", "hello", "fine", "Grafana it is?", "ok", "bye"],
    ["Grafana looks nice.", "hi", "Grafana it is?", "fine", "thanks", "ok", "bye"],
    ["飞书挺好用的", "天气不错", "你好", "嗯", "飞书又更新了", "好的", "再见"],
    ["飞书挺好用的", "天气不错", "飞书又更新了", "嗯", "好", "飞书很慢", "再见"],
    ["飞书挺好用的", "天气不错", "你好", "飞书又更新了", "嗯", "好的", "记住飞书"],
]


@pytest.mark.spec("C2")
@pytest.mark.parametrize("told", FAR, ids=" / ".join)
def test_mentions_count_by_the_times_of_turns_in_any_order(tmp_path: Path, told: list[str]) -> None:
    """Turns that arrive side by side may lie far apart, and one that is late may part two."""
    gate = {"policies": {"retention": {"entity_gate": {"window_turns": 3, "freq_threshold": 2}}}}
    outcomes = []
    orders = [[*range(len(told))], [*range(len(told))][::-1]]
    orders += [Random(seed).sample(range(len(told)), len(told)) for seed in range(10)]
    for number, order in enumerate(orders):
        with fake_brain(tmp_path / str(number), **gate) as brain:
            for day in order:
                turn = {"at": f"2000-01-{day + 1:02}T00:00:00Z", "messages": [user(told[day])]}
                brain.commit_turn("s", turn)
            outcomes.append(entities(brain))
            assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("said", "again", "key"),
    [
        ("Grafana looks nice.", "Grafana it is?", "entity:object:Grafana"),
        ("飞书挺好用的", "飞书又更新了", "entity:object:飞书"),
    ],
)
def test_a_late_turn_parts_two_that_named_an_entity(
    tmp_path: Path, said: str, again: str, key: str
) -> None:
    """It waits at the gate again, and the result says so; one that was asked for stays."""
    gate = {"policies": {"retention": {"entity_gate": {"window_turns": 2, "freq_threshold": 2}}}}
    for declared, stands in ((False, []), (True, [key])):
        with fake_brain(tmp_path / str(declared), **gate) as brain:
            for day, words in ((1, said), (3, again)):
                turn = {"at": f"2000-01-0{day}T00:00:00Z", "messages": [user(words)]}
                result = brain.commit_turn("s", turn)
            assert "entity_frequent" == gated(result)[key]
            if declared:
                name = key.rpartition(":")[2]
                asked = {"at": "2000-01-09T00:00:00Z", "messages": [user(f"remember {name}")]}
                brain.commit_turn("other", asked)
            late = {"at": "2000-01-02T00:00:00Z", "messages": [user("Thanks!")]}
            told = gated(brain.commit_turn("s", late))
            assert stands == [one.key for one in brain.memories.list("entities").items]
        assert declared or "entity_gate" == told[key]
