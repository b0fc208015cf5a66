"""Names of languages, and of what somebody wants in one beside the answers to them (M2).

In: nothing. Out: parts of patterns for the topics of preferences. Not a list of all languages.
"""

from __future__ import annotations

from typing import Final

LANGUAGES: Final = (
    r"english|chinese|mandarin|cantonese|german|french|spanish|portuguese|italian|dutch|russian"
    r"|japanese"
    r"|korean|arabic|hindi|turkish|polish|swedish|danish|norwegian|finnish|greek|hebrew|hungarian"
    r"|czech"
    r"|romanian|ukrainian|vietnamese|thai|indonesian|malay|bengali|urdu|tamil|persian|farsi"
    r"|catalan|swahili"
    r"|中文|汉语|普通话|英文|英语|日语|日文|韩语|韩文|法语|法文|德语|德文|西班牙语|俄语|粤语"
    r"|繁体(?:中文|字)?|简体(?:中文|字)?"
)

WRITTEN: Final = (
    r"\b(?:readmes?|docs?|documentation|e-?mails?|reports?|pull requests?|prs?|issues?|slides|ppt"
    r"|logs?|variables?|titles?|essays?|articles?|papers?|resumes?|cv|letters?|blog|posts?)\b|文档"
    r"|邮件|报告|周报|日报|月报|论文|文章|标题|变量|命名|日志|界面|字幕|简历|合同|文案|笔记|博客|推文"
    r"|错误信息|测试用例|报错信息"
)
"""What is written beside the answers, so that its language is not theirs."""


def in_a_language(things: str) -> str:
    """Return a pattern for things that are to be in some language."""
    language = rf"(?<![a-z])(?:{LANGUAGES})(?![a-z])"
    return rf"(?:{things}).{{0,30}}?{language}|{language}.{{0,20}}?(?:{things})"
