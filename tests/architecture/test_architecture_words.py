"""The gate on words: no machine, registry, tracker or tool of the makers is named.

In: every text file of the repository. Out: the lines that speak of something else than the project.
"""

from __future__ import annotations

import pytest
import repo_tree
from repo_tree import assert_none, text_files
from rules_words import word_violations


def test_the_repository_speaks_of_itself_alone() -> None:
    """Tracked text names neither where nor with what it was written."""
    assert_none([bad for path, text in text_files() for bad in word_violations(path, text)])


def test_the_gates_see_the_repository_with_and_without_git(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files are found either way, and the environment's own files are not among them."""
    expected = {"pyproject.toml", "src/smartbrain/errors.py", ".ci/run"}
    for _ in range(2):
        names = {path for path, _ in text_files()}
        assert expected <= names
        assert not any(name.startswith((".venv/", ".git/")) for name in names)
        monkeypatch.setattr(repo_tree, "_tracked_or_new", list)


# Joined from pieces, so that this file passes its own gate.
@pytest.mark.parametrize(
    "pieces",
    [
        ("cd /wo", "rk/main"),
        ("see '/ro", "ot'"),
        ("/fa", "rm/x"),
        ("open('/ho", "me/ann/x')"),
        ("from py", "pi.org"),
        ("pip --index", "-url x"),
        ("fixes iss", "ue #4"),
        ("Iss", "ues #4 and #5"),
        ("done in th", "is session"),
        ("Co-authored", "-By: x"),
        ("with Clau", "de Code"),
        ("by Cop", "ilot"),
    ],
)
def test_a_foreign_word_is_reported(pieces: tuple[str, str]) -> None:
    """Each kind of foreign word is found, in any case."""
    assert len(word_violations("a.md", "".join(pieces))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "src/work/x",
        "<root>/tenants/a",
        "`--root PATH`",
        "f'{folder}/root'",
        "a Claude export",
        "the cursor of a page",
        "每个会话",
        "the issue is closed",
        "$HOME/.smartbrain",
    ],
)
def test_words_of_the_project_are_fine(text: str) -> None:
    """What only looks like a machine path or a tool is left alone."""
    assert word_violations("a.md", text) == []


def test_a_client_is_named_where_it_is_connected_and_nowhere_else() -> None:
    """Settings of a coding tool need its name; other words stay foreign there too."""
    text, path = "--client " + "cod" + "ex", "src/smartbrain/entrypoints/agents/clients.py"
    assert word_violations(path, text) == []
    assert len(word_violations("src/smartbrain/entrypoints/rest/app.py", text)) == 1
    assert len(word_violations(path, "see '/ro" + "ot'")) == 1
