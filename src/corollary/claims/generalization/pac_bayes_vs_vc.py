r"""PAC-Bayes against counting parameters.

For a trained network with more weights than training images, bounds that hold for *every* function
of the class are vacuous: a VC bound grows with the number of parameters, a norm bound with the
product of the layers' norms, and neither looks at the labels. PAC-Bayes looks at one posterior. On
digits (0 to 4 against 5 to 9), with n images and confidence :math:`1-\delta` for all of them,

.. math:: \text{PAC-Bayes, true labels}<\tfrac12\le\text{PAC-Bayes, random labels},\qquad
    1\le\text{norm bound},\qquad1\le\text{VC bound}.

:source: Lucchi (2025), Foundations of Deep Learning, Section 9.1 and Table 1; Dziugaite and Roy
    (2017), "Computing nonvacuous generalization bounds for deep (stochastic) neural networks";
    Bartlett, Harvey, Liaw and Mehrabian (2019), "Nearly-tight VC-dimension bounds"; Golowich,
    Rakhlin and Shamir (2018), "Size-independent sample complexity of neural networks".
:kind: experiment
:cost: seconds
:covers: pac-bayes-vs-vc
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator

from corollary.claims.generalization._certified import Outcome, Pair, certified, coins, pair
from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.data.mnist_binary import mnist_or_digits
from corollary.theory.generalization.deep_relu import deep_relu_bound
from corollary.theory.generalization.rademacher import rademacher_deviation
from corollary.theory.generalization.vc import vc_deviation
from corollary.theory.generalization.vc_networks import parameters_up_to, relu_log2_growth


class Given(NamedTuple):
    """A certified network for each kind of labels, and the size of the problem."""

    true: Outcome
    random: Outcome
    widths: tuple[int, ...]
    n: int
    radius: float  # largest length of an image


class PacBayesVsVc(Claim[Given]):
    hidden: int = option(30, low=1, high=1000)  # units of the hidden layer
    steps: int = option(400, low=10, high=100_000)  # updates of the posterior
    delta: float = option(0.05, low=1e-6, high=0.5)  # probability of failure
    relation = at_most()  # vacuous or not: no tolerance

    def given(self, rng: Generator) -> Given:
        """Digits, with true labels and with labels from a coin."""
        train = pair(mnist_or_digits("train", binary=True, embedded=True))
        test = pair(mnist_or_digits("test", binary=True, embedded=True))
        return self._given(train, test, (self.hidden,), rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Size."""
        W = parameters_up_to(given.widths)[-1]
        more = W > given.n
        yield Hypothesis("there are more weights than samples", more, f"{W} for {given.n}")

    def predict(self, given: Given) -> list[float]:
        """A coin; PAC-Bayes on random labels; the norm bound; the VC bound."""
        return [0.5, given.random.bound, self._norm_bound(given), self._vc_bound(given, given.n)]

    def measure(self, given: Given) -> list[float]:
        """PAC-Bayes on true labels; then what is known without any bound."""
        return [given.true.bound, 0.5, 1.0, 1.0]

    def counterexample(self, rng: Generator) -> Given:
        """Nine weights and 100,000 points of the plane: counting parameters does very well."""
        x = torch.randn(101_000, 2, generator=rng)
        y = torch.where(x[:, 0] > 0, 1.0, -1.0)
        return self._given((x[:-1000], y[:-1000]), (x[-1000:], y[-1000:]), (2,), rng, steps=10)

    def figure(self, given: Given) -> Figure:
        """The same network, and what each bound would say with more samples."""
        sizes = [given.n * 4**k for k in range(14)]
        vc = [self._vc_bound(given, n) for n in sizes]
        norm = [self._norm_bound(given, n) for n in sizes]
        at = [given.n]
        return Figure(
            "Three bounds on one network",
            x="n",
            y="bound on the error",
            log_x=True,
            log_y=True,
            marks=(
                Curve(vc, x=sizes, label="VC", role="predicted"),
                Curve(norm, x=sizes, label="norms of the layers", role="predicted", dashed=True),
                Points(at, [given.true.bound], label="PAC-Bayes, true labels"),
                Points(at, [given.random.bound], label="PAC-Bayes, random labels", role="other"),
                Points(at, [given.true.test_error], label="error on test data", role="other"),
                Level(1.0, label="vacuous above", role="other"),
            ),
        )

    def _given(
        self, train: Pair, test: Pair, hidden: tuple[int, ...], rng: Generator, steps: int = 0
    ) -> Given:
        noise = (train[0], coins(train[1], rng)), (test[0], coins(test[1], rng))
        steps = steps or self.steps
        true, random = (
            certified(
                *data, hidden, fitting=200, steps=count, batch=128, delta=self.delta / 3, rng=rng
            )
            for data, count in (((train, test), steps), (noise, max(10, steps // 4)))
        )
        radius = float(train[0].norm(dim=1).max())
        return Given(true, random, (train[0].shape[1], *hidden, 1), len(train[0]), radius)

    def _vc_bound(self, given: Given, n: int) -> float:
        bits = math.ceil(relu_log2_growth(given.widths, 2 * n))
        return given.true.train_error + vc_deviation(2**bits, n, self.delta / 3)

    def _norm_bound(self, given: Given, n: int = 0) -> float:
        """For the ramp of slope 1, which is at least the zero-one loss; its mean is at least 0."""
        n = n or given.n
        norms = given.true.norms
        R = deep_relu_bound(norms, len(norms), n, radius=given.radius, version="golowich")
        return rademacher_deviation(R, n, self.delta / 3)
