r"""Compressed networks come with a bound.

A network decoded from q numbers, each one of r values fixed before the data, is one of
:math:`r^q` functions. With probability at least :math:`1-\delta` over n i.i.d. examples, all such
networks g, and so the one that a trained network is compressed to, satisfy

.. math:: R(g)\le R_S(g)+\sqrt{\frac{q\log r+\log\binom Qq+\log k+\log(1/\delta)}{2n}},

where the binomial coefficient pays for choosing which q of Q numbers to keep, and k for the number
of codes tried. On a toy problem rounding, pruning and low rank all give bounds below 1/2 where the
product of norms gives one above 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.4; Arora, Ge, Neyshabur and Zhang
    (2018), "Stronger generalization bounds for deep nets via a compression approach", Theorem 2.1.
:kind: bound
:cost: instant
:covers: compression-bounds
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from corollary.core import Claim, Count, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.models.compression import Compressed, compress, on_grid
from corollary.models.mlp import MLP
from corollary.theory.generalization.compression import compression_deviation
from corollary.theory.generalization.deep_relu import deep_relu_bound, layer_norms
from corollary.train import fit

LIMIT, FRESH = 2.0, 4000
METHODS = ("quantize", "prune", "svd")


class Given(NamedTuple):
    """Examples, fresh examples, the trained network and what it was compressed to."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    fresh: Float[Tensor, "p d"]
    right: Float[Tensor, " p"]
    net: nn.Module
    small: tuple[Compressed, ...]


class CompressionBound(Claim[Given]):
    n: int = option(3000, low=30, high=20000)  # training examples
    d: int = option(10, low=2, high=50)  # dimension
    m: int = option(16, low=2, high=64)  # hidden units
    r: int = option(15, low=3, high=255)  # values of the grid; an odd number has 0 among them
    keep: int = option(60, low=5, high=500)  # parameters left by pruning
    rank: int = option(2, low=1, high=8)  # rank of the factors
    steps: int = option(120, low=20, high=1000)  # full-batch steps of training
    delta: float = option(0.05, low=0.01, high=0.5)  # probability of failure
    relation = at_most(level=0.99)  # exact binomial intervals on the fresh examples
    trivial = 1.0  # an error is never larger

    def given(self, rng: Generator) -> Given:
        """Labels by two of the coordinates, with noise; a trained network, compressed thrice."""
        x, y = self._draw(self.n, rng)
        net = _train(MLP([self.d, self.m, 1], rng=rng), x, y, self.steps)
        small = tuple(
            compress(net, method, r=self.r, limit=LIMIT, keep=self.keep, rank=self.rank)
            for method in METHODS
        )
        return Given(x, y, *self._draw(FRESH, rng), net, small)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The codes."""
        on = all(
            bool((on_grid(c.code, c.r, LIMIT) - c.code).abs().max() < 1e-9) for c in given.small
        )
        yield Hypothesis("every number of a code is one of the r values", on)
        long = all(c.length >= c.q * math.log(c.r) * (1 - 1e-12) for c in given.small)
        yield Hypothesis("the length of a code counts all of its numbers", long)

    def predict(self, given: Given) -> list[float]:
        """Training error and the price of the code, one of three that were tried."""
        extra = math.log(len(METHODS))
        return [
            _errors(c.model, given.x, given.y) / len(given.x)
            + compression_deviation(c.length + extra, len(given.x), self.delta)
            for c in given.small
        ]

    def measure(self, given: Given) -> list[Count]:
        """Errors on fresh examples."""
        n = len(given.fresh)
        return [Count(_errors(c.model, given.fresh, given.right), n) for c in given.small]

    def counterexample(self, rng: Generator) -> Given:
        """A wide network that learned thirty coin flips by heart, said to be ten numbers."""
        x, _ = self._draw(30, rng)
        y = 2.0 * torch.randint(2, (30,), generator=rng).double() - 1
        net = _train(MLP([self.d, 100, 1], rng=rng), x, y, 150)
        code = next(net.parameters()).detach().flatten()[:10]
        short = Compressed(net, code, 2, 10 * math.log(2) / 10, 0.0)
        return Given(x, y, *self._draw(FRESH, rng), net, (short,))

    def _draw(self, n: int, rng: Generator) -> tuple[Tensor, Tensor]:
        x = torch.randn(n, self.d, generator=rng, dtype=torch.float64)
        noise = 0.2 * torch.randn(n, generator=rng, dtype=torch.float64)
        return x, (x[:, 0] + x[:, 1].abs() - 0.6 + noise).sign()

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Errors and bounds over the number of parameters kept; and all bounds side by side."""
        n, extra = len(given.x), math.log(len(METHODS))
        total = sum(p.numel() for p in given.net.parameters())
        kept = sorted({k for k in (5, 10, 20, 40, 60, 90, 130) if k < total} | {total})
        pruned = [compress(given.net, "prune", r=self.r, limit=LIMIT, keep=k) for k in kept]
        train = [_errors(c.model, given.x, given.y) / n for c in pruned]
        test = [Count(_errors(c.model, given.fresh, given.right), FRESH).read(0.99) for c in pruned]
        sweep = Figure(
            "How much of a network is worth keeping",
            x="q, parameters kept by pruning",
            y="error",
            log_x=True,
            marks=(
                Curve([e + compression_deviation(c.length + extra, n, self.delta)
                       for e, c in zip(train, pruned, strict=True)], kept, label="bound",
                      role="predicted"),
                Points(kept, [r.value for r in test], label="fresh examples, 99 % interval",
                       low=[r.low for r in test], high=[r.high for r in test]),
                Curve(train, kept, label="training examples", role="other"),
            ),
        )  # fmt: skip
        return sweep, self._side_by_side(given)

    def _side_by_side(self, given: Given) -> Figure:
        n, places = len(given.x), list(range(1, len(given.small) + 1))
        far = float(given.x.norm(dim=1).max())
        norm = 2 * deep_relu_bound(layer_norms(given.net), 2, n, radius=far, version="golowich")
        test = [c.read(0.99) for c in self.measure(given)]
        names = ", ".join(f"{i} {name}" for i, name in zip(places, METHODS, strict=False))
        return Figure(
            "Bits against norms",
            x=names,
            y="error",
            log_y=True,
            marks=(
                Points(places, self.predict(given), label="bound by the code", role="predicted"),
                Points(places, [r.value for r in test], label="fresh examples",
                       low=[r.low for r in test], high=[r.high for r in test]),
                Level(norm, label="2 R_S by the product of norms", role="other"),
                Level(1.0, label="vacuous above", role="other"),
            ),
        )  # fmt: skip


def _train(net: MLP, x: Tensor, y: Tensor, steps: int) -> MLP:
    fit(
        net,
        (x, y),
        lambda o, y: F.softplus(-y * o[:, 0]).mean(),
        lambda parameters: torch.optim.Adam(parameters, lr=0.02, weight_decay=1e-3),
        steps=steps,
    )
    return net


def _errors(net: nn.Module, x: Tensor, y: Tensor) -> int:
    with torch.no_grad():
        return int(((net(x)[:, 0] > 0) != (y > 0)).sum())
