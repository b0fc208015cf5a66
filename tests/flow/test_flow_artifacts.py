"""Artifacts through the public calls: stored, listed, read part by part, searched.

In: runs of tools, in turns and by themselves, in plain and encrypted tenants. Out: what
`brain.artifacts` gives back, and that a replay finds the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flow_builders import fake_brain, user

from smartbrain import Conflict, NotFound, SmartBrain, UsageError
from smartbrain.adapters.keys import new_master_key_text
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.artifact import ToolAnswer

LINES = "".join(f"{n}: 处理 item {n}\n" for n in range(1, 2_001))


def locked(path: Path) -> dict[str, Any]:
    """Return the configuration of an encrypted brain."""
    key = path / "key"
    key.write_text(new_master_key_text(), encoding="ascii")
    return {"encryption": {"enabled": True, "master_key_file": str(key)}}


@pytest.mark.spec("W6", "S1")
@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
def test_a_run_is_stored_and_read_point_to_point(tmp_path: Path, encrypted: bool) -> None:
    """All that is known of it comes back, its output as far as may be shown, then the rest."""
    config = locked(tmp_path) if encrypted else {}
    with SmartBrain.open(tmp_path / "b", config=config) as brain:
        run = brain.artifacts.add(
            "导出", stdout=LINES, exit_code=0, args={"表": "orders"}, session_id="s", owner="dog"
        )
        assert ("导出", "ok", 0, "dog", "s") == (
            run.tool_name,
            run.status,
            run.exit_code,
            run.owner,
            run.session_id,
        )
        assert {"表": "orders"} == run.args
        assert (len(LINES.encode()), 2_000) == (run.bytes, run.lines)
        assert len(run.text) <= 8_000
        assert LINES.startswith(run.text)
        again = brain.artifacts.get(f"tool:{run.id}", "1999-")
        assert "1999: 处理 item 1999\n2000: 处理 item 2000\n" == again.text
        assert ("lines 1,999-2,000 of 2,000", None) == (again.shown, again.more)
        assert run.summary == again.summary
        found = brain.artifacts.grep(run.id, r"item \d*77$", limit=2, context=1)
        assert [76, 77, 78, 176, 177, 178] == [line.number for line in found]
        assert "77: 77: 处理 item 77" in str(found).split("\n")
        assert "there are more; go on with after=177" == found.more
        assert (
            277 == brain.artifacts.grep(run.id, r"item \d*77$", limit=1, after=177).lines[0].number
        )


@pytest.mark.spec("W6")
def test_calls_of_turns_are_artifacts_too(tmp_path: Path) -> None:
    """A commit's ids are read here; a list has both kinds, newest first, without output."""
    with fake_brain(tmp_path) as brain:
        calls = [
            {"name": "a", "result": {"答": 42}},
            {"name": "b", "stderr": "错误：无", "stdout": "x"},
        ]
        turn = brain.commit_turn("s", {"messages": [user("跑一下")], "tool_calls": calls})
        added = brain.artifacts.add("c", "out", session_id="t", exit_code=2)
        first, second = (brain.artifacts.get(one.id) for one in turn.artifacts)
        assert '{"答":42}' == first.text
        assert "--- stderr ---\n错误：无\n--- stdout ---\nx" == second.text
        assert [one.summary for one in turn.artifacts] == [first.summary, second.summary]
        names = [one.tool_name for one in brain.artifacts.list()]
        assert ["c", "b", "a"] == names
        page = brain.artifacts.list(limit=2)
        assert ["a"] == [one.tool_name for one in brain.artifacts.list(limit=2, cursor=page.cursor)]
        assert ["b", "a"] == [one.tool_name for one in brain.artifacts.list(session_id="s")]
        assert ["c"] == [one.tool_name for one in brain.artifacts.list(turn_id=added.turn_id)]
        assert {""} == {one.text for one in brain.artifacts.list()}
        assert added.summary == brain.artifacts.list(limit=1).items[0].summary


