"""Rules of what is kept: working state, pins, artifacts, raw text, privacy and the store itself.

In: nothing. Out: frozen dataclasses whose field defaults are the defaults of the sections of the
same names in brain.yml. Not the objects that these rules govern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from smartbrain.domain.policy_field import setting

_SHARE: Final = (0.0, 1.0)
_COUNT: Final = (1, 10_000)
_DAYS: Final = (1, 36_500)
_BYTES: Final = (0, 1_073_741_824)
_AMOUNT: Final = (0, 10**15)


@dataclass(frozen=True, slots=True)
class WorkingRules:
    """Short-term memory of a session and insights of a run."""

    window_turns: int = setting(
        5, "Last turns kept word for word.", _COUNT, at_least="window_turns_pressed"
    )
    window_turns_pressed: int = setting(3, "Last turns kept when space is short.", _COUNT)
    max_quotes: int = setting(10, "Most key quotes.", _COUNT, at_least="max_quotes_pressed")
    max_quotes_pressed: int = setting(5, "Most key quotes when space is short.", _COUNT)
    max_insights: int = setting(10, "Most insights of a run; the least sure go first.", _COUNT)
    insight_ttl_hours: float | None = setting(
        None, "Hours an insight lives; null: until its run ends.", (0.01, 8_760.0)
    )


@dataclass(frozen=True, slots=True)
class PinsRules:
    """Key facts pinned to every context."""

    max_pins: int = setting(20, "Most pins; a full board refuses another.", _COUNT)
    max_chars: int = setting(600, "Longest summary of a pin; put more into an artifact.", _COUNT)
    ttl_days: int = setting(7, "Days a pin lives unless renewed.", _DAYS)
    ttl_sessions: int = setting(30, "Sessions a pin lives unless renewed.", _COUNT)
    require_acceptance: bool = setting(
        False, "Whether a pin that an agent proposes waits for a person."
    )


@dataclass(frozen=True, slots=True)
class NotebookRules:
    """Working notes of a session; compaction keeps the milestones."""

    max_notes: int = setting(40, "More notes than this are compacted.", _COUNT, at_least="keep")
    keep: int = setting(10, "Latest notes that compaction leaves as they are.", _COUNT)
    auto: bool = setting(True, "Whether each finished tool run leaves a note.")
    shown: int = setting(8, "Most notes of a context, besides the last tool runs.", _COUNT)


@dataclass(frozen=True, slots=True)
class FastMemoRules:
    """The surface memory: five short sections shown in every chat."""

    max_bullets: int = setting(10, "Bullets at which a section is to be compacted.", (2, 1_000))
    max_chars: int = setting(1800, "Longest text shown to the model.", (100, 1_000_000))


@dataclass(frozen=True, slots=True)
class CommandsRules:
    """Quick commands: lines such as `!pin …` in what a user says."""

    enabled: bool = setting(False, "Whether such lines are carried out.")


@dataclass(frozen=True, slots=True)
class ArtifactsRules:
    """Outputs of tools; a context shows a summary and a reference."""

    summary_lines: int = setting(6, "Most lines of a summary.", (1, 100))
    summary_chars: int = setting(1500, "Longest summary.", (100, 100_000))
    read_max_chars: int = setting(8000, "Most characters of one read.", (100, 1_000_000))
    tool_answer_max_tokens: int = setting(
        1000, "Most tokens of an answer to a tool that a model calls.", (100, 100_000)
    )
    grep_seconds: float = setting(2.0, "Longest search with one expression.", (0.1, 60))
    file_roots: tuple[str, ...] = setting((), "Folders whose files may be shown; none by default.")


@dataclass(frozen=True, slots=True)
class RawRules:
    """The original text and how it ages."""

    inline_bytes: int = setting(
        4096, "Size from which text is kept in files, not in the database.", _BYTES
    )
    chunk_tokens_min: int = setting(1000, "Smallest chunk aimed at, in tokens.", (1, 1_000_000))
    chunk_tokens_max: int = setting(
        2000, "Largest chunk, in tokens.", (1, 1_000_000), at_least="chunk_tokens_min"
    )
    hot_days: int = setting(7, "Days a chunk stays quick to read.", _DAYS)
    cold_days: int = setting(
        30, "Days after which a chunk is archived.", _DAYS, at_least="hot_days"
    )
    delete_after_days: int | None = setting(
        None, "Days after which an unneeded chunk is deleted; null: never.", _DAYS
    )


@dataclass(frozen=True, slots=True)
class StatisticsRules:
    """Noise on figures that span tenants."""

    noise: str = setting("laplace", "The kind of noise.", choices=("laplace", "gaussian", "none"))
    epsilon: float = setting(1.0, "Privacy budget; smaller is more private.", (0.0001, 100.0))
    delta: float = setting(
        0.00001, "Chance that the budget does not hold (gaussian noise).", (0.0, 0.1)
    )


@dataclass(frozen=True, slots=True)
class PrivacyRules:
    """Personal data and who may see memories."""

    pii: str = setting(
        "tag",
        "Mark personal data, mask it, or mask it and remember none.",
        choices=("tag", "mask", "refuse"),
    )
    raw: str = setting(
        "masked",
        "What events keep of masked data: marks, or words too.",
        choices=("masked", "encrypted"),
    )
    scope: str = setting(
        "private", "Who may see a new memory.", choices=("private", "team", "public")
    )
    statistics: StatisticsRules = StatisticsRules()


@dataclass(frozen=True, slots=True)
class SloRules:
    """Targets; missing one raises an alert."""

    packet_p50_ms: float = setting(
        30.0, "Median time of a memory packet, in milliseconds.", (0.1, 600_000.0)
    )
    packet_p95_ms: float = setting(80.0, "95th percentile of it.", (0.1, 600_000.0))
    packet_p99_ms: float = setting(150.0, "99th percentile of it.", (0.1, 600_000.0))
    recall_p95_ms: float = setting(
        1500.0, "95th percentile of a recall, in milliseconds.", (0.1, 600_000.0)
    )
    max_active_facts: int = setting(200, "Most active facts of a tenant.", (1, 100_000_000))
    min_cache_hit_rate: float = setting(0.7, "Least share of reads that caches serve.", _SHARE)


@dataclass(frozen=True, slots=True)
class QuotaRules:
    """What one tenant may use; null means no limit."""

    bytes: int | None = setting(None, "Bytes of the database and its originals.", _AMOUNT)
    memories: int | None = setting(None, "Memories, older versions included.", _AMOUNT)
    artifacts: int | None = setting(None, "Stored outputs of tools.", _AMOUNT)


@dataclass(frozen=True, slots=True)
class StorageRules:
    """The database of each tenant."""

    lock_timeout_seconds: float = setting(30.0, "Longest wait for another writer.", (0.0, 3_600.0))


@dataclass(frozen=True, slots=True)
class TenantsRules:
    """Tenants of one root."""

    max_open: int = setting(64, "Tenants kept open at once; the least used is closed.", _COUNT)


@dataclass(frozen=True, slots=True)
class EncryptionRules:
    """Encryption at rest."""

    enabled: bool = setting(False, "Whether new tenants are encrypted.")
    master_key_file: str | None = setting(None, "File that holds the master key.")
    master_key_env: str = setting(
        "SMARTBRAIN_MASTER_KEY", "Environment variable that holds the master key."
    )
