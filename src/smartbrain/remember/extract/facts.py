"""Facts in what the user says: lasting states of things, as subject, attribute and value (C6).

In: a sentence. Out: candidates for `fact:<subject>:<attribute>`. Which words tell a fact is known
to the readers of either language; here is decided who may tell one: only the user, only in what
is stated, and not in a text that was handed over to be worked on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.bygone import present_clauses
from smartbrain.remember.extract.fact_changes import CHANGED, tells_change, told_as_change
from smartbrain.remember.extract.fact_names import Told, settled
from smartbrain.remember.extract.fact_verbs import FIRST_WORDS
from smartbrain.remember.extract.facts_en import labelled_in_english, told_in_english
from smartbrain.remember.extract.facts_people import told_of_people
from smartbrain.remember.extract.facts_zh import labelled_in_chinese, told_in_chinese
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.switches import SWITCHED, find_switches
from smartbrain.remember.extract.wording import GENERAL, latin_words, tidy
from smartbrain.text.needed import folded
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_TELLING: Final = FIRST_WORDS | {"we", "our", "team", "switched", "moved", "migrated", "replaced"}
_DIGIT: Final = pattern(r"\d")
_CJK: Final = pattern("[\u4e00-\u9fff]")
# "Translate this: …" and the like; whatever follows is a text and nothing said.
_HANDED_OVER: Final = pattern(
    r"\b(?:translate|summari[sz]e|rewrite|rephrase|proofread|polish|paraphrase|shorten|improve"
    r"|correct|simplify|edit|reword)\b[^.:\n]{0,80}[:\n]"
    r"|(?:翻译|润色|改写|缩写|总结|概括|精简|校对|改一下|改改|语病|造句|扩写"
    r"|续写)[^。:：\n]{0,40}[:：\n]",
    _I,
)
# Where such words may begin, in small letters: in a long text they are found ten times as fast.
_TO_WORK_ON: Final = pattern(
    r"t(?=ranslate)|s(?=ummari|horten|implify)|r(?=ewrite|ephrase|eword)|p(?=roofread|olish"
    r"|araphrase)|i(?=mprove)|c(?=orrect)|e(?=dit)|翻(?=译)|润(?=色)|改(?=写|一下|改)|缩(?=写)"
    r"|总(?=结)|概(?=括)|精(?=简)|校(?=对)|语(?=病)|造(?=句)|扩(?=写)|续(?=写)"
)
_AND: Final = pattern(
    r"(?<!\s)\s++and\s++(?=(?:the|our|my)\s(?:[\w'-]+\s){1,6}?(?:is|are|runs?|lives?|costs?|uses?|has"
    r"|starts?"
    r"|opens?|closes?|listens?|expires?)\s)"
    r"|(?<!\s)\s++and\s++(?=(?:she|he|it|they|i|we|you|there)(?:['’](?:s|re|m)|\s+(?:is|are|was|has|have"
    r"|had|will|can|do|does|lives?|works?|runs?|uses?|likes?|loves?|costs?|opens?|closes?))\b)",
    _I,
)
_SAME_ONE: Final = pattern(r"(?:she|he|it)(?P<is>['’]s)?(?= )", _I)
_END: Final = " .。!！~～"
_CONFIDENCE: Final = 0.85
_OF_OTHERS: Final = pattern(r"[\u3400-\u9fff](?<![和跟与及])[我你他她它咱]们?\Z")
_US: Final = ("company", "team", "project")
REPLACES: Final = frozenset({f"facts.{CHANGED}", "facts.switch"})
"""The rules of facts that say themselves that they take the place of what was so before."""


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Find the facts that a sentence of the user states."""
    if said.source is not Source.USER or not _may_tell(sentence.text):
        return
    if _is_handed_over(sentence, said):
        return
    changed = list(switched(sentence, said))
    yield from changed
    clauses = present_clauses(sentence)
    for place, clause in enumerate(clauses):
        if any(one.offset <= clause.offset < one.offset + one.length for one in changed):
            continue
        following = clauses[place + 1] if place + 1 < len(clauses) else None
        labelled = (
            _labelled(clause.text, following.text) if _labels(clause, said) and following else None
        )
        if following and labelled:
            length = following.offset + len(following.text.rstrip(_END)) - clause.offset
            found = [(labelled, clause.offset, length)]
        else:
            found = list(_told_in(clause))
        for told, offset, length in found:
            words = said.text[offset : offset + length]
            told = settled(told, words)
            if tells_change(told, words):
                told = told._replace(rule=CHANGED)
            if _OF_OTHERS.search(told.subject):
                continue  # 老师要求我们用 LaTeX: what somebody wants of us
            if _is_name(told.subject) and _is_name(told.attribute):
                yield _candidate(told, said, offset, length)


