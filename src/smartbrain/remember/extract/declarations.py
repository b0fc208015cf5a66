"""What the user asks to be remembered: "remember that …", 记住… (C1, C2, C6).

In: a sentence. Out: what the other finders read in the words after the request, or before it,
marked as declared, be it a denial or a correction; a statement that none of them takes becomes a
note, which is a fact under a key of its own words, and so does a denial of what nobody knows.
Whatever is given to be remembered by hand and asks nothing is kept.
"Remember to …" is a task and left to its finder; "do you remember …" and "I remember …" ask for
nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.keys import slug
from smartbrain.domain.quick import replace
from smartbrain.remember.extract import (
    decisions,
    events,
    facts,
    goals,
    preferences,
    profile,
    tasks,
)
from smartbrain.remember.extract.corrections_instead import FORGOTTEN
from smartbrain.remember.extract.finder import Finder, in_sentence
from smartbrain.remember.extract.moods import Mood, mood_of
from smartbrain.remember.extract.said import LONGEST_SENTENCE, Said, Sentence, sentence_at
from smartbrain.remember.extract.unkept import is_request
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.segment import tag
from smartbrain.text.stop_words import STOP_WORDS

INNER: Final[Sequence[Finder]] = (
    preferences.find,
    profile.find,
    tasks.find,
    decisions.find,
    goals.find,
    events.find,
    facts.find,
)
"""Who is asked what the words to be remembered say is so, in this order."""

NOTE: Final = "declarations.note"
"""The rule of words as a note: they are kept so where they have ended nothing that is known."""

DECLARED: Final = 0.9
"""How sure we are, at least, of what somebody asked to be remembered."""

_I: Final = 0x02  # re.IGNORECASE

_SIGN: Final = sign(
    r"\b(?:remember|mind|note|forget|record|store|save|memori[sz]e|reference|write|jot)\b|记|忘"
    r"|备忘|存",
    _I,
)
_OPENING: Final = pattern(
    r"\W*(?:(?:please|also|and|ok|okay|hey|hi|so|oh|well|just|always|btw|by the way"
    r"|one more thing|important"
    r"|(?:can|could|would|will) you|i(?:'d| would) like you to|i (?:want|need) you to"
    r"|you (?:should|must|need to)|try to|do|but)"
    r"[,:]?\s+)*+"
    r"(?:(?:remember|memori[sz]e|(?:keep|bear) (?:it |this )?in mind|make (?:a )?(?:mental )?note"
    r"|take note"
    r"|(?:don'?t|don’t|do not|never) forget|for (?:the|your) record|for (?:future|your) reference"
    r"|(?:note|write|jot) (?:this|that|it|the following|something)?\s?down|please note|note"
    r"|(?:store|save|record) (?:this|that|it|the following))"
    r"(?: (?:this|the following|one thing|it|please|down|for later|for me|for next time"
    r"|for the future|of this|somewhere|about me|in your memory|for future reference))*"
    r"(?:,? (?:and )?(?:please )?(?:store|save|keep|remember|note) (?:it|this|that))?)"
    r"(?P<link>\s*[:,\u2014-]\s*(?:that\s+)?|\s+(?:that|the fact that|how)\s+|\s+)",
    _I,
)
_OPENING_ZH: Final = pattern(
    r"\W*(?:(?:请|你|您|要|帮我|给我|替我|麻烦|一定|务必|千万|得|先|好好|对了|另外|还有|能不能"
    r"|可以|拜托|也)[，,\s]*)*+"
    r"(?:(?P<loose>记得|别忘了?|不要忘(?:记|了)?|勿忘)|记住|记一下|记下来?|记好了?|记牢|记着|牢记"
    r"|备忘|备注一下|记录一下|记个?笔记|存一下|保存一下|记一笔)"
    r"(?:了|啦|哦|啊|一点|这一?点|这件事|这个|以下(?:内容|信息|几点)?|如下|下面(?:这些|的)?"
    r"|一件事|一下|个事)*"
    r"(?P<link>\s*[，,：:、]\s*|\s*)"
)
_CLOSING: Final = pattern(
    r"(?<![,;.\s])[,;.\s]++(?:and |so )?(?:please,? )?(?:remember|memori[sz]e|note|store|save"
    r"|(?:keep"
    r"|bear)) (?:that|this|it)(?: in mind| down| for (?:later|me|next time"
    r"|the future))?(?:,? please)?\W*\Z"
    r"|(?<![，,。；;\s])[，,。；;\s]++(?:请|你|帮我|给我|要|麻烦|一定|先){0,8}(?:记住|记一下|记下来?|记好|记着"
    r"|备忘一下)(?:这(?:一?点|个|件事))?(?:了|哦|啊|吧|一下|哈)*\W*\Z",
    _I,
)
# After these words comes a memory of the past or something to do, nothing to keep.
_NO_STATEMENT: Final = pattern(
    r"(?:to|when|how|what|why|who|where|if|whether|the time|me|him|her|them|us|us\b|this|that one"
    r"|about|\w+ing)\b|[?？]",
    _I,
)
# What is told to everybody is advice, not something to keep.
_ADVICE: Final = pattern(
    r"(?:sometimes|life|everyone|everybody|nobody|no one|no matter|we all|nothing is|everything"
    r"|people|the best things?)\b|有时候?|人生|生活|每个人|谁都|人都|人总|没有人|一切都",
    _I,
)
_ASKS: Final = pattern(
    r"\b(?:can|could|would|will|like|want|need) you\b|\bplease\b|\b(?:ok|okay|alright)\W*\Z"
    r"|能不能|可以|拜托|麻烦|请|帮我|给我|替我|[好行]吗\W*\Z|好不好\W*\Z",
    _I,
)
_TO_DO: Final = pattern(r"去|要去|带|买|给|吃|喝|提醒|早点|按时|问|打|发|交|回")
_ORDER: Final = pattern(r"[别请先要早去]|不要|一定|务必|记得")
_NAME: Final = pattern(r"[这那](?:[个家位款座本种门]\w{1,3}|人)\Z")
_PLAIN: Final = 5  # characters, or words
_LONGEST: Final = 500  # characters of what is shown, to be kept as a note
_VERB: Final = pattern(
    r"\b(?:is|are|was|were|isn'?t|aren'?t|has|have|had|does|do|doesn'?t|don'?t|can|can'?t|cannot"
    r"|'m|am|must|should|will|won'?t|costs?|lives?|works?"
    r"|needs?|starts?|ends?|opens?|closes?|goes|go|takes?|runs?|uses?|likes?|hates?|prefers?"
    r"|keeps?|stands for|means|belongs?|expires?|gets?|became|owes?|'s|'re)\b"
    r"|是|在|有|为|叫|等于|不能|会|要|需要|属于|位于|归|用|只|不|都|得|放|住|用于|代表|负责|写着"
    r"|到|能",
    _I,
)
_WIDE_FIRST: Final = pattern(r"[\u3400-\u9fff]")
_COLON: Final = pattern(r"[:：]")
_QUOTES: Final = "\"'“‘「『 "
_MARKS: Final = ",.;:!\"'“”‘’"
_I_FIRST: Final = pattern(r"(?:i|i'm|i've|i'd|my|we|our)\b|我", _I)
_SUBJECT_LENGTH: Final = 40


def find(sentence: Sentence, said: Said, inner: Sequence[Finder] = INNER) -> Iterator[Candidate]:
    """Yield what the user asks to be remembered in a sentence.

    Args:
        sentence: what is said.
        said: the message it is part of.
        inner: the finders that are asked about the words to be remembered.
    """
    if said.source is not Source.USER or not (
        _SIGN.search(sentence.text) or _announced(sentence, said)
    ):
        return
    rest, noted = _rest(sentence, said)
    if rest is not None:
        found = _taken(rest, _with(rest, sentence, said), inner)
        ends = any(one.action is CandidateAction.RETRACT for one in found)
        noted = noted or any(one.type == "profile" for one in found)
        if (ends or not found) and noted and _is_statement(rest, said):
            found += _kept(rest, said, found)
        yield from found
    elif shown := _shown_after(sentence, said):
        yield _noted(shown, said)


def declared(said: Said, inner: Sequence[Finder]) -> Iterator[Candidate]:
    """Yield all that a message says which was given to be remembered; its questions say nothing."""
    shown = said.text.strip()
    if said.handed or not said.sentences:  # a text as a whole
        if 0 < len(shown) <= LONGEST_SENTENCE and mood_of(shown) is not Mood.ASKED:
            yield _noted(sentence_at(shown, said.text.index(shown)), said)
        return
    for sentence in said.sentences:
        found = _taken(sentence, said, inner)
        asks = sentence.mood is Mood.ASKED or is_request(sentence.text)
        if not asks and tidy(sentence.text):
            found += _kept(sentence, said, found)
        yield from found


def asked(sentence: Sentence, said: Said) -> Sentence | None:
    """Return the words of a sentence that the user asks to be remembered, or not to be forgotten.

    The request may follow something else: "That's all, and remember Project Phoenix".
    """
    if said.source is not Source.USER:
        return None
    if not _SIGN.search(sentence.text):
        return sentence if _announced(sentence, said) else None
    rest, _ = _rest(sentence, said, forgetting=True)
    for clause in sentence.clauses[1:] if rest is None else ():
        last = sentence.text[clause.offset - sentence.offset :]
        if _SIGN.search(clause.text):
            rest, _ = _rest(sentence_at(last, clause.offset), said, forgetting=True)
    return rest


def _taken(rest: Sentence, said: Said, inner: Sequence[Finder]) -> list[Candidate]:
    """Return what other finders read in words that are to be remembered."""
    return [
        one
        if one.action is CandidateAction.RETRACT
        else replace(one, declared=True, confidence=max(one.confidence, DECLARED))
        for one in in_sentence(rest, said, inner)
    ]


def _with(rest: Sentence, sentence: Sentence, said: Said) -> Said:
    """Return a message in which the words to be remembered stand without the request."""
    own = tuple(rest if one == sentence else one for one in said.sentences)
    return replace(said, sentences=own)


def _kept(rest: Sentence, said: Said, found: Sequence[Candidate]) -> list[Candidate]:
    """Return words as a note, if nothing was found in them, or nothing but what is not so.

    What is to be forgotten is not kept in other words.
    """
    denies = all(one.action is CandidateAction.RETRACT for one in found)
    forgets = any(one.rule.startswith(FORGOTTEN) for one in found)
    return [_noted(rest, said)] if denies and not forgets else []


def _rest(
    sentence: Sentence, said: Said, *, forgetting: bool = False
) -> tuple[Sentence | None, bool]:
    """Return the words to be remembered, and whether they may be a mere note.

    `forgetting` also takes what is not to be forgotten, which is often something to do.
    """
    text = sentence.text
    opening = _OPENING.match(text) or _OPENING_ZH.match(text)
    if opening and opening.end() < len(text):
        rest = text[opening.end() :]
        told = bool(opening["link"].strip())
        loose = opening.groupdict().get("loose") or "forget" in opening[0].lower()
        loose = loose and not forgetting
        if not told and (
            _NO_STATEMENT.match(rest) or _TO_DO.match(rest) or (loose and not _I_FIRST.match(rest))
        ):
            return None, False
        # A request may be put as a question, what is to be remembered is none; but "remember
        # that game?" only asks.
        if text.rstrip().endswith(("?", "？")) and not _ASKS.search(text):
            return None, False
        shown = rest.rstrip("?？ ") if text.rstrip().endswith(("?", "？")) else rest
        # "Remember, small things count" is advice; only a plain request makes a note of the rest.
        asked = opening[0].lower().rstrip()
        noted = not asked.endswith(("remember", "remember,", "forget", "forget,"))
        return sentence_at(shown, sentence.offset + opening.end()), noted
    if closing := _CLOSING.search(text):
        return sentence_at(text[: closing.start()], sentence.offset), False
    if _announced(sentence, said):
        return sentence, True
    return None, False


def _announced(sentence: Sentence, said: Said) -> bool:
    """Tell whether the sentence before is nothing but a request to remember what comes."""
    place = bisect_left(said.sentences, sentence.offset, key=lambda one: one.offset)
    if not place or len(said.sentences[place - 1].text) > _SUBJECT_LENGTH:
        return False
    text = said.sentences[place - 1].text.rstrip(".!。！:： ") + ": "
    opening = _OPENING.match(text) or _OPENING_ZH.match(text)
    return opening is not None and opening.end() == len(text)


def _shown_after(sentence: Sentence, said: Said) -> Sentence | None:
    """Return what stands between marks or in a block after a mere request to remember it."""
    end = sentence.offset + len(sentence.text)
    place = bisect_left(said.sentences, end, key=lambda one: one.offset)
    after = said.sentences[place].offset if place < len(said.sentences) else len(said.text)
    shown = said.text[end:after].strip()
    text = sentence.text.rstrip(":： ") + ": "
    opening = _OPENING.match(text) or _OPENING_ZH.match(text)
    if not (opening and opening.end() == len(text) and tidy(shown)):
        return None
    return sentence_at(shown, said.text.index(shown, end)) if len(shown) <= _LONGEST else None


def _is_statement(rest: Sentence, said: Said) -> bool:
    """Tell whether words that no finder took state something to keep."""
    clause = rest.clauses[0] if rest.clauses else None
    if clause is None or rest.mood is Mood.ASKED or not tidy(rest.text):
        return False
    if _NO_STATEMENT.match(clause.text) or _ADVICE.match(clause.text):
        return False
    return bool(_VERB.search(clause.text, 1)) or _is_plain(clause.text, rest, said)


def _noted(rest: Sentence, said: Said) -> Candidate:
    """Return words as a fact of its own, quotations in them as well."""
    words = tidy(said.text[rest.offset : rest.offset + len(rest.text)])
    subject = _subject(words, rest, said)
    told = words[len(subject) :] if words.startswith(subject) else words
    about = [word for word in told.split() if not _is_empty(word)]
    return Candidate(
        type="facts",
        value={"subject": subject, "attribute": slug(" ".join(("note", *about))), "value": words},
        text=words,
        rule=NOTE,
        source=said.source,
        confidence=DECLARED,
        offset=rest.offset,
        length=len(rest.text),
        declared=True,
    )


def _subject(words: str, rest: Sentence, said: Said) -> str:
    """Return what a note is about: what stands before its verb or a time, else its first words."""
    words = words.lstrip(_QUOTES)
    if _I_FIRST.match(words):
        return "user"
    wide = _WIDE_FIRST.match(words)
    ends = [one.start() for one in (_VERB.search(words, 1), _COLON.search(words)) if one]
    if not words.isascii():
        ends += [end for one in said.times(rest) if (end := words.find(one.words)) > 0]
    if ends:
        subject = words[: min(ends)]
    elif wide:
        subject = tag(words)[0][0]
    else:
        first = words.split()[: _PLAIN - 2]
        empty = [at for at, word in enumerate(first) if at and _is_empty(word)]
        subject = " ".join(first[: min(empty, default=len(first))])
    subject = tidy(subject)[:_SUBJECT_LENGTH].strip()
    return subject if any(map(str.isalnum, subject)) else "user"


def _is_empty(word: str) -> bool:
    """Tell whether a word says too little to tell two notes apart; a capital may be a name."""
    plain = word.strip(_MARKS)
    return not plain or (plain.lower() in STOP_WORDS and (len(plain) > 1 or plain in "aI"))


def _is_plain(text: str, rest: Sentence, said: Said) -> bool:
    """Tell whether words without a verb that we know are a statement, by what is before them."""
    before = said.text[: rest.offset].rstrip().lower()
    if _WIDE_FIRST.match(text):
        return len(text) > _PLAIN and not _ORDER.match(text) and not _NAME.search(text)
    told = before.endswith((" that", ":", "：")) or _WIDE_FIRST.match(before[-1:])
    return bool(told) and len(text.split()) > 1
