"""The predicates that statements are read by: verbs of both languages under one English name (C7).

In: nothing. Out: word lists, read when first asked for. A line of `_VERBS` is a name, its English
verbs and its Chinese ones; a line of `_PHRASES` is a name and the phrases that say it, a verb and
its object with `+` between them.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from smartbrain.text.word_list import word_set

# name: English verbs | Chinese verbs. A name that ends in ~ takes a place, not an object.
_VERBS: Final = """
accept: accept|接受|接受了
adopt: adopt|采用|领养
add: add|添加|增加|加上
agree: agree|同意|赞成
announce: announce|宣布|公布
approve: approve|批准|通过了
argue: argue quarrel|吵架|争论
arrive~: arrive|到达|抵达|到了
ask: ask|问|询问|请教
attend: attend|参加|出席
bake: bake|烤
be_born~: |出生
borrow: borrow|借|借了
break: break|坏|坏了|打破|摔坏|弄坏
bring: bring|带|带来|拿来
build: build construct|搭建|建造|盖|构建
buy: buy purchase|买|购买|买下
call: call phone|打电话|致电
cancel: cancel|取消
carry: carry|搬|扛
catch: catch|抓|捉
cause: cause|导致|造成|引起|引发|致使
change: change modify|改|修改|更改|改成
choose: choose pick select|选|选择|挑
clean: clean|打扫|清理|收拾
climb: climb|爬|爬山
close: close shut|关|关闭|关掉
collect: collect|收集
come~: come|来|过来
complain: complain|抱怨|投诉
complete: complete|完成
cook: cook|做饭|煮|烧菜|炒菜
crash: crash|崩溃|宕机|崩了|挂了
create: create|创建|创立|新建
criticize: criticize|批评
cry: cry weep|哭
cut: cut|切|剪
dance: dance|跳舞
delete: delete remove|删除|删掉|删|移除
deliver: deliver|交付|送货
deploy: deploy|部署
describe: describe|描述
design: design|设计
develop: develop|开发|研发
die: die|去世|死|逝世
discuss: discuss|讨论|商量
do: do|做|干
draw: draw paint|画|绘制
drink: drink|喝
drive: drive|开车|驾驶
drop: drop|掉|丢下
eat: eat|吃|吃饭|用餐
enjoy: enjoy|享受
explain: explain|解释|说明
fail: fail|失败|挂科
fall: fall|摔倒|跌倒
feed: feed|喂
find: find discover|找到|发现
finish: finish|做完|写完|结束|搞定
fire: fire|开除|解雇
fix: fix repair|修|修复|修理|修好
fly~: fly|飞|飞往
forget: forget|忘|忘记|忘了
found: found|创办|成立
get: get obtain receive|得到|收到|拿到|获得
give: give|给|送|送给|赠送
go~: go travel|去|前往|出发
graduate: graduate|毕业
grow: grow|种|种植
hang: hang|挂
hate: hate dislike|讨厌|恨
have: have own|有|拥有
have_meeting: |开会
hear: hear|听到|听见
help: help|帮助|帮忙
hire: hire recruit|招|招聘|录用|雇
hit: hit|打|撞
hold: hold|举办|举行
hug: hug|抱|拥抱
hurt: hurt injure|伤害|受伤
install: install|安装|装
introduce: introduce|介绍
invite: invite|邀请|请客
join: join|加入
jump: jump|跳
kick: kick|踢
know: know|认识|了解
laugh: laugh|笑
launch: launch release ship|发布|上线|推出
lead: lead|带领|领导|负责
learn: learn study|学|学习|学会
leave~: leave|离开|离职
lend: lend|借给
like: like love adore|喜欢|爱|热爱
listen_to: listen|听
live~: live reside|住|居住|定居
lose: lose|丢|丢失|输|弄丢
make: make produce|制作|生产|做出
marry: marry|结婚|嫁给|娶
meet: meet|见|见面|遇到|碰到|会见
merge: merge|合并
miss: miss|想念|错过
move~: move relocate|搬|搬到|搬家|搬去|迁到
need: need|需要
notice: notice|注意到
open: open|打开|开
order: order|订|点|预订|下单
organize: organize organise|组织
paint: paint|刷漆
park: park|停车
pass: pass|通过|考过
pay: pay|付|支付|付款
pick_up: |接|捡
plan: plan|计划|打算|准备
plant: plant|栽
play: play|玩|弹|演奏
practise: practice practise|练|练习
praise: praise|表扬|夸
prefer: prefer|更喜欢|偏好
prepare: prepare|准备好
present: present|演示|展示
promise: promise|答应|承诺
propose: propose suggest recommend|提议|建议|推荐
publish: publish|出版|发表
put: put place|放
quit: quit resign|辞职|退出
rain: rain|下雨
read: read|读|看书|阅读
refuse: refuse reject decline|拒绝
remember: remember|记得
rent: rent|租|租了
report: report|汇报|报告
return~: return|回|返回|回到|回家
return_to: |还|还给|归还
ride: ride|骑
run: run|跑|跑步
save: save|保存|存
see: see|看到|看见
sell: sell|卖|出售
send: send|发|发送|寄|发给|寄给|发了
share: share|分享
show: show|出示
sign: sign|签|签署|签了
sing: sing|唱|唱歌
sit: sit|坐
sleep: sleep|睡|睡觉
smile: smile|微笑
snow: snow|下雪
speak: speak talk chat|聊|聊天|谈|交谈
spend: spend|花|花费
stand: stand|站
start: start begin|开始|启动
stay~: stay|待|呆|留
steal: steal|偷|偷走
stop: stop|停止|停
submit: submit|提交
swim: swim|游泳
take: take|拿|带走
take_care_of: |照顾
take_exam: |考试
teach: teach|教|教授
tell: tell|讲|讲述
test: test|测试
throw: throw|扔|丢掉
translate: translate|翻译
try: try|尝试|试
update: update upgrade|更新|升级
use: use|用|使用
visit: visit tour|参观|拜访|看望|访问|游览
wait_for: wait|等|等待
wake_up: wake|起床|醒
walk: walk|走|散步|走路
want: want|想|想要|希望
wash: wash|洗
watch: watch|看|观看
wear: wear|穿|戴
win: win|赢|获奖|夺冠
work: work|工作|上班
work_overtime: |加班
worry: worry|担心
write: write|写|撰写
lay_off: |裁员|裁
get_sick: |生病|感冒
go_on_business_trip: |出差
pass_entrance_exam: |考上
serve_as: |当|担任
chase: chase|追|追赶
bite: bite|咬
push: push|推
pull: pull|拉
hide: hide|藏
lock: lock|锁
knock: knock|敲
fight: fight|打架
trust: trust|相信|信任
thank: thank|感谢
forgive: forgive|原谅
kiss: kiss|亲|亲吻
water: water|浇水|浇花
shop: shop|购物|逛街
attack: attack|攻击
protect: protect|保护
defeat: defeat|打败|击败
review: review|评审|审查|复习
migrate: migrate|迁移
configure: configure|配置
restart: restart|重启
download: download|下载
upload: upload|上传
post: post|发帖|发表了
film: film record|拍|拍摄|录
photograph: photograph|拍照
celebrate: celebrate|庆祝
donate: donate|捐|捐赠
invest: invest|投资
earn: earn|赚|挣
acquire: acquire|收购
sponsor: sponsor|赞助
train: train exercise|锻炼|训练|健身
"""

# name: phrases. Verb and object, both as the lists above and the text spell them.
_PHRASES: Final = """
play_soccer: play+soccer play+football 踢+足球 踢+球 踢球 踢足球
play_basketball: play+basketball 打+篮球 打篮球
play_tennis: play+tennis 打+网球 打网球
play_badminton: play+badminton 打+羽毛球 打羽毛球
play_table_tennis: play+ping_pong play+table_tennis 打+乒乓球 打乒乓球
play_volleyball: play+volleyball 打+排球 打排球
play_golf: play+golf 打+高尔夫 打高尔夫
play_baseball: play+baseball 打+棒球
play_piano: play+piano 弹+钢琴 弹钢琴 弹+琴
play_guitar: play+guitar 弹+吉他 弹吉他
play_violin: play+violin 拉+小提琴 拉小提琴
play_chess: play+chess 下+象棋 下+棋 下棋 下+国际象棋
play_go: 下+围棋
play_cards: play+cards 打+牌 打牌 打+扑克
play_mahjong: play+mahjong 打+麻将 打麻将
play_games: play+games play+game play+video_games 玩+游戏 打+游戏 玩游戏 打游戏
practise_tai_chi: practise+tai_chi 打+太极 打+太极拳
watch_movie: watch+movie watch+movies watch+film see+movie see+film 看+电影 看电影
watch_tv: watch+tv watch+television 看+电视 看电视
read_book: read+book read+books 看+书 读+书 看书 读书
read_newspaper: read+newspaper read+paper 看+报纸 读+报纸 看报
drink_coffee: drink+coffee 喝+咖啡 喝咖啡
drink_tea: drink+tea 喝+茶 喝茶
drink_alcohol: drink+beer drink+wine drink+alcohol 喝+酒 喝酒 喝+啤酒
eat_breakfast: eat+breakfast have+breakfast 吃+早饭 吃+早餐 吃早饭
eat_lunch: eat+lunch have+lunch 吃+午饭 吃+午餐 吃午饭
eat_dinner: eat+dinner have+dinner eat+supper 吃+晚饭 吃+晚餐 吃晚饭
cook: cook+dinner cook+lunch cook+breakfast 做+饭 做饭 做+晚饭 做+午饭
have_meeting: have+meeting hold+meeting 开+会 开会
write_code: write+code 写+代码 写代码
write_letter: write+letter 写+信 写信
tell_story: tell+story tell+stories 讲+故事 讲故事
take_photo: take+photo take+photos take+picture take+pictures 拍+照片 拍照 拍+照
take_shower: take+shower take+bath 洗+澡 洗澡
take_exam: take+exam take+test 参加+考试 考试
give_lecture: give+lecture give+talk 做+报告 做+讲座
do_homework: do+homework 做+作业 写+作业 写作业 做作业
do_laundry: do+laundry 洗+衣服 洗衣服
wash_dishes: wash+dishes do+dishes 洗+碗 洗碗
walk_dog: walk+dog 遛+狗 遛狗
ride_bike: ride+bike ride+bicycle 骑+自行车 骑+车 骑车
drive_car: drive+car 开+车 开车
sing_song: sing+song sing+songs 唱+歌 唱歌
listen_to_music: listen_to+music 听+音乐 听+歌 听音乐 听歌
make_phone_call: make+call 打+电话 打电话
get_married: get+married 结+婚 结婚
get_promoted: get+promotion 升+职 升职
study_english: learn+english 学+英语 学英语
go_shopping: 逛+街 逛街 go+shopping
go_home: go+home 回+家 回家
go_hiking: go+hiking 爬+山 爬山
go_swimming: go+swimming
rent_house: rent+house rent+apartment 租+房 租+房子 租房
buy_house: buy+house buy+apartment 买+房 买+房子 买房
"""

_IRREGULAR: Final = """
be:was,were,been,being,is,are,am begin:began,begun bite:bit,bitten break:broke,broken
bring:brought build:built buy:bought catch:caught choose:chose,chosen come:came cut:cut
do:did,done,does draw:drew,drawn drink:drank,drunk drive:drove,driven eat:ate,eaten
fall:fell,fallen feed:fed fight:fought find:found fly:flew,flown,flies forget:forgot,forgotten
forgive:forgave,forgiven get:got,gotten give:gave,given go:went,gone,goes grow:grew,grown
hang:hung have:had,has hear:heard hide:hid,hidden hit:hit hold:held hurt:hurt know:knew,known
lead:led leave:left lend:lent lose:lost make:made meet:met pay:paid put:put quit:quit read:read
ride:rode,ridden run:ran say:said see:saw,seen sell:sold send:sent show:shown shut:shut
sing:sang,sung sit:sat sleep:slept speak:spoke,spoken spend:spent stand:stood steal:stole,stolen
swim:swam,swum take:took,taken teach:taught tell:told think:thought throw:threw,thrown
travel:traveled,travelled cancel:canceled,cancelled wake:woke,woken wear:wore,worn weep:wept
win:won write:wrote,written feel:felt keep:kept
"""

# More verbs that are known to be verbs; they go by their own name.
_MORE: Final = """
abandon absorb achieve admire admit advise affect afford aim allow analyze apologize apply
arrange assign assume avoid bake beat belong block boil breathe burn calculate challenge
check claim coach comment compare compete connect consider contact contain continue control cover
cross decide defend demand depend destroy detect drag dream earn edit educate enter escape
examine expand experience export express extend face fill filter follow force fry gather generate
greet guard guess guide handle head ignore import improve include increase inform insert inspire
interview invent investigate judge knit lift link manage mark match mention mix monitor name
negotiate offer operate order overlook pack paint perform plant point pour predict print process
propose provide raise reach realize reduce refactor relax rely rename repeat replace reply
request rescue research reserve rest retire ruin rush schedule scream search serve settle shoot
shout skip smell smoke solve sort spill split spread study succeed suffer supply support surprise
survive taste tie touch transfer treat type vote warn whisper wipe yell
"""


class Verb(NamedTuple):
    """A predicate by name, and whether a place follows it rather than an object."""

    name: str
    to_place: bool = False


@cache
def verbs_zh() -> dict[str, Verb]:
    """Return the Chinese verbs."""
    found: dict[str, Verb] = {}
    for line in _VERBS.strip().splitlines():
        name, words = line.split(":", 1)
        verb = Verb(name.rstrip("~"), name.endswith("~"))
        for word in filter(None, words.strip(" ").split("|")[1:]):
            found.setdefault(word, verb)
    return found


@cache
def verbs_en() -> dict[str, tuple[Verb, str]]:
    """Return every form of the English verbs: the verb, and the form: "", s, ed, en or ing."""
    found: dict[str, tuple[Verb, str]] = {}
    irregular = {}
    for entry in _IRREGULAR.split():
        lemma, forms = entry.split(":")
        irregular[lemma] = forms.split(",")
    for line in [*_VERBS.strip().splitlines(), *(f"{word}: {word}" for word in _MORE.split())]:
        name, words = line.split(":", 1)
        verb = Verb(name.rstrip("~"), name.endswith("~"))
        for lemma in words.strip(" ").split("|")[0].split():
            for form, kind in _forms(lemma, irregular.get(lemma, [])):
                found.setdefault(form, (verb, kind))
    return found


def _forms(lemma: str, irregular: list[str]) -> list[tuple[str, str]]:
    """Return the forms of a verb."""
    double = lemma + lemma[-1] if lemma in _DOUBLED else lemma
    stem = lemma[:-1] if lemma.endswith("e") and not lemma.endswith(("ee", "ye")) else double
    soft = lemma[-1] == "y" and lemma[-2] not in "aeiou"
    third = f"{lemma[:-1]}ies" if soft else lemma + ("es" if lemma.endswith(_HISSING) else "s")
    past = f"{lemma[:-1]}ied" if soft else (stem + "ed")
    gerund = f"{lemma[:-2]}ying" if lemma.endswith("ie") else f"{stem}ing"
    regular = [] if irregular else [(past, "ed")]
    return [
        (lemma, ""),
        (third, "s"),
        (gerund, "ing"),
        *regular,
        *((one, "ed") for one in irregular),
    ]


_HISSING: Final = ("s", "sh", "ch", "x", "z", "o")
_DOUBLED: Final = word_set(
    """
    ship plan stop drop run swim sit get put cut hit win shop grab chat hug quit shut submit
    begin forget commit permit refer prefer travel cancel skip spot split wrap trim rub beg drag
    """
)


@cache
def phrases() -> dict[str, str]:
    """Return the names of verbs with their objects."""
    found = {}
    for line in _PHRASES.strip().splitlines():
        name, words = line.split(":", 1)
        for phrase in words.split():
            verb, plus, thing = phrase.partition("+")
            found[verb + plus + thing.replace("_", " ")] = name
    return found
