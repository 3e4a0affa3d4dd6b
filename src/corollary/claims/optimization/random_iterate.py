r"""A random iterate of SGD.

For an index I, uniform on :math:`\{0,\dots,K-1\}` and independent of the run,

.. math:: \mathbb E\|\nabla f(x_I)\|^2=\frac1K\sum_{k=0}^{K-1}\mathbb E\|\nabla f(x_k)\|^2 ,

so that the guarantee for the average is one for a point that can be handed out. It is none for the
last iterate: with a constant step and noisy gradients that one keeps fluctuating, and it settles
only if all :math:`\nabla f_i` vanish together (interpolation).

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7; Ghadimi and Lan (2013),
    "Stochastic first- and zeroth-order methods for nonconvex stochastic programming".
:kind: identity
:cost: instant
:covers: sgd-random-iterate
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Sample, option, within_interval
from corollary.theory.optimization.stochastic.descent import random_iterate, sgd
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares


class Given(NamedTuple):
    """A problem, its runs, and which iterates are handed out."""

    problem: FiniteSum
    path: Float[Tensor, "k r d"]
    seed: int
    uniform: bool


class RandomIterate(Claim[Given]):
    n: int = option(20, low=3)  # functions
    d: int = 2  # dimension
    K: int = option(100, low=10, high=10_000)  # iterates
    runs: int = option(20, low=2, high=1000)  # runs
    draws: int = option(4000, low=1000, high=100_000)  # iterates handed out
    relation = within_interval(level=0.9999, resolution=0.5)  # early gradients are long and rare

    def given(self, rng: Generator) -> Given:
        """Noisy least squares, run with a constant step."""
        X = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        y = X.sum(dim=1) + torch.randn(self.n, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**62, (), generator=rng))
        return Given(squares(X, y), self._path(squares(X, y), rng), seed, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """How the iterate is chosen."""
        yield Hypothesis("the iterate is chosen uniformly", given.uniform)

    def predict(self, given: Given) -> float:
        """One: the average."""
        return 1.0

    def measure(self, given: Given) -> Sample:
        """Draws of a run and an iterate of it."""
        squares_ = self._squares(given)
        rng = torch.Generator().manual_seed(given.seed)
        run = torch.randint(squares_.shape[1], (self.draws,), generator=rng)
        drawn = squares_[:, run]  # K draws
        chosen = random_iterate(drawn, rng=rng)[1] if given.uniform else drawn[-1]
        return Sample(chosen / squares_.mean())

    def counterexample(self, rng: Generator) -> Given:
        """The last iterate in place of a random one."""
        return self.given(rng)._replace(uniform=False)

    def figure(self, given: Given) -> Figure:
        """Squared gradients along the runs, with noise and with interpolation."""
        o = given.problem
        clean = squares(o.A, o.A @ o.minimiser)
        rng = torch.Generator().manual_seed(given.seed)
        settled = clean.gradient(self._path(clean, rng)).square().sum(dim=-1).mean(dim=1)
        noisy = self._squares(given)
        return Figure(
            "The last iterate keeps moving",
            x="k",
            y="‖∇f(x_k)‖²",
            log_y=True,
            marks=(
                Level(float(noisy.mean()), "average over all iterates"),
                Curve(noisy.mean(dim=1), None, "noisy gradients, mean over runs"),
                Curve(noisy[:, 0], None, "one run", "other", dashed=True),
                Curve(settled.clamp(min=1e-30), None, "interpolation, mean over runs", "other"),
            ),
        )

    def _path(self, problem: FiniteSum, rng: Generator) -> Tensor:
        x0 = torch.full((self.runs, self.d), 3.0, dtype=torch.float64)
        eta = 0.5 / float(problem.A.square().sum(dim=1).max())
        return sgd(problem, x0, eta, self.K - 1, rng=rng).x

    def _squares(self, given: Given) -> Tensor:
        return given.problem.gradient(given.path).square().sum(dim=-1)
