"""The small words by which an English clause is read: pronouns, auxiliaries, prepositions (C7).

In: nothing. Out: word lists for `statements_en`, which says what they mean.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.statement_words import Verb
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import stored_words, word_set

WORD: Final = pattern(r"[^\W\d_][\w’'-]*|\d[\w.,:%]*|[^\w\s]")
SPLIT: Final = pattern(r"(?i)(\w+)(n['’]t|['’](?:s|re|m|ve|ll|d))\Z")
SPEAKER: Final = frozenset(("i", "we"))
PRONOUNS: Final = word_set(
    """
    he she it they this that these those who someone somebody everyone everybody there one
    """
)
SUBJECTS: Final = frozenset(("i", "we", "you", "he", "she", "they"))
OBJECT_PRONOUNS: Final = word_set(stored_words(__file__, "OBJECT_PRONOUNS"))
DETERMINERS: Final = word_set(stored_words(__file__, "DETERMINERS"))
ADJECTIVES: Final = word_set(stored_words(__file__, "ADJECTIVES"))
BE: Final = frozenset(("is", "are", "was", "were", "am", "be", "been", "being", "'s", "'re", "'m"))
HAVE: Final = frozenset(("has", "have", "had", "'ve"))
MODALS: Final = word_set(
    """
    will would can could should must may might shall do does did 'll 'd wo ca sha cannot
    """
)
NEGATIONS: Final = frozenset(("not", "n't", "never", "hardly", "cannot"))
# How something is done.
MANNERS: Final = word_set(stored_words(__file__, "MANNERS"))
MEANS: Final = word_set(stored_words(__file__, "MEANS"))
WAYS: Final = frozenset(
    ("on foot", "in person", "in silence", "in private", "in secret", "by heart")
    + tuple(f"with {one}" for one in ("care", "ease", "difficulty", "enthusiasm", "caution"))
    + tuple(f"with {one}" for one in ("patience", "confidence", "pride", "joy", "pleasure"))
)
OWING: Final = frozenset(("due", "owing", "thanks"))
DUE_TO: Final = "due to"
ADVERBS: Final = MANNERS | word_set(
    """
    just already also always often usually still sometimes recently finally now then really
    actually currently only ever even soon quickly slowly together again almost probably
    definitely certainly clearly generally mostly normally regularly rarely seldom once twice
    first later today tomorrow yesterday tonight here there well very much too alone early late
    away back up down out off over around hard successfully accidentally immediately suddenly
    simply please all both home yet so far ago quite rather pretty fast carefully happily
    """
)
STOPS: Final = word_set(stored_words(__file__, "STOPS"))
PLACED: Final = word_set(
    """
    in at inside near on from into onto under behind outside around through across beside
    """
)
OTHER_PREPOSITIONS: Final = word_set(
    """
    about of as like against during without between among over by for with to using via per
    """
)
LEADS: Final = word_set(stored_words(__file__, "LEADS"))
SAYING: Final = word_set(stored_words(__file__, "SAYING"))
TO: Final = frozenset(("going", "have", "has", "had", "used", "need", "needs", "needed", "got"))
CHAINED: Final = word_set(
    """
    want plan like hate try start stop promise forget agree prefer enjoy refuse need
    """
)
INTENDING: Final = word_set("decide choose hope intend offer manage learn expect ask")
SOCIAL: Final = word_set("meet speak argue agree discuss fight")
WITH_TOOL: Final = word_set(
    """
    write cut make fix build draw pay open design create clean
    """
)
GIVING: Final = word_set("give send lend show teach bring pay sell buy ask")
PHRASAL: Final = {
    ("choose", "up"): Verb("pick_up"),
    ("give", "up"): Verb("give_up"),
    ("find", "out"): Verb("find_out"),
    ("break", "up"): Verb("break_up"),
    ("take", "over"): Verb("take_over"),
    ("put", "off"): Verb("postpone"),
    ("hang", "out"): Verb("hang_out"),
    ("run", "out"): Verb("run_out"),
    ("throw", "away"): Verb("throw"),
    ("move", "in"): Verb("move", to_place=True),
    ("lead", "to"): Verb("cause"),
}
SAME_IN_PAST: Final = word_set("cut hit put read quit hurt shut")
