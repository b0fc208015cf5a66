"""`memctl recall`, as somebody at a prompt and a program use it.

In: a brain with a few turns in Chinese and English, and questions. Out: what is shown, the same in
JSON with names that stay, the trace, and one line with an exit code where something is wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_runs import Run, memctl, spawned

from smartbrain import SmartBrain, UsageError
from smartbrain.entrypoints.cli.recall import RecallOptions

SAID = (
    "Win11 蓝牙打不开，错误码 0x8007045D，重启后就好了。",
    "The weekly report is due on Thursday, tell Mei about it.",
    "周四下午三点开 release 评审会。",
)
TOP = ["query", "notes", "items", "trace"]
ITEM = [
    *("id", "type", "key", "title", "text", "value", "score", "signals", "found_by", "path"),
    *("quotes", "confidence", "status", "version", "compression", "source_turn_id"),
    *("session_id", "speaker", "at", "created_at"),
]
TRACE = [
    *("request_id", "mode", "degraded", "cues", "plan", "arms", "seq", "behind", "candidates"),
    *("tokens", "stages", "omitted", "ignored_fields", "outdated"),
]


def filled(tmp_path: Path) -> Path:
    """Make a brain in the working folder that was told a few things."""
    place = tmp_path / ".smartbrain"
    with SmartBrain.open(place) as brain:
        for number, text in enumerate(SAID):
            brain.commit_turn(f"s{number}", [{"role": "user", "content": text}])
    return place


def recalled(tmp_path: Path, question: str, *more: object) -> Any:
    """Return what a recall answers to a program."""
    run = memctl("recall", "--q", question, *more, "--json", folder=tmp_path)
    assert (0, "") == (run.code, run.err), run
    return run.json


def verdicts(told: Any) -> dict[str, str]:
    """Return what became of each arm."""
    return {arm["name"]: arm["verdict"] for arm in told["trace"]["arms"]}


def failed(run: Run, code: int, *pieces: str) -> None:
    """Check that a run ended with one line on stderr, which says these things."""
    assert (code, "", 1) == (run.code, run.out, run.err.count("\n")), run
    for piece in pieces:
        assert piece in run.err


@pytest.mark.spec("S2", "R3")
@pytest.mark.parametrize(
    ("question", "said"),
    [("蓝牙怎么打不开了", 0), ("when is the weekly report due?", 1), ("评审会几点 release", 2)],
)
def test_a_question_brings_back_what_was_said(tmp_path: Path, question: str, said: int) -> None:
    """The first memory is of the right turn, with its score, its day, who said it, and why."""
    filled(tmp_path)
    (first, *_) = recalled(tmp_path, question)["items"]
    assert f"s{said}" == first["session_id"]
    assert first["quotes"][0]["text"] in SAID[said]
    shown = memctl("recall", "--q", question, folder=tmp_path)
    title, about, text, why, path, *_ = shown.out.splitlines()
    assert (0, "") == (shown.code, shown.err)
    assert f"1. {first['title']}" == title
    assert f"   {first['score']:.3f}  {first['at'][:10]}  {first['type']}  user" == about
    assert f"   {first['text']}" == text
    assert f"   why: found by {', '.join(first['found_by'])}: words " in why
    steps = [f"DERIVED_FROM {step['type']} {step['id']}" for step in first["path"]]
    assert f"   from: {' → '.join([first['id'], *steps])}" == path
    assert "raw" == first["path"][-1]["type"]
    assert "trace" not in shown.out
    again = spawned("recall", "--q", question, "--json", folder=tmp_path).json
    assert first["id"] == again["items"][0]["id"]


@pytest.mark.spec("S2", "R1")
def test_the_json_of_a_recall_keeps_its_names(tmp_path: Path) -> None:
    """Programs find the same keys in the same order, whatever was asked for."""
    filled(tmp_path)
    for more in ([], ["--mvp"], ["--graph-only", "--allow-raw"], ["--trace", "--use-l2"]):
        told = recalled(tmp_path, "蓝牙 report", *more)
        assert TOP == list(told)
        assert "蓝牙 report" == told["query"]
        assert TRACE == list(told["trace"])
        assert {tuple(ITEM)} == {tuple(item) for item in told["items"]}


@pytest.mark.spec("S2", "S1")
def test_the_trace_says_how_it_was_found(tmp_path: Path) -> None:
    """Cues, queries, every arm with its verdict, and what was left out for which reason."""
    filled(tmp_path)
    shown = memctl("recall", "--q", "蓝牙 report", "--k", "1", "--trace", folder=tmp_path)
    assert (0, "") == (shown.code, shown.err)
    told = recalled(tmp_path, "蓝牙 report", "--k", "1")["trace"]
    lines = shown.out.splitlines()
    assert "cues" in lines
    (keywords,) = [line for line in lines if line.startswith("  keywords: ")]
    assert ", ".join(told["cues"]["keywords"]) in keywords
    for query in told["plan"]["queries"]:
        assert f"  {query['weight']:.2f}  {query['mode']}  {query['text']}" in lines
    for arm in told["arms"]:
        (row,) = [line.split() for line in lines if line.split()[:1] == [arm["name"]]]
        assert [arm["verdict"], str(arm["hits"])] == row[1:3]
    codes = [one["code"] for one in told["omitted"]]
    assert "outranked" in codes
    (left,) = [line for line in lines if line.startswith("left out: ")]
    assert f"outranked {codes.count('outranked')}" in left


@pytest.mark.spec("S2", "M4")
@pytest.mark.parametrize(
    ("said", "query"),
    [
        (("I live in Berlin.", "I moved to Munich."), "Where do I live?"),
        (("我住在北京。", "我搬到深圳了。"), "我住在哪里？"),
    ],
)
def test_the_trace_names_turns_that_are_outdated(
    tmp_path: Path, said: tuple[str, ...], query: str
) -> None:
    """With what stands in the place of what they told."""
    with SmartBrain.open(tmp_path / ".smartbrain") as brain:
        for place, text in enumerate(said):
            brain.commit_turn(f"s{place}", [{"role": "user", "content": text}])
    shown = memctl("recall", "--q", query, "--trace", folder=tmp_path)
    assert "profile:user comes before it [outdated]" in " ".join(shown.out.split())


@pytest.mark.spec("S2", "R2")
@pytest.mark.parametrize(
    ("question", "word"),
    [("Win11 蓝牙 打不开", "蓝牙"), ("Where is the weekly report?", "report")],
)
def test_keywords_are_shown_without_a_search(tmp_path: Path, question: str, word: str) -> None:
    """No brain is needed and none is made."""
    told = memctl("recall", "--q", question, "--extract-keywords", "--json", folder=tmp_path).json
    assert ["query", "cues"] == list(told)
    assert question == told["cues"]["text"]
    assert word in told["cues"]["keywords"]
    shown = memctl("recall", "--q", question, "--extract-keywords", folder=tmp_path)
    assert (0, "") == (shown.code, shown.err)
    (line,) = [line for line in shown.out.splitlines() if line.startswith("  keywords: ")]
    assert word in line
    assert [] == list(tmp_path.iterdir())


@pytest.mark.spec("S2", "R4", "R5")
def test_the_graph_alone_answers_and_originals_only_where_allowed(tmp_path: Path) -> None:
    """Without any index words and names lead into the graph; a code's original is quoted."""
    filled(tmp_path)
    alone = recalled(tmp_path, "错误码 0x8007045D", "--mvp", "--graph-only")
    assert "off" == verdicts(alone)["vector"]
    assert "ok" != verdicts(alone).get("text")
    assert "ok" != verdicts(alone).get("raw")
    told = recalled(tmp_path, "错误码 0x8007045D", "--mvp", "--graph-only", "--allow-raw")
    assert "ok" == verdicts(told)["raw"]
    (first, *_) = told["items"]
    assert "raw" in first["found_by"]
    shown = memctl(
        "recall", "--q", "错误码 0x8007045D", "--graph-only", "--allow-raw", folder=tmp_path
    )
    assert f"   quote: “{SAID[0]}”" in shown.out.splitlines()


