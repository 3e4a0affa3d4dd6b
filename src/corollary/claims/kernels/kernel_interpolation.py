r"""Kernel interpolation is minimum-norm least squares.

If :math:`K = \Phi\Phi^\top` is invertible (so there are at least as many features as inputs), the
least squares solution of smallest norm is :math:`\theta = \Phi^\top K^{-1}y`. It fits every target,
and needs the features only through the kernel:

.. math:: f(x) = \phi(x)^\top\theta = K(x, X)\,K^{-1}y .

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.1.1; Perez Jensen (2025), Deep
    Learning, Section 9.
:kind: algorithm
:uses: representer_theorem, shortest_interpolator
:covers: kernel-least-squares
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.kernels.regression import kernel_regression


class Given(NamedTuple):
    phi: Float[Tensor, "n p"]  # features
    y: Float[Tensor, " n"]  # targets
    new: Float[Tensor, "m p"]  # features of other inputs


def is_invertible(g: Given) -> tuple[bool, str]:
    """Whether there are as many independent features as inputs."""
    rank = int(torch.linalg.matrix_rank(g.phi))
    return rank == len(g.y), f"rank {rank} of {len(g.y)}"


class KernelInterpolation(Claim[Given]):
    n: int = option(12, low=1, high=100)  # inputs
    p: int = option(40, low=2, high=400)  # features, more than inputs

    relation = equals(ulps=2**14, scale=1.0)  # two solvers at a condition number of some tens
    supposes = Suppose(
        "K is invertible",
        is_invertible,
        "The same input appears twice with two targets, which cannot be fitted.",
        phi=lambda g: torch.cat([g.phi, g.phi[:1]]),
        y=lambda g: torch.cat([g.y, g.y[:1] + 1]),
    )
    symbols = "targets, and the minimum-norm solution at new inputs", "K(x, X) K⁻¹ y"
    shows = Parity("Kernel interpolation")

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.n, self.p), normal(rng, self.n), normal(rng, 5, self.p))

    def predict(self, given: Given) -> Tensor:
        theta = torch.linalg.pinv(given.phi) @ given.y
        return torch.cat([given.y, given.new @ theta])

    def measure(self, given: Given) -> Tensor:
        fit = kernel_regression(given.phi @ given.phi.T, given.y, singular="pinv")
        return fit(torch.cat([given.phi, given.new]) @ given.phi.T)
