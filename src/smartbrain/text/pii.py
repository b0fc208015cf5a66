"""Find personal data and secrets in Chinese, English and mixed text, and mask them (C10).

In: any string. Out: spans in order that never overlap, or the text with a mark such as `[email]`
for each of them. By patterns and checksums, so the same text always gives the same answer; kinds
whose traces a text does not have are not looked for. Full-width digits count like others. Not
found: names, numbers written in words, local phones that no word names, addresses without a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from smartbrain.domain.pii import PiiKind, PiiSpan
from smartbrain.text.pattern import pattern
from smartbrain.text.pii_addresses import chinese_addresses, english_addresses
from smartbrain.text.pii_checks import (
    is_bank_card,
    is_id_card,
    is_in_name,
    is_random,
    is_secret,
    is_telling_ipv4,
    is_telling_ipv6,
)

_MARKS: Final = {kind: f"[{kind}]" for kind in PiiKind} | dict.fromkeys(
    (PiiKind.API_KEY, PiiKind.PRIVATE_KEY), "[secret]"
)
_MARK: Final = rf"\[(?:{'|'.join(sorted({mark[1:-1] for mark in _MARKS.values()}))})\]"
# Of two overlapping spans of one length the earlier kind of these is kept.
_CERTAIN: Final = (
    PiiKind.PRIVATE_KEY,
    PiiKind.API_KEY,
    PiiKind.EMAIL,
    PiiKind.ID_CARD,
    PiiKind.BANK_CARD,
    PiiKind.PHONE,
    PiiKind.IP,
    PiiKind.ADDRESS,
)
# Stands for what was found already; no pattern takes it, just as none takes a mark.
_FOUND: Final = "\0"
# Two or three do; a text made to uncover one span at a time must not cost a round for each.
_MOST_ROUNDS: Final = 16

_WIDE: Final = "０１２３４５６７８９＋－（）Ｘｘ\u3000\u00a0‐‑–"
_NARROW: Final = dict(zip(_WIDE, "0123456789+-()Xx  ---", strict=True))
_SOME_WIDE: Final = pattern(f"[{_WIDE}]")


def _head(first: str) -> str:
    """Return a pattern of one character that does not go on a word, number, price or path.

    A `_` joins words, and a number among them is one for itself: `call_13812345678_log`.
    The character comes first and its surroundings later: so the engine can skip to it.
    """
    return rf"{first}(?<![A-Za-z\d#$¥￥€£]{first})(?<!\d[.-]\d)(?<![A-Za-z_~.]/{first})"


_TAIL: Final = r"(?![A-Za-z\d]|[.-]\d|\.[a-z])"
_NO_AMOUNT: Final = r"(?![ ]?(?:元|美元|万元|亿|字节|bytes))"
_SEP: Final = "[ -]"


class _Rule(NamedTuple):
    """A kind, how it is written, and what tells it from what only looks like it."""

    kind: PiiKind
    source: re.Pattern[str]
    holds: Callable[[re.Match[str]], bool]


def _digits(found: re.Match[str]) -> str:
    """Return a matched number without what groups it."""
    return found.group().replace(" ", "").replace("-", "")


def _always(_: re.Match[str]) -> bool:
    """Accept whatever the pattern accepts."""
    return True


_MOBILE: Final = rf"1[3-9]\d{_SEP}?\d{{4}}{_SEP}?\d{{4}}"
_NORTH_AMERICAN: Final = r"1\)?[ .-]{0,2}\(?[2-9]\d\d\)?[ .-]{0,2}[2-9]\d\d[ .-]?\d{4}"
_COUNTRY: Final = (
    rf"(?:86\)?{_SEP}?{_MOBILE}|{_NORTH_AMERICAN}"
    rf"|(?!86\)?{_SEP}?1[3-9])[2-9](?:[ ()-]{{0,2}}\d){{8,14}}){_TAIL}"
)
# As people write it at home; what says that it is a phone stands before it.
_NATIONAL: Final = (
    r"[(\d](?<![\w.#$+-][(\d])(?:(?<=\()[2-9]\d\d\)[ ]?[2-9]\d\d[ .-]\d{4}"
    r"|(?<=[2-9])\d\d([ .-])[2-9]\d\d\1\d{4}|(?<=[2-9])\d\d[2-9]\d{6}"
    r"|(?<=\()0\d{2,3}\)[ ]?[1-9]\d{6,7}|(?<=0)\d{2,3}[ -]?[1-9]\d{2,3}[ -]?\d{4}"
    r"|(?<=0)\d{2,4}[ ]\d{3,4}[ ]\d{3,4}|(?<=4)00[ -]?\d{3}[ -]?\d{4})"
    r"(?:[ ]?(?:x|ext\.?|-|转)[ ]?\d{1,5}\b)?"
)
_CUE: Final = pattern(
    r"(?:\b(?:(?:tele)?phones?|tel|cell|mobile|fax|hotline|call(?: me| us| him| her| them)?"
    r"|(?:phone|contact|cell|mobile) (?:number|no\.?))|电话|手机|联系|座机|热线|传真|致电)"
    r"(?:[号码方式]{0,4}(?: number)?(?: (?:is|at|on))?[\"']?[ ]?[:：是为]?[ ]{0,2}[\"']?)\Z",
    re.ASCII | re.IGNORECASE,
)
_CUE_REACH: Final = 32


def _is_phone(found: re.Match[str]) -> bool:
    """Tell whether the words before a number say that it is somebody's phone."""
    start = found.start()
    return _CUE.search(found.string[max(0, start - _CUE_REACH) : start]) is not None


