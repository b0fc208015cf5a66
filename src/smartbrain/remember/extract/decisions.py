"""Decisions: what was settled, chosen or agreed, and why (C6).

In: a sentence. Out: a candidate a decision, with its topic, its words and its reason. What is still
open, asked, supposed or decided by strangers is none. Words that only point back ("that one",
你说的) are left to the finder of confirmations.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any, Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.bygone import lasting_clauses, undone_clauses
from smartbrain.remember.extract.corrections_instead import IN_WORDS
from smartbrain.remember.extract.decisions_forms import WHO_ZH, Trigger, triggers
from smartbrain.remember.extract.decisions_topics import (
    are_of_kinds,
    names_a_part,
    subject_of,
    topic_of,
)
from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.options import points_at_option
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.wording import project_of, tidy
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times

_I: Final = 0x02  # re.IGNORECASE

_ANAPHORA: Final = pattern(
    r"(?:to |on |with |just )?(?:do |doing )?(?:use |go with )?(?:the )?(?:that|this|it|these"
    r"|those|one|so"
    r"|your (?:proposal|suggestion|recommendation|plan|idea|advice|approach)|what you \w+|the flow"
    r"|that (?:one|plan|option|idea|approach)|both|nothing|anything|something|everything|an example"
    r"|this (?:one|plan|option)|neither|either|wrong|the wrong [\w ]+|a walk|disagree|(?:that"
    r"|this) too)(?: then| instead| for now| please)?"
    r"|(?:用|选|按)?(?:照)?(?:你|您)(?:说|推荐|建议|提)的?.{0,8}|(?:这|那)(?:个|样|么|种"
    r"|些)?.{0,4}|它吧?|什么.{0,6}|好的?|行|可以|没问题|嗯+|ok(?:ay)?|好了|下来|了|吧|办",
    _I,
)
_TRIVIAL: Final = pattern(
    r"(?<![a-z])(?:naps?|sleep|go(?:ing)? to bed|shower|pizza|lunch|dinner|breakfast|snacks?"
    r"|netflix|tv|couch|takeout"
    r"|takeaway|ice cream|a walk|a run|jog|stroll|swim|bike ride|pupp?y?|kitten|rescue dog|a break"
    r"|a movie|coffee|help|disagree)(?![a-z])"
    r"|睡觉|睡一觉|午睡|补觉|吃饭|点外卖|外卖|奶茶|火锅|散步|洗澡|看电影|追剧|躺平|摸鱼|减肥餐"
    r"|夜宵|早睡|早点睡|走走|逛逛|转转|天气|休息|相信|沉默|放下|原谅",
    _I,
)
_VAGUE: Final = pattern(
    r"谁|哪(?:个|家|种|里|一)|什么|怎么"
    r"|(?<![a-z])(?:whatever|whichever|which|whether|what|the (?:best|worst))\b",
    _I,
)
# What points at something in the room, names nothing, or is a matter of the moment.
_PASSING: Final = pattern(
    r"(?:to )?(?:(?!not\b|keep\b)[a-z]+ ){0,2}(?:this|these|those|some|him|her|them)\b"
    r"|(?:to )?(?:do|include|try(?! to)|write about|check|watch|have an?|take an?|go for|go to"
    r"|give (?:it|this|that)|make (?:it|the most)|go ahead|let|treat|stay (?:in|home)|it was"
    r"|that it was|violence)\b"
    r"|(?:the|an?|our|my) (?:plan|tool|option|date|theme|name|place|venue|style|design|colou?r"
    r"|approach|topic|one|location|format|solution|direction|course|path|time|price|budget)"
    r"(?: for .*)?\Z|an? (?:mix|few|couple|lot|bit) of\b"
    r"|[^,]*? that (?:looks?|feels?|makes?|made|is|are|was)\b",
    _I,
)
_TENTATIVE: Final = pattern(r"(?<![a-z])i (?:think|guess|believe|suppose)(?![a-z])|i[’']ll ", _I)
_NAMED: Final = pattern(r"[A-Z][a-z]|[A-Z]{2}|[^\x00-\x7f]|\d[A-Z]")
_MEETING: Final = pattern(r"\A(?:to )?meet\b|见面|碰头|碰面|(?<!不)开会|聚", _I)
_REASON: Final = pattern(
    r"[,，;；\s]*+(?:(?<![a-z])(?:because(?: of)?|since(?= [a-z'’]+ )|so that|mostly for|mainly for"
    r"|due to|given that"
    r"|as (?=it|they|we|the)|mainly because|mostly because)\s+|因为|毕竟|主要考虑到?|主要是"
    r"|考虑到|理由是|原因是|为的是|由于|为了)",
    _I,
)
_GOES_ON: Final = pattern(
    r"(?:not|instead|rather|without|and not|but not|with|starting|effective|except)\s|(?:而)?不"
    r"|而是|而非|改|专心|从|并|统一"
    r"|其余|第一|时间|每|由|放弃|转|全[部面都员]|只|都"
    r"|(?:[\w-]+ )?only\b",
    _I,
)
_REMARK: Final = pattern(
    r"(?<!\s)\s++[-–—]++\s.*|(?:(?<!\s)\s++)?\.{3}.*"
    r"|,? (?:for now|this time|then|instead|in the end|it is(?:,? then)?)\Z",
    _I,
)
_HANGING: Final = pattern(r"(?:\s[-–—]+)?\s(?:even|mainly|mostly)\W*\Z", _I)
_TAIL_ZH: Final = pattern(r"(?<![。.!！~～])(?:吧|啦|了吧|好了|哈|呀|哦|喔)?[。.!！~～]*+\Z")
_TAG: Final = pattern(
    r"(?:right|ok(?:ay)?|correct|yes|no|isn't it|didn't we|yeah|eh)\s*\?|[对是好行可]\S{0,2}[？?]"
    r"|[吧吗]\s*[？?]",
    _I,
)


_AND: Final = pattern(
    r"(?:,\s++|(?<!\s)\s++)(?:and|while|plus)\s+|(?:(?<!\s)\s++)?[,，;；、]\s*+(?:and\s+|而)?"
    r"|(?<=\w)\s*+(?:和|与|跟|以及)\s*+(?=[A-Z])",
    _I,
)
_LONGEST: Final = 400
"""What takes more characters to say is no decision."""
_LONGEST_SENTENCE: Final = 1_000
_MOST_CLAUSES: Final = 40
"""More of them are a list of words and no sentence."""


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what a sentence says was decided."""
    if said.source not in (Source.USER, Source.ASSISTANT):
        return
    if len(sentence.clauses) > _MOST_CLAUSES or len(sentence.text) > _LONGEST_SENTENCE:
        return
    settled = triggers(sentence.text)
    stated = {clause.offset for clause in lasting_clauses(sentence)} if settled else set()
    done = -1
    for trigger in settled:
        found = _read(trigger, sentence, said, stated) if trigger.start >= done else None
        if found is None and said.source is Source.USER:
            yield from _undone(trigger, sentence, said)
        if found and found.offset - sentence.offset >= done:
            done = found.offset - sentence.offset + found.length
            yield from _apart(found, sentence, said)


