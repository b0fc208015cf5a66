"""What somebody says in passing about things to do: deeds, and a bare "done" (C1, K11).

In: what was read of a step, and what was said before it. Out: claims that count only where they
reach an open task or goal. "I bought the milk" is chit-chat unless buying milk was to be done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.claim import Say
from smartbrain.remember.extract.correction_words import read as correction_in
from smartbrain.remember.extract.deeds import LEAST, is_bare, told_apart, words_of
from smartbrain.remember.extract.stated import stated_clauses
from smartbrain.remember.extract.tasks_blocked import held_up
from smartbrain.remember.extract.unsettled import is_awaited
from smartbrain.remember.fold.deeds import AIMS, read_deed
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from smartbrain.domain.turn import Turn
    from smartbrain.remember.extract.said import Said
    from smartbrain.remember.extract.turn import Read

MAX_DEEDS: Final = 20  # of one step; a text that tells more is no talk
DEED: Final = "tasks.past"
"""The rule of something that was told in passing as done."""
AT_A_WORD: Final = "tasks.at_a_word"
"""The rule of a bare "done", which names nothing itself."""
_DONE: Final = pattern(
    r"\W*(?:(?:ok|okay|yes|yep|yeah|好的?|嗯)\W+)?(?:(?:(?:it|that|this)(?:['’]s| is| has been) )?"
    r"(?:(?:all|now|finally|just|already) )*(?:done|finished|fixed|completed|sorted)(?: now)?"
    r"|(?:都|已经|终于|总算|这个|那个)*(?:搞定|完成|做完|做好|弄好|弄完|办好|办完|修好)[了啦])"
    r"(?:\W+(?:thanks|thank you|谢谢))?[\s.!。！~～]*\Z",
    0x02,
)
_GOES_ON: Final = pattern(
    r"\W*(?:(?:ok|okay|yes|yep|yeah|good news|update|好的?|嗯|好消息)\W+)?"
    r"(?:(?:(?:i|we|it|that|this)(?:['’](?:m|re|s)| am| are| is| got) )?(?:(?:all|now|finally"
    r"|just) )*"
    r"(?:no longer (?:blocked|stuck)|not (?:blocked|stuck) any ?more|unblocked|back on track"
    r"|resolved)"
    r"(?: now)?|(?:现在|终于|总算|已经|都|问题|这个|那个)*(?:不(?:再)?卡(?:住)?了|不阻塞了"
    r"|(?:可以|能)继续了"
    r"|解决[了啦]|通了|解除阻塞了?))(?:\W+(?:thanks|thank you|谢谢))?[\s.!。！~～]*\Z",
    0x02,
)


def find_remarks(read: Read, previous: Turn | None) -> list[Candidate]:
    """Return what the messages of a step say in passing about tasks and goals."""
    spoken = _spoken_words(previous)
    found = [*_bare_remarks(read, spoken)]
    for index, said in read.said:
        told_of = [name for name, aim in AIMS.items() if said.source in aim.told_by]
        if not told_of:
            continue
        for text, offset in _deeds(index, said, read.candidates):
            if is_bare(text) or not _could_reach(text):
                continue
            found += [
                _remark(name, index, said, text, offset, DEED, {"deed": True}) for name in told_of
            ]
    return found[:MAX_DEEDS]


def needs_previous(read: Read) -> bool:
    """Tell whether a message of the user is a bare remark, which speaks of what was said before."""
    return any(
        _say_of_remark(said) is not None for _, said in read.said if said.source is Source.USER
    )


def _bare_remarks(read: Read, spoken: Sequence[str]) -> Iterator[Candidate]:
    """Yield a bare "done" or "no longer blocked" of the user, with the words it may be about."""
    if not spoken:
        return
    for index, said in read.said:
        remark = _say_of_remark(said) if said.source is Source.USER else None
        if remark is None:
            continue
        say, why = remark
        first = said.sentences[0]
        detail = {"spoken": list(spoken), "say": say.value, "why": why}
        yield _remark("tasks", index, said, first.text, first.offset, AT_A_WORD, detail)
        return


def _say_of_remark(said: Said) -> tuple[Say, str] | None:
    """Return what a bare remark says of a task, and why it is held up."""
    first = said.sentences[0] if said.sentences else None
    if first is None:
        return None
    if _GOES_ON.match(first.text):
        return Say.DOING, ""
    why = held_up(first.text) if stated_clauses(first) else ""
    if why:
        return Say.BLOCKED, why
    return (Say.DONE, "") if _DONE.match(first.text) else None


def _spoken_words(previous: Turn | None) -> list[str]:
    """Return the telling words of the turn before."""
    texts = [message.content for message in previous.messages] if previous else []
    return list(words_of("\n".join(texts)))


def _remark(
    type_name: str,
    index: int,
    said: Said,
    text: str,
    offset: int,
    rule: str,
    detail: Mapping[str, object],
) -> Candidate:
    return Candidate(
        type=type_name,
        text=text,
        rule=rule,
        source=said.source,
        confidence=0.85,
        message=index,
        offset=offset,
        length=len(text),
        detail=detail,
    )


def _could_reach(text: str) -> bool:
    """Tell whether there can be anything that a deed reaches: it names what was done to what."""
    deed = read_deed(text)
    return deed is not None and (deed.put_off or len(deed.words) >= LEAST)


def _deeds(index: int, said: Said, candidates: Sequence[Candidate]) -> Iterator[tuple[str, int]]:
    """Yield what of a message tells a deed, and where, if no task was found there already."""
    taken = [
        (one.offset, one.offset + one.length)
        for one in candidates
        if one.type == "tasks" and one.message == index
    ]
    without = set()  # clauses that tell none, of which a long message may have many alike
    for sentence in said.sentences:
        for clause in stated_clauses(sentence):
            end = clause.offset + len(clause.text)
            if clause.text in without:
                continue
            if any(start < end and clause.offset < stop for start, stop in taken):
                continue
            if is_awaited(sentence.text, end - sentence.offset):
                continue
            told = [(*one, read_deed(one[1])) for one in told_apart(clause.text)]
            if not any(deed for _, _, deed in told):
                without.add(clause.text)
            for place, part, deed in told:
                if deed and (deed.done or correction_in(sentence)):
                    yield part, clause.offset + place
