"""Standing instructions: how the user wants things done from now on (C1, C6).

In: a sentence. Out: the words of an instruction that is meant to last, and where they stand. A word
of permanence makes the difference: "make it shorter" is about now, "always keep it short" is not.
What is told of others, complaints ("it always crashes") and plans of one's own are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from smartbrain.remember.extract.moods import Mood
from smartbrain.remember.extract.preference_languages import LANGUAGES
from smartbrain.remember.extract.preference_words import topic_of
from smartbrain.remember.extract.said import Clause, Sentence
from smartbrain.remember.extract.standing_en import (
    ALWAYS_EN,
    MARKS,
    ORDER_EN,
    POLITE_EN,
    lasts,
    rule_en,
)
from smartbrain.remember.extract.standing_zh import FROM_NOW, rule_zh
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE


NAME_TO_USE: Final = "name_to_use"
"""What the preference is called that tells how the user wants to be called."""
RENAMED: Final = "preferences.renamed"
"""The rule of what goes, if it is there, because the user wants another name or that one again."""
NOT_CALLED: Final = "not_called"
"""The rule of a name that the user does not want to be called by; its name is that name."""


PERMITTED: Final = "preferences.permitted"
"""The rule of a ban that goes, if it is there, because the user allows what it forbids."""


class Instruction(NamedTuple):
    """An instruction: which rule found it, its words, its place in the message, its own name."""

    rule: str
    value: str
    offset: int
    length: int
    name: str = ""


_SIGN: Final = sign(
    r"\b(?:always|never|from (?:now|here|today|this point) on\w*|going forward|moving forward"
    r"|henceforth"
    r"|future|(?:every|each|any) ?(?:single )?time|at all times|when(?:ever)?|by default|rule"
    r"|any ?more|again|until further notice|permanently|stop|quit|don'?t|don’t|do not|no more"
    r"|call me|address me|refer to me"
    r"|answer|reply|respond|output|format|keep|speak|before|should|must|in all|in every|for all"
    r"|on every"
    r"|(?:every|any)thing you|whatever you|spare me|no need|(?:n'?t|n’t|not) (?:need|have) to"
    r"|you can (?:skip|drop|leave|stop)|(?:skip|drop|cut|lose) the)\b"
    r"|\b(?:please|pls|plz|thanks|thank you|only)\W*\Z"
    r"|以后|今后|往后|从现在|从今|从此|每次|每回|每当|一律|始终|永远|总是|统一|默认|优先|任何时候|凡是"
    r"|所有|不要再|别再|不许再|不(?:用|必|需要)再|(?:不要|别|不许|不准|不得|禁止)(?=[^，,。]{0,8}[A-Za-z/])"
    r"|的时候|时|之?前|必须|务必|一定|千万|[叫称]|用|无论|不管|都|同意|允许|许可|希望|[跟和对给]我",
    _I,
)

_IN_LANGUAGE: Final = pattern(
    rf"\A\W*{POLITE_EN}(?:answer|reply|respond|speak|talk)(?: to me| back| me)?(?: only"
    rf"| just)? in (?:{LANGUAGES})"
    r"(?: only)?(?:,? please)?\W*\Z"
    rf"|\A\W*(?:请)?(?:你)?(?:用|说|讲)\s*(?:{LANGUAGES})\s*(?:来)?(?:回答|回复|答复|交流|沟通"
    rf"|跟我说|和我说|说)我?(?:就好|就行|即可|吧)?\W*\Z"
    rf"|\A\W*(?:请)?(?:回答|回复|答复|交流|沟通)我?(?:时|的时候)?(?:请|都"
    rf"|要)?用\s*(?:{LANGUAGES})\W*\Z",
    _I,
)
_FORMAT: Final = (
    r"(?:markdown|md|json|ya?ml|xml|csv|html|latex|plain ?text|bullet points?|tables?|lists?"
    r"|表格|列表|要点|纯文本|分点|条目|大纲)"
)
_IN_FORMAT: Final = pattern(
    rf"\A\W*{POLITE_EN}(?:answer|reply|respond|output|format (?:it|answers|everything))"
    rf"(?: to me| me)?(?: only| just)? (?:in|as|with) (?:an? )?{_FORMAT}(?: format| form)?"
    r"(?: only)?(?:,? please)?\W*\Z"
    rf"|\A\W*(?:请|麻烦|你|都|统一|直接|尽量)*(?:使用|采用|用|以|按照?)\s*+{_FORMAT}\s*+的?"
    r"(?:格式|形式|样式|方式)?\s*+(?:来)?(?:输出|回答|回复|答复|返回|呈现)我?(?:就好|就行|即可|吧)?\W*\Z",
    _I,
)
_PATH: Final = r"(?:[\w.-]*[/\\][\w./\\-]*|[\w-]+\.[a-z]{1,5}\b)"
# What is not to be touched is a rule of the work, not of the moment.
_HANDS_OFF: Final = pattern(
    r"\A\W*(?:please\s+)?(?:don'?t|don’t|do not|never)\s+(?:ever\s+)?"
    rf"(?:touch|modify|edit|change|delete)\s+(?:(?:the|any|anything|files?|code)\s+)*(?:(?:in|under|inside)\s+)?{_PATH}"
    r"(?!.*\b(?:yet|for now|today|until|this time|right now)\b)"
    rf"|\A\W*(?:请|你)?(?:不要|别|不许|不准|不得|禁止)(?:去)?(?:动|改|修改|碰|删除?|编辑)\s*{_PATH}(?!.*先)"
    r"|\A\W*(?:请|你)?(?:不要|别|不许|不准|不得|禁止)直接?(?:往|向|在)\s*(?:main|master|主干|主分支)",
    _I,
)
_PLAINLY: Final = pattern(
    r"\A\W*(?:请|你)*(?:不要|别|不用|少)再?(?:用|使用|加|发|放|带|说|打)?\s*(?:那么多)?"
    r"(?:表情(?:符号|包)?|emoji|感叹号|敬语|客套话?|废话|markdown|套话)了?\W*\Z",
    _I,
)
_A_NAME: Final = pattern(
    r"(?-i:[A-Z])[\w'’-]*(?: (?-i:[A-Z])[\w'’-]*)*|buddy|bro|dude|sir|ma'?am|miss|mate"
    r"|dear|honey|boss|sweetie|man|pal|girl|kid"
    r"|(?![了加开干做吃喝去来帮出回过名])[\u3400-\u9fff]{2,4}",
    _I,
)
_CALL_ME: Final = pattern(
    r"\A\W*(?:(?:please|just|you can|you may|henceforth,?|from now on,?|feel free to|and|but|so|pls"
    r"|always|could you|can you)\s+)*"
    r"(?:don'?t |do not |never )?(?:call|address|refer to) me (?:as |by )?"
    r"(?P<name>(?-i:(?:Dr|Mr|Ms|Mrs|Prof)\.? )?(?-i:[A-Z])[\w'’-]*(?: (?-i:[A-Z])[\w'’-]*)*"
    r"|by my [\w ]+|(?<=don't call me )\w+|(?<=not call me )\w+|[\u3400-\u9fff]{1,6})"
    r"|\A\W*(?:请|你|您|你们|以后|可以|就|平时|直接|也|不要|别|再|都)*(?:叫|称呼|喊)我(?:为|作"
    r"|做)?\s*"
    r"(?P<zh>(?!起|吃|去|来|做|一[声下]|怎|什么|滚|写|帮|过|回|如何|啥|干|出|别|给|早"
    r"|明|的)[\u3400-\u9fff]{1,6}?|[A-Za-z]\w*)(?:就(?:行|好|可以)|吧|即可|了|好了)?\W*\Z",
    _I,
)

_ZH_ASKS: Final = pattern(
    rf"\A\W*(?:能不能|可不可以|可以|能|麻烦|请|你能|你可以|能否|可否)(?:请)?你?{FROM_NOW}"
)
_EN_ASKS: Final = pattern(
    r"\A\W*(?:(?:hey|hi|ok|so|and|also|please)[, ]+)*(?:can|could|would|will) you (?:please )?"
    r"(?:always|never|stop \w+ing\b (?!it|that\W)|from now on|start \w+ing .*from now on)",
    _I,
)
_ASKING: Final = pattern(
    r"\A\W*(?:(?:hey|hi|ok|so|and|also)[, ]+)*(?:can|could|would|will) you |\A\W*(?:能不能"
    r"|可不可以|可以|能否|可否|你能|你可以|能)你?|(?<![吗?？\s])[吗?？\s]++\Z",
    _I,
)
_ZH_SELF: Final = pattern(r"\A(?:我|因为|这样|不然|否则|免得|谢谢|另外我|而且我)")
_EN_SELF: Final = pattern(
    r"\A(?:and |but |so )?(?:i|we|he|she|they|it|that|this|thanks?|because|otherwise|my"
    r"|since)\b(?!'d like| want| need you)",
    _I,
)
_PERMITS: Final = sign(
    r"\W*+(?:(?:ok(?:ay)?|actually|oh|well|hey|so|and|but|btw|on second thought)[, ]++)*(?:"
    r"(?:using )?([\w-]+(?: [\w-]+){0,2}?) (?:are|is) (?:(?:now|totally|perfectly|actually|also) )*"
    r"(?:fine|ok(?:ay)?|allowed|welcome|alright)"
    r"|(?:you (?:can|may)|feel free to|it['’]s (?:fine|ok(?:ay)?) to) (?:(?:now|start) )*"
    r"(?:us(?:e|ing)|add|include) ([\w-]+(?: [\w-]+){0,2}?)"
    r"|i don['’]t mind ([\w-]+(?: [\w-]+)?))"
    r"(?:,? (?:now|again|after all|too|with me|by me|any ?more|in (?:your|the) (?:replies"
    r"|answers)))*\W*\Z",
    _I,
)
_PERMITS_ZH: Final = pattern(
    r"\W*+(?:(?:其实|现在|以后|你|那|又|好吧|也)[，,\s]*+){0,6}可以(?:再|重新|开始|继续){0,3}"
    r"(?:使?用|加|发|放|带)([^，,。吗]{1,10}?)(?:了|啦|没关系|的)*\W*\Z"
    r"|\W*+(?:其实|现在|以后|你){0,4}(?:使?用|加|发|放|带)([^，,。吗]{1,10}?)(?:也|是)?"
    r"(?:可以|没关系|没问题|没事|也行)(?:了|啦|的)*\W*\Z",
    _I,
)
# `code comments in English`, 注释用英文: an order by itself.
_ORDERS: Final = pattern(
    r"\W*+(?:(?:and|but|also|then|please|always|just|from now on,?|going forward,?) )*"
    r"(?:use|keep|write|put|add|no\b|don['’]?t"
    r"|do not|never|make|avoid|answer|reply|respond|indent|format|include|limit|skip"
    rf"|[a-z ]{{3,30}} (?:should be |must be )?in (?:{LANGUAGES})\W*\Z)"
    r"|\W*+(?:请|但|而|并且?|同时|另外|也){0,4}[^，,我他她它]{0,8}?(?:请|要|都|统一|一律|尽量|得|就){0,4}"
    r"(?:用|使用|不要|别|不用|写|加|保持|控制在|采用|放)",
    _I,
)
_LEADING: Final = pattern(
    r"\A\W*(?:when|whenever|for|in|on|with|if|during|as for|at|from now on|going forward"
    r"|every time|each time|any ?time"
    r"|before|after|please|and|also|ok|okay)\b"
    r"|\A(?:以后|今后|从现在|从今|每次|如果|凡是|只要|关于|对于|给我|帮我|在|往后|请)|(?:时|时候"
    r"|前|后|方面|起)\Z",
    _I,
)


def find_instructions(sentence: Sentence) -> Iterator[Instruction]:
    """Yield the standing instruction in a sentence, and every one that tells a name."""
    if not _SIGN.search(sentence.text):
        return
    if sentence.mood is Mood.ASKED and (
        _EN_ASKS.match(sentence.text) or _ZH_ASKS.match(sentence.text)
    ):
        yield _whole(sentence, "asked")
        return
    stated = stated_clauses(sentence)
    if sentence.mood is Mood.SUPPOSED and not stated:
        # "If you are unsure, always ask": the condition belongs to the instruction.
        stated = tuple(
            one
            for one in sentence.clauses
            if one.mood is Mood.STATED
            and (ALWAYS_EN.match(one.text) or (lasts(sentence.text) and ORDER_EN.match(one.text)))
        )
    for place, clause in enumerate(stated):
        rule = _rule(clause, sentence)
        if rule:
            first = _instruction(rule, clause, sentence)
            yield first
            if rule == "call_me":
                yield from _other_names(first, stated[place + 1 :], sentence)
            else:
                yield from _besides(first, stated[place + 1 :], sentence)
            return


def permitted(clause: str) -> str:
    """Return what a clause says the assistant may use or do after all: "emojis are fine"."""
    found = _PERMITS.match(clause) or _PERMITS_ZH.match(clause)
    return "" if found is None else next(filter(None, found.groups()))


def _besides(
    first: Instruction, clauses: Sequence[Clause], sentence: Sentence
) -> Iterator[Instruction]:
    """Yield what the clauses after an instruction order of other matters, each for itself."""
    done = first.offset + first.length
    for clause in clauses:
        if clause.offset >= done and _orders(clause):
            other = _instruction(first.rule, clause, sentence, after=done)
            done = other.offset + other.length
            yield other


def _orders(clause: Clause) -> bool:
    """Tell whether a clause orders something of a matter that is known, and needs no other."""
    topic = topic_of(clause.text)
    return bool(topic and topic.name) and _ORDERS.match(clause.text) is not None


def _other_names(
    first: Instruction, clauses: Sequence[Clause], sentence: Sentence
) -> Iterator[Instruction]:
    """Yield what the clauses after a name say of others: "don't call me Bob, call me Robert"."""
    told = {first.name}
    for clause in clauses:
        if _rule(clause, sentence) != "call_me":
            continue
        other = _instruction("call_me", clause, sentence)
        if other.name and other.name not in told:
            told.add(other.name)
            yield other


def _rule(clause: Clause, sentence: Sentence) -> str:
    """Return the rule by which a clause holds an instruction, else nothing."""
    if found := _CALL_ME.match(clause.text):
        return "call_me" if found["name"] or found["zh"] else ""
    if _IN_LANGUAGE.match(clause.text) or _IN_FORMAT.match(clause.text):
        return "answer_in"
    if _HANDS_OFF.match(clause.text):
        return "hands_off"
    if _PLAINLY.match(clause.text):
        return "plainly"
    if not clause.text.isascii() and (rule := rule_zh(clause, sentence)):
        return rule
    return rule_en(clause, sentence)


def _whole(sentence: Sentence, rule: str) -> Instruction:
    return Instruction(
        rule, MARKS.sub("", _ASKING.sub("", sentence.text)), sentence.offset, len(sentence.text)
    )


def _instruction(rule: str, clause: Clause, sentence: Sentence, after: int = 0) -> Instruction:
    """Return an instruction with the clauses around it that belong to it, if they come `after`."""
    clauses = sentence.clauses
    first = last = clauses.index(clause)
    if rule == "like_that" and first:
        first -= 1
    while first and clauses[first - 1].offset >= after and _LEADING.search(clauses[first - 1].text):
        first -= 1
    if rule == "call_me":
        first = last
    while rule != "call_me" and last + 1 < len(clauses):
        following = clauses[last + 1]
        if _ZH_SELF.match(following.text) or _EN_SELF.match(following.text):
            break
        if following.mood is Mood.STATED and _orders(following):
            told = [topic_of(one.text) for one in clauses[first : last + 1] if _orders(one)]
            if told and topic_of(following.text) not in told:
                break
        last += 1
    offset = clauses[first].offset
    end = clauses[last].offset + len(clauses[last].text)
    words = sentence.text[offset - sentence.offset : end - sentence.offset]
    value, name = MARKS.sub("", words), ""
    if rule == "call_me" and (found := _CALL_ME.match(clause.text)):
        called = found["name"] or found["zh"]
        if any(no in found[0].lower() for no in ("don't", "not ", "never", "别", "不要")):
            rule, name = NOT_CALLED, called if _A_NAME.fullmatch(called) else ""
        else:
            value, name = called, NAME_TO_USE
    return Instruction(rule, value, offset, end - offset, name)
