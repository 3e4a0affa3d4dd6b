r"""Hutchinson's estimator: the trace by random probes.

If the entries of z are uncorrelated with mean 0 and variance 1, :math:`\mathbb{E}\,zz^\top=I`, then
by linearity and cyclicity of the trace

.. math:: \mathbb{E}\,z^\top Az=\operatorname{tr}\big(A\,\mathbb{E}\,zz^\top\big)=\operatorname{tr}A
    =\sum_i\lambda_i(A),

so products with A are enough to estimate its trace. With independent signs the variance is
:math:`2\sum_{i\ne j}A_{ij}^2` for symmetric A.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.1; Hutchinson (1990), "A
    stochastic estimator of the trace of the influence matrix for Laplacian smoothing splines".
:kind: theorem
:covers: trace-properties
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Sample, Spread, Suppose, normal, option, within_interval


class Given(NamedTuple):
    A: Float[Tensor, "n n"]
    z: Float[Tensor, "n s"]  # probes


def _uncorrelated(given: Given) -> tuple[bool, str]:
    n, s = given.z.shape
    off = float((given.z @ given.z.T / s - torch.eye(n).double()).abs().max())
    return off < 6 / s**0.5, f"largest entry of the mean of zzᵀ − I: {off:.2g}"


def one_sign(given: Given, rng: Generator) -> Given:
    """All entries of z are equal, so the mean is the sum of all entries of A."""
    n, s = given.z.shape
    A = given.A.diagonal().diag() + torch.ones_like(given.A) / n
    return Given(A, given.z[:1].expand(n, -1) + 1e-3 * normal(rng, n, s))


class TraceByProbes(Claim[Given]):
    n: int = option(20, low=2, high=500)  # size of A
    samples: int = option(4000, low=100, high=100_000)  # probes

    relation = within_interval(level=0.999, resolution=0.15)  # standard error sqrt(2/4000)
    supposes = Suppose("the entries of z are uncorrelated", _uncorrelated, without=one_sign)
    symbols = "tr A = Σ λᵢ", "zᵀAz"
    shows = Spread("Quadratic forms of random signs average to the trace", without=False)

    def given(self, rng: Generator) -> Given:
        a = normal(rng, self.n, self.n)
        a = a + a.T
        off = a - a.diagonal().diag()  # A has an off-diagonal part of size 1 and a trace near 3
        signs = torch.randint(0, 2, (self.n, self.samples), generator=rng)
        shift = 3 / self.n * torch.eye(self.n, dtype=torch.float64)
        return Given(a / off.norm() + shift, 2.0 * signs.double() - 1)

    def predict(self, given: Given) -> float:
        return float(torch.linalg.eigvals(given.A).sum().real)

    def measure(self, given: Given) -> Sample:
        return Sample((given.z * (given.A @ given.z)).sum(dim=0))
