r"""Generalisation bound for compressed networks.

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
:uses: union_bound
:covers: compression-bounds
"""

import math
from typing import Any, Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from corollary.core import Along, Claim, Count, Suppose, Sweep, at_most, normal, option
from corollary.models.compression import Compressed, compress, on_grid
from corollary.models.mlp import MLP
from corollary.theory.generalization.compression import compression_deviation
from corollary.train import fit

LIMIT, FRESH = 2.0, 4000
Method = Literal["quantize", "prune", "svd"]
METHODS: tuple[Method, ...] = ("quantize", "prune", "svd")


class Given(NamedTuple):
    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    fresh: Float[Tensor, "p d"]
    right: Float[Tensor, " p"]
    small: tuple[Compressed, ...]


def train(net: MLP, x: Tensor, y: Tensor, steps: int) -> MLP:
    """Logistic regression with Adam on all examples."""
    fit(
        net,
        (x, y),
        lambda o, y: F.softplus(-y * o[:, 0]).mean(),
        lambda parameters: torch.optim.Adam(parameters, lr=0.02, weight_decay=1e-3),
        steps=steps,
    )
    return net


def wrong(net: nn.Module, x: Tensor, y: Tensor) -> int:
    """How many examples are on the wrong side."""
    with torch.no_grad():
        return int(((net(x)[:, 0] > 0) != (y > 0)).sum())


def by_heart(self: "CompressionBound", rng: Generator, bits: float = 1.0) -> Given:
    """A network has memorised thirty random labels, and its numbers are not on the grid."""
    x, _ = self.examples(30, rng)
    y = 2.0 * torch.randint(2, (30,), generator=rng).double() - 1
    net = train(MLP([self.d, 100, 1], rng=rng), x, y, 150)
    code = next(net.parameters()).detach().flatten()[:10]
    small = Compressed(
        net, code if bits == 1 else on_grid(code, 2, LIMIT), 2, bits * 10 * math.log(2), 0.0
    )
    return Given(x, y, *self.examples(FRESH, rng), (small,) * len(METHODS))


class CompressionBound(Claim[Given]):
    n: int = option(3000, low=30, high=20000)  # training examples
    d: int = option(10, low=2, high=50)  # dimension
    m: int = option(16, low=2, high=64)  # hidden units
    r: int = option(15, low=3, high=255)  # grid values; if their number is odd, 0 is one
    keep: int = option(60, low=5, high=500)  # parameters left by pruning
    rank: int = option(2, low=1, high=8)  # rank of the factors
    steps: int = option(120, low=20, high=1000)  # full-batch steps of training
    delta: float = option(0.05, low=0.01, high=0.5)  # probability of failure

    relation = at_most(level=0.99)  # exact binomial intervals on the fresh examples
    trivial = 1.0  # an error is never larger
    supposes = (
        Suppose(
            "every number of a code is one of the r values",
            lambda g: (
                1e-9 - max((on_grid(c.code, c.r, LIMIT) - c.code).abs().max() for c in g.small)
            ),
            without=by_heart,
        ),
        Suppose(
            "the length of a code counts all of its numbers",
            lambda g: all(c.length >= c.q * math.log(c.r) * (1 - 1e-12) for c in g.small),
            "The code of the same network is counted at a tenth of its length.",
            lambda self, rng: by_heart(self, rng, bits=0.1),
        ),
    )
    symbols = "bound by the code", "error on fresh examples"
    rows = METHODS
    shows = (
        Along("Error and bound for three ways to compress a network", x="method", y="error"),
        Sweep(
            "Error bound after pruning",
            "keep",
            (10, 20, 40, 90, 130),
            x="parameters kept by pruning",
            y="error",
            entry=1,
        ),
    )

    def given(self, rng: Generator) -> Given:
        x, y = self.examples(self.n, rng)
        net = train(MLP([self.d, self.m, 1], rng=rng), x, y, self.steps)
        sizes: dict[str, Any] = {"r": self.r, "limit": LIMIT, "keep": self.keep, "rank": self.rank}
        small = tuple(compress(net, method, **sizes) for method in METHODS)
        return Given(x, y, *self.examples(FRESH, rng), small)

    def predict(self, given: Given) -> list[float]:
        n, extra = len(given.x), math.log(len(METHODS))  # one of three that were tried
        return [
            wrong(c.model, given.x, given.y) / n
            + compression_deviation(c.length + extra, n, self.delta)
            for c in given.small
        ]

    def measure(self, given: Given) -> list[Count]:
        return [Count(wrong(c.model, given.fresh, given.right), FRESH) for c in given.small]

    def tight(self, rng: Generator) -> Given:
        """The best of all signs of ten weights for thirty coin flips; of others it misses half."""
        codes = LIMIT * torch.cartesian_prod(*[torch.tensor([-1.0, 1.0])] * 10).double()
        x, fresh = normal(rng, 30, 10), normal(rng, FRESH, 10)
        y, right = (normal(rng, n).sign() for n in (30, FRESH))
        code = codes[((x @ codes.T).sign() == y[:, None]).sum(dim=0).argmax()]
        net = nn.Linear(10, 1, bias=False, dtype=torch.float64)
        net.weight.data = code[None]
        return Given(x, y, fresh, right, (Compressed(net, code, 2, 10 * math.log(2), 0.0),) * 3)

    def examples(self, n: int, rng: Generator) -> tuple[Tensor, Tensor]:
        """Labels by two of the coordinates, with noise."""
        x = normal(rng, n, self.d)
        return x, (x[:, 0] + x[:, 1].abs() - 0.6 + 0.2 * normal(rng, n)).sign()
