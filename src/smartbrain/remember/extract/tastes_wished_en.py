"""What an English clause says the user wants, would rather have, and has as a favourite.

In: a clause that the user states. Out: the taste in "I always want ...", "I'd rather ... than ...",
"my favourite ... is ..." and "my editor is ..."; nothing for a wish of the moment.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.remember.extract.preference_words import (
    Taste,
    Topic,
    favourite_name,
    topic_of,
    trimmed,
)
from smartbrain.remember.extract.said import Sentence
from smartbrain.remember.extract.taste_things import (
    MOMENT_EN,
    OPEN_EN,
    VAGUE_EN,
    clean_thing,
    points_back,
    short_name,
)
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_MOST_WORDS: Final = 16

_WANT: Final = pattern(
    OPEN_EN + r"(?:i(?:'d|’d| would)? (?P<when>always|never|only ever|generally) "
    r"(?:want|need|like|expect|appreciate)|i (?:want|need|expect|would like"
    r"|don'?t (?:ever )?want)|i'd like)\s+"
    r"(?P<object>\S.*)",
    _I,
)

_EVERY_TIME: Final = pattern(
    r"\b(?:every (?:single )?time|each time|always|never|by default|from now on|going forward"
    r"|whenever"
    r"|as a (?:general )?rule|in general|in (?:all|every|any) (?:of )?(?:my|your|our)"
    r"|at all times|in (?:my|your) (?:\w+ )?\w+s)\b",
    _I,
)

_RATHER: Final = pattern(
    OPEN_EN + r"i(?:'d|’d| would) (?:much |really )?(?:rather|sooner)\s+(?P<object>\S.*)", _I
)

_KEEP: Final = pattern(
    r"\b(?:keep|bear) (?:that|this|it) in mind|\bremember (?:that|this)\b|\b(?:always|generally"
    r"|usually|in general|as a rule|whenever|every time|ever)\b",
    _I,
)

_FAVOURITE: Final = pattern(
    OPEN_EN
    + r"my (?:all[- ]time |absolute |personal )?(?P<how>favou?rite|preferred|go-to|usual|default"
    r"|main"
    r"|primary|daily|everyday|standard|preference|choice)\s*+(?P<kind>(?:[\w-]+ ){0,5}?[\w-]*?)\s*+"
    r"(?:is|are|has always been|would be)\s+(?P<object>\S.*)",
    _I,
)

_MINE: Final = pattern(
    OPEN_EN + r"(?:all )?my (?P<kind>(?:text |code |main |web )?editor|ide|shell|terminal|browser"
    r"|operating system|os"
    r"|package manager|keyboard layout|note[- ]taking app|notes app|search engine|e?mail client"
    r"|password manager|theme|font|phone)(?:'s|’s| is| has always been)\s+(?P<object>\S.*)",
    _I,
)

_IS_MINE: Final = pattern(
    OPEN_EN + r"(?P<object>[\w+#.' -]{2,40}?) (?:is|are|has always been)"
    r"(?: (?:pretty much|basically|definitely|always|still|probably))? my (?:all[- ]time "
    r"|absolute )?"
    r"(?P<how>favou?rite|preferred|go-to|first choice|pick)(?: (?P<kind>[\w -]{2,30}))?\W*\Z",
    _I,
)


def _want(match: re.Match[str], sentence: Sentence) -> Taste | None:
    raw = clean_thing(match["object"])
    thing = trimmed(raw)
    if (
        MOMENT_EN.match(raw)
        or not thing
        or (not match["when"] and not _EVERY_TIME.search(sentence.text))
    ):
        return None
    doing = raw.lower().startswith("to ")
    if (doing and not (match["when"] and _TREATED.match(raw))) or "you to know" in raw[:12].lower():
        return None
    never = (match["when"] or "").lower() == "never" or "n't" in match[0][: match.start("object")]
    if never and _SICK_OF.search(sentence.text):
        return None
    thing = tidy(f"{match['topic'] or ''}{thing}")
    return Taste("want", topic_of(thing), thing, f"never {thing}" if never else thing, 0.9)


_TREATED: Final = pattern(
    r"to (?:see (?!him|her|them|you|this|that|it)|be (?:asked|told|notified|reminded|called"
    r"|addressed|warned|informed|copied|consulted|kept)|know (?:before|when|why|about)"
    r"|get (?:an?|the"
    r"|my)|have the (?:last|final)|receive|hear about|approve|review)\b",
    _I,
)
# Who never wants to see another regex again is sick of them, and asks for nothing.
_SICK_OF: Final = pattern(
    r"\bto (?:see|hear)\b.{0,80}?\b(?:another\b.{0,200}\bagain\b|(?:ever )?again"
    r"(?: in my (?:whole |entire )?life| as long as i live)?\W*\Z)",
    _I,
)
_YOU_DO: Final = pattern(
    r"(?:that )?you (?P<no>didn['’]?t|did not|not|never|avoided"
    r"|skipped)?\s*(?:ever )?(?P<what>\S.*)",
    _I,
)
_SETTLED: Final = pattern(
    r"\b(?:the|this|that|these|those|it|him|her|them|there|here|today|tonight|tomorrow|now|home|my"
    r"|die|anything|your?)\b",
    _I,
)


def _rather(match: re.Match[str], sentence: Sentence) -> Taste | None:
    """Read "I'd rather ...": a wish of the moment unless it compares things, or is about style."""
    raw = clean_thing(match["object"])
    thing = trimmed(raw)
    if not thing or len(thing.split()) > _MOST_WORDS:
        return None
    topic = topic_of(thing)
    if you := _YOU_DO.match(raw):
        what = trimmed(you["what"])
        told = topic is not None or _ME.search(what) is not None
        if not told or points_back(_FOR_ME.sub("", what)):
            return None
        return Taste("rather", topic, what, f"don't {what}" if you["no"] else f"you {what}", 0.9)
    if MOMENT_EN.match(raw):
        return None
    compares = " than " in thing and not _SETTLED.search(thing)
    if not (compares or _KEEP.search(sentence.text)):
        return None
    return Taste("rather", topic, thing, thing)


_ME: Final = pattern(r"\b(?:me|to me|with me|for me)\b", _I)
_FOR_ME: Final = pattern(r"\b(?:for|to|with) me\b|\bwhen (?:you|i)\b.*", _I)

_PASSING: Final = pattern(
    r"(?:ones?|parts?|things?|moments?|memor(?:y|ies)|ways?|bits?|aspects?|scenes?|quotes?"
    r"|pictures?"
    r"|photos?|pieces?|days?|so far|time|people|person|student|child|kid|shots?|lines?|of)\b",
    _I,
)


def _favourite(match: re.Match[str], sentence: Sentence) -> Taste | None:
    how, kind = match["how"].lower(), (match["kind"] or "").strip()
    thing = trimmed(clean_thing(match["object"]))
    if not thing or VAGUE_EN.match(thing) or points_back(thing):
        return None
    if how.startswith("favo") and _PASSING.match(kind):
        return None
    kind = kind.removeprefix("for ") or _about(match, sentence)
    topic = topic_of(kind, kind.removesuffix("s")) if kind else None
    if how in ("favourite", "favorite", "preference", "choice", "pick"):
        topic = topic or (None if kind else topic_of(thing))
        if not (topic and topic.name) and kind:
            topic = Topic("other", favourite_name(short_name(kind)))
        return Taste("favourite", topic, thing, thing, 0.9) if topic else None
    if how in ("preferred", "go-to") or (topic and topic.name):
        named = topic or topic_of(thing)
        return Taste("favourite", named, kind or thing, thing, 0.9)
    return None


_ABOUT: Final = pattern(
    r"\W*(?:when it comes to|for|as for|in terms of|among|of all|speaking of|regarding) (?P<kind>"
    r"(?!me\b|this|that|now)[\w -]{2,30})\W*\Z",
    _I,
)


def _about(match: re.Match[str], sentence: Sentence) -> str:
    """Return the kind of thing that a sentence begins with: "When it comes to shells, ..."."""
    first = sentence.clauses[0].text if sentence.clauses else ""
    found = _ABOUT.match(match["topic"] or "") or _ABOUT.match(first)
    return found["kind"].strip() if found else ""


def _mine(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"])
    topic = topic_of(match["kind"]) or topic_of(thing)
    known = topic is not None and topic_of(thing) == topic
    if not thing or not (known or (thing[:1].isupper() and len(thing.split()) <= 3)):
        return None
    return Taste("mine", topic, match["kind"], thing, 0.9)


WISHES_EN: Final = (
    (_WANT, _want),
    (_RATHER, _rather),
    (_FAVOURITE, _favourite),
    (_MINE, _mine),
    (_IS_MINE, _favourite),
)
"""The forms of a wish, and what reads each of them; the first that fits is asked first."""
