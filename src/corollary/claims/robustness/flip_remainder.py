r"""Linearisation error of a step that flips the sign: a bound by the curvature.

If the Hessian of f is at most H in size, the step :math:`\Delta=-\eta f(x)\nabla f(x)` satisfies

.. math:: \bigl|f(x+\Delta)-f(x)(1-\eta\|\nabla f(x)\|^2)\bigr|\le\frac H2\|\Delta\|^2.

For :math:`f(x)=\langle a,\tanh(Wx)\rangle` one may take
:math:`H=\frac4{3\sqrt3}\|W^\top\operatorname{diag}(|a|)\,W\|`. So where H is small beside
:math:`\|\nabla f\|^2/|f|`, as in wide random networks, one step flips the sign.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, Equation 12.9 and what
follows.
:kind: bound
:uses: linear_flip, quadratic_upper_bound
:covers: linear-flip-distance
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, at_most, normal, option
from corollary.theory.robustness.single_step import single_step_attack


class Given(NamedTuple):
    W: Float[Tensor, "m d"]
    a: Float[Tensor, " m"]
    x: Float[Tensor, "n d"]  # inputs
    H: float  # a supposed bound on the Hessian

    def score(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The network."""
        return (x @ self.W.T).tanh() @ self.a


def _room(given: Given) -> float:
    """From the largest Hessian at twenty inputs up to H."""
    hessian = torch.func.vmap(torch.func.hessian(lambda x: given.score(x[None])[0]))
    return given.H - float(torch.linalg.matrix_norm(hessian(given.x[:20]), 2).max())


class FlipRemainder(Claim[Given]):
    d: int = option(10, low=1, high=200)  # dimension
    m: int = option(10, low=1, high=500)  # hidden units
    n: int = option(200, low=1, high=2000)  # inputs
    reach: float = option(0.5, low=0.01, high=4.0)  # length of the step, in units of |f|/‖∇f‖

    relation = at_most(ulps=2**20)  # differences of numbers of order one, down to steps of 1e-4
    supposes = Suppose(
        "H bounds the Hessian",
        _room,
        "H is much smaller than the Hessian, as if the network were nearly linear.",
        H=lambda g: 1e-3 * g.H,
    )
    symbols = "H‖Δ‖²/2", "|f(x+Δ) − f(x)(1−η‖∇f‖²)|"
    shows = Parity("Remainders of linearised steps", log="xy")

    def given(self, rng: Generator) -> Given:
        W, a = normal(rng, self.m, self.d) / self.d**0.5, normal(rng, self.m)
        curved = W.T @ (a.abs()[:, None] * W)
        H = 4 / (3 * 3**0.5) * float(torch.linalg.matrix_norm(curved, 2))
        return Given(W, a, normal(rng, self.n, self.d), H)

    def predict(self, given: Given) -> Tensor:
        step = single_step_attack(given.score, given.x, reach=self.reach)
        return given.H / 2 * step.size.square()

    def measure(self, given: Given) -> Tensor:
        step = single_step_attack(given.score, given.x, reach=self.reach)
        return (step.after - (1 - self.reach) * step.before).abs()

    def tight(self) -> Given:
        """One unit, where tanh bends most."""
        one, x = torch.ones(1, 1, dtype=torch.float64), torch.tensor([[3.0]], dtype=torch.float64)
        return Given(one, one[0], torch.atanh(x**-0.5), 4 / (3 * 3**0.5) * (1 + 1e-12))
