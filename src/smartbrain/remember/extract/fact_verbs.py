"""The English verbs that tell a fact: what each tells, and what its value must be (C6).

A table and how it is looked up: by the first word of a verb, so that a word that begins none costs
nothing. In: a clause. Out: each verb in it with its place, its attribute and the
check of its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

PLACED: Final = (
    r"(?:in|at|on|under|behind|inside|near|next to|above|below|beside|opposite|across from|within)"
)
LINE: Final = pattern(r"(?:bus|tram|line|train|metro|subway|shuttle|ferry|route)(?: [\w-]+)?\Z", _I)
"""What stops somewhere."""
MONEY: Final = pattern(
    r"[$€£¥]\s?\d|\d[.,]* ?(?:k|euros?|dollars?|pounds?|bucks|yuan|usd|eur)\b", _I
)
"""A sum of money."""
COSTS: Final = pattern(
    r"\A(?:postage|shipping|delivery|parking|admission|entry|entrance|rent|tuition"
    r"|sprint|iteration|registration|enrol?lment|voting|code freeze"
    r"|childcare|membership|insurance|electricity|internet|broadband|(?:visiting|opening|office"
    r"|quiet|school) hours|a [\w-]+ ticket)\b",
    _I,
)
"""What costs something or has its hours, whosever it is."""
LASTS: Final = pattern(r"(?:second|minute|hour|day|week|month|year|night)s?\b|\bmins?\b", _I)
"""A stretch of time."""
WE_ARE: Final = pattern(
    r"\A(?:we're|we are|our company is) (?:based|located|headquartered) (?:in|at) ([^,]{2,50})\Z",
    _I,
)
"""Where the speaker's company is."""
WE_USE: Final = pattern(
    r"\Awe(?:['’]re| are)?(?: all| currently| mostly| still| now)* us(?:e|ing)"
    r" ((?-i:[A-Z])[\w.+#-]*(?: v?\d[\w.]*)?)(?: (?:now|at work|here))?\Z",
    _I,
)
"""What the speaker's company uses."""
ADDRESS: Final = pattern(r"https?://\S+\Z|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\Z", _I)
"""Where something is found on a network."""
WE_USE_FOR: Final = pattern(
    r"\A(?:at work |here )?(?:we|our team|the team|our company)(?: all| currently"
    r"| mostly)? use ([^,]{2,50}?)"
    r" (?:for|as) (?:all |our |the |a |an )*([\w -]{2,40}?)\Z",
    _I,
)
"""What is used for what."""
NO_WORD: Final = pattern(
    r"\A(?:not|no|never|nothing|n't|it|me|you|us|them|him|that|this|what|how|why|if|to|too|so"
    r"|very)(?:\s|\Z)",
    _I,
)
"""What begins no value of a verb."""
IDIOM: Final = pattern(
    r"\A(?:(?:in|at|on|under|behind|within) )?(?:fire|trouble|risk|progress|hold|review|vacation"
    r"|holiday|danger|place|sync|use|shape|track|time|control|construction|stake|strike|point|order"
    r"|charge|touch|general|fact|theory|my (?:way|mind|head|nerves)|(?:the|a|an|its|his|her) (?:way"
    r"|works|moment|door|phone|table|same|other|meeting|good|bad|mood|rush|hurry|loop|end|middle"
    r"|bottom|top|rocks|run|mend|wrong|past|future|process)|least|most"
    r"|first|last|once|times|mess|flux|limbo|me|you|it|sale|purpose|board|call|duty|schedule"
    r"|school|work|home|bed|town|love|need|line)\b",
    _I,
)
"""What looks like a place and is none."""
_BE: Final = "is are"
_SOMETIMES: Final = r"(?: (?:now|currently|actually|all|both|always|usually|normally|officially))*"
# First words; what follows them; what it tells; what the value must be.
_VERBS: Final = (
    (_BE, r" (?:called|named|known as|labell?ed)", "name", "any"),
    (_BE, r" (?:written|coded|implemented|programmed) (?:in|using)", "language", "any"),
    (_BE, r" (?:built|developed|made) (?:with|on top of|on|in|using)", "built_with", "any"),
    (_BE, r" made (?:of|from|out of)", "material", "any"),
    (_BE, r" powered by", "powered_by", "any"),
    (_BE, r" (?:licensed|released) under", "license", "any"),
    (_BE, r" insured (?:with|by|at)", "insurance", "any"),
    (_BE, r" (?:hosted|deployed|running|run|served) (?:in|at)", "location", "concrete"),
    (_BE, r" (?:hosted|deployed|running|run|served|installed) (?:on|by|with|to|via|under|from)",
     "runs_on", "concrete"),
    (_BE, r" (?:kept|stored|retained|saved|archived) for", "retention", "number"),
    (_BE, r" (?:stored|kept|saved|located|based|placed|hidden|archived|parked|situated|mounted"
     rf"|documented|tracked|headquartered|backed up)(?= {PLACED}\b| to\b)", "location", "place"),
    (_BE, r" owned by", "owner", "any"),
    (_BE, r" (?:managed|maintained|led|handled|supervised|looked after|taken care of|operated) by",
     "responsible", "any"),
    (_BE, r" (?:collected|emptied|cleaned|backed up|updated|refreshed|rotated|paid|billed|sent"
     r"|generated|delivered|held|published|released|deployed|picked up)", "schedule", "recurring"),
    (_BE, r" (?!delay|block|postpon|schedul|expect|plann)\w+ed within", "within", "number"),
    (_BE, r" (?:valid (?:until|through|till)|good until)", "expiry", "time"),
    (_BE, r" (?:limited to|capped at)", "limit", "number"),
    (_BE, r" painted", "color", "any"),
    (_BE, r" used (?:for|as|to)", "used_for", "any"),
    (_BE, r" (?:responsible for|in charge of)", "in_charge_of", "any"),
    (_BE, r" allergic to", "allergy", "any"),
    (_BE, r" married to", "spouse", "concrete"),
    (_BE, r" closed(?= (?:on|every|from|in|at|between|during))", "closed", "time"),
    (_BE, r" open(?= (?:on|every|from|until|till|daily|24))", "opening_hours", "time"),
    (_BE, r" due", "due", "time"),
    (_BE, r"(?: set to| configured as)?", "", "is"),
    ("was were", r" (?:founded|established|started) in", "founded", "number"),
    ("was were", r" built in", "built", "number"),
    ("run runs", r" until", "expiry", "time"),
    ("run runs", r"(?= from .{1,20} (?:to|until|till) )", "opening_hours", "number"),
    ("is are", r" (?:open|available|staffed)(?= from .{1,20} (?:to|until|till) )", "opening_hours",
     "number"),
    ("cap caps limit limits", r" (?:[\w-]+ ){1,3}(?:at|to)", "limit", "number"),
    ("cover covers", r" (?:[\w-]+ ){1,4}for", "duration", "number"),
    ("hold holds", r" (?:office|consulting|surgery|visiting|open) hours", "office_hours", "time"),
    ("stop stops", r"(?: [a-z]+)?(?= (?:in front of|outside|at|near|opposite|next to"
     r"|by|behind|across from) )", "stop", "stop"),
    ("charge charges", "(?: us| me)?", "price", "number"),
    ("earn earns pay pays", "(?: us| me)?", "pay", "money"),
    ("contain contains include includes", "", "contains", "count"),
    ("run runs listen listens", r" on(?: port)?(?= \d)", "port", "number"),
    ("run runs", r" out", "expiry", "time"),
    ("run runs", r"(?= (?:every|daily|nightly|weekly|hourly|monthly|at \d"
     r"|on (?:mon|tue|wed|thu|fri|sat|sun)))", "schedule", "any"),
    ("run runs", r" (?:on|under|off)", "runs_on", "runs"),
    ("run runs", r" in", "location", "concrete"),
    ("live lives sit sits reside resides", rf"(?= {PLACED}\b)", "location", "place"),
    ("belong belongs", " to", "owner", "any"),
    ("go goes", " out", "schedule", "recurring"),
    ("come comes", " out", "schedule", "recurring"),
    ("take takes", " place", "schedule", "recurring"),
    ("happen happens meet meets", "", "schedule", "recurring"),
    ("ship ships deliver delivers", "(?: only| out)?", "schedule", "recurring"),
    ("cost costs", "(?: us| me)?", "price", "number"),
    ("start starts begin begins", "", "start", "time"),
    ("open opens", "", "opening_time", "time"),
    ("close closes", "", "closing_time", "time"),
    ("end ends finish finishes", "", "end", "time"),
    ("expire expires renew renews", "", "expiry", "time"),
    ("has have", "", "has", "count"),
    ("take takes lasts", "(?: about| around| roughly)?", "duration", "duration"),
    ("last", r"(?= (?:about |around |up to |at least |for )?\d)", "duration", "duration"),
    ("weigh weighs", "", "weight", "number"),
    ("measure measures", "", "size", "number"),
    ("seats holds fits", "", "capacity", "number"),
    ("support supports allow allows accept accepts", "", "supports", "number"),
    ("keep keeps retain retains", r" (?:\w+ ){1,3}for", "retention", "number"),
    ("require requires", "", "requires", "concrete"),
    ("work works", " (?:at|for)", "employer", "concrete"),
    ("go goes", " to", "school", "name"),
    ("attend attends", "", "school", "name"),
    ("study studies", " at", "school", "name"),
    ("report reports", " to", "manager", "concrete"),
    ("point points redirect redirects resolve resolves connect connects", " to", "target",
     "concrete"),
    ("depend depends", " on", "depends_on", "concrete"),
    ("speak speaks", "", "language", "name"),
    ("looks", " after", "in_charge_of", "duty"),
    ("takes", " care of", "in_charge_of", "duty"),
    ("takes took", " over", "in_charge_of", "duty"),
    ("handles owns leads manages maintains oversees runs", "", "in_charge_of", "duty"),
    ("use uses", "", "uses", "use"),
)  # fmt: skip


