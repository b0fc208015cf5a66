"""The log of a server: a line of JSON for each call, known by the id of its request.

In: `memctl serve` as a process, with `telemetry.log: json`. Out: what it writes to stderr.
"""

from __future__ import annotations

import json
import signal
from pathlib import Path

import httpx
import pytest
from cli_runs import memctl
from served import start_server


@pytest.mark.spec("S3", "S5")
def test_a_request_is_found_in_the_log_by_its_id(tmp_path: Path) -> None:
    """With its tenant, verb and outcome; following events is no call, and no word is logged."""
    memctl("init", "--root", "brain", folder=tmp_path)
    (tmp_path / "brain" / "brain.yml").write_text("telemetry: {log: json}\n", encoding="utf-8")
    process, address = start_server("serve", "--root", "brain", folder=tmp_path)
    headers = {"SmartBrain-Tenant": "work", "X-Request-ID": "mine-1"}
    with httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        client.post("/v1/remember", json={"text": "My sister Ottoline lives in Turin."})
        client.post(
            "/v1/memories.get",
            json={"id_or_key": "mem_Ottoline"},
            headers={"X-Request-ID": "mine-2"},
        )
        with client.stream("GET", "/v1/events?since=0&heartbeat=1") as answer:
            for line in answer.iter_lines():
                if line.startswith("id"):
                    break
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    told = process.stderr.read().decode()
    process.communicate()
    calls = [json.loads(line) for line in told.splitlines()]
    assert [("mine-1", "remember", "ok"), ("mine-2", "memories.get", "not_found")] == [
        (one["query_id"], one["stage"], one["outcome"])
        for one in calls
        if one["logger"] == "smartbrain.calls" and one["tenant_id"] == "work"
    ]
    assert "Ottoline" not in told
