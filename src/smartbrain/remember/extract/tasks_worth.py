"""Whether what sounds like a task is worth keeping: it names something that can be done (C6, C7).

In: the words that tell of a task and the title made from them. Out: yes or no. A title that only
points ("look into that"), that names a feeling or a way of life, or of which a part was a
quotation nobody reads, would mean nothing later.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_BLANKED: Final = pattern(r"\S\s{3,}\S|\A\s{3,}")
# Words that fill a title without saying what it is about.
_FILLERS: Final = (
    r"(?:an?|the|my|our|some|new|another|other|more|few|lots?|of|big|small|little|good|exciting"
    r"|cool|own|this|that|these|those|all|many|several|couple|great|fun|really|bit|different|next"
    r"|current|personal|various|whole)"
)
_VAGUE: Final = pattern(
    rf"(?:[a-z]+(?: (?:up|out|on|with|into|at|for|about|through|down|in|off|together))? )?"
    rf"(?:{_FILLERS} )*"
    r"(?:it|them|that|this|those|these|some|ones?|two|three|more|few|something|anything|things?"
    r"|stuff|projects?|details?|biz|business|stud(?:y|ies)|work|tasks?|way|future|balance|ideas?"
    r"|plans?|options?|stories|story|problems?|issues?|goals?|dreams?|craft|skills?|art|music"
    r"|photography|dancing|careers?|it's .*|while|a|time|part|everything|lot|him|her|us|you)"
    r"(?: (?:up|out|down|off|in|back|away|over|together|soon|again|lately|recently))?\Z",
    _I,
)
# One's own business is never done, a novel that one is in the middle of is read.
_ENTERPRISE: Final = pattern(
    r"(?:my|our) (?:own )?(?:[\w-]+ ){0,2}?(?:store|shop)(?=\W*\Z| and\b)"
    r"|(?:my|our|the) (?:own )?(?:[\w-]+ ){0,2}?(?:business|studio|company|startup|brand)"
    r"(?=\W*\Z| and\b)"
    r"|(?!(?:my|our|an?|the) )(?:[\w-]+ ){0,2}(?:novel|book|movie|film)\Z"
    r"|[做忙搞弄]?我们?(?:自己)?的?(?:公司|网?店|生意|工作室|品牌)\Z",
    _I,
)
# "check the size too" weighs something that was named before.
_WEIGHS: Final = pattern(
    r"(?:check|see|compare|consider|look at|think about) (?:the|its|their) .*"
    r"\b(?:size|quality|price|cost|condition|layout|location|reviews|ratings) (?:too|as well)\Z",
    _I,
)
# "take them to the shop": nobody will know what.
_POINTS: Final = pattern(
    r"(?:something|anything|someone|one|it)\b(?!-)|\w+ some of my\b|"
    r"[a-z]+(?: (?:up|out|on|with|into|at|for|about|off))? (?:it|them|him|her|some|one|those|these"
    r"|that|this)(?: (?:to|for|up|out|off|in|into|on|from|back|away|with|all|both|at|after"
    r"|before|by|as|and|\w+ed|fixed|done|down)\b|\Z)",
    _I,
)
_ABSTRACT: Final = pattern(
    r"\b(?:confidence|passions?|comfort zones?|mindset|myself|ourselves|yourself|life|lives"
    r"|enthusiasm|happiness|motivation|positiv\w+|strateg(?:y|ies) as|self[- ]\w+|society|rights"
    r"|fair chances|mental health|souls?|hearts?|the world|our community|relationships?"
    r"|better way|right balance|feelings?|emotions?|habits?|routine|journey|true|attitude"
    r"|concentration|perspective|on board|inner|spirit|patience)\b"
    r"|\b(?:twins|kids|family|baby|audiobooks?|marathon|season|episodes?|series|movies)\Z"
    r"|\bbinge\w*|\bwatching\b"
    r"|\baudiobooks?\b|\b(?:an?|another) (?:book|painting|movie|show|game|gaming|puzzle)\b",
    _I,
)
_AGAIN: Final = pattern(r"\b(?:each|every|whenever|always|daily|regularly)\b", _I)
# What begins so has lost its object: "the book I've been working on for a while".
_NO_OBJECT: Final = pattern(
    r"\W*(?:\w+ (?:after|before|during|since|because|until|for (?:a while|ages))\b|"
    r"(?:for|since|and|but|at|by|lately|recently|these|it'?s|which|hard|so|as|from|together"
    r"|after|before|super|during|because|or|to|like|with|in|of|being|here|there|every)\b)",
    _I,
)
_DASHED: Final = pattern(r"\s*[-–—]")
_UNDER_WAY: Final = ("tasks.working", "tasks.doing")
_LISTS: Final = frozenset(("tasks.checklist", "tasks.list", "tasks.marked"))
_LOOSE: Final = frozenset(
    (
        "tasks.need",
        "tasks.plan",
        "tasks.working",
        "tasks.busy",
        "tasks.finished",
        "tasks.finally",
        "tasks.managed",
    )
)


def worth(words: str, title: str, rule: str) -> bool:
    """Tell whether a task says what it is about.

    Args:
        words: the part of the sentence that names it, as said.
        title: what it would be called.
        rule: how it was found; a list is trusted more than a passing remark.
    """
    if rule in _LISTS:
        return not _AGAIN.search(title)
    if _BLANKED.search(words) or _VAGUE.match(title) or _POINTS.match(title):
        return False
    if (rule in _UNDER_WAY and _ENTERPRISE.match(words.strip())) or _WEIGHS.match(words.strip()):
        return False
    if rule not in _LOOSE:
        return True
    lost = _NO_OBJECT.match(words) or _DASHED.match(words)
    return not (lost or _ABSTRACT.search(title) or _AGAIN.search(title))