class Verb(NamedTuple):
    """A verb in a clause: where it begins and its value begins, what it tells, how to check."""

    start: int
    end: int
    attribute: str
    check: str


def _table() -> dict[str, re.Pattern[str]]:
    """Return, for each first word, a pattern of all that may follow it, in the table's order."""
    following: dict[str, list[str]] = {}
    for place, (words, rest, _, _) in enumerate(_VERBS):
        for word in words.split():
            following.setdefault(word, []).append(f"(?P<v{place}>{rest}) ")
    return {
        word: pattern((_SOMETIMES if word in _BE.split() else "") + f"(?:{'|'.join(rests)})", _I)
        for word, rests in following.items()
    }


_FOLLOWING: Final = _table()
FIRST_WORDS: Final = frozenset(_FOLLOWING)
"""The words, in small letters, that the verbs begin with."""


def verbs_in(clause: str) -> Iterator[Verb]:
    """Yield the verbs of a clause that may tell something, in their order."""
    start = clause.find(" ")
    while start > 0:
        end = clause.find(" ", start + 1)
        if end < 0:
            return
        following = _FOLLOWING.get(clause[start + 1 : end].casefold())
        found = following.match(clause, end) if following else None
        if found:
            _, _, attribute, check = _VERBS[int((found.lastgroup or "v0")[1:])]
            yield Verb(start, found.end(), attribute, check)
        start = end
