"""What an English clause tells of the user who says it.

In: a clause that the user states. Out: (name, words) of every lasting fact in it, none for a mood,
a whereabouts of the moment or an opinion of oneself. A clause that goes on about the user may leave
out the subject: "I'm a nurse, based in Ghent".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from smartbrain.remember.extract.negation import denies_en
from smartbrain.remember.extract.profile_en_forms import MY_IS, WHEN_AM, WHEN_BEEN, WHEN_I
from smartbrain.remember.extract.profile_words import PETS, is_trade
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.text.entity_people import sure_names
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_OPEN: Final = pattern(
    r"\W*(?:(?:and|but|so|also|well|oh|hey|hi|hello|ok|okay|btw|fyi|actually|honestly|because"
    r"|since|although"
    r"|though|while|as|then|by the way|yes|yeah|no|just so you know|for context|context|you see"
    r"|for what it's worth"
    r"|currently|these days|nowadays|at present|originally|professionally|by profession|by day"
    r"|in real life"
    r"|in my (?:spare|free) time|now|right now|given that|seeing as|because|i (?:just |recently "
    r"|also )*(?:found out|learned|discovered)(?: recently)?"
    r"(?: that)?)[,:. ]\s*)*+",
    _I,
)
_AM: Final = pattern(
    r"(?:i[ ]?['’]?m|i am)\s+(?:(?:actually|also|currently|now|just|basically|still|already"
    r"|officially|really|proudly|mainly|happily|originally)\s+)*+",
    _I,
)
_BEEN: Final = pattern(
    r"i(?:['’]ve| have)(?: now| also| already| just| recently| finally)* (?:been )?", _I
)
_SIMPLE: Final = pattern(
    r"i\s+(?:(?:actually|also|currently|now|still|mostly|mainly|already|only|just|usually"
    r"|personally)\s+)*+",
    _I,
)
_AND_I: Final = pattern(
    rf"we (?=live |reside |(?:have|own|adopted) (?:[\w-]+ ){{1,4}}?{PETS}\b"
    r"|have (?:[\w-]+ ){1,3}?(?:kids|children|sons|daughters)\b)|my (?:wife|husband"
    rf"|partner|family|kids|girlfriend|boyfriend"
    r"|[\w ]{2,20}) and i\s+(?:both )?",
    _I,
)
_MY: Final = pattern(r"(?:all )?my\s+", _I)

_STOP: Final = (
    r"(?=(?<!\s)\s+(?:at|in|for|on|with|from|of|who|that|which|and|by|based|working|speciali[sz]\w+"
    r"|living|since|currently|now|here|to|trying"
    r"|looking|learning|building|writing|using|studying|focus\w+|turned|over|as|where|responsible"
    r"|doing)\b|(?<!\W)\W*+\Z)"
)
_A: Final = pattern(
    rf"(?:an?|the|one of (?:the|two|three)|your|one"
    rf"|both an?)\s++(?P<np>[^,;]+?){_STOP}(?P<rest>.*)",
    _I,
)
_AT: Final = pattern(
    r"(?<!\s)\s++at (?P<at>(?!the moment|night|least|heart|home\b|it\b|this\b|that\b|work\b"
    r"|first)[^,;]+?)(?=(?<!\s)\s+(?:based|in|since|for|and|where|who)\b|(?<!\W)\W*+\Z)",
    _I,
)
_FOR: Final = pattern(
    r"\s+for (?P<at>(?-i:[A-Z])[\w&'’.-]*(?: (?-i:[A-Z])[\w&'’.-]*)*)"
    r"(?=\s+(?:in|since|and)\b|\W*\Z)",
    _I,
)
_ONE: Final = pattern(r"an? |the ", _I)
_THERE: Final = pattern(r"\s+(?:at|for) (?P<v>(?-i:[A-Z]).*)", _I)
_ROLE_THERE: Final = pattern(r",?\s+as (?P<v>(?:an?|the|their) [^,;]+)", _I)
_AND_A: Final = pattern(r"\s+and (?=an? )", _I)
_GRADE: Final = pattern(
    r"(?:good|bad|great|terrible|decent|horrible|lousy|quick|slow|fast|huge|big|total|real|true"
    r"|lucky|busy|tired|grumpy|such|terrible|nice|awful|better|worse)\b",
    _I,
)
_USER: Final = pattern(
    r"(?:an? )?(?P<v>(?:[\w-]+ )?(?:wheelchair|hearing aid|screen reader|crutch"
    r"|prosthe\w+) user)\b",
    _I,
)
_KINDS: Final = {
    word: kind
    for kind, words in (
        (
            "family",
            "father mother mom dad mum parent grandfather grandma grandmother grandpa twin widow"
            " widower orphan",
        ),
        ("nationality", "citizen native expat immigrant refugee"),
        ("diet", "vegetarian vegan pescatarian"),
        (
            "trait",
            "introvert extrovert minimalist owl riser sleeper lefty homeowner landlord tenant"
            " shareholder veteran",
        ),
        ("experience", "beginner newbie novice expert"),
        ("health", "diabetic amputee"),
        ("religion", "muslim christian buddhist jew hindu atheist catholic"),
        ("hobby", "runner climber hiker gamer cyclist swimmer player drummer guitarist cellist"),
        ("volunteering", "volunteer"),
    )
    for word in words.split()
}
"""What "I'm a ..." tells where it is no trade: what one is besides leaves the trade as it is."""

_CUT: Final = pattern(
    r"(?<!\s)\s++(?:(?:and|but|so|which|because) (?:i|i'm|i've|my|we|it|that|this|would|want|need"
    r"|the"
    r"|he|she|they|there|you)\b.*"
    r"|(?:by the way|btw|too|as well|actually|right now|now|myself|at the moment|currently"
    r"|though)\W*\Z)",
    _I,
)
_WHERE_ONLY: Final = pattern(
    r"(?:,\s++|(?<!\s)\s++)(?:with (?:my|a|two|three)|since|for (?:\w+ ){1,3}(?:years?|months?"
    r"|decades?)|last"
    r"|\w+ years ago|"
    r"in (?:19|20)\d\d)\b.*",
    _I,
)

_HANGING: Final = pattern(r"(?<!\s)\s++(?:not|and|or|but|just|very|to|ever)\W*\Z", _I)
_TENURE: Final = pattern(
    r"(?<=\w),?\s+(?P<v>(?:for|since) (?:[\w' +-]+? )?(?:\d+|years?|months?|decades?"
    r"|\d{4})\b.*)",
    _I,
)
_TOWNS: Final = (
    r"(?!(?:IT|HR|UX|QA|PR|AI|R&D|VC|Finance|Marketing|Sales|Tech)\b)"
    r"(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?"
)
_IN_TOWN: Final = pattern(
    rf"in (?:the city of|the town of|downtown|central|{_TOWNS}\W*\Z)",
    _I,
)
_TOWN: Final = pattern(rf"(?<!\s)\s++(?:based )?in (?P<v>{_TOWNS})\W*", _I)

_NO_VALUE: Final = pattern(
    r"(?:not|so|very|too|really|a bit|killing|boring|hard|stressful|coming|soon|next|just|going"
    r"|getting|changing|on the|in the list|a mess|great|awful|fine|stuck|safe|at risk|the same"
    r"|none)\b",
    _I,
)
_NAME: Final = pattern(
    r"(?P<v>(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’.-]+){0,3})(?P<after>\W*\Z| (?:from|and|the)\b)"
)
# "I'm Bob and I work at Google": a name, for the rest tells who that is.
_INTRODUCES: Final = pattern(
    r"[,.!]?\s+(?:and )?(?:(?:i|i['’]m|i am) (?:an? |from |based |\d|work (?:at|for|as|in) "
    r"|live in |teach |study |run an? |own an? )|an? [\w-]+|from (?-i:[A-Z]))|,?\s+and my \w+ is ",
    _I,
)
_STATE: Final = pattern(r"(?:ok|okay|sorry|sure|done|fine|here|back|in|so|not|new)\b", _I)
_GREETING: Final = pattern(
    r"\A\W*(?:hi|hello|hey|good (?:morning|evening|afternoon)|nice to meet you|greetings|allow me"
    r"|let me introduce)\b",
    _I,
)
_AT_NOW: Final = pattern(
    r"(?:at|with) (?P<v>(?-i:[A-Z])[\w&'’.-]*(?: (?-i:[A-Z])[\w&'’.-]*)*)"
    r"(?: now| these days)?\W*\Z",
    _I,
)
_NOW: Final = pattern(r"\b(?:now|these days|currently)\b", _I)
_WORK: Final = pattern(
    r"\b(?:work(?:ed|ing)? (?:at|for)|left|quit|employer|company"
    r"|i\b[^.,]{0,20}\b(?:changed|switched|new|started|lost|my)\b[^.,]{0,12}\bjobs?)\b",
    _I,
)
_AS_A: Final = pattern(r"\W*(?:speaking )?as an? (?P<np>[^,;]+)\Z", _I)
_NOT_FIRST: Final = pattern(r"(?:\w+ly )?(?:not|never)\b", _I)
_BARE_TRADE: Final = pattern(r"(?!(?:not|never)\b)(?:[a-z][\w-]* ){0,2}[a-z][\w-]*\W*\Z", _I)
_I_START: Final = pattern(r"i\b(?! want)", _I)


def facts_en(text: str, goes_on: bool, sentence: Sentence, said: Said) -> list[tuple[str, str]]:
    """Return the facts of a clause; one that goes on about the user may lack its subject."""
    start = opened.end() if (opened := _OPEN.match(text)) else 0
    if am := _AM.match(text, start):
        return _am(text, am.end(), sentence, said)
    if been := _BEEN.match(text, start):
        return (
            _a(text, been.end())
            if _A.match(text, been.end()) and "been" in been[0]
            else (_first(WHEN_BEEN, text, been.end()) or _first(WHEN_I, text, start + 2))
        )
    if both := _AND_I.match(text, start):
        return _first(WHEN_I, text, both.end())
    if mine := _MY.match(text, start):
        return [
            one
            for one in _first(MY_IS, text, mine.end())
            if not _NO_VALUE.match(one[1]) and _fits(*one)
        ]
    if simple := _SIMPLE.match(text, start):
        return _first(WHEN_I, text, simple.end())
    if as_a := _AS_A.match(text, 0):
        return _as_a(as_a["np"], text, sentence)
    if goes_on and text.partition(" ")[0].lower() in sure_names():
        return []  # "Ann a developer": somebody else
    if goes_on and _BARE_TRADE.match(text) and is_trade(text.rstrip(". !")):
        return [("role", text)]
    if goes_on:
        return _a(text, start) or _first(WHEN_AM, text, start) or _first(WHEN_I, text, start)
    return []


def _first(
    rules: Sequence[tuple[str, re.Pattern[str]]], text: str, start: int
) -> list[tuple[str, str]]:
    """Return the fact of the first rule that fits."""
    for name, words in rules:
        if found := words.match(text, start):
            if denies_en(text[start : found.start("v")]) or _NOT_FIRST.match(found["v"]):
                return []
            value = _HANGING.sub("", _CUT.sub("", found["v"]))
            if name == "location":
                value = _WHERE_ONLY.sub("", value)
            if name == "role" and _IN_TOWN.match(value):
                return [("workplace", value)]
            if name == "work_mode" and (there := _THERE.search(value)):
                return [(name, value[: there.start()]), *_work("employer", there["v"])]
            if name in ("employer", "role"):
                return _work(name, value)
            return [(name, value)] if value else []
    return []


def _work(name: str, words: str) -> list[tuple[str, str]]:
    """Return where somebody works, as what and since when, of words that begin with one of them."""
    if name == "role":
        at = _AT.search(words) or _FOR.search(words) if _ONE.match(words) else None
        if not at:
            return [(name, words)] if words else []
        return _placed(words, at)
    found = []
    if since := _TENURE.search(words):
        found.append(("tenure", since["v"]))
        words = words[: since.start()]
    if role := _ROLE_THERE.search(words):
        found.insert(0, ("role", role["v"]))
        words = words[: role.start()]
    if (town := _TOWN.search(words)) and "based" in town[0] and town.end() == len(words):
        found.append(("location", town["v"]))
        words = words[: town.start()]
    return [(name, words), *found] if words else []


def _placed(words: str, at: re.Match[str]) -> list[tuple[str, str]]:
    """Return the trade, the employer that `at` names, and the town where that is."""
    rest = words[at.end() :]
    if town := _TOWN.fullmatch(rest):
        return [("role", words[: at.start()]), ("employer", at["at"]), ("location", town["v"])]
    return [("role", words[: at.start()] + rest), ("employer", at["at"])]


def _am(text: str, start: int, sentence: Sentence, said: Said) -> list[tuple[str, str]]:
    """Return what follows "I'm"."""
    if used := _USER.match(text, start):
        return [("health", used["v"])]
    at = _AT_NOW.match(text, start) if _NOW.search(text) else None
    if at and _WORK.search(said.text):
        return [("employer", at["v"])]
    named = _NAME.match(text, start)
    if named and (
        _GREETING.match(sentence.text)
        or (" " in named["v"] and not named["after"].strip())
        or (not _STATE.match(named["v"]) and _INTRODUCES.match(said.text.partition(text)[2]))
    ):
        known = _first(WHEN_AM, text, start)
        return known or [("name", named["v"])]
    return _first(WHEN_AM, text, start) or _a(text, start)


def _a(text: str, start: int) -> list[tuple[str, str]]:
    """Return the trade or the trait that "a ..." names."""
    found = _A.match(text, start)
    if not found or _GRADE.match(found["np"]) or not is_trade(found["np"]):
        return []
    words, *more = _AND_A.split(_CUT.sub("", found["np"] + found["rest"]), maxsplit=1)
    besides = _a(more[0], 0) if more else []
    words = words if besides or not more else f"{words} and {more[0]}"
    kind = _KINDS.get(found["np"].lower().split()[-1], "role")
    at = _AT.search(words)
    if kind != "role" or not at:
        return [(kind, words), *besides]
    return [*_placed(words, at), *besides]


def _as_a(words: str, text: str, sentence: Sentence) -> list[tuple[str, str]]:
    """Return the trade in "As a nurse, I ..."."""
    place = next((n for n, one in enumerate(sentence.clauses) if one.text == text), 0)
    after = sentence.clauses[place + 1].text if place + 1 < len(sentence.clauses) else ""
    if not is_trade(words) or _GRADE.match(words) or not _I_START.match(after):
        return []
    return [(_KINDS.get(words.lower().split()[-1], "role"), words)]


def _fits(name: str, value: str) -> bool:
    """Tell whether the words after "my ... is" can be a value of that name."""
    if name == "name":
        return value[:1].isupper() or not value.isascii()
    if name == "role":
        return len(value.split()) <= 12
    return True
