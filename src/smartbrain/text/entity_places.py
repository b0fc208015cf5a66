"""Places by name, in English and Chinese: what the recogniser of entities knows without a model.

In: nothing. Out: word lists, read when first asked for. `=` joins the two names of one place, `_`
stands for a blank. Not a gazetteer: countries, and the cities that people speak of.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from smartbrain.text.word_list import stored_words, word_set

_COUNTRIES: Final = stored_words(__file__, "_COUNTRIES")

_CHINA: Final = stored_words(__file__, "_CHINA")

_CITIES: Final = stored_words(__file__, "_CITIES")

# Names that mean something else as often: they need a word such as "in" before them.
UNSURE_PLACES: Final = word_set(stored_words(__file__, "UNSURE_PLACES"))


@cache
def places() -> dict[str, tuple[str, str]]:
    """Return the places by name, English ones in lower case: the name as written, and the other."""
    found: dict[str, tuple[str, str]] = {}
    for entry in f"{_COUNTRIES} {_CHINA} {_CITIES}".split():
        english, _, chinese = entry.replace("_", " ").partition("=")
        if english:
            found[english.lower()] = (english, chinese)
        if chinese:
            found[chinese] = (chinese, english)
    for name in UNSURE_PLACES:
        found.setdefault(name, (name.title(), ""))
    return found
