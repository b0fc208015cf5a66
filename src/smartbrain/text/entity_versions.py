"""Products with what tells one of a line from another: version, model, edition.

In: a text and where the name of a product or a maker in it ends. Out: the whole of it: the name
grows up to the first number ("iPad Air"), from there on it is the version ("15 Pro", "24.04 LTS").
A count is no version: "Slack 3 people", 用 Python 3 小时.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from smartbrain.text.entity import Entity
from smartbrain.text.entity_people import NOT_NAMES
from smartbrain.text.entity_words import OBJECT, things
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import stored_words, word_set

_STAGE: Final = r"(?:[-.]?(?:rc|alpha|beta|dev|pre|post|RC|SNAPSHOT|a(?=\d)|b(?=\d))[-.]?\d*)?"
_DOTTED: Final = rf"\d{{1,4}}(?:\.\d{{1,5}}){{1,3}}{_STAGE}"
_EDITION: Final = (
    r"(?:[ -]?(?:Pro|Max|Ultra|Plus|[Mm]ini|Air|SE|Ti|SUPER|Super|XTX?|Lite|Turbo|FE|LTS|ESR"
    r"|Enterprise|Home(?! [a-z])|Sonnet|Opus|Haiku|Flash|[Pp]review|[Bb]eta|[Aa]lpha|RC ?\d*"
    r"|Carbon|\d{1,3}[BT]|\+)(?![A-Za-z0-9]))"
)
_EDITION_GLUED: Final = r"(?:(?:Pro|Max|Ultra|Plus|Mini|mini|Air|SE|Ti|Lite|Turbo)(?![a-z]))"
_END: Final = r"(?![A-Za-z0-9_%]|\.\d)"
# What is counted after a number, or tells that it is a date, a time, a price or a share.
_COUNTED: Final = (
    r"(?!,\d{3}|[:/-]\d| ?[%$€£¥°]| ?(?:am|pm|k|x|km|kg|[KMGT]B|people|persons?|users?|men|women"
    r"|children|hour|day|week|month|year|minute|percent|more|other|January|February|March|April"
    r"|May|June|July|August|September|October|November|December"
    r"|(?!(?:is|was|has|does|as|vs|plus|supports|works|runs|costs|adds|brings|uses|needs|looks"
    r"|ships|gets|makes|breaks|crashes|fails|requires|starts|feels|comes|changes|removes|lets)\b)"
    r"[a-z]+s)\b"
    r"| ?(?:小时|分钟|[个天次台人名位种份篇条本件遍回倍点秒年月日周号块元部集章节页行层]"
    r"|[只辆套张段步项岁万千百亿]))"
)
_MEASURED: Final = (
    r"(?! ?(?:hours?|hrs?|days?|weeks?|months?|years?|minutes?|mins?|seconds?|percent|million"
    r"|billion|stars?|dollars|euros|points|times|k|x|km|kg|[KMGT]B)\b| ?[%$€£¥°]"
    r"| ?(?:小时|分钟|[天年元块万亿倍个秒]))"
)
_NUMBER: Final = rf"\d{{1,2}}(?!\d)[a-z]?(?![A-Za-z_]){_COUNTED}"
_VERSION: Final = pattern(
    rf"[ -]?(?:v(?=\d))?((?:{_DOTTED}{_MEASURED}|{_NUMBER}|\d{{1,2}}(?={_EDITION_GLUED}))"
    rf"{_EDITION_GLUED}*{_EDITION}*){_END}"
)
_APART: Final = pattern(rf"(?<=[0-9a-z])(?={_EDITION_GLUED})| {{2,}}")
_YEAR: Final = pattern(r" ((?:19|20)\d\d(?: R2)?)(?!\d)")
_MODEL: Final = pattern(
    r"[ -]?((?:[A-Z]{1,3}-?\d{1,4}|\d{3,4}(?!\d)(?=[ \u3400-\u9fff,.，。!?！？)]|\Z|[A-Z]))"
    rf"(?:[A-Z0-9]{{0,3}}(?![A-Za-z])|{_EDITION_GLUED})*(?:\+|{_EDITION})*){_END}{_COUNTED}"
)
_SERIES: Final = pattern(
    r"(?: (?:Pro|Air|Mini|mini|Max|Ultra|Note|Tab|Buds|Fold|Flip|Laptop|Studio|Paperwhite|Scribe"
    r"|Series [SX]|One)(?![A-Za-z0-9])){1,2}"
)
# What a maker's name is followed by in that of a product: "OPPO Find X7", 小米 14 Ultra.
_MADE: Final = pattern(
    rf" ?((?:[A-Z][a-z]+ ?)?(?:(?!(?:[QHLPETWDG]\d|G20|FY\d+){_END})[A-Z]{{1,3}}\d{{1,4}}[a-z]?"
    rf"{_EDITION_GLUED}*{_EDITION}*|\d{{1,3}}(?:{_EDITION_GLUED}|{_EDITION})+)){_END}"
)
_LETTERS: Final = pattern(r"[A-Za-z]+")
_GLUED: Final = pattern(r"([^\W\d_](?:[^\W\d_]|[.+#](?=[^\W\d_]))*+)-?v?\d")
_BARE: Final = pattern(
    rf"(?<![A-Za-z0-9_.@/-])(?:([A-Z][A-Za-z0-9+#-]*) )?v({_DOTTED}){_EDITION}*{_END}"
)
# Lines of machines: their models have letters, big numbers and words of their own.
_MACHINES: Final = word_set(stored_words(__file__, "_MACHINES"))
_MACHINE_LINES: Final = frozenset(
    ("macbook pro", "macbook air", "mac mini", "mac studio", "surface pro", "apple watch")
)
_YEARLY: Final = frozenset(
    ("windows server", "sql server", "visual studio", "office", "excel", "word", "windows")
)


class Whole(NamedTuple):
    """Where the name of a product ends, where its version does, and the version."""

    name_end: int
    end: int
    version: str


def whole(text: str, name: str, end: int) -> Whole:
    """Return how far a product goes whose name ends at a place."""
    lower = name.lower()
    machine = lower in _MACHINES or lower in _MACHINE_LINES
    series = _SERIES.match(text, end) if machine else None
    name_end = series.end() if series else end
    found = _VERSION.match(text, name_end)
    if not found and machine:
        found = _MODEL.match(text, name_end)
    if not found and lower in _YEARLY:
        found = _YEAR.match(text, name_end)
    if found:
        return Whole(name_end, found.end(), _APART.sub(" ", found[1]))
    return Whole(name_end, name_end, "")


def product(text: str, name: str, start: int) -> Entity:
    """Return the product of the lists whose name stands at a place, as a whole."""
    _, own, others = things()[name.lower()]
    name_end, end, version = whole(text, name, start + len(name))
    if series := text[start + len(name) : name_end]:
        name, own, others = name + series, own + series, tuple(one + series for one in others)
    attrs = {"version": version} if version else {}
    return Entity(OBJECT, name, own, start, end - start, False, others, attrs)


def made_by(text: str, maker: str, start: int) -> Entity | None:
    """Return the product that is called by its maker's name and a number, if one is."""
    end = start + len(maker)
    found = _MADE.match(text, end)
    if not found or any(word[0].lower() in things() for word in _LETTERS.finditer(found[1])):
        return None
    name = text[start : found.end()]
    return Entity(OBJECT, name, _APART.sub(" ", f"{maker} {found[1]}"), start, len(name))


def head_of(text: str, word: str, start: int) -> str:
    """Return the product in a word that goes on with its version, as in Python3.12, if it does."""
    found = _GLUED.match(word)
    if not found or things().get(found[1].lower(), ("",))[0] != OBJECT:
        return ""
    goes_on = whole(text, found[1], start + len(found[1]))
    return found[1] if goes_on.end >= start + len(word) else ""


def bare_versions(text: str) -> Iterator[Entity]:
    """Yield the versions that stand alone, and those of products that no list has."""
    for found in _BARE.finditer(text):
        name = found[1] if found[1] and found[1].lower() not in NOT_NAMES else ""
        start = found.start() if name else found.start(2) - 1
        shown = name or text[start : found.end()]
        attrs = {"version": text[found.start(2) : found.end()]} if name else {}
        yield Entity(OBJECT, shown, shown, start, found.end() - start, attrs=attrs)
