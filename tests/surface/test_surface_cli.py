"""`memctl` command by command: what it does, what it prints, how it ends.

In: brains on disk. Out: exit codes, JSON with stable names, one line on stderr where it fails.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_runs import called, encrypted_brain, filled_brain, make_older, memctl

from smartbrain import SmartBrain, SmartBrainError, errors
from smartbrain.adapters.sqlite import migrate
from smartbrain.adapters.sqlite.migrate import Migration, latest
from smartbrain.entrypoints.wire.errors import EXIT_CODES, EXIT_UNHEALTHY, exit_code


def error_classes() -> list[type[SmartBrainError]]:
    """Return every class of the error tree but its root."""
    found, waiting = [], SmartBrainError.__subclasses__()
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1].__subclasses__()
    return found


@pytest.mark.spec("S2")
def test_every_class_of_error_has_an_exit_code_of_its_own() -> None:
    """A class that is not in the table fails here, and so does a code that means two things."""
    for kind in error_classes():
        assert kind in EXIT_CODES, f"{kind.__name__} has no exit code"
    for code, (kind, _) in errors.CODES.items():
        assert EXIT_CODES[kind] == exit_code(kind(code=code))
    used = [0, EXIT_UNHEALTHY, *EXIT_CODES.values()]
    assert len(used) == len(set(used))


@pytest.mark.spec("S2")
def test_init_makes_a_brain_in_the_working_folder(tmp_path: Path) -> None:
    """The second time nothing is lost: an edited brain.yml stays."""
    first = memctl("init", folder=tmp_path)
    place = tmp_path / ".smartbrain"
    assert (0, f"Brain at {place}\nbrain.yml written; edit it to change a default\n", "") == first
    assert [] == SmartBrain.tenants(place)
    assert (0, f"Brain at {place}\n", "") == memctl("status", folder=tmp_path)
    (place / "brain.yml").write_text("timezone: Asia/Shanghai\n", encoding="utf-8")
    again = memctl("init", folder=tmp_path)
    assert (0, f"Brain at {place}\nbrain.yml kept as it is\n", "") == again
    assert "timezone: Asia/Shanghai\n" == (place / "brain.yml").read_text(encoding="utf-8")


@pytest.mark.spec("S2")
@pytest.mark.parametrize("way", ["argument", "--root", "environment"])
def test_init_makes_a_brain_where_it_is_told_to(tmp_path: Path, way: str) -> None:
    """By argument, by `--root` or by SMARTBRAIN_ROOT; JSON says what was made."""
    place = tmp_path / "数据" / "brain"
    arguments = {"argument": [place], "--root": ["--root", place], "environment": []}[way]
    more = {"SMARTBRAIN_ROOT": str(place)} if way == "environment" else {}
    made = memctl("init", *arguments, "--json", folder=tmp_path, **more)
    assert (0, "") == (made.code, made.err)
    assert {"root": str(place), "config_written": True} == made.json
    assert (place / "brain.yml").is_file()


@pytest.mark.spec("S2")
def test_a_brain_is_looked_for_in_a_fixed_order(tmp_path: Path) -> None:
    """`--root`, then the variable, then the nearest `.smartbrain` upward, then the home's."""
    home, work = tmp_path / "home", tmp_path / "work"
    below = work / "a" / "b"
    below.mkdir(parents=True)
    home.mkdir()
    places = {
        "given": filled_brain(tmp_path / "given", "given", turns=0),
        "named": filled_brain(tmp_path / "named", "named", turns=0),
        "upward": filled_brain(work / ".smartbrain", "upward", turns=0),
        "home": filled_brain(home / ".smartbrain", "home", turns=0),
    }
    named = {"SMARTBRAIN_ROOT": str(places["named"])}
    runs = {
        "given": memctl(
            "tenants", "--root", places["given"], folder=below, HOME=str(home), **named
        ),
        "named": memctl("tenants", folder=below, HOME=str(home), **named),
        "upward": memctl("tenants", folder=below, HOME=str(home)),
        "home": memctl("tenants", folder=tmp_path, HOME=str(home)),
    }
    assert {name: (0, f"{name}\n", "") for name in runs} == runs


@pytest.mark.spec("S2")
@pytest.mark.parametrize("command", ["status", "tenants", "doctor", "migrate", "sweep"])
def test_a_command_without_a_brain_says_so(tmp_path: Path, command: str) -> None:
    """One line that names the folder and what to do; nothing is made."""
    place = tmp_path / "nowhere"
    run = memctl(command, "--root", place, folder=tmp_path)
    assert (2, "") == (run.code, run.out)
    assert run.err.startswith(f"memctl: {place}: there is no brain here; `memctl init` makes one")
    assert run.err.endswith(" [not_a_brain]\n")
    assert 1 == len(run.err.splitlines())
    told = memctl(command, "--root", place, "--json", folder=tmp_path)
    assert (2, "") == (told.code, told.err)
    assert {"code", "message"} == set(told.json["error"])
    assert "not_a_brain" == told.json["error"]["code"]
    assert [] == list(tmp_path.iterdir())


