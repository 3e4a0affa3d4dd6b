"""How robust is it?

How far an input has to be moved until the answer changes: an upper bound from an attack and a
lower bound from a proof; whether the attacks can be trusted; and how steep the network is.
"""
