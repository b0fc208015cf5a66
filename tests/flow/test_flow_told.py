"""What a commit tells of every candidate: what became of it, and by which rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain.domain.result import CommitResult, Retention, RetentionAction


def told(result: CommitResult) -> list[Retention]:
    """Return what became of the candidates, without the episode."""
    return list(result.explain.retention[1:])


SAID = {
    "en": (
        "I prefer dark mode.",
        "I prefer dark mode.",
        "I prefer light mode.",
        "I no longer prefer light mode.",
        "I no longer prefer light mode.",
        "The server port is 8080.",
        "No, the server port is not 8080.",
    ),
    "zh": (
        "我喜欢深色主题。",
        "我喜欢深色主题。",
        "我喜欢浅色主题。",
        "我不再喜欢浅色主题了。",
        "我不再喜欢浅色主题了。",
        "服务器端口是 8080。",
        "不对，服务器端口不是 8080。",
    ),
}


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize("language", SAID)
def test_every_sentence_names_the_rule_that_found_its_candidate(
    tmp_path: Path, language: str
) -> None:
    """Whatever became of a candidate, its sentence ends with a rule, and so it is kept."""
    with fake_brain(tmp_path) as brain:
        results = [brain.commit_turn("s", [user(text)]) for text in SAID[language]]
        every = [one for result in results for one in told(result)]
        later = [brain.explain(turn_id=result.turn_id) for result in results]
    named = [(one.type, one.code, one.reason[one.reason.rindex("(") :]) for one in every]
    assert {(code, rule) for kind, code, rule in named if kind == "entities"} >= {
        ("entity_gate", "(policies.retention.entity_gate)"),
        ("entity_frequent", "(policies.retention.entity_gate)"),
    }
    said = [(code, rule) for kind, code, rule in named if kind != "entities"]
    codes = ["new", "repeated", "new_version", "ended", "nothing_to_retract", "new", "denied"]
    assert said == [(code, "(reader)") for code in codes]
    assert str(later[3].to_dict()).count("(reader)") >= 1


@pytest.mark.spec("C1")
@pytest.mark.parametrize("value", ["浅色", "light"])
def test_a_proposal_that_is_refused_names_its_rule(tmp_path: Path, value: str) -> None:
    """A preference that nobody confirmed, and an insight of no run."""
    proposals = {
        "preferences": [{"key": "pref:ui:theme", "value": value}],
        "insights": [{"key": "insight:r:1", "statement": value}],
    }
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", {"messages": [user("hi")], **proposals})
    rules = {one.code: one.reason[-10:] for one in told(result) if one.type in proposals}
    assert rules == {"unconfirmed": "(proposal)", "no_run": "(proposal)"}


@pytest.mark.spec("C2", "C7")
@pytest.mark.parametrize("line", ["详见 https://example.com/p{}", "see https://example.com/p{}."])
def test_names_that_are_too_many_for_a_turn_are_counted(tmp_path: Path, line: str) -> None:
    """The limit and how many it left out are told once; a turn within it says nothing."""
    with fake_brain(tmp_path) as brain:
        many, few = (
            brain.commit_turn("s", [user("\n".join(line.format(n) for n in range(count)))])
            for count in (70, 50)
        )
    (over,) = [one for one in told(many) if one.code == "entity_limit"]
    assert (over.type, over.key, over.action) == ("entities", "", RetentionAction.REFUSED)
    assert over.reason == "the first 50 are kept, 20 more left out"
    assert many.memory_written.count == 50
    assert "entity_limit" not in [one.code for one in told(few)]


@pytest.mark.spec("C7")
@pytest.mark.parametrize("line", ["小明在公园{}里踢足球。", "Tom plays soccer in park{}."])
def test_statements_that_are_too_many_for_a_turn_are_counted(tmp_path: Path, line: str) -> None:
    """What a turn says happens has a limit too."""
    said = "\n".join(line.format(number) for number in range(23))
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(said), user(line.format("s"))])
        made = brain.memories.list("statements", status=None, limit=100).items
    (over,) = [one for one in told(result) if one.code == "statement_limit"]
    assert over.action is RetentionAction.REFUSED
    assert "first 20 are kept" in over.reason
    assert len(made) == 20


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("said", "thanks"),
    [
        ("再看一下 https://example.com/p1", "谢谢！"),
        ("see https://example.com/p1 again", "Thanks!"),
    ],
)
def test_an_entity_that_is_named_again_is_something(tmp_path: Path, said: str, thanks: str) -> None:
    """It counts as repeated, and the message that names it is not nothing; another one is."""
    with fake_brain(tmp_path) as brain:
        first = brain.commit_turn("s", [user(said)])
        again = brain.commit_turn("s", [user(said)])
        both = brain.commit_turn("s", [user(thanks), user(said)])
    assert [one.code for one in told(first)] == ["entity_structural"]
    (one,) = told(again)
    assert (one.action, one.code) == (RetentionAction.MERGED, "repeated")
    assert one.reason.startswith("it is known already; it has been named 2 times now (")
    assert again.memory_written.count == 0
    assert [one.code for one in told(both)] == ["repeated", "nothing_lasting"]


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("You probably prefer tea.", "assistant_word"),
        ("我猜你喜欢喝茶。", "assistant_word"),
        ("The office wifi is called Birch.", "assistant_word"),
        ("办公室的无线网络叫 Birch。", "assistant_word"),
        ("Shall I book the flight?", "question"),
        ("要不要我订机票？", "question"),
    ],
)
def test_what_only_the_assistant_says_leaves_a_reason(tmp_path: Path, said: str, code: str) -> None:
    """Its word is no memory until the user confirms it, and the result says so."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [assistant(said)])
        (step,) = brain.explain(turn_id=result.turn_id).steps
    (why,) = [one for one in told(result) if one.type == "episodes"]
    assert (why.action, why.code) == (RetentionAction.REFUSED, code)
    assert result.memory_written.count == 0
    assert why.reason in [one.reason for one in step.retention]


