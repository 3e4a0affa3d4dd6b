r"""ReLU networks with few pieces fail on alternating labels (Telgarsky).

On the points :math:`x_i = i/2^n`, :math:`0 \le i < 2^n`, with labels :math:`i \bmod 2`, the
sawtooth network with 2n layers of at most two units makes no mistake. A ReLU network with t pieces,
thresholded at 1/2, makes a share of mistakes of at least

.. math:: R \ge \frac12 - \frac{t + 1}{2^{n+1}} ,

and one with l layers of width :math:`w < 2^{(n-k)/l - 1}` at least
:math:`\frac12 - 2^{-k-1} > \frac12 - \frac1{3 \cdot 2^{k-1}}`: hardly better than guessing.

:source: Mathematical Foundations of Deep Learning (slides), Telgarsky's Theorem; Telgarsky (2015),
    "Representation benefits of deep feedforward networks".
:kind: theorem
:cost: seconds
:uses: iterated_tent, pieces_depth
:covers: telgarsky-classification
:erratum: [notation] The slide has 2^k points with m^(k), but the width 2^{(n-k)/l-1} and the error
    use n and k apart, with n not introduced (it is also the number of points in the mean). It is
    consistent with 2^n points, m^(n) and any k. [possible OCR artefact] "2^k hidden layers of 2
    nodes" is presumably 2k, or 2n in the consistent form: for n = 6 the 12 layers make no mistake.
"""

from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Marks, Points, Suppose, Trial, at_least, option, picture
from corollary.data.alternating_points import alternating_points
from corollary.models.random_rectifier import random_rectifier
from corollary.models.sawtooth import depth, sawtooth
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.sawtooth import alternating_error_bound, is_narrow
from corollary.train import fit


class Given(NamedTuple):
    models: tuple[nn.Sequential, ...]  # of one input
    x: Float[Tensor, "N 1"]  # points
    y: Float[Tensor, " N"]  # labels


def answers(model: nn.Module, x: Tensor) -> Tensor:
    """1 where the network is at least 1/2."""
    with torch.no_grad():
        output: Tensor = model(x)
        return (output[:, 0] >= 0.5).to(x.dtype)


def narrow(self: "AlternatingLabels", given: Given) -> tuple[bool, str]:
    """Whether the widths are as small as the theorem asks."""
    deepest = max(depth(net) for net in given.models)
    layers = (layer for net in given.models for layer in list(net)[:-1:2])
    widest = max(len(next(layer.parameters())) for layer in layers)
    fits = self.k <= self.n and is_narrow(self.n, self.k, deepest, widest)
    return fits, f"{deepest} layers of width {widest}"


class AlternatingLabels(Claim[Given]):
    n: int = option(8, low=2, high=12)  # there are 2^n points
    k: int = option(2, low=1, high=8)  # k of the bound 1/2 - 2^(-k-1)
    l: int = option(2, low=1, high=4)  # layers of the networks
    w: int = option(3, low=1, high=64)  # width of the networks
    networks: int = option(6, low=2, high=64)  # networks, half of which are trained
    steps: int = option(80, low=1, high=10_000)  # steps of Adam

    relation = at_least()  # shares of 2^n points are exact in binary
    supposes = (
        Suppose(
            "the width is below 2^((n-k)/l - 1)",
            narrow,
            "The sawtooth network has only two units per layer but 2n layers, and makes no "
            "mistake.",
            models=lambda self: (sawtooth(self.n, "two_layer"),),
        ),
        Suppose(
            "neighbours have different labels",
            lambda g: g.y.diff().abs().min(),
            "Labels given by one of the networks are fitted without a mistake.",
            y=lambda g: answers(g.models[0], g.x),
        ),
    )
    symbols = "bound by pieces, then by width", "share of mistakes R"
    rows = tuple(f"network {i}, by {by}" for by in ("pieces", "width") for i in range(1, 7))

    def given(self, rng: Generator) -> Given:
        x, y = alternating_points(self.n)
        shape = [self.w] * self.l
        models = [random_rectifier(1, shape, bias=0.5, rng=rng) for _ in range(self.networks)]
        adam = partial(torch.optim.Adam, lr=0.03)
        for net in models[::2]:
            fit(net, (x, y[:, None]), nn.functional.mse_loss, adam, steps=self.steps)
        return Given(tuple(models), x, y)

    def predict(self, given: Given) -> list[float]:
        pieces = [affine_pieces(net, 0.0, 1.0).count for net in given.models]
        by_pieces = [alternating_error_bound(t, self.n) for t in pieces]
        return by_pieces + [0.5 - 2.0 ** (-self.k - 1)] * len(pieces)

    def measure(self, given: Given) -> list[float]:
        shares = [float((answers(net, given.x) != given.y).double().mean()) for net in given.models]
        return shares + shares

    @picture("Mistakes on alternating points", x="pieces t", y="R", log="x")
    def marks(self, trial: Trial[Given]) -> Marks:
        half = 2 ** (self.n + 1)
        pieces = [half * (0.5 - bound) - 1 for bound in trial.predicted[: self.networks]]
        share = trial.measured[: self.networks]
        grid = sorted({int(2 ** (j / 4)) for j in range(4 * self.n + 1)})
        yield Curve([0.5 - (t + 1) / half for t in grid], grid, "bound", "predicted")
        yield Points(pieces[::2], share[::2], f"trained, {self.l} layers of {self.w}")
        yield Points(pieces[1::2], share[1::2], "random weights", "other")
        yield Points([2**self.n], trial.without[0].measured[:1], f"sawtooth, {2 * self.n} layers")
