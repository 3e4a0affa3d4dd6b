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
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import MatrixSensing


class Given(NamedTuple):
    """The target, the layers at some times, and the measurements."""

    target: Tensor
    path: list[list[Tensor]]
    A: Tensor


class MatrixSensingMean(Claim[Given]):
    d: int = option(4, low=2, high=20)  # size of the matrices
    L: int = option(3, low=1, high=5)  # layers
    draws: int = option(3000, low=500, high=100_000)  # measurements
    relation = within_interval(level=0.999999, resolution=0.2)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Gaussian layers near the identity, followed by the flow."""
        d = self.d
        noise = torch.randn(self.L + 1, d, d, generator=rng, dtype=torch.float64) / d
        target = torch.eye(d, dtype=torch.float64) + noise[0]
        start = [0.7 * torch.eye(d, dtype=torch.float64) + 0.5 * w for w in noise[1:]]
        sensing = MatrixSensing(target)
        path = sensing.flow(start, 2.0, steps=40)[::10]
        return Given(target, path, sensing.measurements(self.draws, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The second moments of the measurements, as far as the draws can tell."""
        flat = given.A.flatten(1)
        off = (flat.T @ flat / len(flat) - torch.eye(flat.shape[1]).to(flat)).abs().max()
        yield Hypothesis(
            "the entries of A are uncorrelated with variance 1",
            float(off) * len(flat) ** 0.5 < 10,
            f"largest deviation {float(off):.3g}",
        )

    def predict(self, given: Given) -> list[float]:
        """Squared distances in units of the first."""
        errors = [float((product(Ws) - given.target).square().sum()) for Ws in given.path]
        return [e / errors[0] for e in errors]

    def measure(self, given: Given) -> list[Sample]:
        """Squared measurements of the error, in the same unit."""
        unit = float((product(given.path[0]) - given.target).square().sum())
        errors = (product(Ws) - given.target for Ws in given.path)
        return [Sample((e * given.A).sum(dim=(1, 2)).square() / unit) for e in errors]

    def counterexample(self, rng: Generator) -> Given:
        """All entries of a measurement are one and the same number: only the sum is seen."""
        given = self.given(rng)
        return given._replace(A=given.A[:, :1, :1].expand_as(given.A))

    def figure(self, given: Given) -> Figure:
        """The error along the flow."""
        t = [2.0 * i / (len(given.path) - 1) for i in range(len(given.path))]
        reads = [sample.read(0.99) for sample in self.measure(given)]
        return Figure(
            "The error along the flow, and what measurements see of it",
            x="t",
            y="‖W − W*‖² over its start",
            marks=(
                Curve(self.predict(given), x=t, label="‖W − W*‖²", role="predicted"),
                Points(
                    t,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label="mean of ⟨W − W*, A⟩², 99 %",
                ),
            ),
        )
