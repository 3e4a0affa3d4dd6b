r"""Weight normalisation is batch normalisation of whitened inputs.

For inputs of mean 0 and covariance :math:`\Sigma`, a batch-normalised unit without shift is

.. math:: \gamma\frac{\langle w,x\rangle}{\|w\|_\Sigma}=
   \gamma\frac{\langle w,x\rangle}{\|w\|}\cdot\frac{\|w\|}{\|w\|_\Sigma},

a weight-normalised one times the ratio of the two lengths. They are the same for
:math:`\Sigma=I`.

:source: Perez Jensen (2025), Deep Learning, Sections 8.5 and 8.6; Salimans and Kingma (2016),
    "Weight normalization", Section 2.2.
:kind: identity
:uses: batch_norm_moments
:covers: weight-normalization
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option, uniform
from corollary.theory.tricks.weight_normalisation import weight_norm


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # a batch
    v: Float[Tensor, "m d"]  # one unit per row
    gamma: Float[Tensor, " m"]  # lengths


def whitened(given: Given) -> tuple[bool, str]:
    """Whether the batch has covariance I."""
    x = given.x - given.x.mean(dim=0)
    off = float((x.T @ x / len(x) - torch.eye(x.shape[1])).abs().max())
    return off < 1e-9, f"difference {off:.2g}"


class WeightNormWhitened(Claim[Given]):
    n: int = option(60, low=20, high=2000)  # examples of the batch
    d: int = option(5, low=2, high=15)  # inputs
    m: int = option(3, low=1, high=50)  # units

    relation = equals(ulps=2**14, scale=1.0)  # whitening solves a small eigenproblem
    supposes = (
        Suppose(
            "the inputs have mean 0",
            lambda g: bool(g.x.mean(dim=0).abs().max() < 1e-9),
            "The inputs are shifted: batch normalisation subtracts the mean, weight normalisation "
            "does not.",
            x=lambda g: g.x + 1.0,
        ),
        Suppose(
            "the inputs have covariance I",
            whitened,
            "The inputs have different variances, so the two normalisations differ.",
            x=lambda g: g.x * torch.linspace(1, 4, g.x.shape[1]),
        ),
    )
    symbols = "normalised weights", "normalised batch"
    shows = Parity("Weight and batch normalisation")

    def given(self, rng: Generator) -> Given:
        x = normal(rng, self.n, self.d)
        x = x - x.mean(dim=0)
        values, Q = torch.linalg.eigh(x.T @ x / self.n)
        v, gamma = normal(rng, self.m, self.d), uniform(rng, self.m) + 0.5
        return Given(x @ (Q / values.sqrt()), v, gamma)

    def predict(self, given: Given) -> Tensor:
        return (given.x @ weight_norm(given.v, given.gamma).T).flatten()

    def measure(self, given: Given) -> Tensor:
        units = given.x @ given.v.T
        out = torch.nn.functional.batch_norm(
            units, None, None, weight=given.gamma, training=True, eps=1e-30
        )
        return out.flatten()
