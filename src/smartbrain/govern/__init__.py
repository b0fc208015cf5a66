"""Working state: what a person or an agent keeps in view around the memories.

Sessions now; pins, plans, notebooks, artifacts and runs have their place here.
"""
