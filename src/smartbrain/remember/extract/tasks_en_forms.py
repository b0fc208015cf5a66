"""The English words that tell of tasks, as patterns; `tasks_en` reads sentences with them.

Each pattern finds one way of saying that something is to be done, under way, blocked or finished,
or rules out a manner of speaking that only looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from typing import Final, NamedTuple

from smartbrain.text.pattern import WordIndex, pattern, sign

_I: Final = 0x02  # re.IGNORECASE


class Form(NamedTuple):
    """A way of saying something, and words of which one is always in it, separated by `|`."""

    words: str
    pattern: re.Pattern[str]

    def each(self, text: str, held: Set[Form]) -> Iterable[re.Match[str]]:
        """Find every place where a text says it that holds its words."""
        return self.pattern.finditer(text) if self in held else ()


def form(words: str, source: str) -> Form:
    """Return a form, its words separated by `|`."""
    return Form(words, pattern(source, _I))


def index(*forms: Form) -> WordIndex[Form]:
    """Return what tells of which forms a text holds the words; most texts of few."""
    return WordIndex((one, one.words) for one in forms)


_ADVERBS: Final = (
    r"(?:\s+(?:still|also|really|just|first|then|now|urgently|definitely|absolutely|finally|already"
    r"|currently|all|both|completely|totally|actually|quickly|only|again|officially|successfully"
    r"|at least|at last|as well|soon|once more|kind of|a bit"
    r"|right now|at the moment|today|tomorrow|tonight|well|this (?:week|morning|afternoon"
    r"|evening))){0,4}+"
)
_ME: Final = r"\b(?:I|we)\b"
_AT_START: Final = (
    r"(?:\A|[,;:.!—-]\s{1,2})[\W_]{0,4}(?:(?:ok|okay|also|and|but|so|oh|update|good news|great news"
    r"|news|finally|just|already|still|now|next|next up|first|then|currently|ugh|yay|phew)"
    r"[,:!]?\s{1,2}){0,3}"
)
_HAS: Final = r"(?:'m|'re|'ve|\s+am|\s+are|\s+have|\s+was|\s+were|\s+had)?"

NEED: Final = form(
    "need to|have to|must|gotta|got to|ought to|supposed to|forget to|yet to|promised|meaning to"
    "| me to| turn to| job to| task to|agreed|volunteered|signed up|offered|pledged|told|assured"
    "|keep|remember to",
    rf"(?:{_ME}(?:'ll|\s+will)?{_ADVERBS}\s+|{_AT_START})"
    r"(?:need to|have to|must|gotta|(?P<got>got to)|have got to|ought to|(?:am|are) supposed to"
    r"|(?:mustn'?t|can'?t|cannot|shouldn'?t) forget to|have yet to|(?:am"
    r"|are) obliged to)\s+(?:remember to\s+)?"
    rf"|{_ME}'(?:ve got to|m supposed to|re supposed to|ve yet to|ve promised to"
    rf"|ve been meaning to)\s+"
    r"|\b(?:it'?s|it is) (?:on me|my (?:job|turn|task)|up to me) to\s+"
    rf"|{_ME}{_HAS}{_ADVERBS}\s+(?:promised|agreed|volunteered|signed up|offered|pledged)"
    rf" (?:[\w' ]{{1,30}}? )?to\s+"
    rf"|{_ME}{_HAS}{_ADVERBS}\s+(?:promised|told|assured) [\w.' ]{{1,30}}? (?:I|we)(?:'d| would"
    rf"|'ll| will)\s+"
    rf"|(?:{_ME}\s+|{_AT_START})keep (?:forgetting|meaning) to\s+"
    rf"|{_AT_START}(?:please )?(?P<mind>remember to|(?:don['’]?t|do not) (?:let me )?forget to)\s+",
)
PLAN: Final = form(
    "ll |will|going to|plan",
    rf"{_ME}(?:'ll|\s+will|'m going to|'re going to|\s+am going to|\s+are going to|\s+plan to"
    rf"|(?:'m|'re|\s+am|\s+are)(?:\s+also)? (?:(?P<plan>planning to(?! visit\b))"
    rf"|planning to)){_ADVERBS}\s+",
)
HEADER: Final = form(
    ":|：| -|remains|left|todo|remind me|forget|next |remaining |only |last |first | to | must",
    r"(?:\A|(?<=[\s,.!]))(?:(?:my |new |our )?(?:to-?dos?|to do|action items?"
    r"|next steps?)(?: list)?(?: (?:for|this|today|tomorrow|tonight|before|after)\b[\w ]{0,20})?"
    r"|(?:my|our|new|another|today'?s|open|remaining) tasks?(?: for [\w ]{1,20}| today| this week)?"
    r"|(?:[\w ]{1,24} )?(?:on|for|to) (?:my|our|the) (?:to-?do |task )?(?:list|plate|agenda)"
    r"(?: for [\w ]{1,20}| today| this week| tomorrow)?"
    r"|don'?t let me forget|note to self|reminder(?: to (?:my)?self)?"
    r"|(?:[\w ]{1,20} )?things? (?:to do|i (?:have|need|must) to do|left to do|i need to get done)"
    r"[\w ]{0,20}|still (?:open|left|to do|pending|outstanding|missing))\s*(?:[:：]|\s-)\s*"
    r"|\b(?-i:TODO)\b(?! (?:is|are|was|lists?|apps?)\b)\s*(?:[:：-]\s*)?"
    r"|\b(?:I|we)(?:'ve got to| (?:still )?(?:need|have) to| must)(?: do)?(?: today| tomorrow)?"
    r"[:：]?\s+(?=[(（]?1[.)、]\s|①)"
    r"|\b(?:all (?:that remains|that's left|I have left|we have left)|what's left|what remains)"
    r"(?: (?:to do|for (?:me|us|today|now|tonight)|today|now"
    r"|before [\w ]{1,16}?)){0,2} is (?:to\s)?"
    r"|(?:\A|(?<=[\s,.!]))(?:two|three|four|five|six|\d|a (?:few|couple(?: of)?)|some|several)"
    r" (?:more |last |small |quick )?(?:(?:things|items|tasks|jobs)(?= (?:left|to do|for|before"
    r"|today|tomorrow"
    r"|tonight|this|on (?:my|our)|remaining)\b)|errands|chores"
    r"|stops)\b(?![^:]*\bI\b)[\w' ]{0,30}[:：]\s*"
    r"|\b(?:my|our|the) (?:next|remaining|last|only|first) (?:task|step|thing|to-?do|job)"
    r"(?: (?:to do|left|on (?:my|the) list|for (?:me|us|today)))? is (?:to\s)?"
    r"|(?:\bdon'?t let me forget|(?:\A|[,;:.!]\s|\b(?:please|can you|could you|just|and|also|pls) )"
    r"remind me(?: (?:on|at|in|next|this|tomorrow|tonight|later|again)\b[\w ]{0,20})?) (?:to"
    r"|about)\s+",
)
LISTED: Final = sign(
    r"(?<!'ll )(?<!will )\b(?:put|add|stick) ([^,.:]{3,80}) (?:on|to|onto) (?:my|our|the) "
    r"(?:(?:to-?do|task|todo) list|to-?dos?|tasks|list)\b",
    _I,
)
CHECK: Final = pattern(
    r"\A\s*(?:(?:to-?dos?|tasks?|待办|任务)\s*[:：]\s*)?(?:(?:[-*+•]|\d{1,2}[.)、])\s*)?"
    r"(?:\[(?P<mark>[ xX✓✔-])\]|(?P<open>[☐□◻])"
    r"|(?P<done>[☑✅✔✓]️?|done\s*[:：]|finished\s*[:：])"
    r"|(?P<doing>(?:doing|in progress|wip)\s*[:：])|(?P<blocked>(?:blocked"
    r"|on hold)\s*[:：]))\s*(?=\S)",
    _I,
)
WANTED: Final = form(
    " to be |must be|need",
    r"\b(needs?|has|have)(?:\s+still)? to be (\w+)|\b(?:still )?(needs?) (\w+ing)\b"
    r"|\bmust be (\w+) by\b",
)
NOT_YET: Final = form(
    "n't|have not|havent",
    rf"{_ME}(\s+still)?\s+(?:haven'?t|have not)(\s+yet)?\s+(\w+)\s+",
)
OPEN: Final = form(
    "still|yet|currently|n't|n’t|not ",
    r"\b(?:is|are|'s)(?:(?: still| currently){1,2} (?:open|pending|outstanding|to do|not (?:done"
    r"|finished"
    r"|started)|unfinished|undone)|(?:n'?t| not) (?:done|finished|started|complete|ready) yet"
    r"|(?:n['’]?t| not) yet (?:done|finished|started|complete)"
    r"|(?:n['’]t| not) (?:done|finished|complete)(?: after all| at all)?(?=\s*(?:[,.;!]|\Z)))\b",
)
FINISHED: Final = form(
    "finish|complete|wrapped|finali|done with|through with|knocked|off|fixed|submitted|merged"
    "|shipped|handed|turned|sorted|resolved|deployed|closed|patched|delivered",
    rf"(?:{_ME}{_HAS}(?:\s+did)?{_ADVERBS}\s+|{_AT_START})"
    r"(?:(?P<all>(?:(?<=did )finish|finished)(?: up| off| with)?|completed|wrapped up|finali[sz]ed"
    r"|done with"
    r"|knocked out|(?:crossed|ticked|checked) off|got done with|through with|all done with)"
    r"|(?P<act>fixed|submitted|merged|shipped|handed in|turned in|sent off|sorted out|resolved"
    r"|deployed|closed out|patched|delivered))\s+(?P<off>off\s+)?(?=\w)",
)
FINALLY: Final = form(
    "finally|already|at last|now|'ve|have|just",
    rf"{_ME}(?:'ve|\s+have)?(?:\s+(?:now|just|also))?\s+(?:finally|already|at last|now)\s+(\w+)\s+"
    rf"|{_ME}(?:'ve|\s+have)\s+(?:just\s+)?(\w+)\s+(?=(?:the|my|our)\s)"
    rf"|\A\W*(?:finally|already|just)\s+(\w+)\s+(?=(?:the|my|our)\s)",
)
MANAGED: Final = form(
    "managed to|around to|did ",
    rf"{_ME}{_HAS}{_ADVERBS}\s+(?:managed to|got around to|did)\s+(\w+)\s+",
)
GOT_DONE: Final = form(
    "done|finished|sorted|submitted|merged|fixed|over with|out of the way| off|wrapped|signed"
    "|in the|taken|dealt|shipped|squared",
    rf"(?:{_ME}{_HAS}{_ADVERBS}\s+(?:got|have)|\bthat'?s)\s+((?:the|my|our|all)\s[^,.]{{2,60}}?)(?<!\s)\s++"
    r"(?:done|finished|sorted|submitted|merged|fixed|over with|out of the way|wrapped up|signed"
    r"|in the bag|taken care of|dealt with|ticked off|in the mail|shipped|sent off|squared away)\b"
    r"|\b(?:crossed|ticked|checked|struck)\s++([^,.]{3,60}?)(?<!\s)\s++off\b",
)
_IS: Final = r"(?:is|are|was|were|has been|have been|'s|got|is now|'re)"
# A site that is blocked at work is no task, and neither is the rain that somebody is held up by.
_SHUT_OFF: Final = (
    r" (?:(?:at|in|on|from) (?:(?:my|the|our) )?(?:work|school|home|office|country|china|iran"
    r"|russia|university|campus|library|wi-?fi|network|region)|here|by (?:(?:my|the|our|their) )?"
    r"(?:(?:\w+ )?firewall|isp|proxy|vpn|school|government|country|ad ?block\w*))\b"
)
_ON_THE_WAY: Final = (
    r"(?:(?:the|this|all|some|a|my|heavy|bad|stupid|awful|damn) )*(?:rain|snow|ice|fog|wind|weather"
    r"|storms?|floods?|traffic(?: jams?)?|trains?|bus(?:es)?|cars?|trucks?|highway|motorway|road"
    r"|roadworks|accident|crowds?|queues?|elevator|lift|airport|plane|runway|bridge)\b(?! \w)"
)
STATE: Final = form(
    "done|finished|complete|fixed|merged|submitted|shipped|sorted|wrapped|deployed|handed|off my"
    "|taken care|resolved|out of the way|crossed|ticked|blocked|stuck|hold|stalled|held up"
    "|half|standstill|paused|limbo|waiting|progress|under|ongoing|coming along|worked on",
    rf"\s{_IS}{_ADVERBS}\s+(?:(?P<done>done|finished|completed?|fixed|merged|submitted|shipped"
    r"|sorted(?: out)?|wrapped up|deployed|handed in|off my (?:plate|list)|taken care of|resolved"
    r"|out of the way|(?:crossed|ticked) off)"
    rf"|(?P<blocked>blocked(?!{_SHUT_OFF})|stuck|on hold|stalled|held up|at a standstill|paused"
    r"|in limbo|waiting (?:for|on))"
    r"|(?P<doing>in progress|underway|under way|ongoing|half(?:way)? done|half(?:way)? finished"
    r"|(?:about |roughly |nearly |almost |over )?half ?way(?: there)?"
    r"|(?:about |roughly |nearly |almost )?(?:\d+ ?%|a third|half|two thirds"
    r"|three quarters) (?:done|finished|complete)|mostly (?:done|finished)"
    r"|almost (?:done|finished)|nearly (?:done|finished)|coming along"
    r"|being worked on))\b(?! (?:concern|issue|problem|debate|battle"
    r"|process)s?\b)(?! (?:in|of) (?:my|the) (?:mud|head|snow|traffic"
    r"|lock))(?! (?:when|if|once|only|unless|for (?:today|the (?:day|night)))\b)",
)
_HELD: Final = r"(?:blocked|stuck|on hold|held up|paused|stalled)"
_AGAIN: Final = rf"(?:unblocked|no longer {_HELD}|not {_HELD} any ?more|back on track|moving again)"
LIFTED: Final = form(
    "unblocked|no longer|any more|anymore|on track|again|now|block|obstacle",
    rf"(?P<thing>\s(?:{_IS}{_ADVERBS}\s+{_AGAIN}|(?:is|are)n['’]t {_HELD} any ?more))"
    rf"|{_ME}(?:'m|'re|\s+am|\s+are|\s+got){_ADVERBS}\s+{_AGAIN}\s+(?:on|with|by)\s+"
    rf"|{_ME}\s+can (?:now )?(?:continue|proceed|go on|move (?:on|forward|ahead)|resume)"
    r"(?: with| on)?\s++(?=[^,.;]{3,60}\b(?:now|again)\W*\Z)"
    r"|\b(?:the|our|my) (?:blockers?|blockage|obstacles?) (?:for|on|of|with|in)\s++"
    r"(?P<freed>[^,.;]{3,60}?) (?:is|are|has been|have been|was|were)(?: now| finally)? (?:gone"
    r"|resolved|removed|lifted|fixed|cleared|solved|out of the way)\b",
)
THING: Final = pattern(
    r"\b(?:the|my|our|this|that|all|both|his|her|their)\s(?:[\w'’/.&+#-]+\s){0,9}?[\w'’/.&+#-]+\Z",
    _I,
)
ENDED: Final = sign(
    r"\A\W*+([\w'’/&+# -]{3,50}?)\s*+(?:[:：,—–-]\s*+)?(done|finished|fixed|merged|✅"
    r"|✔️?)\s*+[!.]*+\Z",
    _I,
)
MARKED: Final = sign(
    r"\b(?:mark|set|move) ([^,.:]{3,60}?) (?:as|to) (?:(?P<done>done|finished|completed?|closed)"
    r"|(?P<blocked>blocked|on hold)|(?P<doing>in progress|doing|started)|(?P<todo>to-?do|open))\b"
    r"|\b(?:tick|cross|check|strike) off ([^,.:]{3,60})"
    r"|\breopen ([^,.:]{3,60}?) (?:task|ticket|to-?do|item)\b",
    _I,
)
DUE: Final = form(
    " due",
    r"\b(?:the|my|our)\s(?:[\w'’-]+\s){0,4}?(?:report|essay|paper|homework|assignment|rent|bills?"
    r"|taxes|return"
    r"|draft|invoice|payment|thesis|application|proposal|presentation|slides|deliverables?|chapter"
    r"|review"
    r"|paperwork|form|forms|fee|fees|books|manuscript|abstract|submission) (?:is|are) (?=due\b)",
)
WORKING: Final = form(
    "working on|middle of|through|busy with|deep in|buried in|away at|progress|tackling|plugging"
    "|start|beg"
    "|kicked off",
    rf"(?:{_ME}(?:'m|'re|'ve been|\s+am|\s+are|\s+have been){_ADVERBS}\s+|{_AT_START})"
    r"(?:working on|working (?:my|our) way through|(?:knee|neck|elbow|waist)[- ]deep in"
    r"|buried in(?= (?:the|my|our|all)\b)"
    r"|chipping away at|hacking away at|(?:slogging|wading|plowing|ploughing|grinding|getting"
    r"|working|powering) through(?= (?:the|my|our|all|a)\b)|in the middle of|half ?way through"
    r"|midway through|part ?way through|busy with"
    r"|making (?:good |some |slow )?progress (?:on|with)|tackling|plugging away at)\s+"
    rf"|(?:{_ME}(?:'ve|\s+have)?{_ADVERBS}\s+|{_AT_START})(?:started|begun|began|kicked off)"
    r"\s+(?:on|work on|working on)\s+",
)
BUSY: Final = form(
    "ing ",
    rf"{_ME}(?:'m|'re|\s+am|\s+are)\s+(?:(?:still|currently|right now|now|busy|just|also"
    rf"|already)\s+)"
    rf"{{1,3}}(\w+ing)\s+|{_ME}(?:'m|'re|\s+am|\s+are)\s+(planning)\s+(?=(?:an?|my|our|the)\s)"
    rf"|{_ME}(?:'ve|\s+have)?\s+(?:(?:just|already)\s+)?(?:started|begun"
    rf"|began)\s+(\w+ing)\s+|\A\W*(?:currently|still|busy|started)\s+(\w+ing)\s+",
)
STUCK: Final = form(
    "stuck|blocked|held up",
    rf"(?:{_ME}(?:'m|'re|\s+am|\s+are|'ve been|\s+got|\s+have been){_ADVERBS}\s+|{_AT_START})"
    r"(?:stuck (?:on|with)|blocked (?:on|by|with)|held up (?:on|with|by))\s+"
    rf"(?!{_ON_THE_WAY})",
)
CANNOT: Final = form(
    "can't|cannot|can not|cant|couldn|no way to|able to|impossible to",
    rf"(?:{_ME}{_ADVERBS}\s+|{_AT_START})(?:can'?t|cannot|can not|couldn'?t|(?:there'?s )?no way to"
    rf"|(?:(?:am|are|'m|'re) )?(?:unable|not able) to|(?:it's )?impossible to)(?:\s+(?:really|even"
    rf"|yet))?\s+(?:proceed with|continue"
    r"(?: with| on)?|go on with|move (?:on|forward|ahead) with|(\w+))\s+"
    r"((?:[\w'’-]+\s){1,8}?)(?=(?:until|unless|without|before)\b)"
    rf"|(?:{_ME}{_ADVERBS}\s+|{_AT_START})(?:can'?t|cannot|couldn'?t)\s+(?:proceed|continue|go on"
    rf"|move (?:on|forward|ahead)) with\s+"
    r"([^,.;]{3,60}?)(?=[,.;]|\Z|\s(?:until|because|as|since|before|without)\b)",
)
WAITING: Final = form(
    "waiting",
    rf"(?:{_ME}(?:'m|'re|\s+am|\s+are){_ADVERBS}\s+|{_AT_START})(?P<wait>waiting (?:for"
    rf"|on)\s++(?!you\b|your\b))(?P<who>(?:\S+\s){{1,3}}?(?:for|to (?:send|give|deliver|provide"
    rf"|share)(?: me| us)?)\s++)?(?=[^,.]{{0,60}}"
    r"\b(?:approval|reviews?|sign|sign-?off|feedback|repl(?:y|ies)|responses?|permissions?|access"
    r"|credentials|quotes?|confirmation|confirm|approve|review|specs?|budget|contract|designs?|data"
    r"|api|keys?|tokens?|licen[cs]e|the (?:client|vendor|supplier|customer|team))\b)",
)

# Where the words about a task end.
STOP: Final = pattern(
    r"[;:：；，。！—–]|\s-\s|(?<![.!?])[.!?]++(?=\s|\Z)|\s\(|\s(?=(?:but|because|since|so|although|though"
    r"|(?<!\ba )while|whereas|otherwise|or else|when|once|if|unless|until|which|where|who"
    r"|as soon as|as (?:it"
    r"|they)|(?:before|after|and) (?:i|we|they|he|she|it|you|that|things|then we|then i|it's|i'm"
    r"|i've)"
    r"|and (?:now|last|really|finally|was|had|got|went|\w{3,}ed (?:the|my|our|a|an)))\b)",
    _I,
)
LIST_ITEM: Final = pattern(r"[a-z]+\s+(?:the|my|our|a|an|up|in)\s")
JOINT: Final = pattern(
    r",\s*+(?:and\s+|then\s+|and then\s+|also\s+)?|(?<!\s)\s++and\s+(?:then\s+|also\s+)?", _I
)
FIRST_WORD: Final = pattern(
    r"\s*(?:(?:to|also|finally|then|maybe|please|quickly|go|really|still|just"
    r"|first)\s+)*([A-Za-z-]+)"
)
REMARK: Final = pattern(
    r"\s*(?:i|we|he|she|it|they|you|that|this|which|who|there|he'?s|it'?s|that'?s|they'?ve"
    r"|they'?re|not"
    r"|due|by|before|no|now|last|lately|putting|hopefully|ideally|preferably|or|because|so|but"
    r"|at the latest)\b",
    _I,
)
NO_WORK: Final = pattern(
    r"(?:be|been|never|not|say|admit|confess|agree|disagree|ask (?:you|myself|about)|tell (?:you"
    r"|myself)"
    r"|know|think"
    r"|understand|believe|feel|stop|relax|rest|sleep|calm|breathe|vent|laugh|cry|smile|eat|drink"
    r"|pee|live|love|hate|want|like|wonder|wait|hurry|accept|keep|learn to|point out|mention"
    r"|apologi[sz]e"
    r"|thank|warn|see|hear|watch|deal|cope|face|try|worry|remind|have|focus|concentrate|survive"
    r"|endure|make (?:sure|time|the most|a (?:difference|change)|changes|memories)|ensure"
    r"|push (?:myself"
    r"|ourselves|through)|show (?:our|my) support|get (?:more|better|organi[sz]ed|into|in shape"
    r"|ready)"
    r"|go(?: (?:now|home|to (?:bed|sleep|work)))?\W*\Z|leave|run\W*\Z|walk|wake|stay|stand|sit"
    r"|get (?:up|out"
    r"|going|home|some|used|over|away|off|it|this|to|a grip|a life|real|back(?! to (?!work|it|you"
    r"|sleep|normal|bed))|better|going|moving"
    r"|started)"
    r"|take (?:a (?:break|nap|breath|shower|walk|look)|it|care(?! of (?:the|my|our)))|give (?:you"
    r"|it|up|myself|this)"
    r"|work (?:late|hard|on myself|today|tomorrow|again|out)|make (?:it|a living|peace|do)"
    r"|do (?:it|this|that"
    r"|something|better|nothing|more|so|anything|everything)\b|find (?:myself|peace)|talk to you"
    r"|look (?:at it|good)"
    r"|move on|let|figure (?:this|it|out how)|pay attention|put up|share|show you|read|use|spend"
    r"|lose)\b",
    _I,
)
HERE: Final = pattern(
    r"\b(?:this (?!week|month|year|morning|evening|afternoon|quarter|(?:mon|tues|wednes|thurs|fri"
    r"|satur|sun)day)"
    r"(?![^,.]{1,60}\b(?:by|before|until|tomorrow|today)\b)|these |the following|below|above|it\b)",
    _I,
)
NO_THING: Final = pattern(
    r"(?:\b(?:it|everything|nothing|something|anything|what|who|there|dinner|lunch|breakfast|game"
    r"|match|season|day|night|week|weekend|year|summer|winter|work|school|traffic|elevator|lift"
    r"|door|key|keys|drawer|zipper|car|bus|train|song|computer|laptop|phone|movie|party|damage|war"
    r"|(?:(?:the|my|our|this|his|her|phone|computer|laptop|tv|kitchen|car)\s|\A)(?:screen|window)"
    r"|pizza|coffee|world|life|relationship|i|we|you|he|she|they|which|one|ones|thing|things"
    r"|all|both)|\b(?:here|that|this))\Z",
    _I,
)
IN_SIDE: Final = pattern(
    r"\b(?:until|once|when|whenever|after|before|if|whether|unless|as soon as|till|by the time"
    r"|because"
    r"|asked|asks|says|said|not|never|no|nobody|hope|hoping|make sure|ensure|wish|see|think|know"
    r"|like)\s+\Z|n't\s+\Z",
    _I,
)
PRIVATE: Final = pattern(
    r"(?:him|her|you|them|it|this|that|in|at)\b"
    r"|(?:(?:the|my|a|an|this|that|our)\s+(?:\w+\s+)?)?(?:school|university|college|high school"
    r"|degree|dinner|lunch|breakfast|season|series|episode|coffee|tea|beer|meal|book\b|novel|movie"
    r"|work\b|people|men|life|reading|watching|eating|playing|drinking|listening|military"
    r"|patience\b|temper\b|health\b|fitness\b|tan\b|last|first|second|third|early|late"
    r"|everything|nothing)",
    _I,
)
BAD_THING: Final = pattern(
    r"\b(?:asked|whether|says|said|told|hope|wish|think|know|not|never|because|if|when|until|once"
    r"|was|were|is|are|has|have|will|would|can|could|i|you|he|she|they|made|makes|realize|realise"
    r"|how|anything|something|what|where|who|why)\b|n't\b",
    _I,
)
THATS_DONE: Final = pattern(
    r",\s*(?:(?:so|and)\s)?(?:(?:that(?: one|'s one| task| job| item)?|this one|it|they)(?:'s|'re"
    r"| is| are)?\s(?:all |finally |now )?(?:done|finished"
    r"|sorted|off (?:the|my) list|out of the way)|(?:you can )?(?:check|tick|cross) (?:that|it"
    r"|this)(?: one)? off|(?:all |finally )?(?:done|finished)(?: that)?\b[^,.]{0,16}[.!]*\Z)",
    _I,
)
TOLD_BEFORE: Final = pattern(
    r"\s*+(?:(?:I|we)(?:'ve| have)?\s+(?:just |finally |already )?(?=\w+(?:ed|t|id|de|te"
    r"|ne)\s))?(?:(?P<past>\w+)\s+(?=(?:the|my|our|a)\s))?"
    r"(?P<thing>[\w'’/ -]{3,60}?)(?:\s(?:went|is|are|was|were|has|have|came)\s[\w ]{1,40})?\Z",
    _I,
)
BAD_ENDED: Final = pattern(
    r"\b(?:i|i'm|we|we're|you|he|she|they|it|well|nicely|over|almost|nearly|not|never|and|is|are"
    r"|was|were"
    r"|be|been|get|got|getting|all|what|that|this|finally|just|easily|easier|half|have|has|'s"
    r"|\w+n't|easy|yes|ok|okay|done|what's|that's|it's|when|if|until|i've|we've)\b",
    _I,
)
ACTS: Final = {"handed in": "hand in", "turned in": "turn in", "sent off": "send off"}
ACTS_OUT: Final = {"sorted out": "sort out", "closed out": "close out"}
NAMED: Final = pattern(
    r"(?:(?:the|my|our|all|both|that|an?|another|two|three|\d+|up)\s|[A-Z#`\"'])|\w+ing\s"
)
ACT_BEFORE: Final = pattern(r"(?:\A\W*+|[,;:—]\W{0,8}+)([A-Za-z-]+ing)\s+\Z")
THING_STARTS: Final = pattern(r"\b(?:the|my|our|this|that|all|both|his|her|their)\s", _I)
MORE: Final = pattern(
    r"(?:,\s*(?:and\s+)?[\w'’-]+(?:\s[\w'’-]+){0,3}?){0,6},?\s+and\s+[\w'’-]+", _I
)
LAST: Final = pattern(r",\s*and\s+[\w'’-]+", _I)
TO_HANDLE: Final = frozenset(("touch", "begin", "progress", "tackle", "handle", "ship", "land"))
YES: Final = pattern(r"\W*(?:yes|yeah|yep|yup|correct|right|exactly|true|sure|ok|okay)\b", _I)
BOUND: Final = pattern(r"\bstill\b|promised|agreed|volunteered|signed up|pledged|forgetting", _I)
