"""What tools print, told in a few lines: one module a kind of output (W6).

In: the text that a tool printed. Out: what failed, then what it is. `summarise` chooses the kind
and puts the lines together; every kind is a pure function, linear in what it looks at.
"""
