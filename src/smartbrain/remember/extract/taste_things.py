"""What somebody can have a lasting taste for: food, music, a pastime, a tool, a way of working.

In: the words after "I love" and the like. Out: those words cut clean, and whether they name a thing
that will still mean something later. What points back into the talk ("their work"), an idea, a
person, a moment and an occasion do not. Tools and styles with a name of their own are known to
`preference_words`.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import stored_words, word_set

_I: Final = 0x02  # re.IGNORECASE
_EDGES: Final = " ,.;:!?~*-–—'"
_MOST_WORDS: Final = 8
_MOST_ING_WORDS: Final = 6

OPEN_EN: Final = (
    r"\A\W*+(?:(?:and|but|so|also|well|oh|hey|ok|okay|btw|fyi|actually|honestly|personally|generally"
    r"|usually|normally|because|since|although|though|while|whereas|then|for me|as for me"
    r"|in general"
    r"|as a rule|to be honest|by the way|yes|yeah|no|you know(?: that)?|as you know"
    r"|that['’]?s why|which is why|i must say"
    r"|i have to say|i have to admit|truth be told|as always)[,: ]\s*+)*+"
    r"(?P<topic>(?:for|in|on|when|with|at|during|as for|while|if)\s[^,]{1,60}?\s)?"
)
"""What may stand before the user in a clause about taste."""
MOMENT_EN: Final = pattern(
    r"(?:it(?! when you)|this|that|these|those|you\b|your|him|her|them|us|me|how|what|where|why|who"
    r"|both|neither|either|everything|nothing|something|someone|myself|life|people|everyone"
    r"|the (?:way|idea|fact|first|second|third|last|new|other|latter|former|one|result|look|sound"
    r"|answer|version|weather|rain|suggestion|concept|direction|vibe|energy|joke)"
    r"|my (?:job|life|boss|wife|husband|dog|cat|kids?|family|mom|dad|girlfriend|boyfriend|new)"
    r"|their|its|his|our|hers|theirs|not|being (?:able|part|here|there|with|a|an|the)"
    r"|to (?:see it|say|admit|bother|ask|be (?:that|the|a|honest)|break it|think|know|hear"
    r"|disappoint"
    r"|interrupt|complain|go home|learn more|believe|imagine)|not to (?:say|think|talk|answer"
    r"|know|comment)"
    r"|when(?! you)|if|mondays?|fridays?|saturdays?|sundays?|weekends?|summers?|winters?|spring"
    r"|autumn"
    r"|rain|snow|traffic|bugs|computers?|printers?|waiting|having to|christmas|a (?:good|nice"
    r"|rainy|sunny|lazy) \w+)\b",
    _I,
)
"""What follows a liking of the moment, or one that is no matter of taste."""
VAGUE_EN: Final = pattern(
    r"(?:it|this|that|these|those|the (?:following|same|above)|your|one|them|to|up|him|her|not"
    r"|so)\b"
    r"|.*\b(?:error|fails?|crash\w*|doesn'?t work|keeps?|and (?:it|get|got))\b",
    _I,
)
"""What is no thing that one uses or has as a favourite."""

_SIDE: Final = pattern(
    r"(?:(?<!\s)\s++)?(?:[-–—]++(?=\s)|(?<=\s)[-–—]|[(（…!?;\"]|\.\.).*"
    r"|(?:,\s++|(?<!\s)\s++)(?:because|since (?!\d)|as (?:it|they|i|he|she|we)|and (?:it|i|i'm"
    r"|i’m|they|that"
    r"|this|he"
    r"|she|we|you|my|the way|am|can|would|try|always|how|what)\b|which|so (?:i|that|we|it)|it['’]?s"
    r"|it (?:is|was|reminds|makes|helps|gives)|they['’]?re|they (?:are|make|give|help)"
    r"|even (?:if|though|when)|(?:and )?especially (?:when|if)|but)\b.*",
    _I,
)
_TAIL: Final = pattern(
    r"(?<!\s)\s++(?:so much|very much|a lot|a ton|lots|to (?:bits|death|pieces)|the (?:most|best)"
    r"|best"
    r"|more than anything|like crazy|way too much|these days|nowadays|nowadays|since \w+ \w+"
    r"|myself|you know|lol|haha|either|at all|in general|the world over)\W*\Z",
    _I,
)

# Words that point back into the talk.
_CONTEXT: Final = pattern(
    r"\b(?:it|its|it's|this|that|these|those|he|him|his|she|her|hers|they|them|their|theirs|you"
    r"|your|yours|yourself|u|ur|our|ours|us|we|there|here|one another|each other|someone|somebody"
    r"|everyone|everybody|anyone|everything|something|anything|nothing|such|same|ones|one"
    r"|themselves|myself|himself|herself|itself|i|i'm|i've|who|whose|what|how|why|where|if|not"
    r"|today|tonight|tomorrow|yesterday|last|next|ago|again|yet)\b",
    _I,
)
# "stories that matter": what comes after says which ones.
_RELATIVE: Final = pattern(r"(?<=[a-z]s) (?:that|which|who) (?=[a-z]+ )", _I)
# What is felt, thought and lived rather than chosen.
_OWNED: Final = pattern(r"\b[A-Z]\w+['’]s \w")  # somebody's
_IDLE_HEAD: Final = word_set(stored_words(__file__, "_IDLE_HEAD"))
_THE: Final = pattern(
    r"the (?:outdoors|beach|sea(?:side)?|ocean|mountains|countryside|woods|forest|desert|city|gym"
    r"|theat(?:re|er)|cinema|movies|opera|ballet|piano|guitar|violin|cello|drums|saxophone|flute"
    r"|metric system|imperial system|oxford comma|passive voice|active voice|command line|terminal"
    r"|aisle|window|colou?r (?:red|blue|green|yellow|purple|pink|orange|black|white)|train|bus"
    r"|subway|cold|heat|night shift|pomodoro\b.*|snow|arts)\b",
    _I,
)
_NO_START: Final = pattern(
    r"(?:the|some|many|every|each|another|both|all (?:the|of)|any|other|more|most|a (?:bit|few|lot"
    r"|couple|part|real|true|great|huge|big|good|nice|little) |an? (?:awesome|amazing)"
    r"|(?:be|being|been|was|am|when|because|seeing|having|getting|watching (?:the|my|people|others"
    r"|kids|how)))\b",
    _I,
)
_MINE_START: Final = pattern(r"my\b", _I)
_MINE_SO: Final = pattern(
    r"my (?:[\w'-]+ ){1,3}?(?:black|white|sweet|sweetened|unsweetened|cold|hot|warm|iced|strong"
    r"|weak|dark|light|rare|medium(?:[- ]\w+)?|well[- ]done|plain|short|long|simple|quiet|spicy"
    r"|mild|crispy|raw|early|late|dry|neat|loud|big|small|brief|concise|formal|clean|tidy|firm"
    r"|soft|blue|green|sorted|organi[sz]ed|minimal|in (?!life|town)\w+|without \w+"
    r"|with (?:milk|sugar|cream|ice|lemon|\w+ (?:milk|sugar|sauce))|on the (?:side|rocks)"
    r"|over easy|sunny[- ]side up)\b",
    _I,
)

_ING: Final = pattern(r"(?P<stem>[a-z]{2,}?)ing\Z", _I)
_NOT_ING: Final = word_set(stored_words(__file__, "_NOT_ING"))
_PASTIMES: Final = word_set(stored_words(__file__, "_PASTIMES"))
# Plain verbs are pastimes with the right object only.
_DOES: Final = pattern(
    r"(?:mak(?:e|ing)|creat(?:e|ing)|build(?:ing)?|produc(?:e"
    r"|ing)) (?:my own )?(?:[\w-]+ )?(?:music"
    r"|art|pottery|jewell?ery|bread|pasta|cocktails|candles|soap|videos|films|beats|furniture"
    r"|models|ceramics|playlists|desserts|cakes|robots|lego|websites|games|comics|wine|beer"
    r"|cheese|quilts|puzzles)\b"
    r"|do(?:ing)? (?:yoga|pilates|crosswords?|puzzles|jigsaws|sudoku|karate|judo|tai chi|crafts"
    r"|arts and crafts|calligraphy|origami|gymnastics|crossfit|pottery|magic tricks)\b"
    r"|go(?:ing)? (?:to (?:the )?(?:gym|movies|cinema|theat(?:re|er)|opera|beach|museums?|concerts"
    r"|festivals|gigs|shows|galleries|markets|flea markets)|on (?:[\w-]+ )?(?:road trips|hikes"
    r"|walks|runs|bike rides|rides|cruises)|for (?:[\w-]+ )?(?:walks|runs|hikes|swims"
    r"|rides|drives)|(?:hik|camp|fish|swimm|danc|runn|shopp|climb|ski|kayak|surf)ing)\b"
    r"|try(?:ing)? (?:out )?(?:new|different) (?:foods?|recipes|restaurants|dishes|cuisines"
    r"|cafes)\b"
    r"|learn(?:ing)? (?:new )?(?:languages|instruments|\w+ languages)\b"
    r"|spend(?:ing)? time (?:in nature|outdoors|outside|alone|at the beach|in the \w+)\b"
    r"|(?:visit|explor)(?:e|ing)? (?:new )?(?:museums|cities|galleries|countries|national parks"
    r"|art galleries|castles)\b|discover(?:ing)? new (?:music|cities|bands|books|restaurants)\b"
    r"|curl(?:ing)? up with an? (?:good )?(?:book|novel)\b"
    r"|take? (?:photos|pictures|long walks|baths)|taking (?:photos|pictures|long walks|baths)",
    _I,
)
_NO_OBJECT: Final = pattern(
    r"(?:play(?:ing)?|watch(?:ing)?|listen(?:ing)?|work(?:ing)?|train(?:ing)?|act(?:ing)?"
    r"|sleep(?:ing)?|walk(?:ing)?|rid(?:e|ing)|shar(?:e|ing))"
    r"(?:\W*\Z|\s+(?:for|around|along|together|against|on (?!my own|my \w+day|\w+days|paper|the "
    r"(?:train|piano|guitar))|with (?!headphones|music|a |an |my hands)|by(?! hand| myself)|hard"
    r"|out|people|others|kids|my|the (?!piano|guitar|violin|cello|drums|news|flute|saxophone|harp"
    r"|ukulele|organ|clarinet)))\b"
    r"|run(?:ning)? (?:my|an?|the|our)\b"
    r"|(?:work|train|study|act|sleep)(?:ing)? with\b|(?:work|act)(?:ing)? as\b",
    _I,
)
_MANNER: Final = pattern(
    r"\b(?:early|late|first|before (?!i die)|in advance|alone|on my own|by myself|in (?:the )?"
    r"(?:morning|evening|afternoon)s?|at (?:night|home|dawn)|by hand|from home|in silence|every"
    r" (?:day|morning|night|week|evening)|on (?:week\w+|\w+days)|with (?:headphones|music on)"
    r"|on paper|in batches|standing up|slowly|step by step|one (?:thing|task) at a time"
    r"|into smaller (?:parts|pieces|steps|chunks))\b",
    _I,
)
_BEING: Final = pattern(
    r"being (?:called|interrupted|rushed|micromanaged|disturbed|contacted|phoned|copied|watched"
    r"|corrected|patroni[sz]ed|touched|hugged|photographed|tracked|woken(?: up)?|lectured|ignored"
    r"|talked down to|kept waiting|put on hold|cold)\b",
    _I,
)
_TO: Final = pattern(r"to(?:\s+(?:just |really |also |always |simply )?|\Z)", _I)
_BREAK: Final = pattern(
    r"(?<!\s)\s++(?:in|on|at|for|with|without|over|to|than|rather|instead|when|while|about|from|during|by"
    r"|that|who|which|before|after|more|way|into|as|of the|every|whenever)\b",
    _I,
)
_VERBAL: Final = pattern(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|should|did|does|do|makes?|makes"
    r"|looks?|feels?|got|gets?)\b",
    _I,
)


def clean_thing(words: str) -> str:
    """Return what is liked without asides, exclamations and what follows a dash."""
    return " ".join(_TAIL.sub("", _SIDE.sub("", words, count=1)).split()).strip(_EDGES)


def points_back(words: str) -> bool:
    """Tell whether words can be understood only by who heard what was said before."""
    return _CONTEXT.search(words) is not None


def lasting_thing(words: str, *, against: bool = False, known: bool = False) -> bool:
    """Tell whether words name something that one can like or dislike for long.

    Args:
        words: what is liked, cut clean, with the "to" of a verb.
        against: it is disliked.
        known: it is one of the tools and styles that have a name.
    """
    if _MINE_START.match(words):
        return _MINE_SO.match(words) is not None or (known and not points_back(words))
    if (
        _OWNED.search(words)
        or points_back(_RELATIVE.sub(" ", words))
        or len(words.split()) > _MOST_WORDS
    ):
        return False
    if doing := _TO.match(words):
        return _pastime(words[doing.end() :])
    first = words.split()[0].lower() if words.split() else ""
    if _ING.match(first) and first not in _NOT_ING:
        return _pastime(words) or (against and _BEING.match(words) is not None)
    if _THE.match(words):
        return True
    if _NO_START.match(words):
        return known and words.lower().startswith(("a ", "an "))
    head = head_phrase(words).lower().split()
    return bool(head) and head[-1] not in _IDLE_HEAD and not _VERBAL.search(words)


def _pastime(words: str) -> bool:
    """Tell whether a verb and what comes after it are a pastime or a way of working."""
    if not words or len(words.split()) > _MOST_ING_WORDS + 2:
        return False
    if _DOES.match(words) or _MANNER.search(words):
        return True
    if _NO_OBJECT.match(words) or len(words.split()) > _MOST_ING_WORDS:
        return False
    return _stem(words.split()[0].lower().strip(",.'")) in _STEMS


def _stem(word: str) -> str:
    """Return what the forms of a verb have in common: "run" and "running" have "run"."""
    if found := _ING.match(word):
        word = found["stem"]
    word = word.rstrip("e")
    return word[:-1] if word[-2:-1] == word[-1:] and len(word) > 2 else word


_STEMS: Final = frozenset(map(_stem, _PASTIMES))


def head_phrase(words: str) -> str:
    """Return the part of a phrase that names the thing: "books" of "books about trains"."""
    found = _BREAK.search(words)
    return words[: found.start()] if found else words


def short_name(words: str) -> str:
    """Return the few words of a phrase that name the thing, to make a key of.

    What it is compared with, and where and when it is liked, are left out.
    """
    if not words.isascii():
        return words
    kept: list[str] = []
    for word in words.split():
        plain = word.lower().strip(_EDGES)
        if (plain in _COMPARED and kept) or (plain in _PLACED and len(kept) > 1):
            break
        if plain not in _PLACED and plain not in _UNTOLD:
            kept.append(plain)
        if len(kept) == _NAME_WORDS:
            break
    return " ".join(kept) or words


_NAME_WORDS: Final = 4
_COMPARED: Final = word_set("over than rather instead when while that who which because before")
_PLACED: Final = word_set(
    "in on at for with about from during by into to of without after as every"
)
_UNTOLD: Final = word_set("a an the my all some and or more way much any")
