"""What users ask of themselves and of their tasks is looked for by the names of attributes.

In: questions in Chinese and English, and others that only sound like them. Out: the words that are
looked for beside them, or none.
"""

from __future__ import annotations

import pytest

from smartbrain.recall.expand_own import of_user

ALL = "profile name role employer home pref goal"
TASKS = "task todo doing blocked"
ASKED = {
    "profile role employer": [
        "what is my job?",
        "What's my occupation?",
        "what’s my profession?",
        "do you remember my job title?",
        "what kind of work do I do",
        "我是做什么工作的",
        "我的职业",
        "我的岗位是什么？",
        "我从事什么工作",
    ],
    "profile employer": ["who do I work for", "where am I employed?", "我的公司叫什么"],
    "profile age birthday": ["when was I born?", "我哪年出生的"],
    "profile education": ["what did I study?", "我学的什么专业"],
    "profile marital family household": ["do I have any kids?", "我有孩子吗"],
    "profile pet": ["do I have a pet", "我养了什么宠物"],
    "profile home": [
        "which city do I live in?",
        "I need it for a form. where do I live?",
        "我现在住在哪个城市",
    ],
    "profile language": ["what languages do I speak", "我会说什么语言"],
    "pref editor": ["what's my editor?", "我用什么编辑器"],
    "pref drink": ["how do I take my coffee", "我平时喝什么"],
    "profile diet allergy": ["what can't I eat?", "我不能吃什么"],
    ALL: [
        "what do you know about me?",
        "What have you learned about me so far?",
        "tell me about myself",
        "tell me everything you know about me",
        "你知道我什么",
        "你知道我的哪些信息",
        "关于我你记得什么",
        "介绍一下我",
        "介绍一下我自己",
        "我是什么样的人",
    ],
    TASKS: [
        "what's left to do?",
        "what do I still have to do?",
        "What else do I need to do today?",
        "what are my open tasks?",
        "which tasks are still open",
        "show me my to-do list",
        "what haven't I done yet?",
        "what is still pending?",
        "待办事项",
        "待办有哪些",
        "还有什么没做",
        "还有什么事要做",
        "我还有哪些任务没完成",
        "我还要做什么",
        "未完成的任务",
    ],
    "goal active": ["what do I want to achieve?", "我想实现什么"],
}
OTHERS = [
    "what is my job id?",
    "what's my job status on the cluster?",
    "what is my role in the project Apollo?",
    "how old is my son?",
    "which city has the best food?",
    "我女儿几岁了",
    "哪个城市好玩",
    "what do I need to do to deploy?",
    "what should I do?",
    "what's left in the fridge?",
    "open the task manager",
    "what do you know about Rust?",
    "what do you know about me and Anna's trip to Rome",
    "tell me about my trip",
    "我的工作压力很大怎么办",
    "我做什么菜好",
    "这个函数没做什么",
    "你知道我昨天去了哪里吗",
    "你还记得我说的那本书吗",
    "介绍一下我们公司的产品",
    "我想达到公司的要求",
    "待会儿做什么",
]


@pytest.mark.spec("R12")
@pytest.mark.parametrize(
    ("text", "words"), [(text, words) for words, texts in ASKED.items() for text in texts]
)
def test_a_question_about_oneself_is_told_in_the_words_of_memories(text: str, words: str) -> None:
    """Those of the attribute, or of the type, that answers it."""
    assert words in of_user(text)


@pytest.mark.spec("R12")
@pytest.mark.parametrize("text", OTHERS)
def test_other_questions_are_not_widened(text: str) -> None:
    """The same words about something else, and what only sounds so."""
    assert [] == list(of_user(text))
