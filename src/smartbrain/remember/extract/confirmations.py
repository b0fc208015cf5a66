"""Confirmations: the user agrees to what the assistant has just proposed or guessed (C1, C3).

In: a sentence, and the assistant's message before it. Out: what the proposal amounts to, a
decision, a preference, a fact about the user or a task, now on the user's word. A polite "ok,
thanks" and a yes to a question that leaves nothing to keep are none, and so is a yes with a but.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.keys import slug
from smartbrain.remember.extract import preferences, profile, tasks
from smartbrain.remember.extract.decisions import decision_value, is_trivial
from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.options import taken_option
from smartbrain.remember.extract.proposals import Proposal, advised, last_proposal
from smartbrain.remember.extract.said import Said, Sentence, read_said
from smartbrain.remember.extract.wording import project_of
from smartbrain.text.pattern import pattern
from smartbrain.text.tokenise import index_terms

_I: Final = 0x02  # re.IGNORECASE
_STRONG: Final = (
    r"yes|yep|yeah|yup|yea|absolutely|definitely|certainly|of course|exactly(?: right)?|precisely"
    r"|correct"
    r"|(?:that(?:[’']?s| is) |you(?:[’']re| are) |quite )(?:right|correct|true|it)|agreed?"
    r"|i agree|confirm(?:ed)?|deal"
    r"|(?:please )?go ahead|go for it|(?:please )?do (?:it|that|so)|please do|let[’']s do (?:it"
    r"|that|this|so)|make it so"
    r"|(?:please )?(?:use|add|take|note|save|remember|keep) (?:it|that|this)(?: one)?"
    r"|(?:that )?works for me|that works"
    r"|i[’']m (?:in|fine with that|ok with that)|approved|sold|bingo|spot on|indeed"
    r"|sure(?: thing)?|\+1|👍|will do"
    r"|(?:let[’']s|we(?:[’']ll)?|i[’']ll) go with (?:that|it|this|your)|as you (?:say|suggest"
    r"|proposed?)"
    r"|是的|是啊|是(?=[，,。！!\s]|\Z)|对(?:的|啊|呀|呢|对)?(?=[，,。！!\s]|\Z)|没错|正是|确实"
    r"|同意|赞成|赞同|确认|就这么|就这样|(?:就)?按(?:照)?(?:你|您)"
    r"|就用|就它|就选|就按|可以|行(?:的|啊|吧)?(?=[，,。！!\s]|\Z)|没问题|当然|要的|需要|完全正确"
    r"|说得对|说的对|猜对了|成交|一言为定|加上|加吧|记上|记下"
    r"|听你的|采纳|照办|照做|就照"
)
_WEAK: Final = (
    r"ok(?:ay)?|fine|alright|all right|sounds? (?:good|great|perfect|reasonable|fine)"
    r"|great(?: idea)?|good(?: idea| call| point| plan)?|perfect|cool|nice|love it"
    r"|excellent|awesome|right|looks good|lgtm|好(?:的|啊|呀|嘞|吧|主意)?|嗯+|哦|不错|挺好|棒"
    r"|太好了|oh|hmm|well"
)
_YES: Final = pattern(
    rf"\W*(?:(?:oh|well|ah|so|and|哦|啊|嗯)[,， ]+)?(?:(?P<strong>{_STRONG})"
    rf"|(?P<weak>{_WEAK}))(?![A-Za-z])",
    _I,
)
_STRONG_SEEN: Final = pattern(rf"(?<![A-Za-z])(?:{_STRONG})(?![A-Za-z])", _I)
_FILLER: Final = pattern(
    rf"(?<![A-Za-z])(?:{_STRONG}|{_WEAK}|please|thanks?(?: you)?|thx|i|we|do|does|did|it|is|that"
    rf"|this|one|so|the|a|your|my|you|me|to|on|with|for|go|use|let[’']?s"
    r"|from now on|always|in future|going forward|proposal|suggestion|recommendation|plan|idea"
    r"|option|approach|finished|done|completed?|all|now|then|just"
    r"|add|put|will|ll|am|are|have|has|been|already|both|very|much|by|means|every time|exactly"
    r"|list|right|guess|guessed|got|be|great|good|way|way to go|would|like|love|prefer"
    r"|want)(?![A-Za-z])"
    r"|以后|都|这样|那样|这么|你|您|我们?|说的|推荐的?|建议的?|提的|办|做|定|来|吧|了|的|啊|呀|就"
    r"|是|这个|那个|它|方案|已经|完成|做完|也|很|请|谢谢|一直|加|到|进去|按|照|用|选|想|喜欢|确实",
    _I,
)
_NO: Final = pattern(
    r"(?<![a-z])(?:but|however|except|although|though|unless|not|no(?! (?:problem|objections?"
    r"|doubt))|nope|never|later|instead|rather|wait|maybe|perhaps|only if|don[’']t|isn[’']t"
    r"|won[’']t|can[’']t|first let|try)(?![a-z])|[?？]|但|不过|然而|先别|不(?!错|用谢|客气)|别"
    r"|没(?!错|问题|意见)|算了|再说|再想|考虑一下|改成|换成|等等|试试|试一下|等一下|只是",
    _I,
)
_THANKS: Final = pattern(r"thank|thx|cheers|谢", _I)
_REFERS: Final = pattern(
    r"your (?:proposal|suggestion|recommendation|plan|idea|advice)|as you (?:say|suggest|propose)"
    r"|(?:你|您)(?:说|推荐|建议|提)的",
    _I,
)
_TAKES_ON: Final = pattern(
    r"\W*(?:(?:ok(?:ay)?|yes|sure|good (?:point|idea)|right|true|好的?|嗯|对"
    r"|行)[,， ]+)?(?:will do|i(?:[’']ll| will) do (?:it|that|so)|on it|i[’']m on it"
    r"|i[’']ll take care of (?:it|that)"
    r"|我会的|我来做|我去(?:办|做|弄|处理)|我这就(?:去|办)|我来(?:办|处理|弄)|马上去)",
    _I,
)
_SHORT: Final = 3
"""Words or Chinese characters beside the yes that change nothing."""


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what the user confirms with a sentence."""
    if said.source is not Source.USER or sentence not in said.sentences[:2]:
        return
    if sentence.mood is Mood.STATED and (way := taken_option(sentence.text, said.earlier)):
        if not is_trivial(way):
            yield _taken(way, sentence, said)
        return
    if sentence != _confirming(said) or not said.earlier:
        return
    before = said.earlier[-1]
    if before.source is not Source.ASSISTANT:
        return
    taken = _TAKES_ON.match(sentence.text)
    proposal = last_proposal(before.text) or (advised(before.text) if taken else None)
    if proposal is None or is_trivial(proposal.words):
        return
    length = _confirmed(sentence, proposal)
    found = _as_candidate(proposal, said) if length else None
    if found:
        yield replace(
            found,
            source=Source.USER,
            confidence=max(found.confidence, 0.85),
            confirmed=True,
            offset=sentence.offset,
            length=length,
        )


