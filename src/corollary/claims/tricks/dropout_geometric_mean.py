r"""Weight scaling is a geometric mean for softmax regression.

Let b range over masks of the inputs with keep probabilities :math:`\pi_i`. For
:math:`p_b(y\mid x)=\operatorname{softmax}(W(b\odot x)+c)_y` the normalised geometric mean over all
masks is the one network with scaled weights,

.. math:: \frac{\prod_bp_b(y\mid x)^{p(b)}}{\sum_{y'}\prod_bp_b(y'\mid x)^{p(b)}}=
   \operatorname{softmax}\bigl(W(\pi\odot x)+c\bigr)_y .

The ensemble itself is the arithmetic mean, which is another number. With a hidden layer of ReLU
behind the masks the identity fails as well.

:source: Perez Jensen (2025), Deep Learning, Section 8.4; Goodfellow, Bengio and Courville (2016),
    Deep Learning, Section 7.12; Baldi and Sadowski (2013), "Understanding dropout".
:kind: identity
:covers: dropout-ensemble
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Parity, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.models.dropout_ensemble import dropout_ensemble, weight_scaled


class Given(NamedTuple):
    x: Float[Tensor, "m n"]  # inputs
    net: nn.Sequential  # its first layer is dropout


def linear_in_masks(given: Given) -> tuple[bool, str]:
    """Whether the network behind the masks is additive on the inputs."""
    f, x = given.net[1:], given.x
    off = float((f(2 * x) - f(x) - (f(x) - f(0 * x))).abs().max().detach())
    twice = float((f(-x) + f(x) - 2 * f(0 * x)).abs().max().detach())
    return max(off, twice) < 1e-9, f"difference {max(off, twice):.2g}"


def hidden_layer(self: "DropoutGeometricMean", given: Given, rng: Generator) -> Given:
    """With a hidden layer of ReLU the scaled network is not the geometric mean."""
    layers = [linear(normal(rng, 8, self.n)), nn.ReLU(), linear(normal(rng, self.k, 8))]
    return given._replace(net=nn.Sequential(nn.Dropout(1 - self.keep), *layers))


def linear(weight: Tensor) -> nn.Linear:
    """A layer with these weights and no bias."""
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False).double()
    layer.weight = nn.Parameter(weight)
    return layer


class DropoutGeometricMean(Claim[Given]):
    n: int = option(6, low=1, high=10)  # inputs, each with a mask
    k: int = option(3, low=2, high=10)  # classes
    keep: float = option(0.6, low=0.05, high=1.0)  # probability that an input is kept
    m: int = option(4, low=1, high=20)  # examples

    relation = equals(ulps=2**10)  # sums of 2^n logarithms
    supposes = Suppose("the logits are linear in the masks", linear_in_masks, without=hidden_layer)
    symbols = "scaled network", "geometric mean over all masks"
    shows = Parity("Probabilities with and without the hypothesis")

    def given(self, rng: Generator) -> Given:
        x, W = normal(rng, self.m, self.n), normal(rng, self.k, self.n)
        return Given(x, nn.Sequential(nn.Dropout(1 - self.keep), linear(W)))

    def predict(self, given: Given) -> Tensor:
        return torch.softmax(weight_scaled(given.net, given.x), 1).flatten()

    def measure(self, given: Given) -> Kept:
        ensemble = dropout_ensemble(given.net, given.x)
        return Kept(ensemble.geometric().flatten(), arithmetic=ensemble.probabilities().flatten())

    @picture(
        "Scaled network, and mean over the 2ⁿ dropout masks",
        x="scaled network",
        y="mean over all masks",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        scaled, arithmetic = trial.predicted.detach(), trial.kept.arithmetic
        off = float((arithmetic - scaled).abs().max())
        yield Curve([0.0, 1.0], [0.0, 1.0], "equal", "predicted")
        yield Points(scaled, trial.measured, label="geometric mean")
        yield Points(scaled, arithmetic, f"arithmetic mean, error up to {off:.3f}", "other")
