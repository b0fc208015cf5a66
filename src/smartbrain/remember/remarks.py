"""A bare word about a thing to do: "done", "I'm blocked by legal", 搞定了, 可以继续了 (C1, K11).

In: what was read of a step, and the turn before it. Out: a claim with the words spoken before,
which counts only where these name one open task.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from smartbrain.domain.claim import Candidate, Say, Source
from smartbrain.remember.match import words_of

if TYPE_CHECKING:
    from smartbrain.domain.turn import Turn
    from smartbrain.remember.read_turn import TurnReading

_MAX_LENGTH: Final = 80
_YES: Final = r"\W*(?:(?:ok|okay|yes|yep|yeah|update|good news|好的?|嗯|好消息)\W+)?"
_SUBJECT: Final = (
    r"(?:(?:i|we|it|that|this)(?:['’](?:m|re|s)| am| are| is| has been| got) )?"
    r"(?:(?:all|now|finally|just|already) )*"
)
_THANKS: Final = r"(?: now)?(?:\W+(?:thanks|thank you|谢谢))?[\s.!。！~～]*\Z"
_REMARKS: Final = {
    Say.DOING: rf"{_SUBJECT}(?:no longer (?:blocked|stuck)|not (?:blocked|stuck) any ?more"
    r"|unblocked|back on track)"
    r"|(?:现在|终于|总算|已经|都)*(?:不再?卡住?了|不阻塞了|(?:可以|能)继续了|解除阻塞了?)",
    Say.DONE: rf"{_SUBJECT}(?:done|finished|fixed|completed|sorted)"
    r"|(?:都|已经|终于|总算|这个|那个)*(?:搞定|完成|做完|做好|弄好|弄完|办好|办完|修好)[了啦]",
}
_SAYS: Final = {
    say: re.compile(f"{_YES}(?:{words}){_THANKS}", re.IGNORECASE) for say, words in _REMARKS.items()
}
_BLOCKED: Final = re.compile(
    rf"{_YES}(?:i|we)(?:['’](?:m|re)| am| are)(?: still| currently| now)*"
    r" (?P<en>(?:blocked|held up|stuck|stalled) (?:by|because of|due to|on)"
    r" \S[^.;!?\n]{1,80}?)\W*\Z"
    r"|\W*(?:我们?|咱们?|这边)(?:现在|目前|还是?|又|一直)*(?P<zh>被\s?\S[^，,。]{0,30}?\s?"
    r"(?:卡住|卡着|阻塞|耽误|拖住))了?\W*\Z",
    re.IGNORECASE,
)


def find_remarks(read: TurnReading, previous: Turn | None) -> list[Candidate]:
    """Returns the first bare word of a user's message about what was spoken of before it."""
    texts = [message.content for message in previous.messages] if previous else []
    spoken = list(words_of("\n".join(texts)))
    for index, said in read.said if spoken else ():
        first = said.sentences[0] if said.sentences else None
        remark = _read_remark(first.text) if first and said.source is Source.USER else None
        if first and remark:
            return [
                Candidate(
                    type="tasks",
                    text=first.text,
                    rule="tasks.bare_word",
                    source=said.source,
                    confidence=0.85,
                    message=index,
                    offset=first.offset,
                    length=len(first.text),
                    detail={"spoken": spoken, "say": remark[0].value, "why": remark[1]},
                )
            ]
    return []


def _read_remark(text: str) -> tuple[Say, str] | None:
    """Returns what a bare remark says of a task, and why it is held up."""
    if len(text) > _MAX_LENGTH:
        return None
    if blocked := _BLOCKED.match(text):
        return Say.BLOCKED, (blocked["en"] or blocked["zh"]).strip()
    return next(((say, "") for say, words in _SAYS.items() if words.match(text)), None)
