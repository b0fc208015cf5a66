"""One value in every place that a brain has: forgotten, it is in none of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, user
from forget_builders import everything_shown, files_with, rows_with

from smartbrain import Conflict, NotFound, SmartBrain
from smartbrain.testing.model_service import MODEL, running_chat_service, saying
from smartbrain.testing.models import HashEmbedder

SECRET = "55120934871"
EN = f"The vault code is {SECRET}."
ZH = f"金库的密码是{SECRET}。"
LONG = "The quarterly numbers look fine. " * 200


def fill(brain: SmartBrain) -> None:
    """Bring the value into everything that takes words."""
    turn = brain.commit_turn(
        "s",
        {
            "messages": [user(f"{EN} I am Tom."), assistant(f"Noted: {EN}")],
            "refs": [
                {"ref_type": "url", "ref_uri": f"https://x.example/{SECRET}", "ref_meta": {"t": EN}}
            ],
            "tool_calls": [
                {"name": "a", "args": {"q": EN}, "result": {"code": SECRET}, "stdout": f"{EN}\n"},
                {"name": "b", "args": {}, "result": f"{LONG}{EN} {LONG}", "stderr": ZH},
            ],
        },
        idempotency_key="once",
        wait=True,
    )
    brain.commit_turn("z", [user(f"{ZH}我叫Tom。"), assistant(f"好的：{ZH}")])
    brain.remember(EN, session_id="s")
    brain.commit_turn("s", {"messages": [user("Go on."), assistant("ok")], "facts": [_fact()]})
    brain.memories.put("facts", "fact:vault:code", _fact()["value"])
    run = brain.runs.start("s", f"open the vault with {SECRET}", [EN], {"code": SECRET}, [EN])
    brain.runs.update(run, goal=f"try {SECRET}", decision=f"use {SECRET}")
    brain.runs.insight(run, f"{SECRET} opens it", 0.8)
    pins = brain.pins.add("conclusion", SECRET, f"{EN} Ask Bo.", f"chat:{turn.turn_id}")
    brain.pins.update(pins.id, summary=f"{EN} Ask Bo first.")
    brain.plan.add("s", f"dial {SECRET}", f"{SECRET} worked")
    brain.notebook.add("s", f"{EN} We had tulips.")
    brain.fastmemo.add("user", f"has the code {SECRET}")
    for question in (EN, ZH, "the vault code?"):
        brain.recall(question, session_id="s")
        brain.compose_context("s", question)
        brain.build_memory_packet("s", question, audience="planner")


def _fact() -> dict[str, Any]:
    value = {"subject": "vault", "attribute": "code", "value": SECRET}
    return {"key": "fact:vault:code", "value": value, "confirmed": True}


@pytest.mark.spec("J7")
@pytest.mark.parametrize("asked", ["ids", "words", "everything"])
def test_a_value_is_forgotten_wherever_it_is(tmp_path: Path, asked: str) -> None:
    """Turns, tools, state, traces, replies, a model's answers, vectors and indexes."""
    answer = {"claims": [{"type": "facts", "subject": "vault", "relation": "thing"}]}
    answer["claims"][0] |= {"attr": "code", "value": SECRET, "quote": EN, "say": "assert"}
    with running_chat_service() as service:
        none = saying(json.dumps({"claims": []}))
        service.faults += [saying(json.dumps(answer, ensure_ascii=False)), *[none] * 20]
        model = f"{service.url}#{MODEL}"
        options: dict[str, Any] = {"language_model": model, "embedder": HashEmbedder(64)}
        with SmartBrain.open(tmp_path, config={"forget.grace": 0}, **options) as brain:
            fill(brain)
            brain.jobs.run("embed")
            with brain._lease() as tenant:
                tenant.views.save(brain._recall_rules())
            assert SECRET in everything_shown(brain, "vault code?")
            if asked == "words":
                brain.commit_turn("new", [user("Please forget the vault code.")])
                (receipt,) = brain.receipts()
            elif asked == "everything":
                receipt = brain.forget(everything=True)
            else:
                found = brain.memories.list("facts", status=None, limit=100).items
                receipt = brain.forget([one.id for one in found if SECRET in str(one.value)])
            shown = everything_shown(brain, "vault code?")
            assert SECRET not in shown
            assert rows_with(tmp_path / "tenants/default/brain.db", SECRET) == []
            assert files_with(tmp_path, SECRET) == []
            assert brain.verify_receipt(receipt)
            assert SmartBrain.doctor(tmp_path).tenants[0].findings == ()
            if asked != "everything":
                for word in ("Tom", "Ask Bo first", "tulips"):
                    assert word in shown, word


@pytest.mark.spec("J7", "C9")
def test_an_answer_to_work_from_before_is_not_taken(tmp_path: Path) -> None:
    """Who has read a turn that was forgotten since hands back nothing of it."""
    claim = {"type": "facts", "attr": "code", "value": SECRET, "quote": EN, "say": "assert"}
    with SmartBrain.open(tmp_path, config={"jobs.agents": ["extract"]}) as brain:
        brain.commit_turn("s", [user(EN), assistant("ok")], wait=False)
        (work,) = brain.work.lease("extract", "reader")
        assert SECRET in json.dumps(work.to_dict(), ensure_ascii=False, default=str)
        brain.forget(session_id="s")
        with pytest.raises((Conflict, NotFound)):
            brain.work.complete(work.id, "reader", {"claims": [claim]})
        assert files_with(tmp_path, SECRET) == []