@pytest.mark.spec("W6", "E1", "E4")
def test_adding_is_an_event_that_can_be_run_again(tmp_path: Path) -> None:
    """A key makes it one run; a replay finds nothing else; later turns join its session."""
    with fake_brain(tmp_path) as brain:
        asked = brain.commit_turn("s", [user("请跑测试")])
        one = brain.artifacts.add("pytest", LINES, session_id="s", idempotency_key="k")
        assert one == brain.artifacts.add("pytest", LINES, session_id="s", idempotency_key="k")
        with pytest.raises(Conflict):
            brain.artifacts.add("pytest", "other", session_id="s", idempotency_key="k")
        step = brain.artifacts.add("lint", "ok", session_id="s", turn_id=asked.turn_id)
        brain.commit_turn("s", [user("谢谢")])
        alone = brain.artifacts.add("date", "2026-03-05")
        assert (asked.turn_id, "artifacts") == (step.turn_id, alone.session_id)
        assert 3 == len(brain.artifacts.list())
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
    assert (0, 0) == (report.failed, report.differing)
    assert [] == SmartBrain.doctor(tmp_path).all()


@pytest.mark.spec("W6", "S1")
def test_bad_input_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    """Each with a sentence that says what to change."""
    with fake_brain(tmp_path, artifacts={"grep_seconds": 0.3}) as brain:
        run = brain.artifacts.add("t", "a" * 40 + "b\n中文")
        tries = [
            (lambda: brain.artifacts.get(run.id, "9-"), "the output has 2 lines"),
            (lambda: brain.artifacts.get(run.id, "x"), "give lines"),
            (lambda: brain.artifacts.grep(run.id, "(a+)+$"), "stopped after"),
            (lambda: brain.artifacts.grep(run.id, "(中"), "at character 1"),
            (lambda: brain.artifacts.grep(run.id, "a", limit=0), "limit"),
            (lambda: brain.artifacts.grep(run.id, "a", context=51), "context"),
            (lambda: brain.artifacts.grep(run.id, "a", ignore_case="no"), "ignore_case"),
            (lambda: brain.artifacts.add("", "x"), "name"),
            (lambda: brain.artifacts.add("t", "x", owner=" "), "owner"),
            (lambda: brain.artifacts.add("t", stdout=b"x"), "stdout"),
            (lambda: brain.artifacts.add("t", "x", exit_code="1"), "exit_code"),
            (lambda: brain.artifacts.add("t", "x", status="fine"), "status"),
            (lambda: brain.artifacts.list(cursor="x"), "cursor"),
            (lambda: brain.artifacts.file_snippet("/etc/passwd"), "file_roots"),
            (lambda: brain.artifacts.file_snippet("a", start=0), "start"),
        ]
        for attempt, said in tries:
            with pytest.raises(UsageError, match=said):
                attempt()
        for attempt in (brain.artifacts.get, lambda one: brain.artifacts.grep(one, "a")):
            with pytest.raises(NotFound, match=r"artifacts\.list"):
                attempt("tool:nothing")
        with pytest.raises(NotFound):
            brain.artifacts.add("t", "x", session_id="s", turn_id="nothing")
        assert [run.id] == [one.id for one in brain.artifacts.list()]


@pytest.mark.spec("W6")
def test_what_a_search_shows_is_bounded(tmp_path: Path) -> None:
    """Long lines are cut around the match; the end of the last line is no line of its own."""
    with fake_brain(tmp_path, artifacts={"read_max_chars": 1_000}) as brain:
        text = "".join(f"{'长' * 900}目标{n}{'尾' * 900}\n\n" for n in range(30))
        run = brain.artifacts.add("t", text)
        found = brain.artifacts.grep(run.id, r"目标\d")
        assert all("目标" in line.text for line in found)
        assert sum(len(line.text) for line in found) <= 1_000
        assert found.more is not None
        assert 30 == brain.artifacts.grep(run.id, "^$", limit=100).matches
        around = brain.artifacts.grep(run.id, "目标7", context=1)
        assert [(14, False), (15, True), (16, False)] == [(one.number, one.match) for one in around]


