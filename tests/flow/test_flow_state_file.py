"""`context_state.json` through the public calls: out, compared, edited by hand, and back in.

In: files as people edit them, in Chinese and English. Out: the state they describe, or the line and
the reason why not, with nothing changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, table_rows, user

from smartbrain import SmartBrain, UsageError
from smartbrain.bootstrap.replaying import check_replay

NAMES = [
    *("version", "session_id", "base_prompt_ref", "tool_contract_ref", "fastmemo_ref"),
    *("fastmemo_dynamic_pool_ref", "pins", "plan", "notebook", "recent_window_policy", "limits"),
]


def filled(brain: SmartBrain) -> str:
    """Give a session some state and return the source of its pins."""
    turn = brain.commit_turn("会话", [user("hi"), assistant("好")]).turn_id
    brain.pins.add("constraint", "部署窗口", "只在周五部署", f"chat:{turn}")
    brain.pins.add("path", "log", "/var/log/app.log", f"chat:{turn}", ttl="5 sessions")
    brain.plan.add("会话", "看日志", "found the cause")
    brain.notebook.add("会话", "we decided to wait", milestone=True)
    return f"chat:{turn}"


@pytest.mark.spec("W8", "S1")
def test_a_state_goes_out_and_comes_back_unchanged(tmp_path: Path) -> None:
    """It is readable, in a fixed order, and loading what was exported changes nothing."""
    file = tmp_path / "context_state.json"
    with fake_brain(tmp_path / "b") as brain:
        filled(brain)
        state = brain.state.export("会话", file)
        text = file.read_text(encoding="utf-8")
        assert "" == brain.state.diff("会话", file)
        numbers = brain.state.load("会话", file)
        assert state == brain.state.export("会话")
        assert 2 == len(brain.pins.history())
    assert NAMES == list(state)
    assert state == json.loads(text)
    assert '"summary": "只在周五部署"' in text
    assert {"pins": 2, "plan": 1, "notebook": 1, "state_refs": 0} == numbers
    assert {"keep_rounds": 3} == state["recent_window_policy"]
    assert 20 == state["limits"]["pins_max"]


@pytest.mark.spec("W8", "W4")
def test_an_edited_state_is_put_in_place_and_audited(tmp_path: Path) -> None:
    """Entries are changed, added and removed at once; the diff tells it before, the trail after."""
    file = tmp_path / "状态.json"
    with fake_brain(tmp_path / "b") as brain:
        source = filled(brain)
        state: dict[str, Any] = dict(brain.state.export("会话"))
        state["base_prompt_ref"] = "prompts/主.txt"
        state["pins"] = [
            {**state["pins"][1], "summary": "/var/log/新.log"},
            {"id": 9, "type": "code", "title": "by hand", "summary": "手写", "source": source},
        ]
        state["plan"].append({"id": "二", "text": "second", "done": True})
        state["notebook"] = [{"id": 1, "text": "rewritten"}]
        file.write_text(json.dumps(state, ensure_ascii=False, indent=4), encoding="utf-8")
        diff = brain.state.diff("会话", file)
        brain.state.load("会话", file)
        pins = brain.pins.list()
        after = brain.state.export("会话")
        trail = brain.pins.history()
        assert "10" == brain.pins.add("code", "t", "s", source).id
        assert ["1", "2"] == [one.id for one in brain.pins.rollback(2)]
        with brain._lease() as tenant:
            assert check_replay(tenant, brain._root.rules).identical
    assert '+      "summary": "/var/log/新.log",' in diff
    assert ["2", "9"] == [one.id for one in pins]
    assert (5, None, 7, 30) == (pins[0].sessions, pins[0].days, pins[1].days, pins[1].sessions)
    assert "prompts/主.txt" == after["base_prompt_ref"]
    assert [("1", False), ("二", True)] == [(one["id"], one["done"]) for one in after["plan"]]
    assert "rewritten" == after["notebook"][0]["text"]
    assert "state.load" == trail[0].action


PIN = '{"id": 1, "type": "code", "title": "t", "summary": "s", "source": "chat:nobody"}'
WRONG = [
    ('"version": 1,', '"version": 1', "line 3: not JSON"),
    ('"version": 1,', '"version": 2,', "line 2: version: it is 2"),
    ('"plan": [', '"plam": [', "plam: no field is called so (did you mean 'plan'?)"),
    ('"pins_max": 20', '"pins_max": 99', "limits"),
    ('"type": "constraint"', '"type": "secret"', "line 11: pins.0.type"),
    ('"id": "2"', '"id": "1"', "pins.1.id: the id '1' is there twice"),
    ('"id": "2"', '"id": "二"', "pins have numbers"),
    ('"summary": "只在周五部署"', '"summary": "' + "长" * 601 + '"', "line 13: pins.0.summary"),
    ('"title": "log"', '"title": 7', "pins.1.title"),
    ('"title": "log",', '"title": "log", "title": "b",', "twice"),
    ('"done": false', '"done": "no"', "plan.0.done"),
    ('"plan": [', '"plan": [\n{"id": "-4", "text": "a"},', "plan.0.id: it is '-4'; it must be a"),
    ('"plan": [', '"plan": [\n{"id": "2 3", "text": "甲"},', "plan.0.id: it is '2 3'"),
    ('"plan": [', '"plan": [\n{"id": "2、3", "text": "a"},', "plan.0.id: it is '2、3'"),
    ('"keep_rounds": 3', '"keep_rounds": NaN', "NaN is no value"),
    ('"milestone": true', '"milestone": 1', "notebook.0.milestone"),
    ('"days": 7', '"days": 0', "pins.0.days"),
    ('"at": "', '"at": "x', "notebook.0.at"),
    ('"pins": [', f'"pins": [{PIN.replace("1", "3")},', "leads nowhere"),
    ('"plan": [', '"plan": {}, "x": [', "x: no field"),
    ('"session_id": "会话"', '"session_id": "other"', "session_id"),
    ('"text": "看日志"', '"text": "\\ud800"', "half a character"),
]


@pytest.mark.spec("W8")
@pytest.mark.parametrize(("old", "new", "told"), WRONG)
def test_a_wrong_file_is_refused_whole(tmp_path: Path, old: str, new: str, told: str) -> None:
    """The sentence has the line and the reason, and no row of the database has changed."""
    file = tmp_path / "state.json"
    database = tmp_path / "b" / "tenants" / "t" / "brain.db"
    with fake_brain(tmp_path / "b") as brain:
        filled(brain)
        brain.state.export("会话", file)
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        before = table_rows(database)
        with pytest.raises(UsageError) as refused:
            brain.state.load("会话", file)
        assert before == table_rows(database)
    assert "bad_state_file" == refused.value.code
    assert refused.value.message.startswith("line ")
    assert told in refused.value.message


@pytest.mark.spec("W8")
@pytest.mark.parametrize("text", ["[]", "{}", "7", '{"version": NaN}', "x", "[" * 100_000])
def test_a_file_that_is_no_state_is_refused(tmp_path: Path, text: str) -> None:
    """Whatever it is; its diff is the whole of it."""
    file = tmp_path / "state.json"
    file.write_text(text, encoding="utf-8")
    with fake_brain(tmp_path / "b") as brain:
        with pytest.raises(UsageError, match="line 1"):
            brain.state.load("s", file)
        assert brain.state.diff("s", file).startswith("--- stored\n+++ file\n")
        with pytest.raises(UsageError, match="cannot be read"):
            brain.state.load("s", tmp_path / "nowhere.json")
        with pytest.raises(UsageError, match="cannot be written"):
            brain.state.export("s", tmp_path / "no" / "folder.json")
