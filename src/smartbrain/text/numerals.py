"""Numbers written in Chinese numerals, such as 十五, 二百零三 or 二〇二五.

In: numerals or ASCII digits. Out: a whole number below 10,000, or None for what is not one number,
such as the estimate 两三.
"""

from __future__ import annotations

from typing import Final

NUMERALS: Final = "零〇一二两三四五六七八九十百千"
"""The characters that numbers below 10,000 are written in."""

_DIGITS: Final = {"〇": 0, "两": 2} | dict(zip("零一二三四五六七八九", range(10), strict=True))
_SCALES: Final = {"十": 10, "百": 100, "千": 1000}


def chinese_number(words: str) -> int | None:
    """Return the number that Chinese numerals or ASCII digits below 10,000 write, if they do."""
    if words.isdecimal():
        return int(words)
    if all(sign in _DIGITS for sign in words):
        # Digits in a row are read one by one, as in 二〇二五; 两三 is an estimate, no number.
        read = "".join(str(_DIGITS[sign]) for sign in words)
        return int(read) if len(read) in (1, 4) else None
    total, digit, scale_before = 0, None, 10_000
    for sign in words:
        if sign in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[sign]
            continue
        scale = _SCALES[sign]
        if scale >= scale_before:
            return None
        total += scale * (digit if digit is not None else 1)
        digit, scale_before = None, scale
    return total + (digit or 0)
