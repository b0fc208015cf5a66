"""What callers cannot do by the data they hand over: mark messages, name by accident, leak.

In: turns and proposals with names that look like ours, masked data and control characters. Out:
the memories and reasons that a careful reader expects.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, episode_of, fake_brain, inside, user

from smartbrain import SmartBrain, UsageError
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.result import CommitResult
from smartbrain.domain.turn import DECLARED, DOCUMENT

PHONE = "13812345678"


def all_memories(brain: SmartBrain, kind: str | None = None) -> list[Memory]:
    """Return every memory, whatever its status."""
    return list(brain.memories.list(type=kind, status=None, limit=1000).items)


def ignored(result: CommitResult) -> list[str]:
    """Return the codes of what was not understood."""
    return [reason.code for reason in result.explain.ignored]


@pytest.mark.spec("S1", "C1")
@pytest.mark.parametrize("name", ["document", DOCUMENT])
@pytest.mark.parametrize("text", ["我对花生过敏", "I am allergic to peanuts."])
def test_a_caller_s_meta_does_not_switch_reading_off(tmp_path: Path, name: str, text: str) -> None:
    """A name that is ours is dropped and reported; any other is the caller's own."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(text, meta={name: "spec.pdf"})])
        (turn,) = brain.sessions.turns("s")
        assert "profile" in {item.type for item in result.memory_written.items}
    assert (["reserved_name"] if name == DOCUMENT else []) == ignored(result)
    assert ({} if name == DOCUMENT else {name: "spec.pdf"}) == turn.messages[0].meta


@pytest.mark.spec("S1", "C1")
@pytest.mark.parametrize("name", ["declared", DECLARED])
@pytest.mark.parametrize("text", ["今天天气不错", "The weather is nice today."])
def test_a_caller_s_field_does_not_force_a_memory(tmp_path: Path, name: str, text: str) -> None:
    """Neither as an unknown field of the message nor in its meta."""
    with fake_brain(tmp_path) as brain:
        for message in (user(text, **{name: True}), user(text, meta={name: True})):
            result = brain.commit_turn("s", [message])
            assert () == result.memory_written.items
            assert ("reserved_name" in ignored(result)) == (name == DECLARED)


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("said", "later", "passes"),
    [
        ("I met Ann in Boston.", "planning the launch", False),
        ("I met Ann in Boston.", "ask Ann's team", True),
        ("昨天见了王小明。", "给王小明发合同", True),
    ],
)
def test_a_name_within_a_word_is_no_name(
    tmp_path: Path, said: str, later: str, passes: bool
) -> None:
    """Words of letters count whole; Chinese, which sets no blanks, counts anywhere."""
    with fake_brain(tmp_path) as brain:
        task = {"project": "x", "title": later}
        brain.commit_turn("s", {"messages": [user(said)], "tasks": [task]})
        people = [m for m in all_memories(brain, "entities") if m.value["kind"] == "person"]
        (task_memory,) = all_memories(brain, "tasks")
        with inside(brain) as rows:
            linked = {e.dst for e in rows.edges.of(task_memory.id, kind=EdgeType.MENTIONS)}
    assert [Status.ACTIVE if passes else Status.CANDIDATE] == [one.status for one in people]
    assert passes == bool(linked & {one.id for one in people})


@pytest.mark.spec("C10")
@pytest.mark.parametrize("policy", ["mask", "refuse"])
def test_names_and_keys_are_masked_too(tmp_path: Path, policy: str) -> None:
    """The name of a message, and the keys of a call's arguments and result."""
    with fake_brain(tmp_path, **{"privacy.pii": policy}) as brain:
        calls = [{"name": "查", "args": {PHONE: 1, "13912345678": 2}, "result": {PHONE: "ok"}}]
        brain.commit_turn("s", {"messages": [user("你好 hi", name=PHONE)], "tool_calls": calls})
        (turn,) = brain.sessions.turns("s")
        assert PHONE not in repr(turn.to_dict()) + repr([m.to_dict() for m in all_memories(brain)])
    assert "[phone]" == turn.messages[0].name
    assert {"[phone]": 1, "[phone]_": 2} == turn.tool_calls[0].args


