r"""Networks fit random labels.

A network with far more parameters than there are examples reaches zero training error on labels
drawn by coin flips. Its outputs then agree with random signs on every example,

.. math:: \hat{\mathcal R}_S(\operatorname{sign}\circ\mathcal F)=
   \mathbb E_\sigma\sup_f\frac1n\sum_i\sigma_i\operatorname{sign}f(x_i)=1,

the largest value there is, so that uniform bounds by this complexity say nothing; outside the
sample it is right half of the time. On true labels the same network, trained the same way,
generalises. A network with few parameters cannot do it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.4 and Table 1 (R-600); Zhang,
    Bengio, Hardt, Recht and Vinyals (2017), "Understanding deep learning requires rethinking
    generalization".
:kind: experiment
:cost: seconds
:covers: random-label-fitting
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Along, Claim, Suppose, Trial, equals, generator, normal, option
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.models.mlp import MLP
from corollary.train import fit

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of labels replaced by coin flips


class Given(NamedTuple):
    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]  # true labels
    sigma: Float[Tensor, "k n"]  # random labels
    fresh: Float[Tensor, "p d"]
    right: Float[Tensor, " p"]  # true labels of the fresh examples
    m: int  # hidden units


class RandomLabels(Claim[Given]):
    n: int = option(60, low=10, high=300)  # examples
    d: int = option(10, low=2, high=50)  # dimension
    m: int = option(128, low=1, high=1024)  # hidden units
    draws: int = option(3, low=1, high=20)  # random labelings
    steps: int = option(120, low=20, high=2000)  # full-batch steps

    relation = equals()  # counts over n
    supposes = Suppose(
        "there are at least ten parameters for each example",
        lambda g: g.m * (g.x.shape[1] + 2) + 1 - 10 * len(g.x),
        "One hidden unit cannot do it.",
        m=1,
    )
    symbols = "1", "correlation of the outputs with random signs"
    shows = Along("Random labels are memorised", x="labelling", first=1)

    def given(self, rng: Generator) -> Given:
        n, x = self.n, normal(rng, self.n + 1000, self.d)
        y = x[:, :3].sum(dim=1).sign()
        sigma = 2.0 * torch.randint(2, (self.draws, n), generator=rng).double() - 1
        return Given(x[:n], y[:n], sigma, x[n:], y[n:], self.m)

    def predict(self, given: Given) -> float:
        return 1.0

    def measure(self, given: Given, rng: Generator) -> list[float]:
        nets = [(self.fitted(given, sigma, rng), sigma) for sigma in given.sigma]
        return [1 - 2 * error(net, given.x, sigma) for net, sigma in nets]

    def fitted(self, given: Given, y: Tensor, rng: Generator) -> MLP:
        """A network trained on these labels."""
        net = MLP([given.x.shape[1], given.m, 1], rng=rng)
        fit(
            net,
            (given.x, y),
            lambda o, y: F.softplus(-y * o[:, 0]).mean(),
            lambda parameters: torch.optim.Adam(parameters, lr=0.02),
            steps=self.steps,
        )
        return net

    @picture("Training error says nothing about the labels", x="share of random labels", y="error")
    def marks(self, trial: Trial[Given]) -> Marks:
        given, rng = trial.given, generator(0, "shares")
        cut = [round(s * len(given.y)) for s in SHARES]
        labels = [torch.cat([given.sigma[0, :k], given.y[k:]]) for k in cut]
        nets = [self.fitted(given, y, rng) for y in labels]
        inside = [error(net, given.x, y) for net, y in zip(nets, labels, strict=True)]
        yield Points(SHARES, inside, label="on the sample")
        yield Curve(
            [error(net, given.fresh, given.right) for net in nets],
            SHARES,
            label="on fresh examples, true labels",
            role="other",
        )
        yield Level(0.5, label="chance")


def error(net: MLP, x: Tensor, y: Tensor) -> float:
    """The share of examples on the wrong side."""
    with torch.no_grad():
        return float((net(x)[:, 0].sign() != y).double().mean())
