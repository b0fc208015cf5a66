"""A memory type: a small class that says how its memories are keyed, shaped, merged and read (M1).

In: class attributes (name, key template, node kind, packet group, conflict rule, value shape). Out:
keys from values, values completed from keys, one readable line a value, and the text that a memory
is searched by (M6). A wrong declaration is refused where the class is written. Which types there
are is in `domain.types`; what happens on a conflict is done by the write path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, ClassVar, Final, Protocol, TypeVar

from msgspec import field

from smartbrain.domain.graph import NodeKind
from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.keys import KeyRule, is_name, read_template, segment_text, slug, spells
from smartbrain.domain.memory import Memory
from smartbrain.domain.record import Record, canonical_json
from smartbrain.domain.shapes import (
    Boolean,
    Choice,
    Date,
    Integer,
    ListOf,
    Number,
    Object,
    Text,
    When,
    json_problem,
    size_problem,
)
from smartbrain.errors import UsageError


def as_text(value: object) -> str:
    """Return a JSON value as one line of text for people: words as they are, the rest as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list | tuple):
        return ", ".join(as_text(item) for item in value)
    return canonical_json(value)


def labelled(label: str, text: str) -> str:
    """Return `label: text`, or the one that is there."""
    return f"{label}: {text}" if label and text else label or text


def pair(value: Mapping[str, Any], label: str, text: str) -> str:
    """Return `label: text` of two fields."""
    return labelled(as_text(value.get(label)), as_text(value.get(text)))


def under(value: Mapping[str, Any], field: str, text: str) -> str:
    """Return `field — text`: what a text belongs to, then the text."""
    return " — ".join(filter(None, (as_text(value.get(field)), text)))


def marked(text: str, mark: object) -> str:
    """Return `text [mark]`."""
    return f"{text} [{as_text(mark)}]" if text and mark else text


def aside(text: str, value: Mapping[str, Any], *fields: str) -> str:
    """Return `text (field; field)` with the fields that are there."""
    said = "; ".join(filter(None, (as_text(value.get(field)) for field in fields)))
    return f"{text} ({said})" if said else text


_RESERVED: Final = frozenset({"at", "messages", "tool_calls", "refs", "retractions"})
"""What a turn's events already hold under these names; proposals of a type come beside them."""

_ABOUT_PROPOSAL: Final = Object(
    {
        "confidence": Number(0, 1, required=False),
        "confirmed": Boolean(required=False),
        "remember": Boolean(required=False),
        "evidence_refs": ListOf(Text(), required=False),
        "valid_until": When(required=False),
    }
)
"""What a proposal says beside its key and the fields of its value."""

_DECLARED: Final = ("name", "key", "node_kind", "group", "on_conflict")


class Group(StrEnum):
    """The part of a memory packet that a type's memories enter."""

    FACTS = "facts"
    EPISODES = "episodes"
    PROCEDURES = "procedures"
    INSIGHTS = "insights"
    CUES = "cues"
    NONE = "none"


class ConflictClass(StrEnum):
    """What happens when a key that is taken is written again.

    `overwrite` lets the newest stand; `versioned` does too and keeps the history as knowledge;
    `priority` is versioned with the active one elected; `merge` unites old and new; `append` never
    meets an old one; `expire` appends what ends with its run.
    """

    OVERWRITE = "overwrite"
    VERSIONED = "versioned"
    PRIORITY = "priority"
    MERGE = "merge"
    APPEND = "append"
    EXPIRE = "expire"

    @property
    def reported(self) -> str:
        """The rule's name in a commit's explanation of conflicts."""
        return {"priority": "versioned", "expire": "append"}.get(self.value, self.value)


class Completed(Record, frozen=True):
    """A value made whole by its key, and what it had said where the key said otherwise."""

    value: Mapping[str, Any]
    overridden: Mapping[str, Any] = field(default_factory=dict)


