"""Words that mean the same where stemming cannot tell: other forms, other parts of speech, twins.

In: words of a message. Out: words to look for beside them. Small tables of very common words: each
line of `_FORMS` is one family, each pair of `_TWINS` a Chinese word and its English ones. Only what
is safe in any conversation; near-synonyms are left to the search by meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Final

from smartbrain.text.tokenise import phrase_terms

_FORMS: Final = """
    go went gone|buy bought|eat ate eaten|see saw seen|take took taken|give gave given gift
    get got gotten|make made|meet met|say said|tell told|think thought|know knew known knowledge
    find found|lose lost loss|leave left|feel felt|keep kept|sell sold sale|send sent
    spend spent|teach taught|bring brought|catch caught|fight fought|seek sought|sleep slept
    run ran|swim swam swum|sing sang sung song|begin began begun|drink drank drunk
    drive drove driven|ride rode ridden|write wrote written|speak spoke spoken speech
    break broke broken|choose chose chosen choice|wake woke woken|wear wore worn
    steal stole stolen|fly flew flown flight|grow grew grown growth|draw drew drawn
    throw threw thrown|show shown|fall fell fallen|come came|become became|win won|sit sat
    stand stood|understand understood|hold held|hear heard|build built|pay paid payment
    lend lent|hide hid hidden|shoot shot|sweep swept|weep wept|dream dreamt|learn learnt
    forget forgot forgotten|forgive forgave|decide decision|marry marriage|die death dead
    born birth|advise advice|analyse analyze analysis|succeed success|fail failure
    describe description|explain explanation|solve solution|permit permission|submit submission
    apply application|respond response|compare comparison|produce production|admit admission
    conclude conclusion|divide division|receive receipt reception|perceive perception
    believe belief|prove proof|relieve relief|rent rental|deny denial|practise practice
    expose exposure|depart departure|mix mixture|sign signature|expand expansion
    extend extension|persuade persuasion|invade invasion|explode explosion|discover discovery
    recover recovery|deliver delivery|destroy destruction|reduce reduction
    introduce introduction|consume consumption|assume assumption|resume resumption
    subscribe subscription|prescribe prescription|distant distance|strong strength|wide width
    deep depth|high height|hot heat|warm warmth|young youth|true truth|angry anger|hungry hunger
    thirsty thirst|proud pride|wise wisdom|bored boredom|poor poverty|difficult difficulty
    safe safety|able ability|child children|person people|man men|woman women|foot feet
    tooth teeth|mouse mice|wife wives|knife knives|leaf leaves|shelf shelves
    mum mom mother mommy|dad father daddy|bike bicycle|phone telephone|photo photograph picture
    fridge refrigerator|exam examination|lab laboratory|gym gymnasium|ad advertisement
    app application|repo repository|doc document|config configuration settings|db database
    info information|apt apartment flat|tv television|math mathematics|vet veterinarian
    flu influenza|grandma grandmother|grandpa grandfather|colour color|favourite favorite
    organise organize|realise realize|centre center|theatre theater|catalogue catalog
    programme program|grey gray|tyre tire|behaviour behavior|neighbour neighbor|flavour flavor
    humour humor|licence license|defence defense