def _taken(way: str, sentence: Sentence, said: Said) -> Candidate:
    """Return the way that is taken of those that were listed as a decision."""
    return Candidate(
        type="decisions",
        value=decision_value(way, way, said, choice=True),
        text=way,
        rule="confirmations.option",
        source=Source.USER,
        confidence=_TAKEN,
        confirmed=True,
        offset=sentence.offset,
        length=len(sentence.text),
    )


_TAKEN: Final = 0.85


def _confirming(said: Said) -> Sentence | None:
    """Return the sentence of a message that says yes: the first, or the one after a "great"."""
    for at, sentence in enumerate(said.sentences[:2]):
        following = said.sentences[at + 1].text if at + 1 < len(said.sentences) else ""
        if not (_YES.match(sentence.text) or _TAKES_ON.match(sentence.text)):
            return None
        if _NO.search(sentence.text) or _NO.match(following):
            return None
        if _STRONG_SEEN.search(sentence.text) or _TAKES_ON.match(sentence.text):
            return sentence
        if not _STRONG_SEEN.search(following):
            return sentence
    return None


def _confirmed(sentence: Sentence, proposal: Proposal) -> int:
    """Return how many characters of a sentence say yes to a proposal; 0 when it does not."""
    text = sentence.text
    beside = _FILLER.sub(" ", text)
    shared = _shares(beside, proposal.words)
    strong = shared or _STRONG_SEEN.search(text) or _TAKES_ON.match(text)
    if not strong and (not proposal.asked or _THANKS.search(text)):
        return 0
    if proposal.asked is False and not _REFERS.search(text) and _THANKS.search(text) and not strong:
        return 0
    if shared or _size(beside) <= _SHORT:
        return len(text)
    first = sentence.clauses[0]
    alone = len(sentence.clauses) > 1 and _size(_FILLER.sub(" ", first.text)) == 0
    return first.offset - sentence.offset + len(first.text) if alone and proposal.asked else 0


def _size(text: str) -> int:
    """Return how many words a text has, a Chinese character counting as one."""
    return len(_WORD.findall(text))


_WORD: Final = pattern(r"[A-Za-z0-9][\w'’-]*|[\u3400-\u9fff]")


def _shares(words: str, others: str) -> bool:
    """Tell whether two texts have a telling word in common."""
    return bool(_terms(words) & _terms(others))


def _terms(text: str) -> set[str]:
    return {token for token in index_terms(text) if len(token) > 1}


def _as_candidate(proposal: Proposal, said: Said) -> Candidate | None:
    """Return what a proposal amounts to, read by the finder of its type where that can read it."""
    if proposal.type == "decisions":
        value = decision_value(proposal.words, proposal.statement, said, choice=True)
        return _made(proposal, value)
    told = read_said(proposal.statement, source=Source.USER, speaker=said.speaker, at=said.at)
    finder = _FINDERS.get(proposal.type)
    for sentence in told.sentences if finder else ():
        for found in finder(sentence, told) if finder else ():
            if _fits(found, proposal):
                return replace(
                    found, text=proposal.statement, rule=f"confirmations.{proposal.type}"
                )
    return _made(proposal, _value(proposal)) if proposal.type != "profile" else None


_FINDERS: Final = {"preferences": preferences.find, "profile": profile.find, "tasks": tasks.find}


def _fits(found: Candidate, proposal: Proposal) -> bool:
    return (
        found.type == proposal.type
        and found.action is CandidateAction.WRITE
        and found.value.get("status", proposal.status) == proposal.status
    )


def _value(proposal: Proposal) -> dict[str, Any]:
    """Return the value of a proposal that no finder reads."""
    words = proposal.words
    if proposal.type == "tasks":
        return {
            "project": project_of(words),
            "task_id": slug(words),
            "title": words,
            "status": proposal.status,
        }
    return {"scope": "other", "name": slug(words), "value": words}


def _made(proposal: Proposal, value: Mapping[str, Any]) -> Candidate | None:
    if not slug(proposal.words):
        return None
    return Candidate(
        type=proposal.type,
        value=value,
        text=proposal.statement,
        rule=f"confirmations.{proposal.type}",
    )
