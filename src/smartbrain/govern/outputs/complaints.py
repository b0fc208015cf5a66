"""Lines that say that something went wrong, in any output: shells, programs, English and Chinese.

In: lines. Out: those that complain, with the place of the complaint. `sure` ones are complaints
wherever they stand; `likely` ones only count where the call is known to have failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from smartbrain.govern.outputs.seen import Seen, clip
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
_STEMS: Final = sorted(
    word_set(
        "error exception panic fault fatal critical fail abort err! e: reject found such denied"
        " dumped connection resolve space memory timed permitted recogni cannot can't syntax"
        " repository conflict invalid illegal unknown missing killed terminated applied could"
        " unable refused unexpected already *** 错误 失败 异常 出错 报错 致命 超时 拒绝 权限 文件"
        " 命令 不足 无法 不存在 找不到 未找到 崩溃 不能 缺少 非法"
    )
)
"""What every complaint holds, in small letters: looking for these is fifty times as quick."""
_NONE: Final = re.compile(
    r"(?i)\b(?:no|0|without|zero) (?:\w+ )?(?:error|failure|exception|warning)s?\b"
    r"|没有错误|无错误|0 个错误"
)


def complaints(seen: Seen, most: int = 4, *, last: bool = True) -> tuple[str, ...]:
    """Return the lines that complain, first ones first; or the `last` of a call that failed."""
    lines = seen.lines if may_complain(seen.text) else ()
    found = list(_matching(lines, _SURE, most))
    if seen.failed and not found:
        found = list(_matching(lines, _LIKELY, most))
    if seen.failed and last and not found:
        found = [clip(line) for line in seen.lines if line.strip()][-2:]
    return tuple(found)


def surely(line: str) -> bool:
    """Tell whether a line is a complaint wherever it stands."""
    return may_complain(line) and _SURE.search(line) is not None and _NONE.search(line) is None


def may_complain(text: str) -> bool:
    """Tell whether it is worth looking closer at a text."""
    lowered = text.lower()
    return any(stem in lowered for stem in _STEMS)


def _matching(lines: Iterable[str], pattern: re.Pattern[str], most: int) -> Iterator[str]:
    """Yield the lines that match, each text once."""
    shown: set[str] = set()
    for line in lines:
        match = pattern.search(line) if may_complain(line) else None
        if match is None or _NONE.search(line):
            continue
        text = clip(line, at=match.start())
        if text not in shown:
            shown.add(text)
            yield text
            if len(shown) == most:
                return
