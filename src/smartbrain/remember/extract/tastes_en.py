"""Tastes and habits that an English clause tells: "I prefer tabs", "my editor is vim".

In: a clause that the user states. Out: what is liked, used or wanted, and what it is about; nothing
for a liking of the moment ("I love it"), for venting, and for what is used just now.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.remember.extract.preference_words import (
    OF_STYLE,
    OF_TOOLS,
    Taste,
    Topic,
    in_everyday_words,
    own_name,
    topic_of,
    trimmed,
)
from smartbrain.remember.extract.said import Sentence
from smartbrain.remember.extract.taste_things import (
    MOMENT_EN,
    OPEN_EN,
    VAGUE_EN,
    clean_thing,
    head_phrase,
    lasting_thing,
    points_back,
)
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import word_set

_I: Final = 0x02  # re.IGNORECASE

_ADVERB: Final = (
    r"(?:(?:really|absolutely|also|just|much|strongly|always|usually|generally|normally|typically"
    r"|mostly"
    r"|still|only|definitely|personally|do(?! not)|particularly|especially|actually|genuinely"
    r"|mainly|often|far"
    r"|very much|tend to|kind of|truly|simply|now|more|rather|too|both)\s+)*+"
)

_LIKE: Final = pattern(
    OPEN_EN
    + rf"i(?:'d|’d| would|(?:'ve|’ve| have)(?= always))?\s+{_ADVERB}"
    + r"(?:(?<=i )have always |(?<=ve )always )?"
    r"(?P<verb>prefer(?:red)?|favou?r|like|love|enjoy|adore|swear by|stick (?:to|with)|go for"
    r"|opt for|(?<=always )(?:loved|liked|enjoyed|hated|disliked|avoided)"
    r"|lean towards?|gravitate to(?:wards?)?|default to|avoid|steer clear of|stay away from"
    r"|keep away from|could (?:really )?do without|refuse to (?:use|eat|drink|buy|wear)"
    r"|have no (?:patience|time) for"
    r"|hate|dislike|loathe|detest|despise|(?:can'?t|can’t|cannot) (?:stand|bear|abide|tolerate)"
    r"|(?:don'?t|don’t|do not) (?:really |particularly |much )?(?:like|enjoy|love|care for))\s+"
    r"(?P<object>\S.*)",
    _I,
)

_FOND: Final = pattern(
    OPEN_EN + r"i(?:'m|’m| am|(?:'ve|’ve| have) (?:(?:always|long|never) )?been)\s+"
    r"(?P<no>not (?:really |much |exactly |particularly )?)?(?:really |very |quite |so |more |also "
    r"|always |totally |pretty |just |not )*"
    r"(?:(?:of )?an? (?:[\w-]+ ){0,2}fan of|into|fond of|partial to|keen on|big on|one for"
    r"|an? (?:total |real |huge )?sucker for|all about|obsessed with|addicted to"
    r"|passionate about|crazy about|mad about|hooked on|used to)\s+(?:both )?(?P<object>\S.*)",
    _I,
)

_KIND: Final = pattern(
    OPEN_EN + r"i(?:'m|’m| am)\s+(?P<no>not )?(?:more |really "
    r"|much )*(?:of )?an? (?P<object>[\w+#. -]{2,30}?) "
    r"(?P<kind>person|guy|girl|user|drinker|lover|fan|addict|enthusiast)\b\W*+(?:(?:by nature"
    r"|through and through)\W*+)?\Z",
    _I,
)

_USE: Final = pattern(
    OPEN_EN + r"i\s+(?P<habit>(?:(?:always|usually|mostly|mainly|normally|generally|typically|only"
    r"|exclusively"
    r"|primarily|never|tend to|prefer to|still|almost|nearly|pretty much|basically)\s+)*)"
    r"(?P<no>(?:don'?t|don’t|do not) (?:really |normally |usually )?)?"
    r"(?P<verb>use|write (?:code|everything|mostly|all [\w ]{1,20}) in|code in|program in|type on"
    r"|(?:do|take|track|manage|keep|organi[sz]e|plan|make|write|store|edit|read|draw|design"
    r"|record) (?:all |most )?(?:of )?my [\w ]{1,20}? (?:in|with"
    r"|on|using)"
    r"|drink|eat|order|wear|read|listen to|take|fly|travel|sit|buy|book|watch|play|smoke|work"
    r"|stay (?:at|in)|shop at|sleep on|fly with)\s+"
    r"(?P<object>\S.*)",
    _I,
)

_SWITCH: Final = pattern(
    OPEN_EN
    + r"i(?:'ve|’ve| have)?\s+(?:(?:just|recently|finally|now|also|fully|completely|already)"
    r"\s+)*(?:switched|moved|migrated|changed)(?: over)?(?: from [\w+#. -]{2,30}?)? to\s+"
    r"(?P<object>[A-Za-z][\w+#.-]*(?: [\w+#.-]+){0,2}?)"
    r"(?= from\b| (?:last|this|yesterday|now|because|since)\b|, it|\W*\Z)",
    _I,
)
_AGAIN: Final = pattern(
    OPEN_EN
    + r"i(?:'ve|’ve| have)?\s+(?:(?:just|recently|also)\s+)*(?:started|begun|begin|gone back to"
    r"|went back to)\s+(?P<verb>drink|eat|smok|wear|play|read|watch)ing\s+(?P<object>[^,;.]{2,30}?)"
    r"(?: again)?\W*\Z",
    _I,
)
_STILL_AGAIN: Final = pattern(
    OPEN_EN + r"i\s+(?:now\s+|also\s+)*(?P<verb>drink|eat|smoke|wear)\s+(?P<object>[^,;.]{2,30}?)"
    r" again\W*\Z",
    _I,
)
_MOST_WORDS: Final = 16

_LOOSE: Final = pattern(
    r"(?:like|love|enjoy|adore|loved|liked|enjoyed|hated?|disliked?|loathe|detest|despise"
    r"|can.{0,3}t|don.{0,3}t|do not)\b",
    _I,
)
_AGAINST: Final = pattern(
    r"(?:hated?|disliked?|loathe|detest|despise|can|cannot|don|do not|avoid|steer|stay away"
    r"|keep away"
    r"|could|refuse|have no)",
    _I,
)
# What is liked best is liked more than the rest, as what is preferred is.
_BEST: Final = pattern(r"\b(?:best|the most|more than|over|better|rather)\b", _I)
_THAT_ONE: Final = pattern(r"\Athe\b.*\b(?:ones?|options?|versions?|kind|way)\Z", _I)
_CHOOSING: Final = frozenset(("go for", "opt for", "stick to", "stick with", "lean toward"))

_WHEN_YOU: Final = pattern(
    r"(?:it )?when (?:you |answers |replies |explanations )(?P<does>(?:explain|answer"
    r"|use|write|include|list|cite|summari[sz]e|break|provide|respond|reply"
    r"|add)\b)?",
    _I,
)

_WITH_YOU: Final = pattern(
    r"\b(?:with|from|to|for|of|about|see|hear) (?:you|it|that|this)\W*\Z", _I
)

_PURPOSE: Final = pattern(
    r"(?<!\s)\s++(?:for|to|when|on|at|in|with|every|daily|most|exclusively|because|as my|mostly"
    r"|all the time)\b.*",
    _I,
)

_FOR_ALL: Final = pattern(
    r"\bfor (?:all|every|everything|most|my|any|both|note|work|coding|writing|\w+ing\b)"
    r"|\b(?:every ?day|daily|all the time|exclusively)\b",
    _I,
)

_DAILY: Final = frozenset(
    ("drink", "eat", "order", "wear", "read", "listen to", "take", "fly", "travel", "sit", "buy")
) | {"book", "watch", "stay at", "stay in", "shop at", "sleep on", "fly with", "play"}

_REFUSED: Final = frozenset(
    ("drink", "eat", "wear", "smoke", "watch", "fly", "take", "buy", "work")
)


def _like(match: re.Match[str], _: Sentence) -> Taste | None:
    verb, raw = match["verb"].lower(), match["object"]
    if raw.lower().startswith("that ") and verb == "prefer":
        raw = raw[5:]
    words = clean_thing(raw)
    thing = trimmed(words)
    if not thing or len(thing.split()) > _MOST_WORDS or MOMENT_EN.match(raw):
        return None
    loose = _LOOSE.match(verb) is not None
    topic = _topic_in_passing(thing) if loose else topic_of(thing)
    topic = topic or topic_of(match["topic"] or "")
    known = topic is not None and topic.name != ""
    wish = match[0].lower()[: match.start("verb")].rstrip().endswith(("'d", "’d", "would", "much"))
    if wish and (not topic or verb not in ("prefer", "favor", "favour")):
        return None
    against = _AGAINST.match(verb) is not None
    if _THAT_ONE.search(thing):
        return None
    if loose and not _likeable(words, topic, against=against):
        return None
    habit = match.start("verb") - match.start() > len("I ") + len(match["topic"] or "")
    if verb in _CHOOSING and not (known or (habit and not points_back(thing))):
        return None
    rule = "dislike" if against else "fond" if loose and not _BEST.search(match[0]) else "like"
    return Taste(rule, topic, thing, f"not {thing}" if against else thing)


def _likeable(words: str, topic: Topic | None, *, against: bool = False) -> bool:
    """Tell whether what is loved or hated in passing is a lasting taste."""
    if when := _WHEN_YOU.match(words):
        return topic_of(words[when.end() :]) is not None or when["does"] is not None
    if _WITH_YOU.search(words):
        return False
    known = topic is not None and topic.name != ""
    if known and topic and topic.scope in OF_STYLE and not words.lower().startswith("the "):
        return True
    return lasting_thing(words, against=against, known=known)


def _topic_in_passing(thing: str) -> Topic | None:
    """Return what a liking is about: styles may be told anywhere, other things come first."""
    topic = topic_of(in_everyday_words(thing))
    if topic and topic.scope not in OF_STYLE:
        return topic_of(in_everyday_words(head_phrase(thing)))
    return topic


def _fond(match: re.Match[str], _: Sentence) -> Taste | None:
    words = clean_thing(match["object"])
    thing = trimmed(words)
    topic = _topic_in_passing(thing)
    if (
        MOMENT_EN.match(thing)
        or not thing
        or not _likeable(words, topic, against=bool(match["no"]))
    ):
        return None
    before = match[0][: match.start("object")].lower()
    against = match["no"] or " never " in before or " not " in before
    return Taste("fond", topic, thing, f"not {thing}" if against else thing)


def _kind(match: re.Match[str], _: Sentence) -> Taste | None:
    thing, kind = _DEGREE.sub("", match["object"].strip() + " ").strip(), match["kind"].lower()
    topic = topic_of(thing)
    if (kind in ("user", "guy", "girl") and not topic) or not thing or points_back(thing):
        return None
    if thing.lower() in _TRAITS:
        return None
    value = thing if kind == "user" else f"{thing} {kind}"
    return Taste("kind", topic, thing, f"not {value}" if match["no"] else value)


_DEGREE: Final = pattern(
    r"\A(?:(?:huge|big|total|real|true|massive|major|complete|absolute|lifelong|hardcore|avid"
    r"|die-?hard|bit of a|such a|long-?time|proud|keen|super|self-proclaimed)\s+)+",
    _I,
)
_TRAITS: Final = word_set(
    "good bad nice happy busy lazy private single different new kind very patient terrible first"
    " better worse people social creative positive strong changed grateful religious family"
)


def _use(match: re.Match[str], _: Sentence) -> Taste | None:
    verb, thing = match["verb"].lower(), trimmed(clean_thing(match["object"]))
    habit = match["habit"].lower()
    if verb == "play" and thing.lower().startswith(("with ", "for ", "around")):
        return None
    if verb == "work" and _EMPLOYER.match(thing):
        return None
    if not thing or VAGUE_EN.match(thing) or len(thing.split()) > _MOST_WORDS:
        return None
    against = bool(match["no"]) or "never" in habit
    topic = topic_of(thing)
    if matter := _MATTER.match(verb):
        return _done_in(matter, thing, topic) if not against else None
    if verb == "use" or (verb not in _DAILY and verb.endswith((" in", " with", " on", " using"))):
        known = topic and topic.name and (topic.scope in OF_TOOLS) and len(thing.split()) <= 8
        if not (known or habit or _FOR_ALL.search(thing)) or thing.lower().startswith(
            ("a for", "an if")
        ):
            return None
        what = trimmed(_PURPOSE.sub("", thing)) or thing
        topic = topic_of(what, thing) if topic else None
    elif (against and verb in _REFUSED) or (verb in _DAILY and habit.strip() not in ("", "still")):
        what = f"{verb} {thing}"
    else:
        return None
    if points_back(what):
        return None
    value = f"don't {what}" if match["no"] else f"never {what}" if against else what
    if verb == "use" and against:
        value = f"not {what}"
    return Taste("use", topic or topic_of(what), what, value)


_EMPLOYER: Final = pattern(
    r"(?:(?:at|for|with) (?-i:[A-Z])|as (?:an?|the) |(?:on|in) (?:the|our) [\w&/ -]{0,30}?"
    r"(?:team|department|squad|group|city|town)\b)",
    _I,
)
_MATTER: Final = pattern(
    r"\w+ (?P<all>all |most )?(?:of )?my (?P<matter>[\w ]{1,20}?) (?P<how>in|with|on|using)\Z", _I
)
_WHEN_DONE: Final = pattern(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|week\w+|the (?:morning|evening|afternoon)s?\b"
    r"|mornings?\b|evenings?\b|advance|batches|my (?:head|own|friends?|family)|friends?\b",
    _I,
)


def _done_in(matter: re.Match[str], thing: str, topic: Topic | None) -> Taste | None:
    """Read "I do all my writing in ...": what the matter is done with."""
    what = trimmed(_PURPOSE.sub("", thing)) or thing
    if topic and topic.name:
        return Taste("use", topic, what, what)
    product = what[:1].isupper() or not what.isascii()
    if points_back(what) or not (matter["all"] or (product and not _WHEN_DONE.match(what))):
        return None
    about = topic_of(matter["matter"])
    scope = "tools" if product and not _WHEN_DONE.match(what) else about.scope if about else "other"
    value = what if scope == "tools" else f"{matter['matter']} {matter['how']} {thing}"
    name = about.name if about and about.name else matter["matter"]
    return Taste("use", Topic(scope, own_name(name)), what, value)


_TRIED: Final = pattern(
    r"\b(?:but|went back|back to|bugs?|errors?|same|tests?|reproduc\w+|for an? |years ago|ago)\b"
    r"|还是|报错|换回|又|试了?|复现|临时",
    _I,
)


def _switch(match: re.Match[str], sentence: Sentence) -> Taste | None:
    """Read "I switched to Neovim": what is used now, and was not only tried."""
    thing = clean_thing(match["object"])
    topic = topic_of(thing)
    if _TRIED.search(sentence.text):
        return None
    known = topic and topic.name and topic.scope == "tools"
    return Taste("use", topic, thing, thing) if known else None


_POINTED: Final = pattern(r"(?:the|that|this|my|our|it|them)\b", _I)
_STOPPED: Final = pattern(r"\b(?:stopped|quit|but|then)\b", _I)


def _again(match: re.Match[str], sentence: Sentence) -> Taste | None:
    """Read "I started drinking coffee again": what was not done is done once more."""
    thing = trimmed(clean_thing(match["object"]))
    if "back to" not in match[0] and " again" not in match[0]:
        return None
    if _STOPPED.search(sentence.text) or _POINTED.match(match["object"]):
        return None
    verb = {"smok": "smoke"}.get(match["verb"].lower(), match["verb"].lower())
    if not thing or VAGUE_EN.match(thing) or points_back(thing):
        return None
    what = f"{verb} {thing}"
    return Taste("use", topic_of(thing) or topic_of(what), what, what)


LIKINGS_EN: Final = (
    (_LIKE, _like),
    (_FOND, _fond),
    (_KIND, _kind),
    (_USE, _use),
    (_SWITCH, _switch),
    (_AGAIN, _again),
    (_STILL_AGAIN, _again),
)
"""The forms of a taste, and what reads each of them; the first that fits is asked first."""
