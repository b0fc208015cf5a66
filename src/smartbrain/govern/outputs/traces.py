"""Errors with their stacks, diffs, views of files and web pages, told by their form.

In: an output as `seen` shows it. Out: the last error with its place, the files that were changed,
or the words of a page, in a few lines; nothing where the text has another form.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Final

from smartbrain.govern.outputs.listings import surely
from smartbrain.govern.outputs.seen import Seen, Told, clip, counted, several

_PYTHON: Final = "Traceback (most recent call last)"
_GROUP: Final = re.compile(r"^\s*(?:[+|] ?)+(?:-++ ?\d*+ ?-*+$)?")
_SYNTAX: Final = "SyntaxError: "
_FOREIGN: Final = re.compile(
    r"site-packages|dist-packages|/lib/python3|<frozen |node:|node_modules|java\.base/"
    r"|^\s*at (?:javax?|jdk|sun|scala|kotlin|org\.(?:springframework|apache|junit|hibernate)"
    r"|System|Microsoft)\."
)
"""Places in code that is not the user's own."""
_ENDING: Final = 12  # lines behind an error that can be its message
_GOES_ON: Final = re.compile(r"\s*[^\s\d\[]")
_MORE: Final = 3  # further lines of a message that ends the output
_RAISED: Final = re.compile(r"^(?:\s*\|\s*)?[A-Za-z_][\w.]*(?::(?:\s|$)|$)")
_PLACE: Final = re.compile(r'^\s*(?:\|\s*)?File "([^"]+)", line (\d+)(?:, in (.+))?')
_LOCATED: Final = re.compile(r"^\S+\.\w+:\d+$")
_AT: Final = re.compile(r"^\s+at \S|^\s+\.\.\. \d+ more")
_HEAD: Final = re.compile(
    r"^(?:Uncaught |Unhandled exception\. |\[cause\]: |---> "
    r"|Exception in thread \"[^\"]*\" |Caused by: |\[ERROR\] )?"
    r"(?:[A-Za-z_$][\w$.]*\.)?[A-Z]\w*(?:Error|Exception|Failure|Fault|Throwable)?\b"
    r"(?: \[\w+\])?(?::|$)"
)
_NATIVE: Final = re.compile(
    r"^panic: |^fatal error: (?:all goroutines|concurrent|runtime|stack)"
    r"|^thread '.*' (?:\(\d+\) )?panicked at"
    r"|ERROR: \w+Sanitizer|^SUMMARY: \w+Sanitizer|: runtime error: "
    r"|^PHP Fatal error:|^Fatal error: Uncaught"
    r"|^\S+\.rb:\d+:in .+: .+\(\w+\)|^Segmentation fault|^\*\*\* stack smashing"
)


def tell_trace(seen: Seen) -> Told | None:
    """Return what a stack trace says, or None if there is none."""
    found = []
    if _PYTHON in seen.text or (_SYNTAX in seen.text and 'File "' in seen.text):
        found = _python(seen.lines)
    found += _native(seen.lines)
    found += _called(seen.lines)
    if not found:
        return None
    lines = list(dict.fromkeys(found))
    kept = lines if len(lines) <= 4 else [*lines[:2], *lines[-2:]]
    return Told("stack trace", failing=tuple(kept))


def _python(lines: Sequence[str]) -> list[str]:
    errors: list[tuple[str, str]] = []
    grouped = any("+ Exception Group Traceback" in line for line in lines)
    if grouped:
        lines = [_GROUP.sub("", line) for line in lines]
    place = ""
    inside = not any(_PYTHON in line for line in lines)
    for number, line in enumerate(lines):
        if _PYTHON in line or (grouped and not line):
            inside, place = True, ""
        elif inside and (match := _PLACE.match(line)):
            if place and _FOREIGN.search(line):
                continue
            place = f"at {match[1]}:{match[2]}" + (f" in {match[3]}" if match[3] else "")
            after = lines[number + 1].strip() if number + 1 < len(lines) else ""
            if after and not _PLACE.match(after) and not after.startswith("[Previous"):
                place += f": {after}"
        elif inside and line and line[0] not in " \t|" and _RAISED.match(line):
            if len(lines) - number <= _ENDING:
                rest = takewhile(_GOES_ON.match, lines[number + 1 : number + 1 + _MORE])
                line = " ".join((line, *(one.strip() for one in rest)))
            errors.append((clip(line, 400), clip(place)))
            inside = False
    if not errors:
        return []
    if grouped:
        return [f"{error} ({place})" if place else error for error, place in errors]
    last = list(errors[-1])
    if len(errors) > 1 and errors[0][0] != last[0]:
        last.append(f"first: {errors[0][0]}")
    return [part for part in last if part]


def _native(lines: Sequence[str]) -> list[str]:
    found = []
    for number, line in enumerate(lines):
        if not _NATIVE.search(line):
            continue
        found.append(clip(line, 400))
        after = lines[number + 1] if number + 1 < len(lines) else ""
        if "panicked at" in line and after.strip() and not after.startswith(("note:", "stack")):
            found.append(clip(after))
        elif line.startswith(("panic: ", "fatal error: ")):
            found += _go_place(lines[number + 1 :])
        if len(found) >= 4:
            break
    return found


def _go_place(lines: Sequence[str]) -> list[str]:
    """Return the first place that is not in Go's own runtime."""
    for line in lines[:40]:
        if re.match(r"^\t\S+\.go:\d+", line) and "/runtime/" not in line:
            return ["at " + clip(line).partition(" +0x")[0]]
    return []