_NUMBER_RULES: Final = tuple(
    _Rule(kind, pattern(source, re.ASCII), holds)
    for kind, source, holds in (
        (
            PiiKind.PHONE,
            rf"{_head('[081]')}(?:(?<=1)|(?<=8)6{_SEP}?1|(?<=0)086{_SEP}?1)"
            rf"{_MOBILE[1:]}{_TAIL}{_NO_AMOUNT}",
            _always,
        ),
        # Numbers glued together are one: each would hide the next.
        (
            PiiKind.PHONE,
            rf"{_head('[+(]')}(?:(?<=[+])|(?<=[(])[+]){_COUNTRY}(?:\(?[+]{_COUNTRY})*",
            _always,
        ),
        (
            PiiKind.PHONE,
            r"[081](?<!\d[081])(?<!\d[.-]\d)(?:(?<=1)|(?<=8)61|(?<=0)0861)[3-9]\d{9}(?!\d|\.\d)",
            lambda found: is_in_name(found.string, found.start(), found.end()),
        ),
        (PiiKind.PHONE, rf"{_NATIONAL}{_TAIL}{_NO_AMOUNT}", _is_phone),
        (
            PiiKind.ID_CARD,
            r"[1-9](?<![A-Za-z\d#$][1-9])(?<!\d[.-]\d)"
            rf"(?:\d{{5}}{_SEP}?\d{{8}}{_SEP}?\d{{3}}(?:\d{_TAIL}|[Xx](?![A-Za-z\d]))"
            rf"|\d{{14}}{_TAIL})",
            lambda found: is_id_card(_digits(found)),
        ),
        *(
            (
                PiiKind.BANK_CARD,
                _head("[2-689]") + grouped + _TAIL,
                lambda found: is_bank_card(_digits(found)),
            )
            for grouped in (
                r"\d{12,18}",
                rf"\d{{3}}({_SEP})\d{{4}}\1\d{{4}}\1\d{{1,4}}",
                rf"\d{{3}}({_SEP})\d{{4}}\1\d{{4}}\1\d{{4}}\1\d{{1,3}}",
                rf"\d{{3}}({_SEP})\d{{6}}\1\d{{4,5}}",
                rf"\d{{5}}{_SEP}\d{{13}}",
            )
        ),
    )
)
_NUMBERS: Final = range(10**10, 10**19)  # those with as many digits as the shortest, the longest
_DIGIT: Final = pattern(r"\d", re.ASCII)
_LONG_NUMBER: Final = pattern(r"\d(?:[ ().-]{0,3}\d){8}", re.ASCII)

_IPV4: Final = _Rule(
    PiiKind.IP,
    pattern(
        r"\d(?<![\w#$]\d)(?<!\d\.\d)(?<![A-Za-z_~.]/\d)\d{0,2}(?:\.\d{1,3}){3}"
        r"(?!\w|\.\w|-[A-Za-z])",
        re.ASCII,
    ),
    lambda found: is_telling_ipv4(found.group()) and not _is_version(found),
)
_IPV6: Final = _Rule(
    PiiKind.IP,
    pattern(
        r"[23Ff](?<![\w:][23Ff])(?!(?<=\[\d)\d+::\d*\])[0-9A-Fa-f]{3}"
        r"(?::[0-9A-Fa-f]{0,4}+){2,7}+(?![\w:])",
        re.ASCII,
    ),
    lambda found: is_telling_ipv6(found.group()),
)
_DOTTED: Final = pattern(r"\d\.\d{1,3}\.\d", re.ASCII)
_VERSION: Final = pattern(
    r"(?:\bv(?:er(?:sion|\.)?)?|\bversions?|\brelease|\bsection|\bchapter|版本号?|第|§)"
    r"[ \t]*[:：=]?[ \t]*\Z|(?:[=<>~!]=|[\^~])[ \t]*\Z|[A-Za-z]-\Z",
    re.ASCII | re.IGNORECASE,
)

