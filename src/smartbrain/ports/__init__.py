"""Ports: what the product needs from the outside, as protocols it owns.

In: values of the domain. Out: values of the domain, or an error of `smartbrain.errors`. Nothing
here touches a disk, a network or a model; adapters do, and each proves itself with the contract
suite of its port in `smartbrain.testing.contracts`. Every call may raise AdapterError, because what
is behind it failed, and UsageError for what has no meaning; an id that leads nowhere is NotFound,
one that is taken Conflict. After an error nothing was changed. A port names the codes of its own.
"""
