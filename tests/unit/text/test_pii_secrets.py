"""API keys, passwords and private keys, and what only stands where they would stand.

Every secret here is put together from pieces: none was ever valid, and none is in the source whole.
"""

from __future__ import annotations

from typing import Final

import pytest

from smartbrain.domain.pii import PiiKind
from smartbrain.text.pii import find_pii, mask_pii

FAKE: Final = "a1B2" * 9
BEGIN: Final = "-----BEGIN {}PRIVATE" + " KEY-----"
END: Final = "-----END {}PRIVATE" + " KEY-----"


def found(text: str) -> list[tuple[PiiKind, str]]:
    """Return what was found with its kind."""
    return [(span.kind, text[span.offset : span.end]) for span in find_pii(text)]


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "key",
    [
        "sk-" + FAKE,
        "sk-" + "ant-api03-" + FAKE,
        "sk-" + "proj-" + FAKE,
        "ghp_" + FAKE,
        "gho_" + FAKE,
        "github_pat_" + "11AB_" + FAKE,
        "xoxb-" + "123456789012-" + FAKE,
        "AKIA" + "A1B2" * 4,
        "ASIA" + "A1B2" * 4,
        "AIza" + FAKE[:35],
        "glpat-" + FAKE[:20],
        "hf_" + FAKE[:34],
        "npm_" + FAKE,
        "pypi-" + FAKE,
        "sk_" + "test_" + FAKE,
        "eyJ" + FAKE + "." + FAKE + "." + FAKE,
    ],
)
@pytest.mark.parametrize("around", ["{}", "密钥在{}里", "use {}, please", "x={}\n"])
def test_a_key_with_a_known_beginning_is_found(key: str, around: str) -> None:
    """Keys of well-known services are found wherever they stand."""
    assert [(PiiKind.API_KEY, key)] == found(around.format(key))


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "text",
    [
        "sk-learn-contrib-model-selection-tools",
        "sk-" + "x" * 40,
        "task-" + FAKE,
        "ghp_",
        "ghp_short1",
        "hf_transformers_model_name_long",
        "npm_config_registry_of_the_project_2",
        "pypi-attestation-models-and-friends",
        "AKIA",
        "BAKIA" + "A1B2" * 4,
        "eyJ" + FAKE,
        "eyJ.eyJ.eyJ",
        "Bearer authentication-scheme",
        "bearer of bad news",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "550e8400-e29b-41d4-a716-446655440000",
        "src/smartbrain/text/pii.py",
    ],
)
def test_names_hashes_and_paths_are_no_key(text: str) -> None:
    """What is made of words, and hashes that say nothing of themselves, are left alone."""
    assert [] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password: hunter22", "hunter22"),
        ("my password is hunter22, ok?", "hunter22"),
        ("the passwd was: p4ss!word", "p4ss!word"),
        ("DB_PASSWORD=hunter22\nUSER=bob", "hunter22"),
        ("url?token=abc123def&user=bob", "abc123def"),
        ("Server=db;Password=hunter22;User=bob", "hunter22"),
        ('{"api_key": "k-12-34-56"}', "k-12-34-56"),
        (r"{\"secret\": \"s3cr3t-x\"}", "s3cr3t-x"),
        ("config['password'] = 'letmeinplease'", "letmeinplease"),
        ("**Password:** `hunter22`", "hunter22"),
        ("Password: sunshine", "sunshine"),
        ("passphrase: correct-horse-battery\n", "correct-horse-battery"),
        ("API Key：9f86d081884c7d65", "9f86d081884c7d65"),
        ("accessToken: 482913", "482913"),
        ("密码：hunter22，别外传", "hunter22"),
        ("密码是hunter22吧", "hunter22"),
        ("登录口令为 123456。", "123456"),
        ("密钥=「芝麻开门芝麻开门」", "芝麻开门芝麻开门"),
        ("WiFi密码是sunshine。", "sunshine"),
        ("Authorization: Bearer abc123def456", "abc123def456"),
        ("secret: {password:hunter22}", "hunter22"),
    ],
)
def test_the_value_of_a_secret_is_found(text: str, secret: str) -> None:
    """Only the value is the secret, not the word that names it."""
    assert [(PiiKind.API_KEY, secret)] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "text",
    [
        "password: ********",
        "password=<your password>",
        "password: ${DB_PASSWORD}",
        "token=$TOKEN_FROM_ENV",
        "token: xxxxxxxx",
        'password: "required"',
        "password is required",
        "The token is expired.",
        "the secret is keeping calm",
        "secret: abc",
        "password: str = field()",
        "password: string;",
        "token = tokenizer.encode(text)",
        'token = os.environ["TOKEN"]',
        "login(password=user_password, token=settings.token)",
        "max_tokens: 100000",
        "cost per token: 0.0000015",
        "Unexpected token: function",
        "password must be changed",
        "token: 2024-01-15",
        "secret: /run/secrets/db",
        "token: https://example.com/get",
        "the password is 12-digit",
        "secretary: Jonathan",
        "密码是必填项",
        "密码：******",
        "密码不能为空",
        "密钥是base64编码",
        "password: [secret]",
        "token:=make(x1, y2)",
    ],
)
def test_placeholders_code_and_prose_are_no_secret(text: str) -> None:
    """What names, types, computes or stands in for a secret is left alone."""
    assert [] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "label", ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "ED25519 ", "X25519 "]
)
@pytest.mark.parametrize("breaks", ["\n", "\\n"])
def test_a_private_key_is_found_whole(label: str, breaks: str) -> None:
    """The block is one span from its first line to its last, whatever stands inside."""
    inside = ["ann@example.com", "password=hunter22", "13812345678", FAKE]
    block = breaks.join([BEGIN.format(label), *inside, END.format(label)])
    text = f"钥匙：{block}\n然后 ann@example.com"

    assert [(PiiKind.PRIVATE_KEY, block), (PiiKind.EMAIL, "ann@example.com")] == found(text)


