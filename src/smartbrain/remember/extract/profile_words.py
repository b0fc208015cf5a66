"""Words that tell who somebody is: trades, kinfolk, animals, illnesses, origins, businesses.

In: the words after "I'm a" or 我是. Out: whether they name a lasting trait, and of which kind.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

_TRADES: Final = pattern(
    r"accountant|actor|actress|admin|administrator|advisor|adviser|agent|analyst|animator"
    r"|apprentice|architect|artist|assistant|astronaut|astronomer|attorney|auditor|author"
    r"|baker|banker|barber|barista|bartender|bioinformatician|biologist|blogger|bookkeeper"
    r"|bookseller|botanist|boss|broker|builder|butcher|candidate|captain|cardiologist"
    r"|caregiver|carer|carpenter|cashier|ceo|cfo|chef|chemist|chiropractor|cto|coo|cleaner"
    r"|clerk|clinician|coach|cofounder|co-founder|columnist|composer|conductor|consultant"
    r"|contractor|cook|copywriter|correspondent|counsellor|counselor|courier|curator|cyclist"
    r"|dad|dancer|dba|dealer|dean|dentist|dermatologist|designer|detective|dev|developer"
    r"|devops|dietitian|director|dj|doctor|doctoral|driver|economist|editor|educator"
    r"|electrician|employee|engineer|entrepreneur|epidemiologist|estimator|executive|expat"
    r"|farmer|father|filmmaker|firefighter|fisherman|florist|founder|freelancer|fellow"
    r"|gardener|geologist|grad|graduate|grandfather|grandma|grandmother|grandpa|guide"
    r"|gynecologist|hairdresser|head|historian|homemaker|host|housewife|hr|illustrator"
    r"|immigrant|influencer|inspector|instructor|intern|internist|interpreter|investor|janitor"
    r"|jeweller|journalist|judge|junior|lawyer|lead|leader|lecturer|librarian|lifeguard"
    r"|linguist|maintainer|major|maker|manager|marketer|mason|masseur|mathematician|mayor"
    r"|mechanic|medic|midwife|minister|mom|mother|mum|musician|neurologist|neuroscientist"
    r"|novelist|nurse|nutritionist|officer|operator|optician|orthodontist|owner|pa|painter"
    r"|paralegal|paramedic|parent|partner|pastor|pathologist|pediatrician|paediatrician"
    r"|pharmacist|phd|philosopher|photographer|physician|physicist|physiotherapist|pianist"
    r"|pilot|planner|player|plumber|pm|poet|policeman|policewoman|politician|postdoc|potter"
    r"|president|priest|principal|producer|professor|programmer|proofreader|psychiatrist"
    r"|psychologist|publisher|qa|radiologist|realtor|receptionist|recruiter|refugee|rep"
    r"|reporter|representative|researcher|resident|retiree|roofer|sailor|salesman|salesperson"
    r"|saleswoman|scholar|scientist|sculptor|sdet|secretary|seller|sergeant|singer|sociologist"
    r"|soldier|solicitor|sophomore|specialist|sre|statistician|stylist|streamer|student"
    r"|supervisor|surgeon|surveyor|swe|swimmer|sysadmin|tailor|teacher|technician|tester"
    r"|therapist|trader|trainee|trainer|translator|treasurer|tutor|twin|undergrad"
    r"|undergraduate|undertaker|vet|veteran|veterinarian|videographer|violinist|vp|waiter"
    r"|waitress|webmaster|welder|widow|widower|writer|youtuber|zoologist|practitioner|owl"
    r"|riser|sleeper|comedian|citizen|native|orphan|dropout|beginner|newbie|novice|expert"
    r"|minimalist|introvert|extrovert|vegetarian|vegan|pescatarian|diabetic|amputee|freshman"
    r"|senior|volunteer|runner|climber|hiker|gamer|cellist|guitarist|drummer|muslim|christian"
    r"|buddhist|jew|hindu|atheist|catholic|homeowner|landlord|tenant|shareholder|lefty",
    _I,
)
_ENDINGS: Final = pattern(
    r"\w+(?:ologist|ographer|ician|ineer|ologer|ysicist|aker|iatrist|onomist|eutist|grammer"
    r"|keeper|worker|owner|smith"
    r"|master|person|woman|wright|herder|grower|fighter|builder|holder|teacher|officer|engineer"
    r"|wife|hand)",
    _I,
)
_OPINION: Final = pattern(
    r"bit|little|mess|fan|fool|idiot|genius|loser|failure|joke|goner|huge|big|bad|terrible"
    r"|good|great|total|complete|lot|few|step|disaster|wreck|sucker|believer|stickler|lover"
    r"|fighter|person|human|guy|man|woman|girl|boy|kid|dummy|noob|bot|robot|ghost|zombie|one"
    r"|liar|monster|hero|legend|star",
    _I,
)

KIN: Final = (
    r"(?:kids?|child(?:ren)?|sons?|daughters?|twins|triplets|brothers?|sisters?|siblings?|wife"
    r"|husband|partner"
    r"|girlfriend|boyfriend|fianc[eé]e?|grandchild(?:ren)?|grandkids|grandsons?|granddaughters?"
    r"|stepsons?|stepdaughters?"
    r"|stepchild(?:ren)?|nephews?|nieces?|toddlers?|teenagers?|bab(?:y|ies)|boys|girls|spouse)"
)
PETS: Final = (
    r"(?:cats?|dogs?|pupp(?:y|ies)|kittens?|rabbits?|hamsters?|parrots?|budgies?|horses?"
    r"|tortoises?|turtles?|goldfish"
    r"|guinea pigs?|snakes?|lizards?|chickens|hens|labradors?|retrievers?|poodles?|corgis?"
    r"|ferrets?|geckos?|beagles?|pets?"
    r"|terriers?|dachshunds?|huskies|husky|canar(?:y|ies)|ponies|pony|goats?|alpacas?)"
)
ILLS: Final = (
    r"(?:[\w-]+ allerg(?:y|ies)|allergies|asthma|(?:type[- ][12] )?diabetes|adhd|add|autism"
    r"|epilepsy|celiac|coeliac|dyslexia|arthritis"
    r"|migraines|chronic [\w ]+|high blood pressure|hypertension|hypothyroidism|insomnia|tinnitus"
    r"|anxiety|depression|ibs"
    r"|crohn'?s|eczema|psoriasis|a (?:heart condition|peanut allergy|nut allergy|bad (?:back"
    r"|knee)|pacemaker|disability"
    r"|gluten intolerance|lactose intolerance)|lactose intolerance|gluten intolerance|scoliosis"
    r"|ptsd|ocd|gout|anemia|anaemia"
    r"|colou?r blindness|hearing loss|parkinson'?s|ms|lupus|glaucoma|osteoporosis|sleep apn(?:ea"
    r"|oea))"
)
STATES: Final = (
    r"(?:allergic to [^,.;]+|lactose[- ]intolerant|gluten[- ]intolerant|(?:a )?vegetarian|vegan"
    r"|pescatarian|diabetic|celiac|coeliac|asthmatic"
    r"|(?:red-green )?colou?r[- ]?blind|deaf|hard of hearing|blind|dyslexic|autistic"
    r"|left[- ]handed|right[- ]handed|ambidextrous"
    r"|nearsighted|short-sighted|farsighted|epileptic|hypertensive|neurodivergent|teetotal|halal"
    r"|kosher|sober|disabled|paraplegic)"
)
CIVIL: Final = (
    r"(?:married|divorced|widowed|engaged|retired|self[- ]employed|unemployed|between jobs"
    r"|bilingual|trilingual|multilingual"
    r"|pregnant|an only child|on parental leave|on maternity leave|semi-retired|tenured|adopted"
    r"|muslim|christian|catholic"
    r"|jewish|buddhist|hindu|atheist|agnostic|sikh|mormon|transgender|nonbinary|non-binary|gay"
    r"|lesbian|bisexual|single)"
)
NATIONS: Final = (
    r"(?:american|canadian|british|english|scottish|welsh|irish|french|german|italian|spanish"
    r"|portuguese|dutch|belgian|swiss"
    r"|austrian|polish|czech|slovak|hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian"
    r"|swedish|norwegian|danish"
    r"|finnish|icelandic|estonian|latvian|lithuanian|croatian|serbian|slovenian|chinese|japanese"
    r"|korean|taiwanese|vietnamese|thai"
    r"|indonesian|malaysian|singaporean|filipino|indian|pakistani|bangladeshi|nepali|sri lankan"
    r"|iranian|iraqi|israeli|lebanese"
    r"|syrian|egyptian|moroccan|algerian|tunisian|nigerian|kenyan|ethiopian|ghanaian"
    r"|south african|mexican|brazilian"
    r"|argentin(?:ian|e)|chilean|colombian|peruvian|venezuelan|cuban|jamaican|australian"
    r"|new zealander|kiwi|european|african|asian)"
)
TONGUES: Final = (
    r"(?:english|chinese|mandarin|cantonese|german|french|spanish|portuguese|italian|dutch"
    r"|flemish|russian|japanese|korean|arabic"
    r"|hindi|turkish|polish|swedish|danish|norwegian|finnish|greek|hebrew|hungarian|czech"
    r"|romanian|ukrainian|vietnamese|thai"
    r"|indonesian|malay|bengali|urdu|tamil|telugu|punjabi|persian|farsi|catalan|swahili|tagalog"
    r"|esperanto|irish|welsh|basque"
    r"|yoruba|amharic|zulu|afrikaans|icelandic|serbian|croatian|bulgarian|slovak|slovenian"
    r"|latvian|lithuanian|estonian|georgian)"
)
BUSINESS: Final = (
    r"(?:company|agency|business|shop|store|team|studio|firm|restaurant|farm|caf[eé]|cafe|bakery"
    r"|blog|channel|podcast|department|group"
    r"|lab|laboratory|practice|clinic|school|startup|start-up|site|website|newsletter|hotel|gym"
    r"|salon|gallery|bar|pub|brewery|bookshop"
    r"|bookstore|consultancy|nonprofit|non-profit|charity|ngo|workshop|nursery|garage|bookings?"
    r"|kindergarten|hostel|guesthouse|b&b|vineyard|ranch"
    r"|division|unit|office|franchise|pharmacy|dairy|boutique|label|foodtruck|food truck|stall"
    r"|community|club|choir|practice|service|cooperative)"
)
INSTRUMENTS: Final = (
    r"(?:guitar|piano|violin|cello|drums|bass|flute|clarinet|saxophone|trumpet|ukulele|harp|organ"
    r"|banjo|viola|oboe|accordion|keyboard"
    r"|chess|tennis|football|soccer|basketball|badminton|volleyball|golf|rugby|cricket|hockey"
    r"|table tennis|squash|go|bridge|poker)"
)

ZH_TRADE: Final = pattern(
    r"(?:师|医生|大夫|护士|护工|员|(?<!陌)(?<!先)(?<!花)(?<!天)生|作家|画家|专家|科学家|企业家"
    r"|音乐家|作者|记者|学者|创业者|从业者|爱好者|素食者|志愿者|管理者|歌手|司机|经理|总监|主管"
    r"|主任"
    r"|老板|店主|房东|农民|工人|教授|校长|院长|厂长|店长|班长|组长|队长|部长|处长|科长|所长"
    r"|董事长|村长|会长|秘书(?:长)?|助理|顾问|律师|法官|警察|军人|士兵|消防员|编辑|翻译|导演|演员"
    r"|模特"
    r"|主播|博主|编剧|摄影|会计|出纳|审计|中介|销售|客服|保安|保姆|月嫂|厨子|裁缝|木匠|铁匠|电工"
    r"|焊工|水管工|程序猿|码农|自由职业者?|创始人|撰稿人|媒体人|手艺人|经理人|音乐人|电影人"
    r"|广告人|生意人|诗人|商人|艺人|匠人|牧羊人|策划人|C[ETFO]O|VP|HRBP|SRE|DBA|QA|合伙人|负责人"
    r"|投资人|经纪人|主持人|工头|个体户|公务员|全职(?:妈妈|太太|爸爸)"
    r"|宝妈|宝爸|奶爸|(?:单亲)?(?:妈妈|爸爸|母亲|父亲)|博士后?|硕士|本科|研究僧|海归|外教|班主任"
    r"|辅导员|家教|教练|兽医|牙医|中医|药剂|产品|运营|设计|前端|后端|架构|开发|测试工程|运维|HR"
    r"|PM|退休教师|退休干部|渔民|牧民|飞行员|船长|空姐|空乘|列车长|站长|版主|群主|up主|UP主"
    r"|用户代表|新手|小白|初学者|转行)"
    r"\W*\Z",
    _I,
)
ZH_TRAIT: Final = pattern(
    r"(?:左撇子|右撇子|素食主义者|纯素|色盲|色弱|独生(?:子女?|女)|双胞胎|夜猫子|社恐|路痴|脸盲"
    r"|单身|已婚|未婚|离异|丁克|孕妇|残疾人|聋人|盲人|糖尿病患者|[\u3400-\u9fff]{0,8}患者"
    r"|(?:A|B|AB|O)型血?|(?:白羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|水瓶|双鱼)座"
    r"|[IE][NS][TF][JP]|党员|[汉满蒙回藏苗壮彝傣侗瑶白]族|[\u3400-\u9fff]{1,4}族人|敏感肌"
    r"|过敏体质|易胖体质|早产儿|内向|外向|乳糖不耐(?:受)?|轮椅使用者|[\u3400-\u9fff]{1,6}携带者)"
    r"(?:的人?|人)?\W*\Z"
)
ZH_NOT_TRADE: Final = pattern(
    r"[真说想觉怕要不来去被在从看听问这那谁怎你您他她它认为没就才第会可昨今刚第]|开玩笑|随便|好人"
    r"|坏人|个人|一个人|自己|成年人|女人|男人|人类|机器人"
)
ZH_KIN: Final = (
    r"(?:孩子|小孩|儿子|女儿|娃|宝宝|双胞胎|哥哥|姐姐|弟弟|妹妹|兄弟|姐妹|孙子|孙女"
    r"|外孙|老婆|老公|女朋友|男朋友|女友|男友|未婚妻|未婚夫|闺女|千金|继子|侄子|侄女|外甥)"
)
ZH_PETS: Final = (
    r"(?:猫咪?|狗狗?|仓鼠|兔子|鹦鹉|乌龟|金鱼|小鸟|柯基|金毛|泰迪|哈士奇|布偶|英短"
    r"|美短|橘猫|边牧|柴犬|拉布拉多|蜥蜴|龙猫|荷兰猪|守宫|宠物)"
)


def is_trade(words: str) -> bool:
    """Tell whether an English phrase ends in a word for what somebody is or does."""
    last = words.split()
    head = last[-1].strip(".,'\"’") if last else ""
    if not head or _OPINION.fullmatch(head):
        return False
    spellings = (head, head.removesuffix("s"), head.rpartition("-")[2])
    return any(map(_TRADES.fullmatch, spellings)) or _ENDINGS.fullmatch(head) is not None
