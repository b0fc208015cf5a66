"""Facts in English: `the staging DB is Postgres 16`, `our API runs on Debian`, `Tom owns billing`.

In: one clause. Out: what it tells of a thing of the user's world. A verb splits the clause into
subject and value; both must be concrete. Opinions, states of the moment and lessons about the
world are not told; neither is what the user is or likes, which other finders read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from smartbrain.remember.extract.decisions_words import known_as
from smartbrain.remember.extract.fact_names import Told, attribute_of, head_of, parted, thing_of
from smartbrain.remember.extract.fact_verbs import (
    ADDRESS,
    COSTS,
    IDIOM,
    LASTS,
    LINE,
    MONEY,
    NO_WORD,
    PLACED,
    WE_ARE,
    WE_USE,
    WE_USE_FOR,
    verbs_in,
)
from smartbrain.remember.extract.fact_words import (
    FAMOUS,
    FREE_VALUES,
    HAPPENINGS,
    KIN,
    MOMENT,
    PASSING,
    PERSONAL,
    TECHNICAL,
    VAGUE,
)
from smartbrain.remember.extract.profile_words import CIVIL, NATIONS
from smartbrain.remember.extract.wording import GENERAL
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

_OPENING: Final = pattern(
    r"\A\W*(?:(?:please |pls |also |and |so |but |oh |ok |okay |well |now |anyway )*"
    r"(?:(?:remember|note|keep in mind|bear in mind|don't forget|be aware|know|fyi|heads up"
    r"|reminder|btw|by the way|for (?:the record|reference|context)|just so you know|as a reminder"
    r"|you should know|in case you need it)(?: (?:this|it|that|down))?"
    r"(?:,|:)? |(?:please|also|and|so|but|oh|ok|okay|well|now|anyway|because|since|while|whereas)"
    r",? ))+(?:that )?",
    _I,
)
_DEFINITE: Final = pattern(
    r"\A(the|our|my|this|all (?:of )?(?:our|the|my)|both (?:our|the|my)?)\s+"
    r"(?:(?:new|current)\s+(?=(?:\w+ )?(?:number|e-?mail|address|password)\b))?(?=\S)",
    _I,
)
_PROPER: Final = pattern(
    r"\A(?!(?:The|My|Our|This|That|These|Those|A|An|All|Both|Its|His|Her|Their"
    r"|Your)\b)[A-Z][\w.&+-]*(?:['’]s)?(?: [A-Z0-9][\w.&+-]*(?:['’]s)?){0,3}\Z"
)
_PROPER_OWNER: Final = pattern(r"\A[A-Z][\w.&+-]*(?: [A-Z][\w.&+-]*){0,2}['’]s \S")
_PLURAL: Final = pattern(r"\A(?:[A-Za-z-]+ ){0,2}[a-z-]*[a-rt-z]s\Z", _I)
_NO_SUBJECT: Final = pattern(
    r"\b(?:i|you|your|yours|he|she|it|its|they|we|us|that|which|who|whom|what|when|where|why|how|if"
    r"|is|are|was|were|will|would|can|could|should|not|never|don't|because|than|do|does|did|had"
    r"|been|be|there|here|his|her|their|nobody|everybody|everyone|someone|somebody|anyone|people"
    r"|no|any|some|every|each|only|always|got|gets|went|took|made|came|has|have|said|seems?|looks?"
    r"|feels?|one of|another|last time|first time|thing|reason)\b|n't\b|[\"“”?!]",
    _I,
)
_WE_USE: Final = pattern(
    r" (?:that |which )?(?:we|i) (?:use|run|have|rent|work with)(?: for [\w ]+)?\Z"
)
_GENITIVE: Final = pattern(r"\A(.{1,80}[^\s])(?:['’]s|(?<=s)['’]) (\S.*)\Z")
_OF: Final = pattern(r"\A(.{2,60}?) (?:of|for|to|behind) (?:(?:the|our|my|this|all) )?(\S.*)\Z", _I)

_NUMBER: Final = (
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    r"|thirty"
    r"|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|dozen)\b)"
)
_HAS_NUMBER: Final = pattern(_NUMBER, _I)
_COUNT: Final = pattern(
    rf"\A(?:about |around |only |exactly |up to |an? )?(?:{_NUMBER}[\w.,-]*)\s+(?:\S+\s+){{0,5}}?"
    r"(?:of )?([A-Za-z-]+)\W*\Z",
    _I,
)
_NAME: Final = pattern(
    r"(?:(?<=\s)|\A)[\"'`(]?(?!I\b|OK\b|Ok\b)[A-Z]|[`@\u4e00-\u9fff]|\w[._/]\w|\d|\[[a-z_]+\]"
)
_DAY: Final = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|weekdays?|weekends?|noon|midnight|midday"
    r"|\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)|\d{1,2}:\d\d"
)
_TIMED: Final = pattern(rf"\b(?:{_DAY})\b|\d|\b(?:every|daily|weekly|monthly|yearly|hourly)\b", _I)
_RECURRING: Final = pattern(
    r"\b(?:every|each|daily|nightly|weekly|biweekly|monthly|quarterly|yearly|annually|hourly|once a"
    r"|twice a|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekdays|weekends)\b",
    _I,
)
_ONLY_TIME: Final = pattern(
    rf"\A(?:on |at |in |from |by |next |this )?(?:{_DAY}|\d{{1,2}}(?:st|nd|rd|th))(?:\W|\Z)", _I
)
_PLACE: Final = pattern(rf"\A({PLACED}|to)\s+(\S.*)\Z", _I)
_NO_VALUE: Final = pattern(
    r"\A(?:not|no|never|nothing|n't|going to|about(?! \d)|supposed|able|unable|that|what|how|why"
    r"|where|when|if|because|like|to|as|just|still|almost|only if|gonna|getting|being|[a-z]+ing|but"
    r"|and|or|one of|another|[a-z]{3,}(?:ed|en)|out|off|up|down|back|too|so|very|really)(?:\s|\Z)"
)
_PASSES: Final = pattern(rf"\b(?:{MOMENT})\b", _I)
_TAIL: Final = pattern(
    r"(?<![\s,])[\s,]++(?:by the way|btw|fyi|now|currently|as well|too|by default|you know"
    r"|actually|instead"
    r"|just so you know|for reference|please|thanks?)[\s.!]*\Z",
    _I,
)
_AGE: Final = pattern(r"(?:(?:about|around|almost|nearly) )?\d{1,3}(?: years old)?\Z", _I)
_CONTRACTED: Final = pattern(
    r"\A((?:(?:the|our|my) )?(?:[\w-]+ ){0,3}[a-z]{3,})[’']s (?=(?:[$€£¥]|around |about )?\d)", _I
)
_DIGIT: Final = pattern(r"\d")
_ARTICLE: Final = pattern(r"\A(?:an?|the) ", _I)
_MEASURES: Final = (
    (pattern(r"\b(?:long)\Z", _I), "length"),
    (pattern(r"\b(?:tall|high)\Z", _I), "height"),
    (pattern(r"\bwide\Z", _I), "width"),
    (pattern(r"\b(?:years?|months?) old\Z", _I), "age"),
    (pattern(r"(?:[$€£¥]|\b(?:euros?|dollars?|pounds?|bucks|yuan|usd|eur|gbp"
     r"|rmb)\b)", _I), "price"),
    (pattern(r"\b(?:gb|tb|mb|sqm|m2|m²|square (?:met(?:er|re)s|feet))\b", _I), "size"),
    (pattern(r"\A[\w. -]{0,20}(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\Z", _I),
     "duration"),
)  # fmt: skip
_ROLE: Final = pattern(
    r"\A(?:our|my|the|an?) ((?:[\w-]+ ){0,4}?(?:\w+(?:er|or|ist|ian|ant|yst|eer|man|woman)|lead"
    r"|nurse"
    r"|chef|pilot|vegan|doctor|head|boss|vet|contact|student|ceo|cto|cfo|intern|admin)"
    r"(?: (?:of|for|at|on|in) .+)?)\Z",
    _I,
)
_GIVEN_NAME: Final = pattern(
    rf"\A(?!(?i:{NATIONS}|{CIVIL}|ok|okay|home|here)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?\Z"
)
_NO_THING: Final = frozenset(
    ("favorite", "favourite", "next", "best", "worst", "first", "only", "same", "whole")
) | {"average", "typical", "human"}
_DOING: Final = pattern(r"(?!building|wedding)[a-z]+ing")
_LONGEST: Final = 300
"""A longer clause tells no one fact."""
_BARE: Final = frozenset({"number", "time", "recurring", "place", "stop"})
_NO_COUNT: Final = pattern(
    r"\b(?:problems?|issues?|bugs?|errors?|meetings?|days? (?:left|off)|left|off|meanings?|lines?"
    r"|questions?|ideas?|options?"
    r"|things?|points?|reasons?|legs?|eyes?|wheels?)\b",
    _I,
)
_DUTY: Final = pattern(
    r"\A(?:the|our|my|all)\s|\A[A-Z]|\A(?!it\b|every|fast|well\b|away|late|them\b|things?\b|around"
    r"|out\b|from\b)"
    r"[a-z-]{4,}(?: (?:and |& )?[a-z-]{2,}){0,2}?(?: from(?: (?:and )?[A-Z][\w.-]*){1,4})?\Z"
)
_COLOR: Final = (
    r"(?:(?:dark|light|pale|bright|deep|navy|forest) )?(?:red|green|blue|yellow|orange|purple|pink"
    r"|black|white"
    r"|gr[ae]y|brown|beige|teal|turquoise|silver|gold|burgundy|navy)"
)
_COLORED: Final = pattern(rf"\A{_COLOR}(?:(?: and |/){_COLOR})?\Z", _I)
_PURPOSE: Final = pattern(r"\A(.+?) (?:for|as)(?: its| the| all)? ([\w -]+)\Z")
_OF_US: Final = pattern(r"(?:at work |here )?(?:we|our|the team)\b", _I)
_WE_HAVE: Final = pattern(
    rf"\Awe have ((?:about |around |over )?{_NUMBER}[\w,.-]*(?: [\w-]+)? (employees|people|users"
    r"|customers|servers|offices|stores|shops|branches|members|engineers|developers|designers"
    r"|rooms|seats|licen[sc]es|clients))\b",
    _I,
)


def told_in_english(clause: str) -> Iterator[Told]:
    """Tell the fact of an English clause, if it holds one."""
    if len(clause) > _LONGEST:
        return
    clause = clause.strip(" .!~\t\n")
    if opening := _OPENING.match(clause):
        clause = clause[opening.end() :]
    if ("'" in clause or "’" in clause) and _DIGIT.search(clause):
        clause = _CONTRACTED.sub(r"\1 is ", clause)
    told = _told_of_us(clause)
    for verb in verbs_in(clause) if told is None else ():
        value = _TAIL.sub("", clause[verb.end :]).strip(" .!~")
        told = _told(clause[: verb.start].strip(), verb.attribute, verb.check, value)
        if told is not None:
            break
    if told is not None and not _PASSES.search(clause):
        yield told


def labelled_in_english(label: str, value: str) -> Told | None:
    """Tell the fact of `label: value`, such as `wifi password: birch-7`."""
    parts = parted(label)
    if parts is None or _NO_SUBJECT.search(label) or len(label.split()) > 6:
        return None
    if len(value) > 60 or not _NAME.search(value) or _NO_VALUE.match(value):
        return None
    return Told(*parts, value.strip(" ."), "label")


def _told_of_us(clause: str) -> Told | None:
    """Tell what is said of `we`: what is used for what, where we are, how many we have."""
    if not _OF_US.match(clause):
        return None
    if found := WE_USE_FOR.match(clause):
        value, subject = found.groups()
        if _NAME.search(value) and subject.split()[-1].casefold() not in VAGUE:
            return Told(thing_of(subject), "tool", value, "we_use")
    if (found := WE_ARE.match(clause)) and _NAME.search(found[1]):
        return Told("company", "location", found[1], "we_are")
    if (found := WE_USE.match(clause)) and known_as(found[1]):
        return Told("company", "uses", found[1], "verb")
    if found := _WE_HAVE.match(clause):
        return Told("company", found[2].casefold(), found[1], "we_have")
    return None


def _told(subject: str, attribute: str, check: str, value: str) -> Told | None:
    """Tell a fact of subject, verb and value, if both ends are concrete."""
    cut_off = value.count("(") != value.count(")")
    if not value or cut_off or len(value) > 120 or len(value.split()) > 16:
        return None
    if (_NO_VALUE if check in ("is", "concrete", "use") else NO_WORD).match(value):
        return None
    recurring = bool(_RECURRING.search(value))
    priced = check == "is" and value[0].isdigit()
    if check == "is" and ADDRESS.match(value) and parted(subject) and len(subject.split()) < 5:
        subject = f"the {_DEFINITE.sub('', subject)}"  # `staging URL is https://…`
    named = _subject(subject, bare=priced or check in _BARE, recurring=recurring)
    if named is None:
        return None
    if check == "is":
        return _told_by_is(subject, named, value)
    if not _fits(check, subject, value):
        return None
    thing, what, whole = named
    if attribute == "name" and what:  # `our default branch is called main`
        return Told(thing, what, value, "name")
    if attribute == "location":
        value = _place(value)
    elif attribute in ("end", "expiry"):
        value = value.removeprefix("on ")
    elif attribute == "has" and (counted := _COUNT.match(value)):
        attribute = attribute_of(counted[1])
    elif attribute == "uses" and (purpose := _PURPOSE.match(value)):
        value, attribute = purpose[1], attribute_of(purpose[2])
    return Told(whole, attribute, _ARTICLE.sub("", value), "verb")


class _Named(NamedTuple):
    """A subject: the thing, what is told of it where that is named, and both in its words."""

    thing: str
    what: str
    whole: str


def _subject(words: str, *, bare: bool, recurring: bool) -> _Named | None:
    """Read a subject; None if it is no thing of the user's world."""
    words = _WE_USE.sub("", words)
    owned = _DEFINITE.match(words)
    phrase = words[owned.end() :] if owned else words
    if not phrase or len(phrase) > 90 or len(phrase.split()) > 9 or _NO_SUBJECT.search(phrase):
        return None
    if not owned and not _PROPER_OWNER.match(phrase):
        plural = bare and _PLURAL.match(phrase) is not None
        plain = bare and (COSTS.match(phrase) or LINE.match(phrase))
        if plural or plain or (recurring and phrase.casefold() in HAPPENINGS):
            phrase = phrase[0].lower() + phrase[1:]
        elif not _PROPER.match(phrase) or phrase.casefold() in FAMOUS:
            return None
    if phrase.casefold().split()[-1] in HAPPENINGS and not recurring:
        return None
    if found := _GENITIVE.match(phrase):
        owner, what = found.groups()
    elif found := _OF.match(phrase):
        what, owner = found.groups()
    else:
        return _compound(phrase, mine=bool(owned) and words[:2].casefold() == "my")
    parts = parted(what)
    if owner.split()[-1].casefold() in VAGUE or (
        parts is None and what.split()[-1].casefold() in VAGUE
    ):
        return None
    thing = thing_of(owner)
    whole = f"{thing} {thing_of(what)}"
    if parts is None:
        return _Named(thing, attribute_of(what), whole)
    inner, name = parts
    return _Named(thing if inner == GENERAL else f"{thing} {inner}", name, whole)