@pytest.mark.spec("J6", "S2")
def test_a_missing_layer_of_concepts_is_told_of(tmp_path: Path) -> None:
    """The answer is that of the layer below, and a line says so; for programs it is a note."""
    filled(tmp_path)
    plain = recalled(tmp_path, "蓝牙 事件ID 17")
    layered = recalled(tmp_path, "蓝牙 事件ID 17", "--use-l2")
    assert [] == plain["notes"]
    (note,) = layered["notes"]
    assert "no layer of concepts" in note
    assert [one["id"] for one in plain["items"]] == [one["id"] for one in layered["items"]]
    shown = memctl("recall", "--q", "蓝牙", "--use-l2", folder=tmp_path)
    assert f"note: {note}" == shown.out.splitlines()[0]


@pytest.mark.spec("S2", "R4")
def test_options_change_what_may_be_searched() -> None:
    """Each option sets what it stands for and leaves the rest as the brain is configured."""
    assert {} == RecallOptions(q="x").settings()
    assert {
        "recall.profile": "mvp",
        "recall.vector.enabled": False,
    } == RecallOptions(q="x", mvp=True).settings()
    off = dict.fromkeys(
        ("recall.use_node_index", "recall.vector.enabled", "recall.raw.enabled"), False
    )
    assert {**off} == RecallOptions(q="x", graph_only=True).settings()
    allowed = RecallOptions(q="x", graph_only=True, allow_raw=True).settings()
    assert {**off, "recall.raw.enabled": True} == allowed
    assert {"recall.graph.use_l2": True} == RecallOptions(q="x", use_l2=True).settings()


