"""Coming back to a thing: "that repo from last time", 上次那家公司, 上次那个 Falcon 项目.

In: what the user said. Out: an edge from the turn to the entity of that kind that was named last,
which is a memory from then on; or whether it is one that is named with it. What it is called is
found in `link`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.remember.entity_gate import FREQUENT, tags_by, told_of
from smartbrain.text.pattern import pattern, sign

if TYPE_CHECKING:
    from smartbrain.remember.extract.said import Said, Sentence
    from smartbrain.remember.write_set import WriteSet

_LOOKED_AT: Final = 50  # entities that were named last
_BACK_TO: Final = (
    r"\b(?:that|the same) {noun}\b(?=.{{0,30}}\b(?:last time|earlier|yesterday|before|again|we"
    r"|you|i)\b)|(?:上次|之前|刚才|昨天|前面)(?:说|提|聊|讲)?(?:过|到)?的?(?:那|这)(?:个|家|份|条)?{zh}"
    r"|那(?:个|家|份|条){zh}"
)
# What all of them have in them; one character first, in either case: long texts are scanned for it.
_BACK: Final = sign(r"(?-i:[tT那这])(?:(?<=[那这])|(?<=\b.)(?:hat |he same ))", 0x02)
_BACK_BEFORE: Final = 8  # characters that may stand before them
_BACK_AFTER: Final = 80
_NAMED_BEFORE: Final = 12
_THINGS: Final = (
    ("repo", "repo(?:sitory)?", "仓库|代码库"),
    ("url", "link|url|page|site", "链接|网址|网站|网页"),
    ("file", "file|document|doc", "文件|文档"),
    ("person", "person|guy|woman|man|colleague", "人|同事|客户"),
    ("org", "company|firm|team|school", "公司|团队|学校|机构"),
    ("place", "place|city|restaurant|hotel", "地方|城市|餐厅|酒店|饭店"),
    ("object", "tool|app|product|project|library", "工具|应用|产品|项目|软件"),
)
_REFERRED: Final = {
    kind: sign(_BACK_TO.format(noun=f"(?:{noun})", zh=f"(?:{zh})"), 0x02)  # re.IGNORECASE
    for kind, noun, zh in _THINGS
}
_ANY_REFERRED: Final = sign(
    _BACK_TO.format(
        noun=f"(?:{'|'.join(noun for _, noun, _ in _THINGS)})",
        zh=f"(?:{'|'.join(zh for _, _, zh in _THINGS)})",
    ),
    0x02,
)

REFERRED: Final = "entity_referred"
"""The code of an entity that passes the gate because the user came back to it."""
_BEFORE_NAME: Final = sign(
    r"\b(?:that|the same) (?P<en>)\Z"
    r"|(?:上次|上回|之前|刚才|昨天|前面|先前)(?:说|提|聊|讲|做)?(?:过|到)?(?:的(?:那|这)?|那|这)(?:个|家|份|条|位|件)?\s?\Z",
    0x02,
)
_AFTER_NAME: Final = pattern(
    rf"\s(?:{'|'.join(noun for _, noun, _ in _THINGS)})\b"
    r"(?=.{0,30}\b(?:last time|earlier|yesterday|before|again|we)\b)",
    0x02,
)


def comes_back_to(entity: Candidate, sentence: Sentence, said: Said) -> bool:
    """Tell whether the user comes back to something by its name: 上次那个 Falcon 项目."""
    if said.source is not Source.USER:
        return False
    start = entity.offset - sentence.offset
    before = _BEFORE_NAME.search(sentence.text[max(0, start - _NAMED_BEFORE) : start])
    if before is None or before["en"] is None:
        return before is not None
    return _AFTER_NAME.match(sentence.text, start + entity.length) is not None


def link_referred(
    said: Iterable[tuple[int, Said]], episode: Memory, *, writes: WriteSet
) -> list[Retention]:
    """Let an entity in that somebody comes back to: "that repo from last time", 上次那家公司."""
    texts = [one.text for _, one in said if one.source is Source.USER and _BACK.search(one.text)]
    kinds = {kind for text in texts for kind in _referred(text)}
    if not kinds:
        return []
    told = []
    for entity in writes.transaction.remembering.newest("entities", limit=_LOOKED_AT):
        if entity.value["kind"] in kinds:
            kinds.remove(entity.value["kind"])
            writes.read([entity.key])
            known = writes.standing("entities", entity.key) or entity
            writes.link(episode.id, EdgeType.REFERS_TO, known.id)
            if known.status is Status.ACTIVE and FREQUENT in known.tags:
                writes.put(known, tags=tags_by(REFERRED, known))
            if known.status is Status.CANDIDATE:
                writes.put(known, status=Status.ACTIVE)
                reason = "the user came back to it"
                told.append(told_of(entity.key, RetentionAction.WRITTEN, REFERRED, reason))
    return told


def _referred(text: str) -> set[str]:
    """Return the kinds of things that a text comes back to, looking around its words for that."""
    found: set[str] = set()
    for back in _BACK.finditer(text):
        if _is_at(_ANY_REFERRED, back):
            found.update(kind for kind, it in _REFERRED.items() if _is_at(it, back))
    return found


def _is_at(words: re.Pattern[str], back: re.Match[str]) -> bool:
    """Tell whether words are at a place; those further on have a place of their own."""
    start, end = back.span()
    found = words.search(back.string, max(0, start - _BACK_BEFORE), end + _BACK_AFTER)
    return found is not None and found.start() <= start
