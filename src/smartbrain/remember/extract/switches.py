"""Switches: something that is used in the place of something else (C4, C6).

In: a sentence. Out: who uses what now, and what they used before, where both are named: "we
switched from Scrum to Kanban", 我们不用 Scrum 了，改用看板. What is only used "now" may stand
beside the rest, and a switch that does not say from what replaces nothing: of neither is anything
read here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from smartbrain.remember.extract.decisions_words import known_as
from smartbrain.remember.extract.fact_names import Told, settled, thing_of
from smartbrain.remember.extract.fact_words import HAPPENINGS, MOMENT, VAGUE, VAGUE_ZH
from smartbrain.remember.extract.preference_languages import LANGUAGES
from smartbrain.remember.extract.said import Clause, Sentence
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.text.entity_people import sure_names
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE

SWITCHED: Final = "facts.switched"
"""The rule of what goes, if it is there, because something else is used in its place."""

_SIGN: Final = sign(
    r"\b(?:switched|moved|migrated|upgraded|replaced|instead of|no longer)\b"
    r"|升级?[到成]|[换改][成用到]|替换[成为]"
    r"|切换?到|迁移?到",
    _I,
)
_WHO: Final = r"\A(?:and |so |but |also,? )?(?P<s>we|(?:the|our) [\w-]+(?: [\w-]+){0,2}?)"
_OLD: Final = r"(?P<x>(?-i:[A-Z])[\w.+#-]*+(?: (?-i:[A-Z\d])[\w.+#-]*+){0,2})"
_NEW: Final = r"(?P<y>(?-i:[A-Z])[\w.+#-]*+(?: (?-i:[A-Z\d])[\w.+#-]*+){0,2})"
_END: Final = (
    r"(?: for (?:our |the )?[\w/-]++(?: [\w/-]++)?)?"
    r"(?:,? (?:now|instead|recently|(?:last|this) (?:week|month|quarter|year)))?\W*\Z"
)
_FORMS: Final = (
    pattern(
        rf"{_WHO}(?:['’]ve| have| has)?(?: (?:now|just|recently|all)){{0,4}} (?:switched|upgraded)"
        rf"(?: over)? from {_OLD} (?:over )?to {_NEW}{_END}",
        _I,
    ),
    pattern(
        rf"{_WHO}(?:['’]ve| have| has)?(?: (?:now|just|recently|all)){{0,4}} (?:(?P<sure>moved"
        rf"|migrated)"
        rf"(?: over)? from {_OLD} (?:over )?to {_NEW}|(?P<with>replaced)"
        rf" {_OLD.replace('<x>', '<old>')} with {_NEW.replace('<y>', '<new>')}){_END}",
        _I,
    ),
    pattern(
        rf"{_WHO}(?:['’]ve| have| has)?(?: (?:now|just|recently|all)){{0,4}} (?P<up>upgraded) to"
        rf" {_NEW}{_END}",
        _I,
    ),
    pattern(rf"{_WHO}(?: (?:now|currently|all)){{0,4}} uses? {_NEW} instead of {_OLD}{_END}", _I),
    pattern(
        rf"{_WHO} no longer uses? {_OLD}(?:,? but|,(?: but| and)? (?:we|it|they)(?: now)? uses?)"
        rf" {_NEW}{_END}",
        _I,
    ),
)
_WHO_ZH: Final = (
    r"\A(?P<s>[\u3400-\u9fffA-Za-z]{2,8}?)\s?(?:现在|目前|已经|已|最近|刚|都|全面|正式"
    r"|上个?(?:周|月|星期)|去年|今年|年[初底]){0,6}\s?"
)
_OLD_ZH: Final = r"\s?(?P<x>[A-Za-z][\w.+# -]{0,30}?|[\u3400-\u9fff]{2,6}?)\s?"
_NEW_ZH: Final = r"\s?(?P<y>[A-Za-z][\w.+# -]{0,30}?|[\u3400-\u9fff]{2,6}?)\s?"
_TO_ZH: Final = r"(?:换成|换到|换用|改用|改成|切换成|切换?到|迁移?到)"
_DONE_ZH: Final = r"(?=了|[^，,]*了\W*\Z)了?"
_LONGEST_ZH: Final = 200  # characters; the parts of a longer text have no room in these forms
_FORMS_ZH: Final = (
    pattern(
        rf"{_WHO_ZH}(?:把[\u3400-\u9fff]{{2,6}})?从{_OLD_ZH}{_TO_ZH}{_DONE_ZH}{_NEW_ZH}了?\W*\Z", _I
    ),
    pattern(
        rf"\A(?P<s>我们|咱们|团队|公司|项目|)\s?(?:现在|已经|已|最近|刚|都|全面|正式){{0,6}}(?P<up>升级?[到成])"
        rf"{_DONE_ZH}{_NEW_ZH}了?\W*\Z",
        _I,
    ),
    pattern(rf"{_WHO_ZH}把{_OLD_ZH}(?:替?换[成为]|改成){_DONE_ZH}{_NEW_ZH}了?\W*\Z", _I),
    pattern(
        rf"{_WHO_ZH}(?:不再用|不用(?=[^，,]*了[，,])){_OLD_ZH}了?[，,]\s?"
        rf"(?:现在|而是)?(?:{_TO_ZH}|用)了?{_NEW_ZH}了?\W*\Z",
        _I,
    ),
)
# For a while, or once.
_VERSION: Final = pattern(r"\d")
_PASSES: Final = pattern(rf"\b(?:{MOMENT})\b|暂时|临时|今天|昨天|这次|先|试", _I)
_LAST_WEEK: Final = pattern(r" last week\W*\Z", _I)
_NO_THING: Final = pattern(
    rf"(?:{LANGUAGES}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may"
    r"|june|july|august|september|october|november|december|[A-Za-z]"
    r"|(?:什么|别的|其他|其它|新|这|那|它|自己|一|哪).*|.*[的吗呢吧])\Z",
    _I,
)
_NO_SUBJECT_ZH: Final = pattern(
    rf"我(?!们|司)|[你您他她它这那]|.*(?:会|会议|航班|考试|面试|活动|培训|{VAGUE_ZH})\Z"
    r"|.*(?:不|没|想|要|会|能|把|从|说|果|[了的])"
)


class Switch(NamedTuple):
    """What is used now, what was used before if that has another name, and where it is said."""

    new: Told
    old: Told | None
    was: Told | None
    """What was used before, by the name that it has, be it that of the new one."""
    offset: int
    length: int


def find_switches(sentence: Sentence) -> Iterator[Switch]:
    """Yield the switches that a sentence states, each in one clause or in two."""
    if not _SIGN.search(sentence.text):
        return
    clauses = stated_clauses(sentence)
    place = 0
    while place < len(clauses):
        for number in (2, 1):
            switch = _switch(clauses[place : place + number], sentence)
            if switch is not None:
                yield switch
                place += number - 1
                break
        place += 1


def _switch(clauses: tuple[Clause, ...], sentence: Sentence) -> Switch | None:
    """Read some clauses that follow each other as one switch."""
    offset, last = clauses[0].offset, clauses[-1]
    length = last.offset + len(last.text) - offset
    text = sentence.text[offset - sentence.offset :][:length].strip()
    wide = not text.isascii() and "’" not in text
    if wide and len(text) > _LONGEST_ZH:
        return None
    forms = _FORMS_ZH if wide else _FORMS
    found = next(filter(None, (form.match(text) for form in forms)), None)
    if found is None or _PASSES.search(_LAST_WEEK.sub("", text)):
        return None
    parts = found.groupdict()
    named = (parts["s"], parts.get("old") or parts.get("x"), parts.get("new") or parts["y"])
    if parts.get("up"):
        return _upgrade(parts["s"] or "我们", parts["y"].strip(" ."), text, (offset, length))
    who, old, new = ((one or "").strip(" .") for one in named)
    sure = parts.get("sure") or parts.get("with")  # a team moves from city to city as well
    if sure and not (known_as(old) or known_as(new)):
        return None
    if _is_no_user(who) or is_no_thing(old) or is_no_thing(new):
        return None
    if not old[0].isascii() and not known_as(old):
        return None
    told, before = (settled(Told(thing_of(who), "uses", one, "switch"), text) for one in (new, old))
    if known_as(old) and known_as(new):  # it does what the other did: GitHub Actions for Jenkins
        told = told._replace(attribute=before.attribute)
    replaced = None if told.attribute == before.attribute else before
    return Switch(told, replaced, before, offset, length)


def _upgrade(who: str, new: str, text: str, place: tuple[int, int]) -> Switch | None:
    """Return the version that somebody uses now, of something that is known."""
    if _is_no_user(who) or not known_as(new) or not _VERSION.search(new):
        return None
    return Switch(settled(Told(thing_of(who), "uses", new, "switch"), text), None, None, *place)


def is_no_thing(name: str) -> bool:
    """Tell whether a name is that of a language, a day, a person, or of nothing in particular."""
    return _NO_THING.match(name) is not None or name.split()[0].lower() in sure_names()


def _is_no_user(who: str) -> bool:
    """Tell whether a subject is nothing that lastingly uses something."""
    head = who.split()[-1].casefold()
    return head in HAPPENINGS or head in VAGUE or _NO_SUBJECT_ZH.match(who) is not None
