r"""Batch normalization and its scale.

Batch normalization standardizes each pre-activation over the batch, with the standard deviation
that divides by :math:`B - 1`, and then applies a learned scale :math:`\gamma` and shift
:math:`\beta`.

:source: Notes, Section 10.5, Problem 2.
:a: Compare a layer with batch normalization with a layer that is left as it is.
:a-ungraded: the notes ask for an informal comparison in prose.
:b: ``representative(w)`` The network :math:`f(x) = w_2 \, \phi(w x)` of one number has batch
    normalization, without scale and shift, before :math:`\phi`. Return a weight of absolute value 1
    that, in the place of :math:`w \ne 0`, gives the same function for every :math:`w_2`,
    :math:`\phi` and batch: this is all that is left of :math:`w`.
:b-hints: Write out the standardized pre-activation. | Mean and standard deviation are multiplied by
    :math:`w` and by :math:`|w|`. | The scale cancels, and the sign?
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from corollary.exercises.judging import Array, Case, Judge, Rng, real


def standardized(values: Array) -> Array:
    """What batch normalization gives without scale and shift."""
    return np.asarray((values - values.mean()) / values.std(ddof=1))


def part_b(rng: Rng) -> Iterator[Case]:
    """Weights of all sizes; the functions are compared on a batch."""
    large, small = float(rng.uniform(2, 9)), float(rng.uniform(0.1, 0.9))
    cases = [(large, ""), (small, ""), (-large, "a negative weight"), (-small, "a negative weight")]
    for w, edge in cases:
        yield Case({"w": w}, _same(w, rng.normal(size=8)), edge)


def _same(w: float, x: Array) -> Judge:
    def judge(answer: Any) -> str:
        got = real(answer)
        if got.shape:
            return f"expected a number, got an array of shape {got.shape}"
        if abs(abs(float(got)) - 1) > 1e-9:
            return "the absolute value of the answer is not 1"
        same = np.allclose(standardized(float(got) * x), standardized(w * x))
        return "" if same else "the answer gives a different function on a batch"

    return judge
