"""What can be chosen and what a choice is about, in Chinese and English (M2).

In: words. Out: the kind of thing that they name, or the topic that they speak of, one lower-case
English name for what the lexicon knows. `decisions_topics` makes the topic of a decision of them.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

# What is chosen, by what it is a choice of.
THINGS: Final = {
    "database": "postgres postgresql postgre mysql mariadb sqlite mongodb mongo tidb oracle"
    " dynamodb cassandra cockroachdb duckdb clickhouse neo4j oceanbase supabase hbase 达梦",
    "cache": "redis memcached valkey dragonfly",
    "message_queue": "kafka rabbitmq rocketmq pulsar nats sqs activemq",
    "search_engine": "elasticsearch opensearch solr meilisearch typesense tantivy",
    "frontend_framework": "react vue vue3 svelte sveltekit angular next.js nextjs nuxt solidjs"
    " astro htmx",
    "styling": "tailwind tailwindcss bulma unocss styled-components",
    "component_library": "antd ant-design mui material-ui shadcn chakra-ui vuetify element-plus",
    "state_management": "redux zustand mobx pinia vuex",
    "bundler": "vite webpack esbuild turbopack rspack",
    "backend_framework": "fastapi django flask rails laravel express nestjs springboot gin"
    " actix axum phoenix",
    "mobile_framework": "flutter react-native swiftui kotlin-multiplatform uniapp taro ionic",
    "language": "python rust golang typescript javascript java kotlin swift elixir scala c++ c#"
    " ruby php zig haskell",
    "cloud": "aws azure gcp 阿里云 腾讯云 华为云 cloudflare digitalocean hetzner",
    "deployment": "kubernetes k8s docker nomad vercel netlify heroku fly.io ecs",
    "infrastructure": "terraform pulumi ansible opentofu cloudformation",
    "ci": "jenkins circleci travis drone buildkite",
    "version_control": "github gitlab bitbucket gitea gitee gerrit",
    "package_manager": "npm pnpm yarn poetry pipenv conda cargo maven gradle",
    "testing": "playwright cypress selenium pytest jest vitest junit",
    "monitoring": "prometheus grafana datadog sentry newrelic zabbix",
    "logging": "loki fluentd elk splunk",
    "api_style": "rest graphql grpc soap trpc restful",
    "chat_tool": "slack discord 飞书 钉钉 企业微信 lark",
    "design_tool": "figma sketch 蓝湖",
    "issue_tracker": "jira linear asana trello",
    "payment": "stripe paypal adyen 支付宝 微信支付",
    "license": "mit apache-2.0 gplv3 gpl agpl bsd mpl",
    "delivery": "顺丰 中通 圆通 申通 韵达 京东物流 fedex ups dhl",
}
_WORDS: Final = {
    "database": "database|databases|db|数据库|数据存储",
    "cache": "cache|caching(?: layer)?|缓存",
    "message_queue": "message queue|message broker|消息队列|消息中间件",
    "search_engine": "search engine|搜索引擎",
    "frontend_framework": "front-?end framework|前端框架|front-?end|前端|网页端|web ?端",
    "backend_framework": "back-?end framework|后端框架|back-?end|后端|服务端|server side",
    "mobile_framework": "mobile (?:app )?(?:的 ?)?framework|移动端框架|mobile apps?|移动端",
    "language": "programming language|编程语言|开发语言",
    "framework": "framework|框架",
    "cloud": "cloud(?: provider)?|云厂商|云服务商?|hosting|托管",
    "deployment": "deployments?|部署|deploy",
    "infrastructure": "infrastructure(?: code)?|基础设施|infra",
    "ci": "ci(?:/cd)?|build pipeline|持续集成|流水线",
    "version_control": "monorepo|repo structure|version control|代码托管|仓库结构",
    "architecture": "architecture|architectural|架构|microservices?|monolith|微服务|单体",
    "package_manager": "package manager|包管理器?",
    "testing": "test framework|e2e(?: tests?| 测试)?|测试框架",
    "logging": "logging|logs?|日志",
    "monitoring": "monitoring|监控",
    "dns": "dns|域名解析",
    "cdn": "cdn",
    "authentication": "authentication|auth|oauth|sso|login method|登录方式|鉴权|认证",
    "api_style": "public api|api style|api 风格|接口风格",
    "error_codes": "error codes?|错误码",
    "code_review": "code reviews?|代码评审|代码审查",
    "branching": "release branch|branching(?: model)?|分支策略|branch strategy",
    "release_cycle": "release cycle|release cadence|release schedule|发布周期|发版节奏|迭代周期"
    "|双周迭代"
    "|two-week sprints?|sprint length",
    "features": "features?|功能",
    "naming": "name|naming|called|命名|名字|名称|取名|代号|就叫",
    "license": "licen[sc]e|许可证|开源协议",
    "vendor": "vendors?|suppliers?|供应商|厂商|外包|outsourc\\w+",
    "venue": "venue|场地|会场",
    "logo": "logo|标志",
    "font": "fonts?|typeface|字体",
    "color": "colou?rs?|palette|配色|颜色|色调",
    "theme": "theme|主题",
    "design": "design|layout|设计稿|布局",
    "plan": "方案|option|proposal",
    "pricing": "prices?|pricing|subscription|定价|价格|收费",
    "budget": "budget|预算",
    "hiring": "hire|hiring|recruit|招聘|招人|招募|招(?=[一二两三四五六七八九十\\d]+[个名位])",
    "standup": "stand-?ups?|站会|晨会",
    "newsletter": "newsletter",
    "remote_work": "remote work|work from home|远程办公|居家办公",
    "offsite": "off-?site|团建",
    "workshop": "workshop|研讨会",
    "conference": "conference",
    "wedding": "wedding|婚礼",
    "honeymoon": "honeymoon|蜜月",
    "hotel": "hotels?|酒店|民宿|airbnb",
    "flight": "flights?|航班|机票",
    "trip": "trip|vacation|holiday|旅行|旅游|度假|出游",
    "house": "house|apartment|flat|房子|公寓|买房|租房",
    "car": "car|买车|新车",
    "school": "school|小学|中学|幼儿园|学校",
    "exam": "考研|考公",
    "job": "job(?: offer)?|offer|工作机会",
    "location": "store location|office location|新店|选址|办公室",
    "date": "date|日期",
    "delivery": "courier|快递|物流",
    "settlement": "结算",
    "paper": "paper|论文投稿|投稿",
}


def _table(groups: dict[str, str], cut: str) -> dict[str, str]:
    return {word: topic for topic, words in groups.items() for word in words.split(cut)}


THING_TOPICS: Final = {**_table(THINGS, " "), "go": "language", "bootstrap": "styling"}
_NAMES: Final = "|".join(
    name.replace(".", r"\.").replace("+", r"\+")
    for name in sorted(_table(THINGS, " "), key=len, reverse=True)
)
THING: Final = pattern(
    rf"(?<![A-Za-z0-9_])(?:{_NAMES}|(?-i:Go)(?! (?:with|to|ahead|on|back|home)\b)"
    r"|(?-i:Bootstrap)(?! (?:an?|the|our|my)\b))"
    r"(?![A-Za-z_+#]|\d{3})",
    _I,
)
"""The name of something that the lexicon knows."""
WORD: Final = pattern(
    r"(?<![A-Za-z])(?:"
    + "|".join(rf"(?P<{topic}>{words})" for topic, words in _WORDS.items())
    + r")(?![A-Za-z])",
    _I,
)
# A part of what is built: 网页端, 支付模块, 订单库.
PART_ZH: Final = pattern(
    r"(?:(?![他她你您谁我咱])[\w ]){1,10}(?:端|侧|模块|服务|系统|页面|接口|存储"
    r"|(?<![仓国车])库|DB|缓存|队列|后台|中间件|集群|环境)|官网|小程序",
    _I,
)
_ABOUT_IT: Final = frozenset(("", "方面", "这块", "层", "方案", "部分", "的话", "这边", "上"))


def known_as(text: str) -> str:
    """Return what the first thing is that a text names and the lexicon knows, else nothing."""
    thing = THING.search(text)
    return THING_TOPICS[thing[0].lower()] if thing else ""


def is_topic(text: str) -> bool:
    """Tell whether words name nothing but what a decision is about: 缓存方面."""
    found = WORD.match(text := text.strip())
    if found is not None and text[found.end() :] in _ABOUT_IT:
        return True
    return PART_ZH.fullmatch(text) is not None


def first_word(text: str) -> str | None:
    """Return the topic of the first word that names one."""
    found = WORD.search(text)
    return found.lastgroup if found else None
