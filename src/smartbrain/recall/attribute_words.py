"""The words that people use for what memories hold: those of an attribute or of a memory type.

In: the name of an attribute, such as location, or of a type of memories. Out: the other words in
which the same is said, in Chinese and English: the ontology's cue words one by one. "I live in
Munich" and "I moved to Munich" both tell a home. What the ontology does not name has a few here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from smartbrain.recall.synonyms import stem_of
from smartbrain.text.ontology import load_ontology

# Types of memories, and what profiles hold beside the attributes of the ontology.
_OTHERS: Final = {
    "preferences": "prefer preference favorite favourite like love enjoy 偏好 喜欢 喜爱 爱 最爱"
    " 习惯",
    "tasks": "task todo need must remind reminder 任务 待办 要 需要 得 提醒",
    "goals": "goal aim want plan 目标 想 想要 计划 打算",
    "decisions": "decision decided decide chose choose use using 决定 选 选择 选定 用 使用 采用",
    "family": "family have 家人 家庭 有",
    "marital_status": "married single marital status 婚姻 结婚 已婚 单身",
    "religion": "religion believe 宗教 信仰 信",
    "business": "business company own run 公司 生意 经营 开",
    "time_zone": "timezone time zone 时区",
}


@lru_cache(maxsize=256)
def words_of(name: str, memory_type: str = "") -> frozenset[str]:
    """Return the stems, and the Chinese words, in which an attribute or a type is told."""
    attribute = load_ontology().attribute(name, memory_type)
    phrases = [name, _OTHERS.get(name, "")]
    if attribute:
        phrases += [attribute.name, *attribute.aliases, *attribute.cues]
    words = {word for phrase in phrases for word in phrase.replace("_", " ").split()}
    return frozenset(stem_of(word) if word.isascii() else word for word in words)
