"""Less plain ways of telling of tasks in English: what is owed, handed over, or noted in a word.

In: a sentence of the user. Out: the parts of it that tell of tasks, as places. "Labels printed,
form signed, costume still to sew" tells of three; one such clause alone is as well a headline, so
that a colon or a second one has to be with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final

from smartbrain.remember.extract.dialogue import is_person
from smartbrain.remember.extract.tasks_en_forms import Form, form
from smartbrain.remember.extract.tasks_title import Told
from smartbrain.remember.extract.tasks_words import FINISHING, VERBS, of_gerund, of_past
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_WORDS: Final = r"(?:[\w'’/&.+#-]+\s+)"
_DETERMINER: Final = r"(?:the|my|our|this|all(?: the| my| our)?|both)"
_LEAD: Final = (
    r"(?:\A|[,;:.!—]\s)\W*(?:(?:ok|okay|so|and|but|well|phew|also|hey|yay|finally|update)[,:]?\s)*"
)
_UNTIL: Final = r"(?=[,.;!?—]|\s[-–]\s|\s(?:but|because|so|and (?:i|we))\b|\Z)"

_OWE: Final = form(
    "owe ",
    rf"(?:\b(?:I|we)(?:\s+(?:still|also|now))*\s+|{_LEAD}(?:still\s+|also\s+)?)owe\s+"
    r"(?!you\b|me\b|it\b|the bank\b|so\b|everything\b|a lot\b|him one|her one|them one)"
    r"(?P<what>[\w.'’]+(?:\s[A-Z][\w.'’]+)?\s+(?:the|an?|my|our|some|two|three|that|\$?\d)"
    rf"[^,.;!?—]{{2,60}}?){_UNTIL}",
)
_LATER: Final = form(
    "round to",
    r"(?:\bnever|\bdidn'?t|\bhaven'?t|\bhave not|\bstill haven'?t|\bhavent)\s+(?:really |even "
    r"|yet )?g[eo]t(?:ten)?\s+a?round\s+to\s+(?P<verb>\w+ing)\s+"
    rf"(?P<what>[^,.;!?—]{{3,70}}?){_UNTIL}",
)
_MINE: Final = form(
    " me| my |mine",
    r"\s(?:landed on my (?:desk|plate)|fell to me|(?:is|are)(?: all)? (?:on me|on my plate|my job"
    r"|my responsibility|mine to \w+)|(?:was|were|got|is|are|has been|have been) (?:just )?"
    r"assigned to (?:me|us))\b",
)
_BEGUN: Final = pattern(r"\b(?:started|working) on (?:it|them|that)\b|\balready (?:at|on) it\b", _I)
_MUST: Final = r"will|has to|needs to|must|is supposed to|have to|need to|is going to"
_OTHERS: Final = form(
    "will|has to|needs to|must|supposed to|have to|need to|going to",
    rf"(?:{_LEAD}|\b(?:and|while)\s+)(?:(?P<team>(?:the|our|my) (?:[\w-]+ )?(?:team|crew|group"
    rf"|department"
    r"|squad|staff|interns?|designers?|vendor|contractor)|someone|somebody)"
    r"|(?P<who>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?)))\s+"
    rf"(?:still\s+)?(?P<must>{_MUST})"
    rf"\s+(?P<what>(?P<verb>\w+)\s+(?P<thing>[^,.;!?—]{{3,70}}?))"
    rf"(?:{_UNTIL}|(?=\s(?:and|while)\s(?-i:[A-Z][a-z]+)\s(?:{_MUST})\s))",
)
_WORK: Final = pattern(
    r"(?:the|our|all(?: the)?|my|up the)\s(?!(?:kids?|dog|cat|world|day|show)\b)", _I
)
_TAKES: Final = frozenset(("do", "handle", "run", "own", "cover", "tackle"))
_NO_NAME: Final = pattern(
    r"(?:This|That|It|He|She|They|There|You|Someone|Everyone|Everybody|Nobody|What|Who|Which|When"
    r"|We|I|One|People|Users?|God|Life|Time|Everything|Nothing|Something)\b"
)
_THING_MUST: Final = form(
    "has to|have to|needs to|need to|must",
    rf"\b(?P<what>{_DETERMINER}\s(?:[\w'’-]+\s){{1,5}}?)(?:still\s)?(?:has|have|needs?|must)"
    r"(?: to)? (?:come down|go out|go up|go in|ship|land|get \w+|happen|leave|move out|be (?:in|out"
    r"|ready|up|there|gone|back))\b",
)
_PASSES: Final = form(
    "need",
    r"\s(?:still )?needs? (?:one (?:more|last)|another|an?(?: final| quick| last| second| proper)?"
    r"|some|more)\s(?:pass|read[- ]?through|look|round|coat|edit|edits|review|clean-?up|polish"
    r"|polishing|tweaks?|work|touch-?ups?|update|proofread|rewrite|test|tests|testing|oil change"
    r"|wash|trim|fix|repair|signature)\b",
)
_DOCUMENT: Final = (
    r"(?:applications?|reports?|invoices?|e?mails?|letters?|proposals?|forms?|newsletters?|orders?"
    r"|packages?|parcels?|invit(?:es|ations?)|drafts?|payments?|contracts?|release|build|quotes?"
    r"|abstracts?|papers?|slides|manuscript|documents?|docs?|paperwork|claims?|submission|offers?"
    r"|statements?|cards|samples?|returns?|announcement|tender|bid|deposit|cheque|check|survey)"
)
_WENT: Final = form(
    " went | is out| are out|in the mail| came back",
    rf"\b(?:the|my|our|all the|all my)\s(?:[\w'’/&-]+\s){{0,4}}?{_DOCUMENT}"
    r"(?:\s(?:for|to|of)\s(?:the\s|my\s)?[\w'’-]+)?"
    r"(?=\s(?:finally |just |all |already )?(?:went (?:out|off|in|through)|(?:is|are) (?:out|off)\b"
    r"|(?:is|are) in the (?:mail|post))\b)",
)
_PASSIVE: Final = form(
    " is | are | been | got ",
    rf"\b(?P<thing>{_DETERMINER}\s{_WORDS}{{1,6}}?)(?:(?:is|are)\s(?:finally|now|all|already|both)"
    r"|(?:has|have)(?:\s(?:now|finally|already|all|just))?\sbeen|(?:finally |just |already )?got)"
    r"(?:\s(?:all|now|finally|already|both|fully))*\s(?P<past>\w+)"
    r"(?=\s*[,.;!]|\s(?:ok|okay|today|yesterday|this|last|and|so|too|as well|now|to \w+\s*\Z"
    r"|at last|by (?:me|us))\b|\s*\Z)",
)
_NO_SUBJECT: Final = pattern(
    r"\b(?:i|we|you|he|she|they|it|that|who|which|if|when|not|never|is|are|was|were|will|would"
    r"|can|could|has|have|had|do|does|did|what|how|why|people|this|there|than|like|day|days"
    r"|world|life|family|house|store|city|country|company|game|car|movie|school)\b|n't|'(?:m|re|ll"
    r"|ve|d)\b",
    _I,
)

_GOT: Final = form(
    "that's|thats|got ",
    r"(?:\bthat'?s|\b(?:I|we)(?:'ve)? (?:finally |just )?got) "
    r"(?P<thing>(?:the|my|our|all the) (?:[\w'’/&-]+ ){1,5}?)(?P<past>\w+)(?: up| off| out| away)?"
    r"(?: (?:then|too|at last|today|yesterday|again|this morning|last night))?\s*(?:[,.!]|\Z)",
)
FORMS: Final = (_OWE, _LATER, _MINE, _OTHERS, _THING_MUST, _PASSES, _WENT, _PASSIVE, _GOT)
"""The forms of these idioms."""
# A parcel on its way and a meeting that moves: nobody has worked on them.
SENT_OR_MOVED: Final = pattern(
    r"\b(?:orders?|packages?|parcels?|deliver(?:y|ies)|shipments?|purchases?)\s[\w ]{0,24}"
    r"\b(?:shipped|delivered|sent|dispatched|returned)\b"
    r"|\b(?:rescheduled|postponed|delayed)\b"
    r"|\b(?:pushed|moved|bumped|brought|shifted)\s(?:to|back|out|until|till|forward|up|from)\b",
    _I,
)
_TO_WHEN: Final = 6  # "pushed to"
_OVER: Final = FINISHING | {"buy", "bring", "sell", "drop", "choose"}

# "X: done", "X sent, Y under way": a thing and a word for how far it is.
_NOTE: Final = pattern(
    r"\s*+(?:(?:and|then|but|also|plus|quick update|update|status)[,:]?\s++){0,4}"
    r"(?P<thing>(?!\w+ed and\b)[\w'’/&.+#-]+(?:\s[\w'’/&.+#-]+){0,5}?)(?<! and)(?P<colon>\s*+[:：]"
    r"|\s++[-–—])?\s*+"
    r"(?:is |are )?(?:(?P<todo>not started(?: yet)?|(?:still )?(?:open|pending|outstanding|to do"
    r"|todo|missing)|not (?:done|finished)(?: yet)?|(?:still |yet )?to (?:be )?(?P<verb>\w+))"
    r"|(?P<doing>in progress|under ?way|ongoing|half(?:way)? done|almost done|nearly done|wip"
    r"|in the works|in review|started)"
    r"|(?P<blocked>(?:blocked|stuck|on hold|stalled|held up|waiting)(?:\s(?:by|on|for|until)\s.+)?)"
    r"|(?:all |already |finally )?(?P<done>done|finished|sorted|completed?|fixed|merged|✅|✔️?"
    r"|(?P<past>\w{3,24})(?:\s(?:off|out|in|up|away))?))"
    r"(?:\s(?:too|as well|already|now|today|yesterday|also|again|at last|this morning"
    r"|last night)){0,3}[\s.!]*+\Z",
    _I,
)
_SPLIT: Final = pattern(r"[,;]\s+|\.\s+|(?<=\w)\s+and\s+(?=\w+ \w+ \w+)")
_MARKS: Final = pattern(r"[:：,;]|\s[-–—]\s")
_COLON: Final = pattern(r"[:：]|\s[-–—]")
_HEAD: Final = pattern(
    r"\W*(?:(?:quick |short |daily |small )?(?:update|status|status update|recap|progress|news)"
    r"(?: (?:on|for|from)\s[\w ]{1,20})?)\s*[:：]\s*",
    _I,
)


def idioms(text: str, held: Set[Form]) -> Iterator[Told]:
    """Yield what a sentence of the user tells of tasks in one of these ways.

    Args:
        text: the sentence.
        held: those of `FORMS` of which it holds the words.
    """
    yield from _notes(text)
    for found in _OWE.each(text, held):
        yield Told(found.start(), *found.span("what"), "todo", "tasks.owe", "give")
    for found in _LATER.each(text, held):
        if verb := of_gerund(found["verb"]):
            yield Told(found.start(), *found.span("what"), "todo", "tasks.later", verb)
    yield from _handed_over(text, held)
    for found in _THING_MUST.each(text, held):
        if not _NO_SUBJECT.search(found["what"]):
            span = found.start("what"), found.end()
            yield Told(found.start(), *span, "todo", "tasks.must", needs_due=True)
    for found in _PASSES.each(text, held):
        if (start := _subject(text, found.start())) is not None:
            yield Told(start, start, found.start(), "todo", "tasks.open")
    for found in _WENT.each(text, held):
        yield Told(found.start(), *found.span(), "done", "tasks.went")
    for found in (*_PASSIVE.each(text, held), *_GOT.each(text, held)):
        verb = of_past(found["past"])
        if SENT_OR_MOVED.search(text, found.start("thing"), found.end() + _TO_WHEN):
            continue
        if verb in FINISHING and not _NO_SUBJECT.search(found["thing"].replace("this ", "", 1)):
            yield Told(found.start(), *found.span("thing"), "done", "tasks.passive", verb)


def _handed_over(text: str, held: Set[Form]) -> Iterator[Told]:
    """Yield what somebody is to do: the speaker, or somebody of the speaker's own."""
    for found in _MINE.each(text, held):
        if (start := _subject(text, found.start())) is not None:
            status = "doing" if _BEGUN.search(text, found.end()) else "todo"
            yield Told(start, start, found.start(), status, "tasks.mine")
    for found in _OTHERS.each(text, held):
        who, verb = found["who"] or "", found["verb"].lower()
        if (who and _NO_NAME.match(who)) or not (verb in VERBS or verb in _TAKES):
            continue
        # Somebody who is known to be a person, and work that is over with its doing.
        sure = is_person(who) if who else False
        sure = sure and (verb in FINISHING or verb in _TAKES) and bool(_WORK.match(found["thing"]))
        begin = found.start("who" if who else "team")
        yield Told(begin, *found.span("what"), "todo", "tasks.others", needs_due=not sure, who=who)


