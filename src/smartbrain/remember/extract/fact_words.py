"""The words that facts are told by: attributes, things, and what is no lasting state (C6).

Word lists only, Chinese and English, with the one English name that a key uses for either. What
is not in a list keeps its own words; nothing here decides what is remembered.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.word_list import stored_words


def _named(*rows: tuple[str, str]) -> dict[str, str]:
    """Return a name for each of the words `a|b|c` that stand beside it."""
    return {word: name for name, words in rows for word in words.split("|")}


def _words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


ATTRIBUTES: Final = _named(
    ("location", "location|位置|地点|所在地|place|venue|场地"),
    ("address", "address|地址|住址|postal address|street address|收货地址|办公地址"),
    ("headquarters", "headquarters|hq|head office|总部"),
    ("version", "version|release version|版本|版本号"),
    ("port", "port|port number|端口|端口号"),
    ("url", "url|link|网址|链接|website|web address|homepage|endpoint|入口"),
    ("domain", "domain|domain name|域名"),
    ("host", "host|hostname|主机|主机名|hosting provider|host name"),
    ("ip", "ip|ip address|ip地址|ip 地址"),
    ("owner", "owner|product owner|所有者|业主|主人|老板|户主"),
    ("landlord", "房东|landlord|landlady"),
    ("responsible", "responsible|负责人|person in charge|maintainer|维护者|接口人|对接人"
     "|point person"),
    ("manager", "manager|administrator|admin|管理员|经理|supervisor|head|director|主管|领导|组长"
     "|直属领导|直属上级|队长|班长|店长|院长|校长"),
    ("lead", "lead|leader|team lead|tech lead|负责领导|带头人"),
    ("contact", "contact person|contact|联系人|point of contact|联络人"),
    ("email", "email|e-mail|mail address|email address|邮箱|邮件地址|电子邮箱|mailbox|inbox"),
    ("phone", "phone|phone number|telephone|telephone number|mobile number|电话|电话号码|手机号"
     "|手机号码|手机|座机"),
    ("hotline", "hotline|热线|support line|support number"),
    ("extension", "extension|分机|分机号"),
    ("language", "language|programming language|语言|开发语言|编程语言"),
    ("database", "database|db|数据库|datastore|data store"),
    ("os", "os|operating system|操作系统|distro"),
    ("framework", "framework|框架|tech stack|stack|技术栈"),
    ("platform", "platform|平台"),
    ("system", "system|系统"),
    ("tool", "tool|工具|software|软件"),
    ("provider", "provider|vendor|supplier|供应商|服务商|厂商|运营商|isp|carrier|承运商|快递公司"
     "|物流公司"),
    ("price", "price|cost|fee|价格|售价|单价|费用|报价|月费|年费|费|费率|monthly fee"),
    ("rent", "rent|房租|租金"),
    ("hourly_rate", "hourly rate|时薪"),
    ("budget", "budget|预算|经费"),
    ("size", "size|尺寸|大小|尺码|面积|码数"),
    ("shoe_size", "鞋码|shoe size"),
    ("capacity", "capacity|容量|磁盘|disk|storage|存储"),
    ("memory", "memory|ram|内存"),
    ("cpu", "cpu|处理器|processor|核数|cores"),
    ("gpu", "gpu|显卡|graphics card"),
    ("weight", "weight|重量|体重"),
    ("height", "height|高度|身高"),
    ("width", "width|宽度"),
    ("length", "length|长度"),
    ("speed", "speed|转速|速度|最高转速|带宽|bandwidth|网速|帧率|frame rate"),
    ("temperature", "temperature|温度"),
    ("color", "color|colour|颜色|色号|主色|主题色"),
    ("font", "font|字体|typeface"),
    ("logo", "logo|标志"),
    ("slogan", "slogan|口号|tagline|motto|校训"),
    ("birthday", "birthday|date of birth|生日|出生日期"),
    ("anniversary", "anniversary|wedding anniversary|纪念日|结婚纪念日"),
    ("age", "age|年龄|年纪"),
    ("deadline", "deadline|due date|截止日期|截止时间|交付日期|死线|ddl|交稿日期|最后期限"),
    ("expiry", "expiry|expiry date|expiration date|有效期|到期日|到期时间|过期时间|保质期|期限"),
    ("date", "date|日期"),
    ("time", "time|时间|时段|slot"),
    ("opening_hours", "opening hours|hours|business hours|office hours|营业时间|开放时间"
     "|working hours|工作时间|办公时间"),
    ("window", "window|窗口|窗口期"),
    ("schedule", "schedule|cadence|周期|频率|release cycle|cycle|节奏|发版周期|frequency"),
    ("time_zone", "time zone|timezone|时区"),
    ("region", "region|区域|地域|availability zone|可用区"),
    ("password", "password|passcode|密码|口令|passphrase|pin"),
    ("code", "code|门禁码|邀请码|优惠码|提取码|验证码"),
    ("postcode", "zip code|postcode|postal code|邮编"),
    ("number", "number|号码|编号"),
    ("id_number", "id number|id card number|identity card number|national id|身份证号|身份证号码"
     "|身份证"),
    ("passport_number", "passport number|护照号|护照号码"),
    ("account", "account number|账号|帐号|卡号|account|账户|帐户"),
    ("serial_number", "serial number|序列号"),
    ("license_plate", "license plate|licence plate|number plate|plate number|车牌|车牌号"),
    ("tax_number", "税号|tax id|tax number|纳税人识别号"),
    ("user_name", "username|user name|用户名|login|login name|handle"),
    ("token", "api key|api token|token|access key|secret|密钥|秘钥"),
    ("path", "path|路径|directory|目录|folder|文件夹|file path"),
    ("name", "name|名字|名称|codename|code name|代号|全称|简称|full name|昵称|nickname|ssid"),
    ("prefix", "prefix|前缀"),
    ("suffix", "suffix|后缀"),
    ("format", "format|格式|file format|编码格式|date format"),
    ("license", "license|licence|许可证|许可协议|开源协议|协议"),
    ("branch", "branch|default branch|main branch|分支|默认分支|主分支"),
    ("repository", "repository|repo|代码仓库|仓库地址|registry|镜像仓库|镜像源"),
    ("channel", "channel|slack channel|频道|群|微信群|support channel"),
    ("limit", "limit|上限|限额|限制|quota|配额|阈值|threshold|最大值|maximum|minimum|下限|起订量"
     "|max"),
    ("rate_limit", "rate limit|限速|限流"),
    ("timeout", "timeout|超时|超时时间|ttl"),
    ("interval", "interval|间隔|时间间隔"),
    ("retention", "retention|retention period|保留期|保存期|保留时间|留存期"),
    ("duration", "duration|时长|工期"),
    ("trial_period", "trial period|试用期"),
    ("notice_period", "notice period"),
    ("warranty", "warranty|保修期|质保期"),
    ("plan", "pricing plan|套餐|subscription plan|tier"),
    ("bank", "bank|开户行|银行"),
    ("invoice_title", "开票抬头|发票抬头|抬头|invoice title|billing name"),
    ("currency", "currency|币种|货币"),
    ("tax_rate", "tax rate|税率|vat rate"),
    ("model", "model|型号|机型|款式"),
    ("brand", "brand|make|品牌|牌子"),
    ("material", "material|材质|材料|面料"),
    ("blood_type", "blood type|血型"),
    ("allergy", "allergy|allergies|过敏源|过敏原"),
    ("breed", "breed|品种"),
    ("doctor", "doctor|gp|医生|家庭医生|主治医生"),
    ("dentist", "dentist|牙医"),
    ("vet", "vet|veterinarian|兽医"),
    ("teacher", "teacher|老师"),
    ("homeroom_teacher", "班主任|homeroom teacher"),
    ("coach", "coach|教练"),
    ("advisor", "advisor|adviser|导师|tutor"),
    ("accountant", "accountant|会计|bookkeeper"),
    ("lawyer", "lawyer|律师"),
    ("client", "client|customer|客户|甲方"),
    ("ceo", "ceo|总经理"),
    ("cto", "cto|技术总监"),
    ("founder", "founder|创始人"),
    ("school", "school|学校|university|college|kindergarten"),
    ("major", "major|专业"),
    ("seat", "seat|座位|工位|desk"),
    ("room", "room|room number|房间|房间号|教室|floor|楼层"),
    ("parking", "parking space|parking spot|车位|停车位|车位号"),
    ("wifi", "wifi|wi-fi|无线网|无线网络"),
    ("broadband", "broadband|宽带|internet plan"),
    ("insurance", "insurance|保险|insurer|保险公司"),
    ("cloud", "cloud|cloud provider|云厂商|云服务商|云平台"),
    ("queue", "message queue|消息队列|queue|message broker"),
    ("cache", "cache|缓存"),
    ("ci", "ci|ci system|ci 系统|ci tool|pipeline"),
    ("encoding", "encoding|字符集|charset"),
    ("base_url", "base url"),
    ("environment", "environment"),
    ("headcount", "headcount|人数|team size|员工数|团队规模"),
    ("nationality", "nationality|国籍"),
    ("fiscal_year", "fiscal year|财年"),
)  # fmt: skip
"""What is said of a thing, by the word that names it, and its one name."""

FREE_VALUES: Final = _words(
    """color password code name branch material breed user_name prefix suffix slogan language
    channel manager owner contact responsible teacher doctor"""
)
"""Attributes whose value may be any plain word."""

THINGS: Final = _named(
    ("server", "server|servers|服务器"),
    ("test server", "test server|testing server|测试服务器|测试机"),
    ("backup server", "backup server|备用服务器"),
    ("database", "database|db|databases|数据库"),
    ("staging database", "staging db|预发数据库|预发库"),
    ("test database", "test db|测试库|测试数据库"),
    ("production database", "production db|prod db|prod database|生产库|生产数据库|线上数据库"),
    ("production", "production|prod|生产环境|线上环境|线上|production environment|正式环境|生产"),
    ("staging", "staging|staging environment|预发环境|预发布环境|staging 环境|staging环境"),
    ("test environment", "test environment|测试环境|testing environment"),
    ("office", "office|办公室"),
    ("company", "company|公司|我们|咱们|我司|本公司|we"),
    ("team", "team|团队|小组"),
    ("project", "project|项目"),
    ("frontend", "frontend|front end|front-end|前端"),
    ("backend", "backend|back end|back-end|后端|后端服务"),
    ("website", "website|site|网站|官网"),
    ("meeting room", "meeting room|conference room|会议室"),
    ("sprint", "sprint|iteration|冲刺|迭代"),
    ("standup", "standup|stand-up|daily standup|站会|晨会|早会"),
    ("warehouse", "warehouse|仓库"),
    ("shop", "shop|store|店|店里|门店|商店"),
    ("lab", "lab|laboratory|实验室"),
    ("car", "car|车|汽车|车子"),
    ("user", "我|本人|me"),
    ("wife", "wife|老婆|妻子|太太|媳妇"),
    ("husband", "husband|老公|丈夫"),
    ("son", "son|儿子"),
    ("daughter", "daughter|女儿|闺女"),
    ("mother", "mother|mom|mum|妈妈|妈|母亲|老妈"),
    ("father", "father|dad|爸爸|爸|父亲|老爸"),
    ("parents", "parents|父母|爸妈"),
    ("older sister", "older sister|elder sister|big sister|姐姐|姐"),
    ("younger sister", "younger sister|little sister|妹妹|妹"),
    ("older brother", "older brother|elder brother|big brother|哥哥|哥"),
    ("younger brother", "younger brother|little brother|弟弟|弟"),
    ("girlfriend", "girlfriend|女朋友|女友"),
    ("boyfriend", "boyfriend|男朋友|男友"),
    ("roommate", "roommate|flatmate|室友"),
    ("colleague", "colleague|coworker|同事"),
    ("boss", "boss|老板|上司|领导"),
    ("home", "home|家|家里|我家"),
    ("wifi", "wifi|wi-fi|无线网"),
    ("contract", "contract|合同"),
    ("customer service", "customer service|客服"),
    ("duty", "on-call|值班"),
    ("repository", "repository|repo|代码仓库|代码库"),
)  # fmt: skip
"""Things of everyday talk by either language, for a subject that is just that."""

# No thing of the user's world: abstract, of the moment, or a stretch of time.
VAGUE: Final = _words(
    """thing things problem problems issue issues bug bugs error errors point question questions
    answer answers truth reason reasons result results difference trick fact facts idea ideas
    feeling feelings weather traffic food movie film song show game match story day days night
    morning afternoon evening week weekend month year life world sky sun moon earth everything
    nothing something anything everyone people person guy guys man woman kid rest part bit lot
    way kind sort case cases situation moment time mood mind head stomach back body eye eyes
    legs conclusion summary takeaway lesson moral goal goals aim aims objective objectives
    target vision mission plan dream dreams hope wish advice suggestion opinion view guess bet
    assumption choice decision decisions favorite favourite news rumor rumour joke winner loser
    score line build test tests next one ones first second last latter former other others
    following catch alternative option options default task tasks todo job work capital
    population bus train flight plane meal lunch dinner breakfast coffee chocolate rain snow
    noise smell sound light air water bottom top best worst most least upside downside good bad
    function loop variable message sentence paragraph text output input example page screen
    mouse icon battery book article post word query request video episode chapter essay poem
    recipe pasta soup sauce cake"""
)

# What takes place once; the finder of events reads these.
HAPPENINGS: Final = _words(
    """meeting meetings launch release flight party wedding interview appointment exam play concert
    inspection defence defense conference workshop ceremony trip demo presentation visit call
    kickoff review retrospective standup webinar funeral game match race talk lecture surgery
    operation hearing offsite dinner lunch move delivery train event"""
)

KIN: Final = _words(
    """wife husband partner son daughter brother sister mother father mom mum dad grandma grandpa
    grandmother grandfather uncle aunt cousin nephew niece boyfriend girlfriend roommate
    flatmate neighbour neighbor boss colleague friend fiance fiancee twin baby kid child kids
    children cat dog puppy kitten parents"""
)

# Words that weigh or tell a state of the moment: no lasting value stands with them.
PASSING: Final = _words(
    """great good bad nice awful terrible horrible amazing awesome fantastic wonderful lovely
    beautiful ugly annoying boring funny hilarious insane crazy weird strange odd cool hot cold
    warm wet dry tired hungry sick late early slow fast ready done finished complete completed
    broken down up offline online red failing failed passing flaky stuck blocked fine okay ok
    perfect excellent delicious tasty disgusting messy mess clean dirty tight loose high low
    expensive cheap huge tiny big small long short easy hard difficult tough simple complicated
    complex wrong right correct incorrect true false missing lost gone dead alive empty full
    open closed busy free important urgent useless useful helpful happy sad angry upset excited
    worried nervous scared afraid proud ashamed sorry glad sure unsure clear unclear obvious
    confusing interesting exciting stressful exhausting painful ridiculous stupid dumb smart
    clever brilliant genius nightmare disaster joke jerk idiot legend star pain angel monster
    hero clown riot treat gem lifesaver killer loser winner best worst better worse more less
    same different similar unclear unknown undecided pending valid invalid expired weak strong
    safe secure unsafe stable unstable healthy ill better available unavailable possible
    impossible necessary unnecessary required optional responsible enough everything nothing
    everywhere nowhere here there behind ahead away left over due overdue scary sweet cute
    adorable gorgeous stunning lame meh garbage trash rubbish awkward tricky dangerous loud
    noisy quiet dark bright heavy limited reasonable fair generous ambitious realistic
    unrealistic me you us him her them mine yours it this that killing pretty quite very so too
    solid incredible incredibly impressive inspiring fun superb outstanding decent usually
    often sometimes mostly generally typically favorite favourite faves fave favorites
    favourites really extremely super totally absolutely completely rather somewhat kinda kind
    sort such"""
)

MOMENT: Final = (
    "right now|at the moment|for now|today|tonight|this (?:morning|evening|afternoon|week|weekend)"
    "|yesterday|last (?:night|week)|again|already|finally|so far|as usual|of course|lol|haha|yet"
    "|these days|in a minute|any ?more|minutes? (?:late|early|away)|late|left"
)
MOMENT_ZH: Final = (
    "现在|目前|今天|今晚|昨天|昨晚|刚才|刚刚|正在|又|终于|还在|已经|暂时|这会儿|此刻|明天"
)

# Known to everybody: what is said of them in passing is a lesson, no memory.
FAMOUS: Final = _words(
    """python java javascript typescript rust go golang ruby php swift kotlin c c++ c# html css sql
    react vue angular svelte django flask rails spring node node.js docker kubernetes git github
    gitlab linux ubuntu windows macos android ios google apple microsoft amazon meta facebook
    twitter netflix openai chatgpt gpt claude postgres postgresql mysql sqlite redis mongodb
    kafka aws azure gcp internet web earth moon mars sun china america europe asia africa france
    germany japan india england britain london paris tokyo beijing shanghai berlin everest
    wikipedia youtube tesla bitcoin english french spanish german chinese japanese latin jesus
    god christmas easter monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december"""
)

VAGUE_ZH: Final = stored_words(__file__, "VAGUE_ZH")
"""Heads of what no fact is told of."""

PERSONAL: Final = _words(
    """name age job job-title title role occupation profession nationality hometown birthday
    language mother-tongue editor ide favorite favourite preferred preference goal goals hobby
    hobbies gender pronouns religion major degree surname nickname salary weight height diet
    background position employer"""
)
PERSONAL_ZH: Final = (
    "名字|姓名|年龄|职业|工作|母语|老家|家乡|生日|英文名|中文名|昵称|目标|爱好|职位|岗位|专业|学历"
    "|国籍"
    "|籍贯|性别|体重|身高|星座|血型|编辑器|习惯|偏好|身份|学校|母校|公司|网名|笔名|外号|小名|故乡|时区"
)
"""What `my …` says of the user as a person; others read these."""

SURNAMES: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶"
    "阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)

TECHNICAL: Final = _words(
    """app repo repository site website service server project backend frontend pipeline team
    company database cluster api codebase monorepo platform system library package module worker
    gateway environment stack container image script tool plugin bot crawler scraper dashboard
    ci builds jobs"""
)
"""Things that use something, whatever it is called."""
