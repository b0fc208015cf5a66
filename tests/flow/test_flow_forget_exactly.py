"""What a preview lists is what goes, criteria are met together, and every kind of id works."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, inside, user
from forget_builders import everything_shown, files_with

from smartbrain import NotFound, SmartBrain
from smartbrain.domain.forgetting import ForgetReceipt
from smartbrain.domain.graph import EdgeType

LONG = "The quarterly numbers look fine. " * 200


def ids(brain: SmartBrain) -> dict[str, set[str]]:
    """Return the ids of all turns, claims, memories and edges."""
    with inside(brain) as rows:
        turns = rows.erasure.turns(None, None, None)
        claims = [claim.id for turn in turns for claim in rows.claims.of_turn(turn)]
        memories = [
            memory.id for _, memory in rows.memories.page(status=None, after=0, limit=10_000)
        ]
        edges = [edge.id for one in memories for edge in rows.edges.of(one)]
    found = {"turn": turns, "claim": claims, "memory": memories, "edge": edges}
    return {kind: set(several) for kind, several in found.items()}


def went(receipt: ForgetReceipt, kind: str) -> set[str]:
    """Return the ids of a kind that a receipt lists."""
    return {item.id for item in receipt.items if item.kind == kind}


def neighbours(path: Path, **config: object) -> SmartBrain:
    """Return a brain that was told alike things of three people, in two sessions."""
    brain = fake_brain(path, **config)
    for session, name in (("a", "Zoltan"), ("a", "Bareli"), ("b", "Kimora")):
        text = f"My neighbour {name} keeps bees. The {name.lower()} gate code is 77{len(name)}81."
        brain.commit_turn(session, [user(text), assistant(f"Noted: {text}")])
    brain.commit_turn("b", [user("张伟是我的同事，他住在成都。"), assistant("记住了。")])
    return brain


REQUESTS = (
    {"topic": "Zoltan"},
    {"topic": "张伟"},
    {"session_id": "a"},
    {"session_id": "b", "topic": "Kimora"},
    {"since": "2001-05-17T08:30:20Z"},
)


@pytest.mark.spec("J7")
@pytest.mark.parametrize("named", REQUESTS)
def test_a_preview_lists_exactly_what_goes(tmp_path: Path, named: dict[str, str]) -> None:
    """Turns, claims and memories: those listed are gone afterwards, all others are there."""
    with neighbours(tmp_path) as brain:
        before = ids(brain)
        preview = brain.forget(preview=True, **named)  # type: ignore[arg-type]
        assert ids(brain) == before
        receipt = brain.forget(preview)
        after = ids(brain)
        assert receipt.items == preview.items
        assert receipt.counts == preview.counts
        for kind in ("turn", "claim", "memory"):
            assert before[kind] - after[kind] == went(preview, kind), kind
        assert brain.verify_receipt(receipt)


@pytest.mark.spec("J7")
def test_what_was_said_alike_of_others_stays(tmp_path: Path) -> None:
    """Forgetting one neighbour leaves what the others do."""
    with neighbours(tmp_path) as brain:
        brain.forget(topic="Zoltan")
        shown = everything_shown(brain, "who keeps bees?")
        assert "Zoltan" not in shown
        assert "My neighbour Bareli keeps bees" in shown
        assert "My neighbour Kimora keeps bees" in shown
        assert files_with(tmp_path, "Zoltan") == []


@pytest.mark.spec("J7")
def test_a_preview_of_one_session_leaves_the_same_words_in_another(tmp_path: Path) -> None:
    """The same message was said in both; the entity stays, for the other session names it."""
    text = "Zoltan plays chess."
    with fake_brain(tmp_path) as brain:
        for session in ("a", "b"):
            brain.commit_turn(session, [user(text), assistant("ok")])
        preview = brain.forget(topic="Zoltan", session_id="a", preview=True)
        brain.commit_turn("a", [user("Go on."), assistant("ok")])
        brain.forget(preview)
        assert "Zoltan" not in brain.sessions.turns("a")[0].messages[0].content
        assert brain.sessions.turns("b")[0].messages[0].content == text
        names = [one.title for one in brain.memories.list("entities", status=None).items]
        assert "Zoltan" in names
        assert SmartBrain.doctor(tmp_path).tenants[0].findings == ()


@pytest.mark.spec("J7")
def test_ids_and_a_topic_are_met_together(tmp_path: Path) -> None:
    """Of a turn only the clauses about the topic go; of a claim of something else, nothing."""
    with neighbours(tmp_path) as brain:
        (turn, *_) = brain.sessions.turns("a")
        brain.forget(turn.id, topic="Zoltan")
        (left, *_) = brain.sessions.turns("a")
        assert left.id == turn.id
        assert "keeps bees" not in left.messages[0].content
        with inside(brain) as rows:
            other = rows.claims.of_turn(brain.sessions.turns("b")[0].id)[0]
        receipt = brain.forget(other.id, topic="张伟")
        assert went(receipt, "claim") == set()
        assert "Kimora keeps bees" in everything_shown(brain, "bees?")


@pytest.mark.spec("J7")
def test_a_claim_goes_by_its_id(tmp_path: Path) -> None:
    """With the sentences that state it; what the same turn says besides stays."""
    with neighbours(tmp_path) as brain:
        turn = brain.sessions.turns("b")[0]
        with inside(brain) as rows:
            (claim,) = [one for one in rows.claims.of_turn(turn.id) if str(one.value) == "77681"]
        brain.commit_turn("c", [user("The zoltan gate code is 4412987."), assistant("ok")])
        receipt = brain.forget(claim.id)
        assert claim.id in went(receipt, "claim")
        shown = everything_shown(brain, "gate code?")
        assert "Kimora keeps bees" in shown
        assert "4412987" in shown


@pytest.mark.spec("J7", "E2")
@pytest.mark.parametrize("long", [False, True])
def test_an_artifact_goes_by_its_id(tmp_path: Path, *, long: bool) -> None:
    """What a tool was asked and gave back is a hole, in the database or in a file of its own."""
    with fake_brain(tmp_path) as brain:
        result = f"{LONG if long else ''}The zanzibar-9 printer is out of toner."
        call = {"name": "probe", "args": {"who": "quokka-5"}, "result": result, "stdout": "wombat"}
        told = {"messages": [user("Look it up."), assistant("Done.")], "tool_calls": [call]}
        done = brain.commit_turn("s", told)
        artifact = done.artifacts[0].id
        brain.forget(artifact)
        for word in ("zanzibar-9", "quokka-5", "wombat", "toner"):
            assert files_with(tmp_path, word) == [], word
            assert word not in everything_shown(brain, "printer?")
        assert brain.artifacts.grep(artifact, "toner").lines == ()
        assert len(brain.sessions.turns("s")[0].tool_calls) == 1
        assert SmartBrain.doctor(tmp_path).tenants[0].findings == ()


@pytest.mark.spec("J7")
def test_an_edge_goes_by_its_id(tmp_path: Path) -> None:
    """And nothing else does; it does not come back when other things are forgotten."""
    with neighbours(tmp_path) as brain:
        before = ids(brain)
        with inside(brain) as rows:
            edges = [e for one in sorted(before["memory"]) for e in rows.edges.of(one)]
            edge = next(one for one in edges if one.type is EdgeType.MENTIONS)
        receipt = brain.forget(edge.id)
        after = ids(brain)
        assert before["edge"] - after["edge"] == {edge.id}
        assert before["memory"] == after["memory"]
        assert brain.verify_receipt(receipt)
        with pytest.raises(NotFound):
            brain.forget(edge.id)


@pytest.mark.spec("J7")
def test_an_entity_that_is_named_again_does_not_break_its_receipt(tmp_path: Path) -> None:
    """What the user says later counts for nothing against it."""
    with neighbours(tmp_path) as brain:
        receipt = brain.forget(topic="Zoltan")
        brain.commit_turn("n", [user("My neighbour Zoltan moved away."), assistant("ok")])
        assert "Zoltan" in everything_shown(brain, "who?")
        assert brain.verify_receipt(receipt)


@pytest.mark.spec("J7")
@pytest.mark.parametrize("form", ["turn", "window", "session"])
def test_what_sums_up_whole_turns_is_without_them_at_once(tmp_path: Path, form: str) -> None:
    """While it is only hidden: no context, state or packet shows a word of a turn that went."""
    with neighbours(tmp_path) as brain:
        for number in range(60):
            brain.commit_turn("a", [user(f"Then I saw wagon {number}."), assistant("Fine.")])
        turn = brain.sessions.turns("a")[0]
        brain.pins.add("conclusion", "bees", "My neighbour Zoltan keeps bees", f"chat:{turn.id}")
        named = {
            "turn": {"ids": turn.id},
            "window": {"until": "2001-05-17T08:30:20Z"},
            "session": {"session_id": "a"},
        }[form]
        preview = brain.forget(preview=True, **named)  # type: ignore[arg-type]
        with brain._lease() as tenant:
            forgetter = brain._forgetter(tenant)
            forgetter.erase = lambda due: []  # type: ignore[method-assign]
            forgetter.forget(preview)
        assert "Zoltan" not in everything_shown(brain, "who keeps bees?")
