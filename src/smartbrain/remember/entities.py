"""Whom and what a turn names: the entities in its words, its refs and its statements (C2, C6, C7).

In: messages of any mood, for a question names things as well as a statement. Out: each entity once,
whatever it is called, with why it passes the gate if its words tell: it has the form of an address,
the user asked to remember it, or comes back to it (上次那家公司). The gate itself is in `link`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.claim import Source
from smartbrain.domain.memory_type import MemoryType
from smartbrain.domain.statement import Statement
from smartbrain.domain.turn import RefType, Turn
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import UsageError
from smartbrain.remember.rules.forms import find_declared
from smartbrain.text.controls import without_controls
from smartbrain.text.entities import Entity, find_entities
from smartbrain.text.entity_words import all_names, first_name
from smartbrain.text.pattern import pattern
from smartbrain.text.pii import is_masked

if TYPE_CHECKING:
    from smartbrain.remember.rules.said import Said
    from smartbrain.remember.write_set import WriteSet

MAX_ENTITIES: Final = 50
"""The most entities of one step of a turn; the first are kept."""
BESIDE: Final = "other"
"""The kind of what tells when, how or why, and is nobody and no thing."""
STRUCTURAL: Final = "entity_structural"
DECLARED: Final = "entity_declared"
REFERRED: Final = "entity_referred"
"""The codes of entities that pass the gate by their form, by a wish, by coming back to them."""
_BY_FORM: Final = frozenset({"repo", "file", "url"})
_DOING: Final = ("活动", "运动", " activity", " activities")
_MAX_VERSIONS: Final = 10  # of one thing
_NUMBERS: Final = re.compile(r"(\d{1,18})")
_THINGS: Final = {
    "repo": ("repo(?:sitory)?", "仓库|代码库"),
    "url": ("link|url|page|site", "链接|网址|网站|网页"),
    "file": ("file|document|doc", "文件|文档"),
    "person": ("person|guy|woman|man|colleague", "人|同事|客户"),
    "org": ("company|firm|team|school", "公司|团队|学校|机构"),
    "place": ("place|city|restaurant|hotel", "地方|城市|餐厅|酒店|饭店"),
    "object": ("tool|app|product|project|library", "工具|应用|产品|项目|软件"),
}
"""The nouns by which the user comes back to an entity of a kind."""
_NOUNS_EN: Final = "|".join(f"(?P<{kind}>{nouns})" for kind, (nouns, _) in _THINGS.items())
_NOUNS_ZH: Final = "|".join(f"(?P<{kind}>{nouns})" for kind, (_, nouns) in _THINGS.items())
_AGO_ZH: Final = "上次|上回|之前|刚才|昨天|前面|先前"
_BACK_TO: Final = (
    pattern(
        rf"\b(?:that|the same) (?:{_NOUNS_EN})\b"
        r"(?=.{0,30}\b(?:last time|earlier|yesterday|before|again|we|you|i)\b)",
        re.IGNORECASE,
    ),
    pattern(
        rf"(?:(?:{_AGO_ZH})(?:说|提|聊|讲)?(?:过|到)?的?[那这](?:个|家|份|条)?|那[个家份条])"
        rf"(?:{_NOUNS_ZH})"
    ),
)
_NAMED_BEFORE: Final = 12
_BEFORE_NAME: Final = pattern(
    r"\b(?:that|the same) (?P<en>)\Z"
    rf"|(?:{_AGO_ZH})(?:说|提|聊|讲|做)?(?:过|到)?(?:的[那这]?|[那这])(?:个|家|份|条|位|件)?\s?\Z",
    re.IGNORECASE,
)
_AFTER_NAME: Final = pattern(
    rf"\s(?:{'|'.join(nouns for nouns, _ in _THINGS.values())})\b"
    r"(?=.{0,30}\b(?:last time|earlier|yesterday|before|again|we)\b)",
    re.IGNORECASE,
)


class Named(NamedTuple):
    """An entity that a turn names: its value, what it is called, and why it passes the gate.

    `title` is what it was called first: it may be filed under a name in another language. `plain`
    is whether nothing but its part in a statement makes it a name: "the samples".
    """

    value: dict[str, Any]
    names: dict[str, None]
    why: str
    title: str
    plain: bool = False

    @property
    def beside(self) -> bool:
        """Whether it only tells when, how or why: a node of the graph, and never a memory."""
        return bool(self.value["kind"] == BESIDE)


@dataclass(slots=True)
class Names:
    """The entities of a turn by their keys, those that are too many for it, and who says which."""

    kind: MemoryType
    by_key: dict[str, Named] = field(default_factory=dict)
    keys: dict[tuple[str, str], str] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    said_in: set[tuple[int, str]] = field(default_factory=set)

    def add(
        self,
        value: dict[str, Any],
        names: Sequence[str],
        why: str = "",
        message: int | None = None,
        *,
        plain: bool = False,
    ) -> None:
        """Add an entity, or one more way it is named, and why it passes the gate if it does.

        What was masked names nothing: the marks of different people look alike.
        """
        called = (value["kind"], value["canonical"])
        filed = first_name(*called)
        key = "" if holds_mark(called[1]) else key_of(self.kind, kind=called[0], canonical=filed)
        if not key:
            return
        if filed != called[1]:
            value, names = {**value, "canonical": filed}, (*names, called[1])
        self.keys[called] = key
        known = self.by_key.get(key)
        if known is None and len(self.by_key) >= MAX_ENTITIES:
            self.left_out.add(key)
            return
        known = known or Named(value, {}, why, called[1], plain)
        if message is not None:
            self.said_in.add((message, key))
        known.names.update(dict.fromkeys(name for name in names if not holds_mark(name)))
        both = merge_values(known.value, value) if value.get("attrs") else known.value
        self.by_key[key] = known._replace(why=known.why or why, value=both)

    def texts(self) -> tuple[str, ...]:
        """Return what they are called, each once."""
        return tuple(one.title for one in self.by_key.values() if not one.beside)

    def use_stored_keys(self, writes: WriteSet) -> None:
        """Let an entity go by the key it is stored under, if that is of another of its names."""
        others = {}
        for key, named in self.by_key.items():
            kind, filed = named.value["kind"], named.value["canonical"]
            aliases = all_names(kind, filed)[1:]
            others[key] = [key_of(self.kind, kind=kind, canonical=one) for one in aliases]
        writes.read([*others, *(one for keys in others.values() for one in keys)])
        for key, keys in others.items():
            found = (writes.standing("entities", one) for one in keys)
            stored = next(filter(None, found), None)
            if stored is None or writes.standing("entities", key) is not None:
                continue
            named = self.by_key.pop(key)
            value = {**named.value, "canonical": stored.value["canonical"]}
            self.by_key[stored.key] = named._replace(value=value)
            self.keys = {one: stored.key if to == key else to for one, to in self.keys.items()}
            self.said_in = {(at, stored.key if to == key else to) for at, to in self.said_in}

    def lowered(self) -> list[tuple[str, str]]:
        """Return every way they are called, in lower case, each with its entity's key."""
        called = [(key, one.names) for key, one in self.by_key.items() if not one.beside]
        return [(key, name.casefold()) for key, names in called for name in names]

    def topics(self) -> Iterator[tuple[str, str]]:
        """Yield what concepts of them may be called, each with the name it is known by.

        With a thing comes what is done with it: 足球活动 is a concept of 足球.
        """
        for key, name in self.lowered():
            yield name, name
            if self.by_key[key].value["kind"] == "object":
                yield from ((name + doing, name) for doing in _DOING)