@pytest.mark.spec("C10")
@pytest.mark.parametrize("subject", ["小明", "Bob"])
def test_a_masked_value_is_refused(tmp_path: Path, subject: str) -> None:
    """Under `refuse` a proposal whose value held personal data becomes no memory."""
    with fake_brain(tmp_path, **{"privacy.pii": "refuse"}) as brain:
        fact = {"subject": subject, "attribute": "phone", "value": PHONE, "confirmed": True}
        result = brain.commit_turn("s", {"facts": [fact]})
        assert [] == all_memories(brain, "facts")
    assert "pii" in [one.code for one in result.explain.retention]


@pytest.mark.spec("C10", "C2")
def test_a_mark_is_no_entity(tmp_path: Path) -> None:
    """Neither one that a sentence names nor one that a ref is."""
    with fake_brain(tmp_path, **{"privacy.pii": "mask"}) as brain:
        refs = [{"ref_type": "url", "ref_uri": "mailto:bob@example.com"}]
        text = f"王小明昨天打电话给{PHONE}。Ann called {PHONE} yesterday. 我给a.b@c.com发了信"
        brain.commit_turn("s", {"messages": [user(text)], "refs": refs})
        named = {name for memory in all_memories(brain) for name in memory.entities}
        named |= {memory.value["canonical"] for memory in all_memories(brain, "entities")}
    assert {"王小明", "Ann"} <= named
    assert [] == [name for name in named if "[" in name or name == "email"]


WRONG: list[tuple[str, Callable[[Any], object]]] = [
    ("feedback of nothing", lambda brain: brain.feedback(None, "pin")),
    ("feedback in numbers", lambda brain: brain.feedback("fact:a:b", ["pin"])),
    ("correct by text", lambda brain: brain.memories.correct("fact:a:b", "x")),
    ("correct by nothing", lambda brain: brain.memories.correct("fact:a:b", None)),
    ("correct for 5", lambda brain: brain.memories.correct("fact:a:b", {"value": 2}, reason=5)),
    ("retract for 5", lambda brain: brain.memories.retract("fact:a:b", reason=5)),
    ("put nothing", lambda brain: brain.memories.put("facts", "fact:c:d", value=None)),
    ("remember nothing", lambda brain: brain.remember(None)),
    ("remember no words", lambda brain: brain.remember("")),
    ("remember blanks", lambda brain: brain.remember(" \n　")),
]


