"""Lines of files: from the folders that are allowed, and by no trick from elsewhere.

In: files, links, pipes and paths that climb. Out: lines, or a refusal that tells nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from smartbrain.domain.policy import ArtifactsRules
from smartbrain.errors import UsageError
from smartbrain.govern.sources import file_snippet

posix = pytest.mark.skipif(os.name == "nt", reason="links and pipes need POSIX here")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a folder that is allowed, beside a file that is not."""
    folder = tmp_path / "代码"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text("".join(f"行 {n}\n" for n in range(1, 201)), encoding="utf-8")
    (folder / "sub" / "b.txt").write_text("b", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret\n", encoding="utf-8")
    (tmp_path / "代码-2").mkdir()
    (tmp_path / "代码-2" / "c.txt").write_text("c", encoding="utf-8")
    return folder


def show(root: Path, path: object, start: int = 1, count: int = 80, **rules: object):
    """Show lines of a file in one allowed folder."""
    allowed = ArtifactsRules(file_roots=(str(root),), **rules)
    return file_snippet(str(path), start, count, rules=allowed)


@pytest.mark.spec("W6")
def test_lines_of_a_file_come_with_how_to_go_on(root: Path) -> None:
    """By a relative and by an absolute path; the last lines go on nowhere."""
    part = show(root, "a.py", 3, 2)
    assert ("行 3\n行 4", 3, 4, 200) == (part.text, part.start, part.end, part.lines)
    assert "go on with start=5" == part.more
    assert part.text == show(root, root / "a.py", 3, 2).text
    assert None is show(root, "a.py", 199, 9).more
    assert "b" == show(root, "sub/../sub/b.txt").text


@pytest.mark.spec("W6")
def test_a_snippet_is_bounded(root: Path) -> None:
    """By characters as by lines; a line that is too long is cut."""
    part = show(root, "a.py", count=200, read_max_chars=100)
    assert len(part.text) <= 100
    assert f"go on with start={part.end + 1}" == part.more
    (root / "long.txt").write_text("长" * 500, encoding="utf-8")
    assert 100 == len(show(root, "long.txt", read_max_chars=100).text)


@pytest.mark.spec("W6")
@pytest.mark.parametrize("line", ["长" * 333, "word and 词 " * 41, '{"键": "value 值"}, ' * 20])
@pytest.mark.parametrize("before", ["", "short 短\n"])
@pytest.mark.parametrize("after", ["", "\nthe end 完\n"])
def test_a_long_line_is_read_on_by_bytes(root: Path, line: str, before: str, after: str) -> None:
    """Part by part, until nothing of it or of the lines after it is left."""
    (root / "long.json").write_text(f"{before}{line}{after}", encoding="utf-8")
    first = 1 + before.count("\n")
    part = show(root, "long.json", first, read_max_chars=100)
    assert (first, first) == (part.start, part.end)
    assert part.shown.startswith("bytes")
    told = part.text
    while part.more:
        assert len(part.text) <= 100
        wanted = part.more.split("'")[1]
        allowed = ArtifactsRules(file_roots=(str(root),), read_max_chars=100)
        part = file_snippet("long.json", 1, 80, wanted=wanted, rules=allowed)
        told += part.text
    assert f"{line}{after}" == told
    assert first + bool(after) == part.end
    if before:
        short = show(root, "long.json", read_max_chars=100)
        assert ("short 短", "go on with start=2") == (short.text, short.more)


@pytest.mark.spec("W6")
def test_a_line_that_just_fits_is_whole(root: Path) -> None:
    """What ends it is not shown and takes no room."""
    (root / "fits.txt").write_text("长" * 100 + "\nnext\n", encoding="utf-8")
    part = show(root, "fits.txt", read_max_chars=100)
    assert ("长" * 100, "lines 1-1 of 2") == (part.text, part.shown)
    assert "go on with start=2" == part.more


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "sub/../../secret.txt", "../代码-2/c.txt", "nothing.py", "..", ".", "a\0b"],
)
def test_a_path_outside_is_refused(root: Path, path: str) -> None:
    """However it climbs; a folder with the same beginning is another one."""
    with pytest.raises(UsageError):
        show(root, path)
    with pytest.raises(UsageError, match="folders that are allowed"):
        show(root, root.parent / "secret.txt")


@posix
@pytest.mark.spec("W6")
def test_a_link_is_judged_by_where_it_leads(root: Path) -> None:
    """One that stays inside is followed, one that leaves is not, as a file or as a folder."""
    (root / "in").symlink_to(root / "sub" / "b.txt")
    (root / "out").symlink_to(root.parent / "secret.txt")
    (root / "up").symlink_to(root.parent)
    assert "b" == show(root, "in").text
    for path in ("out", "up/secret.txt"):
        with pytest.raises(UsageError, match="folders that are allowed"):
            show(root, path)


@posix
@pytest.mark.spec("W6")
def test_a_link_put_in_place_while_opening_is_noticed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder on the way that becomes a link after it was judged leads nowhere."""
    (root.parent / "elsewhere").mkdir()
    (root.parent / "elsewhere" / "b.txt").write_text("secret", encoding="utf-8")
    really = os.open

    def swapped(path: str, *given: int) -> int:
        (root / "sub").rename(root / "old")
        (root / "sub").symlink_to(root.parent / "elsewhere")
        return really(path, *given)

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(UsageError, match="moved while it was opened"):
        show(root, "sub/b.txt")


@posix
@pytest.mark.spec("W6")
def test_what_is_no_text_file_is_refused(root: Path) -> None:
    """Folders, pipes, devices and binary files; none of them is waited for."""
    os.mkfifo(root / "pipe")
    (root / "binary").write_bytes(b"\x7fELF\0\0")
    (root / "latin").write_bytes("é".encode("latin-1"))
    for path, said in [
        ("sub", "is no file"),
        ("pipe", "is no file"),
        ("binary", "no text"),
        ("latin", "no text"),
    ]:
        with pytest.raises(UsageError, match=said):
            show(root, path)
    with pytest.raises(UsageError, match="is no file"):
        file_snippet("/dev/null", 1, 1, rules=ArtifactsRules(file_roots=("/dev",)))


@pytest.mark.spec("W6")
def test_nothing_is_shown_where_no_folder_is_allowed(root: Path) -> None:
    """The sentence names the setting; a line behind the end is named with the size."""
    with pytest.raises(UsageError, match=r"set artifacts\.file_roots"):
        file_snippet(str(root / "a.py"), 1, 1, rules=ArtifactsRules())
    with pytest.raises(UsageError, match="has 200 lines"):
        show(root, "a.py", 201)
