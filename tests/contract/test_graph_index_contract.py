"""Every graph index, held to the one contract of the port.

In: the index in numpy, with all, no or a few edges beside its rows, and the reference. Out: nothing
if they all do the same.
"""

from __future__ import annotations

import pytest

from smartbrain.adapters.graph.index import NumpyGraph
from smartbrain.ports.graph_index import GraphIndex
from smartbrain.testing.contracts.graph_index import GraphIndexContract
from smartbrain.testing.graph_index import MemoryGraph


@pytest.mark.spec("R3", "J6", "M5")
class TestNumpyGraph(GraphIndexContract):
    def make(self) -> GraphIndex:
        return NumpyGraph()


@pytest.mark.spec("R3", "J6", "M5")
class TestNumpyGraphSortedAtOnce(GraphIndexContract):
    def make(self) -> GraphIndex:
        return NumpyGraph(least_changes=0)


@pytest.mark.spec("R3", "J6", "M5")
class TestNumpyGraphHalfSorted(GraphIndexContract):
    def make(self) -> GraphIndex:
        return NumpyGraph(least_changes=2)


@pytest.mark.spec("R3", "J6", "M5")
class TestMemoryGraph(GraphIndexContract):
    def make(self) -> GraphIndex:
        return MemoryGraph()
