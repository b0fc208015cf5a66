"""From words to memories through the facade: what is kept, what is not, and why."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user
from msgspec.structs import replace

from smartbrain import NotFound, SmartBrain, UsageError
from smartbrain.domain.context import ContextEvidence, ContextPackage, EvidenceSource
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.result import CommitResult, RetentionAction

PARK = {
    "小明在公园里踢足球": ("小明", "足球", "公园"),
    "Tom plays soccer in the park": ("Tom", "soccer", "park"),
}


def codes(result: CommitResult) -> list[str]:
    """Return the codes of what became of the candidates, without the episode's."""
    return [one.code for one in result.explain.retention[1:]]


def written(result: CommitResult) -> list[tuple[str, str]]:
    """Return the types and keys of what was written."""
    return [(item.type, item.key) for item in result.memory_written.items]


def all_of(brain: SmartBrain, type_name: str) -> list[Memory]:
    """Return every memory of a type, whatever its status."""
    return list(brain.memories.list(type_name, status=None, limit=1_000).items)


def edges_of(brain: SmartBrain, memory: Memory) -> set[tuple[str, str]]:
    """Return the type and the title of what each edge of a memory leads to."""
    with brain._lease() as tenant, tenant.ports.truth.read() as rows:
        edges = rows.edges.of(memory.id)
        ends = rows.memories.get([edge.dst for edge in edges])
        return {
            (edge.type.value, ends[edge.dst].title if edge.dst in ends else "raw") for edge in edges
        }


@pytest.mark.spec("C7", "M1")
@pytest.mark.parametrize("text", PARK)
def test_a_sentence_becomes_the_graph_of_who_does_what_where(tmp_path: Path, text: str) -> None:
    """One statement with its three roles, three entities that wait at the gate, one episode."""
    agent, patient, place = PARK[text]
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(text)])
        (statement,) = all_of(brain, "statements")
        (episode,) = all_of(brain, "episodes")
        entities = {(m.value["kind"], m.value["canonical"]) for m in all_of(brain, "entities")}
        assert entities == {("person", agent), ("object", patient), ("place", place)}
        assert statement.value["predicate"]["normalized"] == "play_soccer"
        assert statement.value["negation"] is False
        assert edges_of(brain, statement) == {
            ("AGENT", agent),
            ("PATIENT", patient),
            ("LOCATION", place),
            ("DERIVED_FROM", "raw"),
        }
        assert edges_of(brain, episode) == {
            ("DERIVED_FROM", "raw"),
            *(("MENTIONS", name) for name in PARK[text]),
        }
        assert {m.status for m in all_of(brain, "entities")} == {Status.CANDIDATE}
        assert statement.status is Status.CANDIDATE
        assert result.memory_written.count == 0
        with brain._lease() as tenant, tenant.ports.truth.read() as rows:
            (span,) = statement.raw_refs
            chunk = rows.raw.get([span.raw_id])[span.raw_id]
            assert chunk.body is not None
            assert chunk.body[span.offset : span.offset + span.length].decode() == text


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "words", "start", "granularity"),
    [
        ("上周三张伟去了上海。", "上周三", "2026-03-04", "day"),
        ("Tom flew to Berlin last Tuesday.", "last Tuesday", "2026-03-03", "day"),
    ],
)
def test_relative_times_become_intervals_and_keep_their_words(
    tmp_path: Path, text: str, words: str, start: str, granularity: str
) -> None:
    """They are read from the turn's own time, not from when it is committed."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", {"messages": [user(text)], "at": "2026-03-10T09:00:00+08:00"})
        times = [m.value["time"] for m in all_of(brain, "statements") if "time" in m.value]
    assert [(one["words"], one["start"][:10], one["granularity"]) for one in times] == [
        (words, start, granularity)
    ]


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("哈哈，谢谢你！今天真累啊。", "nothing_lasting"),
        ("Thanks a lot, you're the best!", "nothing_lasting"),
        ("明天会下雨吗？", "question"),
        ("what time is it in Tokyo?", "question"),
        ("也许他可能会喜欢吧", "guess"),
        ("My colleague says he loves Vim.", "hearsay"),
        ("Write a story where the hero says: I live in Paris.", "hearsay"),
        ("这句话对吗：我是学生，我住在学校", "hearsay"),
    ],
)
def test_what_is_said_in_passing_stays_in_the_events(tmp_path: Path, text: str, code: str) -> None:
    """No memory is written, and the result says why."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(text), assistant("好的 ok")])
        assert result.memory_written.count == 0
        assert code in codes(result)
        (turn,) = brain.sessions.turns("s")
    assert turn.messages[0].content == text


