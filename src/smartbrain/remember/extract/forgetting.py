"""What the user asks to be forgotten: "forget the gate code", 忘掉服务器密码 (C4, C6).

In: a sentence. Out: retractions of what it names: a statement ("forget that I live in Rome"), or
a thing ("my address", 服务器密码) with whatever was said of it, or a task that is not to be done
any more ("forget about calling Bob"). Who has forgotten something, or is told not to forget it,
asks for nothing. What is told with the request not to remember it is none of what is so. What is
asked for and not known is for others to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.called_off import CALLED_OFF, by_title
from smartbrain.remember.extract.correction_words import Restated, terms_of
from smartbrain.remember.extract.corrections import earlier_of, read_in
from smartbrain.remember.extract.corrections_instead import FORGOTTEN, retraction
from smartbrain.remember.extract.corrections_meant import most_like
from smartbrain.remember.extract.corrections_profile import PROFILE, named_by
from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.remember.extract.tasks_words import ERRANDS_ZH, VERBS, VERBS_ZH, of_gerund
from smartbrain.remember.extract.unkept import is_request, unkept
from smartbrain.text.pattern import pattern, sign

FORGOTTEN_TOO: Final = f"{FORGOTTEN}_too"
"""The rule of what else may go by the same name, if there is such a thing."""
_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = 120
_SIGN: Final = sign(
    r"\bforget\b|\bremember(?:ing)?\b|\bmind\b|\bno need\b|\b(?:skip|scrap|drop|bother)\b"
    r"|忘|[别要用]再?记|[别甭].+了|(?:没必要|用不着|无需).+了",
    _I,
)
_ASKS: Final = r"(?:(?:can|could|would|will) you|you can|i(?:['’]d like| want) you to)(?: please)? "
_REQUEST: Final = pattern(
    r"\A\W*(?:(?:please|also|and|but|so|ok|okay|oh|just|now|actually|hey|no)[,.]? )*"
    rf"(?P<asks>{_ASKS})?(?:please )?(?:just )?"
    r"(?:forget|(?:do not|don['’]t) remember|stop remembering)"
    r"(?: about)?(?: what i (?:just )?(?:said|told you) about)? "
    r"(?:that (?P<told>(?:i|we|my|our|the|it|he|she|they)\b[^,;]{2,80}?)"
    r"|(?P<what>(?:my|our|the|where|what|when|how old|who|everything about) [^,;]{1,60}?))"
    r"(?:,? please)?[\s.!?]*\Z",
    _I,
)
# "Forget about calling Bob", "never mind the report": it is not to be done any more.
_DROPS: Final = pattern(
    r"\A\W*(?:(?:please|also|and|but|so|ok|okay|oh|just|now|actually|no|let['’]?s)[,.]? )*"
    r"(?:(?:never ?mind(?: about)?|don['’]?t bother (?:with|about))"
    r" (?:the |my |our |that )?(?P<thing>(?!that\b|it\b|this\b|me\b|you\b|what\b"
    r"|how\b)[^,;.]{3,50}?)"
    r"|(?:forget(?: about)?|never ?mind(?: about)?|skip|scrap|drop|no need for"
    r"|don['’]?t bother(?: with)?)"
    r" (?P<gerund>[a-z]+ing) (?P<what>[^,;.]{2,60}?)"
    r"|(?:(?:there(?:['’]s| is) |we have )?no need to|don['’]?t bother to) (?P<verb>[a-z]+)"
    r" (?P<rest>[^,;.]{2,60}?))"
    r"(?: any ?more| now| then| after all| please| for now)*[\s.!]*\Z",
    _I,
)
_DROPS_ZH: Final = pattern(
    r"\A\W*(?:算了|那|就|还是|先|也|你|[，,\s])*(?:(?P<bids>[别甭])|没必要|用不着|无需)[去来]*"
    rf"(?P<deed>(?:[给跟把帮](?![我你您])\s?[^，,；;]{{1,16}}?)?(?:{VERBS_ZH})[^，,；;]{{0,30}}?)(?:了"
    rf"|啦)[吧啊哦]?\W*\Z"
)
_ERRAND: Final = pattern(ERRANDS_ZH)
_POLITE_ZH: Final = r"(?P<asks>(?:请|麻烦|拜托|帮我|给我|你|您|就|可以|[，,\s])*)"
_POLITE: Final = pattern(r"[请烦托帮给可]")
_YOU: Final = pattern(r"[你您]")
_END_ZH: Final = (
    r"(?:这件事情?|这回事|这事|的事情?|这个信息|这一点)?(?P<end>(?:掉|了|吧|啊|哦)*)\W*\Z"
)
_REQUESTS_ZH: Final = (
    pattern(
        rf"\A\W*{_POLITE_ZH}把(?P<what>[^\s，,；;][^，,；;]{{1,40}}?)(?:都|给)?忘(?:掉|记"
        rf"|了)?{_END_ZH}"
    ),
    pattern(
        rf"\A\W*{_POLITE_ZH}(?P<verb>忘掉|忘记|忘了|(?:别|不要|不用)再?记(?![仇恨错混得挂])(?:住"
        rf"|着|录)?)"
        rf"(?P<what>[^\s，,；;][^，,；;]{{1,40}}?){_END_ZH}"
    ),
)
# 忘了买牛奶, 忘记带钥匙: somebody has forgotten to do it.
_TO_DO_ZH: Final = pattern(rf"(?:{VERBS_ZH}|告诉|[说问跟和带拿关锁吃喝给去])")
_OF_ZH: Final = pattern(r"\A(?:关于)?(?:我们?的|那个|这个)*")
_OF: Final = pattern(r"\A(?:my|our|the|everything about(?: my| our| the)?) ", _I)
_OWN: Final = pattern(r"my |我们?的", _I)
_ATTRIBUTES: Final = (
    (
        pattern(
            r"where (?:i|we) live|(?:home )?address|我?住(?:哪|在哪|址)\S*|(?:家庭)?[住地]址", _I
        ),
        "location",
    ),
    (pattern(r"where i work|employer|我?在哪\S{0,2}(?:工作|上班)|公司|单位", _I), "employer"),
    (pattern(r"how old i am|我?多大\S?|年[龄纪]|几岁", _I), "age"),
    (pattern(r"(?:what )?my name(?: is)?|我叫什么\S*", _I), "name"),
    (pattern(r"what i do|job|profession|职业|工作", _I), "role"),
)  # fmt: skip
"""What is known of somebody, by the names that it is asked by."""


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what a sentence asks to be forgotten."""
    text = sentence.text
    if said.source is not Source.USER:
        return
    if words := unkept(sentence, said):
        yield from _forgotten(words, sentence, said)
        return
    if len(text) > _LONGEST or not _SIGN.search(text):
        return
    if is_request(text):  # it means what was said last, unless something comes after it
        last = [] if sentence.offset < said.sentences[-1].offset else earlier_of(sentence, said)
        end = sentence.offset + len(text)
        yield from (retraction(one, one.text, sentence.offset, end) for one in last[:1])
        return
    if sentence.mood is not Mood.ASKED and (title := _dropped(text)):
        task = Candidate(type="tasks", value={"title": title}, text=title, rule="")
        yield retraction(task, text, sentence.offset, sentence.offset + len(text))
        return
    asked = _asked(text)
    if asked is None or (sentence.mood is Mood.ASKED and not asked[1]):
        return
    yield from _forgotten(asked[0], sentence, said)


