"""Long texts of kinds that take long to read, made up by a seed: accounts, lists, short lines.

In: nothing. Out: sentences by their kind, hardly one twice, to fill messages with. People paste
such things: minutes of meetings, diaries, lists of what is to be done, and the same word a thousand
times.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

LISTED = "things to do"
_COUNT = 3_000
_FIRST_ZH = [
    "我们昨天",
    "我觉得",
    "我",
    "我打算下个月",
    "我们团队",
    "我记得上周",
    "我一直以为",
    "我朋友告诉我，",
]
_OTHERS_ZH = [
    "这个系统",
    "该公司",
    "服务器",
    "他们",
    "早期的版本",
    "报告",
    "整个流程",
    "北方的客户",
]
_DOES_ZH = (
    *("在第{}次会议上讨论了新的方案", "把第{}个模块的日志整理了一遍", "住在第{}大道附近的老房子里"),
    *("对第{}版的界面提出了很多意见", "需要在{}号之前提交全部材料", "和{}位同事一起完成了迁移"),
    *("在第{}个路口看到了新开的书店", "认为第{}种做法更加稳妥", "记录了{}条不同的结果"),
)
_JOINED_ZH = ["，然后", "，但是", "，所以", "，而且", "，因为", "，后来"]
_FIRST_EN = ("I", "We", "I think we", "My sister and I", "Yesterday I", "Our team")
_OTHERS_EN = ("The report", "The company", "He", "The old server", "The whole process", "They")
_DOES_EN = (
    *("talked about plan {} with the others", "went through the logs of module {}"),
    *("lived on street {} near the park", "had many remarks on version {} of the interface"),
    *("need to hand in all papers by the {}th", "moved everything with {} colleagues"),
    *("saw a new bookshop at corner {}", "wrote down {} different results"),
)
_JOINED_EN = (", and then ", ", but ", ", so ", " because ", " while ")


def kinds() -> dict[str, list[str]]:
    """Return sentences by their kind."""
    makers: dict[str, Callable[[Random], str]] = {
        "Chinese accounts": _account_zh,
        "English accounts": _account_en,
        LISTED: _to_do,
    }
    made = {
        name: [make(Random(f"{name} {n}")) for n in range(_COUNT)] for name, make in makers.items()
    }
    return {**made, "short lines": ["好的\n"], "one line": [f"w{n}字" for n in range(_COUNT)]}


def _account_zh(random: Random) -> str:
    """Return a long sentence; a third of them is told by who writes."""
    who = _FIRST_ZH if random.random() < 1 / 3 else _OTHERS_ZH
    text = random.choice(who) + _done(random, _DOES_ZH)
    for _ in range(random.randint(1, 3)):
        text += (
            random.choice(_JOINED_ZH) + random.choice(("", *_OTHERS_ZH)) + _done(random, _DOES_ZH)
        )
    return text + "。"


def _account_en(random: Random) -> str:
    who = _FIRST_EN if random.random() < 1 / 3 else _OTHERS_EN
    text = f"{random.choice(who)} {_done(random, _DOES_EN)}"
    for _ in range(random.randint(0, 2)):
        text += f"{random.choice(_JOINED_EN)}{random.choice(_OTHERS_EN).lower()} "
        text += _done(random, _DOES_EN)
    return text + "."


def _to_do(random: Random) -> str:
    return f"\n- [ ] {_done(random, random.choice((_DOES_ZH, _DOES_EN)))}"


def _done(random: Random, what: tuple[str, ...]) -> str:
    return random.choice(what).format(random.randint(2, 9_999))