@pytest.mark.spec("S2", "S8")
def test_status_shows_what_each_tenant_holds(tmp_path: Path) -> None:
    """Figures in a table for people and the same in JSON; one tenant alone if asked."""
    place = filled_brain(tmp_path / "b", "二组", "team", turns=3)
    run = memctl("status", "--root", place, folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    head, recall, titles, *rows = run.out.splitlines()
    assert f"Brain at {place}" == head
    assert "Recall: text, passages, graph idle (it is loaded by the first recall);" in recall
    assert "; vector off (no embedder" in recall
    assert ["tenant", "sessions", "turns", "memories"] == titles.split()[:4]
    assert [["team", "1", "3", "3"], ["二组", "1", "3", "3"]] == [row.split()[:4] for row in rows]
    told = memctl("status", "--root", place, "--tenant", "二组", "--json", folder=tmp_path).json
    with SmartBrain.open(place, tenant="二组") as brain:
        expected = brain.status().to_dict()
    sizes = {"database_bytes", "raw_bytes"}
    (tenant,) = told["tenants"]
    assert {name: value for name, value in expected.items() if name not in sizes} == {
        name: value for name, value in tenant.items() if name not in sizes
    }
    assert ({}, str(place)) == (told["errors"], told["root"])
    unknown = memctl("status", "--root", place, "--tenant", "李四", folder=tmp_path)
    assert (3, "") == (unknown.code, unknown.out)
    assert "there is no tenant '李四'" in unknown.err


@pytest.mark.spec("S2", "S8")
def test_tenants_are_listed_one_a_line(tmp_path: Path) -> None:
    """Line ends, control codes and markup in a name are shown, not obeyed."""
    names = ["Bob", "[red]x[/red]", ":smile:", "a\nb", "张三", "\x1b[31mred"]
    place = filled_brain(tmp_path / "b", *names, turns=0)
    run = memctl("tenants", "--root", place, folder=tmp_path)
    shown = ["\\x1b[31mred", ":smile:", "Bob", "[red]x[/red]", "a\\nb", "张三"]
    assert (0, "".join(f"{name}\n" for name in shown), "") == run
    told = memctl("tenants", "--root", place, "--json", folder=tmp_path)
    assert {"tenants": sorted(names)} == told.json
    table = memctl("status", "--root", place, folder=tmp_path).out.splitlines()[3:]
    assert shown == [line.split("  ")[0] for line in table]


@pytest.mark.spec("S2")
def test_doctor_finds_a_sound_brain_sound(tmp_path: Path) -> None:
    """Exit code 0, one line a tenant, and JSON with names that stay."""
    place = filled_brain(tmp_path / "b", "default", "张三")
    run = memctl("doctor", "--root", place, folder=tmp_path)
    assert (0, "default: ok\n张三: ok\n2 tenants checked: 0 errors, 0 warnings\n", "") == run
    assert {
        "healthy": True,
        "path": str(place),
        "findings": [],
        "tenants": [{"tenant": "default", "findings": []}, {"tenant": "张三", "findings": []}],
    } == memctl("doctor", "--root", place, "--json", folder=tmp_path).json


@pytest.mark.spec("S2", "E2")
def test_doctor_finds_what_is_damaged(tmp_path: Path) -> None:
    """A missing file, a broken file and a stray one are told apart; exit code 1."""
    place = filled_brain(tmp_path / "b", "gone", "broken", "stray", "好")
    file = {name: next((place / "tenants" / name).rglob("*.zst")) for name in ("gone", "broken")}
    file["gone"].unlink()
    file["broken"].write_bytes(file["broken"].read_bytes()[:-1] + b"?")
    stray = next((place / "tenants" / "stray").rglob("*.zst"))
    stray.with_name(stray.name.replace("raw_", "raw_00")).write_bytes(b"x")
    run = memctl("doctor", "--root", place, folder=tmp_path)
    assert (1, "") == (run.code, run.err)
    assert run.out.endswith("4 tenants checked: 2 errors, 1 warning\n")
    assert "\n好: ok\n" in run.out
    told = memctl("doctor", "--root", place, "--json", folder=tmp_path)
    assert (1, "", False) == (told.code, told.err, told.json["healthy"])
    found = {tenant["tenant"]: tenant["findings"] for tenant in told.json["tenants"]}
    assert {
        "gone": [("error", "blob_missing")],
        "broken": [("error", "blob_corrupt")],
        "stray": [("warning", "unreferenced_files")],
        "好": [],
    } == {name: [(one["severity"], one["code"]) for one in found[name]] for name in found}
    assert {"severity", "code", "sentence", "subject", "remedy"} == set(found["gone"][0])


@pytest.mark.spec("S2", "S7")
def test_a_locked_tenant_is_reported_and_does_not_hide_the_others(tmp_path: Path) -> None:
    """Without its key doctor and status name it; what is open to them is still shown."""
    key = memctl("key", "master", "new", folder=tmp_path).out.strip()
    place = filled_brain(tmp_path / "b", "plain", turns=1)
    encrypted_brain(place, "default", key=key)
    doctor = memctl("doctor", "--root", place, folder=tmp_path)
    assert 1 == doctor.code
    assert "[key_missing]\n    put the key into SMARTBRAIN_MASTER_KEY" in doctor.out
    assert "\nplain: ok\n" in doctor.out
    status = memctl("status", "--root", place, folder=tmp_path)
    assert 5 == status.code
    assert ["tenant", "plain"] == [line.split()[0] for line in status.out.splitlines()[2:]]
    assert status.err.startswith("memctl: default: ")
    assert 1 == len(status.err.splitlines())
    told = memctl("status", "--root", place, "--json", folder=tmp_path)
    assert (5, "", ["plain"]) == (
        told.code,
        told.err,
        [one["tenant"] for one in told.json["tenants"]],
    )
    assert {"code": "key_missing", "retryable": False}.items() <= told.json["errors"][
        "default"
    ].items()
    opened = memctl("status", "--root", place, folder=tmp_path, SMARTBRAIN_MASTER_KEY=key)
    assert (0, True) == (opened.code, "encrypted" in opened.out)


@pytest.mark.spec("S2")
def test_migrate_shows_and_then_runs_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking changes nothing; `--apply` brings every tenant up to date."""
    place = filled_brain(tmp_path / "b", "old", turns=0)
    with next_schema(monkeypatch):
        filled_brain(place, "new", turns=0)
        before = (place / "tenants" / "old" / "brain.db").read_bytes()
        shown = called("migrate", "--root", place, folder=tmp_path)
        assert (0, "") == (shown.code, shown.err)
        titles, new, old, hint = shown.out.splitlines()
        assert ["tenant", "schema", "would", "run"] == titles.split()
        assert ["new", f"{latest()}", "of", f"{latest()}", "nothing"] == new.split()
        before_it = latest() - 1
        assert ["old", f"{before_it}", "of", f"{latest()}", f"{latest():04d}"] == old.split()[:5]
        assert "`memctl migrate --apply` runs them now" == hint
        assert before == (place / "tenants" / "old" / "brain.db").read_bytes()
        doctor = called("doctor", "--root", place, folder=tmp_path)
        assert (0, True) == (doctor.code, "[old_schema]" in doctor.out)
        told = called("migrate", "--root", place, "--json", folder=tmp_path).json
        versions = [one["version"] for one in told["tenants"]]
        assert (False, [latest(), before_it]) == (told["applied"], versions)
        applied = called("migrate", "--root", place, "--apply", folder=tmp_path)
        titles = applied.out.splitlines()[0].split()
        assert (0, ["tenant", "schema", "ran"]) == (applied.code, titles)
        after = called("migrate", "--root", place, "--json", folder=tmp_path).json
        assert [[], []] == [one["steps"] for one in after["tenants"]]


@contextmanager
def next_schema(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process know one more migration."""
    step = Migration(latest() + 1, "next", "CREATE TABLE next (x TEXT) STRICT")
    steps = (*migrate.migrations(), step)
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: steps)
        latest.cache_clear()
        yield
    latest.cache_clear()


