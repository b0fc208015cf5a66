"""How people say that something is settled, in Chinese and English (C6).

In: the text of a sentence. Out: where in it words stand that settle something, and by which rule
they were found. Words that are taken back beside them ("we have not", 还没), that speak of
strangers or of a habit are left out. What it is that was settled is read by `decisions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from smartbrain.remember.extract.decisions_words import THING, is_topic
from smartbrain.text.pattern import Words, pattern

_I: Final = 0x02  # re.IGNORECASE


# Without one of these no form of that language finds anything.
_HINTS_EN: Final = Words(
    "decid|decision|agree|chose|choice|choos|settl|opted|opting|go with|going with|gone with"
    "|gone for|went with|went for|let's |let’s |lets | it is|pick|select|stick|landed on"
    "|standardi|adopt|approv|finali|signed off|ruled out|resolved|resolution|elected|voted"
    "|took a vote|verdict|final|made up|made a|made the|made our|took a|took the|reached"
    "|concluded|ll use |will use |to use |switch|dropping|ditching|scrapping|sunsetting"
    "|deprecating|discontinuing|committed to|done deal|fixed|made,|made:|stay with|call:"
    "|call |ended up|scrapped|dropped|ditched|abandoned|shelved|axed|killed|discontinued"
    "|consensus|on board|hired|hiring|signed with|contracted|engaged|that call|winner"
    "|conclusion|outcome|bottom line|official|green|unanimous|in favo|taking|phas|retir"
    "|no more|promised|guaranteed|assured|moving to|moving from|moving every|plan:|plan is"
    "|my word|our word|turned down|rejected|declined|vetoed|voted down|plug on|walked away"
    "|ll do |ll build|ll write|will do |will build|will write|to do |to build|to write"
    "|jury|vote|in the end|debate|discussion|back and forth|deliberat"
)
_HINTS_ZH: Final = Words(
    "决|定了|定下|定好|定为|定用|定名|定的是|选|敲定|拍板|采用|采纳|就用|就按|就叫|就定|就走"
    "|就买|就去|就上|就订|就改|就换|改用|换用|统一用|商量|来想去|再三|确认|点头|批准|说好"
    "|说定|谈妥|谈好|讲好|商定|议定|约定|讨论|想好|想清楚|考虑|确定|一致|同意|共识|主意|结论"
    "|最终|投票|命名|通过|赞成|decide|go with|going with|pick|choose|chose|settle|agree|纠结"
    "|不用|不做|不买|不去|不再|就这么|就这样|批了|就报|就投|放弃|签给|交给|定在|研究|换成"
    "|改成|答应|承诺|拒绝|回绝|推掉|婉拒|否决|合计|砍掉|弃用|取消|转向|全面转|达成"
)
_MOST: Final = 3
"""So many finds of one form are looked at, and twice as many triggers of a sentence."""
_NEAR: Final = 80

# Who decides for the user: the user, people together with them, those over them.
_WE: Final = (
    r"(?<![A-Za-z])(?:we|i|management|leadership|everyone|everybody|(?:all|both) of us|you and i"
    r"|my [\w'-]+ and i|(?-i:[A-Z])[\w'-]+ and i|me and [\w'-]+|(?:the|our"
    r"|my) (?:[\w-]+ ){0,2}(?:team|board|group|committee"
    r"|family|company|management|leadership|council|squad|department|crew|client|customer|boss"
    r"|manager|cto|ceo|founders|partners|organi[sz]ers))"
)
_GAP: Final = (
    r"(?:[’']ve|[’']d| have| has| had)?"
    r"(?: (?!not\b|never\b|nor\b|he\b|she\b|they\b|you\b|it\b|i\b|hear|read\b|saw|know|knew|think"
    r"|thought|believe|hope|wish|wonder|guess|feel|felt|sa(?:id|ys?)\b|told|remember|forgot|yet\b"
    r"|if\b|whether\b|once\b|until\b|when\b|should|could|would|can\b|might|may\b|still|almost"
    r"|nearly|wants?|need|\w+n[’']t\b)[\w'’-]+){0,5}? "
)
_PEOPLE: Final = r"(?!(?:my|him|her|them|you|us|someone|somebody|friends?|a friend|his|it)\b)"

_EN_ACTION: Final = pattern(
    _WE
    + _GAP
    + r"(?:decided|agreed|resolved|voted|opted|elected|concluded|chose|chosen)(?: \w+ly)?"
    r"(?: with (?:the|our|my|(?-i:[A-Z])[\w-]+)(?: [\w-]+){0,2}?)?"
    r"(?: (?:together|today|yesterday|internally|this morning|last (?:week|night|month)"
    r"|(?:in|at|during) (?:the|our|today's|yesterday's) [\w-]+(?: [\w-]+)?))?"
    r"(?: (?=(?:to|not to|against|on|that|in favou?r of|upon|for|we|it)\b)|\s*[:：]\s*)"
    r"(?:on (?!doing)|upon |that |to (?=use|go with|adopt|choose|pick|stick with)|in favou?r of )?",
    _I,
)
_EN_CHOICE: Final = pattern(
    rf"{_WE}{_GAP}(?:chosen?|chose|picked(?! up| on| at| out a)|selected|settled (?:on|for|upon)"
    r"|opted for|landed on|gone with|went (?:with|for)|standardi[sz]ed on|adopted|approved"
    r"|ended up (?:picking|choosing|going (?:with|for)|using|buying|with|selecting|settling on)"
    r"|(?:gave|given) the green light to|greenlit|green-lit|awarded (?:the|our) [\w -]{2,30}? to"
    rf"|finali[sz]ed|signed off on|ruled out|committed to|gone for) {_PEOPLE}"
    r"|(?<![A-Za-z])(?:we|the company|our team|the team|i)(?:[’']ve| have)?(?: just| finally"
    r"| now| also)* (?:hired|engaged|contracted|signed with|brought in|retained|commissioned"
    r"|booked)"
    r" (?=(?-i:[A-Z])[\w&.’'-]*(?: [\w&.’'-]+){0,5}? (?:for|as|to|on) )"
    r"|(?<![A-Za-z])(?:we|i|the team|our team)(?:[’']re|[’']m|[’']ll| are| am| is| will)?"
    r"(?: (?:now|definitely|just|officially|all|both|then|therefore|finally|be|going to|gonna))*"
    r" (?:go(?:ing)? with|stick(?:ing)? (?:with|to)|settl(?:e|ing) on|standardi[sz](?:e|ing) on"
    rf"|switching to|opting for|choosing) {_PEOPLE}"
    r"|(?<![A-Za-z])we(?:[’']ll| will|[’']re going to| are going to) (?:now |all |just )?"
    rf"(?:use|adopt|switch to|stay with) {_PEOPLE}"
    r"|(?<![A-Za-z])(?:we(?:[’']ll| will|[’']re going to)|let[’']?s) (?:do|build|write) "
    rf"(?=(?:the |our |it |this )[\w -]{{0,30}}?in {THING.pattern})"
    r"|(?<![A-Za-z])i(?:[’']ll| will|[’']m going to| am going to) (?:just )?use "
    r"(?=[^,.;]{2,60}? (?:instead of|rather than|over) )"
    r"|(?<![A-Za-z])let[’']?s (?:(?:just|all|both|definitely|please|then|simply) )*"
    r"(?:go with(?! the flow)|use|stick (?:with|to)|settle on|adopt|choose|pick(?! up| (?:this"
    r"|that|it) up)"
    r"|keep using|switch to|standardi[sz]e on|call (?:it(?! a day| a night| quits| even)|the \w+)"
    r"|name (?:it|the \w+))"
    rf" {_PEOPLE}"
    r"|(?<![A-Za-z])let[’']?s make it (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|(?<![A-Za-z])(?:our|the|my) (?:final |[\w-]+ )?(?:choice|pick|decision|verdict)"
    r"(?: for [\w -]{2,30})? (?:is|was|fell on) (?!(?:not|still|pending|yours|hard|difficult"
    r"|yet|due|on hold|up)\b)(?:to |that )?",
    _I,
)
_EN_DROP: Final = pattern(
    r"(?<![A-Za-z])we(?:[’']re| are|[’']ve decided on) (?:officially |now |finally )?"
    r"(?=(?:dropping|ditching|scrapping|sunsetting|deprecating|discontinuing|phasing out|retiring"
    r"|abandoning|shelving|axing|killing off|moving (?:everything |all of it |it all )?(?:to|from"
    r"|off)"
    r"|migrating (?:to|from|off)|switching (?:to|from|off)) )"
    rf"|{_WE}(?:[’']ve| have| has)?(?: (?:officially|now|finally|just|also|all))* (?=(?:scrapped"
    r"|ditched|abandoned|shelved|axed|killed off|discontinued|phased out|dropped|turned down"
    r"|rejected"
    r"|declined|vetoed|voted down|pulled the plug on|walked away from) (?:the|our|all|an?"
    r"|any|every|both|support|plans?|(?-i:[A-Z])))"
    r"|\A\W*(?=no more [^,;:]{3,50}, (?:we |i )?(?:made (?:that|the) (?:call|decision)|(?:it[’']s"
    r"|that[’']s) (?:decided|settled|final)))",
    _I,
)
_EN_ANNOUNCE: Final = pattern(
    r"(?:\A\W*+|(?<=[,;:.] )\W{0,3}+)(?:(?:ok(?:ay)?|so|right|alright|well)[, ]++)?"
    r"(?:(?:final|our|my|the|team|design|group|key|board|official|quick|unanimous) ){0,6}"
    r"(?:decision(?: made)?|decided|verdict|call|resolution|agreed|resolved|settled|final answer"
    r"|consensus|conclusion|outcome|bottom line|winner|choice)"
    r"(?: (?:in|of|from|on|for|about|among) (?:the |our |my |this |today[’']s )?[\w’' -]{2,40}?)?"
    r"\s*[:：–—]\s*"
    r"|\A\W*(?:everyone|everybody|the (?:whole )?team|all of us|we(?: all)?|the board|management"
    r"|my [\w’'-]+ and i)(?:[’']s| is| are|[’']re|[’']re all| are all)? (?:now |finally |all )*"
    r"(?:on board|in agreement|in favou?r|agreed|on the same page|aligned|signed off)"
    r"(?:\s*[:：,–—]\s*| (?:that|to) )(?:that )?(?=\S)"
    r"|(?:the )?vote (?:was|went|came out)[^,:]{0,20} in favou?r of "
    r"|\A\W*the jury is in\s*[:,–—]\s*"
    r"|\A\W*(?:after (?:much|a lot of|long|some|weeks of|months of) [\w ]{3,30}?|in the end),? "
    r"it[’']s (?=(?-i:[A-Z]))"
    r"|(?:it[’']s|it is|that[’']s) (?:now )?official(?:\s*[,:–—]\s*)"
    r"|\A\W*(?:(?:ok(?:ay)?|so|right|alright|well)[, ]+)?(?:final (?:decision|call|answer)"
    r"|decision made)\s*,\s*|(?<![A-Za-z])we (?:took a vote|voted)(?: on it)?[,:;] (?:and )?"
    r"|(?:the|our) (?:plan|choice|name|date|decision|venue|design) is (?:now )?(?:final|settled"
    r"|decided|fixed|made)\s*[,:;–—]\s*"
    r"|(?:we|i)(?:[’']ve| have) (?:settled|decided|fixed|agreed) the [\w ]{2,20}\s*[:–—]\s*"
    r"|(?<![A-Za-z])(?:it[’']?s|that[’']?s|it is|that is|it has been|it[’']s been|it was)"
    r" (?:now |finally |all |officially |unanimously )*(?:decided|settled|final|agreed"
    r"|a done deal)(?: then| now)?(?:\s*[,:;–—]\s*| (?=that |to ))(?:that )?"
    r"|(?<![A-Za-z])(?:we|i)(?:[’']ve| have)?(?: finally| now| just| all)* (?:made|taken|took"
    r"|reached)"
    r" (?:up (?:my|our) minds?|(?:a|the|our|my) (?:final )?(?:decision|call|choice))"
    r"(?:\s*[,:;–—]\s*| (?=that |to ))(?:that )?",
    _I,
)
_EN_PROMISE: Final = pattern(
    r"(?<![A-Za-z])(?:i|we)(?:[’']ve| have)? (?:(?:promised|guaranteed|assured)(?! myself"
    r"| ourselves"
    r"| you| to\b| (?:him|her|me)|[^,.;]{0,40}? (?:i[’']d|i would|i[’']ll|to) )(?: (?:the|our|my"
    r"|all|every) [\w’'-]+(?: (?:client|customer|team"
    r"|board"
    r"|manager|landlord|owner|bank))?| (?-i:[A-Z])[\w.’'-]+(?: (?-i:[A-Z])[\w’'-]+)?| them)?"
    r"|gave (?:(?:the|our|my) [\w-]+ |(?-i:[A-Z])[\w-]+ |them )?(?:my|our) word)"
    r" (?!i[’']d|i would|i[’']ll|to )(?:that )?(?=\S)",
    _I,
)
_EN_BARE: Final = pattern(
    r"\A\W*(?:(?:ok(?:ay)?|so|just|finally|also|then|alright|update|in the end)[,:]? )*"
    r"(?:(?:decided|agreed|opted) (?=to |on |against |that |for |not to )(?:on |that |for )?"
    r"|going with |sticking with |settled on |chose (?!violence)|picked (?!up)|went with )"
    rf"{_PEOPLE}|\A\W*just (?:decided|agreed): ",
    _I,
)
_EN_CLOSING: Final = pattern(
    r"(?<=[,;] )(?:and |so )?(?:it[’']?s|that[’']?s|this is|it is|that is) (?:now |all )?(?:decided"
    r"|settled|final|agreed)(?: now| then)?[.!]*\Z|(?<=[,;] )decision made[.!]*\Z"
    r"|(?<=[,;] )(?:we |i )?made (?:that|the|this) (?:call|decision)(?: \w+){0,2}[.!]*\Z"
    r"|(?<=[,;] )(?:we|i)(?:[’']ve| have) (?:now |finally |just )?(?:decided|agreed)[.!]*\Z",
    _I,
)
_EN_PASSIVE: Final = pattern(
    r"\A(?:[^,;:]{0,30}, )?(?P<chosen>(?!(?:i|he|she|they|you|who)\b)[^,;:]{2,50}?)"
    r" (?:was|were|has been|have been) (?:\w+ly )?(?:chosen|selected|picked|approved)"
    r" (?:as|for|to be) (?:the|our|my) [^,;:]{2,60}"
    r"|\A(?:(?:ok(?:ay)?|alright|right|so|fine|great|good|then|well)[, ]+)*"
    r"(?:for (?:the |our |my )?[\w -]{2,30}, )?"
    r"(?P<thing>(?!(?:what|how|so|as|that|this|here|which|like|it|where|who|there|whatever|yes|no"
    r"|yeah|i|you|we|but|and|because|though|oh|of|sure|see|love|think|guess|know)\b)"
    r"[\w.+#'’/-]+(?: (?!how\b|what\b|that\b|so\b)[\w.+#'’/-]+){0,3}) it is"
    r"(?:,? then| for [^,;:]{2,40})?[.!]*\Z",
    _I,
)

WHO_ZH: Final = (
    r"(?:我们?|咱们?|本人|团队|公司|大家|全家|家里|老板|领导|董事会|管理层|小组|项目组|部门|会上"
    r"|会议|客户|甲方|双方|两个人"
    r"|夫妻|老婆|老公|我爸妈|组里|班里|店里)"
)
_STRANGER_ZH: Final = pattern(
    r"[他她]们?(?!的)|别人|人家|对方|同事|朋友|邻居|听说|据说|同学|政府|国家|某|命运|性格|谁|电影"
    r"|小说|剧里|书里|主角|主人公|网友"
    r"|(?<![和跟与])我家?(?:妹|姐|哥|弟|爸|妈|儿子|女儿|表|堂|姑|叔|舅|侄|外甥|室友|朋友|同学)"
)
_BEFORE_ZH: Final = pattern(
    r"(?:最后|最终|终于|总算|已经|还是|一致|正式|暂时|于是|所以|因此|现在|今天|昨天|刚刚?|临时|那"
    r"|就|也|都|又|经过|讨论|商量"
    r"|开会|研究|考虑|评审|投票|思考|权衡|对比|之后|以后|后(?![端台])|下来|了|再三|一番|一下|一下午|很久"
    r"|半天|okay|ok|好|嗯|行|对了|另外|还有"
    r"|同步|通知|[\s，,、：:])+",
    _I,
)
_NAMED_ZH: Final = pattern(r"(?:采?用|选用?|上|换成?|改用|走)\s*[A-Za-z]")
_NOT_YET_ZH: Final = pattern(
    r"(?:没有?|未|不|难以|无法|没法|怎么|如何|要|再|等|来|先|尽快|需要|自己|待|帮我|替我|是否|做"
    r"|做个|的|这个|那个|这|那|该|由"
    r"|才能|才|一旦|只要|一经|还在|正在|快|想|能|可以|必须|得|去)\Z"
)
_AFTER_DECIDED_ZH: Final = pattern(
    r"\A(?:性|因素|于|权|不了|不下|是否|要不要|哪|什么|谁|一下|着|力|论|过|吧|作废|取消)"
    r"|\A(?:了)?(?:吗|没)"
)
_DECIDED_ZH: Final = pattern(
    r"(?:决定|下定决心|下了?决心|打定主意|拿定主意|拍板)(?:好了|下来了?|了)?[，,：:]?"
    r"|(?:商定|议定|约定|说好|讲好)(?:了)?(?=[^，,。：:；;\s!！了])"
)
_SETTLED_ZH: Final = pattern(
    r"(?:这事|事情|这件事)?(?:就这么|就这样)?(?<![搞肯])(?:就这么办|就这样办|就这么着"
    r"|(?:领导|老板|公司|上面|总部|上级|客户|甲方|学校|董事会)(?:已经|终于|都|也)?(?:批了|批准了"
    r"|通过了|答应了)"
    r"|定下来了|定了|定好了|说好了|说定了"
    r"|商定了?|议定了?|约定|商量好了|讨论好了|谈好了|谈妥了|敲定了|拍板了"
    r"|确定了|确定下来了|想好了|想清楚了|考虑好了|选好了|达成了?一致|达成了?共识|有结论了"
    r"|商量下来|讨论下来|(?:经过|通过)投票|(?:客户|老板|领导|甲方|大家)(?:都|已经|也)?(?:确认"
    r"|点头|批准|同意|通过)了|敲定|拍板|投票结果出来了|打定主意了|拿定主意了|决定了|定下来)"
    r"(?=\s*(?:[，,：:；;。！!~]|\Z))"
    r"|(?:商量|讨论|合计|研究|权衡)(?:了一下|一番|了半天|过了?|之后|后)(?=[，,]\s*[^，,]{0,8}(?:改"
    r"|就|定|用|选|决定|由))"
    r"|(?:想来想去|思来想去|权衡再三|纠结了半天)(?=[，,]\s*(?:还是|就|决定|最后))"
)
_CHOICE_ZH: Final = pattern(
    r"(?:选定|选用|选择了?|选了|采用|采纳|敲定|定下来用|定下来是|确定用|确定选|(?<!决)定用|改用"
    r"|换用|定名为|命名为|定为|统一用|(?:最终|最后|决定)(?:签给|交给|给了|定给|包给|外包给|签了"
    r"|签的是|定在"
    r"|敲定在|选在|落在|settle ?在)|确定(?=[^，,。]{2,10}(?:在|为|用|选|由)))"
    r"(?:了)?\s*(?=[^，,。：:；;\s])"
)
_JUST_ZH: Final = pattern(
    r"(?<![早从一只光成])就(?:(?:用|选|定|叫|走|上|报|投|签)(?![了过不在着得到时于一])"
    r"|按(?=[^，,。]{1,30}(?:来|办|做|执行|走|方案|计划|说的))|采用)\s*(?=[^，,。：:；;\s])"
    r"|(?:那就(?:去|改成|换成)|(?<![我他她一完])就(?:买|订)(?!了))\s*(?=[^，,。]{1,20}(?:吧|了"
    r"|好了))"
)
_HABIT_ZH: Final = pattern(
    r"(?:以前|本来|平时|一直|从小|向来|我|他|她|马上|立刻|随手|他们|你)\s*\Z"
)
_FINAL_ZH: Final = pattern(
    r"(?:最终|最后的?|定下来的|敲定的)(?:方案|选择|结论|决定|决议|结果|选型|版本)(?:就?是|为|："
    r"|:)\s*"
    r"|(?:讨论|评审|会议|商量)的?(?:结论|决议|结果)(?:就?是|：|:)\s*|(?:最后|最终|投票|我们)(?:选"
    r"|定|决定)的(?:就?是)\s*|决议(?:是|：|:)\s*|(?:决定|结论)[：:]\s*"
)
_AGREED_ZH: Final = pattern(
    r"(?:一致|全票|投票|都|全部|共同)(?:同意|通过|赞成)(?:了)?[，,：:]?\s*"
    r"|(?:团队|大家|老板|领导|董事会|客户|甲方|公司|经理|主管|组长|总监|房东|校长)(?:已经|终于|也"
    r"|都)?同意(?:了)?[，,：:]?\s*(?=把|用|采用|将|先|改|让|按|不|在)"
)
_MIXED: Final = pattern(
    r"(?:我们|咱们|团队|team|大家|最后|最终|还是|那就|就)\s*+(?:(?:已经|都|也|最后"
    r"|终于)\s*+)?(?:decided?|go with|going with|pick|choose|chose"
    r"|settled? on|agreed?)\s*+(?:(?:了|to|on|that)\s*+)?(?=[^，,。：:；;])",
    _I,
)
_PASSED_ZH: Final = pattern(
    r"(?:会上|会议|董事会|大会|领导班子|组委会|班会|业委会|股东会)(?:一致|正式|已经)?(?:通过|敲定"
    r"|确定|审议通过|批准)"
    r"(?:了)?\s*(?=[^，,。]{2})"
    r"|(?:经|经过)[^，,。]{1,10}?(?:讨论|研究|商议|评审|投票"
    r"|表决)(?:一致)?决定[，,：:]?\s*(?=[^，,。]{2})"
    r"|(?:经|经过)[^，,。]{0,10}?(?:讨论|研究|商议|评估|协商|评审|投票|表决|权衡)(?:后|之后|决定"
    r"|一致决定|确定)?"
    r"[，,]?\s*(?=[^，,。]{0,8}(?:不|采用|确定|统一|照常|暂停|停|改|由|将|启用|取消|上|用))"
)
_DROP_ZH: Final = pattern(
    r"(?:我们|咱们|公司|团队|项目组|部门)(?:已经|最后|最终|正式|全面|都|这边|现在)*"
    r"(?=(?:放弃|砍掉|弃用|停用|叫停|撤掉|关掉|舍弃)(?:了)?[^，,。]{2})"
    r"|(?:我们?|公司|团队)(?:已经|最后|最终|还是)*(?=(?:拒绝|回绝|推掉|婉拒|否决)了[^，,。]{2})"
    r"|(?:我们|咱们|公司|团队)(?:已经|最后|最终|正式)*(?=(?:全面|全部|统一|正式)(?:转向|转到"
    r"|切换到|切到|迁到|上|改用|换成))"
)
_PROMISE_ZH: Final = pattern(
    r"我们?(?:已经|都|也)?(?:答应|承诺|保证)(?:过|了)?(?=(?:客户|甲方|对方|老板|房东|学校|供应商"
    r"|[\u4e00-\u9fff]{1,3}(?:总"
    r"|老师|经理))[^，,。]{3})"
)
_SETTLE_MIXED: Final = pattern(
    r"(?:最后|最终|还是|我们|已经|都|team|大家)\s*(?:settled? ?(?:在|on|down ?on)"
    r"|land(?:ed)? ?(?:在|on)"
    r"|敲定 ?(?:在)?|lock(?:ed)? ?(?:了|定了?|in))\s*(?=[^，,。])",
    _I,
)
_SWITCH_ZH: Final = pattern(
    r"不(?:再)?(?:考虑|用|选|做|买|去)[^，,。]{1,20}了[，,]\s*(?=(?:直接|改|就|换)(?:上|用|选|成"
    r"|做|买|去))"
)
_STANDING_ZH: Final = pattern(r"以后|今后|从现在起|从今|一律|每次")
_FIRM_ZH: Final = pattern(r"(?:吧|了|啦|好了)[。.!！~～]*\Z")
_OPEN: Final = pattern(
    r"(?<![a-z])(?:not|never|n[’']t|yet to|still (?:deciding|undecided|thinking)|once|until"
    r"|unless|whether|before|should)"
    r"(?![a-z])[^,;，；]{0,60}\Z|n[’']t [^,;]{0,60}\Z",
    _I,
)


class Trigger(NamedTuple):
    """Words that say that something was settled, and where they stand in the sentence."""

    rule: str
    start: int
    end: int
    choice: bool


def triggers(text: str) -> list[Trigger]:
    """Return the first places where something may be said to be settled, in their order."""
    found: list[Trigger] = []
    if _HINTS_EN.in_(text):
        found += _found(text, _FORMS_EN)
    if not text.isascii() and _HINTS_ZH.in_(text):
        found += _found(text, _FORMS_ZH)
    return sorted(found, key=lambda one: (one.start, -one.end))[: 2 * _MOST]


def _found(text: str, forms: Sequence[_Form]) -> Iterator[Trigger]:
    """Yield what some forms find, but for what is taken back."""
    for rule, form, choice in forms:
        for found in islice(form.finditer(text), _MOST):
            if not _is_open(text, found, rule):
                yield Trigger(rule, found.start(), found.end(), choice)


_Form = tuple[str, re.Pattern[str], bool]
_FORMS_EN: Final[Sequence[_Form]] = (
    ("decisions.choice", _EN_CHOICE, True),
    ("decisions.decided", _EN_ACTION, False),
    ("decisions.announced", _EN_ANNOUNCE, False),
    ("decisions.dropped", _EN_DROP, False),
    ("decisions.passive", _EN_PASSIVE, True),
    ("decisions.bare", _EN_BARE, False),
    ("decisions.promised", _EN_PROMISE, False),
    ("decisions.closing", _EN_CLOSING, False),
)
_FORMS_ZH: Final[Sequence[_Form]] = (
    ("decisions.final", _FINAL_ZH, True),
    ("decisions.settled", _SETTLED_ZH, False),
    ("decisions.decided_zh", _DECIDED_ZH, False),
    ("decisions.choice_zh", _CHOICE_ZH, True),
    ("decisions.just_zh", _JUST_ZH, True),
    ("decisions.agreed_zh", _AGREED_ZH, False),
    ("decisions.switch_zh", _SWITCH_ZH, True),
    ("decisions.passed_zh", _PASSED_ZH, False),
    ("decisions.dropped_zh", _DROP_ZH, False),
    ("decisions.promised_zh", _PROMISE_ZH, False),
    ("decisions.mixed", _SETTLE_MIXED, True),
    ("decisions.mixed", _MIXED, True),
)


def _is_open(text: str, found: re.Match[str], rule: str) -> bool:
    """Tell whether the words before or after a trigger take it back."""
    before = text[max(0, found.start() - _NEAR) : found.start()]
    after = text[found.end() : found.end() + _NEAR]
    if not rule.endswith("zh") and rule not in ("decisions.settled", "decisions.final"):
        return bool(_OPEN.search(before))
    clause = re.split("[，,；;。：:]", before)[-1]
    if rule == "decisions.just_zh":
        return bool(_HABIT_ZH.search(clause)) and not _FIRM_ZH.search(after)
    if rule == "decisions.choice_zh" and _STANDING_ZH.search(before):
        return True  # how things are to be done from now on is a preference
    if _NOT_YET_ZH.search(clause) or _STRANGER_ZH.search(clause):
        return True
    if rule == "decisions.decided_zh":
        return bool(_AFTER_DECIDED_ZH.match(after)) or not _ours_zh(clause, after)
    return rule == "decisions.choice_zh" and not _chooser_zh(before, found[0])


def _ours_zh(clause: str, after: str) -> bool:
    """Tell whether those who decide are the speaker's people, or nobody is named."""
    rest = _BEFORE_ZH.sub("", clause)
    if not rest or re.search(WHO_ZH, clause):
        return True
    return _NAMED_ZH.match(after) is not None and "的" not in rest and is_topic(rest)


def _chooser_zh(clause: str, verb: str) -> bool:
    """Tell whether a verb of choosing tells a decision and no custom."""
    firm = verb.startswith(("最终", "最后", "选定", "敲定", "定", "确定", "拍板", "命名"))
    return (
        firm
        or bool(re.search(r"最终|最后|我们|语言|框架|数据库|咱们|团队|公司|还是|投票|我\Z", clause))
        or (verb.startswith("改用") and not clause.strip())
    )
