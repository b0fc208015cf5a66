"""What somebody says they have done, in the words by which a thing to do can be known again (C1).

In: a clause that is stated. Out: the deed and the words that belong to it, or nothing: "I bought
the milk", "PR #13 is reviewed", 报价单发了. What others do, what is to come and what was not done
are no deeds of the user's. Whether a deed closes a task is not decided here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from smartbrain.remember.extract.statement_words import verbs_en
from smartbrain.remember.extract.statement_words_en import SAME_IN_PAST
from smartbrain.remember.extract.tasks_words import VERBS
from smartbrain.remember.extract.unsettled import is_unsettled, is_unsettled_zh
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.segment import tag
from smartbrain.text.stop_words import STOP_WORDS
from smartbrain.text.tokenise import index_terms
from smartbrain.text.word_list import stored_words, word_set

LONGEST: Final = 80
"""A longer clause tells more than one deed."""
LEAST: Final = 2
"""How many words name a deed: it, and what it is done to."""
LEAST_WIDE: Final = 3
"""How many characters do, in Chinese."""

_I: Final = 0x02  # re.IGNORECASE
_WORD: Final = pattern(r"[A-Za-z][A-Za-z']*|\d[\w.]*|[\u3400-\u9fff]")
_WIDE: Final = pattern(r"[\u3400-\u9fff]")
_BEFORE: Final = word_set(stored_words(__file__, "_BEFORE"))
_DETERMINERS: Final = ("the", "my", "our")
_BY_NAME: Final = pattern(
    r"\W*(?P<who>(?!I\b|We\b)[A-Z][\w-]+)\s+(?:(?:has|have|just|already|finally)\s+)*(?P<deed>[a-z]+)\s"
)
VAGUE: Final = frozenset(("finish", "complete", "do", "wrap"))
"""Deeds that any task ends with, whatever its own verb is."""
_OWN: Final = word_set("i we i've we've")
_BE: Final = word_set("is are was were been got")
_ADVERBS: Final = word_set("now finally already all just fully also both")
_NOT_DONE: Final = sign(
    r"\b(?:not|never|nobody|no one|without|almost|nearly|will|would|should|must|going to|need"
    r"|needs|tomorrow|next|if|by|be|being|used to|half"
    r"|(?:part|some|most|a bit) of)\b|n['’]t\b|[没未不别要该想]|快(?![递餐照])"
    r"|准备|打算|马上|差点|再|每|经常|以前|曾经|如果|一半|到第",
    _I,
)
# What may follow a name without being part of it.
_AFTERWARDS: Final = word_set(stored_words(__file__, "_AFTERWARDS"))
_DONE_ZH: Final = pattern(
    r"([\u3400-\u9fff]|(?<![A-Za-z])[A-Za-z]++)\s?(?:完|好|掉|过|出去|过去|回来){0,4}了"
)
_LEAD_ZH: Final = pattern(
    r"[\s，,]*(?:我们?|咱们?|已经|刚刚?|终于|总算|昨天|今天|早上|都|也|就|其实|根本|压根|还|没有?|\s)*"
)
_FOR_WHOM_ZH: Final = pattern(r"[给跟和向]([\u4e00-\u9fff]{2})")
_SEVERAL: Final = pattern(r"\band\b|[,，、&]|(?<=[\u3400-\u9fff])[和与及](?=[\u3400-\u9fff])", _I)
_AND_THEN: Final = pattern(
    r"(?<!\s)\s++(?:and|then|&)(?:\s++(?:then|also|even|finally))?\s+"
    r"|(?<=[\u3400-\u9fff])\s?(?:然后|并且|接着|顺便|而且|[还又也并])(?=[\u3400-\u9fff])",
    _I,
)
# What a thing is only told by how much there is of it: a bottle of milk is milk.
_MEASURES: Final = word_set(stored_words(__file__, "_MEASURES"))
_OF_WHAT: Final = word_set("about in on for of with from to at by into onto regarding against")
_PARTICLES: Final = word_set("up out off down over back away through")
# Several words for what is wrong with something.
_TROUBLE: Final = dict.fromkeys(
    ("issue", "problem", "error", "defect", "问题", "错误", "缺陷", "故障"), "bug"
)
_NO_THING_ZH: Final = tuple("xurpcdmtfyoqk")  # how tags begin of words that name no thing
# Words between which nothing is told apart.
_EMPTY_ZH: Final = frozenset(
    "我们咱的了过给把跟和向已经刚才终于总算昨今天早晚上午都也就完好掉啦呀一个这那下次"
)


class Deed(NamedTuple):
    """What was done, or not: the deed itself, and every word about it, in order.

    `by` is who did it, if somebody else than who speaks. `put_off` tells that nothing was done: the
    words name what has another deadline now.
    """

    verb: str
    words: tuple[str, ...]
    done: bool = True
    by: str = ""
    put_off: bool = False


def deed_of(clause: str) -> Deed | None:
    """Return the deed that a clause tells as done by who says it, or done at all."""
    if len(clause) > LONGEST or _NOT_DONE.search(clause):
        return None
    return _chinese(clause) if _WIDE.search(clause) else _english(clause)


def told_apart(clause: str) -> list[tuple[int, str]]:
    """Return the deeds that a clause tells one after the other, each with its place in it.

    "I called mom and bought milk" tells two; "I fixed and tested it" is about one thing.
    """
    cuts = [0]
    ends = []
    for joint in _AND_THEN.finditer(clause):
        if _is_whole(clause[cuts[-1] : joint.start()]) and _is_whole(clause[joint.end() :]):
            cuts.append(joint.end())
            ends.append(joint.start())
    return [(start, clause[start:end]) for start, end in zip(cuts, [*ends, None], strict=True)]


def _is_whole(part: str) -> bool:
    """Tell whether a part of a clause is a deed with what it is done to."""
    told = deed_of(part)
    return told is not None and len(told.words) >= LEAST


@lru_cache(maxsize=512)  # the same titles are compared with every deed
def words_of(text: str) -> tuple[str, ...]:
    """Return the telling words of a text: verbs in one form, Chinese character by character."""
    found = (plain_word(word) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(filter(None, found)))


def is_bare(text: str) -> bool:
    """Tell whether a text is one word alone, which names nothing that was done: "Noted."."""
    return len(_WORD.findall(text)) < LEAST


def names_several(title: str) -> bool:
    """Tell whether a thing to do is several: "buy milk and eggs", 买牛奶和鸡蛋."""
    return _SEVERAL.search(title) is not None


def plain_word(word: str) -> str:
    """Return a word in the form that it is compared in; empty for one that tells nothing."""
    if _WIDE.match(word):
        return "" if word in _EMPTY_ZH else word
    low = word.lower()
    if low in STOP_WORDS:
        return ""
    if form := verbs_en().get(low):
        return form[0].name
    return next(iter(index_terms(low)), "")


def _english(clause: str) -> Deed | None:
    words = [word.lower() for word in _WORD.findall(clause)]
    at = 0
    while at < len(words) and words[at] in _BEFORE:
        at += 1
    own = not _OWN.isdisjoint(words[:at])
    thing = at and words[at - 1] in _DETERMINERS
    if at < len(words) and not thing and is_past(words[at], own=own):
        return Deed(plain_word(words[at]), words_of(" ".join(words[at:])))
    if (named := _BY_NAME.match(clause)) and is_past(named["deed"].lower(), own=False):
        rest = clause[named.start("deed") :]
        return Deed(plain_word(named["deed"]), words_of(rest), by=named["who"])
    for place, word in enumerate(words[:-1]):
        if word in _BE:
            done = place + 1 + (words[place + 1] in _ADVERBS)
            if place and done < len(words) and is_past(words[done], own=False):
                if is_unsettled(clause, clause.lower().find(f" {word} ")):
                    return None
                return Deed(plain_word(words[done]), words_of(" ".join(words)))
            return None
    return None


def is_past(word: str, *, own: bool) -> bool:
    """Tell whether a word is a verb in the past; some look the same in the present."""
    form = verbs_en().get(word)
    if form:
        return form[1] == "ed" or (own and word in SAME_IN_PAST)
    return len(word) > len("need") and word.endswith("ed")


def _chinese(clause: str) -> Deed | None:
    done = _DONE_ZH.search(clause)
    verb = plain_word(done[1]) if done else ""
    return Deed(verb, words_of(clause)) if verb and not is_unsettled_zh(clause) else None


def to_another(longer: str, shorter: str) -> bool:
    """Tell whether a text is of what only begins with the name in another: milk chocolate, 牛奶糖.

    Args:
        longer: the text that says more, a deed or a thing to do.
        shorter: the other one.
    """
    if _WIDE.search(longer):
        return _longer_name_zh(longer, shorter)
    words, known = _words_en(longer), _words_en(shorter)
    head = _head_in(words)
    if head and plain_word(head) not in {*words_of(shorter)}:
        return True  # a book about milk is a book
    if any(word.endswith("'s") and word not in known and word[:-2] in known for word in words):
        return True  # Tom's lawyer is not Tom
    last = _thing_in(known)
    after = words[words.index(last) + 1 :][:1] if last in words else []
    same = {*index_terms(shorter)}  # the database migration is to migrate the database
    return any(
        word[0].isalpha() and plain_word(word) and word not in {*known} | _AFTERWARDS
        for word in after
        if _joined(longer, last, word) and not same.issuperset(index_terms(word))
    )


def are_two(told: str, known: str) -> bool:
    """Tell whether what is told of is another thing to do than one that is known.

    Who says what is done, and to what, says all of it: "buy milk" is not to buy milk chocolate.
    Who speaks of "the login" may well mean the login page.
    """
    named = words_of(told)[:1] == words_of(known)[:1]
    if to_another(told, known) or (named and to_another(known, told)):
        return True
    return _names_other(told, known) and _names_other(known, told)


def says_less(told: str, known: str) -> bool:
    """Tell whether a thing to do is named by some of its words: 订酒店 for 订罗马的酒店."""
    words = words_of(told)
    wide = all(len(word) == 1 and not word.isascii() for word in words)
    return len(words) >= (LEAST_WIDE if wide else LEAST) and {*words} <= {*words_of(known)}


def _names_other(one: str, other: str) -> bool:
    """Tell whether a thing to do is of something that the words of another do not name.

    "The signup bug" names what "fix the login bug" does not; how it is done may have another word.
    """
    if not _WIDE.search(one):
        words = _words_en(one)
        things = index_terms(_spelled(" ".join(words[bool(VERBS.intersection(words[:1])) :])))
        return not {*things} <= {*index_terms(_spelled(other))}  # a migration is to migrate
    words_zh = [word for word, kind in tag(one) if not kind.startswith(_NO_THING_ZH)]
    known = _spelled(other)
    return any(_spelled(word) not in known for word in words_zh[1:] if words_of(word))


def _spelled(text: str) -> str:
    """Return a text in small letters, with one word for what is wrong with something."""
    low = text.lower()
    for word, same in _TROUBLE.items():
        low = low.replace(word, same)
    return low


def _head_in(words: list[str]) -> str:
    """Return the thing that is done to something where words tell what it is of: a book about milk.

    Empty where they do not, and where it only tells how much.
    """
    at = next((place for place, word in enumerate(words) if word not in _BEFORE), 0)
    named = at and words[at - 1] in _DETERMINERS
    if words[at:] and not named and (words[at] in VERBS or is_past(words[at], own=True)):
        at += 1
    told: list[str] = []
    for word in words[at:]:
        if word in _OF_WHAT or word in _BE:
            measures = not told or told[-1] in _MEASURES
            return "" if measures or word in _BE else told[-1]
        if word not in _AFTERWARDS and word not in _PARTICLES:
            told.append(word)
    return ""


def _words_en(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return [word.lower() for word in _WORD.findall(text.replace("’", "'"))]


def _thing_in(words: list[str]) -> str:
    """Return the last word of what something is done to, or is to be done to."""
    told = next((place for place, word in enumerate(words) if place and word in _BE), len(words))
    named = [word for word in words[:told] if word not in _AFTERWARDS]
    return named[-1] if named else ""


def _longer_name_zh(longer: str, shorter: str) -> bool:
    """Tell whether a noun of a text goes on in another one: 牛奶 in 牛奶糖, 李雷 in 李雷的老师."""
    words = tag(longer)
    for name in (word for word, kind in tag(shorter) if kind.startswith("n")):
        for place, (word, _) in enumerate(words):
            if word.startswith(name) and word != name:
                return True
            of = place + 1 + (words[place + 1 : place + 2] == [("的", "uj")])
            following = words[of : of + 1] if word == name else []
            if any(kind.startswith("n") and one not in shorter for one, kind in following):
                return True
    return False


def _joined(clause: str, word: str, following: str) -> bool:
    """Tell whether nothing but a space stands between two words."""
    return f"{word} {following}" in clause.lower() and not following.endswith("ly")


def by_another(clause: str, title: str) -> bool:
    """Tell whether somebody else does what was to be done: 客户发了报价单, 妈妈打电话了.

    Args:
        clause: what tells the deed.
        title: what was to be done.
    """
    if not _WIDE.search(clause):
        return False  # in English a deed begins with the user, or with what it is done to
    lead = _LEAD_ZH.match(clause)
    rest = clause[lead.end() if lead else 0 :]
    first = next(iter(words_of(rest)), "")
    served = _FOR_WHOM_ZH.findall(title)
    return first not in words_of(title) or rest.startswith(tuple(served))