@pytest.mark.spec("C10")
def test_a_private_key_cut_off_reaches_to_the_end() -> None:
    """Without its last line, everything after the first is taken for the key."""
    block = BEGIN.format("RSA ") + "\n" + FAKE + "\n13812345678"

    assert [(PiiKind.PRIVATE_KEY, block)] == found("password=" + block)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "text",
    [
        BEGIN.format("").replace("PRIVATE", "PUBLIC"),
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "-----BEGIN RSA PUBLIC" + " KEY-----",
        "the PRIVATE KEY-file",
        "PRIVATE KEY-----",
        "----BEGIN PRIVATE" + " KEY----",
        "-----begin private" + " key-----",
        "-----BEGIN PRIVATE" + " KEYS-----",
        END.format(""),
        "私钥 PRIVATE KEY",
        "-----BEGIN " + "A" * 41 + " PRIVATE" + " KEY-----",
        "-----BEGIN PGP MESSAGE-----",
    ],
)
def test_other_blocks_are_no_private_key(text: str) -> None:
    """Public keys, certificates and words about keys are left alone."""
    assert [] == found(text)


@pytest.mark.spec("C10")
def test_masks_are_readable_and_say_what_was_there() -> None:
    """Each kind has its mark, and secrets of all kinds share one."""
    key = BEGIN.format("") + FAKE + END.format("")
    text = (
        f"邮箱a.b@c.com，电话13812345678，身份证11010519491231002X，卡4000123456789017，"
        f"机器10.0.0.5，住文三路100号，密码是hunter22，{key}。"
    )
    expected = (
        "邮箱[email]，电话[phone]，身份证[id_card]，卡[bank_card]，"
        "机器[ip]，住[address]，密码是[secret]，[secret]。"
    )

    assert expected == mask_pii(text, find_pii(text))


@pytest.mark.spec("C10")
def test_only_the_given_spans_are_masked() -> None:
    """A caller may mask some kinds and leave others."""
    text = "a.b@c.com 13812345678"
    phones = [span for span in find_pii(text) if span.kind is PiiKind.PHONE]

    assert "a.b@c.com [phone]" == mask_pii(text, phones)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("value", "is_found"),
    [
        ("aaa_" * 40 + "9", True),
        ("aaa_" * 40 + "bbb", False),
        ("sk-" + "a" * 100_000, True),
        ("x" * 100_000 + "y9", False),
        ("a9" + "x" * 100_000 + "y", True),
    ],
    ids=lambda one: f"{one!s:.12}",
)
def test_a_value_of_any_length_is_judged_at_once(value: str, is_found: bool) -> None:
    """A name of many words, and a long run of one letter, can be read in one way only."""
    assert is_found == bool(found(f"token: {value}"))