def _compound(phrase: str, *, mine: bool) -> _Named | None:
    """Part a subject that is one noun phrase into the thing and what is told of it."""
    words = phrase.casefold().split()
    parts = parted(phrase)
    known = parts is not None and (parts[0] != GENERAL or len(words) > 1)
    if (words[-1] in VAGUE and not known) or words[0] in _NO_THING:
        return None
    if mine and (words[-1] in PERSONAL or words[0] in PERSONAL):
        return None
    thing, what = parts or (thing_of(phrase), "")
    if what == "price" and _DOING.fullmatch(thing):  # `the asking price`
        thing, what = GENERAL, f"{thing}_{what}"
    return _Named(thing, what, thing_of(phrase))


def _fits(check: str, subject: str, value: str) -> bool:
    """Tell whether a value is of the kind that a verb asks for."""
    first = [word.casefold() for word in _ARTICLE.sub("", value).split()[:2]]
    if check == "number":
        return bool(_HAS_NUMBER.search(value)) and first[:1] != ["is"]  # `the cost is`
    if check == "duration":
        return bool(_HAS_NUMBER.search(value) and LASTS.search(value))
    if check == "time":
        return bool(_TIMED.search(value))
    if check == "recurring":
        return bool(_RECURRING.search(value))
    if check == "count":
        return bool(_COUNT.match(value)) and not _NO_COUNT.search(value)
    if not PASSING.isdisjoint(first):
        return False
    if check == "place":
        return not IDIOM.match(value)
    head = head_of(subject)
    if check == "duty":
        return bool((_PROPER.match(subject) or head in KIN) and _DUTY.match(value))
    if check == "stop":
        return bool(LINE.match(_DEFINITE.sub("", subject))) and len(value.split()) <= 8
    if check == "money":
        return bool(MONEY.search(value))
    if check in ("use", "runs"):
        return bool(_NAME.search(value)) or (head in TECHNICAL and len(value.split()) <= 5)
    if check == "name":
        return value[0].isupper()
    return check == "any" or bool(_NAME.search(value))


