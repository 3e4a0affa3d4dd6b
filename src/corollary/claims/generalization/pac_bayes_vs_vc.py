r"""PAC-Bayes bounds and VC bounds of the same network.

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
:uses: pac_bayes_recipe, network_vc_dimension, vc_dimension_bound, deep_relu_complexity
:covers: pac-bayes-vs-vc
:scale-free: A vacuous bound stays vacuous when it is scaled.
"""

import math
from typing import Any, NamedTuple

from torch import Generator

from corollary.claims.generalization._certified import Certified, Pair, coins, digits
from corollary.core import Along, Claim, Sample, Suppose, at_least, normal, option
from corollary.theory.generalization.deep_relu import deep_relu_bound
from corollary.theory.generalization.rademacher import rademacher_deviation
from corollary.theory.generalization.vc import vc_deviation
from corollary.theory.generalization.vc_networks import parameters_up_to, relu_log2_growth


class Given(NamedTuple):
    true: tuple[Certified, ...]  # certified on true labels
    random: tuple[Certified, ...]  # certified on labels from a coin
    widths: tuple[int, ...]
    n: int
    radius: float  # largest length of an image


def many_points(self: "PacBayesVsVc", rng: Generator) -> Given:
    """With nine weights and 100,000 points, a bound that counts parameters is very good."""
    x = normal(rng, 101_000, 2).float()
    y = x[:, 0].sign()
    few = PacBayesVsVc(runs=2, delta=self.delta)
    return few.networks((x[:-1000], y[:-1000]), (x[-1000:], y[-1000:]), (2,), 10, rng)


class PacBayesVsVc(Claim[Given]):
    hidden: int = option(24, low=1, high=1000)  # units of the hidden layer
    steps: int = option(100, low=10, high=100_000)  # updates of the posterior
    runs: int = option(4, low=2, high=20)  # networks for each kind of labels
    delta: float = option(0.05, low=1e-6, high=0.5)  # probability of failure

    relation = at_least(level=0.9)  # means over four networks, with a Student interval
    supposes = Suppose(
        "there are more weights than samples",
        lambda g: parameters_up_to(g.widths)[-1] - g.n,
        without=many_points,
    )
    symbols = "1", "bound / trivial bound"
    predicts = [1.0] * 4
    rows = ("½ / PAC-Bayes, true", "PAC-Bayes, coins / ½", "norm bound", "VC bound")
    shows = Along("Three bounds on one network", x="bound", log="y")

    def given(self, rng: Generator) -> Given:
        return self.networks(digits("train"), digits("test"), (self.hidden,), self.steps, rng)

    def networks(
        self, train: Pair, test: Pair, hidden: tuple[int, ...], steps: int, rng: Generator
    ) -> Given:
        """Certified networks for true labels and for labels from a coin."""
        sizes: dict[str, Any] = {
            "fitting": 100,
            "batch": 128,
            "delta": self.delta / 3,
            "draws": 3000,
            "rng": rng,
        }
        noise = (train[0], coins(train[1], rng)), (test[0], coins(test[1], rng))
        true, random = (
            tuple(Certified(*data, hidden, steps=k, **sizes) for _ in range(self.runs))
            for data, k in (((train, test), steps), (noise, max(10, steps // 4)))
        )
        radius = float(train[0].norm(dim=1).max())
        return Given(true, random, (train[0].shape[1], *hidden, 1), len(train[0]), radius)

    def measure(self, given: Given) -> list[Sample | float]:
        n, delta = given.n, self.delta / 3
        bits = math.ceil(relu_log2_growth(given.widths, 2 * n))

        def by_norms(norms: tuple[float, ...]) -> float:  # for the ramp of slope 1
            R = deep_relu_bound(norms, len(norms), n, radius=given.radius, version="golowich")
            return rademacher_deviation(R, n, delta)

        true, random = ([net.outcome for net in nets] for nets in (given.true, given.random))
        return [
            Sample([0.5 / net.bound for net in true]),
            Sample([net.bound / 0.5 for net in random]),
            min(by_norms(net.norms) for net in true),
            min(net.train_error for net in true) + vc_deviation(2**bits, n, delta),
        ]
