"""Made-up turns of ordinary talk, Chinese and English: little in them is worth remembering.

In: a turn's number. Out: its two messages. The turns of `bench.corpus` are dense with things to
remember; these are what people mostly say to each other.
"""

from __future__ import annotations

_TALK = (
    ("Hey! Long time no see, how was the hike?", "Muddy, but the view from the top was lovely."),
    ("Wow, did the kids come along as well?", "They did, and they complained only for an hour."),
    ("Haha, that sounds like mine. What did you eat?", "Just sandwiches. Next time I bring soup."),
    ("I finished that long novel last night. The ending surprised me.", "Oh no, don't spoil it!"),
    ("你那边今天天气怎么样？我这儿一直在下雨。", "挺凉快的，早上出了会儿太阳，下午又阴了。"),
    ("那正好适合在家看书，你最近在看什么？", "在看一本讲航海的老书，写得有点慢，不过很有味道。"),
    ("My sister painted the whole fence by herself.", "Impressive! It must have taken her ages."),
    ("It did. She sent a photo and it looks so bright now.", "Colours like that lift the street."),
    ("昨天的球赛你看了吗？最后一分钟太刺激了。", "看了，我差点把邻居吵醒，真没想到能追平。"),
    ("The bakery on the corner smells amazing in the morning.", "It makes the walk much nicer."),
    (
        "I tried to bake bread once and it turned into a brick.",
        "We all start like that, keep going!",
    ),
    ("Thanks, that is kind of you. Maybe the oven was too hot.", "That happens. Patience helps."),
    ("地铁今天挤得不行，我站了一路。", "辛苦了，晚上早点休息，泡个脚会舒服很多。"),
    ("哈哈，听你的。对了，你家的猫好点没有？", "好多了，又开始满屋子乱跑了。"),
    ("We sat by the lake and watched the ducks for a while.", "Quiet afternoons are the best."),
    ("They kept following us, they thought we had bread.", "Ducks never give up, do they?"),
    ("Did the concert get loud in the end?", "Very, my ears were ringing, and it was worth it."),
    ("That is great to hear, you had waited so long for it.", "Yes! I was smiling all the way."),
    ("楼下新开了一家面馆，人特别多。", "我也看到了，排队的人都拐到街角去了。"),
    ("等人少一点再去尝尝吧。", "嗯，不着急，好吃的话总会一直开着的。"),
    ("The garden looks wild after all that rain.", "Wild is good, the bees are happy about it."),
    ("True, there were dozens of them around the lavender.", "I could watch them for hours."),
    ("How did the little one like the first day of school?", "A bit shy, then full of stories."),
    ("That warms my heart. Time really flies.", "It does, it feels like she was born last week."),
    ("刚才在路上碰到了老同学，差点没认出来。", "是吗？这么多年没见，聊了些什么？"),
    ("就随便聊了几句，他说话还是那么逗。", "有些人真是一点都没变，挺好的。"),
    ("The train stood still for half an hour, nobody knew why.", "Annoying! Did you have a seat?"),
    ("Luckily yes, and a nice old man told me about his youth.", "Such talks make up for it."),
    ("I keep humming that song from the film.", "Now I have it in my head as well, thank you."),
    ("Sorry, not sorry. It is such a cheerful tune.", "Fair enough, there are worse ones."),
    ("这部电影的画面真漂亮，就是有点长。", "我看到一半睡着了，醒来居然还接得上。"),
    ("哈哈哈，那你错过了最精彩的一段。", "没关系，改天再补，反正结局我已经猜到了。"),
    ("The market was full of pumpkins in every shape.", "Autumn is here. Did you take any home?"),
    ("Only a tiny one, it looks funny on the shelf.", "Those little ones have a lot of charm."),
    ("Our neighbours were dancing in the yard again.", "Sounds like a happy house to live near."),
    ("It is, even if the music is not quite what I would pick.", "One gets used to it, I guess."),
    ("今天终于放晴了，心情一下子好了很多。", "太阳一出来，整个人都精神了，出去走走吧。"),
    ("正有此意，公园里的桂花应该开了。", "闻到花香的时候替我多吸两口。"),
    ("You always know how to make me laugh.", "That goes both ways, it was good to catch up."),
    ("Take care and say hello to everybody!", "I will, sleep well and see you around."),
)


def ordinary(number: int) -> list[dict[str, str]]:
    """Return the two messages of the `number`-th turn; each time around they differ a little."""
    said, answered = _TALK[number % len(_TALK)]
    again = f" ({number // len(_TALK)})" if number >= len(_TALK) else ""
    return [
        {"role": "user", "content": said + again},
        {"role": "assistant", "content": answered + again},
    ]
