"""A chat history comes in through `brain.import_chat`: at its own times, once, and to its end.

In: files of JSONL and the sample exports. Out: turns, versions and a report that hold whatever the
order of the files was, and however often the import was cut off or repeated.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flow_builders import START, fake_brain, plain_facts, table_rows, user

from smartbrain import SmartBrain, UsageError
from smartbrain.domain.history import ImportReport
from smartbrain.remember.import_history import importing

SAMPLES = Path(__file__).parents[1] / "data" / "history"
Said = tuple[datetime, str]


def ago(days: float) -> datetime:
    """Return a time before that of the brains in these tests."""
    return START - timedelta(days=days)


def history(path: Path, said: Sequence[Said], session: str = "chat") -> Path:
    """Write JSONL with one user's message a turn."""
    lines = [
        {"role": "user", "content": text, "at": at.isoformat(), "session_id": session}
        for at, text in said
    ]
    return written(path, lines)


def written(path: Path, lines: Sequence[Any]) -> Path:
    """Write lines of JSON; one that is text is written as it is."""
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def rows(brain: SmartBrain) -> dict[str, list[tuple[Any, ...]]]:
    """Return everything that the brain's tenant has stored."""
    return table_rows(brain._root.folder("t") / "brain.db")


def versions(brain: SmartBrain, key: str) -> list[tuple[datetime, str, Any]]:
    """Return the versions of a key by their own time: status and value."""
    found = brain.memories.history(key)
    told = [plain_facts(one) if one.type == "profile" else one.value for one in found]
    return [(one.said_at, one.status.value, said) for one, said in zip(found, told, strict=True)]


TALK: list[Said] = [
    (ago(9), "以后都用中文回答"),
    (ago(8), "I live in Berlin"),
    (ago(7), "好的，谢谢"),
    (ago(6), "From now on, answer in English"),
    (ago(5), "我住在上海"),
]
KEYS = ("pref:writing:answer_language", "profile:user")


@pytest.mark.spec("S1", "E1", "E4")
def test_turns_come_in_at_their_own_times_and_only_once(tmp_path: Path) -> None:
    """A repeated import stores nothing and says so; times are those of the file."""
    file = history(tmp_path / "h.jsonl", TALK)
    with fake_brain(tmp_path / "b") as brain:
        report = brain.import_chat(file)
        assert (5, 0, 0, 1, ()) == (
            report.turns,
            report.replayed,
            report.refused,
            report.sessions,
            report.problems,
        )
        assert [at for at, _ in TALK] == [turn.at for turn in brain.sessions.turns("chat")]
        listed = [brain.memories.list(type=name, status="active") for name in ("profile", "goals")]
        assert [1, 0] == [len(page.items) for page in listed]
        assert 4 == report.memories
        before = rows(brain)
        again = brain.import_chat(str(file), format="jsonl")
        assert ImportReport(replayed=5, sessions=1) == again
        assert before == rows(brain)


@pytest.mark.spec("S11", "S1")
@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir()))
def test_every_format_is_imported_and_known_again(tmp_path: Path, name: str) -> None:
    """JSONL, exports and transcripts, in Chinese and English; the second time all are there."""
    with fake_brain(tmp_path) as brain:
        first = brain.import_chat(SAMPLES / name)
        assert (0, 0) == (first.replayed, first.refused)
        assert first.turns == brain.status().rows["turns"] > 0
        assert first.sessions == brain.status().rows["sessions"]
        again = brain.import_chat(SAMPLES / name)
        assert (0, first.turns) == (again.turns, again.replayed)
        assert first.problems == again.problems


