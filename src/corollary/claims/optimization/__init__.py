"""Optimisation: how far, how fast, and up to which step size.

What a gradient promises and what it does not: when a step is sure to go down, which step size is
the last that converges, what convexity, strong convexity and the Polyak-Łojasiewicz condition buy
in iterations, and what remains true without any of them; then what noise in the gradient costs and
what momentum, averaging and adaptive steps give back. Each rate is set against a real trajectory,
and each hypothesis against a function that lacks it.
"""
