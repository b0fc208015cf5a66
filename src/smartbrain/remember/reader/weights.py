"""The weights of the trained reader: a file of small integers, and the sums over them.

In: `weights.bin`, written by the training command. Out: heads that score features and a tagger that
labels tokens. Scores are sums of integers, so every machine reads alike. Weights that are missing,
damaged or of another version are refused when they are loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

from smartbrain.errors import InternalError
from smartbrain.remember.reader.features import hash_features

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORMAT: Final = b"smartbrain-reader-3\n"
FILE: Final = Path(__file__).with_name("weights.bin")


class LinearHead:
    """Adds up the weights of features, a sum for each label."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.labels: list[str] = stored["labels"]
        self._ids = np.cumsum(_array(stored["steps"], np.uint32), dtype=np.uint32)
        self._counts = _array(stored["counts"], np.uint8).astype(np.int64)
        self._starts = np.concatenate(([0], np.cumsum(self._counts)))
        self._columns = _array(stored["columns"], np.uint8)
        self._weights = _array(stored["weights"], np.int8)
        self._bias = _array(stored["bias"], np.int32)
        self.unit: int = stored["unit"]

    def score(
        self, lists: Sequence[Sequence[int]], shared: Sequence[int] = ()
    ) -> NDArray[np.int64]:
        """Returns a row of sums for each list of features; `shared` ones count for all of them."""
        lists = [*lists, shared]
        count, width = len(lists), len(self.labels)
        rows = np.repeat(np.arange(count), [len(one) for one in lists])
        ids = np.fromiter((one for many in lists for one in many), np.uint32, len(rows))
        places = np.searchsorted(self._ids, ids)
        places[places == len(self._ids)] = 0
        known = self._ids[places] == ids
        rows, places = rows[known], places[known]
        sizes = self._counts[places]
        ends = np.cumsum(sizes)
        within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        at = np.repeat(self._starts[places], sizes) + within
        cells = np.repeat(rows, sizes) * width + self._columns[at]
        counted = np.bincount(cells, weights=self._weights[at], minlength=count * width)
        sums = counted.astype(np.int64).reshape(count, width)
        return np.asarray(sums[:-1] + sums[-1] + self._bias)

    def explain(self, features: Sequence[str], label: str) -> list[tuple[str, int]]:
        """Returns the features that decided for or against a label, the heaviest first."""
        column = self.labels.index(label)
        hashed = [hash_features([one]) for one in features]
        scored = self.score(hashed)[:, column] - self._bias[column]
        ranked = sorted(zip(features, scored.tolist(), strict=True), key=lambda one: -abs(one[1]))
        return [(name, weight) for name, weight in dict(ranked).items() if weight]

    def shares(
        self, lists: Sequence[Sequence[int]], shared: Sequence[int] = ()
    ) -> NDArray[np.float64]:
        """Returns how likely each label is, a row for each list of features."""
        return probabilities(self.score(lists, shared), self.unit)


def probabilities(scores: NDArray[np.int64], unit: int) -> NDArray[np.float64]:
    """Returns sums as shares that add up to one in each row."""
    logits = (scores - scores.max(axis=1, keepdims=True)) / unit
    powers = np.exp(logits)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class Tagger:
    """Labels the tokens of a sentence together: the chain of labels with the greatest sum."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self._head = LinearHead(stored["tokens"])
        self.labels, self.unit = self._head.labels, self._head.unit
        count = len(self.labels)
        self._steps = _array(stored["transitions"], np.int32).reshape(count, count).astype(np.int64)

    def score(self, lists: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        """Returns how well each label fits each token, beside the labels around it."""
        return self._head.score(lists)

    def tag(self, scores: NDArray[np.int64]) -> list[str]:
        """Returns the best chain of labels."""
        best, back = scores[0], []
        for own in scores[1:]:
            reached = best[:, None] + self._steps
            back.append(reached.argmax(axis=0))
            best = reached.max(axis=0) + own
        chain = [int(best.argmax())]
        for pointers in reversed(back):
            chain.append(int(pointers[chain[-1]]))
        return [self.labels[one] for one in reversed(chain)]

    def beliefs(self, scores: NDArray[np.int64]) -> NDArray[np.float64]:
        """Returns how likely each token has each label, over all chains."""
        own = scores / self.unit
        steps = np.exp(self._steps / self.unit)
        shifted = np.exp(own - own.max(axis=1, keepdims=True))
        forward, backward = np.zeros_like(own), np.ones_like(own)
        forward[0] = shifted[0] / shifted[0].sum()
        for place in range(1, len(own)):
            reached = (forward[place - 1] @ steps) * shifted[place]
            forward[place] = reached / reached.sum()
        for place in range(len(own) - 2, -1, -1):
            reached = steps @ (backward[place + 1] * shifted[place + 1])
            backward[place] = reached / reached.sum()
        both = forward * backward
        return np.asarray(both / both.sum(axis=1, keepdims=True))


class Weights:
    """All heads of the reader."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.version: str = stored["version"]
        self.lasting = LinearHead(stored["lasting"])
        self.attribute = LinearHead(stored["attribute"])
        self.say = LinearHead(stored["say"])
        self.relation = LinearHead(stored["relation"])
        self.asking = LinearHead(stored["asking"])
        self.asked = LinearHead(stored["asked"])
        self.tagger = Tagger(stored["tagger"])
        self.request = LinearHead(stored["request"])
        self.target = Tagger(stored["target"])
        self.certainty: Mapping[str, float] = stored["certainty"]
        self.thresholds: Mapping[str, float] = stored["thresholds"]


@cache
def load_weights(path: Path = FILE) -> Weights:
    """Loads the weights, once."""
    return Weights(unpack_weights(path))


def unpack_weights(path: Path) -> dict[str, Any]:
    """Returns the checked content of a file of weights.

    Raises:
        InternalError: the file is missing, damaged or of another version.
    """
    advice = "install smartbrain again, or run `make reader`"
    try:
        packed = path.read_bytes()
    except OSError as error:
        raise InternalError(f"the reader's weights are missing ({path}); {advice}") from error
    if not packed.startswith(FORMAT):
        raise InternalError(f"the reader's weights are of another version ({path}); {advice}")
    body, checksum = packed[len(FORMAT) + 4 :], packed[len(FORMAT) : len(FORMAT) + 4]
    if crc32(body).to_bytes(4, "big") != checksum:
        raise InternalError(f"the reader's weights are damaged ({path}); {advice}")
    content: dict[str, Any] = msgspec.msgpack.decode(zstd.decompress(body))
    return content


def _array(data: bytes, kind: type) -> NDArray[Any]:
    return np.frombuffer(data, kind)
