"""Work beside the two pipelines: checking, sweeping, and in time promoting, decaying, forgetting.

Each job is one function over the ports that reports what it did.
"""
