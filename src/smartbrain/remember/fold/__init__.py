"""The fold: what holds, made of what was claimed, in the order in which it was said (K2).

In: the claims of one group. Out: the versions of its memories and a decision a claim. Pure: no
storage, no clock. Start at `fold.fold_claims`.
"""
