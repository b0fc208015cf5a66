"""What preferences are about: words in Chinese and English, and the name they go by in a key.

In: the words of a preference. Out: its scope and its name, the same for both languages. A facet
has one value at a time, such as the editor somebody uses; a matter of taste has many, such as food,
and each goes by its own words, so that one taste never takes another's place.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from smartbrain.domain.keys import slug
from smartbrain.remember.extract.preference_languages import LANGUAGES, WRITTEN, in_a_language
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_TELLING: Final = 200  # characters that tell what something is about
_LONGEST_NAME: Final = 4  # words
_LONGEST_WIDE: Final = 12  # Chinese characters


class Topic(NamedTuple):
    """A scope and a name; without a name the preference goes by its own words."""

    scope: str
    name: str


class Taste(NamedTuple):
    """What a clause says about taste or habit, and the rule that found it.

    `name` are the words to name it by, where its topic has no name.
    """

    rule: str
    topic: Topic | None
    name: str
    value: str
    confidence: float = 0.85


# The first that fits wins: what is said about answers and code before the tools they mention.
_TOPICS: Final = tuple(
    (Topic(*place.split("/")), pattern(words, _I))
    for place, words in (
        (
            "other/name_to_use",
            r"\b(?:call|address) me (?!before|after|at\b|on\b|in\b|during|between|when|if\b|until"
            r"|till|unless|back|again|about|for\b|from|every|only|without|while|any|late|early"
            r"|this|to|now|over|with|\d)|(?:叫|称呼)我(?!起|醒|一[声下]|吃|去|来|做|回|出|早|上|\W*\Z)",
        ),
        ("coding/comments_language", in_a_language(r"\bcomments?\b|docstrings?|注释")),
        (
            "coding/commit_language",
            in_a_language(r"\bcommits?(?: messages?)?(?![a-z])|提交(?:信息|说明|记录)"),
        ),
        ("writing/document_language", in_a_language(r"\breadmes?\b|\bdocs?\b|documentation|文档")),
        ("writing/mail_language", in_a_language(r"\be-?mails?\b|邮件|来信")),
        (
            "writing/answer_language",
            rf"\b(?:answer|reply|respond|speak|talk|write (?:back )?to me|repl(?:ies|ying)"
            rf"|answers|responses)\b.{{0,30}}\b(?:{LANGUAGES})\b"
            rf"|(?:回答|回复|答复|交流|沟通|说话|对话|跟我说).{{0,8}}(?:{LANGUAGES})"
            rf"|\A(?!.*(?:{WRITTEN})).*(?:用|说|讲)\s*(?:{LANGUAGES})"
            rf"|\b(?:{LANGUAGES}) (?:answers|replies|responses)",
        ),
        (
            "writing/spelling",
            r"\b(?:british|american|us|uk) (?:english|spelling)|spelling|英式|美式(?!咖啡)|拼写",
        ),
        ("writing/apologies", r"\bapolog\w+|\bsay(?:ing)? sorry\b|道歉|说(?:对不起|抱歉)"),
        ("coding/code_explanations", r"\bexplain(?:ing)? (?:\w+ )?code\b|(?:解释|讲解|说明)代码"),
        ("writing/emoji", r"emojis?|emoticons?|表情(?:符号|包)?|颜文字"),
        (
            "writing/punctuation",
            r"oxford comma|exclamation (?:mark|point)s?|em[- ]dash(?:es)?|感叹号|标点|破折号"
            r"|省略号|全角|半角",
        ),
        (
            "writing/voice",
            r"passive voice|active voice|first person|被动(?:句|语态)|主动语态|第一人称",
        ),
        (
            "writing/references",
            r"\b(?:references|citations?|cite|sources?|footnotes?)\b(?! code)|参考文献|出处|来源"
            r"|引用",
        ),
        (
            "writing/order",
            r"conclusions? first|tl;?dr|bottom line first|(?:先|首先)[给说讲写]?(?:出)?结论"
            r"|结论(?:放|写|说)?在?(?:前|先)",
        ),
        (
            "writing/answer_length",
            r"\b(?:short|brief|concise|terse|long|lengthy|detailed|in-depth|thorough|one-line"
            r"|shorter|longer|succinct|to the point)\b.{0,20}\b(?:answers?|repl(?:y|ies)"
            r"|responses?|explanations?|summar(?:y|ies)|messages?)\b"
            r"|\b(?:answers?|repl(?:y|ies)|responses?|explanations?|it|summaries"
            r"|messages)\b.{0,20}\b(?:short|brief|concise|terse|long|detailed|to the point"
            r"|succinct)\b"
            r"|\b(?:sentences?|words|lines|paragraphs?) (?:at most|max|or less|or fewer)|\b(?:be"
            r"|stay) (?:brief|concise|succinct)"
            r"|(?:回答|回复|答案|解释|说明|内容|总结).{0,10}(?:简短|简洁|简明|精简|详细|短一?点"
            r"|长一?点|啰嗦|冗长)|(?:简短|简洁|详细|冗长|啰嗦)的?(?:回答|回复|答案|解释|说明)"
            r"|(?:说话|讲话|沟通|解释|讲题).{0,6}(?:简单|简短|简洁|详细)|字以内|(?:一两|两三"
            r"|几)句话",
        ),
        (
            "writing/tone",
            r"\btone\b|\b(?:formal|informal|casual|friendly|polite|professional|blunt|direct"
            r"|warm)(?:ly)? (?:style|language|wording|manner|emails?|answers?|repl(?:y|ies)"
            r"|letters?|feedback)|(?:be|sound) (?:formal|casual|friendly|polite|blunt|direct)"
            r"|(?:说话|讲话|沟通|交流|反馈).{0,6}(?:直接|直白|委婉|客气|随意|正式|坦率|绕弯)"
            r"|语气|口吻|口语化|书面语|正式一?点|客气|委婉|文风",
        ),
        (
            "writing/format",
            r"bullet(?:ed)?(?: points?| lists?)?\b|numbered lists?"
            r"|(?<!window )(?<!corner )\btables?\b(?! (?:by|near"
            r"|tennis|for|at))|markdown|headings?"
            r"|plain text|step[- ]by[- ]step|paragraphs|code blocks?|\bdiagrams?\b"
            r"|(?:json|ya?ml|xml|csv|html) ?(?:format|格式)"
            r"|表格|列表|要点|分点|分条|条目|标题|编号|步骤|纯文本|段落|图表|思维导图",
        ),
        (
            "coding/indentation",
            r"\btabs\b|\bindent(?:ation|ed|s)?\b|\b(?:two|four|2|4|8)[- ]spaces?\b"
            r"|\bspaces (?:over|to|for)|(?<!open )(?<!green )\bspaces\Z|缩进|空格",
        ),
        (
            "coding/naming",
            r"snake[_ ]?case|camel[- ]?case|pascal[- ]?case|kebab[- ]?case|naming|variable names?"
            r"|命名|变量名|函数名|驼峰|下划线|蛇形",
        ),
        (
            "coding/type_hints",
            r"type[- ](?:hints?|annotations?)|\btyped\b|`any`|类型(?:注解|标注|提示)",
        ),
        ("coding/comments", r"(?:code )?comments\b|docstrings?|注释|文档字符串"),
        ("coding/commit_messages", r"commit messages?|conventional commits|提交(?:信息|说明|记录)"),
        ("coding/quotes", r"(?:single|double) quotes|单引号|双引号"),
        ("coding/semicolons", r"semicolons?|分号"),
        ("coding/line_length", r"line (?:length|width)|characters per line|行宽|每行"),
        (
            "coding/paradigm",
            r"functional (?:style|programming)|object[- ]oriented|\boop\b|函数式|面向对象",
        ),
        (
            "tools/editor",
            r"\b(?:neo)?vim?\b|\bnvim\b|\bemacs\b|vs ?code|visual studio|sublime|jetbrains"
            r"|pycharm|intellij|webstorm|goland|clion|\bnano\b|helix|\bzed\b|\bcursor\b|textmate"
            r"|xcode|android studio|\beditors?\b|\bides?\b|编辑器|开发环境",
        ),
        (
            "tools/package_manager",
            r"package managers?|\b(?:p?npm|yarn|pip|pipx|poetry|conda|mamba|homebrew|brew|bun|pdm"
            r"|uv)\b|包管理",
        ),
        (
            "tools/shell",
            r"\b(?:bash|zsh|fish shell|powershell|nushell)\b|\bshells?\b(?! script)(?! ?脚本)",
        ),
        (
            "tools/terminal",
            r"\b(?:iterm2?|alacritty|kitty|wezterm|ghostty|tmux|windows terminal)\b|\bterminals?\b"
            r"|终端",
        ),
        (
            "tools/notes",
            r"\b(?:obsidian|notion|evernote|onenote|logseq|roam|bear|apple notes|joplin"
            r"|zettelkasten)\b|notes? app|note-taking|印象笔记|有道云|记笔记|语雀|笔记软件",
        ),
        (
            "tools/browser",
            r"\b(?:chrome|chromium|firefox|safari|edge|brave|vivaldi|opera|arc)\b|\bbrowsers?\b"
            r"|浏览器",
        ),
        (
            "tools/os",
            r"\b(?:linux|ubuntu|debian|fedora|arch|nixos|mac ?os|windows(?: 1[01])?|macbook"
            r"|macs?)\b|operating system|操作系统|苹果电脑",
        ),
        ("tools/phone", r"\b(?:iphone|android|pixel|galaxy)\b|安卓|苹果手机|华为手机"),
        (
            "tools/search_engine",
            r"\b(?:duckduckgo|kagi|google search|bing)\b|search engine|搜索引擎",
        ),
        (
            "tools/mail",
            r"\b(?:thunderbird|gmail|outlook|protonmail|fastmail|apple mail)\b|(?:mail"
            r"|email) client|邮箱客户端",
        ),
        (
            "tools/password_manager",
            r"\b(?:bitwarden|1password|keepass(?:xc)?|lastpass)\b|password manager|密码管理",
        ),
        (
            "tools/keyboard",
            r"\b(?:dvorak|colemak|qwerty|mechanical keyboard)\b|keyboard(?: layout)?|机械键盘"
            r"|输入法|键盘",
        ),
        ("tools/design", r"\b(?:figma|sketch|photoshop|affinity|canva|illustrator)\b"),
        ("tools/calendar", r"\b(?:google calendar|fantastical|calendar app)\b|日历应用"),
        (
            "tools/task_list",
            r"\b(?:todoist|ticktick|things 3|omnifocus|trello|asana|linear)\b|滴答清单",
        ),
        ("tools/version_control", r"\b(?:git|mercurial|svn|jujutsu)\b(?!\s*(?:push|commit|hub))"),
        ("tools/database", r"\b(?:postgres(?:ql)?|mysql|sqlite|mongodb|mariadb|duckdb)\b"),
        (
            "tools/test_framework",
            r"\b(?:pytest|jest|vitest|junit|rspec|unittest|mocha|playwright|cypress)\b|测试框架",
        ),
        ("tools/container", r"\b(?:docker|podman|kubernetes)\b"),
        (
            "ui/theme",
            r"\b(?:dark|light|night)[- ](?:mode|theme|themes|interface|background)|dark ui"
            r"|\b(?:colou?r|editor|ui|app|my|system) theme\b|\btheme\Z|(?:深色|浅色|暗色|亮色"
            r"|暗黑|夜间|白天)(?:主题|模式|界面|背景|的?)?"
            r"|主题(?:颜色|色)",
        ),
        (
            "ui/font_size",
            r"font size|(?:large|big|small|bigger|larger|smaller)r? (?:fonts?|text|type)|字号"
            r"|大字体|小字体|字体(?:大|小|调)",
        ),
        ("ui/font", r"\bfonts?\b|serif|monospace|typeface|字体"),
        ("ui/layout", r"\bsidebar\b|split view|full ?screen|侧边栏|分屏|全屏|布局"),
        ("ui/notifications", r"notifications?|pop-?ups?|通知(?!我)|弹窗|推送"),
        (
            "other/units",
            r"\bmetric\b|\bimperial\b|celsius|fahrenheit|kilomet(?:er|re)s|\bmiles\b|公制|英制"
            r"|摄氏|华氏|公里|单位",
        ),
        (
            "other/date_format",
            r"date formats?|\biso 8601\b|yyyy|dd/mm|mm/dd|日期格式|日期(?:都|请|一律|统一|用|写)",
        ),
        ("other/time_format", r"24[- ]?hour|12[- ]?hour|am/pm|24\s*小时制|12\s*小时制"),
        (
            "other/currency",
            r"\b(?:prices?|amounts?) in \w+|in (?:euros|dollars|pounds)|人民币|美元计价|欧元计价",
        ),
        (
            "other/meeting_time",
            r"\b(?:meetings?|calls?|appointments?)\b.{0,40}\b(?:morning|afternoon|evening|before"
            r"|after|noon|am|pm|mondays?|fridays?|weekends?|days?)"
            r"|\b(?:morning|afternoon|evening) (?:meetings|calls|appointments)|(?:会议|开会"
            r"|电话会|预约|约会|见面).{0,10}(?:上午|下午|早上|晚上|点|周)",
        ),
        (
            "other/contact",
            r"\bcontact(?:ed|ing)?\b|\breach(?:ed)? (?:me|out)|(?:phone calls?|email|texting"
            r"|texts?|voice messages?) (?:over|rather than|instead of|to|than)|联系(?:我|方式)"
            r"|语音(?:消息)?|打电话",
        ),
        (
            "other/seat",
            r"\b(?:aisle|window|exit[- ]row|middle) seats?|seats? (?:on|by|near)|靠窗|靠过道"
            r"|靠走道|座位",
        ),
        ("other/hotel", r"\bhotels?\b|\bhostels?\b|\bairbnbs?\b|酒店|宾馆|民宿"),
        (
            "other/transport",
            r"\b(?:trains?|flying|fly|bus|driving|subway|public transport)\b|高铁|火车|飞机|地铁"
            r"|公交|打车|自驾",
        ),
        (
            "coding/language",
            r"\b(?:python|rust|golang|java|javascript|typescript|kotlin|swift|ruby|haskell|scala"
            r"|elixir|clojure|php|perl|lua|julia|zig|c\+\+|c#|ocaml|f#)(?![\w+#])|编程语言|主力语言"
            r"|(?<![A-Za-z])Go(?:\s*语言)",
        ),
        (
            "coding/",
            r"\b(?:code|coding|commit|commits|push|merge|rebase|branch|deploy\w*"
            r"|release|refactor\w*|functions?|(?:base |data|sub)classes|scripts?|sql|quer(?:y"
            r"|ies)|api|tests?"
            r"|testing|tdd|unit tests|lint\w*|pull requests?|prs?|database|migrations?"
            r"|prod(?:uction)?|(?:code|third-party|standard|open[- ]source) librar(?:y|ies)"
            r"|dependenc(?:y|ies)|regex|json|yaml|exceptions?"
            r"|monorepos?|microservices?)\b"
            r"|代码|编程|提交|部署|上线|发布|测试|脚本|函数|数据库|接口|分支|合并|重构|依赖|变量"
            r"|报错|配置文件",
        ),
        (
            "writing/",
            r"\b(?:answers?|answering|repl(?:y|ies)|respond|responses?|explain|explanations?"
            r"|examples?|summar(?:y|ies|ise|ize)|reports?|emails?|drafts?|letters?|articles?"
            r"|essays?|translat\w+|words?|wording|jargon|writing|write|sentences?|instructions|metaphors?|documentation)\b"
            r"|回答|回复|答案|解释|例子|举例|总结|周报|日报|报告|邮件|文案|文章|作文|翻译|措辞"
            r"|文档|写作|稿",
        ),
        (
            "tools/",
            r"\b(?:apps?|software|tools?|plugins?|extensions?|ai|chatgpt|laptop|tablet)\b|软件"
            r"|工具|插件|应用",
        ),
        (
            "ui/",
            r"\b(?:colou?rs?|screen|interface|icons?|animations?|buttons?)\b|界面|按钮|动画|图标",
        ),
    )
)
FACETS: Final = frozenset(topic.name for topic, _ in _TOPICS if topic.name)
"""The names of what has one value at a time."""
OF_TOOLS: Final = frozenset(("tools", "ui", "coding"))
"""The scopes of what somebody works with."""
OF_STYLE: Final = frozenset(("writing", "ui", "coding"))
"""The scopes of how something is to look or read."""

# Products that go by an everyday word; in small letters and among likings the word is meant.
_EVERYDAY: Final = pattern(
    r"\b(?:opera|edge|arc|brave|safari|bear|linear|cursor|sketch|galaxy|pixel|kitty|helix|nano|yarn"
    r"|conda|arch|julia|notion|roam|brew|bun|poetry|bash|mocha|asana|zed|cypress|affinity|fish)\b"
)

_KINDS: Final = {
    **dict.fromkeys(("colour", "color", "颜色"), "color"),
    **dict.fromkeys(("food", "dish", "meal", "食物", "菜", "美食"), "food"),
    **dict.fromkeys(("drink", "beverage", "饮料", "饮品"), "drink"),
    **dict.fromkeys(("movie", "film", "电影"), "film"),
    **dict.fromkeys(("book", "novel", "书", "小说"), "book"),
    **dict.fromkeys(("music", "band", "singer", "音乐", "歌手", "乐队"), "music"),
    **dict.fromkeys(("song", "歌", "歌曲"), "song"),
    **dict.fromkeys(("sport", "运动"), "sport"),
    **dict.fromkeys(("city", "城市"), "city"),
    **dict.fromkeys(("season", "季节"), "season"),
    **dict.fromkeys(("fruit", "水果"), "fruit"),
    **dict.fromkeys(("animal", "动物"), "animal"),
    **dict.fromkeys(("cuisine", "菜系"), "cuisine"),
    **dict.fromkeys(("programming language", "编程语言"), "programming_language"),
}
_FILLER: Final = pattern(
    r"\b(?:please|always|never|ever|no need|from now on|going forward|in (?:the )?future|every time"
    r"|each time|whenever|by default"
    r"|do not|don'?t|stop|avoid|not|any ?more|anymore|the|an?|my|me|your?|all|any|only|to|just|i"
    r"|it|i'd|can|could|would|should|must|will|if|make sure|in|for|of|on|and|want)\b"
    r"|以后|今后|往后|从现在(?:起|开始)|从今(?:天起|往后|以后)|每次|一律|始终|永远|总是|统一|请"
    r"|都要?|不(?:要|用|必|需要)再?|别再?(?!人)|我的?|给|一定要?|必须|务必|尽量|了\Z",
    _I,
)
_TAIL: Final = pattern(
    r"(?:(?<![,\s])[,\s]++(?:please|by the way|btw|now|though|too|as well|actually|in general"
    r"|generally|thanks"
    r"|thank you|anyway|personally|to be honest|honestly|every time)){1,6}\W*+\Z"
    r"|(?:哈|啊|呀|呢|哦|吧|的说|谢谢){1,6}\W*+\Z",
    _I,
)
_PIECE: Final = pattern(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff][\w'+#.-]*")


def topic_of(*texts: str) -> Topic | None:
    """Return what a preference is about, judged by the first of the texts that tells."""
    return next(filter(None, map(_topic, filter(None, texts))), None)


@lru_cache(maxsize=256)
def _topic(text: str) -> Topic | None:
    """Return the first topic that a text speaks of; a clause is asked about many times."""
    shown = text[:_TELLING]
    return next((topic for topic, words in _TOPICS if words.search(shown)), None)


def in_everyday_words(text: str) -> str:
    """Return a text without the words that name a product as well as an everyday thing."""
    return _EVERYDAY.sub(" ", text)


def named(topic: Topic | None, words: str) -> Topic:
    """Return a topic with a name; where it has none, the preference's own words give one."""
    if topic and topic.name:
        return topic
    return Topic(topic.scope if topic else "other", own_name(words))


def own_name(words: str) -> str:
    """Return a short name made of the telling words of a text."""
    room = _LONGEST_NAME * 2
    kept: list[str] = []
    for piece in _PIECE.findall(_FILLER.sub(" ", words)):
        wide = piece[0] >= "\u3400"
        kept.append(piece[:_LONGEST_WIDE] if wide else piece)
        room -= min(len(piece), _LONGEST_WIDE) if wide else 2
        if room <= 0:
            break
    return slug(" ".join(kept)) or slug(words) or "general"


def trimmed(text: str) -> str:
    """Return what is liked without the fillers behind it."""
    return tidy(_TAIL.sub("", text))


def favourite_name(kind: str) -> str:
    """Return the name of somebody's favourite of a kind."""
    kind = kind.strip().lower()
    return f"favourite_{_KINDS.get(kind) or _KINDS.get(kind.rstrip('s')) or own_name(kind)}"
