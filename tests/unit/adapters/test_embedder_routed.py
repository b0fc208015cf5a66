"""Several embedders, and who gets which text."""

from __future__ import annotations

import pytest

from smartbrain.adapters.models.parse import Route, RoutedEmbedders
from smartbrain.errors import UsageError
from smartbrain.testing.models import HashEmbedder

pytestmark = pytest.mark.spec("S1")

EN = HashEmbedder(name="english", languages=("en",))
ZH = HashEmbedder(name="chinese", languages=("zh",))
ALL = HashEmbedder(name="all")


def detect(text: str) -> str:
    """A detection that is enough here: Han, Cyrillic and ASCII letters."""
    found = {
        name
        for name, (first, last) in {"zh": "一鿿", "ru": "ая", "en": "az"}.items()
        if any(first <= character <= last for character in text)
    }
    return "mixed" if len(found) > 1 else next(iter(found), "")


def names(routed: RoutedEmbedders, text: str) -> list[str]:
    return [embedder.name for embedder in routed.for_text(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the build failed", ["english"]),
        ("构建失败了", ["chinese"]),
        ("构建 failed", ["english", "chinese"]),
        ("0731 🎉", ["english", "chinese"]),
        ("", ["english", "chinese"]),
        ("привет", []),
    ],
)
def test_a_text_goes_to_those_who_serve_it(text: str, expected: list[str]) -> None:
    """One language has its own; mixed text and text without one go to all; strangers to none."""
    assert expected == names(RoutedEmbedders([Route(EN), Route(ZH)], detect), text)


@pytest.mark.parametrize("text", ["english", "中文", "привет", "mixed 文本", "1"])
def test_an_embedder_without_languages_gets_everything(text: str) -> None:
    """Naming no language means serving all."""
    assert ["all"] == names(RoutedEmbedders([Route(ALL)], detect), text)
    assert "all" in names(RoutedEmbedders([Route(EN), Route(ALL)], detect), text)


def test_given_languages_win_over_those_an_embedder_names() -> None:
    """The caller decides what an embedder is used for."""
    routed = RoutedEmbedders([Route(EN, ("ru",)), Route(ALL, ("zh",))], detect)
    assert [["english"], ["all"], []] == [names(routed, text) for text in ("да", "中", "en")]


def test_the_order_is_the_order_given() -> None:
    """Answers do not depend on anything but the list."""
    routed = RoutedEmbedders([Route(ZH), Route(ALL), Route(EN)], detect)
    assert ["chinese", "all", "english"] == names(routed, "混合 mixed")
    assert (ZH, ALL, EN) == routed.embedders


def test_the_same_model_twice_is_refused() -> None:
    """Two entries for one space would file a text's vector twice."""
    with pytest.raises(UsageError, match="hash is given twice"):
        RoutedEmbedders([Route(HashEmbedder()), Route(HashEmbedder(), ("zh",))], detect)


def test_closing_spares_what_the_caller_brought() -> None:
    """Only embedders opened for this brain are closed with it."""
    own, brought = HashEmbedder(name="own"), HashEmbedder(name="brought")
    RoutedEmbedders([Route(own), Route(brought, owned=False)], detect).close()
    assert (own.closed, brought.closed) == (True, False)
