"""What happens in the story: a small team builds the ticket shop of a lantern festival.

In: nothing. Out: days with their turns, tool runs and working state, in Chinese and English, as
plain data. All people and figures are made up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from smartbrain import PinTypeName


@dataclass(frozen=True)
class Turn:
    """Something said and answered; `steps` are the tool runs in between."""

    said: str
    answer: str
    steps: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Day:
    """A day in one conversation; what is pinned, planned and noted leads back to its last turn."""

    date: date
    session: str
    turns: tuple[Turn, ...]
    pins: tuple[tuple[PinTypeName, str, str], ...] = ()
    plan: tuple[str, ...] = ()
    checked: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """What is asked in the end, and how many tokens the answer's context may take."""

    session: str = "backend"
    text: str = "发布前确认一下：launch 是哪天？订单库用什么？退款测试为什么失败过？"
    token_limit: int = 1400
    at: date = field(default=date(2026, 3, 13))


def _test_run() -> str:
    """Return the long output of a failing test run."""
    passed = [
        f"tests/test_{part}.py::test_{part}_{number:04d} PASSED"
        for part in ("seats", "orders", "payment")
        for number in range(1, 801)
    ]
    return "\n".join(
        [
            "============================= test session starts ==============================",
            *passed,
            "tests/test_refund.py::test_partial_refund FAILED",
            "=================================== FAILURES ===================================",
            "_____________________________ test_partial_refund ______________________________",
            "    def test_partial_refund():",
            ">       assert refund(price=19.99, share=0.3) == 5.99",
            "E       assert 5.997 == 5.99",
            "tests/test_refund.py:41: AssertionError",
            "=========================== short test summary info ============================",
            "FAILED tests/test_refund.py::test_partial_refund - assert 5.997 == 5.99",
            "======================== 1 failed, 2400 passed in 12.31s ========================",
        ]
    )


_DIFF = """\
--- a/shop/refund.py
+++ b/shop/refund.py
@@ -12,3 +12,3 @@
-def refund(price: float, share: float) -> float:
-    return price * share
+def refund(cents: int, percent: int) -> int:
+    return cents * percent // 100
"""

_FIX = Turn(
    "The refund tests fail. Can you have a look?",
    "修好了：金额原来用浮点数，5.997 ≠ 5.99；现在按整数分计算，2401 个测试全部通过。",
    (
        {"name": "pytest", "args": {"path": "tests"}, "stdout": _test_run(), "exit_code": 1},
        {"name": "read_file", "args": {"path": "shop/refund.py"}, "stdout": "x = 1\n" * 90},
        {"name": "apply_patch", "args": {"diff": _DIFF}, "stdout": _DIFF, "exit_code": 0},
        {
            "name": "pytest",
            "args": {"path": "tests"},
            "stdout": "2401 passed in 12.02s\n",
            "exit_code": 0,
        },
    ),
)

DAYS = (
    Day(
        date(2026, 3, 2),
        "kickoff",
        (
            Turn("我叫 Mei，是灯会购票项目的产品经理。以后都用中文回答。", "好的，Mei。"),
            Turn("We decided to use PostgreSQL for the order database.", "记下了：PostgreSQL。"),
            Turn("The launch is on March 20.", "好，3 月 20 日。"),
        ),
    ),
    Day(
        date(2026, 3, 3),
        "backend",
        (
            Turn("I need to write the refund policy by Friday.", "好的，周五前。"),
            Turn("支付接口的负责人是李雷。", "明白。"),
            Turn("记得提醒我周四前给场馆发座位图。", "会的。"),
        ),
        pins=(("constraint", "座位锁定", "一个座位最多锁 10 分钟，超时自动释放"),),
        plan=("退款测试全部通过", "给场馆发座位图", "压力测试：每秒 200 单"),
    ),
    Day(
        date(2026, 3, 4),
        "backend",
        (
            Turn("今天好累啊，哈哈", "辛苦了，早点休息。"),
            Turn("The staging server runs on port 8080.", "记下了。"),
            Turn("I prefer short answers with code first.", "好的。"),
        ),
    ),
    Day(
        date(2026, 3, 5),
        "backend",
        (_FIX, Turn("决定金额一律用整数分存储，不用浮点数。", "同意，整数分。")),
        checked=(1,),
        notes=("退款失败的原因：浮点数误差；已改为整数分",),
    ),
    Day(
        date(2026, 3, 6),
        "backend",
        (
            Turn("I finished writing the refund policy.", "太好了。"),
            Turn("座位图已经发给场馆了。", "收到。"),
        ),
        checked=(2,),
    ),
    Day(
        date(2026, 3, 9),
        "kickoff",
        (Turn("The launch is on March 18, not March 20.", "改好了：3 月 18 日。"),),
    ),
    Day(
        date(2026, 3, 10),
        "backend",
        (
            Turn(
                "We decided to use MySQL instead of PostgreSQL for the order database.",
                "好，改用 MySQL。",
            ),
            Turn("The staging server runs on port 8443, not 8080.", "更新了。"),
        ),
        pins=(("command", "跑测试", "pytest -q tests（约 12 秒）"),),
    ),
    Day(
        date(2026, 3, 12),
        "kickoff",
        (Turn("我的目标是首日卖出 2000 张票。", "加油！"), Turn("午饭吃什么好呢？", "饺子吧。")),
    ),
)
QUESTION = Question()
