"""Contract suites: one class a port, with the tests that every adapter of it must pass.

Inherit the class under a name that pytest collects, say how to make the adapter, and run pytest.
The suites use plain asserts and do not import pytest.
"""
