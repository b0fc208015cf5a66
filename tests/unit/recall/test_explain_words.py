"""Expected words as people give them: strange ones, and with the real indexes to look for them.

In: brains on the real database and the real views. Out: verdicts that do not depend on how the
words were found.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from explain_brain import Asked, opened, say

from smartbrain.domain.explanation import Verdict
from smartbrain.domain.search import IndexFilter


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    "words", ["👍🏽", "'; DROP TABLE memories; --", "的", "the", "：", "字" * 5_000]
)
def test_strange_words_get_a_verdict(tmp_path: Path, words: str) -> None:
    """Marks, stop words, long texts: never said until they are said, then told."""
    with opened(tmp_path) as brain:
        say(brain, "hello 你好")
        before = Asked(brain).why(words)
        say(brain, f"note {words} 记下")
        after = Asked(brain).why(words)
    assert Verdict.NEVER_SAID is before.verdict
    assert Verdict.NEVER_SAID is not after.verdict


@pytest.mark.spec("S1", "R5")
@pytest.mark.parametrize(
    ("first", "then", "old", "passing"),
    [
        ("测试库的端口是 5432。", "测试库的端口是 6543。", "5432", "彩虹特别好看"),
        ("The staging port is 5432.", "The staging port is 6543.", "5432", "a lovely rainbow"),
    ],
)
def test_the_real_indexes_tell_where_something_was_said(
    tmp_path: Path, first: str, then: str, old: str, passing: str
) -> None:
    """With the text index and the passages as the way to search, verdicts are the same."""
    with opened(tmp_path) as brain:
        say(brain, first)
        say(brain, then)
        turn = say(brain, f"{'日志 log ' * 400} {passing} {'log 日志 ' * 400}")
        asked = Asked(brain)
        rules = brain._recall_rules()

        def search(words: str) -> list[str]:
            with brain._lease() as tenant:
                views = tenant.views
                return [
                    hit.id
                    for view in ("text", "passages")
                    for hit in views.search(words, rules, view=view, k=50, only=IndexFilter())
                ]

        asked.search = search
        told = [asked.why(one) for one in (old, passing, "量子 quantum")]
    verdicts = [Verdict.SUPERSEDED, Verdict.REFUSED, Verdict.NEVER_SAID]
    assert verdicts == [one.verdict for one in told]
    assert turn == told[1].turn_id