@pytest.mark.spec("M2", "C4")
def test_the_same_fact_has_the_same_key_in_both_languages(tmp_path: Path) -> None:
    """So a later statement in the other language changes what the first one said."""
    with fake_brain(tmp_path) as brain:
        (first,) = written(brain.commit_turn("s", [user("I prefer dark mode.")]))
        again = brain.commit_turn("s", [user("我喜欢深色模式。")])
        assert "repeated" in codes(again)
        changed = brain.commit_turn("s", [user("我喜欢浅色模式。")])
        assert first in written(changed)
        values = [m.value["value"] for m in brain.memories.history(first[1])]
    assert values == ["深色模式", "浅色模式"]


@pytest.mark.spec("C2")
def test_an_entity_becomes_a_memory_when_it_is_named_again(tmp_path: Path) -> None:
    """Twice within the window; another session's mention does not count."""
    with fake_brain(tmp_path) as brain:
        first = brain.commit_turn("s", [user("Tom Baker called this morning.")])
        assert "entity_gate" in codes(first)
        elsewhere = brain.commit_turn("t", [user("Tom Baker sent a card.")])
        assert "entity_gate" in codes(elsewhere)
        again = brain.commit_turn("s", [user("Tom Baker wants to see the plans.")])
        assert "entity_frequent" in codes(again)
        (entity,) = [m for m in all_of(brain, "entities") if m.value["kind"] == "person"]
    assert (entity.status, entity.frequency) == (Status.ACTIVE, 3)


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("看一下 https://example.com/docs/api", "entity:url:"),
        ("the bug is in src/app/main.py", "entity:file:"),
    ],
)
def test_an_address_is_a_memory_at_once(tmp_path: Path, text: str, key: str) -> None:
    """What is named by its form needs no second mention."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(text)])
    named = [one.key for one in result.memory_written.items if one.type == "entities"]
    assert [name.startswith(key) for name in named] == [True]


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("first", "back"),
    [
        ("I met Tom Baker at the fair.", "What was the number of that guy we talked about?"),
        ("我昨天和华为公司的人吃饭。", "上次那家公司后来有消息吗？"),
    ],
)
def test_an_entity_that_is_come_back_to_is_a_memory(tmp_path: Path, first: str, back: str) -> None:
    """Though it is not named again."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(first)])
        result = brain.commit_turn("t", [user(back)])
    assert "entity_referred" in codes(result)
    assert [item.type for item in result.memory_written.items] == ["entities"]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("concept", "text"),
    [("Concept:蓝牙", "蓝牙又连不上了。"), ("Concept:bluetooth", "bluetooth again")],
)
def test_a_turn_is_about_the_concepts_that_there_are(
    tmp_path: Path, concept: str, text: str
) -> None:
    """Its episode leads to them."""
    with fake_brain(tmp_path) as brain:
        name = brain.graph.add_node(concept).title
        brain.commit_turn("s", [user(text)])
        (episode,) = all_of(brain, "episodes")
        assert ("ABOUT", name) in edges_of(brain, episode)


@pytest.mark.spec("C2")
def test_the_gate_follows_the_settings(tmp_path: Path) -> None:
    """A threshold of one lets every name in."""
    config = {"policies": {"retention": {"entity_gate": {"freq_threshold": 1}}}}
    with SmartBrain.open(tmp_path, config=config) as brain:
        result = brain.commit_turn("s", [user("Tom Baker called this morning.")])
    assert [item.type for item in result.memory_written.items] == ["entities"]


