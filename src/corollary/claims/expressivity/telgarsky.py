r"""Benefits of depth (Telgarsky).

For :math:`L \ge 2` the network :math:`f = \Delta^{L^2+2}` with :math:`3L^2+6` rectifiers in
:math:`2L^2+4` layers is far from every ReLU network g with at most :math:`2^L` rectifiers in at
most L layers:

.. math:: \int_0^1 |f(x) - g(x)|\,dx \ge \frac1{32} .

The line 1/2 cuts :math:`2^{L^2+2} - 1` triangles off the teeth of f; g has at most
:math:`(2 \cdot 2^L/L)^L \le 2^{L^2}` pieces, hence as many crossings of that line, and leaves
:math:`2^{L^2+1} - 1 - 2^{L^2}` whole triangles of area :math:`2^{-L^2-4}` on the other side. Here g
is, at each L, a network trained on f, the best follower of single teeth, and a short sawtooth; the
integral is exact.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 30 and Figure 4.4; Telgarsky (2016),
    "Benefits of depth in neural networks".
:kind: theorem
:cost: seconds
:uses: telgarsky_pieces, pieces_depth
:covers: telgarsky-depth-separation
:erratum: [missing hypothesis] Theorem 30 is stated for L >= 1, but its proof uses
    (2 * 2^L / L)^L <= 2^{L^2}, which for L = 1 reads 4 <= 2. As proved it needs L >= 2. (No
    counterexample at L = 1 is claimed: two units in one layer have at most three pieces, and the
    networks found here stay above 0.2.) [typo] "Can not be approximated by any g such that the
    integral is >= 1/32" should read: every such g has an integral >= 1/32. [possible OCR artefact]
    One line shows 2 * 2^L where the next one requires 2 * 2^{L^2}.
:loose: The proof counts only whole triangles on the other side of the line 1/2; even the constant
    1/2 has error 1/4.
"""

from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Suppose, Trial, at_least, option, uniform
from corollary.core.picture import Curve, Level, Marks, Points, Role, picture
from corollary.models.random_rectifier import random_rectifier
from corollary.models.sawtooth import depth, relu_count, sawtooth, telgarsky_network, tooth_follower
from corollary.theory.expressivity.piecewise import PiecewiseLinear
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.sawtooth import (
    integral_distance,
    sawtooth_curve,
    sawtooth_values,
)
from corollary.train import fit

KINDS: dict[str, Role] = {
    "trained": "measured",
    "one layer along the teeth": "other",
    "short sawtooth": "other",
}


class Given(NamedTuple):
    rivals: dict[int, tuple[nn.Sequential, ...]]  # networks that try to be f, for each L from 2 on


def trained(L: int, steps: int, *, rng: Generator) -> nn.Sequential:
    """L layers of equal width, at most 2^L units in all, trained on 512 points of the sawtooth."""
    net = random_rectifier(1, [2**L // L] * L, bias=0.3, rng=rng)
    x = uniform(rng, 512, 1)
    list(net.parameters())[-1].data.fill_(0.5)  # the last bias
    if steps:
        adam = lambda p: torch.optim.Adam(p, lr=0.02)  # noqa: E731
        fit(net, (x, sawtooth_values(x, L * L + 2)), nn.functional.l1_loss, adam, steps=steps)
    return net


def error(g: nn.Sequential, L: int) -> float:
    """The integral of the distance from the sawtooth of L, exact between breakpoints."""
    pieces = affine_pieces(g, 0.0, 1.0)
    curve = PiecewiseLinear(pieces.s, pieces.values[:, 0], 0.0, 0.0)
    return integral_distance(sawtooth_curve(L * L + 2), curve)


class Telgarsky(Claim[Given]):
    L: int = option(4, low=2, high=4)  # largest L
    steps: int = option(60, low=0, high=10_000)  # steps of Adam, for the trained networks

    relation = at_least()  # a factor of 5 away from rounding
    supposes = (
        Suppose("L is at least 2", lambda g: min(g.rivals) >= 2),
        Suppose(
            "no rival has more than 2^L rectifiers",
            lambda g: all(relu_count(r) <= 2**L for L, row in g.rivals.items() for r in row),
            "One layer with one unit per flank fits all teeth except the last.",
            lambda: Given({L: (tooth_follower(L**2 + 2, 2 ** (L**2 + 2)),) * 3 for L in (2, 3)}),
        ),
        Suppose(
            "no rival has more than L layers",
            lambda g: all(depth(r) <= L for L, row in g.rivals.items() for r in row),
            "The deep network itself has no error.",
            lambda: Given({L: (telgarsky_network(L),) * 3 for L in (2, 3)}),
        ),
    )
    symbols = "1/32", "∫ |f − g|"
    rows = tuple(f"L = {L}, {kind}" for L in (2, 3, 4) for kind in KINDS)

    def given(self, rng: Generator) -> Given:
        def row(L: int) -> tuple[nn.Sequential, ...]:
            short = sawtooth(max(1, min(2**L // 3, L)), "three_units")
            return trained(L, self.steps, rng=rng), tooth_follower(L**2 + 2, 2**L), short

        return Given({L: row(L) for L in range(2, self.L + 1)})

    def predict(self, given: Given) -> list[float]:
        return [1 / 32 for row in given.rivals.values() for _ in row]

    def measure(self, given: Given) -> list[float]:
        return [error(g, L) for L, row in given.rivals.items() for g in row]

    @picture("Small networks stay far from the sawtooth", x="L", y="∫|f − g|")
    def errors(self, trial: Trial[Given]) -> Marks:
        for i, (kind, role) in enumerate(KINDS.items()):
            yield Points(list(trial.given.rivals), trial.measured[i::3], kind, role)
        yield Level(1 / 32, "1/32")

    @picture("Four rectifiers against a sawtooth", x="x", y="f, g")
    def rivals(self, trial: Trial[Given]) -> Marks:
        target = sawtooth_curve(6)
        yield Curve(target.values, target.knots, "f = Δ⁶", "predicted")
        for g, (kind, role) in zip(trial.given.rivals[2][:2], KINDS.items(), strict=False):
            pieces = affine_pieces(g, 0.0, 1.0)
            yield Curve(pieces.values[:, 0], pieces.s, f"{kind}, {pieces.count} pieces", role)
