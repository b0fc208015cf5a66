"""The forms in which somebody says in English who they are, by what comes before them.

In: nothing. Out: for the words after "I'm", "I", "I've been" and "my" the names of facts with the
patterns that tell them, the value in the group `v`; the first that fits counts.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.profile_words import (
    BUSINESS,
    CIVIL,
    ILLS,
    INSTRUMENTS,
    KIN,
    NATIONS,
    PETS,
    STATES,
    TONGUES,
)
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

_NUMBER: Final = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|no|several|a few|a couple of)"
)
_PLACE: Final = (
    r"(?P<v>(?!fear|hope|a bubble|the moment|the past|a dream|constant|denial|peace"
    r"|front|that|this|it\b|here\b|there\b)[^;]+)"
)
_MOVED: Final = (
    r"(?:moved|relocated|emigrated|immigrated) (?:\w+ |from (?-i:[A-Z])[\w ]{1,20}? )?to"
    r" (?P<v>(?-i:[A-Z])[^;]+)"
)
_FIRM: Final = r"(?-i:[A-Z])[\w&'’.-]*(?: (?-i:[A-Z])[\w&'’.-]*)*"
_CLASSES: Final = (
    r"(?:an? )?(?:[\w-]+ ){1,3}(?:class|classes|course|courses|lessons)\b(?: (?:in|on|at) [^;]+)?"
)
WHEN_AM: Final = tuple(
    (name, pattern(words, _I))
    for name, words in (
        (
            "hometown",
            r"(?:originally |from the start )?(?:born and raised|born|raised) in (?P<v>.+)",
        ),
        (
            "hometown",
            r"(?:originally )?from (?P<v>(?!the (?:future|past|team|bank)|here|there|this|that"
            r"|now|work)[^;]+)",
        ),
        (
            "time_zone",
            r"(?:in|on) (?:the )?(?P<v>(?-i:(?:UTC|GMT)(?:\s?[+-]\s?\d{1,2})?|CES?T|E[SD]T"
            r"|P[SD]?T|MST|JST|IST|BST|AEST))(?: time(?: ?zone)?)?(?=\W*\Z|[,;])",
        ),
        (
            "location",
            rf"(?:based (?:in|out of)|living in|located in|settled in|residing in) {_PLACE}",
        ),
        (
            "age",
            r"(?P<v>\d{1,3} (?:years? old|yo|y/o)\b|\w+(?:[- ]\w+)? years old|in my (?:early "
            r"|late |mid[- ])?\w+(?:ties|teens)|(?:1[5-9]|[2-9]\d)(?=\W*\Z)|(?:twenty|thirty"
            r"|forty|fifty|sixty|seventy|eighty)(?:[- ]\w+)?(?=\W*\Z))",
        ),
        ("allergy", r"(?:\w+ )?(?P<v>allergic to [^;]+)"),
        (
            "diet",
            r"(?:strictly |mostly |a strict |a )?(?P<v>vegetarian|vegan|pescatarian|teetotal"
            r"|on a [\w-]+ diet)\b",
        ),
        ("health", rf"(?:\w+ly )?(?P<v>{STATES})\b"),
        (
            "marital_status",
            r"(?:happily )?(?P<v>(?:married|engaged)(?: to [^;]+| with [^;]+)?|divorced|widowed"
            r"|single)(?=\W*\Z|\s(?:and|with|for|since|to)\b)",
        ),
        (
            "family",
            r"(?P<v>pregnant[^;]*|expecting(?: \w+)? (?:child|baby|twins)[^;]*|an only child"
            r"|the (?:oldest|eldest|youngest|middle)(?: child)?(?: of \w+[^;]*)?)(?=\W*\Z"
            r"|\s(?:and|with|for|since|to)\b)",
        ),
        (
            "role",
            r"(?P<v>(?:semi-)?retired|self[- ]employed|unemployed|between jobs|freelancing"
            r"|tenured)\b",
        ),
        (
            "nationality",
            rf"(?P<v>(?:half[- ])?{NATIONS}(?:[- ]\w+)?)(?=\W*\Z|\s(?:and|but|by|living)\b)",
        ),
        (
            "language",
            rf"(?P<v>(?:fluent|conversational|native) in {TONGUES}[^;]*"
            rf"|(?:a )?native {TONGUES} speaker|a native speaker of {TONGUES}|bilingual[^;]*"
            rf"|trilingual[^;]*)",
        ),
        ("religion", rf"(?P<v>{CIVIL})(?=\W*\Z)"),
        (
            "education",
            r"(?P<v>(?:studying|majoring in|minoring in|enrolled (?:in|at)|pursuing|doing (?:my"
            r"|an?) (?:phd|master'?s?|mba|degree|doctorate|bachelor'?s?)|in (?:my "
            r"|the )?(?:\w+ )?(?:year|semester) (?:of|at)|in (?:high school|college|university"
            r"|\w+ grade|grad school|med school|law school))\b[^;]*)",
        ),
        ("education", rf"(?P<v>taking {_CLASSES})"),
        ("role", r"working as (?P<v>an? [^;]+)"),
        (
            "employer",
            r"(?:employed (?:by|at)|working (?:at|for)) (?P<v>(?!home|night|the moment|it|this"
            r"|that|free)[^;]+)",
        ),
        (
            "team",
            r"(?:on|in|with|part of) (?P<v>(?:the|our|a) [\w&/ -]{2,30}? (?:team|department"
            r"|division|group|squad|faculty)\b[^;]*)",
        ),
        ("role", r"(?P<v>(?:responsible for|in charge of) (?!this|that|it\b)[^;]+)"),
        (
            "experience",
            r"(?:pretty |fairly |quite |completely |totally )?(?P<v>new to (?!this|that|it\b|here"
            r"|you)[^;]+)",
        ),
        (
            "height",
            r"(?:about |around |roughly |nearly )?(?P<v>\d(?:\.\d+|\d+)? ?(?:cm|m|feet|foot|ft"
            r"|['’])[^;]{0,12}?(?: tall)?)(?=\W*\Z)",
        ),
    )
)
WHEN_I: Final = tuple(
    (name, pattern(words, _I))
    for name, words in (
        (
            "location",
            rf"(?:live|reside|(?:have )?settled|stay permanently) (?:in|near|on|at|by|outside"
            rf"|just outside|close to|around) {_PLACE}",
        ),
        ("household", r"live (?P<v>alone|by myself|on my own|with (?:my|two|three|a|an) [^;]+)"),
        (
            "location",
            _MOVED,
        ),
        (
            "hometown",
            r"(?:come from|hail from|grew up (?:in|on|near)|was raised in"
            r"|was born and raised in) (?P<v>(?!nothing|nowhere|a long)[^;]+)",
        ),
        (
            "birthday",
            r"was born (?:on |in )?(?P<v>(?:on |in )?(?:\w+ )?(?:\d|january|february|march|april"
            r"|may\b|june|july|august|september|october|november|december)[^;]*)",
        ),
        ("hometown", r"was born in (?P<v>[^;]+)"),
        (
            "role",
            r"(?:work|worked|serve|freelance|volunteer|moonlight) as (?P<v>an? [^;]+|the [^;]+)",
        ),
        (
            "employer",
            r"work (?:at|for|over at) (?P<v>(?!night|home\b|least|noon|weekends?|free\b"
            r"|hours|money|this|that|it\b|\d|you|them|him|her|me\b|the best|people|what)[^;]+)",
        ),
        (
            "employer",
            rf"(?:just |recently )?(?:joined (?={_FIRM} as an? )|started (?:working|(?:an? |my )"
            rf"(?:new )?job) (?:at|for|with) |was hired (?:by|at) |(?:got|found|took) an? "
            rf"(?:new )?job (?:at|with) )(?P<v>{_FIRM}(?: as an? [^;]+)?)",
        ),
        ("team", r"work (?P<v>on the [\w ]+ (?:team|project|side)\b[^;]*)"),
        (
            "work_mode",
            r"work (?P<v>(?:\w+ )?(?:remotely|part[- ]time|full[- ]time"
            r"|(?:night |day |early |late )?shifts?|nights|days|weekends|from home"
            r"|in (?:an? |the )?office|on[- ]?site|hybrid|flexible hours)\b[^;]*)",
        ),
        (
            "role",
            r"work (?P<v>in (?!the (?:morning|afternoon|evening|dark|garden|office)|mornings"
            r"|silence|bed|paj|a hurry|batches|this|that|python|rust|java|my\b|vim|tabs"
            r"|english)[^;]+)",
        ),
        (
            "family",
            rf"(?:have|['’]ve got|have got|got) (?P<v>{_NUMBER} (?:[\w-]+ ){{0,3}}?{KIN}\b[^;]*)",
        ),
        (
            "pet",
            rf"(?:have|own|['’]ve got|have got|keep|adopted) (?P<v>(?:{_NUMBER}|another"
            rf"|my) (?:[\w-]+ ){{0,3}}?{PETS}\b[^;]*)",
        ),
        (
            "health",
            rf"(?:have|suffer from|live with|was (?:recently )?diagnosed with|['’]ve got"
            rf"|struggle with) (?P<v>(?:an? |mild |severe |bad |chronic )*{ILLS}\b[^;]*)",
        ),
        (
            "health",
            r"(?P<v>(?:use|rely on) a (?:wheelchair|hearing aid|cane|walker|screen reader"
            r"|cpap)[^;]*|wear (?:glasses|contact lenses|contacts|a hearing aid"
            r"|hearing aids)[^;]*)",
        ),
        (
            "diet",
            r"(?P<v>(?:can['’]?t|cannot|can not|must not|am not allowed to) (?:eat|have|drink"
            r"|tolerate|digest) (?!any ?more|it\b|this|that|enough|another|a thing|wait)[^;]+)",
        ),
        (
            "education",
            r"(?:have|hold|earned|got|received|completed|['’]ve got|am doing"
            r"|am finishing) (?P<v>(?:an?|my|two|the) (?:[\w'’-]+ ){0,2}?(?:ph\.?d|doctorate"
            r"|master['’]?s?|bachelor['’]?s?|mba|degree|diploma|b\.?sc|m\.?sc|b\.?a\b|m\.?a\b"
            r"|jd\b|md\b|certification|certificate|license|licence)[^;]*)",
        ),
        (
            "education",
            r"(?P<v>(?:(?:study|studied|major(?:ed)? in|minor(?:ed)? in) (?!this|that|it\b|all"
            r"|for|hard|late|the|your|at night)|graduated (?:from|in|with|as|at|summa|magna|cum"
            r"|college|high"
            r"|university|top)\b|did my (?:ph\.?d|undergrad\w*"
            r"|master['’]?s?|degree|bachelor['’]?s?)|went to (?:college|university|school"
            r"|law school|med school)|attend(?:ed)? (?:(?=(?:[\w'’&-]+ ){0,5}(?:university"
            r"|college|school|institute"
            r"|academy|polytechnic|seminary|conservator(?:y|ium))\b)|(?-i:MIT|NYU|UCLA|Stanford"
            r"|Harvard|Yale|Oxford|Cambridge|Princeton|ETH)\b)|dropped out of)[^;]+)",
        ),
        (
            "language",
            rf"(?:can )?speak (?P<v>(?:fluent |a little |a bit of |some |only |both "
            rf"|native )*{TONGUES}\b[^;]*)",
        ),
        (
            "experience",
            r"have (?P<v>(?:over |about |around |almost |nearly |more than "
            r"|roughly )?[\w-]+\+? years?['’]? (?:of )?(?:[\w-]+ ){0,2}?(?:experience|background"
            r"|practice)\b[^;]*|(?:no|little|some|a lot of|extensive"
            r"|zero) (?:[\w-]+ ){0,2}?experience (?:with|in) [^;]+|a background in [^;]+)",
        ),
        (
            "business",
            rf"(?:(?:co-?)?own|run|manage|lead|head|(?:co-?)?founded|started|operate"
            rf"|head up) (?P<v>(?:an?|my own|the|our|two|three"
            rf"|several) (?:[\w&'’-]+ ){{0,6}}?{BUSINESS}s?\b[^;]*)",
        ),
        (
            "role",
            r"(?P<v>(?:maintain|moderate|edit|coach) (?:an?|the) [^;]+|teach(?: [\w ]+)? (?:at|in"
            r"|to|for) [^;]+|teach (?!you|them|him|her|me|myself|this|that)[\w ]+"
            r"|practi[cs]e (?:law|medicine|dentistry|psychiatry)[^;]*|[\w ]+ for a living)",
        ),
        (
            "role",
            r"(?:make|earn) (?:my|a) living (?:as|by|from|with|through|in) (?P<v>(?!this"
            r"|that)[^;]+)",
        ),
        ("role", r"(?:am |was )?(?:originally )?train(?:ed)? as (?P<v>an? [^;]+)"),
        ("role", r"(?P<v>do (?!not )[\w /&-]{3,40}? (?:at|for) (?-i:[A-Z])[^;]+)"),
        (
            "hobby",
            rf"(?P<v>play (?:the )?{INSTRUMENTS}\b[^;]*|sing in a [^;]+|collect (?!data|the|my"
            rf"|this|it)\w+[^;]*)",
        ),
        (
            "vehicle",
            r"(?P<v>drive an? (?!little|bit|hard)[^;]+|own an? (?:[\w-]+ ){0,3}?(?:car|house|flat"
            r"|apartment|boat|motorbike|motorcycle|bike|van|truck|tesla|condo|cottage)\b[^;]*)",
        ),
        (
            "age",
            r"(?:just |recently )?(?P<v>(?:turned|turn|will turn) (?:\d\d|\w+ty(?:-\w+)?|eighteen"
            r"|twenty)\b(?! (?!today|yesterday|last|this|next|on|in|years?|and|soon|so|recently)\w)"
            r"[^;]*)",
        ),
        ("weight", r"(?P<v>weigh \d+[^;]*)"),
        ("name", r"go by (?P<v>(?-i:[A-Z])[\w' -]*)"),
        (
            "volunteering",
            r"(?:(?:started|began) )?(?P<v>volunteer(?:ing)? (?:at|for|with) (?:an?|the|our)\b"
            r"[^;]+)",
        ),
        (
            "experience",
            r"(?P<v>(?:started|began) (?!thinking|feeling|wondering|noticing|seeing|having|getting"
            r"|using th)\w+ing\b[^;]{0,60}? (?:[\w-]+ years ago|as a (?:kid|child|teen\w*)"
            r"|when i was (?:\w+ ){0,3}\w+|in (?:19|20)\d\d))\b",
        ),
        ("role", r"(?P<v>retired (?:in|from|last|\w+ years ago)[^;]*)"),
    )
)
WHEN_BEEN: Final = tuple(
    (name, pattern(words, _I))
    for name, words in (
        ("location", rf"(?:living|lived|based) (?:in|near|on|at) {_PLACE}"),
        ("location", _MOVED),
        ("role", r"(?:working|worked) as (?P<v>an? [^;]+)"),
        (
            "employer",
            r"(?:working|worked|employed) (?:at|for|with|by) (?P<v>(?!hours|ages|days|weeks|\d"
            r"|two|three|this|it\b|a while)[^;]+(?:for|since)\b[^;]*)",
        ),
        (
            "employer",
            r"(?:at|with) (?P<v>(?:(?-i:[A-Z])|the |a )[^;]*? (?:for [\w ]+ (?:years?|decades?)"
            r"|since \d{4})[^;]*)",
        ),
        (
            "marital_status",
            r"(?P<v>(?:happily )?(?:married|divorced|single|widowed|engaged) (?:for|since) [^;]+)",
        ),
        ("diet", r"(?P<v>(?:a )?(?:vegetarian|vegan|pescatarian)\b[^;]*)"),
        ("health", rf"(?P<v>(?:diagnosed with [^;]+|{STATES})(?:\s(?:for|since)[^;]*)?)"),
        (
            "experience",
            r"(?P<v>(?:coding|programming|teaching|playing|writing|developing|studying"
            r"|practi[cs]ing|learning|designing|managing|running|driving|working|doing|building"
            r"|in|taught|worked|played|coded)\b[^;]*?\b(?:for (?:[\w-]+ ){1,4}?(?:years?"
            r"|decades?)|since (?:i was|\d{4}|college|school|childhood|university|high school"
            r"|\w+ \d{4}))\b[^;]*)",
        ),
        ("volunteering", r"(?P<v>volunteering (?:at|for|with) (?:an?|the|our)\b[^;]+)"),
        ("education", rf"(?P<v>taking {_CLASSES})"),
        ("family", rf"got (?P<v>{_NUMBER} (?:[\w-]+ ){{0,3}}?{KIN}\b[^;]*)"),
        ("pet", rf"got (?P<v>{_NUMBER} (?:[\w-]+ ){{0,3}}?{PETS}\b[^;]*)"),
    )
)
_MINE: Final = (
    (
        "name",
        r"(?:full |first |last |middle |given |english |chinese |real |family |legal |sur)?name"
        r"|surname|nickname|maiden name",
    ),
    (
        "role",
        r"job title|(?:current |official )?(?:role|position|profession|occupation|title|day job"
        r"|job|career|line of work)",
    ),
    ("employer", r"employer|current employer"),
    ("hometown", r"home ?town|birthplace|home country|home state"),
    ("location", r"(?:current )?location|home base|city|country of residence"),
    ("time_zone", r"(?:current |home |local )?time ?zone"),
    ("language", r"(?:native|first|second|mother) (?:language|tongue)|mother tongue"),
    ("birthday", r"birthday|birthdate|date of birth"),
    ("age", r"age"),
    (
        "education",
        r"(?:university |college |undergrad(?:uate)? )?(?:major|minor|degree|alma mater"
        r"|field of study|background)",
    ),
    ("nationality", r"nationality|citizenship|ethnicity"),
    ("pronouns", r"pronouns"),
    ("blood_type", r"blood type|blood group"),
    ("height", r"height"),
    ("weight", r"weight"),
    ("shoe_size", r"shoe size"),
    ("size", r"clothing size|shirt size|ring size"),
    ("hobby", r"(?:main |biggest |favou?rite )?hobb(?:y|ies)"),
    ("religion", r"religion|faith"),
    ("trait", r"star sign|zodiac sign|personality type|mbti(?: type)?"),
)
MY_IS: Final = tuple(
    (
        name,
        pattern(
            rf"(?:{words})(?:['’]s| is| are| was)(?: actually| now| currently)? (?:called |on "
            rf"|in )?(?P<v>[^;]+)",
            _I,
        ),
    )
    for name, words in _MINE
)