@pytest.mark.spec("C10")
@pytest.mark.parametrize("policy", ["tag", "mask", "refuse"])
def test_personal_data_is_marked_masked_or_refused(tmp_path: Path, policy: str) -> None:
    """Masked is masked in memories, episodes and events alike; refused makes no memory at all."""
    text = "记住，我的邮箱是 mei@example.com"
    with SmartBrain.open(tmp_path, config={"privacy": {"pii": policy}}) as brain:
        result = brain.commit_turn("s", [user(text)])
        (turn,) = brain.sessions.turns("s")
        memories = all_of(brain, "facts") + all_of(brain, "profile")
        (episode,) = all_of(brain, "episodes")
        with brain._lease() as tenant, tenant.ports.truth.read() as rows:
            kept = [rows.replayed.chunks([m.id]).get(m.id, [])[0] for m in [episode, *memories]]
    everything = " ".join([turn.messages[0].content, episode.text, *kept])
    assert episode.privacy.pii is True
    assert ("mei@example.com" in everything) is (policy == "tag")
    assert bool(memories) is (policy != "refuse")
    if policy == "refuse":
        assert "pii" in codes(result)
    else:
        assert all(memory.privacy.pii for memory in memories)


@pytest.mark.spec("C11")
def test_what_a_composed_context_said_is_not_learned_again(tmp_path: Path) -> None:
    """Lines of evidence in a message, and the assistant's echo of them, are no news."""
    shown = "[E1] task — turn:1\nI need to renew my passport."
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user("[E1] I need to renew my passport — turn:01ab")])
        assert result.memory_written.count == 0
        assert written(brain.commit_turn("s", [user(shown.splitlines()[1])])) != []


@pytest.mark.spec("C11")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I need to renew my passport.", "I need to buy new hiking boots."),
        ("我需要续签护照。", "我得买牛奶。"),
    ],
)
def test_a_message_that_carries_its_context_teaches_only_its_own_words(
    tmp_path: Path, old: str, new: str
) -> None:
    """Blocks that we rendered say nothing new; the user's words behind them do."""
    package = ContextPackage(
        context_id="c",
        session_id="s",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        evidence=(
            ContextEvidence(
                id="m", source=EvidenceSource.MEMORY, source_uri="turn:1", title="t", snippet=old
            ),
        ),
        user_message={"role": "user", "content": new},
    )
    with fake_brain(tmp_path) as brain:
        echoed = replace(package, user_message=None).messages()
        assert [] == written(brain.commit_turn("s", echoed))
        sent = brain.commit_turn("s", package.messages())
    with fake_brain(tmp_path / "other") as brain:
        assert written(brain.commit_turn("s", [user(new)])) == written(sent) != []


@pytest.mark.spec("S1")
def test_a_turn_explains_itself_later(tmp_path: Path) -> None:
    """Each step of it, with every candidate; an unknown one is not found."""
    with fake_brain(tmp_path) as brain:
        first = brain.commit_turn("s", [user("I need to renew my passport.")])
        second = brain.commit_turn(
            "s", [assistant("Your colleagues prefer tea.")], turn_id=first.turn_id
        )
        told = brain.explain(turn_id=first.turn_id)
        assert told.steps == (first.explain, second.explain)
        with pytest.raises(NotFound, match="nobody"):
            brain.explain(turn_id="nobody")


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    "text", ["The office wifi is called Birch.", "会议室在三楼", "我对花生过敏"]
)
def test_what_is_to_be_remembered_is_remembered(tmp_path: Path, text: str) -> None:
    """`remember` writes what it is told, as declared by the user."""
    with fake_brain(tmp_path) as brain:
        result = brain.remember(text)
        items = [item for item in result.memory_written.items if item.type != "entities"]
        assert len(items) == 1
        memory = brain.memories.get(items[0].id)
    assert "declared" in memory.tags
    assert memory.confidence >= 0.8


