"""Tenant folder names: reversible, apart from each other, inside the root."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.tenant import folder_of, is_fingerprint, name_of
from smartbrain.errors import UsageError

pytestmark = pytest.mark.spec("S8")


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("default", "default"),
        ("auth0|5f", "auth0%7c5f"),
        ("bob", "bob"),
        ("Bob", "%42ob"),
        ("../x", "%2e.%2fx"),
        ("..", "%2e%2e"),
        (".", "%2e"),
        ("a.", "a%2e"),
        ("张三", "%e5%bc%a0%e4%b8%89"),
        ("con", "%63on"),
        ("nul.txt", "%6eul.txt"),
        ("com1", "%63om1"),
        ("console", "console"),
        ("com10", "com10"),
        ("100%", "100%25"),
        ("a b", "a%20b"),
        ("\x00", "%00"),
    ],
)
def test_a_folder_is_the_name_with_unsafe_characters_escaped(name, folder):
    """Each kind of unsafe character is escaped, and reading back gives the name."""
    assert (folder, name) == (folder_of(name), name_of(folder))


@given(st.text(min_size=1, max_size=200))
def test_any_name_can_be_read_back_from_its_folder(name):
    """The escaping loses nothing, whatever the text."""
    try:
        folder = folder_of(name)
    except UsageError:
        assert any(0xD800 <= ord(character) <= 0xDFFF for character in name)
        return
    assert is_fingerprint(folder) or name == name_of(folder)
    assert len(folder) <= 240
    assert folder not in {"", ".", ".."}
    assert folder == folder.lower()
    assert folder.isascii()
    assert "/" not in folder


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_two_names_never_share_a_folder_even_where_case_is_ignored(one, other):
    """Different names stay apart on file systems that fold case."""
    try:
        same = folder_of(one) == folder_of(other)
    except UsageError:
        return
    assert same == (one == other)


def test_a_name_too_long_for_a_folder_gets_a_fingerprint():
    """The longest name that fits is spelled; one character more is not, and no two are alike."""
    fits, longer = "记" * 26, "记" * 27
    assert (False, True) == (is_fingerprint(folder_of(fits)), is_fingerprint(folder_of(longer)))
    assert (fits, None) == (name_of(folder_of(fits)), name_of(folder_of(longer)))
    assert folder_of(longer) != folder_of(longer[:-1] + "忆")


@pytest.mark.parametrize("name", ["", "x" * 201, "\ud800", None, 7])
def test_what_is_not_a_name_is_refused(name):
    """Empty, overlong and broken names are a usage error."""
    with pytest.raises(UsageError) as caught:
        folder_of(name)
    assert "bad_tenant" == caught.value.code


@pytest.mark.parametrize("folder", ["Bob", "a b", "%zz", "%41%", ".x", "x.", "con", "%61", "%ff"])
def test_a_foreign_folder_is_nobodys(folder):
    """A folder that the rule would never make names no tenant."""
    assert name_of(folder) is None
