"""The commands that the graph memory specification prints run as it prints them.

In: the list of them, in a folder with no brain. Out: exit codes; what is not built yet says so with
the code of what is not there.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from cli_runs import Run, memctl

LIST = Path(__file__).parents[1] / "data/cli/printed_commands.jsonl"
FACT = "fact:蓝牙驱动:版本"


@pytest.mark.spec("S2")
def test_every_printed_command_runs_in_a_folder_with_no_brain(tmp_path: Path) -> None:
    """One after the other, as a reader would try them; the first that writes makes the brain."""
    (tmp_path / "samples").mkdir()
    for name in ("sample.txt", "samples/chat1.txt", "samples/chat2.txt"):
        text = f"{name}: Win11 蓝牙 打不开，错误码 0x8007045D。\n蓝牙 事件ID 17，驱动异常。\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    runs: dict[str, Run] = {}
    for line in LIST.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        words = shlex.split(row.get("run", row["printed"]))[1:]
        if "<id>" in words:
            shown = memctl("memories", "show", FACT, "--json", folder=tmp_path)
            words[words.index("<id>")] = shown.json["id"]
        run = runs[row["printed"]] = memctl(*words, folder=tmp_path)
        assert row.get("exit", 0) == run.code, (row, run)
        if run.code:
            assert (True, 1) == ("not built yet" in run.err, run.err.count("\n"))
    made = runs["memctl ingest --raw path_or_text"].err
    assert f"memctl: made a brain at {tmp_path / '.smartbrain'}\n" == made
    assert "蓝牙" in runs['memctl search "蓝牙"'].out
    assert (
        "0x8007045D"
        in runs['memctl recall --q "错误码 0x8007045D" --mvp --graph-only --allow-raw'].out
    )
    history = runs["memctl audit --fact <id> --history"].out
    assert ["superseded", "active"] == [line.split()[1] for line in history.splitlines()[1:]]
    assert 'active_facts_count{tenant="default"} 1\n' in runs["memctl metrics --dump"].out