@pytest.mark.spec("S2", "E5")
@pytest.mark.parametrize("command", ["status", "migrate", "replay --check", "reread"])
def test_a_tenant_of_an_older_format_is_refused_in_one_line(tmp_path: Path, command: str) -> None:
    """It names the command that makes a new brain of its events."""
    place = filled_brain(tmp_path / "b", "old")
    make_older(place, "old")
    told = memctl(*command.split(), "--root", place, folder=tmp_path)
    assert (5, 1) == (told.code, told.err.count("\n"))
    assert "`memctl replay --into NEW`" in told.err
    assert "[older_database]" in told.err


@pytest.mark.spec("S2", "S7")
def test_config_show_tells_values_and_where_they_come_from(tmp_path: Path) -> None:
    """Every setting on one line as brain.yml spells it, never cut; JSON has the meaning too."""
    place = tmp_path / "b"
    place.mkdir()
    text = "# 中文\ntimezone: Asia/Shanghai\nrecall:\n  vector.enabled: false\n"
    (place / "brain.yml").write_text(text, encoding="utf-8")
    run = memctl("config", "show", "--root", place, folder=tmp_path)
    assert (0, "") == (run.code, run.err)
    rows = {line.split()[0]: line.split()[1:] for line in run.out.splitlines()}
    assert ["Asia/Shanghai", "brain.yml:2"] == rows["timezone"]
    assert ["false", "brain.yml:4"] == rows["recall.vector.enabled"]
    assert ["12", "default"] == rows["policies.retention.summarize_after_turns"]
    assert [] == [line for line in run.out.splitlines() if "…" in line]
    told = memctl("config", "show", "--root", place, "--json", folder=tmp_path).json
    assert set(rows) - {"setting"} == set(told)
    assert {"value": False, "from": "brain.yml:4"}.items() <= told["recall.vector.enabled"].items()
    assert {"value", "from", "help"} == set(told["timezone"])


