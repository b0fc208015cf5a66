"""JSON: an error that it tells of, its keys and first values, how many items it has.

In: one JSON value, one a line, or one that begins after other text. Out: error fields first, then
the shape. What is too large to be read is told by its beginning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from smartbrain.govern.outputs.complaints import complaints
from smartbrain.govern.outputs.seen import Seen, Told, clip, counted, several
from smartbrain.text.word_list import word_set

_SHORT: Final = 300  # characters of JSON that are told by themselves
_ERROR_KEYS: Final = word_set(
    "error errors err errmsg error_message error_msg error_description exception fault faultstring"
    " failure failures failed traceback stderr 错误 错误信息 错误码 异常 失败原因 报错"
)
_WORDS: Final = word_set("message msg detail details reason title description 信息 消息 原因 提示")
_CODES: Final = word_set("code status status_code statuscode errcode ret retcode 状态 状态码")
_BAD: Final = word_set("error errors failed failure fail fatal 失败 错误 异常")
_NOTHING: Final[tuple[Any, ...]] = (None, "", 0, False, [], {})
_DEEP: Final = 6
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
    return Told("JSON", failing=failing, about=tuple(_shape(value)))


def _broken(seen: Seen, error: str) -> Told:
    """Tell JSON that breaks off or is not quite JSON: where, how it begins and how it ends."""
    failing = (f"JSON that cannot be read: {error}", *complaints(seen, 2, last=False))
    about = (f"{seen.length} of it", clip(seen.lines[0]), clip(seen.lines[-1]))
    return Told("JSON", failing=failing, about=about)


def _lines(seen: Seen) -> Told | None:
    """Return what JSON of one value a line says."""
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
    """Yield the errors that a value tells of, outermost first."""
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
    """Tell whether an object says of itself that something failed."""
    if "loc" in value and "msg" in value:  # of FastAPI and pydantic
        return True
    for key, item in value.items():
        name = str(key).lower().lstrip("@")
        if name == "level" and isinstance(item, int) and item >= _PINO_ERROR:
            return True
        if name in ("ok", "success", "succeeded", "成功") and item is False:
            return True
        told = name in ("status", "level", "type", "result", "state", "状态", "结果")
        if told and isinstance(item, str) and item.lower() in _BAD:
            return True
        if name in _CODES and isinstance(item, int) and (item >= 400 or item < 0):
            return True
    return False


def _shape(value: Any) -> Iterator[str]:
    """Yield how a value is built and what it begins with."""
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


def _size(value: Any) -> str:
    """Return what a nested value holds."""
    if isinstance(value, list):
        first = f" ({clip(_flat(value[0]), 60)} …)" if value else ""
        return f"{counted(len(value), 'item')}{first}"
    return clip(_flat(value), 100)


def _kind(value: Any) -> str:
    """Return the name of a value's kind."""
    if isinstance(value, Mapping):
        return "object"
    names = {str: "text", bool: "boolean", int: "number", float: "number", list: "array"}
    return names.get(type(value), "null")


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _flat(value: Any) -> str:
    """Return a value on one line."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
