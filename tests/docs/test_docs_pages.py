"""The map of the documentation: every page is on it, and no link of any page leads nowhere.

In: the pages. Out: what is missing or broken.
"""

from __future__ import annotations

import re

import pytest
from docs_pages import ROOT, pages

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", pages())
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    """Files and folders beside the page; addresses of other sites are not looked at."""
    text = (ROOT / page).read_text(encoding="utf-8")
    folder = (ROOT / page).parent
    assert [] == [link for link in LINK.findall(text) if not (folder / link).exists()]


def test_every_page_is_on_the_map() -> None:
    """`docs/README.md` names each page of the folder once or more."""
    text = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    named = {*LINK.findall(text)}
    pages_there = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert set() == pages_there - named


def test_no_page_holds_what_a_merge_left() -> None:
    """Marks of a conflict are not text, here or in the files beside the pages."""
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    }
    marks = re.compile(r"^(<{7}|>{7}|={7}$)", re.MULTILINE)
    assert [] == [name for name, text in texts.items() if marks.search(text)]
