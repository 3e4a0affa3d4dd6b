"""Is it sound?

Faults that are visible without any theorem and make every theorem inapplicable: NaN and infinite
numbers, inputs of an extreme scale, a loss that does not measure what the user intends, parameters
that are not used, answers that depend on chance or on the future.
"""
