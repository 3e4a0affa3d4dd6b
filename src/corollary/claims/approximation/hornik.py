r"""Hornik: every bounded activation that is not constant is universal.

If :math:`\sigma` is continuous, bounded and not constant, networks with one hidden layer and biases
are dense in :math:`C(K)` for compact K: for every :math:`\epsilon>0` some width gives

.. math:: \Bigl\|f-\sum_{i=1}^ma_i\,\sigma(w_i\cdot x+b_i)\Bigr\|_\infty\le\epsilon .

It is shown for :math:`f=|x|` on [-1, 1] by networks with random inner and fitted outer weights. A
condition is needed: with :math:`\sigma(z)=z^2` every network is a quadratic, and none comes closer
than 1/8.

:source: Mathematical Foundations of Deep Learning (slides), Hornik's Theorem; Lucchi (2025),
    Foundations of Deep Learning, Section 3.4; Hornik (1991), Approximation capabilities of
    multilayer feedforward networks, Theorems 1 and 2.
:kind: theorem
:uses: discriminatory
:covers: hornik-theorem
:erratum: [missing hypothesis] The slide says that approximation capabilities do not depend on the
    choice of the activation functions. They do: with z^2 the best error for |x| on [-1, 1] is 1/8
    at every width (the counterexample here). Bounded and not constant suffices; Section 3.4 of
    Lucchi (2025) states the condition.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Sweep, at_most, option
from corollary.models.approximators.shallow import fit_superposition

Z = torch.linspace(-1e4, 1e4, 20_001, dtype=torch.float64)
X = torch.linspace(-1, 1, 2001, dtype=torch.float64)[:, None]


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # on [-1, 1]
    sigmas: tuple[Callable[[Tensor], Tensor], ...]  # activations


class Hornik(Claim[Given]):
    m: int = option(160, low=20, high=1000)  # hidden units
    eps: float = option(0.025, low=0.02, high=0.12)  # error to reach

    relation = at_most()  # the errors are well below: no rounding matters
    supposes = (
        Suppose(
            "f is continuous",
            lambda g: 0.01 - g.f(X).diff().abs().max(),
            "For a step function, the error stays at half of the jump.",
            f=lambda g: lambda x: (x[:, 0] > 0).to(x.dtype),
        ),
        Suppose(
            "σ is bounded",
            lambda g: 1e3 - max(s(Z).abs().max() for s in g.sigmas),
            "With the square as activation, the network is a quadratic polynomial.",
            sigmas=lambda g: (torch.square,) * 4,
        ),
        Suppose(
            "σ is not constant",
            lambda g: min(s(Z).std() for s in g.sigmas),
            "With constant units, the network is constant.",
            sigmas=lambda g: (torch.ones_like,) * 4,
        ),
    )
    symbols = "ε", "‖G − f‖∞"
    rows = ("sigmoid", "tanh", "sin", "Gaussian")
    shows = (
        Along("Sup error with several bounded activations", x="activation", log="y"),
        Sweep(
            "The sup error falls with the width (tanh)", "m", (20, 40, 80, 160), entry=1, log="xy"
        ),
    )

    def given(self, rng: Generator) -> Given:
        gaussian = lambda z: torch.exp(-z * z)  # noqa: E731
        return Given(lambda x: x[:, 0].abs(), (torch.sigmoid, torch.tanh, torch.sin, gaussian))

    def predict(self, given: Given) -> list[float]:
        return [self.eps] * len(given.sigmas)

    def measure(self, given: Given, rng: Generator) -> list[float]:
        def error(sigma: Callable[[Tensor], Tensor]) -> float:
            net = fit_superposition(
                given.f, sigma, self.m, scale=30.0, low=-1.0, points=600, rng=rng
            )
            return float((net(X) - given.f(X)).abs().max().detach())

        return [error(sigma) for sigma in given.sigmas]