@pytest.mark.spec("S1", "C4")
def test_memories_are_put_corrected_and_retracted_by_key(tmp_path: Path) -> None:
    """Each is an operation with its explanation; what was retracted does not stand any more."""
    with fake_brain(tmp_path) as brain:
        put = brain.memories.put("facts", "fact:staging:database", {"value": "Postgres 15"})
        assert written(put) == [("facts", "fact:staging:database")]
        fixed = brain.memories.correct("fact:staging:database", {"value": "Postgres 16"}, "upgrade")
        old, new = brain.memories.history("fact:staging:database")
        assert (old.status, new.status) == (Status.RETRACTED, Status.ACTIVE)
        assert brain.explain(turn_id=fixed.turn_id).steps == (fixed.explain,)
        gone = brain.memories.retract(new.id, "gone")
        assert [one.action for one in gone.explain.retention] == [RetentionAction.RETRACTED]
        with pytest.raises(NotFound):
            brain.memories.get("fact:staging:database")
        with pytest.raises(NotFound, match="retracted"):
            brain.memories.retract(new.id)
        with pytest.raises(UsageError):
            brain.memories.put("facts", "nonsense", {"value": 1})
        brain.memories.put("facts", "fact:a:b", {"value": 1})
        with pytest.raises(UsageError, match="part of the key"):
            brain.memories.correct("fact:a:b", {"subject": "other"})


@pytest.mark.spec("S1", "R6")
def test_feedback_is_kept_with_its_memory(tmp_path: Path) -> None:
    """Votes add up and a pin holds until it is taken off; other words are refused."""
    with fake_brain(tmp_path) as brain:
        (item,) = brain.memories.put("facts", "fact:a:b", {"value": 1}).memory_written.items
        for action in ("upvote", "upvote", "downvote", "pin"):
            brain.feedback(item.id, action)
        with brain._lease() as tenant, tenant.ports.truth.read() as rows:
            (entry,) = rows.working.state("tenant", "feedback")
        assert entry.body == {"pinned": True, "up": 2, "down": 1}
        with pytest.raises(UsageError, match="did you mean 'upvote'"):
            brain.feedback(item.id, "upvot")
        with pytest.raises(NotFound):
            brain.feedback("mem_nobody", "pin")


@pytest.mark.spec("M4")
def test_a_turn_older_than_its_session_is_taken_and_said_so(tmp_path: Path) -> None:
    """It is kept at its own time."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", {"messages": [user("hi")], "at": "2026-03-02T10:00:00Z"})
        late = brain.commit_turn("s", {"messages": [user("hello")], "at": "2026-03-01T10:00:00Z"})
    assert late.explain.retention[0].code == "episode_late"


@pytest.mark.spec("C1", "C3")
def test_proposals_pass_the_same_gate(tmp_path: Path) -> None:
    """A task is asserted; a preference waits for the user's word; a retraction takes back."""
    events: dict[str, Any] = {
        "messages": [user("ok")],
        "tasks": [{"key": "task:web:login", "title": "fix the login", "status": "todo"}],
        "preferences": [{"key": "pref:ui:theme", "value": "dark"}],
    }
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", events)
        assert written(result) == [("tasks", "task:web:login")]
        assert "unconfirmed" in codes(result)
        events["preferences"][0]["confirmed"] = True
        assert ("preferences", "pref:ui:theme") in written(brain.commit_turn("s", events))
        gone = {
            "messages": [user("ok")],
            "retractions": [{"type": "preferences", "key": "pref:ui:theme", "reason": "changed"}],
        }
        assert "denied" in codes(brain.commit_turn("s", gone))
        with pytest.raises(NotFound):
            brain.memories.get("pref:ui:theme")


@pytest.mark.spec("E2", "C7")
def test_a_memory_leads_back_to_the_words_that_say_it(tmp_path: Path) -> None:
    """Its spans quote the clause, and an edge leads to the episode of the turn."""
    text = "早上好！我们决定用 PostgreSQL 作为数据库，因为大家都熟。"
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(text)])
        (item,) = [one for one in result.memory_written.items if one.type == "decisions"]
        memory = brain.memories.get(item.id)
        with brain._lease() as tenant, tenant.ports.truth.read() as rows:
            (span,) = memory.raw_refs
            body = rows.raw.get([span.raw_id])[span.raw_id].body or b""
            leads = [e.dst for e in rows.edges.of(memory.id, kind=EdgeType.DERIVED_FROM)]
        quote = body[span.offset : span.offset + span.length].decode()
        (episode,) = all_of(brain, "episodes")
    assert "PostgreSQL" in quote
    assert "早上好" not in quote
    assert leads == [episode.id]
    (turn_message,) = [memory.source_message_id]
    assert turn_message is not None
