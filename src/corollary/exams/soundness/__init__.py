"""Is it sound?

Faults that no theorem is needed for, and that spoil every theorem: numbers that leave the finite
range, inputs of a wild scale, a loss that does not mean what its user thinks, parameters that take
no part, answers that depend on chance or on the future.
"""
