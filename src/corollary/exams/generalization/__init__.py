"""Will it generalise?

What the network does on samples it has not seen, what can be promised about that and with which
probability, and what the promise is made of: its size, its norms, its margins, its flatness.
"""
