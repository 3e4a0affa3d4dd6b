r"""Matrix sensing with Gaussian measurements.

For :math:`A` with independent standard normal entries

.. math:: \mathbb E_A\langle W-W^*,A\rangle_F^2=\|W-W^*\|_F^2 ,

so that recovering :math:`W^*` from many measurements :math:`\langle W^*,A_i\rangle` by a product of
layers :math:`W=W_L\cdots W_1` is the minimisation of :math:`\frac1{2L}\|W-W^*\|_F^2`, whose
gradients :math:`G_k=\frac1LW_{k+1:L}^\top(W-W^*)W_{1:k-1}^\top` are the mean of those of single
measurements. Checked: the first mean at several times of the gradient flow, in units of the start,
and :math:`\|G_k\|` against derivatives along :math:`G_k`, measurement by measurement.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1; Gunasekar et al.
    (2017), "Implicit regularization in matrix factorization".
:kind: identity
:uses: matrix_gradients
:covers: matrix-sensing-objective
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Sample, Suppose, normal, option, within_interval
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import MatrixSensing


class Given(NamedTuple):
    sensing: MatrixSensing
    path: list[list[Tensor]]  # layers at each time
    A: Tensor  # (draws, d, d), the measurements

    def errors(self) -> Tensor:
        """W − W* at each time, in units of its norm at the start."""
        error = torch.stack([product(Ws) for Ws in self.path]) - self.sensing.target
        start: Tensor = error[0].norm()
        return error / start


def uncorrelated(given: Given) -> tuple[bool, str]:
    """The second moments of the measurements, up to ten standard errors."""
    flat = given.A.flatten(1)
    off = float((flat.T @ flat / len(flat) - torch.eye(flat.shape[1])).abs().max())
    return off < 10 / len(flat) ** 0.5, f"largest deviation {off:.3g}"


class MatrixSensingMean(Claim[Given]):
    d: int = option(4, low=2, high=20)  # size of the matrices
    L: int = option(3, low=1, high=5)  # layers
    draws: int = option(12_000, low=10_000, high=100_000)  # measurements

    relation = within_interval(level=0.999999, resolution=0.2)  # chance: one seed in a million
    supposes = Suppose(
        "the entries of A are uncorrelated with variance 1",
        uncorrelated,
        "If all entries of a measurement are equal, it measures only the sum of the entries.",
        A=lambda g: g.A[:, :1, :1].expand_as(g.A),
    )
    symbols = "‖W − W*‖² / its initial value, ‖G_k‖", "mean over measurements"
    shows = Parity("Matrix sensing: means over measurements")

    def given(self, rng: Generator) -> Given:
        one = torch.eye(self.d, dtype=torch.float64)
        target, *start = one + normal(rng, self.L + 1, self.d, self.d) / self.d
        sensing = MatrixSensing(target)
        path = sensing.flow([0.2 * one + 0.5 * w for w in start], 2.0, steps=40)[::10]
        return Given(sensing, path, sensing.measurements(self.draws, rng=rng))

    def predict(self, given: Given) -> Tensor:
        lengths = torch.stack([G.norm() for G in given.sensing.gradients(given.path[0])])
        return torch.cat([given.errors().square().sum(dim=(1, 2)), lengths])

    def measure(self, given: Given) -> list[Sample]:
        Ws, target = given.path[0], given.sensing.target
        along = [G / G.norm() for G in given.sensing.gradients(Ws)]

        def loss(A: Tensor, *Ws: Tensor) -> Tensor:
            return ((product(Ws) - target) * A).sum().square() / (2 * len(Ws))

        slopes = torch.func.grad(loss, argnums=tuple(range(1, len(Ws) + 1)))
        single = torch.func.vmap(slopes, (0, *[None] * len(Ws)))(given.A, *Ws)
        seen = [(e * given.A).sum(dim=(1, 2)).square() for e in given.errors()]
        seen += [(g * G).sum(dim=(1, 2)) for g, G in zip(single, along, strict=True)]
        return [Sample(values) for values in seen]
