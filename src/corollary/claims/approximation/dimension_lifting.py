r"""Approximation in one dimension implies approximation in n dimensions.

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
:uses: ridge_density
:covers: dimension-lifting
:erratum: [missing hypothesis] Section 3.4 defines the class in n dimensions without a bias. Then
    the theorem fails: with tanh every network is odd, so a square is never approximated better
    than 1 on [-1, 1] (the counterexample here). Biases must be included, as in Perez Jensen (2025).
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, normal, option, uniform
from corollary.core.picture import Level, Marks, Points, picture
from corollary.models.approximators.lifting import Ridge, lift
from corollary.models.approximators.shallow import Superposition


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # target
    ridges: tuple[Ridge, ...]  # ridge functions close to it
    parts: tuple[Superposition, ...]  # a network of units for each
    x: Float[Tensor, "n 3"]  # points


def units(
    ridges: tuple[Ridge, ...], eps: float, bias: bool, rng: Generator
) -> tuple[Superposition, ...]:
    """One network for each ridge function."""
    made = lift(ridges, torch.tanh, eps, bias=bias, rng=rng)
    cut = (p.split(made.units) for p in (made.network.w, made.network.b, made.network.a))
    return tuple(Superposition(torch.tanh, *part) for part in zip(*cut, strict=True))


def worst_part(g: Given) -> float:
    """The largest error of a part."""
    pairs = zip(g.ridges, g.parts, strict=True)
    return max(float((p(g.x) - r.g(g.x @ r.theta)).detach().abs().max()) for r, p in pairs)


def inflated(given: Given) -> Given:
    """If each g_k is approximated by 1.5 g_k, the sum misses f by more than ε."""
    parts = (Superposition(torch.tanh, p.w, p.b, 1.5 * p.a) for p in given.parts)
    return given._replace(parts=tuple(parts))


def odd(self: "DimensionLifting", given: Given, rng: Generator) -> Given:
    """Without biases every network of hyperbolic tangents is odd, and a square is even."""
    ridges = (Ridge(torch.eye(3, dtype=torch.float64)[0], torch.square),)
    return Given(lambda x: x[:, 0] ** 2, ridges, units(ridges, self.eps, False, rng), given.x)


class DimensionLifting(Claim[Given]):
    eps: float = option(0.1, low=1e-3, high=1.0)  # allowed error

    relation = at_most()  # half of eps is spent on the remainder, the rest is seldom used up
    supposes = (
        Suppose(
            "the ridge functions are within ε/2 of f",
            lambda self, g: (
                self.eps / 2 + 1e-9 - (g.f(g.x) - sum(h(g.x @ u) for u, h in g.ridges)).abs().max()
            ),
            "The ridge functions are 2ε away from f, so the network is too.",
            f=lambda self, g: lambda x: g.f(x) + 2 * self.eps * torch.sin(9 * x[:, 0]),
        ),
        Suppose(
            "the units approximate every g_k to within ε/(2m)",
            lambda self, g: self.eps / (2 * len(g.ridges)) - worst_part(g),
            without=inflated,
        ),
        Suppose("the units have biases", lambda g: g.parts[0].b.abs().max(), without=odd),
    )
    symbols = "ε", "sup |f − G|"

    def given(self, rng: Generator) -> Given:
        theta = normal(rng, 10, 3)
        theta = theta / theta.abs().sum(1, keepdim=True)
        c = normal(rng, 10)
        ridges = tuple(
            Ridge(t, partial(lambda a, z: a * z**3, a)) for t, a in zip(theta, c, strict=True)
        )
        x = 2 * uniform(rng, 4000, 3) - 1
        return Given(
            lambda x: (x @ theta.T) ** 3 @ c + self.eps / 2 * torch.sin(9 * x[:, 0]),
            ridges,
            units(ridges, self.eps, True, rng),
            torch.cat([x, x[:500].sign()]),  # corners too
        )

    def predict(self, given: Given) -> float:
        return self.eps

    def measure(self, given: Given) -> Kept:
        off = (sum(part(given.x) for part in given.parts) - given.f(given.x)).detach()
        return Kept(float(off.abs().max()), off=off[:400])

    @picture("Error of the sum of networks of one input", x="f(x)", y="G(x) − f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        f, _, parts, x = trial.given
        yield Level(self.eps, label="+ε")
        yield Level(-self.eps, label="−ε")
        label = f"{sum(p.units for p in parts)} units from {len(parts)} networks"
        yield Points(f(x[:400]), trial.kept.off, label=label)
