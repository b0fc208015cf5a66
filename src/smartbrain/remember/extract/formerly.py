"""What was so formerly and what is so now: 我以前住在北京，现在住在成都 (C4, C6).

In: a sentence of the user with both. Out: what it says is so now, as the other finders read it, and
a retraction of what was so before, unless the new takes its place anyway. Who lives, works or
decides is often said once, and where somebody works is said as where they are. A sentence that says
nothing of now takes nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.corrections import FINDERS
from smartbrain.remember.extract.corrections_instead import IN_WORDS
from smartbrain.remember.extract.corrections_meant import is_same_thing
from smartbrain.remember.extract.corrections_profile import PROFILE, facts_in
from smartbrain.remember.extract.fact_changes import CHANGED
from smartbrain.remember.extract.finder import find_candidates
from smartbrain.remember.extract.said import Said, Sentence, read_said
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.profile_values import has_many
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.segment import tag

_I: Final = 0x02  # re.IGNORECASE
_ONCE_ZH: Final = r"(?:以前|之前|原来|原先|原本|过去|从前|曾经?|本来|起初|最初|最早|一开始)"
_SIGN: Final = sign(
    rf"{_ONCE_ZH}|\b(?:used to|formerly|previously|originally|initially|at first)\b", _I
)
_THEN: Final = pattern(
    r"\A(?P<who>i|we) (?:(?:both|all|always|also) )?(?:used to (?P<to>\S.*)"
    r"|(?:had )?(?:formerly|previously|originally|initially) (?P<did>\S.*))\Z"
    r"|\A(?:at first|originally|initially|previously|formerly),? (?P<we>i|we) (?P<first>\S.*)\Z",
    _I,
)
_THEN_ZH: Final = pattern(
    rf"\A(?:(?P<who>我们?|咱们?|本人|俺)\s?{_ONCE_ZH}(?:一直|都|也){{0,4}}|{_ONCE_ZH}\s?(?P<we>我们?|咱们?)"
    rf"|(?P<what>[^，,我咱你他她]{{1,12}}?)\s?{_ONCE_ZH}(?=[是用叫]))(?P<did>\S.*)\Z"
)
_NOW: Final = pattern(
    r"\A(?:(?:but|and|however|though|then|so)[, ]++){0,4}(?P<now>(?:now(?:adays)?|these days"
    r"|currently"
    r"|today|later(?: on)?|then|in the end|eventually|finally"
    r"|ended up)\b[, ]*+){1,4}(?P<does>\S.*)\Z"
    r"|\A(?:(?:but|and)[, ]++){1,4}(?P<goes>(?:i|we|i['’]m)\b.*\b(?:now(?:adays)?"
    r"|these days))\W*\Z",
    _I,
)
_NOW_ZH: Final = pattern(
    r"\A(?:但是?|不过|可是?|而)?\s?(?:我们?|咱们?)?\s?(?:(?:现在|如今|目前|眼下|后来|之后|最后|最终"
    r"|最近|已经|又|就|都){1,6}\s?(?:还是|改)?|(?=(?:[去今]年|上个?月|前年|年[初底])))(?:我们?)?(?P<does>\S.*)\Z"
)
_PRESENT: Final = (
    (pattern(r"\A(?:be|was|were)\b", _I), "am"),
    (pattern(r"\A(live|love|like|use)d\b", _I), r"\1"),
    (pattern(r"\A(work|prefer)(?:r?ed)\b", _I), r"\1"),
)
_SUBJECT: Final = pattern(r"\A(?:i|we|my|our|it|he|she|they|the|i['’]\w+|we['’]\w+)\b", _I)
# How people say shortly where they work, what they are and what they took.
_OTHERWISE: Final = (
    (pattern(r"\A我是?在\s?(?P<v>[^，,]{2,12})\Z"), "我在{}工作"),
    (pattern(r"\A我(?:做|干|改做|转做)了?\s?(?P<v>[^，,]{2,12})\Z"), "我是{}"),
    (
        pattern(r"\A(?:我们|咱们)(?:还是|改|又|就)*[用选][用择]?了\s?(?P<v>[^，,]{1,20})\Z"),
        "我们决定用{}",
    ),
    (
        pattern(r"\A(?:i am|i['’]m)? ?(?:i )?(?:at|with) (?P<v>(?-i:[A-Z])[\w&.' -]{1,30}?)\Z", _I),
        "I work at {}",
    ),
    (
        pattern(
            r"\Awe (?:went (?:with|for)|chose|picked|took|switched to|settled on|used|using"
            r"|ended up (?:using|with)) (?P<v>\S.{0,40})\Z",
            _I,
        ),
        "We decided to use {}",
    ),
)
_STOPS: Final = " .。!！~～,，"


class _Parts(NamedTuple):
    """What was so and what is so, each as a statement of its own, and where they stand."""

    old: str
    new: str
    start: int
    middle: int
    end: int


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what is so now, and a retraction of what was so before."""
    if said.source is not Source.USER or not _SIGN.search(sentence.text):
        return
    parts = _parts(sentence)
    new = _read(parts.new, said) if parts else []
    if parts is None or not new:
        return
    for one in _over(_read(parts.old, said), new):
        yield replace(
            one,
            action=CandidateAction.RETRACT,
            rule=f"{IN_WORDS}{one.type}",
            offset=parts.start,
            length=parts.middle - parts.start,
        )
    for one in new:
        rule = f"facts.{CHANGED}" if one.type == "facts" else one.rule  # the other was no error
        yield replace(one, rule=rule, offset=parts.middle, length=parts.end - parts.middle)