@pytest.mark.spec("W6")
def test_files_are_shown_from_allowed_folders(tmp_path: Path) -> None:
    """Through the settings; anything else is refused."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("一\n二\n三\n", encoding="utf-8")
    roots = {"file_roots": [str(tmp_path / "code")]}
    with fake_brain(tmp_path / "b", artifacts=roots) as brain:
        part = brain.artifacts.file_snippet("a.py", start=2, len=1)
        assert ("二", "go on with start=3") == (part.text, part.more)
        with pytest.raises(UsageError):
            brain.artifacts.file_snippet("../b/brain.yml")


@pytest.mark.spec("W6", "C10")
def test_personal_data_is_masked_where_it_may_not_be_kept(tmp_path: Path) -> None:
    """A run that is added goes the way of every turn."""
    with fake_brain(tmp_path, privacy={"pii": "mask"}) as brain:
        run = brain.artifacts.add(
            "crm", "mail: wang.lei@example.com", args={"to": "a.b@example.org"}
        )
        assert "example.com" not in run.text + run.summary
        assert "example.org" not in str(run.args)


@pytest.mark.spec("W6")
def test_a_large_output_is_told_in_a_list_by_its_ends(tmp_path: Path) -> None:
    """A list reads no more than that, and says that there are more lines."""
    lines = [f"{n} 行 {'x' * 60}" for n in range(8_000)]
    with fake_brain(tmp_path) as brain:
        run = brain.artifacts.add("big", "\n".join([*lines, "ValueError: 末尾"]), exit_code=1)
        (listed,) = brain.artifacts.list()
        assert run.bytes == listed.bytes
        assert run.summary.split("\n")[:2] == listed.summary.split("\n")[:2]
        assert "ValueError: 末尾" in listed.summary
        assert "+ lines of text" in listed.summary


@pytest.mark.spec("W6", "R17")
@pytest.mark.parametrize(
    ("said", "asked", "word"),
    [
        ("豆豆喜欢吃青苹果。", "豆豆喜欢吃什么？", "青苹果"),
        ("Mara collects green lanterns.", "What does Mara collect?", "lanterns"),
    ],
)
def test_a_model_reads_the_turn_that_evidence_names(
    tmp_path: Path, said: str, asked: str, word: str
) -> None:
    """The address is used as it is shown; an end that is not one of a kind is told in one line."""
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("a", [user(said)]).turn_id
        text = brain.compose_context("b", asked).text()
        short = next(one for one in text.split() if one.startswith("turn:…"))

        def kept(name: str, given: dict[str, str]) -> ToolAnswer:
            function = {"name": name, "arguments": json.dumps(given)}
            return brain.call_tool("b", {"id": "c1", "type": "function", "function": function})

        answers = [kept("artifact_get", {"id": one}) for one in (short, short.replace("…", "..."))]
        found = kept("artifact_grep", {"id": short, "pattern": word})
        ends = [brain.commit_turn("a", [user(said)]).turn_id[-1] for _ in range(17)]
        end = next(one for one in ends if ends.count(one) > 1)  # of sixteen there are
        several = kept("artifact_get", {"id": f"turn:…{end}"})
        nobody = [kept("artifact_get", {"id": f"turn:{end}"}) for end in ("…000000", "…")]
        assert turn == brain.artifacts.get(short).turn_id
    assert short.endswith(turn[-6:])
    assert short != f"turn:{turn}"
    assert all(word in one.text and not one.is_error for one in (*answers, found))
    assert [True, True, True] == [one.is_error for one in (several, *nobody)]
    assert f"several turns end in {end!r}" in several.text
    assert [1, 1, 1] == [len(one.text.splitlines()) for one in (several, *nobody)]
