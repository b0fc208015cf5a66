"""The less plain ways of telling a goal, as patterns; `goals` reads sentences with them.

Each pattern ends where the words of the goal begin, or begins where they end. What is said so needs
no word such as "goal": "shooting for 500 users", 给自己立个flag. Those that people also say of the
moment count only with a time far ahead.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_AT_START: Final = (
    r"(?:\A\W*+|[.!:;,—]\s\W{0,3}+)(?:(?:so|and|but|well|ok|still|just|also|currently|now|honestly"
    r"|ultimately"
    r"|eventually|really|long[- ]term|one day|some ?day|this year|next year)[,:]?\s){0,3}"
)
_BE: Final = r"\b(?:(?:I|we)(?:'?m|'?re| am| are|'ve been|'?ve| have been| have)?|im|ive been)"
_HOW: Final = r"(?:\s(?:still|also|really|just|now|always|currently|fully|absolutely|dead|slowly))*"
_LASTING: Final = (
    r"(?:finish|complete|become|learn|master|quit|give up|pay off|get (?:my|an?|into|out|back"
    r"|fit|certified|promoted|sober)|earn|pass|win|lose|save|buy|build|open|launch|write|publish"
    r"|run|climb|own|retire|graduate|reach|hit|break|beat|qualify|grow|double|cut|stop|start my"
    r"|make it (?:to|into)|stay sober|be(?:come)? (?:an?|the|debt)|kick|turn|raise|found)\b"
)

AIM: Final = sign(
    rf"(?:{_BE}{_HOW}\s|{_AT_START})(?:(?:saving|training|aiming|working"
    r"|striving)(?: up| hard| money| my way)? (?:for|towards?)|building towards?"
    r"|saving(?: up| money)? to|on a (?:mission|quest) to"
    r"|(?:made|making) it (?:my|our) (?:mission|goal|aim) to|set(?:ting)? (?:my|our) sights on"
    rf"|(?:determined|committed|resolved|dead set|sworn|vowed) (?:to (?={_LASTING})"
    r"|on (?=\w+ing)))\s*(?=\S)(?![^,.;]{0,60}\b(?:is|are|a day|per day|each)\b)",
    _I,
)
TRY: Final = sign(
    rf"(?:{_BE}{_HOW}\s|{_AT_START})(?:shooting|gunning|pushing|fighting|gearing up|going) for\s+"
    r"|\bwhat (?:I'?m|we'?re|I am|we are) (?:after|chasing|going for) (?:\w+ ){0,3}?is\s(?:to\s)?",
    _I,
)
NO_AIM: Final = pattern(
    r"(?:an? |the )?(?:\w+ )?(?:look|feel|feeling|vibe|style|tone|mix|blend|balance|theme|color"
    r"|colour|effect|flavou?r|it|this|that|them|you|him|her|rainy)\b",
    _I,
)
POINT: Final = sign(
    r"\b(?:the|our|my) (?:whole |entire |main |real |only )?(?:point|purpose|idea|aim|intent"
    r"|intention|reason) (?:of|behind|with|for) (?:all this|(?:this|the|our"
    r"|my) (?:[\w-]+ ){0,2}?(?:project|app|product"
    r"|company|startup|team|platform|site|website|tool|redesign|migration|refactor\w*|rewrite"
    r"|system"
    r"|initiative|program(?:me)?|campaign|service|club|channel|blog|business|sprint|effort))["
    r"\w' -]{0,30}? is"
    r" (?:still |really |simply |just )?to\s",
    _I,
)
AFTER: Final = sign(
    r"\bwhat (?:I'?m|we'?re|I am|we are|I|we) (?:(?:really|ultimately|actually|mainly) after"
    r"|aiming for|aiming at|aim for|working towards?|building towards?|hoping for|hope for"
    r"|shooting for|chasing|going for) (?:\w+ ){0,3}?is\s(?:to\s)?",
    _I,
)
BUCKET: Final = sign(
    r"\b(?:(?:at the )?top of|(?:first |next |number one )?on|first item on|one of the items on)"
    r" (?:my|our) bucket list(?: is|:|,)\s*(?:to\s)?|\b(?:my|our) bucket list\s?:\s*(?:to\s)?",
    _I,
)
ON_BUCKET: Final = sign(
    r"\s(?:is|are|has been) (?:still |high |definitely |at the top |first |next |right )*"
    r"(?:on|of) (?:my|our) bucket list\b",
    _I,
)
PRIORITY: Final = sign(
    r"\s(?:is|are|remains)\s(?:still |definitely )?(?:(?:my|our|the) (?:top|number one|no\.? ?1|#1"
    r"|main|biggest|first|highest) (?:priority|focus|objective)|priority (?:number one|no\.? ?1"
    r"|#1|one))\b",
    _I,
)
THATS: Final = sign(
    r"(?:,|\s[-–—]|—)\s*(?:and )?(?:that|this)(?:'?s| is) (?:(?:what|where) (?:I'?m|we'?re|I am"
    r"|we are|I|we)(?: \w+)? (?:building|working|aiming|heading|headed|going|saving|striving|want"
    r"|training)(?: towards?| for| to| at)?(?: be)?|(?:the|my|our) (?:[\w-]+ ){0,2}(?:goal|dream"
    r"|aim|target|ambition))\b",
    _I,
)
DREAMT: Final = sign(
    r"\b(?:I|we)(?:'ve| have)? (?:always|long|still) (?:dream(?:ed|t)?|fantasi[sz]ed?) (?:of|about)"
    r"\s(?=\w+ing\b)|\b(?:I|we)(?:'ve| have) always wanted to "
    r"(?=(?:learn|become|write|open|own|build|start|run) )",
    _I,
)
# To better oneself takes its time, whether or not a time is told.
BETTER: Final = pattern(
    r"\b(?:I|we)(?:'m|'d| am| would)?(?:\s(?:also|really|still|just))*\s(?:want|trying|hoping|hope"
    r"|like|working hard) to\s(?=(?:get|become|be) (?:a (?:bit|little|lot) )?(?:stronger|fitter"
    r"|healthier|more (?:organi[sz]ed|productive|active|disciplined|independent|confident)"
    r"|better at \w+ing|in(?:to)? (?:better )?shape|out of debt|fluent|sober)\b"
    r"|(?:lose|gain) (?:weight|\d)|quit (?:smoking|drinking|vaping)|be known (?:as|for)\b"
    r"|become an? (?!member|part|fan|problem)\w|improve my (?:endurance|fitness|health|stamina"
    r"|strength|posture|sleep|diet|finances)\b)",
    _I,
)
# These count only with a time far ahead.
WANT: Final = sign(
    rf"(?:\b(?:I|we)(?:\s(?:still|also|really|just|eventually|someday))*\s(?:wanna|gotta)"
    rf"|{_AT_START}(?:wanna|want to|wanting to|hoping to|hope to|trying to|planning to|looking to"
    rf"|would love to|would like to|going to|gonna))\s+(?={_LASTING}|\w+)"
    rf"|\b(?:I|we)(?:'d| would) love to\s+(?={_LASTING})"
    r"|\b(?:I|we) (?:can |could |always )?(?:see|picture|envision) (?:myself|ourselves|us)\s"
    r"(?=\w+ing|as an?\s)"
    r"|\b(?:I|we)(?:'d)? (?:really |also )?(?:want|like|need) (?=(?:the|my|our|this|all|us)\s"
    r"[\w' ]{2,30}? to (?:be|become|reach|hit|have|break|earn|grow|make|run|turn)\b)",
    _I,
)
NO_WANT: Final = pattern(
    r"(?:visit|travel|attend|stay|fly|come|have (?:some|it|that|a (?:look|chat))|check|bring|pack"
    r"|watch|host|try (?:it|that|this|some|out)|meet|join|hang|go (?!to (?:med|law|grad|college"
    r"|uni|art|culinary)))\b",
    _I,
)

LIFE: Final = (
    r"(?:[^，。！？,]{0,6}?(?:戒(?:掉|了|烟|酒|糖|断)|减(?:肥|重|脂|到)|瘦(?:到|下来|\d"
    r"|[一二三五十])"
    r"|考(?:研|公务员|公|博|编|雅思|托福|上|下来?|过|取)|转行|创业|买套?房|攒(?:够|钱|出|下)|移民"
    r"|留学|变得更|变强|提高(?:体能|耐力|口语|英语)|成为一?[名个位]|升职|升到|当上|拿下|开一?[家间个]|还清))"
)
FLAG_ZH: Final = pattern(
    r"(?:立|定|设)(?:了|下|个|一)*(?:个|下)?\s?(?:flag|小目标|大目标|目标|心愿|军令状)"
    r"(?:了|吧)?[，,:：]\s*(?:就是|是)?(?:要)?",
    _I,
)
LONGED_ZH: Final = pattern(
    r"(?:一直|做梦都?|从小就?|多年来|始终|心心念念)(?:在|就|都)?(?:盼着|想着?|希望|期待|梦想着?"
    r"|惦记着"
    r"|渴望)(?:能够?|可以|要)?(?!吃|喝|睡|问|知道|说|你|看看|买(?!房))"
    r"|(?:下定?了?决心|发誓|铁了心|暗下决心)(?:一定)?要?(?!不|再也?不)"
    r"|(?:我们?|咱们?|团队|公司|部门|年|季度)[^，。！？,]{0,6}?(?:力求|力图|誓要|致力于|志在)"
    r"|(?:我们?|咱们?|团队|公司)[^，。！？,]{0,6}?期望(?=[^，。！？]{0,20}?(?:让|把|将|能|达到))"
)
LIFE_ZH: Final = pattern(
    rf"(?:(?<![他她您你])我们?)(?:今年|明年|真的?|就|很|也|还是|现在|一定|决心|最近|其实){{0,2}}"
    rf"(?:想要?|打算|准备|计划|要|希望能?)(?=把?{LIFE})|(?:我|\A\W*)(?:正|一直)?在(?=备考|备战"
    rf"|攒钱)"
)
FOR_ZH: Final = pattern(
    r"(?:我们?|咱们?)(?:一起)?(?:做|搞|开发|启动|发起|办|建|写|折腾)(?:这个|这"
    r"|那个)[^，。！？]{0,6}(?:项目|产品|系统|工具|app"
    r"|网站|平台|公众号|公司|店|活动|课程?|书|频道|节目|库|小程序|机构|社团)[，,]?\s*(?:就|都|主要"
    r"|其实)*(?:是为了?|为的?就?是|图的?就?是)(?:要|能|让(?=自己))?"
    r"|(?:这个|本)(?:项目|产品|工具|系统)(?:的)?(?:初衷|意义|目的)(?:就)?是(?:为了)?"
)
THATS_ZH: Final = pattern(
    r"[，,]\s*(?:我们?|咱们?|这|那)(?:就|一直|正|现在|也)*(?:在|是)?(?:我们?)?(?:在)?(?:朝着?|奔着"
    r"|冲着"
    r"|为了?|往)(?:这个|这|它)(?:个?目标|个?方向)?(?:而|去|在)*(?:努力|奋斗|前进|奔|拼|使劲|的)"
)
FIXED_ZH: Final = pattern(
    r"(?:我们?|咱们?|公司|团队|今年|明年|年度|季度|本年)[^，。！？,]{0,8}?目标(?:还?是?不变|没变"
    r"|很?明确|很?简单|很?清楚|就一个|只有一个)[，,:：]\s*(?:就是|是)?"
)
WISHED_ZH: Final = pattern(
    r"\A\W*(?:说实话|其实|老实说)?[，,]?(?:希望(?=[^，。！？]{0,20}?(?:能|把|让|做到|达到|学会"
    r"|考上))|想要?|打算|计划|期望|盼着|争取)(?:能够?|可以)?"
    r"(?![^，。！？]{0,12}(?:你|您|他|她|天气|疫情|下雪|世界|别|不要))"
)
NOT_LIFE: Final = pattern(r"[^，。！？]{0,12}(?:一下|试试|看看|什么|怎么|好不好|吗|的时候|再说)")
