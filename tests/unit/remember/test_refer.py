"""Coming back to a thing, in short messages and deep inside of long ones."""

from __future__ import annotations

import pytest

from smartbrain.remember.refer import _REFERRED, _referred

SAID = (
    "That repo you showed me last time, and the same place again",
    "Can you open the same document we had before? That link too, as I said.",
    "上次说过的那个仓库在哪？那家餐厅也不错，之前聊到的这份文件呢",
    "昨天提到的那个客户 asked for that tool again",
    "that is nothing, 那好吧, the same old story",
)


@pytest.mark.spec("C9")
@pytest.mark.parametrize("text", SAID)
@pytest.mark.parametrize("around", ["", "说来话长。 那么 that was long ago. " * 200])
def test_what_a_text_comes_back_to_is_what_each_kind_finds_in_all_of_it(
    text: str, around: str
) -> None:
    """Looking around the words for it misses nothing and adds nothing."""
    whole = around + text + around
    assert {kind for kind, it in _REFERRED.items() if it.search(whole)} == _referred(whole)
