"""HTML: title, headings, how much text.

In: a page, maybe after what a downloader printed. Out: title and headings; an error page first.
"""

from __future__ import annotations

import html
import re
from typing import Final

from smartbrain.govern.outputs.seen import Seen, Told, clip, several

_BEGIN: Final = re.compile(r"(?i)<!doctype html|<html[\s>]")
_TITLE: Final = re.compile(r"(?is)<title[^>]{0,200}>([^<]{0,500})")
_HEADING: Final = re.compile(r"(?is)<h[1-3][^>]{0,300}>(.{0,300}?)</h[1-3]>")
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_HIDDEN: Final = re.compile(r"(?i)<(script|style)\b")
_HIDDEN_ENDS: Final = {name: re.compile(rf"(?i)</{name}>") for name in ("script", "style")}
_FORMS: Final = re.compile(r"(?i)<(a|form|table|img|li)\b")
_ERROR: Final = re.compile(
    r"(?i)\b(?:[45]\d\d|\w*(?:error|exception|doesnotexist)|not found|forbidden|denied"
    r"|unauthorized|bad gateway|unavailable)\b"
    r"|错误|异常|不存在|未找到|禁止|拒绝"
)


def tell_html(seen: Seen) -> Told | None:
    """Return what a page says, or None if it is none."""
    begin = _BEGIN.search(seen.text[:4000])
    if begin is None:
        return None
    page = _without_hidden(seen.text[begin.start() :])
    title = _TITLE.search(page)
    titled = _words(title[1]) if title else ""
    headings = [text for one in _HEADING.findall(page) if (text := _words(one))]
    body = _words(page)
    counts: dict[str, int] = {}
    for name in _FORMS.findall(page):
        counts[name.lower()] = counts.get(name.lower(), 0) + 1
    holds = ", ".join(f"{number} <{name}>" for name, number in sorted(counts.items()))
    about = [f"HTML page: {clip(titled, 200) or 'no title'}"]
    about += [f"headings: {several(headings)}"] if headings else []
    about += [f"{len(body):,} characters of text" + (f"; {holds}" if holds else "")]
    about += [clip(body[len(titled) :])] if len(body) > len(titled) else []
    wrong = [one for one in (titled, *headings) if _ERROR.search(one)]
    failing = tuple(clip(one) for one in dict.fromkeys(wrong))[:2]
    return Told("HTML", failing=failing, about=tuple(about))


def _without_hidden(page: str) -> str:
    """Return a page with a blank in place of each script and style; what has no end stays."""
    shown: list[str] = []
    done = 0
    endless: set[str] = set()
    for opening in _HIDDEN.finditer(page):
        name = opening[1].lower()
        if opening.start() < done or name in endless:
            continue
        end = _HIDDEN_ENDS[name].search(page, opening.end())
        if end is None:
            endless.add(name)
            continue
        shown += (page[done : opening.start()], " ")
        done = end.end()
    return "".join((*shown, page[done:]))


def _words(text: str) -> str:
    """Return the text between tags on one line."""
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())
