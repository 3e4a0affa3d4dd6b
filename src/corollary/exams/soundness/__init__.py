"""Is it sound?

Faults that are seen without any theorem, and that make every theorem inapplicable: NaN and
infinite numbers, inputs of an extreme scale, a loss that does not measure what its user thinks,
parameters that are not used, answers that depend on chance or on the future.
"""
