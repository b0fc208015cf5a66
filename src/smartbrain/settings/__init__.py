"""Configuration: brain.yml and the caller's overrides become one checked `Settings`.

`load` reads, `with_overrides` changes, `explain` lists, `template` writes a fresh brain.yml.
Files and environment are read by bootstrap and handed in as text.
"""

from smartbrain.settings.merge import (
    Explained,
    Settings,
    check_ontology,
    check_recipes,
    check_webhooks,
    explain,
    load,
    registry_of,
    with_overrides,
)
from smartbrain.settings.template import template

__all__ = [
    "Explained",
    "Settings",
    "check_ontology",
    "check_recipes",
    "check_webhooks",
    "explain",
    "load",
    "registry_of",
    "template",
    "with_overrides",
]
