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

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals, option
from corollary.models.mlp import MLP
from corollary.theory.generalization.deep_relu import deep_relu_bound, layer_norms
from corollary.train import fit
from corollary.train.history import History

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of labels replaced by coin flips


class Given(NamedTuple):
    """Inputs, true labels, random labels, fresh examples, the width and a seed."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    sigma: Float[Tensor, "k n"]
    fresh: Float[Tensor, "p d"]
    right: Float[Tensor, " p"]
    m: int
    steps: int
    seed: int

    def parameters(self) -> int:
        """Of the network."""
        return self.m * (self.x.shape[1] + 2) + 1

    def labels(self, share: float) -> Float[Tensor, " n"]:
        """The true labels with the first part replaced by random ones."""
        cut = round(share * len(self.y))
        return torch.cat([self.sigma[0, :cut], self.y[cut:]])


class RandomLabels(Claim[Given]):
    n: int = option(60, low=10, high=300)  # examples
    d: int = option(10, low=2, high=50)  # dimension
    m: int = option(128, low=1, high=1024)  # hidden units
    draws: int = option(3, low=1, high=20)  # random labelings
    steps: int = option(120, low=20, high=2000)  # full-batch steps
    relation = equals()  # counts over n

    def given(self, rng: Generator) -> Given:
        """Gaussian inputs; true labels by a hyperplane, random ones by coins."""
        x = torch.randn(self.n + 1000, self.d, generator=rng, dtype=torch.float64)
        y = x[:, :3].sum(dim=1).sign()
        sigma = 2.0 * torch.randint(2, (self.draws, self.n), generator=rng).double() - 1
        seed = int(torch.randint(2**31, (), generator=rng))
        n = self.n
        return Given(x[:n], y[:n], sigma, x[n:], y[n:], self.m, self.steps, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Enough parameters."""
        count = given.parameters()
        yield Hypothesis(
            "there are at least ten parameters for each example",
            count >= 10 * len(given.x),
            f"{count} parameters, {len(given.x)} examples",
        )

    def predict(self, given: Given) -> float:
        """Every sign is fitted."""
        return 1.0

    def measure(self, given: Given) -> list[float]:
        """The correlation of the fitted signs with each labeling."""
        found = []
        for sigma in given.sigma:
            signs = _trained(given, sigma)[0](given.x)[:, 0].detach().sign()
            found.append(float((sigma * signs).sum()) / len(sigma))
        return found

    def counterexample(self, rng: Generator) -> Given:
        """One hidden unit."""
        return self.given(rng)._replace(m=1)

    def figure(self, given: Given) -> tuple[Figure, Figure, Figure]:
        """Training curves; errors and norms as more and more labels are random."""
        curves = [
            Curve(_trained(given, y)[1].losses, label=name, role=role)
            for name, y, role in (
                ("true labels", given.y, "other"),
                ("random labels", given.sigma[0], "measured"),
            )
        ]
        training = Figure(
            "Random labels take longer, and are learned all the same",
            x="step",
            y="training loss",
            log_y=True,
            marks=tuple(curves),
        )
        return training, *_randomised(given)


@lru_cache(maxsize=32)
def _trained(given: Given, y: Tensor) -> tuple[MLP, History]:
    """A network fitted to these labels."""
    rng = torch.Generator().manual_seed(given.seed)
    net = MLP([given.x.shape[1], given.m, 1], rng=rng)
    history = fit(
        net,
        (given.x, y),
        lambda o, y: F.softplus(-y * o[:, 0]).mean(),
        lambda parameters: torch.optim.Adam(parameters, lr=0.02),
        steps=given.steps,
        rng=given.seed,
    )
    return net, history


def _error(net: MLP, x: Tensor, y: Tensor) -> float:
    return float((net(x)[:, 0].detach().sign() != y).double().mean())


def _randomised(given: Given) -> tuple[Figure, Figure]:
    """Training and test error, and the bound by the norms, over the share of random labels."""
    nets = [_trained(given, given.labels(s))[0] for s in SHARES]
    n, far = len(given.x), float(given.x.norm(dim=1).max())
    bounds = [
        2 * deep_relu_bound(layer_norms(net), 2, n, radius=far, version="golowich") for net in nets
    ]
    errors = Figure(
        "Training error says nothing about the labels",
        x="share of random labels",
        y="error",
        marks=(
            Points(SHARES, [_error(net, given.x, given.labels(s))
                            for s, net in zip(SHARES, nets, strict=True)], label="on the sample"),
            Curve([_error(net, given.fresh, given.right) for net in nets], SHARES,
                  label="on fresh examples, true labels", role="other"),
            Level(0.5, label="chance"),
        ),
    )  # fmt: skip
    norms = Figure(
        "Random labels cost norm; the bound is vacuous",
        x="share of random labels",
        y="value",
        log_y=True,
        marks=(
            Points(SHARES, [math.prod(layer_norms(net)) for net in nets], "product of norms"),
            Curve(bounds, SHARES, label="2 R_S by Golowich et al.", role="predicted"),
            Level(1.0, label="vacuous above", role="other"),
        ),
    )
    return errors, norms
