"""What an assistant proposes or guesses, read as what it amounts to once the user agrees (C1).

In: the assistant's message. Out: the last proposal in it: what type of memory it would be and the
same thing in the user's own words, so that the finders of that type can read it ("You prefer dark
themes, right?" becomes "I prefer dark themes"). Offers to do something at once amount to nothing.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.sentences import sentence_spans

_I: Final = 0x02  # re.IGNORECASE
_READ_CHARACTERS: Final = 2_000
_READ_SENTENCES: Final = 5


class Proposal(NamedTuple):
    """Something proposed: `words` name it, `statement` says it as the user would."""

    type: str
    words: str
    statement: str
    status: str = ""
    asked: bool = False


_OFFER: Final = (
    r"(?:shall|should|can|could|may) i (?:also |just |go ahead and )*|(?:do you "
    r"|would you like me to |d'you )"
    r"?(?:want me to |like me to )|would you like me to |i (?:can|could|will|[’']ll) (?:also )?"
)
_TASK_EN: Final = sign(
    rf"(?:{_OFFER})(?:please )?(?:(?:add|put|write|note|record|place) (?P<a>[^?]{{2,120}}?) (?:to"
    rf"|on|in|down on|into)"
    r" (?:your|the|our|my) (?:[\w-]+ )?(?:to-?dos?|tasks?|list|backlog)\b"
    r"|(?:create|add|open|make|set up|log|set) (?:a|an) (?:new )?(?:task|to-?do(?: item)?"
    r"|reminder|ticket|item|note)"
    r"(?: for you| on your list)?(?: to| for|:| called| named| about) ?(?P<b>[^?]{2,120})"
    r"|remind you (?:to|about) (?P<c>[^?]{2,120})|remember to (?P<d>[^?]{2,120}))",
    _I,
)
_TASK_ZH: Final = sign(
    r"(?:把|将)(?P<a>[^，,？?。]{2,60}?)(?:也)?(?:加到|加进|加入|加在|放到|放进|放入|列入|列进"
    r"|列到|记到|记入|记进|记在|写进|写入|写到|添加到|添加进|存到)(?:您的|你的|我们的)?"
    r"(?:待办|任务|清单|日程|备忘|to-?do|todo)"
    r"|(?:加|建|记|新建|创建|添加|设)(?:上|一)?(?:[个条项])?(?:待办|任务|提醒"
    r"|todo)(?:事项)?[：:，, 「“\"]*+(?P<b>[^，,？?。]{2,60}?)(?:的?(?:待办"
    r"|任务))?[”」\"]?(?=[吗吧好可行？?。，,]|\Z)"
    r"|提醒(?:您|你)(?:去)?(?P<c>[^，,？?。]{2,60}?)(?=[吗吧？?。，,]|\Z)",
    _I,
)
_DONE: Final = (
    "finished|done|completed?|ready|fixed|merged|deployed|sent|submitted|shipped|resolved|paid"
    "|closed"
)
_STATUS_EN: Final = sign(
    r"(?:\A|[,:;.] |so )(?:and |so |just to check, )?(?:(?:is|are|was|were|has|have) )?(?:the "
    r"|your |that )?"
    rf"(?P<a>(?!you\b|i\b|it\b|that\b|this\b|everything\b)[^?,]{{2,80}}?) (?:(?:is|are|was"
    rf"|already|all|now|been|finally) ){{0,4}}(?P<done>{_DONE})"
    r"(?: now| already| yet| by now)?(?:, (?:right|correct|yes|is that (?:right|correct)))?\s*\?"
    r"|(?:have|did) you (?:already )?(?:finish(?:ed)?|completed?|done|wrap(?:ped)? up|fix(?:ed)?"
    r"|sent|send|submit(?:ted)?) (?:the |your )?"
    r"(?P<b>[^?,]{2,80}?)(?: already| yet)?\s*\?"
    r"|are you (?:all )?(?:done|finished) with (?:the |your )?(?P<c>[^?,]{2,80}?)(?: already"
    r"| yet)?\s*\?"
    r"|(?:is|are) (?:the |your )?(?P<d>[^?,]{2,80}?) (?:still )?(?P<blocked>blocked|stuck"
    r"|on hold)(?: [^?]{0,60})?\?"
    r"|(?:is|are) (?:the |your )?(?P<e>[^?,]{2,80}?) (?:still )?(?P<doing>in progress|ongoing"
    r"|underway)\?"
    r"|are you (?:still |currently )?(?P<doing2>working) on (?:the |your )?(?P<f>[^?,]{2,80}?)\?",
    _I,
)
_STATUS_ZH: Final = sign(
    r"(?P<a>[^，,。：:？?]{2,40}?)(?:这一?[项个件]|那一?[项个件])?(?:任务|事)?(?:您|你)?(?:是不是"
    r"|是否)?(?:已经|都){0,3}"
    r"(?:(?P<done>完成|做完|搞定|写完|弄好|弄完|处理完|处理好|改完|改好|修好|修完|提交|办好|办完"
    r"|交了|发出去|发了|合并)|(?P<blocked>卡住|被?阻塞|搁置)|(?P<doing>还?在进行中?|还在做))"
    r"(?:了)?(?:吗|没有?|吧|是吗|对吗|对吧|，对吗|，对吧|，是吗)\s*[？?]?"
)
_STANDING_EN: Final = sign(
    rf"(?:{_OFFER})(?P<a>(?:always|never|keep|stop|from now on|by default|in future|going forward"
    rf"|only)\b[^?]{{3,140}})"
    rf"|(?:{_OFFER})(?P<b>[^?]{{3,120}}? (?:from now on|in (?:the )?future|every time|by default"
    rf"|going forward|always|for all [\w ]+|each time|as (?:a|the|your) default)\b[^?]{{0,40}})",
    _I,
)
_STANDING_ZH: Final = sign(
    r"(?P<a>(?:以后|今后|从现在起|从今往后|往后)[^？?。]{3,80})|(?:要不要|需要|是否"
    r"|可以)(?:我)?(?P<b>(?:总是|一直|始终|默认|每次)[^？?。]{3,60})"
)
_LIKING_EN: Final = sign(
    r"(?<![A-Za-z])(?<!would )you(?: (?:seem to|appear to|probably|clearly|usually|generally"
    r"|always|also|really|would|tend to|still|rather|mostly|actually))*"
    r" (?P<verb>prefer|like(?! (?:me|it|this|that|them|to)\b)|love|favou?r|use|hate|dislike"
    r"|don[’']t like|enjoy|avoid)s? (?!it\b|this\b|that\b)(?P<a>[^?.]{2,100})",
    _I,
)
_LIKING_ZH: Final = sign(
    r"(?:您|你)(?:是不是|是否|应该|似乎|好像|看来|可能|大概|平时|一般|一直|也|都|更|比较|还是|挺"
    r"|很|\s)*"
    r"(?P<verb>不喜欢|喜欢|偏好|偏爱|习惯|倾向于?|讨厌|爱用|常用|习惯用"
    r"|prefer)(?P<a>[^，,？?。！!]{2,50}?)(?=[吧吗，,？?。！!]|\Z)",
    _I,
)
_PROFILE_EN: Final = sign(
    r"(?<![A-Za-z])(?:(?:you[’']re|you are|are you|you must be|you (?:seem|appear) to be"
    r"|you sound like) (?P<role>(?:an?|the) (?!bit|little|lot|great|good|genius"
    r"|star)[^?.,]{2,80})"
    r"|you (?:probably |also |currently )?(?P<fact>(?:work|live|study|teach|come|run) (?:at|for"
    r"|in|as|from|an?|with) [^?.,]{2,80})"
    r"|do you (?P<asked>(?:work|live|study|teach|come) (?:at|for|in|as|from|with) [^?.,]{2,80}))",
    _I,
)
_PROFILE_ZH: Final = sign(
    r"(?:您|你)(?:是不是|应该|大概|可能|目前|现在|也)*(?P<a>是(?:一[名个位])?(?!想|要|说|指|不是"
    r"|否|更|喜欢|在问|需要|怎么|打算)[^，,？?。]{2,30}?|在[^，,？?。]{2,20}(?:工作|上班"
    r"|做[^，,？?。吧吗]{1,10}|读书|上学)|住在?[^，,？?。]{2,20}?|来自[^，,？?。]{2,20}?)"
    r"(?=[吧吗，,？?。]|\Z)"
)
# What is offered to be done once, such as running the tests, is no choice.
_CHOOSE_EN: Final = (
    r"(?=(?:use|go with|switch|choose|pick|keep|adopt|stick|name|call|standardi[sz]e) )"
)
_DECISION_EN: Final = sign(
    r"(?<![A-Za-z])(?:(?:i(?:[’']d| would)? (?:also |strongly |therefore )?(?:suggest|recommend"
    r"|propose|advise)(?: that)?"
    r"|(?:my|the) (?:suggestion|recommendation|proposal|advice|pick) (?:is|would be"
    r"|here is)(?: that)?|(?:my|the) (?:suggestion|recommendation|proposal)(?=:)"
    r"|(?:i[’']d|i would) (?=(?:go with|use|choose|pick|opt for) )|how about|what about"
    r"|what if we|shall we|should we|why don[’']t we"
    r"|why not|let[’']s|we (?:could|should|can|might)"
    rf"|(?:shall|should) i {_CHOOSE_EN}|(?:do you )?want (?:me )?to {_CHOOSE_EN}"
    rf"|would you like (?:me )?to {_CHOOSE_EN}"
    rf"|do you want to {_CHOOSE_EN})(?: here| for now)?:?\s*)(?P<a>[^?]{{2,200}})"
    r"|(?P<b>[\w .+#'-]{2,40}) (?:would be|is|seems) (?:the|my) (?:best|recommended|better"
    r"|right) (?:choice|option|fit|pick)(?P<c>[^?.]{0,60})",
    _I,
)
_DECISION_ZH: Final = sign(
    r"(?:(?:我|这里)?(?:更|比较|强烈|还是)?(?:建议|推荐|提议|倾向于?)(?:是|您|你|我们|大家"
    r"|咱们)?(?:可以|考虑|先)?[：:]?"
    r"|要不要(?:我|我们)?(?=[^？?]{0,20}(?:用|选|采用|改|换|定|叫|放|走|按|上))|不如(?:就|我们)?"
    r"|要不(?!要)(?:就|我们)?|不妨|那?我们(?:就)?(?=用|选|采用|改|换|定|把|按)|我(?:觉得|认为"
    r"|想)(?=[^，,？?。]{0,4}(?:用|选|采用|改|换)[^，,？?。]{1,40}(?:合适|更好|最好|稳妥|可行"
    r"|就行|比较好))"
    r"|是否(?=用|选|采用"
    r"|改|换)|要我(?=用|选|采用|改|换)|可以考虑|那就(?=用|选|按|定))"
    r"\s*(?P<a>[^？?。]{2,120})"
)
_ADVICE: Final = pattern(
    r"(?<![A-Za-z])(?:you (?:should|need to|have to|must|(?:may|might) want to|ought to"
    r"|still need to|could)|don[’']t forget to|remember to"
    r"|make sure (?:to|you)) (?P<a>[^?.;]{3,120})|(?:您|你)?(?:需要|应该|得|最好|记得|别忘了"
    r"|务必)(?:先|去)?(?P<b>[^，,？?。]{2,60})",
    _I,
)
_TAG: Final = pattern(
    r"(?:[,，]\s*+|(?<!\s)\s++)?(?<![A-Za-z])(?:(?:is that|am i|that[’']s|is this)"
    r" (?:correct|right|ok(?:ay)?|fine)|right"
    r"|correct|ok(?:ay)?|yes|isn[’']t it|don[’']t you"
    r"|aren[’']t you|sound(?:s)? good|does that work(?: for you)?|is that so|what do you think"
    r"|agreed"
    r"|(?:您|你|大家)?(?:看|觉得|认为|感觉|意下|说)?(?:这样|这个|这么做|这方案)?(?:可以|好|行|对"
    r"|是|这样)"
    r"(?:吗|不好|不行|吧|么)|(?:您|你|大家)?(?:看|觉得|认为|感觉|意下)?(?:这样|这个"
    r"|这么做)?(?:怎么样|怎样|如何|呢|好不好)"
    r"|行不行|可不可以|对不对|是吧|对吧|好吗|您看呢|你看呢|吗|吧)\s*+(?:[?？。.]++\s*+)?\Z",
    _I,
)
_TAG_ONLY: Final = pattern(
    r"[^\w?？]*+(?:(?:(?:does|would|will) (?:that|this|it) (?:work|sound|make sense|suit|do|be)"
    r"|what do you think|how does (?:that|this) (?:sound|look)"
    r"|is (?:that|this|it) (?:ok(?:ay)?|fine|right|correct|good)|sounds? (?:good|ok(?:ay)?)"
    r"|ok(?:ay)?|right|correct|agreed|deal|any objections"
    r"|do you agree|shall (?:i|we) (?:proceed|go ahead|do (?:that|it|this))|should (?:i"
    r"|we) (?:proceed|go ahead|do (?:that|it|this))|ready)\b[^?]{0,40}\?"
    r"|(?:您|你|大家)?(?:看|觉得|认为)?(?:这样|这个|如何|怎么样)?(?:可以|好|行|对|怎么样|如何|同意"
    r"|没问题|ok|呢|吗|要|确认)?(?:吗|不好|吧|么|呢)?[？?])\W*+",
    _I,
)
# "Should we do that?", 要这样做吗？: it names nothing, and asks about what was said before it.
_THAT: Final = r"(?:that|it|this|so|them|(?:that|this|the same) (?:one|way|approach|plan|option))"
_POINTS_BACK: Final = pattern(
    r"\W*(?:(?:so|then|well|ok(?:ay)?|and),? )*"
    r"(?:(?:shall|should|can|could|will|may|would) (?:we|i)"
    r"|(?:(?:do|would|did) )?(?:you|we)? ?(?:want|like|care|wish|wanna) ?(?:me |us )?(?:to)?"
    r"|how about we|why don['’]t we|are you (?:ok(?:ay)?|fine|happy) with)"
    r"(?: (?:just |maybe )?(?:do|doing|try|use|go (?:with|for|ahead with)|adopt|choose|pick|take"
    rf"|proceed with|start with|stick (?:with|to)|settle on))?(?: {_THAT})?(?:,? (?:then|now|too"
    r"|please|here|instead|together))*\s*[?？]\W*"
    r"|\W*(?:那么?)?(?:您|你|我们|咱们?|大家)*(?:觉得|看|想)?(?:要不要|可不可以|能不能|行不行|是否要?"
    r"|可以|要|能|想)?(?:我们?|咱们?)?(?:就|先|也)*(?:按|照)?(?:这样|这么|如此|此|这个(?:方案|思路)?)"
    r"(?:去)?(?:做|办|定|来|弄|搞|进行|处理|走|实施|执行|用)?(?:下去)?(?:好|行|可以)?(?:吗|么|吧|呢|不)?"
    r"\s*[？?]\W*",
    _I,
)
# "Shall I set it up?": who says yes to that has agreed to what was suggested before it.
_CARRIED_OUT: Final = pattern(
    r"\W*(?:(?:so|then|if so|ok),? )*(?:(?:shall|should|can|could|may) (?:i|we)"
    r"|(?:do you |would you )?(?:want|like) (?:me|us) to"
    r"|(?:are you )?ready (?:for me )?to) (?:now |also |just |already "
    r"|go ahead and )*(?:start|begin|proceed|go ahead|set|implement|do|make|write|create|configure"
    r"|install|apply|draft|prepare|migrate|switch|update|put|build|get started|scaffold|wire"
    r"|code)\b[^?]{0,80}\?"
    r"|\W*(?:那|所以)?(?:要不要|需不需要|是否需要|需要|要|是否|可以)(?:我们?)(?:现在|帮您?你?"
    r"|为您?你?|来|直接|先|马上|就|这就|去|\s)*"
    r"(?:开始|动手|执行|实施|搭建|搭|配置|写|改|做|部署|安装|迁移|切换|更新|创建|准备|处理|落实"
    r"|实现|接入|弄|搞)[^？?]{0,30}[？?]",
    _I,
)
_ALTERNATIVES: Final = pattern(r"(?<![a-z])or(?![a-z])|还是(?!更|比较|用|选)|或者|or not", _I)
_QUOTES: Final = "'\"“”‘’「」『』《》` "


def last_proposal(message: str) -> Proposal | None:
    """Return what a message last proposes, None when its last question asks something else."""
    text = message[-_READ_CHARACTERS:]
    spans = sentence_spans(text)[-_READ_SENTENCES:]
    for start, end in reversed(spans):
        sentence = text[start:end]
        if _POINTS_BACK.fullmatch(sentence):
            continue
        found = _proposal(sentence)
        if found:
            asked = sentence.rstrip(_QUOTES).endswith(("?", "？")) or text.rstrip().endswith(
                ("?", "？")
            )
            return found._replace(asked=asked)
        closes = _TAG_ONLY.fullmatch(sentence) or _CARRIED_OUT.match(sentence)
        if sentence.rstrip(_QUOTES).endswith(("?", "？")) and not closes:
            return None
    return None


def advised(message: str) -> Proposal | None:
    """Return what a message last tells the user to do."""
    for found in reversed(list(_ADVICE.finditer(message[-_READ_CHARACTERS:]))):
        words = _named(found)
        if words:
            return _task(words)
    return None


def _proposal(sentence: str) -> Proposal | None:
    """Return what one sentence proposes."""
    for form in (_TASK_EN, _TASK_ZH):
        if found := form.search(sentence):
            return _task(_named(found))
    for form in (_STATUS_EN, _STATUS_ZH):
        if (found := form.search(sentence)) and sentence.rstrip(_QUOTES)[-1:] in "?？":
            return _progress(found)
    untagged = _TAG.sub("", sentence)
    if _ALTERNATIVES.search(untagged) and sentence.rstrip()[-1:] in "?？":
        return None
    for form in (_STANDING_EN, _STANDING_ZH):
        if found := form.search(untagged):
            return _standing(_named(found))
    return _guess(untagged) or _choice(untagged, asked=untagged != sentence)


def _named(found: re.Match[str]) -> str:
    """Return the words that a form has found, without quotation marks."""
    named = next((text for text in found.groups() if text and len(text) > 1), "")
    return tidy(_TAG.sub("", named).strip(_QUOTES)).strip(_QUOTES)


def _task(title: str) -> Proposal | None:
    if not title:
        return None
    return Proposal(
        "tasks", title, f"I need to {title}." if title.isascii() else f"待办：{title}", "todo"
    )


def _progress(found: re.Match[str]) -> Proposal | None:
    groups = found.groupdict()
    title = tidy(next((groups[name] for name in "abcdef" if groups.get(name)), "").strip(_QUOTES))
    if not title:
        return None
    status = "blocked" if groups.get("blocked") else "done"
    if groups.get("doing") or groups.get("doing2"):
        status = "doing"
    said = {
        "done": ("done", "已经完成了"),
        "blocked": ("blocked", "卡住了"),
        "doing": ("in progress", "还在进行中"),
    }
    english, chinese = said[status]
    statement = f"The {title} is {english}." if title.isascii() else f"{title}{chinese}。"
    return Proposal("tasks", title, statement, status)


def _standing(words: str) -> Proposal | None:
    if not words:
        return None
    mine = _mine(words)
    return Proposal("preferences", mine, f"From now on, {mine}." if mine.isascii() else mine)


def _guess(sentence: str) -> Proposal | None:
    """Return what a sentence supposes about the user."""
    if found := _LIKING_EN.search(sentence):
        said = f"{found['verb'].lower()} {_mine(tidy(_TAG.sub('', found['a'])))}"
        return Proposal("preferences", said, f"I {said}.")
    if found := _LIKING_ZH.search(sentence):
        said = f"{found['verb']}{_mine(found['a'].strip())}"
        return Proposal("preferences", said, f"我{said}。")
    if found := _PROFILE_EN.search(sentence):
        if found["role"]:
            return Proposal("profile", found["role"].strip(), f"I'm {found['role'].strip()}.")
        said = (found["fact"] or found["asked"]).strip()
        return Proposal("profile", said, f"I {said}.")
    if found := _PROFILE_ZH.search(sentence):
        return Proposal("profile", found["a"].strip(), f"我{found['a'].strip()}。")
    return None


def _choice(sentence: str, *, asked: bool) -> Proposal | None:
    """Return what a sentence suggests."""
    found = _DECISION_EN.search(sentence) or _DECISION_ZH.search(sentence)
    if found := found or (_MAY_ZH.match(sentence) if asked else None):
        words = tidy(
            _LEAD.sub("", _TAG.sub("", found[0] if found.groupdict().get("b") else found["a"]))
        )
        words = words if "，" in words or "," in words else _FIT_ZH.sub("", words)
        return Proposal("decisions", words, words) if len(words) > 1 else None
    return None


_MAY_ZH: Final = pattern(
    r"\W*(?:我们|这里|那)?(?:可以|能)(?:先|直接)?(?P<a>(?:用|选|采用|改用|换成)[^？?。]{2,120})"
)
_FIT_ZH: Final = pattern(
    r"(?<=[^，,]{3})(?:会|可能|应该){0,3}(?:比较|更|最|更加)?(?:合适|好|稳妥|可行)(?:一[些点])?\Z"
)
_LEAD: Final = pattern(
    r"\A\s*(?:(?:that |you |we |us |our team |to |just )*(?:should |could |can )?)(?:(?:using|use"
    r"|going with|go with) )?",
    _I,
)
_YOUR: Final = pattern(r"(?<![A-Za-z])your(?![A-Za-z])|(?:您|你)的?", _I)


def _mine(words: str) -> str:
    """Return words about "you" as the user would say them."""
    return _YOUR.sub(
        lambda found: "my" if found[0].isascii() else "我" + "的" * found[0].endswith("的"), words
    )
