"""Will it generalise?

What the network does on samples it has not seen, what can be guaranteed about it and with which
probability, and what the guarantee is based on: its size, its norms, its margins, its flatness.
"""
