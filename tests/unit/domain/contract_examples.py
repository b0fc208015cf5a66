"""One full example of each contract, in Chinese and English, and where its JSON is kept.

Nearly every field of every part differs from its default somewhere, so that a lost field shows.
Not tests: `test_contracts_*` read these.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from example_memory import PACKAGE, PACKET
from example_retrieval import NOW, PACK, PLAN

from smartbrain.domain.memory import Status
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record
from smartbrain.domain.result import (
    ArtifactSummary,
    CommitExplain,
    CommitResult,
    ConflictOutcome,
    ConflictRule,
    MemoryWritten,
    Retention,
    RetentionAction,
    SummaryUpdate,
    WrittenMemory,
)
from smartbrain.domain.turn import CallStatus

FOLDER = Path(__file__).parents[2] / "data" / "contracts"

RESULT = CommitResult(
    turn_id="turn-13",
    replayed=True,
    memory_written=MemoryWritten(
        items=(
            WrittenMemory(
                id="mem-20",
                type="tasks",
                key="task:蓝牙:重装驱动",
                status=Status.ACTIVE,
                confidence=0.8,
            ),
        )
    ),
    artifacts=(
        ArtifactSummary(
            id="art-4",
            tool_name="install_driver",
            status=CallStatus.OK,
            exit_code=0,
            bytes=912,
            summary="安装成功\nrestart required",
        ),
    ),
    summary=SummaryUpdate(
        updated=True,
        trigger_reason="task_done",
        version=3,
        source_turn_range=("turn-1", "turn-13"),
        generated_at=NOW,
    ),
    explain=CommitExplain(
        retention=(
            Retention(
                type="tasks",
                key="task:蓝牙:重装驱动",
                action=RetentionAction.WRITTEN,
                code="task_done",
                reason="用户说任务已完成。",
            ),
            Retention(
                type="preferences",
                key="pref:ui:theme",
                action=RetentionAction.REFUSED,
                code="unconfirmed",
                reason="The assistant guessed it and nobody confirmed it.",
            ),
        ),
        conflicts=(
            ConflictOutcome(
                rule=ConflictRule.OVERWRITE,
                type="tasks",
                key="task:蓝牙:重装驱动",
                code="status_changed",
                reason="新状态取代旧状态。",
                active_id="mem-20",
                other_id="mem-11",
                other_status=Status.SUPERSEDED,
                fields=("status",),
                dimension="time",
            ),
        ),
        summary={"turns": 13},
        ignored=(Reason("unknown_proposal", "没有 moods 这种记忆类型。", type="moods"),),
    ),
)

EXAMPLES: dict[str, Record] = {
    "retrieval_plan": PLAN,
    "evidence_pack": PACK,
    "memory_packet": PACKET,
    "context_package": PACKAGE,
    "commit_result": RESULT,
}


def as_file(record: Record) -> str:
    """Spell a record the way its golden file does."""
    return json.dumps(record.to_dict(), ensure_ascii=False, indent=2) + "\n"


def golden(name: str) -> str:
    """Read a golden file, byte for byte."""
    return (FOLDER / f"{name}.json").read_bytes().decode()


def golden_data(name: str) -> Any:
    """Read a golden file as data."""
    return json.loads(golden(name))
