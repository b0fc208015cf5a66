"""Organisations, products and tools by name: what the recogniser of entities knows by heart.

In: nothing. Out: word lists, read when first asked for. `=` joins names of one thing, `_` stands
for a blank. Only what many people speak of; a name that is not here may still be told by its form.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from smartbrain.text.word_list import stored_words, word_set

ORG: Final = "org"
OBJECT: Final = "object"

_ORGS: Final = stored_words(__file__, "_ORGS")

_OBJECTS: Final = """
Python Java JavaScript TypeScript Kotlin Scala Clojure Haskell OCaml Erlang Elixir Golang PHP
Perl Lua Fortran COBOL Objective-C C++ C# F# Visual_Basic Dart Solidity WebAssembly MATLAB Octave
LaTeX Rust Ruby Swift Go Julia Zig Nim Node.js=NodeJS=Node Deno Bun npm pnpm Yarn Webpack Vite
Rollup esbuild Babel ESLint Prettier Jest Vitest Playwright Cypress Selenium Puppeteer Storybook
React=React.js=ReactJS Vue=Vue.js=VueJS Angular Svelte SvelteKit Next.js=NextJS Nuxt=Nuxt.js
Remix Gatsby Astro jQuery Ember.js Redux MobX Zustand Tailwind=TailwindCSS=Tailwind_CSS Bootstrap
Sass D3.js Three.js Electron Tauri React_Native Flutter Ionic SwiftUI UIKit Jetpack_Compose
Django Flask FastAPI Pyramid Tornado Starlette Uvicorn Gunicorn Celery SQLAlchemy Pydantic
Alembic Rails=Ruby_on_Rails Sinatra Laravel Symfony Spring_Boot=SpringBoot Spring Hibernate
Quarkus Micronaut Express=Express.js NestJS Koa Gin Echo Fiber Actix Axum Tokio ASP.NET .NET
Blazor GraphQL gRPC Protobuf Thrift OpenAPI Swagger Postman Insomnia curl PostgreSQL=Postgres
MySQL MariaDB SQLite SQL_Server MongoDB Redis Memcached Cassandra ScyllaDB DynamoDB CouchDB
Couchbase Neo4j ArangoDB Elasticsearch OpenSearch Solr Lucene Meilisearch Typesense Algolia
ClickHouse DuckDB BigQuery Redshift Databend TiDB OceanBase CockroachDB Supabase Firebase
PlanetScale InfluxDB TimescaleDB Prometheus Grafana Kibana Logstash Loki Jaeger Zipkin Datadog
Sentry New_Relic Splunk PagerDuty OpenTelemetry Kafka RabbitMQ ActiveMQ Pulsar NATS ZeroMQ
Zookeeper etcd Consul Vault Nomad Terraform OpenTofu Pulumi Ansible Puppet Chef SaltStack
Docker=Docker_Desktop Podman Kubernetes=K8s Minikube Helm Istio Linkerd Envoy Nginx Apache_Kafka
Apache Caddy Traefik HAProxy Jenkins CircleCI Travis_CI GitHub_Actions GitLab_CI ArgoCD Argo_CD
Tekton Git GitHub GitLab Bitbucket Gitee=码云 SVN Mercurial Jira=JIRA Confluence Trello Asana
Linear Notion Obsidian Evernote=印象笔记 OneNote Logseq Roam_Research Todoist Airtable Basecamp
ClickUp Monday.com Miro Figma Sketch Canva Photoshop=PS Illustrator InDesign Lightroom Premiere
After_Effects Blender Unity Unreal_Engine Unreal Godot AutoCAD SolidWorks Final_Cut
DaVinci_Resolve Audacity Slack Discord Telegram WhatsApp WeChat=微信 QQ Microsoft_Teams Teams
Zoom Skype FaceTime Google_Meet Google_Docs Google_Sheets Google_Drive Google_Maps
Google_Calendar Google_Cloud Gmail Outlook Thunderbird Excel Word PowerPoint Keynote Office_365
Microsoft_365 OneDrive iCloud Chrome Firefox Safari Edge Opera Brave Vim=vi Neovim=nvim Emacs
VS_Code=VSCode=Visual_Studio_Code Visual_Studio Sublime_Text IntelliJ=IntelliJ_IDEA PyCharm
WebStorm GoLand CLion RubyMine Eclipse NetBeans Xcode Android_Studio Jupyter JupyterLab
Google_Colab Colab RStudio Cursor tmux zsh bash PowerShell iTerm2
Homebrew apt conda Anaconda pip Poetry pytest Ruff mypy NumPy pandas Pandas SciPy
scikit-learn=sklearn PyTorch TensorFlow Keras JAX XGBoost LightGBM spaCy NLTK OpenCV Matplotlib
Seaborn Plotly Streamlit Gradio LangChain LlamaIndex Ollama llama.cpp vLLM FAISS Milvus Pinecone
Weaviate Qdrant Chroma Hadoop Spark Flink Hive Presto Trino Airflow Dagster Prefect dbt Superset
Metabase Tableau Power_BI=PowerBI Looker MLflow Kubeflow Ray Dask Linux Ubuntu Debian Fedora
CentOS Arch_Linux Arch Alpine NixOS Red_Hat_Enterprise_Linux Windows macOS MacOS iOS Android=安卓
iPadOS HarmonyOS=鸿蒙 ChromeOS FreeBSD Raspberry_Pi=树莓派 Arduino ESP32 AWS=Amazon_Web_Services
Azure GCP Lambda S3 EC2 Vercel Netlify Heroku DigitalOcean Railway Fly.io Linode Hetzner Auth0
Okta Keycloak OAuth Twilio SendGrid Mailchimp HubSpot Zendesk Intercom WordPress Wix Squarespace
Webflow Ghost Drupal Magento Hugo Jekyll MkDocs Sphinx Docusaurus ChatGPT Claude=Claude_Code
Gemini Llama Mistral Midjourney Stable_Diffusion DALL-E Sora Kimi Qwen=通义千问 GPT Whisper BERT
Siri Alexa iPhone iPad MacBook iMac AirPods Apple_Watch Kindle
PlayStation=PS5 Xbox Nintendo_Switch Steam_Deck Steam Minecraft=我的世界 Fortnite Roblox Model_3
Model_Y ThinkPad Surface_Pro Pixel Galaxy Fitbit Roomba Bitcoin=比特币 Ethereum=以太坊 YouTube
Instagram TikTok Tinder Duolingo=多邻国 Strava Wikipedia=维基百科 Stack_Overflow Hacker_News
Twitch Bluetooth=蓝牙 Zotero Overleaf Mendeley Anki Pocket Alfred Raycast Bitwarden 1Password
LastPass KeePass Nextcloud Plex Jellyfin Proxmox VMware VirtualBox Vagrant WSL Wireshark Nmap
OpenVPN WireGuard Tailscale =飞书=Feishu=Lark =钉钉=DingTalk =企业微信 =支付宝=Alipay
=淘宝=Taobao =天猫 =抖音=Douyin =快手 =小红书 =微博=Weibo =知乎=Zhihu =豆瓣
=哔哩哔哩=Bilibili=B站 =高德地图 =百度地图 =腾讯会议 =腾讯文档 =石墨文档 =语雀 =有道云笔记
=网易云音乐 =QQ音乐 =喜马拉雅 =美图秀秀 =剪映 =墨刀 =蓝湖 =禅道 =饿了么 =大众点评 =滴滴出行 =闲鱼
=拼好饭 =微信公众号 =豆包 =文心一言 =讯飞星火 =智谱清言 =宝塔面板 =用友 =金蝶 =泛微 =宝可梦
=王者荣耀 =原神 =英雄联盟 =绝地求生 =西门子PLC =达梦数据库 =麒麟系统 =统信 =搜狗输入法 =迅雷
=百度网盘 =坚果云 =印象笔记 =滴答清单 =番茄ToDo =通义灵码
MacBook_Pro MacBook_Air Mac_mini Mac_Studio Redmi=红米 Mate RTX GTX Ryzen Windows_Server
"""

# Everyday words too: a capital letter in the middle of a sentence, or a version, must tell them.
UNSURE: Final = word_set(stored_words(__file__, "UNSURE"))
# Those that need more: a word such as "use" or "in" before them.
HARD: Final = word_set(stored_words(__file__, "HARD"))
# Lower case, these are everyday words in Chinese or English sentences alike.
CAPITAL_ONLY: Final = frozenset(("eth", "vivo", "mit", "esa", "who", "ups", "bcg", "gree"))


@cache
def things() -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Return things by each of their names in lower case: the kind, the name, the others."""
    found: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for kind, names in named_together():
        for name in names:
            # A product goes by its first name in English; a name keeps its own language.
            own = names[0] if name.isascii() and kind == OBJECT else name
            others = tuple(other for other in names if other not in (own, name))
            found.setdefault(name.lower(), (kind, own, others))
    return found


def named_together() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the kind of each thing and all of its names."""
    for kind, words in ((ORG, _ORGS), (OBJECT, _OBJECTS)):
        for entry in words.split():
            yield kind, tuple(filter(None, entry.replace("_", " ").split("=")))
