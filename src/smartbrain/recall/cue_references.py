"""What "that repo", 上次那个链接 or "she" stands for in the turns before.

In: a message, the entities it names itself, and recent turns as they were spoken. Out: names. The
latest turn that has something of the kind answers; a pronoun only where that is one thing alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from smartbrain.domain.recalled import Recent
from smartbrain.recall.cue_words import TwoTongues
from smartbrain.text.entities import find_entities
from smartbrain.text.entity_words import Entity
from smartbrain.text.pattern import pattern

TURNS: Final = 8
"""How many recent turns are looked at."""
READ_CHARACTERS: Final = 2_000
"""How much of a recent turn is read."""
MOST: Final = 3
"""The most names that one expression stands for."""

_I: Final = re.IGNORECASE
_PERSON: Final = "person"
_TALKED: Final = (
    r"(?= (?:that |which |who )?(?:we|i|you|he|she|they)(?:'d|'ve| had| have| just)?"
    r" (?:talked|spoke|discussed|mentioned|shared|sent|saw|used|looked|opened|visited|were|was|met"
    r"|named|posted|linked|cloned|edited|changed|read|wrote|gave)"
    r"| from (?:last time|before|earlier|yesterday|just now|the last)"
    r"| (?:mentioned|discussed|shared) (?:above|earlier|before|last time|yesterday))"
)
_NOUNS: Final = (
    ("repo", "repos?|repositor(?:y|ies)|codebase", "仓库|代码库|repo|开源项目"),
    (
        "url",
        "links?|urls?|web ?pages?|pages?|web ?sites?|sites?|articles?|blog posts?",
        "链接|网址|网页|网站|文章|帖子|link",
    ),
    (
        "file",
        "files?|documents?|docs?|scripts?|config|spreadsheet|notebook|pdf",
        "文件(?!夹)|文档|脚本|配置|表格|附件",
    ),
    (
        _PERSON,
        "person|people|guys?|wom[ae]n|m[ae]n|lady|colleagues?|friends?|clients?|candidates?",
        "人(?![工民类均])|同事|朋友|客户|家伙|小伙|姑娘|女生|男生|候选人|老师|医生",
    ),
    (
        "org",
        "compan(?:y|ies)|organi[sz]ations?|firms?|agenc(?:y|ies)|schools?|universit(?:y|ies)",
        "公司|机构|单位|企业|组织|学校|大学|医院|银行",
    ),
    (
        "place",
        "places?|cit(?:y|ies)|towns?|countr(?:y|ies)|restaurants?|hotels?|spots?|venues?",
        "地方|城市|国家|餐厅|饭店|酒店|景点|小镇|地点",
    ),
    (
        "object",
        "tools?|apps?|products?|librar(?:y|ies)|frameworks?|packages?|books?|movies?|games?",
        "工具|应用|产品|软件|框架|库(?!存)|书|电影|游戏|手机|电脑",
    ),
)
_EN: Final = "|".join(f"(?P<{kind}>{en})" for kind, en, _ in _NOUNS)
_EN_AGAIN: Final = "|".join(f"(?P<{kind}_>{en})" for kind, en, _ in _NOUNS)
_ZH: Final = "|".join(f"(?P<{kind}>{zh})" for kind, _, zh in _NOUNS)
# The noun may have a word before it: that public repo, 上次那个很长的链接.
_THAT_EN: Final = pattern(
    rf"\b(?:(?:that|this|those|these|the same|the other) (?:\w+ )??(?:{_EN})\b"
    rf"|(?:the|your|our|my) (?:\w+ )??(?:{_EN_AGAIN})\b{_TALKED})",
    _I,
)
_THAT_ZH: Final = pattern(
    r"(?:[那这该]|同一|(?:上[次回面]|之前|刚[才刚]|昨天|前面|先前|前几天)[^，。？！\n那这]{0,6}?(?:的|[那这]))"
    rf"[一]?[个家份条位篇些座间]?[^，。？！\s那这]{{0,4}}? ?(?:{_ZH})",
    _I,
)
_HE: Final = TwoTongues(
    pattern(r"\b(?:he|she|him|her|his|hers)(?:'s|'d|'ll)?\b", _I),
    pattern("(?<![其吉])[他她](?![们人乡国])"),
)
_IT: Final = TwoTongues(
    pattern(
        r"(?<![\w'])(?:it|It)(?:'s|'d|'ll)?\b(?!\s+(?:is|was|'s)?\s?(?:raining|snowing|late|time))"
    ),
    pattern("(?<!其)它(?!们)"),
)
_NOT_IT: Final = frozenset((_PERSON, "place", "topic"))


class _Named(NamedTuple):
    kind: str
    name: str
    address: bool


def refers_back(text: str) -> bool:
    """Tell whether a message may refer to turns before it; if not, none of them has to be read.

    Args:
        text: the message, its traditional characters read as simplified ones.
    """
    return bool(_kinds_of(text)) or _IT.found(text) or _HE.found(text)


def referred_to(text: str, entities: Iterable[Entity], recent: Sequence[Recent]) -> tuple[str, ...]:
    """Return the names that the expressions of a message stand for, each once.

    Args:
        text: the message, its traditional characters read as simplified ones.
        entities: what it names itself: "that repo a/b" and "Ann says she" refer to nothing else.
        recent: turns in the order they were spoken, the latest last.
    """
    if not recent:
        return ()
    own = [_named(one) for one in entities]
    turns = _Turns(recent)
    found: dict[str, None] = {}
    for kind in _kinds_of(text):
        if not any(_fits(one, kind) for one in own):
            found.update(dict.fromkeys(turns.latest(kind)[:MOST]))
    # After "that repo", or a thing with a name, "it" is that.
    if not found and not any(_fits(one, "") for one in own) and _IT.found(text):
        found.update(_alone(turns.latest("")))
    if not any(one.kind == _PERSON for one in own) and _HE.found(text):
        found.update(_alone(turns.latest(_PERSON)))
    return tuple(found)


def _kinds_of(text: str) -> list[str]:
    """Return the kinds of things that a text refers back to, in its order, each once."""
    found = list(_THAT_EN.finditer(text))
    if not text.isascii():
        found += _THAT_ZH.finditer(text)
    return list(dict.fromkeys((one.lastgroup or "").rstrip("_") for one in found))


class _Turns:
    """The recent turns, latest first, read as far back as somebody asks."""

    def __init__(self, recent: Sequence[Recent]) -> None:
        self._unread = iter(recent[: -TURNS - 1 : -1])
        self._read: list[list[_Named]] = []

    def latest(self, kind: str) -> list[str]:
        """Return what the latest turn that has any names of a kind; no kind means a thing."""
        for named in self._turns():
            fitting = [one.name for one in named if _fits(one, kind)]
            if fitting:
                return list(dict.fromkeys(fitting))
        return []

    def _turns(self) -> Iterator[list[_Named]]:
        yield from self._read
        for turn in self._unread:
            self._read.append(_named_in(turn))
            yield self._read[-1]


def _named_in(turn: Recent) -> list[_Named]:
    """Return what a turn names in its words, and what else is known to be named there."""
    found = [_named(one) for one in find_entities(turn.text[:READ_CHARACTERS])]
    known = {one.name.casefold() for one in found}
    for name in turn.entities:
        if name.casefold() not in known:
            found += [_named(one)._replace(name=name) for one in entities_of(name)]
    return found


def entities_of(name: str) -> list[Entity]:
    """Return what a stored name is by its form; owner/name alone is the name of a repository."""
    found = find_entities(name)
    if not found and "/" in name:
        found = find_entities(f"github {name}")
    return [one for one in found if one.name == name]


def _named(one: Entity) -> _Named:
    return _Named(one.kind, one.canonical, "://" in one.name or bool(one.attrs.get("host")))


def _fits(one: _Named, kind: str) -> bool:
    """Tell whether something is of a kind; the address of a repository is a link too."""
    if not kind:
        return one.kind not in _NOT_IT
    return one.kind == kind or (kind == "url" and one.address)


def _alone(names: list[str]) -> dict[str, None]:
    return dict.fromkeys(names) if len(names) == 1 else {}
