"""The words by which events are known: what takes place, what happens, what goes wrong (C6).

In: nothing. Out: patterns for the finder of events, each with the kind of event it tells of. Words
for what happens every day (lunch, traffic, weather) are left out on purpose.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.pattern import Words, pattern, sign

_I: Final = 0x02  # re.IGNORECASE

_HINTS: Final = Words(
    "day|night|morning|evening|noon|week|month|ago|just|now|live|down|christmas|easter|tomorrow"
    "|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    "|last mon|last tue|last wed|last thu|last fri|last sat|last sun"
)
_DIGIT: Final = pattern(r"\d")
_HINT_ZH: Final = pattern(
    r"[年月日号周晚早昨今明刚天夜旬]|星期|礼拜|春节|中秋|国庆|元旦|圣诞|端午|上线|发布|宕|挂|中标"
    r"|过审|获奖"
)


def tells_result_zh(text: str) -> bool:
    """Tell whether words name somebody or something, and behind that what came about."""
    concerned = _CONCERNED_ZH.search(text)
    return concerned is not None and _RESULT_ZH.search(text, concerned.end()) is not None


def tells_time(text: str) -> bool:
    """Tell, at little cost, whether a text may tell a time: without such a word it tells none."""
    if _HINTS.in_(text) or _DIGIT.search(text):
        return True
    return not text.isascii() and _HINT_ZH.search(text) is not None


_SOMETHING_ZH: Final = r"[\u4e00-\u9fffA-Za-z0-9.·/ -]"
FIXED_ZH: Final = pattern(
    r"(?:定在|定于|定到|安排在|安排到|(?<![租合契])约在|(?<![租合契])约到|改到|改在|改期到|推迟到"
    r"|提前到|延期到|延后到|延到|挪到|调到|推到|订在|排在"
    r"|排到|放在|设在|预计在|计划于|将于|拟于"
    r"|(?<=的会|审会|盘会|动会|布会|会议|面试|考试|答辩|婚礼)(?:就|是)?在)(?:了)?\s*\Z"
)
MOVED: Final = pattern(
    r"(?<![a-z])(?:moved|rescheduled|postponed|pushed|shifted|delayed|slipped|brought forward)"
    r"(?: up| back| out| again)?(?: an?(?: \w+)? (?:day|week)| \w+ (?:days|weeks))?,?"
    r"(?: to| until| till| for| on)?\s*\Z"
    r"|(?<![a-z])(?:moved|rescheduled|postponed|pushed|shifted|delayed)(?: back| up)?"
    r" (?:the|our|my)(?: [\w'’-]+){1,6}?(?: back| up)? (?:to|until|till)\s*\Z"
    r"|(?:改到|改在|改期到?|改成|改为|推迟到?|推后到?|推到|提前到?|延期到?|延后到?|延到|挪到|调到|换到|顺延到?)(?:了)?"
    r"\s*\Z",
    _I,
)
"""What stands before the new time of something that had another."""
MEETING: Final = sign(
    rf"(?:开|召开|举行|举办|参加|办|主持|有个?|是|出席|去){_SOMETHING_ZH}{{0,16}}?(?:会(?![议]?不"
    rf"|[员计话说上所有是要去让被把给儿友籍费场馆])|会议|大会|典礼|仪式|讲座|培训|活动|面试|考试"
    rf"|答辩|婚礼|比赛|展览"
    r"|沙龙|路演|演出|聚会|团建|体检|手术|庭审|家访|演练|演习|访谈|发布会|酒席|满月酒|葬礼)"
    r"|(?:评审|复盘|启动|发布|家长|座谈|研讨|动员|总结|年|同学|董事|股东|招聘|推介|见面|答谢|表彰"
    r"|演唱|音乐|运动|说明|招标|开标|签约|订货|战略|周年|宣讲|校友|分享|晚|交流|碰头|对接|立项"
    r"|需求)会(?!员)"
    r"|会议|面试|笔试|考试|高考|中考|期末考|四级考|六级考|雅思|托福|答辩|婚礼|葬礼|追悼会|航班"
    r"|高铁|火车|手术|体检|复诊|复查|产检|大寿|寿宴|生日宴|满月酒|典礼|仪式|展会|讲座|培训|路演"
    r"|庆典|团建"
    r"|试镜|互助(?:小组|会)|开庭|开学|军训|毕业典礼"
    r"|比赛|决赛|马拉松|演唱会|音乐节|演出|聚会|聚餐|发布会|评审|验收|割接|演练|演习|直播|首映|看房"
    r"|面谈|约谈|拜访|年会|demo|meeting|review|kick-?off|launch|interview|workshop|sprint|retro"
    r"|deadline 过",
    _I,
)
OF_RELEASE_ZH: Final = pattern(r"(?:发布|上线|发版|部署|投产|上架|开源)(?:时间|日期|计划)?\Z")
"""What ends the name of a release."""
RELEASE_ZH: Final = sign(
    rf"(?:发布|上线|发版|部署|推出|灰度|全量|发行|开源|提测|封版|投产|上架|割接|迁移)(?:了|完"
    rf"|完成|成功|到|给|上|出|正式|\Z|[。！!，,]|{_SOMETHING_ZH}{{0,12}}(?:版|版本|系统|功能|\d))"
    r"|(?:正式|全量|已经|刚刚?|成功|将|要|准时)\s*(?:上线|发布|发版|投产|上架|开源|release|launch"
    r"|go live)|(?:release|launch|deploy|ship|go live|roll ?back|merge)(?:ed|d)?\s*(?:了|完|成功"
    r"|到|上)"
    r"|(?:回滚|下线)了",
    _I,
)
INCIDENT_ZH: Final = sign(
    r"故障|事故|宕机|宕了|当机|停电|断电|断网|断供|崩溃|崩了|挂了(?!电话|号|科|个号|失)|挂掉|瘫痪"
    r"|坏了(?!心情|胃口)|漏水|爆管|爆裂|水管爆|着火|起火|失火|火灾|泄露|泄漏|被黑|被盗"
    r"|被.{0,10}攻击|被撞|追尾|数据丢失|服务不可用"
    r"|进水|报警|车祸|骨折|down 了|down了|crash(?:ed)?\s*了|incident|outage|被入侵|误删",
    _I,
)
MILESTONE_ZH: Final = sign(
    rf"(?:签|签订|签署|签下|谈成|拿下)(?:了|好|完|下|订|署){_SOMETHING_ZH}{{0,14}}(?:合同|协议|约"
    rf"|单|订单|项目|客户|意向书)|签约|签.{{0,12}}合同|(?:拿到|获得|收到|融到"
    rf"|完成)(?:了)?{_SOMETHING_ZH}{{0,14}}(?:投资|融资|奖|证书|执照|offer|录取|批文|许可|专利"
    rf"|通知书|签证|牌照|学位|驾照|毕业证|护照|房产证|钥匙)"
    rf"|(?:通过|过)(?:了)?{_SOMETHING_ZH}{{0,10}}(?:审核|答辩|考试|验收|评审|认证|面试|审批|备案"
    rf"|科目)|过审|被.{{1,14}}(?:接收|录用|录取|收购|聘用)|(?:拿|获|得|赢)(?:了|到"
    rf"|得)?.{{0,10}}[奖冠]|启动(?:了|大会|仪式)|中标|获奖|得奖|夺冠|(?:突破|达到|超过"
    rf"|破)(?:了)?{_SOMETHING_ZH}{{0,8}}[\d一二两三四五六七八九十百千万亿]|开业|开张|周年|揭牌"
    rf"|竣工|封顶|交付了|交房|开工|成立|上市|收购|被录取|被录用|被接收|被接受|录用了"
    r"|(?:达到|完成|实现|达成|超额完成)(?:了)?.{0,10}(?:目标|指标|业绩|任务量|KPI|众筹|募款)"
    r"|论文.{0,6}(?:中了|接收|录用|发表)|正式搬|乔迁|剪彩|转正|升职|晋升|评上|里程碑|加入了|入职",
    _I,
)
PERSONAL_ZH: Final = sign(
    rf"丢了工作|失业了|被裁|结婚|领证|领了证|订婚|求婚|离婚|出生|生了[一二两三四五六个]|生下|分娩|搬家|搬到|搬进|搬去"
    rf"|搬了|出差|毕业|离职|辞职|退休|去世|过世|走了一年|住院|出院"
    rf"|做了?(?:个)?{_SOMETHING_ZH}{{0,8}}手术|动手术|飞(?:往|去|到"
    rf"|回)?(?=[\u4e00-\u9fff]{{2}})(?!机|快|行|速|书|起来|了起)|起飞|出发(?:去|前往)|满月|百日"
    rf"|摆酒|办酒|下葬|提车|买了?(?:房|车)|收房|入住|(?:八十|七十|六十|九十|五十)大?寿|(?:去"
    rf"|到){_SOMETHING_ZH}{{1,8}}(?:旅游|旅行|度假|蜜月)|约了{_SOMETHING_ZH}{{1,16}}"
    rf"|预约了?{_SOMETHING_ZH}{{1,12}}|看牙|拔牙|打疫苗了|面签|收房|考(?:驾照|科目|研|公|证"
    rf"|[四六]级|雅思|托福)|回国|出国|摔断|做(?:了)?(?:个)?(?:胃镜|肠镜|CT|核磁|检查|B超|产检)"
    rf"|(?:和|跟|与)(?!朋友|闺蜜|他|她).{{1,12}}见(?:了面|过面|面了)|见了.{{1,10}}(?:的人|总|老师"
    rf"|客户|团队|负责人"
    rf"|老板|医生|律师)"
    rf"|(?:过来|来|前来)[\u4e00-\u9fff]{{0,6}}(?:参观|考察|视察|检查|调研|走访)|考上了?"
    rf"|(?:跑|走|骑)完了?.{{0,10}}(?:马|线|赛)|到港|到货|(?:和|跟|与|见).{{0,6}}(?:投资人|客户"
    rf"|甲方|供应商|律师|中介|代理商|合作方|总).{{0,4}}(?:见了?面|会面|面谈|碰头)",
)
_CONCERNED_ZH: Final = pattern(
    r"我们|公司|团队|客户|项目|系统|服务器|网站|仓库|工厂|学校|女儿|儿子|孩子|医院|店|平台"
    r"|产品|工程|小程序|车间|机房|合作方|我家|我爸|我妈|爷爷|奶奶|小狗|小猫"
    r"|[A-Za-z]{2}"
)
_RESULT_ZH: Final = pattern("[了完成到]")
COMING_DATED: Final = pattern(
    r"(?:我们?|公司|团队|客户|女儿|儿子|孩子|爸|妈|老婆|老公|学校|店|系统|项目).{2,}",
    _I,
)
DATED: Final = pattern(
    r"(?<![a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d|\d(?:st|nd|rd"
    r"|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d{4}-\d|on \w+day|[日号]",
    _I,
)
"""A date of the calendar."""
DULL: Final = pattern(
    r"(?<![a-z])(?:sun|weather|rain|kids|neighbou?rs?|upstairs|bus|train|traffic|coffee|food|film"
    r"|show|song|game|internet|wifi|printer|alarm|so|too|really|awful"
    r"|terrible|crazy|insane|hilarious|nice|amazing|worst|best|great|lovely|tired|packed|bored"
    r"|crowded|until|valid|expires?|renews?|costs?|ends|until|since|think|know"
    r"|feel|hope|mean|believe|remember|forgot|like|love|hate|prefer|use|used|late|home|gym|slept"
    r"|ate|drank|send|sent|close|hear|heard|survived|another|owe|pay|paid|works?|close[sd]?"
    r"|open from)(?![a-z])"
    r"|[吃喝睡逛刷玩聊跳骂输]|爬山|跑步|看了|做梦|迟到|买了|加班|健身|觉得|感觉|好像|有点"
    r"|真[的是]|太|特别|截止|工资|房租|营业|公休|生日|密码|期限|合同期|价格|预算|在家|喜欢|讨厌"
    r"|知道|认为",
    _I,
)
"""What makes a dated sentence one of every day, or one of what holds rather than happens."""
VENTING: Final = sign(
    r"(?<![a-z])(?:ugh|omg|lol|lmao|haha\w*|sigh|argh)(?![a-z])|烦死|气死|累死|无语|哈哈|呜呜"
    r"|到崩溃|到吐|头都大|服了|崩溃了我",
    _I,
)
DAILY: Final = sign(
    r"(?<![a-z])(?:every|each|usually|always|often|sometimes|daily|weekly|never|weekdays|weekends"
    r"|(?:lunch|breakfast)(?! with (?-i:[A-Z]))|nap|traffic"
    r"|weather|rain(?:ing|ed)?|snow(?:ing|ed)?|headache|news|stock market|bitcoin|crypto"
    r"|the (?:market|economy|government|president|fed)|congress|parliament|wall street|brain|nail"
    r"|my (?:phone|mouse|mug|glasses|screen|headphones)|so many|too many|all day|a lot of|movie"
    r"|episode|due|need to|have to|has to|must|should|got to|want to|wants to|plan(?:ning)? to"
    r"|hope to"
    r"|hoping to|trying to|todo|to-do|remind|don[’']t forget|going to try)(?![a-z])"
    r"|\A\W*(?:他们|她们|人家|别人|隔壁)|每天|每周|每月|每年|每次|每个?|平时|经常|总是|常常|一般"
    r"|通常|天天|堵车|下雨|下雪|降温|做梦"
    r"|打算|想要|希望|争取|想在|待办|别忘|提醒我|记得|之前(?:要|得|把|给|交|发|提|做|弄|搞|完成"
    r"|搞定)|必须|得在"
    r"|(?<!到)(?<!到了)(?<!完成)(?<!完成了)(?<!实现)(?<!实现了)(?<!达成)(?<!达成了)目标|新闻"
    r"|心情|大脑|脑子|帮我|麻烦你|请你|纪要|太\S{1,6}了|累死|烦死|气死|无语|手机|鼠标|键盘|耳机"
    r"|杯子|蓝屏|无聊|又开了|开了一天|开了一整天|央行|(?:苹果|谷歌|微软|特斯拉|华为|小米|英伟达"
    r"|比亚迪|美国|政府|国家)(?!.{0,4}的).{0,10}(?:发布|推出|上线)|股市|大盘|球赛|电影|电视剧"
    r"|追剧|有效期|保质期",
    _I,
)
"""What is a habit, a wish, a task or of no account."""
NOT_HAPPENED: Final = pattern(
    r"(?<![a-z])(?:not|never|no longer|nothing|nobody|without|cancel\w*|called off"
    r"|almost|nearly)(?![a-z])|(?<=\w)n[’']t(?![a-z])"
    r"|没有?(?![错问])|未能|尚未|还未|未发|不(?!错|久|到|少|过|仅|同|得不|小心|料|停|断|可用)"
    r"|取消|差点|险些|即将|快要|\A\W*(?:我们?|咱们?|请|帮我)*[把将].*吧\W*\Z",
    _I,
)
"""What says that it did not come about, or has no time yet."""
MAYBE: Final = sign(
    r"(?:(?<![A-Za-z])(?:is|are|was|were|be|been|scheduled|set|planned|booked|moved|place|happen\w*"
    r"|starts?|begins|began|started|leaves|departs|lands|arrives?|opens|off|runs|live|launches"
    r"|ships|boards)|[’']s)(?: [\w.]+){0,4}? (?:next|this|last|tomorrow|yesterday|today|tonight|\d"
    r"|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?!\w))"
    r"|[\u4e00-\u9fff]",
    _I,
)
"""Without one of these nothing is dated that no verb of happening tells."""
OF_DAY: Final = pattern(
    r"day|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d[/-]\d|tomorrow|tonight|next|this|\bin\b"
    r"|[今明后昨周日号月]|星期|礼拜",
    _I,
)
"""What says on which day an hour is."""
LATELY: Final = pattern(
    r"recently|lately|these days|the other day|最近|近来|近日|这几天|前阵子", _I
)
"""Words that are no point in time."""
JUST: Final = sign(
    r"(?<![a-z])(?:just (?:released|shipped|launched|deployed|merged|went|crashed|signed|got"
    r"|passed|won|hit|joined(?= an?\b| the\b| my\b)|left(?= for (?:my|our)\b)|reached|broke"
    r"|rolled|published)"
    r"|right now|(?:is|are) down(?! again)|is live|went down|has crashed)(?![a-z])"
    r"|刚刚?(?:才)?(?:发布"
    r"|上线|部署|发版|签|拿到|通过|加入|挂|宕|崩|收到|完成|过)|正式上线|上线了|发布了|宕机了|挂了"
    r"|down 了|中标了|过审了|获奖了",
    _I,
)
"""What is plainly of this moment."""
