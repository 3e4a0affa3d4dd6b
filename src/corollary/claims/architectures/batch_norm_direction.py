r"""Batch normalisation keeps the direction of a weight only.

A linear unit normalised over the batch is

.. math:: \mathrm{BN}(w^\top x)=\beta+\gamma\Big(\frac w{\|w\|_2}\Big)^{\!\top}(x-\mathbb Ex)\,
   \frac{\|w\|_2}{\|w\|_\Sigma},\qquad \|w\|_\Sigma=\sqrt{w^\top\Sigma w},

with :math:`\Sigma=\operatorname{Cov}(x)`: the same for w and cw, c > 0.

:source: Perez Jensen (2025), Deep Learning, Section 8.5; Ioffe and Szegedy (2015), "Batch
    normalization".
:kind: identity
:cost: instant
:covers: batchnorm-weight-direction-identity
:erratum: [missing hypothesis] Section 8.5 puts Sigma = E[x x^T] in a line that still carries
    x - E[x]. The variance of w^T x is w^T Cov(x) w, the same only if E[x] = 0, which is assumed
    one line later: a scalar x of mean 5 and variance 1 has 1 and 26. The counterexample takes the
    second moment.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option


class Given(NamedTuple):
    """Points, a weight with scale and shift, factors of the weight, and the matrix Σ."""

    x: Float[Tensor, "n d"]
    w: Float[Tensor, " d"]
    gamma: float
    beta: float
    c: tuple[float, ...]
    Sigma: Float[Tensor, "d d"]


@dataclass(frozen=True)
class BatchNormDirection(Claim[Given]):
    """Torch's batch normalisation of w, 10 w and w/10, against the direction of w."""

    n: int = option(40, low=4, high=2000)  # points
    d: int = option(5, low=2, high=100)  # dimension
    mean: float = option(5.0, low=0.5, high=100.0)  # mean of the points
    relation = equals(ulps=2**16, scale=1.0)  # variances of values that are some means off centre

    def given(self, rng: Generator) -> Given:
        """Points off centre, of different spread along each axis."""
        z = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        x = self.mean + z * torch.linspace(0.5, 2, self.d, dtype=torch.float64)
        w = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(x, w, 1.5, 0.3, (1.0, 10.0, 0.1), x.T.cov(correction=0))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The matrix, and the factors."""
        off = float((given.Sigma - given.x.T.cov(correction=0)).abs().max())
        yield Hypothesis("Σ is the covariance of x", off < 1e-9, f"off by {off:.2g}")
        yield Hypothesis("the factors c are positive", min(given.c) > 0)

    def predict(self, given: Given) -> list[float]:
        """From the direction, the same for each factor."""
        length = given.w.norm()
        ratio = length / (given.w @ given.Sigma @ given.w).sqrt()
        out = given.gamma * (given.x - given.x.mean(0)) @ (given.w / length) * ratio
        return (given.beta + out).repeat(len(given.c)).tolist()

    def measure(self, given: Given) -> list[float]:
        """By torch, for every factor."""
        return self._normalised(given).T.flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The second moment E[x xᵀ] in place of the covariance."""
        given = self.given(rng)
        return given._replace(Sigma=given.x.T @ given.x / len(given.x))

    def figure(self, given: Given) -> Figure:
        """Outputs against the projection on the direction."""
        t = (given.x - given.x.mean(0)) @ (given.w / given.w.norm())
        order = t.argsort()
        second = given._replace(Sigma=given.x.T @ given.x / len(given.x))
        lines = [torch.tensor(self.predict(g)[: len(t)]) for g in (given, second)]
        out = self._normalised(given)
        marks = [
            Curve(lines[0][order], x=t[order], label="Σ = Cov(x)", role="predicted"),
            Curve(lines[1][order], x=t[order], label="Σ = E[x xᵀ]", role="other", dashed=True),
        ]
        marks += [Points(t, out[:, i], label=f"BN, weight {c:g} w") for i, c in enumerate(given.c)]
        return Figure(
            "The length of w does not matter",
            x="(w/‖w‖)ᵀ(x − E x)",
            y="BN(wᵀx)",
            marks=tuple(marks),
        )

    def _normalised(self, given: Given) -> Tensor:
        h = (given.x @ given.w)[:, None] * torch.tensor(given.c, dtype=torch.float64)
        ones = torch.ones(len(given.c), dtype=torch.float64)
        return torch.nn.functional.batch_norm(
            h, None, None, given.gamma * ones, given.beta * ones, training=True, eps=1e-30
        )