def _called(lines: Sequence[str]) -> list[str]:
    """Return errors that are followed by `at …` lines: the first, its place, the last cause."""
    found: list[tuple[str, str]] = []
    for number, line in enumerate(lines[:-1]):
        if not _AT.match(lines[number + 1]) or _AT.match(line):
            continue
        head = number
        # The message of an error may go over a few lines before the first place.
        while head > 0 and number - head < 4 and not _HEAD.match(lines[head].strip()):
            head -= 1
        if _HEAD.match(lines[head].strip()):
            if lines[head].strip().startswith("---> "):  # C# tells the outer error right before
                found.append((clip(lines[head - 1], 400), ""))
            found.append((clip(lines[head], 400), _own(lines, number + 1, head)))
    if not found:
        return []
    cause = [found[-1][0]] if len(found) > 1 else []
    return [found[0][0], *cause, *[place for _, place in found if place][:1]]


def _own(lines: Sequence[str], first: int, head: int) -> str:
    """Return the first place of an error in the user's own code, else the first at all."""
    places = list(takewhile(_AT.match, lines[first : first + 60]))
    own = [line for line in places if not _FOREIGN.search(line)]
    named = [line for line in lines[max(0, head - 5) : head] if _LOCATED.match(line)]
    return clip((own or named or places)[0])


_FILE: Final = re.compile(r"^\+\+\+ (?:b/)?(\S+)")
_OLD: Final = re.compile(r"^--- (?:a/)?(\S+)")
_NAMED: Final = re.compile(r"^diff --git a/.+ b/(.+)$")
_REJECTED: Final = re.compile(
    r"^(?:error: |CONFLICT |Hunk #\d+ FAILED|\d+ out of \d+ hunks? FAILED|patch: \*{4}|<{7} )"
)


def tell_diff(seen: Seen) -> Told | None:
    """Return what a diff says, or None if it is none."""
    head = [line[:4] for line in seen.lines[:60]]
    marked = any(line.startswith("diff --git ") for line in seen.lines[:60]) or (
        "@@ -" in head and "+++ " in head
    )
    rejected = [clip(line) for line in seen.lines if _REJECTED.match(line)]
    if not marked and not (rejected and "patching file" in seen.text):
        return None
    files: dict[str, list[int]] = {}
    now = ""
    removed = False
    for line in seen.lines:
        if match := _NAMED.match(line) or _FILE.match(line):
            now = now if match[1] == "/dev/null" else match[1]
            files.setdefault(now, [0, 0])
        elif line.startswith("--- ") and (match := _OLD.match(line)):
            removed = match[1] == "/dev/null"
        elif now and line[:1] == "+":
            files[now][0] += 1
        elif now and line[:1] == "-":
            files[now][1] += 1
    if not files:
        return Told("diff", failing=tuple(rejected[:4]))
    added = sum(one[0] for one in files.values())
    gone = sum(one[1] for one in files.values())
    about = [
        f"diff of {counted(len(files), 'file', whole=seen.whole)}: +{added:,} -{gone:,} lines"
        + (", new" if removed and len(files) == 1 else ""),
        several(f"{name} +{plus} -{minus}" for name, (plus, minus) in files.items()),
    ]
    return Told("diff", failing=tuple(rejected[:3]), about=tuple(one for one in about if one))


_VIEWED: Final = re.compile(
    r"^\[File: (.+?) \((\d+) lines total\)\]|^Here's the result of .*\bon (\S+)"
)
_NUMBERED: Final = re.compile(r"^\s*(\d+)(?:[:|\t→]|  )(.*)$")
_CURSOR: Final = re.compile(r"^(?:<<<<<|\(\d+ more lines|-{5,}$|ERRORS:$|\[File: )")
_SHARE: Final = 0.6


def tell_file_view(seen: Seen) -> Told | None:
    """Return what a view of a file says, or None if it is none."""
    named = next((match for line in seen.lines[:40] if (match := _VIEWED.match(line))), None)
    lines = [line for line in seen.lines if line.strip()]
    numbered = [match for line in lines if (match := _NUMBERED.match(line))]
    if named is None and (len(numbered) < 3 or len(numbered) < _SHARE * len(lines)):
        return None
    numbers = [int(match[1]) for match in numbered]
    if named is None and any(b != a + 1 for a, b in pairwise(numbers)):
        return None
    said = [line for line in lines if not _NUMBERED.match(line) and not _CURSOR.match(line)]
    failing = [clip(line) for line in said if surely(line)]
    if failing:
        failing += [clip(line) for line in said[:1] if line not in failing]
    shown = f"lines {numbers[0]}-{numbers[-1]}" if numbers else "no lines"
    file = (named[1] or named[3]) if named else "a file"
    total = f" of {int(named[2]):,}" if named and named[2] else ""
    about = [f"file view of {file}: {shown}{total}"]
    about += [clip(line) for line in said[:2] if clip(line) not in failing]
    code = [match[2].strip() for match in numbered if len(match[2].strip()) > 3]
    about += [clip(line, 160) for line in code[:2]]
    return Told("file view", failing=tuple(dict.fromkeys(failing))[:3], about=tuple(about))


_BEGIN: Final = re.compile(r"(?i)<!doctype html|<html[\s>]")
_TITLE: Final = re.compile(r"(?is)<title[^>]{0,200}>([^<]{0,500})")
_HEADING: Final = re.compile(r"(?is)<h[1-3][^>]{0,300}>(.{0,300}?)</h[1-3]>")
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_HIDDEN: Final = re.compile(r"(?i)<(script|style)\b")
_HIDDEN_ENDS: Final = {name: re.compile(rf"(?i)</{name}>") for name in ("script", "style")}
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
    about = [f"HTML page: {clip(titled, 200) or 'no title'}"]
    about += [f"headings: {several(headings)}"] if headings else []
    about += [f"{len(body):,} characters of text"]
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
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())
