"""The memory proxy: stands before a model's API, and any client that speaks it has memory.

`dialects` reads and writes what each provider's API says, `app` passes requests on.
"""
