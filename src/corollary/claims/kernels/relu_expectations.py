r"""Gaussian expectations of the ReLU.

For standard normal :math:`(z, z')` with correlation :math:`u = \cos\theta`,

.. math:: E[1_{z>0}1_{z'>0}] = \frac{\pi - \theta}{2\pi}, \qquad
          E[z_+z'_+] = \frac{\sin\theta + (\pi - \theta)\cos\theta}{2\pi}.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 1d; Perez Jensen (2025),
    Deep Learning, Section 9; Cho and Saul (2009), "Kernel methods for deep learning".
:kind: identity
:covers: relu-arc-cosine-expectations
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Count, Sample, Suppose, normal, option, within_interval
from corollary.core.witness import mean_is
from corollary.theory.kernels.arc_cosine import relu_dual, relu_dual_derivative

CORRELATIONS = (-0.9, -0.5, 0.0, 0.5, 0.9)


class Given(NamedTuple):
    e: Float[Tensor, "draws 2"]  # independent pairs, to be correlated


class ReluExpectations(Claim[Given]):
    draws: int = option(30_000, low=100, high=1_000_000)  # pairs

    u = CORRELATIONS
    relation = within_interval(
        level=0.999,
        resolution=0.03,
        coarse="at u = −0.9 both expectations are below the half width",
    )  # six standard errors of 30,000
    supposes = Suppose(
        "the pairs are Gaussian: fourth moment 3",
        lambda g: mean_is(g.e**4, 3.0),
        "Random signs have the same covariances but other expectations.",
        e=lambda g: g.e.sign(),
    )
    symbols = "(sin θ + (π − θ) cos θ)/2π", "E[z₊ z'₊]"
    rows = tuple(f"{name}, u = {u:g}" for name in ("E[z₊ z'₊]", "E[1 1']") for u in CORRELATIONS)
    shows = Along("ReLU expectations", x="u", at="u")

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.draws, 2))

    def predict(self, given: Given) -> Tensor:
        u = torch.tensor(CORRELATIONS, dtype=torch.float64)
        return torch.cat([relu_dual(u), relu_dual_derivative(u)])

    def measure(self, given: Given) -> list[Count | Sample]:
        z, e = given.e.T
        partners = [u * z + (1 - u * u) ** 0.5 * e for u in CORRELATIONS]
        both = [Count(int(((z > 0) & (w > 0)).sum()), len(z)) for w in partners]
        return [*(Sample(z.relu() * w.relu()) for w in partners), *both]