class MemoryType:
    """Subclass this and set the attributes to declare a type; hand the class to a registry.

    Each segment of `key` names a field of `value`, and that field's shape checks it; a segment
    without a declared field is a text field. `<slug(title)>` is not a field: it is made of the
    title when a value is given without a key.
    """

    name: ClassVar[str]
    key: ClassVar[str]
    node_kind: ClassVar[NodeKind]
    group: ClassVar[Group]
    on_conflict: ClassVar[ConflictClass]
    value: ClassVar[Object] = Object()
    keyed_by_ids: ClassVar[bool] = False  # keys of nothing but ids are fine
    text_is_body: ClassVar[bool] = False  # a memory's text says more than its value
    reads: ClassVar[tuple[str, str, str] | None] = None  # fields: what it is under, label, text
    rule: ClassVar[KeyRule]  # the template, read

    def __init_subclass__(cls) -> None:
        """Read the declaration once and refuse it where it is written, if it is wrong."""
        for attribute in _DECLARED:
            if not hasattr(cls, attribute):
                raise UsageError(f"memory type {cls.__name__} lacks {attribute!r}; set it")
        if not is_name(cls.name) or cls.name in _RESERVED:
            raise UsageError(
                f"a memory type cannot be named {shown(cls.name)}; use a lower-case ASCII or CJK"
                f" word other than {', '.join(sorted(_RESERVED))}"
            )
        try:
            kinds = [kind for kind in NodeKind if kind is not NodeKind.RAW]
            cls.node_kind = _member(kinds, cls.node_kind, "node_kind")
            cls.group = _member(Group, cls.group, "group")
            cls.on_conflict = _member(ConflictClass, cls.on_conflict, "on_conflict")
            cls.rule, cls.value = _keyed(cls.key, cls.value, keyed_by_ids=cls.keyed_by_ids)
        except UsageError as error:
            raise UsageError(f"memory type {cls.name}: {error.message}") from None

    def __repr__(self) -> str:
        return f"<memory type {self.name} {self.rule.form}>"

    def make_key(self, /, **fields: object) -> str:
        """Return the key of these fields; see `key_of`."""
        return self.key_of(fields)

    def key_of(self, value: Mapping[str, Any]) -> str:
        """Return the key that names a value, the same for every spelling of blanks."""
        texts = []
        for segment in self.rule.segments:
            given = value.get(segment.name)
            if segment.source is not None and given in (None, ""):
                source = value.get(segment.source)
                given = slug(source) if isinstance(source, str) else None
            if isinstance(given, bool) or not isinstance(given, str | int):
                given = ""
            text = segment_text(str(given))
            if not text:
                needs = " or ".join(filter(None, (segment.name, segment.source)))
                raise UsageError(
                    f"a key of {self.name} needs {needs} with a letter or digit in it;"
                    f" give it, or a whole key such as {self.rule.example}",
                    code="bad_key",
                )
            texts.append(text)
        key = self.rule.join(texts)
        self.check_key(key)
        return key

    def parse_key(self, key: str) -> dict[str, Any]:
        """Return a key's segments by name, each read as its field's shape."""
        return self._read(key, self.rule.split(key))

    def check_key(self, key: str) -> None:
        """Refuse a key that breaks this type's rules, as `parse_key` does."""
        self.parse_key(key)

    def complete(self, key: str, value: Mapping[str, Any]) -> Completed:
        """Return the value as stored: what it lacks taken from its key, then checked.

        Where both speak the key wins, and `overridden` holds what the value had said. A value
        that merely spells a segment more fully ("New York" for `New_York`) keeps its spelling.
        To change a few fields of a stored memory, lay them over its value first.
        """
        named = self.parse_key(key)
        self._refuse(json_problem(value, self.name) or _OBJECT.problem(value, self.name))
        filled, overridden = dict(value), {}
        for segment in self.rule.segments:
            said, shape = named[segment.name], self.value.fields.get(segment.name)
            given = filled.get(segment.name)
            if shape is not None and not _agree(given, said, free=isinstance(shape, Text)):
                if not shape.absent(given):
                    overridden[segment.name] = given
                filled[segment.name] = said
            source = segment.source or ""
            made = self.value.fields.get(source)
            if made and made.required and made.absent(filled.get(source)):
                filled[source] = str(said).replace("_", " ")
        # What the key has added is plain text or a number: as JSON the value is still fine.
        self._refuse(self.value.problem(filled, self.name) or size_problem(filled, self.name))
        return Completed(self.value.stored(filled), overridden)

    def check_proposal(self, proposal: Mapping[str, Any]) -> None:
        """Make sure that what somebody proposes to remember could be a memory of this type."""
        self._refuse(_ABOUT_PROPOSAL.problem(proposal, self.name))
        about = {"key", *_ABOUT_PROPOSAL.fields}
        value = {field: proposal[field] for field in proposal if field not in about}
        self.complete(proposal.get("key") or self.key_of(value), value)

    def sentence(self, value: Mapping[str, Any]) -> str:
        """Return one readable line for a value, in the language that the value is in.

        `reads` names the fields of such as `writing — tone: focused`; override this where a type
        reads better in another order.
        """
        if self.reads is not None:
            above, label, text = self.reads
            return under(value, above, pair(value, label, text))
        named = [segment.name for segment in self.rule.segments]
        head = " · ".join(filter(None, (as_text(value.get(name)) for name in named)))
        rest = {name: as_text(item) for name, item in value.items() if name not in named}
        return labelled(head, "; ".join(f"{name}: {text}" for name, text in rest.items() if text))

    def project(self, value: Mapping[str, Any]) -> str:
        """Return the project that a value belongs to, or nothing."""
        return as_text(value.get("project"))

    def _read(self, key: str, named: Mapping[str, str]) -> dict[str, Any]:
        """Return the segments of a key, each read as its field's shape."""
        parsed: dict[str, Any] = {}
        for name, text in named.items():
            shape = self.value.fields.get(name, _SLUG)
            read = _integer(text) if isinstance(shape, Integer) else text
            wrong = shape.problem(read, name)
            if wrong:
                raise self.rule.refusal(key, wrong)
            parsed[name] = read
        return parsed

    def _refuse(self, problem: str | None) -> None:
        if problem:
            raise UsageError(problem, code="bad_value")


