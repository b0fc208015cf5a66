"""Standing instructions in English: "always ...", "from now on ...", "stop ...", "no more ...".

In: a clause that the user states, in its sentence. Out: the rule by which it tells how things are
to be done from now on. Advice on how to live ("never give up"), offers ("whenever you need help,
let me know") and complaints are none.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.remember.extract.preference_words import OF_STYLE, topic_of
from smartbrain.remember.extract.said import Clause, Sentence
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE

POLITE_EN: Final = (
    r"(?:(?:please|pls|plz|from (?:now|here|today) on\w*,?|going forward,?|henceforth,?|in future,?"
    r"|kindly|just|also|and|but|so|ok|okay|hey|oh|well|yes|yeah|then|do(?! not)|make sure (?:to"
    r"|you|that you)|be sure to"
    r"|try to|i(?:'d| would) (?:like|love|prefer|appreciate)(?: for| it| that| if)*(?: when"
    r"| if)? you(?: to)?|it(?:'s| is) (?:\w+ )?(?:important|essential|crucial)(?: to me"
    r"| for me)? that you"
    r"|i (?:want|need|expect) you to"
    r"|you (?:should|must|need to|have to|can|may|are to)|(?:can|could|would|will) you(?: mind)?"
    r"|let'?s)\s+)*+"
)
_PLACE: Final = (
    r"(?:(?:in|for|on|with|when|whenever|at|during|as for|if|before|after|every time"
    r"|each time|any time)\s[^,]{2,60}?[\s,]\s*+)?"
)
_VERB: Final = (
    r"(?:add|address|answer|apply|ask|assume|attach|avoid|be|begin|book|break|bring|call"
    r"|capitali[sz]e|check|choose|cite"
    r"|close|commit|compare|confirm|convert|copy|create|cut|default|deliver|deploy|describe|do"
    r"|draft|drop|email|end|ensure"
    r"|exclude|explain|express|fill|find|finish|follow|format|generate|get|give|go|greet|group"
    r"|hide|highlight|ignore"
    r"|include|indent|insert|keep|label|lead|leave|let|limit|link|list|log|make|mark|mention"
    r"|merge|message|move|name"
    r"|offer|omit|open|order|phrase|pick|place|plan|point|post|prefer|prefix|present|print"
    r"|propose|provide|push|put"
    r"|quote|read|recommend|refer|refrain|reject|release|remind|remove|reply|report|respond"
    r"|return|review|round|run|save"
    r"|say|schedule|search|send|set|show|sign|skip|sort|speak|spell|split|start|state|stay|stick"
    r"|store|structure"
    r"|suggest|summari[sz]e|switch|tag|take|talk|tell|test|text|title|translate|treat|try|turn"
    r"|type|update|use|verify|wait"
    r"|warn|wrap|write|only|no|don'?t|don’t|do not|stop|never|always"
    r"|abbreviate|act|alert|alphabeti[sz]e|annotate|append|apologi[sz]e|archive|back ?up|base|block"
    r"|boil|build|buy|cancel|cc|censor|change|charge|clean|comment|compress|compute|consult|contact"
    r"|contradict|count|crop|declare|delete|disable|discuss|disturb|document|double-check|download"
    r"|edit|enable|encrypt|escape|estimate|expect|export|extract|flag|flatter|focus|force(?:-push)?"
    r"|forward|guess|hard-?code|hedge|help|hesitate|import|improvise|inform|inline|install"
    r"|interrupt|introduce|invent|invite|joke|jump|lecture|lint|look|mail|measure|mix|mock|modify"
    r"|notify|number|overwrite|pack|paraphrase|paste|pay|phone|pin|ping|prepend|pretend|print"
    r"|prioriti[sz]e|proofread|publish|rebase|reason|reference|rely|rename|repeat|replace"
    r"|reschedule|reserve|restart|rewrite|ring|sanitize|serve|share|shorten|show|simplify|squash"
    r"|squeeze|submit|subscribe|sugar-?coat|swear|teach|think|touch|trim|trust|underline|upgrade"
    r"|upload|validate|visit|wake|work)\b"
)
_ADVICE: Final = pattern(
    r"\b(?:give up|quit on|forget (?!to )|let (?:\w+ ){1,3}(?:bring|get|stop|hold|tell|take|define)"
    r"|stop (?:believing|dreaming|learning|trying|being|growing|moving)|be afraid|be yourself"
    r"|look back|lose (?:hope|faith|sight)|settle for|count on|for granted|judge a book"
    r"|believe in|your (?:heart|dreams?|passion|gut|head up|chin|best|instincts?|own pace|health"
    r"|family|friends|kids|self|worth|mind|feelings|happiness)|yourself|the moment|positive"
    r"|be (?:kind|happy|strong|grateful|proud|true|honest|there|brave|late|sorry|ashamed|up for"
    r"|yourself|the|a|in|my|able)|no need to (?:worry|panic|rush|hurry|stress)"
    r"|underestimate|regret|too late|smile|hope|trust your|keep (?:going"
    r"|fighting|pushing|believing|dreaming|learning|it up|growing|smiling|trying)|work hard"
    r"|aim high"
    r"|think of (?:you|me|it)|go wrong|say never|doubt|have people|make time for|take time for"
    r"|what you love|you got this|look on)\b",
    _I,
)
_OFFER: Final = pattern(
    r"\b(?:let me know|hesitate to|feel free|reach out|count on me|hit me up|give me a (?:call"
    r"|shout"
    r"|ring)|drop me a|come (?:over|by|visit|join)|lean on me|i'm (?:always )?here|i am here"
    r"|you (?:can|may|could|might) always|talk to me|i'll be)\b",
    _I,
)
_EVERYTHING: Final = pattern(
    r"\b(?:in|for|with|on) (?:everything|anything|whatever|all (?:the )?[\w ]{1,20}|every \w+"
    r"|any \w+)"
    r" (?:you|i) (?:ever )?(?:write|draft|send|make|give|create|produce|generate|answer|do|show"
    r"|share"
    r"|post)\b|\b(?:in|for) (?:all|every|each)(?: of)? (?:my|your) \w+|\bat all times\b"
    r"|\bfrom now on\b|\bgoing forward\b",
    _I,
)
_NOUN_FIRST: Final = pattern(
    r"\W*(?!(?:i|we|he|she|they|it|that|this|there|you|what|how|thanks?|my|the|is|are|was)\b)"
    r"(?:only |no |just )?[a-z]",
    _I,
)
_BARE: Final = pattern(
    r"\W*(?:(?:no (?P<no>[\w -]{3,30}s)|(?P<short>[\w -]{3,40}s)(?P<only> only)?),? (?:please"
    r"|pls|plz"
    r"|thanks|thank you)|(?P<alone>[\w -]{3,30}s) only)\W*\Z",
    _I,
)
_SPARE: Final = pattern(
    r"\W*(?:(?:and|but|so|also|please) )*(?:spare me the|(?P<need>no need (?:to|for)"
    r"|there'?s no need (?:to|for)"
    r"|you (?:don'?t|don’t|do not) (?:need|have) to)|you can (?:skip|drop|leave out|stop)|skip the"
    r"|(?:stop|quit) with (?:all )?(?:the|your)|drop the|cut the|lose the|leave out the)"
    r" (?P<what>\S.*)",
    _I,
)
_OFTEN: Final = pattern(
    r"\b(?:every|each|all|always|constantly|so (?:much|often)|with me|to me|for me"
    r"|in your|any ?more)\b|s\W*\Z",
    _I,
)
_FLUFF: Final = pattern(
    r"\b(?:apologi[sz]\w+|sorry|disclaimers?|caveats?|pleasantries|fluff|filler|preambles?|intros?"
    r"|small talk|flattery|emojis?|jargon|summar(?:y|ies|ise|ize) (?:at the end|every)|praise"
    r"|compliments|sugar-?coat\w*|repeat (?:my|the) question"
    r"|explain (?:(?:the|your|my|any) )*(?:basics|code|changes|steps)|buzzwords"
    r"|exclamation (?:marks|points)|formalities|moralizing|lectur\w+|hedging|corporate speak)\b",
    _I,
)
_WHEN_YOU: Final = pattern(
    r"\W*(?:please )?when(?:ever)? you(?:'re|’re| are)? (?:write|writing|draft|answer|answering"
    r"|reply"
    r"|replying|respond|explain|review|send|summari[sz]e|suggest|recommend|give me|show me"
    r"|translate|generate|book|plan|schedule|cite|quote|create|format|name|edit|talk to me|code"
    r"|speak to me|text me|message me|email me)\b(?!.*\b(?:the|this|that|it|these|those|him|her"
    r"|them|today|tomorrow|next)\b)",
    _I,
)
ALWAYS_EN: Final = pattern(
    rf"\A\W*+{_PLACE}{POLITE_EN}(?:please )?(?P<when>always|never(?: ever)?|(?:don'?t|don’t"
    rf"|do not) (?:you )?ever)\s+"
    r"(?!mind\b|been\b|again\b|seen\b|heard\b|had\b|knew\b|thought\b|said\b|gonna\b|a\b|an\b"
    r"|the\b|my\b|good\b|nice\b"
    r"|happy\b|fun\b|ever\b|in\b|enough\b|too\b|so\b|better\b|worse\b|met\b|got\b|was\b|were\b"
    r"|is\b|has\b|did\b|does\b"
    r"|works?\b(?! in| on)|there\b|here\b|felt\b|wanted\b|liked\b"
    r"|\w+ed\b(?<!need)(?<!embed)(?<!feed)|\w+ing\b|like (?:this|that)\b"
    r"|and\b|or\b|than\b|at\b|on\b|say never|look on the bright|forget\W*\Z|remember\W*\Z|wins\b"
    r"|loved\b|forget(?:s)? (?:the|my|it)\b|one\b|it\b|that\b|this\b)"
    r"[a-z`'\"]\S*(?:\s|\W*\Z)",
    _I,
)
_LASTS_EN: Final = sign(
    r"\b(?:from (?:now|here|today|this point) on\w*|from here on out|going forward|moving forward"
    r"|henceforth|in future"
    r"|until further notice|at all times|as a (?:general )?rule|without exception|permanently"
    r"|by default"
    r"|ever again)\b|(?:\A|[,;] )(?:please )?in the future\b|\b(?:please|don'?t|do not|stop"
    r"|avoid)\b.{0,300}\bin the future\b"
    r"|[, ](?:always|every (?:single )?time|each time|no exceptions?)\W*\Z"
    r"|(?:don'?t|don’t|do not|no)\b.{0,300}\bany ?more\b"
    r"|\b(?:whenever|every time|each time|any ?time) (?:you|i|there)\b"
    r"|\b(?:in|for|on|with) (?:all|every|any|each)(?: of)? (?:my|your|our|future)\b"
    r"|\b(?:don'?t|don’t|do not|avoid|no)\b.{0,300}\bin (?:my|your|any|all|our) (?:\w+ )?\w+s\b"
    r"|\bwhe(?:never|rever|re) possible\b"
    r"|\b(?:in|for) (?:everything|anything) (?:you|i)\b"
    r"|\b(?:in|for) (?:all|every|any) [\w ]{2,30} you (?:write|send|make|give|draft|create"
    r"|generate|produce)\b",
    _I,
)
_BEGINS: Final = pattern(rf"(?:ever |again |\w+ly ){{0,2}}{_VERB}", _I)
ORDER_EN: Final = pattern(rf"\A\W*+{_PLACE}{POLITE_EN}{_VERB}", _I)
_ASKS_WHY: Final = pattern(
    r"\b(?:why|how (?!many\b)|what (?!i\b)|whether|which|who)\b|\b(?:story|poem|song|joke"
    r"|essay) (?:about|set|on)\b",
    _I,
)
_WHEN_FIRST: Final = pattern(r"\W*(?:whenever|every time|each time|any ?time) (?:you|i)\b", _I)
_STOP: Final = pattern(
    rf"\A\W*+{_PLACE}{POLITE_EN}(?:please )?(?:stop|quit) (?!being|kidding|joking|laughing|teasing"
    rf"|worrying|crying|making (?:fun|me)"
    r"|messing|playing|complaining|lying|trying|talking\W*\Z|apologi[sz]ing (?:to|for) (?!me\b))"
    r"(?P<what>\w+ing\b (?!it\b|that\W*\Z|this\W*\Z|there\b)\S.*"
    r"|(?:apologi[sz]|hedg|rambl|lectur|morali[sz]|preach|waffl|over-?explain|sugar-?coat)ing\W*\Z)",
    _I,
)
_UNLESS: Final = pattern(
    rf"\A\W*+{_PLACE}{POLITE_EN}(?:don'?t|don’t|do not|no) \w.*\b(?:without (?:asking|checking"
    rf"|telling|my|permission|approval"
    r"|confirm\w+|a review|tests?)|unless (?:i|you|asked|told|explicitly))\b"
    r"|\A\W*(?:please )?(?:ask|check with|consult|warn|tell|notify) me (?:first )?before (?:you "
    r"|any )?(?!that|this|it\b)\w+"
    r"(?! (?:this|that|it)\b)",
    _I,
)
_NO_MORE: Final = pattern(
    r"\A\W*(?:please,? )?no more (?P<what>[\w -]{3,40}s\b)"
    r"|\A\W*(?:please,? )?no (?P<in>[\w -]{3,30}) in (?:my|your|any|the \w+s)\b",
    _I,
)
_SUBJECT: Final = pattern(
    r"\A\W*(?:all|every|any|my|your) [\w' -]{2,40}? (?:should|must|shall|has to|have to"
    r"|needs? to) (?:always |never |not ever )?"
    r"|\A\W*(?P<bare>[a-z][\w' -]{2,30}?) (?:should|must|shall) (?:always|never) ",
    _I,
)
_IT: Final = pattern(r"\bkeep (?:it|things)\b", _I)
_YOUR: Final = pattern(r"\W*(?:(?:all|any|every|each)(?: of)? )?your\b", _I)
_YOURS: Final = pattern(
    r"\A\W*(?:please )?keep (?:all |any )?(?:your|the|my)? ?(?:answers|replies|responses"
    r"|explanations|messages|summaries"
    r"|emails|sentences|commits|functions|commit messages) \w+"
    r"|\A\W*(?:please )?keep (?:it|things) (?:short|brief|concise|simple)(?:,? please)?\W*\Z",
    _I,
)
_THING: Final = pattern(
    r"\A(?:it|he|she|they|we|i|my|the|there|that|this|his|her|our|everyone|people)\b", _I
)
MARKS: Final = pattern(
    r"\A\W*(?:(?:please|from (?:now|here|today) on\w*|going forward|moving forward|henceforth"
    r"|in (?:the )?future|and|also|so|but|ok|okay)[,: ]\s*)+"
    r"|\A\W*(?:(?:以后|今后|往后|从现在(?:起|开始)|从今(?:天(?:起|开始)|往后|以后)|请"
    r"|from now on)[，, ]*)+",
    _I,
)


def lasts(text: str) -> bool:
    """Tell whether a sentence says that it holds from now on or every time."""
    return _LASTS_EN.search(text) is not None


def rule_en(clause: Clause, sentence: Sentence) -> str:
    """Return the rule by which a clause holds an instruction, else nothing."""
    rule = _rule(clause, sentence)
    return "" if rule and _OFFER.search(sentence.text) else rule


def _rule(clause: Clause, sentence: Sentence) -> str:
    text = clause.text
    if always := ALWAYS_EN.match(text):
        return "always" if _is_order(text, always) else ""
    if _STOP.match(text):
        return "stop"
    if _UNLESS.match(text):
        return "unless"
    if (found := _NO_MORE.match(text)) and topic_of(text):
        return "no_more" if found["what"] or found["in"] else ""
    if _YOURS.match(text):
        alone = sentence.clauses[0] == clause
        if not _IT.search(text):
            return "keep" if alone else ""
        return "keep_it" if alone and len(sentence.clauses) == 1 else ""
    if rule := _rule_brief(text, sentence):
        return rule
    found = _SUBJECT.match(text)
    if found and _YOUR.match(text) and not topic_of(found[0]):
        return ""
    if found and (not found["bare"] or topic_of(found["bare"])):
        lasting = any(word in found[0].lower() for word in ("always", "never", "every", "all "))
        return "rule" if lasting or lasts(sentence.text) or "your" in text[:5].lower() else ""
    if lasts(sentence.text):
        led = _WHEN_FIRST.match(sentence.text) is not None
        if _ASKS_WHY.search(sentence.text) and not led:
            return ""
        if ORDER_EN.match(text) and not _only_marks(text) and not _ADVICE.search(text):
            return "order"
    return "whenever" if _whenever(clause, sentence) else ""


def _rule_brief(text: str, sentence: Sentence) -> str:
    """Return the rule by which a clause says in few words how things are to be, else nothing."""
    found = _SPARE.match(text)
    if found and _FLUFF.search(found["what"]):
        return "spare" if not found["need"] or _OFTEN.search(text) else ""
    if _EVERYTHING.search(text) and _NOUN_FIRST.match(text) and not ORDER_EN.match(text):
        return "noun" if (topic := topic_of(text)) and topic.name else ""
    bare = _BARE.match(sentence.text)
    if bare and sentence.text.startswith(text) and _of_style(bare):
        return "bare"
    return ""


def _of_style(bare: re.Match[str]) -> bool:
    """Tell whether a thing asked for in few words is about how answers are to look."""
    topic = topic_of(next(filter(None, bare.groups())))
    style = topic is not None and topic.name != "" and topic.scope in (*OF_STYLE, "other")
    return style or _FLUFF.search(bare[0]) is not None


def _is_order(text: str, always: re.Match[str]) -> bool:
    """Tell whether "always" and "never" stand in an order, not in advice on how to live."""
    if _ADVICE.search(text):
        return False
    following = text[always.end("when") :].strip()
    topic = topic_of(following)
    return _BEGINS.match(following) is not None or (topic is not None and topic.name != "")


def _only_marks(text: str) -> bool:
    """Tell whether a clause is nothing but words such as "from now on"."""
    return not MARKS.sub("", text + " ").strip()


def _whenever(clause: Clause, sentence: Sentence) -> bool:
    """Tell whether a clause says what to do, after one that says when."""
    place = sentence.clauses.index(clause)
    if not place or _THING.match(clause.text):
        return False
    before = sentence.clauses[place - 1].text.lower()
    if _WHEN_YOU.match(before) and ORDER_EN.match(clause.text):
        return True
    return before.startswith(("whenever you", "every time you", "each time you", "any time you"))