def _subject(text: str, end: int) -> int | None:
    """Return where the thing begins that a clause is about; None if it is none."""
    begin = max(text.rfind(mark, 0, end) for mark in ",;:.!—") + 1
    head = text[begin:end]
    if not 1 < len(head.strip()) < 60 or _NO_SUBJECT.search(head):
        return None
    return begin + len(head) - len(head.lstrip())


def _notes(text: str) -> Iterator[Told]:
    """Yield what short notes say: each clause a thing and how far it is."""
    if not _MARKS.search(text):
        return
    head = _HEAD.match(text)
    colons = head is not None or _COLON.search(text) is not None
    start, notes, others = head.end() if head else 0, [], 0
    for joint in [*_SPLIT.finditer(text, start), None]:
        end = joint.start() if joint else len(text)
        note = _note(text, start, end)
        if note:
            notes.append(note)
        elif text[start:end].strip():
            if not colons:
                return  # without a colon, notes only count among nothing but notes
            others += 1
        start = joint.end() if joint else end
    sure = head is not None or (len(notes) > 1 and not others)
    yield from (told for told, colon in notes if colon or sure)


def _note(text: str, start: int, end: int) -> tuple[Told, bool] | None:
    """Return what a clause notes, and whether a colon sets it off."""
    found = _NOTE.match(text, start, end)
    if not found or _NO_SUBJECT.search(found["thing"]) or found["thing"].lower() in _NO_NOTES:
        return None
    verb = ""
    if found["past"]:
        verb = of_past(found["past"]) or ""
        if verb not in _OVER:
            return None
    elif found["verb"]:
        verb = found["verb"].lower()
        if verb == "be" or (verb not in VERBS and "still" not in found["todo"].lower()):
            return None
    status = next(name for name in ("todo", "doing", "blocked", "done") if found[name])
    return Told(found.start("thing"), *found.span("thing"), status, "tasks.note", verb), bool(
        found["colon"]
    )


_NO_NOTES: Final = frozenset(
    (
        "well",
        "all",
        "nicely",
        "almost",
        "half",
        "yes",
        "no",
        "ok",
        "finally",
        "just",
        "very",
        "status",
    )
)
