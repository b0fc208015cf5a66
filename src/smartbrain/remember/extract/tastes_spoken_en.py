"""Tastes that English tells without "I like": "tabs over spaces for me", "popups drive me nuts".

In: a clause that the user states. Out: what is liked or not, where it is named plainly: a bare
plural, a tool or a style. What only a listener could place ("that's a no-go") is none.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.remember.extract.preference_words import Taste, Topic, topic_of, trimmed
from smartbrain.remember.extract.said import Sentence
from smartbrain.remember.extract.taste_things import (
    OPEN_EN,
    clean_thing,
    lasting_thing,
    points_back,
)
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_NP: Final = r"(?P<object>[\w+#.'’/ -]{2,50}?)"
_FOR_ME: Final = r"(?:\s+(?:for me|in my book|with me|if you ask me|as far as i'm concerned))"
_DEGREE: Final = (
    r"(?:much |way |far |a lot |so much |really |just |very |quite |pretty |too |a bit |more |most "
    r"|super |extremely |incredibly )*"
)

_OVER: Final = pattern(
    OPEN_EN + r"(?:for me,? )?(?:(?:it's|it’s|it is|give me|i'll take|i’ll take|i'd take|i’d take"
    r"|i'd pick|i'd choose|i'd go (?:with|for)|i always pick|i pick|i choose"
    r"|i'll pick) )?(?:always )?"
    + _NP
    + r"(?P<over> (?:over|rather than|instead of|before) [\w+#.'’/ -]{2,40}?)"
    r"(?:,? (?P<sign>for me|any day|every time|all day long|always|all the way|any time|anytime"
    r"|every single time)(?: for me| of the week)?(?:,? please)?)\W*\Z",
    _I,
)
_ALL_THE_WAY: Final = pattern(
    OPEN_EN + r"(?:it's |it’s |i'm |i’m |definitely |firmly |strictly )*(?:(?P<team>team|in the) )?"
    r"(?P<object>[\w+#.'’/-]+(?: [\w+#.'’/-]+){0,2}?)"
    r" (?P<sign>all the way|camp|only for me|for me,? (?:always|every time|please|thanks))"
    r"(?: for me| here)?\W*\Z",
    _I,
)
_NOTHING_BEATS: Final = pattern(
    OPEN_EN + r"(?:nothing (?:beats|tops|compares to)|there['’]?s nothing (?:like|better than)"
    r"|(?:you )?can'?t beat|i can'?t (?:live|work|function|cope|do) without"
    r"|i(?:'m|’m| am) lost without|i(?:['’]ve| have)? (?:(?:always|long) )?(?:got "
    r"|had )?a (?:real |bit of a "
    r"|huge |big |deep |strong )?(?:soft spot"
    r"|weakness|thing|love|passion|fondness) for)\s+"
    + r"(?P<object>[\w+#.'’/ -]{2,50}?)"
    + rf"(?P<me>{_FOR_ME})?\W*\Z",
    _I,
)
_VERDICT: Final = pattern(
    OPEN_EN
    + _NP
    + r" (?:is|are|isn'?t|aren'?t|is not|are not)(?: just| really| simply| always| an absolute"
    r"| a total"
    r"| kind of)?(?P<no> not)? (?P<verdict>(?:an? |my )?(?:\w+ )?(?:no-go|no-no|non-starter"
    r"|deal-?breaker|turn-?off|pet peeve|must(?:-have)?|cup of tea|jam|thing|comfort food"
    r"|guilty pleasure"
    r"|favou?rite|fave|(?:biggest )?passion|weakness|happy place|drink of choice|weapon of choice"
    r"|poison)|off[- ]limits|not for me"
    r"|for me|(?:\w+ )?(?:easier|better|best|clearer) (?:for me|on my eyes))"
    rf"(?P<me>{_FOR_ME})?\W*\Z",
    _I,
)
_ANNOYS: Final = pattern(
    OPEN_EN + _NP + r" (?:(?:always|really|just|seriously|honestly|totally) ){0,4}"
    r"(?P<verb>(?:drives?|makes?) me (?:crazy|nuts|mad|insane|cringe|up the wall|sick|queasy)"
    r"|(?:annoys?|bugs?|irritates?|bothers?|distracts?|bores?) me|gets? on my nerves"
    r"|puts? me off|stress(?:es)? me out|gives? me (?:a headache|headaches|the creeps|heartburn))\b"
    r"(?! (?:that|when|how|today))",
    _I,
)
_FIND: Final = pattern(
    OPEN_EN
    + r"i (?:always |usually |generally |often |just |personally |honestly )*(?:find|consider) "
    r"(?P<object>[\w+#.'’/ -]{2,40}?) (?:to be )?" + _DEGREE + r"(?P<how>easier|clearer|better"
    r"|nicer|more readable|more (?:helpful|useful|comfortable|convenient|natural|legible|practical)"
    r"|simpler|faster|quicker|handier|annoying|distracting|confusing|irritating|exhausting"
    r"|unreadable"
    r"|off-?putting|tedious|overwhelming|hard(?:er)? to (?:read|follow|use|digest|parse|scan))\b"
    r"(?P<rest>(?: (?:to \w+|than|for|on|when)\b.*)?)\W*\Z",
    _I,
)
_WORKS: Final = pattern(
    OPEN_EN + r"(?:what works (?:best )?for me is (?P<what>[\w+#.'’/ -]{2,50})"
    r"|(?P<object>[\w+#.'’/ -]{2,50}?) (?:works? (?:best|better|great|well)|suits? me|is easier|are"
    r" easier|does the trick) ?(?:best|better)?(?: for me)?(?: than [\w+#.'’/ -]{2,40})?)\W*\Z",
    _I,
)
_WORK_BEST: Final = pattern(
    OPEN_EN
    + r"i(?:'m| am)? (?:always |usually )?(?P<object>(?:work|focus|concentrate|think|learn|write"
    r"|study|code|sleep|(?:most )?productive|perform|function) (?:much |way )?(?:best|better"
    r"|most easily"
    r"|(?=in the (?:morning|evening)|at night))"
    r"(?: (?:in|at|on|by|with|without|when|early|late|alone|after|before"
    r"|from)\b[\w'’ ]{0,50})?)\W*\Z",
    _I,
)
_TAKE_MINE: Final = pattern(
    OPEN_EN
    + r"(?:i (?:always |usually )?(?:take|drink|have|want|need|eat) (?P<object>my [\w -]{2,30}?"
    r" (?P<how>black|white|sweet|unsweetened|cold|hot|iced|strong|weak|dark|rare"
    r"|medium(?:[- ]rare)?"
    r"|well[- ]done|plain|spicy|mild|raw|neat|dry|decaf|with(?:out)? [\w ]{3,25}"
    r"|on the (?:side|rocks)))"
    r"|my (?P<kind>coffee|tea|steak|eggs|toast|beer|whisky|code|emails|answers|notes) (?:has"
    r"|have|needs?)"
    r" to be (?P<be>[\w -]{3,30}))\W*\Z",
    _I,
)
_ABSTAIN: Final = pattern(
    OPEN_EN
    + r"i (?P<no>don'?t|don’t|do not|never) (?:really |usually |normally )?(?P<verb>drink|smoke|do)"
    r"(?P<object> (?:alcohol|coffee|caffeine|soda|dairy|gluten|sugar|meat|pork|beef|seafood"
    r"|spicy food"
    r"|spicy|mornings|phone calls|small talk|video calls|social media))?\W*\Z",
    _I,
)
_CHOICE: Final = pattern(
    OPEN_EN + r"my (?P<kind>(?:\w+ )?(?:preference|habit|rule|style|default|routine|custom))"
    r" (?:is|would be)(?: always| usually)? (?:to )?(?P<object>[^,;]{3,60})\Z",
    _I,
)
_PLURAL: Final = pattern(r"(?:[\w'’-]+ ){0,3}[\w-]+(?:s|food|music|mode|spelling|tea|coffee)\b", _I)
_STARTS: Final = pattern(
    r"(?:the|a|an|my|his|her|our|their|your|this|that|some|any|no|it|what|which|there|i|we|you"
    r"|he|she"
    r"|they|everything|nothing|something|people|life|work|kids|and|so|to)\b",
    _I,
)


def _plain(words: str, *, bare: bool = True) -> str:
    """Return words that name a kind of thing, else nothing."""
    thing = trimmed(clean_thing(words))
    if not thing or _STARTS.match(thing) or points_back(thing):
        return ""
    if topic_of(thing):
        return thing
    return thing if (_PLURAL.match(thing) or not bare) and lasting_thing(thing) else ""


def _over(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(match["object"])
    if not thing or _STARTS.match(thing) or points_back(thing + match["over"]):
        return None
    return Taste("over", topic_of(thing, match["over"]), thing, thing + match["over"], 0.9)


def _team(match: re.Match[str], _: Sentence) -> Taste | None:
    thing, topic = trimmed(match["object"]), topic_of(match["object"])
    if not topic or points_back(thing) or (match["sign"].lower() == "camp" and not match["team"]):
        return None
    return Taste("team", topic, thing, thing)


def _beats(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(clean_thing(match["object"]))
    known = topic_of(thing)
    mine = match["me"] or match[0].lower().lstrip().startswith("i")
    if not thing or points_back(thing) or not (known or mine):
        return None
    return Taste("beats", known, thing, thing) if known or lasting_thing(thing) else None


def _verdict(match: re.Match[str], _: Sentence) -> Taste | None:
    verdict = match["verdict"].lower()
    thing = _plain(match["object"], bare="my " not in verdict)
    mine = match["me"] or "my " in verdict or "me" in verdict.split() or "my eyes" in verdict
    if not thing or not mine or (verdict == "for me" and not topic_of(thing)):
        return None
    head = match[0][: match.start("verdict")].lower()
    against = _AGAINST.search(verdict) is not None
    if match["no"] or "n't" in head or " not" in head:
        against = not against or verdict.startswith("not")
    return Taste("verdict", topic_of(thing), thing, f"not {thing}" if against else thing)


_AGAINST: Final = pattern(r"no-|non-|deal|turn|peeve|limits|not for", _I)


def _annoys(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = _plain(match["object"])
    return Taste("annoys", topic_of(thing), thing, f"not {thing}") if thing else None


def _find(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = _plain(match["object"])
    if not thing or points_back(match["rest"]):
        return None
    bad = _BAD.match(match["how"]) is not None
    return Taste("find", topic_of(thing), thing, f"not {thing}" if bad else thing)


_BAD: Final = pattern(
    r"annoying|distract|confus|irritat|exhaust|unread|off|tedious|overwhelm|hard", _I
)


_ME: Final = pattern(r"\bme\b", _I)


def _works(match: re.Match[str], _: Sentence) -> Taste | None:
    said = match["what"] or match["object"]
    thing = _plain(said)
    if not thing or not (match["what"] or _ME.search(match[0])):
        return None
    return Taste("works", topic_of(thing), thing, thing)


def _work_best(match: re.Match[str], _: Sentence) -> Taste | None:
    words = match["object"]
    if points_back(words.replace("when I", "when")) or len(words.split()) < 3:
        return None
    return Taste("work_best", Topic("other", "way_of_working"), words, words)


def _take_mine(match: re.Match[str], _: Sentence) -> Taste | None:
    if match["kind"]:
        return Taste("mine_so", topic_of(match["kind"]), match["kind"], trimmed(match["be"]))
    words = trimmed(match["object"])
    name = words[3 : match.start("how") - match.start("object")]
    return None if points_back(words) else Taste("mine_so", topic_of(name), name, words)


def _abstain(match: re.Match[str], _: Sentence) -> Taste | None:
    verb, thing = match["verb"].lower(), (match["object"] or "").strip()
    if verb == "do" and not thing:
        return None
    name = thing or {"drink": "alcohol", "smoke": "smoking"}[verb]
    value = f"not {thing}" if verb == "do" else f"don't {verb} {thing}".strip()
    return Taste("abstain", topic_of(thing), name, value)


_UNDER_WAY: Final = pattern(
    r"(?:getting|evolving|changing|becoming|going|improving|growing|coming|hard|good|bad|great|fine"
    r"|a mess|terrible|very|so|too|kind of|still)\b",
    _I,
)
_OF_ONES_OWN: Final = pattern(r"(?:style|habit|routine)\Z", _I)


def _choice(match: re.Match[str], _: Sentence) -> Taste | None:
    thing = trimmed(clean_thing(match["object"]))
    if not thing or points_back(thing) or _UNDER_WAY.match(thing):
        return None
    named = match["kind"] if _OF_ONES_OWN.search(match["kind"]) else thing
    return Taste("choice", topic_of(thing), named, thing)


SPOKEN_SIGN_EN: Final = sign(
    r"\b(?:over|rather than|instead of|before|all the way|camp|for me|nothing|beat|without"
    r"|soft spot"
    r"|a love|a passion|a fondness|weakness|thing|find|consider|works?|suits?|easier|better|best"
    r"|my [\w -]{2,30}|drink"
    r"|smoke|don'?t do"
    r"|drives?|makes? me|annoys?|bugs?|irritates?|bothers?|distracts?|bores?|nerves|puts? me|stress"
    r"|stresses|gives? me|no-go|in the (?:morning|evening)|at night|limits|eyes)\b",
    _I,
)
"""Words without which none of these forms is complete."""
SPOKEN_EN: Final = (
    (_ABSTAIN, _abstain),
    (_OVER, _over),
    (_ALL_THE_WAY, _team),
    (_NOTHING_BEATS, _beats),
    (_FIND, _find),
    (_WORK_BEST, _work_best),
    (_TAKE_MINE, _take_mine),
    (_CHOICE, _choice),
    (_VERDICT, _verdict),
    (_ANNOYS, _annoys),
    (_WORKS, _works),
)
"""The forms of a taste, and what reads each of them; the first that fits is asked first."""
