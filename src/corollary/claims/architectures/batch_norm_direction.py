r"""Batch normalisation keeps only the direction of a weight.

A linear unit normalised over the batch is

.. math:: \mathrm{BN}(w^\top x)=\beta+\gamma\Big(\frac w{\|w\|_2}\Big)^{\!\top}(x-\mathbb Ex)\,
   \frac{\|w\|_2}{\|w\|_\Sigma},\qquad \|w\|_\Sigma=\sqrt{w^\top\Sigma w},

with :math:`\Sigma=\operatorname{Cov}(x)`: the same for w and cw, c > 0.

:source: Perez Jensen (2025), Deep Learning, Section 8.5; Ioffe and Szegedy (2015), "Batch
    normalization".
:kind: identity
:covers: batchnorm-weight-direction-identity
:erratum: [missing hypothesis] Section 8.5 puts Sigma = E[x x^T] in a line that still carries
    x - E[x]. The variance of w^T x is w^T Cov(x) w, the same only if E[x] = 0, which is assumed
    one line later: a scalar x of mean 5 and variance 1 has 1 and 26. The counterexample takes the
    second moment.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option


class Given(NamedTuple):
    """Points, a weight with scale and shift, factors of the weight, and the matrix Σ."""

    x: Float[Tensor, "n d"]
    w: Float[Tensor, " d"]
    gamma: float
    beta: float
    c: tuple[float, ...]
    Sigma: Float[Tensor, "d d"]


class BatchNormDirection(Claim[Given]):
    n: int = option(40, low=4, high=2000)  # points
    d: int = option(5, low=2, high=100)  # dimension
    mean: float = option(5.0, low=0.5, high=100.0)  # mean of the points

    relation = equals(ulps=2**16, scale=1.0)  # variances of values that are some means off centre
    supposes = (
        Suppose(
            "Σ is the covariance of x",
            lambda g: near(g.Sigma, g.x.T.cov(correction=0)),
            "If the second moment E[x xᵀ] replaces the covariance, the outputs are too small.",
            Sigma=lambda g: g.x.T @ g.x / len(g.x),
        ),
        Suppose(
            "the factors c are positive",
            lambda g: min(g.c),
            "A negative factor changes the sign of the output.",
            c=(1.0, -10.0, 0.1),
        ),
    )
    symbols = "from the direction of w", "BN of w, 10 w and w/10"
    shows = Parity("The output does not depend on the length of w")

    def given(self, rng: Generator) -> Given:
        spread = torch.linspace(0.5, 2, self.d, dtype=torch.float64)
        x = self.mean + normal(rng, self.n, self.d) * spread
        return Given(x, normal(rng, self.d), 1.5, 0.3, (1.0, 10.0, 0.1), x.T.cov(correction=0))

    def predict(self, given: Given) -> Tensor:
        x, w, gamma, beta, c, Sigma = given
        ratio = w.norm() / (w @ Sigma @ w).sqrt()
        y: Tensor = beta + gamma * (x - x.mean(0)) @ (w / w.norm()) * ratio
        return y.repeat(len(c))

    def measure(self, given: Given) -> Tensor:
        c = torch.tensor(given.c, dtype=torch.float64)
        h, ones = (given.x @ given.w)[:, None] * c, torch.ones_like(c)
        scale, shift = given.gamma * ones, given.beta * ones
        out = torch.nn.functional.batch_norm(h, None, None, scale, shift, training=True, eps=1e-30)
        return out.T.flatten()
