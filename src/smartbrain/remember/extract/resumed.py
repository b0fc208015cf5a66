"""What somebody takes up again: "I use vim again", 我又用 vim 了, "I'm back on vim" (C6, C11).

In: a clause. Out: the same without the word that says that it was so before, so that it is read as
what is so now. A clause that says nothing of the kind stays as it is.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = 80  # characters; what is said in a longer clause is no plain return
_SIGN: Final = sign(r"\bagain\b|\bback (?:to|on|with)\b|[又回]|重新|再次", _I)
_BACK: Final = pattern(
    r"(?:(?<=\bi)(?:['’]ve| have)?(?: just| recently| now| finally| since)*"
    r" (?:went|gone|switched|moved|changed|come|came) back to"
    r"|(?<=\bi)(?:['’]m| am)(?: now)? (?:going )?back (?:to|on|with))(?: using)? (?=\S)",
    _I,
)
_USING: Final = pattern(
    r"(?<=\bi)(?:(?:['’]m| am)(?: now)?|(?:['’]ve| have)?(?: just| recently)? (?:started|begun))"
    r" using (?=.*\bagain\W*\Z)",
    _I,
)
_AGAIN: Final = pattern(r",? (?:once )?again(?: now)?(?=\W*\Z)", _I)
_NOW: Final = r"(?P<who>我)(?:现在|最近|已经|终于|今年|都|也)*"
_RETURNED_ZH: Final = pattern(rf"{_NOW}(?:又|重新)*(?:用|换|改|切|改用|切换)回(?:了|到)?\s?(?=\S)")
_AGAIN_ZH: Final = pattern(
    rf"{_NOW}(?:又|重新|再次)(?:又|重新|再次|开始|再)*(?=[用住在是吃养喜爱叫有做当])"
)
_FALLEN_FOR: Final = pattern(r"(?:喜欢|爱)上(?=[^了])")
_OVER: Final = pattern(r"了(?=\W*\Z)")


def resumed(text: str) -> str:
    """Return a clause as it would be said by somebody who says it for the first time."""
    if len(text) > _LONGEST or not _SIGN.search(text):
        return text
    if text.isascii() or not (_RETURNED_ZH.search(text) or _AGAIN_ZH.search(text)):
        used = _USING.sub(" use ", _BACK.sub(" use ", text))
        return _AGAIN.sub("", used)
    if _RETURNED_ZH.search(text):
        return _OVER.sub("", _RETURNED_ZH.sub(r"\g<who>用 ", text, count=1))
    plain = _FALLEN_FOR.sub("喜欢", _AGAIN_ZH.sub(r"\g<who>", text, count=1))
    return _OVER.sub("", plain)