def _undone(trigger: Trigger, sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield the end of what a sentence says was decided and came to nothing."""
    undone = {clause.offset for clause in undone_clauses(sentence)}
    found = _read(trigger, sentence, said, undone) if undone else None
    if found:
        yield replace(found, action=CandidateAction.RETRACT, rule=f"{IN_WORDS}{found.type}")


def _apart(one: Candidate, sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield a decision, or each of those that it tells at once: "X for a and Y for b"."""
    decision = str(one.value["decision"])
    parts = [part for part in _AND.split(decision) if part]
    if len(parts) == 1 or not (all(map(names_a_part, parts)) or are_of_kinds(parts)):
        yield one
        return
    before = one.text.partition(decision)[0]
    place = one.offset
    for part in parts:
        told = decision_value(part, sentence.text, said, choice=True)
        value = {**one.value, "decision": part, "topic": told["topic"]}
        end = max(said.text.find(part, place) + len(part), place + 1)
        yield replace(one, value=value, text=before + part, offset=place, length=end - place)
        place = end


def decision_value(
    words: str, sentence: str, said: Said, *, choice: bool, lead: str = ""
) -> dict[str, Any]:
    """Return the value of a decision in these words, with the reason that follows in them."""
    reason = _REASON.search(words, 1)
    told = _REMARK.sub("", words[: reason.start()] if reason else words)
    decision = tidy(_TAIL_ZH.sub("", told)) or tidy(words)
    project = project_of(sentence)
    lead = "" if project.casefold() in lead.casefold() else lead
    value = {
        "project": project,
        "topic": topic_of(decision, sentence, choice=choice, lead=lead),
        "decision": decision,
        "made_at": said.at.date().isoformat(),
    }
    if reason and (why := tidy(words[reason.end() :])):
        value["rationale"] = why
    return value


def points_back(words: str) -> bool:
    """Tell whether words name nothing but what was said before: that one, 你说的那个."""
    named = tidy(words).rstrip("了吧啦")
    return bool(_ANAPHORA.fullmatch(named)) or points_at_option(named)


def is_trivial(words: str) -> bool:
    """Tell whether something is a matter of the moment: a nap, lunch."""
    return bool(_TRIVIAL.search(words))


def _read(trigger: Trigger, sentence: Sentence, said: Said, stated: Set[int]) -> Candidate | None:
    """Return the decision that a trigger tells, if its words do tell one."""
    own = _clause_at(sentence, trigger.start)
    if own is None:
        return None
    spans = _payload(trigger, sentence)
    if spans is None:
        return None
    start, end, words_end = spans
    text = sentence.text
    words = text[start:words_end]
    if len(words) > _LONGEST:
        return None
    first = min(own.offset - sentence.offset, start)
    if not _is_stated(sentence, trigger, (first, end), stated):
        return None
    shown = tidy(words)
    if len(shown) < 2 or points_back(shown) or is_trivial(shown) or _VAGUE.search(shown):
        return None
    if _only_time(trigger, text[max(start, trigger.end) : words_end], said) or (
        _MEETING.search(shown) and said.times(sentence)
    ):
        return None  # an appointment is an event
    if _PASSING.match(shown) or (
        _TENTATIVE.search(text[first : trigger.end]) and not _NAMED.search(shown)
    ):
        return None
    if said.source is Source.ASSISTANT and not _TOGETHER.search(text[first : trigger.end]):
        return None
    choice = trigger.choice or bool(_USE.match(shown))
    lead = _lead(sentence, own, trigger)
    value = decision_value(words, text, said, choice=choice, lead=lead)
    if "rationale" not in value and (reason := _REASON.match(text, words_end)):
        value["rationale"] = tidy(text[reason.end() :]) or value["decision"]
    return Candidate(
        type="decisions",
        value=value,
        text=tidy(_HANGING.sub("", text[first : max(words_end, trigger.end)])),
        rule=trigger.rule,
        source=said.source,
        confidence=0.9 if said.source is Source.USER else 0.6,
        offset=sentence.offset + first,
        length=max(end, trigger.end) - first,
    )


def _lead(sentence: Sentence, own: Clause, trigger: Trigger) -> str:
    """Return what stands before the words that settle something, and may say what it is for."""
    lead = sentence.text[own.offset - sentence.offset : trigger.start]
    place = sentence.clauses.index(own)
    if place and not subject_of(lead):
        return sentence.clauses[place - 1].text
    return lead


def _only_time(trigger: Trigger, words: str, said: Said) -> bool:
    """Tell whether what was settled is nothing but a time."""
    if trigger.rule not in ("decisions.settled", "decisions.choice_zh"):
        return False
    told = sum(time.length for time in find_times(words, said.at))
    return told > 0 and len(tidy(words)) - told <= len("时间")


_TOGETHER: Final = pattern(
    r"(?<![a-z])we(?:[’']ve| have)? (?:\w+ )?(?:decided|agreed|settled|chose)|我们.{0,6}(?:决定"
    r"|商定|定了|说好|敲定|选定)",
    _I,
)
_USE: Final = pattern(
    r"(?:to )?(?:use|go with|adopt|choose|pick|stick with|switch to)\b|用|选|采用|改用"
    r"|[^，,]{1,10}[用选]",
    _I,
)


def _clause_at(sentence: Sentence, place: int) -> Clause | None:
    """Return the clause that a place of a sentence is in."""
    at = sentence.offset + place
    held = [clause for clause in sentence.clauses if clause.offset <= at]
    return held[-1] if held else (sentence.clauses[0] if sentence.clauses else None)


def _payload(trigger: Trigger, sentence: Sentence) -> tuple[int, int, int] | None:
    """Return where the decided words start, where their clause ends and where they end."""
    if trigger.rule == "decisions.passive":
        return trigger.start, trigger.end, trigger.end
    clauses = [
        (clause.offset - sentence.offset, clause.offset - sentence.offset + len(clause.text))
        for clause in sentence.clauses
    ]
    at = max((i for i, (start, _) in enumerate(clauses) if start < trigger.end), default=0)
    here = clauses[at]
    rest = sentence.text[trigger.end : here[1]]
    if tidy(_TAIL_ZH.sub("", rest)) and trigger.end < here[1]:
        start = trigger.end
        if trigger.rule in _TOPIC_FIRST and not sentence.text[here[0] : trigger.start].isascii():
            start = _subject_end(sentence.text, here[0], trigger.start)
    elif at + 1 < len(clauses) and trigger.rule not in ("decisions.choice", "decisions.choice_zh"):
        at += 1
        start = max(trigger.end, clauses[at][0])
    elif at > 0 and trigger.rule in ("decisions.settled", "decisions.closing"):
        start = clauses[at - 1][0]
        if at > 1 and _GOES_ON.match(sentence.text, start):
            start = clauses[at - 2][0]
        return start, clauses[at - 1][1], clauses[at - 1][1]
    else:
        return None
    end = clauses[at][1]
    words_end = end
    for begin, stop in clauses[at + 1 :]:
        told = sentence.text[words_end:begin].strip() in (":", "：") and trigger.rule in _TOLD
        if not told and not _GOES_ON.match(sentence.text, begin):
            pair = sentence.text[max(trigger.end, start) : words_end], sentence.text[begin:stop]
            if not all(map(names_a_part, pair)):
                break
        words_end = stop
    return start, end, words_end


_TOLD: Final = ("decisions.passed_zh", "decisions.choice", "decisions.decided")
_TOPIC_FIRST: Final = ("decisions.choice_zh", "decisions.just_zh", "decisions.settled")
_SUBJECT_ZH: Final = pattern(
    rf"(?:{WHO_ZH}|最后|最终|还是|经过\S{{1,4}}|那|okay|ok|好的?|行|嗯|对|所以|已经|都|\s)+", _I
)


def _subject_end(text: str, start: int, end: int) -> int:
    """Return where the words before a verb of choosing begin to name what it is chosen for."""
    found = _SUBJECT_ZH.match(text, start, end)
    return found.end() if found else start


def _is_stated(
    sentence: Sentence, trigger: Trigger, span: tuple[int, int], stated: Set[int]
) -> bool:
    """Tell whether the clauses of a decision are stated, and no tag asks for it."""
    if sentence.mood is Mood.ASKED and _TAG.search(sentence.text):
        return False
    start, end = span
    for clause in sentence.clauses:
        begin = clause.offset - sentence.offset
        if begin >= end or begin + len(clause.text) <= start or clause.offset in stated:
            continue
        # Those who decide may look like those who only say something.
        if clause.mood is not Mood.REPORTED or not begin <= trigger.start <= begin + 2:
            return False
    return True
