r"""The trace by random probes.

If the entries of z are uncorrelated with mean 0 and variance 1, :math:`\mathbb{E}\,zz^\top=I`, then
by linearity and cyclicity of the trace

.. math:: \mathbb{E}\,z^\top Az=\operatorname{tr}\big(A\,\mathbb{E}\,zz^\top\big)=\operatorname{tr}A
    =\sum_i\lambda_i(A),

so products with A are enough to estimate its trace. With independent signs the variance is
:math:`2\sum_{i\ne j}A_{ij}^2` for symmetric A.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.1; Hutchinson (1990), "A
    stochastic estimator of the trace of the influence matrix for Laplacian smoothing splines".
:kind: theorem
:cost: instant
:covers: trace-properties
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Band,
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Sample,
    option,
    within_interval,
)


class Given(NamedTuple):
    """A matrix and probes."""

    A: Float[Tensor, "n n"]
    z: Float[Tensor, "n s"]


class TraceByProbes(Claim[Given]):
    n: int = option(20, low=2, high=500)  # size of A
    samples: int = option(4000, low=100, high=100_000)  # probes
    relation = within_interval(level=0.999, resolution=0.15)  # standard error sqrt(2/4000)

    def given(self, rng: Generator) -> Given:
        """A symmetric matrix with off-diagonal part of size 1 and trace near 3; random signs."""
        a = torch.randn(self.n, self.n, generator=rng, dtype=torch.float64)
        a = a + a.T
        off = a - torch.diag(a.diagonal())
        signs = torch.randint(0, 2, (self.n, self.samples), generator=rng)
        shift = 3 / self.n * torch.eye(self.n, dtype=torch.float64)
        return Given(a / off.norm() + shift, 2.0 * signs.double() - 1)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The second moments of the probes."""
        n, s = given.z.shape
        off = float((given.z @ given.z.T / s - torch.eye(n).double()).abs().max())
        detail = f"largest entry of the mean of zzᵀ − I: {off:.2g}"
        yield Hypothesis("the entries of z are uncorrelated", off < 6 / s**0.5, detail)

    def predict(self, given: Given) -> float:
        """The sum of eigenvalues."""
        return float(torch.linalg.eigvals(given.A).sum().real)

    def measure(self, given: Given) -> Sample:
        """Quadratic forms."""
        return Sample(_forms(given))

    def counterexample(self, rng: Generator) -> Given:
        """One sign for all entries: the mean is the sum of all entries of A."""
        given = self.given(rng)
        A = given.A.diagonal().diag() + torch.ones_like(given.A) / self.n
        noise = 1e-3 * torch.randn(self.n, self.samples, generator=rng, dtype=torch.float64)
        return Given(A, given.z[:1].expand(self.n, -1) + noise)

    def figure(self, given: Given) -> Figure:
        """The running mean with three standard errors."""
        forms = _forms(given)
        count = torch.arange(1, len(forms) + 1, dtype=torch.float64)
        shown = torch.logspace(1, math.log10(len(forms)), 60).long().unique() - 1
        mean = (forms.cumsum(0) / count)[shown]
        error = 3 * forms.std() / count[shown].sqrt()
        return Figure(
            "Quadratic forms of random signs average to the trace",
            x="number of probes z",
            y="mean of zᵀAz",
            log_x=True,
            marks=(
                Band(count[shown], mean - error, mean + error, label="3 standard errors"),
                Curve(mean, count[shown], label="mean of the probes"),
                Level(self.predict(given), label="tr A"),
            ),
        )


def _forms(given: Given) -> Tensor:
    return (given.z * (given.A @ given.z)).sum(dim=0)
