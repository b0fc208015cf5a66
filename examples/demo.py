"""The demo behind `make demo`: a short bilingual conversation is committed and recalled.

No model, no network, nothing left behind: the brain lives in a temporary folder.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.tree import Tree

from smartbrain import Conflict, SmartBrain

LOG = "\n".join(
    f"09:{minute:02d} BTHUSB EventID=17: the Bluetooth driver did not start; the radio answered"
    f" with 0x8007045D, and the service waits before it asks again (attempt {minute})."
    for minute in range(60)
)
TURNS: list[tuple[str, dict[str, Any]]] = [
    (
        "windows",
        {
            "messages": [
                {"role": "user", "content": "Win11 的蓝牙打不开了，设备管理器里有个黄色感叹号。"},
                {"role": "assistant", "content": "先看系统日志里 BTHUSB 的事件，我来查一下。"},
            ],
        },
    ),
    (
        "windows",
        {
            "messages": [{"role": "assistant", "content": "日志里有 60 条 EventID=17。"}],
            "tool_calls": [
                {
                    "id": "call_1",
                    "name": "event_log",
                    "args": {"source": "BTHUSB", "limit": 60},
                    "stdout": LOG,
                    "exit_code": 0,
                }
            ],
            "refs": [{"ref_type": "url", "ref_uri": "https://example.com/bthusb-17"}],
        },
    ),
    (
        "release",
        {
            "messages": [
                {"role": "user", "content": "Let's ship SmartBot 0.2 on Friday. 以后用中文。"},
                {"role": "assistant", "content": "好的：周五发布 SmartBot 0.2，以后用中文。"},
            ],
        },
    ),
]


def main() -> None:
    """Play the conversation and show what is stored."""
    out = Console(highlight=False, soft_wrap=True)
    minutes = count()
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def clock() -> datetime:
        return start + timedelta(minutes=next(minutes))

    with tempfile.TemporaryDirectory() as folder, SmartBrain.open(folder, clock=clock) as brain:
        out.rule("[bold]Commit three turns, Chinese and English")
        for number, (session, events) in enumerate(TURNS, 1):
            result = brain.commit_turn(session, events, idempotency_key=f"turn-{number}")
            out.print(f"  committed {result.turn_id} in session {session!r}")
            for one in result.explain.retention:
                out.print(f"    {one.action.value}: {one.type} {one.key} [dim]— {one.reason}[/]")
            for artifact in result.artifacts:
                out.print("  [dim]tool output kept whole, shown as:[/]")
                out.print(_indent(artifact.summary))

        out.rule("[bold]Retry the last one: same key, same answer, nothing twice")
        again = brain.commit_turn(*TURNS[-1], idempotency_key="turn-3")
        out.print(f"  replayed={again.replayed}, turn {again.turn_id}")
        try:
            brain.commit_turn("release", TURNS[0][1], idempotency_key="turn-3")
        except Conflict as error:
            out.print(f"  another body under that key: [red]{error.code}[/]")

        out.rule("[bold]Every byte comes back, from the database or from files checked by hash")
        for found in brain.sessions.list():
            _show_session(out, brain, found.id)

        out.rule("[bold]What is remembered, each with a path to its original text")
        for memory in brain.memories.list():
            chunks = {span.raw_id for span in memory.raw_refs}
            out.print(f"  {memory.key}  [dim]leads to {len(chunks)} raw chunks[/]")
            out.print(_indent(memory.text))

        out.rule("[bold]The graph is followed at once: a concept, and what activation reaches")
        brain.graph.add_node("Concept:蓝牙故障")
        episode = brain.memories.list().items[0]
        brain.graph.add_edge("Concept:蓝牙故障", "ABOUT", episode.id, 0.9)
        titles = {memory.id: memory.title for memory in brain.memories.list()}
        for node, score in brain.graph.ppr("Concept:蓝牙故障")[:4]:
            out.print(f"  {score:.3f}  {titles.get(node, node)}")
        for arm in brain.capabilities().arms:
            out.print(f"  [dim]{arm.name}: {arm.state.value}, {arm.items} items, {arm.reason}[/]")

        out.rule("[bold]What comes to mind, and why")
        _show_recall(out, brain, "蓝牙为什么打不开？")
        _show_recall(out, brain, "When do we ship SmartBot?")
        why = brain.explain(query="When do we ship SmartBot?", expect="iOS")
        out.print(f"  and iOS? [bold]{why.verdict}[/]: {why.reason}")

        out.rule("[bold]All that memory adds to one model call, within its limits")
        _show_packet(out, brain, "release", "周五的发布准备好了吗？")

        out.rule("[bold]On disk, and checked")
        _show_disk(out, brain, Path(folder))


def _show_session(out: Console, brain: SmartBrain, session_id: str) -> None:
    """Print a session's turns as a tree."""
    tree = Tree(f"session [bold]{session_id}[/]")
    for turn in brain.sessions.turns(session_id):
        branch = tree.add(f"turn {turn.seq} at {turn.at:%Y-%m-%d %H:%M}")
        for message in turn.messages:
            branch.add(f"{message.role.value}: {message.content}")
        for call in turn.tool_calls:
            size = len((call.stdout or "").encode())
            branch.add(f"tool {call.name}: exit code {call.exit_code}, {size:,} bytes of output")
        for ref in turn.refs:
            branch.add(f"{ref.ref_type.value}: {ref.ref_uri}")
    out.print(tree)


def _show_recall(out: Console, brain: SmartBrain, question: str) -> None:
    """Print the best answers to a question with what speaks for each."""
    answer = brain.recall(question, k=2, budget_tokens=400)
    out.print(f"  [bold]{question}[/]  [dim]{answer.trace.mode}, {answer.trace.tokens} tokens[/]")
    for item in answer:
        signals = {name: value for name, value in item.signals.to_dict().items() if value}
        why = ", ".join(f"{name} {value:.2f}" for name, value in signals.items())
        out.print(f"    {item.score:.2f}  {item.title}")
        out.print(f"          [dim]found by {', '.join(item.found_by)}: {why}[/]")
        for quote in item.quotes[:1]:
            out.print(f"          [dim]“{quote.text[:80]}”[/]")


def _show_packet(out: Console, brain: SmartBrain, session_id: str, message: str) -> None:
    """Print what a packet holds, why, and how much of its limits it uses."""
    packet = brain.build_memory_packet(session_id, message)
    out.print(f"  [bold]{message}[/]")
    for reason in packet.explain.selected:
        out.print(f"    {reason.type} {reason.key or ''} [dim]— {reason.reason}[/]")
    report = packet.budget_report
    used = ", ".join(
        f"{name} {count} of {report.limits[name]}" for name, count in report.used.items()
    )
    out.print(f"  budget: {used}; {len(report.degradations)} steps to hold it")


def _show_disk(out: Console, brain: SmartBrain, folder: Path) -> None:
    """Print what the tenant holds, its files, and the doctor's word."""
    rows = brain.status().rows
    shown = ("sessions", "turns", "messages", "tool_calls", "raw_chunks", "memories", "edges")
    out.print("  " + ", ".join(f"{rows[name]} {name}" for name in shown))
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            out.print(f"  {path.stat().st_size:>9,} bytes  [dim]{path.relative_to(folder)}[/]")
    report = SmartBrain.doctor(folder)
    out.print(f"  doctor: {'[green]healthy' if report.healthy else '[red]damaged'}")


def _indent(text: str) -> str:
    """Indent lines for display."""
    return "\n".join(f"    {line[:90]}" for line in text.splitlines())


if __name__ == "__main__":
    main()
