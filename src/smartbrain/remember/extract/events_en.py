"""What happens in English: who it happens to and which verbs and nouns tell it (C6).

In: a part of a sentence. Out: what kind of event its main verb tells of, and where the words that
name the event begin. Only what stands at the head of the part counts: an event in a side clause
("the boots I wore to the party") is not what is told.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE

_UNITS: Final = r"(?:minutes?|hours?|days?|weeks?|weekends?|months?|years?|nights?|mornings?)"
_TIME_WORD: Final = (
    r"(?:on|in|at|by|around|about|early|late|earlier|back|yesterday|today|tonight|tomorrow|just|of"
    r"|(?:this|last|next|past|the other|the day|the next|the last|the first|the previous|that)"
    r"(?= (?:early |late )?(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct"
    rf"|nov|dec|{_UNITS}|afternoon|evening|before|after|spring|summer|autumn|fall|winter"
    r"|christmas|easter))"
    rf"|(?:an?|two|three|four|five|six|\d+) (?:(?:few|couple of|couple) )?{_UNITS}|ago"
    rf"|{_UNITS}|afternoon|evening|noon|midnight|before|after|spring|summer|autumn|fall|winter"
    r"|christmas|easter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|\d[\d:./-]*(?:st|nd|rd|th|am|pm)?|am|pm)"
)
_FILLER: Final = (
    r"(?:and|but|so|also|then|well|oh|hey|hi|wow|anyway|fyi|btw|by the way|update|news|good news"
    r"|i (?:just )?want(?:ed)? to (?:tell|let) (?:you|ya)(?: know)?(?: that)?(?= (?:i|we|my"
    r"|our)\b)|bad news|guess what|reminder|heads up|ok|okay|yes|yeah|no|finally|unfortunately"
    r"|luckily"
    r"|actually|honestly|sadly|recently|lately|happily|thankfully|just to let you know"
    r"|just so you know|quick update|for the record|in fact|i[’']m (?:so |really |very )?(?:glad"
    r"|happy|proud|excited|thrilled|pleased|sad|sorry|relieved)(?: to (?:say|report|announce))?"
    r"(?: that)?|i think i mentioned(?: that)?|(?:as )?i (?:already )?(?:mentioned|said|told you)"
    r"(?: that)?|a lot[’']s happened)"
)
_LEAD: Final = pattern(rf"\W*+(?:(?:{_FILLER}|{_TIME_WORD})(?![\w'’])[\s,:.!]*+)*+", _I)

NOUN: Final = (
    r"(?:meet-?ups?|meeting|kick-?off|review|demo|launch|release|conference|workshop|wedding"
    r"|funeral|exams?|interview|appointment|surgery|operation|flight|train|trip|concert|inspection"
    r"|audit|ceremony|graduation|defen[cs]e|play|recital|party|anniversary|outage|incident"
    r"|migration|deployment|webinar|hackathon|retro(?:spective)?|training|go-live|visit|hearing"
    r"|trial|opening|checkup|check-up|presentation|talk|keynote|seminar|off-?site|retreat|summit"
    r"|open day|shoot|final|finals|parents'? evening|viewing|delivery|maintenance(?: window)?"
    r"|cutover|premiere|exhibition|exhibit|fair|marathon|race|tournament|match|festival|gala"
    r"|consultation|scan|mri|biopsy|vaccination|election|all-hands|town hall|session|gig|rehearsal"
    r"|reunion|housewarming|baby shower|ultrasound|sprint review|planning|baptism|christening"
    r"|announcement|expo|course|test|moving day|house move|first day|last day|closing|drill"
    r"|evacuation|lecture|service|mass|parade|protest|rally|strike|fundraiser|auction|competition"
    r"|contest|game|screening|tour|cruise|safari|road trip|camping trip|hike|5k|10k|event|vigil"
    r"|performance|show|ball|prom|picnic|barbecue|bbq|potluck|sleepover|bootcamp|camp|orientation"
    r"|dinner party|convention|audition|support group|vacation|getaway|book signing|tasting"
    r"|fire drill|fitting|cleaning|root canal|filling|x-ray"
    r"|(?:dinner|lunch|brunch|coffee|drinks|call|stand-?up|breakfast) with (?!an? (?:old )?friend"
    r"|friends|some |my friends?)[A-Za-z][\w ]*"
    r"|(?:school|parent-teacher|opening|game|quiz|open) (?:night|evening|day))"
)
"""What takes place at a time that is fixed for it."""

NONE_HELD: Final = sign(
    r"(?<![a-z])(?:no|zero)(?: (?!(?:during|for|at|in|on|before|after|with|from)\b)[\w-]+){0,2}"
    rf" {NOUN}s?(?![a-z])",
    _I,
)
"""What says that there was nothing of the kind, or will be none."""
_WORD: Final = r"[\w'’.&/+#-]+"
_NO_NOUN: Final = (
    r"(?!(?:i|we|you|he|she|it|they|that|which|who|whom|when|where|while|if|because|is|was|are"
    r"|were|am|be|been|being|do|does|did|have|has|had|will|would|can|could|should|to|me|them|him"
    r"|us|so|during|i[’']\w+|it[’']s|we[’']\w+|just|also)(?![\w]))"
)
_THEIRS: Final = (
    r"(?P<them>(?:(?:(?:one|two|three|four|five|six|some|several|all|most|half|\d+) of )?"
    r"(?P<det>my|our|the|one of (?:my|our|the))\s(?!(?:last|next|other|whole thing|thing|rest)\s)"
    rf"(?:{_NO_NOUN}{_WORD}\s){{1,7}}?|(?:version )?v?\d+(?:\.\d+)+\s|production\s|prod\s"
    r"|staging\s|(?:grandma|grandpa|granny|mom|mum|dad)\s|(?:someone|somebody|thieves|burglars"
    r"|hackers)\s|(?-i:[A-Z])[\w-]+ and"
    r" (?-i:[A-Z])[\w-]+\s))"
)
_WE: Final = (
    r"(?P<we>(?:i|we|both of us|(?:all|two|three) of us|my [\w'’-]+(?: [\w'’-]+)? and i"
    r"|(?:some|a few|two|three) (?:of my )?friends(?: from \w+)? and i"
    r"|(?-i:[A-Z])[\w-]+ and i|me and [\w'’-]+))(?:[’'](?:ve|d|m|re|ll)|(?= ))(?: |\Z)"
)
_ADVERB: Final = (
    r"(?:(?:have|has|had|just|finally|officially|successfully|also|both|all|then|accidentally"
    r"|formally|unexpectedly|completely|suddenly|already|recently|even|actually|happily|sadly"
    r"|only|really|did|yesterday|today|proudly|quietly) ){0,4}"
)
_A: Final = r"(?:an?|the|my|our|another|that|this|his|her|their|two|three|[\w-]+[’']s?)\s"
_RELEASE: Final = (
    r"(?:(?:was|were|got|been|is|are) )?(?:released|shipped|launched|deployed|rolled (?:out|back)"
    r"|published|unveiled|open-sourced|merged|migrated|cut over|upgraded|went live|gone live"
    r"|pushed (?=[\w. ]{1,30} (?:to prod|live)))(?![A-Za-z])|(?:is live|went live|goes live"
    r"|(?<=release )(?:went out|is out)|(?<=\d )(?:went out|is out)|(?<=update )(?:went out"
    r"|is out))"
    r"(?![A-Za-z])"
)
_HARM: Final = (
    r"(?:rear-ended|mugged|robbed|hacked|scammed|injured|attacked|pickpocketed|stung|bitten"
    r"|arrested|fined|towed|evicted|burgled|stolen|hit by|run over|knocked (?:down|over)"
    r"|laid off|fired|broken into|stranded|locked out|vandali[sz]ed)"
)
_MISHAP: Final = (
    r"(?:outage|incident|breach|accident|failure|leak|fire(?! drill)|flood|crash|data loss|break-in"
    r"|power cut|blackout|burglary|robbery|landslide|earthquake|storm damage)"
)
_INCIDENT: Final = (
    rf"(?:(?:was|were|is|got|went|been) (?:completely |totally |partially |badly )?"
    r"(?:down|offline|unreachable|unavailable|breached|compromised|flooded|damaged|destroyed"
    rf"|{_HARM})|crashed|burst|leaked|broke down|broke(?= (?:into|in)\b)|got stuck|stopped working"
    r"|was cut|ran out of|overheated|shut down|blew up|fell over|caught fire|lost power|flooded"
    r"|went dark|failed over|exploded|collapsed|smashed|stole|broke)(?![A-Za-z])"
    rf"|(?:had|suffered) an? (?:[\w-]+ ){{0,3}}{_MISHAP}(?![A-Za-z])"
)
_MILESTONE: Final = (
    r"(?:(?:was|were|got|been) (?:accepted|approved|promoted|hired|awarded|funded|certified"
    r"|acquired|featured|nominated|elected|granted|signed|sold|rejected|shortlisted|selected)"
    r"|hit (?:[$€£]?\d|our|the|my|a|one|ten|\w+ (?:thousand|hundred|million|users))"
    r"|reached (?:[$€£]?\d|our|the|my|a|one|ten|\w+ (?:thousand|hundred|million))"
    r"|crossed [\w,.]+ |passed (?:my|the|our|[\d,.]+)|met our (?:[\w-]+ )?(?:goal|target)"
    r"|signed (?!up |in |off |out )(?:an?|the|our|with|on)|signed up for|enrolled (?:in|at)"
    r"|closed (?:an?|the|our)|raised (?:an?|our|[$€£\d])|won (?:an?|the|our|first|second|another"
    r"|my|\d)|lost (?:the|our|an?) (?:[\w-]+ ){0,2}(?:account|client|customer|contract|deal|case"
    r"|bid"
    r"|game|match|election|tender)|celebrated|secured (?:an?|the|our)|opened (?:an?|the|our)"
    r"|founded|incorporated"
    r"|joined (?:the|our|an?|(?-i:[A-Z]))|hired (?:an?|(?-i:[A-Z]))|onboarded (?-i:[A-Z])"
    r"|built (?:an?|my|our) (?:[\w-]+ ){0,3}(?:website|site|app|platform|prototype|house|deck|shed)"
    r"|kicked off|received (?:an?|the|our|my) (?:[\w-]+ ){0,3}(?:award|grant|offer|certificate"
    r"|approval|permit|visa|scholarship|diagnosis|results?)|left (?:the|our) (?:company|team|firm)"
    r"|announced|visited|gave (?:an?|my|our|the) (?:[\w-]+ ){0,3}(?:talk|keynote|presentation"
    r"|notice|demo|speech|lecture)|(?:completed|finished) (?:our|the|my"
    r"|an?)(?= (?:[\w'’-]+ ){0,3}(?:first|degree|course|program|thesis|marathon|training|masters?"
    r"|phd|certificat\w+|bootcamp|renovation|move|migration|merger|treatment|chemo\w*|internship"
    r"|apprenticeship|rollout)\b)"
    r"|ran (?:my|our|the|an?) (?:[\w-]+ ){0,3}(?:marathon|race|10k|5k|workshop)"
    r"|scored (?:\d|my|the winning|an? (?:[\w-]+ )?(?:goal|hat-trick|century|touchdown))"
    r"|presented|defended|submitted (?:the|our|my)"
    r"|met (?:with )?(?:the|our|my (?:new|first|future)|(?-i:[A-Z]))|interviewed (?!me|us)"
    r"|held (?:an?|the|our)"
    r"|hosted (?:an?|the|our)|volunteered at|performed (?:at|in)|donated|inspected|arrived"
    r"|came (?:by|over|round|to)|stopped by|dropped by|(?:got back|returned) from(?! (?:the |my "
    r"|a )?(?:[\w-]+ )?(?:mall|gym|store|shops?|work"
    r"|office|school|event|break|walk|run|supermarket|market|park)\b)"
    r"|got (?:my|a|the|our) (?:[\w-]+ )?(?:shot|vaccine|jab|booster|tattoo|braces|cast|results"
    r"|test results|diagnosis|offer|permit|visa|keys))(?![a-z])"
)
_PERSONAL: Final = (
    r"(?:took (?:an?|my|our) (?:[\w-]+ ){0,3}(?:trip|vacation|cruise|tour)"
    r"|(?:went|took (?:my|the|our) [\w'’]+) (?:camping|skiing|backpacking|sailing|on vacation"
    r"|on holiday)|left for (?:my|our|an?) (?:[\w-]+ ){0,2}(?:trip|vacation|honeymoon|holiday)"
    r"|(?:got|get|are getting|is getting) (?:married|engaged|divorced|my [\w' ]+ (?:license"
    r"|licence|degree|visa|keys))|(?:was|were) born|gave birth"
    r"|moved (?:to|into|in|out|house|from)|graduated"
    r"|had (?:my|an?|the|her|his|our) (?:[\w-]+ ){0,3}(?:surgery|operation|baby|accident"
    r"|miscarriage|stroke|heart attack|scan|exam|interview|wisdom teeth|knee|checkup)"
    r"|passed away|died|adopted (?:an?|this|our)"
    r"|bought (?:an?|our|my) (?:[\w-]+ ){0,3}(?:house|flat|apartment|car|home|boat)|sold (?:the"
    r"|our|my)|took (?:my|his|her) (?:first|last|exam|final|test)"
    r"|(?:re)?took (?:my|the|an?) (?:[\w-]+ ){0,2}(?:exam|test)"
    r"|gave (?:my"
    r"|two) (?:[\w'’]+ ){0,2}notice|quit (?:my|her|his)|resigned"
    r"|started (?:my|an?|at|the) (?:new )?(?:job|school|university|position)"
    r"|retired|(?:was|were|got|been) (?:admitted|hospitali[sz]ed|discharged|diagnosed)|turned \d+"
    r"|flew to|landed in|broke (?:my|her|his)|fractured|proposed|became (?:an?)"
    r"|lost (?:my|our|her|his) (?:job|dog|cat))(?![A-Za-z])"
)
_LIGHT: Final = (
    r"(?:(?:had (?:an? |the )?(?:really )?(?:great|good|nice|amazing|wonderful|lovely|fantastic|fun"
    r"|blast|awesome|best)(?: time)? at|have|had|(?<=ve )got|having|will have|be having|am having"
    r"|are having|going to|went to"
    r"|am going to|are going to|attend|attended|attending|am attending|are attending|take part in"
    r"|took part in|participated in|be attending|flying|seeing|(?:am |are )?(?:getting ready"
    r"|preparing"
    r"|rehearsing) for|(?:went|am going|are going|going) on|took (?:my|the"
    r"|our) (?:[\w'’]+ ){1,2}to) )"
)
_HOLD: Final = (
    r"(?:(?:be )?(?:hosting|holding|giving|organi[sz]ing|leading|teaching|speaking at"
    r"|putting (?:together|on)) )"
)
_MEETING_WE: Final = (
    rf"(?P<light>{_LIGHT}(?:to )?(?!(?:an? (?:few|lot|couple)|two more)\b){_A})"
    r"(?!(?:[\w-]+ )?(?:time|blast|chance|fun|look|feeling) )"
    rf"(?:{_NO_NOUN}{_WORD} ){{0,6}}?{NOUN}(?![A-Za-z])"
    rf"|(?:am |are |will )?{_HOLD}{_A}(?:{_NO_NOUN}{_WORD} ){{0,5}}?{NOUN}(?![A-Za-z])"
    r"|(?P<ate>had )(?:dinner|lunch|drinks|coffee|brunch|breakfast) with (?-i:[A-Z])"
    r"|(?:am |are |will be |be )?(?:flying|travell?ing to|moving (?:to|into|out|house)"
    r"|getting (?:married|engaged)|meeting(?: with)?|launching|releasing|shipping|deploying"
    r"|going live|presenting|defending|interviewing|visiting|starting (?:at|my|an?|the)"
    r"|having (?:surgery|a baby|an operation)|having my [\w ]+ (?:removed|out)"
    r"|leaving for|opening (?:an?|our|the)|seeing (?:the|my|an?) (?:[\w-]+ )?(?:\w+ist|doctor"
    r"|lawyer|surgeon|specialist|gp|vet|consultant|midwife))(?![A-Za-z])"
    r"|(?:fly|leave|meet|launch|go live|depart|move|start) (?:to|for|on|with|out|in|at"
    r"|next|this|tomorrow|my (?:new )?(?:job|position))(?![A-Za-z])"
)


def _kinds(**kinds: str) -> str:
    return "(?:" + "|".join(f"(?P<{kind}>{forms})" for kind, forms in kinds.items()) + ")"


_OF_US: Final = sign(
    _WE
    + _ADVERB
    + _kinds(
        incident=_INCIDENT,
        release=_RELEASE,
        personal=_PERSONAL,
        milestone=_MILESTONE,
        meeting=_MEETING_WE,
    ),
    _I,
)
_OF_OURS: Final = sign(
    _THEIRS
    + _ADVERB
    + _kinds(
        incident=_INCIDENT,
        release=_RELEASE,
        personal=_PERSONAL,
        milestone=_MILESTONE,
        other=r"(?:(?:was|were|got|been) (?!so|too|really|very|tired|packed|closed|bored|delayed"
        r"|annoyed|supposed|used|excited|scared)(?:[a-z]{2,}ed|found|built|sold|sent|lost|shut)"
        r"|arrives?|lands?|returns?|moves?|flies|flew|leaves?|left|won|came|lost|began|fell|opened"
        r"|reopened|closed down|stepped down|resigned|had (?:puppies|kittens|twins|a baby)|hatched"
        r"|brought in|raised|ended|expired|merged|split up|broke up|failed|sank|derailed)"
        r"(?![A-Za-z])",
    ),
    _I,
)
_OUT: Final = pattern(
    r"(?P<them>(?P<det>the|our|my) (?:[\w-]+ )?(?:power|lights?|electricity|internet|heating"
    r"|network|alarm|signal)) (?P<incident>went (?:out|off|down)|was cut)(?![A-Za-z])",
    _I,
)
_THERE: Final = pattern(
    rf"there(?:[’']s| is| was| will be|[’']ll be) (?:an?|the|another) "
    rf"(?:(?P<incident>(?:[\w-]+ ){{0,3}}{_MISHAP})|(?P<meeting>(?:{_WORD} ){{0,5}}?{NOUN}))"
    r"(?![A-Za-z])",
    _I,
)
_SUBJECTLESS: Final = pattern(
    rf"(?P<incident>got {_HARM})(?![A-Za-z])"
    r"|(?P<milestone>got (?:accepted|promoted|approved|hired|the job|the offer)|passed (?:my|the)"
    r"|won (?:the|a|an|first) |signed the )(?![a-z])"
    r"|(?P<personal>(?:just )?lost my job|took an? (?:[\w-]+ ){0,2}trip"
    r"|had an? (?:[\w-]+ )?(?:audition|interview|exam|surgery))"
    r"(?![a-z])|(?P<release>(?:released|shipped|launched|deployed) )",
    _I,
)
_FORMS: Final = (_OF_US, _OF_OURS, _OUT, _THERE, _SUBJECTLESS)
_BARE: Final = pattern(
    rf"(?:(?:the|my|our|an?) )?(?:(?!(?:for|about|of|at|to|with|from|by|in|on|than|as|like|and|or"
    rf"|great|good|nice|this|next|every|no)\b){_NO_NOUN}(?![A-Za-z]+ing\b){_WORD} ){{0,4}}?{NOUN}"
    rf"(?: (?:with|for|at|of|in|to|about|and) {_WORD}(?: {_WORD}){{0,5}})?[\s.!]*\Z",
    _I,
)
FIXED: Final = pattern(
    r"(?<![A-Za-z])(?:is|are|was|were|will be|[’']s|has been|have been|got|gets|is being)"
    r"(?: now| currently| officially| already| tentatively)?"
    r"(?: (?:scheduled|set|planned|booked|moved|held|fixed|slated|confirmed|pencilled in|postponed"
    r"|rescheduled|pushed|delayed|shifted|brought forward|coming up|happening)"
    r"(?: up| back| out| again)?(?: an?(?: \w+)? (?:day|week),?| \w+ (?:days|weeks),?)?)?"
    r"(?: for| on| at| to| until| till| in| from)?\s*\Z"
    r"|(?<![A-Za-z])(?:(?:will )?takes? place|took place|happens|happened|starts?|begins|began"
    r"|started|leaves|departs|lands|arrives|opens|kicks off|kicked off|runs|goes live|went live"
    r"|launches|ships|lifts off|boards|kicks off|will (?:start|begin|be held|happen))"
    r"(?: [a-z]+ (?-i:[A-Z])[\w-]+)?(?: on| at| in| from)?\s*\Z"
    r"|(?<![A-Za-z])(?:has )?(?:moved|slipped)(?: back| again)? to\s*\Z",
    _I,
)
"""What stands between something and the time that is fixed for it."""
_MOVED_BY: Final = pattern(
    r"(?:(?:i|we|they|he|she|(?-i:[A-Z])\w+)(?:['’]ve|['’]s| have| has| had)?"
    r"(?: just| already)? )?"
    r"(?:moved|rescheduled|postponed|pushed|shifted|delayed)(?: back| up)? "
    rf"(?P<it>(?:the|our|my) (?:{_WORD} ){{0,4}}?{NOUN}(?: {_WORD}){{0,4}}?)(?: back| up)? "
    r"(?:to|until|till)\s*\Z",
    _I,
)
_OVER: Final = pattern(
    r"(?<![A-Za-z])(?:was|were|got|took|happened|began|started|kicked|went)(?![A-Za-z])", _I
)
_SUBJECT: Final = pattern(
    rf"(?:(?:and|that|because)\s)?(?P<det>(?:the|my|our|an?|his|her)\s)?"
    rf"(?:{_NO_NOUN}{_WORD}+\s*+){{1,9}}\Z",
    _I,
)
_HAS_NOUN: Final = sign(rf"(?<![A-Za-z]){NOUN}(?![A-Za-z])", _I)
_SHORT: Final = 90
_STANDING: Final = pattern(
    r"(?<![a-z])(?:deadline|due date)(?: (?:for|of|to) .*)?\Z"
    r"|(?<![a-z])(?:birthday|fiscal year|semester|shop|store|office hours"
    r"|contract|lease|licen[sc]e|warranty|subscription|password|code|number|default|version"
    r"|shift|school|class|gym|rent|salary|payday|holiday|goal|target|plan|window|slot|hours|time"
    r"|rotation|day|cycle|year|price|something|thing|things|stuff|today|tomorrow|yesterday)\Z",
    _I,
)
_VERSION: Final = pattern(r"(?:[\w-]+ )?(?:version )?v?\d+(?:\.\d+)+\Z", _I)
_IS_RELEASE: Final = pattern(
    r"(?:launch|release|go-live|deployment|cutover|migration|rollout)(?: date)?\Z"
    r"|(?:^|\s)v?\d+(?:\.\d+)+\Z",
    _I,
)
_NEW: Final = pattern(r"(?<![a-z])(?:new|first|second|third) ", _I)


_KINDS: Final = ("incident", "release", "personal", "milestone", "meeting", "other")


class Happening(NamedTuple):
    """An event in a part of a sentence: its kind and where the words that name it begin."""

    kind: str
    start: int


def happening(part: str) -> Happening | None:
    """Return the event that the main verb of a part tells of."""
    lead = _LEAD.match(part)
    start = lead.end() if lead else 0
    for form in _FORMS:
        found = form.match(part, start)
        if found:
            groups = found.groupdict()
            kind = next(name for name in _KINDS if groups.get(name))
            named = found.end("det") + 1 if groups.get("det") else start
            light = groups.get("light") or groups.get("ate") or ""
            own = named if groups.get("them") else found.start(kind) + len(light)
            return Happening(kind, own)
    return None


def may_announce(text: str) -> bool:
    """Tell, at little cost, whether a text may be nothing but a name and its time."""
    return len(text) <= _SHORT and _HAS_NOUN.search(text) is not None


def names_event(text: str) -> bool:
    """Tell whether words name something that takes place at a time that is fixed for it."""
    return _HAS_NOUN.search(text) is not None


def announced(part: str) -> int | None:
    """Return where the name begins in a part that is nothing but a name: "Board meeting"."""
    lead = _LEAD.match(part)
    start = lead.end() if lead else 0
    return start if _BARE.match(part, start) else None


def fixed(before: str) -> Happening | None:
    """Return what has its time fixed right after these words, and where its name begins."""
    lead = _LEAD.match(before)
    if by := _MOVED_BY.match(before, lead.end() if lead else 0) or _MOVED_BY.match(before):
        kind = "release" if _IS_RELEASE.search(by["it"]) else "meeting"
        return Happening(kind, by.start("it"))
    found = FIXED.search(before)
    if not found:
        return None
    lead = _LEAD.match(before, 0, found.start())
    start = lead.end() if lead else 0
    named = before[start : found.start()].strip()
    subject = _SUBJECT.match(named)
    if not subject or (_STANDING.search(named) and not _NEW.search(named)):
        return None
    known = (
        _HAS_NOUN.search(named)
        or _VERSION.match(named)
        or len(named.split()) > (1 if subject["det"] else 2)
    )
    kind = "release" if _IS_RELEASE.search(named) else "meeting"
    return Happening(kind, start) if known else None


def lies_ahead(before: str) -> bool:
    """Tell whether these words fix a time that has not come yet."""
    found = FIXED.search(before)
    return found is not None and not _OVER.search(found[0])
