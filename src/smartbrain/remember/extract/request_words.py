"""How people ask for something to be done with words, in Chinese and English, as parts of patterns.

Out: how a request begins and is put politely, what may stand inside of it, and by what somebody
comes back to their own words after it.
"""

from __future__ import annotations

from typing import Final

BEGINS: Final = r"(?<![^\n.!?。！？,，;；~～])[ \t]*+"
"""A request begins a line, a sentence or a clause."""
POLITE: Final = (
    r"(?:(?:please|pls|kindly|hey|hi|hello|ok|okay|now|also|then|so|and|just|thanks)[, ]++){0,8}+"
    r"(?:(?:can|could|would|will) you (?:(?:please|kindly|also|just) ){0,4}(?:help me (?:to )?)?"
    r"|(?:please )?help me (?:to )?|i(?:'d like| would like| want| need) you to |let's )?"
)
"""What stands before the verb."""
POLITE_ZH: Final = (
    r"(?:请|麻烦|帮忙|帮我?|给我们?|替我|为我|能不能|能否|可不可以|可以|你|您|再|先|来|也|直接)"
)
"""One of the words before the verb, of which there may be several."""
GAP: Final = r"[^.!?。！？:：\n]"
"""A character inside of a request."""
OWN_AGAIN: Final = (
    r"(?:by the way|btw|as for me|(?:also,? )?(?:please )?remember (?:that|this)"
    r"|另外[，,]|对了[，,]|顺便|至于我|(?:请|帮我|另外|也)*记(?:住|一下))"
)
"""How somebody goes on with something of their own."""