def _forgotten(what: str, sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield the retractions of what some words mean."""
    end = sentence.offset + len(sentence.text)
    for place, one in enumerate(_meant(what, sentence, said)):
        gone = retraction(one, what, sentence.offset, end)
        rule = FORGOTTEN_TOO if place else FORGOTTEN
        yield replace(gone, rule=one.rule if one.rule.startswith(CALLED_OFF) else rule)


def _dropped(text: str) -> str:
    """Return what is not to be done any more, as a task would be called; empty if it is none."""
    if found := _DROPS.match(text):
        if found["thing"]:
            return str(found["thing"])
        verb = of_gerund(found["gerund"]) if found["gerund"] else found["verb"].lower()
        return f"{verb} {found['what'] or found['rest']}" if verb in VERBS else ""
    found = _DROPS_ZH.match(text)
    deed = found["deed"].strip() if found else ""
    # 别写注释了 tells an assistant how to go about its work.
    errand = found is None or found["bids"] is None or _ERRAND.match(deed)
    return deed if len(deed) > _LEAST_ZH and errand else ""


_LEAST_ZH: Final = 2


def _asked(text: str) -> tuple[str, bool] | None:
    """Return what is to be forgotten, and whether it is asked for politely."""
    if found := _REQUEST.match(text):
        return found["told"] or found["what"], bool(found["asks"])
    for form in _REQUESTS_ZH:
        found = form.match(text)
        if found and _is_request(found.groupdict()):
            return found["what"], bool(found["asks"])
    return None


def _is_request(found: dict[str, Any]) -> bool:
    """Tell whether somebody asks to forget, and has not forgotten something: 忘记密码了."""
    verb, end = found.get("verb") or "", found["end"]
    if verb not in ("忘了", "忘记") or _POLITE.search(found["asks"]):
        return True
    if _YOU.search(found["asks"]):
        return False  # 你忘了我的生日
    if "吧" in end:
        return True
    return verb == "忘记" and "了" not in end and not _TO_DO_ZH.match(found["what"])


def _meant(what: str, sentence: Sentence, said: Said) -> list[Candidate]:
    """Return what some words mean: what they state, or what is known of a thing."""
    if told := read_in(what, said):
        return told
    thing = _OF.sub("", _OF_ZH.sub("", what)).strip()
    attribute = next((name for form, name in _ATTRIBUTES if form.fullmatch(thing)), "")
    named = _named(thing, said, own=_OWN.match(what) is not None)
    if attribute:
        return [_of_user(attribute), *(one for one in named if one.type != PROFILE)]
    known = most_like(Restated(thing, 0, 0), earlier_of(sentence, said))
    if known and (not named or terms_of(thing) <= terms_of(known.text)):
        known = named_by(thing, known, ()) if known.type == PROFILE else known
    else:
        known = None
    if known and known.type not in ("facts", "events"):
        return [known]
    titled = list(by_title(thing, said))
    unknown = Candidate(type="facts", value={"subject": thing}, text="", rule="")
    return named or ([known] if known else titled) or [unknown]


def _named(thing: str, said: Said, *, own: bool) -> list[Candidate]:
    """Return what somebody would tell who told something of a thing, without what it is."""
    wide = any("\u3400" <= one <= "\u9fff" for one in thing)
    forms = (
        (f"{thing}是0", f"我的{thing}是0") if wide else (f"The {thing} is 0", f"My {thing} is 0")
    )
    for form in reversed(forms) if own else forms:
        if told := [one for one in read_in(form, said) if one.type in _HELD]:
            return [replace(one, value=_HELD[one.type](one.value)) for one in told]
    return []


def _without_value(value: Any) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name != "value"}


def _without_values(value: Any) -> dict[str, Any]:
    return {**value, "facts": [{**fact, "v": ""} for fact in value["facts"]]}


_HELD: Final = {
    "facts": _without_value,
    "preferences": _without_value,
    PROFILE: _without_values,
}
"""How the types that tell something of a thing leave out what it is."""


def _of_user(name: str) -> Candidate:
    """Return a fact about the user, whatever its value."""
    value = {"subject": "user", "facts": [{"k": name, "v": ""}]}
    return Candidate(type=PROFILE, value=value, text="", rule="")
