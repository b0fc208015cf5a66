"""How much is understood of told changes where the reader makes no mistake (N5, K5).

In: conversations labelled with what each message states (`tests/data/changes`), and single messages
of `reader` beside the data sets. Out: the share of expected memories that stand, and of told
changes that are understood, when a scripted language model answers with the very labels. What is
missed here no reader can mend: it is lost on the way from claims to memories.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.brains import open_fixed
from bench.recall_data import DATA
from bench.report import Result, Setting
from smartbrain import SmartBrain
from smartbrain.domain.keys import slug
from smartbrain.domain.memory import Memory
from smartbrain.ports.language_model import ModelAnswer, ModelMessage
from smartbrain.remember.claims import USER, StatedClaim, day_of
from smartbrain.testing.clock import FakeClock
from smartbrain.text.ontology import load_ontology

CHANGES = Path(__file__).parents[1] / "tests" / "data" / "changes" / "changes.jsonl"
READER = DATA.parent / "reader"
RIGHT, UNDERSTOOD = 0.98, 0.98
_AT = "2026-03-05T10:00:00+08:00"
_PEOPLE = frozenset(
    ("partner", "child", "parent", "sibling", "relative", "friend", "manager", "colleague")
)
_FIRST_FORMAT = {
    "nickname": "address_me", "address": "home", "workplace_hours": "schedule",
    "location": "place", "music": "media", "film_book": "media", "body": "health",
}  # fmt: skip
_SAMPLE = 1_500


class LabelModel:
    """Answers with the labels of the message that it is about to be shown."""

    model = "labels"

    def __init__(self) -> None:
        self.claims: list[dict[str, Any]] = []

    def complete(
        self,
        messages: Sequence[ModelMessage],  # noqa: ARG002 - the labels are known beforehand
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002
        timeout: float = 60.0,  # noqa: ARG002
    ) -> ModelAnswer:
        """Return the labels."""
        return ModelAnswer(json.dumps({"claims": self.claims}, ensure_ascii=False), self.model)

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""


_ARTICLE = re.compile(r"\A(?:the|our|my) ", re.IGNORECASE)


@dataclass(slots=True)
class Score:
    """What was expected, and how much of it came out right."""

    expected: int = 0
    right: int = 0
    changes: int = 0
    understood: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)


def run(setting: Setting) -> Iterator[Result]:
    """Measure the labelled changes, then single messages where they are at hand."""
    score = score_changes(setting.folder / "changes")
    shown = "; ".join(score.missed[:20])
    share, understood = score.right / score.expected, score.understood / score.changes
    yield Result(
        name="memories right with a perfect reader",
        measured=f"{share:.3f} ({score.right} of {score.expected})",
        against=shown or "nothing missed",
        limit=f"≥ {RIGHT}",
        passed=share >= RIGHT,
        numbers={"right": share},
    )
    yield Result(
        name="told changes understood with a perfect reader",
        measured=f"{understood:.3f} ({score.understood} of {score.changes})",
        against=f"dropped claims: {dict(score.dropped)}",
        limit=f"≥ {UNDERSTOOD}",
        passed=understood >= UNDERSTOOD,
        numbers={"understood": understood},
    )
    yield from _single_messages(setting)


def score_changes(folder: Path, every: int = 1) -> Score:
    """Commit every, or each n-th, labelled conversation to its own tenant and see what stands."""
    score, model, clock = Score(), LabelModel(), FakeClock()
    with open_fixed(folder, clock, language_model=model) as brain:
        for line in CHANGES.read_text(encoding="utf-8").splitlines()[::every]:
            row = json.loads(line)
            clock.now = max(datetime.fromisoformat(turn["at"]) for turn in row["turns"])
            _score_row(row, brain.tenant(row["id"]), model, score)
    shutil.rmtree(folder)
    return score


def _score_row(row: Mapping[str, Any], brain: SmartBrain, model: LabelModel, score: Score) -> None:
    for turn in row["turns"]:
        model.claims = [{**frame, "quote": turn["text"]} for frame in turn["frames"]]
        messages = [{"role": "user", "content": turn["text"]}]
        if turn.get("before"):
            messages.insert(0, {"role": "assistant", "content": turn["before"]})
        given = {"at": turn["at"], "messages": messages}
        result = brain.commit_turn(f"{row['id']}-{turn['session']}", given, wait=True)
        score.dropped.update(one.code for one in result.explain.ignored)
    standing = standing_of(brain)
    said_at = [datetime.fromisoformat(turn["at"]) for turn in row["turns"]]
    meant = _find_people(row["expect"]["stands"], standing, said_at)
    missed = []
    for expected in row["expect"]["stands"]:
        if not any(_answers(expected, one, said_at, meant) for one in standing):
            missed.append(f"{row['id']} lacks {_told(expected)}")
    for gone in row["expect"]["gone"]:
        if any(_answers(gone, one, said_at, meant) for one in standing):
            missed.append(f"{row['id']} keeps {_told(gone)}")
    count = len(row["expect"]["stands"]) + len(row["expect"]["gone"])
    score.expected += count
    score.right += count - len(missed)
    score.changes += 1
    score.understood += not missed
    score.missed += missed


@dataclass(frozen=True, slots=True)
class Standing:
    """One thing that stands: a fact of a profile, or a memory."""

    type: str
    key: str
    subject: str
    attr: str
    value: str
    fields: Mapping[str, Any]


def standing_of(brain: SmartBrain) -> list[Standing]:
    """Return everything that stands in a tenant."""
    return [one for memory in brain.memories.list(limit=1_000).items for one in _shown(memory)]


def _shown(memory: Memory) -> Iterator[Standing]:
    value = memory.value
    subject = slug(str(value.get("subject") or USER))
    if memory.type == "profile":
        for fact in value["facts"]:
            yield Standing("profile", memory.key, subject, fact["k"], str(fact["v"]), value)
        return
    fields = ("value", "decision", "title", "name")
    said = next((value[name] for name in fields if name in value), "")
    attr = str(value.get("topic") or value.get("attribute") or value.get("name") or "")
    yield Standing(memory.type, memory.key, subject, attr, str(said), value)


def _find_people(
    expected: Sequence[Mapping[str, Any]], standing: Sequence[Standing], said_at: Sequence[datetime]
) -> dict[str, str]:
    """Return whose profile each subject is: the one that holds most of what is expected."""
    subjects = {one["subject"] for one in expected if one["type"] == "profile"}
    found = {}
    for subject in subjects - {USER}:
        counts = Counter(
            one.key
            for wanted in expected
            if wanted["subject"] == subject
            for one in standing
            if _answers(wanted, one, said_at, {subject: one.key})
        )
        found[subject] = counts.most_common(1)[0][0] if counts else ""
    return found


def _answers(
    expected: Mapping[str, Any],
    one: Standing,
    said_at: Sequence[datetime],
    meant: Mapping[str, str],
) -> bool:
    """Tell whether what stands is what a label asks for."""
    if one.type != expected["type"] or not _is_same(expected["value"], one.value):
        return False
    if one.type in ("tasks", "goals"):
        return bool(expected.get("status", one.fields.get("status")) == one.fields.get("status"))
    if one.type == "events":
        return "when" not in expected or any(
            day_of(expected["when"], at).isoformat() == one.fields["date"] for at in said_at
        )
    if one.type == "decisions":
        return expected["attr"] == "other" or one.attr.startswith(expected["attr"])
    if one.attr != expected["attr"]:
        return False
    if expected["subject"] == USER or one.type != "profile":
        return one.subject == slug(_ARTICLE.sub("", expected["subject"]))
    return one.key == meant.get(expected["subject"]) and one.key != f"profile:{USER}"


def _is_same(expected: str, found: str) -> bool:
    return slug(expected) == slug(found)


def _told(expected: Mapping[str, Any]) -> str:
    return f"{expected['type']}.{expected['attr']} of {expected['subject']} = {expected['value']}"


def _single_messages(setting: Setting) -> Iterator[Result]:
    """Measure single labelled messages: each asserted frame has to stand afterwards."""
    if not (READER / "en.jsonl").is_file():
        yield Result("single messages with a perfect reader", "not here", f"{READER} is not there")
        return
    expected = right = 0
    missed: list[str] = []
    model = LabelModel()
    rows = [
        json.loads(line)
        for name in ("en", "zh")
        for line in (READER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    rows = [row for row in rows if row["frames"]]
    step = 1 if setting.full else max(1, len(rows) // _SAMPLE)
    folder = setting.folder / "single"
    with SmartBrain.open(
        folder, language_model=model, config={"tenants": {"max_open": 4}}
    ) as brain:
        for number, row in enumerate(rows[::step]):
            tenant = brain.tenant(f"r{number}")
            frames = [_second_format(frame) for frame in row["frames"]]
            model.claims = [{**frame, "quote": row["text"]} for frame in frames]
            given = {"at": _AT, "messages": [{"role": "user", "content": row["text"]}]}
            result = tenant.commit_turn("s", given, wait=True)
            standing = standing_of(tenant)
            for frame in frames:
                if frame["say"] == "end":
                    continue
                expected += 1
                if any(_holds(frame, one) for one in standing):
                    right += 1
                else:
                    why = [one.reason for one in result.explain.ignored]
                    missed.append(f"{_told(frame)} in {row['text'][:60]!r} {why[:1]}")
    shutil.rmtree(folder)
    if setting.rows:
        setting.rows.write_text("\n".join(missed) + "\n", encoding="utf-8")
    share = right / max(1, expected)
    yield Result(
        name="statements of single messages that stand",
        measured=f"{share:.3f} ({right} of {expected})",
        against="; ".join(missed[:3]) or "nothing missed",
        limit=f"≥ {RIGHT}",
        passed=share >= RIGHT,
        numbers={"right": share},
    )


def _holds(frame: Mapping[str, Any], one: Standing) -> bool:
    """Tell whether a statement stands, under whichever type and attribute it is filed."""
    return _is_same(frame["value"], one.value)


def _second_format(frame: Mapping[str, Any]) -> dict[str, Any]:
    """Return a frame of the first format in the second, as well as can be told."""
    found = {**frame, "attr": _FIRST_FORMAT.get(frame["attr"], frame["attr"])}
    subject = frame.get("subject") or USER
    found["subject"] = subject
    if frame["attr"] in _PEOPLE or frame["attr"] == "landlord":
        named = frame["value"][:1].isupper() or len(frame["value"]) <= 3
        found |= {"relation": frame["attr"], "attr": "name" if named else "other"}
        if subject == USER:
            found |= {"relation": "self", "attr": "other"}
    elif subject == USER:
        found["relation"] = "self"
    else:
        known = load_ontology().relation_of(subject)
        found["relation"] = known[0] if known else "thing"
    known_fields = StatedClaim.__struct_fields__
    return {name: item for name, item in found.items() if name in known_fields and item is not None}
