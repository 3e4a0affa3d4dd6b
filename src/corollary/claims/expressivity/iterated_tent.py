r"""Iterated tent map.

The tent map composed k times, :math:`m^{(k)}`, has :math:`2^{k-1}` teeth of height 1 on [0, 1],
:math:`2^k` affine pieces, alternates at the dyadic points,

.. math:: m^{(k)}(i/2^k) = i \bmod 2 ,

and is a network of 3k rectifiers: pieces double with each tent, units grow by three. A tent that is
not quite as high as the interval is long loses teeth at each fold.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.1 and Figure 4.3; Mathematical
    Foundations of Deep Learning (slides), Telgarsky's Theorem; Telgarsky (2016), "Benefits of depth
    in neural networks".
:kind: construction
:cost: instant
:covers: sawtooth-composition
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.sawtooth import Form, relu_count, sawtooth
from corollary.theory.expressivity.regions.line import affine_pieces


class Given(NamedTuple):
    """A chain of k tents."""

    model: nn.Sequential
    k: int


@dataclass(frozen=True)
class IteratedTent(Claim[Given]):
    """Pieces, values at the dyadic points and units of the composed network."""

    k: int = option(8, low=1, high=14)  # tents
    form: Form = "two_layer"  # three_units in a layer, or two and one in two_layer
    relation = equals()  # counts, and values that are exact in binary

    def given(self, rng: Generator) -> Given:
        """The network; nothing is drawn."""
        return Given(sawtooth(self.k, self.form), self.k)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The tents are full."""
        with torch.no_grad():
            top = float(given.model(torch.tensor([[2.0**-given.k]], dtype=torch.float64)))
        yield Hypothesis("each tent is as high as the interval is long", top == 1, f"{top:.4g}")

    def predict(self, given: Given) -> list[float]:
        """Pieces, units, teeth, and the sum of mistakes at the dyadic points."""
        k = given.k
        return [2.0**k, 3.0 * k, 2.0 ** (k - 1), 0.0]

    def measure(self, given: Given) -> list[float]:
        """Counted."""
        i = torch.arange(2**given.k + 1, dtype=torch.float64)
        with torch.no_grad():
            values = given.model((i / 2**given.k)[:, None])[:, 0]
        pieces = affine_pieces(given.model, 0.0, 1.0)
        tops = int((pieces.values[:, 0] == 1).sum())
        off = float((values - i % 2).abs().sum())
        return [float(pieces.count), float(relu_count(given.model)), float(tops), off]

    def counterexample(self, rng: Generator) -> Given:
        """Tents with slopes 3/2, of height 3/4."""
        given = self.given(rng)
        with torch.no_grad():
            for layer in given.model[2:]:
                if isinstance(layer, nn.Linear) and layer.in_features > 1:
                    layer.weight.mul_(0.75)
        return given

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The first iterates; pieces against units."""
        drawn = [affine_pieces(sawtooth(k, self.form), 0.0, 1.0) for k in (1, 2, 3)]
        curves = [
            Curve(p.values[:, 0], p.s, f"k = {k}", "measured" if k == 3 else "other", dashed=k == 2)
            for k, p in enumerate(drawn, 1)
        ]
        ks = range(1, min(given.k, 10) + 1)
        units = [3 * k for k in ks]
        found = [affine_pieces(sawtooth(k, self.form), 0.0, 1.0).count for k in ks]
        growth = (
            Curve([2**k for k in ks], units, "2ᵏ", "predicted"),
            Points(units, found, "pieces of the network"),
            Curve([u + 1 for u in units], units, "one hidden layer", "other", dashed=True),
        )
        return (
            Figure("The tent map, iterated", x="x", y="m⁽ᵏ⁾(x)", marks=tuple(curves)),
            Figure("Pieces double with each tent", "rectifiers, 3k", "pieces", growth, log_y=True),
        )
