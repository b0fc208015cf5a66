"""Writes the weights of the trained reader in the form that `smartbrain.remember.reader` loads.

In: weights by feature and label, in log odds. Out: small whole numbers, packed and with a checksum.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import msgspec
import numpy as np

from smartbrain.remember.reader.weights import FORMAT

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LARGEST: Final = 127
"""Weights are kept as whole numbers up to this, a larger one in parts."""
_COMMON: Final = 0.999
"""The share of a head's weights that need one part; its unit follows from it."""


def pack_weights(content: Mapping[str, Any], path: Path) -> None:
    """Writes weights to a file."""
    body = zstd.compress(msgspec.msgpack.encode(content), level=19)
    path.write_bytes(FORMAT + crc32(body).to_bytes(4, "big") + body)


def pack_head(
    labels: Sequence[str], weights: Mapping[int, Mapping[int, float]], bias: Sequence[float]
) -> dict[str, Any]:
    """Returns a head in the form of the file; weights by feature and label, in log odds."""
    ids, counts, columns, values = [], [], [], []
    sizes = np.array([abs(weight) for row in weights.values() for weight in row.values()] or [1.0])
    unit = max(1, int(_LARGEST / np.quantile(sizes, _COMMON)))
    for feature in sorted(weights):
        kept = [
            (column, part)
            for column, weight in sorted(weights[feature].items())
            for part in _parts(round(weight * unit))
        ]
        if kept:
            ids.append(feature)
            counts.append(len(kept))
            columns += [column for column, _ in kept]
            values += [value for _, value in kept]
    return {
        "labels": list(labels),
        "steps": np.diff(np.array([0, *ids], np.int64)).astype(np.uint32).tobytes(),
        "counts": np.array(counts, np.uint8).tobytes(),
        "columns": np.array(columns, np.uint8).tobytes(),
        "weights": np.array(values, np.int8).tobytes(),
        "bias": np.array([round(one * unit) for one in bias], np.int32).tobytes(),
        "unit": unit,
    }


def _parts(weight: int) -> list[int]:
    """Returns a weight as small numbers that add up to it; none for nothing."""
    whole, rest = divmod(abs(weight), _LARGEST)
    parts = [_LARGEST] * whole + [rest] * bool(rest)
    return [-one for one in parts] if weight < 0 else parts


def pack_transitions(weights: Sequence[Sequence[float]], unit: int) -> bytes:
    """Returns the weights of one label after another in the form of the file."""
    return np.array([[round(one * unit) for one in row] for row in weights], np.int32).tobytes()
