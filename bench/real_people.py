"""Recall over months of real projects: is the right session among the first (R18, N6)?

Five people of RealMem, each a tenant of its own, live through their sessions in order; each
question is asked at its own time, of what had been said until then. Held against plain BM25 over
whole sessions, with the same stems and without stop words. Only totals are printed.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.compose_quality import Bm25
from bench.recall_data import DATA
from bench.report import Result, Setting
from smartbrain import SmartBrain
from smartbrain.testing.clock import FakeClock

FILE = DATA / "realmem" / "dialogues.jsonl.gz"
FIRST = (5, 10)
MOST = 100
LEAST = {"no model": 1.01, "bge-small-en-v1.5-q": 1.05}
"""How often the right session is found, against BM25."""


def run(setting: Setting) -> Iterator[Result]:
    """Measure two people without a model; with `--full` all of them, and with the English model."""
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        people = [json.loads(line) for line in lines][: setting.pick(2, 5)]
    names = [one for one in LEAST if setting.full or one == "no model"]
    for name in names:
        if not re.search(setting.only, name):
            continue
        model = None if name == "no model" else f"onnx:{DATA.parent / 'models' / name}"
        held: dict[str, list[bool]] = defaultdict(list)
        for person in people:
            folder = setting.folder / f"{name}-{person['who']}"
            for who, found in play_person(person, folder, model):
                held[who].append(found)
        yield from _results(name, held)


def play_person(
    person: Mapping[str, Any], folder: Path, model: str | None
) -> Iterator[tuple[str, bool]]:
    """Play the sessions of a person; yield who found the right session among the first."""
    sessions = sorted(person["sessions"], key=lambda one: one["at"][:10])
    clock = FakeClock(datetime(2020, 1, 1, tzinfo=UTC))
    peer = Bm25()
    with SmartBrain.open(folder, clock=clock, embedder=model) as brain:
        for place, session in enumerate(sessions):
            at = datetime.fromisoformat(f"{session['at'][:10]}T12:00:00+00:00")
            clock.now = max(clock.now, at + timedelta(seconds=place))
            turns = session["turns"]
            for number, turn in enumerate(turns):
                following = turns[number + 1 : number + 2]
                gold = {*turn["uses"], *(use for one in following for use in one["uses"])}
                gold &= set(peer.names)
                if turn.get("q") and gold:
                    if model:
                        brain.jobs.run("embed")
                    lists = {
                        "ours": _recall_sessions(brain, turn["text"], session["id"]),
                        "bm25": peer.rank(turn["text"]),
                    }
                    for who, order in lists.items():
                        for most in FIRST:
                            yield f"{who}@{most}", not gold.isdisjoint(order[:most])
                clock.now += timedelta(seconds=30)
                message = {"role": turn["role"].lower(), "content": turn["text"]}
                brain.commit_turn(session["id"], [message])
            peer.add(session["id"], "\n".join(turn["text"] for turn in turns))


def _recall_sessions(brain: SmartBrain, text: str, own: str) -> list[str]:
    """Return the sessions of what is recalled, best first, without the one that asks."""
    found = (item.session_id for item in brain.recall(text, k=MOST))
    return list(dict.fromkeys(one for one in found if one and one != own))


def _results(name: str, held: Mapping[str, Sequence[bool]]) -> Iterator[Result]:
    for most in FIRST:
        ours, peer = fmean(held[f"ours@{most}"]), fmean(held[f"bm25@{most}"])
        yield Result(
            name=f"real people, {name}, any@{most} of sessions",
            measured=f"{ours:.3f} of {len(held[f'ours@{most}'])} questions",
            against=f"BM25 over whole sessions {peer:.3f}",
            ratio=f"{ours / peer:.3f}",
            limit=f"≥ {LEAST[name]}",
            passed=ours >= LEAST[name] * peer,
            numbers={"ours": ours, "bm25": peer},
        )
