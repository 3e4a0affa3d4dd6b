r"""Gaussian expectations of the ReLU.

For standard normal :math:`(z, z')` with correlation :math:`u = \cos\theta`,

.. math:: E[1_{z>0}1_{z'>0}] = \frac{\pi - \theta}{2\pi}, \qquad
          E[z_+z'_+] = \frac{\sin\theta + (\pi - \theta)\cos\theta}{2\pi}.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 1d; Perez Jensen (2025),
    Deep Learning, Section 9; Cho and Saul (2009), "Kernel methods for deep learning".
:kind: identity
:cost: instant
:covers: relu-arc-cosine-expectations
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Count,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.theory.kernels.arc_cosine import relu_dual, relu_dual_derivative

CORRELATIONS = (-0.9, -0.5, 0.0, 0.5, 0.9)


class Given(NamedTuple):
    """Independent pairs, to be correlated."""

    e: Float[Tensor, "draws 2"]


class ReluExpectations(Claim[Given]):
    draws: int = option(20_000, low=100, high=1_000_000)  # pairs
    relation = within_interval(level=0.999, resolution=0.03)  # five standard errors of 20,000

    def given(self, rng: Generator) -> Given:
        """Standard normal pairs."""
        return Given(torch.randn(self.draws, 2, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Gaussian pairs."""
        fourth = float((given.e**4).mean())
        near = abs(fourth - 3) < 6 * (48 / len(given.e)) ** 0.5  # Var z⁴ = 96, two columns
        yield Hypothesis("the pairs are Gaussian", near, f"fourth moment {fourth:.2f}, not 3")

    def predict(self, given: Given) -> list[float]:
        """The two formulas, one correlation after the other."""
        u = torch.tensor(CORRELATIONS, dtype=torch.float64)
        return torch.stack([relu_dual_derivative(u), relu_dual(u)], dim=1).flatten().tolist()

    def measure(self, given: Given) -> list[Count | Sample]:
        """Frequencies and means."""
        found: list[Count | Sample] = []
        for u in CORRELATIONS:
            z, w = given.e[:, 0], u * given.e[:, 0] + (1 - u * u) ** 0.5 * given.e[:, 1]
            found.append(Count(int(((z > 0) & (w > 0)).sum()), len(z)))
            found.append(Sample((z.relu() * w.relu()).tolist()))
        return found

    def counterexample(self, rng: Generator) -> Given:
        """Fair signs have the same covariances and other expectations."""
        return Given(torch.randn(self.draws, 2, generator=rng, dtype=torch.float64).sign())

    def figure(self, given: Given) -> Figure:
        """Formulas and samples over the correlation."""
        grid = torch.linspace(-1, 1, 101, dtype=torch.float64)
        found = [m.read(0.99) for m in self.measure(given)]
        marks = []
        for k, (name, formula) in enumerate(
            (("E[1 1']", relu_dual_derivative), ("E[z₊ z'₊]", relu_dual))
        ):
            part = found[k::2]
            marks.append(Curve(formula(grid), x=grid, label=name, role="predicted"))
            marks.append(
                Points(
                    CORRELATIONS,
                    [r.value for r in part],
                    low=[r.low for r in part],
                    high=[r.high for r in part],
                    label=f"{name} sampled",
                )
            )
        return Figure("ReLU expectations", x="u", y="expectation", marks=tuple(marks))