@pytest.mark.spec("S2", "S7")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("timezone: UTC\nrecal: {}\n", "brain.yml:2: unknown key 'recal'; did you mean 'recall'?"),
        ("timezone: Mars\n", "brain.yml:1: timezone is 'Mars'"),
        ("a: [1\n", "brain.yml:"),
        ("types:\n  x:\n    key: 'x'\n", "brain.yml:2: types.x lacks"),
    ],
)
def test_a_wrong_brain_yml_stops_every_command_with_its_line(
    tmp_path: Path, text: str, expected: str
) -> None:
    """Exit code 2 and one line on stderr that names file and line."""
    place = filled_brain(tmp_path / "b", "default", turns=0)
    (place / "brain.yml").write_text(text, encoding="utf-8")
    for command in (["config", "show"], ["status"]):
        run = memctl(*command, "--root", place, folder=tmp_path)
        assert (2, "", 1) == (run.code, run.out, len(run.err.splitlines()))
        assert run.err.startswith(f"memctl: {expected}")
        assert run.err.endswith(" [config]\n")


@pytest.mark.spec("S2")
def test_keys_are_made_and_rotated(tmp_path: Path) -> None:
    """After a rotation the new key opens the tenants and the old one does not."""
    old, new = (memctl("key", "master", "new", folder=tmp_path).out.strip() for _ in range(2))
    assert (64, 64, True) == (len(old), len(new), old != new)
    place = encrypted_brain(tmp_path / "b", "default", key=old)
    file = tmp_path / "new.key"
    file.write_text(new, encoding="utf-8")
    arguments = ("key", "master", "rotate", file, "--root", place)
    run = memctl(*arguments, folder=tmp_path, SMARTBRAIN_MASTER_KEY=old)
    assert (0, "1 tenant locked with the new key, 0 already were") == (
        run.code,
        run.out.split(";")[0],
    )
    again = memctl(*arguments, "--json", folder=tmp_path, SMARTBRAIN_MASTER_KEY=old)
    assert {"rotated": {"default": False}, "errors": {}} == again.json
    for key, code in ((new, 0), (old, 1)):
        doctor = memctl("doctor", "--root", place, folder=tmp_path, SMARTBRAIN_MASTER_KEY=key)
        assert code == doctor.code
    missing = memctl("key", "master", "rotate", "no.key", "--root", place, folder=tmp_path)
    assert (5, "") == (missing.code, missing.out)
    assert missing.err.endswith(" [key_missing]\n")


@pytest.mark.spec("S2", "E2")
def test_sweep_removes_stray_files_and_only_those(tmp_path: Path) -> None:
    """A dry run removes nothing; a young file stays; what turns refer to is untouched."""
    place = filled_brain(tmp_path / "b", "default")
    kept = next((place / "tenants" / "default").rglob("*.zst"))
    old, young = (
        kept.with_name(kept.name.replace("raw_", f"raw_{digit}")) for digit in ("00", "11")
    )
    for path, age in ((old, 7200), (young, 0)):
        path.write_bytes(b"x" * 2048)
        stamp = kept.stat().st_mtime - age
        os.utime(path, (stamp, stamp))
    expected = "default: would remove 1 file (2.0 KiB)\n"
    assert (0, expected, "") == memctl("sweep", "--root", place, "--dry-run", folder=tmp_path)
    assert (True, True, True) == (old.exists(), young.exists(), kept.exists())
    told = memctl("sweep", "--root", place, "--json", folder=tmp_path).json
    assert {
        "tenants": {"default": {"chunks": 0, "files": 1, "bytes": 2048, "dry_run": False}},
        "errors": {},
    } == told
    assert (False, True, True) == (old.exists(), young.exists(), kept.exists())
    assert 0 == memctl("doctor", "--root", place, folder=tmp_path).code
