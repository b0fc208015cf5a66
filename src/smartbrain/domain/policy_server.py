"""What servers take from outside: how much, how fast, how deep, and from which web pages.

In: nothing. Out: the section `server` of brain.yml.
"""

from __future__ import annotations

from dataclasses import dataclass

from smartbrain.domain.policy_field import setting


@dataclass(frozen=True, slots=True)
class ServerRules:
    """What `memctl serve`, `mcp --http` and `proxy` take from outside."""

    max_body_mb: int = setting(
        16, "Largest body, in megabytes; the proxy takes four times as much.", (1, 1024)
    )
    max_json_depth: int = setting(
        100, "How deep lists and objects may lie in each other.", (1, 500)
    )
    requests_per_second: float = setting(
        0.0, "Requests a second of one key or, without keys, address; 0: any.", (0.0, 100_000.0)
    )
    max_concurrent: int = setting(
        256, "Requests at work at once; more are told to come again.", (1, 100_000)
    )
    header_seconds: float = setting(
        10.0, "Seconds that the headers of a request may take to arrive.", (0.1, 3_600.0)
    )
    body_seconds: float = setting(
        60.0, "Seconds for the next part of a body, of at least 1 KB a second.", (0.1, 3_600.0)
    )
    cors_origins: tuple[str, ...] = setting(
        (), "Web pages that may ask, such as https://app.example."
    )
