"""What a check found: findings with a stable code, a sentence and what to do about it.

Made by the truth's own checks and by `doctor`; shown by `memctl doctor` and read by programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from smartbrain.domain.record import Record


class Severity(StrEnum):
    """`error` means data is damaged or missing; `warning` means it may soon be."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Finding(Record):
    """One thing that is not as it should be."""

    severity: Severity
    code: str
    sentence: str
    subject: str = ""
    remedy: str = ""
