"""What the user likes, uses and wants done, said so as to last (C1, C6).

In: a sentence. Out: candidates of the type `preferences`: tastes and habits ("I prefer tabs",
我一直用 vim) and standing instructions, which `standing` finds. A liking of the moment ("I love
this answer"), somebody else's taste and irony are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.remember.extract.bygone import present_clauses
from smartbrain.remember.extract.denied_values import disliked, is_one_of_many
from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.negation import denies_degree
from smartbrain.remember.extract.preference_words import Taste, Topic, named, topic_of
from smartbrain.remember.extract.profile_changes import changed
from smartbrain.remember.extract.resumed import resumed
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.remember.extract.standing import (
    NAME_TO_USE,
    NOT_CALLED,
    PERMITTED,
    RENAMED,
    Instruction,
    find_instructions,
    permitted,
)
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.switches import SWITCHED
from smartbrain.remember.extract.taste_things import short_name
from smartbrain.remember.extract.tastes_en import LIKINGS_EN
from smartbrain.remember.extract.tastes_spoken_en import SPOKEN_EN, SPOKEN_SIGN_EN
from smartbrain.remember.extract.tastes_wished_en import WISHES_EN
from smartbrain.remember.extract.tastes_zh import READERS_ZH
from smartbrain.remember.extract.wording import may_be_own, tidy
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE

Reader = tuple[re.Pattern[str], Callable[[re.Match[str], Sentence], Taste | None]]
"""A form of a taste, and what reads it."""

_SELF_EN: Final = pattern(r"\b(?:i|my)\b", _I)
_LONGEST: Final = 800  # characters; nobody puts a preference into a longer sentence
_GOES_ON: Final = pattern(
    r"(?:(?:but|and|though|while) )?(?=(?:really |also )?(?:hate|love|prefer|like|dislike|avoid"
    r"|enjoy|don'?t like"
    r"|can'?t stand)\b)",
    _I,
)
_GOES_ON_ZH: Final = pattern(
    r"(?:更|最|也|但)?(?:不(?:太|怎么)?)?(?:喜欢|讨厌|受不了|爱[吃喝听看]|偏爱)|不[吃喝]"
)
_NOT_THAT: Final = pattern(
    r"(?:and |but )?not (?P<en>[\w+#-]++(?: [\w+#-]++)?)\W*\Z"
    r"|(?:而|并)?不是(?P<zh>[^，,]{1,12}?)\W*\Z",
    _I,
)
_USE: Final = pattern(
    r"(?:(?:so|please|just|always) )*use (?P<en>[\w+#-]++(?: [\w+#-]++){0,2}?)(?: instead"
    r"| please){0,2}"
    r"\W*\Z"
    r"|(?:所以|请|还是|都|就|以后|统一|改)*用\s*(?P<zh>[^，,]{1,12}?)(?:吧|就好|就行)?\W*\Z",
    _I,
)
_MEAT: Final = sign(r"\b(?:meat|chicken|beef|pork)\b|[肉荤]", _I)
_EATS_MEAT: Final = pattern(
    r"\W*(?:(?:so|and|but|actually|well|btw|by the way|update)[,: ]+)*i(?:['’](?:ve|m)| have| am)?"
    r"(?: (?:just|recently|actually|now|also|finally))* (?:(?:started|begun|went back to"
    r"|gone back to|back to)(?: to)? eat(?:ing)? (?:meat|chicken|beef|pork)(?: again| now)*"
    r"|eat(?:ing)? meat (?:again|now))\W*\Z"
    r"|\W*我(?!们)(?:最近|已经|也|都|又)*(?:重新|开始|恢复|现在)+(?:又|也)?吃(?:荤|[牛鸡猪羊]?肉)了\W*\Z",
    _I,
)
_FOND: Final = "preferences.fond"
_LISTED: Final = pattern(
    r"(?:,\s++|(?<!\s)\s++)(?:and|&)\s+|(?:(?<!\s)\s++)?(?:[,，、]|和|跟|与|以及|还有)\s*+", _I
)
_TASTE: Final = pattern(
    r"\b(?:i|my|me|mine)\b|[我俺]|本人|口味|饮食|不欢|\bany day\b|\ball the way\b|\A用\s*[a-z]", _I
)


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield the preferences that the user states in a sentence."""
    if said.source is not Source.USER or len(sentence.text) > _LONGEST:
        return
    found: list[Candidate] = []
    if may_be_own(sentence.text) and _TASTE.search(sentence.text):
        for clause in present_clauses(sentence):
            taste = _taste(clause.text, sentence) or (
                _taste(_with_subject(clause.text), sentence) or _instead(clause, found, sentence)
                if found
                else None
            )
            if taste:
                found += [_candidate(clause, one, sentence, said) for one in _each(taste)]
            elif found and (other := _NOT_THAT.match(clause.text)):
                told = f"I like {other['en']}" if other["en"] else f"我喜欢{other['zh']}"
                if liked := _taste(told, sentence):
                    gone = _candidate(clause, liked, sentence, said)
                    yield _switched(gone, liked.value, found[0])
    yield from _agreed(found)
    yield from _eats_meat(sentence, said)
    for clause in () if found else stated_clauses(sentence):
        yield from _allowed(clause, said)
    for order in () if found else find_instructions(sentence):
        if not (order.rule in _MAY_BE_NOW and _asks_besides(sentence, said)):
            yield from _ordered(order, said)


