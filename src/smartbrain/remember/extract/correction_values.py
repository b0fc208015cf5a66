"""What a correction puts in the place of something, where it says no more than the new value (C4).

In: the words of a correction. Out: the new value of `it's 5433`, 是 64G or `No, actually Bergen`,
or what it is that somebody wants forgotten. Whether there is anything that the value belongs to is
found by the finder of corrections.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.correction_words import Restated, straight
from smartbrain.remember.extract.corrections_meant import in_frame
from smartbrain.remember.extract.decisions import decision_value
from smartbrain.remember.extract.decisions_words import THING, THING_TOPICS, known_as
from smartbrain.remember.extract.denied_values import held_in
from smartbrain.remember.extract.said import Said
from smartbrain.remember.extract.switches import is_no_thing
from smartbrain.text.entities import find_entities
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

_BARE_EN: Final = pattern(
    r"\A(?:it's|it is|it should be|that's|that should be|make (?:that|it)|should be"
    r"|i (?:actually )?meant?|they're)\s+(?:in |on |at )?"
    r"(?P<y>\S.{0,60})\Z",
    _I,
)
_BARE_ZH: Final = pattern(
    r"\A(?:应该|应当|其实)?(?:是|为|在|换成|改成|换为|改为|改用|换用)\s?(?P<y>\S.{0,40})\Z"
)
# "No, actually Bergen": a name or a number, and not a word more.
_ALONE: Final = pattern(
    r"\A\W*+(?i:(?:no|nope|wait|sorry|oops)[\s,—-]++actually),? "
    r"(?P<y>[A-Z\d][\w.+#-]*+(?: [A-Z\d][\w.+#-]*+){0,2}?)[.!\s]*+\Z"
)
_NAME: Final = pattern(r"[A-Z\d][\w.+#-]*(?: [A-Z\d][\w.+#-]*){0,2}|[\u4e00-\u9fff]{2,8}")
_KINDS: Final = {"location": "place", "hometown": "place", "employer": "org", "name": "person"}
"""What the value of a fact about somebody is the name of."""
_PRODUCT: Final = r"[a-z\d][a-z\d_.+#-]*(?: (?-i:[A-Z\d])[a-z\d_.+#-]*){0,2}"
# What is to be taken after all: `let's go with Okta instead`, `MySQL it is`, 还是用 Vue 吧.
_CHOSEN: Final = pattern(
    r"(?:(?:ok(?:ay)?|so|then|and|but|we should|(?:i think )?we(?:'ll|'re| will| are)?|i(?:'ll|'m)"
    r"|lets|let's|just|rather|going to|now|simply|stay and|please) )*"
    r"(?:us(?:e|ing)|go(?:ing)? (?:back to|with|for)|mov(?:e|ing) back to|stick(?:ing)? (?:with"
    r"|to)|switch(?:ing)? (?:back )?to"
    rf"|pick|choose|take|adopt) (?P<x>{_PRODUCT})(?: instead| then| after all)*"
    rf"|(?P<it>{_PRODUCT}) it is(?:,? then)?"
    r"|(?:那|就|我们?|咱们?|大家|还是|直接|统一|\s)*(?:改用|换用|换成|改成|[换改]回|使用|采用|用回?|选择?|上)"
    rf"\s?(?P<zh>{_PRODUCT}|[\u4e00-\u9fff]{{2,6}}?)\s?(?:吧|好了|了|算了|啦)*",
    _I,
)
_BACK: Final = pattern(r"\bback to\b|还是|[用换改]回", _I)
_TAKES: Final = pattern(
    r"(?:(?:to )?(?:use|go with|adopt|choose|pick|stick with|switch to)"
    r"|[^，,]{0,6}(?:用|选|上|换成|改成))?"
    rf"\s?{_PRODUCT}(?: (?:for|as|instead) .*|(?:来?做|作为|当).*)?",
    _I,
)
_NUMBER: Final = pattern(r"(?<![A-Za-z0-9_.])\d[\d.,:]*\Z")
_NOW: Final = pattern(r" (?:now|instead)\Z|了\Z", _I)
_ABOUT: Final = pattern(
    r"(?<!n't )(?<!n’t )(?<!not )(?<!never )\bforget (?:what i said )?about (?:the |my "
    r"|our )?(?P<about>\S.{0,60})\Z",
    _I,
)


def bare_value(text: str) -> str:
    """Return the new value where a statement says no more than that: `it's 5433`, `是 64G`."""
    found = _BARE_EN.match(straight(text)) or _BARE_ZH.match(text)
    return _NOW.sub("", found["y"]).strip(" .。!！") if found else ""


def value_alone(text: str) -> str:
    """Return the new value where nothing else is said, not even what it is: `No, actually Oslo`."""
    found = _ALONE.match(text)
    return found["y"].rstrip(".") if found else ""


def name_alone(text: str) -> str:
    """Return the new value where a correction says only a name: the `Bergen` of `No, Bergen`."""
    return text if _NAME.fullmatch(text) and _kind_of(text) else ""


def chosen_again(restated: Restated, earlier: list[Candidate], said: Said) -> Candidate | None:
    """Return the decision for what is taken in the place of what was decided for before.

    It was no error: the earlier one is kept as a version. What is gone back to needs no other that
    was decided for just before: "let's go back to RabbitMQ", 还是用 Kafka 吧.
    """
    name = _chosen_alone(restated.text)
    meant = next((one for one in earlier if name and _can_stand_for(name, one)), None)
    if meant is None and not (known_as(name) and _BACK.search(restated.text)):
        return None
    if meant is None and any(_names(one, name) for one in earlier):
        return None
    value = decision_value(name, restated.text, said, choice=True)
    return Candidate(
        type="decisions",
        value=in_frame(replace(meant, value=value), meant).value if meant else value,
        text=restated.text,
        rule="decisions.revised",
        source=Source.USER,
        confidence=0.9,
        offset=restated.start,
        length=restated.end - restated.start,
    )


def _chosen_alone(text: str) -> str:
    """Return what a sentence says is taken after all, if that names a thing and nothing more."""
    found = _CHOSEN.fullmatch(straight(text))
    if found is None:
        return ""
    name = (found["x"] or found["it"] or found["zh"]).rstrip(".")
    known = known_as(name) != ""
    if not name.isascii():
        return name if known else ""
    return name if known or (name != name.lower() and not is_no_thing(name)) else ""


def _names(candidate: Candidate, name: str) -> bool:
    """Tell whether what was decided for is the thing of that name."""
    return name.casefold() in str(candidate.value.get("decision", "")).casefold()


def _can_stand_for(name: str, candidate: Candidate) -> bool:
    """Tell whether a thing can take the place of the one that was decided for.

    What is known takes that of its kind; what is not known that of any one thing.
    """
    if candidate.type != "decisions":
        return False
    decision, topic = str(candidate.value["decision"]), str(candidate.value["topic"])
    if _names(candidate, name):
        return False
    held, kind = {one[0].lower() for one in THING.finditer(decision)}, known_as(name)
    if kind:
        kinds = {THING_TOPICS[one] for one in held} or {topic}
        return kind in kinds
    return len(held) == 1 or (not held and _TAKES.fullmatch(decision) is not None)


def like_in(candidate: Candidate, value: str) -> str:
    """Return what an earlier statement holds that is of the same kind as a new value.

    Empty if there is none: "No, it's fine" says nothing of where somebody lives.
    """
    kind = _kind_of(value)
    facts = candidate.value.get("facts")
    if isinstance(facts, list):
        held = [
            (str(fact["v"]), _KINDS.get(fact["k"], "") or _kind_of(fact["v"])) for fact in facts
        ]
    else:
        held = [(one, _kind_of(one)) for one in held_in(candidate.value)]
    return next((one for one, of in held if kind and of == kind), "")


def _kind_of(value: str) -> str:
    """Return what a value is the name of, where that is known: a place, a database, a number."""
    if _NUMBER.fullmatch(value):
        return "number"
    named = (one.kind for one in find_entities(value) if one.length == len(value))
    return known_as(value) or next(named, "")


def counts(restated: Restated) -> bool:
    """Tell whether one number is put in the place of another: `the port is not 80 but 81`."""
    return bool(_NUMBER.fullmatch(restated.old) and _NUMBER.search(restated.text))


def about(text: str) -> str:
    """Return what `forget what I said about …` is about."""
    found = _ABOUT.search(text)
    return found["about"].strip(" .!") if found else ""