@lru_cache(maxsize=8_192)
def key_of(memory_type: MemoryType, /, **fields: str) -> str:
    """Return the key of an entity or a concept; none for a name without a letter."""
    try:
        return memory_type.key_of(fields)
    except UsageError:
        return ""


def find_names(
    said: Iterable[tuple[int, Said]],
    step: Turn,
    told: Iterable[tuple[int, Statement]],
    *,
    types: TypeRegistry,
) -> Names:
    """Return every entity that a step names: in its words, its refs and its statements' roles."""
    names = Names(types.get("entities"))
    for index, message in said:
        for sentence in message.everything:
            for entity in find_entities(sentence.text):
                value, why = _value_of(entity), _why(entity, sentence.text, message.source)
                names.add(value, (entity.name, *value.get("aliases", ())), why, index)
    for ref in step.refs:
        if ref.ref_type is not RefType.ARTIFACT:
            uri = without_controls(ref.ref_uri)
            names.add({"kind": ref.ref_type.value, "canonical": uri}, (uri,), STRUCTURAL)
    for index, statement in told:
        for role in statement.roles:
            if not holds_mark(role.name, statement.text):
                value = {"kind": role.kind, "canonical": role.name}
                names.add(value, (role.name,), message=index, plain=True)
        if statement.time is not None:
            names.add({"kind": BESIDE, "canonical": statement.time.name}, (statement.time.name,))
    return names


