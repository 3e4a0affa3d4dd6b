r"""What curvature does to a linearised flip.

If the Hessian of f is at most H in size, the step :math:`\Delta=-\eta f(x)\nabla f(x)` satisfies

.. math:: \bigl|f(x+\Delta)-f(x)(1-\eta\|\nabla f(x)\|^2)\bigr|\le\frac H2\|\Delta\|^2.

For :math:`f(x)=\langle a,\tanh(Wx)\rangle` one may take
:math:`H=\frac4{3\sqrt3}\|W^\top\operatorname{diag}(|a|)\,W\|`. So where H is small beside
:math:`\|\nabla f\|^2/|f|`, as in wide random networks, one step flips the sign.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, Equation 12.9 and what
follows.
:kind: bound
:cost: instant
:covers: linear-flip-distance
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.robustness.single_step import single_step_attack


class Given(NamedTuple):
    """A network with one hidden layer, inputs, and a supposed bound on its Hessian."""

    W: Float[Tensor, "m d"]
    a: Float[Tensor, " m"]
    x: Float[Tensor, "n d"]
    H: float

    def score(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The network."""
        return (x @ self.W.T).tanh() @ self.a

    def hessian_bound(self) -> float:
        """A bound that holds everywhere."""
        curved = self.W.T @ (self.a.abs()[:, None] * self.W)
        return 4 / (3 * 3**0.5) * float(torch.linalg.matrix_norm(curved, 2))


class FlipRemainder(Claim[Given]):
    d: int = option(10, low=1, high=200)  # dimension
    m: int = option(10, low=1, high=500)  # hidden units
    n: int = option(200, low=1, high=2000)  # inputs
    reach: float = option(0.5, low=0.01, high=4.0)  # of the step, in units of |f|/‖∇f‖
    relation = at_most(ulps=64)  # a remainder is a difference of numbers of order one

    def given(self, rng: Generator) -> Given:
        """Normal weights."""
        W = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64) / self.d**0.5
        a = torch.randn(self.m, generator=rng, dtype=torch.float64)
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        first = Given(W, a, x, 0.0)
        return first._replace(H=first.hessian_bound())

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The bound on the Hessian."""
        hessian = torch.func.vmap(torch.func.hessian(lambda x: given.score(x[None])[0]))
        largest = float(torch.linalg.matrix_norm(hessian(given.x[:20]), 2).max())
        fits = largest <= given.H
        yield Hypothesis("H bounds the Hessian", fits, f"{largest:.3g} at the inputs")

    def predict(self, given: Given) -> float:
        """Remainder over half the squared step is at most H."""
        return given.H

    def measure(self, given: Given) -> float:
        """The largest such ratio over the inputs."""
        return float(self._ratios(given, self.reach).max())

    def counterexample(self, rng: Generator) -> Given:
        """As if the network were nearly linear."""
        given = self.given(rng)
        return given._replace(H=1e-3 * given.H)

    def figure(self, given: Given) -> Figure:
        """Remainder against the step."""
        step = single_step_attack(given.score, given.x, reach=self.reach)
        rest = (step.after - (1 - self.reach) * step.before).abs()
        grid = torch.logspace(-2, 0.5, 30, dtype=torch.float64)
        grid = grid * float(step.size.max()) / float(grid[-1])
        return Figure(
            "Remainders of linearised steps",
            x="‖Δ‖",
            y="|f(x+Δ) − f(x)(1−η‖∇f‖²)|",
            log_x=True,
            log_y=True,
            marks=(
                Curve(given.H / 2 * grid**2, grid, label="H‖Δ‖²/2", role="predicted"),
                Points(step.size, rest.clamp_min(1e-12), label="inputs"),
            ),
        )

    def _ratios(self, given: Given, reach: float) -> Tensor:
        step = single_step_attack(given.score, given.x, reach=reach)
        rest = (step.after - (1 - reach) * step.before).abs()
        return 2 * rest / step.size**2
