"""Names in Chinese characters: people, organisations, products, places.

In: a text with Chinese in it. Out: entities, not yet freed of overlaps. The segmenter's tags alone
are not believed: a name needs a surname, an ending, a place in the lists, or a word before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple

from smartbrain.text.entity_words import (
    DOUBLE_SURNAMES,
    EXTENSIONS,
    NICKNAMES_ZH,
    NOT_NAMES_ZH,
    OBJECT,
    ORG,
    SURE_NAMES,
    SURNAMES,
    TITLES_ZH,
    UNSURE_SURNAMES,
    Entity,
    made_by,
    places,
    product,
    things,
)
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.word_list import stored_words, word_set

_HAN: Final = "\u3400-\u9fff"
_END: Final = pattern(rf"(?<=[\w（）()])\.(?:{EXTENSIONS})(?![A-Za-z0-9_])")
_STEM: Final = pattern(r"[\w（）()·.~:/\\+—-]{1,120}\Z")
_OPENING: Final = pattern('[“「『"《‘]([^“”「」『』"《》‘’\n]{1,60})\\Z')
_CLOSING: Final = ("”", "」", "』", '"', "》", "’")
_NAMED: Final = pattern(f"[{_HAN}]")
_FOLDER: Final = pattern(r"(?:[A-Za-z]:)?[A-Za-z0-9_.~+-]*[/\\]")
_LONGEST: Final = 120  # characters of a name with its folders
_TAGS: Final = word_set("n nz nr nrt ns nt nl ng vn eng x j a b an f l i")
_COUNTS: Final = pattern(r"[\d.]+|.*[年月日季度版期号周]\Z")
# Verbs that files are named after as well.
_DEEDS: Final = word_set(stored_words(__file__, "_DEEDS"))


def find_files(text: str) -> Iterator[Entity]:
    """Yield the files with Chinese names."""
    for end in _END.finditer(text):
        before = max(0, end.start() - _LONGEST)
        is_quoted = text[end.end() :][:1] in _CLOSING
        quoted = _OPENING.search(text, before, end.start()) if is_quoted else None
        stem = quoted or _STEM.search(text, before, end.start())
        if stem is None or not _NAMED.search(stem[0]) or "://" in stem[0]:
            continue
        folder = None if quoted else _FOLDER.search(stem[0])
        begin = folder.start() if folder else 1 if quoted else _begin(stem[0])
        if begin >= 0:
            name = text[stem.start() + begin : end.end()]
            yield Entity("file", name, name, stem.start() + begin, len(name), structural=True)


def _begin(stem: str) -> int:
    """Return where the name of a file begins in words that run into it; -1 if none ends there."""
    words, start = tag(stem), len(stem)
    while words:
        word, kind = words.pop()
        counts = kind in ("m", "t") and _COUNTS.match(word)
        if kind not in _TAGS and word not in _DEEDS and not counts:
            break
        start -= len(word)
    start += len(stem[start:]) - len(stem[start:].lstrip(".-—·"))
    return start if _NAMED.search(stem, start) else -1


_MAX_NAME_WORDS: Final = 3
_ALL_HAN: Final = pattern(f"[{_HAN}]+")
_TITLE: Final = pattern(
    rf"(?:{TITLES_ZH})(?![结共是体部监理裁统之归值督要会算额数方作程友师妹夫弟哥姐面于地级][{_HAN}]?)"
)
_LONG_TITLE: Final = pattern("|".join(one for one in TITLES_ZH.split("|") if len(one) > 1))
_ORG_END: Final = pattern(
    "(?:公司|大学|银行|集团|医院|学院|研究院|研究所|研究中心|科技|中学|小学|出版社|法院|检察院|基金会|协会|学会|委员会"
    "|实验室|事务所|俱乐部|工作室|幼儿园|派出所|公安局|税务局|教育局|图书馆|博物馆|美术馆|航空|证券|保险|传媒|律所|电视台|报社|杂志社"
    "|股份|有限公司|分公司|子公司|支行|分行|总部|车企|商会|联合会|乐团|大学城)\\Z"
)
_ORG_LAST: Final = frozenset("司学行团院所心技社会室部园局馆空券险媒台份企城")
_NAME_OPENINGS: Final = (
    SURNAMES | UNSURE_SURNAMES | frozenset("小老阿欧司上诸东皇尉公慕令宇长夏和给说")
)
_NOT_ORG: Final = frozenset(
    ("科技", "航空", "证券", "保险", "传媒", "股份", "总部", "大学城", "车企")
)
_GENERIC_ORGS: Final = word_set(
    "上市公司 分公司 子公司 母公司 总公司 有限公司 研究院 商业银行 人民医院 人民法院 科技公司"
)
_PLACE_END: Final = pattern(
    "(?:[省市县区镇乡村州岛山湖河江湾港路街]|大道|机场|火车站|地铁站|广场|公园|古镇|大厦|校区|园区)\\Z"
)
_PLACE_CUE: Final = word_set(
    "在 去 到 从 来自 飞 飞往 前往 往 回 住 住在 搬到 位于 到达 离开 出生 途经 至"
)
_PERSON_CUE: Final = word_set(stored_words(__file__, "_PERSON_CUE"))
_NAME_TAGS: Final = word_set("nr nrt nrfg nz n a x ng vn ns j v b ag an i l")
_GIVEN_TAGS: Final = word_set("nr nrt nz i l x ng")
_PARTICLES: Final = word_set("uj ul uz u c p r d x y")
_SPECIFIC: Final = word_set("ns nz nr nrt nt eng j x")
_ORG_PARTS: Final = word_set("ns nz nr nrt nt eng j n vn a b ng l x f an")
_NOT_ORG_PARTS: Final = word_set(stored_words(__file__, "_NOT_ORG_PARTS"))
_SURNAME_TAGS: Final = word_set("nr n nz ng q x v a tg p d ad zg ns")
_GLUED: Final = frozenset("叫用给说会把被是也都要去来跟没不在让问和想能又就很")
_BEFORE_NAME: Final = _GLUED | frozenset("前后点天日号年月周早晚时分秒午")  # where a time ends
_AFTER_NAME: Final = _GLUED | frozenset("买卖见吃喝找借租送带约教")
_TRANSLITERATED: Final = pattern(rf"[{_HAN}]{{1,8}}(?:[·•・][{_HAN}]{{1,8}}){{1,3}}")
_NOT_THINGS: Final = pattern("小米[粥饭椒辣汤糕酒]")
# What companies do, as their names say it.
_TRADES: Final = word_set(
    "创新 发展 服务 咨询 管理 设计 制造 开发 教育 传播 装饰 租赁 运营 检测 培训 配送 建设 投资 控股"
)


class _Word(NamedTuple):
    text: str
    tag: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@cache
def _listed() -> dict[str, list[str]]:
    """Return the Chinese names of the lists by their first character, the longest first."""
    found: dict[str, list[str]] = {}
    names = {*(thing[1] for thing in things().values()), *things(), *places()}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        if not name.isascii() and name[-1] >= "\u3400":
            found.setdefault(name[0], []).append(name)
    return found


@cache
def _openings() -> re.Pattern[str]:
    return re.compile(f"[{re.escape(''.join(_listed()))}]")


def find_chinese(text: str) -> Iterator[Entity]:
    """Yield the names in Chinese characters."""
    tagged = tag(text)
    starts = [0, *accumulate(len(word) for word, _ in tagged)]
    words = [_Word(*one, start) for one, start in zip(tagged, starts, strict=False)]
    starts[len(words) :] = [len(text)]
    yield from _from_lists(text, set(starts))
    for index, (word, kind, _) in enumerate(words):
        if word[0] in _NAME_OPENINGS or kind[0] == "n":
            yield from _person(text, words, index)
        if len(word) > 1 and word[0] >= "\u3400":
            if word[-1] in _ORG_LAST:
                yield from _organisation(text, words, index)
            if kind[0] == "n":
                yield from _place(words, index)
    if "·" in text:
        yield from _transliterated(text, starts)


def _from_lists(text: str, starts: set[int]) -> Iterator[Entity]:
    """Yield the names that are in the lists; a place only where words begin and end."""
    listed = _listed()
    for opening in _openings().finditer(text):
        offset = opening.start()
        for name in listed[opening.group()]:
            if not text.startswith(name, offset) or _NOT_THINGS.match(text, offset):
                continue
            end = offset + len(name)
            whole = offset in starts and end in starts
            if (thing := things().get(name.lower())) and (
                whole or len(name) > 2 or offset in starts
            ):
                plain = Entity(thing[0], name, thing[1], offset, len(name), aliases=thing[2])
                made = made_by(text, name, offset) if thing[0] == ORG else None
                yield made or (product(text, name, offset) if thing[0] == OBJECT else plain)
                break
            if (place := places().get(name)) and (
                whole or (offset in starts and text[end : end + 1] in "省市县区")
            ):
                yield Entity(
                    "place", name, name, offset, len(name), aliases=(place[1],) if place[1] else ()
                )
                break


def _person(text: str, words: Sequence[_Word], index: int) -> Iterator[Entity]:
    """Yield the person whose name begins with a word."""
    word = words[index]
    name = word.text
    called = _called(text, words, index)
    if called:
        yield called
        return
    double = name[:2] in DOUBLE_SURNAMES
    surname = 2 if double else 1
    if name[0] not in SURNAMES and name[0] not in UNSURE_SURNAMES and not double:
        return
    if len(name) == surname and word.tag in _SURNAME_TAGS:
        yield from _after_surname(text, words, index)
    elif name in NOT_NAMES_ZH:
        after = words[index + 1] if index + 1 < len(words) else word
        if after.tag == "nr" and len(name + after.text) == 3 and _cued(words, index):
            yield _entity("person", name + after.text, word.start)  # 王子轩
    elif _tagged(words, index) and surname < len(name) <= surname + 2:
        title = _LONG_TITLE.search(name)
        if name[-1] in "里村街" or (len(name) == 3 and name[-1] in _GLUED):
            return
        if name[:2] in NOT_NAMES_ZH and not _cued(words, index):
            return
        if title and title.end() == len(name):
            yield _entity("person", name, word.start)
        elif (
            len(name) > surname + 1
            or double
            or name[0] in SURNAMES
            or _cued(words, index)
            or _LONG_TITLE.match(text, word.end)
        ):
            yield from _grown(text, words, index)


def _called(text: str, words: Sequence[_Word], index: int) -> Entity | None:
    """Return somebody who is called 小明, 老王 or 王总, however the segmenter cuts it."""
    word = words[index]
    name, is_name = word.text, word.tag in ("nr", "nrfg", "nrt")
    if is_name and len(name) == 3 and name not in NOT_NAMES_ZH:
        # The segmenter takes a small word before or after a name for a part of it.
        if name[0] in _BEFORE_NAME and name[1:] in NICKNAMES_ZH:
            return _entity("person", name[1:], word.start + 1)
        known = name[:2] in NICKNAMES_ZH or name[0] in SURNAMES
        if name[-1] in _AFTER_NAME and known and name[:2] not in NOT_NAMES_ZH:
            return _entity("person", name[:2], word.start)
    if len(name) == 2 and name[1] == "总" and name[0] in SURNAMES:
        return _entity("person", name, word.start)
    nickname = text[word.start : word.start + 2]
    rest = words[index + 1].text[1:2] if index + 1 < len(words) else ""
    apart = name in ("小", "老", "阿") and (not rest or rest in _GLUED)
    if nickname in NICKNAMES_ZH and (name == nickname or apart):
        return _entity("person", nickname, word.start)
    short = is_name and name[0] in "小阿" and len(name) in (2, 3) and name not in NOT_NAMES_ZH
    return _entity("person", name, word.start) if short and _cued(words, index) else None


def _tagged(words: Sequence[_Word], index: int) -> bool:
    """Tell whether the segmenter, or a word such as 同事 before, says that a word is a name."""
    word = words[index]
    if word.tag in ("nr", "nrt", "nrfg"):
        return True
    return (
        word.tag == "ns"
        and word.text not in places()
        and _cued(words, index)
        and len(words[index - 1].text) > 1
    )


def _grown(text: str, words: Sequence[_Word], index: int) -> Iterator[Entity]:
    """Yield a name of two characters, or of three where a title shows that one is missing."""
    word = words[index]
    after = words[index + 1] if index + 1 < len(words) else None
    short = len(word.text) == 2 and after and len(after.text) == 1 and after.tag not in _PARTICLES
    if short and after and (after.tag == "nr" or _LONG_TITLE.match(text, after.end)):
        yield _entity("person", word.text + after.text, word.start)
        return
    yield _entity("person", word.text, word.start)


def _after_surname(text: str, words: Sequence[_Word], index: int) -> Iterator[Entity]:
    """Yield surname and title, such as 王总, or a name that was cut after the surname."""
    word = words[index]
    title = _TITLE.match(text, word.end)
    if title and word.text in SURNAMES | UNSURE_SURNAMES | DOUBLE_SURNAMES:
        if len(title[0]) > 1 or word.text in SURNAMES or word.tag == "nr":
            yield _entity("person", word.text + title[0], word.start)
        return
    given = ""
    for after in words[index + 1 : index + 3]:
        titled = _LONG_TITLE.match(text, after.end) is not None
        named = after.tag in _NAME_TAGS or (titled and after.tag not in _PARTICLES)
        if not named or len(given) + len(after.text) > 2 or not _ALL_HAN.fullmatch(after.text):
            break
        given += after.text
        whole = word.text + given
        if whole in NOT_NAMES_ZH:
            return
        sure = after.tag in _GIVEN_TAGS or _cued(words, index)
        family = word.text in DOUBLE_SURNAMES or (word.tag == "nr" and word.text in SURNAMES)
        if titled or (family and len(given) == 2 and sure):
            yield _entity("person", whole, word.start)
            return


def _cued(words: Sequence[_Word], index: int) -> bool:
    before = [word for word in words[max(0, index - 2) : index] if word.text.strip()]
    return bool(before) and before[-1].text in _PERSON_CUE


def _organisation(text: str, words: Sequence[_Word], index: int) -> Iterator[Entity]:
    word = words[index]
    if not _ORG_END.search(word.text):
        return
    own = word.tag == "nt" or (len(word.text) > 3 and word.tag in ("nz", "nt", "ns"))
    first, specific = index, own
    while first and index - first < 5:
        part = words[first - 1]
        trade = part.text in _TRADES and not specific
        if (
            (part.tag not in _ORG_PARTS and not trade)
            or part.text in _NOT_ORG_PARTS
            or not part.text.strip()
            or part.text in "，。、！？,.!?：:；;（）()"
        ):
            break
        if part.tag in ("m", "f", "a", "b") and len(part.text) == 1:
            break
        first -= 1
        specific = (
            specific
            or part.tag in _SPECIFIC
            or part.text in places()
            or part.text.lower() in things()
        )
    name = text[words[first].start : word.end]
    if (
        specific
        and name not in _GENERIC_ORGS
        and len(name) > len(word.text) - (1 if own else 0)
        and not (word.text in _NOT_ORG and index - first < 2)
    ):
        yield _entity("org", name, words[first].start)


def _place(words: Sequence[_Word], index: int) -> Iterator[Entity]:
    """Yield a place that the segmenter tells, if its ending or the word before says so too."""
    word = words[index]
    street = word.tag in ("nz", "n") and len(word.text) > 2 and word.text.endswith(_STREETS)
    if (word.tag != "ns" and not street) or word.text in _NOT_PLACES:
        return
    before = words[index - 1].text if index else ""
    if (_PLACE_END.search(word.text) and len(word.text) > 2) or before in _PLACE_CUE:
        short = (
            word.text[:-1] if word.text[-1] in "省市" and word.text[:-1] in places() else word.text
        )
        yield Entity("place", word.text, short, word.start, len(word.text))


_STREETS: Final = ("路", "街", "大道", "胡同")
_NOT_PLACES: Final = word_set(stored_words(__file__, "_NOT_PLACES"))


def _transliterated(text: str, starts: Sequence[int]) -> Iterator[Entity]:
    """Yield foreign names with a dot between their parts."""
    for found in _TRANSLITERATED.finditer(text):
        dots = [at for at in range(found.start(), found.end()) if text[at] in "·•・"]
        begin = starts[max(0, bisect_left(starts, dots[0]) - 1)]
        after = bisect_left(starts, dots[-1] + 2)
        end = min(starts[after], found.end()) if after < len(starts) else found.end()
        begin = max(begin, found.start())
        yield _entity("person", text[begin:end], begin)


def _entity(kind: str, name: str, start: int) -> Entity:
    return Entity(kind, name, name, start, len(name))


def is_person_name(label: str) -> bool:
    """Tell whether a label is the name of a person, in Chinese or in Latin letters."""
    if label.isascii():
        words = label.split()
        known = len(words) <= _MAX_NAME_WORDS and words[0].lower() in SURE_NAMES
        return known and label[0].isupper()
    if label in NOT_NAMES_ZH:
        return False
    nickname = label in NICKNAMES_ZH or (label[0] in "小老阿" and label[1:] in SURNAMES)
    if nickname or (label[0] in SURNAMES and label[1:] in TITLES_ZH.split("|")):
        return True
    surname = label[0] in SURNAMES or label[:2] in DOUBLE_SURNAMES
    tagged = tag(label) if surname and 1 < len(label) <= _MAX_NAME_WORDS + 1 else []
    return len(tagged) == 1 and tagged[0][1].startswith("nr")  # 周报 is no name
