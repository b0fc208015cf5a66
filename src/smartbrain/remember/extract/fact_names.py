"""How a fact is named: the thing it is about and what is said of it, in stable words (M2, C6).

In: phrases as said, `office wifi password`, `会议室的门禁密码`. Out: subject and attribute for the
key, the same for every wording and, where the word lists know both, for either language.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from smartbrain.domain.keys import slug
from smartbrain.remember.extract.decisions_words import known_as
from smartbrain.remember.extract.fact_words import ATTRIBUTES, KIN, THINGS
from smartbrain.remember.extract.wording import GENERAL, tidy
from smartbrain.text.pattern import pattern
from smartbrain.text.pii import is_masked

_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = max(map(len, ATTRIBUTES))
_FROM_WHOM: Final = pattern(r" from [A-Z].*\Z")
_NUMBER: Final = pattern(r"\d[\w.]*")
_SHORT: Final = 30  # characters of a name that is made of a value
_CJK: Final = pattern("[\u4e00-\u9fff]")
_OWNED: Final = pattern(
    r"\A(?:(?:the|our|my|this|these|all|both|a|an)\s+"
    r"|(?:我们|咱们|咱(?!们)|我家(?=[猫狗孩娃])|我(?!们)|本(?=公司|店|校))(?:这边|这里|这儿|自己"
    r"|现在|目前|在)?(?:用的|的)?\s*(?=\S)"
    r"|(?:这|那)(?:个|份|套|台|家|款|辆|栋|间|本|次|条|张|部)\s*"
    r"|(?:现在|目前)(?:用的|的)?\s*)+",
    _I,
)
USER: Final = "user"
"""The subject of what is told of the user."""
_MINE: Final = pattern(r"\bmy\b|我(?!们)|本人", _I)
_WORD: Final = pattern(r"[^\W\d_]")
_DIALLED: Final = pattern(r"\d(?:[\s().-]*\d){4}")
_OF: Final = pattern(r"[\s的]+\Z|\A[\s的]+")


class Told(NamedTuple):
    """A fact as it was told, before it is a candidate."""

    subject: str
    attribute: str
    value: str
    rule: str


def settled(told: Told, words: str) -> Told:
    """Return a fact under the names that its words and its value settle.

    What is `mine` and of nothing in particular is the user's; a phone without a number is a thing.
    What something uses is told apart by what that is: one database takes the place of another, and
    stands beside the message queue. Who is in charge of something is told of that: another one
    takes their place, and they may be in charge of more.
    """
    if told.subject == GENERAL and _MINE.search(words):
        told = told._replace(subject=USER)
    if told.attribute == "phone" and _is_device(told.value):
        told = told._replace(attribute="phone_model")
    if told.attribute == "in_charge_of":
        return told._replace(
            subject=thing_of(_FROM_WHOM.sub("", told.value)),
            attribute="responsible",
            value=told.subject,
        )
    if told.attribute == "uses":
        named = slug(_NUMBER.sub(" ", told.value))[:_SHORT]  # port 8080 and port 9090 are the port
        told = told._replace(attribute=known_as(told.value) or f"uses_{named}".rstrip("_"))
    return told


def _is_device(value: str) -> bool:
    """Tell whether a phone is told by its make; a number that was masked is still a number."""
    named = _WORD.search(value) is not None and _DIALLED.search(value) is None
    return named and not is_masked(value)


def attribute_of(words: str) -> str:
    """Return the one name of an attribute; words that no list knows name themselves."""
    words = _OWNED.sub("", tidy(words)).strip()
    known = ATTRIBUTES.get(words.casefold())
    return known or words.casefold().replace(" ", "_")


def thing_of(words: str) -> str:
    """Return a subject without whose it is, by its one name if it is a thing that lists know."""
    words = " ".join(_OF.sub("", _OWNED.sub("", tidy(words))).replace("的", "").split())
    return THINGS.get(words.casefold(), words)


def head_of(phrase: str) -> str:
    """Return the noun that says what a subject is: `son` of `my son` and of `my son Leo`."""
    *before, last = phrase.split()
    kin = before[-1].casefold() if before and last[:1].isupper() else ""
    return kin if kin in KIN else last.casefold()


def parted(phrase: str) -> tuple[str, str] | None:
    """Part `office wifi password` into `office wifi` and `password`; None if no list knows it.

    What is nothing but an attribute belongs to nothing in particular: its subject is `general`.
    """
    phrase = _OWNED.sub("", phrase.strip()).strip()
    folded = phrase.casefold()
    for start in range(max(0, len(folded) - _LONGEST), len(folded)):
        name = ATTRIBUTES.get(folded[start:])
        if name and _begins_word(phrase, start):
            return (thing_of(phrase[:start]) or GENERAL), name
    return None


def _begins_word(text: str, place: int) -> bool:
    """Tell whether a word may begin here: in Chinese anywhere, else after a blank."""
    return (
        place == 0
        or bool(_CJK.match(text[place]))
        or bool(_CJK.match(text[place - 1]))
        or text[place - 1] in " \t-'’"
    )