_SLUG: Final = Text()
_OBJECT: Final = Object()
_Member = TypeVar("_Member", bound=StrEnum)


def _member(options: Iterable[_Member], value: object, what: str) -> _Member:
    by_name = {option.value: option for option in options}
    if not isinstance(value, str) or value not in by_name:
        raise UsageError(
            f"{what} is {shown(value)}; it must be one of {', '.join(by_name)}"
            f"{did_you_mean(value, by_name)}"
        )
    return by_name[value]


def _keyed(key: str, value: Object, *, keyed_by_ids: bool) -> tuple[KeyRule, Object]:
    """Read a template together with the shapes of the fields that it names."""
    if not isinstance(value, Object):
        raise UsageError(f"value is {shown(value)}; write Object({{field: shape}})")
    samples: dict[str, str] = {}
    for name, shape in value.fields.items():
        if isinstance(shape, Choice):
            samples[name] = shape.options[0]
        elif isinstance(shape, Date):
            samples[name] = "2026-02-20"
        elif isinstance(shape, Integer):
            samples[name] = str(int(shape.minimum or 1))
    rule = read_template(key, samples, keyed_by_ids=keyed_by_ids)
    fields = dict(value.fields)
    for segment in rule.segments:
        if segment.source is not None and not isinstance(fields.get(segment.source), Text):
            raise UsageError(f"key is made from {segment.source!r}; declare that field as text")
        if segment.source is None:
            fields.setdefault(segment.name, Text())
        shape = fields.get(segment.name, _SLUG)
        if not isinstance(shape, Text | Choice | Date | Integer):
            raise UsageError(
                f"key has {segment.name!r}, which is {shape.expected};"
                " only text, a choice, a date or an integer can be in a key"
            )
        spaced = [] if not isinstance(shape, Choice) else shape.options
        if any(segment_text(option) != option for option in spaced):
            raise UsageError(f"key has {segment.name!r}, whose choices must be without blanks")
    return rule, Object(fields)


def _integer(text: str) -> int | str:
    """Read an integer as a key spells it; anything else stays text for the shape to refuse."""
    plain = text.removeprefix("-")
    if not (plain.isascii() and plain.isdigit() and len(plain) < 20):
        return text
    return int(text) if str(int(text)) == text else text


def _agree(given: object, said: object, *, free: bool) -> bool:
    """Tell whether a value's field says what its key says; free text may be spelled out."""
    if free and isinstance(given, str) and isinstance(said, str):
        return spells(said, given)
    return type(given) is type(said) and given == said


class Said(Protocol):
    """Anything that says what a memory says."""

    @property
    def title(self) -> str:
        """Its title."""
        ...

    @property
    def text(self) -> str:
        """Its text."""
        ...

    @property
    def value(self) -> Mapping[str, Any]:
        """Its value."""
        ...


def chunk_text(memory: Memory, memory_type: MemoryType) -> str:
    """Return the `[type:key]` line, the readable value, and the line of source, day and project.

    The day is the one on the speaker's own clock, as `said_at` carries it.
    """
    body = searchable(memory, memory_type)
    return "\n".join([f"[{memory.type}:{memory.key}]", body, _origin(memory, memory_type)])


def searchable(memory: Said, memory_type: MemoryType | None) -> str:
    """Return what a memory says, in words; of a type that is not known any more, its text."""
    text = memory.text.strip()
    if memory_type is not None and not (text and memory_type.text_is_body):
        text = memory_type.sentence(memory.value) or text
    return text or memory.title


def _origin(memory: Memory, memory_type: MemoryType) -> str:
    """Return such as `Source: turn 0197… · 2026-02-20 · Project: SmartBrain`."""
    parts = [memory.said_at.date().isoformat()]
    if memory.source_turn_id:
        parts.insert(0, f"Source: turn {memory.source_turn_id}")
    elif memory.source_operation_id:
        parts.insert(0, f"Source: operation {memory.source_operation_id}")
    project = memory_type.project(memory.value)
    if project:
        parts.append(f"Project: {project}")
    return " · ".join(parts)
