"""Names of people: given names in Latin letters, Chinese surnames, titles, and what is no name.

In: nothing. Out: word lists, read when first asked for. Names that are everyday words too are
marked apart, for a capital letter alone says nothing about them.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import word_set

_GIVEN: Final = """
aaron abby abdul abigail abraham ada adam adele aditya adrian adriana agnes ahmad ahmed aisha
ajay akash akiko akira alan alana albert alberto alejandra alejandro aleksandr alessandra
alessandro alex alexa alexander alexandra alexei alexis alfonso alfred ali alice alicia alina
alison allen allison alma alvaro alyssa amanda amelia amina amir amira amit amy ana anastasia
anders andrea andreas andrei andrej andres andrew andrzej andy angela angelina angelo angie anika
anil anita anja ann anna annabel anne annette annie anthony antoine anton antonia antonio anya
aoife archie ari aria ariana arjun arnold arthur arturo arun asha ashley ashok astrid athena
aurora ava axel ayaka ayesha barbara barry bart beatrice beatriz becky belinda ben benedict
benjamin bennett bernard bernardo beth bethany betty bianca björn blake bob bobby boris brad
bradley brandon brenda brendan brent brett brian brianna bridget britta bruce bruno bryan caitlin
caleb calvin cameron camila camille carl carla carlos carmen carol carolina caroline carolyn
carrie casey catherine cathy cecilia cedric celia celine cesar chantal charles charlie chen
chiara chloe chris christian christina christine christoph christopher christy ciara cindy claire
clara clarissa clark claudia claudio clemens clement cliff clifford clive cody colin colleen
connor conor conrad constance corey cornelia craig cristian cristina curtis cynthia cyrus daan
dagmar dahlia daisuke dale damian damien dan dana daniel daniela daniele danielle danny daphne
daria darius darren darya dave david deborah debra deepak deepika deirdre delia denise dennis
derek desmond devon diana diane diego dieter dimitri dina dinesh dirk dmitri dmitry dolores
dominic dominik don donald donna dora doris dorothy doug douglas duncan dustin dylan eamon eddie
edgar edith edmund edoardo eduardo edward edwin eileen elaine eleanor elena eli elias elif elijah
elin elisa elisabeth eliza elizabeth ella ellen elliot elliott elsa elsie elvira emanuel emil
emilia emilie emilio emily emma emmanuel emre enrico enrique eric erica erich erik erika erin
ernest ernesto esteban esther ethan eugene eunice eva evan evelyn ewan fabian fabio fatima fatma
felicia felipe felix fernanda fernando filip filippo fiona flora francesca francesco francine
francis francisco franco frank franz fred freddie frederick fredrik freya frida friedrich fumiko
gabriel gabriela gabriella gareth gary gavin gemma gene geoffrey george georgina gerald gerard
gerhard gianni gideon gilbert gina giorgio giovanni giulia giuseppe gloria gonzalo gordon greg
gregor gregory greta gretchen guillermo gunnar gunther gustav gustavo gwen hailey hakan hamid
hana hannah hans harald haris harold harriet harris harry haruki haruto hassan heather hector
heidi heinrich helen helena helga henrik henry herbert herman hideo hilary hiroshi hugh hugo
humphrey hussein ian ibrahim ida ignacio igor ilse imran ines inga inge ingrid irena irene irina
isaac isabel isabella isabelle isaiah ismail ivan ivana jack jackie jacob jacqueline jacques
jaime jake jakob jakub james jamie jan jana jane janet janice janine jared jasmine jason jasper
javier jean jeanette jeff jeffrey jelena jennifer jenny jens jeremiah jeremy jerome jerry jesse
jessica jesus jill jim jimmy jin jing joan joana joanna joanne joao joaquin jochen jodie joe joel
johan johanna johannes john johnny jon jonah jonas jonathan jorge jose josef joseph josephine
josh joshua joyce juan juanita jude judith judy jules julia julian juliana julie juliet julio
julius jun junko jürgen justin justine kai karen karim karin karina karl karla karolina kasper
kate katerina katharina katherine kathleen kathryn kathy katie katja katrin katya kavita kay
kayla kazuo keiko keith kelly kelvin ken kenji kenneth kenta kerry kevin khalid kieran kim
kimberly kiran kirsten klaus konrad konstantin krishna kristen kristin kristina kristof kumar
kurt kyle lachlan lakshmi lara larissa larry lars laszlo laura lauren laurence laurent lawrence
layla lea leah leila lena leo leon leonard leonardo leonie leonor leroy leslie lewis liam lidia
lina linda lindsay lionel lisa liv liz lorenzo lorna lorraine louis louisa louise luca lucas
lucia luciana lucie lucy luigi luis luisa lukas luke luna lydia lynn mads magdalena maggie magnus
mahmoud maja malcolm malik mandy manfred manuel mara marc marcel marcela marcelo marcia marcin
marco marcos marcus margaret margarita margot maria mariam mariana marie marilyn marina mario
marion marisa marius mark marlene marta martha martin martina marvin mary mason mateo mathias
mathilde matt matteo matthew matthias maureen maurice mauricio max maxim maximilian maya megan
mehmet mei melanie melinda melissa mercedes meredith mia michael michaela michel michele michelle
miguel mika mikael mike mikhail mila milan milena milo mina ming mira miranda miriam mitchell
mohamed mohammad mohammed moira mona monica monika morgan moritz moses muhammad murat mustafa
nadia nadine nancy naoki naomi natalia natalie natasha nathan nathaniel neha neil nelson nia
niamh nicholas nick nicola nicolas nicole nigel nikhil nikita niklas nikolai nils nina nisha noah
noel noemi nora norbert norma norman olaf oleg olga oliver olivia omar oscar oskar otto owen
pablo pamela paola paolo pascal patricia patrick patrik paul paula pauline paulo pavel pedro
peggy per percy petra peter petr phil philip philipp philippe phillip phoebe pia pierre pieter
piotr pooja prakash preeti priya priyanka quentin quinn rachel rafael raghav rahul raj rajesh
ralf ralph ramesh ramon randy raphael raquel rashid raul ravi raymond rebecca regina reinhard
rekha renata renate rené renee ricardo riccardo richard rick riley rita rob robert roberta
roberto robin rodney rodrigo roger rohan rohit roland rolf roman ronald ronnie rory rosa rosalind
rosemary rosie ross roxanne roy ruben rudolf rupert russell ruth ryan ryo sabine sabrina sakura
salma sally salvador sam samantha samir samuel sandra sandy sanjay santosh saoirse sara sarah
sasha satoshi saul scott sean sebastian selena selina serena serge sergei sergey sergio seth
shane shannon sharon shaun sheila shelley shirley shreya siddharth sigrid silvia simon simona
simone sinead siobhan sofia sofie sonia sonja sophia sophie søren stacy stan stanley stefan
stefania stefano stella stephan stephanie stephen steve steven stuart sunil suresh susan susanna
susanne suzanne sven svetlana sylvia tabitha takashi takeshi tamara tanja tanya tara taro tatiana
ted terence teresa terry tess thandi theo theodore theresa thomas tiago tiffany tim timo timothy
tina tobias toby todd tom tomas tomasz tommy toni tony tracy trevor tristan trudy tyler tyrone
ulrich ulrike ursula valentina valentin valeria valerie vanessa vasily vera vernon veronica vicky
victoria vijay vikram vincent viola violet vivian viviana vladimir walter wanda wendy werner
wilhelm will willem william willow winston wolfgang xavier xiao yan yara yasmin yasmine yoko
yolanda yosef youssef yuki yuko yuri yusuf yvonne zachary zahra zara zeynep zoe zofia zoltan
louie lily ludwig sigmund winnie kofi kwame amara chidi ngozi tunde zainab nneka babak darya
farah hadi layan nour omid parisa reza shirin tariq yaw mateusz agnieszka kasia magda wojciech
zuzana ondrej bogdan ioana mihai oana razvan vlad dragan goran milica nikola zoran eero juha
mikko pekka sanna tuomas jussi anneli astri bjorn einar eirik gudrun haakon hilde kjell knut leif
solveig torsten tove ylva maarten sander wouter jeroen femke sanne lotte bram joris thijs femi
yemi aarav ananya ishaan kabir meera nandini pranav rhea rishi sanya tanvi haruka hinata kaori
kenichi mayumi naoko sayaka shota takumi yuta minji jiho soyeon hyun jisoo minho sunhee kenzo
priscilla ophelia penelope gwendolyn imogen beatrix cordelia felicity henrietta isla jemima nell
tilda winifred abel amos ezra silas micah levi malachi cyril kazimierz jadwiga stanislaw witold
halina ewa malgorzata krzysztof grzegorz pawel tadeusz bartosz dominika joachim annika jonatan
linnea viktor gunilla tuva ingeborg sverre oyvind aino kaisa elina petteri carlo chiara ilaria
massimo simonetta giorgia alessio davide lorena marisol paloma rocio ximena thiago joaquim
beatrix leopold wilma hedwig gisela heike jutta karsten lothar ottmar uwe volker anouk margaux
solange thibault yannick aurelie baptiste clemence etienne florian guillaume maxime mathieu
oceane remi elon satya sundar jensen
"""

_PINYIN: Final = """
wang li zhang liu chen yang zhao huang zhou wu xu sun hu zhu gao lin he guo ma luo liang song
zheng xie han tang feng yu dong xiao cheng cao yuan deng fu shen zeng peng lü lu su jiang cai jia
ding wei xue ye yan pan dai du zhong tian ren fan shi yao tan liao zou xiong jin hao kong bai cui
kang mao qiu qin gu hou shao meng long wan duan lei qian tang yin
"""

_SYLLABLES: Final = pattern(r"(?:(?:[bpmfdtnlgkhjqxzcsryw]|[zcs]h)?[aeiouü]{1,3}(?:ng?|r)?){1,3}\Z")

# Given names that are everyday words, places or months too: they need a surname or a clear cue.
_UNSURE_GIVEN: Final = word_set(
    """
    will mark grace hope faith may june april august rose bill frank art rob pat sue drew chase
    grant hunter max ray summer autumn dawn joy iris ivy lily daisy ruby amber crystal penny
    victor miles dean earl duke prince rich christian jordan austin paris sydney florence
    virginia georgia carolina charlotte madison chelsea brooklyn dallas houston jackson lincoln
    washington milan mercedes victoria aurora luna jesus devon dale cliff don gene per jean
    harris mason morgan blake robin violet viola willow sally rosemary alexa zara sofia kay chen
    jin jing jun ming mei xiao yan norman hugo aria athena bart ross roman constance dora ada
    julia nelson clark bennett angelo mario santiago valencia saul long he song she an fan han
    ding kong su du wan liv pan tan lei mao
    """
)

TITLES: Final = (
    r"Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Doctor|Sir|Madam|Madame|Captain|Capt|Coach|Uncle|Aunt"
    r"|Auntie|Grandma|Grandpa|President|Senator|Judge|Officer|Detective|Father|Sister|Brother"
    r"|Lady|Lord|Queen|King|Pastor|Rabbi|Herr|Frau|Señor|Monsieur|Signor"
)

# Capital letters by rule: days, months, languages, holidays, forms of address.
NOT_NAMES: Final = word_set(
    """
    i i'm i'll i've i'd ok okay monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december english chinese
    french german spanish italian japanese korean portuguese russian arabic hindi dutch swedish
    norwegian danish finnish polish czech turkish greek hebrew thai vietnamese latin mandarin
    cantonese american british canadian australian indian european asian african mexican
    brazilian irish scottish swiss austrian christmas easter halloween thanksgiving ramadan
    hanukkah diwali am pm mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct
    nov dec ceo cto cfo coo hr pr qa ui ux api sql html css json xml yaml http https url pdf csv
    faq todo asap fyi btw lol omg imo the a an and or but if so it its it's we you he she they
    this that these those my your his her our their what who when where why how which please
    thanks thank hi hello hey dear yes no not never also then there here let let's can could
    would should will shall do does did is are was were be been have has had just now today
    tomorrow yesterday tonight after before since while because although however remember maybe
    perhaps internet web god jesus mom dad mum mama papa grandma grandpa sir madam spring summer
    autumn fall winter north south east west covid ai ml it'd in on at to from for with by of as
    new old all some any every each one two three first second next last good great sorry sure
    well oh wow im dont cant black white gold sprint phase accounting sales marketing legal
    finance engineering support design product operations procurement logistics purchasing it's
    hr payroll management compliance research project team version part chapter section step plan
    day night week month year
    """
)

# What may follow a Chinese surname or name: a title, which tells that it is one.
TITLES_ZH: Final = (
    "老师|经理|先生|女士|小姐|医生|大夫|教授|同学|主任|总监|博士|律师|局长|部长|院长|校长|老板|师傅|阿姨|叔叔|组长|科长|处长"
    "|主管|董事长|主席|书记|市长|省长|县长|教练|工程师|助理|编辑|导演|队长|班长|警官|法官|会计|护士|秘书|大哥|大姐|总裁|行长|董|总|哥|姐"
    "|叔|婶|爷爷|奶奶|大爷|大妈|导|局|工"
)

SURNAMES: Final = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱林何郭罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶余潘杜戴汪任"
    "姜范姚谭廖邹陆郝崔邱秦侯邵孟段尹贺赖龚庞樊殷翟倪俞葛聂马高"
)
UNSURE_SURNAMES: Final = frozenset(
    "金白康毛江史顾龙万雷钱汤黎易常武乔文兰施陶洪安颜严牛温芦季章鲁伍韦申尤毕丛焦柳邢岳齐梅莫庄辛祝左涂谷祁"
    "舒耿牟卜詹苗凌费纪靳盛童欧甄项曲阳裴屈鲍覃霍翁隋甘景司柏宁柯阮桂闵柴华冉古米池滕于田石钟夏方"
    "孔熊闻简薄阎肖邝佘麦区褚佟冼艾丘岑洛"
)
DOUBLE_SURNAMES: Final = frozenset(
    (
        "欧阳",
        "司马",
        "上官",
        "诸葛",
        "东方",
        "皇甫",
        "尉迟",
        "公孙",
        "慕容",
        "令狐",
        "宇文",
        "长孙",
        "司徒",
        "夏侯",
    )
)
# Tagged as names or built like names, but everyday words.
NOT_NAMES_ZH: Final = word_set(
    """
    王朝 王子 王妃 王宫 王权 王冠 王府 王国 王牌 王者 孙子 孙女 孙儿 谢谢 谢恩 许可 许多 许久
    陆军 陆续 陆地 林立 林木 曾孙 曾祖 曾经 唐诗 胡椒 胡琴 胡说 胡乱 胡子 余震 叶子 杜鹃 杜撰
    吴语 苏醒 苏打 周转 周末 周年 周期 周一 周二 周三 周四 周五 周六 周日 周到 黄金 黄瓜 黄色
    任何 任务 任意 秦岭 侯爵 范畴 范围 程序 程度 张开 张嘴 何必 何时 何况 罗马 罗嗦 郑重 宋体
    杨树 杨梅 戴上 丁香 贺卡 贺岁 段落 段子 赖皮 殷勤 唐突 马上 马路 马虎 马匹 马达 马赛 马甲
    高兴 高清 高峰 高效 高端 高铁 高潮 高手 高级 高考 高中 高度 高等 高层 高温 高冷 高盛 高雄
    高德 高架 高新区 高尔夫 朱古力 何苦 林荫道 曹白鱼 戴高帽 韩国 唐装 蒋干 孟加拉 孙悟空 张家界
    石家庄 马拉松 马来西亚 马铃薯 马克杯 高血压 高跟鞋 程序员 何乐不为 许愿 吴侬软语 周转率
    林业局 马后炮 高姿态 高科技 高利贷 王婆卖瓜 潘多拉 魏晋 赵国 秦朝 唐朝 宋朝 汉朝 曹魏 孙吴
    陈列 陈述 陈旧 陈皮 陈醋 李子 叶片 叶绿素 杜绝 汪洋 任性 任命 任职 姜汁 姜片 姚明白 彭湃
    袁大头 邓小平理论 傅科摆 沈默 曾用名 卢比 卢布 贾第虫 胡同 林子 唐人街 张口 李家 王家 东方红
    王先 孙辈
    """
)
# Known by heart, for the segmenter takes them for something else.
NICKNAMES_ZH: Final = word_set(
    """
    小明 小红 小丽 小刚 小强 小芳 小华 小军 小美 小玲 小伟 小李 小王 小张 小刘 小陈 小杨 小赵
    小黄 小周 小吴 小徐 小孙 小胡 小朱 小林 小何 小郭 小马 小罗 小梁 小宋 小郑 小谢 小韩 小唐
    小冯 小董 小程 小曹 小袁 小邓 小许 小沈 小曾 小彭 小苏 小蒋 小蔡 小贾 小丁 小魏 小薛 小叶
    小潘 小杜 小汪 小任 小姜 小范 小方 小石 小姚 小谭 小廖 小金 小陆 小白 小崔 小秦 小江 小顾
    小龙 小雷 小雨 小燕 小梅 小兰 小玉 小琳 小敏 小静 小莉 小婷 小雪 小霞 小娟 小菲 小倩 小飞
    小杰 小波 小辉 小鹏 小勇 小峰 老王 老李 老张 老刘 老陈 老杨 老赵 老黄 老周 老吴 老徐 老孙
    老胡 老朱 老高 老林 老何 老郭 老马 老罗 老梁 老宋 老郑 老谢 老韩 老唐 老冯 老董 老程 老曹
    老袁 老邓 老许 老沈 老曾 老彭 老苏 老蒋 老蔡 老丁 老魏 老薛 老叶 老潘 老杜 老汪 老任 老姜
    老范 老方 老石 老姚 老谭 老廖 老邹 老金 老陆 老崔 老秦 老江 老史 老顾 阿强 阿明 阿珍 阿华
    阿杰 阿伟 阿芳 阿美 阿丽 阿玲 李雷 韩梅梅 张三 李四 王五
    """
)


@cache
def given_names() -> frozenset[str]:
    """Return given names, in lower case."""
    return frozenset(_GIVEN.split()) | _UNSURE_GIVEN


@cache
def sure_names() -> frozenset[str]:
    """Return the given names that are nothing else, in lower case."""
    return frozenset(_GIVEN.split()) - _UNSURE_GIVEN


@cache
def pinyin_surnames() -> frozenset[str]:
    """Return Chinese surnames in Latin letters, in lower case."""
    return frozenset(_PINYIN.split())


def is_pinyin_name(one: str, two: str) -> bool:
    """Tell whether two words are a Chinese name in Latin letters, surname first or last."""
    both = bool(_SYLLABLES.match(one) and _SYLLABLES.match(two))
    known = one in pinyin_surnames() or two in pinyin_surnames()
    return both and known and one not in NOT_NAMES and two not in NOT_NAMES
