"""The memory types that come with SmartBrain, one small class each (M1).

Each class is a declaration: key template, node kind, packet group, conflict rule, value shape, and
how a value reads as one line. Nothing here is special: a registered type does the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from smartbrain.domain.graph import NodeKind
from smartbrain.domain.memory_type import (
    ConflictClass,
    Group,
    MemoryType,
    as_text,
    aside,
    labelled,
    marked,
    pair,
    under,
)
from smartbrain.domain.shapes import (
    Anything,
    Boolean,
    Choice,
    Date,
    Integer,
    ListOf,
    Number,
    Object,
    Text,
    Time,
    When,
)
from smartbrain.domain.time import Granularity

PREFERENCE_SCOPES: Final = ("writing", "coding", "tools", "ui", "other")
TASK_STATUSES: Final = ("todo", "doing", "done", "blocked")
ENDED: Final = frozenset(
    (
        *("done", "achieved", "reached", "complete", "completed", "finished", "dropped"),
        *("abandoned", "cancelled", "canceled", "inactive", "完成", "已完成", "达成", "已达成"),
        *("实现", "已实现", "放弃", "已放弃", "取消", "已取消"),
    )
)
"""What the status of a goal or a task may say when nothing is left to do about it."""
ENTITY_KINDS: Final = ("person", "org", "repo", "file", "url", "topic", "place", "object", "other")

_NOTE: Final = Text(required=False)
_NOTES: Final = ListOf(Text(), required=False)


class Profile(MemoryType):
    """Who a subject is: lasting facts about the user, the agent or somebody else."""

    name = "profile"
    key = "profile:<subject>"
    node_kind = NodeKind.FACT
    group = Group.FACTS
    on_conflict = ConflictClass.VERSIONED
    value = Object(
        {
            "subject": Text(),
            "facts": ListOf(
                Object(
                    {
                        "k": Text(),
                        "v": Anything(),
                        "since": When(required=False),
                        "until": When(required=False),
                        "claims": ListOf(Text(), required=False),
                    }
                )
            ),
        }
    )

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `user — role: engineer (since 2024-05-17); city: 上海`."""
        facts = []
        for fact in value.get("facts", ()):
            since = as_text(fact.get("since"))
            said = labelled(as_text(fact.get("k")), as_text(fact.get("v")))
            facts.append(f"{said} (since {since})" if since else said)
        return under(value, "subject", "; ".join(facts))


class Preferences(MemoryType):
    """How somebody wants things done."""

    name = "preferences"
    key = "pref:<scope>:<name>"
    node_kind = NodeKind.PREFERENCE
    group = Group.FACTS
    on_conflict = ConflictClass.OVERWRITE
    value = Object(
        {
            "scope": Choice(PREFERENCE_SCOPES),
            "name": Text(),
            "value": Anything(),
            "priority": Number(0, 1, required=False),
        }
    )
    reads = ("scope", "name", "value")


class Goals(MemoryType):
    """What somebody wants to reach."""

    name = "goals"
    key = "goal:<project>:<name(description)>"
    node_kind = NodeKind.TASK
    group = Group.FACTS
    on_conflict = ConflictClass.OVERWRITE
    value = Object(
        {
            "project": Text(),
            "name": Text(),
            "description": _NOTE,
            "status": Text(default="active"),
        }
    )

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `SmartBrain — local_first: build a runtime [active]`."""
        said = pair(value, "name", "description")
        return under(value, "project", marked(said, value.get("status")))


class Tasks(MemoryType):
    """What has to be done, and how far it is."""

    name = "tasks"
    key = "task:<project>:<task_id(title)>"
    node_kind = NodeKind.TASK
    group = Group.FACTS
    on_conflict = ConflictClass.OVERWRITE
    value = Object(
        {
            "project": Text(),
            "task_id": Text(),
            "title": Text(),
            "status": Choice(TASK_STATUSES, default="todo"),
            "due": When(required=False),
            "assignee": Text(required=False),
            "notes": _NOTES,
        }
    )

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `SmartBot — Anna: 接入记忆 [doing] (due 2026-03-01): first note, second note`."""
        title = labelled(as_text(value.get("assignee")), as_text(value.get("title")))
        said = marked(title, value.get("status"))
        due = as_text(value.get("due"))
        said = f"{said} (due {due})" if due else said
        return under(value, "project", labelled(said, as_text(value.get("notes"))))


class Decisions(MemoryType):
    """What was settled, and why."""

    name = "decisions"
    key = "decision:<project>:<topic>"
    node_kind = NodeKind.FACT
    group = Group.FACTS
    on_conflict = ConflictClass.VERSIONED
    value = Object(
        {
            "project": Text(),
            "topic": Text(),
            "decision": Text(),
            "rationale": _NOTE,
            "made_at": When(required=False),
        }
    )

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `SmartRAG — api: add retrieve(plan) (a contract; 2026-02-20)`."""
        said = pair(value, "topic", "decision")
        return under(value, "project", aside(said, value, "rationale", "made_at"))


class Facts(MemoryType):
    """One lasting state of one subject; of contradicting ones priority elects the active."""

    name = "facts"
    key = "fact:<subject>:<attribute>"
    node_kind = NodeKind.FACT
    group = Group.FACTS
    on_conflict = ConflictClass.PRIORITY
    value = Object({"subject": Text(), "attribute": Text(), "value": Anything(null=True)})
    reads = ("subject", "attribute", "value")


class Entities(MemoryType):
    """Somebody or something with a name, under all the names it goes by."""

    name = "entities"
    key = "entity:<kind>:<canonical>"
    node_kind = NodeKind.ENTITY
    group = Group.CUES
    on_conflict = ConflictClass.MERGE
    value = Object(
        {
            "kind": Choice(ENTITY_KINDS),
            "canonical": Text(),
            "aliases": _NOTES,
            "attrs": Object(required=False),
        }
    )

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `zhuangbiaowei/smart_rag (repo; smart_rag): host: github.com`."""
        said = aside(as_text(value.get("canonical")), value, "kind", "aliases")
        attrs = [labelled(name, as_text(item)) for name, item in value.get("attrs", {}).items()]
        return labelled(said, "; ".join(attrs))


