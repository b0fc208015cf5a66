"""Example values of every built-in type, in Chinese and English."""

from __future__ import annotations

from typing import Any

Example = tuple[str, str, dict[str, Any], str]
"""A type, a key, a value of the documented shape, and the line that it reads as."""

EXAMPLES: list[Example] = [
    (
        "profile",
        "profile:user",
        {"subject": "user", "facts": [{"k": "role", "v": "editor", "since": "2024-05-17"}]},
        "user — role: editor (since 2024-05-17)",
    ),
    (
        "profile",
        "profile:user",
        {
            "subject": "user",
            "facts": [
                {"k": "职业", "v": "秘书长", "until": "2026-06-30", "claims": ["clm_1"]},
                {"k": "孩子", "v": 2},
            ],
        },
        "user — 职业: 秘书长; 孩子: 2",
    ),
    (
        "preferences",
        "pref:writing:tone",
        {"scope": "writing", "name": "tone", "value": "focused and exacting", "priority": 0.8},
        "writing — tone: focused and exacting",
    ),
    (
        "preferences",
        "pref:other:回答语言",
        {"scope": "other", "name": "回答语言", "value": "优先中文"},
        "other — 回答语言: 优先中文",
    ),
    (
        "preferences",
        "pref:ui:dark_mode",
        {"scope": "ui", "name": "dark_mode", "value": True},
        "ui — dark_mode: true",
    ),
    (
        "goals",
        "goal:SmartBrain:local_first",
        {
            "project": "SmartBrain",
            "name": "local_first",
            "description": "A runtime\non one machine",
        },
        "SmartBrain — local_first: A runtime on one machine [active]",
    ),
    (
        "goals",
        "goal:健身:跑完马拉松",
        {"project": "健身", "name": "跑完马拉松", "status": "done"},
        "健身 — 跑完马拉松 [done]",
    ),
    (
        "tasks",
        "task:SmartBot:brain_runtime_mvp",
        {
            "project": "SmartBot",
            "task_id": "brain_runtime_mvp",
            "title": "Integrate SmartBrain into the loop",
            "status": "doing",
            "due": "2026-03-01",
            "notes": ["adapter first", "then tests"],
        },
        "SmartBot — Integrate SmartBrain into the loop [doing] (due 2026-03-01):"
        " adapter first, then tests",
    ),
    (
        "tasks",
        "task:官网:修复登录",
        {"project": "官网", "task_id": "修复登录", "title": "修复登录问题"},
        "官网 — 修复登录问题 [todo]",
    ),
    (
        "decisions",
        "decision:SmartRAG:retrieve_api",
        {
            "project": "SmartRAG",
            "topic": "retrieve_api",
            "decision": "Add retrieve(plan)",
            "rationale": "a contract between the two",
            "made_at": "2026-02-20",
        },
        "SmartRAG — retrieve_api: Add retrieve(plan) (a contract between the two; 2026-02-20)",
    ),
    (
        "decisions",
        "decision:智脑:存储",
        {"project": "智脑", "topic": "存储", "decision": "采用 SQLite"},
        "智脑 — 存储: 采用 SQLite",
    ),
    (
        "facts",
        "fact:小明:city",
        {"subject": "小明", "attribute": "city", "value": "北京"},
        "小明 — city: 北京",
    ),
    (
        "facts",
        "fact:server:ports",
        {"subject": "server", "attribute": "ports", "value": {"http": [80, 8080]}},
        'server — ports: {"http":[80,8080]}',
    ),
    (
        "facts",
        "fact:Ann:car",
        {"subject": "Ann", "attribute": "car", "value": None},
        "Ann — car",
    ),
    (
        "entities",
        "entity:repo:zhuangbiaowei/smart_rag",
        {
            "kind": "repo",
            "canonical": "zhuangbiaowei/smart_rag",
            "aliases": ["smart_rag"],
            "attrs": {"host": "github.com"},
        },
        "zhuangbiaowei/smart_rag (repo; smart_rag): host: github.com",
    ),
    (
        "entities",
        "entity:person:王小明",
        {"kind": "person", "canonical": "王小明", "aliases": ["小明", "Ming"]},
        "王小明 (person; 小明, Ming)",
    ),
    (
        "concepts",
        "concept:图数据库",
        {"name": "图数据库", "description": "以图存储关系", "aliases": ["graph database"]},
        "图数据库 (graph database): 以图存储关系",
    ),
    ("concepts", "concept:graph_memory", {"name": "Graph Memory"}, "Graph Memory"),
    (
        "episodes",
        "episode:会话一:t1",
        {"session": "会话一", "turn": "t1", "speakers": ["user"]},
        "会话一 · t1: speakers: user",
    ),
    (
        "events",
        "event:SmartBrain:2026-02-20:split",
        {
            "scope": "SmartBrain",
            "date": "2026-02-20",
            "title": "Split the memory runtime off",
            "impact": "architecture",
        },
        "SmartBrain — 2026-02-20: Split the memory runtime off (architecture)",
    ),
    (
        "events",
        "event:智脑:2026-02-20:发布",
        {"scope": "智脑", "date": "2026-02-20", "title": "发布第一版"},
        "智脑 — 2026-02-20: 发布第一版",
    ),
    (
        "statements",
        "statement:t1:0",
        {
            "turn": "t1",
            "n": 0,
            "predicate": {"normalized": "play_soccer", "words": "踢足球"},
            "negation": True,
        },
        "not play_soccer (asserted)",
    ),
    (
        "cases",
        "case:rag_debug:empty_answers",
        {
            "domain": "rag_debug",
            "problem": "Empty answers",
            "solution": "Rebuild the index",
            "outcome": "works",
            "artifacts": [{"type": "doc", "ref": "file:notes.md"}],
        },
        "rag_debug — Empty answers → Rebuild the index (works)",
    ),
    (
        "cases",
        "case:驱动:蓝牙打不开",
        {"domain": "驱动", "problem": "蓝牙打不开", "solution": "重装驱动"},
        "驱动 — 蓝牙打不开 → 重装驱动",
    ),
    (
        "patterns",
        "pattern:context:slots",
        {"domain": "context", "name": "slots", "rule": "core -> recent", "confidence": 0.7},
        "context — slots: core -> recent",
    ),
    (
        "patterns",
        "pattern:调试:先复现",
        {"domain": "调试", "name": "先复现", "rule": "先写失败的测试"},
        "调试 — 先复现: 先写失败的测试",
    ),
    (
        "insights",
        "insight:r1:3",
        {"run": "r1", "n": 3, "statement": "重试掩盖了超时"},
        "重试掩盖了超时 [unvalidated]",
    ),
    (
        "insights",
        "insight:r1:4",
        {"run": "r1", "n": 4, "statement": "Retries hide it", "validated": True},
        "Retries hide it [validated]",
    ),
    ("meta", "meta:rules", {"name": "rules", "value": [1, "二"]}, "rules: 1, 二"),
]
