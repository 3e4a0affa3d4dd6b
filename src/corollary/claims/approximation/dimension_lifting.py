r"""From one dimension to n.

Suppose :math:`|f-\sum_{k\le m}g_k(\theta_k\cdot x)|\le\epsilon/2` on K, and that units in one
variable approximate each :math:`g_k` to :math:`\epsilon/(2m)` on the range of
:math:`\theta_k\cdot x`. Then the network of all these units satisfies

.. math:: \sup_{x\in K}\Bigl|f(x)-\sum_ia_i\,\sigma(w_i\cdot x+b_i)\Bigr|\le\epsilon .

So what is dense in one dimension is dense in n. Here f is a cubic in three variables, written with
ten powers of linear forms, plus a remainder of size :math:`\epsilon/2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 22; Perez Jensen (2025),
    Deep Learning, Section 2.4, Lemma 2.6; Pinkus (1999), Approximation theory of the MLP model in
    neural networks.
:kind: theorem
:cost: instant
:covers: dimension-lifting
:erratum: [missing hypothesis] Section 3.4 defines the class in n dimensions without a bias. Then
    the theorem fails: with tanh every network is odd, so a square is never approximated better
    than 1 on [-1, 1] (the counterexample here). Biases must be included, as in Perez Jensen (2025).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    at_most,
    generator,
    option,
)
from corollary.models.approximators.lifting import Lifted, Ridge, lift
from corollary.theory.approximation.ridge_sums import exponents, ridge_polynomial_basis


class Given(NamedTuple):
    """A function with ridge functions close to it, whether units have biases, and a seed."""

    f: Callable[[Tensor], Tensor]
    ridges: tuple[Ridge, ...]
    bias: bool
    seed: int


@dataclass(frozen=True)
class DimensionLifting(Claim[Given]):
    """The sup error of a network in three variables that is built from one-dimensional ones."""

    eps: float = option(0.1, low=1e-3, high=1.0)  # error to keep
    relation = at_most()  # half of eps is spent on the remainder, the rest is seldom used up

    def given(self, rng: Generator) -> Given:
        """A drawn cubic form in three variables with ten generic directions."""
        count = len(exponents(3, 3))
        theta = torch.randn(count, 3, generator=rng, dtype=torch.float64)
        theta = theta / theta.abs().sum(1, keepdim=True)
        form = ridge_polynomial_basis(
            torch.randn(count, generator=rng, dtype=torch.float64) / count, theta, 3
        )
        seed = int(torch.randint(2**31, (1,), generator=rng))
        ridges = [
            Ridge(t, partial(_cube, c)) for t, c in zip(theta, form.weights.tolist(), strict=True)
        ]
        return Given(lambda x: form(x) + self.eps / 2 * torch.sin(9 * x[:, 0]),
                     tuple(ridges), True, seed)  # fmt: skip

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The decomposition, the budgets of the parts, and the biases."""
        x = _cloud(given)
        rest = float((sum(g(x @ theta) for theta, g in given.ridges) - given.f(x)).abs().max())
        made = _lifted(self, given)
        yield Hypothesis("the ridge functions are within eps/2 of f", rest <= self.eps / 2 + 1e-9)
        yield Hypothesis("every part keeps its budget of eps/(2m)", max(made.errors) <= made.budget)
        yield Hypothesis("the units have biases", given.bias)

    def predict(self, given: Given) -> float:
        """The error to keep."""
        return self.eps

    def measure(self, given: Given) -> float:
        """The largest difference at drawn points of the cube."""
        x = _cloud(given)
        return float((_lifted(self, given).network(x) - given.f(x)).abs().max().detach())

    def counterexample(self, rng: Generator) -> Given:
        """A square, without biases."""
        theta = torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64)
        ridge = Ridge(theta, torch.square)
        return Given(lambda x: x[:, 0] ** 2, (ridge,), False, 0)

    def figure(self, given: Given) -> Figure:
        """Network against function at drawn points."""
        x = _cloud(given)[:400]
        made = _lifted(self, given)
        y = given.f(x)
        off = (made.network(x) - y).detach()
        ends = [float(y.min()), float(y.max())]
        return Figure(
            f"{made.network.units} units from {len(made.units)} networks in one variable",
            x="f(x)",
            y="G(x) − f(x)",
            marks=(
                Level(self.eps, label="+ε"),
                Level(-self.eps, label="−ε"),
                Curve([0.0, 0.0], ends, label="no error", role="other"),
                Points(y, off, label="drawn points"),
            ),
        )


def _cube(c: float, z: Tensor) -> Tensor:
    return c * z**3


def _cloud(given: Given) -> Tensor:
    x = 2 * torch.rand(4000, 3, generator=generator(given.seed, "cloud"), dtype=torch.float64) - 1
    return torch.cat([x, x[:500].sign()])  # corners too


def _lifted(claim: DimensionLifting, given: Given) -> Lifted:
    rng = generator(given.seed, "units")
    return lift(given.ridges, torch.tanh, claim.eps, bias=given.bias, rng=rng)
