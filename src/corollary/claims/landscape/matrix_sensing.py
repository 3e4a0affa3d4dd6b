r"""Matrix sensing with Gaussian measurements.

For :math:`A` with independent standard normal entries

.. math:: \mathbb E_A\langle W-W^*,A\rangle_F^2=\|W-W^*\|_F^2 ,

so that recovering :math:`W^*` from many measurements :math:`\langle W^*,A_i\rangle` by a product of
layers :math:`W=W_L\cdots W_1` is the minimisation of :math:`\frac1{2L}\|W-W^*\|_F^2`. Along its
gradient flow the loss does not increase. Checked are the mean at several times of the flow, in
units of its value at the start.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1; Gunasekar et al.
    (2017), "Implicit regularization in matrix factorization".
:kind: identity
:cost: instant
:covers: matrix-sensing-objective
:scale-free: The mean is that of any matrix; theory only makes the errors along a flow.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, normal, option, within_interval
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import MatrixSensing


class Given(NamedTuple):
    error: Tensor  # (times, d, d), W - W* in units of its norm at the start
    A: Tensor  # (draws, d, d), the measurements


def uncorrelated(given: Given) -> tuple[bool, str]:
    """The second moments of the measurements, up to ten standard errors."""
    flat = given.A.flatten(1)
    off = float((flat.T @ flat / len(flat) - torch.eye(flat.shape[1])).abs().max())
    return off < 10 / len(flat) ** 0.5, f"largest deviation {off:.3g}"


class MatrixSensingMean(Claim[Given]):
    d: int = option(4, low=2, high=20)  # size of the matrices
    L: int = option(3, low=1, high=5)  # layers
    draws: int = option(3000, low=500, high=100_000)  # measurements

    relation = within_interval(level=0.999999, resolution=0.2)  # chance: one seed in a million
    supposes = Suppose(
        "the entries of A are uncorrelated with variance 1",
        uncorrelated,
        "If all entries of a measurement are one number, only the sum is seen.",
        A=lambda g: g.A[:, :1, :1].expand_as(g.A),
    )
    symbols = "‖W − W*‖² over its start", "mean of ⟨W − W*, A⟩² over the start"
    times = (0.0, 0.5, 1.0, 1.5, 2.0)
    shows = Along("The error along the flow and what measurements see", x="t", at="times")

    def given(self, rng: Generator) -> Given:
        one = torch.eye(self.d, dtype=torch.float64)
        target, *start = one + normal(rng, self.L + 1, self.d, self.d) / self.d
        sensing = MatrixSensing(target)
        path = sensing.flow([0.2 * one + 0.5 * w for w in start], 2.0, steps=40)[::10]
        error = torch.stack([product(Ws) for Ws in path]) - target
        return Given(error / error[0].norm(), sensing.measurements(self.draws, rng=rng))

    def predict(self, given: Given) -> Tensor:
        return given.error.square().sum(dim=(1, 2))

    def measure(self, given: Given) -> list[Sample]:
        return [Sample((e * given.A).sum(dim=(1, 2)).square()) for e in given.error]
