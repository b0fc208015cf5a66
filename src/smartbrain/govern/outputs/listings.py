"""Listings: tables, names of files, hits of a search, logs and JSON, told by their form.

In: an output as `seen` shows it. Out: how much of what there is and what of it tells of an error,
in a few lines, or nothing where the text has another form.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from smartbrain.govern.outputs.seen import Seen, Told, clip, counted, several
from smartbrain.text.word_list import word_set

_SURE: Final = re.compile(
    r"(?:^|[\s\[(])(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Panic|Fault)\b(?=:|\s*$)(?!\s*[=)])"
    r"|^[\s>*\[(-]*(?i:error|fatal|critical|panic|failure|failed|abort(?:ed)?)"
    r"(?:\s+(?i:error))?[\])]?\s*[:!：]"
    r"|(?i::\s+(?:fatal\s+)?error(?:\s+\w+)?:)|npm ERR!|^E: |^\s*! \["
    r"|^(?i:error)\s+[A-Z]{1,4}\d{2,}"
    r"|(?i:command not found|no such file or directory|permission denied|segmentation fault"
    r"|core dumped|connection (?:refused|reset|timed out)|could not resolve|no space left"
    r"|out of memory|timed out|operation not permitted|is not recognized as|cannot access"
    r"|syntax error|not a git repository|merge conflict|no such file$|already (?:in use|allocated))"
    r"|(?i:assertion failed)|^\S+::\S.* (?:FAILED|ERROR)\b|^\s*--- FAIL: "
    r"|\.\.\. FAILED$|^\w*make(?:\[\d+\])?: \*\*\*"
    r"|: (?:invalid|unrecognized|illegal|unknown|missing|cannot|can't|failed|not found)\b"
    r"|\b(?:E999|SyntaxError|Killed$|Terminated$)|(?i:have not been applied)"
    r"|^\s*[\[【(（]?(?:严重|致命)?(?:错误|失败|异常|出错|报错|致命)[\]】)）]?\s*[:：!！,，]"
    r"|(?:连接|执行|编译|构建|部署|测试|登录|请求|操作|上传|下载|安装|启动|读取|写入)(?:失败|超时|被拒绝|出错)"
    r"|(?:权限不够|没有那个文件|找不到命令|未找到命令|拒绝访问|段错误|磁盘空间不足|内存不足)"
)
_LIKELY: Final = re.compile(
    r"(?i:\berror|\bfail(?:ed|ure|s)?\b|\bfatal\b|\bcannot\b|\bcan't\b|\bcould not\b|\bunable to\b"
    r"|\binvalid\b|\bdenied\b|\bnot found\b|\bmissing\b|\brefused\b|\bexception\b|\baborted\b"
    r"|\bunknown\b|\bunexpected\b|\bconflict)"
    r"|错误|失败|异常|无法|不存在|未找到|找不到|超时|拒绝|崩溃|出错|报错|不能|缺少|非法"
)
_NONE: Final = re.compile(
    r"(?i)\b(?:no|0|without|zero) (?:\w+ )?(?:error|failure|exception|warning)s?\b"
    r"|没有错误|无错误|0 个错误"
)


def complaints(seen: Seen, most: int = 4, *, last: bool = True) -> tuple[str, ...]:
    """Return the lines that complain, first ones first; or the `last` of a call that failed."""
    found = list(_matching(seen.lines, _SURE, most))
    if seen.failed and not found:
        found = list(_matching(seen.lines, _LIKELY, most))
    if seen.failed and last and not found:
        found = [clip(line) for line in seen.lines if line.strip()][-2:]
    return tuple(found)


def surely(line: str) -> bool:
    """Tell whether a line is a complaint wherever it stands."""
    return _SURE.search(line) is not None and _NONE.search(line) is None


def _matching(lines: Iterable[str], pattern: re.Pattern[str], most: int) -> Iterator[str]:
    shown: set[str] = set()
    for line in lines:
        match = pattern.search(line)
        if match is None or _NONE.search(line):
            continue
        text = clip(line, at=match.start())
        if text not in shown:
            shown.add(text)
            yield text
            if len(shown) == most:
                return


_RULE: Final = re.compile(r"[\s:=+|-]+")
_CELL_END: Final = re.compile(r"[|,\t;]")
_BAD: Final = word_set(
    "error failed failure fail critical crashloopbackoff imagepullbackoff errimagepull oomkilled"
    " evicted notready 错误 失败 异常 超时"
)
_EXITED: Final = re.compile(r"exited \([1-9]\d*\)")
# A head in capitals, such as CONTAINER ID, then at least one more behind a gap. Each part can end
# in one place only, so nothing is tried again.
_HEADS: Final = re.compile(r"[A-Z][A-Z0-9()%/_-]*+(?: [A-Z]++)*+ {2,}+[A-Z][A-Z0-9()%/_ -]*+$")
_GAP: Final = re.compile(r" {2,}")
_DELIMITERS: Final = ("\t", ",", ";")
_FEWEST: Final = 3  # lines that make a table of values between delimiters
_TRIED: Final = 20


def tell_table(seen: Seen) -> Told | None:
    """Return what a table says, or None if it is none."""
    lines = [line for line in seen.lines if line.strip()]
    if len(lines) < _FEWEST:
        return None
    ruled = next((at for at, line in enumerate(lines[:6]) if _is_rule(line)), None)
    if ruled is not None:
        return _drawn(lines, ruled, seen)
    return _aligned(lines, seen) or _delimited(lines, seen)


def _is_rule(line: str) -> bool:
    """Tell whether a line is drawn between a head and its rows, with more than one column."""
    return "--" in line and ("|" in line or "+" in line) and _RULE.fullmatch(line) is not None


def _drawn(lines: Sequence[str], ruled: int, seen: Seen) -> Told | None:
    above = ruled - 1 if ruled else 1
    header = lines[above]
    rows = [
        line
        for place, line in enumerate(lines)
        if "|" in line and place != above and not _is_rule(line)
    ]
    if "|" not in header:
        return None
    names = [cell.strip() for cell in header.strip().strip("|").split("|")]
    return _told(names, rows, seen)


def _aligned(lines: Sequence[str], seen: Seen) -> Told | None:
    """Tell columns that stand under heads in capitals, as `kubectl get` and `docker ps` print."""
    rows = lines[1:_FEWEST]
    if not _HEADS.match(lines[0]) or not all(_GAP.search(row.strip()) for row in rows):
        return None
    return _told(_GAP.split(lines[0].strip()), lines[1:], seen)


def _delimited(lines: Sequence[str], seen: Seen) -> Told | None:
    for mark in _DELIMITERS:
        cells = [len(_split(line, mark)) for line in lines[:_TRIED]]
        if cells[0] > 1 and len(set(cells)) == 1 and _is_head(_split(lines[0], mark)):
            return _told(_split(lines[0], mark), lines[1:], seen)
    return None


def _is_head(names: Sequence[str]) -> bool:
    """Tell whether cells can be the names of columns: short, no sentence, no number or time."""
    names = [name.strip() for name in names]
    return all(0 < len(name) <= 60 and name[-1] not in ".。{;" for name in names) and not any(
        name[0].isdecimal() for name in names
    )


def _split(line: str, mark: str) -> list[str]:
    """Return the cells of a line; a mark between quotes parts nothing."""
    return next(csv.reader([line], delimiter=mark), [""])


def _tells_error(row: str) -> bool:
    """Tell whether a cell of a row says nothing but that something is wrong."""
    cells = (cell.strip().lower() for cell in _CELL_END.split(_GAP.sub("|", row)))
    return any(cell in _BAD or _EXITED.match(cell) for cell in cells)


def _told(names: Sequence[str], rows: Sequence[str], seen: Seen) -> Told:
    bad = [clip(row) for row in rows if _tells_error(row)]
    head = f"table of {counted(len(rows), 'row', whole=seen.whole)}"
    about = [f"{head}, columns: {several(name.strip() for name in names)}"]
    about += [f"first: {clip(rows[0], 160)}"] if rows else []
    about += [f"last: {clip(rows[-1], 160)}"] if len(rows) > 1 else []
    return Told("table", failing=tuple(bad[:3]), about=tuple(about))


_LONG: Final = re.compile(
    r"^([-dlbcps])[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\S+\s+"
    r"(?:\d{4}-\d{2}-\d{2}|\S+\s+\d{1,2})\s+(?:\d{2}:\d{2}\S*(?: [+-]\d{4})?|\d{4})\s+(.+)$"
)
_DOS: Final = re.compile(
    r"^(?:\d{1,4}/\d{1,2}/\d{1,4}\s+\d{1,2}:\d{2}(?: [AP]M)?\s+(<\w+>|[\d,]+)"
    r"|([d-])[a-z-]{4,5}\s+\d{1,4}/\d{1,2}/\d{1,4}\s+\d{1,2}:\d{2}(?: [AP]M)?(?:\s+\d+)?)\s+(\S.*)$"
)
_TREE: Final = re.compile(r"[├└]── (.+)$|^[|`\s]+-- (.+)$")
_TOTAL: Final = re.compile(r"^\d+ director(?:y|ies), \d+ files?|^总(?:计|用量) \d|^total \d+")
_PATH: Final = re.compile(r"^(?:[.~]?/|[A-Za-z]:\\|[\w.@+-]+/)\S*$")
_NAME: Final = re.compile(r"^\.{0,2}[\w@+-][\w.@+-]*[/*@]?$|^\.{1,2}/?$")
_HIT: Final = re.compile(r"^((?:[A-Za-z]:)?[^\s:]{1,300}):\d+:")
_HITS: Final = 0.8  # of the lines that a search prints
_TRIED_LINES: Final = 8  # lines among which there is an entry, if it is a listing


def tell_listing(seen: Seen) -> Told | None:
    """Return what a listing says, or None if it is none."""
    lines = [line.rstrip() for line in seen.lines if line.strip()]
    if any(map(_HIT.match, lines[:_TRIED_LINES])):
        return _search(lines, seen)
    if not any(map(_is_entry, lines[:_TRIED_LINES])):
        return None
    bad = [line for line in lines if not _is_entry(line) and surely(line)]
    rest = [line for line in lines if line not in bad] if bad else lines
    names = _long(rest) or _dos(rest) or _tree(rest) or _paths(rest)
    if not names:
        return None
    failing = tuple(clip(line) for line in bad[:2])
    said = [clip(line) for line in rest if _TOTAL.match(line)]
    about = [f"listing of {counted(len(names), 'name', whole=seen.whole)}: {several(names, 400)}"]
    return Told("listing", failing=failing, about=(*said[-1:], *about))


def _search(lines: Sequence[str], seen: Seen) -> Told | None:
    hits = [match for line in lines if (match := _HIT.match(line))]
    if len(hits) < max(_FEWEST, _HITS * len(lines)):
        return None
    files = Counter(match[1] for match in hits)
    bad = [clip(line) for line in lines if not _HIT.match(line) and surely(line)]
    head = (
        f"search: {counted(len(hits), 'line', whole=seen.whole)} of {counted(len(files), 'file')}"
    )
    named = several(f"{name} {number}" for name, number in files.items())
    shown = (clip(hits[0].string, 160), clip(hits[-1].string, 160))
    return Told("search", failing=tuple(bad[:2]), about=(f"{head}: {named}", *shown))


def _is_entry(line: str) -> bool:
    return any(one.search(line) for one in (_NAME, _PATH, _LONG, _TREE, _DOS))


def _long(lines: Sequence[str]) -> list[str]:
    found = [match for line in lines if (match := _LONG.match(line))]
    if not found or len(found) < len(lines) - 3 - sum(line.endswith(":") for line in lines):
        return []
    return [match[2] + ("/" if match[1] == "d" else "") for match in found]


def _dos(lines: Sequence[str]) -> list[str]:
    found = [match for line in lines if (match := _DOS.match(line))]
    names = [(m[3], m[1] == "<DIR>" or m[2] == "d") for m in found if m[3] not in (".", "..")]
    return [name + ("/" if folder else "") for name, folder in names]


def _tree(lines: Sequence[str]) -> list[str]:
    found = [match for line in lines if (match := _TREE.search(line))]
    if len(found) < _FEWEST - 1 or len(found) < len(lines) // 2:
        return []
    return [match[1] or match[2] for match in found]


def _paths(lines: Sequence[str]) -> list[str]:
    """Return paths or bare names, one a line and nothing else."""
    if len(lines) < _FEWEST:
        return []
    if all(map(_PATH.match, lines)):
        return list(lines)
    named = [line for line in lines if _NAME.match(line) or _PATH.match(line)]
    marked = [line for line in lines if "." in line or line.endswith("/")]
    return list(lines) if len(named) == len(lines) and 2 * len(marked) >= len(lines) else []


_TIME: Final = re.compile(
    r"^\W{0,3}(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?[T ]?\s?\d{0,2}:?\d{0,2}(?::\d{2})?"
    r"|\d{1,2}:\d{2}:\d{2}|[A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}:\d{2}|\d{10,13}(?:\.\d+)?\b)"
    r"|\[\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2}|^time=|^\{?\"?ts\"?[:=]"
)
_LEVEL: Final = re.compile(
    r"\b(FATAL|CRITICAL|CRIT|ERROR|ERR|SEVERE|WARNING|WARN|INFO|NOTICE|DEBUG|TRACE)\b"
    r"|\blevel=\"?(fatal|panic|error|warning|warn|info|debug|trace)"
    r"|[\[【<](fatal|critical|error|warning|warn|info|debug|trace|严重|错误|警告|信息|调试)[\]】>]"
    r"|^([EWIF])\d{4} \d{2}:\d{2}|(?:^|\s)(严重|错误|警告|信息|调试)(?=[\s:：|-])"
)
_NAMES: Final = {
    **dict.fromkeys(("fatal", "critical", "crit", "severe", "panic", "f", "严重"), "fatal"),
    **dict.fromkeys(("error", "err", "e", "错误"), "error"),
    **dict.fromkeys(("warning", "warn", "w", "警告"), "warning"),
    **dict.fromkeys(("info", "notice", "i", "信息"), "info"),
    **dict.fromkeys(("debug", "trace", "调试"), "debug"),
}
_SMALL: Final = re.compile(r"\s(fatal|critical|error|warning|warn|info|debug|trace):?\s")
"""A level in small letters, which only counts behind a time."""
_HTTP: Final = re.compile(r'" (5\d\d) ')
_WORST: Final = ("fatal", "error")
_SHARE: Final = 0.4  # of the lines that have a time or a level


def tell_log(seen: Seen) -> Told | None:
    """Return what a log says, or None if it is none."""
    lines = [line for line in seen.lines if line.strip()]
    timed = [line for line in lines if _TIME.search(line[:120])]
    by_level: dict[str, list[str]] = {}
    for line in lines:
        if level := _level(line):
            by_level.setdefault(level, []).append(line)
    counts = {level: len(found) for level, found in by_level.items()}
    marked = max(len(timed), sum(counts.values()))
    if marked < 2 or marked < _SHARE * len(lines):
        return None
    bad = [line for level in _WORST for line in by_level.get(level, ())]
    bad = bad or [line for line in lines if surely(line)]
    failing = [clip(line, 300) for line in (*bad[:2], *bad[2:][-1:])]
    if not failing:
        failing += [clip(line, 300) for line in by_level.get("warning", ())[:1]]
    plus = "" if seen.whole else "+"
    named = [name for name in dict.fromkeys(_NAMES.values()) if name in counts]
    figures = ", ".join(f"{name} {counts[name]:,}{plus}" for name in named)
    about = [f"log of {seen.length}" + (f": {figures}" if figures else "")]
    if timed:
        about.append(f"last: {clip(timed[-1], 200)}")
    return Told("log", failing=tuple(dict.fromkeys(failing)), about=tuple(about))


def _level(line: str) -> str | None:
    match = _LEVEL.search(line[:200])
    if match is None and _TIME.search(line[:120]):
        match = _SMALL.search(line[:60])
    if match is not None:
        return _NAMES[next(group for group in match.groups() if group).lower()]
    return "error" if _HTTP.search(line) else None


_SHORT: Final = 300  # characters of JSON that are told by themselves
_ERROR_KEYS: Final = word_set(
    "error errors err errmsg error_message error_msg error_description exception fault faultstring"
    " failure failures failed traceback stderr 错误 错误信息 错误码 异常 失败原因 报错"
)
_WORDS: Final = word_set("message msg detail details reason title description 信息 消息 原因 提示")
_CODES: Final = word_set("code status status_code statuscode errcode ret retcode 状态 状态码")
_BAD_VALUES: Final = word_set("error errors failed failure fail fatal 失败 错误 异常")
_NOTHING: Final[tuple[Any, ...]] = (None, "", 0, False, [], {})
_DEEP: Final = 6
_STATES: Final = 6  # different ones, with more a field tells no states
_STATE_NAMES: Final = ("status", "phase", "state", "conclusion", "result", "health")
_BEGIN: Final = re.compile(
    r'[{[]\s*(?:\{\s*)?"[^"\n]{1,80}"\s*:|\[\s*(?:-?\d[\d.]*|"[^"\n]{0,200}"|\[[^\]\n]{0,200}\])\s*,'
)
"""How JSON begins, and neither a log nor a list in brackets of anything else."""
_PINO_ERROR: Final = 50  # the level from which on pino and bunyan tell of errors


def tell_json(seen: Seen) -> Told | None:
    """Return what JSON says, or None if it is none."""
    text = seen.text.strip()
    if text[:1] not in "{[" or not text:
        return None
    if not seen.whole:
        return _unread(seen)
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except ValueError as error:
        return _broken(seen, str(error)) if _BEGIN.match(text) else None
    except RecursionError:
        return None
    if not isinstance(value, dict | list):
        return None
    rest = text[end:].strip()
    if rest:
        return _lines(seen) if rest[:1] in "{[" else None
    failing = tuple(dict.fromkeys(_errors(value)))[:3]
    if len(text) <= _SHORT and "\n" not in text:
        return Told("JSON", about=(text,))
    return Told("JSON", failing=failing, about=(*_states(value), *_shape(value)))


def _broken(seen: Seen, error: str) -> Told:
    """Tell JSON that breaks off or is not quite JSON: where, how it begins and how it ends."""
    failing = (f"JSON that cannot be read: {error}", *complaints(seen, 2, last=False))
    about = (f"{seen.length} of it", clip(seen.lines[0]), clip(seen.lines[-1]))
    return Told("JSON", failing=failing, about=about)


def _lines(seen: Seen) -> Told | None:
    values = []
    for line in seen.lines:
        try:
            values.append(json.loads(line)) if line.strip() else None
        except (ValueError, RecursionError):
            return None
    failing = tuple(dict.fromkeys(error for one in values for error in _errors(one, 1)))
    about = [
        f"{counted(len(values), 'line')} of JSON",
        clip(_flat(values[0])),
        clip(_flat(values[-1])),
    ]
    return Told("JSON lines", failing=failing[:3], about=tuple(about))


def _unread(seen: Seen) -> Told | None:
    """Tell large JSON by its beginning and its end."""
    head = seen.lines[0]
    if not _BEGIN.match(seen.text.lstrip()):
        return None
    marks = ('"error"', '"errors"', '"exception"', '"错误"', '"message"')
    failing = [
        clip(line, at=place)
        for line in seen.lines
        for mark in marks[:4]
        if (place := line.find(mark)) >= 0
    ]
    about = (f"JSON of {seen.length}, too large to be read whole", clip(head))
    return Told("JSON", failing=tuple(dict.fromkeys(failing))[:3], about=about)


def _errors(value: Any, deep: int = 0) -> Iterator[str]:
    if deep > _DEEP:
        return
    if isinstance(value, Mapping):
        bad = _is_bad(value)
        if bad and deep and len(whole := _flat(value)) <= _SHORT:
            yield whole
            return
        for key, item in value.items():
            name = str(key).lower().lstrip("@")
            telling = name in _ERROR_KEYS or (bad and name in _WORDS | _CODES)
            if telling and item not in _NOTHING:
                yield clip(f"{key}: {_flat(item)}", 400)
        for item in value.values():
            yield from _errors(item, deep + 1)
    elif isinstance(value, list):
        for item in value[:200]:
            yield from _errors(item, deep + 1)


def _is_bad(value: Mapping[Any, Any]) -> bool:
    if "loc" in value and "msg" in value:  # of FastAPI and pydantic
        return True
    for key, item in value.items():
        name = str(key).lower().lstrip("@")
        if name == "level" and isinstance(item, int) and item >= _PINO_ERROR:
            return True
        if name in ("ok", "success", "succeeded", "成功") and item is False:
            return True
        told = name in ("status", "level", "type", "result", "state", "状态", "结果")
        if told and isinstance(item, str) and item.lower() in _BAD_VALUES:
            return True
        if name in _CODES and isinstance(item, int) and (item >= 400 or item < 0):
            return True
    return False


def _shape(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        kinds = sorted({_kind(one) for one in value})
        yield f"JSON array of {counted(len(value), ' or '.join(kinds) or 'item')}"
        if value and isinstance(value[0], Mapping):
            yield f"keys: {several(map(str, value[0]))}"
        if value:
            yield f"first: {clip(_flat(value[0]))}"
        if len(value) > 1:
            yield f"last: {clip(_flat(value[-1]))}"
        return
    yield f"JSON object of {counted(len(value), 'key')}: {several(map(str, value))}"
    scalars = [f"{key}: {_flat(item)}" for key, item in value.items() if not _is_nested(item)]
    if scalars:
        yield several(clip(one, 80) for one in scalars)
    nested = [f"{key}: {_size(item)}" for key, item in value.items() if _is_nested(item)]
    if nested:
        yield several(clip(one, 160) for one in nested)


def _states(value: Any) -> Iterator[str]:
    """Yield how many of the objects of a list are in which state, and which are in a rare one."""
    lists = [value] if isinstance(value, list) else [*value.values()]
    for items in (one for one in lists if isinstance(one, list) and len(one) > 1):
        found = [(state, item) for item in items if (state := _state(item))]
        counts = Counter(state for state, _ in found)
        if 1 < len(counts) <= _STATES and len(found) > len(counts):
            (usual, _), *_ = counts.most_common(1)
            rare = (f"{_called(item)} {state}" for state, item in found if state != usual)
            tally = (f"{count} {state}" for state, count in counts.most_common())
            yield clip(f"{', '.join(tally)}: {several(rare)}")


def _state(item: Any, deep: bool = True) -> str:
    """Return the state that an object says it is in, itself or one step deeper."""
    if not isinstance(item, Mapping):
        return ""
    for name in _STATE_NAMES:
        told = item.get(name)
        if isinstance(told, str):
            return told
        if deep and (state := _state(told, deep=False)):
            return state
    return ""


def _called(item: Mapping[str, Any]) -> str:
    for held in (item, item.get("metadata")):
        for name in ("name", "id", "title") if isinstance(held, Mapping) else ():
            if isinstance(held, Mapping) and isinstance(told := held.get(name), str | int):
                return str(told)
    return clip(_flat(item), 40)


def _size(value: Any) -> str:
    if isinstance(value, list):
        first = f" ({clip(_flat(value[0]), 60)} …)" if value else ""
        return f"{counted(len(value), 'item')}{first}"
    return clip(_flat(value), 100)


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "object"
    names = {str: "text", bool: "boolean", int: "number", float: "number", list: "array"}
    return names.get(type(value), "null")


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
