"""How Chinese and English say times: rules from patterns to their readers.

In: text as `times` prepares it. Out: `RULES` and `RULES_ASKED`. A rule reads one expression;
putting dates, parts of the day and times of day together is done in `times`. Lists of characters
that must not stand beside a word keep it from being found as a piece of others.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from smartbrain.text.pattern import english, pattern
from smartbrain.text.times_calendar import (
    NUMERALS,
    STEPS,
    WEEK,
    Clock,
    Piece,
    Rule,
    day_of_week,
    last_hour,
    recent,
)
from smartbrain.text.times_dates import RULES_HOLIDAYS, YEAR_NUMBER, W
from smartbrain.text.times_read import (
    english_words,
    part_of_day,
    read_chinese_date,
    read_clock,
    read_counted,
    read_day,
    read_day_first,
    read_day_of_month,
    read_english_weekday,
    read_every,
    read_moment,
    read_named_month,
    read_ordinal,
    read_part_by_letter,
    read_plain,
    read_season,
    read_section,
    read_short_year,
    read_slashes,
    read_week,
    read_year_alone,
)

_DIGITS: Final = r"(?<![0-9A-Za-z.])"  # before a number in Chinese
_DAY_NUMBER: Final = rf"[0-9]{{1,2}}|[{NUMERALS}]{{1,3}}"
_AMOUNT_ZH: Final = (
    rf"(?P<count>{_DIGITS}[0-9]{{1,4}}|[{NUMERALS}]{{1,7}}|(?<![十百千])[几数半])\s?(?:个(?P<more>半)?\s?)?"
    r"(?P<unit>分钟|小时|钟头|天|日|周|星期|礼拜|(?<=[个半])月|季度|年)(?P<extra>半)?"
)
_WEEKDAY_ZH: Final = (
    r"(?P<weekday>一(?!直|起|共|些|样|般|定|边|同|下(?!午|班|课))|[二三五六1-6]|四(?!川)"
    r"|日(?!本|语|元|常|程|志|报)|(?<!周)天(?!气|天))"
    r"(?![百千万次遍回个场篇]|小时|节课|天(?!气))"
)
_REL_ZH: Final = r"(?P<rel>上上|下下|上|下|这|本)一?个?"
_DAY_ZH: Final = (
    rf"\s?(?:(?P<day>{_DAY_NUMBER})\s?(?:[日号]?\s?[-~到至]\s?(?P<last_day>{_DAY_NUMBER})\s?)?"
    r"[日号]|月?(?P<section>初|底|末)|(?P<ten_days>[上中下])旬)"
)
_NOT_MONTH: Final = "(?![亮球经薪饼台租供票])"
_MONTH_ZH: Final = (
    rf"(?P<month>{_DIGITS}[0-9]{{1,2}}|十[一二]?|[一二三四五六七八九])\s?月{_NOT_MONTH}份?"
    rf"|{_REL_ZH}(?P<unit>月){_NOT_MONTH}份?"
)
_IN_YEAR_ZH: Final = (
    r"第?(?P<quarter>[一二三四1-4])季度|[Qq](?P<q>[1-4])(?![0-9A-Za-z])|(?P<half>[上下])半年"
    r"|(?P<season>[春夏秋冬])[天季]|年?(?P<year_part>[初底末](?![一二三四五六七八九十])|(?<=年)中(?![国文学心华秋间午东]))"
)
_YEAR_ZH: Final = (
    rf"{_DIGITS}(?P<year>(?:19|20|21)[0-9]{{2}}|(?:一九|二[零〇一])[零〇一二三四五六七八九]{{2}})\s?年度?(?![级龄华代薪])"
    r"|(?P<year_word>大前|大后|(?<![以之目从])前|去|今|本|(?<![聪光透])明|(?<![以之然最今])后)年"
    r"(?![级龄华代薪轻])"
)
# 上班, 上课 and the like begin where 早上 and 晚上 seem to end.
_LONG_PART: Final = r"早上(?![班课学])|晚上(?![班课学网传线映海])"
_PREFIX_ZH: Final = (
    r"(?:最近|(?<![最将接附亲靠临])近|过去|(?P<way>未来|接下来|今后|往后)"
    r"|(?:这|(?<![以之天年月])前)(?=[几两]))的?这?\s?"
)
_NO_HOUR: Final = (
    r"(?!建议|要求|原因|理由|意见|意思|内容|说明|问题|注意|好处|[钱击评赞心滴儿都也不没点])"
)

_FREE: Final = r"(?<![\w.:/$#+])"  # before a number that is not part of a longer one
_ENGLISH_NUMBERS: Final = english_words("_NUMBERS")
_ENGLISH_MONTHS: Final = english_words("_MONTHS")
_UNIT: Final = r"(?P<unit>min|hour|day|week|month|quarter|year)(?:ute)?s?(?![\w-])"
_AMOUNT: Final = (
    rf"(?P<half>half{W})?(?:a{W}(?=couple|few|hundred))?"
    rf"(?P<count>(?<![\w.:/$#-])[0-9]{{1,4}}|(?<!-)(?:{'|'.join(_ENGLISH_NUMBERS)}))"
    rf"(?:(?<=couple){W}of)?{W}{_UNIT}(?P<more>{W}and{W}a{W}half(?!\w))?"
)
_LONG_DAYS: Final = tuple(
    f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
)
_WEEKDAY: Final = (
    r"(?<!black\s)(?<!good\s)(?<!cyber\s)(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?"
    r"|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
_WEEKDAY_STARTS: Final = (
    *(day[:3] for day in _LONG_DAYS),
    *("tues", "thur", "thurs"),
    *(f"{day}{plural}" for day in _LONG_DAYS for plural in ("", "s")),
)
_ENGLISH_PARTS: Final = ("morning", "afternoon", "evening", "night")
_PART: Final = rf"(?P<part>{'|'.join(_ENGLISH_PARTS)})(?![\w-])"
_LONG_UNIT: Final = "(?P<weekend>weekend)|(?P<unit>week|month|quarter|year)"
_ENGLISH_SEASONS: Final = english_words("_SEASONS")
_SEASON: Final = rf"(?P<season>{'|'.join(_ENGLISH_SEASONS)})"
_NOT_COUNTED: Final = (
    rf"(?![\w:%/-]|[.,][0-9]|{W}(?!(?:i|wa|ha|a|thi)s\b)[a-z]+s\b|\s?(?:[ap]\.?m\b|o'clock))"
)
_MONTH: Final = (
    rf"(?P<month>{'|'.join(_ENGLISH_MONTHS)})(?!\w)"
    r"(?:(?<!may)|(?!\s(?:be|have|not|also|well)\b))"
    # The stop of an abbreviation, not that of a sentence.
    r"(?:(?:(?<![a-z]{4})|(?<=sept))\.(?=\s[0-9]))?"
)
_YEAR_END: Final = r"(?![\w%]|[.,:/-][0-9])"
_YEAR: Final = rf"(?P<year>{YEAR_NUMBER}){_YEAR_END}"
_OF_YEAR: Final = (
    rf"(?:,?{W}(?:of{W})?{_YEAR}|{W}(?:of{W})?(?P<year_word>last|this|next){W}year(?!\w))?"
)
_DAY: Final = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_DAY_END: Final = r"(?![\w/%]|[.,:][0-9]|\s?[ap]\.?m(?!\w))"
_TO: Final = rf"(?:\s?-\s?|{W}(?:to|through|until){W})"
_RELATIVE: Final = ("last", "this", "next", "previous")
_DIGIT: Final = ("0",)
_NUMERAL: Final = ("0", "一")


_RULES_ZH: Final = (
    Rule(
        tuple("今昨明前后大"),
        pattern(
            r"(?P<near>大前|大后|今|昨|(?<![聪光透])明|(?<![以之目从])前|(?<![以之然最今])后)"
            rf"(?:天(?!性)|(?<=[今昨明])(?:日(?!头条)|(?=[早晚晨夜]))|(?=晚(?!会)))"
            rf"(?P<part>(?<![天日])(?:{_LONG_PART}|[早晚晨夜]))?"
        ),
        read_day,
    ),
    Rule(
        tuple("上下这本周星礼"),
        pattern(
            r"(?:(?P<week>(?<![晚早马以])上{1,2}|(?<!以)下{1,2}|这|(?<!成)本)一?个?"
            rf"|(?<![{NUMERALS}0-9几每个第整半]))"
            rf"(?:周|星期|礼拜)(?:(?P<weekend>末)|{_WEEKDAY_ZH}|(?![期年边围转全刊]))"
        ),
        read_week,
    ),
    Rule(
        (*_NUMERAL, *"去今本明前后大上下这月年第春夏秋冬"),
        pattern(
            r"(?=[^\n]{0,5}[年月季天])"
            rf"(?:{_YEAR_ZH})?(?:(?:\s?的?\s?)(?:{_IN_YEAR_ZH}|(?:{_MONTH_ZH})(?:{_DAY_ZH})?))?",
        ),
        read_chinese_date,
    ),
    Rule(
        tuple("上下月"),
        pattern(
            rf"(?<![{NUMERALS}个0-9])(?:(?P<unit>月)(?P<section>[初底末])|(?P<ten_days>[上中下])旬)"
        ),
        read_plain,
    ),
    Rule(tuple("上下这本"), pattern(rf"{_REL_ZH}(?P<unit>季度)"), read_plain),
    Rule(
        (*_NUMERAL, *"几数半"),
        pattern(rf"{_AMOUNT_ZH}\s?[之以]?(?P<way>前(?![台端途面进者任])|后(?![台端面])|内(?!容))"),
        read_counted,
    ),
    Rule(
        tuple("最近过未接今往前这"),
        pattern(rf"{_PREFIX_ZH}{_AMOUNT_ZH}(?:里|内(?!容))?"),
        read_counted,
    ),
    Rule(
        ("过",),
        pattern(
            r"(?:(?<![\u4e00-\u9fff])|(?<=[再等我你他们就会要想那]))(?P<way>过)"
            rf"{_AMOUNT_ZH}(?![前内])(?:[之以]?后)?"
        ),
        read_counted,
    ),
    Rule(
        tuple("最近这前"),
        pattern(
            r"(?<!距离)最近(?!的(?:一[家个]|地铁|车站|医院|餐|店|超市|公园|银行|机场|酒店|出口|路))"
            r"|近[期来日]|[这前]阵子|前一阵子?|[这前]段时间|前些天"
        ),
        lambda _: Piece(recent),
    ),
    Rule(
        ("每",),
        pattern(
            rf"每一?(?:(?P<part>[早晚])|逢?个?(?:周|星期|礼拜)(?:(?P<weekend>末)|{_WEEKDAY_ZH})"
            r"|个?(?P<unit>天|日|周|星期|礼拜|月|季度|年)"
            rf"(?:(?<=年)\s?(?P<month>{_DAY_NUMBER})\s?月份?)?(?:(?<=[月份]){_DAY_ZH})?)"
        ),
        read_every,
    ),
    Rule(
        tuple("凌清早上中下午傍晚夜深半"),
        pattern(rf"(?P<part>凌晨|清晨|早晨|{_LONG_PART}|上午|中午|下午|午后|傍晚|夜里|深夜|半夜)"),
        part_of_day,
    ),
    Rule(
        _NUMERAL,
        pattern(
            rf"(?<![第0-9A-Za-z.:])(?:(?P<hour>{_DAY_NUMBER})\s?[-~到至]\s?)?"
            rf"(?P<last>{_DAY_NUMBER})\s?(?:点|(?<=[0-9\s])时(?![候间代期刻常尚段]))"
            rf"(?:(?P<whole>[整钟])|\s?(?P<last_minute>半|[一三]刻|(?:[0-9]{{1,2}}|[{NUMERALS}]{{1,3}})(?=\s?分)"
            r"|[0-5][0-9](?![0-9])|[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])(?:\s?分)?"
            rf"|{_NO_HOUR})"
        ),
        read_clock,
    ),
    Rule(
        ("第",),
        pattern("第(?P<week_number>[一二三四1-4])个?(?:周|星期|礼拜)(?![一二三四五六日天末])"),
        read_ordinal,
    ),
)

_RULES_EN: Final = (
    Rule(
        ("0", "half", *_ENGLISH_NUMBERS),
        english(
            rf"{_AMOUNT}{W}(?P<way>ago|back|from{W}(?:now|today))(?!\w)(?P<today>{W}today(?!\w))?"
        ),
        read_counted,
    ),
    Rule(
        ("in", "within"),
        english(rf"(?P<way>in|within){W}{_AMOUNT}(?!{W}(?:of|or|ago)\b)"),
        read_counted,
    ),
    Rule(
        ("the", "last", "past", "previous", "next", "coming"),
        english(rf"(?:the{W})?(?P<way>last|past|previous|next|coming){W}{_AMOUNT}(?!{W}of\b)"),
        read_counted,
    ),
    Rule(
        ("the", "past", "coming"),
        english(
            # "The last day" and "the next day" depend on what was told before.
            rf"(?:the{W}(?!(?:last|previous|next|coming){W}day))?(?P<way>past|coming"
            rf"|(?<=the\s)(?:last|previous|next)){W}(?P<unit>hour|day|week|month|quarter|year)"
            rf"(?![\w-])(?!{W}of\b)"
        ),
        read_counted,
    ),
    Rule(
        ("the", "day", "yesterday", "today", "tomorrow"),
        english(
            rf"(?:the{W})?(?P<near>day{W}before{W}yesterday|day{W}after{W}tomorrow|yesterday|today"
            r"|tomorrow)(?!\w)(?P<part>)"
        ),
        read_day,
    ),
    Rule(
        ("last", "this"),
        english(rf"(?P<near>last(?={W}(?:night|evening))|this){W}{_PART}(?!{W}of\b)"),
        read_day,
    ),
    Rule(("the",), english(rf"the{W}(?P<part>night){W}(?P<near>before{W}last)(?!\w)"), read_day),
    Rule(("tonight",), english(r"(?P<part>tonight)(?P<near>)(?!\w)"), read_day),
    Rule(
        _RELATIVE,
        english(rf"(?P<rel>{'|'.join(_RELATIVE)}){W}(?:{_LONG_UNIT})(?![\w-])(?!{W}of\b)"),
        read_plain,
    ),
    Rule(
        ("the",),
        english(rf"the{W}(?:{_LONG_UNIT}|{_SEASON}){W}(?P<rel>before{W}last|after{W}next)(?!\w)"),
        read_plain,
    ),
    Rule(
        ("0", *_ENGLISH_NUMBERS),
        english(
            rf"(?:a{W}(?=couple))?(?P<count>[0-9]{{1,2}}|{'|'.join(_ENGLISH_NUMBERS)})(?:(?<=couple){W}of)?"
            rf"{W}(?:{_SEASON}|(?P<weekend>weekend)|(?P<weekday>{'|'.join(_LONG_DAYS)}))s{W}ago(?!\w)"
        ),
        read_plain,
    ),
    Rule(
        ("last", "this", "next", *_WEEKDAY_STARTS),
        english(
            rf"(?:(?:(?P<week>last|this|next){W}week(?:'s)?|(?P<rel>last|this|next)){W})?{_WEEKDAY}"
            rf"(?:(?P<plural>s)(?!\w)"
            rf"|(?!\w)(?:{W}(?:of{W})?(?P<week_after>last|this|next){W}week(?!\w))?)"
        ),
        read_english_weekday,
    ),
    Rule(
        ("recently", "lately", "these", "the"),
        english(rf"(?:recently|lately|these{W}days|the{W}other{W}day)(?!\w)"),
        lambda _: Piece(recent),
    ),
    Rule(
        ("every",),
        english(
            rf"every{W}(?P<other>other{W})?(?:(?P<weekend>weekend)(?!\w)|{_PART}"
            rf"|(?P<unit>day|week|month|quarter|year)(?![\w-])|{_WEEKDAY}(?!\w))"
        ),
        read_every,
    ),
    Rule(
        ("in", "at", *_ENGLISH_PARTS),
        english(rf"(?:in{W}the{W}|at{W}(?=night))?{_PART}"),
        part_of_day,
    ),
    Rule(
        ("noon", "midnight"),
        english(r"noon(?!\w)|midnight(?!\w)"),
        lambda found: Piece(clock=Clock(12 if found[0][0] in "nN" else 24)),
    ),
    Rule(
        _DIGIT,
        english(
            rf"{_FREE}(?P<hour>[0-9]{{1,2}})(?::(?P<minute>[0-5][0-9]))?"
            rf"(?:(?:\s?-\s?|{W}to{W})(?P<last>[0-9]{{1,2}})(?::(?P<last_minute>[0-5][0-9]))?)?"
            r"\s?(?P<noon>[ap])(?:\.m\.|m(?!\w))"
        ),
        read_clock,
    ),
    Rule(
        _DIGIT,
        english(
            rf"{_FREE}(?P<hour>[01]?[0-9]|2[0-4]):(?P<minute>[0-5][0-9])"
            r"(?::[0-5][0-9](?:[.,][0-9]{1,6})?)?(?![\w:]|\.[0-9]|\s?[ap]\.?m\b)"
        ),
        read_clock,
    ),
    Rule(("at",), english(rf"at{W}(?P<hour>[0-9]{{1,2}}){_NOT_COUNTED}"), read_clock),
    Rule(
        ("0", *_ENGLISH_NUMBERS),
        english(
            rf"{_FREE}(?P<hour>[0-9]{{1,2}}|{'|'.join(_ENGLISH_NUMBERS)})\s?(?P<whole>o'clock)(?!\w)"
        ),
        read_clock,
    ),
    Rule(
        (*_ENGLISH_MONTHS, "last", "this", "next"),
        english(
            rf"(?:(?P<rel>last|this|next){W})?{_MONTH}"
            rf"(?:{W}(?P<day>{_DAY}){_DAY_END}(?:{_TO}(?P<last_day>{_DAY}){_DAY_END})?)?{_OF_YEAR}"
        ),
        read_named_month,
    ),
    Rule(
        ("0", "the"),
        english(
            rf"(?:the{W})?{_FREE}(?P<day>{_DAY})"
            rf"(?:(?:{_TO}|{W}(?P<and>and){W})(?P<last_day>{_DAY}))?"
            rf"{W}(?:of{W})?{_MONTH}{_OF_YEAR}"
        ),
        read_day_first,
    ),
    Rule(
        ("the", "early", "mid", "late", "beginning", "start", "middle", "end"),
        english(
            rf"(?:(?P<section>early|mid|late)(?:{W}|-)"
            rf"|(?:the{W})?(?P<noun>beginning|start|middle|end){W}of{W})"
            rf"(?:(?P<rel>the|this|last|next){W})?(?:(?P<unit>week|month|quarter|year)(?![\w-])"
            rf"|(?:{_MONTH}|q(?P<quarter>[1-4])(?!\w))(?:,?{W}(?:of{W})?{_YEAR})?"
            rf"|(?P<year_alone>{YEAR_NUMBER}){_YEAR_END})"
        ),
        read_section,
    ),
    Rule(
        ("the", "past", "last", "this", "next", *_ENGLISH_SEASONS),
        english(
            rf"(?:the{W})?(?:(?P<rel>(?:this{W})?past|last|this|next){W})?"
            rf"{_SEASON}(?![\w-]|{W}festival){_OF_YEAR}"
        ),
        read_season,
    ),
    Rule(
        _DIGIT,
        english(
            rf"{_FREE}(?<!-)(?P<year>[0-9]{{4}})(?P<sep>[-/])(?P<month>[0-9]{{1,2}})(?P=sep)"
            r"(?P<day>[0-9]{1,2})(?!\w|[-/][0-9])"
        ),
        read_plain,
    ),
    Rule(
        _DIGIT,
        english(
            rf"{_FREE}(?<!-)(?P<date>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})"
            r"[T ](?P<time>[0-2][0-9]:[0-5][0-9])(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
            r"(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?(?![\w:])"
        ),
        read_moment,
    ),
    Rule(
        _DIGIT,
        english(rf"{_FREE}(?P<a>[0-9]{{1,2}})/(?P<b>[0-9]{{1,2}})/(?P<year>[0-9]{{4}})(?![\w/])"),
        read_slashes,
    ),
    Rule(
        ("q", "h"),
        english(
            rf"(?<!\w)(?:q(?P<quarter>[1-4])|h(?P<half>[12]))(?![\w:])(?:,?{W}(?:of{W})?{_YEAR})?"
        ),
        read_part_by_letter,
    ),
    Rule(
        _DIGIT,
        english(
            rf"{_FREE}(?P<year>{YEAR_NUMBER})[ -]?(?:q(?P<quarter>[1-4])|h(?P<half>[12]))(?![\w:])"
        ),
        read_part_by_letter,
    ),
    Rule(_DIGIT, english(rf"{_FREE}(?<!-){_YEAR}(?!-\w)"), read_year_alone),
    Rule(
        ("the", "0", "first", "second", "third", "fourth", "last"),
        english(
            rf"(?:the{W})?(?:(?P<week_number>first|second|third|fourth|last|[1-4](?:st|nd|rd|th)){W}week"
            rf"|(?P<quarter>first|second|third|fourth|[1-4](?:st|nd|rd|th)){W}quarter"
            rf"|(?P<half>first|second|1st|2nd){W}half)(?![\w-])(?P<of_year>{W}of{W}the{W}year(?!\w))?"
        ),
        read_ordinal,
    ),
)

# Before a number that no word or number goes on with.
_ALONE: Final = r"(?:(?<![0-9A-Za-z.,:/~\u3400-\u9fff-])|(?<=[在从到于自]))"
_RULES_MORE: Final = (
    Rule(
        ("on", "the"),
        english(
            rf"(?P<alone>on{W})?the{W}(?P<day>[0-9]{{1,2}}(?:st|nd|rd|th))(?![\w-])"
            rf"(?!{W}(?:floor|time|of{W}(?!last|this|next|the{W}month)|[a-z]+ing\b))"
        ),
        read_day_of_month,
    ),
    Rule(
        _NUMERAL,
        pattern(
            rf"{_ALONE}(?P<alone>)(?P<day>{_DAY_NUMBER})"
            r"\s?号(?![线楼院门店机房码位选铺台库仓电召人文风通])"
        ),
        read_day_of_month,
    ),
    Rule(
        _DIGIT,
        pattern(rf"{_ALONE}(?P<short>[0-9]{{2}})\s?年(?![前后以之来间多半级龄代华薪])"),
        read_short_year,
    ),
    Rule(
        ("the",),
        english(rf"(?<=\b(?:at|on)\s)the{W}weekend(?!\w)|(?<=\bover\s)the{W}weekend(?!\w)"),
        lambda _: Piece(
            partial(day_of_week, weekday=5, days=2), weak=True, bare=STEPS[WEEK], asked=True
        ),
    ),
    Rule(
        ("just", "a", "刚", "方"),
        pattern(rf"(?i:just{W}now|a{W}moment{W}ago)(?!\w)|刚[才刚](?!好)|方才"),
        lambda _: Piece(last_hour, weak=True, asked=True),
    ),
)

RULES: Final = (*_RULES_ZH, *_RULES_EN, *RULES_HOLIDAYS)
RULES_ASKED: Final = (*RULES, *_RULES_MORE)
"""With those that are read only where something is asked for."""
