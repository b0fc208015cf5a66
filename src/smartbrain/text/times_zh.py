"""What Chinese words say about time, as rules from words to pieces of a time.

In: text in simplified characters and ASCII digits, as `times` prepares it. Out: `RULES_ZH`. A rule
reads one expression; putting a date, a part of the day and a time of day together, and reading
"from … to …", is done for both languages in `times`. Lists of characters that must not stand
beside a word keep it from being found where it is a piece of other words.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial
from typing import Final

from smartbrain.text.pattern import pattern
from smartbrain.text.times_calendar import (
    AFTERNOON,
    DAY,
    DUSK,
    EVENING,
    FORENOON,
    HOUR,
    MINUTE,
    MONTH,
    MORNING,
    NIGHT,
    NOON,
    NUMERALS,
    QUARTER,
    SMALL_HOURS,
    STEPS,
    WEEK,
    YEAR,
    Amount,
    Clock,
    Period,
    Piece,
    Reader,
    Rule,
    chinese_number,
    day_of_week,
    days_of,
    distant,
    half_of,
    is_year,
    month_reader,
    part_of,
    quarter_of,
    recent,
    repeated,
    season_of,
    stretch,
    unit_period,
    weekend,
    year_of,
)

_FEW: Final = 3
_HOURS, _NOON, _MINUTES = 24, 12, 60
_FREE: Final = r"(?<![0-9A-Za-z.])"  # what stands before a number that is not part of a longer one
_NUMBER: Final = rf"(?P<number>{_FREE}[0-9]{{1,4}}|[{NUMERALS}]{{1,7}}|(?<![十百千])[几数半])"
_UNITS: Final = {
    "分钟": MINUTE,
    "小时": HOUR,
    "钟头": HOUR,
    "天": DAY,
    "日": DAY,
    "周": WEEK,
    "星期": WEEK,
    "礼拜": WEEK,
    "月": MONTH,
    "季度": QUARTER,
    "年": YEAR,
}
_AMOUNT: Final = (
    rf"{_NUMBER}\s?(?P<each>个)?(?P<more>半)?\s?"
    rf"(?P<unit>{'|'.join(_UNITS)})(?P<extra>半)?"
)
_WEEKDAY: Final = (
    r"(?P<weekday>一(?!直|起|共|些|样|般|定|边|同|下(?!午|班|课))|[二三五六1-6]|四(?!川)"
    r"|日(?!本|语|元|常|程|志|报)|(?<!周)天(?!气|天))"
    r"(?![百千万次遍回个场篇]|小时|节课|天(?!气))"
)
_MONTH_PART: Final = r"月?(?P<month_part>初|底|末)|(?P<ten_days>[上中下])旬"
_DAY_NUMBER: Final = rf"[0-9]{{1,2}}|[{NUMERALS}]{{1,3}}"
_DAY: Final = (
    rf"\s?(?:(?P<day>{_DAY_NUMBER})\s?(?:[日号]?\s?[-~到至]\s?(?P<last_day>{_DAY_NUMBER})\s?)?"
    rf"[日号]|{_MONTH_PART})"
)
_NOT_MONTH: Final = "(?![亮球经薪饼台租供票])"
_MONTH: Final = (
    rf"(?P<month>{_FREE}[0-9]{{1,2}}|十[一二]?|[一二三四五六七八九])\s?月{_NOT_MONTH}份?"
    rf"|(?P<month_away>上上|下下|上|下|这|本)一?个?月{_NOT_MONTH}份?"
)
_IN_YEAR: Final = (
    r"第?(?P<quarter>[一二三四1-4])季度|[Qq](?P<q>[1-4])(?![0-9A-Za-z])|(?P<half>[上下])半年"
    r"|(?P<season>[春夏秋冬])[天季]|年?(?P<year_part>[初底末](?![一二三四五六七八九十])|(?<=年)中(?![国文学心华秋间午东]))"
)
_DAYS_AWAY: Final = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_YEARS_AWAY: Final = {"大前": -3, "前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2, "大后": 3}
_AWAY: Final = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_MONTH_PARTS: Final = {"初": "start", "底": "end", "末": "end"}
_YEAR_PARTS: Final = {**_MONTH_PARTS, "中": "mid"}
_TEN_DAYS: Final = {"上": "early", "中": "mid", "下": "late"}
_WEEKDAYS: Final = dict(zip("一二三四五六日天123456", (*range(7), 6, *range(6)), strict=True))
_WAYS: Final = {
    "前": (distant, -1),
    "后": (distant, 1),
    "过": (distant, 1),
    "内": (stretch, 1),
    "未来": (stretch, 1),
    "接下来": (stretch, 1),
    "今后": (stretch, 1),
    "往后": (stretch, 1),
}
_PARTS: Final = {
    "凌晨": SMALL_HOURS,
    "清晨": MORNING,
    "早晨": MORNING,
    "早上": MORNING,
    "早": MORNING,
    "晨": MORNING,
    "上午": FORENOON,
    "中午": NOON,
    "下午": AFTERNOON,
    "午后": AFTERNOON,
    "傍晚": DUSK,
    "晚上": EVENING,
    "晚": EVENING,
    "夜里": NIGHT,
    "深夜": NIGHT,
    "半夜": NIGHT,
    "夜": NIGHT,
}
# 上班, 上课 and the like begin where 早上 and 晚上 seem to end.
_LONG_PART: Final = r"早上(?![班课学])|晚上(?![班课学网传线映海])"
_NOT_TIMES: Final = (
    r"(?!建议|要求|原因|理由|意见|意思|内容|说明|问题|注意|好处|[钱击评赞心滴儿都也不没点])"
)


def _amount(found: re.Match[str]) -> Amount | None:
    """Return so many units; months are counted with 个, as 三月 is March."""
    unit = _UNITS[found["unit"]]
    written = found["number"]
    if unit is MONTH and not found["each"]:
        return None
    if written == "半":
        return Amount(1, unit)
    number = _FEW if written in "几数" else chinese_number(written)
    if number is None or (unit is YEAR and len(written) == 4 and is_year(number)):
        return None
    return Amount(2 * number + bool(found["more"] or found["extra"]), unit)


def _counted(found: re.Match[str]) -> Piece | None:
    amount = _amount(found)
    if amount is None:
        return None
    reach, sign = _WAYS.get(found["way"], (stretch, -1))
    return Piece(lambda now: reach(amount, now, sign))


def _day(found: re.Match[str]) -> Piece:
    away = _DAYS_AWAY[found["day"]]
    part = _PARTS[found["part"]] if found["part"] else None
    return Piece(lambda now: unit_period(DAY, now, away), part)


def _week(found: re.Match[str]) -> Piece | None:
    weeks = _AWAY[found["away"] or "本"]
    bare = None if found["away"] else STEPS[WEEK]
    if found["weekday"]:
        weekday = _WEEKDAYS[found["weekday"]]
        return Piece(lambda now: day_of_week(now, weekday, weeks), bare=bare)
    if found["weekend"]:
        return Piece(lambda now: weekend(now, weeks))
    if bare:
        return None
    return Piece(lambda now: unit_period(WEEK, now, weeks))


def _calendar(found: re.Match[str]) -> Piece | None:
    """Read a year, a month or a day of it, or another part of it, each with or without a year."""
    groups = found.groupdict()
    if not any(groups.values()):
        return None
    written, word = groups["year"], groups["year_word"]
    number = chinese_number(written) if written else None
    if written and (number is None or not is_year(number)):
        return None

    def year(now: datetime) -> Period:
        return year_of(now, now.year + _YEARS_AWAY[word] if word else number)

    has_year = bool(written or word)
    if groups["month"] or groups["month_away"]:
        bare = STEPS[YEAR] if groups["month"] and not has_year else None
        return Piece(_month(groups, year if has_year else None), bare=bare)
    if not has_year and groups["year_part"] and not found[0].startswith("年"):
        return None
    season = bool(groups["season"] and not has_year)
    if season and found.string.endswith(("个", "每", "那年", *"0123456789"), 0, found.start()):
        return None
    bare = None if has_year or groups["year_part"] else STEPS[YEAR]
    return Piece(lambda now: _in_year(groups, year(now)), weak=season, bare=bare, asked=season)


def _month(groups: dict[str, str | None], year: Reader | None) -> Reader:
    away = _AWAY[groups.get("month_away") or "本"]
    whole: Reader = partial(unit_period, MONTH, away=away)
    if groups["month"]:
        whole = month_reader(chinese_number(groups["month"]) or 0, year)
    return lambda now: _in_month(groups, whole(now))


def _this_month(found: re.Match[str]) -> Piece:
    groups = found.groupdict()
    return Piece(lambda now: _in_month(groups, unit_period(MONTH, now)))


def _in_month(groups: dict[str, str | None], month: Period) -> Period:
    if day := groups.get("day"):
        last = groups["last_day"]
        # A number that cannot be read is no day of any month.
        return days_of(
            month, chinese_number(day) or 0, (chinese_number(last) or 0) if last else None
        )
    if groups["month_part"]:
        return part_of(month, _MONTH_PARTS[groups["month_part"]])
    return part_of(month, _TEN_DAYS[groups["ten_days"]]) if groups["ten_days"] else month


def _in_year(groups: dict[str, str | None], year: Period) -> Period:
    if quarter := groups["quarter"] or groups["q"]:
        return quarter_of(year, chinese_number(quarter) or 0)
    if groups["half"]:
        return half_of(year, "上下".index(groups["half"]) + 1)
    if groups["season"]:
        return season_of(year, "春夏秋冬".index(groups["season"]))
    if groups["year_part"]:
        return part_of(year, _YEAR_PARTS[groups["year_part"]])
    return year


def _quarter(found: re.Match[str]) -> Piece:
    away = _AWAY[found["away"]]
    return Piece(lambda now: unit_period(QUARTER, now, away))


def _every(found: re.Match[str]) -> Piece:
    if found["part"]:
        part = _PARTS[found["part"]]
        return Piece(lambda now: repeated(unit_period(DAY, now), STEPS[DAY]), part)
    if found["weekday"]:
        weekday = _WEEKDAYS[found["weekday"]]
        return Piece(lambda now: repeated(day_of_week(now, weekday), STEPS[WEEK]))
    if found["weekend"]:
        return Piece(lambda now: repeated(weekend(now), STEPS[WEEK]))
    unit = _UNITS[found["unit"]]
    if found["month"] is None and unit is not MONTH:
        return Piece(lambda now: repeated(unit_period(unit, now), STEPS[unit]))
    date = _month(found.groupdict(), year_of)
    return Piece(lambda now: repeated(date(now), STEPS[unit]))


def _clock(found: re.Match[str]) -> Piece | None:
    hour = chinese_number(found["hour"])
    first = chinese_number(found["first"]) if found["first"] else None
    minute = _minute(found)
    if hour is None or (found["first"] and first is None):
        return None
    if max(hour, first or 0) > _HOURS or (minute or 0) >= _MINUTES:
        return None
    if first is not None:
        return Piece(clock=Clock(first, None, first < _NOON, (hour, minute or 0)), weak=True)
    weak = minute is None and not found["whole"]
    return Piece(clock=Clock(hour, minute, hour < _NOON), weak=weak)


def _minute(found: re.Match[str]) -> int | None:
    if found["half"]:
        return 30
    if found["quarter"]:
        return 15 if found["quarter"] == "一" else 45
    minute = found["minute"] or found["bare_minute"]
    return chinese_number(minute.lstrip("零〇") or "零") if minute else None


_YEAR: Final = (
    rf"{_FREE}(?P<year>[0-9]{{4}}|[零〇一二三四五六七八九]{{4}})\s?年度?(?![级龄华代薪])"
    r"|(?P<year_word>大前|大后|(?<![以之目从])前|去|今|本|(?<![聪光透])明|(?<![以之然最今])后)年"
    r"(?![级龄华代薪轻])"
)
_PREFIX: Final = (
    r"(?:最近|(?<![最将接附亲靠临])近|过去|(?P<way>未来|接下来|今后|往后)"
    r"|(?:这|(?<![以之天年月])前)(?=[几两]))的?这?\s?"
)
_NUMBERS: Final = ("0", "一")

RULES_ZH: Final = (
    Rule(
        ("今", "昨", "明", "前", "后", "大"),
        pattern(
            r"(?P<day>大前|大后|今|昨|(?<![聪光透])明|(?<![以之目从])前|(?<![以之然最今])后)"
            rf"(?:天(?!性)|(?<=[今昨明])(?:日(?!头条)|(?P<part>{_LONG_PART}|[早晚晨夜])))"
        ),
        _day,
    ),
    Rule(
        ("上", "下", "这", "本", "周", "星", "礼"),
        pattern(
            r"(?:(?P<away>(?<![晚早马以])上{1,2}|(?<!以)下{1,2}|这|(?<!成)本)一?个?"
            rf"|(?<![{NUMERALS}0-9几每个第整半]))"
            rf"(?:周|星期|礼拜)(?:(?P<weekend>末)|{_WEEKDAY}|(?![期年边围转全刊]))"
        ),
        _week,
    ),
    Rule(
        (*_NUMBERS, *"去今本明前后大上下这月年第春夏秋冬"),
        pattern(
            r"(?=[^\n]{0,5}[年月季天])"
            rf"(?:{_YEAR})?(?:(?:\s?的?\s?)(?:{_IN_YEAR}|(?:{_MONTH})(?:{_DAY})?))?",
        ),
        _calendar,
    ),
    Rule(
        ("上", "下", "月"),
        pattern(rf"(?<![{NUMERALS}个0-9])(?=月|[上中下]旬)(?:{_MONTH_PART})"),
        _this_month,
    ),
    Rule(
        ("上", "下", "这", "本"),
        pattern(r"(?P<away>上上|下下|上|下|这|本)一?个?季度"),
        _quarter,
    ),
    Rule(
        (*_NUMBERS, *"几数半"),
        pattern(rf"{_AMOUNT}\s?[之以]?(?P<way>前(?![台端途面进者任])|后(?![台端面])|内(?!容))"),
        _counted,
    ),
    Rule(tuple("最近过未接今往前这"), pattern(rf"{_PREFIX}{_AMOUNT}(?:里|内(?!容))?"), _counted),
    Rule(
        ("过",),
        pattern(
            r"(?:(?<![\u4e00-\u9fff])|(?<=[再等我你他们就会要想那]))(?P<way>过)"
            rf"{_AMOUNT}(?![前内])(?:[之以]?后)?"
        ),
        _counted,
    ),
    Rule(
        ("最", "近", "这", "前"),
        pattern(
            r"(?<!距离)最近(?!的(?:一[家个]|地铁|车站|医院|餐|店|超市|公园|银行|机场|酒店|出口|路))"
            r"|近[期来日]|[这前]阵子|前一阵子?|[这前]段时间|前些天"
        ),
        lambda _: Piece(recent),
    ),
    Rule(
        ("每",),
        pattern(
            rf"每一?(?:(?P<part>[早晚])|逢?个?(?:周|星期|礼拜)(?:(?P<weekend>末)|{_WEEKDAY})"
            r"|个?(?P<unit>天|日|周|星期|礼拜|月|季度|年)"
            rf"(?:(?<=年)\s?(?P<month>{_DAY_NUMBER})\s?月份?)?(?:(?<=[月份]){_DAY})?)"
        ),
        _every,
    ),
    Rule(
        tuple("凌清早上中下午傍晚夜深半"),
        pattern(rf"凌晨|清晨|早晨|{_LONG_PART}|上午|中午|下午|午后|傍晚|夜里|深夜|半夜"),
        lambda found: Piece(part=_PARTS[found[0]], weak=True),
    ),
    Rule(
        _NUMBERS,
        pattern(
            rf"(?<![第0-9A-Za-z.:])(?:(?P<first>{_DAY_NUMBER})\s?[-~到至]\s?)?"
            rf"(?P<hour>{_DAY_NUMBER})\s?(?:点|(?<=[0-9\s])时(?![候间代期刻常尚段]))"
            r"(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<whole>[整钟])"
            rf"|\s?(?P<minute>[0-9]{{1,2}}|[{NUMERALS}]{{1,3}})\s?分"
            r"|(?P<bare_minute>[0-5][0-9](?![0-9])|[二三四五]?十[一二三四五六七八九]?"
            rf"|零[一二三四五六七八九])|{_NOT_TIMES})"
        ),
        _clock,
    ),
)
