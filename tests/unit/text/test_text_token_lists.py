"""Token estimates of lists: words that no vocabulary holds whole, against the real tokenizer (R16).

In: lists of names, codes, herbs, surnames, kana and made-up words, in Chinese and English and in
transliterations. Out: with its margin the estimate is never below what o200k counts, and prose in
both languages costs no more for it. Skipped where splintr is not there.
"""

from __future__ import annotations

import random
from functools import cache
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final

import pytest

from smartbrain.adapters.splintr_counter import SplintrCounter
from smartbrain.text.tokens import estimate_tokens

LISTS: Final[dict[str, str]] = {
    "herbs": "白芍 茯苓 黄芪 当归 川芎 熟地 枸杞 菟丝子 淫羊藿 巴戟天 肉苁蓉 杜仲 牛膝 桑寄生",
    "birds": "鸳鸯 鹧鸪 鹈鹕 鸬鹚 鹡鸰 鹪鹩 鹬蚌 鸢 鸮 鹗 鹞 隼 鹫 鸨 鸻 鹳 鹮 鹭 鸭 鸥",
    "minerals": "辉锑矿、黝铜矿、闪锌矿、菱镁矿、霓石、黑钨矿、锆石、萤石、绿帘石、堇青石、蓝闪石",
    "dishes": "宫保鸡丁、鱼香肉丝、麻婆豆腐、夫妻肺片、蚝油生菜、糖醋排骨、红烧狮子头、剁椒鱼头",
    "towns": "盱眙, 亳州, 涪陵, 鄄城, 莒县, 郯城, 歙县, 黟县, 婺源, 蕲春, 儋州, 邛崃, 枞阳, 鄱阳",
    "surnames": "戚谢邹喻，柏水窦章。云苏潘葛，奚范彭郎。鲁韦昌马，苗凤花方。俞任袁柳，酆鲍史唐。"
    "费廉岑薛，雷贺倪汤。滕殷罗毕，郝邬安常。荀羊於惠，甄曲家封。芮羿储靳，汲邴糜松。",
    "an old poem": "帝高阳之苗裔兮，朕皇考曰伯庸。摄提贞于孟陬兮，惟庚寅吾以降。扈江离与辟芷兮，"
    "纫秋兰以为佩。朝搴阰之木兰兮，夕揽洲之宿莽。杂申椒与菌桂兮，岂惟纫夫蕙茝！",
    "traditional": "龜山 鶯歌 鹽埕 鑾輿 竈君 驢鳴 鬱金香 釁端 鱷魚 讒言 豔陽 纜車 鑰匙 蘿蔔",
    "a kana chart": "あ い う え お か き く け こ さ し す せ そ な に ぬ ね の は ひ ふ へ ほ",
    "kana in rows": "あいうえおかきくけこさしすせそ アイウエオカキクケコサシスセソ",
    "codes": "XQZ-PLK WRT-BNM JHG-VCX KQW-ZRT PLM-XVB",
    "names of users": "usr_kqzvx usr_wjrtq acct_xzpqk sess_bvnmw tok_qqzrk usr_hgfdx",
    "guests": "Wojciechowski, Grzegorz; Oyelaran, Adebayo; Thirunavukkarasu, Priya; Bjarnadóttir,"
    " Sigríður; Khachaturyan, Hrachya; Nakashidze, Giorgi; Vlahušić, Zrinka;",
    "towns of India": "Thiruvananthapuram Chidambaram Balasubrahmanyam Kanchipuram Mukhopadhyay",
    "diacritics": "Szczęsny Błaszczykowski Małgorzata Świątek Žižka Dvořák Šťastný Břetislav",
    "Wales": "Llewelyn Myfanwy Gwenllian Rhydderch Cadwaladr Bronwyn Pwllheli Machynlleth",
    "Hawaii": "Kealakekua Kamehameha Liliuokalani Nuuanu Haleakala Keaweaheulu Kuakini",
    "pinyin": "Zhang Wei, Xiao Qingyun, Ouyang Zhuoran, Sima Xiangru, Qian Zhongshu, Cao Xueqin",
    "arabic names": "al-Khwarizmi, Muhannad Shuqayri, Yazid Qahtani, Ghassan Tueni",
    "species": "Pseudotsuga menziesii, Chamaecyparis lawsoniana, Phyllostachys edulis",
    "drugs": "Levothyroxine, Atorvastatin, Hydrochlorothiazide, Xeljanz, Ustekinumab, Rivaroxaban",
    "guests of both": "欧阳翀 Zbigniew、司马懿 Krzysztof、尉迟恭 Hrachya、钭璩 Myfanwy",
}
CONSONANTS: Final = "bcdfghjklmnpqrstvwxz"
FIRST: Final = "".join(
    bytes((a, b)).decode("gb2312") for a in range(0xB0, 0xD7) for b in range(0xA1, 0xFF)
)
SECOND: Final = "".join(
    bytes((a, b)).decode("gb2312") for a in range(0xD8, 0xF8) for b in range(0xA1, 0xFF)
)
MADE_UP: Final[dict[str, tuple[str, int, int]]] = {
    "characters": (FIRST, 1, 3),
    "rare characters": (SECOND, 1, 3),
    "any characters": (FIRST + SECOND, 2, 3),
    "hiragana": ("".join(map(chr, range(0x3041, 0x3094))), 1, 4),
    "katakana": ("".join(map(chr, range(0x30A1, 0x30F6))), 1, 4),
    "consonants": (CONSONANTS, 3, 8),
    "consonants in capitals": (CONSONANTS.upper(), 3, 6),
    "letters": (ascii_lowercase, 3, 9),
    "capitals": (ascii_uppercase, 3, 9),
    "letters and digits": (ascii_uppercase + digits, 4, 8),
}
PROSE: Final = (
    "Could you remind me what we agreed on yesterday? I think the deadline moved to Friday, and I "
    "still have to book a table for six. My sister is coming with her kids, by the way. ",
    "你还记得昨天我们说好了什么吗？我觉得截止日期改到了周五，我还得订一张六个人的桌子。对了，我姐姐会"
    "带着孩子一起来。",
)


@cache
def exactly() -> SplintrCounter:
    """Return the real tokenizer."""
    pytest.importorskip("splintr")
    return SplintrCounter("o200k_base")


@pytest.mark.spec("R16")
@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("times", [1, 20])
def test_no_list_takes_more_than_its_estimate(kind: str, times: int) -> None:
    """Neither one line of it nor many."""
    text = f"{LISTS[kind]}\n" * times
    assert exactly().count(text) <= estimate_tokens(text) <= 2.1 * exactly().count(text) + 8


@pytest.mark.spec("R16")
@pytest.mark.parametrize("between", [" ", "、", ", ", "\n"])
@pytest.mark.parametrize("kind", MADE_UP)
def test_no_list_of_made_up_words_does(kind: str, between: str) -> None:
    """Of any letters or characters, whatever stands between them."""
    signs, least, most = MADE_UP[kind]
    for seed in range(3):
        by = random.Random(seed)
        text = between.join(
            "".join(by.choices(signs, k=by.randint(least, most))) for _ in range(200)
        )
        assert exactly().count(text) <= estimate_tokens(text), (seed, text[:80])


@pytest.mark.spec("R16")
@pytest.mark.parametrize("text", PROSE)
def test_what_lists_need_is_no_burden_on_prose(text: str) -> None:
    """A message, and many: within 15 % before the margin."""
    for times in (1, 20):
        true = exactly().count(text * times)
        assert true == pytest.approx(estimate_tokens(text * times, margin=1.0), rel=0.15)
