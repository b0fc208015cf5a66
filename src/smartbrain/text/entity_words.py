"""What an entity is, and the words and forms that give one away in either language.

In: a text or a word. Out: people, places, versions, codes, paths, addresses and the like as they
are written, other names of the same thing, and which words are no names. What needs the grammar of
a language is in `entities_en` and `entities_zh`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import character_set, stored_words, word_set


class Entity(NamedTuple):
    """A name in a text.

    `name` is how the text says it, from `offset` on; `length` may go on over what belongs to it,
    such as a version. `canonical` is what it is filed under, in the language of the text, `aliases`
    are its other names. `structural` is what is told by its form: an address, a repository, a path.
    """

    kind: str
    name: str
    canonical: str
    offset: int
    length: int
    structural: bool = False
    aliases: tuple[str, ...] = ()
    attrs: Mapping[str, str] = {}

    @property
    def end(self) -> int:
        """Where the entity ends in the text."""
        return self.offset + self.length


ORG: Final = "org"
OBJECT: Final = "object"

_ORGS: Final = stored_words(__file__, "_ORGS")

_OBJECTS: Final = stored_words(__file__, "_OBJECTS")

# Everyday words too: a capital letter in the middle of a sentence, or a version, must tell them.
UNSURE: Final = word_set(stored_words(__file__, "UNSURE"))
# Those that need more: a word such as "use" or "in" before them.
HARD: Final = word_set(stored_words(__file__, "HARD"))
# Lower case, these are everyday words in Chinese or English sentences alike.
CAPITAL_ONLY: Final = frozenset(("eth", "vivo", "mit", "esa", "who", "ups", "bcg", "gree"))


@cache
def things() -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Return things by each of their names in lower case: the kind, the name, the others."""
    found: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for kind, names in named_together():
        for name in names:
            # A product goes by its first name in English; a name keeps its own language.
            own = names[0] if name.isascii() and kind == OBJECT else name
            others = tuple(other for other in names if other not in (own, name))
            found.setdefault(name.lower(), (kind, own, others))
    return found


