"""What recall answers: items with all that speaks for them, and a trace of how they were found.

In: nothing; `recall` fills these. Out: frozen values whose JSON is public (R1, S1). Cues are what a
message gives to look for; an arm's report says whether it answered, how fast, and why not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import field

from smartbrain.domain.evidence import Signals
from smartbrain.domain.memory import Compression, Status
from smartbrain.domain.packet import Quote
from smartbrain.domain.plan import RetrievalPlan
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record


class Intent(StrEnum):
    """What a message is after."""

    QA = "qa"
    CONTINUE_TASK = "continue_task"
    DEBUG = "debug"
    SUMMARIZE = "summarize"
    RESEARCH = "research"
    CHIT_CHAT = "chit_chat"
    OTHER = "other"


class CueTime(Record, frozen=True, kw_only=True):
    """A stretch of time that a message speaks of, in its own words; `until` is excluded."""

    words: str
    since: datetime
    until: datetime


class Cues(Record, frozen=True, kw_only=True):
    """What a message gives to look for (R2).

    `entities` are named in it, `referred` are what its "that repo" stands for in recent turns.
    `codes` are error codes, numbers, paths and addresses, `phrases` words in quotation marks.
    `times` are stretches of the past, `ahead` those that are not over, from the day of the message.
    `scopes` are folders, files or sites that the search is asked to stay in. `asking` is how likely
    it asks for something that somebody told, `attributes` are what it may ask for (K7).
    """

    text: str
    language: str = "other"
    intent: Intent = Intent.OTHER
    keywords: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    referred: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    times: tuple[CueTime, ...] = ()
    ahead: tuple[CueTime, ...] = ()
    scopes: tuple[str, ...] = ()
    recent: bool = False
    history: bool = False
    original: bool = False
    assistant: bool = False
    asking: float = 0.0
    attributes: tuple[str, ...] = ()


class QuestionReading(NamedTuple):
    """How likely a message asks for something that was told, and for which attributes (K7)."""

    asking: float = 0.0
    attributes: tuple[str, ...] = ()


class ArmVerdict(StrEnum):
    """What became of one arm in one recall."""

    OK = "ok"
    OFF = "off"
    SKIPPED = "skipped"
    NOT_READY = "not_ready"
    LATE = "late"
    FAILED = "failed"


class ArmReport(Record, frozen=True, kw_only=True):
    """One arm in one recall: whether it answered, what it found, how long it took."""

    name: str
    verdict: ArmVerdict
    code: str = "ok"
    reason: str = ""
    hits: int = 0
    took_ms: float = 0.0


class PathStep(Record, frozen=True, kw_only=True):
    """One step from a memory back to the words it rests on."""

    relation: str
    id: str
    type: str


class RecallItem(Record, frozen=True, kw_only=True):
    """A memory that was brought to mind, what spoke for it, and where it comes from.

    `at` is when it was said, `path` leads to its original words, `quotes` are some of them.
    """

    id: str
    type: str
    key: str
    title: str = ""
    text: str
    value: Mapping[str, Any] = field(default_factory=dict)
    score: float = 0.0
    signals: Signals = Signals()
    found_by: tuple[str, ...] = ()
    path: tuple[PathStep, ...] = ()
    quotes: tuple[Quote, ...] = ()
    confidence: float = 1.0
    status: Status = Status.ACTIVE
    version: int = 1
    compression: Compression = Compression.RAW
    source_turn_id: str | None = None
    session_id: str | None = None
    speaker: str | None = None
    at: datetime
    created_at: datetime

    @property
    def turn_id(self) -> str | None:
        """The turn it was said in, by the name that results and calls have for it."""
        return self.source_turn_id


class RecallTrace(Record, frozen=True, kw_only=True):
    """How a recall went: what it looked for, which arms answered, what was left out and why.

    `mode` names the row of the degradation table that was taken (R4). `seq` is the transaction that
    the views had come to, `behind` how many they lacked. `tokens` is what the items take, their
    quotes included where there is a budget. `stages` are milliseconds.
    `ignored_fields` tells of each filter of the plan that decides nothing by itself: by `key`, such
    as `global_filters.time_range`, whether it was weighed or passed over (R14). `outdated` tells of
    each turn that answers with what was replaced since, which `detail` names: it comes first.
    """

    request_id: str = ""
    mode: str = "all"
    degraded: bool = False
    cues: Cues | None = None
    plan: RetrievalPlan | None = None
    arms: tuple[ArmReport, ...] = ()
    seq: int = 0
    behind: int = 0
    candidates: int = 0
    tokens: int = 0
    stages: Mapping[str, float] = field(default_factory=dict)
    omitted: tuple[Reason, ...] = ()
    ignored_fields: tuple[Reason, ...] = ()
    outdated: tuple[Reason, ...] = ()


class Recall(Record, frozen=True, kw_only=True):
    """The answer of `brain.recall`: items, best first; iterate over it, index it, ask its trace."""

    items: tuple[RecallItem, ...] = ()
    trace: RecallTrace = field(default_factory=RecallTrace)

    def __iter__(self) -> Iterator[RecallItem]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> RecallItem:
        return self.items[place]
