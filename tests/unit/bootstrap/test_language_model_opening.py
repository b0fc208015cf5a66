"""Choosing a language model: what can be written, which key is used, what is closed."""

from __future__ import annotations

from typing import Any

import pytest

from smartbrain.adapters.models.parse import LANGUAGE_MODEL, ModelChoice, parse_model
from smartbrain.bootstrap.models import LanguageModels, model_from, with_extraction
from smartbrain.domain.policy import Rules
from smartbrain.errors import UsageError
from smartbrain.ports.language_model import ModelMessage
from smartbrain.testing.model_service import running_chat_service
from smartbrain.testing.models import EchoModel

pytestmark = pytest.mark.spec("S1", "C6")


@pytest.mark.parametrize(
    ("given", "choice"),
    [
        (
            "http://localhost:11434/v1#qwen3:8b",
            ModelChoice(place="http", address="http://localhost:11434/v1", model="qwen3:8b"),
        ),
        (
            " HTTPS://api.openai.com#gpt ",
            ModelChoice(place="http", address="HTTPS://api.openai.com", model="gpt"),
        ),
        (
            {"language_model": "http://h#模型", "key_env": "MY_KEY"},
            ModelChoice(place="http", address="http://h", model="模型", key_env="MY_KEY"),
        ),
    ],
)
def test_a_service_is_chosen_by_its_address(given: object, choice: ModelChoice) -> None:
    """The model stands behind the mark; a dict may name where the key is."""
    assert choice == parse_model(given, LANGUAGE_MODEL)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "gpt",
        "onnx:models/x",
        "http://host",
        "http://host#",
        "http://#model",
        "http://[::1#model",
        "http://host:port#model",
        3,
        [],
        {},
        {"language_model": "http://h#m", "languages": ["zh"]},
        {"language_model": {"language_model": "http://h#m"}},
        {"language_model": "http://h#m", "key_env": "sk-secret-1"},
        {"language_model": "http://h#m", "key_env": 3},
    ],
)
def test_what_cannot_be_read_is_refused_at_once(given: Any) -> None:
    """Before anything is opened, in one line that repeats no key."""
    with pytest.raises(UsageError) as caught:
        LanguageModels(given)
    assert "\n" not in caught.value.message
    assert "sk-secret" not in caught.value.message


@pytest.mark.parametrize(
    ("environ", "header"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": "for openai alone"}, None),
        ({"SMARTBRAIN_LANGUAGE_MODEL_KEY": "own"}, "Bearer own"),
    ],
)
def test_the_key_comes_from_the_environment(environ: dict[str, str], header: str | None) -> None:
    """OpenAI's own variable is given to OpenAI alone."""
    with running_chat_service() as service:
        model, ours = model_from(f"{service.url}#m", LANGUAGE_MODEL, environ)
        model.complete([ModelMessage("user", "你好")])
        model.close()
        (request,) = service.requests
    assert (True, header) == (ours, request.headers.get("authorization"))


def test_a_named_key_must_be_there() -> None:
    """The sentence names the variable."""
    chosen = {"language_model": "http://h#m", "key_env": "MY_KEY"}
    with pytest.raises(UsageError, match="MY_KEY is not set"):
        model_from(chosen, LANGUAGE_MODEL, {})


def test_an_own_model_is_used_and_not_closed() -> None:
    """What the caller brought is the caller's to close."""
    own = EchoModel()
    models = LanguageModels(own)
    model = models.model()
    assert model is models.model()
    assert (own.model, "好 ok") == (
        model.model,
        model.complete([ModelMessage("user", "好 ok")]).text,
    )
    models.close()
    assert not own.closed


def test_a_model_of_a_service_is_opened_once_and_closed() -> None:
    """By the first call that needs it."""
    models = LanguageModels("http://127.0.0.1:9#m")
    opened = models.model()
    assert opened is models.model()
    models.close()
    with pytest.raises(UsageError) as caught:
        opened.complete([ModelMessage("user", "x")])
    assert "closed" == caught.value.code


def test_no_model_is_no_choice() -> None:
    """Everything else works by rules; asking for the model says how to give one."""
    models = LanguageModels()
    assert not models.chosen
    with pytest.raises(UsageError, match="language_model="):
        models.model()


def test_a_model_has_every_turn_queued_for_it() -> None:
    """Once, whatever other agents there are."""
    rules = with_extraction(Rules())
    assert ("extract",) == rules.jobs.agents
    assert rules is with_extraction(rules)
