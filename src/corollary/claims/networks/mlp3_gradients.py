r"""Backpropagation by hand: gradients of a three-layer network.

For :math:`f=\sum_j\beta_j\sigma(w_j\cdot x)` and :math:`L=\frac12(f-y)^2`

.. math:: \frac{\partial L}{\partial\beta_j}=\frac{f-y}{1+e^{-w_j\cdot x}},\qquad
   \frac{\partial L}{\partial w_{ji}}=
   \frac{(f-y)\,\beta_jx_i}{(1+e^{-w_j\cdot x})(1+e^{w_j\cdot x})}.

The second denominator is :math:`1/\sigma'`, so the formula belongs to the logistic function: units
of another steepness have other gradients.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.5.2; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, MLP: Learning.
:kind: identity
:uses: chain_rule
:covers: three-layer-mlp, mlp3-gradients
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal
from corollary.models.mlp3 import MLP3


class Given(NamedTuple):
    net: MLP3
    x: Float[Tensor, "1 n"]  # a point
    y: Float[Tensor, " 1"]  # its target
    sigma: Callable[[Tensor], Tensor]  # what the hidden units do


def logistic(given: Given) -> tuple[bool, str]:
    """Whether the slope of the units is s(1 − s), as that of the logistic function."""
    z = torch.linspace(-3, 3, 13, dtype=torch.float64).requires_grad_(True)
    s = given.sigma(z)
    return near(torch.autograd.grad(s.sum(), z)[0], s * (1 - s), 1e-12)


class MLP3Gradients(Claim[Given]):
    n: int = 6  # inputs
    m: int = 10  # hidden units

    relation = equals(ulps=512, scale=0.01)  # f - y may cancel
    supposes = Suppose(
        "the hidden units are logistic",
        logistic,
        "If the hidden units are twice as steep, the gradients are different.",
        sigma=lambda g: lambda z: torch.sigmoid(2 * z),
    )
    symbols = "derivative by hand", "derivative by autograd"
    shows = Parity("Derivatives by hand and by autograd")

    def given(self, rng: Generator) -> Given:
        net = MLP3.of(normal(rng, self.m), normal(rng, self.m, self.n))
        return Given(net, normal(rng, 1, self.n), normal(rng, 1), torch.sigmoid)

    def predict(self, given: Given) -> Tensor:
        gradient = given.net.analytic_gradients(given.x, given.y)
        return torch.cat([gradient.beta, gradient.w.flatten()])

    def measure(self, given: Given) -> Tensor:
        beta, w = given.net.beta, given.net.w
        loss = 0.5 * (given.sigma(given.x @ w.T) @ beta - given.y).square().sum()
        return torch.cat([g.flatten() for g in torch.autograd.grad(loss, (beta, w))])