def _allowed(clause: Clause, said: Said) -> Iterator[Candidate]:
    """Yield the end of a ban on something that the user allows after all, if there is one."""
    thing = permitted(clause.text)
    topic = topic_of(thing) if thing else None
    if topic and topic.name:
        yield Candidate(
            type="preferences",
            value={"scope": topic.scope, "name": topic.name, "value": thing},
            text=tidy(clause.text),
            rule=PERMITTED,
            source=said.source,
            action=CandidateAction.RETRACT,
            confidence=0.9,
            offset=clause.offset,
            length=len(clause.text),
        )


def _eats_meat(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield the end of a diet without meat, of somebody who has begun to eat it again."""
    for clause in stated_clauses(sentence) if _MEAT.search(sentence.text) else ():
        if _EATS_MEAT.match(clause.text):
            gone = changed("diet", "", clause, said, CandidateAction.RETRACT)
            facts = [{"k": "diet", "v": one} for one in ("vegetarian", "vegan", "素")]
            yield replace(gone, value={**gone.value, "facts": facts})


def _instead(clause: Clause, found: list[Candidate], sentence: Sentence) -> Taste | None:
    """Return what is to be used in the place of what is not liked: "I hate tabs, use spaces"."""
    last, bidden = found[-1].value, _USE.match(clause.text)
    if not bidden or not disliked(last) or is_one_of_many(last):
        return None
    taste = _taste(f"I use {bidden['en']}" if bidden["en"] else f"我用{bidden['zh']}", sentence)
    topic = taste.topic if taste else None
    return taste if topic and (topic.scope, topic.name) == (last["scope"], last["name"]) else None


def _each(taste: Taste) -> list[Taste]:
    """Return the likings of several things of one kind that are told at once, else the one."""
    topic = taste.topic
    if f"preferences.{taste.rule}" != _FOND or not topic or not is_one_of_many(topic._asdict()):
        return [taste]
    things = _LISTED.split(taste.value)
    if len(things) == 1 or any(topic_of(one) != topic for one in things):
        return [taste]
    return [taste._replace(name=one, value=one) for one in things]


def _agreed(found: list[Candidate]) -> Iterator[Candidate]:
    """Yield what a sentence says, which never contradicts itself: what is used or liked stands.

    "I take the train, I don't fly" is one preference; of "I don't use vim, I use emacs" the first
    half is only the end of vim.
    """
    kept: dict[tuple[str, str, str], Candidate] = {}
    for one in found:
        alone = one.value["value"] if one.rule == _FOND and is_one_of_many(one.value) else ""
        name = one.value["scope"], one.value["name"], alone
        first = kept.setdefault(name, one)
        thing = disliked(first.value)
        if thing and not disliked(one.value):
            kept[name] = one
            yield _switched(first, thing, one)
    yield from kept.values()


def _switched(one: Candidate, thing: str, beside: Candidate) -> Candidate:
    """Return the end of what somebody uses or likes, if they do, told with what they do instead."""
    gone = replace(one, value={**one.value, "value": thing}, rule=SWITCHED)
    start = min(one.offset, beside.offset)
    end = max(one.offset + one.length, beside.offset + beside.length)
    return replace(gone, action=CandidateAction.RETRACT, offset=start, length=end - start)


def _ordered(order: Instruction, said: Said) -> Iterator[Candidate]:
    """Yield the candidate of an instruction, and what ends with it."""
    text = tidy(said.text[order.offset : order.offset + order.length])
    value = tidy(order.value) or text
    if not value:
        return
    topic = named(topic_of(value, text), order.name or value)
    avoids = order.rule == NOT_CALLED and topic.name == NAME_TO_USE  # and not before 9am
    if avoids and not order.name:
        return
    if avoids:
        topic = Topic("other", f"name_to_avoid_{order.name}")
    ordered = Candidate(
        type="preferences",
        value={"scope": topic.scope, "name": topic.name, "value": value},
        text=text,
        rule=f"preferences.{order.rule}",
        source=said.source,
        confidence=0.9,
        offset=order.offset,
        length=order.length,
    )
    yield ordered
    if avoids:  # if it is how the user was called so far, it is so no more
        yield _gone(ordered, NAME_TO_USE, order.name)
    elif order.name == NAME_TO_USE:  # nor is it to be avoided any more
        yield _gone(ordered, f"name_to_avoid_{value}", value)


def _gone(ordered: Candidate, name: str, called: str) -> Candidate:
    """Return the retraction of a name that an instruction about names puts an end to."""
    value = {"scope": "other", "name": name, "value": called}
    return replace(ordered, value=value, rule=RENAMED, action=CandidateAction.RETRACT)


_MAY_BE_NOW: Final = frozenset(("keep_it", "answer_in", "bare", "spare"))
_REQUEST: Final = pattern(
    r"\W*(?:(?:please|now|ok|okay|so|hi|hey|hello|and|then|also)[, ]+)*(?:write|draft|compose"
    r"|create"
    r"|generate|make|give|tell|explain|translate|summari[sz]e|describe|list|show|suggest"
    r"|help me|plan"
    r"|rewrite|design|analy[sz]e|compare|find|recommend|i need|i want|i'd like)\b"
    r"|\W*(?:请|麻烦|帮我|给我|你)*(?:写|翻译|总结|解释|讲|列|生成|介绍|推荐|说说|帮我|润色"
    r"|改写|分析|起)",
    _I,
)


def _asks_besides(sentence: Sentence, said: Said) -> bool:
    """Tell whether a message asks for something that a brief instruction in it may be about."""
    return any(
        other != sentence and (other.mood is Mood.ASKED or _REQUEST.match(other.text) is not None)
        for other in said.sentences
    )


def _with_subject(text: str) -> str:
    """Return a clause that goes on about the user's tastes with the subject it leaves out."""
    if going := _GOES_ON.match(text):
        return f"I {text[going.end() :]}"
    return f"我{text}" if _GOES_ON_ZH.match(text) else ""


def _candidate(clause: Clause, taste: Taste, sentence: Sentence, said: Said) -> Candidate:
    """Return the candidate of a taste; a short sentence is told whole."""
    topic = named(taste.topic, short_name(taste.name))
    start, end = _around(clause, sentence)
    return Candidate(
        type="preferences",
        value={"scope": topic.scope, "name": topic.name, "value": taste.value},
        text=tidy(_BECAUSE.sub("", _ASIDE.sub("", said.text[start:end]))),
        rule=f"preferences.{taste.rule}",
        source=said.source,
        confidence=taste.confidence,
        offset=clause.offset,
        length=len(clause.text),
    )


_ASIDE: Final = pattern(
    r"(?<=.{6})(?:(?<!\s)|(?<=\A.{6}))(?:\s++[-–—]|[-–—]++\s|\s*+and (?:it|it['’]s|they)\s).*", 0x10
)  # re.DOTALL
_BECAUSE: Final = pattern(
    r"\A\W*(?:(?:and|so|but) )?(?:that['’]?s why|which is why|you know(?: that)?)\s+", _I
)
_LEADS: Final = pattern(
    r"\A(?:when|whenever|for|in|on|with|if|during|as for|at)\b|(?:时|的时候|时候|方面|上|前|后)\Z",
    _I,
)


def _around(clause: Clause, sentence: Sentence) -> tuple[int, int]:
    """Return where a clause begins and ends, with a clause before it that says when it holds."""
    place = sentence.clauses.index(clause) if clause in sentence.clauses else 0
    start = clause.offset
    if place and _LEADS.search(sentence.clauses[place - 1].text):
        start = sentence.clauses[place - 1].offset
    return start, clause.offset + len(clause.text)


def _taste(text: str, sentence: Sentence) -> Taste | None:
    """Return what a clause says about taste, if it does."""
    if _TODAY.search(text) or denies_degree(text):
        return None
    text = _COME_TO.sub("I ", text)
    taste = _told_taste(text, sentence)
    again = resumed(text) if taste is None else text
    return taste if again == text else _told_taste(again, sentence)


def _told_taste(text: str, sentence: Sentence) -> Taste | None:
    """Return what words say about taste by the first form that fits."""
    readers: list[Reader] = [] if text.isascii() else [*READERS_ZH]
    if _SELF_EN.search(text):
        readers += (*WISHES_EN, *LIKINGS_EN)
    if SPOKEN_SIGN_EN.search(text):
        readers += SPOKEN_EN
    for words, read in readers:
        if (match := words.match(text)) and (taste := read(match, sentence)):
            return taste
    return None


# Whoever has come to like something likes it.
_COME_TO: Final = pattern(
    r"\bi(?:['’]ve| have)? (?:come|grown|learned|started|begun) to"
    r" (?=(?:like|love|enjoy|hate|dislike|prefer)\b)",
    _I,
)
_TODAY: Final = sign(
    r"\b(?:today|tonight|right now|at the moment|this (?:morning|week|time|one|afternoon|evening)"
    r"|yesterday|so far|lately|just now|here|any ?more|no longer)\b|今天|昨天|今晚|刚才|刚刚"
    r"|现在这|此刻|这次|这会儿|目前这",
    _I,
)