@pytest.mark.spec("M2")
@pytest.mark.parametrize("more", [{"wat": "nope"}, {"备注": "以后再说"}])
def test_the_value_of_a_proposal_is_open(tmp_path: Path, more: dict[str, str]) -> None:
    """A field that the type does not name stays in the value, as the contract says."""
    task = {"key": "task:a:b", "title": "x", **more}
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", {"messages": [user("hi")], "tasks": [task]})
        stored = brain.memories.get("task:a:b")
    assert stored is not None
    assert stored.value.items() >= more.items()
    assert result.explain.ignored == ()


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("I prefer \x07dark \x1b[31mmode\x1b[0m.", ["dark mode"]),
        ("The \x1b[1;32mserver\x1b[0m port is \x1b]0;x\x078080.", ["8080"]),
        ("我喜欢\x1b[31m深色主题\x1b(B\x1b[m。", ["深色主题"]),
    ],
)
def test_the_colours_of_a_terminal_are_no_part_of_a_name(
    tmp_path: Path, said: str, values: list[str]
) -> None:
    """Names are found in the text without ANSI sequences; the original is kept as it came."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(said)])
        (turn,) = brain.sessions.turns("s")
        stored = [
            one
            for kind in ("preferences", "facts", "entities")
            for one in brain.memories.list(kind, status=None).items
        ]
    assert [one.value["value"] for one in stored if one.type != "entities"] == values
    assert not any("\x1b" in f"{one.key}{one.title}{one.text}{one.value}" for one in stored)
    assert turn.messages[0].content == said
    assert [one.code for one in result.explain.ignored] == ["control_characters"]


@pytest.mark.spec("C6", "E4")
@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ("I live in\x00 Oslo.\x07", ["control_characters"]),
        ("我住在\x07北京\x00。", ["control_characters"]),
        ("\x00\x07", ["control_characters"]),
        ("I live in Oslo.\n\tAnd I like it.\r\n", []),
        ("我住在北京。\n👩‍👩‍👧", []),
    ],
)
def test_control_characters_are_reported(tmp_path: Path, said: str, codes: list[str]) -> None:
    """The turn is kept as it came, and a sentence says that they are not read."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(said)])
        (turn,) = brain.sessions.turns("s")
    assert turn.messages[0].content == said
    assert codes == [one.code for one in result.explain.ignored]
    assert all(one.id == turn.messages[0].id for one in result.explain.ignored)


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("task", "done", "answer"),
    [
        ("I need to call mom.", "called mom", "Well done."),
        ("TODO: 发报价单", "报价单发了", "好的，辛苦了。"),
    ],
)
def test_a_task_that_one_message_closes_explains_no_other(
    tmp_path: Path, task: str, done: str, answer: str
) -> None:
    """Who closes a task has said something; the assistant's answer to it has not."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(task)])
        result = brain.commit_turn("s", [user(done), assistant(answer)])
    assert [one.code for one in told(result) if one.type == "episodes"] == ["assistant_word"]
    assert [one.code for one in told(result) if one.type == "tasks"] == ["new_version"]
