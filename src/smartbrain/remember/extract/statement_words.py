"""The predicates that statements are read by: verbs of both languages under one English name (C7).

In: nothing. Out: word lists, read when first asked for. A line of `_VERBS` is a name, its English
verbs and its Chinese ones; a line of `_PHRASES` is a name and the phrases that say it, a verb and
its object with `+` between them.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from smartbrain.text.word_list import stored_words, word_set

# name: English verbs | Chinese verbs. A name that ends in ~ takes a place, not an object.
_VERBS: Final = stored_words(__file__, "_VERBS")

# name: phrases. Verb and object, both as the lists above and the text spell them.
_PHRASES: Final = """
play_soccer: play+soccer play+football 踢+足球 踢+球 踢球 踢足球
play_basketball: play+basketball 打+篮球 打篮球
play_tennis: play+tennis 打+网球 打网球
play_badminton: play+badminton 打+羽毛球 打羽毛球
play_table_tennis: play+ping_pong play+table_tennis 打+乒乓球 打乒乓球
play_volleyball: play+volleyball 打+排球 打排球
play_golf: play+golf 打+高尔夫 打高尔夫
play_baseball: play+baseball 打+棒球
play_piano: play+piano 弹+钢琴 弹钢琴 弹+琴
play_guitar: play+guitar 弹+吉他 弹吉他
play_violin: play+violin 拉+小提琴 拉小提琴
play_chess: play+chess 下+象棋 下+棋 下棋 下+国际象棋
play_go: 下+围棋
play_cards: play+cards 打+牌 打牌 打+扑克
play_mahjong: play+mahjong 打+麻将 打麻将
play_games: play+games play+game play+video_games 玩+游戏 打+游戏 玩游戏 打游戏
practise_tai_chi: practise+tai_chi 打+太极 打+太极拳
watch_movie: watch+movie watch+movies watch+film see+movie see+film 看+电影 看电影
watch_tv: watch+tv watch+television 看+电视 看电视
read_book: read+book read+books 看+书 读+书 看书 读书
read_newspaper: read+newspaper read+paper 看+报纸 读+报纸 看报
drink_coffee: drink+coffee 喝+咖啡 喝咖啡
drink_tea: drink+tea 喝+茶 喝茶
drink_alcohol: drink+beer drink+wine drink+alcohol 喝+酒 喝酒 喝+啤酒
eat_breakfast: eat+breakfast have+breakfast 吃+早饭 吃+早餐 吃早饭
eat_lunch: eat+lunch have+lunch 吃+午饭 吃+午餐 吃午饭
eat_dinner: eat+dinner have+dinner eat+supper 吃+晚饭 吃+晚餐 吃晚饭
cook: cook+dinner cook+lunch cook+breakfast 做+饭 做饭 做+晚饭 做+午饭
have_meeting: have+meeting hold+meeting 开+会 开会
write_code: write+code 写+代码 写代码
write_letter: write+letter 写+信 写信
tell_story: tell+story tell+stories 讲+故事 讲故事
take_photo: take+photo take+photos take+picture take+pictures 拍+照片 拍照 拍+照
take_shower: take+shower take+bath 洗+澡 洗澡
take_exam: take+exam take+test 参加+考试 考试
give_lecture: give+lecture give+talk 做+报告 做+讲座
do_homework: do+homework 做+作业 写+作业 写作业 做作业
do_laundry: do+laundry 洗+衣服 洗衣服
wash_dishes: wash+dishes do+dishes 洗+碗 洗碗
walk_dog: walk+dog 遛+狗 遛狗
ride_bike: ride+bike ride+bicycle 骑+自行车 骑+车 骑车
drive_car: drive+car 开+车 开车
sing_song: sing+song sing+songs 唱+歌 唱歌
listen_to_music: listen_to+music 听+音乐 听+歌 听音乐 听歌
make_phone_call: make+call 打+电话 打电话
get_married: get+married 结+婚 结婚
get_promoted: get+promotion 升+职 升职
study_english: learn+english 学+英语 学英语
go_shopping: 逛+街 逛街 go+shopping
go_home: go+home 回+家 回家
go_hiking: go+hiking 爬+山 爬山
go_swimming: go+swimming
rent_house: rent+house rent+apartment 租+房 租+房子 租房
buy_house: buy+house buy+apartment 买+房 买+房子 买房
"""

_IRREGULAR: Final = stored_words(__file__, "_IRREGULAR")

# More verbs that are known to be verbs; they go by their own name.
_MORE: Final = stored_words(__file__, "_MORE")


class Verb(NamedTuple):
    """A predicate by name, and whether a place follows it rather than an object."""

    name: str
    to_place: bool = False


@cache
def verbs_zh() -> dict[str, Verb]:
    """Return the Chinese verbs."""
    found: dict[str, Verb] = {}
    for line in _VERBS.strip().splitlines():
        name, words = line.split(":", 1)
        verb = Verb(name.rstrip("~"), name.endswith("~"))
        for word in filter(None, words.strip(" ").split("|")[1:]):
            found.setdefault(word, verb)
    return found


@cache
def verbs_en() -> dict[str, tuple[Verb, str]]:
    """Return every form of the English verbs: the verb, and the form: "", s, ed, en or ing."""
    found: dict[str, tuple[Verb, str]] = {}
    irregular = {}
    for entry in _IRREGULAR.split():
        lemma, forms = entry.split(":")
        irregular[lemma] = forms.split(",")
    for line in [*_VERBS.strip().splitlines(), *(f"{word}: {word}" for word in _MORE.split())]:
        name, words = line.split(":", 1)
        verb = Verb(name.rstrip("~"), name.endswith("~"))
        for lemma in words.strip(" ").split("|")[0].split():
            for form, kind in _forms(lemma, irregular.get(lemma, [])):
                found.setdefault(form, (verb, kind))
    return found


def _forms(lemma: str, irregular: list[str]) -> list[tuple[str, str]]:
    """Return the forms of a verb."""
    double = lemma + lemma[-1] if lemma in _DOUBLED else lemma
    stem = lemma[:-1] if lemma.endswith("e") and not lemma.endswith(("ee", "ye")) else double
    soft = lemma[-1] == "y" and lemma[-2] not in "aeiou"
    third = f"{lemma[:-1]}ies" if soft else lemma + ("es" if lemma.endswith(_HISSING) else "s")
    past = f"{lemma[:-1]}ied" if soft else (stem + "ed")
    gerund = f"{lemma[:-2]}ying" if lemma.endswith("ie") else f"{stem}ing"
    regular = [] if irregular else [(past, "ed")]
    return [
        (lemma, ""),
        (third, "s"),
        (gerund, "ing"),
        *regular,
        *((one, "ed") for one in irregular),
    ]


_HISSING: Final = ("s", "sh", "ch", "x", "z", "o")
_DOUBLED: Final = word_set(stored_words(__file__, "_DOUBLED"))


@cache
def phrases() -> dict[str, str]:
    """Return the names of verbs with their objects."""
    found = {}
    for line in _PHRASES.strip().splitlines():
        name, words = line.split(":", 1)
        for phrase in words.split():
            verb, plus, thing = phrase.partition("+")
            found[verb + plus + thing.replace("_", " ")] = name
    return found
