"""Will it generalise?

How the network does on samples it has not seen, which guarantees hold with which probability, and
what they are based on: the size, norms, margins or flatness of the network.
"""