def named_together() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the kind of each thing and all of its names."""
    for kind, words in ((ORG, _ORGS), (OBJECT, _OBJECTS)):
        for entry in words.split():
            yield kind, tuple(filter(None, entry.replace("_", " ").split("=")))


_GIVEN: Final = word_set(stored_words(__file__, "_GIVEN"))
_PINYIN: Final = word_set(stored_words(__file__, "_PINYIN"))

_SYLLABLES: Final = pattern(r"(?:(?:[bpmfdtnlgkhjqxzcsryw]|[zcs]h)?[aeiouü]{1,3}(?:ng?|r)?){1,3}\Z")

# Given names that are everyday words, places or months too: they need a surname or a clear cue.
_UNSURE_GIVEN: Final = word_set(stored_words(__file__, "_UNSURE_GIVEN"))
GIVEN_NAMES: Final = _GIVEN | _UNSURE_GIVEN
SURE_NAMES: Final = _GIVEN - _UNSURE_GIVEN

TITLES: Final = stored_words(__file__, "TITLES")

# Capital letters by rule: days, months, languages, holidays, forms of address.
NOT_NAMES: Final = word_set(stored_words(__file__, "NOT_NAMES"))

# What may follow a Chinese surname or name: a title, which tells that it is one.
TITLES_ZH: Final = stored_words(__file__, "TITLES_ZH")

SURNAMES: Final = character_set(__file__, "SURNAMES")
UNSURE_SURNAMES: Final = character_set(__file__, "UNSURE_SURNAMES")
DOUBLE_SURNAMES: Final = word_set(stored_words(__file__, "DOUBLE_SURNAMES"))
# Tagged as names or built like names, but everyday words.
NOT_NAMES_ZH: Final = word_set(stored_words(__file__, "NOT_NAMES_ZH"))
# Known by heart, for the segmenter takes them for something else.
NICKNAMES_ZH: Final = word_set(stored_words(__file__, "NICKNAMES_ZH"))


def is_pinyin_name(one: str, two: str) -> bool:
    """Tell whether two words are a Chinese name in Latin letters, surname first or last."""
    both = bool(_SYLLABLES.match(one) and _SYLLABLES.match(two))
    known = one in _PINYIN or two in _PINYIN
    return both and known and one not in NOT_NAMES and two not in NOT_NAMES


_COUNTRIES: Final = stored_words(__file__, "_COUNTRIES")

_CHINA: Final = stored_words(__file__, "_CHINA")

_CITIES: Final = stored_words(__file__, "_CITIES")

# Names that mean something else as often: they need a word such as "in" before them.
UNSURE_PLACES: Final = word_set(stored_words(__file__, "UNSURE_PLACES"))


@cache
def places() -> dict[str, tuple[str, str]]:
    """Return the places by name, English ones in lower case: the name as written, and the other."""
    found: dict[str, tuple[str, str]] = {}
    for entry in f"{_COUNTRIES} {_CHINA} {_CITIES}".split():
        english, _, chinese = entry.replace("_", " ").partition("=")
        if english:
            found[english.lower()] = (english, chinese)
        if chinese:
            found[chinese] = (chinese, english)
    for name in UNSURE_PLACES:
        found.setdefault(name, (name.title(), ""))
    return found


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


_PLACE: Final = "place"


def first_name(kind: str, name: str) -> str:
    """Return the name that an entity of a kind is filed under."""
    names = _names().get((kind, name.casefold()))
    return names[0] if names else name


def all_names(kind: str, name: str) -> tuple[str, ...]:
    """Return what the lists call an entity of a kind, the first name first."""
    return _names().get((kind, name.casefold()), (name,))


def named_things(text: str) -> frozenset[tuple[str, str]]:
    """Return what a text may be a name of, where something has several: kind and first name."""
    return _named_things().get(text.casefold().strip(), frozenset())


@cache
def _named_things() -> dict[str, frozenset[tuple[str, str]]]:
    found: dict[str, frozenset[tuple[str, str]]] = {}
    for (kind, name), names in _names().items():
        if kind in (_PLACE, ORG, OBJECT):
            found[name] = found.get(name, frozenset()) | {(kind, names[0])}
    return found


@cache
def _names() -> dict[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, other in places().values():
        if other and "\u3400" <= name[0] <= "\u9fff":
            found[_PLACE, name] = (other, name)
            found[_PLACE, other.casefold()] = (other, name)
    for kind, names in named_together():
        for name in names if len(names) > 1 else ():
            found.setdefault((kind, name.casefold()), names)
    return found


_I: Final = re.IGNORECASE
_WORD: Final = "A-Za-z0-9_"
_FORM: Final = pattern(r"[/\\.#＃@《]")
_TLDS: Final = (
    "com|org|net|io|dev|app|ai|cn|co|edu|gov|info|me|tv|xyz|tech|cloud|site|online|blog|shop|wiki"
    "|uk|de|fr|jp|kr|eu|us|ca|au|in|nl|ch|se|no|es|it|ru|br|hk|tw|sg"
)
EXTENSIONS: Final = stored_words(__file__, "EXTENSIONS")
_BARE_FILES: Final = (
    "Dockerfile|Makefile|Jenkinsfile|Procfile|Gemfile|Rakefile|Vagrantfile|CMakeLists.txt"
    r"|\.(?:gitignore|dockerignore|bashrc|zshrc|vimrc|npmrc|editorconfig|env)(?:\.[a-z]{2,12})?"
)
_URL: Final = pattern(
    rf"(?<![{_WORD}])(?:https?|ftp|ssh|git)://[^\s<>\"'`，。；！？、（）()【】《》“”「」\u4e00-\u9fff]++"
    r"|git@[\w.-]{3,80}:[\w./-]{3,120}"
    rf"|(?<![{_WORD}@./\\-])(?:[a-z0-9-]{{1,40}}\.){{1,4}}(?:{_TLDS})(?![{_WORD}@-]|\.\w)"
    r"(?:/[^\s<>\"'`，。；！？、（）()【】《》“”「」\u4e00-\u9fff]*)?",
    _I,
)
_URL_PARTS: Final = pattern(
    r"(?:[a-z]+://)?(?:[^/@]*@)?(?:www\.)?([^/:?#]+)(?::\d+)?[:/]?([^?#]*)(?:\?([^#]*))?", _I
)
_TRACKING: Final = pattern(
    r"utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|igshid|spm|ref|ref_src|source|from|share_\w+|si", _I
)
_FORGES: Final = frozenset(
    ("github.com", "gitlab.com", "bitbucket.org", "gitee.com", "codeberg.org")
)
_FORGE_PAGES: Final = word_set(
    """
    features about pricing login settings explore topics marketplace orgs sponsors search
    """
)
_EMAIL: Final = pattern(r"[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}")
_PATH: Final = pattern(
    # Windows, then Unix: from the root, from home, relative, or with at least one folder.
    rf"(?<![{_WORD}])[A-Za-z]:\\(?:[\w.()-]{{1,80}}\\){{0,12}}[\w.-]{{1,80}}"
    rf"|(?<![{_WORD}:/.~\\])(?:~|\.{{1,2}})?/(?:[\w@.+-]{{1,80}}/){{0,16}}[\w@.+-]{{1,80}}/?"
    rf"|(?<![{_WORD}:/.~\\-])(?:[{_WORD}@.+-]{{1,80}}/){{1,16}}(?:[{_WORD}@.+-]{{1,80}})?",
    re.ASCII,
)
_FILE: Final = pattern(
    rf"(?<![{_WORD}/\\.@-])(?:[{_WORD}][{_WORD}.+-]{{0,80}}\.(?:{EXTENSIONS})|{_BARE_FILES})"
    rf"(?![{_WORD}(/-]|\.[{_WORD}])",
    re.ASCII,
)
_HAS_EXTENSION: Final = pattern(rf"\.(?:{EXTENSIONS})\Z|(?:\A|/)(?:{_BARE_FILES})\Z", re.ASCII)
_NOT_FILES: Final = pattern(r"(?:e\.g|i\.e|[A-Z]\.[a-z]|\d+\.[a-z])\Z")
_NAMED_JS: Final = pattern(
    r"(?:node|vue|react|next|nuxt|express|three|d3|ember|angular|backbone|chart|moment|socket"
    r"|discord|electron|alpine|p5|plotly|deck|solid|knockout|babylon|pixi|paper|matter)\.js\Z"
    r"|llama\.c",
    _I,
)
_FOLDERS: Final = word_set(stored_words(__file__, "_FOLDERS"))
_NO_OWNER: Final = word_set(stored_words(__file__, "_NO_OWNER"))
_SYSTEMS: Final = word_set("win windows mac macos unix linux ios android")
_REPO_CUE: Final = pattern(
    r"\brepos?\b|\brepositor|github|gitlab|gitee|bitbucket|\bclon(?:e|ed|ing)\b|\bfork|\bupstream\b"
    r"|\bstars?\b|\bpull requests?\b|\bPRs?\b|仓库|代码库|开源|克隆|源码|项目"
    r"|hugging ?face|submodule",
    _I,
)
_SLUG: Final = pattern(r"[A-Za-z0-9][\w.-]{0,60}/[A-Za-z0-9_][\w.-]{0,99}", re.ASCII)
_REPO: Final = pattern(r"\brepo(?:sitory)?\b|仓库|代码库", re.ASCII | _I)
_BEFORE_REPO: Final = pattern(
    r"\b(?:the|our|my|this|that) ([A-Za-z][\w.-]{1,60}) \Z"
    r"|(?<![\w/.-])([A-Za-z][\w.-]{1,60}) ?(?:这个|那个)?\Z",
    re.ASCII | _I,
)
# What stands behind the word is a name if it is called one, or looks like one: "that repo again".
_AFTER_REPO: Final = pattern(
    r"( ?(?:(?:is |was )?(?:called|named)|名?叫做?|名为|是)| ?(?=[`\"“‘「])| (?='))?"
    r" ?[`\"'“‘「]?([A-Za-z][\w.-]{1,60})(?![\w/])",
    re.ASCII | _I,
)
_LIKE_A_NAME: Final = pattern(r"[A-Z0-9_.-]")
_NO_REPO: Final = word_set(stored_words(__file__, "_NO_REPO"))
_TAG: Final = pattern(r"(?<![\w&#/.:])[#＃]([^\W\d_][\w-]{1,40})(?![\w(])[#＃]?")
_COLOUR: Final = pattern(r"(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z")
_WORK: Final = pattern(r"《([^《》\n]{1,40})》")
_TRAILING: Final = ".,;:!?)]}'\"*~_"


def find_structural(text: str) -> Iterator[Entity]:
    """Yield what is told by its form; what has no kind is no entity but hides what is in it."""
    yield from _addresses(text)
    yield from _named_repos(text)
    if not _FORM.search(text):
        return
    for found in _TAG.finditer(text):
        if not (_COLOUR.match(found[1]) and any(one.isdigit() for one in found[1])):
            yield Entity("topic", found[0], found[1], found.start(), len(found[0]))
    for found in _WORK.finditer(text):
        yield Entity("object", found[1], found[1], found.start(1), len(found[1]))


def _addresses(text: str) -> Iterator[Entity]:
    """Yield the addresses, files, paths and repositories of a text."""
    cue = "/" in text and _REPO_CUE.search(text) is not None
    for found in _EMAIL.finditer(text):
        if not found[0].startswith("git@"):
            yield Entity("", found[0], "", found.start(), len(found[0]))
    for found in _URL.finditer(text):
        yield from _address(found[0].rstrip(_TRAILING), found.start())
    for found in _FILE.finditer(text):
        if not _NOT_FILES.match(found[0]) and not _NAMED_JS.match(found[0]):
            yield _plain("file", found[0], found.start())
    for found in _PATH.finditer(text):
        yield from _path(found[0].rstrip(_TRAILING), found.start(), cue=cue)


def _plain(kind: str, name: str, offset: int) -> Entity:
    return Entity(kind, name, name, offset, len(name), structural=True)


def _repo(name: str, slug: str, offset: int, host: str = "") -> Entity:
    slug = slug.removesuffix(".git").rstrip(".")
    aliases = (slug.partition("/")[2],) if "/" in slug else ()
    return Entity(
        "repo", name, slug, offset, len(name), True, aliases, {"host": host} if host else {}
    )


def _address(url: str, offset: int) -> Iterator[Entity]:
    """Yield a web address as host and path, or the repository that it is the address of."""
    parts = _URL_PARTS.match(url)
    if not parts or "." not in parts[1]:
        return
    bare = "://" not in url and not url.startswith("git@")
    if bare and (_NAMED_JS.match(url) or _HAS_EXTENSION.search(url.partition("/")[0])):
        return
    host, path = parts[1].lower(), parts[2].strip("/")
    steps = path.split("/")
    git = url.startswith(("git@", "git://", "ssh://")) or path.endswith(".git")
    if (host in _FORGES and len(steps) == 2 and steps[0] not in _FORGE_PAGES and steps[1]) or (
        git and len(steps) >= 2
    ):
        yield _repo(url, path, offset, host)
        return
    query = "&".join(one for one in (parts[3] or "").split("&") if one and not _TRACKING.match(one))
    canonical = f"{host}/{path}".rstrip("/") + (f"?{query}" if query else "")
    yield Entity("url", url, canonical, offset, len(url), structural=True)


def _path(name: str, offset: int, *, cue: bool) -> Iterator[Entity]:
    """Yield a path, or the repository that owner/name is, where something tells that it is one."""
    head, _, rest = name.partition("/")
    lower = head.lower()
    if "\\" in name or name[0] in "/~." or _HAS_EXTENSION.search(name):
        if len(name.strip("/~.")) > 1 and any(one.isalpha() for one in name):
            yield _plain("file", name, offset)
    elif _SLUG.fullmatch(name):
        own = cue and rest.lower() in _SYSTEMS and lower not in _SYSTEMS  # torvalds/linux
        if lower in _NO_OWNER or head.isdigit() or rest.isdigit():
            return
        if rest.lower() in _NO_OWNER and not own:
            return
        joined = "-" in rest or "_" in rest
        if lower in _FOLDERS:
            if lower in ("asia", "europe", "america", "africa", "australia", "pacific"):
                yield Entity("", name, "", offset, len(name))  # a time zone
            if lower in ("src", "docs", "tests", "test", "lib", "app", "config", "scripts"):
                yield _plain("file", name, offset)
        elif cue or (joined and name.islower()):
            yield _repo(name, name, offset)
    elif (
        name.count("/") >= 2 and (lower in _FOLDERS or name.endswith("/")) and len(lower) > 1
    ) or (rest == "" and lower in _FOLDERS):
        yield _plain("file", name, offset)


def _named_repos(text: str) -> Iterator[Entity]:
    """Yield the repositories that are called so: "the X repo", X 仓库."""
    if "repo" not in text and "仓库" not in text and "代码库" not in text:
        return
    for repo in _REPO.finditer(text):
        before = _BEFORE_REPO.search(text, max(0, repo.start() - 80), repo.start())
        if before and before[2] and repo[0].isascii():
            before = None  # in English only "the X repo" names one
        for found in (before, _AFTER_REPO.match(text, repo.end())):
            which = (found.lastindex or 1) if found else 1
            name = found[which].rstrip(_TRAILING + "-") if found else ""
            if not found or name.lower() in _NO_REPO or name.lower()[:4] == "repo":
                continue
            if name and (found is before or found[1] is not None or _LIKE_A_NAME.search(name)):
                yield _repo(name, name, found.start(which))
