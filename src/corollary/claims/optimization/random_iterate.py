r"""The expected squared gradient at a random iterate of SGD is the average over all.

For an index I, uniform on :math:`\{0,\dots,K-1\}` and independent of the run,

.. math:: \mathbb E\|\nabla f(x_I)\|^2=\frac1K\sum_{k=0}^{K-1}\mathbb E\|\nabla f(x_k)\|^2 ,

so that the guarantee for the average is one for a point that can be handed out. It is none for the
last iterate: with a constant step and noisy gradients that one keeps fluctuating, and it settles
only if all :math:`\nabla f_i` vanish together (interpolation).

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7; Ghadimi and Lan (2013),
    "Stochastic first- and zeroth-order methods for nonconvex stochastic programming".
:kind: identity
:uses: sgd_nonconvex_rate
:covers: sgd-random-iterate
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Sample, Suppose, Trial, mean_is, normal, option, within_interval
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.optimization.stochastic.descent import random_iterate, sgd
from corollary.theory.optimization.stochastic.finite_sums import squares


class Given(NamedTuple):
    squares: Float[Tensor, "k draws"]  # ‖∇f(x_k)‖² along a run, for each draw
    place: Int[Tensor, " draws"]  # which iterate is handed out
    chosen: Float[Tensor, " draws"]  # ‖∇f‖² there


class RandomIterate(Claim[Given]):
    n: int = option(20, low=3)  # functions
    d: int = 2  # dimension
    K: int = option(100, low=10, high=10_000)  # iterates
    runs: int = option(20, low=2, high=1000)  # runs
    draws: int = option(10_000, low=1000, high=100_000)  # random iterates that are returned

    relation = within_interval(level=0.9999, resolution=0.2)  # early gradients are long and rare
    supposes = Suppose(
        "the iterate is chosen uniformly",
        lambda g: mean_is(g.place.double(), (len(g.squares) - 1) / 2),
        "The last iterate is returned instead of a random one.",
        place=lambda g: torch.full_like(g.place, len(g.squares) - 1),
        chosen=lambda g: g.squares[-1],
    )
    symbols = "average over all iterates", "a random iterate"
    predicts = 1.0

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.n, self.d)
        noisy = squares(X, X.sum(dim=1) + normal(rng, self.n))
        x0 = torch.full((self.runs, self.d), 3.0, dtype=torch.float64)
        eta = 0.5 / float(X.square().sum(dim=1).max())
        path = sgd(noisy, x0, eta, self.K - 1, rng=rng).x
        run = torch.randint(self.runs, (self.draws,), generator=rng)
        found = noisy.gradient(path).square().sum(dim=-1)[:, run]
        return Given(found, *random_iterate(found, rng=rng))

    def measure(self, given: Given) -> Sample:
        return Sample(given.chosen / given.squares.mean())

    @picture("Squared gradient norms of the iterates", x="k", y="‖∇f(x_k)‖²", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        found = trial.given.squares
        yield Level(float(found.mean()), "average over all iterates")
        yield Curve(found.mean(dim=1), None, "mean over the runs")
        yield Curve(found[:, 0], None, "one run", "other", dashed=True)
