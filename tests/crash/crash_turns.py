"""Turns to crash with: what commit number n says, made anew from a seed wherever it is needed.

In: a seed and a number. Out: the body of a commit, and what a reader must find of it, so that the
process which writes and the one which checks agree on every byte without exchanging any.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from random import Random
from typing import Any

from smartbrain.domain.turn import Turn

PLAIN = "明文 plain"
SEALED = "加密 sealed"
TENANTS = (PLAIN, SEALED)
KINDS = ("zh", "en", "tool", "step", "chunks", "large", "output")

_EN = ("the", "river", "stone", "keeps", "what", "winter", "wrote", "upon", "its", "cold", "side")
_ZH = "春江潮水连海平海上明月共潮生滟滟随波千万里何处春江无月明"

Told = dict[str, list[list[Any]]]
"""A turn's parts as plain values; two turns are the same when these are equal."""


@dataclass(frozen=True)
class Commit:
    """One call of commit_turn that the seed decides on."""

    number: int
    tenant: str
    kind: str
    body: dict[str, Any]
    key: str | None


def commit_of(seed: int, number: int, mix: str = "mixed", earlier: int | None = None) -> Commit:
    """Return commit `number`; `earlier` is the commit that a step adds to, if it is a step."""
    dice = Random(f"{seed}:{number}")
    tenant = dice.choice(TENANTS)
    kind = dice.choice(KINDS) if mix == "mixed" else dice.choice(("large", "chunks", "output"))
    key = f"键-{number}" if dice.random() < 0.7 else None
    body = _body(dice, number, kind)
    if kind == "step" and earlier is not None:
        first = commit_of(seed, earlier, mix).body["messages"][0]
        body["messages"].insert(0, first)
    return Commit(number, tenant, kind, body, key)


def told_of(body: dict[str, Any]) -> Told:
    """Return what a reader must find after a body was committed as a turn of its own."""
    return {
        "messages": [[m["role"], m.get("id"), m["content"]] for m in body["messages"]],
        "tool_calls": [
            [c["id"], c["name"], c["args"], c["exit_code"]]
            + [c["result"], c.get("stdout"), c.get("stderr")]
            for c in body.get("tool_calls", [])
        ],
        "refs": [[r["ref_type"], r["ref_uri"], r["ref_meta"]] for r in body.get("refs", [])],
    }


def grown(told: Told, step: dict[str, Any]) -> Told:
    """Return a turn with a step's parts after its own; the step's first message is a repeat."""
    more = told_of(step)
    assert told["messages"][0] == more["messages"][0]
    more["messages"] = more["messages"][1:]
    return {part: told[part] + more[part] for part in told}


def seen_of(turn: Turn) -> Told:
    """Return a stored turn's parts as plain values."""
    return {
        "messages": [[m.role.value, m.external_id, m.content] for m in turn.messages],
        "tool_calls": [
            [c.call_id, c.name, c.args, c.exit_code, c.result, c.stdout, c.stderr]
            for c in turn.tool_calls
        ],
        "refs": [[r.ref_type.value, r.ref_uri, dict(r.ref_meta)] for r in turn.refs],
    }


def digest(body: dict[str, Any]) -> str:
    """Return a short fingerprint of a body."""
    plain = json.dumps(body, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def prose(dice: Random, characters: int) -> str:
    """Return mixed text in paragraphs that does not compress to nothing and never repeats."""
    parts: list[str] = []
    length = 0
    while length < characters:
        zh = "".join(dice.choices(_ZH, k=dice.randint(8, 30)))
        en = " ".join(dice.choices(_EN, k=dice.randint(6, 24)))
        parts.append(f"{zh}，{en} {dice.getrandbits(64):x}。{dice.choice(['', '', chr(10) * 2])}")
        length += len(parts[-1])
    return "".join(parts)[:characters]


def _body(dice: Random, number: int, kind: str) -> dict[str, Any]:
    said = {
        "zh": f"第{number}句：{prose(dice, 40)}",
        "en": f"number {number}: I moved the meeting to Thursday, {dice.getrandbits(32):x}",
        "large": f"{number} {prose(dice, dice.randint(3_000, 6_000))}",
        "chunks": f"{number} {prose(dice, dice.randint(12_000, 24_000))}",
    }.get(kind, f"{number} 请运行测试 run it {dice.getrandbits(32):x}")
    body: dict[str, Any] = {
        "messages": [
            {"role": "user", "content": said, "id": f"m{number}.0"},
            {"role": "assistant", "content": f"好的 ok {number}", "id": f"m{number}.1"},
        ]
    }
    if kind in ("tool", "output", "step"):
        size = dice.randint(4_000, 12_000) if kind == "output" else 300
        body["tool_calls"] = [_call(dice, number, ordinal, size) for ordinal in range(2)]
        body["refs"] = [
            {"ref_type": "file", "ref_uri": f"文档/{number}.md", "ref_meta": {"行": number}},
            {"ref_type": "url", "ref_uri": f"https://example.org/{number}", "ref_meta": {}},
        ]
    return body


def _call(dice: Random, number: int, ordinal: int, size: int) -> dict[str, Any]:
    return {
        "id": f"c{number}.{ordinal}",
        "name": "运行" if ordinal else "run_tests",
        "args": {"路径": f"tests/{number}", "deep": [1, {"x": None}]},
        "exit_code": ordinal,
        "result": {"总数": number, "ok": True} if ordinal else prose(dice, 100),
        "stdout": prose(dice, size),
        "stderr": f"错误 {number} {dice.getrandbits(32):x}",
    }