_DOMAIN: Final = pattern(
    r"@(?!\d+x\.)(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}+\.){1,8}[A-Za-z]{2,24}+(?!\w)", re.ASCII
)
_LOCAL: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+'-"
_LONGEST_LOCAL: Final = 64

_KEY_TRACES: Final = (
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "AKIA", "ASIA", "AIza"),
    *("glpat-", "hf_", "npm_", "pypi-", "eyJ", "sk_live_", "sk_test_", "rk_live_", "rk_test_"),
)
_KEY: Final = _Rule(
    PiiKind.API_KEY,
    pattern(
        r"(?<![\w-])(?:sk-[\w-]{20,}+|gh[opusr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+"
        r"|xox[abeoprs]-[\w-]{10,}+|(?:AKIA|ASIA)[A-Z0-9]{16}(?!\w)|AIza[\w-]{30,}+"
        r"|glpat-[\w-]{16,}+|hf_[A-Za-z0-9]{20,}+|npm_[A-Za-z0-9]{30,}+|pypi-[\w-]{16,}+"
        r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+|eyJ[\w-]{5,}+\.[\w-]{5,}+\.[\w-]{4,}+)[\w-]*+",
        re.ASCII,
    ),
    lambda found: is_random(found.group()),
)
_BEARER: Final = pattern(
    r"\bBearer[ \t]{1,4}((?=[\w.~+/=-]{0,200}?\d)(?=[\d.~+/=-]{0,200}?[A-Za-z])[\w.~+/=-]{10,}+)",
    re.ASCII | re.IGNORECASE,
)
_SECRET_TRACES: Final = (
    *("passw", "passphrase", "passcode", "pwd", "secret", "token", "key", "密码", "口令"),
    *("密钥", "秘钥"),
)
_ASSIGNED: Final = pattern(  # one character first, in either case: long texts are scanned for it
    r"(?-i:[apstAPST密口秘])(?:(?<!unexpected .)(?<!invalid .)(?:(?<=p)(?:ass(?:word|wd|phrase"
    r"|code)|wd)|(?<=s)ecret(?:[ _-]?key)?|(?<=t)oken|(?<=a)(?:pi|ccess)[ _-]?key)|(?<=密)[码钥]"
    r"|(?<=口)令|(?<=秘)钥)"
    r"(?:\\?[\"']\]?|\*\*|`)?(?P<blank>[ \t]{0,4})"
    r"(?P<by>(?>(?<=[ \t])(?:is|was)(?=[ \t:])[ \t]{0,4}:?|[是为][ ]?[:：]?|:=|=>|={1,3}|[:：＝]))"
    r"(?:\*\*)?+[ \t]{0,8}+"
    rf"(?:\\?[\"'`“‘「『](?P<quoted>(?:(?!{_MARK})[^\s\0\"'`“”‘’「」『』]){{6,}}+)(?=[\"'`”’」』])"
    r"|(?![<${\[(\"'`]|[A-Za-z_][\w.]*+[(\[])"
    rf"(?P<bare>(?:(?!{_MARK}|[&;,]\w{{1,30}}[=:])[!#-_a-~]){{6,}}+))",
    re.ASCII | re.IGNORECASE,
)
_LINE_ENDS: Final = pattern(r"[ \t]*(?:[\r\n。，；！]|\Z)")
_PRIVATE_KEY: Final = pattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"
)


def find_pii(text: str) -> list[PiiSpan]:
    """Return the personal data and secrets of a text, in order and without overlaps.

    Of two that overlap the longer is kept, but a private key before all else. Nothing more is found
    once they are masked: what only their neighbourhood hid is found as well.
    """
    left = _narrowed(text)
    spans: list[PiiSpan] = []
    for _ in range(_MOST_ROUNDS):
        fresh = _strongest(sorted(_candidates(left), key=lambda span: span.offset))
        if not fresh:
            break
        spans += fresh
        left = _replaced(left, [(span, _FOUND * span.length) for span in fresh])
    return sorted(spans, key=lambda span: span.offset)


def holds_pii(text: str) -> bool:
    """Tell whether `find_pii` finds anything in a text; the first trace that holds is enough."""
    return next(_candidates(_narrowed(text)), None) is not None


def kind_of_number(number: float) -> PiiKind | None:
    """Return what the digits of a number are if all of them are personal data in a text as well."""
    whole = int(number) if isinstance(number, int) or number.is_integer() else 0
    if whole not in _NUMBERS:
        return None
    digits = str(whole)
    return next((one.kind for one in find_pii(digits) if one.length == len(digits)), None)


def _narrowed(text: str) -> str:
    """Return a text with the narrow form of its wide characters, where it has any."""
    return text if text.isascii() else _SOME_WIDE.sub(lambda found: _NARROW[found[0]], text)


def mask_pii(text: str, spans: Sequence[PiiSpan]) -> str:
    """Return a text with a readable mark in place of each span, or some, that `find_pii` found."""
    return _replaced(text, [(span, _MARKS[span.kind]) for span in spans])