"""

_TWINS: Final = """
    会议=meeting 开会=meeting 项目=project 仓库=repo,repository 代码=code 错误=error 报错=error
    错误码=error 蓝牙=bluetooth 电脑=computer,laptop 手机=phone 邮箱=email 邮件=email
    密码=password 地址=address 电话=phone 生日=birthday 电影=movie,film 音乐=music 歌曲=song
    书=book 图书=book 餐厅=restaurant 饭店=restaurant 咖啡=coffee 茶=tea 早餐=breakfast
    午餐=lunch 晚餐=dinner 早饭=breakfast 午饭=lunch 晚饭=dinner 食物=food 水果=fruit
    素食=vegetarian 过敏=allergy,allergic 医生=doctor 医院=hospital 药=medicine 体检=checkup
    牙医=dentist 健身=gym,fitness 跑步=running 游泳=swimming 旅行=travel,trip 旅游=travel,trip
    出差=trip 机票=flight,ticket 航班=flight 酒店=hotel 火车=train 汽车=car 自行车=bike
    地铁=subway,metro 机场=airport 护照=passport 签证=visa 假期=vacation,holiday 工作=work,job
    公司=company 老板=boss 同事=colleague 客户=client,customer 面试=interview 工资=salary
    合同=contract 预算=budget 发票=invoice 价格=price 付款=payment 银行=bank 保险=insurance
    学校=school 大学=university 老师=teacher 学生=student 考试=exam 作业=homework
    课程=course,class 家=home 房子=house 公寓=apartment 房租=rent 搬家=moving 孩子=child,kids
    儿子=son 女儿=daughter 父亲=father 母亲=mother 爸爸=dad,father 妈妈=mom,mother 哥哥=brother
    弟弟=brother 姐姐=sister 妹妹=sister 妻子=wife 丈夫=husband 老婆=wife 老公=husband
    朋友=friend 女朋友=girlfriend 男朋友=boyfriend 狗=dog 猫=cat 宠物=pet 婚礼=wedding
    礼物=gift,present 聚会=party 爱好=hobby 喜欢=like 讨厌=dislike,hate 偏好=preference
    决定=decision 计划=plan 目标=goal 任务=task 进度=progress 截止日期=deadline 报告=report
    周报=report 文档=document,docs 文件=file 链接=link 网站=website 服务器=server
    数据库=database 配置=configuration,config 部署=deployment,deploy 发布=release 版本=version
    测试=test 接口=api,interface 函数=function 变量=variable 依赖=dependency 分支=branch
    合并=merge 提交=commit,submit 回滚=rollback 性能=performance 内存=memory 缓存=cache 日志=log
    网络=network 超时=timeout 崩溃=crash 异常=exception 漏洞=vulnerability 安全=security
    权限=permission 登录=login 用户=user 账号=account 模型=model 训练=training 数据=data
    搜索=search 索引=index 备份=backup 迁移=migration 集群=cluster 架构=architecture
    框架=framework 前端=frontend 后端=backend 设计=design 评审=review 需求=requirement
    问题=issue,problem 原因=reason,cause 方案=plan,solution 建议=suggestion,advice 总结=summary
    语言=language 英语=english 中文=chinese 天气=weather 新闻=news 游戏=game 照片=photo
    相机=camera 键盘=keyboard 显示器=monitor 打印机=printer 耳机=headphones 时区=timezone
    颜色=color 姓名=name 名字=name 年龄=age 职业=job,occupation 城市=city 国家=country
    家乡=hometown 端口=port
"""


@cache
def _families() -> dict[str, tuple[str, ...]]:
    """Return the words of a family by the stem of each of them."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in "|".join(_FORMS.strip().splitlines()).split("|"):
        words = tuple(entry.split())
        for word in words:
            stem = stem_of(word)
            found[stem] = (*found.get(stem, ()), *words)
    return found


@cache
def _twins() -> dict[str, tuple[str, ...]]:
    """Return the words of the other language by Chinese words and by English stems."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _TWINS.split():
        chinese, _, english = entry.partition("=")
        words = english.split(",")
        found[chinese] = tuple(words)
        for word in words:
            stem = stem_of(word)
            found[stem] = (*found.get(stem, ()), chinese)
    return found


@lru_cache(maxsize=2_048)  # messages are made of few words
def stem_of(word: str) -> str:
    """Return what the text index makes of one word."""
    return " ".join(phrase_terms(word))


def derived(words: Iterable[str]) -> Iterator[str]:
    """Yield the other forms of English words that no stemmer joins, each stem once."""
    stems = [stem_of(word) for word in words]
    seen = set(stems)
    for stem in stems:
        for other in _families().get(stem, ()):
            if stem_of(other) not in seen:
                seen.add(stem_of(other))
                yield other


def twins(words: Iterable[str]) -> Iterator[str]:
    """Yield the very common words of the other language that mean the same, each once."""
    known = dict.fromkeys(words)
    found: dict[str, None] = {}
    for word in known:
        found.update(dict.fromkeys(_twins().get(word if not word.isascii() else stem_of(word), ())))
    yield from (word for word in found if word not in known)