def _value_of(entity: Entity) -> dict[str, Any]:
    value: dict[str, Any] = {"kind": entity.kind, "canonical": entity.canonical}
    names = (entity.name, *entity.aliases)
    aliases = [name for name in dict.fromkeys(names) if name != entity.canonical]
    if aliases and entity.kind != "topic":
        value["aliases"] = aliases
    return {**value, "attrs": dict(entity.attrs)} if entity.attrs else value


def _why(entity: Entity, sentence: str, source: Source) -> str:
    """Return by which rule the words that name an entity let it pass the gate, if by any."""
    if entity.kind in _BY_FORM:
        return STRUCTURAL
    if source is not Source.USER:
        return ""
    declared = find_declared(sentence)
    if declared is not None and declared[0] <= entity.offset < declared[1]:
        return DECLARED
    before = _BEFORE_NAME.search(sentence[max(0, entity.offset - _NAMED_BEFORE) : entity.offset])
    is_back = before is not None and (
        before["en"] is None or _AFTER_NAME.match(sentence, entity.end) is not None
    )
    return REFERRED if is_back else ""


def find_referred_kinds(text: str) -> set[str]:
    """Return the kinds of things that a text comes back to without a name: 上次那家公司."""
    return {
        found.lastgroup
        for back in _BACK_TO
        for found in back.finditer(text)
        if found.lastgroup is not None
    }


def merge_values(older: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of an entity that was named as both say, whichever was told first.

    It goes by the name of the older one, has all others as aliases, and every version of it.
    """
    value = {**newer, **older}
    names = {*older.get("aliases", ()), *newer.get("aliases", ()), newer.get("canonical")}
    aliases = sorted(name for name in names if name and name != value["canonical"])
    value.pop("aliases", None)
    if aliases:
        value["aliases"] = aliases
    attrs: dict[str, Any] = {**newer.get("attrs", {}), **older.get("attrs", {})}
    for name, told in newer.get("attrs", {}).items():
        both = {one for text in (attrs[name], told) for one in str(text).split(", ")}
        attrs[name] = ", ".join(sorted(both, key=_by_number)[-_MAX_VERSIONS:])
    return {**value, "attrs": attrs} if attrs else value


def _by_number(text: str) -> list[tuple[int, str]]:
    """Return what versions are sorted by: 3.9 comes before 3.12."""
    return [(int(part) if part.isdecimal() else -1, part) for part in _NUMBERS.split(text)]


def holds_mark(name: str, text: str = "") -> bool:
    """Tell whether a name was masked, however its words are set in the text that says it."""
    name = "".join(name.split())
    return is_masked(name) or (f"[{name}]" in text and is_masked(f"[{name}]"))
