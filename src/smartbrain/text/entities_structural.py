"""Things told by their form alone: web addresses, repositories, files and paths, tags, works.

In: a text. Out: entities, not yet freed of overlaps. Says nothing about whether they exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.text.entity import Entity
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import stored_words, word_set

_I: Final = re.IGNORECASE
_WORD: Final = "A-Za-z0-9_"
_FORM: Final = pattern(r"[/\\.#＃@《]")
# A mark that ordinary words do not have inside or in front of them.
_MARK: Final = pattern(
    r"[./\\@~DMJPGRV](?:(?<=[!-~][./\\@])(?=[!-~])|(?<=[./~])(?<![!-~].)(?=[!-~])"
    r"|(?<=[DMJPGRV])(?<!\w.)\w{3,8}file\b)"
)
_CHUNK_BEFORE: Final = pattern(r"[!-~]{0,400}\Z")
_CHUNK_AFTER: Final = pattern(r"[!-~]{0,400}")
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
    if _MARK.search(text):
        cue = "/" in text and _REPO_CUE.search(text) is not None
        for start, end in _chunks(text):
            yield from _in_chunk(text, start, end, cue=cue)
    yield from _named_repos(text)
    if not _FORM.search(text):
        return
    for found in _TAG.finditer(text):
        if not (_COLOUR.match(found[1]) and any(one.isdigit() for one in found[1])):
            yield Entity("topic", found[0], found[1], found.start(), len(found[0]))
    for found in _WORK.finditer(text):
        yield Entity("object", found[1], found[1], found.start(1), len(found[1]))


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places between blanks and Chinese that have such a mark in them."""
    end = 0
    for mark in _MARK.finditer(text):
        if mark.start() < end:
            continue
        before = _CHUNK_BEFORE.search(text, max(end, mark.start() - 400), mark.start())
        after = _CHUNK_AFTER.match(text, mark.start())
        end = after.end() if after else mark.end()
        yield (before.start() if before else mark.start()), end


def _in_chunk(text: str, start: int, end: int, *, cue: bool) -> Iterator[Entity]:
    """Yield the addresses, files, paths and repositories between two places."""
    for found in _EMAIL.finditer(text, start, end):
        if not found[0].startswith("git@"):
            yield Entity("", found[0], "", found.start(), len(found[0]))
    for found in _URL.finditer(text, start, end):
        yield from _address(found[0].rstrip(_TRAILING), found.start())
    for found in _FILE.finditer(text, start, end):
        if not _NOT_FILES.match(found[0]) and not _NAMED_JS.match(found[0]):
            yield _plain("file", found[0], found.start())
    for found in _PATH.finditer(text, start, end):
        yield from _path(found[0].rstrip(_TRAILING), found.start(), cue=cue)


def _plain(kind: str, name: str, offset: int) -> Entity:
    return Entity(kind, name, name, offset, len(name), structural=True)


def _repo(name: str, slug: str, offset: int, host: str = "") -> Entity:
    """Return a repository by owner and name; the name alone is its alias."""
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
