"""The English words that say too little to rank by; phrases keep them.

Lower-case, with straight apostrophes, as they stand in a text before stemming. Chinese has no list:
terms there are pairs of characters, and a pair that is everywhere weighs next to nothing anyway.
What nothing is found by alone is in `text.faint`.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.word_list import stored_words

_WORDS: Final = stored_words(__file__, "_WORDS")

STOP_WORDS: Final = frozenset(_WORDS.split())
