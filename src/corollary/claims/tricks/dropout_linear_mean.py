r"""Weight scaling is the exact ensemble of a linear model.

For a linear network with masks :math:`b` of any of its units, independent with keep probabilities
:math:`\pi_i`, the mean output over all masks is the output of the network whose weights are scaled
by :math:`\pi_i`:

.. math:: \sum_bp(b)\,\langle w,b\odot x\rangle=\langle\pi\odot w,x\rangle .

Behind a nonlinear layer it is an approximation.

:source: Perez Jensen (2025), Deep Learning, Section 8.4; Lucchi (2025), Foundations of Deep
    Learning, Section 11.2; Srivastava et al. (2014), "Dropout: a simple way to prevent neural
    networks from overfitting".
:kind: identity
:uses: dropout_moments
:covers: dropout-ensemble
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Kept, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.models.dropout_ensemble import dropout_ensemble, mc_dropout, weight_scaled


class Given(NamedTuple):
    x: Float[Tensor, "m n"]  # inputs
    net: nn.Sequential  # a network with dropout


def is_linear(given: Given) -> tuple[bool, str]:
    """Whether the network without dropout maps -x to -f(x)."""
    was, f = given.net.training, given.net.eval()
    found = near(f(given.x), -f(-given.x))
    given.net.train(was)
    return found


def relu_between(given: Given) -> Given:
    """With ReLU between the layers, the scaled network is an approximation."""
    first, a, _, second, b = given.net
    return given._replace(net=nn.Sequential(first, a, nn.ReLU(), second, b))


class DropoutLinearMean(Claim[Given]):
    n: int = option(4, low=1, high=7)  # inputs, each with a mask
    h: int = option(4, low=1, high=7)  # hidden units, each with a mask
    p: float = option(0.4, low=0.0, high=0.9)  # dropout rate

    relation = equals(ulps=2**12, scale=1.0)  # sums over 2^(n + h) masks
    supposes = Suppose("the network is linear", is_linear, without=relu_between)
    symbols = "scaled network", "mean over all masks"
    shows = Along("Outputs for three inputs", x="input", y="output", first=1)

    def given(self, rng: Generator) -> Given:
        first = nn.Linear(self.n, self.h, bias=False).double()
        second = nn.Linear(self.h, 1, bias=False).double()
        with torch.no_grad():
            for layer in (first, second):
                layer.weight.normal_(generator=rng)
        net = nn.Sequential(nn.Dropout(self.p), first, nn.Identity(), nn.Dropout(self.p), second)
        return Given(normal(rng, 3, self.n), net)

    def predict(self, given: Given) -> Tensor:
        return weight_scaled(given.net, given.x).flatten()

    def measure(self, given: Given, rng: Generator) -> Kept:
        sampled = mc_dropout(given.net, given.x[:1], 300, rng=rng).outputs[:, 0, 0]
        return Kept(dropout_ensemble(given.net, given.x).mean().flatten(), sampled=sampled)

    @picture("Sampled masks and the scaled network", x="masks", y="output")
    def marks(self, trial: Trial[Given]) -> Marks:
        count = torch.arange(1, 301)
        yield Level(float(trial.predicted[0]), label="scaled network")
        yield Curve(trial.kept.sampled.cumsum(0) / count, count, "mean of sampled masks")
        yield Level(float(trial.measured[0]), label="mean of all masks", role="measured")