class Concepts(MemoryType):
    """A topic that memories gather around."""

    name = "concepts"
    key = "concept:<slug(name)>"
    node_kind = NodeKind.CONCEPT
    group = Group.CUES
    on_conflict = ConflictClass.MERGE
    value = Object({"name": Text(), "description": _NOTE, "aliases": _NOTES, "keywords": _NOTES})

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `图数据库 (graph database; 节点, 边): 以图存储关系`."""
        said = aside(as_text(value.get("name")), value, "aliases", "keywords")
        return labelled(said, as_text(value.get("description")))


class Episodes(MemoryType):
    """One turn, as it went; its text tells it."""

    name = "episodes"
    key = "episode:<session>:<turn>"
    node_kind = NodeKind.EPISODE
    group = Group.EPISODES
    on_conflict = ConflictClass.APPEND
    keyed_by_ids = True
    text_is_body = True
    value = Object({"session": Text(), "turn": Text(), "speakers": _NOTES})


class Events(MemoryType):
    """Something that happened on a day and will be referred to."""

    name = "events"
    key = "event:<scope>:<date>:<slug(title)>"
    node_kind = NodeKind.EPISODE
    group = Group.EPISODES
    on_conflict = ConflictClass.VERSIONED
    value = Object({"scope": Text(), "date": Date(), "title": Text(), "impact": _NOTE})

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `SmartBrain — 2026-02-20: split the runtime (architecture)`."""
        said = pair(value, "date", "title")
        return under(value, "scope", aside(said, value, "impact"))

    def project(self, value: Mapping[str, Any]) -> str:
        """An event's scope is the project that it belongs to."""
        return as_text(value.get("scope"))


class Statements(MemoryType):
    """What one sentence of a turn says happens: predicate, negation, modality, time."""

    name = "statements"
    key = "statement:<turn>:<n>"
    node_kind = NodeKind.FACT
    group = Group.EPISODES
    on_conflict = ConflictClass.APPEND
    keyed_by_ids = True
    text_is_body = True
    value = Object(
        {
            "turn": Text(),
            "n": Integer(0),
            "predicate": Object({"normalized": Text(), "words": _NOTE}),
            "negation": Boolean(default=False),
            "modality": Text(default="asserted"),
            "time": Object(
                {
                    "start": Time(required=False),
                    "end": Time(required=False),
                    "granularity": Choice(tuple(Granularity), default=Granularity.UNSPECIFIED),
                    "words": _NOTE,
                },
                required=False,
            ),
        }
    )

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `not play_soccer (asserted)`."""
        predicate = as_text(value.get("predicate", {}).get("normalized"))
        said = f"not {predicate}" if value.get("negation") else predicate
        return aside(said, value, "modality")


class Cases(MemoryType):
    """A problem once solved: what it was, what was done, how it went."""

    name = "cases"
    key = "case:<domain>:<slug(problem)>"
    node_kind = NodeKind.PROCEDURE
    group = Group.PROCEDURES
    on_conflict = ConflictClass.VERSIONED
    value = Object(
        {
            "domain": Text(),
            "problem": Text(),
            "solution": Text(),
            "outcome": _NOTE,
            "artifacts": ListOf(Object({"type": Text(), "ref": Text()}), required=False),
        }
    )

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `rag_debug — empty answers → rebuild the index (works)`."""
        steps = (as_text(value.get("problem")), as_text(value.get("solution")))
        return under(value, "domain", aside(" → ".join(filter(None, steps)), value, "outcome"))


class Patterns(MemoryType):
    """A rule drawn from several cases."""

    name = "patterns"
    key = "pattern:<domain>:<name>"
    node_kind = NodeKind.PROCEDURE
    group = Group.PROCEDURES
    on_conflict = ConflictClass.VERSIONED
    value = Object(
        {
            "domain": Text(),
            "name": Text(),
            "rule": Text(),
            "confidence": Number(0, 1, required=False),
        }
    )
    reads = ("domain", "name", "rule")


class Insights(MemoryType):
    """A hypothesis of one run, gone with it unless it is validated."""

    name = "insights"
    key = "insight:<run>:<n>"
    node_kind = NodeKind.INSIGHT
    group = Group.INSIGHTS
    on_conflict = ConflictClass.EXPIRE
    keyed_by_ids = True
    value = Object(
        {
            "run": Text(),
            "n": Integer(0),
            "statement": Text(),
            "validated": Boolean(default=False),
            "validated_by": _NOTE,
        }
    )

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Read as `retries hide the timeout [unvalidated]`."""
        mark = "validated" if value.get("validated") else "unvalidated"
        return marked(as_text(value.get("statement")), mark)


class Meta(MemoryType):
    """What the runtime notes about itself; never shown in a packet."""

    name = "meta"
    key = "meta:<name>"
    node_kind = NodeKind.META
    group = Group.NONE
    on_conflict = ConflictClass.OVERWRITE
    value = Object({"name": Text(), "value": Anything(null=True, required=False)})
    reads = ("", "name", "value")


BUILTIN: Final[tuple[type[MemoryType], ...]] = (
    Profile,
    Preferences,
    Goals,
    Tasks,
    Decisions,
    Facts,
    Entities,
    Concepts,
    Episodes,
    Events,
    Statements,
    Cases,
    Patterns,
    Insights,
    Meta,
)
