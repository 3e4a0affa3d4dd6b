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
:uses: tent_map
:covers: sawtooth-composition
"""

from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Curve, Marks, Suppose, Sweep, Trial, equals, option, picture
from corollary.models.sawtooth import Form, relu_count, sawtooth
from corollary.theory.expressivity.regions.line import affine_pieces


class Given(NamedTuple):
    model: nn.Sequential  # a chain of k tents
    k: int


def low(given: Given) -> Given:
    """Tents with slopes 3/2, of height 3/4, lose teeth at each fold."""
    model = deepcopy(given.model)
    for layer in list(model)[2:]:
        if isinstance(layer, nn.Linear) and layer.in_features > 1:
            layer.weight.data.mul_(0.75)
    return given._replace(model=model)


class IteratedTent(Claim[Given]):
    k: int = option(8, low=1, high=14)  # tents
    form: Form = "two_layer"  # three_units in a layer, or two and one in two_layer

    relation = equals()  # counts, and values that are exact in binary
    supposes = Suppose(
        "each tent is as high as the interval is long",
        lambda g: g.model(torch.full((1, 1), 2.0**-g.k, dtype=torch.float64)).item() == 1,
        without=low,
    )
    symbols = "2ᵏ, 3k, 2ᵏ⁻¹ and 0", "counted"
    rows = ("pieces", "rectifiers", "teeth", "mistakes at dyadic points")
    shows = Sweep("Pieces double with each tent", "k", range(1, 11), y="pieces", log="y")

    def given(self, rng: Generator) -> Given:
        return Given(sawtooth(self.k, self.form), self.k)

    def predict(self, given: Given) -> list[float]:
        k = given.k
        return [2.0**k, 3.0 * k, 2.0 ** (k - 1), 0.0]

    def measure(self, given: Given) -> list[float]:
        i = torch.arange(2**given.k + 1, dtype=torch.float64)
        values = given.model((i / 2**given.k)[:, None])[:, 0]
        pieces = affine_pieces(given.model, 0.0, 1.0)
        tops = float((pieces.values[:, 0] == 1).sum())
        return [pieces.count, relu_count(given.model), tops, (values - i % 2).abs().sum().item()]

    @picture("The tent map, iterated", x="x", y="m⁽ᵏ⁾(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        drawn = [affine_pieces(sawtooth(k, self.form), 0.0, 1.0) for k in (1, 2, 3)]
        for k, p in enumerate(drawn, 1):
            yield Curve(p.values[:, 0], p.s, label=f"k = {k}")
