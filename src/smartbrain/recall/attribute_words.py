"""The words that people use for what memories hold: the verbs and nouns of an attribute or a type.

In: the name of an attribute, such as home, or of a type of memories. Out: the other words in
which the same is said, in Chinese and English. "I live in Munich" and "I moved to Munich" both tell
a home. A small table of very common words; what it does not know has no other words.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from smartbrain.recall.expand_words import stem_of

_WORDS: Final = """
    home: live living reside residence stay based location city town address moved relocated
        住 居住 住址 家 家住 搬 搬到 搬去 搬家 搬来 定居 现居 城市 地址 所在地
    hometown: from hometown home born grew raised come city 家乡 老家 来自 出生 长大 人
    employer: work working job company employer employed firm joined
        工作 上班 公司 单位 雇主 就职 任职 供职 入职 东家
    role: work working job role occupation profession position title career
        职业 工作 职位 岗位 职务 角色 是 做 当 担任 从事
    name: name called 叫 名字 姓名 名叫
    age: age old year 年龄 岁 岁数 今年 多大
    birthday: birthday birth born 生日 出生 生于
    education: study studied graduated degree university college school major education
        学历 毕业 大学 学校 专业 学 读 就读 学习
    experience: experience year worked 经验 工作 年
    family: family have 家人 家庭 有
    pet: pet have own called 宠物 养 有 叫
    diet: diet eat 饮食 吃
    allergy: allergy allergic 过敏 对
    health: health have suffer 健康 身体 有 得
    language: language speak native 语言 说 会 讲 母语
    hobby: hobby like love enjoy 爱好 喜欢 爱 兴趣
    marital_status: married single marital status 婚姻 结婚 已婚 单身
    nationality: nationality citizen from 国籍 人
    religion: religion believe 宗教 信仰 信
    height: height tall 身高 高
    weight: weight weigh 体重 重
    vehicle: vehicle car drive own 车 汽车 开 有
    team: team work member 团队 小组 工作
    business: business company own run 公司 生意 经营 开
    time_zone: timezone time zone 时区
    schedule: schedule time day daily weekly start 时间 几点 安排 开始 每天 每周
    deadline: deadline due by finish 截止 截止日期 期限 之前
    phone: phone mobile own 手机 有 用
    phone_number: call mobile 电话 号码 手机 手机号
    email: email mail address 邮箱 邮件 地址
    preferences: prefer preference favorite favourite like love enjoy 偏好 喜欢 喜爱 爱 最爱 习惯
    tasks: task todo need must remind reminder 任务 待办 要 需要 得 提醒
    goals: goal aim want plan 目标 想 想要 计划 打算
    decisions: decision decided decide chose choose use using 决定 选 选择 选定 用 使用 采用
"""


def words_of(name: str) -> frozenset[str]:
    """Return the stems, and the Chinese words, in which an attribute or a type is told."""
    return _table().get(name, frozenset())


@cache
def _table() -> dict[str, frozenset[str]]:
    found: dict[str, list[str]] = {}
    name = ""
    for word in _WORDS.split():
        if word.endswith(":"):
            name = word[:-1]
            found[name] = [stem_of(part) for part in name.split("_")]
        else:
            found[name].append(stem_of(word) if word.isascii() else word)
    return {name: frozenset(words) for name, words in found.items()}
