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

from corollary.core import Claim, Kept, Sample, Suppose, Trial, normal, option, within_interval
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.models.many import Many
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
    draws: int = option(24, low=5, high=100)  # random labelings, with one network each
    steps: int = option(120, low=20, high=2000)  # full-batch steps

    relation = within_interval(resolution=0.12)  # accuracies of 24 networks spread by 0.1
    supposes = Suppose(
        "there are at least ten parameters for each example",
        lambda g: g.m * (g.x.shape[1] + 2) + 1 - 10 * len(g.x),
        "A network with one hidden unit cannot fit random labels.",
        m=1,
    )
    symbols = "1, 1 and ½", "accuracy, mean over networks"
    predicts = [1.0, 1.0, 0.5]
    rows = "random labels, on the sample", "true labels, on the sample", "random labels, elsewhere"

    def given(self, rng: Generator) -> Given:
        n, x = self.n, normal(rng, self.n + 1000, self.d)
        y = x[:, :3].sum(dim=1).sign()
        sigma = 2.0 * torch.randint(2, (self.draws, n), generator=rng).double() - 1
        return Given(x[:n], y[:n], sigma, x[n:], y[n:], self.m)

    def measure(self, given: Given, rng: Generator) -> Kept:
        k, mixed = len(given.sigma), [self.mixed(given, share) for share in SHARES]
        labels = torch.cat([given.sigma, given.y.expand_as(given.sigma), torch.stack(mixed)])
        nets = self.fitted(given, labels, rng)
        inside = accuracies(nets, given.x, labels)
        outside = accuracies(nets, given.fresh, given.right)
        found = [Sample(inside[:k]), Sample(inside[k : 2 * k]), Sample(outside[:k])]
        return Kept(found, inside=1 - inside[2 * k :], outside=1 - outside[2 * k :])

    def mixed(self, given: Given, share: float) -> Tensor:
        """The true labels, with some of them replaced by random ones."""
        k = round(share * len(given.y))
        return torch.cat([given.sigma[0, :k], given.y[k:]])

    def fitted(self, given: Given, labels: Float[Tensor, "k n"], rng: Generator) -> Many:
        """A network for each labelling, trained on it."""
        nets = Many([MLP([given.x.shape[1], given.m, 1], rng=rng) for _ in labels])
        fit(
            nets,
            (given.x, labels.T),
            lambda o, y: F.softplus(-y.T * o[..., 0]).mean(dim=1).sum(),
            lambda parameters: torch.optim.Adam(parameters, lr=0.02),
            steps=self.steps,
        )
        return nets

    @picture(
        "Training error and test error on random labels", x="share of random labels", y="error"
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Points(SHARES, trial.kept.inside, label="on the sample")
        yield Curve(
            trial.kept.outside, SHARES, label="on fresh examples, true labels", role="other"
        )
        yield Level(0.5, label="chance")


def accuracies(nets: Many, x: Tensor, y: Tensor) -> Float[Tensor, " k"]:
    """The share of examples on the right side, for each network."""
    with torch.no_grad():
        right: Tensor = nets(x)[..., 0].sign() == y
        return right.double().mean(dim=1)
