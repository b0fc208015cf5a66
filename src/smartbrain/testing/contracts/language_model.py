"""What every language model must do; an adapter's tests inherit `LanguageModelContract`.

In: an open model whose service repeats the user's last message. Out: failed asserts where the
adapter differs from the port. It does not test what only one adapter promises: requests, retries.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from smartbrain.errors import SmartBrainError, UsageError
from smartbrain.ports.language_model import ModelMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartbrain.ports.language_model import LanguageModel

TEXTS: Final = (
    "The build failed with E1042 on Tuesday.",
    "用户说：以后都用简体中文回答。",
    "把 deploy.sh 里的 timeout 改成 30 秒",
    '{"tasks": [{"title": "写周报"}]}',
    "🎉👩‍👩‍👧‍👦 مرحبا\r\n\ttabbed",
    "长" * 20_000,
)
SCHEMA: Final = {"type": "object", "properties": {"tasks": {"type": "array"}}}


class LanguageModelContract:
    """The suite; a subclass says how to make the model.

        class TestMyModel(LanguageModelContract):
            def make(self) -> LanguageModel:
                return MyModel()

    `make` may be called more than once a test and returns the same model each time, open.
    """

    def make(self) -> LanguageModel:
        """Return the model under test, which answers with the user's last message."""
        raise NotImplementedError

    def test_it_says_what_it_is(self) -> None:
        """Its name is one line, and every answer names the model and counts in whole numbers."""
        model = self.make()
        answer = model.complete([ModelMessage("user", "hello 你好")])
        assert model.model.strip() == model.model != ""
        assert model.model.isprintable()
        assert answer.model != ""
        assert all(type(count) is int for count in answer.usage.values())

    def test_it_answers_the_last_words_of_the_user(self) -> None:
        """Whatever the text, it arrives and comes back whole."""
        model = self.make()
        for text in TEXTS:
            talk = [
                ModelMessage("system", "Repeat. 请重复。"),
                ModelMessage("user", "first"),
                ModelMessage("assistant", "first"),
                ModelMessage("user", text),
            ]
            assert text == model.complete(talk).text

    def test_a_schema_may_be_given(self) -> None:
        """Asking for JSON changes how it is asked, not that it answers."""
        answer = self.make().complete([ModelMessage("user", TEXTS[3])], schema=SCHEMA, timeout=5.0)
        assert TEXTS[3] == answer.text

    def test_half_characters_do_no_harm(self) -> None:
        """Half of a pair is replaced, two halves are joined."""
        said = "half \ud83d, whole \ud83d\ude00"
        answer = self.make().complete([ModelMessage("user", said)])
        assert answer.text == "half \ufffd, whole 😀"

    def test_what_is_no_conversation_is_refused(self) -> None:
        """No message, a blank one, an unknown role and an impossible timeout are the caller's."""
        model = self.make()
        said = ModelMessage("user", "x")
        for messages in ([], [ModelMessage("user", " \n")], [said, ModelMessage("tool", "x")]):
            assert isinstance(_error(model, messages), UsageError)
        for timeout in (0.0, -1.0, float("nan"), float("inf")):
            assert isinstance(_error(model, [said], timeout), UsageError)

    def test_threads_may_share_it(self) -> None:
        """Eight threads at once get their own answers."""
        model = self.make()
        texts = [f"{text[:50]} {place}" for place in range(8) for text in TEXTS]
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(lambda text: model.complete([ModelMessage("user", text)]).text, texts)
            assert texts == list(found)

    def test_a_closed_model_says_so(self) -> None:
        """After closing, once or twice, every call is refused with the code `closed`."""
        model = self.make()
        model.close()
        model.close()
        assert _error(model, [ModelMessage("user", "x")]).code == "closed"


def _error(
    model: LanguageModel, messages: Sequence[ModelMessage], timeout: float = 5.0
) -> SmartBrainError:
    """Return the error that a call ends with; ending without one is a failure."""
    try:
        result = model.complete(messages, timeout=timeout)
    except SmartBrainError as error:
        return error
    raise AssertionError(f"expected an error, got {result!r}")