def mark_of(kind: PiiKind) -> str:
    """Return the mark that stands for personal data of a kind."""
    return _MARKS[kind]


def is_masked(text: str) -> bool:
    """Tell whether a text holds the mark of something that was masked."""
    return "[" in text and any(mark in text for mark in _MARKS.values())


def _replaced(text: str, changes: Sequence[tuple[PiiSpan, str]]) -> str:
    """Return a text with each span replaced."""
    pieces: list[str] = []
    done = 0
    for span, instead in changes:
        pieces += text[done : span.offset], instead
        done = span.end
    return "".join(pieces) + text[done:]


def _strongest(spans: Sequence[PiiSpan]) -> list[PiiSpan]:
    """Return the best of each run of overlapping spans; they come by offset."""
    kept: list[PiiSpan] = []
    for span in spans:
        if not kept or kept[-1].end <= span.offset:
            kept.append(span)
        elif _strength(span) > _strength(kept[-1]):
            kept[-1] = span
    return kept


def _strength(span: PiiSpan) -> tuple[bool, int, int]:
    """Return what decides between overlapping spans; more is better."""
    return span.kind is PiiKind.PRIVATE_KEY, span.length, -_CERTAIN.index(span.kind)


def _candidates(text: str) -> Iterator[PiiSpan]:
    """Yield whatever may be personal data, kind by kind; each is looked for only on a trace."""
    if "PRIVATE KEY-" in text or "PRIVATE KEY BLOCK-" in text:
        yield from (_span(PiiKind.PRIVATE_KEY, found) for found in _PRIVATE_KEY.finditer(text))
    if any(map(text.__contains__, _KEY_TRACES)):
        yield from _by_rule(_KEY, text)
    lowered = text.lower()
    if "bearer" in lowered:
        yield from (_span(PiiKind.API_KEY, found, 1) for found in _BEARER.finditer(text))
    if any(map(lowered.__contains__, _SECRET_TRACES)):
        yield from _assigned_secrets(text)
    if "@" in text:
        yield from _emails(text)
    if "::" in text or text.count(":") > 6:
        yield from _by_rule(_IPV6, text)
    if "号" in text or "號" in text:
        yield from chinese_addresses(text)
    if not _DIGIT.search(text):
        return  # everything below has one
    if _LONG_NUMBER.search(text):
        for rule in _NUMBER_RULES:
            yield from _by_rule(rule, text)
    if _DOTTED.search(text):
        yield from _by_rule(_IPV4, text)
    yield from english_addresses(text)


def _span(kind: PiiKind, found: re.Match[str], group: int | str = 0) -> PiiSpan:
    """Return a group of a match as a span."""
    return PiiSpan(kind, found.start(group), found.end(group) - found.start(group))


def _by_rule(rule: _Rule, text: str) -> Iterator[PiiSpan]:
    """Yield what a rule finds; after a mismatch, also what begins inside of that."""
    at = 0
    while found := rule.source.search(text, at):
        if rule.holds(found):
            yield _span(rule.kind, found)
            at = found.end()
        else:
            at = found.start() + 1


def _emails(text: str) -> Iterator[PiiSpan]:
    """Yield e-mail addresses: a domain first, then what stands directly before it."""
    for found in _DOMAIN.finditer(text):
        before = text[max(0, found.start() - _LONGEST_LOCAL) : found.start()]
        local = before[len(before.rstrip(_LOCAL)) :].lstrip(".'%+-")
        # "git@" opens the address of a repository, which is nobody's.
        if local and local[-1] != "." and local != "git":
            yield PiiSpan(
                PiiKind.EMAIL, found.start() - len(local), found.end() - found.start() + len(local)
            )


def _is_version(found: re.Match[str]) -> bool:
    """Tell whether the words before a dotted number say that it is a version or a section."""
    return bool(_VERSION.search(found.string[max(0, found.start() - 16) : found.start()]))


def _assigned_secrets(text: str) -> Iterator[PiiSpan]:
    """Yield the values that are given for passwords, tokens and keys."""
    for found in _ASSIGNED.finditer(text):
        quoted = found["quoted"] is not None
        group = "quoted" if quoted else "bare"
        value = found[group].rstrip("\\" if quoted else ",.;:)}]>'\\")
        # A name alone says little: "password = hashed" is code and "token is fresh" is prose.
        is_code = bool(found["blank"]) and "=" in found["by"]
        is_prose = found["by"][0] in "iwIW"
        may_be_word = not (is_code or is_prose) and bool(_LINE_ENDS.match(text, found.end()))
        if len(value) >= 6 and is_secret(value, quoted=quoted, may_be_word=may_be_word):
            yield PiiSpan(PiiKind.API_KEY, found.start(group), len(value))
