"""Forgetting by ids and criteria: nothing shows it, no byte holds it, and a receipt proves it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Final

import msgspec
import pytest
from flow_builders import assistant, fake_brain, inside, user
from forget_builders import everything_shown, files_with

from smartbrain import NotFound, SmartBrain, UsageError
from smartbrain.domain.forgetting import ForgetState
from smartbrain.domain.memory import Status

EN: Final = "I live in Rome. The staging host is 10.77.81.12, call me any time."
ZH: Final = "我叫李雷。staging 的主机是 10.77.93.98。张伟是我的同事，他常出差。"
LONG: Final = "The quarterly numbers look fine. " * 200


def told_brain(path: Path) -> SmartBrain:
    """Return a brain that was told a few things in two languages, and echoed them."""
    brain = fake_brain(path)
    for session, text in (("a", EN), ("b", ZH), ("c", "Let us talk about gardening.")):
        brain.commit_turn(session, [user(text), assistant(f"Noted: {text}")])
    brain.commit_turn(
        "c",
        {
            "messages": [user("Look it up."), assistant("Done.")],
            "tool_calls": [
                {"name": "crm", "args": {}, "result": f"{LONG}The host is 10.77.81.12. {LONG}"},
                {"name": "json", "args": {}, "result": {"host": "10.77.81.12", "city": "Rome"}},
            ],
        },
    )
    return brain


def ids_of(brain: SmartBrain, key: str) -> list[str]:
    """Return the ids of all versions of a key."""
    return [one.id for one in brain.memories.history(key)]


@pytest.mark.spec("J7")
def test_forgotten_values_are_nowhere(tmp_path: Path) -> None:
    """All versions of a host go, with echoes and the tool's outputs that hold them."""
    with told_brain(tmp_path) as brain:
        assert "10.77.81.12" in everything_shown(brain, "staging host?")
        receipt = brain.forget(ids_of(brain, "fact:staging:host"))
        assert receipt.state is ForgetState.ERASED
        shown = everything_shown(brain, "staging host?")
        for number in ("10.77.81.12", "10.77.93.98"):
            assert number not in shown
            assert files_with(tmp_path, number) == []
        assert "Rome" in shown
        assert "张伟" in shown
        assert brain.verify_receipt(receipt)
        assert SmartBrain.doctor(tmp_path).tenants[0].findings == ()


@pytest.mark.spec("J7")
def test_holes_keep_offsets_and_other_claims(tmp_path: Path) -> None:
    """A message has as many characters as before, and what else it says is still quoted."""
    with told_brain(tmp_path) as brain:
        brain.forget(ids_of(brain, "fact:staging:host"))
        (turn,) = brain.sessions.turns("b")
        assert len(turn.messages[0].content) == len(ZH)
        assert turn.messages[0].content.startswith("我叫李雷。")
        assert turn.messages[0].content.endswith("。张伟是我的同事，他常出差。")
        with inside(brain) as rows:
            (name,) = [c for c in rows.claims.of_turn(turn.id) if c.attribute == "name"]
        start, end = name.start, name.start + name.length
        assert turn.messages[0].content[start:end] == "李雷"


@pytest.mark.spec("J7", "K2")
def test_nothing_earlier_revives(tmp_path: Path) -> None:
    """Forgetting the newest value ends the one before it, which had been replaced."""
    with told_brain(tmp_path) as brain:
        newest = brain.memories.get("fact:staging:host")
        brain.forget(newest.id)
        (left,) = brain.memories.history("fact:staging:host")
        assert left.value["value"] == "10.77.81.12"
        assert left.status is Status.SUPERSEDED
        with pytest.raises(NotFound):
            brain.memories.get("fact:staging:host")


@pytest.mark.spec("J7")
def test_only_the_user_brings_it_back_later(tmp_path: Path) -> None:
    """The same turn imported at its old time makes no claim and no text; said anew it counts."""
    with told_brain(tmp_path) as brain:
        (turn,) = brain.sessions.turns("a")
        brain.forget(ids_of(brain, "fact:staging:host"))
        old = {"at": turn.at - timedelta(hours=1), "messages": [user(EN)]}
        brain.commit_turn("import", old)
        assert "10.77.81.12" not in everything_shown(brain, "staging host?")
        brain.commit_turn("new", [user("The staging host is 10.77.81.12.")])
        assert brain.memories.get("fact:staging:host").value["value"] == "10.77.81.12"


@pytest.mark.spec("J7")
def test_a_topic_goes_with_what_is_only_about_it(tmp_path: Path) -> None:
    """Every clause that names it goes; what else its turn says stays, and the preview says so."""
    with told_brain(tmp_path) as brain:
        preview = brain.forget(topic="张伟", preview=True)
        assert preview.state is ForgetState.PREVIEW
        assert [one.reason for one in preview.stays if one.reason]
        receipt = brain.forget(topic="张伟")
        assert files_with(tmp_path, "张伟") == []
        assert "李雷" in everything_shown(brain, "who?")
        assert brain.verify_receipt(receipt)


