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
:covers: telgarsky-depth-separation
:erratum: [missing hypothesis] Theorem 30 is stated for L >= 1, but its proof uses
    (2 * 2^L / L)^L <= 2^{L^2}, which for L = 1 reads 4 <= 2. As proved it needs L >= 2. (No
    counterexample at L = 1 is claimed: two units in one layer have at most three pieces, and the
    networks found here stay above 0.2.) [typo] "Can not be approximated by any g such that the
    integral is >= 1/32" should read: every such g has an integral >= 1/32. [possible OCR artefact]
    One line shows 2 * 2^L where the next one requires 2 * 2^{L^2}.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_least, option
from corollary.models.random_rectifier import random_rectifier
from corollary.models.sawtooth import (
    depth,
    relu_count,
    sawtooth,
    telgarsky_network,
    tooth_follower,
)
from corollary.theory.expressivity.piecewise import PiecewiseLinear
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.sawtooth import (
    integral_distance,
    sawtooth_curve,
    sawtooth_values,
    telgarsky_lower,
)
from corollary.train import fit

KINDS = ("trained", "one layer along the teeth", "short sawtooth")


class Given(NamedTuple):
    """The networks that try to be f, for L = 1, 2, ...; the first row is not part of the claim."""

    rivals: tuple[tuple[nn.Sequential, ...], ...]


@dataclass(frozen=True)
class Telgarsky(Claim[Given]):
    """Exact distances of small networks from the sawtooth, for L = 2 up to the one asked for."""

    L: int = option(4, low=2, high=4)  # largest L
    steps: int = option(150, low=0, high=10_000)  # of Adam, for the trained networks
    relation = at_least()  # a factor of 5 away from rounding

    def given(self, rng: Generator) -> Given:
        """A trained network and two that were written down, at each L."""
        return Given(
            tuple(
                (
                    trained(L, self.steps, rng=rng),
                    tooth_follower(L**2 + 2, 2**L),
                    sawtooth(max(1, min(2**L // 3, L)), "three_units"),
                )
                for L in range(1, self.L + 1)
            )
        )

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The budget of the shallow side, for each L >= 2."""
        allowed = [(L, g) for L, row in enumerate(given.rivals, 1) if L > 1 for g in row]
        units = all(relu_count(g) <= 2**L for L, g in allowed)
        yield Hypothesis("L is at least 2", len(given.rivals) >= 2)
        yield Hypothesis("no rival has more than 2^L rectifiers", units)
        yield Hypothesis("no rival has more than L layers", all(depth(g) <= L for L, g in allowed))

    def predict(self, given: Given) -> list[float]:
        """The constant of the theorem, for each rival."""
        return [1 / 32] * sum(len(row) for row in given.rivals[1:])

    def measure(self, given: Given) -> list[float]:
        """The integrals, exact between breakpoints."""
        return [error(g, L) for L, row in enumerate(given.rivals, 1) if L > 1 for g in row]

    def counterexample(self, rng: Generator) -> Given:
        """The deep network as its own rival: no distance at all."""
        return Given(tuple((telgarsky_network(L),) for L in (1, 2, 3)))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Distances against L; and the sawtooth of L = 2 with its rivals."""
        Ls = list(range(1, len(given.rivals) + 1))
        marks = [
            Points(Ls, [error(row[i], L) for L, row in enumerate(given.rivals, 1)], kind, role)
            for i, (kind, role) in enumerate(
                zip(KINDS, ("measured", "other", "other"), strict=True)
            )
        ]
        proof = [telgarsky_lower(2 ** (L * L), L * L + 2) for L in Ls[1:]]
        marks += [
            Level(1 / 32, "1/32"),
            Curve(proof, Ls[1:], "triangles left over", "predicted", dashed=True),
        ]
        distances = Figure("Small networks stay away", "L", "∫|f - g|", tuple(marks))
        target = sawtooth_curve(6)
        drawn = [Curve(target.values, target.knots, "f = Δ⁶", "predicted")]
        for g, kind, role in zip(
            given.rivals[1], KINDS, ("measured", "other", "other"), strict=True
        ):
            pieces = affine_pieces(g, 0.0, 1.0)
            name = f"{kind}, {pieces.count} pieces"
            drawn.append(Curve(pieces.values[:, 0], pieces.s, name, role, dashed=role == "other"))
        picture = Figure("Four rectifiers against a sawtooth", "x", "f, g", tuple(drawn[:3]))
        return distances, picture


def error(g: nn.Sequential, L: int) -> float:
    """The integral of the distance from the sawtooth of L."""
    pieces = affine_pieces(g, 0.0, 1.0)
    curve = PiecewiseLinear(pieces.s, pieces.values[:, 0], 0.0, 0.0)
    return integral_distance(sawtooth_curve(L * L + 2), curve)


def trained(L: int, steps: int, *, rng: Generator) -> nn.Sequential:
    """L layers of equal width, at most 2^L units in all, trained on 512 points of the sawtooth."""
    net = random_rectifier(1, [2**L // L] * L, bias=0.3, rng=rng)
    x = torch.rand(512, 1, generator=rng, dtype=torch.float64)
    y = sawtooth_values(x, L * L + 2)
    with torch.no_grad():
        net[-1].bias.fill_(0.5)
    if steps:
        adam = lambda p: torch.optim.Adam(p, lr=0.02)  # noqa: E731
        fit(net, (x, y), nn.functional.l1_loss, adam, steps=steps)
    return net
