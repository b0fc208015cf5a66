"""The composition root: the only place that knows which adapters there are.

In: a folder and what the caller asks for. Out: open tenants, kept in one LRU. Also the only reader
of configuration files, keys and the environment. Heavy libraries are imported here, when a brain is
opened, so that `import smartbrain` stays light.
"""