@pytest.mark.spec("S2", "R3")
def test_a_budget_and_a_number_bound_the_answer(tmp_path: Path) -> None:
    """What does not fit is named with the reason."""
    filled(tmp_path)
    whole = recalled(tmp_path, "蓝牙 report 评审会")
    assert 3 <= len(whole["items"])
    small = recalled(tmp_path, "蓝牙 report 评审会", "--budget", "40")
    assert 1 <= len(small["items"]) < len(whole["items"])
    assert 40 >= small["trace"]["tokens"]
    assert len(whole["trace"]["omitted"]) < len(small["trace"]["omitted"])
    assert 1 == len(recalled(tmp_path, "蓝牙 report 评审会", "--k", "1")["items"])


@pytest.mark.spec("S2")
@pytest.mark.parametrize("more", [["--k", "0"], ["--k", "100000"], ["--budget", "0"]])
def test_numbers_out_of_range_are_refused(tmp_path: Path, more: list[str]) -> None:
    """One line says which, to people and to programs."""
    filled(tmp_path)
    name = {"--k": "k", "--budget": "budget_tokens"}[more[0]]
    failed(memctl("recall", "--q", "蓝牙", *more, folder=tmp_path), 2, f"{name} is a whole number")
    told = memctl("recall", "--q", "蓝牙", *more, "--json", folder=tmp_path)
    assert (2, "usage") == (told.code, told.json["error"]["code"])


@pytest.mark.spec("S2")
@pytest.mark.parametrize("more", [["--k", "0"], ["--k", "-3"], ["--budget", "0"]])
def test_a_fresh_brain_refuses_numbers_out_of_range_as_well(
    tmp_path: Path, more: list[str]
) -> None:
    """The number is named, whether there is anything to recall or not."""
    assert 0 == memctl("init", folder=tmp_path).code
    failed(memctl("recall", "--q", "蓝牙", *more, folder=tmp_path), 2, f"not {more[1]} [usage]")


@pytest.mark.spec("S2")
def test_a_fresh_brain_has_nothing_to_recall(tmp_path: Path) -> None:
    """Asking makes no tenant; one that was named and is not there is an error."""
    assert 0 == memctl("init", folder=tmp_path).code
    empty = memctl("recall", "--q", "蓝牙", folder=tmp_path)
    assert (0, "nothing found: nothing is stored yet\n", "") == empty
    told = recalled(tmp_path, "蓝牙")
    assert (TOP, []) == (list(told), told["items"])
    failed(memctl("recall", "--q", "x", "--tenant", "李四", folder=tmp_path), 3, "no tenant '李四'")
    assert [] == SmartBrain.tenants(tmp_path / ".smartbrain")


@pytest.mark.spec("S2")
@pytest.mark.parametrize("question", ["", "…", "🦓", "斑马线 zebra"])
def test_a_question_that_nothing_answers_is_no_error(tmp_path: Path, question: str) -> None:
    """The exit code is 0 and the trace is there."""
    filled(tmp_path)
    assert 0 == memctl("recall", "--q", question, "--trace", folder=tmp_path).code
    assert TRACE == list(recalled(tmp_path, question)["trace"])


@pytest.mark.spec("S2", "R8")
@pytest.mark.parametrize("question", ["蓝牙", "weekly report"])
def test_what_a_budget_leaves_out_was_found(tmp_path: Path, question: str) -> None:
    """That nothing fits is another thing than that nothing is there."""
    filled(tmp_path)
    run = memctl("recall", "--q", question, "--budget", 5, folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    assert run.out.startswith("nothing fits: ")
    assert "left out as over budget" in run.out
    unknown = memctl("recall", "--q", "zzzz", "--budget", 5, folder=tmp_path)
    assert unknown.out.startswith("nothing found")


@pytest.mark.spec("S2")
def test_a_budget_has_the_bounds_of_the_api(tmp_path: Path) -> None:
    """At the prompt as in Python."""
    with SmartBrain.open(filled(tmp_path)) as brain, pytest.raises(UsageError) as refused:
        brain.recall("蓝牙 report", budget_tokens=0)
    run = memctl("recall", "--q", "蓝牙 report", "--budget", 0, folder=tmp_path)
    assert str(refused.value) in run.err