@pytest.mark.spec("S1")
@pytest.mark.parametrize("call", [row[1] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_no_value_is_refused(tmp_path: Path, call: Callable[[Any], object]) -> None:
    """With a UsageError of one line, and nothing is written."""
    with fake_brain(tmp_path) as brain:
        brain.memories.put("facts", "fact:a:b", {"value": 1})
        rows = brain.status().rows
        with pytest.raises(UsageError) as caught:
            call(brain)
        assert rows == brain.status().rows
    assert 1 == len(str(caught.value).splitlines())


def answered(result: object) -> list[dict[str, Any]]:
    """Return a call of a tracker and its answer, as OpenAI gives them."""
    function = {"name": "list_tasks", "arguments": "{}"}
    call = {"id": "c", "type": "function", "function": function}
    return [
        assistant(None, tool_calls=[call]),
        {"role": "tool", "tool_call_id": "c", "content": result},
    ]


@pytest.mark.spec("C3", "W6")
def test_a_text_that_is_json_is_read_as_what_it_says(tmp_path: Path) -> None:
    """A provider's results are always text; only a whole object or array is data."""
    items = [{"title": "修复登录", "status": "todo"}, {"title": "Ship it", "state": "open"}]
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", answered(json.dumps(items)))
        tasks = all_memories(brain, "tasks")
        assert {"修复登录", "Ship it"} == {one.value["title"] for one in tasks}
        for text in (
            '[{"title": "半", "status": "todo"}',
            '[{"title": "\\ud83d", "status": "todo"}]',
        ):
            brain.commit_turn("s", answered(text))
        huge = [{"title": "big", "status": "todo", "note": "x" * 200_000}]
        brain.commit_turn("s", answered(json.dumps(huge)))
        assert tasks == all_memories(brain, "tasks")


@pytest.mark.spec("C3")
def test_the_results_of_a_turn_give_so_much_and_no_more(tmp_path: Path) -> None:
    """Two hundred tasks and facts of all its calls together; the rest is reported."""
    with fake_brain(tmp_path) as brain:
        calls = [
            {
                "name": "list_tasks",
                "result": [{"title": f"第{n}项 of {call}", "status": "todo"} for n in range(101)],
            }
            for call in ("甲", "b")
        ]
        few = brain.commit_turn("s", {"tool_calls": calls[:1]})
        many = brain.commit_turn("t", {"tool_calls": calls})
        assert 200 == len(all_memories(brain, "tasks"))
    codes = [[one.code for one in result.explain.retention] for result in (few, many)]
    assert [False, True] == ["many_results" in one for one in codes]


@pytest.mark.spec("C6", "E1")
@pytest.mark.parametrize("text", ["我对花生\x00过敏\x1b", "I am\x07 allergic to peanuts\x9b."])
def test_control_characters_stay_in_the_events(tmp_path: Path, text: str) -> None:
    """They are stored as they came, and are in no memory; nor are those of proposals and tools."""
    events = {
        "refs": [{"ref_type": "file", "ref_uri": "file:///a\x04b 文"}],
        "messages": [user(text, name="小\x01明")],
        "facts": [{"subject": "a", "attribute": "b", "value": "x\x02y", "confirmed": True}],
        "tool_calls": [
            {"name": "list_tasks", "result": [{"title": "修\x03复 login", "status": "todo"}]}
        ],
    }
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", events)
        (turn,) = brain.sessions.turns("s")
        kept = all_memories(brain)
        assert {"facts", "tasks"} <= {item.type for item in result.memory_written.items}
    assert text == turn.messages[0].content
    for memory in kept:
        shown = [memory.key, memory.title, memory.text, repr(memory.value)]
        assert [] == [one for one in shown if "\\x" in repr(one).replace("\\\\", "\\")]


@pytest.mark.spec("C2")
@pytest.mark.parametrize("text", ["Have you heard of Ann Miller?", "你听说过王小明吗？"])
def test_the_steps_of_one_turn_count_once(tmp_path: Path, text: str) -> None:
    """An entity that one turn names in two of its steps was named in one turn."""
    with fake_brain(tmp_path, **{"policies.retention.entity_gate.freq_threshold": 2}) as brain:
        turn_id = brain.commit_turn("s", [user(text)]).turn_id
        brain.commit_turn("s", [user(f"{text} "), user("?")], turn_id=turn_id)
        people = [m for m in all_memories(brain, "entities") if m.value["kind"] == "person"]
        assert [Status.CANDIDATE] == [one.status for one in people]
        brain.commit_turn("s", [user(text)])
        again = [m for m in all_memories(brain, "entities") if m.value["kind"] == "person"]
    assert [Status.ACTIVE] == [one.status for one in again]


@pytest.mark.spec("M5", "C7")
def test_no_episode_leads_back_in_time(tmp_path: Path) -> None:
    """A turn that is older than the last one of its session follows none."""
    days = ("2020-01-02", "2020-01-01", "2020-01-03", "2020-01-03")
    with fake_brain(tmp_path) as brain:
        turns = [
            brain.commit_turn("s", {"at": f"{day}T00:00:00Z", "messages": [user("天 day")]}).turn_id
            for day in days
        ]
        ids = [episode_of(brain, turn).id for turn in turns]
        with inside(brain) as rows:
            after = [
                [edge.dst for edge in rows.edges.of(one, kind=EdgeType.TEMPORAL_NEXT)]
                for one in ids
            ]
    assert [[], [ids[2]], [ids[3]], []] == after
