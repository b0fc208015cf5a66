"""What tells a name in Latin letters: its form, its endings, the words around it.

In: nothing. Out: patterns and word lists for `entities_en`, which says what they mean.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.text.entity_people import (
    TITLES,
)
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import stored_words, word_set

ANY_CASE: Final = re.IGNORECASE
LETTER: Final = "A-Za-z\u00c0-\u024f"
TOKEN: Final = pattern(
    rf"(?<![{LETTER}0-9_@/\\])\.?[{LETTER}0-9]++(?:[.&'’-][{LETTER}0-9]+)*+(?:\+\+|\#)?"
)
STARTS: Final = pattern(r"(?:\A|[.!?。！？:：\n\"“「(（•·>*])\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)?\Z")
HAN: Final = pattern("[\u3400-\u9fff，。！？、；：]")
USED: Final = pattern(
    r"(?:\b(?:use|uses|used|using|in|with|via|to|from|learn|learning|install|installed|installing"
    r"|written in|on|of|vs\.?|versus|or|than|try|tried|between|and|like|love|prefer|for|know|into"
    r"|open|over|by|behind|at|buy|bought|join|joined)|[用学在装和跟写]|[\u4e00-\u9fff]) ?\Z",
    ANY_CASE,
)
USING: Final = pattern(
    r"\b(?:use|uses|used|using|via|install|installed|installing|learn|learning|switch(?:ed)? to"
    r"|migrat\w+ (?:to|from))(?: the)? \Z"
)
GOING: Final = pattern(
    r"\b(?:in|to|from|near|around|at|visit|visits|visited|visiting|leave|leaving|left|via|of|through"
    r"|toward|towards|outside|reach|reached|into|across|between|and|or) (?:the )?\Z",
    ANY_CASE,
)
ANNOUNCED: Final = pattern(
    r"(?:'s\b| (?:announced|released|is|has|just|will|said|bought|reported|launched|and|or|vs)\b"
    r"| ?[和跟与的])"
)
CAMEL: Final = pattern(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+[A-Z]*|[A-Z][a-z]{2,}[A-Z]{2,}\Z")
NOT_CAMEL: Final = pattern(
    r"(?:Mc|Mac|De|Di|La|Le|Du|Van|Fitz|O)[A-Z][a-z]+\Z|.*(?:Exception|Error)\Z"
)
ORG_END: Final = pattern(
    r"(?:Inc|Ltd|LLC|LLP|GmbH|Corp|Corporation|Limited|PLC|plc|AG|SE|NV|BV|Oy|AB|SpA|University"
    r"|College|Institute|Bank|Hospital|Clinic|Foundation|Group|Labs?|Technologies|Systems|Solutions"
    r"|Airlines|Airways|Academy|Council|Ministry|Association|Society|Partners|Capital|Ventures"
    r"|Holdings|Industries|Motors|Pharma|Pharmaceuticals|Consulting|Logistics|Robotics|Studios?"
    r"|Analytics|Software|Insurance|Agency|Committee|Company|Co|Health|Energy|Networks|School"
    r"|Orchestra|Museum|Library|Press|Media|Entertainment|Brothers)\.?\Z"
)
ORG_START: Final = pattern(r"(?:University|Bank|Institute|Ministry|Department|College|Academy)\Z")
PLACE_END: Final = pattern(
    r"(?:Street|Avenue|Road|Boulevard|Lane|Park|Airport|Station|Beach|Lake|River|Island|Islands"
    r"|Bridge|Square|Valley|Mountains?|County|District|Bay|Castle|Tower|Cathedral|Falls|Harbou?r"
    r"|Forest|Desert|Plaza|Heights|Hill|Hills|Stadium|Province|Peninsula|Coast|Market|Theatre)\Z"
)
PLACE_START: Final = pattern(r"(?:Lake|Mount|Mt|Cape|Port|Fort|Isle|Gulf)\.?\Z")
TITLE: Final = pattern(rf"(?:{TITLES})\.?\Z")
JOINED: Final = pattern(r" (?:(?:of|the|and|&|de|van|von|der|den|la|di|da|bin|al|el|du) ){0,2}\Z")
INSIDE: Final = frozenset(
    ("", "van der", "de la", "de", "van", "von", "der", "di", "da", "bin", "al", "el", "du")
)
"""What may stand between the words of one name."""
RELATIONS: Final = (
    "colleague|coworker|co-worker|boss|manager|friend|wife|husband|partner|girlfriend|boyfriend"
    "|fianc[eé]e?|brother|sister|son|daughter|mother|father|mom|mum|dad|cousin|uncle|aunt|nephew"
    "|niece|neighbou?r|roommate|flatmate|teammate|mentor|teacher|coach|doctor|dentist|therapist"
    "|landlord|assistant|intern|designer|developer|engineer|client|customer|advisor|supervisor"
    "|professor|lawyer|accountant|classmate|buddy|dog|cat|kid|baby|grandson|granddaughter"
    "|founder|ceo|cto|lead|recruiter"
)
PERSON_CUE: Final = pattern(
    rf"(?:\b(?:{RELATIONS})s?,?(?: is)?(?: (?:named|called|is called))?"
    r"|\b(?:someone|somebody|guy|woman|girl|boy|man|person|lady) (?:named|called)"
    r"|\bname(?:'s| is)|\b(?:dear|hi|hello|hey|cc)"
    r"|\b(?:ask|asked|tell|told|email|emailed|remind|reminded|thank|thanked|invite|invited|met"
    r"|congratulate|interview|interviewed|text|texted|phone|phoned|message|messaged|ping|pinged)"
    r"|\b(?:lunch|dinner|coffee|date|chat|talk|1:1|one-on-one|talked|spoke|speak|breakfast|drinks"
    r"|walk) (?:with|to)"
    r"|\b(?:remember|keep|contact|call)"
    rf"|\b(?:{TITLES})\.?) \Z",
    ANY_CASE,
)
PERSON_VERB: Final = pattern(
    r"(?: (?:said|says|told|thinks|thought|asked|asks|likes|loves|hates|emailed|texted|replied"
    r"|agreed|suggested|mentioned|plays|played|lives|married|laughed|cried|smiled|promised|complained"
    r"|forgot|apologi[sz]ed|quit|resigned|got (?:engaged|married|promoted)|is my|was born"
    r"|and I\b)\b|'s (?:birthday|wife|husband|mother|father|mom|dad|email|phone|boss|house|place"
    r"|wedding|kids)\b)"
)
ORG_CUE: Final = pattern(
    r"(?:\bwork(?:s|ed|ing)? (?:at|for|with)|\b(?:joined|joining|join|acquired by|hired by"
    r"|employed by|acquired|offer from|(?:interview|job|position|role|internship|intern|interned"
    r"|interviewing|interviewed) (?:at|with)|(?:ceo|cto|founder|head|director|vp|employee"
    r"|chairman) (?:of|at)|(?:company|startup|start-up|firm|agency|vendor|supplier|organi[sz]ation"
    r"|nonprofit|client|customer)(?: is| called| named| is called| was)?)) \Z",
    ANY_CASE,
)
# Two things side by side are of one kind: who knows one of them knows the other.
BESIDE_AFTER: Final = pattern(
    r"(?: (?:or|vs\.?|versus|and|than|with) | ?(?:和|跟|与|还是|或者?|、) ?)"
    r"([A-Z][\w.+#-]*[\w+#])"
)
BESIDE_BEFORE: Final = pattern(
    r"(?<![\w'/.-])([A-Z][\w.+#-]*[\w+#])(?: (?:or|vs\.?|versus|and|compare[sd]? (?:with|to)"
    r"|(?:is )?(?:better|worse|faster|easier|simpler) than|than|over|beats) "
    r"| ?(?:和|跟|与|还是|或者?|、) ?)\Z"
)
MORE: Final = pattern(r" (?:of )?[A-Z]")  # the name goes on
PLACE_CUE: Final = pattern(
    r"\b(?:live[sd]?|living|mov(?:ed?|ing)|travel(?:l?ed|l?ing|s)?|fly|flew|flying|flights?|trips?"
    r"|drive|drove|driving|trains?|bus|relocat\w+|head(?:ed|ing)|vacation|holiday|weather|based"
    r"|born|grew up|raised|hotels?|restaurants?|apartment|conference|stay(?:ed|ing)?|house|weekend"
    r"|arriv\w+|return(?:ed|ing)?|went|go|going|gone|been|far is it) (?:back )?"
    r"(?:in|to|from|near|at|around|into) \Z",
    ANY_CASE,
)
# "Project Phoenix", "the Phoenix project" and Phoenix 项目 name one; "Project Manager" names none.
PROJECT: Final = pattern(r"(?:Project|Operation)\Z")
A_PROJECT: Final = pattern(
    r" (?:project|initiative)\b|(?P<zh>)(?<=[a-z]{2})(?<!Demo)(?<!Web)(?<!App)(?<!Test)(?<!Open)"
    r"(?<!Side) ?项目(?!经理|部|管理)"
)
PROJECT_WORDS: Final = word_set(stored_words(__file__, "PROJECT_WORDS"))
AT: Final = pattern(r"\b([A-Z][\w'-]+)(?: [A-Z][\w'-]+){0,2} (?:at|from) \Z")
# Words that open a request, so their capital says nothing.
OPENERS: Final = word_set(stored_words(__file__, "OPENERS"))
ORG_GAPS: Final = (" ", " and ", " & ", " of ", " de ", "'s ", "’s ", ". ")
LONGEST_RUN: Final = 6