def _parts(sentence: Sentence) -> _Parts | None:
    """Read two clauses that follow each other, and the rest, as what was and what is so."""
    clauses = stated_clauses(sentence)
    for then, now in pairwise(clauses):
        was = _THEN.match(then.text) or _THEN_ZH.match(then.text)
        rest = sentence.text[now.offset - sentence.offset :].strip(_STOPS)
        is_ = _NOW.match(rest) or _NOW_ZH.match(rest)
        if was and is_:
            end = sentence.offset + len(sentence.text)
            return _Parts(*_statements(was, is_), then.offset, now.offset, end)
    return None


def _statements(was: re.Match[str], is_: re.Match[str]) -> tuple[str, str]:
    """Return two statements of what was so and what is so, each with who it is about."""
    told, now = was.groupdict(), is_.groupdict()
    who = str(told["who"] or told.get("we") or told.get("what"))
    did = str(told.get("to") or told.get("did") or told.get("first"))
    does = str(now["does"] or now.get("goes"))
    if was.re.pattern == _THEN_ZH.pattern:
        return f"{who}{did}".strip(_STOPS), f"{who}{does}"
    for shape, instead in _PRESENT:
        did = shape.sub(instead, did)
    return f"{who} {did}".strip(_STOPS), does if _SUBJECT.match(does) else f"{who} {does}"


def _read(text: str, said: Said) -> list[Candidate]:
    """Return what a statement says, be it said shortly."""
    for shape, instead in _OTHERWISE:
        if (short := shape.match(text)) and _is_thing(short["v"]):
            text = instead.format(short["v"])
    own = read_said(text, source=said.source, speaker=said.speaker, at=said.at)
    found = find_candidates(own, FINDERS)
    return [one for one in found if one.action is CandidateAction.WRITE]


def _is_thing(words: str) -> bool:
    """Tell whether words name something, and are no doing: 我在休假."""
    return not any(kind.startswith("v") and kind != "vn" for _, kind in tag(words))


def _over(old: Sequence[Candidate], new: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield of what was so before what nothing new takes the place of."""
    told = {fact["k"] for fact in facts_in(new) if not has_many(fact["k"])}
    for one in old:
        if one.type == PROFILE:
            gone = [fact for fact in facts_in([one]) if fact["k"] not in told]
            if gone:
                yield replace(one, value={**one.value, "facts": gone})
        elif not any(one.type == other.type and is_same_thing(other, one) for other in new):
            yield one