def changed(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield the facts that a sentence of the user tells as a change."""
    if said.source is not Source.USER or _is_handed_over(sentence, said):
        return
    for clause in stated_clauses(sentence):
        for told in told_as_change(clause.text):
            yield _candidate(
                settled(told, clause.text), said, clause.offset, len(clause.text.rstrip(_END))
            )


def switched(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what is used now in the place of something else, and the end of that."""
    if said.source is not Source.USER or _is_handed_over(sentence, said):
        return
    for switch in find_switches(sentence):
        new = _candidate(switch.new, said, switch.offset, switch.length)
        yield new
        gone = [switch.old] if switch.old else []
        if (was := switch.was) and was.subject in _US:  # whichever of us it was told of
            gone += [was._replace(subject=one) for one in _US if one != was.subject]
        for old in gone:
            value = {"subject": old.subject, "attribute": old.attribute, "value": old.value}
            yield replace(new, value=value, rule=SWITCHED, action=CandidateAction.RETRACT)


def _may_tell(text: str) -> bool:
    """Tell, at little cost, whether a sentence may tell a fact; most in English cannot."""
    if not text.isascii() or ":" in text or not latin_words(text).isdisjoint(_TELLING):
        return True
    return "'" in text and _DIGIT.search(text) is not None  # "it's 5 pm"


def _is_name(text: str) -> bool:
    """Tell whether a text can be a part of a key."""
    return any(map(str.isalnum, text))


def _told(text: str) -> Iterator[Told]:
    """Read a part of a clause in its language."""
    label, colon, value = text.replace("：", ":").partition(":")
    if colon and (labelled := _labelled(label, value)):
        yield labelled
    elif people := told_of_people(text):
        yield from people
    else:
        yield from told_in_chinese(text) if _CJK.search(text) else told_in_english(text)


def _labelled(label: str, value: str) -> Told | None:
    """Read `label: value` in the label's language."""
    if _CJK.search(label):
        return labelled_in_chinese(label, value)
    return labelled_in_english(label, value)


def _labels(clause: Clause, said: Said) -> bool:
    """Tell whether a colon comes after a clause."""
    end = clause.offset + len(clause.text)
    return said.text[end : end + 2].strip()[:1] in (":", "：")


def _told_in(clause: Clause) -> Iterator[tuple[Told, int, int]]:
    """Tell the facts of a clause, each with its place; `and she is six` is said of the same one."""
    subject = GENERAL
    for part, offset in _parts(clause):
        text = part
        if subject != GENERAL and (same := _SAME_ONE.match(part)):
            text = f"my {subject}{' is' if same['is'] else ''}{part[same.end() :]}"
        for told in _told(text):
            subject = told.subject
            yield told, offset, len(part.rstrip(_END))


def _parts(clause: Clause) -> Iterator[tuple[str, int]]:
    """Cut a clause where `and` begins a new one."""
    start = 0
    for joint in _AND.finditer(clause.text):
        yield clause.text[start : joint.start()], clause.offset + start
        start = joint.end()
    yield clause.text[start:], clause.offset + start


def _candidate(told: Told, said: Said, offset: int, length: int) -> Candidate:
    """Make a candidate of what was told and where."""
    return Candidate(
        type="facts",
        value={"subject": told.subject, "attribute": told.attribute, "value": told.value},
        text=tidy(said.text[offset : offset + length]),
        rule=f"facts.{told.rule}",
        source=said.source,
        confidence=_CONFIDENCE,
        offset=offset,
        length=length,
    )


@lru_cache(maxsize=8)
def _handed_over_from(text: str) -> int:
    """Return where a text that is only to be worked on begins, else the end."""
    if ":" in text or "\n" in text or "：" in text:
        for verb in _TO_WORK_ON.finditer(folded(text)):
            if found := _HANDED_OVER.match(text, verb.start()):
                return found.end()
    return len(text)


def _is_handed_over(sentence: Sentence, said: Said) -> bool:
    """Tell whether a sentence is part of a text to be worked on."""
    return sentence.offset + len(sentence.text) > _handed_over_from(said.text)
