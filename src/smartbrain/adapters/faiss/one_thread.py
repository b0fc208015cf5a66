"""faiss on the calling thread alone.

faiss splits even a single query over OpenMP threads, which wait for each other: on a busy machine
that is slower and far less even. OpenMP keeps the number of threads for each calling thread apart,
so that setting it here and putting it back leaves everybody else as they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

library: Any = faiss
"""The faiss module; its published types do not cover what is used of it."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Run faiss without helpers inside of the block."""
    before = library.omp_get_max_threads()
    if before != 1:
        library.omp_set_num_threads(1)
    try:
        yield
    finally:
        if before != 1:
            library.omp_set_num_threads(before)


def selecting(bits: npt.NDArray[np.uint8] | None) -> Any:
    """Return what lets faiss look at some places only, or None; to be held during the search."""
    return None if bits is None else library.IDSelectorBitmap(bits)
