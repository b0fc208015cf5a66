"""`memctl` with `--tenant`, where brain.yml has blocks of tenants.

In: commands that write something personal, look at settings and run events again. Out: what each
tenant's files hold, and what is printed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runs import memctl

from smartbrain.domain.tenant import folder_of

CONFIG = """\
privacy.scope: team
tenants:
  acme.com:
    privacy.pii: mask
  张三的公司:
    privacy: {pii: refuse}
    timezone: Asia/Shanghai
"""
RULES = {"acme.com": "mask", "张三的公司": "refuse", "other": "tag"}
SECRETS = ["bob@example.com", "13812345678"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a brain in it whose brain.yml has blocks of tenants."""
    assert 0 == memctl("init", folder=tmp_path).code
    (tmp_path / ".smartbrain" / "brain.yml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


@pytest.mark.spec("C10", "S2")
@pytest.mark.parametrize("secret", SECRETS)
def test_commands_go_by_the_rules_of_their_tenant(folder: Path, secret: str) -> None:
    """What they store is masked where the tenant says so, and runs again the same."""
    chat = folder / "chat.jsonl"
    said = {"session_id": "s", "role": "user", "content": f"写信给 {secret} please"}
    chat.write_text(json.dumps(said), encoding="utf-8")
    for tenant, rule in RULES.items():
        for command in (
            ("ingest", "--raw", f"Bob reads {secret}, 他常看。"),
            ("ingest", "--chat", chat),
            ("r2g",),
            ("fastmemo", "add", "user", f"{secret} is Bob 鲍勃"),
            ("graph", "--add-node", f"Entity:{secret}"),
        ):
            run = memctl(*command, "--tenant", tenant, folder=folder)
            refused = rule == "refuse" and command[0] == "graph"
            assert (2 if refused else 0) == run.code, (tenant, command, run)
        files = (folder / ".smartbrain" / "tenants" / folder_of(tenant)).rglob("*")
        held = [one.name for one in files if one.is_file() and secret.encode() in one.read_bytes()]
        assert (rule == "tag") == bool(held), (tenant, held)
        assert 0 == memctl("replay", "--check", "--tenant", tenant, folder=folder).code
    told = memctl("replay", "--check", "--json", folder=folder).json
    assert (True, set(RULES)) == (told["identical"], set(told["tenants"]))
    assert {0} == {report["other_rules"] for report in told["tenants"].values()}


@pytest.mark.spec("S2", "S7")
def test_config_show_tells_what_holds_for_a_tenant(folder: Path) -> None:
    """Its own values with their lines, those of all for the rest; it need not be there."""
    show = ("config", "show", "--json")
    told = memctl(*show, "--tenant", "张三的公司", folder=folder).json
    expected = {
        "privacy.pii": ("refuse", "brain.yml:6"),
        "timezone": ("Asia/Shanghai", "brain.yml:7"),
        "privacy.scope": ("team", "brain.yml:1"),
    }
    assert expected == {name: (told[name]["value"], told[name]["from"]) for name in expected}
    other = memctl(*show, "--tenant", "nobody 没有", folder=folder).json
    assert ("tag", "default") == (other["privacy.pii"]["value"], other["privacy.pii"]["from"])
    assert told.keys() == other.keys()
    everything = memctl(*show, folder=folder).json
    assert [
        "tenants.acme.com.privacy.pii",
        "tenants.张三的公司.privacy.pii",
        "tenants.张三的公司.timezone",
    ] == list(everything)[len(told) :]
    lines = memctl("config", "show", "--tenant", "acme.com", folder=folder).out.splitlines()
    assert ["privacy.pii", "mask", "brain.yml:4"] in [line.split() for line in lines]
    run = memctl("config", "show", "--tenant", "", folder=folder)
    assert (2, "") == (run.code, run.out)
    assert "a tenant name is text of 1 to 200 characters" in run.err


@pytest.mark.spec("S1", "S7")
def test_words_of_time_are_read_where_the_tenant_lives(folder: Path) -> None:
    """Also where a question is only looked at."""
    ask = ("recall", "--q", "我昨天说了什么？", "--extract-keywords", "--json")
    begins = {
        tenant: memctl(*ask, "--tenant", tenant, folder=folder).json["cues"]["times"][0]["since"]
        for tenant in ("张三的公司", "other")
    }
    assert begins["张三的公司"].endswith("T00:00:00+08:00")
    assert not begins["other"].endswith("+08:00")


@pytest.mark.spec("S2", "S7")
def test_a_wrong_block_stops_every_command_with_its_line(folder: Path) -> None:
    """Exit code 2 and one line, whichever tenant the command is about."""
    text = "tenants:\n  acme:\n    privacy.pii: hide\n"
    (folder / ".smartbrain" / "brain.yml").write_text(text, encoding="utf-8")
    for command in (("config", "show"), ("status",), ("ingest", "--raw", "x", "--tenant", "b")):
        run = memctl(*command, folder=folder)
        assert (2, "", 1) == (run.code, run.out, len(run.err.splitlines()))
        assert run.err.startswith(
            "memctl: brain.yml:3: tenants.acme.privacy.pii is 'hide'; allowed"
        )
    assert [] == list((folder / ".smartbrain" / "tenants").iterdir())
