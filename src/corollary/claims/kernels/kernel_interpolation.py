r"""Kernel interpolation is minimum-norm least squares.

If :math:`K = \Phi\Phi^\top` is invertible (so there are at least as many features as inputs), the
least squares solution of smallest norm is :math:`\theta = \Phi^\top K^{-1}y`. It fits every target,
and needs the features only through the kernel:

.. math:: f(x) = \phi(x)^\top\theta = K(x, X)\,K^{-1}y .

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.1.1; Perez Jensen (2025), Deep
    Learning, Section 9.
:kind: algorithm
:cost: instant
:covers: kernel-least-squares
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.kernels.regression import kernel_regression


class Given(NamedTuple):
    """Features and targets."""

    phi: Float[Tensor, "n p"]
    y: Float[Tensor, " n"]
    new: Float[Tensor, "m p"]  # features of other inputs


class KernelInterpolation(Claim[Given]):
    n: int = option(12, low=1, high=100)  # inputs
    p: int = option(40, low=2, high=400)  # features, more than inputs
    relation = equals(ulps=2**14, scale=1.0)  # two solvers at a condition number of some tens

    def given(self, rng: Generator) -> Given:
        """Gaussian features."""
        phi = torch.randn(self.n, self.p, generator=rng, dtype=torch.float64)
        y = torch.randn(self.n, generator=rng, dtype=torch.float64)
        return Given(phi, y, torch.randn(5, self.p, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """K is invertible."""
        rank = int(torch.linalg.matrix_rank(given.phi))
        yield Hypothesis("K is invertible", rank == len(given.y), f"rank {rank} of {len(given.y)}")

    def predict(self, given: Given) -> list[float]:
        """The targets, and the minimum-norm solution by the pseudo-inverse of the features."""
        theta = torch.linalg.pinv(given.phi) @ given.y
        return torch.cat([given.y, given.new @ theta]).tolist()

    def measure(self, given: Given) -> list[float]:
        """The kernel's fit at the inputs and at new ones."""
        fit = kernel_regression(given.phi @ given.phi.T, given.y, singular="pinv")
        return fit(torch.cat([given.phi, given.new]) @ given.phi.T).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """One input twice, with two targets."""
        phi, y, new = self.given(rng)
        return Given(torch.cat([phi, phi[:1]]), torch.cat([y, y[:1] + 1]), new)

    def figure(self, given: Given) -> Figure:
        """Both answers against each other."""
        predicted, measured = self.predict(given), self.measure(given)
        ends = [min(predicted), max(predicted)]
        return Figure(
            "Kernel interpolation",
            x="minimum-norm solution in feature space",
            y="f(x)",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(predicted[: self.n], measured[: self.n], label="training inputs"),
                Points(predicted[self.n :], measured[self.n :], label="new inputs", role="other"),
            ),
        )
