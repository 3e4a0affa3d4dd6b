"""How robust is it?

How far an input has to be moved until the answer changes: at most so far, by an attack that did it,
and at least so far, by a proof; whether the attacks can be believed; and how steep the network is.
"""
