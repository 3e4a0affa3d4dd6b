r"""Weight normalisation is batch normalisation of whitened inputs.

For inputs of mean 0 and covariance :math:`\Sigma`, a batch-normalised unit without shift is

.. math:: \gamma\frac{\langle w,x\rangle}{\|w\|_\Sigma}=
   \gamma\frac{\langle w,x\rangle}{\|w\|}\cdot\frac{\|w\|}{\|w\|_\Sigma},

a weight-normalised one times the ratio of the two lengths. They are the same for
:math:`\Sigma=I`.

:source: Perez Jensen (2025), Deep Learning, Sections 8.5 and 8.6; Salimans and Kingma (2016),
    "Weight normalization", Section 2.2.
:kind: identity
:cost: instant
:covers: weight-normalization
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.tricks.weight_normalisation import weight_norm


class Given(NamedTuple):
    """A batch, and one unit a row of v."""

    x: Float[Tensor, "n d"]
    v: Float[Tensor, "m d"]
    gamma: Float[Tensor, " m"]


@dataclass(frozen=True)
class WeightNormWhitened(Claim[Given]):
    """Outputs of torch's batch normalisation against those of normalised weights."""

    n: int = option(60, low=20, high=2000)  # examples of the batch
    d: int = option(5, low=1, high=15)  # inputs
    m: int = option(3, low=1, high=50)  # units
    relation = equals(ulps=2**14, scale=1.0)  # whitening solves a small eigenproblem

    def given(self, rng: Generator) -> Given:
        """A batch with mean 0 and covariance I, to rounding."""
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        x = x - x.mean(dim=0)
        values, Q = torch.linalg.eigh(x.T @ x / self.n)
        v = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        gamma = torch.rand(self.m, generator=rng, dtype=torch.float64) + 0.5
        return Given(x @ (Q / values.sqrt()), v, gamma)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The batch."""
        x, eye = given.x, torch.eye(given.x.shape[1], dtype=torch.float64)
        off = max(float(x.mean(dim=0).abs().max()), float((x.T @ x / len(x) - eye).abs().max()))
        yield Hypothesis("the inputs are whitened", off < 1e-9, f"off by {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """Normalised weights."""
        return (given.x @ weight_norm(given.v, given.gamma).T).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """Normalised batch, by torch."""
        return _batch_normalised(given).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Inputs of different sizes."""
        given = self.given(rng)
        return given._replace(x=given.x * torch.linspace(1, 4, self.d, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """Both outputs of the first unit, for whitened and for stretched inputs."""
        stretched = given._replace(x=given.x * torch.linspace(1, 4, self.d).double())
        marks = []
        for batch, label, role in (
            (given, "whitened inputs", "measured"), (stretched, "stretched inputs", "other"),
        ):  # fmt: skip
            out = batch.x @ weight_norm(batch.v, batch.gamma).T
            marks.append(Points(out[:, 0], _batch_normalised(batch)[:, 0], label=label, role=role))
        ends = [-3.0, 3.0]
        return Figure(
            "Weight and batch normalisation",
            x="normalised weights",
            y="normalised batch",
            marks=(Curve(ends, ends, label="equal", role="predicted"), *marks),
        )


def _batch_normalised(given: Given) -> Tensor:
    return torch.nn.functional.batch_norm(
        given.x @ given.v.T, None, None, weight=given.gamma, training=True, eps=1e-30
    )
