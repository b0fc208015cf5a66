"""FastMemo through the public calls: sections, lines, compaction, and its text file.

In: lines in Chinese and English. Out: sections within their limits, whatever comes.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain

from smartbrain import UsageError
from smartbrain.domain.working import MemoSection
from smartbrain.govern.fastmemo import memo_text


@pytest.mark.spec("W7", "S1")
def test_a_section_is_known_by_its_names(tmp_path: Path) -> None:
    """In both languages, in any case; a line is one line, and is not repeated."""
    names = ["user", "用户感知", "用户", " USER ", "User  Awareness"]
    with fake_brain(tmp_path) as brain:
        for n, name in enumerate(names):
            brain.fastmemo.add(name, f"喜欢\n  茶 {n}")
        for name in ("动态Context池", "动态 context 池", "Dynamic Context Pool", "context-pool"):
            brain.fastmemo.add(name, "pool")
        memo = brain.fastmemo.add("user", "喜欢 茶 0")
        with pytest.raises(UsageError, match="did you mean 'history'"):
            brain.fastmemo.add("histroy", "x")
    assert tuple(f"喜欢 茶 {n}" for n in range(5)) == memo.sections["user"]
    assert ("pool",) == memo.sections["dynamic"]
    assert list(MemoSection) == list(memo.sections)


WALLS = [
    "```python\nprint(1)\n```",
    '{"a": 1,\n"b": [2],\n"c": {}\n}',
    "2001-05-17 08:30:00 INFO a\n2001-05-17 08:30:01 INFO b\n2001-05-17 08:30:02 ERROR 失败",
    "import os\ndef f():\n    return 1\nx = f(2)\nprint(x)",
    "def 加(a, b):\n    return a + b\nprint(加(1, 2))",
    "字" * 301,
    " ",
]


@pytest.mark.spec("W7")
@pytest.mark.parametrize(
    "text", ["likes tea\nreturns on Monday\nfrom Lisbon", "喜欢茶\n周一回来\n用 x = 1 举例"]
)
def test_a_few_lines_of_prose_are_a_remark(tmp_path: Path, text: str) -> None:
    """They become one line."""
    with fake_brain(tmp_path) as brain:
        memo = brain.fastmemo.add("user", text)
    assert (text.replace("\n", " "),) == memo.sections["user"]


@pytest.mark.spec("W7")
@pytest.mark.parametrize("text", WALLS)
def test_code_and_output_are_no_remarks(tmp_path: Path, text: str) -> None:
    """They are refused with a reason, and nothing is kept."""
    with fake_brain(tmp_path) as brain:
        with pytest.raises(UsageError):
            brain.fastmemo.add("self", text)
        assert [] == brain.fastmemo.history()


@pytest.mark.spec("W7")
@pytest.mark.parametrize("line", ["第 {} 件事：服务器在上海", "thing {}: the server is in Berlin"])
def test_a_full_section_is_due_and_compacts_to_one_line(tmp_path: Path, line: str) -> None:
    """At ten it is pending; compaction makes one line of each section; the trail has them all."""
    with fake_brain(tmp_path) as brain:
        brain.fastmemo.add("self", "one 一")
        for n in range(9):
            assert () == brain.fastmemo.add("environment", line.format(n)).pending
        full = brain.fastmemo.add("environment", line.format(9))
        assert ("environment",) == full.pending
        memo = brain.fastmemo.compact()
        assert {"self": 1, "environment": 1} == {
            name: len(lines) for name, lines in memo.sections.items() if lines
        }
        assert () == memo.pending
        assert line.format(9) in memo.sections["environment"][0]
        assert len(memo.sections["environment"][0]) <= 300
        back = brain.fastmemo.rollback(brain.fastmemo.history()[0].number - 1)
    assert full == back


@pytest.mark.spec("W7")
@pytest.mark.parametrize(("asked", "answer"), [("跑一下", "好了。"), ("run it", "Done.")])
def test_a_full_section_is_compacted_when_nobody_waits(
    tmp_path: Path, asked: str, answer: str
) -> None:
    """Not while a tool call is open; once the assistant has answered, without being asked to."""
    with fake_brain(tmp_path) as brain:
        for n in range(10):
            brain.fastmemo.add("user", f"{n} 茶")
        call = {"id": "c1", "type": "function", "function": {"name": "pytest", "arguments": "{}"}}
        opened = [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": None, "tool_calls": [call]},
        ]
        turn = brain.commit_turn("s", opened).turn_id
        assert ("user",) == brain.fastmemo.read().pending
        ended = [
            {"role": "tool", "tool_call_id": "c1", "content": "1 passed"},
            {"role": "assistant", "content": answer},
        ]
        brain.commit_turn("s", ended, turn_id=turn)
        memo = brain.fastmemo.read()
        assert ((), 1) == (memo.pending, len(memo.sections["user"]))
        assert "fastmemo.compact" in [one.action for one in brain.fastmemo.history()]


@pytest.mark.spec("W7")
def test_a_malformed_compaction_changes_nothing(tmp_path: Path) -> None:
    """A section left out, an unknown one, two lines of code: it stays due; a good one is taken."""
    with fake_brain(tmp_path) as brain:
        brain.fastmemo.add("用户", "茶")
        for n in range(10):
            brain.fastmemo.add("self", f"{n}")
        before = brain.fastmemo.read()
        for wrong in (
            {},
            {"self": "all"},
            {"self": "all", "user": "茶", "history": "x"},
            {"self": "all", "users": "茶"},
            {"self": "", "user": "茶"},
            {"self": "```x```", "user": "茶"},
            {"self": ["a"], "user": "茶"},
            "text",
        ):
            with pytest.raises(UsageError):
                brain.fastmemo.compact(wrong)
            assert before == brain.fastmemo.read()
        assert ("self",) == before.pending
        memo = brain.fastmemo.compact({"self": "零到九", "用户感知": "茶"}, actor="agent")
        assert "agent" == brain.fastmemo.history()[0].actor
    assert (("零到九",), ("茶",)) == (memo.sections["self"], memo.sections["user"])


@pytest.mark.spec("W7")
def test_no_section_ever_has_more_than_its_limit(tmp_path: Path) -> None:
    """A line for a full section has all compacted first, and the text shown stays within 1,800."""
    with fake_brain(tmp_path) as brain:
        for n in range(60):
            memo = brain.fastmemo.add(list(MemoSection)[n % 2], f"{n} " + "很长的话 long " * 18)
            assert max(map(len, memo.sections.values())) <= 10
            assert len(memo_text(memo.sections, 1800)) <= 1800
    assert any("59" in line for line in memo.sections["user"])


@pytest.mark.spec("W7")
def test_the_text_file_goes_out_and_comes_back(tmp_path: Path) -> None:
    """Headings name each section in both languages; a wrong line is named and changes nothing."""
    file = tmp_path / "fastmemo.txt"
    with fake_brain(tmp_path / "b") as brain:
        brain.fastmemo.add("user", "喜欢茶")
        brain.fastmemo.add("user", "likes tea")
        brain.fastmemo.add("dynamic", "第 1–3 轮")
        text = brain.fastmemo.export(file)
        assert text == file.read_text(encoding="utf-8")
        before = brain.fastmemo.read()
        assert before == brain.fastmemo.load(file)
        assert 3 == len(brain.fastmemo.history())
        file.write_text("[环境感知]\n- 在家\n\n[pool]\n* x\n", encoding="utf-8")
        memo = brain.fastmemo.load(file)
        for wrong, told in (
            ("[user]\n- a\nb\n", "line 3"),
            ("- a\n", "line 1"),
            ("[nobody]\n", "line 1"),
            ("[user]\n- a\n[用户]\n", "line 3"),
        ):
            file.write_text(wrong, encoding="utf-8")
            with pytest.raises(UsageError, match=told):
                brain.fastmemo.load(file)
        assert memo == brain.fastmemo.read()
    assert text.startswith("[user · 用户感知]\n- 喜欢茶\n- likes tea\n[dynamic · 动态context池]\n")
    assert (("在家",), ("x",)) == (memo.sections["environment"], memo.sections["dynamic"])
