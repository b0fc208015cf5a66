"""Organisations, products and tools by name: what the recogniser of entities knows by heart.

In: nothing. Out: word lists, read when first asked for. `=` joins names of one thing, `_` stands
for a blank. Only what many people speak of; a name that is not here may still be told by its form.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from smartbrain.text.word_list import word_set

ORG: Final = "org"
OBJECT: Final = "object"

_ORGS: Final = """
Google=谷歌 Microsoft=微软 Apple=苹果公司 Amazon=亚马逊 Meta Facebook=脸书 Netflix=奈飞
Tesla=特斯拉 SpaceX OpenAI Anthropic DeepMind Nvidia=英伟达 NVIDIA Intel=英特尔 AMD Qualcomm=高通
Broadcom=博通 Cisco=思科 IBM Oracle=甲骨文 SAP Salesforce Adobe Dell=戴尔 Lenovo=联想集团
Sony=索尼 Samsung=三星 Panasonic=松下 Toshiba=东芝 Hitachi=日立 Fujitsu=富士通 Toyota=丰田
Honda=本田 Nissan=日产汽车 Mazda=马自达 Subaru Hyundai Volkswagen=大众汽车 BMW=宝马 Mercedes-Benz
Mercedes Audi=奥迪 Porsche=保时捷 Volvo=沃尔沃 Ferrari=法拉利 Ford=福特 General_Motors
General_Electric Boeing=波音 Airbus=空中客车 Siemens=西门子 Bosch=博世 Philips=飞利浦
Ericsson=爱立信 Nokia=诺基亚 ASML TSMC=台积电 Foxconn=富士康 Bayer=拜耳 BASF=巴斯夫 Roche=罗氏
Novartis=诺华 Pfizer=辉瑞 Moderna AstraZeneca=阿斯利康 Merck=默克 Johnson_&_Johnson=强生
Nestlé=雀巢 Nestle Unilever=联合利华 Procter_&_Gamble=宝洁 Coca-Cola=可口可乐 PepsiCo=百事
Starbucks=星巴克 McDonald's=麦当劳 KFC=肯德基 Nike=耐克 Adidas=阿迪达斯 Puma IKEA=宜家
Walmart=沃尔玛 Costco=开市客 Target Tesco Carrefour=家乐福 Lidl Aldi H&M Zara Uniqlo=优衣库 LVMH
Gucci Chanel Disney=迪士尼 Warner_Bros Pixar=皮克斯 Nintendo=任天堂 Ubisoft Valve Blizzard=暴雪
Goldman_Sachs=高盛 JPMorgan=摩根大通 Morgan_Stanley=摩根士丹利 Citibank=花旗 Citigroup HSBC=汇丰
Barclays Deutsche_Bank UBS Credit_Suisse Visa Mastercard=万事达 American_Express PayPal Stripe
Square Robinhood Coinbase BlackRock=贝莱德 McKinsey=麦肯锡 Deloitte=德勤 PwC=普华永道 KPMG=毕马威
Accenture=埃森哲 Bain BCG Uber=优步 Lyft Airbnb=爱彼迎 DoorDash Expedia Shopify Spotify
Twitter=推特 LinkedIn=领英 Reddit Pinterest Snapchat Yahoo=雅虎 eBay Dropbox Atlassian Cloudflare
Databricks Snowflake Palantir Red_Hat JetBrains HashiCorp Canonical Mozilla=谋智 Wikimedia NASA
ESA CERN WHO UNESCO UNICEF NATO FIFA United_Nations=联合国 European_Union=欧盟
World_Bank=世界银行 Red_Cross=红十字会 Greenpeace BBC CNN Reuters=路透社 New_York_Times=纽约时报
Harvard=哈佛 Stanford=斯坦福 MIT=麻省理工 Yale=耶鲁 Princeton=普林斯顿 Caltech=加州理工 ETH
ETH_Zurich UCLA NYU UC_Berkeley Carnegie_Mellon Johns_Hopkins Y_Combinator Sequoia=红杉
Lufthansa=汉莎航空 Ryanair EasyJet Air_France KLM Emirates DHL FedEx=联邦快递 UPS Maersk=马士基
Shell ExxonMobil BP Chevron Vodafone T-Mobile Verizon AT&T Comcast HP Hewlett-Packard
Novo_Nordisk=诺和诺德 Lego=乐高 Heineken=喜力 Danone=达能 L'Oréal=欧莱雅 Sanofi=赛诺菲
Renault=雷诺 Peugeot=标致 Michelin=米其林 Allianz=安联 Zalando Klarna Revolut Booking.com TomTom
Adyen ING Rabobank Santander Telefonica Inditex Fiat Pirelli Red_Bull=红牛 Rolex=劳力士 Tata
Infosys Wipro Flipkart Grab Gojek Shopee Lazada LG Kia=起亚 Naver Kakao Rakuten=乐天
SoftBank=软银 Mitsubishi=三菱 Suzuki=铃木 Yamaha=雅马哈 Kawasaki=川崎 Casio=卡西欧 Seiko=精工
Epson=爱普生 Kyocera=京瓷 Asus=华硕 Acer=宏碁 HTC Lululemon Hermès=爱马仕 Prada=普拉达
Burberry=巴宝莉 Rolls-Royce=劳斯莱斯 Jaguar=捷豹 Land_Rover=路虎 Bentley=宾利 GSK Equinor Ørsted
Vestas Arla Carlsberg=嘉士伯 Bang_&_Olufsen Telenor Statoil Scania Electrolux=伊莱克斯
Fujifilm=富士 Mitsui=三井 Sumitomo=住友 Kodak=柯达 Xerox=施乐 Motorola=摩托罗拉 BlackBerry=黑莓
Marriott=万豪 Hilton=希尔顿 Hyatt=凯悦 Logitech=罗技 Canon=佳能 Nikon=尼康 Leica GoPro Garmin
Hugging_Face DeepSeek=深度求索 Mistral_AI Stability_AI Moonshot_AI Zhipu Tencent=腾讯
Alibaba=阿里巴巴 Baidu=百度 ByteDance=字节跳动 Huawei=华为 Xiaomi=小米 Meituan=美团 JD.com=京东
Pinduoduo=拼多多 NetEase=网易 Kuaishou Didi=滴滴 BYD=比亚迪 NIO=蔚来 XPeng=小鹏汽车
Li_Auto=理想汽车 CATL=宁德时代 Geely=吉利 SAIC=上汽 Haier=海尔 Midea=美的集团 Gree=格力
Hisense=海信 ZTE=中兴 SMIC=中芯国际 OPPO vivo OnePlus=一加 DJI=大疆 iFlytek=科大讯飞
SenseTime=商汤 Megvii=旷视 Sina=新浪 Sohu=搜狐 Ctrip=携程 Trip.com Qunar =阿里 =蚂蚁集团
=蚂蚁金服 =阿里云 =顺丰 =中通 =圆通 =申通 =韵达 =菜鸟 =万科 =恒大 =碧桂园 =万达 =海底捞 =瑞幸
=喜茶 =蜜雪冰城 =茅台 =五粮液 =蒙牛 =伊利 =农夫山泉 =娃哈哈 =李宁 =安踏 =中石油 =中石化 =中国移动
=中国联通 =中国电信 =国家电网 =中国银行 =工商银行 =建设银行 =农业银行 =招商银行 =交通银行 =中信
=中金 =工行 =建行 =农行 =招行 =北大 =清华 =复旦 =浙大 =上海交大 =南大 =武大 =中科大 =人大附中
=哈工大 =中科院 =新华社 =人民日报 =央视 =链家 =贝壳找房 =新东方 =好未来 =学而思 =名创优品 =永辉
=盒马 =山姆会员店 =全家便利店 =联合利华 =国家图书馆 =教育部 =外交部 =财政部 =卫健委 =发改委
=证监会 =商务部 =工信部 =世界卫生组织 =世卫组织 =腾讯云 =华为云
"""

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
UNSURE: Final = word_set(
    """
    apple amazon target shell oracle meta visa ford square stripe puma canonical valve uber who
    ups canon dell bain didi sequoia zara vault chef helm ruby swift rust go julia dart express
    gin echo fiber spring flask pyramid remix astro nuxt bun yarn jest babel node celery rails
    hive presto spark flink ray dask storm loki consul nomad puppet apache sketch linear notion
    slack discord signal teams zoom excel word keynote outlook chrome safari edge opera brave
    office eclipse atom cursor colab poetry ruff chroma pulsar cassandra arch
    alpine windows lambda railway ghost hugo sphinx gemini llama claude mistral whisper bert
    steam pixel galaxy pocket alfred anki unity unreal blender premiere illustrator prefect
    looker superset sora kimi ps bootstrap vi surface intercom tornado koa tokio rollup salt
    emirates blizzard caddy envoy grab acer jaguar postman insomnia obsidian metal tata cypress
    axum nio mercedes snowflake miro siri alexa gpt pip apt electron nomad tableau react zig nim
    bash mate
    """
)
# Those that need more: a word such as "use" or "in" before them.
HARD: Final = word_set(
    """
    go who word teams edge express spring target meta node signal linear square pages access make
    echo gin fiber square ups vi ps ray salt chef helm visa shell poetry pocket surface pixel
    galaxy bert arch apt pip storm valve brave opera canonical sketch bun cursor spark ghost dart
    hive loki vault yarn jest mate
    """
)
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
