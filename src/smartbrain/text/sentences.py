"""Placeholder of the owner of this file; overwritten by the real one."""

from collections.abc import Sequence


def extract_summary(parts: Sequence[tuple[str, str]], limit: int = 280) -> str:
    return "\n".join(f"{a}: {b}" for a, b in parts)[:limit]