def _told_by_is(subject: str, named_thing: _Named, value: str) -> Told | None:
    """Tell the fact of `<thing> is <value>`, where an opinion or a passing state is none."""
    thing, what, whole = named_thing
    if _COLORED.match(value):
        return Told(thing if what == "color" else whole, "color", value, "color")
    words = [word.strip(",.").casefold() for word in _ARTICLE.sub("", value).split()]
    if not words or (what != "color" and not PASSING.isdisjoint(words[:2])):
        return None
    owned = _DEFINITE.match(subject)
    head = head_of(subject)
    if (place := _PLACE.match(value)) and not _ONLY_TIME.match(value):
        if IDIOM.match(value) or (not what and head in KIN):
            return None
        told = _NAME.search(place[2]) or (len(words) >= 4 and not what)
        return Told(whole, "location", _place(value), "place") if told else None
    recurring = bool(_RECURRING.search(value))
    if recurring and not what and (_ONLY_TIME.match(value) or _RECURRING.match(value)):
        return Told(thing, "schedule", value, "schedule")
    if not owned and not what and not _PROPER_OWNER.match(subject):
        role = _ROLE.match(value)
        return Told(thing, "role", role[1], "role") if role and words[0] not in VAGUE else None
    named = bool(_NAME.search(value) or _HAS_NUMBER.search(value))
    plain = thing != GENERAL and (
        (what in FREE_VALUES and len(words) <= 4)
        or (_ARTICLE.match(value) is not None and len(words) >= 2)
    )
    if what:
        if thing == GENERAL and what == "code" and len(words) > 2:  # a program, no number
            return None
        fits = named or (plain and PASSING.isdisjoint(words))
        return Told(thing, what, _ARTICLE.sub("", value), "attribute") if fits else None
    if head in KIN and _AGE.match(value):
        return Told(thing, "age", value, "age")
    if head in KIN and (role := _ROLE.match(value)):
        return Told(thing, "role", role[1], "role")
    if head in KIN and _GIVEN_NAME.match(value):
        return Told(thing, "name", value, "name")
    if not named or _ONLY_TIME.match(value):
        return Told(thing, "schedule", value, "schedule") if recurring else None
    measured = next((name for shape, name in _MEASURES if shape.search(value)), "kind")
    if measured == "kind" and head in KIN:
        return None
    return Told(thing, measured, _ARTICLE.sub("", value), "is")


def _place(value: str) -> str:
    """Return a place without the preposition that says no more than that it is one."""
    found = _PLACE.match(value)
    if not found:
        return value
    return found[2] if found[1].casefold() in ("in", "at", "on", "to") else value