@pytest.mark.spec("S1", "E4")
def test_an_import_that_was_cut_off_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was committed stays; the rest comes in, and all of it is as if nothing had happened."""
    monkeypatch.setattr(importing, "_BATCH", 2)
    file = history(tmp_path / "h.jsonl", [*TALK, (ago(200), "待办：整理预算表")])
    calls: list[tuple[int, int | None]] = []

    def fail(done: int, total: int | None) -> None:
        calls.append((done, total))
        if len(calls) == 2:
            raise KeyboardInterrupt

    with fake_brain(tmp_path / "cut") as brain, fake_brain(tmp_path / "whole") as whole:
        with pytest.raises(KeyboardInterrupt):
            brain.import_chat(file, on_progress=fail)
        assert 4 == brain.status().rows["turns"]
        report = brain.import_chat(file, on_progress=fail)
        assert (2, 4) == (report.turns, report.replayed)
        whole.import_chat(file)
        for key in ("profile:user", "pref:writing:answer_language", "task:general:整理预算表"):
            assert 0 < len(versions(whole, key))
            assert versions(whole, key) == versions(brain, key)
    size = file.stat().st_size
    assert [size] * 5 == [total for _, total in calls]
    assert calls[0] < calls[1] == calls[3] < calls[4] == (size, size)


@pytest.mark.spec("S1", "C4", "M4")
def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    """Old after new or new after old: the same values hold, with the same history."""
    old = history(tmp_path / "old.jsonl", TALK[:3], "old")
    new = history(tmp_path / "new.jsonl", TALK[3:], "new")
    found = []
    for place, files in (("a", (old, new)), ("b", (new, old))):
        with fake_brain(tmp_path / place) as brain:
            for file in files:
                brain.import_chat(file)
            found.append([versions(brain, key) for key in KEYS])
    assert found[0] == found[1]
    language, home = found[0]
    assert [(ago(9), "superseded"), (ago(6), "active")] == [one[:2] for one in language]
    assert [(ago(8), "superseded"), (ago(5), "active")] == [one[:2] for one in home]


TALKS = [
    ["I need to buy milk.", "Noted.", "Done.", "Noted."],
    ["待办：写周报", "好的。", "搞定了", "好的。"],
    ["Hi.", "Shall I remember that you prefer dark mode?", "Yes, please.", "Noted."],
]


@pytest.mark.spec("S1", "E4", "C4", "M4")
@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk[2])
def test_the_order_of_the_lines_does_not_matter(tmp_path: Path, talk: list[str]) -> None:
    """Newest first or shuffled, what refers to the turn before finds it; all is known again."""
    lines = [
        {"role": role, "content": text, "at": ago(9 - place).isoformat()}
        for place, (role, text) in enumerate(zip(["user", "assistant"] * 2, talk, strict=True))
    ]
    found = []
    for number, places in enumerate(((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1))):
        file = written(tmp_path / "h.jsonl", [lines[place] for place in places])
        with fake_brain(tmp_path / str(number)) as brain:
            assert 2 == brain.import_chat(file).turns
            page = brain.memories.list(status=None).items
            found.append([versions(brain, one.key) for one in page if one.type != "episodes"])
            before = rows(brain)
            in_order = written(tmp_path / "h.jsonl", lines)
            assert ImportReport(replayed=2, sessions=1) == brain.import_chat(in_order)
            assert before == rows(brain)
    assert found[0]
    assert [found[0]] * 3 == found


@pytest.mark.spec("S1", "E4")
def test_a_part_that_cannot_be_stored_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    """A broken line, and a turn with a proposal that its type does not allow."""
    lines = [
        {"role": "user", "content": "I live in Berlin", "at": ago(2).isoformat()},
        '{"role": "user", "content": ',
        {"session_id": "坏", "messages": [user("你好")], "tasks": [{"title": 7}]},
        {"session_id": "good", "messages": [user("你好")]},
    ]
    with fake_brain(tmp_path / "b") as brain:
        report = brain.import_chat(written(tmp_path / "h.jsonl", lines))
        assert (2, 1, 2) == (report.turns, report.refused, report.sessions)
        broken, refused = report.problems
        assert broken.startswith(f"{tmp_path / 'h.jsonl'}: line 2: ")
        assert refused.startswith("session '坏', turn of no time: tasks[0]: ")
        sessions = [one.id for one in brain.sessions.list().items]
    assert {"h", "good"} == set(sessions)


@pytest.mark.spec("S1", "S7", "E4")
@pytest.mark.parametrize("batch", [2, 200])
@pytest.mark.parametrize("quota", ["memories", "bytes"])
def test_an_import_stops_when_the_tenant_is_full_and_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, batch: int
) -> None:
    """What was stored stays, what is left is counted, and in the end nothing is missing."""
    monkeypatch.setattr(importing, "_BATCH", batch)
    said = [
        (ago(200), "待办：整理预算表"),
        *TALK,
        (ago(4), "I love tea"),
        (ago(3), "整理预算表做完了"),
    ]
    file = written(
        tmp_path / "h.jsonl",
        [
            {"role": "user", "content": text + " " * 90_000, "at": at.isoformat()}
            for at, text in said
        ],
    )
    most = {"memories": 7, "bytes": 1_000_000}[quota]
    with fake_brain(tmp_path / "b", **{f"quotas.{quota}": most}) as brain:
        report = brain.import_chat(file)
        assert 0 < report.turns < len(said)
        assert len(said) - report.turns == report.left
        assert f"raise quotas.{quota}" in report.stopped
        assert (0, ()) == (report.refused, report.problems)
        before = rows(brain)
        again = brain.import_chat(file)
        assert (0, report.turns, report.left) == (again.turns, again.replayed, again.left)
        assert before == rows(brain)
    with fake_brain(tmp_path / "b", seed=2) as brain, fake_brain(tmp_path / "whole") as whole:
        rest = brain.import_chat(file)
        assert (report.left, report.turns, 0, "") == (
            rest.turns,
            rest.replayed,
            rest.left,
            rest.stopped,
        )
        whole.import_chat(file)
        for key in (*KEYS, "task:general:整理预算表"):
            assert versions(whole, key) == versions(brain, key)


@pytest.mark.spec("S1")
def test_a_wrong_call_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    """No file, no history, no format, no path: one sentence, and no tenant."""
    brain = SmartBrain.open(tmp_path / "b")
    other = brain.tenant("other")
    notes = tmp_path / "notes.txt"
    notes.write_text("just some words\n", encoding="utf-8")
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (tmp_path / "没有.jsonl", {}, "没有.jsonl"),
        (notes, {}, "is not a chat history that we know"),
        (notes, {"format": "chatgtp"}, "did you mean 'chatgpt'?"),
        (notes, {"format": None}, "format must be text"),
        (7, {}, "7 is no path"),
        ("a\0b", {}, "is no path"),
        ("", {}, "is no path"),
    ]
    with brain:
        for path, more, sentence in wrong:
            with pytest.raises(UsageError, match=r"^[^\n]+$") as error:
                other.import_chat(path, **more)
            assert sentence in str(error.value)
        assert 0 == other.status().rows["turns"]