@pytest.mark.spec("J7")
def test_a_preview_changes_nothing_and_its_receipt_executes_just_that(tmp_path: Path) -> None:
    """What is said between the preview and its execution stays."""
    with told_brain(tmp_path) as brain:
        preview = brain.forget(ids_of(brain, "fact:staging:host"), preview=True)
        assert "10.77.81.12" in everything_shown(brain, "staging host?")
        brain.commit_turn("d", [user("My locker number is 998877.")])
        receipt = brain.forget(preview)
        assert [(one.kind, one.id) for one in receipt.items] == [
            (one.kind, one.id) for one in preview.items
        ]
        assert "998877" in everything_shown(brain, "locker?")
        with pytest.raises(UsageError):
            brain.forget(receipt)


@pytest.mark.spec("J7")
def test_sessions_windows_and_turns_go_whole(tmp_path: Path) -> None:
    """A session, a stretch of time and a turn leave neither turns nor memories of them."""
    with told_brain(tmp_path) as brain:
        (turn,) = brain.sessions.turns("a")
        brain.forget(turn.id)
        assert brain.sessions.turns("a") == []
        assert files_with(tmp_path, "Rome. My") == []
        receipt = brain.sessions.delete("b")
        assert files_with(tmp_path, "李雷") == []
        assert brain.verify_receipt(receipt)
        (first, *_) = brain.sessions.turns("c")
        brain.forget(since=first.at, until=first.at + timedelta(microseconds=1))
        assert files_with(tmp_path, "gardening") == []
        assert len(brain.sessions.turns("c")) == 1
        assert SmartBrain.doctor(tmp_path).tenants[0].findings == ()


@pytest.mark.spec("J7")
def test_criteria_are_met_together(tmp_path: Path) -> None:
    """A topic in one session leaves the other session as it is."""
    with told_brain(tmp_path) as brain:
        brain.commit_turn("d", [user("张伟 plays chess.")])
        brain.forget(topic="张伟", session_id="d")
        assert "张伟" in brain.sessions.turns("b")[0].messages[0].content
        assert "张伟" not in brain.sessions.turns("d")[0].messages[0].content


@pytest.mark.spec("J7")
def test_everything_goes(tmp_path: Path) -> None:
    """Pins, notes and what was put by hand go as well."""
    with told_brain(tmp_path) as brain:
        turn = brain.sessions.turns("a")[0]
        brain.pins.add("conclusion", "hosts", "the host is zanzibar-9", f"chat:{turn.id}")
        brain.notebook.add("a", "looked at zanzibar-9")
        value = {"subject": "printer", "attribute": "host", "value": "zanzibar-9"}
        brain.memories.put("facts", "fact:printer:host", value)
        receipt = brain.forget(everything=True)
        for word in ("Rome", "李雷", "zanzibar-9"):
            assert files_with(tmp_path, word) == []
        assert brain.memories.list(status=None).items == ()
        assert brain.verify_receipt(receipt)


@pytest.mark.spec("J7", "W4")
def test_what_quotes_it_loses_it(tmp_path: Path) -> None:
    """Pins, the plan, notes, memos and summaries are without it; their other words stay."""
    with told_brain(tmp_path) as brain:
        turn = brain.sessions.turns("a")[0]
        brain.pins.add("conclusion", "phone", "call 10.77.81.12, ask for Bo", f"chat:{turn.id}")
        brain.plan.add("a", "dial 10.77.81.12")
        brain.notebook.add("a", "He gave 10.77.81.12. We talked about tulips.")
        brain.forget(ids_of(brain, "fact:staging:host"))
        assert files_with(tmp_path, "10.77.81.12") == []
        shown = everything_shown(brain, "staging host?")
        assert "ask for Bo" in shown
        assert "tulips" in shown


@pytest.mark.spec("J7")
@pytest.mark.parametrize(
    "named", [{}, {"ids": ["mem_nothing"]}, {"topic": "nobody"}, {"session_id": "none"}]
)
def test_what_is_not_named_or_not_there_is_an_error(
    tmp_path: Path, named: dict[str, object]
) -> None:
    """Nothing is deleted then."""
    with told_brain(tmp_path) as brain:
        before = brain.status().rows
        with pytest.raises((UsageError, NotFound)):
            brain.forget(**named)  # type: ignore[arg-type]
        assert brain.status().rows == before
        assert brain.receipts() == []


@pytest.mark.spec("J7")
def test_receipts_are_chained_and_wordless(tmp_path: Path) -> None:
    """Each follows the one before; one that was tampered with does not hold."""
    with told_brain(tmp_path) as brain:
        first = brain.forget(ids_of(brain, "fact:staging:host"))
        second = brain.forget(topic="张伟")
        assert second.previous == first.signature
        assert [one.id for one in brain.receipts()] == [first.id, second.id]
        for word in ("1381234", "张伟", "Rome"):
            assert word not in str(first.to_dict()) + str(second.to_dict())
        assert not brain.verify_receipt(msgspec.structs.replace(first, items=()))
        brain.commit_turn("new", [user("The staging host is 10.77.81.12.")])
        assert brain.verify_receipt(first)


@pytest.mark.spec("J7")
def test_other_open_brains_see_nothing_either(tmp_path: Path) -> None:
    """A second handle with warm caches shows nothing from its next call on."""
    with told_brain(tmp_path) as brain, fake_brain(tmp_path, seed=2) as other:
        assert "10.77.81.12" in everything_shown(other, "staging host?")
        brain.forget(ids_of(brain, "fact:staging:host"))
        assert "10.77.81.12" not in everything_shown(other, "staging host?")
        assert files_with(tmp_path, "10.77.81.12") == []
